//! Tokens for links in mail: 256 bits, stored as a hash, single use, expiring (safety 7). A POST
//! from the page that the link opens spends them, because mail scanners follow every link.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::sessions::{Holder, random_token, token_hash};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, StaffId, UserId};
use crate::{App, Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Purpose {
    /// Verifies the address of a user.
    Verify,
    /// Verifies the new address of a user.
    ChangeEmail,
    /// Verifies the second address of a family. Also names the member who asked.
    SecondaryEmail,
    Reset,
    Invite,
    StaffReset,
}

impl Purpose {
    pub fn lifetime(self) -> TimeDelta {
        match self {
            Purpose::Verify | Purpose::ChangeEmail | Purpose::SecondaryEmail => TimeDelta::days(3),
            Purpose::Reset | Purpose::StaffReset => TimeDelta::hours(1),
            Purpose::Invite => TimeDelta::days(30),
        }
    }
}

#[derive(Debug, Default, Clone, sqlx::FromRow)]
pub struct Bearer {
    pub user_id: Option<UserId>,
    pub profile_id: Option<FamilyId>,
    pub staff_id: Option<StaffId>,
    /// The address that the link verifies, if it was sent to one.
    pub email: Option<EmailAddress>,
}

/// A token that was just spent.
#[derive(sqlx::FromRow)]
struct Spent {
    purpose: Purpose,
    #[sqlx(flatten)]
    bearer: Bearer,
}

/// Creates a token. `version` is the account's version when the link was requested, see [`revoke_all`].
/// It is 0 without an account.
pub async fn make(
    tx: &mut Tx,
    app: &App,
    purpose: Purpose,
    bearer: &Bearer,
    version: i64,
) -> Result<String> {
    let now = app.clock.now();
    let token = random_token();
    tx.sql(
        "insert into mail_tokens
           (id, token_hash, purpose, user_id, profile_id, staff_id, email, token_version, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(Uuid::now_v7())
    .bind(token_hash(&token))
    .bind(purpose)
    .bind(bearer.user_id)
    .bind(bearer.profile_id)
    .bind(bearer.staff_id)
    .bind(bearer.email.clone())
    .bind(version)
    .bind(now)
    .bind(now + purpose.lifetime())
    .execute()
    .await?;
    Ok(token)
}

const GONE: Error =
    Error::Gone("This link was already used or has expired. Please ask for a new one.");

/// Valid tokens: $1 the hash, $2 now.
const GOOD: &str = "token_hash = $1 and used_at is null and expires_at > $2
         and token_version = coalesce(
               (select u.token_version from users u where u.id = mail_tokens.user_id),
               (select s.token_version from staff s where s.id = mail_tokens.staff_id), 0) ";

/// Spends a token. Of two concurrent attempts, one succeeds.
///
/// # Errors
///
/// [`Error::Gone`] when it was used or has expired.
pub async fn spend(tx: &mut Tx, app: &App, token: &str) -> Result<(Purpose, Bearer)> {
    let spent: Option<Spent> = tx
        .sql([
            "update mail_tokens set used_at = $2 where ",
            GOOD,
            "returning purpose, user_id, profile_id, staff_id, email",
        ])
        .bind(token_hash(token))
        .bind(app.clock.now())
        .optional()
        .await?;
    let Spent { purpose, bearer } = spent.ok_or(GONE)?;
    Ok((purpose, bearer))
}

/// Reads a token without spending it.
///
/// # Errors
///
/// [`Error::Gone`] when it was used or has expired.
pub async fn peek(app: &App, token: &str) -> Result<(Purpose, Bearer)> {
    let found: Option<Spent> = app
        .db
        .sql(["select purpose, user_id, profile_id, staff_id, email from mail_tokens where ", GOOD])
        .bind(token_hash(token))
        .bind(app.clock.now())
        .optional()
        .await?;
    let Spent { purpose, bearer } = found.ok_or(GONE)?;
    Ok((purpose, bearer))
}

/// Revokes all open links of an account, including those whose mail is not written yet: after a
/// password or address change, and after signing out everywhere (safety 3). Otherwise an intruder
/// could get in again after the owner has locked them out.
pub async fn revoke_all(tx: &mut Tx, holder: Holder) -> Result<()> {
    match holder {
        Holder::User(id) => {
            tx.sql("update users set token_version = token_version + 1 where id = $1").bind(id)
        }
        Holder::Staff(id) => {
            tx.sql("update staff set token_version = token_version + 1 where id = $1").bind(id)
        }
    }
    .execute()
    .await?;
    Ok(())
}

/// Moves the links of a family to another one, when they are merged.
pub(crate) async fn move_to_family(tx: &mut Tx, from: FamilyId, to: FamilyId) -> Result<()> {
    tx.sql("update mail_tokens set profile_id = $1 where profile_id = $2")
        .bind(to)
        .bind(from)
        .execute()
        .await?;
    Ok(())
}

/// Deletes the links of a family, with the addresses that they were sent to.
pub(crate) async fn erase_family(tx: &mut Tx, profile_id: FamilyId) -> Result<()> {
    tx.sql("delete from mail_tokens where profile_id = $1").bind(profile_id).execute().await?;
    Ok(())
}

/// The version for a link that is requested now.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account.
pub async fn version(tx: &mut Tx, holder: Holder) -> Result<i64> {
    match holder {
        Holder::User(id) => tx.sql("select token_version from users where id = $1").bind(id),
        Holder::Staff(id) => tx.sql("select token_version from staff where id = $1").bind(id),
    }
    .scalar()
    .await
}

/// Revokes the copied invitation links of a family: only one is valid at a time.
pub(crate) async fn revoke_copied(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: FamilyId,
) -> Result<()> {
    tx.sql(
        "update mail_tokens set used_at = $3
         where profile_id = $1 and purpose = $2 and email is null and used_at is null",
    )
    .bind(profile_id)
    .bind(Purpose::Invite)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Revokes invitations after a family lost an address, since whoever received one there, or was
/// handed one before, may be a stranger.
pub(crate) async fn revoke_invitations(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: FamilyId,
) -> Result<()> {
    revoke_copied(tx, now, profile_id).await?;
    tx.sql(
        "update mail_tokens set used_at = $3
         where profile_id = $1 and purpose = $2 and used_at is null
           and email not in (select a.email from profile_addresses a where a.profile_id = $1)",
    )
    .bind(profile_id)
    .bind(Purpose::Invite)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}
