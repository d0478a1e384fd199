//! How staff create, change and delete videos, and how the worker publishes scheduled ones.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::admin::{AdminVideo, find_for_staff};
use super::files::OwnVideo;
use super::link::VideoType;
use super::record::{Record, Source, differences, find, insert, update};
use super::{NOT_FOUND, NewGalleryVideo, NewVideo, Status, VideoChanges, announce};
use crate::audit::{self, Actor, Subject};
use crate::clock::year_in;
use crate::db::Tx;
use crate::events::{self, Event};
use crate::idempotency::{self, Claim};
use crate::notifications::{self, Category, Notice};
use crate::settings::Settings;
use crate::unused_files::RemoveFiles;
use crate::validation::Validator;
use crate::{App, Error, Result, jobs};

/// A saved video, and how many mails its publication queued.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SavedVideo)]
pub struct Saved {
    pub video: AdminVideo,
    pub notified: i64,
}

/// Adds a video, once for each `key`. If it is published immediately, families are notified in the
/// same transaction.
///
/// # Errors
///
/// [`Error::Invalid`], and those of [`idempotency`].
pub async fn create(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    new: &NewVideo,
    key: Option<Uuid>,
) -> Result<Saved> {
    let now = app.clock.now();
    let id = match idempotency::claim(tx, app, "video", key, new).await? {
        Claim::New(id) => id,
        Claim::Made(id) => {
            let notified = notifications::tally(&mut *tx, announce::KIND, id).await?.mailed();
            return idempotency::unless_deleted(saved(tx, settings, now, id, notified).await);
        }
    };
    let mut checks = Validator::new();
    let record = new.record(settings, now, &mut checks, None);
    checks.done()?;
    add(tx, id, &record, actor, now).await?;
    let notified = match record.status {
        Status::Published => announce_first(tx, app, settings, id, &record).await?,
        _ => 0,
    };
    emit_change(tx, app, settings, id, None, &record);
    saved(tx, settings, now, id, notified).await
}

/// Adds a video of an earlier summer, once for each `key`. No family is notified (decision V3).
///
/// # Errors
///
/// [`Error::Invalid`], and those of [`idempotency`].
pub async fn create_gallery(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    new: &NewGalleryVideo,
    key: Option<Uuid>,
) -> Result<Saved> {
    let video = new.as_video(settings, app.clock.now())?;
    create(tx, app, settings, actor, &video, key).await
}

/// Adds a video whose file is already in the object store, for the demo and for imports. With
/// `published_at` it counts as published at that time, and no family is notified.
pub async fn add_own_file(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    own: &OwnVideo,
) -> Result<Uuid> {
    let now = app.clock.now();
    let id = Uuid::now_v7();
    let source = Source {
        video_url: format!("/media/videos/{id}"),
        video_type: VideoType::Upload,
        thumbnail_url: own.thumbnail_key.as_ref().map(|_| format!("/media/thumbnails/{id}")),
        file_key: Some(own.file_key.clone()),
        thumbnail_key: own.thumbnail_key.clone(),
        content_type: Some(own.content_type.clone()),
        duration_seconds: own.duration_seconds,
    };
    let mut checks = Validator::new();
    let mut record = own.video.record(settings, now, &mut checks, Some(source));
    checks.done()?;
    let told = record.status == Status::Published && own.published_at.is_none();
    if record.status == Status::Published {
        record.published_at = own.published_at.or(Some(now));
    }
    add(tx, id, &record, actor, now).await?;
    if told {
        announce_first(tx, app, settings, id, &record).await?;
        emit_change(tx, app, settings, id, None, &record);
    } else if record.status == Status::Published {
        events::emit(tx, now, Event::VideoChanged(id));
    }
    Ok(id)
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
    let publishes = new.status == Status::Published && old.status != Status::Published;
    if publishes {
        new.published_at = old.published_at.or(Some(now));
    }
    if !update(tx, id, &new, now).await? {
        return Err(Error::Stale);
    }
    let details = differences(&old, &new);
    audit::record(tx, now, actor, "video.edit", Subject::new("video", id), details).await?;
    let mut notified = 0;
    if publishes {
        let subject = Subject::new("video", id);
        audit::record(tx, now, actor, "video.publish", subject, Value::Null).await?;
        if old.published_at.is_none() {
            notified = announce_first(tx, app, settings, id, &new).await?;
        }
    }
    if old.source.file_key.is_some() && new.source.file_key.is_none() {
        let Source { file_key, thumbnail_key, .. } = old.source.clone();
        jobs::enqueue(tx, app, &RemoveFiles { file_key, thumbnail_key }).await?;
    }
    emit_change(tx, app, settings, id, Some(&old), &new);
    saved(tx, settings, now, id, notified).await
}

/// Publishes a video; a published video stays as it is. Returns whether anything changed, and how
/// many mails were queued.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn publish(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
) -> Result<(bool, i64)> {
    let (status, version): (Status, i64) = tx
        .sql("select status, version from videos where id = $1")
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    if status == Status::Published {
        return Ok((false, 0));
    }
    let changes =
        VideoChanges { version, status: Some(Status::Published), ..VideoChanges::default() };
    let saved = edit(tx, app, settings, actor, id, &changes).await?;
    Ok((true, saved.notified))
}

/// Deletes a video with its comments, likes and files. Mails about it that still wait are not sent.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let old = find(tx, id).await?.ok_or(NOT_FOUND)?;
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
    let subject = Subject::new("video", id);
    audit::record(tx, app.clock.now(), actor, "video.delete", subject, details).await?;
    let Source { file_key, thumbnail_key, .. } = old.source;
    if file_key.is_some() || thumbnail_key.is_some() {
        jobs::enqueue(tx, app, &RemoveFiles { file_key, thumbnail_key }).await?;
    }
    if old.status == Status::Published {
        events::emit(tx, app.clock.now(), Event::VideoChanged(id));
    }
    Ok(())
}

/// Publishes all videos that are due, including those that became due while no worker was running.
/// Returns how many (decision V2). Each video has its own transaction, so that a failure does not
/// delay the others. If several workers try, one succeeds.
pub async fn publish_due(app: &App) -> Result<usize> {
    let settings = app.settings().await?;
    let due: Vec<(Uuid,)> = app
        .db
        .sql(
            "select id from videos
             where status = 'scheduled' and scheduled_date <= $1
             order by scheduled_date, id
             limit 100",
        )
        .bind(app.clock.now())
        .all()
        .await?;
    let mut published = 0;
    let mut trouble = None;
    for (id,) in due {
        match publish_one(app, &settings, id).await {
            Ok(done) => published += usize::from(done),
            Err(error) => {
                tracing::warn!(%id, %error, "a due video could not be published; it will be tried again");
                trouble = Some(error);
            }
        }
    }
    trouble.map_or(Ok(published), Err)
}

async fn publish_one(app: &App, settings: &Settings, id: Uuid) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let due = find(&mut tx, id).await?.filter(|video| {
        video.status == Status::Scheduled && video.scheduled_date.is_some_and(|at| at <= now)
    });
    let Some(old) = due else { return Ok(false) };
    let new = Record {
        status: Status::Published,
        scheduled_date: None,
        published_at: old.published_at.or(Some(now)),
        ..old.clone()
    };
    // The version shows whether another process changed it first.
    if !update(&mut tx, id, &new, now).await? {
        return Ok(false);
    }
    let subject = Subject::new("video", id);
    let details = differences(&old, &new);
    audit::record(&mut tx, now, Actor::System, "video.publish", subject, details).await?;
    if old.published_at.is_none() {
        announce_first(&mut tx, app, settings, id, &new).await?;
    }
    emit_change(&mut tx, app, settings, id, Some(&old), &new);
    tx.commit().await?;
    Ok(true)
}

/// Notifies families of the first publication of a video of the current year. The notification
/// itself ensures that this happens only once.
async fn announce_first(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    id: Uuid,
    record: &Record,
) -> Result<i64> {
    if record.year != i64::from(year_in(settings.timezone, app.clock.now())) {
        return Ok(0);
    }
    let notice = Notice::new(announce::KIND, id);
    notifications::notify_families(tx, app, settings, notice, Category::DailyVideos).await
}

/// Emits an event for a video that the public sees, or saw until now.
fn emit_change(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    id: Uuid,
    old: Option<&Record>,
    new: &Record,
) {
    let now = app.clock.now();
    let is_public = new.status == Status::Published;
    let was_public = old.is_some_and(|old| old.status == Status::Published);
    let is_first = old.is_none_or(|old| old.published_at.is_none());
    let this_year = i64::from(year_in(settings.timezone, now));
    let event = match is_public {
        true if is_first && new.year == this_year => Event::VideoPublished(id),
        _ if is_public || was_public => Event::VideoChanged(id),
        _ => return,
    };
    events::emit(tx, now, event);
}

async fn add(
    tx: &mut Tx,
    id: Uuid,
    record: &Record,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<()> {
    insert(tx, id, record, actor.staff_id(), now).await?;
    let details = json!({
        "title": record.title,
        "status": record.status,
        "upload_date": record.upload_date,
        "scheduled_date": record.scheduled_date,
    });
    let subject = Subject::new("video", id);
    audit::record(tx, now, actor, "video.create", subject, details).await?;
    if record.status == Status::Published {
        audit::record(tx, now, actor, "video.publish", subject, Value::Null).await?;
    }
    Ok(())
}

async fn saved(
    tx: &mut Tx,
    settings: &Settings,
    now: DateTime<Utc>,
    id: Uuid,
    notified: i64,
) -> Result<Saved> {
    Ok(Saved { video: find_for_staff(tx, settings, now, id).await?, notified })
}
