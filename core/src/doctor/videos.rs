//! Checks ffmpeg, and that videos and their files belong together.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{Findings, counted};
use crate::config::Config;
use crate::ffmpeg::Tools;
use crate::jobs::{self, Job};
use crate::unused_files::RemoveFiles;
use crate::uploads::{self, RemoveUpload};
use crate::{App, Result};

const WHAT: &str = "video-files";
/// How many are named.
const NAMED: usize = 3;
/// More than ever wait.
const MAX_JOBS: i64 = 100_000;

pub(super) async fn examine_ffmpeg(config: &Config, found: &mut Findings) {
    const WHAT: &str = "ffmpeg";
    const TODO: &str = "apt install ffmpeg, or name the program with --ffmpeg (CAMP_FFMPEG).";
    match Tools::find(config) {
        None => found.warning(
            WHAT,
            "ffmpeg is not installed: only uploads that every phone plays already are accepted.",
            TODO,
        ),
        Some(tools) => match tools.version().await {
            Some(version) => found.ok(WHAT, format!("ffmpeg {version} converts uploaded videos.")),
            None => found.broken(WHAT, "ffmpeg is installed, but does not start.", TODO),
        },
    }
}

pub(super) async fn examine(app: &App, found: &mut Findings) {
    if let Err(error) = compare(app, found).await {
        let why = error.reason();
        found.not_checked(WHAT, format!("The files could not be compared: {why}."));
    }
}

/// A video with a file of its own.
#[derive(sqlx::FromRow)]
struct Shown {
    id: Uuid,
    file_key: String,
    thumbnail_key: Option<String>,
    /// The folder of its upload, unless the file was imported.
    folder: Option<String>,
    stored_bytes: Option<i64>,
}

/// What the database knows of the files of videos.
struct Known {
    shown: Vec<Shown>,
    /// The folders of all uploads, empty for those that are not ready.
    uploads: HashMap<String, Option<String>>,
    /// Keys and folders that a job will remove.
    removed_soon: Vec<String>,
}

impl Known {
    async fn read(app: &App) -> Result<Known> {
        let shown = app
            .db
            .sql(
                "select v.id, v.file_key, v.thumbnail_key, u.folder, u.stored_bytes
                 from videos v
                 left join uploads u on u.id = v.media_upload_id
                 where v.file_key is not null
                 order by v.id",
            )
            .all()
            .await?;
        let uploads: Vec<(Uuid, Option<String>)> =
            app.db.sql("select id, folder from uploads").all().await?;
        let uploads = uploads.into_iter().map(|(id, folder)| (id.to_string(), folder)).collect();
        let jobs = jobs::list(&app.db, MAX_JOBS).await?.into_iter();
        let removed_soon = jobs
            .filter(|job| job.state != "failed")
            .filter(|job| [RemoveUpload::NAME, RemoveFiles::NAME].contains(&job.name.as_str()))
            .flat_map(|job| {
                ["folder", "file_key", "thumbnail_key"]
                    .map(|field| job.args[field].as_str().map(str::to_owned))
            })
            .flatten()
            .collect();
        Ok(Known { shown, uploads, removed_soon })
    }

    /// Whether something belongs to a file of the store. Files under another prefix belong to the
    /// store and to the pages.
    fn uses(&self, key: &str) -> bool {
        let is_in =
            |folder: &str| key.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let Some(rest) = key.strip_prefix("videos/") else { return true };
        let upload = rest.split('/').next().and_then(|id| self.uploads.get(id));
        // An upload that is being converted may be storing its files.
        upload.is_some_and(|folder| folder.as_deref().is_none_or(is_in))
            || self
                .shown
                .iter()
                .any(|video| video.file_key == key || video.thumbnail_key.as_deref() == Some(key))
            || self.removed_soon.iter().any(|gone| gone == key || is_in(gone))
    }
}

async fn compare(app: &App, found: &mut Findings) -> Result<()> {
    // The database first: a file that is replaced meanwhile stays for a day.
    let known = Known::read(app).await?;
    let stored = app.files.list().await?;
    let mut is_well = examine_shown(&known, &stored, found);
    let unused = stored.iter().filter(|(key, _)| !known.uses(key));
    let unused: Vec<(String, u64)> = unused.cloned().collect();
    is_well &= unused.is_empty();
    tell_unused(&unused, "They can be removed from the folder or bucket of --storage-url.", found);
    let staged = uploads::left_over(app).await?.into_iter();
    let staged: Vec<(String, u64)> =
        staged.map(|(path, size)| (path.display().to_string(), size)).collect();
    is_well &= staged.is_empty();
    tell_unused(&staged, "The worker removes them within an hour. Does it run?", found);
    if is_well {
        let count = counted(known.shown.len() as i64, "video");
        found.ok(
            WHAT,
            format!("{count} with their own files have them, and there are no unused files."),
        );
    }
    Ok(())
}

/// Compares the files that videos show with what is stored.
fn examine_shown(known: &Known, stored: &[(String, u64)], found: &mut Findings) -> bool {
    let keys: HashSet<&str> = stored.iter().map(|(key, _)| key.as_str()).collect();
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    for (key, size) in stored {
        let folder = key.rsplit_once('/').map_or("", |(folder, _)| folder);
        *sizes.entry(folder).or_default() += size;
    }
    let is_complete = |video: &Shown| match (&video.folder, video.stored_bytes) {
        (Some(folder), Some(bytes)) => sizes.get(folder.as_str()) == Some(&(bytes as u64)),
        _ => true,
    };
    let (there, without): (Vec<&Shown>, Vec<&Shown>) =
        known.shown.iter().partition(|video| keys.contains(video.file_key.as_str()));
    let damaged: Vec<&Shown> = there.into_iter().filter(|video| !is_complete(video)).collect();
    for (videos, problem) in [(&without, "missing"), (&damaged, "incomplete")] {
        if videos.is_empty() {
            continue;
        }
        let ids: Vec<String> = videos.iter().map(|video| video.id.to_string()).collect();
        let count = counted(ids.len() as i64, "video");
        found.broken(
            WHAT,
            format!("The files of {count} are {problem}: {}.", named(&ids)),
            "Upload it again in the staff area (edit the video), or restore a backup.",
        );
    }
    without.is_empty() && damaged.is_empty()
}

fn tell_unused(files: &[(String, u64)], todo: &str, found: &mut Findings) {
    if files.is_empty() {
        return;
    }
    let bytes: u64 = files.iter().map(|(_, size)| size).sum();
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    found.warning(
        WHAT,
        format!(
            "{} of no video take {:.1} MB: {}.",
            counted(names.len() as i64, "file"),
            bytes as f64 / 1e6,
            named(&names)
        ),
        todo,
    );
}

fn named(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
