//! How staff change and delete videos.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::admin::{AdminVideo, find_for_staff};
use super::own_file::{attach, choose_poster, has_no_file, remove_files, waits};
use super::publish::{Change, publish_change};
use super::record::{Source, differences, find, set_source, update};
use super::{NOT_FOUND, Status, VideoChanges, chapters};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::events::{self, Event};
use crate::settings::Settings;
use crate::unused_files::{RemoveFiles, remove_unused};
use crate::{App, Error, Result, uploads};

/// A saved video, and how many mails its publication queued.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SavedVideo)]
pub struct Saved {
    pub video: AdminVideo,
    pub notified: i64,
    /// When the mails go out; empty for at once.
    pub mail_at: Option<DateTime<Utc>>,
}

/// Changes a video. The first publication notifies families, no other change does.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Stale`], [`Error::Invalid`]
pub async fn edit(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
    changes: &VideoChanges,
) -> Result<Saved> {
    let now = app.clock.now();
    let old = find(tx, id).await?.ok_or(NOT_FOUND)?;
    if old.version != changes.version {
        return Err(Error::Stale);
    }
    let mut new = changes.apply(&old, settings, now)?;
    let file = match changes.upload_id {
        Some(upload_id) => Some(attach(tx, app, id, upload_id).await?),
        None => None,
    };
    // Removes chapters after the end of the new file. If it is not ready yet, this is done once it
    // is.
    if let Some(upload_id) = changes.upload_id
        && let Some(seconds) = shown_seconds(tx, id, upload_id).await?
    {
        new.chapters = chapters::ending_at(new.chapters.as_deref(), seconds);
    }
    if new.source.video_url != old.source.video_url {
        // Uploads before the video, as conversions write them, so that the two never wait for each other.
        uploads::remove_others(tx, app, id, None).await?;
        set_source(tx, id, &new, None).await?;
        remove_files(tx, app, &old.source, &new.source).await?;
    }
    if let Some(poster) = changes.poster {
        choose_poster(tx, app, id, poster).await?;
    }
    if new.status != Status::Draft && has_no_file(tx, id).await? {
        let message = format!("“{}” has no file yet. Please choose one first.", new.title);
        return Err(Error::invalid("video_url", message));
    }
    if waits(tx, id).await? {
        new = new.when_ready(Some(&old), now);
    }
    let new = new.published_now(now);
    if !update(tx, id, &new, changes.chapters.is_some(), now).await? {
        return Err(Error::Stale);
    }
    let mut details = differences(&old, &new);
    if let Some(file_name) = file {
        details["file"] = json!(file_name);
    }
    if let Some(poster) = changes.poster {
        details["poster"] = json!(poster);
    }
    audit::record(tx, now, actor, Action::VideoEdit, Subject::new(SubjectKind::Video, id), details)
        .await?;
    let change = Change { id, old: Some(&old), new: &new, details: Value::Null };
    let publication = publish_change(tx, app, settings, actor, change).await?;
    saved(tx, app, settings, id, publication.notified).await
}

/// Returns the length of an upload, in seconds, if the video shows it.
async fn shown_seconds(tx: &mut Tx, id: Uuid, upload_id: Uuid) -> Result<Option<i64>> {
    let shown: Option<(Option<i64>,)> = tx
        .sql("select duration_seconds from videos where id = $1 and media_upload_id = $2")
        .bind(id)
        .bind(upload_id)
        .optional()
        .await?;
    Ok(shown.and_then(|(seconds,)| seconds))
}

/// Deletes a video with its comments, likes and files. Mails about it that still wait are not sent.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let old = find(tx, id).await?.ok_or(NOT_FOUND)?;
    uploads::remove_all(tx, app, id).await?;
    let comments: Option<(i64,)> = tx
        .sql("delete from videos where id = $1 returning comment_count")
        .bind(id)
        .optional()
        .await?;
    let (comments,) = comments.ok_or(NOT_FOUND)?;
    let details = json!({
        "title": old.title, "status": old.status, "upload_date": old.upload_date,
        "comments": comments,
    });
    let subject = Subject::new(SubjectKind::Video, id);
    audit::record(tx, app.clock.now(), actor, Action::VideoDelete, subject, details).await?;
    let Source { file_key, thumbnail_key, .. } = old.source;
    if file_key.is_some() || thumbnail_key.is_some() {
        remove_unused(tx, app, &RemoveFiles { file_key, thumbnail_key }).await?;
    }
    if old.status == Status::Published {
        events::emit(tx, app.clock.now(), Event::VideoChanged(id));
    }
    Ok(())
}

/// Reads the video again, as the database completed it.
pub(super) async fn saved(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    id: Uuid,
    notified: i64,
) -> Result<Saved> {
    let mail_at = settings.quiet_until(app.clock.now()).filter(|_| notified > 0);
    Ok(Saved { video: find_for_staff(tx, app, settings, id).await?, notified, mail_at })
}
