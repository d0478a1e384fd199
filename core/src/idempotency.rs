//! Idempotency keys: a form that is sent twice because its first answer got lost makes one record.

use chrono::TimeDelta;
use serde::Serialize;
use uuid::Uuid;

use crate::db::Tx;
use crate::{App, Error, Result};

/// Longer than anybody leaves a form open to try again.
const KEPT: TimeDelta = TimeDelta::days(7);
const OTHER_BODY: Error = Error::Conflict(
    "Something else was saved under this Idempotency-Key. Please reload the page and try again.",
);
const DELETED: Error =
    Error::Gone("This was saved at the first try, and somebody has deleted it since.");

pub(crate) enum Claim {
    /// The record is to be written, under this id.
    New(Uuid),
    /// It was written before, and this is its id.
    Made(Uuid),
}

/// Asks for the id of a record of that kind. Of several who come with one key at once, the first
/// writes the record and the others wait here until it is committed, or given up.
/// To be called before anything else of the transaction, checks included: what was right at the
/// first try is answered as such even if it would not be any more.
/// Errors: [`Error::Conflict`] for a key that was used for something else.
pub(crate) async fn claim(
    tx: &mut Tx,
    app: &App,
    kind: &str,
    key: Option<Uuid>,
    body: &impl Serialize,
) -> Result<Claim> {
    let id = Uuid::now_v7();
    let Some(key) = key else { return Ok(Claim::New(id)) };
    let body = serde_json::to_vec(body).map_err(Error::unforeseen)?;
    let hash = app.keys.hash("form request", &[&body]);
    let claimed = tx
        .sql(
            "insert into form_requests (key, subject_kind, request_hash, subject_id, created_at)
             values ($1, $2, $3, $4, $5)
             on conflict (key) do nothing",
        )
        .bind(key)
        .bind(kind)
        .bind(hash.clone())
        .bind(id)
        .bind(app.clock.now())
        .execute()
        .await?;
    if claimed > 0 {
        return Ok(Claim::New(id));
    }
    let same: Option<(Uuid,)> = tx
        .sql(
            "select subject_id from form_requests
             where key = $1 and subject_kind = $2 and request_hash = $3",
        )
        .bind(key)
        .bind(kind)
        .bind(hash)
        .optional()
        .await?;
    same.map(|(id,)| Claim::Made(id)).ok_or(OTHER_BODY)
}

/// The record of a [`Claim::Made`], unless it was deleted. Errors: [`Error::Gone`].
pub(crate) fn unless_deleted<T>(found: Result<T>) -> Result<T> {
    found.map_err(|error| match error {
        Error::NotFound(_) => DELETED,
        other => other,
    })
}

/// Forgets keys that nobody tries again.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from form_requests where created_at < $1")
        .bind(app.clock.now() - KEPT)
        .execute()
        .await?;
    tx.commit().await
}
