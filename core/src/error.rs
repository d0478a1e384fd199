//! Why the portal said no.

use serde::Serialize;

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
            E::PoolTimedOut | E::PoolClosed | E::Io(_) | E::Tls(_) => Error::Busy(Some(error)),
            E::RowNotFound => Error::NotFound("There is nothing here any more."),
            E::Database(cause) => match cause.code().as_deref() {
                // SQLite: busy and locked with their extended codes, full, read-only disk.
                Some("5" | "6" | "261" | "262" | "517") => Error::Busy(Some(error)),
                Some("13" | "53100") => Error::Full,
                // PostgreSQL: shutting down, starting up, too many connections, deadlock.
                Some("57P01" | "57P02" | "57P03" | "53300" | "40P01" | "40001" | "08006") => {
                    Error::Busy(Some(error))
                }
                // PostgreSQL: a character, number or date that it cannot keep. What comes in is checked
                // before, so this is the second line: refused, and told to the operator.
                Some("22003" | "22008" | "22021" | "22P05") => {
                    tracing::warn!(%error, "a value that the database cannot keep was refused");
                    Error::invalid("request", "Something in this request cannot be saved.")
                }
                _ => Error::Database(error),
            },
            _ => Error::Database(error),
        }
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
