//! Validates input and says, field by field, what to correct.

use serde::{Deserialize, Deserializer};

use crate::email_address::EmailAddress;
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

    pub(crate) fn require(&mut self, ok: bool, field: &str, message: impl Into<String>) {
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
    pub(crate) fn block(&mut self, field: &str, value: &str, max: usize) -> String {
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

    /// Returns an email address in its stored form, or `None` if it was refused.
    pub fn email(&mut self, field: &str, value: &str) -> Option<EmailAddress> {
        let address = EmailAddress::parse(value);
        if address.is_none() {
            let local = text::clean(value).rsplit_once('@').map(|(local, _)| local.to_owned());
            self.refuse(field, match local.is_some_and(|local| !local.is_ascii()) {
                true => "Please enter an email with only plain letters, digits and signs before the @.",
                false => "Please enter a valid email address.",
            });
        }
        address
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

    /// Like [`Validator::done`], and returns a value that is missing only if it was refused.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Invalid`] with all problems.
    pub(crate) fn done_with<T>(self, value: Option<T>) -> Result<T> {
        self.done()?;
        value.ok_or_else(|| Error::unforeseen("a missing value was not refused"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
