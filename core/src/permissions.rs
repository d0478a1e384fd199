//! File permissions: only the user that the portal runs as can read its data (safety 34). Folders
//! are 0700 and files 0600, whatever the umask, also those of earlier versions.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::{Error, Result, backup};

/// Anybody but the owner.
const OTHERS: u32 = 0o077;
/// Not only a folder of ours: everybody may put things into it.
const STICKY: u32 = 0o1000;

/// From now on, what this process and its children make can be read by nobody else. For the
/// beginning of a program.
pub fn set_umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Makes a folder, with those above it, unless it is there.
pub(crate) fn folder(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| {
        Error::Setup(format!("The folder {} cannot be made: {error}", path.display()))
    })
}

/// Takes the camp's files away from everybody else, where an earlier version or somebody's hand
/// left them open. What belongs to another user stays as it is, and `camp doctor` tells.
pub(crate) fn tighten(config: &Config) -> Result<()> {
    let data = &config.data_dir;
    let entries: Vec<PathBuf> =
        std::fs::read_dir(data)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // A folder that has other things in it as well is not ours to close.
    if entries.iter().all(|entry| is_ours(entry) || is_beside_ours(entry)) {
        close(data);
    }
    entries.iter().filter(|entry| is_ours(entry)).for_each(|entry| close_all(entry));
    let url = config.database_url();
    if url.starts_with("sqlite:") {
        let file = backup::sqlite_file(&url)?;
        for ending in ["", "-wal", "-shm"] {
            let mut name = file.clone().into_os_string();
            name.push(ending);
            close_all(Path::new(&name));
        }
    }
    Ok(())
}

fn is_ours(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    matches!(&*name, "files" | "mail" | "in-use.lock" | "migrate.lock" | ".restoring")
        || ["camp.db", ".camp.db", "before-restore-", ".backup-"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// What operators put into a data folder, or their file system does.
fn is_beside_ours(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "lost+found" || name.ends_with(".tar.zst")
}

/// Closes a file, or a folder with what is in it unless it is closed already.
fn close_all(path: &Path) {
    if !close(path) || !path.is_dir() {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        close_all(&entry.path());
    }
}

/// Returns whether others could get at it before.
fn close(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    let open = found.mode() & OTHERS != 0 && found.mode() & STICKY == 0;
    if !open || found.is_symlink() {
        return false;
    }
    let mode = if found.is_dir() { 0o700 } else { 0o600 };
    match std::fs::set_permissions(path, Permissions::from_mode(mode)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "others can read this, and it cannot be changed");
        }
        _ => {}
    }
    true
}
