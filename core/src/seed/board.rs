//! What the sample camp has on its board of live updates, and the mails that told of it.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use super::content::Content;
use super::dice::Dice;
use super::people::People;
use crate::Result;
use crate::db::Tx;
use crate::fold::fold;
use crate::notifications::Category;
use crate::updates::{Priority, announce};

#[derive(Deserialize)]
pub struct Announcement {
    title: String,
    message: String,
    author: String,
    priority: Priority,
}

/// Minutes since the newest ones were posted: on either side of every border that a page knows.
const AGES: [i64; 7] = [0, 59, 119, 121, 24 * 60 - 1, 24 * 60, 3 * 24 * 60];
const DAY: i64 = 24 * 60;

/// Writes them as if they had been posted and mailed; returns how many mails.
pub async fn write(
    tx: &mut Tx,
    content: &Content,
    people: &People,
    now: DateTime<Utc>,
    dice: &mut Dice,
) -> Result<i64> {
    let mut order: Vec<&Announcement> = content.updates.iter().collect();
    dice.shuffle(&mut order);
    // Of the alarms one is fresh and the others are long over.
    order.sort_by_key(|update| update.priority == Priority::High);
    if let Some(alarm) = order.pop_if(|update| update.priority == Priority::High) {
        order.insert(1, alarm);
    }
    let active = (order.len() / 3).max(8);
    let mut mails = 0;
    for (n, update) in order.into_iter().enumerate() {
        let age = match AGES.get(n) {
            Some(age) => *age,
            None if n < active => {
                (n - AGES.len()) as i64 * 2 * DAY + 4 * DAY + dice.between(0, DAY)
            }
            None => dice.between(5 * DAY, 36 * DAY),
        };
        let at = now - TimeDelta::minutes(age) - TimeDelta::seconds(dice.between(5, 25));
        let pinned = n == 5;
        let expires_at = match n {
            6 => Some(now + TimeDelta::days(2)),
            _ if n == active => Some(at + TimeDelta::days(1)),
            _ => None,
        };
        let author = people.staff.get(dice.below(2)).map(|member| member.id);
        let id = dice.id(at);
        let Announcement { title, message, author: name, priority } = update;
        tx.sql(
            "insert into live_updates
               (id, title, message, author, priority, is_active, pinned, expires_at, posted_by,
                search_text, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11)",
        )
        .bind(id)
        .bind(title)
        .bind(message)
        .bind(name)
        .bind(*priority)
        .bind(n < active)
        .bind(pinned)
        .bind(expires_at)
        .bind(author)
        .bind([title, message, name].map(|text| fold(text)).join("\n"))
        .bind(at)
        .execute()
        .await?;
        let notification = dice.id(at);
        tx.sql(
            "insert into notifications (id, kind, subject_id, once_key, category, data, created_at)
             values ($1, $2, $3, $4, $5, 'null', $6)",
        )
        .bind(notification)
        .bind(announce::KIND)
        .bind(id)
        .bind(format!("{}:{id}", announce::KIND))
        .bind(Category::CampUpdates)
        .bind(at)
        .execute()
        .await?;
        mails += tx
            .sql(
                "insert into deliveries
                   (notification_id, email, full_name, profile_id, status, attempts, due_at,
                    sent_at, created_at, updated_at)
                 select $1, a.email, p.full_name, p.id,
                        case when s.email is null then 'sent' else 'suppressed' end,
                        case when s.email is null then 1 else 0 end, $2,
                        case when s.email is null then $2 end, $2, $2
                 from profile_addresses a
                 join profiles p on p.id = a.profile_id
                 left join suppressed_addresses s on s.email = a.email and s.created_at <= $2
                 where p.camp_updates_email
                   and (a.entered_by_staff or a.verified_at is not null)
                   and p.created_at <= $2",
            )
            .bind(notification)
            .bind(at + TimeDelta::seconds(3))
            .execute()
            .await? as i64;
    }
    Ok(mails)
}
