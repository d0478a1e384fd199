//! Leases: one worker at a time sends the mails of a notification. What it has not recorded, others send
//! when it is dead.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::db::Tx;
use crate::{App, Result};

/// A lease expires after this time, in case its worker is alive but stuck. No mail takes so long.
const LIFETIME: TimeDelta = TimeDelta::minutes(5);
/// The leases of a worker end after this long without a heartbeat. Workers send one every few
/// seconds ([`super::record_heartbeat`]). A worker does not end its own leases this way but lets
/// them expire: it may be sending mails although it could not record heartbeats.
pub(super) const SILENT: TimeDelta = TimeDelta::seconds(12);

/// Whether a lease has ended at `$1`, for the worker `$2`. A worker that took a lease or renewed it
/// is alive, even if it has recorded no heartbeat yet: `$3` is when the leases of that moment
/// expire, `$4` the time of the heartbeats that count.
const HAS_ENDED: &str = "(delivery_leases.expires_at <= $1
           or (delivery_leases.worker <> $2
               and delivery_leases.expires_at <= $3
               and not exists (select 1 from worker_beats b
                               where b.worker = delivery_leases.worker and b.beat_at > $4)))";

/// The time by which workers judge each other: the clocks of their machines may differ, so it is
/// that of the PostgreSQL server. Those who share a SQLite file share a machine.
pub(super) async fn common_time(tx: &mut Tx, app: &App) -> Result<DateTime<Utc>> {
    match tx {
        Tx::Sqlite(_) => Ok(app.clock.now()),
        Tx::Postgres(_) => {
            let there = tx.sql("select clock_timestamp()").scalar().await?;
            Ok(app.clock.like(there))
        }
    }
}

/// The right to send the mails of a notification.
#[derive(Clone, Copy)]
pub(crate) struct Lease {
    pub notification_id: Uuid,
    pub id: Uuid,
}

impl Lease {
    /// A lease that nobody has yet.
    pub fn of(notification_id: Uuid) -> Lease {
        Lease { notification_id, id: Uuid::now_v7() }
    }

    /// Returns whether nobody else sends the mails of the notification.
    pub async fn take(self, tx: &mut Tx, app: &App) -> Result<bool> {
        let now = common_time(tx, app).await?;
        let taken = tx
            .sql([
                "insert into delivery_leases (notification_id, worker, lease, expires_at)
                 values ($5, $2, $6, $7)
                 on conflict (notification_id) do update
                 set worker = excluded.worker, lease = excluded.lease, expires_at = excluded.expires_at
                 where ",
                HAS_ENDED,
            ])
            .bind(now)
            .bind(app.process)
            .bind(now + LIFETIME - SILENT)
            .bind(now - SILENT)
            .bind(self.notification_id)
            .bind(self.id)
            .bind(now + LIFETIME)
            .execute()
            .await?;
        Ok(taken > 0)
    }

    /// Returns whether the lease is still ours.
    pub async fn renew(self, tx: &mut Tx, app: &App) -> Result<bool> {
        let now = common_time(tx, app).await?;
        let renewed = tx
            .sql(
                "update delivery_leases set expires_at = $3
                 where notification_id = $1 and lease = $2",
            )
            .bind(self.notification_id)
            .bind(self.id)
            .bind(now + LIFETIME)
            .execute()
            .await?;
        Ok(renewed > 0)
    }

    /// Ends the lease, so that another worker may send the mails.
    pub async fn end(self, tx: &mut Tx) -> Result<()> {
        tx.sql("delete from delivery_leases where notification_id = $1 and lease = $2")
            .bind(self.notification_id)
            .bind(self.id)
            .execute()
            .await?;
        Ok(())
    }
}

/// Ends the leases of dead workers.
pub(super) async fn end_dead(tx: &mut Tx, app: &App) -> Result<()> {
    let now = common_time(tx, app).await?;
    tx.sql(["delete from delivery_leases where ", HAS_ENDED])
        .bind(now)
        .bind(app.process)
        .bind(now + LIFETIME - SILENT)
        .bind(now - SILENT)
        .execute()
        .await?;
    Ok(())
}
