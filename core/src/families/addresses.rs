//! The primary and the secondary address of a family. Each address belongs to only one family. It
//! is known because staff or an import entered it, or because its owner verified it. Addresses that
//! a member only typed are kept elsewhere, see [`super::pending`].

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{EXISTS, hold, pending, refresh_search_text};
use crate::accounts::tokens;
use crate::db::{On, Tx};
use crate::email_address::EmailAddress;
use crate::error::OrTaken;
use crate::ids::{FamilyId, UserId};
use crate::notifications;
use crate::{Error, Result};

/// An address and how it became known: staff or an import entered it, or its owner verified it, or both. One
/// that is neither waits in `pending_addresses`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub(crate) struct StoredAddress {
    #[serde(deserialize_with = "EmailAddress::from_stored_json")]
    pub email: EmailAddress,
    pub entered_by_staff: bool,
    pub verified_at: Option<DateTime<Utc>>,
}

impl StoredAddress {
    /// An address that staff have just entered.
    pub fn typed(email: &EmailAddress) -> StoredAddress {
        StoredAddress { email: email.clone(), entered_by_staff: true, verified_at: None }
    }
}

/// Returns the primary and the secondary address of a family.
pub(crate) async fn addresses(
    tx: &mut Tx,
    id: FamilyId,
) -> Result<(Option<StoredAddress>, Option<StoredAddress>)> {
    let mut found: [Option<StoredAddress>; 2] = [None, None];
    for (place, kind) in found.iter_mut().zip(["primary", "secondary"]) {
        *place = tx
            .sql(
                "select email, entered_by_staff, verified_at from profile_addresses
                 where profile_id = $1 and kind = $2",
            )
            .bind(id)
            .bind(kind)
            .optional()
            .await?;
    }
    let [primary, secondary] = found;
    Ok((primary, secondary))
}

/// Sets the addresses that staff entered. Returns whether anything changed.
///
/// # Errors
///
/// [`Error::Invalid`] on `secondary_email` when both are the same, [`Error::Taken`] on `email` or
/// `secondary_email` when another family has the address, [`Error::NotFound`] when the family was
/// deleted.
pub(crate) async fn change_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    email: Option<Option<EmailAddress>>,
    secondary: Option<Option<EmailAddress>>,
) -> Result<bool> {
    let before = addresses(tx, id).await?;
    // An address keeps its verification when it moves between primary and secondary.
    let place = |typed: Option<Option<EmailAddress>>, old: &Option<StoredAddress>| match typed {
        None => old.clone(),
        Some(None) => None,
        Some(Some(email)) => {
            let known = [&before.0, &before.1].into_iter().flatten().find(|k| k.email == email);
            Some(known.cloned().unwrap_or_else(|| StoredAddress::typed(&email)))
        }
    };
    let after = (place(email, &before.0), place(secondary, &before.1));
    if after == before {
        return Ok(false);
    }
    if let (Some(one), Some(other)) = &after
        && one.email == other.email
    {
        let text = "The second email must be different from the first.";
        return Err(Error::invalid("secondary_email", text));
    }
    // A family with one address has it as its primary one.
    let (primary, secondary) = match after {
        (None, Some(only)) => (Some(only), None),
        both => both,
    };
    replace_addresses(tx, now, id, primary, secondary).await?;
    Ok(true)
}

/// Replaces the addresses of a family and revokes invitations to those that it lost.
///
/// # Errors
///
/// [`Error::Taken`] on `email` or `secondary_email` when another family has the address,
/// [`Error::NotFound`] when the family was deleted.
pub(crate) async fn replace_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    primary: Option<StoredAddress>,
    secondary: Option<StoredAddress>,
) -> Result<()> {
    let before = addresses(tx, id).await?;
    let kept = |old: &StoredAddress| {
        [&primary, &secondary].into_iter().flatten().any(|k| k.email == old.email)
    };
    let lost = ![&before.0, &before.1].into_iter().flatten().all(kept);
    set_addresses(tx, now, id, primary, secondary).await?;
    if lost {
        tokens::revoke_invitations(tx, now, id).await?;
    }
    Ok(())
}

/// Whether an address belongs to a family now.
pub(crate) async fn has_address(
    on: impl Into<On<'_>>,
    id: FamilyId,
    email: &EmailAddress,
) -> Result<bool> {
    let found: i64 = on
        .into()
        .sql("select count(*) from profile_addresses where profile_id = $1 and email = $2")
        .bind(id)
        .bind(email)
        .scalar()
        .await?;
    Ok(found > 0)
}

/// Replaces the addresses of a family.
///
/// # Errors
///
/// [`Error::Taken`] on `email` or `secondary_email` when another family has the address,
/// [`Error::NotFound`] when the family was deleted.
pub(crate) async fn set_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    primary: Option<StoredAddress>,
    secondary: Option<StoredAddress>,
) -> Result<()> {
    tx.sql("delete from profile_addresses where profile_id = $1").bind(id).execute().await?;
    for (address, place) in [(primary, Place::Primary), (secondary, Place::Secondary)] {
        let Some(address) = address else { continue };
        put_address(tx, now, id, &address, place).await?;
    }
    pending::remove_settled(tx, id).await?;
    notifications::follow_addresses(tx, now, id).await?;
    refresh_search_text(tx, id).await
}

#[derive(Clone, Copy)]
pub(crate) enum Place {
    Primary,
    Secondary,
}

/// Adds an address to a family.
///
/// # Errors
///
/// [`Error::Taken`] on `email` or `secondary_email` when a family has the address already, or this
/// one has another address in that place.
pub(crate) async fn put_address(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    address: &StoredAddress,
    place: Place,
) -> Result<()> {
    let (kind, field) = match place {
        Place::Primary => ("primary", "email"),
        Place::Secondary => ("secondary", "secondary_email"),
    };
    tx.sql(
        "insert into profile_addresses
           (email, profile_id, kind, entered_by_staff, verified_at, created_at)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&address.email)
    .bind(id)
    .bind(kind)
    .bind(address.entered_by_staff)
    .bind(address.verified_at)
    .bind(now)
    .execute()
    .await
    .or_taken(field, EXISTS)?;
    Ok(())
}

/// Adds a newly verified address to a family: as the primary one, or as the secondary one if there
/// is a primary. An address of another family stays there. A third address belongs only to its
/// user.
///
/// # Errors
///
/// [`Error::NotFound`] when the family was deleted.
pub(crate) async fn add_address(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: FamilyId,
    email: &EmailAddress,
) -> Result<()> {
    // Of two addresses that are verified at the same moment, the second one sees the place of the first.
    hold(tx, now, profile_id).await?;
    tx.sql(
        "insert into profile_addresses (email, profile_id, kind, entered_by_staff, verified_at, created_at)
         select cast($1 as text), $2,
                case when exists (select 1 from profile_addresses where profile_id = $2 and kind = 'primary')
                     then 'secondary' else 'primary' end,
                false, $3, $3
         where (select count(*) from profile_addresses where profile_id = $2 and email <> $1) < 2
         on conflict (email) do update
           set verified_at = coalesce(profile_addresses.verified_at, excluded.verified_at)
           where profile_addresses.profile_id = excluded.profile_id",
    )
    .bind(email)
    .bind(profile_id)
    .bind(now)
    .execute()
    .await?;
    pending::remove_settled(tx, profile_id).await?;
    refresh_search_text(tx, profile_id).await
}

/// Records that a user of a family verified the family's address.
pub(crate) async fn mark_verified(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    user_id: UserId,
) -> Result<()> {
    tx.sql(
        "update profile_addresses set verified_at = coalesce(verified_at, $3)
         where profile_id = $1 and email = (select email from users where id = $2)",
    )
    .bind(id)
    .bind(user_id)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Moves the address of a family after its user moved to another verified address.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such family.
pub(crate) async fn move_address(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: FamilyId,
    old: &EmailAddress,
    new: &EmailAddress,
) -> Result<()> {
    tx.sql(
        "update profile_addresses set email = $3, entered_by_staff = false, verified_at = $4
         where profile_id = $1 and email = $2
           and not exists (select 1 from profile_addresses where email = $3)",
    )
    .bind(profile_id)
    .bind(old)
    .bind(new)
    .bind(now)
    .execute()
    .await?;
    notifications::follow_addresses(tx, now, profile_id).await?;
    refresh_search_text(tx, profile_id).await
}

/// Removes the secondary address from a family, and its invitations.
pub(crate) async fn drop_secondary(tx: &mut Tx, now: DateTime<Utc>, id: FamilyId) -> Result<()> {
    let dropped = tx
        .sql("delete from profile_addresses where profile_id = $1 and kind = 'secondary'")
        .bind(id)
        .execute()
        .await?;
    if dropped == 0 {
        return Ok(());
    }
    notifications::follow_addresses(tx, now, id).await?;
    tokens::revoke_invitations(tx, now, id).await
}

/// Removes the addresses from a family that is merged into another one, which gets them. Mail that
/// waits for them is not withdrawn.
pub(crate) async fn take_addresses(tx: &mut Tx, id: FamilyId) -> Result<()> {
    tx.sql("delete from profile_addresses where profile_id = $1").bind(id).execute().await?;
    refresh_search_text(tx, id).await
}

/// Removes all addresses from a deleted family. Returns how many there were.
pub(crate) async fn drop_all(tx: &mut Tx, id: FamilyId) -> Result<u64> {
    tx.sql("delete from pending_addresses where profile_id = $1").bind(id).execute().await?;
    tx.sql("delete from profile_addresses where profile_id = $1").bind(id).execute().await
}
