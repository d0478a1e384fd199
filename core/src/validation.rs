//! Validates input and says, field by field, what to correct.

use serde::{Deserialize, Deserializer};

use crate::error::FieldError;
use crate::{Error, Result, text};

/// The message about characters that no keyboard produces and no database stores.
pub const CONTROL: &str = "Please remove the invisible control characters.";

/// Distinguishes `null` from an omitted field in a change.
///
/// # Errors
///
/// Those of the deserializer for a value that is not a `T`.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Collects all problems of a form, so that they are reported together.
#[derive(Default)]
pub struct Validator {
    wrong: Vec<FieldError>,
}

impl Validator {
    pub fn new() -> Validator {
        Validator::default()
    }

    pub fn refuse(&mut self, field: &str, message: impl Into<String>) {
        self.wrong.push(FieldError { field: field.into(), message: message.into() });
    }

    pub fn require(&mut self, ok: bool, field: &str, message: impl Into<String>) {
        if !ok {
            self.refuse(field, message);
        }
    }

    /// Returns one line of text in its stored form: cleaned ([`text::clean`]) and trimmed, at most
    /// `max` characters.
    pub fn line(&mut self, field: &str, value: &str, max: usize) -> String {
        let value = text::clean(value).replace('\t', " ").trim().to_owned();
        if value.contains('\n') {
            self.refuse(field, "Please write this on one line.");
            return value;
        }
        self.text(field, value, max)
    }

    /// Returns text of several lines in its stored form: cleaned ([`text::clean`]) and trimmed, at
    /// most `max` characters.
    pub fn block(&mut self, field: &str, value: &str, max: usize) -> String {
        self.text(field, text::clean(value).trim().to_owned(), max)
    }

    fn text(&mut self, field: &str, value: String, max: usize) -> String {
        if value.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            self.refuse(field, CONTROL);
        } else if value.chars().count() > max {
            self.refuse(field, format!("Please use at most {max} characters."));
        }
        value
    }

    /// An email address in the canonical form that the portal stores ([`address`]).
    pub fn email(&mut self, field: &str, value: &str) -> String {
        match address(value) {
            Some(email) => email,
            None => {
                let local = text::clean(value).rsplit_once('@').map(|(local, _)| local.to_owned());
                self.refuse(field, match local.is_some_and(|local| !local.is_ascii()) {
                    true => "Please enter an email with only plain letters, digits and signs before the @.",
                    false => "Please enter a valid email address.",
                });
                String::new()
            }
        }
    }

    /// Returns the problems, if there are any.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Invalid`] with all of them.
    pub fn done(self) -> Result<()> {
        match self.wrong.is_empty() {
            true => Ok(()),
            false => Err(Error::Invalid(self.wrong)),
        }
    }
}

/// Returns an address in its stored form: cleaned ([`text::clean`]), trimmed, in lower case and
/// with an international domain in its ASCII form (IDNA), so that one mailbox has one spelling.
/// Returns `None` if the portal could not send mail to it. At most 254 characters (RFC 5321). The
/// part before the @ must be ASCII, since many mail servers accept nothing else.
pub fn address(value: &str) -> Option<String> {
    let value = with_ascii_domain(&lowered(value))?;
    let (local, domain) = value.rsplit_once('@')?;
    let plausible = value.len() <= 254
        && value.is_ascii()
        && !local.is_empty()
        && local.len() <= 64
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty() && label.len() <= 63)
        && !value
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || "<>()[],;:\\\"".contains(c));
    (plausible && value.parse::<lettre::Address>().is_ok()).then_some(value)
}

/// The forms in which an address may be stored: that of [`address`], and the form from before
/// international addresses were converted to ASCII or refused. `None` if it is not an address.
pub(crate) fn stored_forms(value: &str) -> Option<[String; 2]> {
    let earlier = lowered(value);
    if let Some(address) = address(value) {
        return Some([address, earlier]);
    }
    let international = !earlier.is_ascii()
        && earlier.len() <= 254
        && !earlier.contains(|c: char| c.is_control() || c.is_whitespace())
        && earlier.parse::<lettre::Address>().is_ok();
    international.then(|| [earlier.clone(), earlier])
}

/// Returns the address with an international domain in its ASCII form, or `None` if it has none.
pub(crate) fn with_ascii_domain(email: &str) -> Option<String> {
    let (local, domain) = email.rsplit_once('@')?;
    if domain.is_ascii() {
        return Some(email.to_owned());
    }
    let domain = idna::domain_to_ascii_cow(domain.as_bytes(), idna::AsciiDenyList::URL).ok()?;
    Some(format!("{local}@{domain}"))
}

fn lowered(value: &str) -> String {
    text::clean(value).trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_form() {
        assert_eq!(address("  Chaya@Family.Example "), Some("chaya@family.example".into()));
        // As copied from a web page.
        assert_eq!(address("\u{feff}a\u{200b}@b.example\u{200f}"), Some("a@b.example".into()));
        assert_eq!(address("a@Bücher.example"), Some("a@xn--bcher-kva.example".into()));
        assert_eq!(address("a@xn--bcher-kva.example"), Some("a@xn--bcher-kva.example".into()));
        for same in ["victim@ｇmail.com", "victim@gmail。com", "victim@ＧＭＡＩＬ．ＣＯＭ"]
        {
            assert_eq!(address(same), Some("victim@gmail.com".into()), "{same}");
        }
        for bad in [
            "",
            "jürgen@family.example",
            "ｖictim@gmail.com",
            "a@b＠gmail.com",
            "a@evil％40.example",
            "chaya",
            "chaya@",
            "@family.example",
            "a b@c.example",
            "a@b@",
            "a@nodot",
            "evil@family.example\r\nBcc: all@family.example",
            "x@.example",
        ] {
            assert_eq!(address(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn control_characters_and_overlong_texts_are_refused() {
        let mut checks = Validator::new();
        checks.line("title", "a\u{0}b", 10);
        checks.line("name", "two\nlines", 10);
        checks.block("content", "too long", 3);
        let Err(Error::Invalid(wrong)) = checks.done() else { panic!("accepted") };
        assert_eq!(wrong.len(), 3);
    }
}
