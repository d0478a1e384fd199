//! A family as its own members see and change it, on the profile page.

use serde::{Deserialize, Serialize};

use super::addresses::set_secondary;
use super::{UserType, relist};
use crate::accounts::{User, limits};
use crate::checks::Checks;
use crate::notifications::{Category, unsubscribe};
use crate::{App, Result};

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
    relist(&mut tx, user.profile_id).await?;
    for (wanted, category) in [
        (changes.email_notifications, Category::General),
        (changes.daily_video_email, Category::DailyVideos),
        (changes.camp_updates_email, Category::CampUpdates),
    ] {
        if wanted == Some(true) {
            unsubscribe::rejoin(&mut tx, &user.email, category).await?;
        }
    }
    unsubscribe::withdraw(&mut tx, now, user.profile_id).await?;
    if let Some(secondary) = secondary {
        set_secondary(&mut tx, app, user, secondary).await?;
    }
    tx.commit().await?;
    own(app, user).await
}
