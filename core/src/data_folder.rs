//! The data folder: whether a camp is in it, who uses it, and how much space is left.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rustix::fs::Access;
use rustix::io::Errno;
use sqlx::sqlite::SqliteConnectOptions;

use crate::config::Config;
use crate::{Error, Result};

pub(crate) const AT_WORK: Error = Error::Conflict(
    "The camp is running: please stop `camp serve` and `camp worker` first (systemctl stop camp \
     camp-worker).",
);

/// Checks that the data folder exists and, on SQLite, a database in it.
///
/// # Errors
///
/// [`Error::Setup`] when one of them is missing or cannot be read, [`Error::Database`] for an
/// invalid SQLite address.
pub(crate) fn must_be_there(config: &Config) -> Result<()> {
    match is_there(config)? {
        true => Ok(()),
        false => Err(no_camp(config)),
    }
}

/// Whether the data folder exists and, on SQLite, a database in it.
///
/// # Errors
///
/// As for [`must_be_readable`].
pub(crate) fn is_there(config: &Config) -> Result<bool> {
    must_be_readable(config)?;
    let url = config.database_url();
    let has_file = !url.starts_with("sqlite:") || is_database(&sqlite_file(&url)?);
    Ok(config.data_dir.is_dir() && has_file)
}

/// Checks that this user may read the data folder and, on SQLite, the database file, if they exist.
///
/// # Errors
///
/// [`Error::Setup`] when not, [`Error::Database`] for an invalid SQLite address.
pub(crate) fn must_be_readable(config: &Config) -> Result<()> {
    if is_denied(&config.data_dir, Access::READ_OK | Access::EXEC_OK) {
        return Err(denied(&config.data_dir));
    }
    let url = config.database_url();
    if url.starts_with("sqlite:") {
        let file = sqlite_file(&url)?;
        if is_denied(&file, Access::READ_OK) {
            return Err(denied(&file));
        }
    }
    Ok(())
}

/// Whether the file exists and is not empty, as one that somebody created by mistake would be.
pub(crate) fn is_database(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|file| file.len() > 0)
}

/// Whether this user lacks the permission. The file is not opened: closing a database file would drop the
/// locks of this process.
pub(crate) fn is_denied(path: &Path, access: Access) -> bool {
    rustix::fs::access(path, access) == Err(Errno::ACCESS)
}

/// Whether nothing can be written there because the file system is mounted read-only.
pub(crate) fn is_read_only(path: &Path) -> bool {
    rustix::fs::access(path, Access::WRITE_OK) == Err(Errno::ROFS)
}

/// The error of a command that runs as another user than the portal.
fn denied(path: &Path) -> Error {
    let (path, us) = (path.display(), rustix::process::geteuid().as_raw());
    Error::Setup(format!(
        "{path} cannot be read as this user, who has the number {us}. Please run the command as the user of the portal. \
         If this is that user, give it what is there: chown -R {us}: {path}"
    ))
}

/// The text omits the address of the database, because it may contain a password.
pub(crate) fn no_camp(config: &Config) -> Error {
    let shown = config.data_dir.display();
    Error::Setup(match &config.database_url {
        None => format!(
            "There is no camp in {shown}. Please check --data-dir (CAMP_DATA_DIR). A new camp starts with `camp admin add`."
        ),
        Some(url) if !url.starts_with("sqlite:") && !config.data_dir.is_dir() => format!(
            "There is no camp in {shown}, because there is no such folder. Please check --data-dir (CAMP_DATA_DIR). \
             If the folder was lost, `camp migrate` makes an empty one for the camp in the database, and a backup \
             has its files."
        ),
        Some(_) => format!(
            "There is no camp in {shown} and the database. Please check --data-dir \
             (CAMP_DATA_DIR) and --database-url (CAMP_DATABASE_URL). A new camp starts with `camp admin add`."
        ),
    })
}

/// Refuses to make a new camp on PostgreSQL beside the SQLite database of an existing camp, which
/// would silently no longer be served.
pub(crate) fn no_other_camp(config: &Config) -> Result<()> {
    let file = config.data_dir.join("camp.db");
    if !is_database(&file) {
        return Ok(());
    }
    Err(Error::Setup(format!(
        "{} holds a camp, and the database of --database-url (CAMP_DATABASE_URL) holds none. Please leave \
         --database-url away to go on with that camp, which cannot be moved to PostgreSQL. For a new camp, \
         please give another --data-dir (CAMP_DATA_DIR).",
        file.display()
    )))
}

/// The file of the SQLite database at that address.
///
/// # Errors
///
/// [`Error::Database`] for an invalid address.
pub(crate) fn sqlite_file(url: &str) -> Result<PathBuf> {
    Ok(SqliteConnectOptions::from_str(url)?.get_filename().to_owned())
}

/// Takes a shared lock on the data folder, held until the file is dropped: a process is using it.
///
/// # Errors
///
/// [`Error::Setup`] while a backup is being restored or without the permission, [`Error::Full`] or
/// [`Error::Unforeseen`] when the lock file cannot be created, opened or locked.
pub(crate) fn shared_lock(data_dir: &Path) -> Result<File> {
    let lock = in_use(data_dir)?;
    match lock.try_lock_shared() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::Setup(
            "A backup is being restored here right now. Please try again when that is done.".into(),
        )),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Takes an exclusive lock on the data folder, held until the file is dropped: no other process
/// uses it.
///
/// # Errors
///
/// [`Error::Conflict`] while another process uses it, [`Error::Setup`] without the permission, [`Error::Full`]
/// or [`Error::Unforeseen`] when the lock file cannot be created, opened or locked.
pub fn exclusive_lock(data_dir: &Path) -> Result<File> {
    let lock = in_use(data_dir)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(AT_WORK),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Opens the lock file. Every user who may read it can lock it, no matter who created it.
fn in_use(data_dir: &Path) -> Result<File> {
    let path = data_dir.join("in-use.lock");
    match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => File::create(&path),
        opened => opened,
    }
    .map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => denied(&path),
        _ => error.into(),
    })
}

/// Free bytes on the disks that the portal writes to: that of the data folder and, unless files are
/// in a bucket, that of the folder with files. The smaller number counts.
pub(crate) fn free_space(data_dir: &Path, files: Option<&Path>) -> Option<u64> {
    [Some(data_dir), files].into_iter().flatten().filter_map(free_bytes).min()
}

/// Free bytes on the disk of a folder.
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}
