//! Takes jobs from the queue with apalis, on either engine, and survives an unavailable database.

use std::task::{Context, Poll};
use std::time::Duration;

use apalis::prelude::{
    BoxDynError, Data, PollSnapshot, PollStrategy, PollWith, WorkerBuilder, WorkerBuilderExt,
    WorkerError,
};
use apalis_postgres::PostgresStorage;
use apalis_sqlite::SqliteStorage;
use portal::db::Db;
use portal::jobs::{Envelope, Jobs, QUEUE};
use portal::{App, Error, Result};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// A killed worker's jobs return to the queue after three missed heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(5);
const MISSED: usize = 3;
/// SQLite cannot notify; PostgreSQL notifies about new jobs, but not when a delayed job is due.
const POLL_SQLITE: Duration = Duration::from_millis(250);
const POLL_POSTGRES: Duration = Duration::from_secs(1);
/// The maximum number of concurrent jobs. Each may hold a database connection; all mail shares the
/// mailer's connections.
const CONCURRENCY: usize = 8;
const LONGEST_DELAY: Duration = Duration::from_secs(3);

pub async fn run(app: &App, in_flight: &TaskTracker, stop: &CancellationToken) -> Result<()> {
    let mut delay = Duration::from_secs(1);
    while !stop.is_cancelled() {
        let started = tokio::time::Instant::now();
        let Err(error) = work(app, in_flight, stop).await else { return Ok(()) };
        if stop.is_cancelled() {
            break;
        }
        tracing::warn!(%error, "the queue cannot be read; trying again");
        if matches!(app.db.pending_migrations().await, Ok(1..)) {
            return Err(Error::Setup(
                "The database is not up to date. Run `camp migrate`, then start again.".into(),
            ));
        }
        // After running for a while, the error is a new one, so the delay starts again.
        delay = match started.elapsed() > LONGEST_DELAY {
            true => Duration::from_secs(1),
            false => (delay * 2).min(LONGEST_DELAY),
        };
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = stop.cancelled() => {}
        }
    }
    Ok(())
}

async fn work(
    app: &App,
    in_flight: &TaskTracker,
    stop: &CancellationToken,
) -> Result<(), WorkerError> {
    // With a name that was used before, the jobs that the old worker held would never run again.
    let name = format!("camp-{}", Uuid::new_v4().simple());
    let context = JobContext {
        app: app.clone(),
        jobs: crate::jobs(),
        in_flight: in_flight.clone(),
        stop: stop.clone(),
    };
    let stopped = stop.clone().cancelled_owned();
    let signal = async move {
        stopped.await;
        Ok::<(), WorkerError>(())
    };
    match &app.db {
        Db::Sqlite { write, .. } => {
            let config = apalis_sqlite::Config::default()
                .queue(QUEUE)
                .heartbeat_interval(HEARTBEAT)
                .missed_heartbeats(MISSED);
            let storage = SqliteStorage::<Envelope>::new(write).with_config(config);
            WorkerBuilder::new(name.as_str())
                .backend(PollWith::new(storage, SteadyPoll::every(POLL_SQLITE)))
                .concurrency(CONCURRENCY)
                .data(context)
                .build(take)
                .run_until(signal)
                .await
        }
        Db::Postgres(pool) => {
            let config = apalis_postgres::Config::default()
                .queue(QUEUE)
                .heartbeat_interval(HEARTBEAT)
                .missed_heartbeats(MISSED);
            let storage = PostgresStorage::<Envelope>::new(pool).with_config(config).with_pubsub();
            WorkerBuilder::new(name.as_str())
                .backend(PollWith::new(storage, SteadyPoll::every(POLL_POSTGRES)))
                .concurrency(CONCURRENCY)
                .data(context)
                .build(take)
                .run_until(signal)
                .await
        }
    }
}

#[derive(Clone)]
struct JobContext {
    app: App,
    jobs: Jobs,
    in_flight: TaskTracker,
    stop: CancellationToken,
}

/// Runs one job in a separate task: apalis drops running jobs after a database error, and a mail
/// whose job is dropped halfway would be sent twice.
async fn take(envelope: Envelope, context: Data<JobContext>) -> Result<(), BoxDynError> {
    let JobContext { app, jobs, in_flight, stop } = (*context).clone();
    let work = in_flight.spawn(async move {
        // `perform` records failures; it fails itself only if the database is unavailable.
        while let Err(error) = jobs.perform(&app, envelope.clone()).await {
            tracing::warn!(
                job = envelope.name,
                error = error.reason(),
                "the result of a job could not be recorded"
            );
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(2)) => {}
                () = stop.cancelled() => return Err(error),
            }
        }
        Ok(())
    });
    Ok(work.await??)
}

/// Wakes the worker at a fixed interval. The strategy of apalis can lose its timer and then sleeps until
/// the next heartbeat; this one is polled until its timer is registered again.
struct SteadyPoll(Interval);

impl SteadyPoll {
    fn every(period: Duration) -> SteadyPoll {
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        SteadyPoll(ticks)
    }
}

impl PollStrategy for SteadyPoll {
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        let mut due = Poll::Pending;
        while self.0.poll_tick(cx).is_ready() {
            due = Poll::Ready(Some(()));
        }
        due
    }
}
