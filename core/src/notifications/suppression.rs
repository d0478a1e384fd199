//! Suppression: which addresses get no mail, because they bounced (refused mail permanently), and
//! which opted out of a kind of mail. Only this module decides that, and only it writes these rows; pages and
//! lists read them to show them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::Category;
use crate::db::{On, Tx};
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;
use crate::{App, Result};

/// Whether the address of a row `a` refused mail permanently. It then gets no more mail of a
/// category; what somebody asked for, such as a link for a new password, is still tried.
pub(crate) const REFUSED: &str =
    "exists (select 1 from suppressed_addresses s where s.email = a.email)";

/// Whether the family of a row `p` of `profiles` wants mail of the category that stands between the parts.
/// [`FAMILY_READERS`] has the same, in one text.
const WANTS: [&str; 2] = [
    "case ",
    " when 'daily_videos' then p.daily_video_email
          when 'camp_updates' then p.camp_updates_email
          else p.email_notifications
     end",
];

/// Selects `email`, `full_name` and `profile_id` for each address that wants mail of the category
/// `$1` as a family; callers leave out those that are [`REFUSED`]. `$2` says whether the camp
/// requires verification; otherwise unverified addresses get mail as well. `$3` says whether only
/// approved families do.
pub(super) const FAMILY_READERS: &str = "select a.email, p.full_name, p.id as profile_id
         from (select email, profile_id from profile_addresses
               union all
               select u.email, u.profile_id from users u
               where not $2
                 and u.verified_at is null
                 and not exists (select 1 from profile_addresses x where x.email = u.email)) a
         join profiles p on p.id = a.profile_id
         where p.deleted_at is null
           and p.refused_at is null
           and case $1
                 when 'daily_videos' then p.daily_video_email
                 when 'camp_updates' then p.camp_updates_email
                 else p.email_notifications
               end
           and (p.approved_at is not null or not $3)
           and not exists (select 1 from unsubscribes u where u.email = a.email and u.category = $1)";

/// Stops all mail to an address that refused it permanently, including mail of a category that still
/// waits. `reason` is what the mail server said. Returns whether mail went to it until now.
pub(crate) async fn refuse(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
    reason: &str,
) -> Result<bool> {
    let inserted = tx
        .sql(
            "insert into suppressed_addresses (email, reason, created_at) values ($1, $2, $3)
             on conflict (email) do nothing",
        )
        .bind(email)
        .bind(reason)
        .bind(now)
        .execute()
        .await?;
    if inserted > 0 {
        tx.sql(
            "update deliveries set status = 'suppressed', last_error = 'refused', updated_at = $2
             where email = $1 and status = 'queued'
               and notification_id in (select id from notifications where category is not null)",
        )
        .bind(email)
        .bind(now)
        .execute()
        .await?;
    }
    Ok(inserted > 0)
}

/// Allows mail to an address that had refused it. Returns whether it had.
pub(super) async fn allow(tx: &mut Tx, now: DateTime<Utc>, email: &EmailAddress) -> Result<bool> {
    let allowed =
        tx.sql("delete from suppressed_addresses where email = $1").bind(email).execute().await?;
    if allowed > 0 {
        tx.sql(
            "insert into allowed_addresses (email, allowed_at) values ($1, $2)
             on conflict (email) do update set allowed_at = $2",
        )
        .bind(email)
        .bind(now)
        .execute()
        .await?;
    }
    Ok(allowed > 0)
}

/// Forgets which addresses staff allowed before the given time.
pub(super) async fn prune(tx: &mut Tx, before: DateTime<Utc>) -> Result<()> {
    tx.sql("delete from allowed_addresses where allowed_at < $1").bind(before).execute().await?;
    Ok(())
}

/// Whether staff allowed mail to this address after the given time.
pub(crate) async fn was_allowed_after(
    tx: &mut Tx,
    at: DateTime<Utc>,
    email: &EmailAddress,
) -> Result<bool> {
    tx.sql("select exists (select 1 from allowed_addresses where email = $1 and allowed_at > $2)")
        .bind(email)
        .bind(at)
        .scalar()
        .await
}

/// Stops this kind of mail to this address, including mails that still wait. One that a worker is
/// sending right now may still arrive; it is recorded as sent then.
pub(crate) async fn opt_out(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
    category: Category,
) -> Result<()> {
    tx.sql(
        "update deliveries
         set status = 'suppressed', last_error = 'unsubscribed', updated_at = $3
         where email = $1
           and status in ('queued', 'sending')
           and notification_id in (select id from notifications where category = $2)",
    )
    .bind(email)
    .bind(category)
    .bind(now)
    .execute()
    .await?;
    record_opt_out(tx, email, category, now).await
}

/// Withdraws the newsletters that wait for an address that is no longer on the mailing list. Those
/// that it gets as a family's address stay.
pub(crate) async fn withdraw_from_list(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
) -> Result<()> {
    tx.sql(
        "update deliveries
         set status = 'suppressed', last_error = 'unsubscribed', updated_at = $2
         where email = $1 and profile_id is null and status = 'queued'
           and notification_id in (select id from notifications where category is not null)",
    )
    .bind(email)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

async fn record_opt_out(
    tx: &mut Tx,
    email: &EmailAddress,
    category: Category,
    at: DateTime<Utc>,
) -> Result<()> {
    tx.sql(
        "insert into unsubscribes (email, category, created_at) values ($1, $2, $3)
         on conflict (email, category) do nothing",
    )
    .bind(email)
    .bind(category)
    .bind(at)
    .execute()
    .await?;
    Ok(())
}

/// Removes an opt-out when the owner of the address chooses that kind of mail again.
pub(crate) async fn opt_in(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
    category: Category,
) -> Result<()> {
    tx.sql("delete from unsubscribes where email = $1 and category = $2")
        .bind(email)
        .bind(category)
        .execute()
        .await?;
    // While the family had it turned off, its other address got none either.
    tx.sql([
        "insert into unsubscribes (email, category, created_at)
         select b.email, $2, $3
         from profile_addresses a
         join profiles p on p.id = a.profile_id
         join profile_addresses b on b.profile_id = a.profile_id and b.email <> a.email
         where a.email = $1
           and not ",
        WANTS[0],
        "$2",
        WANTS[1],
        " on conflict (email, category) do nothing",
    ])
    .bind(email)
    .bind(category)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Returns what the address opted out of, regardless of its family's preferences.
pub(crate) async fn opted_out(
    on: impl Into<On<'_>>,
    email: &EmailAddress,
) -> Result<Vec<Category>> {
    let rows: Vec<(Category,)> = on
        .into()
        .sql("select category from unsubscribes where email = $1 order by category")
        .bind(email)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(category,)| category).collect())
}

/// Erases what is known about an address that nobody has anymore. Its opt-outs are kept under a
/// hash.
pub(super) async fn erase(tx: &mut Tx, app: &App, email: &EmailAddress) -> Result<()> {
    const IS_NOBODYS: &str = "where email = $1
           and not exists (select 1 from profile_addresses where email = $1)
           and not exists (select 1 from users where email = $1)
           and not exists (select 1 from staff where email = $1)
           and not exists (select 1 from subscribers where email = $1)";
    keep_hashed(tx, app, email).await?;
    tx.sql(["delete from suppressed_addresses ", IS_NOBODYS]).bind(email).execute().await?;
    tx.sql(["delete from allowed_addresses ", IS_NOBODYS]).bind(email).execute().await?;
    Ok(())
}

/// Keeps the opt-outs of an address under a hash once it belongs to no family. The law requires
/// that they be kept. The address itself is no longer needed.
async fn keep_hashed(tx: &mut Tx, app: &App, email: &EmailAddress) -> Result<()> {
    tx.sql(
        "insert into kept_opt_outs (email_hash, category, created_at)
         select $2, category, created_at from unsubscribes
         where email = $1 and not exists (select 1 from profile_addresses where email = $1)
         on conflict (email_hash, category) do nothing",
    )
    .bind(email)
    .bind(hash(app, email))
    .execute()
    .await?;
    tx.sql(
        "delete from unsubscribes
         where email = $1 and not exists (select 1 from profile_addresses where email = $1)",
    )
    .bind(email)
    .execute()
    .await?;
    Ok(())
}

/// Keeps the opt-outs of an address that neither a family nor a login has under a hash.
pub(crate) async fn hash_if_nobodys(tx: &mut Tx, app: &App, email: &EmailAddress) -> Result<()> {
    let of_a_login: bool =
        tx.sql("select exists (select 1 from users where email = $1)").bind(email).scalar().await?;
    match of_a_login {
        true => Ok(()),
        false => keep_hashed(tx, app, email).await,
    }
}

/// Restores the hashed opt-outs of addresses that belong to a family or a login again. Call it before mail
/// goes to families, and where an address may have come back.
pub(crate) async fn restore(tx: &mut Tx, app: &App) -> Result<()> {
    let kept: Vec<(Vec<u8>,)> =
        tx.sql("select distinct email_hash from kept_opt_outs").all().await?;
    if kept.is_empty() {
        return Ok(());
    }
    let addresses: Vec<(EmailAddress,)> =
        tx.sql("select email from profile_addresses union select email from users").all().await?;
    let known: HashMap<Vec<u8>, EmailAddress> =
        addresses.into_iter().map(|(email,)| (hash(app, &email), email)).collect();
    for (email_hash,) in kept {
        if let Some(email) = known.get(&email_hash) {
            restore_one(tx, app, email).await?;
        }
    }
    Ok(())
}

/// Like [`restore`], for one address that belongs to a family or a login.
pub(crate) async fn restore_one(tx: &mut Tx, app: &App, email: &EmailAddress) -> Result<()> {
    let kept: Vec<(Category, DateTime<Utc>)> = tx
        .sql("delete from kept_opt_outs where email_hash = $1 returning category, created_at")
        .bind(hash(app, email))
        .all()
        .await?;
    for (category, created_at) in kept {
        record_opt_out(tx, email, category, created_at).await?;
    }
    Ok(())
}

/// Keeps what a family had switched off. Call it before the family is merged into another. It stays
/// declined for each of the family's addresses and those that its logins confirmed, whatever the
/// other family receives. Nobody declines for somebody else's address. Camp updates are off by
/// default, so for a family without a login that is nobody's choice.
pub(crate) async fn keep_declined(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: FamilyId,
) -> Result<()> {
    tx.sql([
        "insert into unsubscribes (email, category, created_at)
         select a.email, c.category, $2
         from profiles p
         join (select email, profile_id from profile_addresses
               union select email, profile_id from users where verified_at is not null) a
           on a.profile_id = p.id
         cross join (select 'daily_videos' as category
                     union select 'camp_updates' union select 'general') c
         where p.id = $1
           and not ",
        WANTS[0],
        "c.category",
        WANTS[1],
        " and (c.category <> 'camp_updates'
                or exists (select 1 from users u where u.profile_id = p.id))
         on conflict (email, category) do nothing",
    ])
    .bind(profile_id)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

fn hash(app: &App, email: &EmailAddress) -> Vec<u8> {
    app.keys.hash("opt-out", &[email.as_bytes()])
}

/// Withdraws waiting category mail to a family that no longer wants it or no longer exists.
pub(crate) async fn withdraw(tx: &mut Tx, now: DateTime<Utc>, profile_id: FamilyId) -> Result<()> {
    tx.sql([
        "update deliveries
         set status = 'suppressed', last_error = 'unsubscribed', updated_at = $2
         where profile_id = $1
           and status in ('queued', 'sending')
           and notification_id in (
             select n.id
             from notifications n, profiles p
             where p.id = $1
               and n.category is not null
               and (p.deleted_at is not null or p.refused_at is not null or not ",
        WANTS[0],
        "n.category",
        WANTS[1],
        "))",
    ])
    .bind(profile_id)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}
