//! How uploads come to their videos, and how failed ones are tried again.

use serde_json::json;
use uuid::Uuid;

use super::conversion::wait_again;
use super::{ConvertVideo, NOT_FOUND, NOT_KEPT, State, Upload, find, shown};
use crate::audit::{self, Action, Actor};
use crate::db::Tx;
use crate::{App, Error, Result, jobs};

/// An upload that a form is saved with.
pub(crate) struct Claimed {
    pub file_name: String,
    pub state: State,
}

/// Takes an upload for a video. The row stays locked until the end of the transaction, so that a
/// conversion that ends at the same time sees either no video or this one.
///
/// # Errors
///
/// [`Error::Invalid`] on `upload_id` for an upload that is gone, failed or another video's.
pub(crate) async fn claim(tx: &mut Tx, id: Uuid, video_id: Option<Uuid>) -> Result<Claimed> {
    let refuse = |text: String| Err(Error::invalid("upload_id", text));
    let row: Option<(String, State, Option<String>, Option<Uuid>)> = tx
        .sql("update uploads set progress = progress where id = $1 returning file_name, state, problem, video_id")
        .bind(id)
        .optional()
        .await?;
    match row {
        None => refuse("This file no longer exists. Please upload it again.".into()),
        Some((.., Some(other))) if video_id != Some(other) => {
            refuse("This file belongs to another video. Please upload it again.".into())
        }
        Some((_, State::Failed, problem, None)) => refuse(problem.unwrap_or_default()),
        Some((file_name, state, ..)) => Ok(Claimed { file_name, state }),
    }
}

/// Gives a claimed upload to a video.
pub(crate) async fn attach(tx: &mut Tx, id: Uuid, video_id: Uuid) -> Result<()> {
    tx.sql("update uploads set video_id = $2 where id = $1")
        .bind(id)
        .bind(video_id)
        .execute()
        .await?;
    Ok(())
}

/// Enqueues the conversion of a failed upload again.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for one that did not fail or of which nothing is left.
pub async fn retry(app: &App, actor: Actor, id: Uuid) -> Result<Upload> {
    let row = find(&app.db, id).await?.ok_or(NOT_FOUND)?;
    if row.state == State::Failed && !row.can_be_converted_again(app).await? {
        return Err(Error::Conflict(NOT_KEPT));
    }
    let mut tx = app.db.begin().await?;
    if !wait_again(&mut tx, app, id).await? {
        return Err(Error::Conflict("This upload did not fail."));
    }
    let details = json!({ "file_name": row.file_name, "problem": row.problem });
    let now = app.clock.now();
    audit::record(&mut tx, now, actor, Action::VideoUploadRetry, row.subject(), details).await?;
    jobs::enqueue(&mut tx, app, &ConvertVideo { upload_id: id }).await?;
    let row = find(&mut tx, id).await?.ok_or(NOT_FOUND)?;
    tx.commit().await?;
    shown(app, vec![row]).await?.pop().ok_or(NOT_FOUND)
}
