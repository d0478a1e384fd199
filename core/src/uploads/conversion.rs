//! The conversion of an upload as its row tells it.

use std::time::Duration;

use uuid::Uuid;

use super::State;
use crate::db::Tx;
use crate::{App, Result};

/// How long a conversion belongs to a worker that does not say that it still works.
const LEASE: Duration = Duration::from_secs(60);

/// Takes an upload that waits for its conversion, or whose worker is gone. Returns its size.
pub(crate) async fn take(app: &App, id: Uuid) -> Result<Option<i64>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let taken: Option<(i64,)> = tx
        .sql(
            "update uploads
             set state = 'converting', attempts = attempts + 1, claimed_until = $2, updated_at = $3
             where id = $1
               and (state = 'waiting' or state = 'converting' and claimed_until < $3)
             returning size_bytes",
        )
        .bind(id)
        .bind(now + LEASE)
        .bind(now)
        .optional()
        .await?;
    tx.commit().await?;
    Ok(taken.map(|(size,)| size))
}

/// Ends a conversion. Returns whether the upload was still being converted.
pub(crate) async fn finish(
    tx: &mut Tx,
    app: &App,
    id: Uuid,
    folder: &str,
    stored_bytes: i64,
) -> Result<bool> {
    let changed = tx
        .sql(
            "update uploads
             set state = 'ready', progress = 100, folder = $2, renditions = '[]',
                 stored_bytes = $3, claimed_until = null, updated_at = $4
             where id = $1 and state = 'converting'",
        )
        .bind(id)
        .bind(folder)
        .bind(stored_bytes)
        .bind(app.clock.now())
        .execute()
        .await?;
    Ok(changed == 1)
}

/// Records why a conversion failed.
pub(crate) async fn fail(app: &App, id: Uuid, problem: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql(
        "update uploads
         set state = $2, problem = $3, claimed_until = null, updated_at = $4
         where id = $1 and state = 'converting'",
    )
    .bind(id)
    .bind(State::Failed)
    .bind(problem)
    .bind(app.clock.now())
    .execute()
    .await?;
    tx.commit().await
}
