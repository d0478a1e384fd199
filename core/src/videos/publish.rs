//! How videos are added and published: by staff now, or by the worker at the scheduled time.

use serde_json::{Value, json};
use uuid::Uuid;

use super::edit::{Saved, edit, saved};
use super::files::OwnVideo;
use super::link::VideoType;
use super::own_file::{WAITS, no_file_yet, use_upload, waits};
use super::record::{Record, Source, differences, find, insert, update};
use super::{NOT_FOUND, NewGalleryVideo, NewVideo, Status, VideoChanges};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::clock::year_in;
use crate::db::Tx;
use crate::events::{self, Event};
use crate::idempotency::{self, Claim};
use crate::notifications::{self, Category, MailKind, Notice};
use crate::settings::Settings;
use crate::uploads::{self, Claimed, State};
use crate::validation::Validator;
use crate::{App, Result};

/// What publishing a video did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Publication {
    /// Whether the video became public. `false` if it already was.
    pub published: bool,
    /// Whether it will become public once its file is ready.
    pub waits: bool,
    /// How many mails were queued.
    pub notified: i64,
}

/// A change of a video that is stored in the same transaction.
pub(super) struct Change<'a> {
    pub id: Uuid,
    /// `None` for a new video.
    pub old: Option<&'a Record>,
    pub new: &'a Record,
    /// The details of the audit line of its publication.
    pub details: Value,
}

/// Adds a video, once for each `key`. If it is published immediately, families are notified in the
/// same transaction.
///
/// # Errors
///
/// [`crate::Error::Invalid`], and those of [`idempotency`].
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
            let notified = notifications::tally(&mut *tx, MailKind::Video, id).await?.mailed();
            return idempotency::unless_deleted(saved(tx, app, settings, id, notified).await);
        }
    };
    let mut checks = Validator::new();
    let record = new.record(settings, now, &mut checks, None);
    checks.done()?;
    let publication = match new.upload_id {
        None => add(tx, app, settings, actor, id, &record).await?,
        Some(upload_id) => {
            let file = uploads::claim(tx, upload_id, None).await?;
            let record = Record { source: no_file_yet(id), ..record };
            add_with_upload(tx, app, settings, actor, (id, upload_id), record, file).await?
        }
    };
    saved(tx, app, settings, id, publication.notified).await
}

/// Adds a video of an earlier summer, once for each `key`. No family is notified (decision V3).
///
/// # Errors
///
/// [`crate::Error::Invalid`], and those of [`idempotency`].
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

/// Adds a video whose file is already in the object store. Only tests call it: such a video is from
/// the time before uploads were converted.
///
/// # Errors
///
/// [`crate::Error::Invalid`]
pub async fn add_own_file(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    own: &OwnVideo,
) -> Result<Uuid> {
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
    let record = own.video.record(settings, app.clock.now(), &mut checks, Some(source));
    checks.done()?;
    add(tx, app, settings, actor, id, &record).await?;
    Ok(id)
}

/// Adds a video under this id with an upload of its own, for imports. It is published when its file
/// is ready.
///
/// # Errors
///
/// [`crate::Error::Invalid`]
pub(crate) async fn add_upload(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    (id, upload_id): (Uuid, Uuid),
    new: &NewVideo,
) -> Result<()> {
    let mut checks = Validator::new();
    let record = new.record(settings, app.clock.now(), &mut checks, Some(no_file_yet(id)));
    checks.done()?;
    let file = uploads::claim(tx, upload_id, None).await?;
    add_with_upload(tx, app, settings, actor, (id, upload_id), record, file).await?;
    Ok(())
}

/// Adds a video with an upload. Until its file is ready, it is not published.
async fn add_with_upload(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    (id, upload_id): (Uuid, Uuid),
    record: Record,
    file: Claimed,
) -> Result<Publication> {
    let is_ready = file.state == State::Ready;
    let now = app.clock.now();
    let record = if is_ready { record } else { record.when_ready(None, now) };
    insert(tx, id, &record, actor.staff_id(), now).await?;
    uploads::attach(tx, upload_id, id).await?;
    use_upload(tx, app, upload_id).await?;
    let details = json!({ "file": file.file_name });
    added(tx, app, settings, actor, id, &record, details).await
}

async fn add(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
    new: &Record,
) -> Result<Publication> {
    insert(tx, id, new, actor.staff_id(), app.clock.now()).await?;
    added(tx, app, settings, actor, id, new, json!({})).await
}

/// Does what follows from a new video.
async fn added(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
    new: &Record,
    mut details: Value,
) -> Result<Publication> {
    details["title"] = json!(new.title);
    details["status"] = json!(new.status);
    details["upload_date"] = json!(new.upload_date);
    details["scheduled_date"] = json!(new.scheduled_date);
    let subject = Subject::new(SubjectKind::Video, id);
    let now = app.clock.now();
    audit::record(tx, now, actor, Action::VideoCreate, subject, details).await?;
    let change = Change { id, old: None, new, details: Value::Null };
    publish_change(tx, app, settings, actor, change).await
}

/// Publishes a video; a published video stays as it is.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn publish(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
) -> Result<Publication> {
    let (status, version): (Status, i64) = tx
        .sql("select status, version from videos where id = $1")
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    if status == Status::Published {
        return Ok(Publication::default());
    }
    let changes =
        VideoChanges { version, status: Some(Status::Published), ..VideoChanges::default() };
    let saved = edit(tx, app, settings, actor, id, &changes).await?;
    let published = saved.video.status == Status::Published;
    Ok(Publication { published, waits: !published, notified: saved.notified })
}

/// Publishes all videos that are due, including those that became due while no worker was running.
/// Returns how many (decision V2). Each video has its own transaction, so that a failure does not
/// delay the others. If several workers try, one succeeds.
pub async fn publish_due(app: &App) -> Result<usize> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    // They are published in order afterwards (decision M9).
    if settings.publication_time(now) > now {
        return Ok(0);
    }
    let due: Vec<(Uuid,)> = app
        .db
        .sql([
            "select v.id from videos v
             where v.status = 'scheduled' and v.scheduled_date <= $1 and not ",
            WAITS,
            " order by v.scheduled_date, v.id limit 100",
        ])
        .bind(now)
        .all()
        .await?;
    let mut published = 0;
    let mut trouble = None;
    for (id,) in due {
        match publish_one(app, &settings, id).await {
            Ok(done) => published += usize::from(done),
            Err(error) => {
                tracing::warn!(%id, error = error.reason(), "a due video could not be published; it will be tried again");
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
    if waits(&mut tx, id).await? {
        return Ok(false);
    }
    let new = Record { status: Status::Published, scheduled_date: None, ..old.clone() };
    let new = new.published_now(now);
    // The version shows whether another process changed it first.
    if !update(&mut tx, id, &new, false, now).await? {
        return Ok(false);
    }
    let details = differences(&old, &new);
    let change = Change { id, old: Some(&old), new: &new, details };
    publish_change(&mut tx, app, settings, Actor::System, change).await?;
    tx.commit().await?;
    Ok(true)
}

/// Whether families were notified of a video, or would have been if its emails were not switched off.
async fn is_announced(tx: &mut Tx, id: Uuid) -> Result<bool> {
    tx.sql("select exists (select 1 from notifications where subject_id = $1 and kind = 'video')")
        .bind(id)
        .scalar()
        .await
}

/// Does what follows from a stored change. If the video became public, this writes the audit line,
/// and notifies families of the first publication of a video of the current year; the notification
/// itself ensures that this happens only once. Mails that were still waiting when the video was
/// taken back go out when it is published again. Open pages learn of every change that the public
/// sees.
pub(super) async fn publish_change(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    change: Change<'_>,
) -> Result<Publication> {
    let Change { id, old, new, details } = change;
    let now = app.clock.now();
    let is_public = new.status == Status::Published;
    let was_public = old.is_some_and(|old| old.status == Status::Published);
    let published = is_public && !was_public;
    if published {
        let subject = Subject::new(SubjectKind::Video, id);
        audit::record(tx, now, actor, Action::VideoPublish, subject, details).await?;
    }
    let this_year = new.year == i64::from(year_in(settings.timezone, now));
    let notice = Notice::new(MailKind::Video, id);
    let families = Category::DailyVideos;
    if published && this_year && !is_announced(tx, id).await? {
        let notified = notifications::notify_families(tx, app, settings, notice, families).await?;
        events::emit(tx, now, Event::VideoPublished(id));
        return Ok(Publication { published, notified, ..Publication::default() });
    }
    if is_public || was_public {
        events::emit(tx, now, Event::VideoChanged(id));
    }
    let notified = match published && this_year {
        true => notifications::queue_withdrawn(tx, app, settings, &notice, families).await?,
        false => 0,
    };
    Ok(Publication { published, notified, ..Publication::default() })
}
