//! Postmark. Its calls have the name and password of the webhook's address (HTTP Basic). It replaces
//! the Message-ID, so a header tells it the token of each mail, which its calls contain as metadata.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use subtle::ConstantTimeEq;

use super::{Call, Event, Provider, Source, not_theirs, text};
use crate::Result;
use crate::bounces::report::{Marks, one_line};
use crate::bounces::verdict::Verdict;
use crate::config::Config;
use crate::notifications::reports::{Cause, Kind};

pub(super) struct Postmark;

impl Provider for Postmark {
    fn name(&self) -> &'static str {
        "postmark"
    }

    fn source(&self) -> Source {
        Source::Postmark
    }

    fn secret<'a>(&self, config: &'a Config) -> Option<&'a str> {
        config.postmark_webhook_password.as_deref()
    }

    fn authenticate(&self, secret: &str, call: &Call<'_>) -> Result<Option<String>> {
        let encoded = call.authorization.and_then(|value| value.strip_prefix("Basic "));
        let decoded = encoded.and_then(|text| STANDARD.decode(text.trim()).ok());
        let given = decoded.unwrap_or_default();
        let password = given.splitn(2, |byte| *byte == b':').nth(1).unwrap_or_default();
        match bool::from(password.ct_eq(secret.as_bytes())) {
            true => Ok(None),
            false => Err(not_theirs()),
        }
    }

    fn event(&self, body: &Value) -> Option<Event> {
        let (kind, cause) = match (text(body, &["RecordType"]), text(body, &["Type"])) {
            ("SpamComplaint", _) | ("Bounce", "SpamComplaint") => (Kind::Complaint, Cause::Spam),
            ("Bounce", "HardBounce" | "BadEmailAddress") => (Kind::Hard, Cause::NoSuchAddress),
            // “Transient” is only a delay.
            ("Bounce", "SoftBounce" | "Undeliverable" | "DnsError") => {
                (Kind::Soft, Cause::Unreachable)
            }
            (
                "Bounce",
                "Blocked"
                | "SpamNotification"
                | "VirusNotification"
                | "DMARCPolicy"
                | "ManuallyDeactivated",
            ) => (Kind::Blocked, Cause::Policy),
            _ => return None,
        };
        let mut marks = Marks::default();
        marks.tokens.push(text(body, &["Metadata", "delivery"]).to_lowercase());
        let said = match (text(body, &["Details"]), text(body, &["Description"])) {
            ("", "") if kind == Kind::Complaint => "Marked as spam",
            ("", "") => "The mail provider gave no reason.",
            ("", description) => description,
            (details, _) => details,
        };
        Some(Event { marks, verdict: Verdict { kind, cause, reason: one_line(said) } })
    }

    fn header(&self, token: String) -> Option<(&'static str, String)> {
        Some(("X-PM-Metadata-delivery", token))
    }
}
