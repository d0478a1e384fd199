//! The mail transport: sends mail to an SMTP server, to a folder of .eml files or, in tests, to
//! memory. [`crate::notifications`] decides what must be sent and records what was sent.

mod smtp;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use lettre::Message;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::{Error, Result};

/// A mail that is ready to send.
#[derive(Clone, Debug)]
pub struct Mail {
    pub from: Mailbox,
    pub to: Mailbox,
    pub reply_to: Option<Mailbox>,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Stays the same when the mail is sent again, so that mailboxes can recognize duplicates.
    pub message_id: String,
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
    /// A permanent failure (5xx). `address` is true if the server rejects the recipient's address.
    #[error("{text}")]
    Refused { text: String, address: bool },
}

#[derive(Clone)]
pub struct Mailer {
    transport: Transport,
    /// Limits the number of open connections.
    pub(crate) slots: Arc<Semaphore>,
    pub connections: u32,
    throttle: Arc<Mutex<Throttle>>,
    paused: Arc<AtomicBool>,
}

#[derive(Clone)]
enum Transport {
    Smtp(Arc<smtp::Smtp>),
    Folder(PathBuf),
    Memory(Arc<Mutex<Vec<Mail>>>),
}

/// Limits the rate of mails, and backs off after the server could not be reached.
struct Throttle {
    gap: Duration,
    next: Instant,
    down_until: Option<Instant>,
}

/// How long to wait after the server could not be reached.
const BACKOFF: Duration = Duration::from_secs(30);

impl Mailer {
    /// Opens the transport of the configuration: an SMTP server or a folder. Fails when the address
    /// is invalid or the folder cannot be created.
    pub fn open(config: &Config) -> Result<Mailer> {
        let transport = match &config.smtp_url {
            Some(url) => Transport::Smtp(Arc::new(smtp::Smtp::open(url)?)),
            None => {
                let folder = config.mail_folder();
                std::fs::create_dir_all(&folder).map_err(|e| {
                    Error::Setup(format!("The folder {} cannot be made: {e}", folder.display()))
                })?;
                Transport::Folder(folder)
            }
        };
        Ok(Mailer::new(transport, config.mail_connections, config.mail_rate))
    }

    /// Stores the mails in memory, for tests.
    pub fn memory() -> (Mailer, Arc<Mutex<Vec<Mail>>>) {
        let kept = Arc::new(Mutex::new(Vec::new()));
        (Mailer::new(Transport::Memory(kept.clone()), 4, 10_000), kept)
    }

    fn new(transport: Transport, connections: u32, rate: u32) -> Mailer {
        Mailer {
            transport,
            slots: Arc::new(Semaphore::new(connections as usize)),
            connections,
            throttle: Arc::new(Mutex::new(Throttle {
                gap: Duration::from_secs(1) / rate.max(1),
                next: Instant::now(),
                down_until: None,
            })),
            paused: Arc::default(),
        }
    }

    /// Completes mails in progress and starts no others, before the process stops.
    pub fn pause(&self) {
        self.paused.store(true, Ordering::Relaxed);
    }

    pub fn resume(&self) {
        self.paused.store(false, Ordering::Relaxed);
    }

    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// The destination of mails, as text for the operator.
    pub fn destination(&self) -> String {
        match &self.transport {
            Transport::Smtp(smtp) => format!("{}:{}", smtp.host, smtp.port),
            Transport::Folder(folder) => folder.display().to_string(),
            Transport::Memory(_) => "memory".into(),
        }
    }

    pub fn folder(&self) -> Option<&PathBuf> {
        match &self.transport {
            Transport::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    /// Connects to the server without sending anything, with TLS and credentials if configured.
    /// Returns how, or `None` for a folder.
    ///
    /// # Errors
    ///
    /// [`SendError`] when the server cannot be reached or refuses.
    pub async fn probe(&self) -> Result<Option<&'static str>, SendError> {
        match &self.transport {
            Transport::Smtp(smtp) => smtp.probe().await.map(Some),
            _ => Ok(None),
        }
    }

    /// How long to wait, if the server could not be reached recently.
    pub fn backing_off(&self) -> Option<Duration> {
        let throttle = self.throttle.lock().expect("no panic inside");
        throttle.down_until.and_then(|until| until.checked_duration_since(Instant::now()))
    }

    /// Waits for a free connection and for the configured rate. The permit is held while the mail
    /// is being sent.
    pub(crate) async fn acquire(&self) -> tokio::sync::OwnedSemaphorePermit {
        let permit = self.slots.clone().acquire_owned().await.expect("never closed");
        let at = {
            let mut throttle = self.throttle.lock().expect("no panic inside");
            let at = throttle.next.max(Instant::now());
            throttle.next = at + throttle.gap;
            at
        };
        tokio::time::sleep_until(at.into()).await;
        permit
    }

    /// Sends the mail. It has been accepted when this returns successfully. Takes at most 30
    /// seconds.
    ///
    /// # Errors
    ///
    /// [`SendError`] says whether to try again.
    pub async fn send(&self, mail: &Mail) -> Result<(), SendError> {
        let message = compose(mail)
            .map_err(|e| SendError::Refused { text: e.to_string(), address: false })?;
        let sent = match &self.transport {
            Transport::Smtp(smtp) => smtp.send(message.envelope(), &message.formatted()).await,
            Transport::Folder(folder) => write(folder, mail, &message.formatted()).await,
            Transport::Memory(kept) => {
                kept.lock().expect("no panic inside").push(mail.clone());
                Ok(())
            }
        };
        let mut throttle = self.throttle.lock().expect("no panic inside");
        throttle.down_until = match &sent {
            Err(SendError::Unreachable(_)) => Some(Instant::now() + BACKOFF),
            _ => None,
        };
        sent
    }
}

fn compose(mail: &Mail) -> Result<Message> {
    let name = |name| HeaderName::new_from_ascii_str(name);
    let mut builder = Message::builder()
        .from(mail.from.clone())
        .to(mail.to.clone())
        .subject(&mail.subject)
        .date(mail.date.into())
        .message_id(Some(mail.message_id.clone()))
        .raw_header(HeaderValue::new(name("Auto-Submitted"), "auto-generated".into()));
    if let Some(reply_to) = &mail.reply_to {
        builder = builder.reply_to(reply_to.clone());
    }
    if let Some(url) = &mail.unsubscribe_url {
        builder = builder
            .raw_header(HeaderValue::dangerous_new_pre_encoded(
                name("List-Unsubscribe"),
                format!("<{url}>"),
                format!("<{url}>"),
            ))
            .raw_header(HeaderValue::new(
                name("List-Unsubscribe-Post"),
                "List-Unsubscribe=One-Click".into(),
            ));
    }
    builder
        .multipart(MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone()))
        .map_err(Error::unforeseen)
}

/// Writes the mail under a name that sorts by time. A mail that is sent twice has the same
/// Message-ID but two files, like two copies in a mailbox.
async fn write(folder: &std::path::Path, mail: &Mail, bytes: &[u8]) -> Result<(), SendError> {
    let stamp = mail.date.format("%Y%m%d-%H%M%S");
    let who: String = mail
        .to
        .email
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_@".contains(c) { c } else { '_' })
        .collect();
    let name = format!("{stamp}-{who}-{}", uuid::Uuid::now_v7().simple());
    let unfinished = folder.join(format!(".{name}.part"));
    let finished = folder.join(format!("{name}.eml"));
    let written = async {
        tokio::fs::create_dir_all(folder).await?;
        tokio::fs::write(&unfinished, bytes).await?;
        tokio::fs::rename(&unfinished, &finished).await
    };
    written.await.map_err(|e| SendError::Unreachable(e.to_string()))
}
