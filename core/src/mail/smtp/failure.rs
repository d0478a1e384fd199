//! Why a server did not accept a mail, and what this says about the mail, its domain and the server.

use std::time::Duration;

use super::SmtpError;
use crate::mail::{Refusal, SendError};

/// A mail that was not accepted.
#[derive(Debug)]
pub(in crate::mail) struct Unsent {
    pub error: SendError,
    /// The server has it, but did not say whether it accepted it.
    pub in_doubt: bool,
}

impl Unsent {
    pub fn into_error(self) -> SendError {
        match self.error {
            SendError::Unreachable(text) if self.in_doubt => SendError::InDoubt(text),
            error => error,
        }
    }
}

/// Why a mail was not accepted.
pub(super) struct Failed {
    pub error: SmtpError,
    pub stage: Stage,
    /// The connection can carry the next mail.
    pub is_usable: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stage {
    /// Until a connection was open, encrypted and signed in.
    Connect,
    /// Until the server knew the sender.
    Begin,
    /// Until the text was sent.
    Recipient,
    Text,
}

impl Failed {
    pub fn judge(self) -> SendError {
        let is_closing = is_closing(&self.error);
        match (self.stage, classify(self.error)) {
            // A server that does not let us in says nothing about this mail.
            (Stage::Connect, SendError::Refused { text, .. }) => SendError::Unreachable(text),
            (Stage::Connect, SendError::Later(text)) => SendError::Unreachable(text),
            // The server refuses the sender, which is the same for all mails.
            (Stage::Begin, SendError::Refused { text, .. }) => {
                SendError::Unreachable(format!("it refuses the sender: {text}"))
            }
            // The server accepted the recipient before it saw the text.
            (Stage::Text, SendError::Refused { text, .. }) => {
                SendError::Refused { text, address: false }
            }
            (Stage::Recipient, SendError::Unreachable(text)) if is_closing => {
                SendError::DomainBusy(text)
            }
            (_, other) => other,
        }
    }
}

/// Whether the server answered and keeps the connection open.
pub(super) fn is_answer(error: &SmtpError) -> bool {
    error.status().is_some() && !is_closing(error)
}

/// Whether the server closes the connection (421).
fn is_closing(error: &SmtpError) -> bool {
    error.status().is_some_and(|code| code.to_string() == "421")
}

pub(super) fn silent(limit: Duration) -> SendError {
    SendError::Unreachable(format!("no answer within {} seconds", limit.as_secs()))
}

pub(super) fn classify(error: SmtpError) -> SendError {
    let text = describe(&error);
    // 421 means "closing the connection". It is independent of the mail.
    let code = error.status().map(|code| code.to_string());
    match code.as_deref() {
        Some("421") => SendError::Unreachable(text),
        Some(code) if error.is_permanent() => {
            let address = matches!(code, "550" | "551" | "553")
                && Refusal::read("", &text).is_about_the_address();
            SendError::Refused { text, address }
        }
        _ if error.is_transient() => SendError::Later(text),
        _ => SendError::Unreachable(text),
    }
}

fn describe(error: &SmtpError) -> String {
    // A server's text may contain characters that not every database can store.
    let text = error.to_string().replace(char::is_control, " ");
    match TLS_TROUBLE.iter().find(|(says, _)| text.contains(says)) {
        Some((_, words)) => format!("{words} ({text})"),
        None => text,
    }
}

/// Whether this text of an error says what is wrong with the address of the server.
pub(in crate::mail) fn explains_itself(text: &str) -> bool {
    TLS_TROUBLE.iter().any(|(_, words)| text.starts_with(words))
}

/// What rustls and lettre say, and what it means.
const TLS_TROUBLE: &[(&str, &str)] = &[
    (
        "invalid peer certificate",
        "its certificate was not issued by a public authority for the host in --smtp-url, or has expired",
    ),
    (
        "received corrupt message",
        "it does not begin with TLS at this port, so smtps:// must be smtp://",
    ),
    (
        "STARTTLS is not supported",
        "it offers no STARTTLS, and no mail is sent over the network without it",
    ),
    (
        "No compatible authentication mechanism",
        "it does not let anybody sign in at this port, so --smtp-url needs another port, or no name and password",
    ),
];
