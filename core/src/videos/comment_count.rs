//! How many comments of a video families see.

use uuid::Uuid;

use super::NOT_FOUND;
use crate::Result;
use crate::db::Tx;

/// Locks a published video for a new comment and adds to its count.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub(crate) async fn hold_for_comment(tx: &mut Tx, id: Uuid, comments: i64) -> Result<()> {
    let found = tx
        .sql(
            "update videos set comment_count = comment_count + $2
             where id = $1 and status = 'published'",
        )
        .bind(id)
        .bind(comments)
        .execute()
        .await?;
    match found {
        0 => Err(NOT_FOUND),
        _ => Ok(()),
    }
}

/// Counts comments that appeared, or, with a negative number, that are gone.
pub(crate) async fn add_to_comment_count(tx: &mut Tx, id: Uuid, comments: i64) -> Result<()> {
    tx.sql("update videos set comment_count = comment_count + $2 where id = $1")
        .bind(id)
        .bind(comments)
        .execute()
        .await?;
    Ok(())
}
