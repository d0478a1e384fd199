//! Amazon SES. It publishes events to a topic at Amazon SNS, which signs everything that matters in
//! its calls. Its calls contain the envelope sender and the Message-ID, as the portal gave them.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use url::Url;

use super::certificate::{Rsa, Signed};
use super::{Call, Event, Provider, Source, TOKENS_KEPT, not_theirs, text};
use crate::Result;
use crate::bounces::report::{Marks, one_line};
use crate::bounces::token;
use crate::bounces::verdict::{Action, Verdict, judge};
use crate::config::Config;
use crate::email_address::EmailAddress;
use crate::notifications::reports::{Cause, Kind};

/// With a delivery policy, Amazon SNS may retry a call for an hour.
const LATE: TimeDelta = TimeDelta::minutes(60);
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(5);
const _: () = assert!(TOKENS_KEPT.num_seconds() > LATE.num_seconds() + CLOCKS_DIFFER.num_seconds());

const NOTIFICATION: &str = "Notification";
const CONFIRMATIONS: [&str; 2] = ["SubscriptionConfirmation", "UnsubscribeConfirmation"];

pub(super) struct Ses;

impl Provider for Ses {
    fn name(&self) -> &'static str {
        "ses"
    }

    fn source(&self) -> Source {
        Source::Ses
    }

    /// The topic. It is not secret, but nobody else can sign for it.
    fn secret<'a>(&self, config: &'a Config) -> Option<&'a str> {
        config.ses_topic_arn.as_deref()
    }

    fn authenticate(&self, topic: &str, call: &Call<'_>) -> Result<Option<String>> {
        let part = |name| text(call.body, &[name]);
        let signed_at = part("Timestamp").parse::<DateTime<Utc>>().ok();
        let age = signed_at.map(|at| call.now - at);
        let in_time = age.is_some_and(|age| age >= -CLOCKS_DIFFER && age <= LATE + CLOCKS_DIFFER);
        let id = part("MessageId");
        match part("TopicArn") == topic && in_time && (1..=100).contains(&id.len()) {
            true => Ok(Some(format!("ses:{id}"))),
            false => Err(not_theirs()),
        }
    }

    fn signed(&self, topic: &str, body: &Value) -> Result<Option<Signed>> {
        let part = |name| text(body, &[name]);
        let certificate = address_at(topic, part("SigningCertURL"));
        let certificate = certificate.filter(|url| url.query().is_none() && is_pem(url.path()));
        let algorithm = match part("SignatureVersion") {
            "1" => Some(Rsa::Sha1),
            "2" => Some(Rsa::Sha256),
            _ => None,
        };
        let signed = (certificate, algorithm, signed_text(body), names(topic));
        let (Some(certificate), Some(algorithm), Some(text), Some(names)) = signed else {
            return Err(not_theirs());
        };
        let signature = part("Signature").to_owned();
        Ok(Some(Signed { certificate, names, text, signature, algorithm }))
    }

    fn confirmation(&self, topic: &str, body: &Value) -> Option<Url> {
        let is_asked = text(body, &["Type"]) == "SubscriptionConfirmation";
        is_asked.then(|| address_at(topic, text(body, &["SubscribeURL"]))).flatten()
    }

    fn event(&self, body: &Value) -> Option<Event> {
        match text(body, &["Type"]) {
            NOTIFICATION => {}
            "UnsubscribeConfirmation" => {
                tracing::warn!(
                    "the portal was unsubscribed from the topic: no bounces come anymore"
                );
                return None;
            }
            _ => return None,
        }
        let event: Value = serde_json::from_str(text(body, &["Message"])).ok()?;
        let verdict = verdict(&event)?;
        let mut marks = Marks::default();
        let mail = event.get("mail")?;
        marks.tokens.extend(token::in_text(text(mail, &["source"])).into_iter().take(1));
        marks.message_ids.push(text(mail, &["commonHeaders", "messageId"]).to_owned());
        marks.message_ids.extend(message_ids(mail));
        let recipients = mail.get("destination").and_then(Value::as_array).into_iter().flatten();
        let recipients = recipients.filter_map(Value::as_str).take(MAX_RECIPIENTS);
        marks.addresses.extend(recipients.filter_map(EmailAddress::parse));
        Some(Event { marks, verdict })
    }
}

/// Each mail of the portal has one recipient.
const MAX_RECIPIENTS: usize = 3;

fn message_ids(mail: &Value) -> impl Iterator<Item = String> {
    let headers = mail.get("headers").and_then(Value::as_array).into_iter().flatten();
    let ids = headers
        .filter(|header| text(header, &["name"]).eq_ignore_ascii_case("message-id"))
        .map(|header| text(header, &["value"]).to_owned());
    ids.take(3)
}

/// The region of a topic, and the ending of its hosts' names.
fn place(topic: &str) -> Option<(&str, &'static str)> {
    let mut parts = topic.split(':');
    let suffix = match parts.nth(1)? {
        "aws-cn" => "amazonaws.com.cn",
        _ => "amazonaws.com",
    };
    Some((parts.nth(1)?, suffix))
}

/// An address at the host of Amazon SNS that has the topic, and nowhere else.
fn address_at(topic: &str, typed: &str) -> Option<Url> {
    let (region, suffix) = place(topic)?;
    let url = Url::parse(typed).ok()?;
    let is_theirs = url.scheme() == "https"
        && url.host_str() == Some(&format!("sns.{region}.{suffix}"))
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none();
    is_theirs.then_some(url)
}

fn is_pem(path: &str) -> bool {
    let name = path.strip_prefix('/').and_then(|path| path.strip_suffix(".pem"));
    name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
    })
}

/// The names that its certificates are issued for, which differ by region.
fn names(topic: &str) -> Option<Vec<String>> {
    let (region, suffix) = place(topic)?;
    let mut names: Vec<String> = ["sns.", "sns-signing.", "sns-"]
        .into_iter()
        .map(|prefix| format!("{prefix}{region}.{suffix}"))
        .collect();
    names.push(format!("sns.{suffix}"));
    if region.starts_with("us-gov-") {
        names.push(format!("sns-us-gov-west-1.{suffix}"));
    }
    Some(names)
}

/// The text that Amazon signs: names and values in lines.
fn signed_text(body: &Value) -> Option<String> {
    let names: &[&str] = match text(body, &["Type"]) {
        NOTIFICATION => &["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
        kind if CONFIRMATIONS.contains(&kind) => {
            &["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        }
        _ => return None,
    };
    let mut signed = String::new();
    for name in names {
        match body.get(*name) {
            Some(Value::String(value)) => signed.push_str(&format!("{name}\n{value}\n")),
            None | Some(Value::Null) if *name == "Subject" => {}
            _ => return None,
        }
    }
    Some(signed)
}

fn verdict(event: &Value) -> Option<Verdict> {
    // Configuration sets send the first field, identities the second.
    match (text(event, &["eventType"]), text(event, &["notificationType"])) {
        ("Bounce", _) | ("", "Bounce") => bounced(event.get("bounce")?),
        ("Complaint", _) | ("", "Complaint") => complained(event.get("complaint")?),
        _ => None,
    }
}

fn complained(complaint: &Value) -> Option<Verdict> {
    if text(complaint, &["complaintSubType"]) == "OnAccountSuppressionList" {
        return Some(Verdict::complaint("reported to Amazon SES before"));
    }
    match text(complaint, &["complaintFeedbackType"]) {
        "not-spam" | "auth-failure" => None,
        _ => Some(Verdict::complaint("reported to Amazon SES")),
    }
}

fn bounced(bounce: &Value) -> Option<Verdict> {
    let recipients = bounce.get("bouncedRecipients").and_then(Value::as_array);
    let recipient = recipients.and_then(|all| all.first()).unwrap_or(&Value::Null);
    let said = text(recipient, &["diagnosticCode"]);
    let said = said.strip_prefix("smtp;").unwrap_or(said).trim();
    let status = text(recipient, &["status"]);
    let judged = judge(Action::Failed, status, said);
    let reason = |otherwise: &str| match said {
        "" => one_line(otherwise),
        said => one_line(said),
    };
    let verdict =
        |kind, cause, otherwise: &str| Some(Verdict { kind, cause, reason: reason(otherwise) });
    match (text(bounce, &["bounceType"]), text(bounce, &["bounceSubType"])) {
        // Amazon itself sends nothing more to this address.
        ("Permanent", "Suppressed" | "OnAccountSuppressionList") => {
            verdict(Kind::Hard, Cause::Other, "On the suppression list of Amazon SES")
        }
        ("Permanent", kind) => match judged {
            Some(judged) if matches!(judged.kind, Kind::Hard | Kind::Blocked) => Some(judged),
            _ if kind == "NoEmail" => verdict(Kind::Hard, Cause::NoSuchAddress, "No such address"),
            _ => verdict(Kind::Hard, Cause::Other, "Amazon SES gave no reason."),
        },
        ("Transient", "MailboxFull") => verdict(Kind::Soft, Cause::MailboxFull, "Mailbox full"),
        ("Transient", kind @ ("MessageTooLarge" | "ContentRejected" | "AttachmentRejected")) => {
            verdict(Kind::Blocked, Cause::Content, kind)
        }
        // An automatic reply of a person who is away looks like this.
        ("Transient", _) if said.is_empty() && status.is_empty() => None,
        ("Transient", _) => verdict(Kind::Soft, Cause::Unreachable, status),
        ("Undetermined", _) => verdict(Kind::Soft, Cause::Other, "Amazon SES gave no reason."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:camp";

    #[test]
    fn only_the_host_of_the_topic_is_called() {
        let good = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abc.pem";
        assert!(address_at(TOPIC, good).is_some_and(|url| is_pem(url.path())));
        let china = TOPIC.replace("aws:sns:eu-west-1", "aws-cn:sns:cn-north-1");
        assert!(address_at(&china, "https://sns.cn-north-1.amazonaws.com.cn/a.pem").is_some());
        for wrong in [
            "http://sns.eu-west-1.amazonaws.com/a.pem",
            "https://sns.eu-west-2.amazonaws.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com.evil.example/a.pem",
            "https://evil.example/sns.eu-west-1.amazonaws.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com@evil.example/a.pem",
            "https://evil@sns.eu-west-1.amazonaws.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com:8443/a.pem",
            "https://sns.eu-west-1.amazonaws.com.cn/a.pem",
            "https://s3.eu-west-1.amazonaws.com/a.pem",
            "https://127.0.0.1/a.pem",
            "a.pem",
        ] {
            assert!(address_at(TOPIC, wrong).is_none(), "{wrong}");
        }
        for wrong in ["/", "/.pem", "/a/b.pem", "/a.pem/", "/a%2Fb.pem", "/a.txt"] {
            assert!(!is_pem(wrong), "{wrong}");
        }
    }
}
