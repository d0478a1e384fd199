//! The archive of earlier summers, from a table that somebody kept.

use std::io::Read;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use portal::audit::Actor;
use portal::gallery::{self, Report};
use portal::{App, Config, Error, Result};

use crate::output::{Code, Outcome, remark, say, say_json, stderr_is_terminal};

/// Look after the archive
#[derive(clap::Subcommand)]
pub enum Gallery {
    /// Bring the videos of an earlier summer into the archive
    ///
    /// FILE is CSV (comma, semicolon or tab) or JSON, in UTF-8. Its first line names the columns, in
    /// any order: title and url, and if you like description, date and featured. Links of Google
    /// Drive and YouTube may have any form. Dates are 2024-07-15, 07/15/2024 or 15 July 2024.
    ///
    /// Good rows are imported together; bad ones are named by their line on standard error. Run again,
    /// it adds only what is new. Nobody is told by mail.
    #[command(
        after_help = "Examples:\n  camp gallery import summer-2024.csv --year 2024 --dry-run\n  camp gallery import summer-2024.csv --year 2024\n  camp gallery import - --year 2023 --json < summer-2023.json\n\nExit codes: 0 all rows are in the archive, 3 some rows have problems (the others are in), 2 not understood,\n1 or 4 nothing was imported."
    )]
    Import {
        /// The file, or - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The summer that the videos are of
        #[arg(long, value_name = "YYYY")]
        year: i32,
        /// Only check and count; change nothing
        #[arg(long)]
        dry_run: bool,
        /// Print the result, problems included, as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Gallery {
    pub async fn run(self, config: Config) -> Outcome {
        let Gallery::Import { file, year, dry_run, json } = self;
        let bytes = read(&file)?;
        let app = App::open(config).await?;
        let bar = bar();
        let report = gallery::import(&app, Actor::Operator, &bytes, year, dry_run, |done, all| {
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
    let limit = gallery::MAX_BYTES as u64 + 1;
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
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} videos") {
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
    let bad = report.rows - report.added - report.skipped;
    let (would, are) = match report.dry_run {
        true => ("would be added", "would be left out"),
        false => ("added", "left out"),
    };
    say(format!(
        "Summer {}: {} {} {would}, {} already there, {bad} with problems {are}.",
        report.year,
        report.added,
        if report.added == 1 { "video" } else { "videos" },
        report.skipped,
    ));
}
