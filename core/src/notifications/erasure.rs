//! Erases names and addresses from mails: immediately when people are deleted, otherwise after a
//! retention period. The rows stay, so that the counts stay correct. Mails that still wait are not
//! sent.

use chrono::TimeDelta;
use uuid::Uuid;

use super::{sent, suppression};
use crate::db::{On, Sql, Texts, Tx, Value};
use crate::email_address::EmailAddress;
use crate::ids::{StaffId, UserId};
use crate::{App, Result};

/// How long mails keep the name and address of their recipient: 13 months, so that this summer can
/// be compared with the last one. The privacy page and the README state the same period.
const RETENTION: TimeDelta = TimeDelta::days(396);

/// How long the text of a test mail is kept. A mail that cannot be delivered is tried for two days.
const TEST_RETENTION: TimeDelta = TimeDelta::days(3);

/// The maximum number of notifications that are erased in one transaction.
const BATCH: i64 = 200;

const UNSENT: &str = "status = case when status = 'sent' then 'sent' else 'suppressed' end";

/// The address is part of the primary key, so each erased row gets a unique placeholder.
fn blank_where(status: &'static str, which: &'static str) -> Texts {
    Texts {
        sqlite: Sql::from([
            "update deliveries set email = 'removed:' || lower(hex(randomblob(16))), ",
            status,
            ", full_name = '', last_error = null where ",
            which,
        ]),
        postgres: Sql::from([
            "update deliveries
                 set email = 'removed:' || replace(cast(gen_random_uuid() as text), '-', ''), ",
            status,
            ", full_name = '', last_error = null where ",
            which,
        ]),
    }
}

/// Deletes the reports about mails, since what a mail server said often names the address.
async fn delete_reports<T: Value + Copy>(tx: &mut Tx, which: &'static str, value: T) -> Result<()> {
    tx.sql([
        "delete from mail_reports
         where (notification_id, email) in
               (select notification_id, email from deliveries where ",
        which,
        ")",
    ])
    .bind(value)
    .execute()
    .await?;
    Ok(())
}

/// Withdraws unsent mails. A mail that a worker is sending right now may still arrive.
async fn withdraw<T: Value + Copy>(tx: &mut Tx, which: &'static str, value: T) -> Result<()> {
    // The notes contain addresses as well.
    sent::mark_all_noted(tx).await?;
    // Counted again, since failed mails are withdrawn now.
    tx.sql([
        "update notifications set sent = null, failed = null, suppressed = null
                 where sent is not null
                   and id in (select notification_id from deliveries
                              where status = 'failed' and ",
        which,
        ")",
    ])
    .bind(value)
    .execute()
    .await?;
    delete_reports(tx, which, value).await?;
    On::from(&mut *tx).either(blank_where(UNSENT, which)).bind(value).execute().await?;
    delete_late_reports(tx).await
}

/// Deletes reports that came while their mails were being erased, and that now have the erased
/// address.
async fn delete_late_reports(tx: &mut Tx) -> Result<()> {
    tx.sql("delete from mail_reports where email like 'removed:%'").execute().await?;
    Ok(())
}

/// Erases a person's address from all mails and from the refused addresses. If nobody has the
/// address anymore, its opt-outs are kept under a hash. Call it after the owner's records are
/// deleted.
pub(crate) async fn erase_address(tx: &mut Tx, app: &App, email: &EmailAddress) -> Result<()> {
    withdraw(tx, "email = $1", email).await?;
    suppression::erase(tx, app, email).await
}

/// Erases the addresses that a user had before from the mails to them, until the user left them.
pub(crate) async fn erase_of_former_addresses(tx: &mut Tx, user: UserId) -> Result<()> {
    let theirs = "exists (select 1 from former_addresses f
                   where f.user_id = $1 and f.email = deliveries.email
                     and deliveries.created_at <= f.left_at)";
    withdraw(tx, theirs, user).await
}

/// Erases names and addresses from all mails about a family or a user, including those to its
/// earlier addresses.
pub(crate) async fn erase_about(tx: &mut Tx, id: impl Into<Uuid>) -> Result<()> {
    let id = id.into();
    withdraw(
        tx,
        "(profile_id = $1
          or notification_id in (select id from notifications where subject_id = $1)
          or notification_id in (select n.id from notifications n
                                 join payments p on p.id = n.subject_id
                                 join payment_plans l on l.id = p.plan_id
                                 where l.profile_id = $1))",
        id,
    )
    .await?;
    tx.sql("update notifications set data = 'null' where subject_id = $1")
        .bind(id)
        .execute()
        .await?;
    Ok(())
}

/// Erases a deleted staff account from all mails: from its own, and its name from those to other owners. What goes
/// to others at the same address stays: to a family, the mailing list or the camp's own mailboxes.
pub(crate) async fn erase_staff(
    tx: &mut Tx,
    app: &App,
    id: StaffId,
    email: &EmailAddress,
    username: &str,
) -> Result<()> {
    erase_about(tx, id).await?;
    let site = app.settings().await?;
    let mailboxes = [&site.contact_email, &site.staff_email, &site.video_team_email];
    let of_others: bool = tx
        .sql(
            "select exists (select 1 from profile_addresses where email = $1)
                 or exists (select 1 from users where email = $1)
                 or exists (select 1 from subscribers where email = $1)
                 or exists (select 1 from staff where email = $1)",
        )
        .bind(email)
        .scalar()
        .await?;
    if !of_others && mailboxes.iter().all(|mailbox| *mailbox != email.as_str()) {
        erase_address(tx, app, email).await?;
    }
    let told: Vec<(Uuid, String)> = tx
        .sql(
            "select id, data from notifications
             where kind in ('staff_account', 'staff_reset') and data <> 'null'",
        )
        .all()
        .await?;
    for (id, data) in told {
        let Ok(mut data) = serde_json::from_str::<serde_json::Value>(&data) else { continue };
        let names = ["by", "name"].map(|field| data[field] == username);
        for ((field, words), is_theirs) in
            [("by", "A deleted account"), ("name", "a deleted account")].into_iter().zip(names)
        {
            if is_theirs {
                data[field] = words.into();
            }
        }
        if names.contains(&true) {
            tx.sql("update notifications set data = $2 where id = $1")
                .bind(id)
                .bind(data.to_string())
                .execute()
                .await?;
        }
    }
    Ok(())
}

/// Erases names and addresses from old mails, and the texts of older tests. Runs hourly.
///
/// # Errors
///
/// Only those of the database.
pub async fn erase_old(app: &App) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.sql(
        "update notifications set data = 'null'
         where kind in ('update_test', 'letter_test') and data <> 'null' and created_at < $1",
    )
    .bind(now - TEST_RETENTION)
    .execute()
    .await?;
    tx.commit().await?;
    loop {
        let mut tx = app.db.begin().await?;
        let old: Vec<(Uuid,)> = tx
            .sql(
                "update notifications set forgotten_at = $2, data = 'null'
                 where id in (select n.id from notifications n
                              where n.forgotten_at is null and n.created_at < $1
                                and not exists (select 1 from deliveries d
                                                where d.notification_id = n.id
                                                  and d.status in ('queued', 'sending'))
                              order by n.created_at
                              limit $3)
                 returning id",
            )
            .bind(now - RETENTION)
            .bind(now)
            .bind(BATCH)
            .all()
            .await?;
        for (id,) in &old {
            delete_reports(&mut tx, "notification_id = $1", *id).await?;
            let blank = blank_where("status = status", "notification_id = $1");
            On::from(&mut tx).either(blank).bind(*id).execute().await?;
        }
        delete_late_reports(&mut tx).await?;
        tx.commit().await?;
        if (old.len() as i64) < BATCH {
            return Ok(());
        }
    }
}
