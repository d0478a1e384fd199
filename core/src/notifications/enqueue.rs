//! Enqueues notifications: one row per notification and one per recipient, written in the transaction
//! that causes them.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::reach::switched_on;
use super::suppression::{self, FAMILY_READERS, REFUSED};
use super::{Audience, Category, Deliver, MailKind, Notice};
use crate::access::Access;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, StaffId};
use crate::rate_limits;
use crate::settings::Settings;
use crate::{App, Error, Result, jobs};

/// Notifies every family that wants this category, once per address. A second call for the same
/// kind and subject queues nothing. Returns how many mails were queued (decisions M1, M2, V3).
/// Fails when the database does.
pub(crate) async fn notify_families(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    notice: Notice,
    category: Category,
) -> Result<i64> {
    notify_all(tx, app, settings, notice, category, Audience::Families).await
}

/// Like [`notify_families`], for any audience. An address that is in a family and on the list gets
/// one mail.
pub(crate) async fn notify_all(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    notice: Notice,
    category: Category,
    audience: Audience,
) -> Result<i64> {
    let now = app.clock.now();
    let key = Some(once_key(&notice));
    let Some(id) = insert(tx, now, &notice, Some(category), key, !notice.urgent).await? else {
        return Ok(0);
    };
    if !switched_on(settings, category) {
        return Ok(0);
    }
    if audience.families() {
        suppression::restore(tx, app).await?;
        let whom = if notice.urgent { Whom::AllAtOnce } else { Whom::All };
        insert_families(tx, settings, id, category, now, whom).await?;
    }
    if audience.mailing_list() {
        insert_subscribers(tx, id, now).await?;
    }
    jobs::enqueue(tx, app, &Deliver { notification_id: id }).await?;
    // Addresses that refused mail earlier have a row too, but get no mail.
    tx.sql("select count(*) from deliveries where notification_id = $1 and status = 'queued'")
        .bind(id)
        .scalar()
        .await
}

pub(super) fn once_key(notice: &Notice) -> String {
    format!("{}:{}", notice.kind.text(), notice.subject_id)
}

/// Notifies the families that asked for a note when a video is late, once for each key. Returns
/// whether it is new.
pub(crate) async fn notify_late_video(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    notice: Notice,
    once_key: &str,
) -> Result<bool> {
    let now = app.clock.now();
    let category = Category::DailyVideos;
    let key = Some(once_key.to_owned());
    let Some(id) = insert(tx, now, &notice, Some(category), key, true).await? else {
        return Ok(false);
    };
    suppression::restore(tx, app).await?;
    insert_families(tx, settings, id, category, now, Whom::LateVideo).await?;
    jobs::enqueue(tx, app, &Deliver { notification_id: id }).await?;
    Ok(true)
}

/// The families that a notification of a category goes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whom {
    /// All that want the category. Those that chose one email a day get it with that.
    All,
    AllAtOnce,
    /// Only those that asked for a note when a video is late, at once.
    LateVideo,
}

/// Adds one delivery for each address of a family that wants this category.
async fn insert_families(
    tx: &mut Tx,
    settings: &Settings,
    id: Uuid,
    category: Category,
    now: DateTime<Utc>,
    whom: Whom,
) -> Result<()> {
    tx.sql([
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, collected, attempts, due_at,
            created_at, updated_at)
         select $4, a.email, a.full_name, a.profile_id,
                case when ",
        REFUSED,
        " then 'suppressed' else 'queued' end, $7 and f.daily_digest, 0, $5, $5, $5
         from (",
        FAMILY_READERS,
        ") a
         join profiles f on f.id = a.profile_id
         where not $6 or f.late_video_note",
    ])
    .bind(category)
    .bind(settings.require_email_verification)
    .bind(settings.access == Access::Families)
    .bind(id)
    .bind(now)
    .bind(whom == Whom::LateVideo)
    .bind(whom == Whom::All)
    .execute()
    .await?;
    Ok(())
}

/// Adds one delivery for each confirmed subscriber who does not get one as a family.
async fn insert_subscribers(tx: &mut Tx, id: Uuid, now: DateTime<Utc>) -> Result<()> {
    tx.sql([
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
         select $1, a.email, '', null,
                case when ",
        REFUSED,
        " then 'suppressed' else 'queued' end, 0, $2, $2, $2
         from subscribers a
         where a.confirmed_at is not null
         on conflict (notification_id, email) do nothing",
    ])
    .bind(id)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Sends one address a mail that has no category: security mail, receipts, replies.
pub async fn notify(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &EmailAddress,
    full_name: &str,
) -> Result<()> {
    let now = app.clock.now();
    notify_by(tx, app, notice, (email, full_name), None, now).await.map(drop)
}

/// The outcome for a mail that anybody can cause.
#[must_use]
pub enum Limited {
    Queued,
    /// The mailbox reached its limit. The error says when the next mail may be sent.
    Refused(Error),
}

impl Limited {
    /// For callers who may reveal that nothing was sent.
    ///
    /// # Errors
    ///
    /// The error of [`Limited::Refused`].
    pub(crate) fn or_refuse(self) -> Result<()> {
        match self {
            Limited::Queued => Ok(()),
            Limited::Refused(error) => Err(error),
        }
    }

    /// For callers whose response must not reveal it.
    pub(crate) fn ignore_refusal(self) {}
}

/// Like [`notify`], for mail that a stranger can cause. One limit for each mailbox covers all such
/// mails (safety 6).
pub(crate) async fn notify_limited(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &EmailAddress,
) -> Result<Limited> {
    if let Some(refusal) = rate_limits::count_mail(tx, app, email).await? {
        return Ok(Limited::Refused(refusal));
    }
    notify(tx, app, notice, email, "").await?;
    Ok(Limited::Queued)
}

/// Like [`notify_limited`], for mail that the owner of a mailbox needs to sign in, such as a
/// password reset. Other mails that strangers cause do not use up its limit.
pub(crate) async fn notify_requested(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &EmailAddress,
    full_name: &str,
) -> Result<Limited> {
    if let Some(refusal) = rate_limits::count_asked_mail(tx, app, notice.kind.text(), email).await?
    {
        return Ok(Limited::Refused(refusal));
    }
    notify(tx, app, notice, email, full_name).await?;
    Ok(Limited::Queued)
}

/// Sends a test of an update or a newsletter to the member of the staff who writes it. Nobody else
/// is notified.
///
/// # Errors
///
/// [`Error::TooManyTests`] above the limit.
pub(crate) async fn notify_test(
    tx: &mut Tx,
    app: &App,
    kind: MailKind,
    (staff_id, email): (StaffId, &EmailAddress),
    data: Value,
) -> Result<()> {
    rate_limits::count_test(tx, app, staff_id).await?;
    notify(tx, app, Notice { data, ..Notice::new(kind, staff_id) }, email, "").await
}

/// Like [`notify`], but only once for each key. Returns the notification if it is new.
pub(crate) async fn notify_once(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &EmailAddress,
    full_name: &str,
    once_key: &str,
) -> Result<Option<Uuid>> {
    let now = app.clock.now();
    notify_by(tx, app, notice, (email, full_name), Some(once_key.to_owned()), now).await
}

/// Like [`notify`], but not before a time.
pub(crate) async fn notify_at(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    to: (&EmailAddress, &str),
    due_at: DateTime<Utc>,
) -> Result<()> {
    notify_by(tx, app, notice, to, None, due_at).await.map(drop)
}

/// Sends a mail without a category to each address of a family, once for each key. Unlike a receipt
/// it waits for the end of quiet time. Returns whether it is new.
pub(crate) async fn notify_family_once(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    profile_id: FamilyId,
    once_key: &str,
) -> Result<bool> {
    let now = app.clock.now();
    let key = Some(once_key.to_owned());
    let Some(id) = insert(tx, now, &notice, None, key, true).await? else { return Ok(false) };
    tx.sql([
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
         select $1, a.email, p.full_name, p.id, 'queued', 0, $3, $3, $3
         from profile_addresses a
         join profiles p on p.id = a.profile_id
         where a.profile_id = $2 and not ",
        REFUSED,
    ])
    .bind(id)
    .bind(profile_id)
    .bind(now)
    .execute()
    .await?;
    jobs::enqueue(tx, app, &Deliver { notification_id: id }).await?;
    Ok(true)
}

async fn notify_by(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    (email, full_name): (&EmailAddress, &str),
    once_key: Option<String>,
    due_at: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    let now = app.clock.now();
    let Some(id) = insert(tx, now, &notice, None, once_key, false).await? else { return Ok(None) };
    tx.sql(
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
         values ($1, $2, $3, null, 'queued', 0, $5, $4, $4)",
    )
    .bind(id)
    .bind(email)
    .bind(full_name)
    .bind(now)
    .bind(due_at)
    .execute()
    .await?;
    let later = (due_at > now).then_some(due_at);
    jobs::enqueue_at(tx, app, &Deliver { notification_id: id }, later).await?;
    Ok(Some(id))
}

async fn insert(
    tx: &mut Tx,
    now: DateTime<Utc>,
    notice: &Notice,
    category: Option<Category>,
    once_key: Option<String>,
    waits: bool,
) -> Result<Option<Uuid>> {
    let id: Option<(Uuid,)> = tx
        .sql(
            "insert into notifications
               (id, kind, subject_id, once_key, category, data, urgent, waits, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (once_key) do nothing
             returning id",
        )
        .bind(Uuid::now_v7())
        .bind(notice.kind.text())
        .bind(notice.subject_id)
        .bind(once_key)
        .bind(category)
        .bind(notice.data.to_string())
        .bind(notice.urgent)
        .bind(waits)
        .bind(now)
        .optional()
        .await?;
    Ok(id.map(|(id,)| id))
}
