//! Video files that staff upload: they arrive in resumable pieces, are checked and wait for their
//! conversion.
//!
//! The bytes are in one file per upload beside the database. Its length is the offset at which the
//! upload continues, so that nothing that arrived is lost when a connection or the server fails.

mod attach;
mod content;
pub(crate) mod conversion;
mod create;
mod local;
mod mp4;
mod mp4_metadata;
mod prune;
mod receive;
mod remove;
mod trim;

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::audit::{Subject, SubjectKind};
use crate::db::{On, with_ids};
use crate::ids::StaffId;
use crate::{App, Error, Result};

pub use attach::retry;
pub(crate) use attach::{Claimed, attach, claim};
pub use create::{NewUpload, Space, create, shown_size, space};
pub(crate) use local::add_file;
pub(crate) use mp4_metadata::remove_metadata;
pub(crate) use prune::left_over;
pub use prune::prune;
pub use receive::{Checksum, Received, offset, receive};
pub use remove::RemoveUpload;
pub(crate) use remove::discard;
pub(crate) use remove::{remove_all, remove_others, remove_pending};
pub(crate) use trim::{NewTrim, begin_trim, finished};

pub(crate) const NOT_FOUND: Error = Error::NotFound("This upload no longer exists.");
const NOT_KEPT: &str = "This file was not kept. Please upload it again.";

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = UploadState)]
pub enum State {
    /// Its bytes are arriving.
    Uploading,
    /// Complete and checked; its conversion has not begun.
    Waiting,
    Converting,
    Ready,
    Failed,
}

/// A video file of staff, from its first byte to its conversion.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Upload {
    pub id: Uuid,
    /// The video that it is for; empty until a form is saved with it.
    #[schema(required)]
    pub video_id: Option<Uuid>,
    /// As the file was called on the computer of the person who sent it.
    pub file_name: String,
    pub size_bytes: i64,
    pub received_bytes: i64,
    pub state: State,
    /// The progress of the conversion, in percent.
    pub progress: i64,
    /// Why it failed, for staff.
    #[schema(required)]
    pub problem: Option<String>,
    /// Whether it failed and can be converted again. A file that was refused for its content is not
    /// kept.
    pub can_retry: bool,
    /// The end of the converter's output when it failed.
    #[schema(required)]
    pub log: Option<String>,
    /// Whether it is made from the file that the video shows, by cutting its ends off.
    pub is_trim: bool,
    /// The user name of the staff account that uploaded it.
    #[schema(required)]
    pub uploaded_by: Option<String>,
    /// What viewers can choose from, the best first.
    pub renditions: Vec<Rendition>,
    pub created_at: DateTime<Utc>,
}

/// A video in one size.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UploadRendition)]
pub struct Rendition {
    pub height: i64,
    pub width: i64,
    pub size_bytes: i64,
}

/// Converts a complete upload for viewers.
#[derive(Debug, Serialize, Deserialize)]
pub struct ConvertVideo {
    pub upload_id: Uuid,
}

#[derive(Debug, sqlx::FromRow)]
struct Row {
    id: Uuid,
    staff_id: Option<StaffId>,
    video_id: Option<Uuid>,
    file_name: String,
    size_bytes: i64,
    state: State,
    progress: i64,
    attempts: i64,
    problem: Option<String>,
    log: Option<String>,
    is_trim: bool,
    uploaded_by: Option<String>,
    renditions: Option<String>,
    created_at: DateTime<Utc>,
}

impl Row {
    /// For the audit log.
    fn subject(&self) -> Subject {
        match self.video_id {
            Some(id) => Subject::new(SubjectKind::Video, id),
            None => Subject::none(SubjectKind::Video),
        }
    }

    /// Whether its file is still there, complete and checked: its conversion was begun once.
    async fn is_kept(&self, app: &App) -> Result<bool> {
        Ok(self.attempts > 0 && received(app, self.id).await? == self.size_bytes)
    }

    /// The file of a trim is that of the video.
    async fn can_be_converted_again(&self, app: &App) -> Result<bool> {
        Ok(self.is_trim || self.is_kept(app).await?)
    }
}

const ROW: &str =
    "select u.id, u.staff_id, u.video_id, u.file_name, u.size_bytes, u.state, u.progress,
                u.attempts, u.problem, u.log, u.trim_end_seconds is not null as is_trim,
                t.username as uploaded_by, u.renditions, u.created_at
         from uploads u left join staff t on t.id = u.staff_id ";

/// The file with the bytes of an upload until it is ready.
pub fn staged(app: &App, id: Uuid) -> PathBuf {
    folder(app).join(id.to_string())
}

fn folder(app: &App) -> PathBuf {
    folder_in(&app.config.data_dir)
}

pub(crate) fn folder_in(data_dir: &Path) -> PathBuf {
    data_dir.join("uploads")
}

/// The names of the files of uploads that are complete and not ready: of those that wait for their
/// conversion, and of those whose conversion may be tried again.
pub(crate) async fn unconverted(on: impl Into<On<'_>>) -> Result<Vec<PathBuf>> {
    let ids: Vec<(Uuid,)> = on
        .into()
        .sql(
            "select id from uploads where state in ('waiting', 'converting', 'failed') order by id",
        )
        .all()
        .await?;
    Ok(ids.into_iter().map(|(id,)| id.to_string().into()).collect())
}

/// Returns the uploads that belong to no video yet or are not ready, the oldest first.
pub async fn list(app: &App) -> Result<Vec<Upload>> {
    let rows = app
        .db
        .sql([
            ROW,
            "where u.state <> 'ready' or u.video_id is null order by u.created_at, u.id limit 500",
        ])
        .all()
        .await?;
    shown(app, rows).await
}

/// Returns the uploads of these videos: of each the newest one that is not ready, or else the one
/// that is served.
pub(crate) async fn of_videos(
    app: &App,
    on: impl Into<On<'_>>,
    videos: impl Iterator<Item = Uuid>,
) -> Result<Vec<Upload>> {
    let rows: Vec<Row> = on
        .into()
        .either(with_ids(
            [ROW, "where u.video_id in "],
            "$1",
            " order by case when u.state = 'ready' then 1 else 0 end, u.created_at desc, u.id desc",
        ))
        .bind_ids(videos)
        .all()
        .await?;
    shown(app, rows).await
}

async fn find(on: impl Into<On<'_>>, id: Uuid) -> Result<Option<Row>> {
    on.into().sql([ROW, "where u.id = $1"]).bind(id).optional().await
}

async fn shown(app: &App, rows: Vec<Row>) -> Result<Vec<Upload>> {
    let mut uploads = Vec::with_capacity(rows.len());
    for row in rows {
        let can_retry = row.state == State::Failed && row.can_be_converted_again(app).await?;
        let received_bytes = match row.state {
            State::Uploading => received(app, row.id).await?,
            _ => row.size_bytes,
        };
        let renditions = row.renditions.as_deref().map(serde_json::from_str).transpose();
        uploads.push(Upload {
            id: row.id,
            video_id: row.video_id,
            file_name: row.file_name,
            size_bytes: row.size_bytes,
            received_bytes,
            state: row.state,
            progress: row.progress,
            problem: row.problem,
            can_retry,
            log: row.log.filter(|log| !log.is_empty()),
            is_trim: row.is_trim,
            uploaded_by: row.uploaded_by,
            renditions: renditions.map_err(Error::unforeseen)?.unwrap_or_default(),
            created_at: row.created_at,
        });
    }
    Ok(uploads)
}

/// The bytes that arrived so far.
async fn received(app: &App, id: Uuid) -> Result<i64> {
    match tokio::fs::metadata(staged(app, id)).await {
        Ok(file) => Ok(file.len() as i64),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}
