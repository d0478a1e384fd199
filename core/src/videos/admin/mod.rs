//! Videos as staff see them, of every status and every year: the type and the list.

mod counts;
mod deliveries;
mod find;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub(crate) use self::counts::counts_without_recipients;
pub use self::counts::{Counts, admin_years, counts};
pub use self::deliveries::{deliveries, retry_deliveries};
pub(crate) use self::find::must_exist;
use self::find::{add_files, add_withdrawn, complete, would_notify};
pub use self::find::{admin_find, find_for_staff};
use super::captions::AdminCaptions;
use super::link::VideoType;
use super::own_file::WAITS;
use super::{AdminCollection, Status, optional_pattern};
use crate::clock::year_in;
use crate::db::{Query, Sql, Value};
use crate::notifications::{self, Category, undelivered};
use crate::pagination::{CursorKey, Page, PageRequest};
use crate::settings::Settings;
use crate::uploads::Upload;
use crate::{App, Result};

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct AdminVideo {
    pub id: Uuid,
    pub title: String,
    pub description: Option<String>,
    /// The canonical link, or the path of a file of the portal.
    pub video_url: String,
    #[sqlx(skip)]
    pub page_url: String,
    pub video_type: VideoType,
    pub thumbnail_url: Option<String>,
    /// The day filmed, in the camp's time zone.
    pub upload_date: NaiveDate,
    pub year: i64,
    pub status: Status,
    pub scheduled_date: Option<DateTime<Utc>>,
    /// When it was first published.
    pub published_at: Option<DateTime<Utc>>,
    pub is_featured: bool,
    pub view_count: i64,
    pub like_count: i64,
    pub comment_count: i64,
    /// Whether it is of an earlier year.
    #[sqlx(skip)]
    pub archive: bool,
    /// Whether families have been notified, which happens once.
    pub announced: bool,
    pub version: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Visible comments that readers reported since staff last kept them.
    pub reported_comments: i64,
    /// Comments that wait for review.
    pub held_comments: i64,
    /// Mails about it that could not be sent within the last seven days.
    pub failed_mails: i64,
    /// User name of the account that added it.
    pub uploaded_by: Option<String>,
    /// How many addresses would get mail if it were published now; empty if none would.
    #[sqlx(skip)]
    pub recipients: Option<i64>,
    /// When a scheduled video is published: after its scheduled time if that is in quiet time.
    #[sqlx(skip)]
    pub publishes_at: Option<DateTime<Utc>>,
    /// Its file, if staff uploaded one: the newest that is not ready, or the one that is shown.
    #[sqlx(skip)]
    #[schema(required)]
    pub upload: Option<Upload>,
    /// The length of its file, if it is known.
    #[schema(required)]
    pub duration_seconds: Option<i64>,
    /// One line for each chapter, such as `0:42 Bunk 7`.
    #[schema(required)]
    pub chapters: Option<String>,
    /// Whether viewers may download its file.
    pub is_downloadable: bool,
    #[sqlx(skip)]
    pub captions: Vec<AdminCaptions>,
    /// The pictures of the conversion that can be shown before the video plays.
    #[sqlx(skip)]
    pub posters: Vec<String>,
    /// Which of them is shown: 1 to 3, 0 for the one that the conversion proposed.
    #[sqlx(skip)]
    #[schema(required)]
    pub poster: Option<i64>,
    /// Whether staff gave it a picture of their own.
    #[sqlx(skip)]
    pub has_own_picture: bool,
    /// Its time has come, but its file is not ready.
    #[sqlx(skip)]
    pub publishes_when_ready: bool,
    /// The file that it was saved with is gone. It can be published only with another file or a
    /// link.
    #[sqlx(skip)]
    pub has_no_file: bool,
    #[serde(skip)]
    waits: bool,
    #[serde(skip)]
    thumbnail_key: Option<String>,
    #[serde(skip)]
    converted_upload_id: Option<Uuid>,
    /// The sort key in lists by title.
    #[serde(skip)]
    title_place: String,
}

/// `$1` is the time since which failed mails need attention.
const ADMIN_VIDEO: [&str; 5] = [
    "select v.id, v.title, v.description, v.video_url, v.video_type, v.thumbnail_url,
                v.upload_date, v.year, v.status, v.scheduled_date, v.published_at, v.is_featured,
                v.view_count, v.like_count, v.comment_count, v.version, v.created_at, v.updated_at,
                v.duration_seconds, v.chapters, v.is_downloadable, v.thumbnail_key,
                (select u.id from uploads u
                 where u.id = v.media_upload_id and u.state = 'ready'
                   and u.renditions <> '[]') as converted_upload_id,
                s.username as uploaded_by, lower(v.title) as title_place,
                (select count(*) from video_comments c
                 where c.video_id = v.id
                   and c.reported_at is not null and c.hidden_at is null) as reported_comments,
                (select count(*) from video_comments c
                 where c.video_id = v.id and c.held_at is not null) as held_comments,
                coalesce(f.mails, 0) as failed_mails,
                exists (select 1 from notifications n
                        where n.subject_id = v.id and n.kind = 'video') as announced, ",
    WAITS,
    " as waits
         from videos v
         left join staff s on s.id = v.uploaded_by
         left join ",
    FAILED_MAILS,
    "on f.subject_id = v.id ",
];

/// The videos and how many mails about them failed since the hour `$1`. A digest that failed is a mail
/// of its own.
const FAILED_MAILS: &str = "(select n.subject_id, cast(sum(t.total) as bigint) as mails
                  from tallies t
                  join notifications n on n.id = t.subject and n.kind = 'video'
                  where t.name = 'failed_mails' and t.place >= $1
                  group by n.subject_id) f ";
const HAS_FAILED_MAILS: &str = "coalesce(f.mails, 0) > 0";

/// Whether readers reported a visible comment on `videos v`.
const HAS_REPORTED_COMMENTS: &str = "v.id in (select c.video_id from video_comments c
                  where c.reported_at is not null and c.hidden_at is null)";

/// Whether a comment on `videos v` waits for review.
const HAS_HELD_COMMENTS: &str =
    "exists (select 1 from video_comments c where c.video_id = v.id and c.held_at is not null)";

/// The filter of the list. It ends with what needs attention.
const WANTED: &str = "where ($2 is null or v.staff_search_text like $2 escape '\\')
               and ($3 is null or v.status = $3)
               and ($4 is null or v.year >= $4)
               and ($5 is null or v.year < $5)
               and ($6 is null or v.year = $6)
               and (not $7 or ";

const BY_VIEWS: &str = "and ($11 is null or (v.view_count, v.id) < ($11, $12))
                        order by v.view_count desc, v.id desc
                        limit $10";
const BY_TITLE: &str = "and ($11 is null or (lower(v.title), v.id) > ($11, $12))
                        order by lower(v.title), v.id
                        limit $10";
const BY_ADDITION: &str = "and ($11 is null or (v.created_at, v.id) < ($11, $12))
                           order by v.created_at desc, v.id desc
                           limit $10";
const BY_DAY: &str = "and ($11 is null or (v.upload_date, v.created_at, v.id) < ($11, $12, $13))
                      order by v.upload_date desc, v.created_at desc, v.id desc
                      limit $10";

/// Why a video needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// Some of its mails failed within the last seven days.
    FailedMails,
    /// Readers reported a visible comment.
    ReportedComments,
    /// A comment waits for review.
    HeldComments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AdminVideoOrder)]
pub enum AdminOrder {
    /// The last added first; in the archive the last filmed.
    #[default]
    Newest,
    Views,
    Title,
}

#[derive(Debug, Default)]
pub struct AdminFilter {
    pub q: Option<String>,
    pub status: Option<Status>,
    pub collection: Option<AdminCollection>,
    pub year: Option<i64>,
    pub attention: Option<Attention>,
    pub order: AdminOrder,
    pub part: PageRequest,
}

/// Returns the videos that match the filter.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn admin_list(
    app: &App,
    settings: &Settings,
    filter: &AdminFilter,
) -> Result<Page<AdminVideo>> {
    let now = app.clock.now();
    let this_year = i64::from(year_in(settings.timezone, now));
    let mut page = match (filter.order, filter.collection) {
        (AdminOrder::Views, _) => {
            by(app, this_year, filter, "most viewed", BY_VIEWS, |v| v.view_count).await?
        }
        (AdminOrder::Title, _) => {
            by(app, this_year, filter, "titles", BY_TITLE, |v| v.title_place.clone()).await?
        }
        (AdminOrder::Newest, Some(AdminCollection::Archive)) => {
            let after: Option<(NaiveDate, DateTime<Utc>, Uuid)> =
                filter.part.after("archive for staff")?;
            let rows = wanted(app, this_year, filter, BY_DAY)
                .bind(after.map(|a| a.0))
                .bind(after.map(|a| a.1))
                .bind(after.map(|a| a.2))
                .all()
                .await?;
            filter.part.page("archive for staff", rows, |v: &AdminVideo| {
                (v.upload_date, v.created_at, v.id)
            })
        }
        (AdminOrder::Newest, _) => {
            by(app, this_year, filter, "videos for staff", BY_ADDITION, |v| v.created_at).await?
        }
    };
    let reach = match page.items.iter().any(|video| would_notify(video, this_year)) {
        true => notifications::kept_reach(app, settings, Category::DailyVideos).await?,
        false => 0,
    };
    for video in &mut page.items {
        complete(video, settings, this_year, reach, now);
    }
    add_withdrawn(&app.db, settings, this_year, &mut page.items).await?;
    add_files(app, &app.db, &mut page.items).await?;
    Ok(page)
}

/// The videos in an order by one key and the id.
async fn by<K>(
    app: &App,
    this_year: i64,
    filter: &AdminFilter,
    list: &str,
    order: &'static str,
    key: impl Fn(&AdminVideo) -> K,
) -> Result<Page<AdminVideo>>
where
    K: Serialize + CursorKey,
    Option<K>: Value,
{
    let (after, id): (Option<K>, Option<Uuid>) = filter.part.after(list)?.unzip();
    let rows = wanted(app, this_year, filter, order).bind(after).bind(id).all().await?;
    Ok(filter.part.page(list, rows, |video| (key(video), video.id)))
}

fn wanted<'a>(
    app: &'a App,
    this_year: i64,
    filter: &AdminFilter,
    order: &'static str,
) -> Query<'a> {
    let only = |collection| (filter.collection == Some(collection)).then_some(this_year);
    app.db
        .sql(Sql::from(ADMIN_VIDEO).and([
            WANTED,
            HAS_FAILED_MAILS,
            ") and (not $8 or ",
            HAS_REPORTED_COMMENTS,
            ") and (not $9 or ",
            HAS_HELD_COMMENTS,
            ") ",
            order,
        ]))
        .bind(undelivered::hour_of_lately(app.clock.now()))
        .bind(optional_pattern(filter.q.as_deref()))
        .bind(filter.status)
        .bind(only(AdminCollection::Current))
        .bind(only(AdminCollection::Archive))
        .bind(filter.year)
        .bind(filter.attention == Some(Attention::FailedMails))
        .bind(filter.attention == Some(Attention::ReportedComments))
        .bind(filter.attention == Some(Attention::HeldComments))
        .bind(filter.part.limit() + 1)
}
