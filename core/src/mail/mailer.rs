//! The mailer: where mails go, and which may go now.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use lettre::Address;
use lettre::address::Envelope;
use tokio::sync::OwnedSemaphorePermit;

use super::dkim::Signer;
use super::domains::Domains;
use super::health::{Entry, Health, Probe};
use super::limits::Limits;
use super::mime::compose;
use super::smtp::{self, Smtp, transparent};
use super::{Mail, Personal, SendError, Shared, folder};
use crate::config::Config;
use crate::{Error, Result};

#[derive(Clone)]
pub struct Mailer {
    pub(super) transport: Transport,
    limits: Arc<Limits>,
    pub connections: u32,
    rate: u32,
    pub(crate) domains: Arc<Domains>,
    pub(super) health: Arc<Health>,
    pub(super) in_use: Arc<AtomicUsize>,
    signer: Option<Arc<Signer>>,
    paused: Arc<AtomicBool>,
}

#[derive(Clone)]
pub(super) enum Transport {
    /// The first one that can be reached is used.
    Smtp(Arc<Vec<Smtp>>),
    Folder(PathBuf),
    Memory(Arc<Mutex<Vec<Mail>>>),
}

/// The right to send one mail now.
pub(crate) struct SendPermit {
    connection: OwnedSemaphorePermit,
    _probe: Option<Probe>,
}

/// What has to be done before a server gets the text of a mail, and may accept it.
pub(crate) trait BeforeText: Send {
    /// Does it. If it returns false, the mail is not sent.
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
    pub(super) envelope: Envelope,
    /// The text, including the line that ends it.
    pub(super) text: String,
}

/// A mail whose commands a server got along with the text of the one before.
pub(crate) struct Announced {
    pub(super) server: usize,
    pub(super) on: smtp::Announced,
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

    pub(crate) fn is_paused(&self) -> bool {
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

    /// Waits for a free connection, unless that of an earlier mail is `kept`, and for the
    /// configured rate. `None` if mails must not be sent now, because the process stops or no
    /// server can be reached.
    pub(crate) async fn permit(&self, kept: Option<SendPermit>) -> Option<SendPermit> {
        let connection = match kept {
            Some(permit) => permit.connection,
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
        (!self.is_paused()).then_some(SendPermit { connection, _probe: probe })
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
                let written = folder::write(folder, mail, &self.written(mail)?.1).await;
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

    /// Like [`Mailer::prepare`], for one of many mails that share their content.
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

    /// Like [`Mailer::send`], for a message that is written already. It is sent only to a server,
    /// which gets the text after `before`. Returns whether `before` let it go, and the `next`
    /// message if it was announced.
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

    /// Whether it makes sense to announce the next mail along with the last one: nobody else waits
    /// for the connection, and the server need not wait long for the text.
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
}

fn refused(error: impl std::fmt::Display) -> SendError {
    SendError::Refused { text: error.to_string(), address: false }
}
