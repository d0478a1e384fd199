//! What staff do with videos, and what the worker does when one is due.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::desk::{AdminVideo, find_for_staff};
use super::files::{OwnVideo, RemoveFiles};
use super::link::{Link, VideoType};
use super::{NOT_FOUND, NewGalleryVideo, NewVideo, Status, VideoChanges, announce};
use crate::audit::{self, Actor, Subject};
use crate::checks::Checks;
use crate::clock::year_in;
use crate::db::Tx;
use crate::fold::fold;
use crate::notifications::{self, Category, Notice};
use crate::settings::Settings;
use crate::{App, Error, Result, jobs};

/// A video that was saved, and how many mails its publication put into the queue.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SavedVideo)]
pub struct Saved {
    pub video: AdminVideo,
    pub notified: i64,
}

/// What can be edited of a video.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Record {
    pub title: String,
    pub description: Option<String>,
    #[sqlx(flatten)]
    pub source: Source,
    pub upload_date: NaiveDate,
    pub year: i64,
    pub status: Status,
    pub scheduled_date: Option<DateTime<Utc>>,
    /// Of the first publication; it stays when the video is taken back.
    pub published_at: Option<DateTime<Utc>>,
    pub is_featured: bool,
    pub version: i64,
}

/// Where the video comes from.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Source {
    pub video_url: String,
    pub video_type: VideoType,
    pub thumbnail_url: Option<String>,
    pub file_key: Option<String>,
    pub thumbnail_key: Option<String>,
    pub content_type: Option<String>,
    pub duration_seconds: Option<i64>,
}

impl Default for Source {
    fn default() -> Source {
        Source {
            video_url: String::new(),
            video_type: VideoType::Upload,
            thumbnail_url: None,
            file_key: None,
            thumbnail_key: None,
            content_type: None,
            duration_seconds: None,
        }
    }
}

impl From<Link> for Source {
    fn from(link: Link) -> Source {
        Source {
            video_url: link.video_url,
            video_type: link.video_type,
            thumbnail_url: link.thumbnail_url,
            content_type: link.content_type.map(str::to_owned),
            ..Source::default()
        }
    }
}

/// Adds a video; when it is published at once, families are told in the same transaction.
/// Errors: [`Error::Invalid`].
pub async fn create(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    new: &NewVideo,
) -> Result<Saved> {
    let now = app.clock.now();
    let mut checks = Checks::new();
    let record = new.record(settings, now, &mut checks, None);
    checks.done()?;
    let id = Uuid::now_v7();
    insert(tx, id, &record, actor, now).await?;
    let notified = match record.status {
        Status::Published => announce_first(tx, app, settings, id, &record).await?,
        _ => 0,
    };
    saved(tx, settings, now, id, notified).await
}

/// Adds a video of an earlier summer; nobody is told (decision V3).
pub async fn create_gallery(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    new: &NewGalleryVideo,
) -> Result<Saved> {
    let video = new.as_video(settings, app.clock.now())?;
    create(tx, app, settings, actor, &video).await
}

/// Adds a video whose file lies in the object store already, for the demo and for imports. With
/// `published_at` it is put down as published at that moment, and nobody is told.
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
    let mut checks = Checks::new();
    let mut record = own.video.record(settings, now, &mut checks, Some(source));
    checks.done()?;
    let told = record.status == Status::Published && own.published_at.is_none();
    if record.status == Status::Published {
        record.published_at = own.published_at.or(Some(now));
    }
    insert(tx, id, &record, actor, now).await?;
    if told {
        announce_first(tx, app, settings, id, &record).await?;
    }
    Ok(id)
}

/// Changes a video. The first publication tells families; any other change tells nobody.
/// Errors: [`Error::NotFound`], [`Error::Stale`], [`Error::Invalid`].
pub async fn edit(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
    changes: &VideoChanges,
) -> Result<Saved> {
    let now = app.clock.now();
    let old: Record = tx
        .sql(
            "select title, description, video_url, video_type, thumbnail_url, file_key, thumbnail_key,
                    content_type, duration_seconds, upload_date, year, status, scheduled_date,
                    published_at, is_featured, version
             from videos
             where id = $1",
        )
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
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
        let Source { file_key, thumbnail_key, .. } = old.source;
        jobs::enqueue(tx, app, &RemoveFiles { file_key, thumbnail_key }).await?;
    }
    saved(tx, settings, now, id, notified).await
}

/// Deletes a video with its comments, likes and files. A letter about it that has not gone out yet
/// never will. Errors: [`Error::NotFound`].
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let gone: Option<(String, Option<String>, Option<String>)> = tx
        .sql("delete from videos where id = $1 returning title, file_key, thumbnail_key")
        .bind(id)
        .optional()
        .await?;
    let (title, file_key, thumbnail_key) = gone.ok_or(NOT_FOUND)?;
    let details = json!({ "title": title });
    let subject = Subject::new("video", id);
    audit::record(tx, app.clock.now(), actor, "video.delete", subject, details).await?;
    if file_key.is_some() || thumbnail_key.is_some() {
        jobs::enqueue(tx, app, &RemoveFiles { file_key, thumbnail_key }).await?;
    }
    Ok(())
}

/// Publishes what is due, also what became due while no worker was running; returns how many
/// (decision V2). Each video has a transaction of its own, so one in trouble does not hold up the
/// others, and of many workers one gets it.
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
                tracing::warn!(%id, %error, "a video that is due could not be published; it will be tried again");
                trouble = Some(error);
            }
        }
    }
    trouble.map_or(Ok(published), Err)
}

async fn publish_one(app: &App, settings: &Settings, id: Uuid) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let due: Option<Record> = tx
        .sql(
            "select title, description, video_url, video_type, thumbnail_url, file_key, thumbnail_key,
                    content_type, duration_seconds, upload_date, year, status, scheduled_date,
                    published_at, is_featured, version
             from videos
             where id = $1 and status = 'scheduled' and scheduled_date <= $2",
        )
        .bind(id)
        .bind(now)
        .optional()
        .await?;
    let Some(old) = due else { return Ok(false) };
    let new = Record {
        status: Status::Published,
        scheduled_date: None,
        published_at: old.published_at.or(Some(now)),
        ..old.clone()
    };
    // The version tells whether somebody else was faster.
    if !update(&mut tx, id, &new, now).await? {
        return Ok(false);
    }
    let subject = Subject::new("video", id);
    audit::record(&mut tx, now, Actor::System, "video.publish", subject, Value::Null).await?;
    if old.published_at.is_none() {
        announce_first(&mut tx, app, settings, id, &new).await?;
    }
    tx.commit().await?;
    Ok(true)
}

/// Tells families of the first publication of a video of the current year. That it happens once,
/// ever, is kept by the notification itself.
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
    notifications::tell_families(tx, app, settings, notice, Category::DailyVideos).await
}

async fn insert(
    tx: &mut Tx,
    id: Uuid,
    record: &Record,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<()> {
    let (search_text, staff_search_text) = record.search_texts();
    tx.sql(
        "insert into videos
           (id, title, description, video_url, video_type, thumbnail_url, file_key, thumbnail_key,
            content_type, duration_seconds, upload_date, year, status, scheduled_date, published_at,
            is_featured, view_count, like_count, comment_count, uploaded_by, search_text,
            staff_search_text, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0, 0,
                 $17, $18, $19, 1, $20, $20)",
    )
    .bind(id)
    .bind(&record.title)
    .bind(record.description.clone())
    .bind(&record.source.video_url)
    .bind(record.source.video_type)
    .bind(record.source.thumbnail_url.clone())
    .bind(record.source.file_key.clone())
    .bind(record.source.thumbnail_key.clone())
    .bind(record.source.content_type.clone())
    .bind(record.source.duration_seconds)
    .bind(record.upload_date)
    .bind(record.year)
    .bind(record.status)
    .bind(record.scheduled_date)
    .bind(record.published_at)
    .bind(record.is_featured)
    .bind(actor.staff_id())
    .bind(search_text)
    .bind(staff_search_text)
    .bind(now)
    .execute()
    .await?;
    let details = json!({
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

/// Writes the video if nobody else did since `record.version`.
async fn update(tx: &mut Tx, id: Uuid, record: &Record, now: DateTime<Utc>) -> Result<bool> {
    let (search_text, staff_search_text) = record.search_texts();
    let written = tx
        .sql(
            "update videos
             set title = $3, description = $4, video_url = $5, video_type = $6, thumbnail_url = $7,
                 file_key = $8, thumbnail_key = $9, content_type = $10, duration_seconds = $11,
                 upload_date = $12, year = $13, status = $14, scheduled_date = $15,
                 published_at = $16, is_featured = $17, search_text = $18, staff_search_text = $19,
                 version = version + 1, updated_at = $20
             where id = $1 and version = $2",
        )
        .bind(id)
        .bind(record.version)
        .bind(&record.title)
        .bind(record.description.clone())
        .bind(&record.source.video_url)
        .bind(record.source.video_type)
        .bind(record.source.thumbnail_url.clone())
        .bind(record.source.file_key.clone())
        .bind(record.source.thumbnail_key.clone())
        .bind(record.source.content_type.clone())
        .bind(record.source.duration_seconds)
        .bind(record.upload_date)
        .bind(record.year)
        .bind(record.status)
        .bind(record.scheduled_date)
        .bind(record.published_at)
        .bind(record.is_featured)
        .bind(search_text)
        .bind(staff_search_text)
        .bind(now)
        .execute()
        .await?;
    Ok(written == 1)
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

/// What families and what staff search: title and description, each folded, with one line end
/// between them: folding leaves none, so a search can be kept to the title. Staff also search
/// provider and date, the date as any of their screens writes it.
pub(crate) fn search_texts(
    title: &str,
    description: Option<&str>,
    video_type: VideoType,
    day: NaiveDate,
) -> (String, String) {
    let text = format!("{}\n{}", fold(title), fold(description.unwrap_or_default()));
    let provider = match video_type {
        VideoType::Upload => "upload",
        VideoType::GoogleDrive => "google_drive Google Drive",
        VideoType::Youtube => "youtube",
    };
    let days = ["%Y-%m-%d", "%A, %B %-d, %Y", "%b %-d, %Y", "%m/%d/%Y", "%-m/%-d/%Y"]
        .map(|form| day.format(form).to_string())
        .join("\n");
    let staff_text = format!("{text}\n{}", fold(&format!("{provider}\n{days}")));
    (text, staff_text)
}

impl Record {
    fn search_texts(&self) -> (String, String) {
        let description = self.description.as_deref();
        search_texts(&self.title, description, self.source.video_type, self.upload_date)
    }
}

/// What changed, for the audit log.
fn differences(old: &Record, new: &Record) -> Value {
    let shown = |record: &Record| {
        json!({
            "title": record.title,
            "description": record.description,
            "video_url": record.source.video_url,
            "upload_date": record.upload_date,
            "status": record.status,
            "scheduled_date": record.scheduled_date,
            "is_featured": record.is_featured,
        })
    };
    let (before, after) = (shown(old), shown(new));
    let changed = after.as_object().into_iter().flatten().filter_map(|(key, after)| {
        let before = &before[key];
        (before != after).then(|| (key.clone(), json!({ "before": before, "after": after })))
    });
    Value::Object(changed.collect())
}
