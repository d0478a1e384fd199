//! Restores a backup, either completely or not at all.
//!
//! Everything is unpacked, checked and migrated next to the existing camp. Then the old camp's
//! files get a second name, and the new files are moved in (their names are random, so equal names
//! are equal files). Finally the database is switched in one step: a rename, or one transaction on
//! PostgreSQL. If this is interrupted, either the old or the new camp works.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde_json::json;

use super::archive::{self, Parts};
use super::sqlite::unless_gone;
use super::{
    Held, Manifest, Progress, Stored, Tally, hold_mail, inspect, postgres, sqlite, stamp, swap,
};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::config::Config;
use crate::data_folder::{AT_WORK, sqlite_file};
use crate::db::{self, Db};
use crate::files::Files;
use crate::{Error, Result, app, data_folder, file_permissions, notifications};

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
    let from: Box<dyn Read + Send> = match file {
        None => Box::new(std::io::stdin()),
        Some(path) => Box::new(File::open(path).map_err(|error| {
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
        archive::unpack(BufReader::with_capacity(1 << 18, from), &parts, agreed, &told)
    });
    let (manifest, unpacked) = unpacking.await.map_err(Error::unforeseen)??;

    let now = Utc::now().trunc_subsecs(6);
    let (held, set_aside, set_aside_schema) =
        target.put(config, &work, &manifest, now, !options.send_mail).await?;
    let is_new = is_new && set_aside.is_none();
    Ok(Restored { manifest, unpacked, held, set_aside, set_aside_schema, is_new })
}

/// What does not exist before a restore, and must be removed if it fails.
struct Traces {
    files: Vec<PathBuf>,
    /// The innermost folder first.
    folders: Vec<PathBuf>,
}

impl Traces {
    fn of(config: &Config) -> Traces {
        let missing = |path: &PathBuf| path.symlink_metadata().is_err();
        let files = match config.storage_url.as_deref() {
            None => Some(config.data_dir.join("files")),
            Some(url) if url.contains("://") => None,
            Some(folder) => Some(folder.into()),
        };
        let above = config.data_dir.ancestors().map(Path::to_owned);
        let folders = files.into_iter().chain(above).filter(missing).collect();
        let files = vec![config.data_dir.join("in-use.lock")];
        Traces { files: files.into_iter().filter(missing).collect(), folders }
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
            "The disk has too little room: this backup needs {} MB, and {} MB are free.",
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

/// The target of the restore, and what is there now.
struct Target {
    database: Database,
    /// `None` for a bucket.
    files: Option<PathBuf>,
}

enum Database {
    Sqlite { file: PathBuf },
    Postgres { url: String, present: postgres::Present },
}

const LIVED_IN: Error = Error::Conflict(
    "There is a camp here already. With --replace it is set aside, and the backup takes its place.",
);

impl Target {
    async fn look(config: &Config, options: Options) -> Result<Target> {
        let url = config.database_url();
        let database = match url.starts_with("sqlite:") {
            true => Target::look_at_sqlite(sqlite_file(&url)?, options).await?,
            false => {
                if postgres::connections(&url).await? > 0 {
                    return Err(AT_WORK);
                }
                let db = app::open_database(config).await?;
                let present = postgres::present(&db).await?;
                db.close().await;
                if present.lived_in && !options.replace {
                    return Err(LIVED_IN);
                }
                Database::Postgres { url, present }
            }
        };
        let files = Files::open(config.storage_url.as_deref(), &config.data_dir)?.folder;
        Ok(Target { database, files })
    }

    async fn look_at_sqlite(file: PathBuf, options: Options) -> Result<Database> {
        if file.exists() {
            match sqlite::settle(&file).await {
                Err(Error::Busy(_)) => return Err(AT_WORK),
                // A damaged database may be the reason for the restore.
                Err(_) if options.replace => {}
                Err(_) => return Err(LIVED_IN),
                Ok(()) => {
                    let db = sqlite::open_copy(&file).await?;
                    let facts = inspect::facts(&db).await;
                    db.close().await;
                    let lived_in = facts.map_or(true, |facts| inspect::is_lived_in(&facts));
                    if lived_in && !options.replace {
                        return Err(LIVED_IN);
                    }
                }
            }
        }
        Ok(Database::Sqlite { file })
    }

    async fn put(
        self,
        config: &Config,
        work: &Work,
        manifest: &Manifest,
        now: DateTime<Utc>,
        hold: bool,
    ) -> Result<(Held, Option<PathBuf>, Option<String>)> {
        let parts = work.parts();
        let (aside, now) = free_name(&config.data_dir, now);
        let wanted = match &self.files {
            Some(_) => swap::files_in(&parts.files)?.into_iter().collect(),
            None => HashSet::new(),
        };
        let details = json!({ "made_at": manifest.made_at, "schema": manifest.schema });
        let (held, set_aside, schema) = match &self.database {
            Database::Sqlite { file } => {
                let held = prepare(&parts.database, now, hold, details).await?;
                let old = file.exists();
                if old {
                    work.keep_old(file, self.files.as_deref())?;
                    std::fs::rename(work.old(), &aside)?;
                }
                self.move_in(&parts)?;
                // These belong to a database that could not be settled. They would be applied to
                // the new one.
                for ending in ["-wal", "-shm"] {
                    std::fs::remove_file(beside(file, ending)).or_else(unless_gone)?;
                }
                swap::place(&parts.database, file)?;
                swap::sync_folder_of(file)?;
                (held, old.then_some(aside), None)
            }
            Database::Postgres { url, present } => {
                let db = app::open_database(config).await?;
                let tools = postgres::Tools::find(&db, url).await?;
                let old = present.anything && self.files.is_some();
                if let (true, Some(files)) = (old, &self.files) {
                    swap::link_all(files, &work.old().join("files"))?;
                    std::fs::create_dir_all(work.old())?;
                    std::fs::rename(work.old(), &aside)?;
                }
                self.move_in(&parts)?;
                let put = postgres::put(&tools, present, &parts.database, &work.0, now, hold).await;
                let (held, schema) = put.inspect_err(|_| {
                    // Nothing was changed, so nothing was set aside.
                    std::fs::remove_dir_all(&aside).ok();
                })?;
                db.migrate().await?;
                finish(&db, now, details).await?;
                db.close().await;
                (held, old.then_some(aside), schema)
            }
        };
        // What only the old camp had is now in its own folder.
        if let (Some(files), Some(_), Stored::Folder) = (&self.files, &set_aside, &manifest.files) {
            swap::keep_only(files, &wanted)?;
        }
        Ok((held, set_aside, schema))
    }

    fn move_in(&self, parts: &Parts) -> Result<()> {
        match &self.files {
            Some(files) => Ok(swap::place_all(&parts.files, files)?),
            None => Ok(()),
        }
    }
}

/// Checks the unpacked database, migrates it and holds back mail that may have been sent.
async fn prepare(
    file: &Path,
    now: DateTime<Utc>,
    hold: bool,
    details: serde_json::Value,
) -> Result<Held> {
    let copy = sqlite::open_copy(file).await?;
    let problems = sqlite::problems(&copy, true).await?;
    copy.close().await;
    if !problems.is_empty() {
        let text = format!("The database in this backup is damaged: {}.", problems.join("; "));
        return Err(Error::invalid("file", text));
    }
    let path = file.to_str().ok_or_else(|| {
        Error::Setup("The name of the data folder must be readable text (UTF-8).".into())
    })?;
    let db = Db::open(&format!("sqlite://{path}")).await?;
    db.migrate().await?;
    let mut held = Held::default();
    if hold {
        let mut tx = db.begin().await?;
        held = hold_mail::hold(&mut tx, now).await?;
        tx.commit().await?;
    }
    finish(&db, now, details).await?;
    db.close().await;
    // The database file is moved alone, so everything must be in it.
    sqlite::settle(file).await?;
    File::open(file)?.sync_all()?;
    Ok(held)
}

/// Returns an unused folder for the previous camp, named by the time. If it is taken, the next
/// second is tried.
fn free_name(data_dir: &Path, mut at: DateTime<Utc>) -> (PathBuf, DateTime<Utc>) {
    loop {
        let folder = data_dir.join(format!("before-restore-{}", stamp(at)));
        if !folder.exists() {
            return (folder, at);
        }
        at += TimeDelta::seconds(1);
    }
}

/// Records the restore, and deletes the heartbeats from the time of the backup.
async fn finish(db: &Db, now: DateTime<Utc>, details: serde_json::Value) -> Result<()> {
    let mut tx = db.begin().await?;
    notifications::clear_heartbeats(&mut tx).await?;
    let subject = Subject::none(SubjectKind::Database);
    audit::record(&mut tx, now, Actor::Operator, Action::BackupRestore, subject, details).await?;
    tx.commit().await
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The folder in which a camp is prepared. It is deleted when it is dropped.
struct Work(PathBuf);

impl Work {
    fn begin(data_dir: &Path) -> Result<Work> {
        use std::os::unix::fs::DirBuilderExt;
        let folder = data_dir.join(".restoring");
        // Removes what a killed process left.
        std::fs::remove_dir_all(&folder).or_else(unless_gone)?;
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Work(folder))
    }

    fn parts(&self) -> Parts {
        Parts { database: self.0.join("camp.db"), files: self.0.join("files") }
    }

    fn old(&self) -> PathBuf {
        self.0.join("old")
    }

    /// Gives the existing camp a second name, so that it stays complete when its own name is taken.
    fn keep_old(&self, database: &Path, files: Option<&Path>) -> Result<()> {
        for ending in ["", "-wal", "-shm"] {
            let part = beside(database, ending);
            if part.exists() {
                swap::link(&part, &self.old().join(format!("camp.db{ending}")))?;
            }
        }
        if let Some(files) = files {
            swap::link_all(files, &self.old().join("files"))?;
        }
        Ok(())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
