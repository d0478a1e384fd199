//! The mails of the sample camp, as if they had been sent.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::random::Random;
use crate::Result;
use crate::db::Tx;
use crate::notifications::{Category, MailKind};

pub async fn notification(
    tx: &mut Tx,
    kind: impl Into<MailKind>,
    subject_id: Uuid,
    category: Option<Category>,
    at: DateTime<Utc>,
    random: &mut Random,
) -> Result<Uuid> {
    let kind = kind.into().text();
    let id = random.id(at);
    tx.sql(
        "insert into notifications (id, kind, subject_id, once_key, category, data, created_at)
         values ($1, $2, $3, $4, $5, 'null', $6)",
    )
    .bind(id)
    .bind(kind)
    .bind(subject_id)
    .bind(format!("{kind}:{subject_id}"))
    .bind(category)
    .bind(at)
    .execute()
    .await?;
    Ok(id)
}

/// Adds mails to every family that wanted the category at the time. Returns how many.
pub async fn sent_to_families(
    tx: &mut Tx,
    notification_id: Uuid,
    category: Category,
    at: DateTime<Utc>,
) -> Result<i64> {
    let mails = tx
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
             where case $3
                     when 'daily_videos' then p.daily_video_email
                     when 'camp_updates' then p.camp_updates_email
                     else p.email_notifications
                   end
               and p.created_at <= $2",
        )
        .bind(notification_id)
        .bind(at)
        .bind(category)
        .execute()
        .await?;
    Ok(mails as i64)
}
