//! The scheduler: heartbeats, publication of scheduled videos, recovery of unsent mail, bounces, alerts, payment
//! reminders, daily emails and cleanup. Each task queries the database for what is due, so it does not matter if a
//! worker was off, the clock jumped or a second worker runs.

use std::time::Duration;

use portal::{
    App, Result, accounts, alerts, bounces, conversion, event_feed, family_admin, faq, idempotency,
    jobs, messages, notifications, payments, subscribers, updates, uploads, videos,
};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};
use tokio_util::sync::CancellationToken;

const HEARTBEAT_EVERY: Duration = Duration::from_secs(3);
const POLL_EVERY: Duration = Duration::from_secs(5);
/// Alerts, payment reminders and daily emails.
const ALERTS_EVERY: Duration = Duration::from_secs(60);
const CLEANUP_EVERY: Duration = Duration::from_secs(3600);
/// The first cleanup after the start, so that even a worker that restarts every hour cleans up.
const FIRST_CLEANUP: Duration = Duration::from_secs(10);

pub async fn run(app: App, stop: CancellationToken) {
    // A separate task, so that slow queries never make this worker seem dead. It continues while the
    // last mails are sent, until it is aborted with this task.
    let heartbeats = tokio::spawn(heartbeat(app.clone()));
    let _until_dropped = AbortOnDrop(heartbeats);
    // Another separate task, since anybody can send messages that are slow to read.
    let reports = tokio::spawn(read_reports(app.clone(), stop.clone()));
    let _until_dropped_too = AbortOnDrop(reports);
    let mut poll = interval(POLL_EVERY);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut alert = interval_at(Instant::now() + ALERTS_EVERY, ALERTS_EVERY);
    alert.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut cleanup = interval_at(Instant::now() + FIRST_CLEANUP, CLEANUP_EVERY);
    cleanup.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = poll.tick(), if !stop.is_cancelled() => {
                log("videos that are due", videos::publish_due(&app).await);
                // Starts conversions whose worker was killed; new ones have a job.
                conversion::start(&app);
                log("updates that end", updates::expire_due(&app).await);
                // While the mailer backs off, no mail can be sent.
                if app.mailer.backing_off().is_none() {
                    log("recovery", notifications::recover(&app).await);
                }
            }
            _ = alert.tick(), if !stop.is_cancelled() => {
                log("alerts", alerts::check(&app).await);
                log("payment reminders", payments::remind_due(&app).await);
                log("daily emails", notifications::digest::make_due(&app).await);
            }
            _ = cleanup.tick(), if !stop.is_cancelled() => {
                log("events of earlier days", event_feed::prune(&app).await);
                log("finished jobs", jobs::prune(&app).await);
                log("expired sessions and links", accounts::prune(&app).await);
                log("unconfirmed subscribers", subscribers::prune(&app).await);
                log("FAQ views", faq::prune(&app).await);
                log("forms that were sent", idempotency::prune(&app).await);
                log("payments that were sent", payments::prune(&app).await);
                log("names on old mails", notifications::erase_old(&app).await);
                log("old bounces and complaints", notifications::reports::prune(&app).await);
                log("tokens of webhooks", bounces::providers::prune(&app).await);
                log("old messages", messages::prune(&app).await);
                log("uploads that nobody goes on with", uploads::prune(&app).await);
                log("folders of conversions", conversion::prune(&app).await);
                log("parts of sums", app.db.add_up_tallies().await);
                log("imports of earlier days", family_admin::import::prune(&app).await);
            }
            () = stop.cancelled() => std::future::pending().await,
        }
    }
}

/// Reads bounces and complaints from the configured folder.
async fn read_reports(app: App, stop: CancellationToken) {
    let mut maildir = bounces::Maildir::default();
    let mut ticks = interval(POLL_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !stop.is_cancelled() {
        ticks.tick().await;
        log("bounces and complaints", maildir.read(&app).await);
    }
}

async fn heartbeat(app: App) {
    let mut ticks = interval(HEARTBEAT_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        log("heartbeat", notifications::record_heartbeat(&app).await);
    }
}

fn log<T>(what: &str, outcome: Result<T>) {
    if let Err(error) = outcome {
        tracing::warn!(
            what,
            error = error.reason(),
            "a scheduled task failed; it will be tried again"
        );
    }
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
