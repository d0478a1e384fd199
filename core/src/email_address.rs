//! Email addresses in the one form in which the portal stores and compares them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use crate::text;

/// An email address in its stored form. Typed text becomes one by [`EmailAddress::parse`], and where an
/// account is looked up, by `EmailAddress::stored_forms`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Parses an address: cleaned ([`text::clean`]), trimmed, in lower case and with an
    /// international domain in its ASCII form (IDNA), so that one mailbox has one spelling. Returns
    /// `None` if the portal could not send mail to it. At most 254 characters (RFC 5321). The part
    /// before the @ must be ASCII, since many mail servers accept nothing else.
    pub fn parse(typed: &str) -> Option<EmailAddress> {
        let value = with_ascii_domain(&lowered(typed))?.into_owned();
        let (local, domain) = value.rsplit_once('@')?;
        let plausible = value.len() <= 254
            && value.is_ascii()
            && !local.is_empty()
            && local.len() <= 64
            && domain.contains('.')
            && domain.split('.').all(|label| !label.is_empty() && label.len() <= 63)
            // An IP address is not a domain.
            && domain.rsplit('.').next().is_some_and(|last| last.contains(|c: char| !c.is_ascii_digit()))
            && !value
                .chars()
                .any(|c| c.is_control() || c.is_whitespace() || "<>()[],;:\\\"".contains(c));
        (plausible && value.parse::<lettre::Address>().is_ok()).then_some(EmailAddress(value))
    }

    /// Parses an address that somebody already uses. Returns the forms in which it may be stored:
    /// that of [`EmailAddress::parse`], and the form from before international addresses were
    /// converted to ASCII or refused. `None` if it is not an address.
    pub(crate) fn stored_forms(typed: &str) -> Option<[EmailAddress; 2]> {
        let earlier = lowered(typed);
        if let Some(address) = EmailAddress::parse(typed) {
            return Some([address, EmailAddress(earlier)]);
        }
        let international = !earlier.is_ascii()
            && earlier.len() <= 254
            && !earlier.contains(|c: char| c.is_control() || c.is_whitespace())
            && earlier.parse::<lettre::Address>().is_ok();
        international.then(|| [EmailAddress(earlier.clone()), EmailAddress(earlier)])
    }

    /// An address that the portal checked before it stored, signed or shipped it. Never typed text.
    pub(crate) fn checked_before(text: impl Into<String>) -> EmailAddress {
        EmailAddress(text.into())
    }

    /// Reads an address that the portal stored as JSON.
    ///
    /// # Errors
    ///
    /// Those of the deserializer for a value that is not text.
    pub(crate) fn from_stored_json<'de, D: Deserializer<'de>>(
        json: D,
    ) -> Result<EmailAddress, D::Error> {
        String::deserialize(json).map(EmailAddress)
    }

    /// The form for the mail server. Older rows hold addresses from before domains were converted
    /// to ASCII.
    pub(crate) fn for_delivery(&self) -> Cow<'_, str> {
        with_ascii_domain(&self.0).unwrap_or(Cow::Borrowed(&self.0))
    }

    /// What follows the @.
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for EmailAddress {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> String {
        address.0
    }
}

/// Returns the address with an international domain in its ASCII form, or `None` if it has none.
fn with_ascii_domain(email: &str) -> Option<Cow<'_, str>> {
    let (local, domain) = email.rsplit_once('@')?;
    if domain.is_ascii() {
        return Some(Cow::Borrowed(email));
    }
    let domain = idna::domain_to_ascii_cow(domain.as_bytes(), idna::AsciiDenyList::URL).ok()?;
    Some(Cow::Owned(format!("{local}@{domain}")))
}

fn lowered(value: &str) -> String {
    text::clean(value).trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(typed: &str) -> Option<String> {
        EmailAddress::parse(typed).map(String::from)
    }

    #[test]
    fn an_address_has_one_form() {
        assert_eq!(parsed("  Chaya@Family.Example "), Some("chaya@family.example".into()));
        // As copied from a web page.
        assert_eq!(parsed("\u{feff}a\u{200b}@b.example\u{200f}"), Some("a@b.example".into()));
        assert_eq!(parsed("a@Bücher.example"), Some("a@xn--bcher-kva.example".into()));
        assert_eq!(parsed("a@xn--bcher-kva.example"), Some("a@xn--bcher-kva.example".into()));
        for same in ["victim@ｇmail.com", "victim@gmail。com", "victim@ＧＭＡＩＬ．ＣＯＭ"]
        {
            assert_eq!(parsed(same), Some("victim@gmail.com".into()), "{same}");
        }
        for bad in [
            "",
            "a@1.2.3.4",
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
            assert_eq!(parsed(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn an_address_from_before_the_conversion_to_ascii_is_still_found_and_delivered_to() {
        let [now, earlier] = EmailAddress::stored_forms("A@Bücher.example").expect("an address");
        assert_eq!(
            (now.as_str(), earlier.as_str()),
            ("a@xn--bcher-kva.example", "a@bücher.example")
        );
        assert_eq!(earlier.for_delivery(), now.as_str());
    }
}
