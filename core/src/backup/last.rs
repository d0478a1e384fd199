//! When the last backup was made, so that owners hear of a nightly backup that fails.

use chrono::{DateTime, Utc};

use crate::Result;
use crate::db::{Db, Tx};

/// Records a backup or a restore. From then on, the next backup is expected.
pub(super) async fn record(tx: &mut Tx, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "insert into last_backup (id, made_at) values (1, $1)
         on conflict (id) do update set made_at = excluded.made_at",
    )
    .bind(at)
    .execute()
    .await?;
    Ok(())
}

/// When `camp backup` last made a backup (UTC). `None` if it never did, so that nobody waits for one.
///
/// # Errors
///
/// [`crate::Error::Unforeseen`] when the database does not answer.
pub(crate) async fn last(db: &Db) -> Result<Option<DateTime<Utc>>> {
    db.sql("select max(made_at) from last_backup").scalar().await
}
