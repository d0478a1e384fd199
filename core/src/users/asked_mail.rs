//! What a sign-up form asked for about emails: nothing of it is dropped (decision P4).

use chrono::{DateTime, Utc};

use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::families::{DEFAULT_PREFERENCES, Preferences};
use crate::ids::UserId;
use crate::notifications::Category;
use crate::unsubscribe::choose_one;
use crate::{App, Error, Result};

/// Stores it for an invited user whose address nobody has proved yet: until then it decides nothing about
/// that address.
pub(super) async fn store(tx: &mut Tx, id: UserId, asked: Preferences) -> Result<()> {
    tx.sql("update users set asked_mail = $2 where id = $1")
        .bind(id)
        .bind(serde_json::to_string(&asked).map_err(Error::unforeseen)?)
        .execute()
        .await?;
    Ok(())
}

/// Returns what [`store`] stored, once.
pub(super) async fn take(tx: &mut Tx, id: UserId) -> Result<Option<Preferences>> {
    let stored: Option<String> =
        tx.sql("select asked_mail from users where id = $1").bind(id).scalar().await?;
    let Some(stored) = stored else { return Ok(None) };
    tx.sql("update users set asked_mail = null where id = $1").bind(id).execute().await?;
    serde_json::from_str(&stored).map(Some).map_err(Error::unforeseen)
}

/// Applies it to the proved address of somebody who joins a family that was there before. What differs from
/// the defaults of the form was chosen; the rest stays as it is for this address.
pub(super) async fn apply_joined(
    tx: &mut Tx,
    app: &App,
    now: DateTime<Utc>,
    email: &EmailAddress,
    asked: Preferences,
) -> Result<()> {
    let wants_nothing = wanted(asked).iter().all(|(_, wanted)| !wanted);
    for ((category, wanted), (_, usual)) in
        wanted(asked).into_iter().zip(wanted(DEFAULT_PREFERENCES))
    {
        if wants_nothing || wanted != usual {
            choose_one(tx, app, now, email, category, wanted).await?;
        }
    }
    Ok(())
}

/// Applies it to the proved address of somebody who has a new family of their own: what the address
/// unsubscribed from earlier, and this form asked for, comes again.
pub(super) async fn apply_own(
    tx: &mut Tx,
    app: &App,
    now: DateTime<Utc>,
    email: &EmailAddress,
    asked: Preferences,
) -> Result<()> {
    for (category, wanted) in wanted(asked) {
        choose_one(tx, app, now, email, category, wanted).await?;
    }
    Ok(())
}

fn wanted(preferences: Preferences) -> [(Category, bool); 3] {
    [
        (Category::General, preferences.email_notifications),
        (Category::DailyVideos, preferences.daily_video_email),
        (Category::CampUpdates, preferences.camp_updates_email),
    ]
}
