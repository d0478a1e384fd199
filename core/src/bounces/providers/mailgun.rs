//! Mailgun. It signs a time and a token of each call with the account's signing key, but not the
//! rest, so a token counts only once. Its calls contain the Message-ID.

use chrono::TimeDelta;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::{Call, Event, Provider, Source, TOKENS_KEPT, not_theirs, text};
use crate::Result;
use crate::bounces::report::{Marks, one_line};
use crate::bounces::verdict::{Action, Verdict, judge};
use crate::config::Config;
use crate::email_address::EmailAddress;
use crate::notifications::reports::{Cause, Kind};

/// Mailgun retries a call for eight hours.
const LATE: TimeDelta = TimeDelta::hours(12);
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(5);
const _: () = assert!(TOKENS_KEPT.num_seconds() > LATE.num_seconds() + CLOCKS_DIFFER.num_seconds());

pub(super) struct Mailgun;

impl Provider for Mailgun {
    fn name(&self) -> &'static str {
        "mailgun"
    }

    fn source(&self) -> Source {
        Source::Mailgun
    }

    fn secret<'a>(&self, config: &'a Config) -> Option<&'a str> {
        config.mailgun_signing_key.as_deref()
    }

    fn authenticate(&self, secret: &str, call: &Call<'_>) -> Result<Option<String>> {
        let part = |name| text(call.body, &["signature", name]);
        let (time, token) = (part("timestamp"), part("token"));
        let signed_at = time.parse::<i64>().ok();
        let age = signed_at.and_then(|at| call.now.timestamp().checked_sub(at));
        let current = -CLOCKS_DIFFER.num_seconds()..=LATE.num_seconds();
        let in_time = age.is_some_and(|age| current.contains(&age));
        let mut mac =
            Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|_| not_theirs())?;
        mac.update(time.as_bytes());
        mac.update(token.as_bytes());
        let signature = hex(part("signature")).unwrap_or_default();
        let signed = mac.verify_slice(&signature).is_ok();
        match in_time && signed && (1..=100).contains(&token.len()) {
            true => Ok(Some(format!("mailgun:{token}"))),
            false => Err(not_theirs()),
        }
    }

    fn event(&self, body: &Value) -> Option<Event> {
        let data = body.get("event-data")?;
        let verdict = verdict(data)?;
        let mut marks = Marks::default();
        marks.message_ids.push(text(data, &["message", "headers", "message-id"]).to_owned());
        marks.addresses.extend(EmailAddress::parse(text(data, &["recipient"])));
        Some(Event { marks, verdict })
    }
}

fn verdict(data: &Value) -> Option<Verdict> {
    match text(data, &["event"]) {
        "complained" => return Some(Verdict::complaint("reported to Mailgun")),
        "failed" => {}
        _ => return None,
    }
    let status = data.get("delivery-status");
    let code = status.and_then(|status| status.get("code")).and_then(Value::as_i64);
    let said = match text(data, &["delivery-status", "message"]) {
        "" => text(data, &["delivery-status", "description"]),
        message => message,
    };
    let said = format!("{} {said}", code.map(|code| code.to_string()).unwrap_or_default());
    // Mailgun itself sends nothing more to this address.
    match text(data, &["reason"]) {
        "suppress-bounce" => {
            let reason = one_line(&said);
            return Some(Verdict { kind: Kind::Hard, cause: Cause::Other, reason });
        }
        "suppress-complaint" => return Some(Verdict::complaint("reported to Mailgun before")),
        "suppress-unsubscribe" => return Some(Verdict::complaint("unsubscribed at Mailgun")),
        _ => {}
    }
    let action = match text(data, &["severity"]) {
        "temporary" => Action::Delayed,
        _ => Action::Failed,
    };
    judge(action, text(data, &["delivery-status", "enhanced-code"]), &said)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}
