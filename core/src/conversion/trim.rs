//! Cuts the files of a video that was converted before.

use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use super::GONE;
use crate::ffmpeg::{self, Converted, Cut, Failure, POSTER, Progress, Tools, needed_for_trim};
use crate::uploads::conversion::Conversion;
use crate::uploads::finished;
use crate::{App, Error, Result, videos};

const NOT_READ: &str = "The files of this video could not be read. Please try again.";
const NO_FFMPEG: &str =
    "ffmpeg is not installed. Please tell the person who runs the camp's server.";

/// Makes the files of a claimed upload from those of another one.
pub(super) async fn trim(
    app: &App,
    claimed: &Conversion,
    folder: &Path,
    progress: Progress,
) -> Result<(Converted, Cut), Failure> {
    let problem = |problem: &str| Failure { problem: problem.into(), log: String::new() };
    let tools = Tools::find(&app.config).ok_or_else(|| problem(NO_FFMPEG))?;
    let source = folder.join("source");
    tokio::fs::create_dir(&source).await?;
    let copied = copy(app, claimed.trims, &source).await;
    let copied = copied.map_err(|error| Failure { log: error.to_string(), ..problem(NOT_READ) })?;
    let sizes = copied.ok_or_else(|| problem(GONE))?;
    let seconds = |at: Option<i64>| at.unwrap_or_default() as f64;
    let wanted =
        Cut { start: seconds(claimed.trim_start_seconds), end: seconds(claimed.trim_end_seconds) };
    // ffmpeg works in the other folder.
    let absolute = std::path::absolute(&source)?;
    let (converted, cut) =
        ffmpeg::trim(&tools, (&absolute, &sizes), wanted, folder, Arc::clone(&progress)).await?;
    tokio::fs::remove_dir_all(&source).await?;
    // The new timeline has different pictures, so the one that staff chose is kept as it is.
    let kept = keep_poster(app, claimed.id, folder).await;
    kept.map_err(|error| Failure { log: error.to_string(), ..problem(NOT_READ) })?;
    Ok((converted, cut))
}

async fn keep_poster(app: &App, id: Uuid, folder: &Path) -> Result<()> {
    match videos::chosen_poster(app, id).await? {
        Some(key) => match app.files.copy_to(&key, &folder.join(POSTER)).await {
            // Without it, the video gets the picture that ffmpeg proposes.
            Err(Error::NotFound(_)) => Ok(()),
            copied => copied,
        },
        None => Ok(()),
    }
}

/// Copies the files that are needed. Returns the sizes, or `None` if they are gone.
async fn copy(app: &App, from: Option<Uuid>, to: &Path) -> Result<Option<Vec<(u32, u32)>>> {
    let Some(id) = from else { return Ok(None) };
    let Some((folder, sizes)) = finished(app, id).await? else { return Ok(None) };
    for name in needed_for_trim(&sizes) {
        app.files.copy_to(&format!("{folder}/{name}"), &to.join(name)).await?;
    }
    Ok(Some(sizes))
}
