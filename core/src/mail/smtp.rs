//! Sends mail over SMTP and reuses connections.
//!
//! lettre 0.11.23 writes a mail in two pieces without TCP_NODELAY, which costs 44 ms per mail on
//! any server. Therefore the connection is opened here.

use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::{Host, Url};

use super::SendError;
use crate::{Error, Result};

const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Smtp {
    pub host: String,
    pub port: u16,
    security: Security,
    credentials: Option<Credentials>,
    hello: ClientId,
    parked: Mutex<Vec<AsyncSmtpConnection>>,
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
        let wrong = |text: &str| Error::Setup(format!("--smtp-url {text}"));
        let url =
            Url::parse(url).map_err(|_| wrong("is not an address like smtps://mail.example"))?;
        let loopback = match url.host() {
            // For schemes other than the web's, `Url` parses an IPv4 address as a domain name.
            Some(Host::Domain(name)) => {
                name == "localhost" || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
            }
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => return Err(wrong("names no host")),
        };
        let (security, port) = match url.scheme() {
            "smtps" => (Security::Tls, 465),
            "smtp" if loopback => (Security::None, 25),
            "smtp" => (Security::StartTls, 587),
            _ => return Err(wrong("must begin with smtps:// or smtp://")),
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
        })
    }

    /// Sends a mail on a free or new connection. Fails when the server refuses it or does not
    /// answer within 30 seconds.
    pub async fn send(&self, envelope: &Envelope, message: &[u8]) -> Result<(), SendError> {
        match timeout(PATIENCE, self.try_send(envelope, message)).await {
            Ok(sent) => sent,
            Err(_) => Err(SendError::Unreachable("no answer within 30 seconds".into())),
        }
    }

    /// Connects, encrypts and signs in as for a mail, then quits.
    ///
    /// # Errors
    ///
    /// [`SendError::Unreachable`] when there is no answer within 15 seconds, otherwise what the
    /// server said.
    pub async fn probe(&self) -> Result<&'static str, SendError> {
        let reach = async {
            let mut connection = self.connect().await.map_err(classify)?;
            connection.quit().await.ok();
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

    async fn try_send(&self, envelope: &Envelope, message: &[u8]) -> Result<(), SendError> {
        let parked = self.parked.lock().expect("no panic inside").pop();
        let mut connection = match self.alive(parked).await {
            Some(parked) => parked,
            None => self.connect().await.map_err(classify)?,
        };
        let sent =
            connection.send(envelope, message).await.map_err(|error| match error.is_client() {
                // lettre itself refuses this mail, for example because the server does not support
                // international addresses. This does not affect the next mail.
                true => SendError::Refused { text: describe(&error), address: false },
                false => classify(error),
            });
        if !connection.has_broken() && !matches!(sent, Err(SendError::Unreachable(_))) {
            self.parked.lock().expect("no panic inside").push(connection);
        }
        sent.map(drop)
    }

    /// Returns a parked connection if the server has not closed it.
    async fn alive(&self, parked: Option<AsyncSmtpConnection>) -> Option<AsyncSmtpConnection> {
        let mut parked = parked?;
        parked.test_connected().await.then_some(parked)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, lettre::transport::smtp::Error> {
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

fn describe(error: &lettre::transport::smtp::Error) -> String {
    use std::error::Error as _;
    let text = match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    // A server's text may contain characters that not every database can store.
    text.replace(char::is_control, " ")
}

fn classify(error: lettre::transport::smtp::Error) -> SendError {
    let text = describe(&error);
    // 421 means "closing the connection". It is independent of the mail.
    let code = error.status().map(|code| code.to_string());
    match code.as_deref() {
        Some("421") => SendError::Unreachable(text),
        Some(code) if error.is_permanent() => {
            let policy = text.contains("5.7.");
            let address = matches!(code, "550" | "551" | "553") && !policy;
            SendError::Refused { text, address }
        }
        _ if error.is_transient() => SendError::Later(text),
        _ => SendError::Unreachable(text),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// A mail server without SMTPUTF8 that accepts everything on one connection.
    async fn server() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            let (read, mut write) = stream.into_split();
            let mut lines = BufReader::new(read).lines();
            write.write_all(b"220 ready\r\n").await.ok();
            let mut in_data = false;
            while let Ok(Some(line)) = lines.next_line().await {
                let answer: &[u8] = match line.as_str() {
                    "." => {
                        in_data = false;
                        b"250 taken\r\n"
                    }
                    _ if in_data => continue,
                    "DATA" => {
                        in_data = true;
                        b"354 go on\r\n"
                    }
                    _ => b"250 fine\r\n",
                };
                write.write_all(answer).await.ok();
            }
        });
        port
    }

    fn envelope(to: &str) -> Envelope {
        let address = |text: &str| text.parse().expect("an address");
        Envelope::new(Some(address("office@camp.example")), vec![address(to)]).expect("an envelope")
    }

    #[tokio::test]
    async fn an_address_that_the_server_cannot_take_is_refused_and_the_next_mail_goes() {
        let smtp = Smtp::open(&format!("smtp://127.0.0.1:{}", server().await)).expect("a client");
        let mail = b"Subject: Hello\r\n\r\nHello.\r\n";
        let refused = smtp.send(&envelope("jürgen@bücher.example"), mail).await;
        let refused = refused.expect_err("no SMTPUTF8");
        assert!(matches!(refused, SendError::Refused { address: false, .. }), "{refused:?}");
        smtp.send(&envelope("chaya@family.example"), mail).await.expect("the next mail");
    }
}
