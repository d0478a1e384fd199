//! The conversion of an upload, as its row shows it: who converts it, how far it is, how it ended.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::State;
use crate::db::{Db, Tx};
use crate::{App, Error, Result};

/// A worker that is silent for longer has ended, and another one takes over.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// Restarts of the worker count too, so this is more than a file that breaks it may need.
const ATTEMPTS: i64 = 12;
/// With a retry by staff, attempts are counted from the next multiple of this. A number is never
/// used twice, because a worker that was stopped for a while would take another worker's attempt
/// for its own.
const ROUND: i64 = 100;
const TOO_OFTEN: &str = "The conversion was interrupted too often. Please try again.";

/// An upload that this process converts. The number of the attempt shows whether another process has
/// taken it over.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct Conversion {
    pub id: Uuid,
    pub attempts: i64,
    /// The upload whose files are cut, instead of a file that was sent.
    pub trims: Option<Uuid>,
    pub trim_start_seconds: Option<i64>,
    pub trim_end_seconds: Option<i64>,
}

/// The files of a converted video.
#[derive(Debug)]
pub(crate) struct Finished<'a, R> {
    /// The prefix of their keys.
    pub folder: &'a str,
    /// The best first.
    pub renditions: &'a [R],
    pub stored_bytes: i64,
    pub duration_seconds: Option<i64>,
}

/// Claims the upload that has waited for the longest, or whose worker has ended: first those of
/// staff, then imports, which may take days. Returns `None` if nothing waits.
pub(crate) async fn claim_next(app: &App) -> Result<Option<Conversion>> {
    let now = app.clock.now();
    // A read first, so that a worker without work never writes.
    let waiting: Vec<(Uuid,)> = app
        .db
        .sql(
            "select id from uploads
             where state = 'waiting' or (state = 'converting' and claimed_until < $1)
             order by case when staff_id is null then 1 else 0 end, created_at, id
             limit 1",
        )
        .bind(now)
        .all()
        .await?;
    let Some((id,)) = waiting.into_iter().next() else { return Ok(None) };
    claim(app, id).await
}

async fn claim(app: &App, id: Uuid) -> Result<Option<Conversion>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let claimed: Option<Conversion> = tx
        .sql(
            "update uploads
             set state = 'converting', progress = 0, problem = null, log = null,
                 attempts = attempts + 1, claimed_until = $2, updated_at = $3
             where id = $1
               and (state = 'waiting' or (state = 'converting' and claimed_until < $3))
             returning id, attempts, trims, trim_start_seconds, trim_end_seconds",
        )
        .bind(id)
        .bind(now + LEASE)
        .bind(now)
        .optional()
        .await?;
    tx.commit().await?;
    match claimed {
        Some(claimed) if claimed.attempts % ROUND > ATTEMPTS => {
            fail(app, &claimed, TOO_OFTEN, "").await?;
            Ok(None)
        }
        claimed => Ok(claimed),
    }
}

/// Stores the progress in percent and extends the claim. Returns whether it is still this process
/// that converts the upload.
pub(crate) async fn renew(app: &App, claimed: &Conversion, progress: u8) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let written = tx
        .sql(
            "update uploads
             set progress = $3, claimed_until = $4, updated_at = $5
             where id = $1 and attempts = $2 and state = 'converting'",
        )
        .bind(claimed.id)
        .bind(claimed.attempts)
        .bind(i64::from(progress))
        .bind(now + LEASE)
        .bind(now)
        .execute()
        .await?;
    tx.commit().await?;
    Ok(written == 1)
}

/// Marks the upload as ready. Returns `false` if another process has taken it over, or if it was
/// removed.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the renditions cannot be serialized.
pub(crate) async fn finish<R: Serialize>(
    tx: &mut Tx,
    app: &App,
    claimed: &Conversion,
    finished: &Finished<'_, R>,
) -> Result<bool> {
    let renditions = serde_json::to_string(finished.renditions).map_err(Error::unforeseen)?;
    let written = tx
        .sql(
            "update uploads
             set state = 'ready', progress = 100, claimed_until = null, folder = $3,
                 renditions = $4, stored_bytes = $5,
                 duration_seconds = coalesce($6, duration_seconds), updated_at = $7
             where id = $1 and attempts = $2 and state = 'converting'",
        )
        .bind(claimed.id)
        .bind(claimed.attempts)
        .bind(finished.folder)
        .bind(renditions)
        .bind(finished.stored_bytes)
        .bind(finished.duration_seconds)
        .bind(app.clock.now())
        .execute()
        .await?;
    Ok(written == 1)
}

/// Marks the upload as failed, for a reason that staff see. Returns `false` if it is no longer this
/// process that converts it.
pub(crate) async fn fail(
    app: &App,
    claimed: &Conversion,
    problem: &str,
    log: &str,
) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let written = tx
        .sql(
            "update uploads
             set state = 'failed', claimed_until = null, problem = $3, log = $4, updated_at = $5
             where id = $1 and attempts = $2 and state = 'converting'",
        )
        .bind(claimed.id)
        .bind(claimed.attempts)
        .bind(problem)
        .bind(log)
        .bind(app.clock.now())
        .execute()
        .await?;
    tx.commit().await?;
    Ok(written == 1)
}

/// Gives back an upload that this process stops converting before its end.
pub(crate) async fn release(app: &App, claimed: &Conversion) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql(
        "update uploads
         set state = 'waiting', progress = 0, claimed_until = null, updated_at = $3
         where id = $1 and attempts = $2 and state = 'converting'",
    )
    .bind(claimed.id)
    .bind(claimed.attempts)
    .bind(app.clock.now())
    .execute()
    .await?;
    tx.commit().await
}

/// Lets a failed upload wait for another round of attempts. Returns `false` if it did not fail.
pub(super) async fn wait_again(tx: &mut Tx, app: &App, id: Uuid) -> Result<bool> {
    let written = tx
        .sql(
            "update uploads
             set state = 'waiting', progress = 0, attempts = (attempts / $2 + 1) * $2,
                 problem = null, log = null, claimed_until = null, updated_at = $3
             where id = $1 and state = 'failed'",
        )
        .bind(id)
        .bind(ROUND)
        .bind(app.clock.now())
        .execute()
        .await?;
    Ok(written == 1)
}

/// A file that a video shows already.
#[derive(Debug)]
pub(crate) struct Stored<'a> {
    pub id: Uuid,
    pub video_id: Uuid,
    pub file_name: &'a str,
    pub size_bytes: i64,
}

/// Adds an upload for a file that is already staged, and claims it.
pub(crate) async fn begin_stored(app: &App, stored: Stored<'_>) -> Result<Conversion> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let claimed = tx
        .sql(
            "insert into uploads
               (id, video_id, file_name, size_bytes, state, progress, attempts, claimed_until,
                created_at, updated_at)
             values ($1, $2, $3, $4, 'converting', 0, 1, $5, $6, $6)
             returning id, attempts, trims, trim_start_seconds, trim_end_seconds",
        )
        .bind(stored.id)
        .bind(stored.video_id)
        .bind(stored.file_name)
        .bind(stored.size_bytes)
        .bind(now + LEASE)
        .bind(now)
        .one()
        .await?;
    tx.commit().await?;
    Ok(claimed)
}

/// How a conversion ended: with these sizes, such as `1280x720`, or with a problem.
pub(crate) async fn outcome(app: &App, id: Uuid) -> Result<Result<Vec<String>, String>> {
    let row: Option<(String, Option<String>, Option<String>)> = app
        .db
        .sql("select state, renditions, problem from uploads where id = $1")
        .bind(id)
        .optional()
        .await?;
    Ok(match row {
        Some((state, Some(renditions), _)) if state == "ready" => {
            let sizes: Vec<Size> = serde_json::from_str(&renditions).map_err(Error::unforeseen)?;
            Ok(sizes.iter().map(|size| format!("{}x{}", size.width, size.height)).collect())
        }
        Some((_, _, Some(problem))) => Err(problem),
        _ => Err("It was replaced or removed in the meantime.".into()),
    })
}

#[derive(Deserialize)]
struct Size {
    width: u32,
    height: u32,
}

/// Returns `None` for an upload that was removed.
pub(crate) async fn state(db: &Db, id: Uuid) -> Result<Option<State>> {
    let found: Option<(State,)> =
        db.sql("select state from uploads where id = $1").bind(id).optional().await?;
    Ok(found.map(|(state,)| state))
}
