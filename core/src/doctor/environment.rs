//! Checks the program, its configuration, the disk and the object store.

use std::fs::{DirEntry, FileType};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::TryStreamExt;
use rustix::fs::Access;
use url::Host;
use uuid::Uuid;

use super::{Findings, clause};
use crate::Error;
use crate::alerts;
use crate::config::{Config, Storage};
use crate::data_folder;
use crate::files::Files;

pub(super) fn examine(config: &Config, found: &mut Findings) {
    found.ok("version", format!("This is camp {}.", env!("CARGO_PKG_VERSION")));
    address(config, found);
    proxies(config, found);
    folder(&config.data_dir, found);
    disk(&config.data_dir, "", found);
    if let Ok(Storage::Folder(folder)) =
        Storage::of(config.storage_url.as_deref(), &config.data_dir)
        && !folder.starts_with(&config.data_dir)
    {
        disk(&folder, &format!(" in {}", folder.display()), found);
    }
}

fn address(config: &Config, found: &mut Findings) {
    const WHAT: &str = "public-url";
    let example = "Set --public-url (CAMP_PUBLIC_URL) to the address that families type, such as \
                   https://videos.camp.example.";
    if let Err(error) = config.check() {
        return found.broken(WHAT, error.to_string(), example);
    }
    let Some(url) = &config.public_url else {
        let says = format!(
            "Links in emails lead to {}, which only this machine knows.",
            config.public_url()
        );
        return found.warning(WHAT, says, example);
    };
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if config.https() {
        found.ok(WHAT, format!("People reach the portal at {}.", config.public_url()));
    } else if here {
        let says = format!(
            "Links in emails lead to {}, which only this machine knows.",
            config.public_url()
        );
        found.warning(WHAT, says, example);
    } else {
        let says =
            format!("{} is not https: passwords can be read in transit.", config.public_url());
        found.broken(WHAT, says, "Put a proxy with a certificate before the portal (deploy/ has examples), and begin --public-url with https.");
    }
}

fn proxies(config: &Config, found: &mut Findings) {
    const WHAT: &str = "trusted-proxies";
    if !config.trusted_proxies.is_empty() {
        let nets: Vec<String> = config.trusted_proxies.iter().map(ToString::to_string).collect();
        if config.trusted_proxies.iter().any(|net| net.prefix_len() == 0) {
            found.broken(
                WHAT,
                "Every address is trusted as a proxy, so anybody can fake their IP address.",
                "Name only the proxies' own addresses in --trusted-proxies.",
            );
        } else {
            found.ok(WHAT, format!("Proxies at {} are trusted.", nets.join(", ")));
        }
    } else if config.https() {
        found.warning(
            WHAT,
            "No proxy is trusted, so all visitors appear to come from one address and share its limits.",
            "When the proxy runs on this machine: --trusted-proxies 127.0.0.1 (CAMP_TRUSTED_PROXIES).",
        );
    } else {
        found.ok(WHAT, "No proxy is trusted, and none seems to be in use.");
    }
}

pub(super) const READ_ONLY: &str = "The file system is mounted read-only. The log of the machine may say why: a \
                                    disk with errors is mounted like that.";

fn is_full(folder: &Path) -> bool {
    data_folder::free_bytes(folder).is_some_and(|free| free < alerts::FREE)
}

fn folder(folder: &Path, found: &mut Findings) {
    const WHAT: &str = "data-dir";
    let shown = folder.display();
    let (mode, owner) = match folder.metadata() {
        Ok(data) if data.is_dir() => (data.permissions().mode(), data.uid()),
        Ok(_) => {
            return found.broken(WHAT, format!("{shown} is not a folder."), "Check --data-dir.");
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let says = format!("The folder {shown} is not there.");
            return found.broken(
                WHAT,
                says,
                "Check --data-dir. A new camp starts with `camp admin add`.",
            );
        }
        Err(error) => {
            let says = format!("The folder {shown} cannot be read: {}.", clause(error));
            return found.broken(WHAT, says, "Run this as the user of the portal.");
        }
    };
    let trial = folder.join(format!(".doctor-{}", Uuid::new_v4().simple()));
    let written = std::fs::write(&trial, "written by camp doctor").and_then(|()| trial.metadata());
    std::fs::remove_file(&trial).ok();
    let ours = match written {
        Ok(ours) => ours.uid(),
        // The check of the disk says that it is full.
        Err(error) if error.kind() == ErrorKind::StorageFull && is_full(folder) => {
            let says = format!("Nothing can be written to {shown}, because the disk is full.");
            return found.not_checked(WHAT, says);
        }
        Err(error) => {
            let todo = unwritable(error.kind());
            let says = format!("Nothing can be written to {shown}: {}.", clause(error));
            return found.broken(WHAT, says, todo);
        }
    };
    if ours != owner {
        let says = format!(
            "{shown} belongs to a different user than the one running this command, so it is not certain that the portal can write there."
        );
        return found.warning(
            WHAT,
            says,
            "Run this as the user of the portal; deploy/README.md has the command.",
        );
    }
    match mode & 0o077 {
        0 => found.ok(WHAT, format!("{shown} can be written to, and strangers cannot read it.")),
        _ => found.warning(
            WHAT,
            format!("Other users of this machine can look into {shown}, where families' data is."),
            format!("chmod 700 {shown}"),
        ),
    }
}

/// Removes the folder of the objects that this check writes, if it is empty.
fn remove_own_folder(files: &Files) {
    if let Some(folder) = &files.folder {
        std::fs::remove_dir(folder.join("doctor")).ok();
    }
}

/// The first folder of these, from the top, that this user cannot write to.
fn unwritable_folder(folder: &Path) -> Option<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if data_folder::is_denied(&folder, Access::WRITE_OK | Access::EXEC_OK) {
            return Some(folder);
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let is_folder =
            |entry: &DirEntry| entry.file_type().is_ok_and(|kind: FileType| kind.is_dir());
        open.extend(entries.filter(is_folder).map(|entry| entry.path()));
    }
    None
}

/// What to do if nothing can be written to the data folder.
fn unwritable(error: ErrorKind) -> &'static str {
    match error {
        ErrorKind::StorageFull => {
            "Make room for more files, of which the disk can have no more (`df -i`), or move --data-dir to another disk."
        }
        ErrorKind::QuotaExceeded => "Make room, or move the folder to a larger disk.",
        ErrorKind::ReadOnlyFilesystem => READ_ONLY,
        _ => "The folder must belong to the user that the portal runs as.",
    }
}

/// `place` is the text after the amount. It names the folder if it is not the data folder.
fn disk(folder: &Path, place: &str, found: &mut Findings) {
    const WHAT: &str = "disk";
    let Some(free) = data_folder::free_bytes(folder) else {
        return found.not_checked(WHAT, "The free space on the disk could not be determined.");
    };
    let says = format!("{:.1} GB are free{place}.", free as f64 / 1e9);
    match free {
        free if free < alerts::FREE => found.broken(
            WHAT,
            format!(
                "Only {} MB are free{place}; when the disk is full, nothing can be saved.",
                free / 1_000_000
            ),
            "Make room, or move --data-dir to a larger disk.",
        ),
        free if free < 5 * alerts::FREE => {
            found.warning(WHAT, says, "A summer of videos may need more room.");
        }
        _ => found.ok(WHAT, says),
    }
}

/// Writes, reads and removes one object, and looks for folders that this user cannot write to.
pub(super) async fn examine_files(files: &Files, found: &mut Findings) {
    const WHAT: &str = "files";
    // Earlier versions left this folder behind, sometimes owned by root.
    remove_own_folder(files);
    if let Some(denied) = files.folder.as_deref().and_then(unwritable_folder) {
        return found.broken(
            WHAT,
            format!("Nothing can be written to {}.", denied.display()),
            unwritable(ErrorKind::PermissionDenied),
        );
    }
    if let Some(folder) = files.folder.as_deref().filter(|folder| data_folder::is_read_only(folder))
    {
        let says = format!(
            "Nothing can be written to {}, because its file system is mounted read-only.",
            folder.display()
        );
        return found.unless_known(&["data-dir"], WHAT, says, READ_ONLY);
    }
    let key = format!("doctor/{}", Uuid::new_v4().simple());
    let text = "written by camp doctor";
    let tried = async {
        files.put(&key, text.to_owned()).await.map_err(|e| ("written", e))?;
        let part = files.get(&key, None).await.map_err(|e| ("read", e))?;
        let read: Vec<Bytes> =
            part.bytes.try_collect().await.map_err(|e| ("read", Error::from(e)))?;
        files.remove(&key).await.map_err(|e| ("removed", e))?;
        Ok::<_, (&str, Error)>(read)
    };
    let tried = tried.await;
    remove_own_folder(files);
    let place = match &files.folder {
        Some(folder) => folder.display().to_string(),
        None => "the bucket".to_owned(),
    };
    match tried {
        Ok(read) if read.concat() == text.as_bytes() => {
            found.ok(WHAT, format!("Files can be written to {place}, read and removed."));
        }
        Ok(_) => found.broken(
            WHAT,
            format!("{place} returned different bytes than were written to it."),
            "Check --storage-url.",
        ),
        Err((deed, Error::Full)) => {
            let says = format!("A file in {place} cannot be {deed}, because the disk is full.");
            found.unless_known(
                &["data-dir", "disk"],
                WHAT,
                says,
                "Make room on the disk of the files.",
            );
        }
        Err((deed, error)) => found.broken(
            WHAT,
            format!("A file in {place} cannot be {deed}: {}.", clause(error.reason())),
            "Check --storage-url, and for a bucket the AWS_… variables and what the key may do.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_fits_the_reason_why_nothing_can_be_written() {
        assert!(unwritable(ErrorKind::StorageFull).contains("Make room"));
        assert!(unwritable(ErrorKind::ReadOnlyFilesystem).contains("read-only"));
        assert!(unwritable(ErrorKind::PermissionDenied).contains("must belong to the user"));
    }

    #[test]
    fn a_sentence_has_one_full_stop() {
        let full = Error::Full.reason();
        assert!(full.ends_with('.') && !clause(&full).ends_with('.'), "{full}");
    }
}
