//! Notifications and their deliveries.

use chrono::{DateTime, TimeDelta, Utc};
use portal::db::Db;
use uuid::Uuid;

use super::rows::{Cell, insert, run};

/// The last ones of `about` are of today, three a day.
pub async fn notifications(
    db: &Db,
    kind: &str,
    category: &str,
    about: impl DoubleEndedIterator<Item = &Uuid>,
    now: DateTime<Utc>,
) {
    let rows = about.rev().zip(0..).map(|(id, before)| {
        vec![
            Cell::Id(Uuid::now_v7()),
            Cell::Text(kind.into()),
            Cell::Id(*id),
            Cell::Text(format!("{kind}:{id}")),
            Cell::Text(category.into()),
            Cell::Text("null".into()),
            Cell::At(now - TimeDelta::hours(8 * before)),
        ]
    });
    insert(
        db,
        "insert into notifications
           (id, kind, subject_id, once_key, category, data, created_at) ",
        rows,
    )
    .await;
}

/// The deliveries of all notifications; one in a thousand failed.
pub async fn deliveries(db: &Db) {
    run(
        db,
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, sent_at,
            created_at, updated_at)
         select n.id, a.email, p.full_name, p.id,
                case when a.email like 'family%77@%' then 'failed' else 'sent' end, 1,
                n.created_at, n.created_at, n.created_at, n.created_at
         from notifications n
         cross join profile_addresses a
         join profiles p on p.id = a.profile_id
         where case n.category
                 when 'daily_videos' then p.daily_video_email
                 when 'camp_updates' then p.camp_updates_email
                 else p.email_notifications
               end",
    )
    .await;
    // All of them are done, so the totals are stored.
    run(
        db,
        "update notifications
         set sent = (select count(*) from deliveries d
                     where d.notification_id = notifications.id and d.status = 'sent'),
             failed = (select count(*) from deliveries d
                       where d.notification_id = notifications.id and d.status = 'failed'),
             suppressed = 0",
    )
    .await;
}
