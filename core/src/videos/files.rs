//! The portal's own video and picture files.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{NOT_FOUND, NewVideo, Status};
use crate::access::Viewer;
use crate::jobs::Job;
use crate::settings::Settings;
use crate::{App, Result};

/// A video whose file lies in the object store already.
#[derive(Debug, Clone)]
pub struct OwnVideo {
    /// Its `video_url` is of no account.
    pub video: NewVideo,
    pub file_key: String,
    pub thumbnail_key: Option<String>,
    pub content_type: String,
    pub duration_seconds: Option<i64>,
    /// For what was published long ago; nobody is told of it any more.
    pub published_at: Option<DateTime<Utc>>,
}

/// A file to be sent to somebody who may have it.
#[derive(Debug, Clone)]
pub struct Media {
    pub key: String,
    pub content_type: Option<String>,
}

/// The file of a video. Errors as for the video's page: [`crate::Error::NotFound`] for what is not
/// published, save to staff, who look at drafts too, and the refusals of [`Viewer::must_watch`].
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

/// The picture of a video; errors as in [`video_file`].
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

/// Removes the files of a video that is gone, unless another video uses them too.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveFiles {
    pub file_key: Option<String>,
    pub thumbnail_key: Option<String>,
}

impl Job for RemoveFiles {
    const NAME: &'static str = "remove_files";

    async fn run(self, app: &App) -> Result<()> {
        for key in [self.file_key, self.thumbnail_key].into_iter().flatten() {
            let users: i64 = app
                .db
                .sql("select count(*) from videos where file_key = $1 or thumbnail_key = $1")
                .bind(&key)
                .scalar()
                .await?;
            if users == 0 {
                app.files.remove(&key).await?;
            }
        }
        Ok(())
    }
}
