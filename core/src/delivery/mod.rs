//! Sends the mails of one notification: takes a lease of it, reads the mails in batches, writes them, sends
//! them, and records the results in groups.
//!
//! A mail that was read has not been sent yet: each sender sends one of them at a time. It
//! announces the next one with the text of the last (RFC 2920), but the server gets a text only
//! when the result of the mail before is stored. If a worker is killed, at most as many mails may
//! have been sent without a trace as it had connections open. They are sent again with the same
//! Message-ID once its heartbeat has been missing for a while ([`crate::notifications::recover`]).

mod compose;
mod digest;
mod feed;
mod not_sent;
mod quiet;
mod results;
mod senders;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::BoxFuture;
use uuid::Uuid;

use self::quiet::{Wait, wait_of};
use self::senders::Senders;
use crate::db::Tx;
use crate::jobs::{self, Job};
use crate::notifications::{self, Deliver, Notification};
use crate::{App, Error, Result};

/// A mail that could not be sent for this long has failed.
const LIFETIME: TimeDelta = TimeDelta::hours(48);

/// The minimum number of times that a write is tried again.
const TRIES: u32 = 5;

impl Job for Deliver {
    const NAME: &'static str = "deliver";

    async fn run(self, app: &App) -> Result<()> {
        let Some(notification) = find(app, self.notification_id).await? else { return Ok(()) };
        match wait_of(app, &notification).await? {
            Wait::None => {}
            Wait::QuietUntil(end) => {
                let mut tx = app.db.begin().await?;
                jobs::enqueue_at(&mut tx, app, &self, Some(end)).await?;
                return tx.commit().await;
            }
            // Recovery wakes it after the earlier ones, or once its kind of mail is switched on.
            Wait::Turn | Wait::SwitchedOff => return Ok(()),
        }
        let senders = Senders::new(app, notification);
        if !senders.clone().run().await? {
            return Ok(());
        }
        let notification = senders.notification();
        // Quiet time may have begun while the mails went out.
        let wait = wait_of(app, notification).await?;
        // Waiting mails are tried again at a known time.
        let mut tx = app.db.begin().await?;
        let next: Option<DateTime<Utc>> = tx
            .sql(
                "select min(due_at) from deliveries
                 where notification_id = $1 and status = 'queued' and collected = false",
            )
            .bind(notification.id)
            .scalar()
            .await?;
        if let Some(due) = next {
            let backoff = app.mailer.backing_off().unwrap_or_default();
            let due_again = app.clock.now() + TimeDelta::from_std(backoff).unwrap_or_default();
            let at = due.max(due_again) + TimeDelta::seconds(1);
            let at = match wait {
                Wait::QuietUntil(end) => at.max(end),
                Wait::None | Wait::Turn | Wait::SwitchedOff => at,
            };
            jobs::enqueue_at(&mut tx, app, &self, Some(at)).await?;
        } else if notification.category.is_some() {
            record_counts(&mut tx, notification.id).await?;
        } else if notification.is_digest() {
            notifications::digest::record_counts(&mut tx, app.clock.now()).await?;
        }
        tx.commit().await
    }
}

/// Records the counts of the notification, unless some of its mails still wait.
async fn record_counts(tx: &mut Tx, id: Uuid) -> Result<()> {
    tx.sql(
        "update notifications
         set sent = (select count(*) from deliveries d
                     where d.notification_id = $1 and d.status = 'sent'),
             failed = (select count(*) from deliveries d
                       where d.notification_id = $1 and d.status = 'failed'),
             suppressed = (select count(*) from deliveries d
                           where d.notification_id = $1 and d.status = 'suppressed')
         where id = $1
           and not exists (select 1 from deliveries d
                           where d.notification_id = $1 and d.status in ('queued', 'sending'))",
    )
    .bind(id)
    .execute()
    .await?;
    Ok(())
}

async fn find(app: &App, id: Uuid) -> Result<Option<Notification>> {
    app.db
        .sql(
            "select id, kind, subject_id, category, data, waits, created_at
             from notifications
             where id = $1",
        )
        .bind(id)
        .optional()
        .await
}

/// Writes what must not be lost. Mails may already have been sent, so the write is repeated while the
/// database is unavailable, until the process stops.
async fn persist<'a>(
    app: &App,
    what: &'static str,
    write: impl Fn() -> BoxFuture<'a, Result<()>>,
) -> Result<()> {
    let mut tries = 0;
    loop {
        match write().await {
            Err(error) if tries < TRIES || (is_unavailable(&error) && !app.mailer.is_paused()) => {
                tracing::warn!(error = error.reason(), "{what}; trying again");
                tries += 1;
                tokio::time::sleep(Duration::from_millis(200 << tries.min(TRIES))).await;
            }
            done => return done,
        }
    }
}

/// Whether the database is unavailable. Other errors do not pass by themselves.
fn is_unavailable(error: &Error) -> bool {
    matches!(error, Error::Busy(_) | Error::Full)
}
