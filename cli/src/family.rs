//! Families, from a table that the camp's office keeps.

use portal::audit::Actor;
use portal::profiles::import::{self, Report};
use portal::{App, Config};

use crate::import::{Bar, ImportFile};
use crate::output::Outcome;

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
    Import(ImportFile),
}

impl Family {
    pub async fn run(self, config: Config) -> Outcome {
        let Family::Import(file) = self;
        let bytes = file.read(import::MAX_BYTES)?;
        let app = App::open(config).await?;
        let bar = Bar::of("families");
        let tell = |done: usize, all: usize| bar.is_at(done as u64, all as u64);
        let report = import::import(&app, Actor::Operator, &bytes, file.dry_run, tell).await;
        drop(bar);
        let report = report?;
        file.tell(&report, &report.problems, &report.unknown_columns, sum(&report))
    }
}

fn sum(report: &Report) -> String {
    let bad = report.rows - report.added - report.updated - report.skipped;
    let (would, are) = match report.dry_run {
        true => ("would be ", "would be left out"),
        false => ("", "left out"),
    };
    format!(
        "{} {} {would}added, {} {would}updated, {} already there, {bad} with problems {are}.",
        report.added,
        if report.added == 1 { "family" } else { "families" },
        report.updated,
        report.skipped,
    )
}
