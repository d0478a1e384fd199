//! The daily videos and the archive: staff post them, the worker publishes scheduled ones, families
//! watch, like and search them.

pub(crate) mod announce;
pub mod captions;
pub mod link;

mod admin;
mod bulk;
mod catalog;
mod chapters;
mod comment_count;
mod edit;
mod files;
mod input;
mod late;
mod list;
mod own_file;
mod own_picture;
mod positions;
mod publish;
mod reactions;
mod record;
mod trim;
mod watch;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use admin::{
    AdminFilter, AdminOrder, AdminVideo, Attention, Counts, admin_find, admin_list, admin_years,
    counts, deliveries, find_for_staff, retry_deliveries,
};
pub(crate) use admin::{counts_without_recipients, must_exist};
pub use bulk::{BulkAction, BulkDone, bulk};
pub use captions::Captions;
pub use chapters::Chapter;
pub(crate) use comment_count::{add_to_comment_count, hold_for_comment};
pub use edit::{Saved, delete, edit};
pub(crate) use files::unconverted_file;
pub use files::{
    Download, Media, OwnVideo, Unconverted, converted_file, download, thumbnail, unconverted,
    video_file,
};
pub use input::{NewGalleryVideo, NewVideo, VideoChanges};
pub use late::{LateNote, LateVideo, tell_families};
pub(crate) use late::{
    content as late_content, late, late_video, mail_content as late_mail_content,
};
pub use link::VideoType;
pub use list::{Filter, list, posting_time, years};
pub use own_file::cancel_upload;
pub(crate) use own_file::chosen_poster;
pub(crate) use own_file::{held_back, use_upload};
pub use own_picture::{remove_picture, set_picture};
pub(crate) use positions::of_user as positions_of;
pub use positions::{Watched, keep_position, watched};
pub(crate) use publish::add_upload;
pub use publish::{Publication, add_own_file, create, create_gallery, publish, publish_due};
pub(crate) use reactions::erase_likes;
pub use reactions::{Like, favorites, like, record_view, unlike};
pub(crate) use reactions::{must_be_open, viewer_key, write_views, write_watcher};
pub(crate) use record::search_texts;
pub(crate) use trim::follow_cut;
pub use trim::{Trim, trim};
pub use watch::{Preview, find, media_elsewhere, preview, published};

use crate::Error;
use crate::search_text::optional_pattern;

pub(crate) const NOT_FOUND: Error = Error::NotFound("Video not found");

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = VideoStatus)]
pub enum Status {
    Published,
    Scheduled,
    Draft,
}

/// This year's videos, the earlier years', or the three of the home page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collection {
    Current,
    Archive,
    Home,
}

/// The videos that a page of the staff area shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdminCollection {
    Current,
    Archive,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// By the day filmed, then by the time of publication.
    #[default]
    Newest,
    /// By views.
    Popular,
}

/// A published video in a list.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct VideoCard {
    pub id: Uuid,
    pub title: String,
    pub description: Option<String>,
    pub video_type: VideoType,
    pub thumbnail_url: Option<String>,
    /// The day filmed, in the camp's time zone.
    pub upload_date: NaiveDate,
    pub year: i64,
    pub is_featured: bool,
    pub published_at: DateTime<Utc>,
    pub view_count: i64,
    pub like_count: i64,
    pub comment_count: i64,
    pub duration_seconds: Option<i64>,
    /// The newest of the current year; only one video has it.
    #[sqlx(skip)]
    pub latest: bool,
    /// Whether it is of an earlier year.
    #[sqlx(skip)]
    pub archive: bool,
    /// Published lately, and the signed-in viewer has not begun to watch it.
    #[sqlx(skip)]
    pub is_new: bool,
    /// The viewer may not watch it: only title and date are given.
    #[sqlx(skip)]
    pub restricted: bool,
}

/// The columns of [`VideoCard`] from `videos v`.
const CARD: &str =
    "v.id, v.title, v.description, v.video_type, v.thumbnail_url, v.upload_date, v.year,
         v.is_featured, v.published_at, v.view_count, v.like_count, v.comment_count,
         v.duration_seconds";

/// A published video on its own page.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Video {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub card: VideoCard,
    /// An embed of Drive or YouTube, the path of an own file, or an https media file.
    pub video_url: String,
    #[schema(required)]
    pub content_type: Option<String>,
    /// The HLS playlist of an own file that was converted.
    #[sqlx(skip)]
    #[schema(required)]
    pub hls_url: Option<String>,
    /// WebVTT with pictures for the seek bar.
    #[sqlx(skip)]
    #[schema(required)]
    pub previews_url: Option<String>,
    /// Captions that can be turned on.
    #[sqlx(skip)]
    pub captions: Vec<Captions>,
    /// Where the signed-in viewer stopped watching, in seconds: 0 at the beginning and at the end;
    /// null if they never began.
    #[sqlx(skip)]
    #[schema(required)]
    pub resume_seconds: Option<i64>,
    /// The chapters, in order.
    #[sqlx(skip)]
    pub chapters: Vec<Chapter>,
    /// The file to keep, if staff allow it.
    #[sqlx(skip)]
    #[schema(required)]
    pub download_url: Option<String>,
    /// The upload that was converted.
    #[serde(skip)]
    converted_upload_id: Option<Uuid>,
    #[serde(skip)]
    chapter_lines: Option<String>,
    #[serde(skip)]
    has_download: bool,
    /// Whether the viewer likes it.
    #[sqlx(skip)]
    pub liked: bool,
    /// The previous video of its season.
    #[sqlx(skip)]
    #[schema(required)]
    pub previous: Option<VideoRef>,
    /// The next video of its season.
    #[sqlx(skip)]
    #[schema(required)]
    pub next: Option<VideoRef>,
}

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct VideoRef {
    pub id: Uuid,
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct YearCount {
    pub year: i64,
    pub count: i64,
}

/// Turns a broken reference to a video that was just deleted into the answer that it is gone.
fn or_gone<T>(result: crate::Result<T>) -> crate::Result<T> {
    match result {
        Err(Error::Database(sqlx::Error::Database(cause))) if cause.is_foreign_key_violation() => {
            Err(NOT_FOUND)
        }
        other => other,
    }
}
