//! What happens by the clock: a sign of life, videos whose time has come, the safety net under the
//! mail, and sweeping up. Each asks the database what is due, so that a worker that was off, a
//! clock that jumped and a second worker beside this one change nothing.

use std::time::Duration;

use portal::{
    App, Result, accounts, alerts, events, faq, jobs, messages, notifications, once, profiles,
    subscribers, updates, videos,
};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};
use tokio_util::sync::CancellationToken;

const BEAT: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_secs(5);
const ALERT: Duration = Duration::from_secs(60);
const SWEEP_UP: Duration = Duration::from_secs(3600);
/// After the start, so that a worker that is started anew every hour sweeps up as well.
const FIRST_SWEEP: Duration = Duration::from_secs(10);

pub async fn run(app: App, stop: CancellationToken) {
    // Apart, so that a slow look at the videos never makes this worker seem dead. It goes on
    // while the last mails are handed over, until it is aborted with this task.
    let beats = tokio::spawn(beat(app.clone()));
    let _until_dropped = AbortOnDrop(beats);
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut alert = interval_at(Instant::now() + ALERT, ALERT);
    alert.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sweep_up = interval_at(Instant::now() + FIRST_SWEEP, SWEEP_UP);
    sweep_up.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = look.tick(), if !stop.is_cancelled() => {
                log("videos that are due", videos::publish_due(&app).await);
                log("updates that end", updates::expire_due(&app).await);
                // While the mail server rests there is nothing to wake anybody for.
                if app.mailer.resting().is_none() {
                    log("mails that wait", notifications::sweep(&app).await);
                }
            }
            _ = alert.tick(), if !stop.is_cancelled() => {
                log("what owners should know", alerts::look(&app).await);
            }
            _ = sweep_up.tick(), if !stop.is_cancelled() => {
                log("events of earlier days", events::prune(&app).await);
                log("finished jobs", jobs::prune(&app).await);
                log("expired sessions and links", accounts::prune(&app).await);
                log("unconfirmed subscribers", subscribers::prune(&app).await);
                log("who opened which answer", faq::prune(&app).await);
                log("forms that were sent", once::prune(&app).await);
                log("names on old mails", notifications::forget_old(&app).await);
                log("old messages", messages::prune(&app).await);
                log("imports of earlier days", profiles::import::prune(&app).await);
            }
            () = stop.cancelled() => std::future::pending().await,
        }
    }
}

async fn beat(app: App) {
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        log("sign of life", notifications::beat(&app).await);
    }
}

fn log<T>(what: &str, outcome: Result<T>) {
    if let Err(error) = outcome {
        tracing::warn!(what, %error, "the clockwork could not do this; it tries again");
    }
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
