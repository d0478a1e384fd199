//! The mail transport: sends mail to an SMTP server, to a folder of .eml files or, in tests, to
//! memory. [`crate::notifications`] decides what must be sent and records what was sent.

mod dkim;
mod domains;
mod failover;
mod folder;
mod health;
mod limits;
mod mailer;
mod mime;
mod refusal;
mod shared;
mod smtp;
mod template;
mod trouble;

use chrono::{DateTime, Utc};
use lettre::Address;
use lettre::message::Mailbox;

pub use self::dkim::DkimKey;
pub(crate) use self::domains::{Admission, DomainPermit};
pub(crate) use self::limits::Counted;
pub(crate) use self::mailer::{Announced, BeforeText, SendPermit};
pub use self::mailer::{Mailer, Message};
pub(crate) use self::refusal::Refusal;
pub(crate) use self::shared::{Personal, Shared};
pub use self::template::{Encoded, Template};
pub use self::trouble::Trouble;

/// A mail that is ready to send.
#[derive(Clone, Debug)]
pub struct Mail {
    pub from: Mailbox,
    /// Where other mail servers report that the mail cannot be delivered. Without it, they report
    /// to the sender.
    pub envelope_sender: Option<Address>,
    pub to: Mailbox,
    pub reply_to: Option<Mailbox>,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// The same text and HTML, if they were encoded for many recipients at once.
    pub encoded: Option<Encoded>,
    /// Stays the same when the mail is sent again, so that mailboxes can recognize duplicates.
    pub message_id: String,
    /// A header by which a mail provider names the mail in its reports.
    pub provider_header: Option<(&'static str, String)>,
    /// The list of a category (RFC 2919).
    pub list_id: Option<String>,
    /// The address for one-click unsubscription (RFC 8058).
    pub unsubscribe_url: Option<String>,
    pub date: DateTime<Utc>,
}

/// Why a mail could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The server cannot be reached or does not answer. This is independent of the mail.
    #[error("the mail server cannot be reached: {0}")]
    Unreachable(String),
    /// A temporary failure (4xx).
    #[error("{0}")]
    Later(String),
    /// The server takes no mail for this recipient's domain at the moment.
    #[error("{0}")]
    DomainBusy(String),
    /// The server has the mail, but did not say whether it accepted it. Sent again, it may arrive twice.
    #[error("the mail server did not say whether it accepted the mail: {0}")]
    InDoubt(String),
    /// A permanent failure (5xx). `address` is true if the server rejects the recipient's address.
    #[error("{text}")]
    Refused { text: String, address: bool },
}
