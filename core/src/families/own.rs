//! A family as its members see and change it on the profile page.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::pending::set_secondary;
use super::{preferences, refresh_search_text, set_preferences};
use crate::accounts::password::Confirmed;
use crate::accounts::user_password::confirm_password;
use crate::accounts::{ClientInfo, User, UserType};
use crate::db::{Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;
use crate::notifications::reports::Cause;
use crate::notifications::{self, Category, suppression};
use crate::rate_limits;
use crate::settings::Settings;
use crate::unsubscribe;
use crate::validation::Validator;
use crate::{App, Error, Result};

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
    /// What the user's address receives: chosen by the family and not declined by the address.
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
    /// Whether the family wants a note when tonight's video is late; null if the camp sends none.
    pub late_video_note: Option<bool>,
    /// Whether the family gets one email a day instead of one for each video, update and newsletter.
    pub daily_digest: bool,
    /// The hour of the camp's day at which that email is sent.
    #[sqlx(skip)]
    pub digest_hour: i64,
    pub welcome_popup_shown: bool,
    /// Whether the user's address refused mail permanently. It gets no more mail then.
    pub suppressed: bool,
    /// Why, if another mail server reported it later.
    pub suppressed_cause: Option<Cause>,
    /// The family's addresses other than the user's.
    #[sqlx(skip)]
    pub other_addresses: Vec<OtherAddress>,
    /// Kinds of mail that the camp sends to nobody at present.
    #[sqlx(skip)]
    pub switched_off: Vec<Category>,
    /// Whether the user's address is one of the family's. Only those receive the kinds of mail that
    /// can be chosen.
    pub address_in_family: bool,
}

/// Another address of the family, and what it receives. Its owner chooses that.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct OtherAddress {
    pub email: String,
    /// Entered by the camp, or confirmed by its owner. It gets no mail until then.
    pub confirmed: bool,
    /// Whether it refused mail permanently.
    pub suppressed: bool,
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
}

/// Which mail the address `a` of the family `p` gets. An address that is not the family's gets the
/// same as the family.
const GETS: &str = "p.email_notifications
           and not exists (select 1 from unsubscribes x
                           where x.email = a.email and x.category = 'general') as email_notifications,
         p.daily_video_email
           and not exists (select 1 from unsubscribes x
                           where x.email = a.email and x.category = 'daily_videos') as daily_video_email,
         p.camp_updates_email
           and not exists (select 1 from unsubscribes x
                           where x.email = a.email and x.category = 'camp_updates') as camp_updates_email";

/// Changes of members to their family. Omitted fields stay as they are.
#[derive(Debug, Default, PartialEq, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ProfilePatch)]
pub struct OwnChanges {
    pub full_name: Option<String>,
    pub child_name: Option<String>,
    /// Empty removes it. A new one counts once its owner has confirmed it. Replacing a known one
    /// requires `current_password`.
    pub secondary_email: Option<String>,
    pub current_password: Option<String>,
    pub email_notifications: Option<bool>,
    pub daily_video_email: Option<bool>,
    pub camp_updates_email: Option<bool>,
    /// For all addresses of the family.
    pub late_video_note: Option<bool>,
    /// For all addresses of the family. Switching it off sends at once what waits for the next one.
    pub daily_digest: Option<bool>,
    pub welcome_popup_shown: Option<bool>,
}

/// Returns the family of a user, for the profile page.
///
/// # Errors
///
/// [`Error::NotFound`] when the user was deleted meanwhile.
pub async fn own(app: &App, user: &User) -> Result<OwnProfile> {
    let mut profile: OwnProfile = app
        .db
        .sql([
            "select u.full_name,
                    case when p.user_type = 'parent' then p.child_name end as child_name,
                    coalesce((select email from profile_addresses where profile_id = p.id and kind = 'primary'),
                             case when u.verified_at is null then u.email end) as email,
                    coalesce(s.email, w.email) as secondary_email,
                    s.email is not null as secondary_email_verified,
                    p.user_type, p.welcome_popup_shown, p.late_video_note, p.daily_digest, ",
            GETS,
            ",
                    u.verified_at is not null
                      and exists (select 1 from suppressed_addresses x where x.email = u.email) as suppressed,
                    (select b.cause from mail_reports b
                     join suppressed_addresses x on x.email = b.email
                     where b.email = u.email and u.verified_at is not null
                       and b.kind in ('hard', 'soft')
                       -- not what an earlier or later report said
                       and b.reason = x.reason
                     order by b.reported_at desc
                     limit 1) as suppressed_cause,
                    a.email is not null or u.verified_at is null as address_in_family
             from users u
             join profiles p on p.id = u.profile_id
             left join profile_addresses a on a.profile_id = p.id and a.email = u.email
             left join profile_addresses s on s.profile_id = p.id and s.kind = 'secondary'
             left join pending_addresses w on w.profile_id = p.id
             where u.id = $1"
        ])
        .bind(user.id)
        .one()
        .await?;
    add_settings(&mut profile, &*app.settings().await?);
    profile.other_addresses = app
        .db
        .sql([
            "select a.email, a.confirmed,
                    -- whether an address takes mail is told only to those who proved that it is theirs
                    a.confirmed
                      and exists (select 1 from suppressed_addresses x where x.email = a.email) as suppressed, ",
            GETS,
            " from (select email, profile_id, kind, true as confirmed from profile_addresses
                    union all
                    select email, profile_id, 'secondary', false from pending_addresses) a
             join profiles p on p.id = a.profile_id
             where a.profile_id = $1 and a.email <> $2
             order by a.kind",
        ])
        .bind(user.profile_id)
        .bind(&user.email)
        .all()
        .await?;
    Ok(profile)
}

fn add_settings(profile: &mut OwnProfile, settings: &Settings) {
    profile.digest_hour = settings.digest_hour;
    profile.switched_off = notifications::switched_off(settings);
    if settings.posting_deadline.is_empty() {
        profile.late_video_note = None;
    }
}

/// Saves the changes of members to their family, all or none.
///
/// # Errors
///
/// [`Error::Invalid`] on `full_name`, `child_name`, `secondary_email` or `current_password`,
/// [`Error::Conflict`] when mail is chosen for an address that is not one of the family's two,
/// [`Error::TooMany`] after many wrong passwords or changes, [`Error::TooManyMails`] above the limit of
/// the second address's mailbox, [`Error::Stale`] when the user is in another family by now,
/// [`Error::SignInRequired`] or [`Error::NotFound`] when the user or the family was deleted meanwhile.
pub async fn change_own(
    app: &App,
    user: &User,
    changes: OwnChanges,
    from: ClientInfo,
) -> Result<OwnProfile> {
    if changes == OwnChanges::default() {
        return own(app, user).await;
    }
    let mut checks = Validator::new();
    let full_name = changes.full_name.as_deref().map(|name| {
        let name = checks.line("full_name", name, 120);
        checks.require(!name.is_empty(), "full_name", "Please enter your name.");
        name
    });
    let child_name = changes.child_name.as_deref().map(|name| checks.line("child_name", name, 200));
    let secondary = match changes.secondary_email.as_deref().map(str::trim) {
        None => None,
        Some("") => Some(None),
        Some(email) => Some(checks.email("secondary_email", email)),
    };
    checks.done()?;
    let confirmed = match &changes.current_password {
        Some(given) => Some(confirm_password(app, user, given, &from).await?),
        None => None,
    };
    if secondary.as_ref().is_some_and(Option::is_some) {
        rate_limits::count(app, rate_limits::CHANGES_BY_USER, &user.id.to_string()).await?;
    }
    let checked = Checked { full_name, child_name, secondary, confirmed };
    again_after_deadlock(|| write_own(app, user, &changes, &checked)).await?;
    own(app, user).await
}

/// What members typed, after it was checked.
struct Checked {
    full_name: Option<String>,
    child_name: Option<String>,
    /// The inner `None` removes the address.
    secondary: Option<Option<EmailAddress>>,
    confirmed: Option<Confirmed>,
}

async fn write_own(
    app: &App,
    user: &User,
    changes: &OwnChanges,
    Checked { full_name, child_name, secondary, confirmed }: &Checked,
) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // The family before its user, as when staff change or delete it: otherwise both could wait for each other.
    change_record(&mut tx, now, user, full_name.clone(), child_name.clone(), changes).await?;
    still_member(&mut tx, user).await?;
    if let Some(name) = full_name {
        tx.sql("update users set full_name = $2, updated_at = $3 where id = $1")
            .bind(user.id)
            .bind(name)
            .bind(now)
            .execute()
            .await?;
    }
    refresh_search_text(&mut tx, user.profile_id).await?;
    choose_mail(&mut tx, app, now, user, changes).await?;
    if let Some(confirmed) = confirmed {
        confirmed.still_holds(&mut tx, user.id).await?;
    }
    if let Some(secondary) = secondary {
        set_secondary(&mut tx, app, user, secondary.clone(), confirmed.is_some()).await?;
    }
    tx.commit().await
}

/// Checks that a user is still in the family that they were in when the request began. The owner of the family's
/// address may have removed them since, also in another process, and they must leave nothing behind.
async fn still_member(tx: &mut Tx, user: &User) -> Result<()> {
    let found: Option<(FamilyId,)> =
        tx.sql("select profile_id from users where id = $1").bind(user.id).optional().await?;
    match found {
        None => Err(Error::SignInRequired),
        Some((family,)) if family != user.profile_id => Err(Error::Stale),
        Some(_) => Ok(()),
    }
}

async fn change_record(
    tx: &mut Tx,
    now: DateTime<Utc>,
    user: &User,
    full_name: Option<String>,
    child_name: Option<String>,
    changes: &OwnChanges,
) -> Result<()> {
    // The family's name follows the user whose address is the primary one. Others may correct it while there is no
    // such user.
    tx.sql(
        "update profiles
         set full_name = case when exists (select 1 from profile_addresses a
                                           join users u on u.email = a.email and u.profile_id = a.profile_id
                                           where a.profile_id = profiles.id and a.kind = 'primary' and a.email <> $3)
                                or exists (select 1 from profile_addresses a
                                           where a.profile_id = profiles.id and a.kind = 'secondary' and a.email = $3)
                              then full_name else coalesce($2, full_name) end,
             child_name = case when user_type = 'parent' then coalesce($4, child_name) else child_name end,
             welcome_popup_shown = coalesce($5, welcome_popup_shown),
             late_video_note = coalesce($7, late_video_note),
             daily_digest = coalesce($8, daily_digest),
             updated_at = $6, version = version + 1
         where id = $1",
    )
    .bind(user.profile_id)
    .bind(full_name)
    .bind(&user.email)
    .bind(child_name)
    .bind(changes.welcome_popup_shown)
    .bind(now)
    .bind(changes.late_video_note)
    .bind(changes.daily_digest)
    .execute()
    .await?;
    match changes.daily_digest {
        Some(false) => notifications::digest::release(tx, now, user.profile_id).await,
        _ => Ok(()),
    }
}

/// Turns kinds of mail on and off for the address of this user only. The family's other address is
/// not affected. An unverified address affects only its own family, since its owner may have chosen
/// otherwise.
async fn choose_mail(
    tx: &mut Tx,
    app: &App,
    now: DateTime<Utc>,
    user: &User,
    changes: &OwnChanges,
) -> Result<()> {
    let wanted = [
        (changes.email_notifications, Category::General),
        (changes.daily_video_email, Category::DailyVideos),
        (changes.camp_updates_email, Category::CampUpdates),
    ];
    if wanted.iter().all(|(wanted, _)| wanted.is_none()) {
        return Ok(());
    }
    // It replaces what was chosen at sign-up.
    tx.sql("update users set asked_mail = null where id = $1").bind(user.id).execute().await?;
    let (listed, others): (bool, i64) = tx
        .sql(
            "select exists (select 1 from profile_addresses
                            where profile_id = $1 and email = $2),
                    (select count(*) from profile_addresses
                     where profile_id = $1 and email <> $2)",
        )
        .bind(user.profile_id)
        .bind(&user.email)
        .one()
        .await?;
    if listed {
        for (wanted, category) in wanted {
            if let Some(wanted) = wanted {
                unsubscribe::choose_one(tx, app, now, &user.email, category, wanted).await?;
            }
        }
        return Ok(());
    }
    if others > 0 {
        return Err(Error::Conflict(
            "Your address is not one of your family's two, so it gets none of these emails. Please ask the camp to add it.",
        ));
    }
    let mut preferences = preferences(tx, user.profile_id).await?;
    preferences.email_notifications =
        changes.email_notifications.unwrap_or(preferences.email_notifications);
    preferences.daily_video_email =
        changes.daily_video_email.unwrap_or(preferences.daily_video_email);
    preferences.camp_updates_email =
        changes.camp_updates_email.unwrap_or(preferences.camp_updates_email);
    set_preferences(tx, now, user.profile_id, preferences).await?;
    suppression::withdraw(tx, now, user.profile_id).await
}
