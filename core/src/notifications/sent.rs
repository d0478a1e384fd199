//! Records that mails were sent. A delivery has entries in several indexes, so a worker notes each group of
//! mails by one short row before it sends the next ones, and marks the deliveries of many groups at once a little
//! later.

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::lease::Lease;
use crate::db::{On, Sql, Texts, Tx};
use crate::email_address::EmailAddress;
use crate::{App, Error, Result};

/// How many groups are marked at once.
const GROUPS: usize = 128;

/// Records that a mail may leave, until its result says more.
pub(crate) async fn mark_may_have_left(
    app: &App,
    notification_id: Uuid,
    email: &EmailAddress,
) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("update deliveries set may_have_left = true where notification_id = $1 and email = $2")
        .bind(notification_id)
        .bind(email)
        .execute()
        .await?;
    tx.commit().await
}

/// Notes that a group of mails was sent.
pub(crate) async fn note(
    on: impl Into<On<'_>>,
    lease: Lease,
    number: i64,
    emails: &[EmailAddress],
    now: DateTime<Utc>,
) -> Result<()> {
    on.into()
        .sql(
            "insert into sent_mails (notification_id, lease, number, emails, sent_at)
             values ($1, $2, $3, $4, $5)",
        )
        .bind(lease.notification_id)
        .bind(lease.id)
        .bind(number)
        .bind(json!(emails).to_string())
        .bind(now)
        .execute()
        .await?;
    Ok(())
}

/// Marks the deliveries of all mails that were noted, and of `more`, which were sent now.
pub(crate) async fn mark(
    tx: &mut Tx,
    notification_id: Uuid,
    more: &[EmailAddress],
    now: DateTime<Utc>,
) -> Result<()> {
    mark_noted(tx, notification_id).await?;
    mark_these(tx, notification_id, more, now).await
}

/// Marks the deliveries of all mails that were noted.
pub(crate) async fn mark_noted(tx: &mut Tx, notification_id: Uuid) -> Result<()> {
    while mark_some_noted(tx, notification_id).await? {}
    Ok(())
}

/// Marks some of them. Returns whether there may be more.
pub(crate) async fn mark_some_noted(tx: &mut Tx, notification_id: Uuid) -> Result<bool> {
    let (count, emails, last) = take_some_noted(tx, notification_id).await?;
    if let Some(at) = last {
        mark_these(tx, notification_id, &emails, at).await?;
    }
    Ok(count == GROUPS)
}

/// Like [`mark_noted`], for all notifications.
pub(crate) async fn mark_all_noted(tx: &mut Tx) -> Result<()> {
    let noted: Vec<(Uuid,)> =
        tx.sql("select distinct notification_id from sent_mails").all().await?;
    for (notification_id,) in noted {
        mark_noted(tx, notification_id).await?;
    }
    Ok(())
}

/// Deletes some notes. Returns how many, the addresses, and when the last mail was sent.
async fn take_some_noted(
    tx: &mut Tx,
    notification_id: Uuid,
) -> Result<(usize, Vec<EmailAddress>, Option<DateTime<Utc>>)> {
    let noted: Vec<(String, DateTime<Utc>)> = tx
        .sql(
            "delete from sent_mails
             where notification_id = $1
               and (lease, number) in (select s.lease, s.number from sent_mails s
                                       where s.notification_id = $1
                                       order by s.lease, s.number
                                       limit $2)
             returning emails, sent_at",
        )
        .bind(notification_id)
        .bind(GROUPS as i64)
        .all()
        .await?;
    let mut emails = Vec::new();
    for (group, _) in &noted {
        let group: Vec<String> = serde_json::from_str(group).map_err(Error::unforeseen)?;
        emails.extend(group.into_iter().map(EmailAddress::checked_before));
    }
    Ok((noted.len(), emails, noted.into_iter().map(|(_, at)| at).max()))
}

async fn mark_these(
    on: impl Into<On<'_>>,
    notification_id: Uuid,
    emails: &[EmailAddress],
    at: DateTime<Utc>,
) -> Result<()> {
    on.into()
        .either(mark_texts())
        .bind(notification_id)
        .bind(at)
        .bind(json!(emails).to_string())
        .execute()
        .await?;
    Ok(())
}

/// A mail that was withdrawn meanwhile was sent all the same.
///
/// The status is hidden from the planners: without statistics they would read all mails of the
/// notification by its index to find a few.
fn mark_texts() -> Texts {
    const MARK: &str = "update deliveries
         set status = 'sent', attempts = attempts + 1, last_error = null, updated_at = $2, sent_at = $2
         where notification_id = $1 and status || '' in ('queued', 'suppressed')
           and ";
    Texts {
        sqlite: Sql::from([MARK, "email in (select value from json_each($3))"]),
        postgres: Sql::from([
            MARK,
            "email = any(array(select jsonb_array_elements_text(cast($3 as jsonb))))",
        ]),
    }
}
