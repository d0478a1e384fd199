//! Makes a backup while the portal runs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SubsecRound, Utc};

use super::archive::{self, Names, Parts};
use super::inspect::{self, Facts};
use super::sqlite::unless_gone;
use super::work::beside;
use super::{
    FORMAT, FORMAT_WITHOUT_UPLOADS, Manifest, Progress, Stored, Tally, last, postgres, sqlite, swap,
};
use crate::config::Config;
use crate::data_folder::sqlite_file;
use crate::db::Db;
use crate::files::Files;
use crate::root::Permissions;
use crate::{Error, Result, app, data_folder, uploads};

/// Where a backup is written.
#[derive(Debug, Clone)]
pub enum Place {
    File { path: PathBuf, force: bool },
    Stdout,
}

impl Place {
    /// Whose permissions are used to write it.
    fn permissions(&self) -> Permissions {
        match self {
            Place::File { path, .. } => {
                Permissions::to_write_in(swap::here(path.parent().unwrap_or(path)))
            }
            Place::Stdout => Permissions::Own,
        }
    }
}

/// A finished backup.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Made {
    #[serde(flatten)]
    pub manifest: Manifest,
    pub packed: Tally,
    /// The size of the whole file. Unknown for standard output.
    pub size: Option<u64>,
}

/// Writes a backup. It contains a snapshot of the database that includes everything committed
/// before the call, and is checked before it is packed. The file gets its final name only when it
/// is complete and synced to disk.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Error::Setup`] when the backup cannot be made or written.
pub async fn make(config: &Config, place: &Place, told: Progress) -> Result<Made> {
    config.check()?;
    data_folder::must_be_there(config)?;
    let url = config.database_url();
    let _present = data_folder::shared_lock(&config.data_dir)?;
    let permissions = place.permissions();
    let out = permissions.with(|| Out::open(place, permissions))?;
    let copy = Temporary::beside(place, permissions, &config.data_dir)?;
    let db = app::open_database(config).await?;
    let made = copy_and_pack(config, &db, &url, copy, &out, told).await;
    let kept = async {
        let (manifest, packed) = made?;
        let size = out.keep()?;
        record(&db, manifest.made_at).await;
        Ok(Made { manifest, packed, size })
    };
    let kept = kept.await;
    db.close().await;
    kept
}

/// Records the time of the backup. The backup is good even if this fails, as it does in a database
/// that is not migrated yet.
async fn record(db: &Db, made_at: DateTime<Utc>) {
    let recorded = async {
        let mut tx = db.begin().await?;
        last::record(&mut tx, made_at).await?;
        tx.commit().await
    };
    if let Err(error) = recorded.await {
        tracing::warn!(%error, "the time of the backup could not be recorded");
    }
}

async fn copy_and_pack(
    config: &Config,
    db: &Db,
    url: &str,
    copy: Temporary,
    out: &Out,
    told: Progress,
) -> Result<(Manifest, Tally)> {
    let made_at = Utc::now().trunc_subsecs(6);
    let Facts { schema, counts, plans_off, uploads } = copy_database(db, url, &copy.0).await?;
    if schema == 0 {
        return Err(Error::Setup("There is no camp in this database.".into()));
    }
    let files = Files::open(config.storage_url.as_deref(), &config.data_dir)?;
    let (stored, objects) = match &files.folder {
        Some(_) => (Stored::Folder, None),
        None => {
            let url = config.storage_url.clone().unwrap_or_default();
            let list = files.list().await?;
            let lines = list.iter().map(|(key, size)| format!("{size}\t{key}\n"));
            (Stored::Bucket { url }, Some(lines.collect::<String>()))
        }
    };
    let uploaded = uploads::folder_in(&config.data_dir);
    // What was converted since the database was copied is gone: after a restore it has to be uploaded again.
    let uploads = uploads.into_iter().filter(|name| uploaded.join(name).exists()).collect();
    let names = match &files.folder {
        Some(folder) => Names { files: swap::files_in(folder)?, uploads },
        None => Names { files: Vec::new(), uploads },
    };
    let database_bytes = copy.0.metadata()?.len();
    let parts = Parts {
        database: copy.0.clone(),
        files: files.folder.clone().unwrap_or_default(),
        uploads: uploaded,
    };
    let size = |path: PathBuf| path.metadata().map_or(0, |file| file.len());
    let bytes = names.files.iter().map(|name| size(parts.files.join(name))).sum::<u64>()
        + names.uploads.iter().map(|name| size(parts.uploads.join(name))).sum::<u64>();
    let manifest = Manifest {
        format: if names.uploads.is_empty() { FORMAT_WITHOUT_UPLOADS } else { FORMAT },
        program: env!("CARGO_PKG_VERSION").to_owned(),
        engine: db.engine().to_owned(),
        schema,
        made_at,
        database_bytes,
        bytes: database_bytes + bytes,
        counts,
        plans_off,
        files: stored,
    };
    let writer = out.writer()?;
    let packing = tokio::task::spawn_blocking(move || {
        let writer = BufWriter::with_capacity(1 << 18, writer);
        let (writer, tally) =
            archive::pack(writer, &manifest, &parts, &names, objects.as_deref(), &told)?;
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.flush()?;
        drop(copy);
        Ok::<_, Error>((manifest, tally))
    });
    packing.await.map_err(Error::unforeseen)?
}

async fn copy_database(db: &Db, url: &str, to: &Path) -> Result<Facts> {
    if let Db::Postgres(_) = db {
        return postgres::dump(db, url, to).await;
    }
    sqlite::copy(&sqlite_file(url)?, to).await?;
    let copy = sqlite::open_copy(to).await?;
    let problems = sqlite::problems(&copy, true).await?;
    if !problems.is_empty() {
        return Err(Error::Unforeseen(format!(
            "The database is damaged, so this would be no good backup: {}. Keep the earlier ones; \
             `camp doctor` says more.",
            problems.join("; ")
        )));
    }
    let facts = inspect::facts(&copy).await?;
    copy.close().await;
    Ok(facts)
}

/// A file that is deleted when this is dropped. Until then it is locked, if the file system
/// supports that.
struct Temporary(PathBuf, #[expect(dead_code, reason = "holds the lock")] Option<File>);

impl Temporary {
    /// Puts the copy of the database beside the backup, because a disk with space for the backup
    /// has space for the copy, too. If only root may write there, SQLite and pg_dump cannot, so the
    /// copy goes to the data folder.
    fn beside(place: &Place, permissions: Permissions, data_dir: &Path) -> Result<Temporary> {
        let path = match (place, permissions) {
            (Place::File { path, .. }, Permissions::Own) => hidden(path, "database.part"),
            _ => data_dir.join(format!(".backup-{}.part", std::process::id())),
        };
        remove_abandoned(data_dir, is_copy_of_database);
        // No other user may read it, from the first byte on.
        swap::private(&path).map_err(|error| unwritable(&path, &error))?;
        let lock = File::open(&path).ok().filter(|file| file.try_lock().is_ok());
        Ok(Temporary(path, lock))
    }

    fn remove(path: &Path) {
        // SQLite leaves its journal behind when the disk is full.
        for ending in ["", "-journal", "-wal", "-shm"] {
            std::fs::remove_file(beside(path, ending)).ok();
        }
    }
}

/// Removes what killed processes left in a folder.
fn remove_abandoned(folder: &Path, is_ours: fn(&str) -> bool) {
    for entry in std::fs::read_dir(swap::here(folder)).into_iter().flatten().flatten() {
        if is_ours(&entry.file_name().to_string_lossy()) && !is_being_written(&entry.path()) {
            Temporary::remove(&entry.path());
        }
    }
}

/// Whether this is the name of a copy of the database in the data folder.
fn is_copy_of_database(name: &str) -> bool {
    name.starts_with(".backup-") && name.ends_with(".part")
}

/// Whether this is the name of an unfinished backup. Names of backups may contain dates.
fn is_begun_backup(name: &str) -> bool {
    let ends = [".tar.zst.part", ".tar.zst.database.part"];
    name.starts_with('.') && ends.iter().any(|end| name.ends_with(end))
}

impl Drop for Temporary {
    fn drop(&mut self) {
        Temporary::remove(&self.0);
    }
}

fn hidden(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{ending}"))
}

/// The output: standard output, or a file that gets its name when it is complete.
enum Out {
    Stdout,
    File {
        part: PathBuf,
        path: PathBuf,
        force: bool,
        file: File,
        kept: bool,
        permissions: Permissions,
    },
}

impl Out {
    fn open(place: &Place, permissions: Permissions) -> Result<Out> {
        let Place::File { path, force } = place else { return Ok(Out::Stdout) };
        if path.is_dir() || path.file_name().is_none() {
            let text = format!("{} is a folder; please name a file in it.", path.display());
            return Err(Error::invalid("file", text));
        }
        if path.exists() && !force {
            return Err(taken(path));
        }
        if let Some(folder) = path.parent() {
            remove_abandoned(folder, is_begun_backup);
        }
        let part = hidden(path, "part");
        let busy = || {
            let text = format!("Another backup to {} is running right now.", path.display());
            Error::invalid("file", text)
        };
        if is_being_written(&part) {
            return Err(busy());
        }
        // Removes what a killed process left, and also a link that somebody put there.
        std::fs::remove_file(&part)
            .or_else(unless_gone)
            .map_err(|error| unwritable(path, &error))?;
        let file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part).map_err(
                |error| match error.kind() {
                    io::ErrorKind::AlreadyExists => busy(),
                    _ => unwritable(path, &error),
                },
            )?;
        file.try_lock().map_err(|_| busy())?;
        Ok(Out::File { part, path: path.clone(), force: *force, file, kept: false, permissions })
    }

    fn writer(&self) -> Result<Box<dyn Write + Send>> {
        Ok(match self {
            Out::Stdout => Box::new(io::stdout()),
            Out::File { file, .. } => Box::new(file.try_clone()?),
        })
    }

    /// Renames the file to its final name. Returns its size.
    fn keep(mut self) -> Result<Option<u64>> {
        let Out::File { part, path, force, file, kept, permissions } = &mut self else {
            return Ok(None);
        };
        file.sync_all()?;
        let size = file.metadata()?.len();
        permissions.with(|| {
            if !*force && path.exists() {
                return Err(taken(path));
            }
            std::fs::rename(part, &*path)?;
            *kept = true;
            swap::sync_folder_of(path)?;
            Ok(Some(size))
        })
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        if let Out::File { part, kept, permissions, .. } = self
            && !*kept
        {
            permissions.with(|| std::fs::remove_file(part)).ok();
        }
    }
}

/// Whether another process holds the lock of this file. Links are not followed.
fn is_being_written(part: &Path) -> bool {
    let is_file = part.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file
        && File::open(part)
            .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::invalid("file", format!("{} cannot be written: {error}.", path.display()))
}

fn taken(path: &Path) -> Error {
    let text = format!(
        "{} already exists. Choose another name, or overwrite it with --force.",
        path.display()
    );
    Error::invalid("file", text)
}
