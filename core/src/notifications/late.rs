//! Finds mails that should have been sent by now.

use chrono::{DateTime, TimeDelta, Utc};

use super::{IS_HELD, held};
use crate::{App, Result};

/// A mail is late after waiting this long.
pub(crate) const LATE: TimeDelta = TimeDelta::minutes(30);
/// Mails that no server accepts are tried for this long.
const GIVEN_UP: TimeDelta = TimeDelta::days(2);

#[derive(sqlx::FromRow)]
pub(crate) struct Late {
    /// Late mails, except for those that are given up after their next attempt.
    pub not_given_up: i64,
    /// When the oldest late mail was made, including those that are given up.
    pub oldest: Option<DateTime<Utc>>,
}

/// Returns the mails that wait for too long. In quiet time most mails wait on purpose, some wait for
/// their time, and others until their kind of mail is switched on.
pub(crate) async fn late(app: &App) -> Result<Late> {
    let now = app.clock.now();
    let settings = app.settings().await?;
    let was_quiet = !settings.quiet_between(now - LATE, now).is_zero();
    app.db
        .sql([
            "select count(case when coalesce(d.first_tried_at, d.created_at) > $2 then 1 end) as not_given_up,
                    min(d.created_at) as oldest
             from deliveries d
             join notifications n on n.id = d.notification_id
             where d.status = 'queued' and not d.collected
               and d.created_at < $1
               and (not $3 or not n.waits)
               -- it could have been sent for as long, or was tried
               and (d.due_at < $1 or d.updated_at > d.created_at)
               and not $4",
            IS_HELD,
        ])
        .bind(now - LATE)
        .bind(now - GIVEN_UP)
        .bind(was_quiet)
        .bind(held(&settings))
        .one()
        .await
}
