//! `camp gallery`: imports videos of earlier summers from a table.

use portal::audit::Actor;
use portal::gallery::{self, Report};
use portal::{App, Config};

use crate::import::{Bar, Table};
use crate::output::Outcome;

/// Import videos of earlier summers
#[derive(clap::Subcommand)]
pub enum Gallery {
    /// Import the videos of an earlier summer into the archive
    ///
    /// FILE is an Excel workbook (.xlsx), CSV (comma, semicolon or tab) or JSON. Its first line names
    /// the columns, in any order: title and url, and optionally description, date and featured. Links
    /// of Google Drive and YouTube may have any form. Dates are 2024-07-15, 07/15/2024 or 15 July 2024.
    ///
    /// Valid rows are imported together; problems of other rows are printed with their line on standard
    /// error. A second run adds only new videos. Nobody gets mail.
    #[command(
        after_help = "Examples:\n  camp gallery import summer-2024.csv --year 2024 --dry-run\n  camp gallery import summer-2024.csv --year 2024\n  camp gallery import - --year 2023 --json < summer-2023.json\n\nExit codes: 0 all rows are in the archive, 3 some rows have problems (the others are in), 2 not understood,\n1 or 4 nothing was imported."
    )]
    Import {
        /// The year of the summer
        #[arg(long, value_name = "YYYY")]
        year: i32,
        #[command(flatten)]
        table: Table,
    },
}

impl Gallery {
    pub async fn run(self, config: Config) -> Outcome {
        let Gallery::Import { year, table } = self;
        let file = &table.file;
        let bytes = table.read(gallery::MAX_BYTES)?;
        let app = App::open(config).await?;
        let bar = Bar::of("videos");
        let tell = |done: usize, all: usize| bar.is_at(done as u64, all as u64);
        let report = gallery::import(&app, Actor::Operator, bytes, year, file.dry_run, tell).await;
        drop(bar);
        let report = report?;
        table.tell_source(&report.source);
        file.tell(&report, &report.problems, &report.unknown_columns, sum(&report))
    }
}

fn sum(report: &Report) -> String {
    let bad = report.rows - report.added - report.skipped;
    let (would, are) = match report.dry_run {
        true => ("would be added", "would be left out"),
        false => ("added", "left out"),
    };
    format!(
        "Summer {}: {} {} {would}, {} already there, {bad} with problems {are}.",
        report.year,
        report.added,
        if report.added == 1 { "video" } else { "videos" },
        report.skipped,
    )
}
