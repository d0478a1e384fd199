//! The editable part of a row of the table `videos`.

use chrono::{DateTime, DurationRound, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Status;
use super::link::{Link, VideoType};
use crate::Result;
use crate::audit;
use crate::db::{Query, Tx};
use crate::ids::StaffId;
use crate::search_text::normalize;

/// The editable columns of a video.
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
    /// The first publication. It stays when the video is unpublished.
    pub published_at: Option<DateTime<Utc>>,
    pub is_featured: bool,
    /// Clean lines, as [`super::chapters`] writes them.
    pub chapters: Option<String>,
    pub is_downloadable: bool,
    pub version: i64,
}

/// The source of the video.
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

pub(super) async fn find(tx: &mut Tx, id: Uuid) -> Result<Option<Record>> {
    tx.sql(
        "select title, description, video_url, video_type, thumbnail_url, file_key, thumbnail_key,
                content_type, duration_seconds, upload_date, year, status, scheduled_date,
                published_at, is_featured, chapters, is_downloadable, version
         from videos
         where id = $1",
    )
    .bind(id)
    .optional()
    .await
}

pub(super) async fn insert(
    tx: &mut Tx,
    id: Uuid,
    record: &Record,
    uploaded_by: Option<StaffId>,
    now: DateTime<Utc>,
) -> Result<()> {
    let query = tx.sql(
        "insert into videos
           (id, title, description, upload_date, year, status, scheduled_date, published_at,
            is_featured, search_text, staff_search_text, video_url, video_type, view_count,
            like_count, comment_count, uploaded_by, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, 0, $14, 1, $15, $15)",
    );
    record
        .bound(query.bind(id))
        .bind(&record.source.video_url)
        .bind(record.source.video_type)
        .bind(uploaded_by)
        .bind(now)
        .execute()
        .await?;
    set_source(tx, id, record, None).await
}

/// Updates the video without its source, unless it changed since `record.version`. Returns whether
/// it was updated. Chapters that staff did not type stay as they are: a conversion may end them at this moment.
pub(super) async fn update(
    tx: &mut Tx,
    id: Uuid,
    record: &Record,
    has_new_chapters: bool,
    now: DateTime<Utc>,
) -> Result<bool> {
    let query = tx.sql(
        "update videos
         set title = $2, description = $3, upload_date = $4, year = $5, status = $6,
             scheduled_date = $7, published_at = $8, is_featured = $9, search_text = $10,
             staff_search_text = $11, version = version + 1, updated_at = $13,
             chapters = case when $16 then $14 else chapters end, is_downloadable = $15
         where id = $1 and version = $12",
    );
    let written = record
        .bound(query.bind(id))
        .bind(record.version)
        .bind(now)
        .bind(record.chapters.clone())
        .bind(record.is_downloadable)
        .bind(has_new_chapters)
        .execute()
        .await?;
    Ok(written == 1)
}

/// Sets the source of a video. The version stays: the end of a conversion must not refuse what staff
/// are typing meanwhile.
pub(super) async fn set_source(
    tx: &mut Tx,
    id: Uuid,
    record: &Record,
    upload_id: Option<Uuid>,
) -> Result<()> {
    let source = &record.source;
    tx.sql(
        "update videos
         set video_url = $2, video_type = $3, thumbnail_url = $4, file_key = $5,
             thumbnail_key = $6, content_type = $7, duration_seconds = $8,
             staff_search_text = $9, media_upload_id = $10
         where id = $1",
    )
    .bind(id)
    .bind(&source.video_url)
    .bind(source.video_type)
    .bind(source.thumbnail_url.clone())
    .bind(source.file_key.clone())
    .bind(source.thumbnail_key.clone())
    .bind(source.content_type.clone())
    .bind(source.duration_seconds)
    .bind(record.search_texts().1)
    .bind(upload_id)
    .execute()
    .await?;
    Ok(())
}

/// The texts that families and staff search: normalized title and description, separated by a line
/// break. Normalized text has no line breaks, so a search can be limited to the title. Staff also
/// search the provider and the date, in every format that their screens show.
pub(crate) fn search_texts(
    title: &str,
    description: Option<&str>,
    video_type: VideoType,
    day: NaiveDate,
) -> (String, String) {
    let text = format!("{}\n{}", normalize(title), normalize(description.unwrap_or_default()));
    let provider = match video_type {
        VideoType::Upload => "upload",
        VideoType::GoogleDrive => "google_drive Google Drive",
        VideoType::Youtube => "youtube",
    };
    let days = ["%Y-%m-%d", "%A, %B %-d, %Y", "%b %-d, %Y", "%m/%d/%Y", "%-m/%-d/%Y"]
        .map(|form| day.format(form).to_string())
        .join("\n");
    let staff_text = format!("{text}\n{}", normalize(&format!("{provider}\n{days}")));
    (text, staff_text)
}

impl Record {
    /// Instead of being published now, a video that waits for its file is published when it is
    /// ready. Its time is cut to the minute, which forms can show and send back.
    pub(super) fn when_ready(self, old: Option<&Record>, now: DateTime<Utc>) -> Record {
        if self.status != Status::Published
            || old.is_some_and(|old| old.status == Status::Published)
        {
            return self;
        }
        Record {
            status: Status::Scheduled,
            scheduled_date: Some(now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now)),
            published_at: old.and_then(|old| old.published_at),
            ..self
        }
    }

    /// Sets the time of the first publication, if it is now.
    pub(super) fn published_now(self, now: DateTime<Utc>) -> Record {
        match self.status {
            Status::Published => Record { published_at: self.published_at.or(Some(now)), ..self },
            Status::Scheduled | Status::Draft => self,
        }
    }

    fn search_texts(&self) -> (String, String) {
        let description = self.description.as_deref();
        search_texts(&self.title, description, self.source.video_type, self.upload_date)
    }

    /// Binds the editable columns but the source, and the search texts, as `$2` to `$11`.
    fn bound<'c>(&self, query: Query<'c>) -> Query<'c> {
        let (search_text, staff_search_text) = self.search_texts();
        query
            .bind(&self.title)
            .bind(self.description.clone())
            .bind(self.upload_date)
            .bind(self.year)
            .bind(self.status)
            .bind(self.scheduled_date)
            .bind(self.published_at)
            .bind(self.is_featured)
            .bind(search_text)
            .bind(staff_search_text)
    }
}

/// The changes, for the audit log.
pub(super) fn differences(old: &Record, new: &Record) -> Value {
    let shown = |record: &Record| {
        json!({
            "title": record.title,
            "description": record.description,
            "video_url": record.source.video_url,
            "upload_date": record.upload_date,
            "status": record.status,
            "scheduled_date": record.scheduled_date,
            "is_featured": record.is_featured,
            "chapters": record.chapters,
            "is_downloadable": record.is_downloadable,
        })
    };
    Value::Object(audit::differences(&shown(old), &shown(new)))
}
