//! Families, from a table that the camp's office keeps.

use std::io::Read;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use portal::audit::Actor;
use portal::profiles::import::{self, Report};
use portal::{App, Config, Error, Result};

use crate::output::{Code, Outcome, remark, say, say_json, stderr_is_terminal};

/// Look after families
#[derive(clap::Subcommand)]
pub enum Family {
    /// Bring families into the portal from a table
    ///
    /// FILE is CSV (comma, semicolon or tab) or JSON, in UTF-8. Its first line names the columns, in
    /// any order: name and child, and if you like email, second email, total, paid, due date and type.
    /// Amounts are 2800 or 2,800.00. Without a column “total” a new family gets the usual plan; an
    /// empty total makes none. What was paid before counts only for families that are new.
    ///
    /// Good rows are imported together; bad ones are named by their line on standard error. A family is
    /// known by its address, or else by its names, so a second run changes nothing. Nobody is mailed:
    /// invitations are sent from the user list.
    #[command(
        after_help = "Examples:\n  camp family import families.csv --dry-run\n  camp family import families.csv\n  camp family import - --json < families.json\n\nExit codes: 0 all rows are in the portal, 3 some rows have problems (the others are in), 2 not understood,\n1 or 4 nothing was imported."
    )]
    Import {
        /// The file, or - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Only check and count; change nothing
        #[arg(long)]
        dry_run: bool,
        /// Print the result, problems included, as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Family {
    pub async fn run(self, config: Config) -> Outcome {
        let Family::Import { file, dry_run, json } = self;
        let bytes = read(&file)?;
        let app = App::open(config).await?;
        let bar = bar();
        let report = import::import(&app, Actor::Operator, &bytes, dry_run, |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        })
        .await;
        bar.finish_and_clear();
        let report = report?;
        match json {
            true => say_json(&report)?,
            false => tell(&report),
        }
        Ok(if report.problems.is_empty() { Code::Done } else { Code::Problems })
    }
}

fn read(file: &PathBuf) -> Result<Vec<u8>> {
    // One byte more than may be, so that a longer file is noticed and not read to its end.
    let limit = import::MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let outcome = match file.as_os_str() == "-" {
        true => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
        false => std::fs::File::open(file).and_then(|f| f.take(limit).read_to_end(&mut bytes)),
    };
    match outcome {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Error::invalid(
            "file",
            format!("{} cannot be read: {error}. Please check its name.", file.display()),
        )),
    }
}

fn bar() -> ProgressBar {
    if !stderr_is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} families") {
        bar.set_style(style);
    }
    bar
}

fn tell(report: &Report) {
    for problem in &report.problems {
        remark(format!("line {}: {}: {}", problem.line, problem.column, problem.message));
    }
    if !report.unknown_columns.is_empty() {
        remark(format!(
            "Nothing was made of these columns: {}.",
            report.unknown_columns.join(", ")
        ));
    }
    let bad = report.rows - report.added - report.updated - report.skipped;
    let (would, are) = match report.dry_run {
        true => ("would be ", "would be left out"),
        false => ("", "left out"),
    };
    say(format!(
        "{} {} {would}added, {} {would}updated, {} already there, {bad} with problems {are}.",
        report.added,
        if report.added == 1 { "family" } else { "families" },
        report.updated,
        report.skipped,
    ));
}
