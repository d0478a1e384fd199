//! Idempotency keys: a form that is sent again because its first response was lost creates one
//! record.

use chrono::TimeDelta;
use serde::Serialize;
use uuid::Uuid;

use crate::db::Tx;
use crate::{App, Error, Result};

/// How long keys are kept. Nobody retries a form later than that.
pub(crate) const RETENTION: TimeDelta = TimeDelta::days(7);
const OTHER_BODY: Error = Error::Conflict(
    "Something else was saved under this Idempotency-Key. Please reload the page and try again.",
);
const DELETED: Error =
    Error::Gone("This was saved the first time, but someone has deleted it since.");

pub(crate) enum Claim {
    /// The record must be created with this id.
    New(Uuid),
    /// The record was already created, with this id.
    Made(Uuid),
}

/// Claims a key and returns the id of its record. If several requests use one key concurrently, the
/// first creates the record, and the others wait here until its transaction ends. Call it before
/// anything else in the transaction, including validation: a retry of a successful request succeeds
/// even if the input would be invalid by now.
///
/// # Errors
///
/// [`Error::Conflict`] for a key that was used for something else.
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

/// Returns the record of a [`Claim::Made`].
///
/// # Errors
///
/// [`Error::Gone`] when it was deleted.
pub(crate) fn unless_deleted<T>(found: Result<T>) -> Result<T> {
    found.map_err(|error| match error {
        Error::NotFound(_) => DELETED,
        other => other,
    })
}

/// Deletes old keys.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from form_requests where created_at < $1")
        .bind(app.clock.now() - RETENTION)
        .execute()
        .await?;
    tx.commit().await
}
