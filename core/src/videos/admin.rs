//! Videos as staff see them: every status, every year.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::captions::{self, AdminCaptions};
use super::link::VideoType;
use super::own_file::WAITS;
use super::own_picture::is_own_picture;
use super::{AdminCollection, NOT_FOUND, Status, YearCount, optional_pattern};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::clock::year_in;
use crate::db::{On, Query, Sql, Tx, Value};
use crate::ffmpeg::{CANDIDATES, POSTER};
use crate::notifications::{self, Category, MailKind, Tally, undelivered};
use crate::pagination::{CursorKey, Page, PageRequest};
use crate::settings::Settings;
use crate::uploads::{self, Upload};
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
    /// Of an earlier year.
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
    /// When a scheduled video is published, which is after its time if that is in quiet time.
    #[sqlx(skip)]
    pub publishes_at: Option<DateTime<Utc>>,
    /// Its file, if staff uploaded one: the newest that is not ready, or the one that is shown.
    #[sqlx(skip)]
    #[schema(required)]
    pub upload: Option<Upload>,
    /// Of its file, where it is known.
    #[schema(required)]
    pub duration_seconds: Option<i64>,
    /// One line for each chapter, such as `0:42 Bunk 7`.
    #[schema(required)]
    pub chapters: Option<String>,
    /// Whether viewers are offered its file to keep it.
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
/// [`crate::Error::Invalid`] on `cursor` when it is of another order or list.
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
            let after: Option<(NaiveDate, DateTime<Utc>, Uuid)> = filter.part.after("shelf")?;
            let rows = wanted(app, this_year, filter, BY_DAY)
                .bind(after.map(|a| a.0))
                .bind(after.map(|a| a.1))
                .bind(after.map(|a| a.2))
                .all()
                .await?;
            filter.part.page("shelf", rows, |v: &AdminVideo| (v.upload_date, v.created_at, v.id))
        }
        (AdminOrder::Newest, _) => {
            by(app, this_year, filter, "desk", BY_ADDITION, |v| v.created_at).await?
        }
    };
    let reach = match page.items.iter().any(|video| would_notify(video, this_year)) {
        true => notifications::kept_reach(app, settings, Category::DailyVideos).await?,
        false => 0,
    };
    for video in &mut page.items {
        complete(video, settings, this_year, reach, now);
    }
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

/// Returns a video of any status.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn find_for_staff(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    id: Uuid,
) -> Result<AdminVideo> {
    let video = one(&mut *tx, app.clock.now(), id).await?;
    let reach = match would_notify(&video, this_year(app, settings)) {
        true => notifications::reach(&mut *tx, settings, Category::DailyVideos).await?,
        false => 0,
    };
    completed(app, tx, settings, video, reach).await
}

async fn one(on: impl Into<On<'_>>, now: DateTime<Utc>, id: Uuid) -> Result<AdminVideo> {
    on.into()
        .sql(Sql::from(ADMIN_VIDEO).and("where v.id = $2"))
        .bind(undelivered::hour_of_lately(now))
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)
}

/// Whether families would be notified if it were published now.
fn would_notify(video: &AdminVideo, this_year: i64) -> bool {
    video.published_at.is_none() && !video.announced && video.year == this_year
}

fn complete(
    video: &mut AdminVideo,
    settings: &Settings,
    this_year: i64,
    reach: i64,
    now: DateTime<Utc>,
) {
    let is_due = video.scheduled_date.is_some_and(|at| at <= now);
    video.publishes_when_ready = video.waits && video.status == Status::Scheduled && is_due;
    video.page_url = format!("/video/{}", video.id);
    video.archive = video.year < this_year;
    if let Some(upload_id) = video.converted_upload_id {
        let url = |name: &&str| format!("/media/videos/{}/{upload_id}/{name}", video.id);
        video.posters = CANDIDATES.iter().map(url).collect();
        let shown = video.thumbnail_key.as_deref().and_then(|key| key.rsplit('/').next());
        let all = [POSTER].into_iter().chain(CANDIDATES);
        video.poster = (0..).zip(all).find(|(_, name)| shown == Some(name)).map(|(at, _)| at);
    }
    video.has_own_picture = video.thumbnail_key.as_deref().is_some_and(is_own_picture);
    video.recipients = would_notify(video, this_year).then_some(reach);
    video.publishes_at = video.scheduled_date.map(|at| settings.publication_time(at));
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = VideoCounts)]
pub struct Counts {
    #[sqlx(rename = "all_videos")]
    pub all: i64,
    pub published: i64,
    pub scheduled: i64,
    pub draft: i64,
    #[sqlx(rename = "current_year")]
    pub current: i64,
    /// Of earlier years.
    pub archive: i64,
    /// Videos with mails that could not be sent within the last seven days.
    pub failed_mails: i64,
    /// Videos with visible comments that readers reported.
    pub reported_comments: i64,
    /// Videos with comments that wait for review.
    pub held_comments: i64,
    /// Addresses that would get mail about a video now.
    #[sqlx(skip)]
    pub recipients: i64,
}

/// Returns a video of any status like [`find_for_staff`], outside a transaction.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn admin_find(app: &App, settings: &Settings, id: Uuid) -> Result<AdminVideo> {
    let video = one(&app.db, app.clock.now(), id).await?;
    let reach = match would_notify(&video, this_year(app, settings)) {
        true => notifications::kept_reach(app, settings, Category::DailyVideos).await?,
        false => 0,
    };
    completed(app, &app.db, settings, video, reach).await
}

async fn completed(
    app: &App,
    on: impl Into<On<'_>>,
    settings: &Settings,
    mut video: AdminVideo,
    reach: i64,
) -> Result<AdminVideo> {
    complete(&mut video, settings, this_year(app, settings), reach, app.clock.now());
    add_files(app, on, std::slice::from_mut(&mut video)).await?;
    Ok(video)
}

fn this_year(app: &App, settings: &Settings) -> i64 {
    i64::from(year_in(settings.timezone, app.clock.now()))
}

/// Loads the uploads and the captions of all videos.
async fn add_files(app: &App, on: impl Into<On<'_>>, videos: &mut [AdminVideo]) -> Result<()> {
    let mut on = on.into();
    let found = uploads::of_videos(app, on.again(), videos.iter().map(|video| video.id)).await?;
    let captions = captions::of_videos(on, videos.iter().map(|video| video.id)).await?;
    for video in videos {
        video.captions =
            captions.iter().filter(|captions| captions.is_of(video.id)).cloned().collect();
        video.upload = found.iter().find(|upload| upload.video_id == Some(video.id)).cloned();
    }
    Ok(())
}

/// Counts the videos of each kind: all of them, or those that match `q`.
pub async fn counts(app: &App, settings: &Settings, q: Option<&str>) -> Result<Counts> {
    let mut counts = counts_without_recipients(app, settings, q).await?;
    counts.recipients = notifications::kept_reach(app, settings, Category::DailyVideos).await?;
    Ok(counts)
}

/// As [`counts`], but `recipients` is 0, because it takes longer than all the rest.
pub(crate) async fn counts_without_recipients(
    app: &App,
    settings: &Settings,
    q: Option<&str>,
) -> Result<Counts> {
    let now = app.clock.now();
    let (hour, year) = (undelivered::hour_of_lately(now), year_in(settings.timezone, now));
    let query = match optional_pattern(q) {
        None => app.db.sql(COUNTS_OF_ALL).bind(hour).bind(i64::from(year)),
        Some(pattern) => {
            app.db.sql(COUNTS_OF_SEARCH).bind(hour).bind(i64::from(year)).bind(pattern)
        }
    };
    query.one().await
}

const COUNTS_OF_SEARCH: [&str; 9] = [
    "select count(*) as all_videos,
            count(case when v.status = 'published' then 1 end) as published,
            count(case when v.status = 'scheduled' then 1 end) as scheduled,
            count(case when v.status = 'draft' then 1 end) as draft,
            count(case when v.year >= $2 then 1 end) as current_year,
            count(case when v.year < $2 then 1 end) as archive,
            count(case when ",
    HAS_FAILED_MAILS,
    " then 1 end) as failed_mails, count(case when ",
    HAS_REPORTED_COMMENTS,
    " then 1 end) as reported_comments, count(case when ",
    HAS_HELD_COMMENTS,
    " then 1 end) as held_comments from videos v left join ",
    FAILED_MAILS,
    "on f.subject_id = v.id where v.staff_search_text like $3 escape '\\'",
];

const COUNTS_OF_ALL: [&str; 3] = [
    "with reported as materialized
       (select video_id from video_comments where reported_at is not null and hidden_at is null),
     held as materialized
       (select video_id from video_comments where held_at is not null)
     select cast(coalesce(sum(total), 0) as bigint) as all_videos,
            cast(coalesce(sum(case when kind = 'published' then total end), 0) as bigint)
              as published,
            cast(coalesce(sum(case when kind = 'scheduled' then total end), 0) as bigint)
              as scheduled,
            cast(coalesce(sum(case when kind = 'draft' then total end), 0) as bigint) as draft,
            cast(coalesce(sum(case when place >= $2 then total end), 0) as bigint)
              as current_year,
            cast(coalesce(sum(case when place < $2 then total end), 0) as bigint) as archive,
            (select count(*) from ",
    FAILED_MAILS,
    "join videos v on v.id = f.subject_id where f.mails > 0) as failed_mails,
            (select count(distinct video_id) from reported) as reported_comments,
            (select count(distinct video_id) from held) as held_comments
     from tallies where name = 'videos'",
];

/// Returns the years of the archive with the number of their videos of any status, newest first.
pub async fn admin_years(app: &App, settings: &Settings) -> Result<Vec<YearCount>> {
    app.db
        .sql(
            "select place as year, cast(sum(total) as bigint) as count
             from tallies
             where name = 'videos' and place < $1
             group by place
             having sum(total) > 0
             order by place desc",
        )
        .bind(i64::from(year_in(settings.timezone, app.clock.now())))
        .all()
        .await
}

/// Returns the delivery counts of a video's mails.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn deliveries(app: &App, id: Uuid) -> Result<Tally> {
    must_exist(&app.db, id).await?;
    notifications::tally(&app.db, MailKind::Video, id).await
}

/// Queues the failed mails about a video again. Returns how many.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn retry_deliveries(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<i64> {
    must_exist(&mut *tx, id).await?;
    let queued = notifications::retry(tx, app, MailKind::Video, id).await?;
    let details = json!({ "queued": queued });
    let subject = Subject::new(SubjectKind::Video, id);
    audit::record(tx, app.clock.now(), actor, Action::VideoRetryMail, subject, details).await?;
    Ok(queued)
}

/// Fails with [`crate::Error::NotFound`] when there is no such video.
pub(crate) async fn must_exist(on: impl Into<On<'_>>, id: Uuid) -> Result<()> {
    let videos: i64 =
        on.into().sql("select count(*) from videos where id = $1").bind(id).scalar().await?;
    match videos {
        0 => Err(NOT_FOUND),
        _ => Ok(()),
    }
}
