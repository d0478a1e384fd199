//! The list of jobs, the scheduler, and the server that takes bounces by LMTP.
//!
//! apalis takes jobs from the queue and passes them to [`portal::jobs::Jobs`]. The scheduler queries
//! the database every few seconds for work that is due. Both survive an unavailable database.

#![cfg_attr(test, allow(clippy::too_many_lines))]

pub mod lmtp;
mod queue;
mod scheduler;

use std::time::Duration;

use portal::jobs::Jobs;
use portal::unused_files::RemoveFiles;
use portal::uploads::{ConvertVideo, RemoveUpload};
use portal::{App, Result, conversion, jobs as queued, notifications, payments, updates, videos};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long running jobs may take after the signal to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);

/// All jobs of the portal.
pub fn jobs() -> Jobs {
    Jobs::default()
        .with::<notifications::Deliver>()
        .with::<RemoveFiles>()
        .with::<ConvertVideo>()
        .with::<RemoveUpload>()
}

/// Runs until `stop`, then ends running jobs within ten seconds. Errors: only permanent ones, such as a
/// database of another version.
pub async fn run(app: App, stop: CancellationToken) -> Result<()> {
    app.mailer.resume();
    conversion::resume(&app);
    let in_flight = TaskTracker::new();
    let stop_lmtp = stop.child_token();
    if let Some(address) = &app.config.bounce_lmtp {
        in_flight.spawn(lmtp::run(app.clone(), address.clone(), stop_lmtp.clone()));
    }
    let clock = tokio::spawn(scheduler::run(app.clone(), stop.clone()));
    let work = queue::run(&app, &in_flight, &stop);
    let late = async {
        stop.cancelled().await;
        // The senders check this between two mails; the remaining mails are sent after the next start.
        app.mailer.pause();
        conversion::interrupt(&app);
        tokio::time::sleep(SHUTDOWN_GRACE).await;
        tracing::warn!("a job did not end in time; it continues when a worker runs again");
    };
    let outcome = tokio::select! {
        outcome = async {
            let outcome = work.await;
            stop_lmtp.cancel();
            in_flight.close();
            in_flight.wait().await;
            outcome
        } => outcome,
        () = late => Ok(()),
    };
    clock.abort();
    conversion::stop(&app).await;
    outcome
}

/// Runs everything that is due now, in this process and without waiting. Returns the number of jobs
/// that ran, of videos and updates that were due, and of uploads that were converted. For tests,
/// which cannot wait for a worker.
pub async fn drain(app: &App) -> Result<usize> {
    let jobs = jobs();
    let mut done = 0;
    if app.mailer.backing_off().is_none() {
        notifications::recover(app).await?;
    }
    loop {
        let mut round = videos::publish_due(app).await? + updates::expire_due(app).await?;
        round += payments::remind_due(app).await?;
        round += usize::from(notifications::digest::make_due(app).await?);
        round += conversion::run_all(app).await?;
        for envelope in queued::take_due(app).await? {
            jobs.perform(app, envelope).await?;
            round += 1;
        }
        if round == 0 {
            return Ok(done);
        }
        done += round;
    }
}
