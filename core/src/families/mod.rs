//! Families: their records, addresses and mail preferences. A family record outlives the users that
//! are linked to it.

pub(crate) mod addresses;
mod own;
pub mod pending;

use chrono::{DateTime, Utc};

pub(crate) use addresses::{add_address, has_address, mark_verified, move_address};
pub use own::{OwnChanges, OwnProfile, change_own, own};

use crate::accounts::{User, UserType};
use crate::db::{On, Tx};
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, UserId};
use crate::money::Cents;
use crate::notifications;
use crate::search_text::normalize;
use crate::{Error, Result};

/// The three kinds of mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Preferences {
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
}

/// The mail preferences of a new family.
pub(crate) const DEFAULT_PREFERENCES: Preferences =
    Preferences { email_notifications: true, daily_video_email: true, camp_updates_email: false };

/// The row of a family.
#[derive(Debug, sqlx::FromRow)]
pub struct FamilyRecord {
    pub id: FamilyId,
    pub full_name: String,
    pub child_name: String,
    pub user_type: UserType,
}

const EXISTS: &str = "A user with this email already exists";
pub(crate) const NO_FAMILY: Error = Error::NotFound("User not found.");

/// Returns a family.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such family.
pub(crate) async fn find(on: impl Into<On<'_>>, id: FamilyId) -> Result<FamilyRecord> {
    on.into()
        .sql("select id, full_name, child_name, user_type from profiles where id = $1 and deleted_at is null")
        .bind(id)
        .optional()
        .await?
        .ok_or(NO_FAMILY)
}

/// Locks a family until the end of the transaction. Everything that writes to its plan or ledger
/// must take this lock first, so that sums are correct and there are no deadlocks. It counts as a
/// change: an open dialog has to be reloaded.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such family.
pub(crate) async fn lock(tx: &mut Tx, now: DateTime<Utc>, id: FamilyId) -> Result<()> {
    let held = tx
        .sql(
            "update profiles set version = version + 1, updated_at = $2
             where id = $1 and deleted_at is null",
        )
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    match held {
        0 => Err(NO_FAMILY),
        _ => Ok(()),
    }
}

/// Locks a family like [`lock`], for work that does not change its details. Returns whether the
/// family exists.
pub(crate) async fn hold(tx: &mut Tx, now: DateTime<Utc>, id: FamilyId) -> Result<bool> {
    let held = tx
        .sql("update profiles set updated_at = $2 where id = $1 and deleted_at is null")
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    Ok(held > 0)
}

/// Sets the sort keys of the family in lists ordered by payment. `paid` is `None` without a plan.
pub(crate) async fn set_standing(
    tx: &mut Tx,
    id: FamilyId,
    standing: i64,
    paid: Option<Cents>,
) -> Result<()> {
    tx.sql("update profiles set list_standing = $2, list_paid = $3 where id = $1")
        .bind(id)
        .bind(standing)
        .bind(paid.map_or(-1, Cents::get))
        .execute()
        .await?;
    Ok(())
}

pub(crate) async fn has_user(tx: &mut Tx, id: FamilyId) -> Result<bool> {
    let logins: i64 =
        tx.sql("select count(*) from users where profile_id = $1").bind(id).scalar().await?;
    Ok(logins > 0)
}

/// Creates the record of a user who signs up.
pub(crate) async fn create_own(
    tx: &mut Tx,
    now: DateTime<Utc>,
    full_name: &str,
    child_name: &str,
    user_type: UserType,
    preferences: Preferences,
) -> Result<FamilyId> {
    let new = NewRecord {
        origin: "self",
        approved_at: None,
        full_name,
        child_name,
        user_type,
        preferences,
        primary_email: None,
    };
    insert(tx, now, new).await
}

/// What the record of a new family begins with.
pub(crate) struct NewRecord<'a> {
    /// `self`, `staff` or `import`.
    pub origin: &'static str,
    pub approved_at: Option<DateTime<Utc>>,
    pub full_name: &'a str,
    pub child_name: &'a str,
    pub user_type: UserType,
    pub preferences: Preferences,
    /// Makes lists sort the family by this address and search find it; the caller adds the address
    /// to the family.
    pub primary_email: Option<&'a EmailAddress>,
}

/// Creates the record of a family.
pub(crate) async fn insert(
    tx: &mut Tx,
    now: DateTime<Utc>,
    new: NewRecord<'_>,
) -> Result<FamilyId> {
    let id = FamilyId::generate();
    let email = new.primary_email.map(|email| email.as_str());
    tx.sql(
        "insert into profiles
           (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
            camp_updates_email, welcome_popup_shown, approved_at, search_text,
            list_email, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, false, $9, $10, $12, 1, $11, $11)",
    )
    .bind(id)
    .bind(new.full_name)
    .bind(new.child_name)
    .bind(new.user_type)
    .bind(new.origin)
    .bind(new.preferences.email_notifications)
    .bind(new.preferences.daily_video_email)
    .bind(new.preferences.camp_updates_email)
    .bind(new.approved_at)
    .bind(search_text(new.full_name, new.child_name, email))
    .bind(now)
    .bind(email.unwrap_or_default())
    .execute()
    .await?;
    Ok(id)
}

/// Fills in the names that the family's record lacks; what it has stays.
pub(crate) async fn fill_names(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    full_name: &str,
    child_name: &str,
) -> Result<()> {
    let filled = tx
        .sql(
            "update profiles
             set full_name = case when full_name = '' then $2 else full_name end,
                 child_name = case when child_name = '' then $3 else child_name end,
                 updated_at = $4, version = version + 1
             where id = $1 and ((full_name = '' and $2 <> '') or (child_name = '' and $3 <> ''))",
        )
        .bind(id)
        .bind(full_name)
        .bind(child_name)
        .bind(now)
        .execute()
        .await?;
    if filled > 0 {
        refresh_search_text(tx, id).await?;
    }
    Ok(())
}

/// Returns the mail preferences of a family.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such family.
pub(crate) async fn preferences(tx: &mut Tx, id: FamilyId) -> Result<Preferences> {
    tx.sql(
        "select email_notifications, daily_video_email, camp_updates_email from profiles where id = $1",
    )
    .bind(id)
    .one()
    .await
}

pub(crate) async fn set_preferences(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
    to: Preferences,
) -> Result<()> {
    tx.sql(
        "update profiles
         set email_notifications = $2, daily_video_email = $3, camp_updates_email = $4,
             updated_at = $5, version = version + 1
         where id = $1",
    )
    .bind(id)
    .bind(to.email_notifications)
    .bind(to.daily_video_email)
    .bind(to.camp_updates_email)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Whether the camp created a family, or has used one that registered itself.
const KNOWN_TO_CAMP: &str = "(p.origin <> 'self' or p.approved_at is not null
          or exists (select 1 from payment_plans l where l.profile_id = p.id)
          or exists (select 1 from profile_addresses s
                     where s.profile_id = p.id and s.entered_by_staff))";

/// Deletes a self-registered record that is no longer used, after its user moved to the family that
/// the camp knows. Returns whether it was deleted.
pub(crate) async fn drop_if_own_and_empty(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
) -> Result<bool> {
    let dropped = tx
        .sql([
            "update profiles set deleted_at = $2, updated_at = $2, full_name = '', child_name = '', search_text = '',
                 list_email = ''
             where id = $1 and not exists (select 1 from users where profile_id = $1)
               and not exists (select 1 from profiles p where p.id = $1 and ",
            KNOWN_TO_CAMP,
            ")"
        ])
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    if dropped > 0 {
        addresses::drop_all(tx, id).await?;
    }
    Ok(dropped > 0)
}

/// Separates a user from possible strangers, when the owner of an address claims a user that
/// somebody else may have created with it. If the camp knows a family by this address, the user
/// stays in it, and everybody who joined while the address was unverified is removed. Any other
/// record may not be theirs, since the address may have been mistyped. The user then gets a new,
/// empty record.
///
/// # Errors
///
/// [`Error::NotFound`] when the camp knew the user's family and it was deleted.
pub(crate) async fn separate_from_strangers(
    tx: &mut Tx,
    now: DateTime<Utc>,
    user: &User,
) -> Result<()> {
    // Waits for members who are writing at this moment, so that what they write is removed, too.
    hold(tx, now, user.profile_id).await?;
    let hers: i64 = tx
        .sql([
            "select count(*) from profiles p
             join profile_addresses a on a.profile_id = p.id
             where p.id = $1 and a.email = $2 and ",
            KNOWN_TO_CAMP,
        ])
        .bind(user.profile_id)
        .bind(&user.email)
        .scalar()
        .await?;
    if hers > 0 {
        return separate_others(tx, now, user).await;
    }
    let own = user.profile_id;
    tx.sql("delete from profile_addresses where profile_id = $1 and email = $2")
        .bind(own)
        .bind(&user.email)
        .execute()
        .await?;
    let id = create_own(tx, now, "", "", user.user_type, DEFAULT_PREFERENCES).await?;
    tx.sql("update users set full_name = '' where id = $1").bind(user.id).execute().await?;
    move_user(tx, now, user.id, id).await?;
    if drop_if_own_and_empty(tx, now, own).await? {
        return Ok(());
    }
    notifications::follow_addresses(tx, now, own).await?;
    refresh_search_text(tx, own).await
}

/// Removes the users and addresses that a family got since this user was created, except those that
/// staff entered, and resets its mail preferences.
async fn separate_others(tx: &mut Tx, now: DateTime<Utc>, user: &User) -> Result<()> {
    let id = user.profile_id;
    let newer: Vec<(UserId, String)> = tx
        .sql(
            "select u.id, u.full_name from users u
             where u.profile_id = $1 and u.id <> $2
               and not exists (select 1 from profile_addresses a
                               join users mine on mine.id = $2
                               where a.profile_id = $1 and a.email = u.email
                                 and (a.entered_by_staff or a.verified_at < mine.created_at))",
        )
        .bind(id)
        .bind(user.id)
        .all()
        .await?;
    for (other, full_name) in newer {
        let kind = user.user_type;
        let fresh = create_own(tx, now, &full_name, "", kind, DEFAULT_PREFERENCES).await?;
        move_user(tx, now, other, fresh).await?;
    }
    tx.sql(
        "delete from profile_addresses
         where profile_id = $1 and email <> $3 and not entered_by_staff
           and verified_at >= (select mine.created_at from users mine where mine.id = $2)",
    )
    .bind(id)
    .bind(user.id)
    .bind(&user.email)
    .execute()
    .await?;
    // A family with one address has it as its primary one.
    tx.sql(
        "update profile_addresses set kind = 'primary'
         where profile_id = $1
           and not exists (select 1 from profile_addresses p
                           where p.profile_id = $1 and p.kind = 'primary')",
    )
    .bind(id)
    .execute()
    .await?;
    tx.sql("delete from pending_addresses where profile_id = $1").bind(id).execute().await?;
    let others: i64 = tx
        .sql("select count(*) from users where profile_id = $1 and id <> $2")
        .bind(id)
        .bind(user.id)
        .scalar()
        .await?;
    if others == 0 {
        set_preferences(tx, now, id, DEFAULT_PREFERENCES).await?;
    }
    tx.sql(
        "update users set full_name = (select p.full_name from profiles p where p.id = $2)
         where id = $1",
    )
    .bind(user.id)
    .bind(id)
    .execute()
    .await?;
    notifications::follow_addresses(tx, now, id).await?;
    refresh_search_text(tx, id).await
}

/// Moves a user to another record, with the address that it verified.
///
/// # Errors
///
/// [`Error::NotFound`] when that record was deleted.
pub(crate) async fn move_user(
    tx: &mut Tx,
    now: DateTime<Utc>,
    user_id: UserId,
    to: FamilyId,
) -> Result<()> {
    tx.sql("update users set profile_id = $2, updated_at = $3 where id = $1")
        .bind(user_id)
        .bind(to)
        .bind(now)
        .execute()
        .await?;
    tx.sql(
        "update profile_addresses set profile_id = $2, kind = 'primary'
         where not entered_by_staff
           and email = (select u.email from users u where u.id = $1 and u.verified_at is not null)",
    )
    .bind(user_id)
    .bind(to)
    .execute()
    .await?;
    refresh_search_text(tx, to).await
}

/// The search text of a family: its names, then its addresses, each on its own line.
pub(crate) fn search_text<'a>(
    full_name: &str,
    child_name: &str,
    emails: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut text = normalize(&format!("{full_name} {child_name}"));
    for email in emails {
        text.push('\n');
        text.push_str(&normalize(email));
    }
    text
}

/// Updates the search text and the sort key by address. Call it after every change of a name, an
/// address or a user. Staff also find a family by what its members typed, and by the names it had before a merge.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such family.
pub(crate) async fn refresh_search_text(tx: &mut Tx, id: FamilyId) -> Result<()> {
    let profile = find(&mut *tx, id).await?;
    let (primary, _) = addresses::addresses(tx, id).await?;
    let emails: Vec<(String,)> = tx
        .sql(
            "select email from profile_addresses where profile_id = $1
             union select email from pending_addresses where profile_id = $1
             union select email from users where profile_id = $1
             order by 1",
        )
        .bind(id)
        .all()
        .await?;
    let emails = emails.iter().map(|(email,)| email.as_str());
    let mut search_text = search_text(&profile.full_name, &profile.child_name, emails);
    let merged: Vec<(String,)> = tx
        .sql(
            "select value from merged_identities where profile_id = $1 and kind = 'name'
             order by 1",
        )
        .bind(id)
        .all()
        .await?;
    for (names,) in merged {
        let names = normalize(&names);
        if !search_text.contains(&names) {
            search_text.push('\n');
            search_text.push_str(&names);
        }
    }
    tx.sql("update profiles set search_text = $2, list_email = $3 where id = $1")
        .bind(id)
        .bind(search_text)
        .bind(primary.map_or_else(String::new, |kept| kept.email.into()))
        .execute()
        .await?;
    Ok(())
}
