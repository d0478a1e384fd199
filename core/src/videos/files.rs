//! The portal's own video and picture files.

use serde::Serialize;
use uuid::Uuid;

use super::{NOT_FOUND, NewVideo, Status};
use crate::access::{Access, Viewer};
use crate::settings::Settings;
use crate::{App, Error, Result, ffmpeg};

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
    /// Whether its content never changes, because its address names the upload. Then everybody may
    /// cache it.
    pub immutable: bool,
}

/// Returns the file of a video.
///
/// # Errors
///
/// As for the video's page: [`Error::NotFound`] for an unpublished video, except for staff,
/// who may see drafts, and the errors of [`Viewer::must_watch`].
pub async fn video_file(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
) -> Result<Media> {
    let row = app.db.cached(("video file", id, Uuid::nil()), async {
        let row = app.db.sql("select status, file_key, content_type from videos where id = $1");
        row.bind(id).optional().await
    });
    let (_, key, content_type) = guard(settings, viewer, row.await?)?;
    Ok(Media { key, content_type, immutable: false })
}

/// A file that viewers keep.
#[derive(Debug, Clone)]
pub struct Download {
    pub media: Media,
    /// The title of the video.
    pub title: String,
}

/// Returns the file of a video that staff allow viewers to keep.
///
/// # Errors
///
/// As for [`video_file`], and [`Error::NotFound`] where staff do not allow it.
pub async fn download(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
) -> Result<Download> {
    let row: Option<(bool, String)> = app
        .db
        .sql("select is_downloadable, title from videos where id = $1")
        .bind(id)
        .optional()
        .await?;
    let (is_downloadable, title) = row.ok_or(NOT_FOUND)?;
    if !is_downloadable && viewer.staff_id.is_none() {
        return Err(NOT_FOUND);
    }
    Ok(Download { media: video_file(app, settings, viewer, id).await?, title })
}

/// Returns the picture of a video.
///
/// # Errors
///
/// As for [`video_file`].
pub async fn thumbnail(app: &App, settings: &Settings, viewer: &Viewer, id: Uuid) -> Result<Media> {
    let row = app.db.cached(("thumbnail", id, Uuid::nil()), async {
        app.db
            .sql("select status, thumbnail_key, cast(null as text) from videos where id = $1")
            .bind(id)
            .optional()
            .await
    });
    let (_, key, content_type) = guard(settings, viewer, row.await?)?;
    Ok(Media { key, content_type, immutable: false })
}

/// Returns a file of the conversion of a video: a playlist, a size, a poster, or the pictures for the
/// seek bar. `upload_id` is the upload that the video shows; the files of a replaced one are gone.
///
/// # Errors
///
/// As for [`video_file`].
pub async fn converted_file(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
    upload_id: Uuid,
    name: &str,
) -> Result<Media> {
    if !ffmpeg::is_output(name) {
        return Err(NOT_FOUND);
    }
    let row = app.db.cached(("converted file", id, upload_id), async {
        app.db
            .sql(
                "select v.status, u.folder, cast(null as text)
                 from videos v
                 join uploads u on u.id = v.media_upload_id
                 where v.id = $1 and u.id = $2 and u.state = 'ready'",
            )
            .bind(id)
            .bind(upload_id)
            .optional()
            .await
    });
    let (status, folder, _) = guard(settings, viewer, row.await?)?;
    let public = status == Status::Published && settings.watch_access() == Access::Everyone;
    let content_type = content_type(name).to_owned();
    Ok(Media {
        key: format!("{folder}/{name}"),
        content_type: Some(content_type),
        immutable: public,
    })
}

/// A file that a video shows and that was not converted yet.
#[derive(Debug)]
pub(crate) struct UnconvertedFile {
    pub key: String,
    /// For people.
    pub name: String,
}

/// Returns the file that a video shows, if it was not converted yet.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for a link, and for a file that was converted already.
pub(crate) async fn unconverted_file(app: &App, id: Uuid) -> Result<UnconvertedFile> {
    // A file that was stored as it came, without ffmpeg, has no other sizes.
    let row: Option<(Option<String>, Option<String>, bool)> = app
        .db
        .sql(
            "select v.file_key, u.file_name, coalesce(u.renditions <> '[]', false)
             from videos v
             left join uploads u on u.id = v.media_upload_id
             where v.id = $1",
        )
        .bind(id)
        .optional()
        .await?;
    match row.ok_or(NOT_FOUND)? {
        (Some(key), name, false) => {
            let name = name.or_else(|| Some(key.rsplit('/').next()?.to_owned()));
            Ok(UnconvertedFile { name: name.unwrap_or_default(), key })
        }
        (None, ..) => Err(Error::Conflict("This video has no file of its own.")),
        (.., true) => Err(Error::Conflict("The file of this video is converted already.")),
    }
}

/// A video whose file was not converted yet.
#[derive(Debug, Clone, Serialize, sqlx::FromRow)]
pub struct Unconverted {
    pub id: Uuid,
    pub title: String,
}

/// Returns the videos whose files were not converted yet: those that families see, the newest first,
/// and then the others.
pub async fn unconverted(app: &App, limit: i64) -> Result<Vec<Unconverted>> {
    app.db
        .sql(
            "select v.id, v.title
             from videos v
             where v.file_key is not null
               and not exists (select 1 from uploads u
                               where u.video_id = v.id
                                 and (u.state <> 'ready' or u.renditions <> '[]'))
             order by case when v.status = 'published' then 0 else 1 end,
                      v.upload_date desc, v.published_at desc, v.id desc
             limit $1",
        )
        .bind(limit)
        .all()
        .await
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("m3u8") => "application/vnd.apple.mpegurl",
        Some("vtt") => "text/vtt; charset=utf-8",
        Some("jpg") => "image/jpeg",
        _ => "video/mp4",
    }
}

type Row = (Status, Option<String>, Option<String>);

fn guard(
    settings: &Settings,
    viewer: &Viewer,
    row: Option<Row>,
) -> Result<(Status, String, Option<String>)> {
    let Some((status, Some(key), content_type)) = row else { return Err(NOT_FOUND) };
    if status != Status::Published && viewer.staff_id.is_none() {
        return Err(NOT_FOUND);
    }
    viewer.must_watch(settings.watch_access())?;
    Ok((status, key, content_type))
}
