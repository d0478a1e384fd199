//! The dashboard of the staff area: totals, and what needs attention now (decision S5).

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::{Period, views};
use crate::accounts::staff;
use crate::notifications::undelivered;
use crate::settings::Settings;
use crate::videos::LateVideo;
use crate::{App, Result, comments, family_admin, faq, messages, store, updates, videos};

/// Totals.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = DashboardTiles)]
pub struct Tiles {
    /// Videos of this summer, of every status.
    pub reports: i64,
    /// Drafts of every year.
    pub drafts: i64,
    /// Videos of earlier summers.
    pub gallery: i64,
    /// Reported or waiting for review.
    pub comments_to_review: i64,
    /// Families and visitors.
    pub users: i64,
    /// Admin accounts that may sign in.
    pub accounts: i64,
    /// Updates that families see.
    pub live_updates: i64,
    pub messages_unread: i64,
    /// Published.
    pub faq: i64,
    pub store: i64,
    /// Views of today and the six days before.
    pub views: i64,
}

/// What needs attention now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = DashboardAttention)]
pub struct Attention {
    pub unread_messages: i64,
    /// Within the last seven days.
    pub failed_mails: i64,
    /// The failed mails that are about videos.
    pub failed_video_mails: i64,
    /// Addresses of families, staff and the mailing list that refused mail permanently.
    pub suppressed_addresses: i64,
    /// Visible comments that readers reported since staff last kept them.
    pub reported_comments: i64,
    /// Comments that wait for review.
    pub held_comments: i64,
    pub to_approve: i64,
    pub overdue_plans: i64,
    pub failed_jobs: i64,
    pub next_video: Option<NextVideo>,
    /// Tonight's video, if it is late.
    pub late_video: Option<LateVideo>,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct NextVideo {
    pub id: Uuid,
    pub title: String,
    /// When it is published: after its scheduled time if that is in quiet time.
    pub scheduled_date: DateTime<Utc>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Dashboard {
    pub tiles: Tiles,
    pub attention: Attention,
}

/// Computes the dashboard. Each figure comes from the function that computes it for its own page.
pub async fn compute(app: &App, settings: &Settings) -> Result<Dashboard> {
    let db = &app.db;
    let videos = videos::counts_without_recipients(app, settings, None).await?;
    let families = family_admin::summary(app, settings).await?;
    let comments = comments::counts(db, None).await?;
    let unread_messages = messages::counts(db).await?.unread;
    let mails = undelivered::count_failed(db, app.clock.now()).await?;
    let tiles = Tiles {
        reports: videos.current,
        drafts: videos.draft,
        gallery: videos.archive,
        comments_to_review: comments.to_review,
        users: families.total_users,
        accounts: staff::count_active(db).await?,
        live_updates: updates::count_active(app).await?,
        messages_unread: unread_messages,
        faq: faq::stats(db).await?.published,
        store: store::stats(db).await?.total,
        views: views(app, settings, Period::Week).await?,
    };
    let attention = Attention {
        unread_messages,
        failed_mails: mails.all,
        failed_video_mails: mails.about_videos,
        suppressed_addresses: undelivered::count_refused(db).await?,
        reported_comments: comments.reported,
        held_comments: comments.held,
        to_approve: families.to_approve,
        overdue_plans: families.overdue,
        failed_jobs: db.sql("select count(*) from failed_jobs").scalar().await?,
        next_video: next_video(app, settings).await?,
        late_video: videos::late_video(app, settings).await?,
    };
    Ok(Dashboard { tiles, attention })
}

/// Returns the next scheduled video whose time has not come yet. If its file is not ready, it may
/// be published later.
async fn next_video(app: &App, settings: &Settings) -> Result<Option<NextVideo>> {
    let now = app.clock.now();
    let from = match settings.quiet_window(now) {
        // A video that is due in quiet time waits for its end.
        Some(window) if settings.quiet_holds_videos => window.starts_at,
        _ => now,
    };
    let mut next: Option<NextVideo> = app
        .db
        .sql(
            "select id, title, scheduled_date from videos
             where status = 'scheduled' and scheduled_date > $1 order by scheduled_date limit 1",
        )
        .bind(from)
        .optional()
        .await?;
    if let Some(video) = &mut next {
        video.scheduled_date = settings.publication_time(video.scheduled_date);
    }
    Ok(next)
}
