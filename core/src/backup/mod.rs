//! Backup and restore of a whole camp as one file.
//!
//! A backup is a tar archive compressed with zstd: `manifest.json` first, then `database` (a SQLite
//! file or the output of `pg_dump --format=custom`), files that wait for their conversion under
//! `uploads/`, the camp's files under `files/`, and `end.json`, without which the file is
//! incomplete. The keys that sign links in mails are in the database and so in the backup. The
//! operator's configuration (`CAMP_…`) is not.

mod archive;
mod hold_mail;
mod inspect;
mod last;
mod make;
mod postgres;
mod restore;
mod sqlite;
mod swap;
mod target;
mod work;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use hold_mail::Held;
pub(crate) use inspect::{plans_off, schema_of};
pub(crate) use last::last;
pub use make::{Made, Place, make};
pub use restore::{Options, Restored, restore};
pub(crate) use sqlite::{before_upgrade, problems as sqlite_problems};

/// The version of the archive format. A program refuses higher ones.
const FORMAT: u32 = 2;
/// The version of a backup without uploads, which earlier programs can restore, too.
const FORMAT_WITHOUT_UPLOADS: u32 = 1;

/// Called with the number of bytes done and the total.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// The first entry of a backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made the backup.
    pub program: String,
    /// `sqlite` or `postgres`.
    pub engine: String,
    /// The number of the latest migration.
    pub schema: i64,
    pub made_at: DateTime<Utc>,
    pub database_bytes: u64,
    /// The unpacked size of database and files.
    pub bytes: u64,
    /// The number of records of each kind.
    pub counts: BTreeMap<String, i64>,
    /// The number of payment plans whose paid amount is not the sum of their ledger. It should be
    /// 0.
    pub plans_off: i64,
    pub files: Stored,
}

/// Where the camp's files are stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum Stored {
    /// In the backup.
    Folder,
    /// In a bucket, which has its own versions and copies. The backup contains only the list.
    Bucket { url: String },
}

/// The last entry of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub files: u64,
    pub bytes: u64,
}

/// Formats a time for the name of a file or folder.
fn stamp(at: DateTime<Utc>) -> impl std::fmt::Display {
    at.format("%Y%m%dT%H%M%SZ")
}
