//! Checks whether the portal learns of mails that come back after the mail server accepted them.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::{Findings, clause};
use crate::App;
use crate::bounces::{self, providers};
use crate::config::{Config, ListenAddress};
use crate::notifications::reports;

const WHAT: &str = "bounces";
/// How long the worker may take to say who it is.
const TIMEOUT: Duration = Duration::from_secs(3);

pub(super) async fn examine(config: &Config, app: Option<&App>, found: &mut Findings) {
    if config.smtp_urls().is_empty() {
        return found.not_checked(WHAT, "No mail can bounce until mail is really sent.");
    }
    let webhooks = providers::configured_names(config);
    examine_webhooks(config, &webhooks, found);
    let mut reads = false;
    if let Some(folder) = &config.bounce_maildir {
        reads |= examine_folder(folder, found);
    }
    if let Some(address) = &config.bounce_lmtp {
        reads |= examine_lmtp(address, found).await;
    }
    if reads && config.bounce_address.is_none() {
        found.not_checked(
            WHAT,
            "Reports are found by their Message-ID only. With --bounce-address, also those that do not contain it.",
        );
    }
    if config.bounce_maildir.is_some() || config.bounce_lmtp.is_some() {
        return;
    }
    match &config.bounce_address {
        None if !webhooks.is_empty() => {}
        Some(address) => {
            let says = format!(
                "Bounces go to {address}. Your mail server must give them to `camp mail receive`"
            );
            match has_come(app).await {
                true => found.ok(WHAT, format!("{says}, and has done so recently.")),
                false => found.not_checked(WHAT, format!("{says}. None has come yet.")),
            }
        }
        None => found.not_checked(
            WHAT,
            "The portal does not learn which mails come back later: docs/bounces.md says how to give it the reports.",
        ),
    }
}

async fn has_come(app: Option<&App>) -> bool {
    match app {
        Some(app) => reports::is_any(&app.db).await.unwrap_or_default(),
        None => false,
    }
}

fn examine_webhooks(config: &Config, names: &[&str], found: &mut Findings) {
    for name in names {
        let says = format!(
            "Bounces and complaints are taken at {}/api/mail-events/{name}.",
            config.public_url()
        );
        match config.https() {
            true => found.ok(WHAT, says),
            false => found.warning(
                WHAT,
                format!("{says} Without https, others can read the calls."),
                "--public-url https://camp.example (CAMP_PUBLIC_URL)",
            ),
        }
    }
}

/// Whether a worker answers.
async fn examine_lmtp(address: &ListenAddress, found: &mut Findings) -> bool {
    match timeout(TIMEOUT, greeting(address)).await {
        Ok(Ok(greeting)) if greeting.starts_with("220 ") && greeting.contains("LMTP") => {
            found.ok(WHAT, format!("Bounces are taken by LMTP at {address}."));
            return true;
        }
        Ok(Ok(_)) => found.broken(
            WHAT,
            format!("A program other than the worker answers at {address}."),
            "Choose another address for --bounce-lmtp (CAMP_BOUNCE_LMTP), and restart the worker.",
        ),
        Ok(Err(error)) => not_taken(address, &error.to_string(), found),
        Err(_) => not_taken(address, "there was no answer", found),
    }
    false
}

fn not_taken(address: &ListenAddress, why: &str, found: &mut Findings) {
    found.warning(
        WHAT,
        format!("No worker takes bounces by LMTP at {address}: {why}."),
        "Start `camp worker` with --bounce-lmtp (CAMP_BOUNCE_LMTP). Until then the mail server keeps them.",
    );
}

async fn greeting(address: &ListenAddress) -> std::io::Result<String> {
    match address {
        ListenAddress::Tcp(address) => first_line(TcpStream::connect(address).await?).await,
        ListenAddress::Unix(path) => first_line(UnixStream::connect(path).await?).await,
    }
}

async fn first_line(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<String> {
    let mut line = String::new();
    BufReader::new((&mut stream).take(1000)).read_line(&mut line).await?;
    stream.write_all(b"QUIT\r\n").await.ok();
    Ok(line)
}

/// Whether the folder is in order.
fn examine_folder(folder: &Path, found: &mut Findings) -> bool {
    let shown = folder.display();
    match bounces::waiting(folder) {
        Err(error) => found.broken(
            WHAT,
            format!("The folder {shown} for bounces cannot be read: {}.", clause(error)),
            "--bounce-maildir (CAMP_BOUNCE_MAILDIR) must name a Maildir with the folders new and cur, which the portal's user may change.",
        ),
        Ok(waiting) if waiting.is_empty() => {
            found.ok(WHAT, format!("Bounces are read from {shown}."));
            return true;
        }
        Ok(waiting) => {
            let names: Vec<String> = waiting
                .iter()
                .take(3)
                .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .collect();
            let more = if waiting.len() > 3 { ", …" } else { "" };
            found.warning(
                WHAT,
                format!(
                    "{} not recognized as reports about the portal’s mail, or no worker reads the folder {shown}: {}{more}.",
                    match waiting.len() {
                        1 => "1 message is".to_owned(),
                        many => format!("{many} messages are"),
                    },
                    names.join(", "),
                ),
                "Read them with a mail program; move to cur or delete what nobody needs. If they are reports about the portal's mail, set --bounce-address.",
            );
        }
    }
    false
}
