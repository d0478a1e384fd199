//! Comments as staff see them: those of one video, and the queue over all videos.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Comment, ReportReason};
use crate::db::{Db, On, Query, with_ids};
use crate::pagination::{Page, PageRequest};
use crate::search_text::optional_pattern;
use crate::{App, Result, videos};

/// A comment as staff see it.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct AdminComment {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub comment: Comment,
    pub video_id: Uuid,
    pub video_title: String,
    pub hidden: bool,
    /// How many readers reported it since staff last kept it.
    pub reports: i64,
    /// What they wrote, the earliest first.
    #[sqlx(skip)]
    pub reasons: Vec<ReportReason>,
}

/// Which comments of all videos to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CommentQueueFilter)]
pub enum QueueFilter {
    /// What waits for staff: reported ones first, then held ones, each from the oldest.
    #[default]
    ToReview,
    /// Visible, and reported since staff last kept them.
    Reported,
    /// Not visible until staff approve them.
    Held,
    /// Hidden by staff.
    Hidden,
    /// The newest first.
    All,
}

/// How many comments each filter finds.
#[derive(Debug, Clone, Copy, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = CommentCounts)]
pub struct QueueCounts {
    pub to_review: i64,
    pub reported: i64,
    pub held: i64,
    pub hidden: i64,
    #[sqlx(rename = "all_comments")]
    pub all: i64,
}

const COMMENT: &str = "select c.id, c.author_name, c.content, c.created_at, (1 = 0) as mine,
                c.held_at is not null as held,
                c.hidden_at is not null and c.held_at is null as hidden,
                c.video_id, v.title as video_title,
                (select count(*) from comment_reports r
                 where r.comment_id = c.id and r.closed_at is null) as reports
         from video_comments c
         join videos v on v.id = c.video_id ";

// Each of these conditions has an index.
const TO_REVIEW: &str =
    "(c.held_at is not null or (c.reported_at is not null and c.hidden_at is null)) ";
const REPORTED: &str = "c.reported_at is not null and c.hidden_at is null ";
const HELD: &str = "c.held_at is not null ";
const HIDDEN: &str = "c.hidden_at is not null and c.held_at is null ";
const ALL: &str = "(1 = 1) ";

/// Searches in the author, the text and the video.
const WANTED: &str = "and ($1 is null or c.search_text like $1 escape '\\'
                    or c.video_id in (select f.id from videos f
                                      where f.staff_search_text like $1 escape '\\')) ";

const BY_REVIEW: &str = "and ($3 is null
                    or (case when c.held_at is null then 0 else 1 end, c.created_at, c.id)
                       > ($3, $4, $5))
             order by case when c.held_at is null then 0 else 1 end, c.created_at, c.id
             limit $2";
const OLDEST: &str = "and ($3 is null or (c.created_at, c.id) > ($3, $4))
             order by c.created_at, c.id
             limit $2";
const NEWEST: &str = "and ($3 is null or (c.created_at, c.id) < ($3, $4))
             order by c.created_at desc, c.id desc
             limit $2";

/// The counts without a search.
const COUNTS_OF_ALL: &str =
    "select cast(coalesce(sum(case when kind like 'held %' or kind like '%visible reported %'
                                   then total end), 0) as bigint) as to_review,
            cast(coalesce(sum(case when kind like '%visible reported %' then total end), 0)
              as bigint) as reported,
            cast(coalesce(sum(case when kind like 'held %' then total end), 0) as bigint) as held,
            cast(coalesce(sum(case when kind like 'hidden %' then total end), 0) as bigint)
              as hidden,
            cast(coalesce(sum(total), 0) as bigint) as all_comments
     from tallies where name = 'comment_states'";

/// Returns the comments of a video for staff, including hidden ones, newest first.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when there is no such video, [`crate::Error::Invalid`] on `cursor`
/// when it belongs to another order or list.
pub async fn list_for_staff(
    app: &App,
    video_id: Uuid,
    part: &PageRequest,
) -> Result<Page<AdminComment>> {
    videos::must_exist(&app.db, video_id).await?;
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("comments")?;
    let rows = app
        .db
        .sql([COMMENT, "where c.video_id = $1 ", NEWEST])
        .bind(video_id)
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .all()
        .await?;
    let mut page = part.page("comments", rows, by_time);
    load_reasons(&app.db, &mut page.items).await?;
    Ok(page)
}

/// Returns the comments of all videos that match the filter and the search text.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another filter or list.
pub async fn queue(
    app: &App,
    filter: QueueFilter,
    q: Option<&str>,
    part: &PageRequest,
) -> Result<Page<AdminComment>> {
    let db = &app.db;
    let mut page = match filter {
        QueueFilter::ToReview => {
            let after: Option<(i64, DateTime<Utc>, Uuid)> = part.after("comments to review")?;
            let rows = queued(db, TO_REVIEW, BY_REVIEW, q, part)
                .bind(after.map(|a| a.0))
                .bind(after.map(|a| a.1))
                .bind(after.map(|a| a.2))
                .all()
                .await?;
            part.page("comments to review", rows, |row: &AdminComment| {
                (i64::from(row.comment.held), row.comment.created_at, row.comment.id)
            })
        }
        QueueFilter::Reported => by_age(db, "reported", REPORTED, OLDEST, q, part).await?,
        QueueFilter::Held => by_age(db, "held", HELD, OLDEST, q, part).await?,
        QueueFilter::Hidden => by_age(db, "hidden", HIDDEN, NEWEST, q, part).await?,
        QueueFilter::All => by_age(db, "all comments", ALL, NEWEST, q, part).await?,
    };
    load_reasons(db, &mut page.items).await?;
    Ok(page)
}

async fn by_age(
    db: &Db,
    list: &str,
    kind: &'static str,
    order: &'static str,
    q: Option<&str>,
    part: &PageRequest,
) -> Result<Page<AdminComment>> {
    let (at, id): (Option<DateTime<Utc>>, Option<Uuid>) = part.after(list)?.unzip();
    let rows = queued(db, kind, order, q, part).bind(at).bind(id).all().await?;
    Ok(part.page(list, rows, by_time))
}

fn by_time(row: &AdminComment) -> (DateTime<Utc>, Uuid) {
    (row.comment.created_at, row.comment.id)
}

fn queued<'a>(
    db: &'a Db,
    kind: &'static str,
    order: &'static str,
    q: Option<&str>,
    part: &PageRequest,
) -> Query<'a> {
    db.sql([COMMENT, "where ", kind, WANTED, order])
        .bind(optional_pattern(q))
        .bind(part.limit() + 1)
}

#[derive(sqlx::FromRow)]
struct Found {
    comment_id: Uuid,
    #[sqlx(flatten)]
    reason: ReportReason,
}

/// Loads the open reports of all comments in one query.
async fn load_reasons(on: impl Into<On<'_>>, comments: &mut [AdminComment]) -> Result<()> {
    let reported = comments.iter().filter(|row| row.reports > 0).map(|row| row.comment.id);
    let rows: Vec<Found> = on
        .into()
        .either(with_ids(
            ["select r.comment_id, r.category, r.reason, r.created_at
             from comment_reports r
             where r.closed_at is null and r.comment_id in "],
            "$1",
            " order by r.created_at, r.reporter",
        ))
        .bind_ids(reported)
        .all()
        .await?;
    let mut reasons: HashMap<Uuid, Vec<ReportReason>> = HashMap::new();
    for Found { comment_id, reason } in rows {
        reasons.entry(comment_id).or_default().push(reason);
    }
    for row in comments {
        row.reasons = reasons.remove(&row.comment.id).unwrap_or_default();
    }
    Ok(())
}

/// Counts what each filter finds. The dashboard, the navigation and the queue show these figures.
pub async fn counts(db: &Db, q: Option<&str>) -> Result<QueueCounts> {
    let Some(pattern) = optional_pattern(q) else {
        return db.sql(COUNTS_OF_ALL).one().await;
    };
    db.sql([
        "select (select count(*) from video_comments c where ",
        TO_REVIEW,
        WANTED,
        ") as to_review, (select count(*) from video_comments c where ",
        REPORTED,
        WANTED,
        ") as reported, (select count(*) from video_comments c where ",
        HELD,
        WANTED,
        ") as held, (select count(*) from video_comments c where ",
        HIDDEN,
        WANTED,
        ") as hidden, (select count(*) from video_comments c where ",
        ALL,
        WANTED,
        ") as all_comments",
    ])
    .bind(pattern)
    .one()
    .await
}
