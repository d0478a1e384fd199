//! The configuration of the operator: flags, or environment variables that begin with `CAMP_`.

use std::ffi::OsStr;
use std::fmt::{Display, Formatter};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use ipnet::IpNet;
use lettre::message::Mailbox;
use url::Url;

use crate::{Error, Result};

/// The name of our own key in the DNS unless the operator chooses one.
pub(crate) const DEFAULT_SELECTOR: &str = "camp";

/// The options that all commands share.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Configuration")]
pub struct Config {
    /// Folder for the database, the files, and mail that is not sent
    #[arg(long, global = true, env = "CAMP_DATA_DIR", default_value = "data", value_name = "DIR")]
    pub data_dir: PathBuf,

    /// sqlite://PATH or postgres://USER:PASSWORD@HOST/NAME [default: sqlite://<data-dir>/camp.db]
    #[arg(
        long,
        global = true,
        env = "CAMP_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true,
        value_parser = Secret(database)
    )]
    pub database_url: Option<String>,

    /// Address and port to listen on
    #[arg(
        long,
        global = true,
        env = "CAMP_BIND",
        default_value = "127.0.0.1:8080",
        value_name = "ADDR",
        value_parser = bind
    )]
    pub bind: SocketAddr,

    /// Address under which people reach the portal, for links in mail [default: http://<bind>]
    #[arg(long, global = true, env = "CAMP_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<Url>,

    /// smtps://USER:PASSWORD@HOST, or smtp://HOST:25 on this machine; without it mail is written as .eml files
    ///
    /// Given more than once (in the environment: separated by commas), the first server that can be reached is used.
    #[arg(long, global = true, env = "CAMP_SMTP_URL", value_name = "URL", hide_env_values = true,
          value_parser = Secret(mail_servers))]
    pub smtp_url: Vec<String>,

    /// Sender of all mail, for example "Camp <hello@camp.example>"
    #[arg(long, global = true, env = "CAMP_MAIL_FROM", value_name = "ADDRESS", value_parser = sender)]
    pub mail_from: Option<Mailbox>,

    /// Address to which other mail servers report bounces, for example bounces@camp.example; each mail adds a signed
    /// “+…” to it
    #[arg(long, global = true, env = "CAMP_BOUNCE_ADDRESS", value_name = "ADDRESS", value_parser = bounce_address)]
    pub bounce_address: Option<lettre::Address>,

    /// Maildir folder in which reports of bounces and complaints arrive; the worker reads it
    #[arg(long, global = true, env = "CAMP_BOUNCE_MAILDIR", value_name = "DIR")]
    pub bounce_maildir: Option<PathBuf>,

    /// Where the worker takes bounces and complaints from the mail server by LMTP: an address like 127.0.0.1:2424, or
    /// unix:/PATH
    #[arg(long, global = true, env = "CAMP_BOUNCE_LMTP", value_name = "ADDR")]
    pub bounce_lmtp: Option<ListenAddress>,

    /// Let --bounce-lmtp be an address that other machines can reach
    #[arg(long, global = true, env = "CAMP_BOUNCE_LMTP_FROM_NETWORK")]
    pub bounce_lmtp_from_network: bool,

    /// Password of the webhook for bounces and complaints at Postmark, at least 16 characters
    #[arg(
        long,
        global = true,
        env = "CAMP_POSTMARK_WEBHOOK_PASSWORD",
        value_name = "PASSWORD",
        hide_env_values = true
    )]
    pub postmark_webhook_password: Option<String>,

    /// Key with which Mailgun signs its webhooks for bounces and complaints
    #[arg(
        long,
        global = true,
        env = "CAMP_MAILGUN_SIGNING_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub mailgun_signing_key: Option<String>,

    /// ARN of the topic at Amazon SNS by which Amazon SES reports bounces and complaints
    #[arg(long, global = true, env = "CAMP_SES_TOPIC_ARN", value_name = "ARN", value_parser = topic)]
    pub ses_topic_arn: Option<String>,

    /// Maximum number of connections to the mail server
    #[arg(long, global = true, env = "CAMP_MAIL_CONNECTIONS", default_value_t = 4, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub mail_connections: u32,

    /// Maximum number of emails per second
    #[arg(long, global = true, env = "CAMP_MAIL_RATE", default_value_t = 50, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub mail_rate: u32,

    /// Maximum number of connections with email for one recipient domain [default: no limit of its own]
    #[arg(long, global = true, env = "CAMP_MAIL_CONNECTIONS_PER_DOMAIN", value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub mail_connections_per_domain: Option<u32>,

    /// Maximum number of emails per second for one recipient domain, such as that of a large provider [default: no limit of its own]
    #[arg(long, global = true, env = "CAMP_MAIL_RATE_PER_DOMAIN", value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub mail_rate_per_domain: Option<u32>,

    /// File of the private key that signs mail (DKIM); `camp mail dkim` makes one
    #[arg(long, global = true, env = "CAMP_DKIM_KEY", value_name = "FILE")]
    pub dkim_key: Option<PathBuf>,

    /// Name of that key in the DNS [default: camp], or of the mail provider's key for `camp doctor`
    #[arg(long, global = true, env = "CAMP_DKIM_SELECTOR", value_name = "NAME", value_parser = selector)]
    pub dkim_selector: Option<String>,

    /// Where video and picture files are stored: a folder or s3://BUCKET/PREFIX [default: <data-dir>/files]
    #[arg(
        long,
        global = true,
        env = "CAMP_STORAGE_URL",
        value_name = "URL",
        hide_env_values = true,
        value_parser = Secret(storage)
    )]
    pub storage_url: Option<String>,

    /// Let browsers load videos directly from the bucket of --storage-url, by addresses that work for five minutes
    ///
    /// The bucket must allow requests from the portal's address (CORS).
    #[arg(long, global = true, env = "CAMP_STORAGE_REDIRECTS")]
    pub storage_redirects: bool,

    /// The program ffmpeg, with ffprobe beside it, which converts uploaded videos [default: ffmpeg on the PATH]
    #[arg(long, global = true, env = "CAMP_FFMPEG", value_name = "PATH")]
    pub ffmpeg: Option<PathBuf>,

    /// Maximum number of open pages that receive live events; further ones are asked to try again later
    #[arg(long, global = true, env = "CAMP_EVENT_STREAMS", default_value_t = 10_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub event_streams: u32,

    /// The same for one network (an IPv4 address or an IPv6 /64, which many families behind one filter share)
    #[arg(long, global = true, env = "CAMP_EVENT_STREAMS_PER_NETWORK", default_value_t = 1_500, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub event_streams_per_network: u32,

    /// Maximum number of open connections; further ones wait. Raises the limit of open files as far as the system allows
    #[arg(long, global = true, env = "CAMP_CONNECTIONS", default_value_t = 12_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections: u32,

    /// Maximum number of connections, and of concurrent requests, of one network; proxies and this machine are not limited
    #[arg(long, global = true, env = "CAMP_CONNECTIONS_PER_NETWORK", default_value_t = 2_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections_per_network: u32,

    /// Trusted proxies, whose X-Forwarded-For is used: addresses or networks, separated by commas
    #[arg(long, global = true, env = "CAMP_TRUSTED_PROXIES", value_delimiter = ',', value_name = "NETS",
          value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,
}

/// Checks a value that may contain a password, so that the error does not show it.
#[derive(Clone)]
struct Secret(fn(&str) -> std::result::Result<(), String>);

impl TypedValueParser for Secret {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> std::result::Result<String, clap::Error> {
        let wrong = |text: String| {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{text}\n")).with_cmd(command)
        };
        let text = value.to_str().ok_or_else(|| wrong("An address is not UTF-8.".into()))?;
        (self.0)(text).map_err(wrong)?;
        Ok(text.to_owned())
    }
}

fn database(text: &str) -> std::result::Result<(), String> {
    if text.starts_with("sqlite:") {
        return Ok(());
    }
    if !["postgres:", "postgresql:"].iter().any(|scheme| text.starts_with(scheme)) {
        return Err("--database-url must begin with sqlite:// or postgres://.".into());
    }
    match Url::parse(text).is_ok_and(|url| url.fragment().is_none()) {
        true => Ok(()),
        false => Err(format!(
            "--database-url is not an address like postgres://USER:PASSWORD@HOST/NAME. {ESCAPES}."
        )),
    }
}

/// Without these escapes, the rest of a password would be taken for the host, its port or a path.
const ESCAPES: &str = "In a name or password, write @ : / ? # % as %40 %3A %2F %3F %23 %25";

fn bind(text: &str) -> std::result::Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "give an address and a port like 127.0.0.1:8080")
}

/// Where files are stored, as `--storage-url` says.
pub(crate) enum Storage {
    Folder(PathBuf),
    /// `s3://BUCKET/PREFIX`
    Bucket(Url),
}

impl Storage {
    /// Reads the address. Without one, files are stored in `files` in the data folder. The error
    /// says what an address must look like.
    pub(crate) fn of(
        url: Option<&str>,
        data_dir: &Path,
    ) -> std::result::Result<Storage, &'static str> {
        let Some(url) = url else { return Ok(Storage::Folder(data_dir.join("files"))) };
        let is_bucket = |url: &Url| url.host_str().is_some_and(|bucket| !bucket.is_empty());
        match url.split_once("://") {
            None => Some(Storage::Folder(url.into())),
            Some(("file", folder)) => Some(Storage::Folder(folder.into())),
            Some(("s3", _)) => Url::parse(url).ok().filter(is_bucket).map(Storage::Bucket),
            Some(_) => None,
        }
        .ok_or("--storage-url must be a folder or s3://BUCKET/PREFIX.")
    }
}

fn storage(text: &str) -> std::result::Result<(), String> {
    Storage::of(Some(text), Path::new("")).map(drop).map_err(str::to_owned)
}

fn mail_servers(text: &str) -> std::result::Result<(), String> {
    let checked = addresses_in(text).iter().try_for_each(|url| mail_server(url).map(drop));
    checked.map_err(|wrong| match wrong {
        NO_MAIL_SERVER => format!("--smtp-url {wrong}. {ESCAPES}."),
        _ => format!("--smtp-url {wrong}."),
    })
}

const NO_MAIL_SERVER: &str = "is not an address like smtps://USER:PASSWORD@mail.example";

/// The address of a mail server, or what is wrong with it. The text does not contain it, because it may contain a
/// password.
pub(crate) fn mail_server(text: &str) -> std::result::Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| NO_MAIL_SERVER)?;
    let has_more = !matches!(url.path(), "" | "/") || url.query().or(url.fragment()).is_some();
    match url.scheme() {
        _ if url.host().is_none() => Err("names no host"),
        "smtp" | "smtps" if has_more => Err(NO_MAIL_SERVER),
        "smtp" | "smtps" => Ok(url),
        _ => Err("must begin with smtps:// or smtp://"),
    }
}

/// The address of the SQLite database in a file, in which “?” and “%” have a meaning.
pub(crate) fn sqlite_url(file: &str) -> String {
    format!("sqlite://{}", file.replace('%', "%25").replace('?', "%3F"))
}

/// Also accepts names with characters that would have to be quoted, such as `Camp Naarim, Inc.
/// <hello@camp.example>`.
fn sender(text: &str) -> Result<Mailbox, String> {
    let named = || {
        let (name, address) = text.strip_suffix('>')?.rsplit_once('<')?;
        let name = name.trim().trim_matches('"');
        Some(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), address.parse().ok()?))
    };
    text.parse().ok().or_else(named).ok_or_else(|| {
        "write an address like hello@camp.example, or with a name: “Camp Naarim <hello@camp.example>”".into()
    })
}

fn bounce_address(text: &str) -> Result<lettre::Address, String> {
    text.parse().map_err(|_| "write an address like bounces@camp.example".into())
}

fn public_url(text: &str) -> std::result::Result<Url, String> {
    let wrong = "give an address like https://camp.example, without a path";
    let url = Url::parse(text).map_err(|_| wrong)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.host().is_some()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.path() == "/";
    if is_plain { Ok(url) } else { Err(wrong.into()) }
}

/// The addresses of mail servers in one value, separated by commas. A password may contain a comma.
fn addresses_in(given: &str) -> Vec<String> {
    let starts = [",smtp://", ",smtps://"];
    let (mut addresses, mut rest) = (Vec::new(), given);
    while let Some(at) = starts.iter().filter_map(|start| rest.find(start)).min() {
        addresses.push(rest[..at].trim().to_owned());
        rest = &rest[at + 1..];
    }
    addresses.push(rest.trim().to_owned());
    addresses.retain(|address| !address.is_empty());
    addresses
}

fn network(text: &str) -> std::result::Result<IpNet, String> {
    let text = text.trim();
    text.parse::<IpNet>()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| "give an address like 10.0.0.1 or a network like 10.0.0.0/8".into())
}

/// Where a server of the portal listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = "give an address like 127.0.0.1:2424 or unix:/run/camp-worker/lmtp.sock";
        match text.strip_prefix("unix:") {
            Some(path) if path.starts_with('/') => Ok(ListenAddress::Unix(path.into())),
            Some(_) => Err(wrong.into()),
            None => text.parse().map(ListenAddress::Tcp).map_err(|_| wrong.into()),
        }
    }
}

impl Display for ListenAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            ListenAddress::Tcp(address) => address.fmt(f),
            ListenAddress::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

fn topic(text: &str) -> std::result::Result<String, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    match parts[..] {
        ["arn", "aws" | "aws-cn" | "aws-us-gov", "sns", region, account, name]
            if [account, name].into_iter().all(is_name)
                && !region.is_empty()
                && region
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') =>
        {
            Ok(text.to_owned())
        }
        _ => Err("give an ARN like arn:aws:sns:us-east-1:123456789012:camp-bounces".into()),
    }
}

fn selector(text: &str) -> std::result::Result<String, String> {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    match text.split('.').all(is_label) {
        true => Ok(text.to_owned()),
        false => Err("give a name of letters, digits and hyphens".into()),
    }
}

impl Config {
    pub fn database_url(&self) -> String {
        match &self.database_url {
            Some(url) => url.clone(),
            None => sqlite_url(&self.data_dir.join("camp.db").display().to_string()),
        }
    }

    /// The address for links, without a slash at its end.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.bind),
        }
    }

    /// Whether people reach the portal over https. The cookies depend on it.
    pub fn https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    /// The sender of mail. Uses the site's name if the operator gave only an address.
    pub fn mail_from(&self, site_name: &str) -> Mailbox {
        match &self.mail_from {
            Some(from) if from.name.is_some() => from.clone(),
            Some(from) => Mailbox::new(Some(site_name.to_owned()), from.email.clone()),
            None => Mailbox::new(Some(site_name.to_owned()), no_reply(self.mail_domain())),
        }
    }

    /// The domain of the sender, also used in Message-IDs.
    pub fn mail_domain(&self) -> String {
        if let Some(from) = &self.mail_from {
            return from.email.domain().to_owned();
        }
        match self.public_url.as_ref().and_then(Url::domain) {
            Some(domain) => domain.to_owned(),
            None => "localhost".to_owned(),
        }
    }

    /// The domain that signs mail, as the DNS has it.
    pub(crate) fn dkim_domain(&self) -> String {
        let domain = self.mail_domain();
        idna::domain_to_ascii(&domain).unwrap_or(domain)
    }

    /// The name in the DNS of the key that signs mail.
    pub fn dkim_name(&self) -> String {
        let selector = self.dkim_selector.as_deref().unwrap_or(DEFAULT_SELECTOR);
        format!("{selector}._domainkey.{}", self.dkim_domain())
    }

    /// The addresses of the mail servers, the preferred one first.
    pub(crate) fn smtp_urls(&self) -> Vec<String> {
        self.smtp_url.iter().flat_map(|given| addresses_in(given)).collect()
    }

    pub fn mail_folder(&self) -> PathBuf {
        self.data_dir.join("mail")
    }

    /// Checks what cannot be checked while single options are parsed.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] when `--bounce-address` has no room for what is added to it, or a secret of a webhook is short,
    /// or `--bounce-lmtp` is open to other machines without permission or has no `--bounce-address`.
    pub fn check(&self) -> Result<()> {
        if let Some(address) = &self.bounce_address
            && (address.user().len() > BOUNCE_USER || address.user().contains('+'))
        {
            return Err(Error::Usage(format!(
                "--bounce-address must have at most {BOUNCE_USER} characters before the @, and no “+”."
            )));
        }
        if self.bounce_lmtp.is_some() && self.bounce_address.is_none() {
            return Err(Error::Usage(
                "--bounce-lmtp needs --bounce-address: without it, everything that comes would be taken for a report, \
                 and answers to the camp would be lost."
                    .into(),
            ));
        }
        if let Some(ListenAddress::Tcp(address)) = &self.bounce_lmtp
            && !address.ip().is_loopback()
            && !self.bounce_lmtp_from_network
        {
            return Err(Error::Usage(format!(
                "--bounce-lmtp {address} can be reached from other machines, which may send as much as they like. \
                 Use 127.0.0.1 or unix:/PATH; or restrict it by a firewall and add --bounce-lmtp-from-network."
            )));
        }
        let secrets = [
            ("--postmark-webhook-password", &self.postmark_webhook_password),
            ("--mailgun-signing-key", &self.mailgun_signing_key),
        ];
        let short =
            |secret: &Option<String>| secret.as_ref().is_some_and(|s| s.len() < WEBHOOK_SECRET);
        if let Some((name, _)) = secrets.into_iter().find(|(_, secret)| short(secret)) {
            return Err(Error::Usage(format!(
                "{name} must have at least {WEBHOOK_SECRET} characters."
            )));
        }
        Ok(())
    }
}

/// The number of characters that a signed token leaves of the 64 before the @ (RFC 5321).
const BOUNCE_USER: usize = 18;

/// The minimum length of a secret in bytes, so that it cannot be guessed.
const WEBHOOK_SECRET: usize = 16;

fn no_reply(domain: String) -> lettre::Address {
    lettre::Address::new("no-reply", domain)
        .or_else(|_| lettre::Address::new("no-reply", "localhost"))
        .unwrap_or_else(|_| unreachable!("no-reply@localhost is an address"))
}
