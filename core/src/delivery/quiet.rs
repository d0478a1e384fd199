//! Whether the mails of a notification wait although they are due (decision M9).

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Mutex;

use crate::notifications::{self, IS_HELD, Notification};
use crate::{App, Result};

/// Mails that were made at most this long before quiet time, and could not be sent before it, come first after it.
const LATE: TimeDelta = TimeDelta::hours(24);
/// How long the answer is used, unless quiet time begins before.
const FRESH: Duration = Duration::from_secs(1);

/// Why the mails wait.
pub(super) enum Wait {
    None,
    /// For the end of quiet time.
    QuietUntil(DateTime<Utc>),
    /// Until the owners switch its kind of mail on again.
    SwitchedOff,
    /// For earlier notifications that waited for the end of quiet time and are still going out.
    Turn,
}

/// Decides whether a notification waits. Nothing of the answer is stored, so mails that wait follow
/// every change of the settings.
pub(super) async fn wait_of(app: &App, notification: &Notification) -> Result<Wait> {
    if always_goes(notification) {
        return Ok(Wait::None);
    }
    let settings = app.settings().await?;
    if !notifications::goes_out(&settings, notification) {
        return Ok(Wait::SwitchedOff);
    }
    if !notification.waits {
        return Ok(Wait::None);
    }
    let now = app.clock.now();
    if let Some(end) = settings.quiet_until(now) {
        return Ok(Wait::QuietUntil(end));
    }
    // Reminders have no order.
    if notification.category.is_none() {
        return Ok(Wait::None);
    }
    let Some(window) = settings.last_quiet_window(now) else { return Ok(Wait::None) };
    let earlier: bool = app
        .db
        .sql([
            "select exists (
               select 1 from notifications n
               join deliveries d on d.notification_id = n.id
               where n.category is not null and n.waits
                 and n.created_at > $1 and n.created_at < $2
                 and (n.created_at, n.id) < ($3, $4)
                 and d.status in ('queued', 'sending') and not d.collected
                 and (d.status = 'sending' or d.due_at <= $5)
                 and not $6",
            IS_HELD,
            ")",
        ])
        .bind(window.starts_at - LATE)
        .bind(window.ends_at)
        .bind(notification.created_at)
        .bind(notification.id)
        .bind(now)
        .bind(notifications::held(&settings))
        .scalar()
        .await?;
    Ok(if earlier { Wait::Turn } else { Wait::None })
}

/// Whether neither quiet time nor a setting holds a notification back.
fn always_goes(notification: &Notification) -> bool {
    !notification.waits && notification.list().is_none()
}

/// Tells before each mail whether it may be sent.
#[derive(Default)]
pub(super) struct QuietCheck(Mutex<Option<MayGo>>);

/// Until when mails may go, and since when that is known.
struct MayGo {
    asked: Instant,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

impl QuietCheck {
    pub async fn may_go(&self, app: &App, notification: &Notification) -> Result<bool> {
        if always_goes(notification) {
            return Ok(true);
        }
        let now = app.clock.now();
        let mut known = self.0.lock().await;
        if let Some(MayGo { asked, from, until }) = &*known
            && asked.elapsed() < FRESH
            && (*from..*until).contains(&now)
        {
            return Ok(true);
        }
        *known = None;
        if !matches!(wait_of(app, notification).await?, Wait::None) {
            return Ok(false);
        }
        let until = now + TimeDelta::from_std(FRESH).unwrap_or_default();
        let next = match notification.waits {
            true => app.settings().await?.next_quiet_start(now, until),
            false => None,
        };
        *known = Some(MayGo { asked: Instant::now(), from: now, until: next.unwrap_or(until) });
        Ok(true)
    }
}
