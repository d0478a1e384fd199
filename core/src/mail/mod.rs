//! The mail transport: sends mail to an SMTP server, to a folder of .eml files or, in tests, to
//! memory. [`crate::notifications`] decides what must be sent and records what was sent.

mod dkim;
mod domains;
mod health;
mod limits;
mod refusal;
mod shared;
mod smtp;
mod template;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, MessageBuilder, MultiPart, SinglePart};
use tokio::sync::OwnedSemaphorePermit;

pub use self::dkim::DkimKey;
use self::dkim::Signer;
use self::domains::Domains;
pub(crate) use self::domains::{Admission, DomainPass};
use self::health::{Entry, Health, Probe};
pub(crate) use self::limits::Counted;
use self::limits::Limits;
pub(crate) use self::refusal::Refusal;
pub(crate) use self::shared::{Personal, Shared};
use self::smtp::{Smtp, Transmission, Unsent, transparent};
pub use self::template::{Encoded, Template};
use crate::config::Config;
use crate::{Error, Result};

/// A mail that is ready to send.
#[derive(Clone, Debug)]
pub struct Mail {
    pub from: Mailbox,
    /// Where other mail servers report that the mail cannot be delivered; the sender without it.
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

#[derive(Clone)]
pub struct Mailer {
    transport: Transport,
    limits: Arc<Limits>,
    pub connections: u32,
    rate: u32,
    pub(crate) domains: Arc<Domains>,
    health: Arc<Health>,
    in_use: Arc<AtomicUsize>,
    signer: Option<Arc<Signer>>,
    paused: Arc<AtomicBool>,
}

#[derive(Clone)]
enum Transport {
    /// The first one that can be reached is used.
    Smtp(Arc<Vec<Smtp>>),
    Folder(PathBuf),
    Memory(Arc<Mutex<Vec<Mail>>>),
}

/// The right to send one mail now.
pub(crate) struct Turn {
    connection: OwnedSemaphorePermit,
    _probe: Option<Probe>,
}

/// What has to be done before a server gets the text of a mail, and may accept it.
pub(crate) trait BeforeText: Send {
    /// Does it. If not, the mail is not sent.
    fn may_go(&mut self) -> impl Future<Output = bool> + Send;
}

/// Nothing has to be done.
impl BeforeText for () {
    async fn may_go(&mut self) -> bool {
        true
    }
}

/// A mail as it is sent to the server.
#[derive(Clone)]
pub struct Message {
    envelope: Envelope,
    /// With its end.
    text: String,
}

/// A mail whose commands a server got along with the text of the one before.
pub(crate) struct Announced {
    server: usize,
    on: smtp::Announced,
}

impl Mailer {
    /// Opens the transport of the configuration: SMTP servers or a folder. Fails when an address is
    /// invalid or the folder cannot be created.
    pub fn open(config: &Config) -> Result<Mailer> {
        let urls = config.smtp_urls();
        let servers: Result<Vec<Smtp>> = urls.iter().map(|url| Smtp::open(url)).collect();
        let transport = match servers? {
            servers if !servers.is_empty() => Transport::Smtp(Arc::new(servers)),
            _ => {
                let folder = config.mail_folder();
                std::fs::create_dir_all(&folder).map_err(|e| {
                    Error::Setup(format!("The folder {} cannot be made: {e}", folder.display()))
                })?;
                Transport::Folder(folder)
            }
        };
        let domains = Domains::new(config.mail_connections_per_domain, config.mail_rate_per_domain);
        let mailer = Mailer::new(transport, config.mail_connections, config.mail_rate, domains);
        Ok(Mailer { signer: Signer::open(config)?.map(Arc::new), ..mailer })
    }

    /// Stores the mails in memory, for tests.
    pub fn memory() -> (Mailer, Arc<Mutex<Vec<Mail>>>) {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let transport = Transport::Memory(kept.clone());
        (Mailer::new(transport, 4, 10_000, Domains::new(None, None)), kept)
    }

    fn new(transport: Transport, connections: u32, rate: u32, domains: Domains) -> Mailer {
        let servers = match &transport {
            Transport::Smtp(servers) => servers.len(),
            Transport::Folder(_) | Transport::Memory(_) => 1,
        };
        let rate = rate.max(1);
        Mailer {
            transport,
            limits: Arc::new(Limits::new(connections, rate)),
            connections,
            rate,
            domains: Arc::new(domains),
            health: Arc::new(Health::of(servers)),
            in_use: Arc::default(),
            signer: None,
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
            Transport::Smtp(servers) => {
                servers.iter().map(Smtp::address).collect::<Vec<_>>().join(", then ")
            }
            Transport::Folder(folder) => folder.display().to_string(),
            Transport::Memory(_) => "memory".into(),
        }
    }

    /// The server that accepted the last mail, as text for the operator.
    pub fn in_use(&self) -> String {
        match &self.transport {
            Transport::Smtp(servers) => servers[self.in_use.load(Ordering::Relaxed)].address(),
            _ => self.destination(),
        }
    }

    pub fn folder(&self) -> Option<&PathBuf> {
        match &self.transport {
            Transport::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    /// Connects to each server without sending anything, with TLS and credentials if configured.
    /// Returns the address of each, and how it answers or why not. Nothing for a folder.
    pub async fn probe(&self) -> Vec<(String, Result<&'static str, SendError>)> {
        let Transport::Smtp(servers) = &self.transport else { return Vec::new() };
        let probes = servers.iter().map(async |smtp| (smtp.address(), smtp.probe().await));
        futures_util::future::join_all(probes).await
    }

    /// How long to wait, if no server could be reached recently.
    pub fn backing_off(&self) -> Option<Duration> {
        self.health.backing_off()
    }

    /// How many mails may wait in memory for their turn: what goes in a quarter of a second.
    pub(crate) fn read_ahead(&self) -> usize {
        (self.rate / 4).clamp(1, self.connections * 64) as usize
    }

    /// Whether somebody waits for a connection.
    pub(crate) fn is_wanted(&self) -> bool {
        self.limits.are_waited_for()
    }

    /// Waits for a free connection, unless that of an earlier mail is `kept`, and for the configured rate. `None` if
    /// mails must not be sent now, because the process stops or no server can be reached.
    pub(crate) async fn turn(&self, kept: Option<Turn>) -> Option<Turn> {
        let connection = match kept {
            Some(turn) => turn.connection,
            None => self.limits.connection().await,
        };
        let probe = loop {
            if self.is_paused() {
                return None;
            }
            match self.health.enter() {
                Entry::Open => break None,
                Entry::Probe(probe) => break Some(probe),
                Entry::Probed => self.health.changed().await,
                Entry::Down => return None,
            }
        };
        self.limits.pace().await;
        (!self.is_paused()).then_some(Turn { connection, _probe: probe })
    }

    /// Sends the mail. It has been accepted when this returns successfully. Each server has at most
    /// 30 seconds until the text is sent, and as long again for the text.
    ///
    /// # Errors
    ///
    /// [`SendError`] says whether to try again.
    pub async fn send(&self, mail: &Mail) -> Result<(), SendError> {
        let sent = match &self.transport {
            Transport::Smtp(_) => {
                self.try_servers(&self.prepare(mail)?, None, None, &mut (), false).await.0
            }
            Transport::Folder(folder) => {
                let written = write(folder, mail, &self.written(mail)?.1).await;
                self.health.record(0, written.is_ok());
                written.map(|()| true)
            }
            Transport::Memory(kept) => {
                kept.lock().expect("no panic inside").push(mail.clone());
                Ok(true)
            }
        };
        self.judge_domain(mail.to.email.domain(), sent).map(drop)
    }

    /// Writes a mail as it is sent to the server.
    ///
    /// # Errors
    ///
    /// [`SendError::Refused`] for a mail that cannot be written.
    pub fn prepare(&self, mail: &Mail) -> Result<Message, SendError> {
        let (envelope, text) = self.written(mail)?;
        Ok(Message { envelope, text: transparent(text) })
    }

    fn written(&self, mail: &Mail) -> Result<(Envelope, String), SendError> {
        let message = compose(mail).map_err(refused)?;
        let text = String::from_utf8(message.formatted()).map_err(refused)?;
        Ok((message.envelope().clone(), self.signed(text, mail.date)?))
    }

    /// Like [`Mailer::prepare`], for a mail of many.
    ///
    /// # Errors
    ///
    /// As for [`Mailer::prepare`].
    pub(crate) fn prepare_shared(
        &self,
        shared: &Shared,
        personal: Personal,
        token: &str,
        date: DateTime<Utc>,
    ) -> Result<Message, SendError> {
        let (envelope, text) = shared.fill(personal, token).map_err(refused)?;
        Ok(Message { envelope, text: transparent(self.signed(text, date)?) })
    }

    /// Signs a mail if the operator configured a key.
    fn signed(&self, text: String, date: DateTime<Utc>) -> Result<String, SendError> {
        match &self.signer {
            Some(signer) => signer.sign(&text, date.timestamp()).map_err(refused),
            None => Ok(text),
        }
    }

    /// Whether mails go to a server.
    pub(crate) fn is_smtp(&self) -> bool {
        matches!(self.transport, Transport::Smtp(_))
    }

    /// Like [`Mailer::send`], for a message that is written already. It goes to a server only, which gets the text
    /// after `before`. Returns whether it may go, and the `next` message if it was announced.
    pub(crate) async fn send_written(
        &self,
        message: &Message,
        announced: Option<Announced>,
        next: Option<&Message>,
        before: &mut impl BeforeText,
    ) -> (Result<bool, SendError>, Option<Announced>) {
        let domain = message.envelope.to().first().map_or("", Address::domain);
        let (sent, announced) = self.try_servers(message, announced, next, before, true).await;
        (self.judge_domain(domain, sent), announced)
    }

    /// Whether it makes sense to announce the next mail along with the last one: nobody else waits for the connection,
    /// and the server need not wait long for the text.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.is_smtp()
            && self.rate >= self.connections
            && !self.domains.are_limited()
            && !self.is_wanted()
    }

    /// Sends a message to the first server that can be reached.
    ///
    /// # Errors
    ///
    /// As for [`Mailer::send`].
    pub async fn send_message(&self, message: &Message) -> Result<(), SendError> {
        self.try_servers(message, None, None, &mut (), false).await.0.map(drop)
    }

    /// If it fails, the caller tries again (`is_retried`) or says so itself.
    async fn try_servers(
        &self,
        message: &Message,
        mut announced: Option<Announced>,
        next: Option<&Message>,
        before: &mut impl BeforeText,
        is_retried: bool,
    ) -> (Result<bool, SendError>, Option<Announced>) {
        let Transport::Smtp(servers) = &self.transport else {
            return (Err(SendError::Unreachable("there is no mail server".into())), None);
        };
        let mut outcome = Err(SendError::Unreachable("no mail server can be reached".into()));
        for (n, smtp) in servers.iter().enumerate() {
            if !self.health.may_try(n) {
                self.look_again(servers, n);
                continue;
            }
            let if_another = (n + 1..servers.len()).any(|other| self.health.may_try(other));
            let announced = announced.take_if(|one| one.server == n).map(|one| one.on);
            let mail = Transmission { message, announced, next };
            let (sent, announced) = smtp.send(mail, if_another, before).await;
            let is_up = !matches!(&sent, Err(Unsent { error: SendError::Unreachable(_), .. }));
            if self.health.record(n, is_up) && (is_retried || if_another) {
                let cause = sent.as_ref().err().map(|unsent| unsent.error.to_string());
                report(smtp, is_up, cause.as_deref(), if_another);
            }
            match sent {
                // Another server takes it, unless this one may have it already.
                Err(Unsent { error, in_doubt: false }) if !is_up => outcome = Err(error),
                sent => {
                    self.in_use.store(n, Ordering::Relaxed);
                    let announced = announced.map(|on| Announced { server: n, on });
                    return (sent.map_err(Unsent::into_error), announced);
                }
            }
        }
        (outcome, None)
    }

    /// Finds out in the background whether a server is back. Meanwhile mails go to another one.
    fn look_again(&self, servers: &Arc<Vec<Smtp>>, n: usize) {
        if !self.health.is_worth_a_look(n) {
            return;
        }
        let (servers, health) = (servers.clone(), self.health.clone());
        tokio::spawn(async move {
            if servers[n].probe().await.is_ok() && health.record(n, true) {
                report(&servers[n], true, None, true);
            }
        });
    }

    /// Leaves the server in use alone for a while.
    fn rest(&self, cause: &str) {
        let n = self.in_use.load(Ordering::Relaxed);
        let is_news = self.health.record(n, false);
        if let (true, Transport::Smtp(servers)) = (is_news, &self.transport) {
            let if_another = (0..servers.len()).any(|other| self.health.may_try(other));
            report(&servers[n], false, Some(cause), if_another);
        }
    }

    /// If many domains in a row have enough, the server does.
    fn judge_domain(&self, domain: &str, sent: Result<bool, SendError>) -> Result<bool, SendError> {
        match &sent {
            Ok(true) => self.domains.accepted(domain),
            Err(SendError::DomainBusy(text)) => {
                if self.domains.refused(domain).is_none() {
                    self.rest(text);
                    return Err(SendError::Unreachable(text.clone()));
                }
            }
            Err(SendError::Refused { text, address: true })
                if !self.domains.refused_address(domain) =>
            {
                return Err(SendError::Later(text.clone()));
            }
            Ok(false) | Err(_) => {}
        }
        sent
    }
}

fn refused(error: impl std::fmt::Display) -> SendError {
    SendError::Refused { text: error.to_string(), address: false }
}

/// Logs that a server went down or came back. Called only when that is news, not for every mail.
fn report(smtp: &Smtp, is_up: bool, cause: Option<&str>, if_another: bool) {
    let (server, cause) = (smtp.address(), without_addresses(cause.unwrap_or_default()));
    match (is_up, if_another) {
        (true, _) => tracing::info!(server, "the mail server is back"),
        (false, true) => {
            tracing::warn!(server, cause, "the mail server cannot be used; another one is used");
        }
        (false, false) => {
            tracing::warn!(
                server,
                cause,
                "the mail server cannot be used; mail waits and is tried again"
            );
        }
    }
}

/// A server's text without addresses that it repeats, which stay out of the logs (safety 29).
fn without_addresses(text: &str) -> String {
    let words = text.split(' ').map(|word| if word.contains('@') { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

impl Mail {
    /// The mail as it is sent (RFC 5322).
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when a header cannot be written.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        Ok(compose(self)?.formatted())
    }

    fn personal(&self) -> Personal {
        Personal {
            to: self.to.clone(),
            envelope_sender: self.envelope_sender.clone(),
            message_id: self.message_id.clone(),
            provider_header: self.provider_header.clone(),
            unsubscribe_url: self.unsubscribe_url.clone(),
        }
    }
}

fn compose(mail: &Mail) -> Result<lettre::Message> {
    let personal = mail.personal();
    let builder = personal
        .headers()
        .into_iter()
        .fold(common(mail)?, |builder, header| builder.raw_header(header));
    builder.multipart(parts(mail)).map_err(Error::unforeseen)
}

/// What does not depend on the recipient.
fn common(mail: &Mail) -> Result<MessageBuilder> {
    let name = |name: &'static str| HeaderName::new_from_ascii_str(name);
    let sender = mail.envelope_sender.clone().unwrap_or_else(|| mail.from.email.clone());
    let envelope = Envelope::new(Some(sender), vec![mail.to.email.clone()]);
    let mut builder = lettre::Message::builder()
        .envelope(envelope.map_err(Error::unforeseen)?)
        .from(mail.from.clone())
        .subject(&mail.subject)
        .date(mail.date.into())
        .raw_header(HeaderValue::new(name("Auto-Submitted"), "auto-generated".into()));
    if let Some(reply_to) = &mail.reply_to {
        builder = builder.reply_to(reply_to.clone());
    }
    if let Some(list) = &mail.list_id {
        builder = builder.raw_header(HeaderValue::new(name("List-Id"), list.clone()));
    }
    Ok(builder)
}

fn parts(mail: &Mail) -> MultiPart {
    match &mail.encoded {
        Some(Encoded { text, html }) => MultiPart::alternative()
            .singlepart(encoded_part(ContentType::TEXT_PLAIN, text))
            .singlepart(encoded_part(ContentType::TEXT_HTML, html)),
        None => MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone()),
    }
}

fn encoded_part(kind: ContentType, text: &str) -> SinglePart {
    let bytes = text.as_bytes().to_vec();
    let body = Body::dangerous_pre_encoded(bytes, ContentTransferEncoding::QuotedPrintable);
    SinglePart::builder().header(kind).body(body)
}

/// Writes the mail under a name that sorts by time. A mail that is sent twice has the same
/// Message-ID but two files, like two copies in a mailbox.
async fn write(folder: &std::path::Path, mail: &Mail, text: &str) -> Result<(), SendError> {
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
        tokio::fs::write(&unfinished, text).await?;
        tokio::fs::rename(&unfinished, &finished).await
    };
    written.await.map_err(|e| SendError::Unreachable(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_does_not_show_addresses_that_a_server_repeats() {
        let said = "421 4.7.0 <leah@family.example>: too much mail";
        assert_eq!(without_addresses(said), "421 4.7.0 … too much mail");
    }

    #[test]
    fn other_mail_servers_report_to_the_address_for_bounces_and_people_see_the_sender() {
        let mut mail = Mail {
            from: "Camp <hello@camp.example>".parse().expect("a sender"),
            envelope_sender: Some("bounces+token@camp.example".parse().expect("an address")),
            to: "chaya@family.example".parse().expect("a recipient"),
            reply_to: None,
            subject: "Hello".into(),
            text: "Hello.".into(),
            html: "<p>Hello.</p>".into(),
            encoded: None,
            message_id: "<1@camp.example>".into(),
            provider_header: Some(("X-Name", "token".into())),
            list_id: None,
            unsubscribe_url: None,
            date: Utc::now(),
        };
        let from =
            |message: &lettre::Message| message.envelope().from().expect("a sender").to_string();
        let message = compose(&mail).expect("a message");
        assert_eq!(from(&message), "bounces+token@camp.example");
        let text = String::from_utf8(message.formatted()).expect("ASCII");
        assert!(text.contains("From: Camp <hello@camp.example>\r\n"), "{text}");
        assert!(text.contains("X-Name: token\r\n") && !text.contains("bounces+token"), "{text}");
        mail.envelope_sender = None;
        assert_eq!(from(&compose(&mail).expect("a message")), "hello@camp.example");
    }
}
