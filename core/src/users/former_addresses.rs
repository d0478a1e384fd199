//! The addresses that a user had before. What was written from them and sent to them is the same person's:
//! it is exported and erased with the user, unless somebody else has the address by now.

use chrono::{DateTime, TimeDelta, Utc};

use crate::db::{On, Tx};
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, UserId};
use crate::{App, Result};

/// As long as a message is kept, which is longer than a mail.
const RETENTION: TimeDelta = TimeDelta::days(730);

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

/// For a user who has come back to an address.
pub(super) async fn remove(tx: &mut Tx, id: UserId, email: &EmailAddress) -> Result<()> {
    tx.sql("delete from former_addresses where user_id = $1 and email = $2")
        .bind(id)
        .bind(email)
        .execute()
        .await?;
    Ok(())
}

/// Returns those of a user that nobody else has now.
pub(super) async fn of_user(on: impl Into<On<'_>>, id: UserId) -> Result<Vec<EmailAddress>> {
    let rows: Vec<(EmailAddress,)> = on
        .into()
        .sql(
            "select f.email from former_addresses f
             where f.user_id = $1
               and not exists (select 1 from users u where u.email = f.email)
               and not exists (select 1 from profile_addresses a where a.email = f.email)
             order by f.email",
        )
        .bind(id)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(email,)| email).collect())
}

/// Returns those of the users of a family that nobody outside it has now.
pub(crate) async fn of_family(tx: &mut Tx, id: FamilyId) -> Result<Vec<EmailAddress>> {
    let rows: Vec<(EmailAddress,)> = tx
        .sql(
            "select distinct f.email from former_addresses f
             join users o on o.id = f.user_id
             where o.profile_id = $1
               and not exists (select 1 from users u where u.email = f.email and u.profile_id <> $1)
               and not exists (select 1 from profile_addresses a
                               where a.email = f.email and a.profile_id <> $1)",
        )
        .bind(id)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(email,)| email).collect())
}

/// Deletes those that were left so long ago that nothing of them is kept. Runs hourly.
///
/// # Errors
///
/// Only those of the database.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from former_addresses where left_at < $1")
        .bind(app.clock.now() - RETENTION)
        .execute()
        .await?;
    tx.commit().await
}
