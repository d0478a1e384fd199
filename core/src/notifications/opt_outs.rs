//! Opt-outs of single addresses, kept when an address leaves its family or the family is merged.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Category;
use crate::db::Tx;
use crate::{App, Result};

fn hash(app: &App, email: &str) -> Vec<u8> {
    app.keys.hash("opt-out", &[email.as_bytes()])
}

/// Keeps the opt-outs of an address under a hash once it belongs to no family. The law requires
/// that they are kept. The address itself is no longer needed.
pub(super) async fn keep_hashed(tx: &mut Tx, app: &App, email: &str) -> Result<()> {
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

/// Restores the hashed opt-outs of addresses that belong to a family again. Call it before mail
/// goes to families, and where an address may have come back.
pub(crate) async fn restore(tx: &mut Tx, app: &App) -> Result<()> {
    let kept: Vec<(Vec<u8>, Category, DateTime<Utc>)> =
        tx.sql("select email_hash, category, created_at from kept_opt_outs").all().await?;
    if kept.is_empty() {
        return Ok(());
    }
    let addresses: Vec<(String,)> = tx.sql("select email from profile_addresses").all().await?;
    let known: HashMap<Vec<u8>, String> =
        addresses.into_iter().map(|(email,)| (hash(app, &email), email)).collect();
    for (email_hash, category, created_at) in kept {
        let Some(email) = known.get(&email_hash) else { continue };
        tx.sql(
            "insert into unsubscribes (email, category, created_at) values ($1, $2, $3)
             on conflict (email, category) do nothing",
        )
        .bind(email)
        .bind(category)
        .bind(created_at)
        .execute()
        .await?;
        tx.sql("delete from kept_opt_outs where email_hash = $1 and category = $2")
            .bind(email_hash)
            .bind(category)
            .execute()
            .await?;
    }
    Ok(())
}

/// Call it before a family is merged into another. What the family had switched off stays declined
/// for each of its addresses, whatever the other family receives.
pub(crate) async fn keep_declined(tx: &mut Tx, now: DateTime<Utc>, profile_id: Uuid) -> Result<()> {
    tx.sql(
        "insert into unsubscribes (email, category, created_at)
         select a.email, c.category, $2
         from profiles p
         join (select email, profile_id from profile_addresses
               union select email, profile_id from users) a on a.profile_id = p.id
         cross join (select 'daily_videos' as category
                     union select 'camp_updates' union select 'general') c
         where p.id = $1
           and not case c.category
                     when 'daily_videos' then p.daily_video_email
                     when 'camp_updates' then p.camp_updates_email
                     else p.email_notifications
                   end
         on conflict (email, category) do nothing",
    )
    .bind(profile_id)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}
