//! Readers report comments, and staff keep those that are no reason for concern.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::NOT_FOUND;
use super::admin::{must_be_shown, record};
use crate::access::Viewer;
use crate::audit::{Action, Actor};
use crate::db::Tx;
use crate::rate_limits;
use crate::settings::Settings;
use crate::validation::Validator;
use crate::videos::must_be_open;
use crate::{App, Error, Result};

/// What is wrong with a comment.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = CommentReportCategory)]
pub enum ReportCategory {
    Unkind,
    /// Tells something about a child or a family that others should not read.
    Private,
    Unsuitable,
    Advertising,
    #[default]
    Other,
}

#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CommentReport)]
pub struct Report {
    /// `other` by default.
    #[serde(default)]
    pub category: ReportCategory,
    /// In the reader's own words, at most 500 characters.
    pub reason: Option<String>,
}

/// One report as staff see it. Nobody learns who made it.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct ReportReason {
    pub category: ReportCategory,
    /// Empty when the reader wrote nothing.
    pub reason: String,
    pub created_at: DateTime<Utc>,
}

/// Applies the rate limit of reports from one address. Call it before [`report`], outside its
/// transaction.
///
/// # Errors
///
/// [`Error::TooMany`]
pub async fn may_report(app: &App, from: IpAddr) -> Result<()> {
    rate_limits::count_network(app, rate_limits::REPORTS_BY_ADDRESS, from).await
}

/// Reports a comment to the camp. Each reader counts once, also after staff kept the comment.
///
/// # Errors
///
/// [`Error::NotFound`], also for a hidden comment, [`Error::Invalid`], and those of the video's
/// page.
pub async fn report(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
    report: &Report,
) -> Result<()> {
    let mut checks = Validator::new();
    let reason = checks.block("reason", report.reason.as_deref().unwrap_or_default(), 500);
    checks.done()?;
    let video: Option<(Uuid,)> = tx
        .sql("select video_id from video_comments where id = $1 and hidden_at is null")
        .bind(id)
        .optional()
        .await?;
    let (video_id,) = video.ok_or(NOT_FOUND)?;
    must_be_open(&mut *tx, settings, viewer, video_id).await?;
    let key = viewer.key().ok_or(Error::SignInRequired)?;
    let reporter = app.keys.hash("reporter", &[key.as_bytes()]);
    let now = app.clock.now();
    // This locks the comment, so that it is not kept and reported at the same moment.
    let marked = tx
        .sql(
            "update video_comments set reported_at = coalesce(reported_at, $3)
             where id = $1 and hidden_at is null
               and not exists (select 1 from comment_reports
                               where comment_id = $1 and reporter = $2)",
        )
        .bind(id)
        .bind(reporter.clone())
        .bind(now)
        .execute()
        .await?;
    if marked == 0 {
        // A reader may reword a report that staff have not answered yet.
        tx.sql(
            "update comment_reports set category = $3, reason = $4
             where comment_id = $1 and reporter = $2 and closed_at is null",
        )
        .bind(id)
        .bind(reporter)
        .bind(report.category)
        .bind(reason)
        .execute()
        .await?;
        return Ok(());
    }
    tx.sql(
        "insert into comment_reports (comment_id, reporter, category, reason, created_at)
         values ($1, $2, $3, $4, $5)
         on conflict (comment_id, reporter) do nothing",
    )
    .bind(id)
    .bind(reporter)
    .bind(report.category)
    .bind(reason)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Which reports staff saw when they decided to keep a comment.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepComment {
    /// When the newest report that the page showed was made (UTC).
    pub reported_until: DateTime<Utc>,
}

/// Closes the reports of a comment, which stays as it is. Repeating it changes nothing.
///
/// # Errors
///
/// [`Error::NotFound`], and [`Error::Conflict`] when somebody hid the comment, or a reader reported
/// it, after the page was loaded.
pub async fn keep(tx: &mut Tx, app: &App, actor: Actor, id: Uuid, seen: KeepComment) -> Result<()> {
    let kept: Option<(Uuid,)> = tx
        .sql(
            "update video_comments set reported_at = null
             where id = $1 and reported_at is not null and hidden_at is null
             returning video_id",
        )
        .bind(id)
        .optional()
        .await?;
    let Some((video_id,)) = kept else { return must_be_shown(tx, id).await };
    let unseen: Option<(Uuid,)> = tx
        .sql(
            "select comment_id from comment_reports
             where comment_id = $1 and closed_at is null and created_at > $2 limit 1",
        )
        .bind(id)
        .bind(seen.reported_until)
        .optional()
        .await?;
    if unseen.is_some() {
        return Err(Error::Conflict(
            "Another reader just reported this comment. Please look again.",
        ));
    }
    let closed = tx
        .sql(
            "update comment_reports set closed_at = $2, closed_by = $3
             where comment_id = $1 and closed_at is null",
        )
        .bind(id)
        .bind(app.clock.now())
        .bind(actor.staff_id())
        .execute()
        .await?;
    let details = json!({ "video_id": video_id, "reports": closed });
    record(tx, app, actor, Action::CommentKeep, id, details).await
}

/// Takes the last [`keep`] back: the reports that it closed are open again. Changes nothing when
/// the comment was not kept, or was reported again since.
///
/// # Errors
///
/// [`Error::NotFound`], and [`Error::Conflict`] when somebody hid it meanwhile.
pub async fn reopen(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let opened: Option<(Uuid,)> = tx
        .sql(
            "update video_comments
             set reported_at = (select min(created_at) from comment_reports
                                where comment_id = $1 and closed_at is not null)
             where id = $1 and reported_at is null and hidden_at is null
               and exists (select 1 from comment_reports
                           where comment_id = $1 and closed_at is not null)
             returning video_id",
        )
        .bind(id)
        .optional()
        .await?;
    let Some((video_id,)) = opened else { return must_be_shown(tx, id).await };
    let reports = tx
        .sql(
            "update comment_reports set closed_at = null, closed_by = null
             where comment_id = $1
               and closed_at = (select max(closed_at) from comment_reports where comment_id = $1)",
        )
        .bind(id)
        .execute()
        .await?;
    let details = json!({ "video_id": video_id, "reports": reports });
    record(tx, app, actor, Action::CommentReopen, id, details).await
}
