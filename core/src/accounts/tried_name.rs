//! What the audit log says about the name of a refused sign-in.

use serde_json::{Value, json};

const LONGEST: usize = 40;

/// Returns the details of a refused sign-in. The record of a known account names it by its id. For
/// an unknown one, the typed name is kept without what the log must not hold: of an email address
/// only the beginning and the domain, and nothing of what is no name, since some people type their
/// password into the wrong field.
pub(crate) fn details(known: bool, typed: &str) -> Value {
    match known {
        true => Value::Null,
        false => json!({ "tried": tried(typed), "account": "unknown" }),
    }
}

fn tried(typed: &str) -> String {
    let cleaned = crate::text::clean(typed);
    let name = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '+'))
    };
    match name.rsplit_once('@') {
        Some((local, domain)) if is_name(local) && is_name(domain) => {
            let begin: String = local.chars().take(2).collect();
            format!("{begin}…@{}", bounded(domain))
        }
        None if is_name(&name) => bounded(&name),
        _ => "not a name".to_owned(),
    }
}

fn bounded(text: &str) -> String {
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cleaned_and_bounded_and_an_address_is_shortened() {
        for (typed, kept) in [
            (" Gabai ", "Gabai"),
            ("y.feder-2", "y.feder-2"),
            ("two\n\twords", "two words"),
            ("\u{202e}gabai\u{200b}", "gabai"),
            ("ראש הגבאים", "ראש הגבאים"),
            ("chaya.weiss+camp@family.example", "ch…@family.example"),
            ("c@family.example", "c…@family.example"),
            ("S3cret!pa$$word", "not a name"),
            ("<script>", "not a name"),
            ("@", "not a name"),
            ("a@b@c.example", "not a name"),
            ("nul\u{0}", "not a name"),
            ("", "not a name"),
        ] {
            assert_eq!(tried(typed), kept, "{typed:?}");
        }
        assert_eq!(tried(&"x".repeat(500)), format!("{}…", "x".repeat(40)));
        assert_eq!(tried(&format!("a@{}", "y".repeat(500))), format!("a…@{}…", "y".repeat(40)));
    }
}
