//! File permissions: only the user that runs the portal can read its data (safety 34). Folders are
//! 0700 and files 0600 regardless of the umask, including those of earlier versions.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::data_folder::sqlite_file;
use crate::{Error, Result};

/// Permission bits of everybody but the owner.
const OTHERS: u32 = 0o077;
/// Marks a shared folder such as /tmp, which is not the portal's own.
const STICKY: u32 = 0o1000;

/// Makes new files of this process and its children unreadable for other users. Call it when a
/// program starts.
pub fn set_umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Creates a folder and its parents if they are missing.
///
/// # Errors
///
/// [`Error::Setup`] when one of them cannot be created.
pub(crate) fn folder(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| {
        Error::Setup(format!("The folder {} cannot be made: {error}", path.display()))
    })
}

/// Restricts the permissions of the camp's files where an earlier version or the operator left them
/// open. Files of another user stay as they are, and `camp doctor` reports them.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the data folder cannot be read, [`Error::Database`] for an invalid
/// SQLite address.
pub(crate) fn tighten(config: &Config) -> Result<()> {
    // The operator may have put the folder on another disk, with a link to it.
    let data = &std::fs::canonicalize(&config.data_dir)?;
    let entries = entries_of(data)?;
    // A folder that contains other things too is left as it is.
    if entries.iter().all(|entry| is_ours(entry) || is_beside_ours(entry)) {
        close(data);
    }
    entries.iter().filter(|entry| is_ours(entry)).for_each(|entry| close_all(entry));
    let url = config.database_url();
    if url.starts_with("sqlite:") {
        let file = sqlite_file(&url)?;
        for ending in ["", "-wal", "-shm"] {
            let mut name = file.clone().into_os_string();
            name.push(ending);
            close_all(Path::new(&name));
        }
    }
    Ok(())
}

/// What is the portal's own in a data folder.
pub(crate) fn own_entries(data_dir: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(entries_of(data_dir)?.into_iter().filter(|entry| is_ours(entry)).collect())
}

fn entries_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

fn is_ours(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    let names = [
        "files",
        "mail",
        "uploads",
        "converting",
        "in-use.lock",
        "migrate.lock",
        ".restoring",
        "dkim.pem",
    ];
    names.contains(&&*name)
        || ["camp.db", ".camp.db", "before-restore-", ".backup-"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Files that operators, or their file system, put into a data folder.
fn is_beside_ours(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "lost+found" || name.ends_with(".tar.zst")
}

/// Restricts a file, or a folder with its content unless it is already restricted.
fn close_all(path: &Path) {
    if !close(path) || !path.is_dir() {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        close_all(&entry.path());
    }
}

/// Returns whether others had access before.
fn close(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    let open = found.mode() & OTHERS != 0 && found.mode() & STICKY == 0;
    if !open || found.is_symlink() {
        return false;
    }
    let mode = if found.is_dir() { 0o700 } else { 0o600 };
    match std::fs::set_permissions(path, Permissions::from_mode(mode)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "other users can read this, and its permissions cannot be changed");
        }
        _ => {}
    }
    true
}
