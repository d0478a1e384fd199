//! The errors of the portal.
//!
//! Every function that uses the database can fail with [`Error::Busy`], [`Error::Full`] or
//! [`Error::Database`]. Lists refuse an invalid cursor with [`Error::Invalid`]. The documentation
//! of a function names only its other errors.

use serde::Serialize;
use sqlx::error::DatabaseError;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::SqliteError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A problem with one field of the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = FieldProblem)]
pub struct FieldError {
    pub field: String,
    /// A sentence that may be shown beside the field.
    pub message: String,
}

/// Every error of the portal. The texts may be shown to users, except those of [`Error::Database`]
/// and [`Error::Unforeseen`], which are only logged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input breaks a rule.
    #[error("{}", .0.first().map(|e| e.message.as_str()).unwrap_or("Please check what you entered."))]
    Invalid(Vec<FieldError>),
    /// The value is already in use.
    #[error("{}", .0.message)]
    Taken(FieldError),
    #[error("{0}")]
    NotFound(&'static str),
    #[error("Please sign in.")]
    SignInRequired,
    #[error("Please sign in to the staff area.")]
    StaffRequired,
    /// Wrong password, unknown account or disabled account. All get the same answer.
    #[error("{0}")]
    InvalidCredentials(&'static str),
    #[error("Please enter the code from your authenticator app.")]
    SecondFactorRequired,
    /// Not allowed. The code tells programs the reason; the text tells people.
    #[error("{text}")]
    Forbidden { code: &'static str, text: &'static str },
    /// The record changed since it was read.
    #[error("Someone else changed this while you were editing. Please reload and try again.")]
    Stale,
    #[error("{0}")]
    Conflict(&'static str),
    /// A byte range outside a file of this many bytes.
    #[error("The file has no such part.")]
    OutOfRange { size: u64 },
    /// Somebody else acted first. The code tells programs what happened; the text tells people who
    /// did it.
    #[error("{text}")]
    Forestalled { code: &'static str, text: String },
    /// The link was already used or has expired.
    #[error("{0}")]
    Gone(&'static str),
    #[error("Too many attempts. Please try again {}.", wait(*retry_after))]
    TooMany { retry_after: u64 },
    /// Too many mails to one mailbox: mails that anybody can cause are limited per hour.
    #[error("We have already emailed this address several times. Please try again {}.", wait(*retry_after))]
    TooManyMails { retry_after: u64 },
    /// Too many test mails of a member of the staff to themselves.
    #[error("You have sent yourself {most} tests in the last hour. You can send another one {}.", wait(*retry_after))]
    TooManyTests { most: i64, retry_after: u64 },
    /// The database did not answer in time. Nothing was written.
    #[error("The portal is busy. Please try again in a moment.")]
    Busy(#[source] Option<sqlx::Error>),
    /// The bucket with the files did not answer.
    #[error("The camp's files cannot be reached right now. Please try again in a moment.")]
    Unavailable { cause: String },
    /// The disk is full.
    #[error("The camp's server has run out of space. Nothing was saved.")]
    Full,
    /// The operator must change something first.
    #[error("{0}")]
    Setup(String),
    /// An option has a value that cannot be used, or not together with the other options.
    #[error("{0}")]
    Usage(String),
    #[error("database: {0}")]
    Database(#[source] sqlx::Error),
    #[error("{0}")]
    Unforeseen(String),
}

fn wait(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("in {} seconds", seconds.max(1)),
        91..=5400 => format!("in {} minutes", seconds.div_ceil(60)),
        _ => format!("in {} hours", seconds.div_ceil(3600)),
    }
}

impl Error {
    pub fn invalid(field: &str, message: impl Into<String>) -> Error {
        Error::Invalid(vec![FieldError { field: field.into(), message: message.into() }])
    }

    pub fn unforeseen(cause: impl std::fmt::Display) -> Error {
        Error::Unforeseen(cause.to_string())
    }

    /// What happened, for operators.
    pub fn reason(&self) -> String {
        match self {
            Error::Unavailable { cause } => cause.clone(),
            Error::Busy(Some(cause)) => cause.to_string(),
            other => other.to_string(),
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Error {
        use sqlx::Error as E;
        match &error {
            E::PoolTimedOut | E::PoolClosed | E::Io(_) | E::Tls(_) | E::WorkerCrashed => {
                Error::Busy(Some(error))
            }
            // The connection lost count of its transactions. The pool closes it.
            E::BeginFailed | E::InvalidSavePointStatement => Error::Busy(Some(error)),
            E::RowNotFound => Error::NotFound("This no longer exists."),
            E::Database(cause) => match classify(cause.as_ref()) {
                DatabaseFailure::Unavailable => Error::Busy(Some(error)),
                DatabaseFailure::Full => Error::Full,
                // Input is validated earlier, so this is the second check. It is also logged for
                // the operator.
                DatabaseFailure::Value => {
                    tracing::warn!(%error, "a value that the database cannot keep was refused");
                    Error::invalid("request", "Something in this request cannot be saved.")
                }
                DatabaseFailure::Other => Error::Database(error),
            },
            _ => Error::Database(error),
        }
    }
}

/// What a database error means for the caller.
enum DatabaseFailure {
    /// Temporary: a retry may succeed.
    Unavailable,
    /// The disk is full.
    Full,
    /// A character, number or date that the database cannot store.
    Value,
    Other,
}

fn classify(cause: &dyn DatabaseError) -> DatabaseFailure {
    let code = cause.code().unwrap_or_default();
    if let Some((primary, extended)) = sqlite_codes(cause) {
        return match (primary, extended) {
            (13, _) => DatabaseFailure::Full,
            // The index of the write-ahead log cannot grow.
            (10, 4874) => DatabaseFailure::Full,
            // Busy, locked, out of memory, read-only, interrupted, I/O error, cannot open.
            (5..=10 | 14 | 15, _) => DatabaseFailure::Unavailable,
            _ => DatabaseFailure::Other,
        };
    }
    match code.as_ref() {
        "53100" => DatabaseFailure::Full,
        // Deadlock, lock timeout, failover to another server, session ended by the server, I/O
        // error.
        "40P01" | "40001" | "55P03" | "25006" | "25P03" | "58030" => DatabaseFailure::Unavailable,
        "22003" | "22008" | "22021" | "22P05" => DatabaseFailure::Value,
        // Broken or too many connections, out of memory, shutting down or starting up.
        code if ["08", "53", "57"].iter().any(|class| code.starts_with(class)) => {
            DatabaseFailure::Unavailable
        }
        _ => DatabaseFailure::Other,
    }
}

/// SQLite's primary and extended result codes. `None` on PostgreSQL.
fn sqlite_codes(cause: &dyn DatabaseError) -> Option<(u32, u32)> {
    cause.try_downcast_ref::<SqliteError>()?;
    let extended: u32 = cause.code()?.parse().ok()?;
    Some((extended & 0xff, extended))
}

/// Whether SQLite may have rolled back the whole transaction because of this error: busy, out of
/// memory, interrupted, I/O error, corrupt, full.
pub(crate) fn ends_transaction(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(cause) => sqlite_codes(cause.as_ref())
            .is_some_and(|(primary, _)| matches!(primary, 5 | 7 | 9 | 10 | 11 | 13)),
        _ => false,
    }
}

impl Error {
    /// Whether PostgreSQL ended the transaction because another one waited for it. It can be done again.
    pub(crate) fn is_deadlock(&self) -> bool {
        let code = match self {
            Error::Busy(Some(sqlx::Error::Database(cause))) => cause.code(),
            _ => None,
        };
        code.is_some_and(|code| code == "40P01")
    }
}

const NEWER_DATABASE: &str = "The database is of a newer version than this program. Install the \
     newer program again, or restore the backup from before the upgrade.";

impl From<MigrateError> for Error {
    fn from(error: MigrateError) -> Error {
        let text = format!("The database could not be brought up to date: {error}");
        match error {
            MigrateError::VersionMissing(_) => Error::Setup(NEWER_DATABASE.into()),
            MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => {
                match Error::from(cause) {
                    known @ (Error::Full | Error::Busy(_)) => known,
                    _ => Error::Setup(text),
                }
            }
            _ => Error::Setup(text),
        }
    }
}

const READ_ONLY: &str = "A file system is mounted read-only. The log of the machine may say why: a disk with \
                         errors is mounted like that.";

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        match error.kind() {
            std::io::ErrorKind::StorageFull => Error::Full,
            std::io::ErrorKind::ReadOnlyFilesystem => Error::Setup(READ_ONLY.into()),
            _ => Error::unforeseen(error),
        }
    }
}

/// Turns a violated unique constraint into an error that users understand.
pub trait OrTaken<T> {
    /// Fails with [`Error::Taken`] for a violated unique constraint, otherwise with the original
    /// error.
    fn or_taken(self, field: &str, message: &str) -> Result<T>;
}

impl<T> OrTaken<T> for Result<T> {
    fn or_taken(self, field: &str, message: &str) -> Result<T> {
        match self {
            Err(Error::Database(sqlx::Error::Database(cause))) if cause.is_unique_violation() => {
                Err(Error::Taken(FieldError { field: field.into(), message: message.into() }))
            }
            other => other,
        }
    }
}
