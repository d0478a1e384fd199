//! Imports the videos of an earlier summer into the archive from a spreadsheet.
//!
//! The whole file is checked first, and every problem is reported with its line. Then the valid
//! rows are imported together. Importing the same file again adds nothing. Archive videos are
//! published and never announced (decision V3).

mod folder;
mod names;

use std::collections::HashMap;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::Serialize;
use serde_json::json;

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::clock;
use crate::db::Tx;
use crate::settings::Settings;
use crate::spreadsheet::{self, Column, Problem, Row, Shape, Source, date};
use crate::videos::{self, NewVideo, Status, link};
use crate::{App, Error, FieldError, Result};

pub use folder::{FileProblem, FolderReport, FolderVideo, import_folder};

/// The maximum file size in bytes.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;

const SHAPE: Shape = Shape {
    things: "videos",
    thing: "video",
    columns: &[
        Column {
            name: "title",
            also: &["name", "videotitle", "videoname", "heading"],
            fallbacks: &[],
            needed: true,
        },
        Column {
            name: "url",
            also: &[
                "link",
                "videourl",
                "videolink",
                "address",
                "drivelink",
                "driveurl",
                "googledrivelink",
                "googledriveurl",
                "googledrivevideourl",
                "youtubelink",
                "youtubeurl",
                "youtube",
                "href",
            ],
            fallbacks: &[],
            needed: true,
        },
        Column {
            name: "description",
            also: &["desc", "text", "details", "notes", "summary", "caption"],
            fallbacks: &[],
            needed: false,
        },
        Column {
            name: "date",
            also: &[
                "uploaddate",
                "day",
                "datefilmed",
                "filmed",
                "filmedon",
                "published",
                "publisheddate",
                "uploaded",
            ],
            fallbacks: &[],
            needed: false,
        },
        Column {
            name: "featured",
            also: &["isfeatured", "highlight"],
            fallbacks: &[],
            needed: false,
        },
    ],
    unclear: &[],
    max_bytes: MAX_BYTES,
};
const TITLE: usize = 0;
const URL: usize = 1;
const DESCRIPTION: usize = 2;
const DATE: usize = 3;
const FEATURED: usize = 4;

/// The result or preview of an import.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Report {
    pub year: i32,
    pub dry_run: bool,
    /// The number of rows that are not empty, without the header.
    pub rows: usize,
    pub added: usize,
    /// Already in the archive of that year, or earlier in the file.
    pub skipped: usize,
    pub problems: Vec<Problem>,
    /// Columns that were ignored.
    pub unknown_columns: Vec<String>,
    pub source: Source,
}

/// Imports an Excel workbook, CSV or JSON file into the archive of that camp year. `progress` is
/// called with the number of processed rows and the total.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` or `year` when the file as a whole is unusable. Nothing is written
/// then.
pub async fn import(
    app: &App,
    actor: Actor,
    file: spreadsheet::File,
    year: i32,
    dry_run: bool,
    mut progress: impl FnMut(usize, usize) + Send,
) -> Result<Report> {
    let now = app.clock.now();
    let settings = app.settings().await?;
    check_year(year, clock::year_in(settings.timezone, now))?;
    let sheet = spreadsheet::open(file, &SHAPE).await?;
    let mut report = Report {
        year,
        dry_run,
        rows: sheet.rows.len(),
        unknown_columns: sheet.unknown_columns,
        source: sheet.source,
        ..Report::default()
    };
    let good = usable(&sheet.rows, &settings, now, &mut report);
    let total = good.len();
    progress(0, total);
    let mut tx = app.db.begin().await?;
    // Two concurrent imports would not see each other's rows.
    tx.lock("gallery import").await?;
    let mut known = known(&mut tx, year).await?;
    for (done, (line, video, address)) in good.into_iter().enumerate() {
        match known.get(&address) {
            Some(other) if *other != year => report.problems.push(of_another_year(line, *other)),
            Some(_) => report.skipped += 1,
            None => {
                known.insert(address, year);
                report.added += 1;
                if !dry_run {
                    videos::create(&mut tx, app, &settings, actor, &video, None).await?;
                }
            }
        }
        progress(done + 1, total);
    }
    report.problems.sort_by_key(|problem| problem.line);
    if dry_run || report.added == 0 {
        tx.rollback().await?;
        return Ok(report);
    }
    let details = json!({
        "year": year, "added": report.added, "skipped": report.skipped,
        "problems": report.problems.len(),
    });
    let subject = Subject::none(SubjectKind::Video);
    audit::record(&mut tx, now, actor, Action::GalleryImport, subject, details).await?;
    tx.commit().await?;
    Ok(report)
}

/// The valid rows, each with its line and the address under which the portal stores its video. The problems of the
/// others go into the report.
fn usable(
    rows: &[Row],
    settings: &Settings,
    now: DateTime<Utc>,
    report: &mut Report,
) -> Vec<(usize, NewVideo, String)> {
    let mut good = Vec::with_capacity(rows.len());
    let mut in_file = HashMap::new();
    for row in rows {
        match check(row, report.year, settings, now) {
            Ok((video, address)) => match repeated(&in_file, row, &video, &address) {
                Some(problem) => report.problems.push(problem),
                None => {
                    let first = (row.line, video.title.clone(), video.upload_date);
                    in_file.entry(address.clone()).or_insert(first);
                    good.push((row.line, video, address));
                }
            },
            Err(problems) => report.problems.extend(problems),
        }
    }
    good
}

fn check_year(year: i32, this_year: i32) -> Result<()> {
    if (1900..this_year).contains(&year) {
        return Ok(());
    }
    let text = match year < 1900 {
        true => format!("Please enter the year with four digits, such as {}.", this_year - 1),
        false => format!(
            "The archive holds the summers before {this_year}. Videos of this year are posted in \
             the staff area, where families are told about them."
        ),
    };
    Err(Error::invalid("year", text))
}

/// Returns the video of a row and the address under which the portal stores it.
fn check(
    row: &Row,
    year: i32,
    settings: &Settings,
    now: DateTime<Utc>,
) -> Result<(NewVideo, String), Vec<Problem>> {
    let mut problems = Vec::new();
    let mut refuse = |column, message: String| {
        problems.push(Problem { line: row.line, column, message });
    };
    if let Some(message) = row.fault() {
        refuse("row", message);
    }
    let day = match row.cell(DATE).trim() {
        // The same default as the archive form of the staff area when only a year is given.
        "" => NaiveDate::from_ymd_opt(year, 7, 1),
        typed => match date::read(typed) {
            Ok(day) if day.year() == year => Some(day),
            Ok(day) => {
                refuse(
                    "date",
                    format!(
                        "{day} is not in {year}. Please correct the date, or import this row with \
                         its own --year."
                    ),
                );
                None
            }
            Err(message) => {
                refuse("date", message);
                None
            }
        },
    };
    let is_featured = match row.cell(FEATURED).trim().to_lowercase().as_str() {
        "" | "0" | "no" | "n" | "false" | "off" | "-" => false,
        "1" | "yes" | "y" | "true" | "on" | "x" | "✓" => true,
        _ => {
            refuse("featured", "Please write yes or no.".into());
            false
        }
    };
    let video = NewVideo {
        title: row.cell(TITLE).to_owned(),
        video_url: Some(row.cell(URL).to_owned()),
        upload_id: None,
        description: Some(row.cell(DESCRIPTION).to_owned()),
        upload_date: day.or(NaiveDate::from_ymd_opt(year, 7, 1)),
        status: Status::Published,
        scheduled_date: None,
        is_featured,
    };
    if let Err(Error::Invalid(wrong)) = video.check(settings, now) {
        for FieldError { field, message } in wrong {
            match field.as_str() {
                "title" => refuse("title", message),
                "description" => refuse("description", message),
                "upload_date" => refuse("date", message),
                _ => refuse("url", no_link(row.cell(URL))),
            }
        }
    }
    match link::parse(row.cell(URL)) {
        Ok(link) if problems.is_empty() => Ok((video, link.video_url)),
        _ => Err(problems),
    }
}

/// The problem of a link that is in the file twice, with two titles or dates: one of the rows has
/// the wrong link.
fn repeated(
    earlier: &HashMap<String, (usize, String, Option<NaiveDate>)>,
    row: &Row,
    video: &NewVideo,
    address: &str,
) -> Option<Problem> {
    let (line, title, day) = earlier.get(address)?;
    let is_same = *title == video.title && *day == video.upload_date;
    (!is_same).then(|| Problem {
        line: row.line,
        column: "url",
        message: format!(
            "Same link as line {line}, but another title or date. Please correct the link, or \
             delete one of the two rows."
        ),
    })
}

fn no_link(typed: &str) -> String {
    let shown: String = typed.trim().chars().take(80).collect();
    match shown.as_str() {
        "" => "There is no link. Please fill in the address of the video.".into(),
        _ => format!(
            "“{shown}” is no link to a video on Google Drive or YouTube, and no https address of a \
             media file. Please copy the link of the video itself, not of its folder or list."
        ),
    }
}

/// The links of all videos, and the year of each: this one if it has the link in several.
async fn known(tx: &mut Tx, this: i32) -> Result<HashMap<String, i32>> {
    let rows: Vec<(String, i64)> =
        tx.sql("select video_url, year from videos where video_url is not null").all().await?;
    let mut known = HashMap::with_capacity(rows.len());
    for (url, year) in rows {
        let year = i32::try_from(year).map_err(Error::unforeseen)?;
        if year == this || !known.contains_key(&url) {
            known.insert(url, year);
        }
    }
    Ok(known)
}

/// Most likely the file was imported with the wrong year, now or earlier.
fn of_another_year(line: usize, year: i32) -> Problem {
    Problem {
        line,
        column: "url",
        message: format!(
            "This video is already among those of {year}. If {year} is wrong, please delete it there first."
        ),
    }
}
