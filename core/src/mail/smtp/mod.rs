//! Sends mail over SMTP, reuses connections and saves round trips.
//!
//! lettre 0.11.23 writes a mail in two pieces without TCP_NODELAY, which costs 44 ms per mail on
//! any server, and waits for the answer to each command. Therefore the connection is opened and the
//! commands of a mail are sent here: as one group if the server allows it (RFC 2920).

mod connection;
mod failure;

use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::Ehlo;
use lettre::transport::smtp::extension::ClientId;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Host;

use self::connection::{Connection, Text};
use self::failure::{Failed, Stage, classify, is_answer, silent};
pub(super) use self::failure::{Unsent, explains_itself};
use super::{BeforeText, Message, SendError};
use crate::config::mail_server;
use crate::{Error, Result};

/// How long the server may take until the text of a mail is sent, and as long again for the text.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The same until the text is sent, if another server can take the mail.
const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection that was used this recently is reused without checking whether it is still open.
const FRESH: Duration = Duration::from_secs(5);

/// After the server has deferred this many senders in a row, it is considered unavailable for all
/// mail.
const SAME_TROUBLE: u32 = 3;

type SmtpError = lettre::transport::smtp::Error;

pub(super) struct Smtp {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    hello: ClientId,
    idle: Mutex<Vec<Connection>>,
    /// How many mails in a row the server deferred as soon as it knew their sender.
    put_off: AtomicU32,
}

/// A connection on which the commands of a mail were sent along with the text of the one before.
pub(super) struct Announced(Connection);

/// A mail on its way.
pub(super) struct Transmission<'a> {
    /// Its text is [`transparent`].
    pub message: &'a Message,
    pub announced: Option<Announced>,
    /// Its commands go along with the text of this one if the server allows it (RFC 2920).
    pub next: Option<&'a Message>,
}

#[derive(Clone, Copy, PartialEq)]
enum Security {
    /// Only on this machine.
    None,
    StartTls,
    Tls,
}

impl Smtp {
    /// `smtps://user:password@host:465`, `smtp://host:587` (STARTTLS required), or
    /// `smtp://localhost:25` without TLS on this machine.
    ///
    /// # Errors
    ///
    /// When the address is not one of these.
    pub fn open(url: &str) -> Result<Smtp> {
        let url = mail_server(url).map_err(|wrong| Error::Usage(format!("--smtp-url {wrong}.")))?;
        let loopback = match url.host() {
            // For schemes other than the web's, `Url` parses an IPv4 address as a domain name.
            Some(Host::Domain(name)) => {
                name == "localhost" || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
            }
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        let (security, port) = match url.scheme() {
            "smtps" => (Security::Tls, 465),
            "smtp" if loopback => (Security::None, 25),
            _ => (Security::StartTls, 587),
        };
        let decode = |text: &str| {
            let pairs = format!("v={}", text.replace('+', "%2B"));
            url::form_urlencoded::parse(pairs.as_bytes()).next().map(|(_, v)| v.into_owned())
        };
        let credentials = url.password().map(|password| {
            Credentials::new(
                decode(url.username()).unwrap_or_default(),
                decode(password).unwrap_or_default(),
            )
        });
        Ok(Smtp {
            host: url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(port),
            security,
            credentials,
            hello: ClientId::default(),
            idle: Mutex::default(),
            put_off: AtomicU32::new(0),
        })
    }

    /// Host and port.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Sends a mail on the connection where it was announced, or on a free or new one. Fails when
    /// the server refuses it or does not answer in time, which is less `if_another` server can take
    /// the mail. It gets the text after `before`. Returns whether that may go, and the connection
    /// on which the `next` mail was announced.
    pub async fn send(
        &self,
        mail: Transmission<'_>,
        if_another: bool,
        before: &mut impl BeforeText,
    ) -> (Result<bool, Unsent>, Option<Announced>) {
        let Transmission { message, announced, next } = mail;
        let limit = if if_another { SHORT_TIMEOUT } else { TIMEOUT };
        let begun = timeout(limit, self.begin(&message.envelope, announced)).await;
        let mut connection = match begun.unwrap_or_else(|_| Err(silent(limit))) {
            Ok(connection) => connection,
            Err(error) => return (Err(Unsent { error, in_doubt: false }), None),
        };
        if !before.may_go().await {
            return (Ok(false), None);
        }
        let commands = next
            .filter(|_| connection.is_pipelining)
            .and_then(|next| connection.commands(&next.envelope).ok());
        let text = Text { text: &message.text, commands: commands.as_ref() };
        let sent = match timeout(TIMEOUT, connection.smtp.command(text)).await {
            Ok(Ok(_)) => Ok(true),
            Ok(Err(error)) => {
                let (is_usable, in_doubt) = (is_answer(&error), error.status().is_none());
                let error = Failed { error, stage: Stage::Text, is_usable }.judge();
                let unsent = Err(Unsent { error, in_doubt });
                if !is_usable {
                    return (unsent, None);
                }
                unsent
            }
            Err(_) => return (Err(Unsent { error: silent(TIMEOUT), in_doubt: true }), None),
        };
        connection.is_used = true;
        if commands.is_some() {
            return (sent, Some(Announced(connection)));
        }
        self.keep_idle(connection);
        (sent, None)
    }

    /// Connects, encrypts and signs in as for a mail, then quits.
    ///
    /// # Errors
    ///
    /// [`SendError::Unreachable`] when there is no answer within 15 seconds, otherwise what the
    /// server said.
    pub async fn probe(&self) -> Result<&'static str, SendError> {
        let reach = async {
            let connected = self.open_connection().await;
            connected.map_err(classify)?.quit().await.ok();
            Ok(match (self.security, &self.credentials) {
                (Security::None, None) => "on this machine, without TLS",
                (Security::None, Some(_)) => "on this machine, without TLS, and takes the password",
                (_, None) => "with TLS and a valid certificate, and no password is given",
                (_, Some(_)) => "with TLS and a valid certificate, and takes the password",
            })
        };
        match timeout(Duration::from_secs(15), reach).await {
            Ok(reached) => reached,
            Err(_) => Err(SendError::Unreachable("no answer within 15 seconds".into())),
        }
    }

    /// Opens or reuses a connection, on which the text of the mail can be sent next.
    async fn begin(
        &self,
        envelope: &Envelope,
        announced: Option<Announced>,
    ) -> Result<Connection, SendError> {
        if let Some(Announced(mut connection)) = announced {
            match connection.begin_announced().await {
                // The server closed it between two mails, for example after a number of them.
                Err(failed) if failed.stage == Stage::Begin && !failed.is_usable => {}
                begun => return self.begun(connection, begun),
            }
        }
        let idle = self.idle.lock().expect("no panic inside").pop();
        let mut connection = match self.alive(idle).await {
            Some(idle) => idle,
            None => self.connect().await?,
        };
        let commands = match connection.commands(envelope) {
            Ok(commands) => commands,
            Err(refused) => {
                self.keep_idle(connection);
                return Err(refused);
            }
        };
        let mut begun = connection.begin(&commands).await;
        // The server closed it between two mails, for example after a number of them.
        if let Err(failed) = &begun
            && failed.stage == Stage::Begin
            && !failed.is_usable
            && connection.is_used
        {
            connection = self.connect().await?;
            begun = connection.begin(&commands).await;
        }
        self.begun(connection, begun)
    }

    fn begun(
        &self,
        connection: Connection,
        begun: Result<(), Failed>,
    ) -> Result<Connection, SendError> {
        match begun {
            Ok(()) => {
                self.put_off.store(0, Ordering::Relaxed);
                Ok(connection)
            }
            Err(failed) => {
                if failed.is_usable {
                    self.keep_idle(connection);
                }
                Err(self.judge(failed))
            }
        }
    }

    /// Each mail has its own sender for bounces, so the server may defer only one of them.
    fn judge(&self, failed: Failed) -> SendError {
        let stage = failed.stage;
        match failed.judge() {
            SendError::Later(text) if stage == Stage::Begin => {
                match self.put_off.fetch_add(1, Ordering::Relaxed) + 1 {
                    SAME_TROUBLE.. => SendError::Unreachable(text),
                    _ => SendError::Later(text),
                }
            }
            error => error,
        }
    }

    fn keep_idle(&self, mut connection: Connection) {
        connection.used = Instant::now();
        connection.is_used = true;
        self.idle.lock().expect("no panic inside").push(connection);
    }

    /// Returns an idle connection if the server has not closed it.
    async fn alive(&self, idle: Option<Connection>) -> Option<Connection> {
        let mut idle = idle?;
        let alive = idle.used.elapsed() < FRESH || idle.smtp.test_connected().await;
        alive.then_some(idle)
    }

    async fn connect(&self) -> Result<Connection, SendError> {
        let connected = async {
            let mut smtp = self.open_connection().await?;
            // lettre does not keep whether the server offers it.
            let offers = smtp.command(Ehlo::new(self.hello.clone())).await?;
            let is_pipelining =
                offers.message().any(|line| line.trim().eq_ignore_ascii_case("PIPELINING"));
            Ok(Connection { smtp, is_pipelining, used: Instant::now(), is_used: false })
        };
        let fail = |error| Failed { error, stage: Stage::Connect, is_usable: false }.judge();
        connected.await.map_err(fail)
    }

    async fn open_connection(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let tls = || TlsParameters::new(self.host.clone());
        let address = (self.host.as_str(), self.port);
        let mut connection = match self.security {
            Security::Tls => {
                let limit = Some(TIMEOUT);
                AsyncSmtpConnection::connect_tokio1(address, limit, &self.hello, Some(tls()?), None)
                    .await?
            }
            Security::None | Security::StartTls => match TcpStream::connect(address).await {
                Ok(stream) => {
                    stream.set_nodelay(true).ok();
                    AsyncSmtpConnection::connect_with_transport(Box::new(stream), &self.hello)
                        .await?
                }
                // Only lettre can create its own errors, so it is left to fail.
                Err(_) => {
                    let limit = Some(TIMEOUT);
                    AsyncSmtpConnection::connect_tokio1(address, limit, &self.hello, None, None)
                        .await?
                }
            },
        };
        if self.security == Security::StartTls {
            connection.starttls(tls()?, &self.hello).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(&[Mechanism::Plain, Mechanism::Login], credentials).await?;
        }
        Ok(connection)
    }
}

/// The text of a mail as it is sent: with the dots at the beginning of lines doubled, and with its end (RFC 5321,
/// 4.5.2).
pub(super) fn transparent(mut text: String) -> String {
    // Few mails have such a line, and looking for one is quick.
    if text.contains("\r\n.") {
        text = text.replace("\r\n.", "\r\n..");
    }
    if text.starts_with('.') {
        text.insert(0, '.');
    }
    text.push_str(if text.ends_with("\r\n") { ".\r\n" } else { "\r\n.\r\n" });
    text
}

#[cfg(test)]
mod tests;
