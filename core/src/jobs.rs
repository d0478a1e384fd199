//! Background jobs. A job is enqueued in the transaction that causes it, so that either both happen
//! or neither.
//!
//! apalis runs the jobs. Our own tables hold what must be done and what was done. A job may run
//! twice, even concurrently, so it claims its work first.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use apalis::prelude::TaskBuilder;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, Tx};
use crate::{App, Error, Result};

/// The only queue.
pub const QUEUE: &str = "portal";

/// A job: a struct of ids with a permanent name.
pub trait Job: Serialize + DeserializeOwned + Send + 'static {
    const NAME: &'static str;
    /// After this many failures the job is set aside for `camp jobs retry`.
    const ATTEMPTS: i64 = 10;

    fn run(self, app: &App) -> impl Future<Output = Result<()>> + Send;
}

/// The content of a queue entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Envelope {
    pub name: String,
    pub args: Value,
    /// 1 for the first attempt.
    pub attempt: i64,
}

/// Enqueues a job that runs as soon as the transaction is committed. Fails when the database does.
pub(crate) async fn enqueue<J: Job>(tx: &mut Tx, app: &App, job: &J) -> Result<()> {
    enqueue_at(tx, app, job, None).await
}

/// Enqueues a job for a given time (in whole seconds), or for now.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the job cannot be serialized.
pub(crate) async fn enqueue_at<J: Job>(
    tx: &mut Tx,
    app: &App,
    job: &J,
    at: Option<DateTime<Utc>>,
) -> Result<()> {
    let args = serde_json::to_value(job).map_err(Error::unforeseen)?;
    push(tx, app, &Envelope { name: J::NAME.into(), args, attempt: 1 }, at).await
}

async fn push(
    tx: &mut Tx,
    app: &App,
    envelope: &Envelope,
    at: Option<DateTime<Utc>>,
) -> Result<()> {
    let bytes = serde_json::to_vec(envelope).map_err(Error::unforeseen)?;
    // The queue uses the machine's clock, even when a test sets ours.
    let delay = at.map_or(TimeDelta::zero(), |at| at - app.clock.now()).max(TimeDelta::zero());
    let run_at = (Utc::now() + delay).timestamp().max(0) as u64;
    let task = TaskBuilder::new(bytes).run_at_timestamp(run_at).build();
    match tx {
        Tx::Sqlite(tx) => apalis_sqlite::queries::push_tasks(&mut **tx, QUEUE, &[task])
            .await
            .map_err(|error| match error {
                apalis_sqlite::Error::Database(cause) => cause.into(),
                other => Error::unforeseen(other),
            }),
        Tx::Postgres(tx) => apalis_postgres::queries::push_tasks(&mut **tx, QUEUE, vec![task])
            .await
            .map_err(|error| match error {
                apalis_postgres::Error::Database(cause) => cause.into(),
                other => Error::unforeseen(other),
            }),
    }
}

type Runner = for<'a> fn(&'a App, Value) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// The jobs that a worker can run.
#[derive(Clone, Default)]
pub struct Jobs {
    known: Vec<(&'static str, i64, Runner)>,
}

impl Jobs {
    pub fn with<J: Job>(mut self) -> Jobs {
        self.known.push((J::NAME, J::ATTEMPTS, |app, args| {
            Box::pin(async move {
                let job: J = serde_json::from_value(args).map_err(Error::unforeseen)?;
                job.run(app).await
            })
        }));
        self
    }

    /// Runs one job. After a failure, the next attempt is enqueued with a growing delay. After the
    /// last attempt, the job is set aside.
    ///
    /// # Errors
    ///
    /// Only when the failure could not be recorded.
    pub async fn perform(&self, app: &App, envelope: Envelope) -> Result<()> {
        let Some((name, attempts, run)) = self.known.iter().find(|(n, ..)| *n == envelope.name)
        else {
            return give_up(app, &envelope, "no worker of this version knows this job").await;
        };
        let started = std::time::Instant::now();
        let outcome = AssertUnwindSafe(run(app, envelope.args.clone())).catch_unwind().await;
        let error = match outcome {
            Ok(Ok(())) => {
                tracing::debug!(job = name, ms = started.elapsed().as_millis() as u64, "job done");
                return Ok(());
            }
            Ok(Err(error)) => error.reason(),
            Err(panic) => panic_text(panic.as_ref()),
        };
        tracing::warn!(job = name, attempt = envelope.attempt, error, "job failed");
        if envelope.attempt >= *attempts {
            return give_up(app, &envelope, &error).await;
        }
        let next = Envelope { attempt: envelope.attempt + 1, ..envelope };
        let mut tx = app.db.begin().await?;
        push(&mut tx, app, &next, Some(app.clock.now() + delay_after(next.attempt - 1))).await?;
        tx.commit().await
    }
}

/// The delay after the n-th failure: 5 s, doubling, at most 15 minutes.
pub(crate) fn delay_after(failures: i64) -> TimeDelta {
    TimeDelta::seconds((5i64 << failures.clamp(1, 9).saturating_sub(1)).min(900))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

async fn give_up(app: &App, envelope: &Envelope, error: &str) -> Result<()> {
    tracing::error!(job = envelope.name, error, "job set aside; `camp jobs retry` tries it again");
    let mut tx = app.db.begin().await?;
    tx.sql(
        "insert into failed_jobs (id, name, args, error, attempts, failed_at)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(Uuid::now_v7())
    .bind(&envelope.name)
    .bind(envelope.args.to_string())
    .bind(error)
    .bind(envelope.attempt)
    .bind(app.clock.now())
    .execute()
    .await?;
    tx.commit().await
}

/// A job that waits, runs or was set aside.
#[derive(Debug, Serialize)]
pub struct JobInfo {
    pub id: String,
    pub name: String,
    /// `waiting`, `running` or `failed`.
    pub state: &'static str,
    pub args: Value,
    pub error: Option<String>,
    pub attempts: i64,
    /// When it runs next, or when it failed.
    pub at: DateTime<Utc>,
}

/// Returns all unfinished jobs, the failed ones first; at most `limit` of each kind.
pub async fn list(db: &Db, limit: i64) -> Result<Vec<JobInfo>> {
    let failed: Vec<(Uuid, String, String, String, i64, DateTime<Utc>)> = db
        .sql(
            "select id, name, args, error, attempts, failed_at from failed_jobs
             order by failed_at desc limit $1",
        )
        .bind(limit)
        .all()
        .await?;
    let open: Vec<(Vec<u8>, String, String, i64)> = match db {
        Db::Sqlite { .. } => db.sql(
            "select cast(job as blob), id, status, run_at from Jobs
             where status in ('Pending', 'Queued', 'Running') order by run_at limit $1",
        ),
        Db::Postgres(_) => db.sql(
            "select job, id, status, cast(extract(epoch from run_at) as bigint) from apalis.jobs
             where status in ('Pending', 'Queued', 'Running') order by run_at limit $1",
        ),
    }
    .bind(limit)
    .all()
    .await?;
    let failed = failed.into_iter().map(|(id, name, args, error, attempts, at)| JobInfo {
        id: id.to_string(),
        name,
        state: "failed",
        args: serde_json::from_str(&args).unwrap_or_default(),
        error: Some(error),
        attempts,
        at,
    });
    let open = open.into_iter().filter_map(|(job, id, status, run_at)| {
        let envelope: Envelope = serde_json::from_slice(&job).ok()?;
        Some(JobInfo {
            id,
            name: envelope.name,
            state: if status == "Pending" { "waiting" } else { "running" },
            args: envelope.args,
            error: None,
            attempts: envelope.attempt,
            at: DateTime::from_timestamp(run_at, 0)?,
        })
    });
    Ok(failed.chain(open).collect())
}

/// Enqueues failed jobs again: all of them, or one by its id. Returns how many.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the stored arguments of a job cannot be read. Nothing is enqueued
/// then.
pub async fn retry(app: &App, actor: Actor, id: Option<Uuid>) -> Result<usize> {
    let mut tx = app.db.begin().await?;
    let failed: Vec<(String, String)> = tx
        .sql("delete from failed_jobs where ($1 is null or id = $1) returning name, args")
        .bind(id)
        .all()
        .await?;
    for (name, args) in &failed {
        let args = serde_json::from_str(args).map_err(Error::unforeseen)?;
        push(&mut tx, app, &Envelope { name: name.clone(), args, attempt: 1 }, None).await?;
    }
    if !failed.is_empty() {
        let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
        let subject =
            id.map_or(Subject::none(SubjectKind::Job), |id| Subject::new(SubjectKind::Job, id));
        let details = json!({ "queued": names.len(), "jobs": names });
        audit::record(&mut tx, app.clock.now(), actor, Action::JobRetry, subject, details).await?;
    }
    tx.commit().await?;
    Ok(failed.len())
}

/// Counts the jobs that were set aside.
pub async fn failed(db: &Db) -> Result<i64> {
    db.sql("select count(*) from failed_jobs").scalar().await
}

/// Returns the time since which the longest-waiting due job has been due.
pub(crate) async fn oldest_due(db: &Db) -> Result<Option<DateTime<Utc>>> {
    let at: Option<i64> = match db {
        Db::Sqlite { .. } => db.sql("select min(run_at) from Jobs where status = 'Pending'"),
        Db::Postgres(_) => db.sql(
            "select cast(extract(epoch from min(run_at)) as bigint) from apalis.jobs
             where status = 'Pending'",
        ),
    }
    .scalar()
    .await?;
    Ok(at.and_then(|at| DateTime::from_timestamp(at, 0)))
}

/// Takes due jobs out of the queue for [`Jobs::perform`] outside the worker: in tests, which cannot
/// wait, and in commands that exit when the work is done.
///
/// # Errors
///
/// [`Error::Unforeseen`] when an entry cannot be read. All due jobs have left the queue then.
pub async fn take_due(app: &App) -> Result<Vec<Envelope>> {
    let mut tx = app.db.begin().await?;
    let rows: Vec<(Vec<u8>,)> = match &tx {
        Tx::Sqlite(_) => tx.sql(
            "delete from Jobs where status = 'Pending' and job_type = $1
               and run_at <= cast(strftime('%s', 'now') as integer)
             returning cast(job as blob)",
        ),
        Tx::Postgres(_) => tx.sql(
            "delete from apalis.jobs where status = 'Pending' and job_type = $1 and run_at <= now()
             returning job",
        ),
    }
    .bind(QUEUE)
    .all()
    .await?;
    tx.commit().await?;
    rows.iter().map(|(job,)| serde_json::from_slice(job).map_err(Error::unforeseen)).collect()
}

/// Removes jobs that finished more than a day ago. apalis itself would remove all finished jobs.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    match &tx {
        Tx::Sqlite(_) => tx.sql(
            "delete from Jobs where status in ('Done', 'Killed', 'Failed')
               and done_at < cast(strftime('%s', 'now') as integer) - 86400",
        ),
        Tx::Postgres(_) => tx.sql(
            "delete from apalis.jobs where status in ('Done', 'Killed', 'Failed')
               and done_at < now() - interval '1 day'",
        ),
    }
    .execute()
    .await?;
    tx.commit().await
}
