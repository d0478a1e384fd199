//! Analytics computed from the portal's own tables, without third parties or addresses (decision
//! S4). Days are in the camp's time zone.

pub mod dashboard;

use std::collections::BTreeMap;
use std::iter;

use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::clock::{day_in, moment_in, year_in};
use crate::db::Db;
use crate::notifications::{self, Category};
use crate::settings::Settings;
use crate::spreadsheet::cell::table;
use crate::{App, Result};

/// The period, up to and including today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AnalyticsPeriod)]
pub enum Period {
    #[serde(rename = "7")]
    Week,
    #[serde(rename = "30")]
    Month,
    #[serde(rename = "90")]
    Quarter,
    /// Since the first video of the year.
    #[serde(rename = "season")]
    Season,
}

/// A number, with that of the previous period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Figure {
    pub value: i64,
    pub before: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = AnalyticsDay)]
pub struct Day {
    pub day: NaiveDate,
    pub views: i64,
    pub likes: i64,
    pub comments: i64,
    pub new_members: i64,
}

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct TopVideo {
    pub id: Uuid,
    pub title: String,
    pub upload_date: NaiveDate,
    pub views: i64,
    pub likes: i64,
    pub comments: i64,
}

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Devices {
    pub phone: i64,
    pub tablet: i64,
    pub computer: i64,
}

/// The current families and users by type.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct UserTypes {
    pub parents: i64,
    pub visitors: i64,
    /// Families without a login.
    pub without_login: i64,
}

/// How many users did something. `of` is the number of all users.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Engagement {
    pub of: i64,
    pub watched: i64,
    pub liked: i64,
    pub commented: i64,
    /// Families that get the mail about videos, and all families.
    pub subscribed: i64,
    pub families: i64,
}

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Activity {
    /// `comment`, `member`, `video` or `like`.
    pub kind: String,
    pub at: DateTime<Utc>,
    /// A person's name or a video's title.
    pub what: String,
    /// The video that it leads to.
    pub video_id: Option<Uuid>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Analytics {
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub views: Figure,
    pub likes: Figure,
    pub comments: Figure,
    pub new_members: Figure,
    pub days: Vec<Day>,
    pub top_videos: Vec<TopVideo>,
    pub devices: Devices,
    pub user_types: UserTypes,
    pub engagement: Engagement,
    pub recent: Vec<Activity>,
}

/// Computes the analytics of a period.
pub async fn compute(app: &App, settings: &Settings, period: Period) -> Result<Analytics> {
    let zone = settings.timezone;
    let today = day_in(zone, app.clock.now());
    let from = first_day(app, settings, period).await?;
    let length = (today - from).num_days() as u64 + 1;
    let start = moment_in(zone, from.and_time(Default::default()));
    let db = &app.db;

    let mut days: BTreeMap<NaiveDate, Day> = days_from(from, length)
        .map(|day| (day, Day { day, views: 0, likes: 0, comments: 0, new_members: 0 }))
        .collect();
    let mut totals = [Figure { value: 0, before: 0 }; 4];
    for (day, counts) in by_day(db, zone, back(from, length), 2 * length).await? {
        let day = days.get_mut(&day);
        for (total, count) in totals.iter_mut().zip(counts) {
            match day {
                Some(_) => total.value += count,
                None => total.before += count,
            }
        }
        if let Some(day) = day {
            [day.views, day.likes, day.comments, day.new_members] = counts;
        }
    }
    let [views, likes, comments, new_members] = totals;
    Ok(Analytics {
        from,
        to: today,
        views,
        likes,
        comments,
        new_members,
        days: days.into_values().collect(),
        top_videos: top_videos(db, start).await?,
        devices: devices(db, start).await?,
        user_types: app.people_cache.get(db, "user types".to_owned(), user_types(db)).await?,
        engagement: engagement(app, settings, start).await?,
        recent: recent(db).await?,
    })
}

/// Returns the views of a period, as [`compute`] counts them.
async fn views(app: &App, settings: &Settings, period: Period) -> Result<i64> {
    let from = first_day(app, settings, period).await?;
    let start = moment_in(settings.timezone, from.and_time(Default::default()));
    app.db
        .sql(
            "select cast(coalesce(sum(total), 0) as bigint) from tallies
             where name = 'views' and place >= $1",
        )
        .bind(next_hour(start))
        .scalar()
        .await
}

async fn first_day(app: &App, settings: &Settings, period: Period) -> Result<NaiveDate> {
    let today = day_in(settings.timezone, app.clock.now());
    Ok(match period {
        Period::Week => back(today, 6),
        Period::Month => back(today, 29),
        Period::Quarter => back(today, 89),
        Period::Season => first_video(app, settings).await?.unwrap_or(today).min(today),
    })
}

fn back(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_sub_days(Days::new(days)).unwrap_or(day)
}

async fn first_video(app: &App, settings: &Settings) -> Result<Option<NaiveDate>> {
    app.db
        .sql("select min(upload_date) from videos where status = 'published' and year = $1")
        .bind(i64::from(year_in(settings.timezone, app.clock.now())))
        .scalar()
        .await
}

/// Returns what was counted on each of this many days, in the order of the fields of [`Day`].
async fn by_day(
    db: &Db,
    zone: Tz,
    from: NaiveDate,
    days: u64,
) -> Result<Vec<(NaiveDate, [i64; 4])>> {
    let first_hour = |day: NaiveDate| next_hour(moment_in(zone, day.and_time(Default::default())));
    let mut counts = Vec::new();
    for run in runs(days_from(from, days + 1).map(first_hour).collect()) {
        // A sum for each day reads its hours in a row; grouping them all would sort them.
        let rows: Vec<(i64, i64, i64, i64, i64)> = db
            .sql(
                "with recursive days (n, start) as (
                   select cast(0 as bigint), cast($1 as bigint)
                   union all
                   select n + 1, start + $3 from days where start + $3 < $2
                 )
                 select n,
                   (select cast(coalesce(sum(total), 0) as bigint) from tallies
                    where name = 'views' and place >= start and place < start + $3),
                   (select cast(coalesce(sum(total), 0) as bigint) from tallies
                    where name = 'likes' and place >= start and place < start + $3),
                   (select cast(coalesce(sum(total), 0) as bigint) from tallies
                    where name = 'comments' and place >= start and place < start + $3),
                   (select cast(coalesce(sum(total), 0) as bigint) from tallies
                    where name = 'members' and place >= start and place < start + $3)
                 from days",
            )
            .bind(run.from)
            .bind(run.to)
            .bind(run.hours)
            .all()
            .await?;
        let day = |n: i64| from.checked_add_days(Days::new(run.first_day + n as u64));
        let of_day = |(n, views, likes, comments, members)| {
            Some((day(n)?, [views, likes, comments, members]))
        };
        counts.extend(rows.into_iter().filter_map(of_day));
    }
    Ok(counts)
}

fn days_from(day: NaiveDate, days: u64) -> impl Iterator<Item = NaiveDate> {
    (0..days).filter_map(move |n| day.checked_add_days(Days::new(n)))
}

/// Days in a row that have the same number of hours.
#[derive(Debug, PartialEq)]
struct Run {
    /// Which day the first one is.
    first_day: u64,
    hours: i64,
    from: i64,
    to: i64,
}

/// Splits days where daylight saving begins or ends. `bounds` are the first hours of the days and the
/// end of the last one.
fn runs(bounds: Vec<i64>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (first_day, pair) in (0..).zip(bounds.windows(2)) {
        let [from, to] = [pair[0], pair[1]];
        match runs.last_mut() {
            Some(run) if run.hours == to - from => run.to = to,
            _ => runs.push(Run { first_day, hours: to - from, from, to }),
        }
    }
    runs.retain(|run| run.hours > 0);
    runs
}

/// The number of the first hour that begins at this time or later, as tallies count hours.
fn next_hour(at: DateTime<Utc>) -> i64 {
    (at.timestamp() + 3599).div_euclid(3600)
}

async fn top_videos(db: &Db, since: DateTime<Utc>) -> Result<Vec<TopVideo>> {
    db.sql(
        "select v.id, v.title, v.upload_date, w.views,
                (select count(*) from video_likes l where l.video_id = v.id and l.created_at >= $1) as likes,
                (select count(*) from video_comments c
                 where c.video_id = v.id and c.created_at >= $1 and c.hidden_at is null) as comments
         from (select subject, cast(sum(total) as bigint) as views from tallies
               where name = 'views_of_videos' and place >= $2
               group by subject
               having sum(total) > 0
               order by sum(total) desc, subject desc
               limit 10) w
         join videos v on v.id = w.subject
         order by w.views desc, v.id desc",
    )
    .bind(since)
    .bind(next_hour(since))
    .all()
    .await
}

async fn devices(db: &Db, since: DateTime<Utc>) -> Result<Devices> {
    db.sql(
        "select cast(coalesce(sum(case when kind = 'phone' then total end), 0) as bigint) as phone,
                cast(coalesce(sum(case when kind = 'tablet' then total end), 0) as bigint) as tablet,
                cast(coalesce(sum(case when kind = 'computer' then total end), 0) as bigint) as computer
         from tallies where name = 'views' and place >= $1",
    )
    .bind(next_hour(since))
    .one()
    .await
}

async fn user_types(db: &Db) -> Result<UserTypes> {
    db.sql(
        "select count(case when p.user_type = 'parent' then u.profile_id end) as parents,
                count(case when p.user_type = 'visitor' then u.profile_id end) as visitors,
                count(case when u.profile_id is null and p.deleted_at is null then 1 end) as without_login
         from profiles p
         left join users u on u.profile_id = p.id",
    )
    .one()
    .await
}

async fn engagement(app: &App, settings: &Settings, since: DateTime<Utc>) -> Result<Engagement> {
    let (of, watched, liked, commented, families): (i64, i64, i64, i64, i64) = app
        .db
        .sql(
            "with likes as materialized
               (select user_id from video_likes where created_at >= $1),
             comments as materialized
               (select user_id from video_comments
                where created_at >= $1 and hidden_at is null)
             select
               (select cast(coalesce(sum(total), 0) as bigint) from tallies where name = 'users'),
               (select count(*) from watchers where watched_at >= $1),
               (select count(distinct user_id) from likes),
               (select count(distinct user_id) from comments),
               (select cast(coalesce(sum(total), 0) as bigint) from tallies
                where name = 'families' and kind <> 'visitor')",
        )
        .bind(since)
        .one()
        .await?;
    let subscribed = notifications::kept_subscribed(app, settings, Category::DailyVideos).await?;
    Ok(Engagement { of, watched, liked, commented, subscribed, families })
}

async fn recent(db: &Db) -> Result<Vec<Activity>> {
    db.sql(
        "select kind, at, what, video_id from (
           select * from (select 'comment' as kind, c.created_at as at, c.author_name as what, c.video_id
                          from video_comments c where c.hidden_at is null order by c.created_at desc limit 12) a
           union all
           select * from (select 'member' as kind, u.created_at as at, u.full_name as what, cast(null as uuid) as video_id
                          from users u order by u.created_at desc limit 12) b
           union all
           select * from (select 'video' as kind, v.published_at as at, v.title as what, v.id as video_id
                          from videos v where v.status = 'published' order by v.published_at desc limit 12) c
           union all
           select * from (select 'like' as kind, l.created_at as at, v.title as what, l.video_id
                          from video_likes l join videos v on v.id = l.video_id
                          order by l.created_at desc limit 12) d
         ) all_of_it
         order by at desc
         limit 12",
    )
    .all()
    .await
}

/// Exports the days of a period as a table for spreadsheets, with an audit record.
pub async fn export(
    app: &App,
    actor: Actor,
    settings: &Settings,
    period: Period,
) -> Result<String> {
    let text = csv(&compute(app, settings, period).await?)?;
    let mut tx = app.db.begin().await?;
    let (now, subject) = (app.clock.now(), Subject::none(SubjectKind::Analytics));
    let details = json!({ "period": period });
    audit::record(&mut tx, now, actor, Action::AnalyticsExport, subject, details).await?;
    tx.commit().await?;
    Ok(text)
}

fn csv(analytics: &Analytics) -> Result<String> {
    let cells = |day: &Day| {
        let counts = [day.views, day.likes, day.comments, day.new_members];
        iter::once(day.day.to_string()).chain(counts.map(|count| count.to_string()))
    };
    table(&["day", "views", "likes", "comments", "new_members"], analytics.days.iter().map(cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_another_length_are_runs_of_their_own() {
        let zone = chrono_tz::America::New_York;
        let from = NaiveDate::from_ymd_opt(2026, 3, 6).expect("a day");
        let bounds: Vec<i64> = days_from(from, 6)
            .map(|day| next_hour(moment_in(zone, day.and_time(Default::default()))))
            .collect();
        let first = bounds[0];
        let run = |first_day, hours, from: i64, to: i64| Run {
            first_day,
            hours,
            from: first + from,
            to: first + to,
        };
        let expected = [run(0, 24, 0, 48), run(2, 23, 48, 71), run(3, 24, 71, 119)];
        assert_eq!(runs(bounds), expected);
    }
}
