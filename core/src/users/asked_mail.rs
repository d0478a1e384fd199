//! What somebody chose about emails when they signed up. It decides about their address once they have proved
//! that it is theirs (decision P4), and nothing before.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::UserId;
use crate::notifications::Category;
use crate::unsubscribe::choose_one;
use crate::{App, Error, Result};

/// Nothing is chosen where a form did not ask.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Asked {
    pub general: Option<bool>,
    pub daily_videos: Option<bool>,
    pub camp_updates: Option<bool>,
}

/// Stores it until the address is proved.
pub(super) async fn store(tx: &mut Tx, id: UserId, asked: Asked) -> Result<()> {
    tx.sql("update users set asked_mail = $2 where id = $1")
        .bind(id)
        .bind(serde_json::to_string(&asked).map_err(Error::unforeseen)?)
        .execute()
        .await?;
    Ok(())
}

/// Applies what was stored, once the address is proved.
pub(super) async fn apply_stored(
    tx: &mut Tx,
    app: &App,
    id: UserId,
    email: &EmailAddress,
) -> Result<()> {
    let (stored, signed_up): (Option<String>, DateTime<Utc>) =
        tx.sql("select asked_mail, created_at from users where id = $1").bind(id).one().await?;
    let Some(stored) = stored else { return Ok(()) };
    tx.sql("update users set asked_mail = null where id = $1").bind(id).execute().await?;
    let asked = serde_json::from_str(&stored).map_err(Error::unforeseen)?;
    apply(tx, app, email, asked, signed_up).await
}

/// Applies it to a proved address. What its owner unsubscribed from after they had signed up stays so.
pub(super) async fn apply(
    tx: &mut Tx,
    app: &App,
    email: &EmailAddress,
    asked: Asked,
    signed_up: DateTime<Utc>,
) -> Result<()> {
    let now = app.clock.now();
    for (category, wanted) in [
        (Category::General, asked.general),
        (Category::DailyVideos, asked.daily_videos),
        (Category::CampUpdates, asked.camp_updates),
    ] {
        let Some(wanted) = wanted else { continue };
        if !(wanted && unsubscribed_since(tx, email, category, signed_up).await?) {
            choose_one(tx, app, now, email, category, wanted).await?;
        }
    }
    Ok(())
}

async fn unsubscribed_since(
    tx: &mut Tx,
    email: &EmailAddress,
    category: Category,
    at: DateTime<Utc>,
) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from unsubscribes
                        where email = $1 and category = $2 and created_at > $3)",
    )
    .bind(email)
    .bind(category)
    .bind(at)
    .scalar()
    .await
}
