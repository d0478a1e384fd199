//! What the audit log says about the name of a refused sign-in.

use serde_json::{Value, json};

const LONGEST_DOMAIN: usize = 40;

/// Returns the details of a refused sign-in. The record of a known account names it by its id. For
/// an unknown one, only the beginning of the typed name is kept, with the domain of an email address:
/// some people type their password into the wrong field.
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
            format!("{}@{}", beginning(local), bounded(domain))
        }
        None if is_name(&name) => beginning(&name),
        _ => "not a name".to_owned(),
    }
}

fn beginning(name: &str) -> String {
    name.chars().take(2).chain(['…']).collect()
}

fn bounded(domain: &str) -> String {
    match domain.chars().count() > LONGEST_DOMAIN {
        true => domain.chars().take(LONGEST_DOMAIN).chain(['…']).collect(),
        false => domain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_name_only_the_beginning_is_kept() {
        for (typed, kept) in [
            (" Gabai ", "Ga…"),
            ("y.feder-2", "y.…"),
            ("Sunshine2024", "Su…"),
            ("\u{202e}gabai\u{200b}", "ga…"),
            ("ראש הגבאים", "רא…"),
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
        assert_eq!(tried(&"x".repeat(500)), "xx…");
        assert_eq!(tried(&format!("a@{}", "y".repeat(500))), format!("a…@{}…", "y".repeat(40)));
    }
}
