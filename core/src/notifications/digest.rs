//! The daily email (decision M8): a family that chose it gets one email a day with the videos, updates
//! and newsletters that others get one by one.
//!
//! Its mails are collected: they stay queued, and no worker claims them. At the hour of the settings one
//! transaction adds a delivery of the day's digest for each address and notes it in the mails that it takes. What
//! becomes of that delivery is stored with them in the transaction that records it.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::readers::Mails;
use super::{Category, Deliver, Delivery, IS_HELD, MailKind, Notification, follow_addresses, held};
use crate::clock::{day_in, moment_in};
use crate::db::{On, Sql, Texts, Tx};
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;
use crate::settings::Settings;
use crate::{App, Result, jobs};

/// A mail that was collected while a clock was up to this far ahead is due as well. Clocks of two
/// workers differ by less.
const AHEAD: TimeDelta = TimeDelta::days(1);
/// The maximum age of notifications whose results are counted after a digest was sent. No mail
/// waits longer.
const COUNTED: TimeDelta = TimeDelta::days(30);

/// Makes the digest of the latest day whose hour has come, with one mail for each address for which
/// something was collected before that hour. It takes what was collected since as well. An address gets
/// at most one for each day, and none in quiet time or while emails are switched off: what is due then
/// is made afterwards. The worker runs it every minute. Returns whether mails were queued.
///
/// # Errors
///
/// Only those of the database.
pub async fn make_due(app: &App) -> Result<bool> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    if !settings.email_enabled || settings.quiet_window(now).is_some() {
        return Ok(false);
    }
    let (day, hour) = latest(&settings, now);
    let key = format!("digest:{day}");
    let held = held(&settings);
    if !is_due(app, &key, hour, &held, now).await? {
        return Ok(false);
    }
    let mut tx = app.db.begin().await?;
    tx.lock("digests").await?;
    suppress_refused(&mut tx, now).await?;
    for category in Category::ALL {
        Mails::Collected.follow(&mut tx, &settings, category, now).await?;
    }
    let id = notification(&mut tx, now, &key).await?;
    take(&mut tx, id, hour, held, now).await?;
    let made = insert(&mut tx, id, now).await?;
    if made > 0 {
        jobs::enqueue(&mut tx, app, &Deliver { notification_id: id }).await?;
    }
    tx.commit().await?;
    Ok(made > 0)
}

/// The latest day whose hour has come, and when that was.
fn latest(settings: &Settings, now: DateTime<Utc>) -> (NaiveDate, DateTime<Utc>) {
    let today = day_in(settings.timezone, now);
    let hour = u32::try_from(settings.digest_hour).unwrap_or_default();
    let time = NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default();
    let at = |day: NaiveDate| moment_in(settings.timezone, day.and_time(time));
    if at(today) <= now {
        return (today, at(today));
    }
    let yesterday = today - Days::new(1);
    (yesterday, at(yesterday))
}

/// Whether an address has mails that were collected before the hour, and no mail of this digest.
async fn is_due(
    app: &App,
    key: &str,
    hour: DateTime<Utc>,
    held: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    app.db
        .sql([
            "select exists (
               select 1 from deliveries d
               where d.collected and d.digest_id is null and d.status = 'queued'
                 and (d.created_at <= $1 or d.created_at > $2)
                 and exists (select 1 from notifications n
                             where n.id = d.notification_id and not $4",
            IS_HELD,
            ")
                 and not exists (select 1 from notifications n
                                 join deliveries g on g.notification_id = n.id
                                 where n.once_key = $3 and g.email = d.email))",
        ])
        .bind(hour)
        .bind(now + AHEAD)
        .bind(key)
        .bind(held)
        .scalar()
        .await
}

/// Addresses that refused mail meanwhile get no digest.
async fn suppress_refused(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "update deliveries set status = 'suppressed', updated_at = $1
         where collected and digest_id is null and status = 'queued'
           and exists (select 1 from suppressed_addresses s where s.email = deliveries.email)",
    )
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// The notification of a day. It has no category, since its parts have theirs, and waits for the end
/// of quiet time.
async fn notification(tx: &mut Tx, now: DateTime<Utc>, key: &str) -> Result<Uuid> {
    let id = Uuid::now_v7();
    tx.sql(
        "insert into notifications
           (id, kind, subject_id, once_key, category, data, urgent, waits, created_at)
         values ($1, $2, $1, $3, null, 'null', false, true, $4)
         on conflict (once_key) do nothing",
    )
    .bind(id)
    .bind(MailKind::Digest.text())
    .bind(key)
    .bind(now)
    .execute()
    .await?;
    tx.sql("select id from notifications where once_key = $1").bind(key).scalar().await
}

/// Takes what was collected, except what waits until its kind of mail is switched on.
async fn take(
    tx: &mut Tx,
    id: Uuid,
    hour: DateTime<Utc>,
    held: String,
    now: DateTime<Utc>,
) -> Result<()> {
    const GOES_OUT: &str =
        "(select n.id from notifications n where n.category is not null and not $5";
    tx.sql([
        "update deliveries set digest_id = $1, updated_at = $4
         where collected and digest_id is null and status = 'queued'
           and notification_id in ",
        GOES_OUT,
        IS_HELD,
        ")
           and email in (select d.email from deliveries d
                         where d.collected and d.digest_id is null and d.status = 'queued'
                           and (d.created_at <= $2 or d.created_at > $3)
                           and d.notification_id in ",
        GOES_OUT,
        IS_HELD,
        "))
           and not exists (select 1 from deliveries g
                           where g.notification_id = $1 and g.email = deliveries.email)",
    ])
    .bind(id)
    .bind(hour)
    .bind(now + AHEAD)
    .bind(now)
    .bind(held)
    .execute()
    .await?;
    Ok(())
}

async fn insert(tx: &mut Tx, id: Uuid, now: DateTime<Utc>) -> Result<u64> {
    tx.sql(
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
         select $1, d.email, d.full_name, d.profile_id, 'queued', 0, $2, $2, $2
         from deliveries d
         where d.digest_id = $1 and d.status = 'queued'
         on conflict (notification_id, email) do nothing",
    )
    .bind(id)
    .bind(now)
    .execute()
    .await
}

/// Whether the address of a digest still belongs to the family that it was made for. The address of
/// a user who has not confirmed it does, too.
pub(crate) async fn is_of_family(app: &App, delivery: &Delivery) -> Result<bool> {
    let Some(profile_id) = delivery.profile_id else { return Ok(true) };
    app.db
        .sql(
            "select exists (select 1 from profile_addresses where profile_id = $1 and email = $2)
                 or exists (select 1 from users
                            where profile_id = $1 and email = $2 and verified_at is null)",
        )
        .bind(profile_id)
        .bind(&delivery.email)
        .scalar()
        .await
}

/// The notifications of which a digest to an address consists, the oldest first. What was declined or
/// withdrawn meanwhile is not among them.
pub(crate) async fn parts(app: &App, id: Uuid, email: &EmailAddress) -> Result<Vec<Notification>> {
    app.db
        .sql(
            "select n.id, n.kind, n.subject_id, n.category, n.data, n.waits, n.created_at
             from deliveries d
             join notifications n on n.id = d.notification_id
             where d.digest_id = $1 and d.email = $2 and d.status = 'queued'
             order by n.created_at, n.id",
        )
        .bind(id)
        .bind(email)
        .all()
        .await
}

/// Records that a part of a digest is gone, as it is recorded for a mail of its own.
pub(crate) async fn withdraw(app: &App, id: Uuid, email: &EmailAddress, part: Uuid) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql(
        "update deliveries
         set status = 'suppressed', last_error = 'withdrawn', updated_at = $4
         where notification_id = $3 and email = $2 and digest_id = $1 and status = 'queued'",
    )
    .bind(id)
    .bind(email)
    .bind(part)
    .bind(app.clock.now())
    .execute()
    .await?;
    tx.commit().await
}

/// Stores the results of digests with their parts. Those that are not sent yet change nothing.
pub(crate) async fn record(
    tx: &mut Tx,
    id: Uuid,
    emails: &[EmailAddress],
    now: DateTime<Utc>,
) -> Result<()> {
    On::from(tx)
        .either(record_texts())
        .bind(id)
        .bind(now)
        .bind(json!(emails).to_string())
        .execute()
        .await?;
    Ok(())
}

fn record_texts() -> Texts {
    const RECORD: &str = "update deliveries
         set (status, sent_at, last_error) =
               (select g.status, g.sent_at, g.last_error from deliveries g
                where g.notification_id = $1 and g.email = deliveries.email),
             updated_at = $2
         where digest_id = $1 and status = 'queued'
           and exists (select 1 from deliveries g
                       where g.notification_id = $1 and g.email = deliveries.email
                         and g.status in ('sent', 'failed'))
           and ";
    Texts {
        sqlite: Sql::from([RECORD, "email in (select value from json_each($3))"]),
        postgres: Sql::from([
            RECORD,
            "email = any(array(select jsonb_array_elements_text(cast($3 as jsonb))))",
        ]),
    }
}

/// Stores the counts of notifications of which no mail waits any longer, including those that
/// waited for a digest.
pub(crate) async fn record_counts(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "update notifications
         set sent = (select count(*) from deliveries d
                     where d.notification_id = notifications.id and d.status = 'sent'),
             failed = (select count(*) from deliveries d
                       where d.notification_id = notifications.id and d.status = 'failed'),
             suppressed = (select count(*) from deliveries d
                           where d.notification_id = notifications.id and d.status = 'suppressed')
         where category is not null and sent is null and created_at > $1
           and not exists (select 1 from deliveries d
                           where d.notification_id = notifications.id
                             and d.status in ('queued', 'sending'))",
    )
    .bind(now - COUNTED)
    .execute()
    .await?;
    Ok(())
}

/// Queues again the parts of a digest that failed with it and are still wanted. Does nothing for
/// other mails.
pub(super) async fn retry(
    tx: &mut Tx,
    settings: &Settings,
    id: Uuid,
    email: &EmailAddress,
    now: DateTime<Utc>,
) -> Result<()> {
    for category in Category::ALL {
        let parts = Mails::FailedParts(id, email);
        parts.withdraw(tx, settings, category, now).await?;
    }
    let failed = tx
        .sql(
            "update deliveries set status = 'queued', updated_at = $3
             where digest_id = $1 and email = $2 and status = 'failed'",
        )
        .bind(id)
        .bind(email)
        .bind(now)
        .execute()
        .await?;
    if failed > 0 {
        tx.sql(
            "update notifications set sent = null, failed = null, suppressed = null
             where id in (select notification_id from deliveries
                          where digest_id = $1 and email = $2)",
        )
        .bind(id)
        .bind(email)
        .execute()
        .await?;
    }
    Ok(())
}

/// Sends at once what was collected for a family, which wants separate mails again. Recovery wakes
/// a worker for it. What a digest has already taken goes out with that digest.
pub(crate) async fn release(tx: &mut Tx, now: DateTime<Utc>, profile_id: FamilyId) -> Result<()> {
    tx.sql(
        "update deliveries
         set collected = false, due_at = $2, created_at = $2, updated_at = $2
         where profile_id = $1 and collected and digest_id is null and status = 'queued'
           and exists (select 1 from profiles p where p.id = $1 and not p.daily_digest)",
    )
    .bind(profile_id)
    .bind(now)
    .execute()
    .await?;
    follow_addresses(tx, now, profile_id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hour_of_a_day_may_be_skipped_or_come_twice() {
        let utc = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let settings = |digest_hour| Settings { digest_hour, ..Settings::default() };
        let check = |hour, now: &str, day: &str, at: &str| {
            let expected = (day.parse().expect("a day"), utc(at));
            assert_eq!(latest(&settings(hour), utc(now)), expected, "{now}");
        };
        check(21, "2026-07-15T00:59:59Z", "2026-07-13", "2026-07-14T01:00:00Z");
        check(21, "2026-07-15T01:00:00Z", "2026-07-14", "2026-07-15T01:00:00Z");
        // Two o'clock does not come on March 8: three o'clock follows.
        check(2, "2026-03-08T06:59:59Z", "2026-03-07", "2026-03-07T07:00:00Z");
        check(2, "2026-03-08T07:00:00Z", "2026-03-08", "2026-03-08T07:00:00Z");
        // One o'clock comes twice on November 1: the first one counts.
        check(1, "2026-11-01T05:00:00Z", "2026-11-01", "2026-11-01T05:00:00Z");
        check(1, "2026-11-01T06:30:00Z", "2026-11-01", "2026-11-01T05:00:00Z");
    }
}
