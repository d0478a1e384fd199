//! The portal's own video and picture files.

use uuid::Uuid;

use super::{NOT_FOUND, NewVideo, Status};
use crate::access::Viewer;
use crate::settings::Settings;
use crate::{App, Result};

/// A video whose file is already in the object store.
#[derive(Debug, Clone)]
pub struct OwnVideo {
    /// Its `video_url` is ignored.
    pub video: NewVideo,
    pub file_key: String,
    pub thumbnail_key: Option<String>,
    pub content_type: String,
    pub duration_seconds: Option<i64>,
}

/// A file that the viewer may download.
#[derive(Debug, Clone)]
pub struct Media {
    pub key: String,
    pub content_type: Option<String>,
}

/// Returns the file of a video.
///
/// # Errors
///
/// As for the video's page: [`crate::Error::NotFound`] for an unpublished video, except for staff,
/// who may see drafts, and the errors of [`Viewer::must_watch`].
pub async fn video_file(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
) -> Result<Media> {
    let row = app.db.sql("select status, file_key, content_type from videos where id = $1");
    let (key, content_type) = guard(settings, viewer, row.bind(id).optional().await?)?;
    Ok(Media { key, content_type })
}

/// Returns the picture of a video. Errors as in [`video_file`].
pub async fn thumbnail(app: &App, settings: &Settings, viewer: &Viewer, id: Uuid) -> Result<Media> {
    let row = app
        .db
        .sql("select status, thumbnail_key, cast(null as text) from videos where id = $1")
        .bind(id)
        .optional()
        .await?;
    let (key, content_type) = guard(settings, viewer, row)?;
    Ok(Media { key, content_type })
}

type Row = (Status, Option<String>, Option<String>);

fn guard(
    settings: &Settings,
    viewer: &Viewer,
    row: Option<Row>,
) -> Result<(String, Option<String>)> {
    let Some((status, Some(key), content_type)) = row else { return Err(NOT_FOUND) };
    if status != Status::Published && viewer.staff_id.is_none() {
        return Err(NOT_FOUND);
    }
    viewer.must_watch(settings.access)?;
    Ok((key, content_type))
}
