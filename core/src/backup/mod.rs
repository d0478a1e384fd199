//! One file with everything that a camp needs to be as it was, and the way back from it.
//!
//! A backup is a tar archive, packed with zstd: `manifest.json` first, then `database` (a SQLite
//! file or what `pg_dump --format=custom` writes), the camp's files under `files/`, and `end.json`,
//! without which the file is not whole. The keys that sign the links in mails are rows of the
//! database, so they are in it; what the operator decides (`CAMP_…`) is not.

mod archive;
mod hold_mail;
mod inspect;
mod make;
mod postgres;
mod restore;
mod sqlite;
mod swap;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use hold_mail::Held;
pub(crate) use inspect::{plans_off, schema_of};
pub use make::{Made, Place, make};
pub(crate) use restore::AT_WORK;
pub use restore::{Options, Restored, restore};
pub(crate) use sqlite::{before_upgrade, file_of as sqlite_file, problems as sqlite_problems};

/// Of the archive; a program refuses a higher one.
const FORMAT: u32 = 1;

/// Is told how many bytes of how many are done.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// What stands at the beginning of a backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// `sqlite` or `postgres`.
    pub engine: String,
    /// The number of the last migration.
    pub schema: i64,
    pub made_at: DateTime<Utc>,
    pub database_bytes: u64,
    /// Of database and files, as they are when they are unpacked.
    pub bytes: u64,
    /// How many there are of what.
    pub counts: BTreeMap<String, i64>,
    /// Payment plans whose paid amount is not the sum of their ledger; none, unless something is wrong.
    pub plans_off: i64,
    pub files: Stored,
}

/// Where the camp's files were.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum Stored {
    /// They are in the backup.
    Folder,
    /// In a bucket, which has versions and copies of its own: the backup holds the list only.
    Bucket { url: String },
}

/// What stands at the end of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub files: u64,
    pub bytes: u64,
}

/// A moment in the name of a file or folder.
fn stamp(at: DateTime<Utc>) -> impl std::fmt::Display {
    at.format("%Y%m%dT%H%M%SZ")
}
