//! Families: who they are, their addresses, and what mail they want. A family record outlives the
//! logins that point at it.

pub mod desk;
pub mod export;
pub mod import;
pub mod merge;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::{User, letters, limits};
use crate::checks::Checks;
use crate::db::{On, Tx};
use crate::error::OrTaken;
use crate::fold::fold;
use crate::notifications::{self, Category, Notice, unsubscribe};
use crate::{App, Error, Result};

/// A label that grants nothing (decision P4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum UserType {
    Parent,
    Visitor,
}

/// The three kinds of mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Preferences {
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
}

/// What a new family starts with (portal.md section 9).
pub const DEFAULT_PREFERENCES: Preferences =
    Preferences { email_notifications: true, daily_video_email: true, camp_updates_email: false };

/// A family as the code handles it.
#[derive(Debug, sqlx::FromRow)]
pub struct Profile {
    pub id: Uuid,
    pub full_name: String,
    pub child_name: String,
}

/// A family as its own members see it.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = Profile)]
pub struct OwnProfile {
    pub full_name: String,
    /// Only for parents.
    pub child_name: Option<String>,
    pub email: Option<String>,
    pub secondary_email: Option<String>,
    pub secondary_email_verified: bool,
    pub user_type: UserType,
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
    pub welcome_popup_shown: bool,
    /// The address of this login refused mail, so the camp has stopped writing to it.
    pub suppressed: bool,
}

/// What members may change about their family; what is left out stays.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ProfilePatch)]
pub struct OwnChanges {
    pub full_name: Option<String>,
    pub child_name: Option<String>,
    /// Empty to remove it. A new one counts once its owner has confirmed it.
    pub secondary_email: Option<String>,
    pub email_notifications: Option<bool>,
    pub daily_video_email: Option<bool>,
    pub camp_updates_email: Option<bool>,
    pub welcome_popup_shown: Option<bool>,
}

const EXISTS: &str = "A user with this email already exists";
const NO_FAMILY: Error = Error::NotFound("There is no such user.");

pub async fn find(on: impl Into<On<'_>>, id: Uuid) -> Result<Profile> {
    on.into()
        .sql("select id, full_name, child_name from profiles where id = $1 and deleted_at is null")
        .bind(id)
        .optional()
        .await?
        .ok_or(NO_FAMILY)
}

/// Keeps everybody else from changing this family until the end of the transaction. Whoever writes
/// to its plan or ledger holds it first, always, so that sums are right and nobody waits in a
/// circle. It counts as a change: a dialog that was open has to be loaded again.
pub(crate) async fn hold(tx: &mut Tx, now: DateTime<Utc>, id: Uuid) -> Result<()> {
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

/// Where the family stands in lists that are ordered by payment.
pub(crate) async fn set_standing(tx: &mut Tx, id: Uuid, standing: i64, paid: i64) -> Result<()> {
    tx.sql("update profiles set list_standing = $2, list_paid = $3 where id = $1")
        .bind(id)
        .bind(standing)
        .bind(paid)
        .execute()
        .await?;
    Ok(())
}

/// Where the family stands in lists that are ordered by address; after every change of its own.
async fn refresh_list_email(tx: &mut Tx, id: Uuid) -> Result<()> {
    tx.sql(
        "update profiles
         set list_email = coalesce((select a.email from profile_addresses a
                                    where a.profile_id = profiles.id and a.kind = 'primary'), '')
         where id = $1",
    )
    .bind(id)
    .execute()
    .await?;
    Ok(())
}

pub(crate) async fn has_login(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let logins: i64 =
        tx.sql("select count(*) from users where profile_id = $1").bind(id).scalar().await?;
    Ok(logins > 0)
}

/// The record that somebody makes by signing up.
pub(crate) async fn create_own(
    tx: &mut Tx,
    now: DateTime<Utc>,
    full_name: &str,
    child_name: &str,
    user_type: UserType,
    preferences: Preferences,
) -> Result<Uuid> {
    insert(tx, now, "self", None, full_name, child_name, user_type, preferences, "").await
}

#[allow(clippy::too_many_arguments)]
async fn insert(
    tx: &mut Tx,
    now: DateTime<Utc>,
    origin: &'static str,
    approved_at: Option<DateTime<Utc>>,
    full_name: &str,
    child_name: &str,
    user_type: UserType,
    preferences: Preferences,
    primary_email: &str,
) -> Result<Uuid> {
    let id = Uuid::now_v7();
    tx.sql(
        "insert into profiles
           (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
            camp_updates_email, welcome_popup_shown, approved_at, search_text,
            list_email, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, false, $9, $10, $12, 1, $11, $11)",
    )
    .bind(id)
    .bind(full_name)
    .bind(child_name)
    .bind(user_type)
    .bind(origin)
    .bind(preferences.email_notifications)
    .bind(preferences.daily_video_email)
    .bind(preferences.camp_updates_email)
    .bind(approved_at)
    .bind(fold(&format!("{full_name} {child_name}")))
    .bind(now)
    .bind(primary_email)
    .execute()
    .await?;
    Ok(id)
}

/// Gives a family an address that one of its logins uses: as its primary one, or as the secondary
/// one when it has a primary already. An address that another family has stays there; a third
/// address is only a login. An unproved address that was only typed gives way to a proved one.
pub(crate) async fn add_address(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: Uuid,
    email: &str,
    verified: bool,
) -> Result<()> {
    tx.sql(
        "insert into profile_addresses (email, profile_id, kind, entered_by_staff, verified_at, created_at)
         select cast($1 as text), $2,
                case when exists (select 1 from profile_addresses where profile_id = $2 and kind = 'primary')
                     then 'secondary' else 'primary' end,
                false, $3, $4
         where (select count(*) from profile_addresses where profile_id = $2 and email <> $1) < 2
         on conflict (email) do update
           set verified_at = coalesce(profile_addresses.verified_at, excluded.verified_at)
           where profile_addresses.profile_id = excluded.profile_id",
    )
    .bind(email)
    .bind(profile_id)
    .bind(verified.then_some(now))
    .bind(now)
    .execute()
    .await?;
    refresh_list_email(tx, profile_id).await
}

/// After a login moved to another address, so does the address of its family.
pub(crate) async fn move_address(
    tx: &mut Tx,
    profile_id: Uuid,
    old: &str,
    new: &str,
) -> Result<()> {
    tx.sql(
        "update profile_addresses set email = $3
         where profile_id = $1 and email = $2
           and not exists (select 1 from profile_addresses where email = $3)",
    )
    .bind(profile_id)
    .bind(old)
    .bind(new)
    .execute()
    .await?;
    refresh_list_email(tx, profile_id).await
}

pub(crate) async fn preferences(tx: &mut Tx, id: Uuid) -> Result<Preferences> {
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
    id: Uuid,
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

/// After its login moved to the family that the camp knows, a record that somebody made at sign-up
/// is of no more use.
pub(crate) async fn drop_if_own_and_empty(tx: &mut Tx, now: DateTime<Utc>, id: Uuid) -> Result<()> {
    let dropped = tx
        .sql(
            "update profiles set deleted_at = $2, updated_at = $2, full_name = '', child_name = '', search_text = '',
                 list_email = ''
             where id = $1 and origin = 'self' and approved_at is null
               and not exists (select 1 from users where profile_id = $1)",
        )
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    if dropped > 0 {
        tx.sql("delete from profile_addresses where profile_id = $1").bind(id).execute().await?;
    }
    Ok(())
}

/// The family of a login, for the profile page.
pub async fn own(app: &App, user: &User) -> Result<OwnProfile> {
    app.db
        .sql(
            "select u.full_name,
                    case when p.user_type = 'parent' then p.child_name end as child_name,
                    (select email from profile_addresses where profile_id = p.id and kind = 'primary') as email,
                    s.email as secondary_email,
                    coalesce(s.verified_at is not null or s.entered_by_staff, false) as secondary_email_verified,
                    p.user_type, p.email_notifications, p.daily_video_email, p.camp_updates_email,
                    p.welcome_popup_shown,
                    exists (select 1 from suppressed_addresses x where x.email = u.email) as suppressed
             from users u
             join profiles p on p.id = u.profile_id
             left join profile_addresses s on s.profile_id = p.id and s.kind = 'secondary'
             where u.id = $1",
        )
        .bind(user.id)
        .one()
        .await
}

/// Saves what members changed about their family, all or nothing.
pub async fn change_own(app: &App, user: &User, changes: OwnChanges) -> Result<OwnProfile> {
    let now = app.clock.now();
    let mut checks = Checks::new();
    let full_name = changes.full_name.as_deref().map(|name| {
        let name = checks.line("full_name", name, 120);
        checks.require(!name.is_empty(), "full_name", "Please enter your name.");
        name
    });
    let child_name = changes.child_name.as_deref().map(|name| checks.line("child_name", name, 200));
    let secondary = match changes.secondary_email.as_deref().map(str::trim) {
        None => None,
        Some("") => Some(None),
        Some(email) => Some(Some(checks.email("secondary_email", email))),
    };
    checks.done()?;
    if secondary.as_ref().is_some_and(Option::is_some) {
        limits::count(app, limits::CHANGES_BY_USER, &user.id.to_string()).await?;
    }
    let mut tx = app.db.begin().await?;
    if let Some(name) = &full_name {
        tx.sql("update users set full_name = $2, updated_at = $3 where id = $1")
            .bind(user.id)
            .bind(name)
            .bind(now)
            .execute()
            .await?;
    }
    // The family's own name follows the login whose address is the primary one.
    tx.sql(
        "update profiles
         set full_name = case when exists (select 1 from profile_addresses a
                                           where a.profile_id = profiles.id and a.kind = 'secondary' and a.email = $3)
                              then full_name else coalesce($2, full_name) end,
             child_name = case when user_type = 'parent' then coalesce($4, child_name) else child_name end,
             email_notifications = coalesce($5, email_notifications),
             daily_video_email = coalesce($6, daily_video_email),
             camp_updates_email = coalesce($7, camp_updates_email),
             welcome_popup_shown = coalesce($8, welcome_popup_shown),
             updated_at = $9, version = version + 1
         where id = $1",
    )
    .bind(user.profile_id)
    .bind(full_name.clone())
    .bind(&user.email)
    .bind(child_name)
    .bind(changes.email_notifications)
    .bind(changes.daily_video_email)
    .bind(changes.camp_updates_email)
    .bind(changes.welcome_popup_shown)
    .bind(now)
    .execute()
    .await?;
    refold(&mut tx, user.profile_id).await?;
    for (wanted, category) in [
        (changes.email_notifications, Category::General),
        (changes.daily_video_email, Category::DailyVideos),
        (changes.camp_updates_email, Category::CampUpdates),
    ] {
        if wanted == Some(true) {
            unsubscribe::rejoin(&mut tx, &user.email, category).await?;
        }
    }
    if let Some(secondary) = secondary {
        set_secondary(&mut tx, app, user, secondary).await?;
    }
    tx.commit().await?;
    own(app, user).await
}

async fn set_secondary(tx: &mut Tx, app: &App, user: &User, email: Option<String>) -> Result<()> {
    let now = app.clock.now();
    let current: Option<(String,)> = tx
        .sql("select email from profile_addresses where profile_id = $1 and kind = 'secondary'")
        .bind(user.profile_id)
        .optional()
        .await?;
    if current.as_ref().map(|(email,)| email) == email.as_ref() {
        return Ok(());
    }
    tx.sql("delete from profile_addresses where profile_id = $1 and kind = 'secondary'")
        .bind(user.profile_id)
        .execute()
        .await?;
    let Some(email) = email else { return Ok(()) };
    tx.sql(
        "insert into profile_addresses (email, profile_id, kind, entered_by_staff, verified_at, created_at)
         values ($1, $2, 'secondary', false, null, $3)",
    )
    .bind(&email)
    .bind(user.profile_id)
    .bind(now)
    .execute()
    .await
    .or_taken("secondary_email", EXISTS)?;
    let notice = Notice::new(letters::SECONDARY_EMAIL, user.profile_id);
    notifications::tell(tx, app, notice, &email, "").await
}

async fn refold(tx: &mut Tx, id: Uuid) -> Result<()> {
    let profile = find(&mut *tx, id).await?;
    tx.sql("update profiles set search_text = $2 where id = $1")
        .bind(id)
        .bind(fold(&format!("{} {}", profile.full_name, profile.child_name)))
        .execute()
        .await?;
    Ok(())
}
