//! The list of jobs and the scheduler.
//!
//! apalis takes jobs out of the queue and hands them to [`portal::jobs::Jobs`]; the scheduler
//! asks the database every few seconds what is due. A database that is away stops neither.

mod queue;
mod scheduler;

use std::time::Duration;

use portal::jobs::Jobs;
use portal::{App, Result, jobs as queued, notifications, updates, videos};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Work in hand gets this long when the worker is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);

/// Every job that the portal knows.
pub fn jobs() -> Jobs {
    Jobs::default().with::<notifications::Deliver>().with::<videos::RemoveFiles>()
}

/// Works until `stop`, then puts down what it holds within ten seconds. Errors: only what cannot
/// heal by itself, such as a database that belongs to another version.
pub async fn run(app: App, stop: CancellationToken) -> Result<()> {
    app.mailer.resume();
    let in_flight = TaskTracker::new();
    let clock = tokio::spawn(scheduler::run(app.clone(), stop.clone()));
    let work = queue::run(&app, &in_flight, &stop);
    let late = async {
        stop.cancelled().await;
        // The senders see this between two mails; what they have not begun goes out after the start.
        app.mailer.pause();
        tokio::time::sleep(SHUTDOWN_GRACE).await;
        tracing::warn!("a job did not end in time; it goes on when a worker is back");
    };
    let outcome = tokio::select! {
        outcome = async {
            let outcome = work.await;
            in_flight.close();
            in_flight.wait().await;
            outcome
        } => outcome,
        () = late => Ok(()),
    };
    clock.abort();
    outcome
}

/// Does everything that is due now, in this process and without waiting; returns how many jobs ran
/// and how many videos and updates were due. For tests, which cannot wait for a worker.
pub async fn drain(app: &App) -> Result<usize> {
    let jobs = jobs();
    let mut done = 0;
    loop {
        let mut round = videos::publish_due(app).await? + updates::expire_due(app).await?;
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
