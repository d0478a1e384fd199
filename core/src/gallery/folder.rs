//! Imports a folder of video files of an earlier summer into the archive.
//!
//! Titles and dates come from the names of the files, or from a table beside them. Each file has an
//! id that follows from its name and size, so that a second run continues where the first one
//! ended.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use chrono::{Datelike, NaiveDate};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{MAX_BYTES, check_year, names};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::clock;
use crate::ffmpeg::{NEEDED_BYTES, sniff};
use crate::settings::Settings;
use crate::spreadsheet::{self, Column, Shape, date};
use crate::uploads::add_file;
use crate::videos::{self, NewVideo, Status};
use crate::{App, Error, Result, root};

const SHAPE: Shape = Shape {
    things: "videos",
    thing: "video",
    columns: &[
        Column { name: "file", also: &["filename", "name", "video"], fallbacks: &[], needed: true },
        Column { name: "title", also: &["videotitle", "heading"], fallbacks: &[], needed: false },
        Column {
            name: "description",
            also: &["desc", "text", "details", "notes"],
            fallbacks: &[],
            needed: false,
        },
        Column {
            name: "date",
            also: &["uploaddate", "day", "filmed"],
            fallbacks: &[],
            needed: false,
        },
    ],
    unclear: &[],
    max_bytes: MAX_BYTES,
};
const FILE: usize = 0;
const TITLE: usize = 1;
const DESCRIPTION: usize = 2;
const DATE: usize = 3;

/// The result or preview of an import.
#[derive(Debug, Default, Serialize)]
pub struct FolderReport {
    pub year: i32,
    pub dry_run: bool,
    pub videos: Vec<FolderVideo>,
    /// Files that are not videos.
    pub ignored: Vec<String>,
    /// Folders inside the folder, which are not searched for videos.
    pub folders: Vec<String>,
    pub problems: Vec<FileProblem>,
    pub added: usize,
    /// Already in the archive.
    pub skipped: usize,
}

/// A file that was added, or is in the archive already.
#[derive(Debug, Serialize)]
pub struct FolderVideo {
    pub id: Uuid,
    pub file: String,
    pub title: String,
    pub date: NaiveDate,
}

#[derive(Debug, Serialize)]
pub struct FileProblem {
    pub file: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// What the table says about a file.
#[derive(Default)]
struct Described {
    title: String,
    description: String,
    date: String,
}

/// Imports all video files of a folder into the archive of that camp year. Each is published once
/// it is converted; nobody is notified. `progress` is called with the bytes so far and of all
/// files. An error that does not concern a single file ends the import; the report says where.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` or `year` when the folder as a whole is unusable.
pub async fn import_folder(
    app: &App,
    actor: Actor,
    folder: &Path,
    year: i32,
    dry_run: bool,
    mut progress: impl FnMut(u64, u64) + Send,
) -> Result<FolderReport> {
    let settings = app.settings().await?;
    check_year(year, clock::year_in(settings.timezone, app.clock.now()))?;
    let Listing { videos, tables, ignored, folders, problems } = list(folder)?;
    let mut described = read_tables(&tables).await?;
    for FileProblem { file, .. } in &problems {
        described.remove(&key(file));
    }
    let mut report =
        FolderReport { year, dry_run, ignored, folders, problems, ..FolderReport::default() };
    let all = videos.iter().map(|(_, size)| size).sum();
    let mut before = 0;
    let mut stopped = false;
    for (file, size) in videos {
        let text = described.remove(&key(&file)).unwrap_or_default();
        let tell = |done| progress(before + done, all);
        let found = Found { folder, file: &file, size, text: &text };
        match add(app, &settings, actor, &found, &mut report, tell).await {
            Ok(()) => {}
            Err(Error::Invalid(wrong)) => {
                let message = wrong.into_iter().map(|w| w.message).collect::<Vec<_>>().join(" ");
                report.problems.push(FileProblem { file, message });
            }
            Err(error) => {
                let message = format!(
                    "The import stopped here: {}. What was added stays; run it again to go on.",
                    error.reason().trim_end_matches('.')
                );
                report.problems.push(FileProblem { file, message });
                stopped = true;
                break;
            }
        }
        before += size;
    }
    let missing = described.into_keys().map(|file| FileProblem {
        file,
        message: "The table names this file, but it is not in the folder.".into(),
    });
    if !stopped {
        report.problems.extend(missing);
    }
    if !dry_run && report.added > 0 {
        let recorded = record(app, actor, &report).await;
        // If the database is gone, the report matters more than the audit record.
        if !stopped {
            recorded?;
        }
    }
    Ok(report)
}

async fn record(app: &App, actor: Actor, report: &FolderReport) -> Result<()> {
    let details = json!({
        "year": report.year, "added": report.added, "skipped": report.skipped,
        "problems": report.problems.len(),
    });
    let subject = Subject::none(SubjectKind::Video);
    let mut tx = app.db.begin().await?;
    audit::record(&mut tx, app.clock.now(), actor, Action::GalleryImport, subject, details).await?;
    tx.commit().await
}

#[derive(Default)]
struct Listing {
    /// Names and sizes.
    videos: Vec<(String, u64)>,
    tables: Vec<PathBuf>,
    ignored: Vec<String>,
    folders: Vec<String>,
    problems: Vec<FileProblem>,
}

/// The files of the folder by name.
fn list(folder: &Path) -> Result<Listing> {
    let unreadable = |error: std::io::Error| {
        let folder = folder.display();
        Error::invalid("file", format!("{folder} cannot be read: {error}. Please check its name."))
    };
    let mut listing = Listing::default();
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in root::on_named(|| std::fs::read_dir(folder)).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    for path in paths {
        listing.take(path);
    }
    let Listing { videos, folders, problems, .. } = &listing;
    match (videos.is_empty() && problems.is_empty(), folders.as_slice()) {
        (false, _) => Ok(listing),
        (true, []) => Err(Error::invalid("file", "There are no video files in this folder.")),
        (true, folders) => Err(Error::invalid(
            "file",
            format!(
                "There are no video files in this folder itself. Please import the folders in it one by one: {}.",
                folders.join(", ")
            ),
        )),
    }
}

impl Listing {
    fn take(&mut self, path: PathBuf) {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let end = file.rsplit('.').next().unwrap_or_default().to_lowercase();
        // The second kind are Excel's lock files.
        if file.starts_with('.') || file.starts_with("~$") {
            return;
        }
        let is_table = matches!(end.as_str(), "csv" | "xlsx");
        match look(&path) {
            Ok(Content::Folder) => self.folders.push(file),
            Ok(_) if is_table => self.tables.push(path),
            Ok(Content::Video(_))
                if path.file_name().is_some_and(|name| name.to_str().is_none()) =>
            {
                let message = "Its name is not readable text (UTF-8). Please rename the file and run this again.".into();
                self.problems.push(FileProblem { file, message });
            }
            Ok(Content::Video(size)) => self.videos.push((file, size)),
            Ok(Content::Other) if is_named_like_a_video(&path) => {
                let message =
                    "It has no picture or sound that can be read. It may be damaged, or not copied completely."
                        .into();
                self.problems.push(FileProblem { file, message });
            }
            Ok(Content::Other) => self.ignored.push(file),
            Err(error) => {
                let message = format!(
                    "It cannot be read: {error}. Please check the file and run this again."
                );
                self.problems.push(FileProblem { file, message });
            }
        }
    }
}

fn is_named_like_a_video(path: &Path) -> bool {
    mime_guess::from_path(path).iter().any(|kind| kind.type_() == "video")
}

enum Content {
    Folder,
    /// With its size.
    Video(u64),
    Other,
}

fn look(path: &Path) -> std::io::Result<Content> {
    use std::io::Read;
    let data = root::on_named(|| path.metadata())?;
    if data.is_dir() {
        return Ok(Content::Folder);
    }
    if !data.is_file() {
        return Ok(Content::Other);
    }
    let mut start = Vec::new();
    root::open_named(path)?.take(NEEDED_BYTES as u64).read_to_end(&mut start)?;
    Ok(if sniff(&start).is_some() { Content::Video(data.len()) } else { Content::Other })
}

async fn read_tables(tables: &[PathBuf]) -> Result<HashMap<String, Described>> {
    let mut described = HashMap::new();
    for path in tables {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut root::open_named(path)?, &mut bytes)?;
        let sheet = spreadsheet::open(bytes.as_slice().into(), &SHAPE).await.map_err(|error| {
            let Error::Invalid(wrong) = error else { return error };
            let message = wrong.into_iter().map(|w| w.message).collect::<Vec<_>>().join(" ");
            Error::invalid("file", format!("{name}: {message}"))
        })?;
        for row in sheet.rows {
            let cell = |column: usize| row.cell(column).trim().to_owned();
            let text =
                Described { title: cell(TITLE), description: cell(DESCRIPTION), date: cell(DATE) };
            described.insert(key(&cell(FILE)), text);
        }
    }
    Ok(described)
}

/// Names differ in case and in how accents are stored from one computer to another.
fn key(file: &str) -> String {
    crate::search_text::normalize_file_name(file)
}

struct Found<'a> {
    folder: &'a Path,
    file: &'a str,
    size: u64,
    text: &'a Described,
}

async fn add(
    app: &App,
    settings: &Settings,
    actor: Actor,
    found: &Found<'_>,
    report: &mut FolderReport,
    tell: impl FnMut(u64) + Send,
) -> Result<()> {
    let Found { folder, file, size, text } = *found;
    let new = described(text, file, report.year)?;
    new.check_texts(settings, app.clock.now())?;
    let id = id_of(report.year, file, size);
    let known: i64 =
        app.db.sql("select count(*) from videos where id = $1").bind(id).scalar().await?;
    let date = new.upload_date.unwrap_or_default();
    let video = FolderVideo { id, file: file.to_owned(), title: new.title.clone(), date };
    if known > 0 {
        report.skipped += 1;
    } else if !report.dry_run {
        let upload_id = add_file(app, settings, &folder.join(file), tell).await?;
        let mut tx = app.db.begin().await?;
        videos::add_upload(&mut tx, app, settings, actor, (id, upload_id), &new).await?;
        tx.commit().await?;
    }
    report.added += usize::from(known == 0);
    report.videos.push(video);
    Ok(())
}

fn described(text: &Described, file: &str, year: i32) -> Result<NewVideo> {
    let (title, named_date) = names::read(file);
    let date = match text.date.as_str() {
        "" => named_date,
        typed => Some(date::read(typed).map_err(|message| Error::invalid("date", message))?),
    };
    if let Some(date) = date.filter(|date| date.year() != year) {
        return Err(Error::invalid("date", format!("{date} is not in {year}.")));
    }
    Ok(NewVideo {
        title: if text.title.is_empty() { title } else { text.title.clone() },
        video_url: None,
        upload_id: None,
        description: Some(text.description.clone()),
        // The same default as the archive form of the staff area.
        upload_date: date.or(NaiveDate::from_ymd_opt(year, 7, 1)),
        status: Status::Published,
        scheduled_date: None,
        is_featured: false,
    })
}

/// The same file has the same id in every run.
fn id_of(year: i32, file: &str, size: u64) -> Uuid {
    let digest = Sha256::digest(format!("gallery folder\n{year}\n{}\n{size}", key(file)));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}
