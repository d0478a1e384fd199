//! Counts whom a category of mail reaches, before it is sent.

use super::suppression::{FAMILY_READERS, REFUSED};
use super::{Audience, Category, MailKind, Notification};
use crate::access::Access;
use crate::db::On;
use crate::settings::Settings;
use crate::{App, Result};

/// Counts the addresses that [`super::notify_families`] would reach now.
pub(crate) async fn reach(
    on: impl Into<On<'_>>,
    settings: &Settings,
    category: Category,
) -> Result<i64> {
    reach_all(on, settings, category, Audience::Families).await
}

/// The same outside a transaction. It is counted again only once a family, a user or an address has
/// changed.
pub(crate) async fn kept_reach(app: &App, settings: &Settings, category: Category) -> Result<i64> {
    let question = format!(
        "reach {category:?} {} {} {:?}",
        switched_on(settings, category),
        settings.require_email_verification,
        settings.access,
    );
    let db = &app.db;
    app.people_cache.get(db, question, reach(db, settings, category)).await
}

/// Counts the families of parents with an address that gets this category, whether it is sent at
/// present or not. It is counted again only once a family, a user or an address has changed.
pub(crate) async fn kept_subscribed(
    app: &App,
    settings: &Settings,
    category: Category,
) -> Result<i64> {
    let question = format!(
        "subscribed {category:?} {} {:?}",
        settings.require_email_verification, settings.access,
    );
    let counted = app
        .db
        .sql([
            "select count(distinct a.profile_id) from (",
            FAMILY_READERS,
            ") a
             join profiles f on f.id = a.profile_id and f.user_type = 'parent'
             where not ",
            REFUSED,
        ])
        .bind(category)
        .bind(settings.require_email_verification)
        .bind(settings.access == Access::Families)
        .scalar();
    app.people_cache.get(&app.db, question, counted).await
}

/// Counts the addresses that [`super::notify_all`] would reach now.
pub(crate) async fn reach_all(
    on: impl Into<On<'_>>,
    settings: &Settings,
    category: Category,
    audience: Audience,
) -> Result<i64> {
    if !switched_on(settings, category) {
        return Ok(0);
    }
    on.into()
        .sql([
            "select count(*) from (
               select email
               from (",
            FAMILY_READERS,
            ") families
               where $4
               union
               select email
               from subscribers
               where $5 and confirmed_at is not null
             ) a
             where not ",
            REFUSED,
        ])
        .bind(category)
        .bind(settings.require_email_verification)
        .bind(settings.access == Access::Families)
        .bind(audience.families())
        .bind(audience.mailing_list())
        .scalar()
        .await
}

/// Counts the families that [`super::notify_late_video`] would reach now.
pub(crate) async fn late_note_families(on: impl Into<On<'_>>, settings: &Settings) -> Result<i64> {
    let category = Category::DailyVideos;
    if !switched_on(settings, category) {
        return Ok(0);
    }
    on.into()
        .sql([
            "select count(distinct a.profile_id) from (",
            FAMILY_READERS,
            ") a
             join profiles f on f.id = a.profile_id and f.late_video_note
             where not ",
            REFUSED,
        ])
        .bind(category)
        .bind(settings.require_email_verification)
        .bind(settings.access == Access::Families)
        .scalar()
        .await
}

/// The kinds of mail that the camp sends to nobody at present.
pub(crate) fn switched_off(settings: &Settings) -> Vec<Category> {
    Category::ALL.into_iter().filter(|category| !switched_on(settings, *category)).collect()
}

/// Whether a notification goes out at present. If not, its mails wait until the owners switch its kind of mail
/// on again.
pub(crate) fn goes_out(settings: &Settings, notification: &Notification) -> bool {
    match notification.category {
        Some(category) => switched_on(settings, category),
        None => settings.email_enabled || !notification.is_digest(),
    }
}

/// The categories and kinds of the mails that wait for a switch, as a text for [`IS_HELD`].
pub(crate) fn held(settings: &Settings) -> String {
    let mut held = String::from("|");
    for category in switched_off(settings) {
        held.push_str(category.text());
        held.push('|');
    }
    if !settings.email_enabled {
        held.push_str(MailKind::Digest.text());
        held.push('|');
    }
    held
}

/// What a text of [`held`] is compared with for a notification `n`.
pub(crate) const IS_HELD: &str = " like '%|' || coalesce(n.category, n.kind) || '|%'";

pub(super) fn switched_on(settings: &Settings, category: Category) -> bool {
    settings.email_enabled
        && match category {
            Category::DailyVideos => settings.daily_reports,
            Category::CampUpdates => settings.live_updates,
            Category::General => true,
        }
}
