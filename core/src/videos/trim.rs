//! Staff cut off the ends of a video.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::admin::must_exist;
use super::own_file::is_prepared;
use super::{captions, chapters, positions};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::ffmpeg::Cut;
use crate::uploads::{self, NewTrim};
use crate::validation::Validator;
use crate::{App, Error, Result};

/// What stays of a video.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Trim {
    pub start_seconds: i64,
    pub end_seconds: i64,
}

/// Begins to cut off the ends of a converted video. Until that is done, the video shows what it
/// showed before.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] for a video without converted files
/// and while another file of it is being prepared.
pub async fn trim(tx: &mut Tx, app: &App, actor: Actor, id: Uuid, trim: Trim) -> Result<()> {
    must_exist(&mut *tx, id).await?;
    let shown: Option<(Uuid, Option<i64>)> = tx
        .sql(
            "select u.id, v.duration_seconds
             from videos v
             join uploads u on u.id = v.media_upload_id
             where v.id = $1 and u.state = 'ready' and u.renditions <> '[]'",
        )
        .bind(id)
        .optional()
        .await?;
    let Some((upload_id, duration)) = shown else {
        return Err(Error::Conflict("Only a file that was uploaded and converted can be trimmed."));
    };
    if is_prepared(tx, id).await? {
        return Err(Error::Conflict("Another file of this video is being prepared."));
    }
    let Trim { start_seconds, end_seconds } = trim;
    let duration = duration.unwrap_or_default();
    let mut checks = Validator::new();
    checks.require(
        start_seconds >= 0,
        "start_seconds",
        "The start cannot be before the beginning.",
    );
    checks.require(end_seconds > start_seconds, "end_seconds", "The end must be after the start.");
    checks.require(
        end_seconds <= duration,
        "end_seconds",
        "The end is after the end of the video.",
    );
    let is_cut = start_seconds > 0 || end_seconds < duration;
    checks.require(is_cut, "end_seconds", "Please enter a later start or an earlier end.");
    checks.done()?;
    // Removes an earlier trim that failed.
    uploads::remove_pending(tx, app, id, upload_id).await?;
    let staff_id = actor.staff_id();
    let new = NewTrim { video_id: id, staff_id, upload_id, start_seconds, end_seconds };
    uploads::begin_trim(tx, app, &new).await?;
    let details = json!({ "start_seconds": start_seconds, "end_seconds": end_seconds });
    let subject = Subject::new(SubjectKind::Video, id);
    audit::record(tx, app.clock.now(), actor, Action::VideoTrim, subject, details).await
}

/// Moves chapters, captions and the places where viewers stopped along with the cut of the video of an upload.
pub(crate) async fn follow_cut(
    tx: &mut Tx,
    now: DateTime<Utc>,
    upload_id: Uuid,
    cut: Cut,
) -> Result<()> {
    let video: Option<(Uuid, Option<String>)> = tx
        .sql(
            "select v.id, v.chapters
             from videos v
             join uploads u on u.video_id = v.id
             where u.id = $1",
        )
        .bind(upload_id)
        .optional()
        .await?;
    let Some((id, lines)) = video else { return Ok(()) };
    // A form that was opened before has chapters of the old timeline.
    tx.sql("update videos set chapters = $2, version = version + 1 where id = $1")
        .bind(id)
        .bind(chapters::cut(lines.as_deref(), cut))
        .execute()
        .await?;
    positions::cut(tx, id, cut).await?;
    captions::cut(tx, now, id, cut).await
}
