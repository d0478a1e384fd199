//! Why the portal said no.

use serde::Serialize;
use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong with one field of what was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = FieldProblem)]
pub struct FieldError {
    pub field: String,
    /// A sentence that may be shown beside the field.
    pub message: String,
}

/// Every refusal, and everything that can go wrong. The texts may be shown to a person, save those
/// of [`Error::Database`] and [`Error::Unforeseen`], which are logged and never shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was sent breaks a rule.
    #[error("{}", .0.first().map(|e| e.message.as_str()).unwrap_or("Please check what you entered."))]
    Invalid(Vec<FieldError>),
    /// Somebody else has it already.
    #[error("{}", .0.message)]
    Taken(FieldError),
    #[error("{0}")]
    NotFound(&'static str),
    #[error("Please sign in.")]
    SignInRequired,
    #[error("Please sign in to the staff area.")]
    StaffRequired,
    /// Wrong password, unknown account or disabled account: one answer for all.
    #[error("{0}")]
    InvalidCredentials(&'static str),
    #[error("Please enter the code from your authenticator app.")]
    SecondFactorRequired,
    /// Not allowed; the code tells a program why, the text tells a person.
    #[error("{text}")]
    Forbidden { code: &'static str, text: &'static str },
    /// Somebody changed the record in between.
    #[error("Somebody else changed this in the meantime. Please reload and try again.")]
    Stale,
    #[error("{0}")]
    Conflict(&'static str),
    /// Somebody else was quicker; the code tells a program with what, the text tells a person who.
    #[error("{text}")]
    Forestalled { code: &'static str, text: String },
    /// A link that was used already or has expired.
    #[error("{0}")]
    Gone(&'static str),
    #[error("Too many attempts. Please try again {}.", wait(*retry_after))]
    TooMany { retry_after: u64 },
    /// Mails that anybody can cause reach one mailbox a few times an hour.
    #[error("We have written to this address several times already. Please try again {}.", wait(*retry_after))]
    TooManyMails { retry_after: u64 },
    /// The database does not answer in time; nothing was written.
    #[error("The portal is busy. Please try again in a moment.")]
    Busy(#[source] Option<sqlx::Error>),
    /// No room left on the disk.
    #[error("The camp's server has run out of space. Nothing was saved.")]
    Full,
    /// The operator has to change something before this can work.
    #[error("{0}")]
    Setup(String),
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
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Error {
        use sqlx::Error as E;
        match &error {
            E::PoolTimedOut | E::PoolClosed | E::Io(_) | E::Tls(_) | E::WorkerCrashed => {
                Error::Busy(Some(error))
            }
            // A connection that has lost count of its transactions; the pool closes it.
            E::BeginFailed | E::InvalidSavePointStatement => Error::Busy(Some(error)),
            E::RowNotFound => Error::NotFound("There is nothing here any more."),
            E::Database(cause) => match classify(cause.as_ref()) {
                DatabaseFailure::Away => Error::Busy(Some(error)),
                DatabaseFailure::Full => Error::Full,
                // What comes in is checked before, so this is the second line: refused, and told to
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

/// What an error of the database means for whoever asked.
enum DatabaseFailure {
    /// It may work in a moment.
    Away,
    /// No room left on the disk.
    Full,
    /// A character, number or date that it cannot keep.
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
            // Busy, locked, out of memory, read-only, interrupted, an I/O error, cannot be opened.
            (5..=10 | 14 | 15, _) => DatabaseFailure::Away,
            _ => DatabaseFailure::Other,
        };
    }
    match code.as_ref() {
        "53100" => DatabaseFailure::Full,
        // Deadlocks, a lock that was not had in time, a server that takes over from another one,
        // a session that the server ended, an I/O error.
        "40P01" | "40001" | "55P03" | "25006" | "25P03" | "58030" => DatabaseFailure::Away,
        "22003" | "22008" | "22021" | "22P05" => DatabaseFailure::Value,
        // Connections that broke or are too many, too little memory, shutting down or starting up.
        code if ["08", "53", "57"].iter().any(|class| code.starts_with(class)) => {
            DatabaseFailure::Away
        }
        _ => DatabaseFailure::Other,
    }
}

/// SQLite's primary result code and the extended one; nothing on PostgreSQL.
fn sqlite_codes(cause: &dyn DatabaseError) -> Option<(u32, u32)> {
    cause.try_downcast_ref::<SqliteError>()?;
    let extended: u32 = cause.code()?.parse().ok()?;
    Some((extended & 0xff, extended))
}

/// Whether SQLite may have rolled the whole transaction back because of this error: busy, out of
/// memory, interrupted, an I/O error, damaged, full.
pub(crate) fn ends_transaction(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(cause) => sqlite_codes(cause.as_ref())
            .is_some_and(|(primary, _)| matches!(primary, 5 | 7 | 9 | 10 | 11 | 13)),
        _ => false,
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Error {
        Error::Setup(format!("The database could not be brought up to date: {error}"))
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        match error.kind() {
            std::io::ErrorKind::StorageFull => Error::Full,
            _ => Error::unforeseen(error),
        }
    }
}

/// Turns a broken unique constraint into the sentence that a person needs.
pub trait OrTaken<T> {
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
