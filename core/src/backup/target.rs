//! The camp that a restore replaces: what is there now, and how the new one takes its place.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::archive::Parts;
use super::restore::Options;
use super::sqlite::unless_gone;
use super::work::{Work, beside};
use super::{Held, Manifest, Stored, hold_mail, inspect, last, postgres, sqlite, stamp, swap};
use crate::accounts::sessions;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::config::{Config, sqlite_url};
use crate::data_folder::{AT_WORK, sqlite_file};
use crate::db::Db;
use crate::files::Files;
use crate::{Error, Result, app, notifications, uploads};

/// The target of the restore, and what is there now.
pub(super) struct Target {
    pub(super) database: Database,
    /// `None` for a bucket.
    pub(super) files: Option<PathBuf>,
    pub(super) uploads: PathBuf,
}

pub(super) enum Database {
    Sqlite { file: PathBuf },
    Postgres { url: String, present: postgres::Present },
}

const LIVED_IN: Error = Error::Conflict(
    "There is already a camp here. With --replace it is set aside, and the backup takes its place.",
);

impl Target {
    pub(super) async fn look(config: &Config, options: Options) -> Result<Target> {
        let url = config.database_url();
        let database = match url.starts_with("sqlite:") {
            true => Target::look_at_sqlite(sqlite_file(&url)?, options).await?,
            false => {
                must_be_unused(&url).await?;
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
        Ok(Target { database, files, uploads: uploads::folder_in(&config.data_dir) })
    }

    async fn look_at_sqlite(file: PathBuf, options: Options) -> Result<Database> {
        if file.exists() {
            match sqlite::checkpoint(&file).await {
                Err(Error::Busy(_)) => return Err(AT_WORK),
                // A damaged database may be the reason for the restore.
                Err(_) if options.replace => {}
                Err(_) => return Err(LIVED_IN),
                Ok(()) => {
                    let db = sqlite::open_copy(&file).await?;
                    let facts = inspect::facts(&db).await;
                    db.close().await;
                    let lived_in = facts.map_or(true, |facts| inspect::has_data(&facts));
                    if lived_in && !options.replace {
                        return Err(LIVED_IN);
                    }
                }
            }
        }
        Ok(Database::Sqlite { file })
    }

    pub(super) async fn put(
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
        let uploaded = swap::files_in(&parts.uploads)?.into_iter().collect();
        let details = json!({ "made_at": manifest.made_at, "schema": manifest.schema });
        let (held, set_aside, schema) = match &self.database {
            Database::Sqlite { file } => {
                let held = prepare(&parts.database, now, hold, details).await?;
                let old = file.exists();
                if old {
                    work.keep_old(file, &self)?;
                    std::fs::rename(work.old(), &aside)?;
                }
                self.move_in(&parts)?;
                // These belong to an old database that could not be checkpointed. SQLite would
                // apply them to the new one.
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
                if old {
                    work.keep_old_files(&self)?;
                    std::fs::create_dir_all(work.old())?;
                    std::fs::rename(work.old(), &aside)?;
                }
                self.move_in(&parts)?;
                let put =
                    postgres::put(&tools, present, &parts.database, work.folder(), now, hold).await;
                let (held, schema) = put.inspect_err(|_| {
                    // Nothing was changed, so nothing was set aside.
                    std::fs::remove_dir_all(&aside).ok();
                })?;
                db.migrate().await?;
                finish(&db, now, hold, details).await?;
                db.close().await;
                (held, old.then_some(aside), schema)
            }
        };
        // What only the old camp had is now in its own folder.
        if set_aside.is_some() {
            swap::keep_only(&self.uploads, &uploaded)?;
        }
        if let (Some(files), Some(_), Stored::Folder) = (&self.files, &set_aside, &manifest.files) {
            swap::keep_only(files, &wanted)?;
        }
        Ok((held, set_aside, schema))
    }

    fn move_in(&self, parts: &Parts) -> Result<()> {
        if let Some(files) = &self.files {
            swap::place_all(&parts.files, files)?;
        }
        Ok(swap::place_all(&parts.uploads, &self.uploads)?)
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
    let db = Db::open(&sqlite_url(path)).await?;
    db.migrate().await?;
    let mut held = Held::default();
    if hold {
        let mut tx = db.begin().await?;
        held = hold_mail::hold(&mut tx, now).await?;
        tx.commit().await?;
    }
    finish(&db, now, hold, details).await?;
    db.close().await;
    // The database file is moved alone, so everything must be in it.
    sqlite::checkpoint(file).await?;
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

/// Records the restore, deletes the heartbeats from the time of the backup, and awaits the next
/// backup. Unless the camp only moved (`hold` is false), it also ends all sessions: some may have
/// been ended since the backup, such as that of a stolen phone.
async fn finish(db: &Db, now: DateTime<Utc>, hold: bool, details: serde_json::Value) -> Result<()> {
    let mut tx = db.begin().await?;
    if hold {
        sessions::end_everyones(&mut tx).await?;
    }
    notifications::clear_heartbeats(&mut tx).await?;
    last::record(&mut tx, now).await?;
    let subject = Subject::none(SubjectKind::Database);
    audit::record(&mut tx, now, Actor::Operator, Action::BackupRestore, subject, details).await?;
    tx.commit().await
}

/// Fails while a camp is connected to the PostgreSQL database. The server counts a connection for a
/// moment after its program has ended.
async fn must_be_unused(url: &str) -> Result<()> {
    for _ in 0..30 {
        if postgres::connections(url).await? == 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(AT_WORK)
}
