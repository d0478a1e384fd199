//! Leaving a kind of mail, signed out, by the link in it (decision M3).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Category;
use crate::app::Keys;
use crate::db::Tx;
use crate::{App, Error, Result, subscribers};

/// How much of the mail one leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Category,
    Everything,
}

#[derive(Serialize, Deserialize)]
struct Claim {
    e: String,
    c: Category,
}

const PURPOSE: &str = "unsubscribe";

/// A signed token that names address and category. It does not expire: old mails stay in mailboxes.
pub fn token(keys: &Keys, email: &str, category: Category) -> String {
    let claim = serde_json::to_vec(&Claim { e: email.to_owned(), c: category }).unwrap_or_default();
    let body = URL_SAFE_NO_PAD.encode(claim);
    let signature = keys.sign(PURPOSE, &body);
    format!("{body}.{signature}")
}

/// Address and category of a token. Errors: [`Error::Gone`] when it is not one of ours.
pub fn read(app: &App, token: &str) -> Result<(String, Category)> {
    let broken = Error::Gone("This link is not complete. Please open it again from the mail.");
    let Some((body, signature)) = token.split_once('.') else { return Err(broken) };
    if !app.keys.verify(PURPOSE, body, signature) {
        return Err(broken);
    }
    let claim = URL_SAFE_NO_PAD.decode(body).ok();
    match claim.and_then(|bytes| serde_json::from_slice::<Claim>(&bytes).ok()) {
        Some(claim) => Ok((claim.e, claim.c)),
        None => Err(broken),
    }
}

/// The address as it may be shown to whoever holds the link: `c…a@family.example`.
pub fn hint(email: &str) -> String {
    let Some((local, domain)) = email.split_once('@') else { return String::new() };
    let mut chars = local.chars();
    match (chars.next(), chars.next_back()) {
        (Some(first), Some(last)) => format!("{first}…{last}@{domain}"),
        (Some(first), None) => format!("{first}@{domain}"),
        _ => String::new(),
    }
}

/// Ends that mail to that address, that which still waits to be sent too; doing it again changes
/// nothing. Where the address is the only
/// one of its family, the family's preference is switched off, so that the profile page says so;
/// where there are two, the other keeps its mail.
pub async fn leave(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &str,
    category: Category,
    scope: Scope,
) -> Result<()> {
    let all = scope == Scope::Everything;
    let leaves = |c: Category| all || c == category;
    if leaves(Category::General) {
        subscribers::leave(tx, email).await?;
    }
    for c in [Category::DailyVideos, Category::CampUpdates, Category::General] {
        if leaves(c) {
            tx.sql(
                "update deliveries
                 set status = 'suppressed', last_error = 'unsubscribed', updated_at = $3
                 where email = $1
                   and status = 'queued'
                   and notification_id in (select id from notifications where category = $2)",
            )
            .bind(email)
            .bind(c)
            .bind(now)
            .execute()
            .await?;
        }
    }
    let only: Option<(Uuid,)> = tx
        .sql(
            "select a.profile_id from profile_addresses a
             where a.email = $1
               and not exists (select 1 from profile_addresses b
                               where b.profile_id = a.profile_id and b.email <> a.email)",
        )
        .bind(email)
        .optional()
        .await?;
    if let Some((profile_id,)) = only {
        tx.sql(
            "update profiles
             set daily_video_email = daily_video_email and not $2,
                 camp_updates_email = camp_updates_email and not $3,
                 email_notifications = email_notifications and not $4,
                 updated_at = $5
             where id = $1",
        )
        .bind(profile_id)
        .bind(leaves(Category::DailyVideos))
        .bind(leaves(Category::CampUpdates))
        .bind(leaves(Category::General))
        .bind(now)
        .execute()
        .await?;
        return Ok(());
    }
    for c in [Category::DailyVideos, Category::CampUpdates, Category::General] {
        if leaves(c) {
            tx.sql(
                "insert into unsubscribes (email, category, created_at) values ($1, $2, $3)
                 on conflict (email, category) do nothing",
            )
            .bind(email)
            .bind(c)
            .bind(now)
            .execute()
            .await?;
        }
    }
    Ok(())
}

/// Takes an address back in, when its owner switches a preference on again.
pub async fn rejoin(tx: &mut Tx, email: &str, category: Category) -> Result<()> {
    tx.sql("delete from unsubscribes where email = $1 and category = $2")
        .bind(email)
        .bind(category)
        .execute()
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_hint_shows_whose_address_it_is_and_no_more() {
        assert_eq!(super::hint("chaya@family.example"), "c…a@family.example");
        assert_eq!(super::hint("c@family.example"), "c@family.example");
    }
}
