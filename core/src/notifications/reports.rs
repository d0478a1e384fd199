//! Bounces and complaints: what other mail servers reported after a mail had been accepted.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::suppression;
use super::undelivered::{MAIL_ABOUT, MAIL_FAMILY, MAIL_TITLE};
use crate::db::{Db, Tx};
use crate::email_address::EmailAddress;
use crate::pagination::{Page, PageRequest};
use crate::{App, Result};

/// How long reports are kept and shown. Reports about older mails are not believed either, so that
/// one that was deleted cannot have an effect a second time.
pub(crate) const RETENTION: TimeDelta = TimeDelta::days(90);

/// What a report means for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = MailReportKind)]
pub enum Kind {
    /// The address takes no mail.
    Hard,
    /// The address takes no mail for now.
    Soft,
    /// The mail was refused, not the address.
    Blocked,
    /// The recipient marked the mail as spam.
    Complaint,
}

/// Why, as far as the report says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = MailReportCause)]
pub enum Cause {
    NoSuchAddress,
    NoSuchDomain,
    Disabled,
    MailboxFull,
    /// The other mail server does not answer, or asks to try later.
    Unreachable,
    /// Taken for spam, or against a rule of the other mail server.
    Policy,
    /// Too large, or in a form that the other mail server does not take.
    Content,
    /// An address to which the mailbox forwards took no mail.
    Forwarding,
    Spam,
    Other,
}

/// A report, for staff.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct MailReport {
    pub id: Uuid,
    pub email: String,
    pub full_name: String,
    pub kind: Kind,
    pub cause: Cause,
    /// The reason in the words of the other mail server.
    pub reason: String,
    /// The kind of mail: `video`, `invitation`, `payment`, …
    pub mail: String,
    /// The title of the video, update, newsletter or message.
    pub title: Option<String>,
    pub reported_at: DateTime<Utc>,
    /// The family that has the address.
    pub family_id: Option<Uuid>,
    /// The address gets no mail now.
    pub refused: bool,
}

/// A report to store.
pub(crate) struct NewReport<'a> {
    pub notification_id: Uuid,
    pub email: &'a EmailAddress,
    pub kind: Kind,
    pub cause: Cause,
    pub reason: &'a str,
    /// How it came.
    pub source: &'static str,
    /// Whether it has no effect, because staff have allowed mail to the address since.
    pub is_late: bool,
}

/// Stores a report. Returns whether it is the first of its kind about this mail.
pub(crate) async fn insert(
    tx: &mut Tx,
    now: DateTime<Utc>,
    report: &NewReport<'_>,
) -> Result<bool> {
    let inserted = tx
        .sql(
            "insert into mail_reports
               (id, notification_id, email, kind, cause, reason, source, reported_at, counted_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (notification_id, email, kind) do nothing",
        )
        .bind(Uuid::now_v7())
        .bind(report.notification_id)
        .bind(report.email)
        .bind(report.kind)
        .bind(report.cause)
        .bind(report.reason)
        .bind(report.source)
        .bind(now)
        .bind(report.is_late.then_some(now))
        .execute()
        .await?;
    Ok(inserted > 0)
}

/// The times at which mail to an address came back for the time being, without those that have
/// already stopped mail to it.
pub(crate) async fn soft_since(
    tx: &mut Tx,
    email: &EmailAddress,
    since: DateTime<Utc>,
) -> Result<Vec<DateTime<Utc>>> {
    let rows: Vec<(DateTime<Utc>,)> = tx
        .sql(
            "select reported_at from mail_reports
             where email = $1 and kind = 'soft' and counted_at is null and reported_at > $2
             order by reported_at desc
             limit 1000",
        )
        .bind(email)
        .bind(since)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(at,)| at).collect())
}

/// Marks what stopped mail to an address, so that it does not do so again after staff allowed mail.
pub(crate) async fn mark_counted(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
) -> Result<()> {
    tx.sql(
        "update mail_reports set counted_at = $2
         where email = $1 and kind = 'soft' and counted_at is null",
    )
    .bind(email)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// How many mails came back, and how many recipients complained, since a time.
pub(crate) async fn count_since(db: &Db, since: DateTime<Utc>) -> Result<(i64, i64)> {
    db.sql(
        "select count(case when kind in ('hard', 'blocked') then 1 end) as bounces,
                count(case when kind = 'complaint' then 1 end) as complaints
         from mail_reports
         where reported_at > $1",
    )
    .bind(since)
    .one()
    .await
}

/// Whether any report came recently.
pub(crate) async fn is_any(db: &Db) -> Result<bool> {
    db.sql("select exists (select 1 from mail_reports)").scalar().await
}

/// Returns bounces and complaints, the newest first.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn list(app: &App, part: &PageRequest) -> Result<Page<MailReport>> {
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("mail reports")?;
    let (at, id) = after.unzip();
    let rows: Vec<MailReport> = app
        .db
        .sql([
            "select b.id, b.email, d.full_name, b.kind, b.cause, b.reason, n.kind as mail, ",
            MAIL_TITLE,
            ", b.reported_at, p.id as family_id, s.email is not null as refused
             from mail_reports b
             join deliveries d on d.notification_id = b.notification_id and d.email = b.email
             join notifications n on n.id = d.notification_id ",
            MAIL_ABOUT,
            MAIL_FAMILY,
            "left join suppressed_addresses s on s.email = d.email
             where b.reported_at > $4
               and ($1 is null or (b.reported_at, b.id) < ($1, $2))
             order by b.reported_at desc, b.id desc
             limit $3",
        ])
        .bind(at)
        .bind(id)
        .bind(part.limit() + 1)
        .bind(app.clock.now() - RETENTION)
        .all()
        .await?;
    Ok(part.page("mail reports", rows, |row| (row.reported_at, row.id)))
}

/// Deletes old reports. Runs hourly.
///
/// # Errors
///
/// Only those of the database.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from mail_reports where reported_at < $1")
        .bind(app.clock.now() - RETENTION)
        .execute()
        .await?;
    suppression::prune(&mut tx, app.clock.now() - RETENTION).await?;
    tx.commit().await
}
