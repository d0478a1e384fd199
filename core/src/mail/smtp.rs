//! Sends mail over SMTP, reuses connections and saves round trips.
//!
//! lettre 0.11.23 writes a mail in two pieces without TCP_NODELAY, which costs 44 ms per mail on
//! any server, and waits for the answer to each command. Therefore the connection is opened and the
//! commands of a mail are sent here: as one group if the server allows it (RFC 2920).

use std::fmt::{self, Display, Formatter};
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use lettre::address::{Address, Envelope};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Host;

use super::{BeforeText, Message, Refusal, SendError};
use crate::config::mail_server;
use crate::{Error, Result};

/// How long the server may take until the text of a mail is sent, and as long again for the text.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same until the text is sent, if another server can take the mail.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);
/// A connection that was used so recently is used again without asking whether it is still open.
const FRESH: Duration = Duration::from_secs(5);

/// If the server says “later” to so many senders in a row, it says so to all mail.
const SAME_TROUBLE: u32 = 3;

type SmtpError = lettre::transport::smtp::Error;

pub(super) struct Smtp {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    hello: ClientId,
    parked: Mutex<Vec<Connection>>,
    /// How many mails in a row were put off as soon as the server knew their sender.
    put_off: AtomicU32,
}

struct Connection {
    smtp: AsyncSmtpConnection,
    /// The server accepts several commands at once.
    is_pipelining: bool,
    used: Instant,
    /// Carried a mail before, so the server may have closed it meanwhile.
    is_used: bool,
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

/// A text, and the commands of the next mail.
struct Text<'a> {
    text: &'a str,
    commands: Option<&'a [String; 3]>,
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)?;
        self.commands.into_iter().flatten().try_for_each(|command| f.write_str(command))
    }
}

/// A mail that was not accepted.
#[derive(Debug)]
pub(super) struct Unsent {
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
struct Failed {
    error: SmtpError,
    stage: Stage,
    /// The connection can carry the next mail.
    is_usable: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Until a connection was open, encrypted and signed in.
    Connect,
    /// Until the server knew the sender.
    Begin,
    /// Until the text was sent.
    Recipient,
    Text,
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
            parked: Mutex::default(),
            put_off: AtomicU32::new(0),
        })
    }

    /// Host and port.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Sends a mail on the connection where it was announced, or on a free or new one. Fails when the server refuses it or
    /// does not answer in time, which is less `if_another` server can take the mail. It gets the text after `before`.
    /// Returns whether that may go, and the connection on which the `next` mail was announced.
    pub async fn send(
        &self,
        mail: Transmission<'_>,
        if_another: bool,
        before: &mut impl BeforeText,
    ) -> (Result<bool, Unsent>, Option<Announced>) {
        let Transmission { message, announced, next } = mail;
        let patience = if if_another { SHORT_PATIENCE } else { PATIENCE };
        let begun = timeout(patience, self.begin(&message.envelope, announced)).await;
        let mut connection = match begun.unwrap_or_else(|_| Err(silent(patience))) {
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
        let sent = match timeout(PATIENCE, connection.smtp.command(text)).await {
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
            Err(_) => return (Err(Unsent { error: silent(PATIENCE), in_doubt: true }), None),
        };
        connection.is_used = true;
        if commands.is_some() {
            return (sent, Some(Announced(connection)));
        }
        self.park(connection);
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
        let parked = self.parked.lock().expect("no panic inside").pop();
        let mut connection = match self.alive(parked).await {
            Some(parked) => parked,
            None => self.connect().await?,
        };
        let commands = match connection.commands(envelope) {
            Ok(commands) => commands,
            Err(refused) => {
                self.park(connection);
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
                    self.park(connection);
                }
                Err(self.judge(failed))
            }
        }
    }

    /// Each mail has its own sender for bounces, so the server may put off one of them only.
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

    fn park(&self, mut connection: Connection) {
        connection.used = Instant::now();
        connection.is_used = true;
        self.parked.lock().expect("no panic inside").push(connection);
    }

    /// Returns a parked connection if the server has not closed it.
    async fn alive(&self, parked: Option<Connection>) -> Option<Connection> {
        let mut parked = parked?;
        let alive = parked.used.elapsed() < FRESH || parked.smtp.test_connected().await;
        alive.then_some(parked)
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
                let limit = Some(PATIENCE);
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
                    let limit = Some(PATIENCE);
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

impl Connection {
    /// Sends the commands. On success the server waits for the text.
    async fn begin(&mut self, commands: &[String; 3]) -> Result<(), Failed> {
        let begun = match self.is_pipelining {
            true => {
                let answer = self.smtp.command(commands.concat()).await;
                self.read_answers(answer).await
            }
            false => self.begin_stepwise(commands).await,
        };
        self.reset_if_not(begun).await
    }

    /// The same for commands that were sent with the text of the last mail.
    async fn begin_announced(&mut self) -> Result<(), Failed> {
        let answer = self.smtp.read_response().await;
        let begun = self.read_answers(answer).await;
        self.reset_if_not(begun).await
    }

    async fn reset_if_not(&mut self, begun: Result<(), Failed>) -> Result<(), Failed> {
        match begun {
            Err(mut failed) => {
                failed.is_usable = failed.is_usable && self.smtp.command(Rset).await.is_ok();
                Err(failed)
            }
            Ok(()) => Ok(()),
        }
    }

    /// The commands MAIL, RCPT and DATA.
    fn commands(&self, envelope: &Envelope) -> Result<[String; 3], SendError> {
        let mut options = Vec::new();
        let addresses = envelope.from().into_iter().chain(envelope.to());
        let is_international = |address: &Address| !AsRef::<str>::as_ref(address).is_ascii();
        if addresses.into_iter().any(is_international) {
            if !self.smtp.server_info().supports_feature(Extension::SmtpUtfEight) {
                // This does not affect the next mail.
                let text = "the mail server does not support international addresses".into();
                return Err(SendError::Refused { text, address: false });
            }
            options.push(MailParameter::SmtpUtfEight);
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let mail = Mail::new(envelope.from().cloned(), options).to_string();
        let recipient = envelope.to().first().map(|to| Rcpt::new(to.clone(), vec![]).to_string());
        Ok([mail, recipient.unwrap_or_default(), Data.to_string()])
    }

    async fn begin_stepwise(&mut self, commands: &[String; 3]) -> Result<(), Failed> {
        let stages = [Stage::Begin, Stage::Recipient, Stage::Recipient];
        for (command, stage) in commands.iter().zip(stages) {
            self.smtp.command(command).await.map_err(|error| {
                let is_usable = is_answer(&error);
                Failed { error, stage, is_usable }
            })?;
        }
        Ok(())
    }

    /// Reads the answers to the commands that were sent at once, after the first one.
    async fn read_answers(&mut self, mail: Result<Response, SmtpError>) -> Result<(), Failed> {
        let mail = match mail {
            // There will be no answer to the others.
            Err(error) if !is_answer(&error) => {
                return Err(Failed { error, stage: Stage::Begin, is_usable: false });
            }
            answer => answer,
        };
        let recipient = self.smtp.read_response().await;
        let data = self.smtp.read_response().await;
        // If the server accepts DATA without a recipient, it waits for a text now.
        let is_usable =
            data.as_ref().is_err_and(is_answer) && recipient.as_ref().err().is_none_or(is_answer);
        let answers = [(mail, Stage::Begin), (recipient, Stage::Recipient)];
        for (answer, stage) in answers.into_iter().chain([(data, Stage::Recipient)]) {
            answer.map_err(|error| Failed { error, stage, is_usable })?;
        }
        Ok(())
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

/// Whether the server answered and keeps the connection open. 421 means that it closes it.
fn is_answer(error: &SmtpError) -> bool {
    error.status().is_some_and(|code| code.to_string() != "421")
}

impl Failed {
    fn judge(self) -> SendError {
        let is_closing = self.error.status().is_some_and(|code| code.to_string() == "421");
        match (self.stage, classify(self.error)) {
            // A server that does not let us in says nothing about this mail.
            (Stage::Connect, SendError::Refused { text, .. }) => SendError::Unreachable(text),
            (Stage::Connect, SendError::Later(text)) => SendError::Unreachable(text),
            // It does not like the sender, which is the same for all mails.
            (Stage::Begin, SendError::Refused { text, .. }) => {
                SendError::Unreachable(format!("it refuses the sender: {text}"))
            }
            // It knew the recipient before it saw the text.
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

fn silent(limit: Duration) -> SendError {
    SendError::Unreachable(format!("no answer within {} seconds", limit.as_secs()))
}

fn describe(error: &SmtpError) -> String {
    // A server's text may contain characters that not every database can store.
    let text = error.to_string().replace(char::is_control, " ");
    match TLS_TROUBLE.iter().find(|(says, _)| text.contains(says)) {
        Some((_, words)) => format!("{words} ({text})"),
        None => text,
    }
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
];

fn classify(error: SmtpError) -> SendError {
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

#[cfg(test)]
mod tests;
