//! Recovers from dead workers. Workers send heartbeats, and what a dead worker had not sent is
//! left to the others.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::lease::{self, SILENT, common_time};
use super::{Deliver, IS_HELD, held, sent};
use crate::db::Tx;
use crate::{App, Result, jobs};

/// No worker runs if there was no heartbeat for this long.
pub(crate) const NOT_RUNNING: TimeDelta = TimeDelta::minutes(1);

/// Records the heartbeat of this process.
pub async fn record_heartbeat(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let now = common_time(&mut tx, app).await?;
    tx.sql(
        "insert into worker_beats (worker, beat_at) values ($1, $2)
         on conflict (worker) do update set beat_at = excluded.beat_at",
    )
    .bind(app.process)
    .bind(now)
    .execute()
    .await?;
    tx.sql("delete from worker_beats where beat_at < $1")
        .bind(now - TimeDelta::hours(1))
        .execute()
        .await?;
    tx.commit().await
}

/// Deletes the heartbeats in a restored database: none of those workers runs.
pub(crate) async fn clear_heartbeats(tx: &mut Tx) -> Result<()> {
    tx.sql("delete from worker_beats").execute().await?;
    Ok(())
}

/// Whether a worker runs: workers send a heartbeat every few seconds.
pub async fn is_worker_running(app: &App) -> Result<bool> {
    Ok(since_last_heartbeat(app).await?.is_some_and(|ago| ago <= NOT_RUNNING))
}

/// How long ago any worker last sent a heartbeat.
pub async fn since_last_heartbeat(app: &App) -> Result<Option<TimeDelta>> {
    let mut tx = app.db.snapshot().await?;
    let last: Option<DateTime<Utc>> =
        tx.sql("select max(beat_at) from worker_beats").scalar().await?;
    let now = common_time(&mut tx, app).await?;
    tx.rollback().await?;
    Ok(last.map(|last| now - last))
}

/// Ends the leases of dead workers, records what they had sent, and enqueues jobs for mails that
/// are due, the oldest notification first: in quiet time only those that do not wait for its end,
/// and none of a kind that is switched off. Returns the number of notifications that were enqueued.
pub async fn recover(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let settings = app.settings().await?;
    let is_quiet = settings.quiet_window(now).is_some();
    let mut tx = app.db.begin().await?;
    lease::end_dead(&mut tx, app).await?;
    record_sent(&mut tx).await?;
    release_claims(&mut tx, app).await?;
    let waiting: Vec<(Uuid,)> = tx
        .sql([
            "select n.id from notifications n
             where n.id in (select notification_id from deliveries
                            where status = 'queued' and not collected and due_at <= $1)
               -- somebody is at it already
               and not exists (select 1 from delivery_leases l where l.notification_id = n.id)
               and (not $2 or not n.waits)
               and not $3",
            IS_HELD,
            " order by n.created_at, n.id
             limit 100",
        ])
        .bind(now - TimeDelta::seconds(2))
        .bind(is_quiet)
        .bind(held(&settings))
        .all()
        .await?;
    for (notification_id,) in &waiting {
        jobs::enqueue(&mut tx, app, &Deliver { notification_id: *notification_id }).await?;
    }
    tx.commit().await?;
    Ok(waiting.len())
}

/// Marks the deliveries of mails that dead workers noted as sent.
async fn record_sent(tx: &mut Tx) -> Result<()> {
    let noted: Vec<(Uuid,)> = tx
        .sql(
            "select distinct s.notification_id from sent_mails s
             where not exists (select 1 from delivery_leases l
                               where l.notification_id = s.notification_id)",
        )
        .all()
        .await?;
    for (notification_id,) in noted {
        sent::mark_noted(tx, notification_id).await?;
    }
    Ok(())
}

/// Releases what workers of earlier versions had claimed.
async fn release_claims(tx: &mut Tx, app: &App) -> Result<()> {
    let now = common_time(tx, app).await?;
    tx.sql(
        "update deliveries
         set status = 'queued', due_at = $1, updated_at = $1
         where status = 'sending'
           and (due_at <= $1
                or ((claimed_by is null or claimed_by <> $3)
                    and not exists (select 1 from worker_beats b
                                    where b.worker = deliveries.claimed_by and b.beat_at > $2)))",
    )
    .bind(now)
    .bind(now - SILENT)
    .bind(app.process)
    .execute()
    .await?;
    Ok(())
}
