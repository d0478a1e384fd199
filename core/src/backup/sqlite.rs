//! Copies a SQLite database while others write to it, and checks for exclusive use.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

use super::stamp;
use crate::data_folder::sqlite_file;
use crate::db::Db;
use crate::{Error, Result};

/// The number of pre-upgrade copies that are kept.
const MAX_COPIES: usize = 3;

/// Copies a snapshot of the database to a file that must be empty.
pub(super) async fn copy(file: &Path, to: &Path) -> Result<()> {
    let path = to.to_str().ok_or_else(|| {
        Error::Setup(format!("The name {} must be readable text (UTF-8).", to.display()))
    })?;
    let mut from = quiet(file).busy_timeout(Duration::from_secs(5)).connect().await?;
    sqlx::query("vacuum into $1").bind(path).execute(&mut from).await?;
    from.close().await?;
    Ok(())
}

/// Slow statements are expected here and not logged as warnings.
fn quiet(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(file).disable_statement_logging()
}

/// Opens a copy that nobody writes to.
pub(super) async fn open_copy(file: &Path) -> Result<Db> {
    Db::read_only(quiet(file)).await
}

/// Returns the problems of the database. Empty if it is intact.
pub(crate) async fn problems(db: &Db, thorough: bool) -> Result<Vec<String>> {
    let check = match thorough {
        true => db.sql("pragma integrity_check(20)"),
        false => db.sql("pragma quick_check(20)"),
    };
    let found: Vec<(String,)> = check.all().await?;
    let mut problems: Vec<String> =
        found.into_iter().map(|(text,)| text).filter(|text| text != "ok").collect();
    let orphans: Vec<(String, String, i64)> = db
        .sql(
            "select \"table\", parent, count(*) from pragma_foreign_key_check
             group by \"table\", parent order by 1, 2",
        )
        .all()
        .await?;
    problems.extend(
        orphans.into_iter().map(|(table, parent, n)| {
            format!("{n} rows of {table} point to a {parent} that is gone")
        }),
    );
    Ok(problems)
}

/// Ensures that no other process has the file open, and that the file contains the whole database.
///
/// # Errors
///
/// [`Error::Busy`] when another process has it open. Any other error when it cannot be read.
pub(super) async fn checkpoint(file: &Path) -> Result<()> {
    let mut alone = quiet(file).busy_timeout(Duration::from_secs(1)).connect().await?;
    // Only an exclusive connection can leave write-ahead logging.
    sqlx::query("pragma journal_mode = delete").fetch_one(&mut alone).await?;
    alone.close().await?;
    Ok(())
}

/// Copies a database that is about to be upgraded. Only the latest copies are kept.
///
/// # Errors
///
/// [`Error::Setup`] when the path of the copy is not UTF-8, [`Error::Unforeseen`] when a file
/// operation fails.
pub(crate) async fn before_upgrade(db: &Db, url: &str, now: DateTime<Utc>) -> Result<PathBuf> {
    let file = sqlite_file(url)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let schema = super::inspect::facts(db).await?.schema;
    let part = folder.join(format!(".{name}.before-upgrade.part"));
    let kept = folder.join(format!("{name}.before-upgrade-v{schema:04}-{}", stamp(now)));
    super::swap::private(&part)?;
    copy(&file, &part).await?;
    std::fs::File::open(&part)?.sync_all()?;
    std::fs::rename(&part, &kept)?;

    let mut copies: Vec<PathBuf> = std::fs::read_dir(super::swap::here(&folder))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let own = format!("{name}.before-upgrade-v");
            path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&own))
        })
        .collect();
    // The time follows the last dash, so that it defines the order for all schema versions.
    copies.sort_by_key(|path| path.to_string_lossy().rsplit('-').next().map(str::to_owned));
    for old in copies.iter().rev().skip(MAX_COPIES) {
        std::fs::remove_file(old).or_else(unless_gone)?;
    }
    Ok(kept)
}

pub(super) fn unless_gone(error: std::io::Error) -> std::io::Result<()> {
    match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    }
}
