//! Moderation of comments by staff.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{NOT_FOUND, Place, emit_removed, uncount};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::events::{self, Event};
use crate::{App, Error, Result, videos};

/// Deletes anybody's comment.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let gone: Option<Place> = tx
        .sql("delete from video_comments where id = $1 returning video_id, hidden_at")
        .bind(id)
        .optional()
        .await?;
    let place = gone.ok_or(NOT_FOUND)?;
    uncount(tx, &place).await?;
    let details = json!({ "video_id": place.video_id, "hidden": place.hidden_at.is_some() });
    record(tx, app, actor, Action::CommentDelete, id, details).await?;
    emit_removed(tx, app, &place, id);
    Ok(())
}

/// Hides a comment from readers, or keeps a held one hidden. Hiding it again changes nothing.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn hide(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let held: Option<(Uuid,)> = tx
        .sql(
            "update video_comments set held_at = null, hidden_at = $2, hidden_by = $3
             where id = $1 and held_at is not null
             returning video_id",
        )
        .bind(id)
        .bind(app.clock.now())
        .bind(actor.staff_id())
        .optional()
        .await?;
    if let Some((video_id,)) = held {
        let details = seen(video_id, "held", "hidden");
        return record(tx, app, actor, Action::CommentHide, id, details).await;
    }
    let hidden: Option<(Uuid,)> = tx
        .sql(
            "update video_comments set hidden_at = $2, hidden_by = $3
             where id = $1 and hidden_at is null
             returning video_id",
        )
        .bind(id)
        .bind(app.clock.now())
        .bind(actor.staff_id())
        .optional()
        .await?;
    let Some((video_id,)) = hidden else { return must_exist(tx, id).await };
    let place = Place { video_id, hidden_at: None };
    uncount(tx, &place).await?;
    record(tx, app, actor, Action::CommentHide, id, seen(video_id, "shown", "hidden")).await?;
    emit_removed(tx, app, &place, id);
    Ok(())
}

/// Makes a hidden comment visible again.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn show(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let shown: Option<(Uuid,)> = tx
        .sql(
            "update video_comments set hidden_at = null, hidden_by = null
             where id = $1 and hidden_at is not null and held_at is null
             returning video_id",
        )
        .bind(id)
        .optional()
        .await?;
    let Some((video_id,)) = shown else { return must_exist(tx, id).await };
    record_shown(tx, app, actor, Action::CommentShow, id, (video_id, "hidden")).await
}

/// Approves a held comment. Repeating it changes nothing.
///
/// # Errors
///
/// [`Error::NotFound`], and [`Error::Conflict`] when somebody hid it meanwhile.
pub async fn approve(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let approved: Option<(Uuid,)> = tx
        .sql(
            "update video_comments set hidden_at = null, held_at = null
             where id = $1 and held_at is not null
             returning video_id",
        )
        .bind(id)
        .optional()
        .await?;
    let Some((video_id,)) = approved else { return must_be_shown(tx, id).await };
    record_shown(tx, app, actor, Action::CommentApprove, id, (video_id, "held")).await
}

async fn record_shown(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    action: Action,
    id: Uuid,
    (video_id, before): (Uuid, &str),
) -> Result<()> {
    videos::add_to_comment_count(tx, video_id, 1).await?;
    record(tx, app, actor, action, id, seen(video_id, before, "shown")).await?;
    events::emit(tx, app.clock.now(), Event::CommentCreated { video_id, id });
    Ok(())
}

pub(super) async fn must_exist(tx: &mut Tx, id: Uuid) -> Result<()> {
    let comments: i64 =
        tx.sql("select count(*) from video_comments where id = $1").bind(id).scalar().await?;
    match comments {
        0 => Err(NOT_FOUND),
        _ => Ok(()),
    }
}

/// Fails for a comment that staff hid, so that nobody believes that families see it or that it
/// waits for review.
pub(super) async fn must_be_shown(tx: &mut Tx, id: Uuid) -> Result<()> {
    let hidden: Option<(bool,)> = tx
        .sql("select hidden_at is not null from video_comments where id = $1")
        .bind(id)
        .optional()
        .await?;
    match hidden {
        None => Err(NOT_FOUND),
        Some((true,)) => Err(Error::Conflict("This comment is already hidden.")),
        Some((false,)) => Ok(()),
    }
}

/// What readers see of a comment, before and after, for the audit log.
fn seen(video_id: Uuid, before: &str, after: &str) -> Value {
    json!({ "video_id": video_id, "comment": audit::changed(before, after) })
}

pub(super) async fn record(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    action: Action,
    id: Uuid,
    details: Value,
) -> Result<()> {
    let subject = Subject::new(SubjectKind::Comment, id);
    audit::record(tx, app.clock.now(), actor, action, subject, details).await
}
