//! Unsubscribing from a kind of mail by the link in it, without signing in (decision M3).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::app::Keys;
use crate::db::{On, Tx};
use crate::email_address::EmailAddress;
use crate::notifications::{Category, MailList, suppression};
use crate::{App, Error, Result, subscribers};

/// How much mail to unsubscribe from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// What the link is for. For one email a day that is all it may have in it: mail of all categories.
    Category,
    Everything,
}

#[derive(Serialize, Deserialize)]
struct Claim {
    e: String,
    c: MailList,
}

const PURPOSE: &str = "unsubscribe";

/// Returns a signed token for an address and a list. It does not expire, because old mails stay in
/// mailboxes.
pub fn token(keys: &Keys, email: &EmailAddress, list: impl Into<MailList>) -> String {
    let claim = Claim { e: email.to_string(), c: list.into() };
    let claim = serde_json::to_vec(&claim).unwrap_or_default();
    let body = URL_SAFE_NO_PAD.encode(claim);
    let signature = keys.sign(PURPOSE, &body);
    format!("{body}.{signature}")
}

/// Returns the address and the list of a token.
///
/// # Errors
///
/// [`Error::Gone`] for an invalid token.
pub fn read(app: &App, token: &str) -> Result<(EmailAddress, MailList)> {
    let broken = Error::Gone("This link is incomplete. Please open it again from the email.");
    let Some((body, signature)) = token.split_once('.') else { return Err(broken) };
    if !app.keys.verify(PURPOSE, body, signature) {
        return Err(broken);
    }
    let claim = URL_SAFE_NO_PAD.decode(body).ok();
    match claim.and_then(|bytes| serde_json::from_slice::<Claim>(&bytes).ok()) {
        Some(claim) => Ok((EmailAddress::checked_before(claim.e), claim.c)),
        None => Err(broken),
    }
}

/// Masks an address for everybody who has the link: `c…a@family.example`.
pub fn hint(email: &str) -> String {
    let Some((local, domain)) = email.split_once('@') else { return String::new() };
    let mut chars = local.chars();
    match (chars.next(), chars.next_back()) {
        (Some(first), Some(last)) => format!("{first}…{last}@{domain}"),
        (Some(first), None) => format!("{first}@{domain}"),
        _ => String::new(),
    }
}

/// Stops this kind of mail to this address only, including mails that still wait. Repeating it
/// changes nothing. The family's other address keeps its mail.
pub async fn stop(
    tx: &mut Tx,
    app: &App,
    now: DateTime<Utc>,
    email: &EmailAddress,
    list: impl Into<MailList>,
    scope: Scope,
) -> Result<()> {
    let list = list.into();
    for c in Choice::CATEGORIES {
        if scope == Scope::Category && !list.has(c) {
            continue;
        }
        if c == Category::General {
            subscribers::unsubscribe(tx, email).await?;
        }
        suppression::opt_out(tx, now, email, c).await?;
    }
    suppression::hash_if_nobodys(tx, app, email).await
}

/// Which kinds of mail go to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MailChoice)]
pub struct Choice {
    pub daily_videos: bool,
    pub camp_updates: bool,
    /// Newsletters, to families or to the mailing list.
    pub general: bool,
}

impl Choice {
    const CATEGORIES: [Category; 3] =
        [Category::DailyVideos, Category::CampUpdates, Category::General];

    fn of(self, category: Category) -> bool {
        match category {
            Category::DailyVideos => self.daily_videos,
            Category::CampUpdates => self.camp_updates,
            Category::General => self.general,
        }
    }
}

/// Returns which mail the address gets now, and whether it belongs to a family. Only such an
/// address may subscribe again here.
pub async fn standing(on: impl Into<On<'_>>, email: &EmailAddress) -> Result<(Choice, bool)> {
    let row: (bool, bool, bool, bool) = on
        .into()
        .sql(
            "with family as (
               select p.daily_video_email, p.camp_updates_email, p.email_notifications
               from profiles p
               where p.deleted_at is null
                 and p.id = coalesce((select profile_id from profile_addresses where email = $1),
                                     (select profile_id from users
                                      where email = $1 and verified_at is null))
             ),
             gone as (select category from unsubscribes where email = $1)
             select exists (select 1 from family where daily_video_email)
                      and not exists (select 1 from gone where category = 'daily_videos') as daily_videos,
                    exists (select 1 from family where camp_updates_email)
                      and not exists (select 1 from gone where category = 'camp_updates') as camp_updates,
                    (exists (select 1 from family where email_notifications)
                      and not exists (select 1 from gone where category = 'general'))
                      or exists (select 1 from subscribers
                                 where email = $1 and confirmed_at is not null) as general,
                    exists (select 1 from family) as in_family",
        )
        .bind(email)
        .one()
        .await?;
    let (daily_videos, camp_updates, general, family) = row;
    Ok((Choice { daily_videos, camp_updates, general }, family))
}

/// Stops and resumes kinds of mail to this address only, regardless of its family's other address.
/// Only a family's address can resume. The mailing list requires a new confirmation.
pub async fn choose(
    tx: &mut Tx,
    app: &App,
    now: DateTime<Utc>,
    email: &EmailAddress,
    wanted: Choice,
) -> Result<()> {
    for category in Choice::CATEGORIES {
        choose_one(tx, app, now, email, category, wanted.of(category)).await?;
    }
    Ok(())
}

/// Like [`choose`], for one kind of mail.
pub(crate) async fn choose_one(
    tx: &mut Tx,
    app: &App,
    now: DateTime<Utc>,
    email: &EmailAddress,
    category: Category,
    wanted: bool,
) -> Result<()> {
    let (current, family) = standing(&mut *tx, email).await?;
    match (current.of(category), wanted) {
        (true, false) => stop(tx, app, now, email, category, Scope::Category).await,
        // Also a subscriber of the mailing list, who gets newsletters anyway, may want those to families again.
        (_, true) if family => resubscribe(tx, now, email, category).await,
        _ => Ok(()),
    }
}

async fn resubscribe(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
    category: Category,
) -> Result<()> {
    suppression::opt_in(tx, now, email, category).await?;
    tx.sql(
        "update profiles
         set daily_video_email = daily_video_email or $2 = 'daily_videos',
             camp_updates_email = camp_updates_email or $2 = 'camp_updates',
             email_notifications = email_notifications or $2 = 'general',
             updated_at = $3
         where id = (select profile_id from profile_addresses where email = $1)",
    )
    .bind(email)
    .bind(category)
    .bind(now)
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
