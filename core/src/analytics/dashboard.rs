//! The dashboard of the staff area: totals, and what needs attention now (decision S5).

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use uuid::Uuid;

use crate::clock::year_in;
use crate::notifications::undelivered;
use crate::settings::Settings;
use crate::{App, Result, payments};

/// Totals.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = DashboardTiles)]
pub struct Tiles {
    /// Videos of this summer, of every status.
    pub reports: i64,
    pub drafts: i64,
    /// Videos of earlier summers.
    pub gallery: i64,
    pub users: i64,
    /// Admin accounts that may sign in.
    pub accounts: i64,
    /// Updates that families see.
    pub live_updates: i64,
    pub messages_unread: i64,
    /// Published.
    pub faq: i64,
    pub store: i64,
    /// Views within the last seven days.
    pub views: i64,
}

/// What needs attention now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = DashboardAttention)]
pub struct Attention {
    pub unread_messages: i64,
    /// Within the last seven days.
    pub failed_mails: i64,
    /// Those of them that are about videos.
    pub failed_video_mails: i64,
    /// Addresses of families, staff and the mailing list that refused mail permanently.
    pub suppressed_addresses: i64,
    /// Visible comments that readers reported.
    pub reported_comments: i64,
    /// Comments that wait for review.
    pub held_comments: i64,
    pub to_approve: i64,
    pub overdue_plans: i64,
    pub failed_jobs: i64,
    pub next_video: Option<NextVideo>,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct NextVideo {
    pub id: Uuid,
    pub title: String,
    pub scheduled_date: DateTime<Utc>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Dashboard {
    pub tiles: Tiles,
    pub attention: Attention,
}

/// Computes the dashboard.
pub async fn compute(app: &App, settings: &Settings) -> Result<Dashboard> {
    let tiles = tiles(app, settings).await?;
    let attention = attention(app, settings, tiles.messages_unread).await?;
    Ok(Dashboard { tiles, attention })
}

async fn tiles(app: &App, settings: &Settings) -> Result<Tiles> {
    let now = app.clock.now();
    app.db
        .sql(
            "select
               (select count(*) from videos where year = $1) as reports,
               (select count(*) from videos where year = $1 and status = 'draft') as drafts,
               (select count(*) from videos where year < $1) as gallery,
               (select count(*) from profiles where deleted_at is null) as users,
               (select count(*) from staff where disabled_at is null) as accounts,
               (select count(*) from live_updates where is_active
                  and (expires_at is null or expires_at > $2)) as live_updates,
               (select count(*) from messages where status = 'unread' and not spam) as messages_unread,
               (select count(*) from faq where is_published) as faq,
               (select count(*) from products) as store,
               (select count(*) from video_views where viewed_at >= $3) as views",
        )
        .bind(i64::from(year_in(settings.timezone, now)))
        .bind(now)
        .bind(now - TimeDelta::days(7))
        .one()
        .await
}

async fn attention(app: &App, settings: &Settings, unread_messages: i64) -> Result<Attention> {
    let now = app.clock.now();
    let (
        failed_mails,
        failed_video_mails,
        reported_comments,
        held_comments,
        to_approve,
        overdue_plans,
        failed_jobs,
    ): (i64, i64, i64, i64, i64, i64, i64) = app
        .db
        .sql(
            "select
               (select count(*) from deliveries where status = 'failed' and updated_at >= $1),
               (select count(*) from deliveries d join notifications n on n.id = d.notification_id
                  where d.status = 'failed' and d.updated_at >= $1 and n.kind = 'video'),
               (select count(distinct r.comment_id) from comment_reports r
                  join video_comments c on c.id = r.comment_id where c.hidden_at is null),
               (select count(*) from video_comments where held_at is not null),
               (select count(*) from profiles where deleted_at is null and user_type = 'parent'
                  and approved_at is null and refused_at is null),
               (select count(*) from profiles where deleted_at is null and list_standing < $2),
               (select count(*) from failed_jobs)",
        )
        .bind(undelivered::lately(now))
        .bind(payments::day_number(payments::today(settings, now)))
        .one()
        .await?;
    let next_video = app
        .db
        .sql(
            "select id, title, scheduled_date from videos
             where status = 'scheduled' order by scheduled_date limit 1",
        )
        .optional()
        .await?;
    Ok(Attention {
        unread_messages,
        failed_mails,
        failed_video_mails,
        suppressed_addresses: undelivered::count_refused(&app.db).await?,
        reported_comments,
        held_comments,
        to_approve,
        overdue_plans,
        failed_jobs,
        next_video,
    })
}
