//! What the camp tells people by mail: one row per notification, one per recipient, written in the
//! transaction that causes it. The job [`Deliver`] sends what is written here.

mod deliver;
mod letter;
pub mod unsubscribe;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use deliver::Deliver;
pub use letter::{Button, Letter, Picture, paragraphs};

use crate::db::{Db, On, Tx};
use crate::settings::{Access, Settings};
use crate::{App, Result, jobs};

/// Mail that people may leave (decision M1). Whatever has no category is transactional.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Category {
    DailyVideos,
    CampUpdates,
    General,
}

/// Something to tell.
pub struct Notice {
    /// Names the letter, see [`letter::write`].
    pub kind: &'static str,
    /// The video, user, profile or staff account that it is about.
    pub subject_id: Uuid,
    /// What the letter needs besides its subject; never a token or a password.
    pub data: Value,
}

impl Notice {
    pub fn new(kind: &'static str, subject_id: Uuid) -> Notice {
        Notice { kind, subject_id, data: Value::Null }
    }
}

#[derive(Debug, sqlx::FromRow)]
pub struct Notification {
    pub id: Uuid,
    pub kind: String,
    pub subject_id: Uuid,
    pub category: Option<Category>,
    pub data: String,
}

/// One mail to one address, claimed for sending.
#[derive(Debug, sqlx::FromRow)]
pub struct Delivery {
    pub email: String,
    pub full_name: String,
    pub profile_id: Option<Uuid>,
    pub attempts: i64,
    pub created_at: DateTime<Utc>,
}

/// How far the mails about something have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = Deliveries)]
pub struct Tally {
    pub queued: i64,
    pub sent: i64,
    pub failed: i64,
    /// Addresses that refused mail for good earlier and were left out.
    pub suppressed: i64,
}

/// Who gets category mail.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Audience {
    /// Families that want the category (decision M2).
    Families,
    /// Those who confirmed that they want to be on the mailing list.
    MailingList,
    Both,
}

impl Audience {
    fn families(self) -> bool {
        self != Audience::MailingList
    }

    fn mailing_list(self) -> bool {
        self != Audience::Families
    }
}

/// Tells every family that wants this category, once per address, ever: a second call for the same
/// kind and subject tells nobody. Returns how many mails were queued (decisions M1, M2, V3).
pub async fn tell_families(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    notice: Notice,
    category: Category,
) -> Result<i64> {
    tell_all(tx, app, settings, notice, category, Audience::Families).await
}

/// The same for any audience. An address that is in a family and on the list gets one mail.
pub async fn tell_all(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    notice: Notice,
    category: Category,
    audience: Audience,
) -> Result<i64> {
    let now = app.clock.now();
    let once_key = format!("{}:{}", notice.kind, notice.subject_id);
    let Some(id) = insert(tx, now, &notice, Some(category), Some(once_key)).await? else {
        return Ok(0);
    };
    if !switched_on(settings, category) {
        return Ok(0);
    }
    if audience.families() {
        tx.sql(
            "insert into deliveries
               (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
             select $1, a.email, p.full_name, p.id,
                    case when s.email is null then 'queued' else 'suppressed' end, 0, $2, $2, $2
             from profile_addresses a
             join profiles p on p.id = a.profile_id
             left join suppressed_addresses s on s.email = a.email
             where p.deleted_at is null
               and p.refused_at is null
               and case $3
                     when 'daily_videos' then p.daily_video_email
                     when 'camp_updates' then p.camp_updates_email
                     else p.email_notifications
                   end
               and (a.entered_by_staff or a.verified_at is not null or not $4)
               and (p.approved_at is not null or not $5)
               and not exists (select 1 from unsubscribes u where u.email = a.email and u.category = $3)",
        )
        .bind(id)
        .bind(now)
        .bind(category)
        .bind(settings.require_email_verification)
        .bind(settings.access == Access::Families)
        .execute()
        .await?;
    }
    if audience.mailing_list() {
        tx.sql(
            "insert into deliveries
               (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
             select $1, l.email, '', null,
                    case when s.email is null then 'queued' else 'suppressed' end, 0, $2, $2, $2
             from subscribers l
             left join suppressed_addresses s on s.email = l.email
             where l.confirmed_at is not null
             on conflict (notification_id, email) do nothing",
        )
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    }
    jobs::enqueue(tx, app, &Deliver { notification_id: id }).await?;
    // Addresses that refused mail earlier have a row too, but no mail.
    tx.sql("select count(*) from deliveries where notification_id = $1 and status = 'queued'")
        .bind(id)
        .scalar()
        .await
}

/// How many addresses [`tell_families`] would reach now.
pub async fn reach(on: impl Into<On<'_>>, settings: &Settings, category: Category) -> Result<i64> {
    reach_all(on, settings, category, Audience::Families).await
}

/// How many addresses [`tell_all`] would reach now.
pub async fn reach_all(
    on: impl Into<On<'_>>,
    settings: &Settings,
    category: Category,
    audience: Audience,
) -> Result<i64> {
    if !switched_on(settings, category) {
        return Ok(0);
    }
    on.into()
        .sql(
            "select count(*) from (
               select a.email
               from profile_addresses a
               join profiles p on p.id = a.profile_id
               where $4
                 and p.deleted_at is null
                 and p.refused_at is null
                 and case $1
                       when 'daily_videos' then p.daily_video_email
                       when 'camp_updates' then p.camp_updates_email
                       else p.email_notifications
                     end
                 and (a.entered_by_staff or a.verified_at is not null or not $2)
                 and (p.approved_at is not null or not $3)
                 and not exists (select 1 from unsubscribes u where u.email = a.email and u.category = $1)
               union
               select l.email
               from subscribers l
               where $5 and l.confirmed_at is not null
             ) readers
             where not exists (select 1 from suppressed_addresses s where s.email = readers.email)",
        )
        .bind(category)
        .bind(settings.require_email_verification)
        .bind(settings.access == Access::Families)
        .bind(audience.families())
        .bind(audience.mailing_list())
        .scalar()
        .await
}

/// Tells one address something that is not subject to categories: security mail, receipts, replies.
pub async fn tell(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &str,
    full_name: &str,
) -> Result<()> {
    tell_by(tx, app, notice, email, full_name, None).await.map(drop)
}

/// The same, once for that key, ever; returns the notification when it is new.
pub async fn tell_once(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &str,
    full_name: &str,
    once_key: &str,
) -> Result<Option<Uuid>> {
    tell_by(tx, app, notice, email, full_name, Some(once_key.to_owned())).await
}

async fn tell_by(
    tx: &mut Tx,
    app: &App,
    notice: Notice,
    email: &str,
    full_name: &str,
    once_key: Option<String>,
) -> Result<Option<Uuid>> {
    let now = app.clock.now();
    let Some(id) = insert(tx, now, &notice, None, once_key).await? else { return Ok(None) };
    tx.sql(
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, created_at, updated_at)
         values ($1, $2, $3, null, 'queued', 0, $4, $4, $4)",
    )
    .bind(id)
    .bind(email)
    .bind(full_name)
    .bind(now)
    .execute()
    .await?;
    jobs::enqueue(tx, app, &Deliver { notification_id: id }).await?;
    Ok(Some(id))
}

async fn insert(
    tx: &mut Tx,
    now: DateTime<Utc>,
    notice: &Notice,
    category: Option<Category>,
    once_key: Option<String>,
) -> Result<Option<Uuid>> {
    let id: Option<(Uuid,)> = tx
        .sql(
            "insert into notifications (id, kind, subject_id, once_key, category, data, created_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (once_key) do nothing
             returning id",
        )
        .bind(Uuid::now_v7())
        .bind(notice.kind)
        .bind(notice.subject_id)
        .bind(once_key)
        .bind(category)
        .bind(notice.data.to_string())
        .bind(now)
        .optional()
        .await?;
    Ok(id.map(|(id,)| id))
}

fn switched_on(settings: &Settings, category: Category) -> bool {
    settings.email_enabled
        && match category {
            Category::DailyVideos => settings.daily_reports,
            Category::CampUpdates => settings.live_updates,
            Category::General => true,
        }
}

/// How the mails of that kind about that subject are doing.
pub async fn tally(on: impl Into<On<'_>>, kind: &str, subject_id: Uuid) -> Result<Tally> {
    on.into().sql(
        "select
           cast(coalesce(sum(case when d.status in ('queued', 'sending') then 1 else 0 end), 0) as bigint) as queued,
           cast(coalesce(sum(case when d.status = 'sent' then 1 else 0 end), 0) as bigint) as sent,
           cast(coalesce(sum(case when d.status = 'failed' then 1 else 0 end), 0) as bigint) as failed,
           cast(coalesce(sum(case when d.status = 'suppressed' then 1 else 0 end), 0) as bigint) as suppressed
         from notifications n
         join deliveries d on d.notification_id = n.id
         where n.kind = $1 and n.subject_id = $2",
    )
    .bind(kind)
    .bind(subject_id)
    .one()
    .await
}

/// Puts the failed mails of that kind about that subject into the queue again; returns how many.
pub async fn retry(tx: &mut Tx, app: &App, kind: &str, subject_id: Uuid) -> Result<i64> {
    let again: Vec<(Uuid,)> = tx
        .sql(
            "update deliveries
             set status = 'queued', attempts = 0, due_at = $3, created_at = $3, updated_at = $3
             where status = 'failed'
               and notification_id in (select id from notifications where kind = $1 and subject_id = $2)
             returning notification_id",
        )
        .bind(kind)
        .bind(subject_id)
        .bind(app.clock.now())
        .all()
        .await?;
    if let Some((notification_id,)) = again.first() {
        jobs::enqueue(tx, app, &Deliver { notification_id: *notification_id }).await?;
    }
    Ok(again.len() as i64)
}

/// After this long without a sign of life a worker's claims are given back. Workers show
/// themselves every few seconds ([`beat`]).
const SILENT: TimeDelta = TimeDelta::seconds(12);

/// Shows that this process is alive.
pub async fn beat(app: &App) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.sql(
        "insert into worker_beats (worker, beat_at) values ($1, $2)
         on conflict (worker) do update set beat_at = excluded.beat_at",
    )
    .bind(app.process)
    .bind(now)
    .execute()
    .await?;
    tx.sql("delete from worker_beats where beat_at < $1")
        .bind(now - TimeDelta::hours(1))
        .execute()
        .await?;
    tx.commit().await
}

/// When a worker was last seen.
pub async fn last_beat(db: &Db) -> Result<Option<DateTime<Utc>>> {
    db.sql("select max(beat_at) from worker_beats").scalar().await
}

/// The safety net under the job queue: gives back what a dead worker had claimed, and wakes the
/// job for whatever is due and waits. Returns how many notifications were woken.
pub async fn sweep(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.sql(
        "update deliveries
         set status = 'queued', due_at = $1, updated_at = $1
         where status = 'sending'
           and (due_at <= $1
                or not exists (select 1 from worker_beats b
                               where b.worker = deliveries.claimed_by and b.beat_at > $2))",
    )
    .bind(now)
    .bind(now - SILENT)
    .execute()
    .await?;
    let waiting: Vec<(Uuid,)> = tx
        .sql(
            "select distinct d.notification_id from deliveries d
             where d.status = 'queued' and d.due_at <= $1
               -- somebody is at it already
               and not exists (select 1 from deliveries s
                               where s.notification_id = d.notification_id and s.status = 'sending')
             limit 100",
        )
        .bind(now - TimeDelta::seconds(2))
        .all()
        .await?;
    for (notification_id,) in &waiting {
        jobs::enqueue(&mut tx, app, &Deliver { notification_id: *notification_id }).await?;
    }
    tx.commit().await?;
    Ok(waiting.len())
}
