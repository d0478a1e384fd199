//! Counts videos for the filters of the staff area.

use serde::Serialize;

use super::{FAILED_MAILS, HAS_FAILED_MAILS, HAS_HELD_COMMENTS, HAS_REPORTED_COMMENTS};
use crate::clock::year_in;
use crate::notifications::{self, Category, undelivered};
use crate::settings::Settings;
use crate::videos::{YearCount, optional_pattern};
use crate::{App, Result};

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
    /// Videos of earlier years.
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
