//! Restores a backup, either completely or not at all.
//!
//! Everything is unpacked, checked and migrated next to the existing camp. Then the old camp's
//! files get a second name, and the new files are moved in (their names are random, so equal names
//! are equal files). Finally the database is switched in one step: a rename, or one transaction on
//! PostgreSQL. If this is interrupted, either the old or the new camp works.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use chrono::{SubsecRound, Utc};

use super::target::{Database, Target};
use super::work::Work;
use super::{Held, Manifest, Progress, Stored, Tally, archive};
use crate::config::{Config, Storage};
use crate::{Error, Result, data_folder, db, file_permissions, root};

#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Replaces an existing camp, which is set aside.
    pub replace: bool,
    /// Sends the mail that waited in the backup, because it cannot have been sent since.
    pub send_mail: bool,
}

/// The result of a restore.
#[derive(Debug, serde::Serialize)]
pub struct Restored {
    #[serde(flatten)]
    pub manifest: Manifest,
    pub unpacked: Tally,
    pub held: Held,
    /// Where the previous camp is now.
    pub set_aside: Option<PathBuf>,
    /// On PostgreSQL, the schema of the previous camp.
    pub set_aside_schema: Option<String>,
    /// Whether there was no camp before.
    pub is_new: bool,
}

/// Restores a backup from a file, or from standard input if there is no name.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` when it is damaged, newer than this program or of the other engine.
/// [`Error::Conflict`] when a camp exists or is in use.
pub async fn restore(
    config: &Config,
    file: Option<&Path>,
    options: Options,
    told: Progress,
) -> Result<Restored> {
    config.check()?;
    // On PostgreSQL, a camp whose data folder was lost can be replaced.
    let is_sqlite = config.database_url().starts_with("sqlite:");
    if options.replace && is_sqlite && !data_folder::is_there(config)? {
        return Err(Error::Setup(format!(
            "There is no camp in {} to replace. Please check --data-dir (CAMP_DATA_DIR). On a new server, leave out --replace.",
            config.data_dir.display(),
        )));
    }
    let from: Box<dyn Read + Send> = match file {
        None => Box::new(std::io::stdin()),
        Some(path) => Box::new(root::open_named(path).map_err(|error| {
            let text = format!("{} cannot be read: {error}.", path.display());
            Error::invalid("file", text)
        })?),
    };
    let traces = Traces::of(config);
    file_permissions::folder(&config.data_dir)?;
    let restored = restore_in(config, from, options, told).await;
    match &restored {
        Ok(_) => file_permissions::tighten(config)?,
        Err(_) => traces.remove(),
    }
    restored
}

async fn restore_in(
    config: &Config,
    from: Box<dyn Read + Send>,
    options: Options,
    told: Progress,
) -> Result<Restored> {
    let is_new = !config.data_dir.join("in-use.lock").exists();
    let _alone = data_folder::exclusive_lock(&config.data_dir)?;
    let target = Target::look(config, options).await?;
    let work = Work::begin(&config.data_dir)?;

    let parts = work.parts();
    let is_sqlite = matches!(target.database, Database::Sqlite { .. });
    let has_folder = target.files.is_some();
    let free = data_folder::free_bytes(&config.data_dir).unwrap_or(u64::MAX);
    let unpacking = tokio::task::spawn_blocking(move || {
        let agreed = |manifest: &Manifest| agree(manifest, is_sqlite, has_folder, free);
        let mut from = BufReader::with_capacity(1 << 18, from);
        if from.fill_buf()?.starts_with(b"SQLite format 3\0") {
            return Err(Error::invalid("file", if is_sqlite { DATABASE } else { OTHER_DATABASE }));
        }
        archive::unpack(from, &parts, agreed, &told)
    });
    let (manifest, unpacked) = unpacking.await.map_err(Error::unforeseen)??;

    let now = Utc::now().trunc_subsecs(6);
    let (held, set_aside, set_aside_schema) =
        target.put(config, &work, &manifest, now, !options.send_mail).await?;
    let is_new = is_new && set_aside.is_none();
    Ok(Restored { manifest, unpacked, held, set_aside, set_aside_schema, is_new })
}

/// The advice for a database file, such as the copy that is made before an upgrade.
const DATABASE: &str = "This is the database itself and no file that `camp backup` made. To go back to it, stop the \
                        portal, move camp.db, camp.db-wal and camp.db-shm away, copy this file to camp.db, and give it \
                        to the user of the portal.";

const OTHER_DATABASE: &str = "This is a database of SQLite and no file that `camp backup` made. This camp's database is on PostgreSQL.";

/// What does not exist before a restore, and must be removed if it fails.
struct Traces {
    files: Vec<PathBuf>,
    /// The innermost folder first.
    folders: Vec<PathBuf>,
}

impl Traces {
    fn of(config: &Config) -> Traces {
        let missing = |path: &PathBuf| path.symlink_metadata().is_err();
        let storage = match Storage::of(config.storage_url.as_deref(), &config.data_dir) {
            Ok(Storage::Folder(folder)) => Some(folder),
            _ => None,
        };
        let above = config.data_dir.ancestors().map(Path::to_owned);
        let folders = storage.into_iter().chain(above).filter(missing).collect();
        let lock = config.data_dir.join("in-use.lock");
        Traces { files: [lock].into_iter().filter(missing).collect(), folders }
    }

    /// Removes folders only if they are empty.
    fn remove(&self) {
        for file in &self.files {
            std::fs::remove_file(file).ok();
        }
        for folder in &self.folders {
            std::fs::remove_dir(folder).ok();
        }
    }
}

/// Checks that this program can restore the backup here.
fn agree(manifest: &Manifest, is_sqlite: bool, has_folder: bool, free: u64) -> Result<()> {
    let no = |text: String| Err(Error::invalid("file", text));
    if manifest.schema > db::newest_schema() {
        return no(format!(
            "This backup was made by camp {}, with a newer database (schema {}) than this program \
             knows (schema {}). Please install that version and try again.",
            manifest.program,
            manifest.schema,
            db::newest_schema()
        ));
    }
    if manifest.bytes > free {
        return no(format!(
            "The disk of the data folder has too little room: this backup needs {} MB there, even if files are \
             stored elsewhere, and {} MB are free.",
            manifest.bytes >> 20,
            free >> 20
        ));
    }
    match (manifest.engine.as_str(), is_sqlite) {
        ("sqlite", false) => {
            return no("This is a backup of a SQLite camp. Please leave --database-url away, or \
                       name a sqlite:// file."
                .into());
        }
        ("postgres", true) => {
            return no("This is a backup of a camp on PostgreSQL. Please name a database with \
                       --database-url postgres://…"
                .into());
        }
        _ => {}
    }
    if matches!(manifest.files, Stored::Folder) && !has_folder {
        return no("This backup holds the camp's files, and --storage-url is a bucket. Please \
                   restore to a folder, then copy the files to the bucket (`aws s3 cp --recursive`)."
            .into());
    }
    Ok(())
}
