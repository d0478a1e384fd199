//! Output of commands: results on standard output, everything else on standard error.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use portal::{App, Config, Error, Result};

/// How a command ended, as the exit code that scripts see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Problems = 3,
    Unusable = 4,
    /// `EX_DATAERR` of sysexits.h, for mail servers.
    NoMessage = 65,
    /// `EX_TEMPFAIL`.
    TryAgain = 75,
}

pub type Outcome = Result<Code>;

/// Why the first line could not be printed. It is an error of the command, which [`end`] reports: a script
/// must not take half of an export for all of it.
static UNPRINTED: OnceLock<std::io::Error> = OnceLock::new();

/// Prints one line of the result. A closed pipe (`| head`) is not an error.
pub fn print(line: impl AsRef<str>) {
    let mut out = std::io::stdout().lock();
    note_unprinted(writeln!(out, "{}", line.as_ref()));
}

fn note_unprinted(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        UNPRINTED.set(error).ok();
    }
}

/// Ends a command that had this outcome. One whose result could not be printed has failed.
pub fn end(outcome: Outcome) -> ExitCode {
    note_unprinted(std::io::stdout().flush());
    let code = match outcome {
        Ok(code) => code,
        Err(error) => return print_error(&error),
    };
    match UNPRINTED.get() {
        Some(error) => {
            print_note(format!("camp: The result cannot be written to standard output: {error}."));
            ExitCode::from(Code::Failed as u8)
        }
        None => ExitCode::from(code as u8),
    }
}

/// Prints a note that is not part of the result.
pub fn print_note(line: impl AsRef<str>) {
    let mut out = std::io::stderr().lock();
    writeln!(out, "{}", line.as_ref()).ok();
}

pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(serde_json::to_string_pretty(value).map_err(Error::unforeseen)?);
    Ok(())
}

/// Prints rows in columns that are as wide as their widest cell.
pub fn print_table(head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| {
            let gap = width.saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(gap))
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    print(line(head.to_vec()));
    for row in rows {
        print(line(row.iter().map(String::as_str).collect()));
    }
}

/// A moment as a clock in this time zone shows it, with the zone's name: `2026-07-15 20:00 EDT`.
pub fn time_in(zone: Tz, at: DateTime<Utc>) -> String {
    at.with_timezone(&zone).format("%Y-%m-%d %H:%M %Z").to_string()
}

pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Opens the camp, or creates one if there is none, and says so. None is created beside another.
pub async fn open_or_create(config: Config) -> Result<App> {
    let app = App::open_or_create_alone(config).await?;
    if app.is_new {
        note_created(&app.config);
    }
    Ok(app)
}

/// Prints where a camp was created.
pub fn note_created(config: &Config) {
    let folder = config.data_dir.canonicalize().unwrap_or_else(|_| config.data_dir.clone());
    let database = match config.database_url {
        Some(_) => ", with the database of --database-url",
        None => "",
    };
    print_note(format!("camp: A new camp was made in {}{database}.", folder.display()));
}

/// Prints on standard error what went wrong and what to do.
pub fn print_error(error: &Error) -> ExitCode {
    let code = match error {
        Error::Invalid(wrong) => {
            for one in wrong {
                print_note(format!("camp: {}", one.message));
            }
            Code::Problems
        }
        Error::Usage(_) => {
            print_note(format!("camp: {error}"));
            Code::Usage
        }
        Error::Full => {
            print_note(
                "camp: A disk is full, so this could not be done. Please make room (`df -h` shows which disk), \
                 then try again.",
            );
            Code::Unusable
        }
        Error::Setup(_) => {
            print_note(format!("camp: {error}"));
            Code::Unusable
        }
        Error::Busy(cause) => {
            let cause = cause.as_ref().map(|cause| format!(" ({cause})")).unwrap_or_default();
            print_note(format!(
                "camp: The database does not answer{cause}. Please check that it runs and that \
                 --database-url is right, then try again."
            ));
            Code::Unusable
        }
        Error::Unavailable { cause } => {
            print_note(format!(
                "camp: The bucket of --storage-url does not answer ({cause}). Please try again \
                 later."
            ));
            Code::Unusable
        }
        Error::Database(_) | Error::Unforeseen(_) => {
            print_note(format!("camp: This did not work: {error}"));
            Code::Failed
        }
        other => {
            print_note(format!("camp: {other}"));
            Code::Problems
        }
    };
    ExitCode::from(code as u8)
}
