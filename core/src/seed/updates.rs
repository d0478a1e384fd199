//! The live updates of the sample camp, and the mails about them.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use super::content::Content;
use super::deliveries::{notification, sent_to_families};
use super::people::People;
use super::random::Random;
use crate::Result;
use crate::db::Tx;
use crate::notifications::{Category, MailKind};
use crate::search_text::normalize;
use crate::updates::Priority;

#[derive(Deserialize)]
pub struct Announcement {
    title: String,
    message: String,
    author: String,
    priority: Priority,
}

/// Minutes since the latest updates were posted: on either side of every limit that a page has.
const AGES: [i64; 7] = [0, 59, 119, 121, 24 * 60 - 1, 24 * 60, 3 * 24 * 60];
const DAY: i64 = 24 * 60;

/// Writes the updates as if they had been posted and mailed. Returns how many mails.
pub async fn write(
    tx: &mut Tx,
    content: &Content,
    people: &People,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<i64> {
    let mut order: Vec<&Announcement> = content.updates.iter().collect();
    random.shuffle(&mut order);
    // One urgent update is recent. The others are long over.
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
                (n - AGES.len()) as i64 * 2 * DAY + 4 * DAY + random.between(0, DAY)
            }
            None => random.between(5 * DAY, 36 * DAY),
        };
        let at = now - TimeDelta::minutes(age) - TimeDelta::seconds(random.between(5, 25));
        // Older than newer updates, and still above them for some days.
        let pinned_until = (n == 5).then(|| now + TimeDelta::days(3));
        let expires_at = match n {
            6 => Some(now + TimeDelta::days(2)),
            _ if n == active => Some(at + TimeDelta::days(1)),
            _ => None,
        };
        let author = people.staff.get(random.below(2)).map(|member| member.id);
        let id = random.id(at);
        let Announcement { title, message, author: name, priority } = update;
        tx.sql(
            "insert into live_updates
               (id, title, message, author, priority, is_active, pinned_until, expires_at, posted_by,
                search_text, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11)",
        )
        .bind(id)
        .bind(title)
        .bind(message)
        .bind(name)
        .bind(*priority)
        .bind(n < active)
        .bind(pinned_until)
        .bind(expires_at)
        .bind(author)
        .bind([title, message, name].map(|text| normalize(text)).join("\n"))
        .bind(at)
        .execute()
        .await?;
        let category = Category::CampUpdates;
        let mail = notification(tx, MailKind::Update, id, Some(category), at, random).await?;
        mails += sent_to_families(tx, mail, category, at + TimeDelta::seconds(3)).await?;
    }
    Ok(mails)
}
