//! Staff post, change and delete updates; the worker ends those that have expired.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::admin::{AdminUpdate, find_for_staff};
use super::{NOT_FOUND, NewUpdate, Priority, TestUpdate, UpdateChanges};
use crate::accounts::Staff;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, On, Sql, Texts, Tx};
use crate::events::{self, Event};
use crate::idempotency::{self, Claim};
use crate::notifications::{self, Category, MailKind, Notice};
use crate::search_text::normalize;
use crate::settings::Settings;
use crate::{App, Error, Result};

/// A posted update, and how many mails it queued.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SavedUpdate)]
pub struct Saved {
    pub update: AdminUpdate,
    pub notified: i64,
    /// When the mails go out; empty for at once.
    pub mail_at: Option<DateTime<Utc>>,
}

/// The editable columns of an update.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub(super) struct Record {
    pub title: String,
    pub message: String,
    pub author: String,
    pub priority: Priority,
    pub is_active: bool,
    pub pinned_until: Option<DateTime<Utc>>,
    pub expires_at: Option<DateTime<Utc>>,
    pub version: i64,
}

impl Record {
    fn is_shown(&self, now: DateTime<Utc>) -> bool {
        self.is_active && self.expires_at.is_none_or(|end| end > now)
    }

    fn search_text(&self) -> String {
        [&self.title, &self.message, &self.author].map(|text| normalize(text)).join("\n")
    }
}

/// Posts an update, once for each `key`. It is visible immediately, and is mailed to everybody who
/// wants camp updates, in the same transaction, unless staff post it without mail.
///
/// # Errors
///
/// [`Error::Invalid`], and those of [`idempotency`].
pub async fn create(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    new: &NewUpdate,
    key: Option<Uuid>,
) -> Result<Saved> {
    let now = app.clock.now();
    let id = match idempotency::claim(tx, app, "live_update", key, new).await? {
        Claim::New(id) => id,
        Claim::Made(id) => {
            let notified = notifications::tally(&mut *tx, MailKind::Update, id).await?.mailed();
            let update = idempotency::unless_deleted(find_for_staff(tx, now, id).await)?;
            let mail_at = mail_at(settings, now, new.urgent, notified);
            return Ok(Saved { update, notified, mail_at });
        }
    };
    let record = new.record(settings, now)?;
    insert(tx, id, &record, new.urgent, actor, now).await?;
    let details = json!({
        "title": record.title, "priority": record.priority, "pinned_until": record.pinned_until,
        "expires_at": record.expires_at, "send_mail": new.send_mail, "urgent": new.urgent,
    });
    let subject = Subject::new(SubjectKind::LiveUpdate, id);
    audit::record(tx, now, actor, Action::LiveUpdateCreate, subject, details).await?;
    let notified = match new.send_mail {
        true => {
            let notice = Notice { urgent: new.urgent, ..Notice::new(MailKind::Update, id) };
            notifications::notify_families(tx, app, settings, notice, Category::CampUpdates).await?
        }
        false => 0,
    };
    events::emit(tx, now, Event::UpdateCreated(id));
    let mail_at = mail_at(settings, now, new.urgent, notified);
    Ok(Saved { update: find_for_staff(tx, now, id).await?, notified, mail_at })
}

fn mail_at(
    settings: &Settings,
    now: DateTime<Utc>,
    urgent: bool,
    notified: i64,
) -> Option<DateTime<Utc>> {
    settings.quiet_until(now).filter(|_| notified > 0 && !urgent)
}

async fn insert(
    tx: &mut Tx,
    id: Uuid,
    record: &Record,
    urgent: bool,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<()> {
    tx.sql(
        "insert into live_updates
           (id, title, message, author, priority, is_active, pinned_until, expires_at, posted_by,
            search_text, version, created_at, updated_at, urgent)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13)",
    )
    .bind(id)
    .bind(&record.title)
    .bind(&record.message)
    .bind(&record.author)
    .bind(record.priority)
    .bind(record.is_active)
    .bind(record.pinned_until)
    .bind(record.expires_at)
    .bind(actor.staff_id())
    .bind(record.search_text())
    .bind(record.version)
    .bind(now)
    .bind(urgent)
    .execute()
    .await?;
    Ok(())
}

/// Changes an update, or shows or hides it. No mail is sent (decision U2).
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Stale`], [`Error::Invalid`]
pub async fn edit(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
    changes: &UpdateChanges,
) -> Result<AdminUpdate> {
    let now = app.clock.now();
    let old: Record = tx
        .sql(
            "select title, message, author, priority, is_active, pinned_until, expires_at, version
             from live_updates
             where id = $1 and deleted_at is null",
        )
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    if old.version != changes.version {
        return Err(Error::Stale);
    }
    let new = changes.apply(&old, settings, now)?;
    if new == old {
        return find_for_staff(tx, now, id).await;
    }
    let written = tx
        .sql(
            "update live_updates
             set title = $3, message = $4, author = $5, priority = $6, is_active = $7,
                 pinned_until = $8, expires_at = $9, search_text = $10, version = version + 1, updated_at = $11
             where id = $1 and version = $2 and deleted_at is null",
        )
        .bind(id)
        .bind(old.version)
        .bind(&new.title)
        .bind(&new.message)
        .bind(&new.author)
        .bind(new.priority)
        .bind(new.is_active)
        .bind(new.pinned_until)
        .bind(new.expires_at)
        .bind(new.search_text())
        .bind(now)
        .execute()
        .await?;
    if written == 0 {
        return Err(Error::Stale);
    }
    let subject = Subject::new(SubjectKind::LiveUpdate, id);
    audit::record(tx, now, actor, Action::LiveUpdateEdit, subject, differences(&old, &new)).await?;
    match (old.is_shown(now), new.is_shown(now)) {
        (_, true) => events::emit(tx, now, Event::UpdateChanged(id)),
        (true, false) => events::emit(tx, now, Event::UpdateRemoved(id)),
        (false, false) => {}
    }
    find_for_staff(tx, now, id).await
}

/// Deletes an update. Its address continues to say that it was withdrawn. Its content is erased,
/// and mails about it that still wait are not sent.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let named: Option<(String, Priority, bool)> = tx
        .sql(
            "select title, priority, is_active from live_updates
             where id = $1 and deleted_at is null",
        )
        .bind(id)
        .optional()
        .await?;
    let (title, priority, is_active) = named.ok_or(NOT_FOUND)?;
    let gone: Option<(Uuid,)> = tx
        .sql(
            "update live_updates
             set title = '', message = '', author = '', search_text = '', is_active = $3,
                 version = version + 1, updated_at = $2, deleted_at = $2
             where id = $1 and deleted_at is null
             returning id",
        )
        .bind(id)
        .bind(now)
        .bind(false)
        .optional()
        .await?;
    gone.ok_or(NOT_FOUND)?;
    let subject = Subject::new(SubjectKind::LiveUpdate, id);
    let details = json!({ "title": title, "priority": priority, "is_active": is_active });
    audit::record(tx, now, actor, Action::LiveUpdateDelete, subject, details).await?;
    events::emit(tx, now, Event::UpdateRemoved(id));
    Ok(())
}

/// Sends an update as a mail to the member of the staff who writes it. It is not posted.
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::TooManyTests`]
pub async fn send_test(tx: &mut Tx, app: &App, staff: &Staff, update: &TestUpdate) -> Result<()> {
    let data = json!(update.checked()?);
    let to = (staff.id, &staff.email);
    notifications::notify_test(tx, app, MailKind::UpdateTest, to, data).await?;
    let subject = Subject::none(SubjectKind::LiveUpdate);
    let actor = Actor::Staff(staff.id);
    audit::record(tx, app.clock.now(), actor, Action::LiveUpdateTest, subject, Value::Null).await
}

/// Gives the pins of versions before schema 27 an end: seven days after the last change of their
/// update. Runs with each migration, but only the first run finds any.
pub(crate) async fn end_old_pins(db: &Db) -> Result<()> {
    // A start takes the write lock only if there is something to do.
    let old: i64 = db
        .sql("select count(*) from live_updates where pinned_until = updated_at")
        .scalar()
        .await?;
    if old == 0 {
        return Ok(());
    }
    let mut tx = db.begin().await?;
    On::from(&mut tx)
        .either(Texts {
            sqlite: Sql::from(
                "update live_updates
                 set pinned_until = strftime('%Y-%m-%dT%H:%M:%f+00:00', updated_at, '+7 days')
                 where pinned_until = updated_at",
            ),
            postgres: Sql::from(
                "update live_updates
                 set pinned_until = updated_at + interval '7 days'
                 where pinned_until = updated_at",
            ),
        })
        .execute()
        .await?;
    tx.commit().await
}

/// Hides updates that have expired. Returns how many.
///
/// # Errors
///
/// Only those of the database.
pub async fn expire_due(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let due: i64 = app
        .db
        .sql("select count(*) from live_updates where is_active and expires_at <= $1")
        .bind(now)
        .scalar()
        .await?;
    if due == 0 {
        return Ok(0);
    }
    let mut tx = app.db.begin().await?;
    let expired: Vec<(Uuid,)> = tx
        .sql(
            "update live_updates
             set is_active = $2, version = version + 1, updated_at = $1
             where is_active and expires_at <= $1
             returning id",
        )
        .bind(now)
        .bind(false)
        .all()
        .await?;
    for (id,) in &expired {
        let subject = Subject::new(SubjectKind::LiveUpdate, *id);
        let details = json!({ "is_active": audit::changed(true, false) });
        audit::record(&mut tx, now, Actor::System, Action::LiveUpdateExpire, subject, details)
            .await?;
        events::emit(&mut tx, now, Event::UpdateRemoved(*id));
    }
    tx.commit().await?;
    Ok(expired.len())
}

/// The changes, for the audit log. For author and text, it says only that they changed. The title
/// stays, so that an entry says which update it was.
fn differences(old: &Record, new: &Record) -> Value {
    let shown = |record: &Record| {
        json!({
            "title": record.title,
            "priority": record.priority,
            "is_active": record.is_active,
            "pinned_until": record.pinned_until,
            "expires_at": record.expires_at,
        })
    };
    let changed = audit::personal(
        audit::differences(&shown(old), &shown(new)),
        [("author", old.author != new.author), ("message", old.message != new.message)],
    );
    Value::Object(changed)
}
