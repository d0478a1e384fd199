//! Checks ffmpeg, and that videos and their files belong together.

use std::collections::HashSet;

use uuid::Uuid;

use super::{Findings, counted};
use crate::config::Config;
use crate::ffmpeg::Tools;
use crate::{App, Result};

/// How many are named.
const NAMED: usize = 3;

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
            Some(version) => {
                found.well(WHAT, format!("ffmpeg {version} converts uploaded videos."))
            }
            None => found.broken(WHAT, "ffmpeg is installed, but does not start.", TODO),
        },
    }
}

pub(super) async fn examine(app: &App, found: &mut Findings) {
    if let Err(error) = compare(app, found).await {
        let why = error.reason();
        found.not_checked("video-files", format!("The files could not be compared: {why}."));
    }
}

async fn compare(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "video-files";
    let stored = app.files.list().await?;
    let keys: HashSet<&str> = stored.iter().map(|(key, _)| key.as_str()).collect();
    let shown: Vec<(Uuid, String)> = app
        .db
        .sql("select id, file_key from videos where file_key is not null order by id")
        .all()
        .await?;
    let without: Vec<String> = shown
        .iter()
        .filter(|(_, key)| !keys.contains(key.as_str()))
        .map(|(id, _)| id.to_string())
        .collect();
    let uploads: Vec<(Uuid,)> = app.db.sql("select id from uploads").all().await?;
    let uploads: HashSet<String> = uploads.iter().map(|(id,)| id.to_string()).collect();
    let used: HashSet<&str> = shown.iter().map(|(_, key)| key.as_str()).collect();
    // Files under another prefix belong to the store and to the pages.
    let unused: Vec<&(String, u64)> = stored
        .iter()
        .filter(|(key, _)| {
            let upload = key.strip_prefix("videos/").and_then(|rest| rest.split('/').next());
            upload.is_some_and(|id| !uploads.contains(id)) && !used.contains(key.as_str())
        })
        .collect();
    if !without.is_empty() {
        found.broken(
            WHAT,
            format!(
                "The files of {} are missing: {}.",
                counted(without.len() as i64, "video"),
                named(&without)
            ),
            "Upload it again in the staff area (edit the video), or restore a backup.",
        );
    }
    if !unused.is_empty() {
        let bytes: u64 = unused.iter().map(|(_, size)| size).sum();
        let names: Vec<String> = unused.iter().map(|(key, _)| key.clone()).collect();
        found.warning(
            WHAT,
            format!(
                "{} of no video take {:.1} MB: {}.",
                counted(unused.len() as i64, "file"),
                bytes as f64 / 1e6,
                named(&names)
            ),
            "They can be removed from the folder or bucket of --storage-url.",
        );
    }
    if without.is_empty() && unused.is_empty() {
        let count = counted(shown.len() as i64, "video");
        found.well(
            WHAT,
            format!("{count} with files of their own have them, and no file is left over."),
        );
    }
    Ok(())
}

fn named(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
