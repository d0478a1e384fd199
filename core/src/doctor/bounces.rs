//! Checks whether the portal learns of mails that come back after the mail server accepted them.

use std::path::Path;

use super::Findings;
use crate::App;
use crate::bounces::{self, providers};
use crate::config::Config;
use crate::notifications::reports;

const WHAT: &str = "bounces";

pub(super) async fn examine(config: &Config, app: Option<&App>, found: &mut Findings) {
    if config.smtp_urls().is_empty() {
        return found.not_checked(WHAT, "Nothing can come back before mail is really sent.");
    }
    let webhooks = providers::configured_names(config);
    examine_webhooks(config, &webhooks, found);
    match (&config.bounce_maildir, &config.bounce_address) {
        (None, None) if !webhooks.is_empty() => {}
        (Some(folder), address) => {
            if examine_folder(folder, found) && address.is_none() {
                found.not_checked(
                    WHAT,
                    "Reports are found by their Message-ID only. With --bounce-address, also those that do not contain it.",
                );
            }
        }
        (None, Some(address)) => {
            let says = format!(
                "Bounces go to {address}. Your mail server must give them to `camp mail receive`"
            );
            match has_come(app).await {
                true => found.well(WHAT, format!("{says}, and did so lately.")),
                false => found.not_checked(WHAT, format!("{says}. None has come yet.")),
            }
        }
        (None, None) => found.not_checked(
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
            true => found.well(WHAT, says),
            false => found.warning(
                WHAT,
                format!("{says} Without https, others can read the calls."),
                "--public-url https://camp.example (CAMP_PUBLIC_URL)",
            ),
        }
    }
}

/// Whether the folder is in order.
fn examine_folder(folder: &Path, found: &mut Findings) -> bool {
    let shown = folder.display();
    match bounces::waiting(folder) {
        Err(error) => found.broken(
            WHAT,
            format!("The folder {shown} for bounces cannot be read: {error}."),
            "--bounce-maildir (CAMP_BOUNCE_MAILDIR) must name a Maildir with the folders new and cur, which the portal's user may change.",
        ),
        Ok(waiting) if waiting.is_empty() => {
            found.well(WHAT, format!("Bounces are read from {shown}."));
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
