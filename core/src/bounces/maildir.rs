//! Reads reports from a Maildir folder. Recorded reports are deleted. Automatic replies and other
//! notices move from `new` to `cur`. Whatever is not a report about the portal's mail stays in
//! `new` for a person to read.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tokio::io::AsyncReadExt;

use super::{MAX_BYTES, Received, Source, receive};
use crate::{App, Error, Result};

/// How many messages are handled at a time.
const BATCH: usize = 100;
/// How many names are read from the folder.
const MAX_NAMES: usize = 20_000;

/// Reads the configured folder, and remembers which of its messages are left to a person.
#[derive(Default)]
pub struct Maildir {
    left: HashSet<OsString>,
    /// Whether the folder could not be read the last time, which was reported then.
    is_missing: bool,
}

impl Maildir {
    /// Handles new messages, the newest first. Without a configured folder there are none.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the folder can no longer be read.
    pub async fn read(&mut self, app: &App) -> Result<()> {
        let Some(folder) = &app.config.bounce_maildir else { return Ok(()) };
        let new = folder.join("new");
        let names = tokio::task::spawn_blocking(move || names(&new)).await;
        let names = match names.map_err(Error::unforeseen)? {
            Ok(names) => names,
            Err(_) if self.is_missing => return Ok(()),
            Err(error) => {
                self.is_missing = true;
                return Err(error);
            }
        };
        self.is_missing = false;
        self.left.retain(|name| names.contains(name));
        let fresh: Vec<_> =
            names.into_iter().rev().filter(|name| !self.left.contains(name)).collect();
        for name in fresh.into_iter().take(BATCH) {
            match self::handle(app, folder, &name).await {
                Ok(true) => {}
                Ok(false) => {
                    self.left.insert(name);
                }
                Err(error @ (Error::Busy(_) | Error::Full)) => return Err(error),
                // One bad message must not stop the others.
                Err(error) => {
                    tracing::warn!(
                        error = error.reason(),
                        "a message in the folder for bounces was left"
                    );
                    self.left.insert(name);
                }
            }
        }
        Ok(())
    }
}

/// Handles one message. Returns false if it is left to a person.
async fn handle(app: &App, folder: &Path, name: &OsString) -> Result<bool> {
    let path = folder.join("new").join(name);
    let kind = match tokio::fs::symlink_metadata(&path).await {
        Ok(kind) => kind,
        // Another worker handled it.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(Error::unforeseen(error)),
    };
    if !kind.is_file() {
        return Ok(false);
    }
    let file = tokio::fs::File::open(&path).await.map_err(Error::unforeseen)?;
    let mut message = Vec::new();
    file.take(MAX_BYTES as u64).read_to_end(&mut message).await.map_err(Error::unforeseen)?;
    match receive(app, &message, None, Source::Maildir).await? {
        Received::NotOurs | Received::NoReport => Ok(false),
        Received::Recorded(_) | Received::Repeated => {
            match tokio::fs::remove_file(&path).await {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                removed => removed.map_err(Error::unforeseen)?,
            }
            Ok(true)
        }
        Received::Ignored(_) => {
            let mut seen = name.clone();
            seen.push(":2,S");
            match tokio::fs::rename(&path, folder.join("cur").join(seen)).await {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !path.exists() => {}
                moved => moved.map_err(Error::unforeseen)?,
            }
            Ok(true)
        }
    }
}

/// The newest messages in a folder, the earliest first, as their names sort.
fn names(folder: &Path) -> Result<std::collections::BTreeSet<OsString>> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Error::Unforeseen(format!("{} cannot be read: {error}", folder.display()))
    })?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let names = names.filter(|name| !name.as_encoded_bytes().starts_with(b"."));
    let mut latest = std::collections::BTreeSet::new();
    for name in names {
        latest.insert(name);
        if latest.len() > MAX_NAMES {
            latest.pop_first();
        }
    }
    Ok(latest)
}

/// The messages that have been in `new` for some minutes: no worker reads them, or none understood
/// them.
///
/// # Errors
///
/// When the folder, or one in it that a Maildir has, cannot be read.
pub(crate) fn waiting(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    std::fs::read_dir(folder.join("cur"))?;
    let long_ago = SystemTime::now() - std::time::Duration::from_secs(300);
    let mut waiting = Vec::new();
    for entry in std::fs::read_dir(folder.join("new"))?.take(MAX_NAMES) {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !hidden && entry.metadata()?.modified()? < long_ago {
            waiting.push(entry.path());
        }
    }
    waiting.sort();
    Ok(waiting)
}
