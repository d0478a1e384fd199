//! The addresses that a user had before. What was written from them and sent to them until then is the same
//! person's: it is exported and erased with the user.

use chrono::{DateTime, Utc};

use crate::db::{On, Tx};
use crate::email_address::EmailAddress;
use crate::ids::UserId;
use crate::{Result, messages, notifications};

/// Keeps a verified address that a user has left.
pub(super) async fn add(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: UserId,
    email: &EmailAddress,
) -> Result<()> {
    tx.sql(
        "insert into former_addresses (user_id, email, left_at) values ($1, $2, $3)
         on conflict (user_id, email) do update set left_at = $3",
    )
    .bind(id)
    .bind(email)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Removes an address to which the user has come back.
pub(super) async fn remove(tx: &mut Tx, id: UserId, email: &EmailAddress) -> Result<()> {
    tx.sql("delete from former_addresses where user_id = $1 and email = $2")
        .bind(id)
        .bind(email)
        .execute()
        .await?;
    Ok(())
}

/// Returns the former addresses, each with the moment when the user left it.
pub(super) async fn of_user(
    on: impl Into<On<'_>>,
    id: UserId,
) -> Result<Vec<(EmailAddress, DateTime<Utc>)>> {
    on.into()
        .sql("select email, left_at from former_addresses where user_id = $1 order by left_at")
        .bind(id)
        .all()
        .await
}

/// Erases what was written from them and sent to them. Call it before the user is deleted.
pub(crate) async fn erase(tx: &mut Tx, now: DateTime<Utc>, id: UserId) -> Result<()> {
    messages::erase_of_former_addresses(tx, now, id).await?;
    notifications::erase_of_former_addresses(tx, id).await
}
