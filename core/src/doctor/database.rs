//! Checks the database: whether it is reachable, up to date and intact.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use rustix::fs::Access;

use super::{Findings, clause, environment};
use crate::config::Config;
use crate::data_folder::{self, is_database, is_denied, sqlite_file};
use crate::db::{self, Db};
use crate::{Error, Result, app, backup};

const RESTORE: &str =
    "Stop the portal, keep a copy of the file, and restore the last backup (`camp restore`).";

const OWNER: &str = "Run this as the user of the portal. If this is that user, give it the data folder with all that is \
                     in it: chown -R USER: DIR.";

/// Returns the database if it is usable for further checks.
pub(super) async fn examine(config: &Config, found: &mut Findings) -> Option<Db> {
    const WHAT: &str = "database";
    let url = config.database_url();
    if url.starts_with("sqlite:") {
        let file = sqlite_file(&url).unwrap_or_default();
        if let Some(says) = denial(&file) {
            found.broken(WHAT, says, OWNER);
            return None;
        }
        if !is_database(&file) {
            let says = format!("There is no database {}.", file.display());
            found.broken(
                WHAT,
                says,
                "Check --data-dir and --database-url. A new camp starts with `camp admin add`.",
            );
            return None;
        }
    }
    let opened = async {
        let db = app::open_database(config).await?;
        let version = engine(&db).await?;
        Ok::<_, Error>((db, version))
    };
    let db = match tokio::time::timeout(Duration::from_secs(10), opened).await {
        Ok(Ok((db, version))) => {
            found.ok(WHAT, format!("{version} answers."));
            db
        }
        Ok(Err(error)) => {
            unanswered(&error, &url, found);
            return None;
        }
        Err(_) => {
            found.broken(
                WHAT,
                "The database does not answer within ten seconds.",
                "Check that it runs, and --database-url.",
            );
            return None;
        }
    };
    clock(&db, found).await;
    integrity(&db, found).await;
    schema(&db, found).await.then_some(db)
}

/// Why the database does not answer. A problem that the checks of the folder and the disk have
/// already found is not reported again with other advice.
fn unanswered(error: &Error, url: &str, found: &mut Findings) {
    const WHAT: &str = "database";
    let is_file = url.starts_with("sqlite:");
    let is_read_only =
        is_file && sqlite_file(url).is_ok_and(|file| data_folder::is_read_only(&file));
    let (cause, advice) = match error {
        Error::Full => ("its disk is full", "Make room on the disk of the database."),
        _ if is_read_only => ("its file system is mounted read-only", environment::READ_ONLY),
        _ => {
            let text = error.reason();
            // SQLite's texts for a damaged file (SQLITE_CORRUPT, SQLITE_NOTADB).
            let damaged = text.contains("malformed") || text.contains("not a database");
            let advice = if damaged { RESTORE } else { "Check that it runs, and --database-url." };
            let says = format!("The database does not answer: {}.", clause(text));
            return found.broken(WHAT, says, advice);
        }
    };
    let says = format!("The database cannot be opened, because {cause}.");
    let causes: &[&str] = if is_file { &["data-dir", "disk"] } else { &[] };
    found.unless_known(causes, WHAT, says, advice);
}

/// What to do if the file of the database cannot be read.
fn advice_for_file(error: &Error) -> &'static str {
    match error {
        Error::Full => "Make room on the disk of the database.",
        _ => RESTORE,
    }
}

/// Why this user may not use the database file.
fn denial(file: &Path) -> Option<String> {
    if !is_denied(file, Access::READ_OK | Access::WRITE_OK) {
        return None;
    }
    let us = rustix::process::getuid().as_raw();
    Some(match file.metadata() {
        Ok(data) if data.uid() != us => format!(
            "The database {} belongs to the user with the number {}, and this is the user with the number {us}, who may not open it.",
            file.display(),
            data.uid()
        ),
        Ok(_) => format!(
            "The permissions of the database {} do not let anybody open it.",
            file.display()
        ),
        Err(_) => format!(
            "The folder {} cannot be read as this user.",
            file.parent().unwrap_or(file).display()
        ),
    })
}

async fn engine(db: &Db) -> Result<String> {
    Ok(match db {
        Db::Sqlite { .. } => {
            let version: String = db.sql("select sqlite_version()").scalar().await?;
            format!("SQLite {version}")
        }
        Db::Postgres(_) => {
            let version: String =
                db.sql("select current_setting('server_version')").scalar().await?;
            format!("PostgreSQL {version}")
        }
    })
}

/// SQLite uses the clock of this machine.
async fn clock(db: &Db, found: &mut Findings) {
    const WHAT: &str = "clock";
    if let Db::Sqlite { .. } = db {
        return found.ok(WHAT, format!("It is {} UTC.", Utc::now().format("%Y-%m-%d %H:%M:%S")));
    }
    let asked = Instant::now();
    let there: Result<DateTime<Utc>> = db.sql("select clock_timestamp()").scalar().await;
    let Ok(there) = there else {
        return found.not_checked(WHAT, "The database does not tell its time.");
    };
    let apart = (Utc::now() - there).num_milliseconds().abs();
    match apart > 2_000 + asked.elapsed().as_millis() as i64 {
        true => found.warning(
            WHAT,
            format!(
                "The clocks of this machine and of the database are {} seconds apart.",
                apart / 1000
            ),
            "Let both be set by the network (systemctl enable --now systemd-timesyncd).",
        ),
        false => found.ok(
            WHAT,
            format!("It is {} UTC, here and in the database.", there.format("%Y-%m-%d %H:%M:%S")),
        ),
    }
}

async fn integrity(db: &Db, found: &mut Findings) {
    const WHAT: &str = "integrity";
    if let Db::Postgres(_) = db {
        return found.not_checked(
            WHAT,
            "PostgreSQL looks after its files itself (pg_amcheck checks them).",
        );
    }
    match backup::sqlite_problems(db, false).await {
        Ok(problems) if problems.is_empty() => found.ok(WHAT, "The database file is sound."),
        Ok(problems) => found.broken(
            WHAT,
            format!("The database is damaged: {}.", problems.join("; ")),
            RESTORE,
        ),
        Err(error) => {
            let advice = advice_for_file(&error);
            found.broken(WHAT, format!("The database cannot be read: {}.", clause(error)), advice);
        }
    }
}

/// Whether the schema is of this program's version.
async fn schema(db: &Db, found: &mut Findings) -> bool {
    const WHAT: &str = "migrations";
    let newest = db::newest_schema();
    if let (Db::Postgres(_), Ok(true)) = (db, db.is_empty().await) {
        let says = "There is no camp in this database yet.";
        found.broken(WHAT, says, "Check --database-url. A new camp starts with `camp admin add`.");
        return false;
    }
    let (pending, schema) = match (db.pending_migrations().await, backup::schema_of(db).await) {
        (Ok(pending), Ok(schema)) => (pending, schema),
        (Err(error), _) | (_, Err(error)) => {
            let advice = advice_for_file(&error);
            found.broken(WHAT, format!("The schema cannot be read: {}.", clause(error)), advice);
            return false;
        }
    };
    if schema > newest {
        found.broken(
            WHAT,
            format!("The database is of a newer version (schema {schema}) than this program (schema {newest})."),
            "Install the newer program again, or restore the backup from before.",
        );
        return false;
    }
    if pending > 0 {
        found.warning(
            WHAT,
            match pending {
                1 => "1 step has not been applied yet.".to_owned(),
                n => format!("{n} steps have not been applied yet."),
            },
            "`camp migrate` does that, or the next start.",
        );
        found.not_checked(
            "camp",
            "The camp itself was not checked, because its database must be up to date first.",
        );
        return false;
    }
    found.ok(WHAT, format!("The database is up to date (schema {schema})."));
    true
}
