//! Failed mails that staff send again. Mails that nobody wants anymore are withdrawn instead.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::readers::Mails;
use super::suppression::REFUSED;
use super::{Category, Deliver, MailKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::settings::Settings;
use crate::{App, Result, jobs};

/// Queues the failed mails for that kind and subject again, except category mail to addresses that refused
/// mail permanently. Mails of families that get one email a day go out with the next one. Returns how many.
pub(crate) async fn retry(tx: &mut Tx, app: &App, kind: MailKind, subject_id: Uuid) -> Result<i64> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let found: Vec<(Uuid, Option<Category>)> = tx
        .sql(
            "select id, category from notifications
             where kind = $1 and subject_id = $2 and forgotten_at is null
               and exists (select 1 from deliveries d
                           where d.notification_id = notifications.id and d.status = 'failed')",
        )
        .bind(kind.text())
        .bind(subject_id)
        .all()
        .await?;
    let mut queued = 0;
    for (id, category) in found {
        if let Some(category) = category {
            leave_out_unsubscribed(tx, now, id, None).await?;
            Mails::Failed(id).follow(tx, &settings, category, now).await?;
        }
        queued += tx
            .sql([
                "update deliveries as a
                 set status = 'queued', digest_id = null, attempts = 0, due_at = $2,
                     created_at = $2, updated_at = $2, first_tried_at = null
                 where a.notification_id = $1 and a.status = 'failed' and ($3 or not ",
                REFUSED,
                ")",
            ])
            .bind(id)
            .bind(now)
            .bind(category.is_none())
            .execute()
            .await?;
        deliver(tx, app, id).await?;
    }
    Ok(queued as i64)
}

/// Queues one failed mail again, also to an address that refused mail permanently. It goes to the
/// present address of its family when that has changed. Returns the address, or `None` if the mail
/// is no longer failed or nobody wants it.
pub(super) async fn retry_one(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    id: Uuid,
    email: &str,
) -> Result<Option<EmailAddress>> {
    let now = app.clock.now();
    let found: Option<(Option<Category>,)> = tx
        .sql(
            "select n.category from deliveries d
             join notifications n on n.id = d.notification_id
             where d.notification_id = $1 and d.email = $2 and d.status = 'failed'",
        )
        .bind(id)
        .bind(email)
        .optional()
        .await?;
    let Some((category,)) = found else { return Ok(None) };
    let moved = match category {
        Some(category) => {
            leave_out_unsubscribed(tx, now, id, Some(email)).await?;
            Mails::FailedTo(id, email).follow(tx, settings, category, now).await?.pop()
        }
        None => None,
    };
    let again: Option<(EmailAddress,)> = tx
        .sql(
            "update deliveries
             set status = 'queued', digest_id = null, attempts = 0, due_at = $3, created_at = $3,
                 updated_at = $3, first_tried_at = null
             where notification_id = $1 and email = $2 and status = 'failed'
             returning email",
        )
        .bind(id)
        .bind(moved.as_deref().unwrap_or(email))
        .bind(now)
        .optional()
        .await?;
    deliver(tx, app, id).await?;
    Ok(again.map(|(email,)| email))
}

/// Withdraws failed mails to people who left the mailing list, all or the one to an address.
async fn leave_out_unsubscribed(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: Uuid,
    email: Option<&str>,
) -> Result<()> {
    tx.sql(
        "update deliveries
         set status = 'suppressed', last_error = 'unsubscribed', updated_at = $3
         where notification_id = $1 and status = 'failed' and profile_id is null
           and (cast($2 as text) is null or email = $2)
           and email not in (select email from subscribers where confirmed_at is not null)",
    )
    .bind(id)
    .bind(email.map(str::to_owned))
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Enqueues the job that sends the mails, and has them counted again.
async fn deliver(tx: &mut Tx, app: &App, id: Uuid) -> Result<()> {
    tx.sql("update notifications set sent = null, failed = null, suppressed = null where id = $1")
        .bind(id)
        .execute()
        .await?;
    jobs::enqueue(tx, app, &Deliver { notification_id: id }).await
}
