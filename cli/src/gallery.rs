//! `camp gallery`: imports videos of earlier summers from a table.

use std::path::Path;

use portal::audit::Actor;
use portal::gallery::{self, FileProblem, FolderReport, FolderVideo, Report};
use portal::{App, Config};

use crate::import::{Bar, ImportFile, Table};
use crate::output::{Code, Outcome, print, print_json, print_note};

/// Import videos of earlier summers
#[derive(clap::Subcommand)]
pub enum Gallery {
    /// Import the videos of an earlier summer into the archive
    ///
    /// FILE is an Excel workbook (.xlsx), CSV (comma, semicolon or tab) or JSON. Its first line names
    /// the columns, in any order: title and url, and optionally description, date and featured. Links
    /// of Google Drive and YouTube may have any form. Dates are 2024-07-15, 07/15/2024 or 15 July 2024.
    ///
    /// Or FILE is a folder with video files. Titles and dates come from their names, such as
    /// "2024-07-15 Color War.mp4", or from a table in the folder with the columns file, title,
    /// description and date. The worker converts the videos one after the other and publishes each when
    /// it is ready.
    ///
    /// Valid rows are imported together; problems of other rows are printed with their line on standard
    /// error. A second run adds only new videos. Nobody gets mail.
    #[command(
        after_help = "Examples:\n  camp gallery import summer-2024.csv --year 2024 --dry-run\n  camp gallery import summer-2024.csv --year 2024\n  camp gallery import - --year 2023 --json < summer-2023.json\n  camp gallery import /media/camera/2024 --year 2024\n\nExit codes: 0 all rows are in the archive, 3 some rows have problems (the others are in), 2 wrong command or option, 1 or 4 nothing was imported."
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
        if let Some(folder) = file.folder() {
            return import_folder(config, folder, year, file).await;
        }
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

async fn import_folder(config: Config, folder: &Path, year: i32, file: &ImportFile) -> Outcome {
    let app = App::open(config).await?;
    let bar = Bar::of_bytes();
    let tell = |done, all| bar.is_at(done, all);
    let report =
        gallery::import_folder(&app, Actor::Operator, folder, year, file.dry_run, tell).await;
    drop(bar);
    let report = report?;
    app.db.close().await;
    if file.json {
        print_json(&report)?;
    } else {
        for FolderVideo { file, title, date, .. } in &report.videos {
            print(format!("{file}: {title} ({date})"));
        }
        for FileProblem { file, message } in &report.problems {
            print_note(format!("{file}: {message}"));
        }
        if !report.ignored.is_empty() {
            print_note(format!("These files are not videos: {}.", report.ignored.join(", ")));
        }
        if !report.folders.is_empty() {
            print_note(format!(
                "Folders in it are left out; please import them one by one: {}.",
                report.folders.join(", ")
            ));
        }
        print(folder_sum(&report));
    }
    Ok(if report.problems.is_empty() { Code::Done } else { Code::Problems })
}

fn folder_sum(report: &FolderReport) -> String {
    let FolderReport { year, added, skipped, problems, .. } = report;
    let videos = if *added == 1 { "video" } else { "videos" };
    let would = if report.dry_run { "would be added" } else { "added" };
    let next = match (report.dry_run, added) {
        (true, _) | (_, 0) => "",
        _ => " The worker converts them now and publishes each when it is ready.",
    };
    let bad = problems.len();
    format!(
        "Summer {year}: {added} {videos} {would}, {skipped} already there, {bad} with problems.{next}"
    )
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
