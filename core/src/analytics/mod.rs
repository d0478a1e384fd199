//! Analytics computed from the portal's own tables, without third parties or addresses (decision
//! S4). Days are in the camp's time zone.

pub mod dashboard;

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::clock::{day_in, moment_in, year_in};
use crate::db::{Db, On, Sql, Texts};
use crate::settings::Settings;
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

/// A number, with the one of the period before.
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
    /// Families that staff added and that have no user yet.
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
    let earlier = moment_in(zone, back(from, length).and_time(Default::default()));
    let db = &app.db;

    let mut days: BTreeMap<NaiveDate, Day> = (0..length)
        .filter_map(|n| from.checked_add_days(Days::new(n)))
        .map(|day| (day, Day { day, views: 0, likes: 0, comments: 0, new_members: 0 }))
        .collect();
    let mut totals = [Figure { value: 0, before: 0 }; 4];
    for (counted, total) in Counted::ALL.into_iter().zip(&mut totals) {
        for (hour, count) in hours(db, counted, earlier).await? {
            match days.get_mut(&day_in(zone, hour)) {
                Some(day) => {
                    total.value += count;
                    let cell = match counted {
                        Counted::Views => &mut day.views,
                        Counted::Likes => &mut day.likes,
                        Counted::Comments => &mut day.comments,
                        Counted::NewMembers => &mut day.new_members,
                    };
                    *cell += count;
                }
                None => total.before += count,
            }
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
        user_types: user_types(db).await?,
        engagement: engagement(app, start).await?,
        recent: recent(db).await?,
    })
}

/// Returns the views of a period, as [`compute`] counts them.
async fn views(app: &App, settings: &Settings, period: Period) -> Result<i64> {
    let zone = settings.timezone;
    let from = first_day(app, settings, period).await?;
    let start = moment_in(zone, from.and_time(Default::default()));
    let hours = hours(&app.db, Counted::Views, start).await?;
    Ok(hours.iter().filter(|(hour, _)| day_in(zone, *hour) >= from).map(|(_, count)| count).sum())
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

/// What the analytics count.
#[derive(Clone, Copy)]
enum Counted {
    Views,
    Likes,
    Comments,
    NewMembers,
}

impl Counted {
    const ALL: [Counted; 4] =
        [Counted::Views, Counted::Likes, Counted::Comments, Counted::NewMembers];
}

/// Returns counts by hour in UTC, which are grouped into days of the camp.
async fn hours(
    db: &Db,
    counted: Counted,
    since: DateTime<Utc>,
) -> Result<Vec<(DateTime<Utc>, i64)>> {
    let (table, at, only) = match counted {
        Counted::Views => ("video_views", "viewed_at", ""),
        Counted::Likes => ("video_likes", "created_at", ""),
        Counted::Comments => ("video_comments", "created_at", " and hidden_at is null"),
        Counted::NewMembers => ("users", "created_at", ""),
    };
    // The engines truncate a time to the hour in different ways.
    let text = Texts {
        sqlite: Sql::from([
            "select substr(",
            at,
            ", 1, 13) as hour, count(*) from ",
            table,
            " where ",
            at,
            " >= $1",
            only,
            " group by 1",
        ]),
        postgres: Sql::from([
            "select to_char(",
            at,
            " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24') as hour, count(*) from ",
            table,
            " where ",
            at,
            " >= $1",
            only,
            " group by 1",
        ]),
    };
    let rows: Vec<(String, i64)> = On::from(db).either(text).bind(since).all().await?;
    let read = |hour: &str| {
        let local = NaiveDateTime::parse_from_str(&format!("{hour}:00"), "%Y-%m-%dT%H:%M").ok()?;
        Some(local.and_utc())
    };
    Ok(rows.iter().filter_map(|(hour, count)| Some((read(hour)?, *count))).collect())
}

async fn top_videos(db: &Db, since: DateTime<Utc>) -> Result<Vec<TopVideo>> {
    db.sql(
        "select v.id, v.title, v.upload_date, w.views,
                (select count(*) from video_likes l where l.video_id = v.id and l.created_at >= $1) as likes,
                (select count(*) from video_comments c
                 where c.video_id = v.id and c.created_at >= $1 and c.hidden_at is null) as comments
         from (select video_id, count(*) as views from video_views where viewed_at >= $1
               group by video_id order by count(*) desc limit 10) w
         join videos v on v.id = w.video_id
         order by w.views desc, v.id desc",
    )
    .bind(since)
    .all()
    .await
}

async fn devices(db: &Db, since: DateTime<Utc>) -> Result<Devices> {
    db.sql(
        "select cast(coalesce(sum(case when device = 'phone' then 1 else 0 end), 0) as bigint) as phone,
                cast(coalesce(sum(case when device = 'tablet' then 1 else 0 end), 0) as bigint) as tablet,
                cast(coalesce(sum(case when device = 'computer' then 1 else 0 end), 0) as bigint) as computer
         from video_views where viewed_at >= $1",
    )
    .bind(since)
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

async fn engagement(app: &App, since: DateTime<Utc>) -> Result<Engagement> {
    let db = &app.db;
    let (of, liked, commented, subscribed, families): (i64, i64, i64, i64, i64) = db
        .sql(
            "select
               (select count(*) from users),
               (select count(distinct user_id) from video_likes where created_at >= $1),
               (select count(distinct user_id) from video_comments where created_at >= $1),
               (select count(*) from profiles where deleted_at is null and user_type = 'parent' and daily_video_email),
               (select count(*) from profiles where deleted_at is null and user_type = 'parent')",
        )
        .bind(since)
        .one()
        .await?;
    // Viewers are stored as keyed hashes. Users are recognized among them by hashing the ids of all
    // users.
    let viewers: Vec<(Vec<u8>,)> = db
        .sql("select distinct viewer from video_views where viewed_at >= $1")
        .bind(since)
        .all()
        .await?;
    let viewers: std::collections::HashSet<Vec<u8>> = viewers.into_iter().map(|(v,)| v).collect();
    let users: Vec<(Uuid,)> = db.sql("select id from users").all().await?;
    let watched =
        users.iter().filter(|(id,)| viewers.contains(&crate::videos::viewer_key(app, *id))).count();
    Ok(Engagement { of, watched: watched as i64, liked, commented, subscribed, families })
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
    let table = csv(&compute(app, settings, period).await?);
    let mut tx = app.db.begin().await?;
    let (now, subject) = (app.clock.now(), Subject::none(SubjectKind::Analytics));
    let details = json!({ "period": period });
    audit::record(&mut tx, now, actor, Action::AnalyticsExport, subject, details).await?;
    tx.commit().await?;
    Ok(table)
}

fn csv(analytics: &Analytics) -> String {
    let mut text = String::from("day,views,likes,comments,new_members\r\n");
    for day in &analytics.days {
        text.push_str(&format!(
            "{},{},{},{},{}\r\n",
            day.day, day.views, day.likes, day.comments, day.new_members
        ));
    }
    text
}
