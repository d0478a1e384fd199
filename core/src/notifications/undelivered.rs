//! Undelivered mail for staff: recent failures, and addresses that refused mail permanently.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{digest, retries, suppression};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, Tx};
use crate::email_address::EmailAddress;
use crate::pagination::{Page, PageRequest};
use crate::{App, Error, Result};

/// Older failures are not shown.
const LATELY: TimeDelta = TimeDelta::days(7);

/// Failures since this time, which is a full hour, need attention.
fn lately(now: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp(hour_of_lately(now) * 3600, 0).unwrap_or(now)
}

/// The same as the number of that hour in the tally `failed_mails`.
pub(crate) fn hour_of_lately(now: DateTime<Utc>) -> i64 {
    (now - LATELY).timestamp().div_euclid(3600)
}

/// Filters mails by their subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FailedMailAbout)]
pub enum About {
    Videos,
    Other,
}

/// A mail that could not be delivered.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct FailedMail {
    pub notification_id: Uuid,
    pub email: String,
    pub full_name: String,
    /// The kind of mail: `video`, `invitation`, `payment`, …
    pub kind: String,
    /// The title of the video, update, newsletter or message.
    pub title: Option<String>,
    /// As the mail server said.
    pub reason: Option<String>,
    pub failed_at: DateTime<Utc>,
    /// The family that it was for.
    pub family_id: Option<Uuid>,
    /// The address refused mail for good.
    pub refused: bool,
}

/// Identifies one mail.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MailRef {
    pub notification_id: Uuid,
    pub email: String,
}

/// An address in use that refused mail permanently.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct RefusedAddress {
    pub email: String,
    /// As the mail server said.
    pub reason: String,
    pub refused_at: DateTime<Utc>,
    pub family_id: Option<Uuid>,
    pub family_name: Option<String>,
    /// User name of the staff account that has it.
    pub staff: Option<String>,
    /// On the mailing list.
    pub subscriber: bool,
}

/// The title of what a mail is about, with the rows of [`MAIL_ABOUT`].
pub(super) const MAIL_TITLE: &str =
    "nullif(coalesce(v.title, l.subject, w.title, m.subject), '') as title";

/// Joins what the notification `n` is about.
pub(super) const MAIL_ABOUT: &str = "left join videos v on v.id = n.subject_id and n.kind = 'video'
     left join letters l on l.id = n.subject_id and n.kind = 'letter'
     left join live_updates w on w.id = n.subject_id and n.kind = 'update'
     left join message_replies r on r.id = n.subject_id and n.kind = 'message_reply'
     left join messages m on m.id = r.message_id ";

/// Joins the family `p` of the delivery `d`.
pub(super) const MAIL_FAMILY: &str = "left join profile_addresses a on a.email = d.email
     left join users u on u.email = d.email
     left join profiles p
       on p.id = coalesce(a.profile_id, u.profile_id,
                          case when n.kind in ('invitation', 'secondary_email')
                               then n.subject_id end,
                          d.profile_id)
      and p.deleted_at is null ";

/// Refused addresses that are in use. Once staff have corrected one, it is no longer listed.
const REFUSED_IN_USE: &str = "from suppressed_addresses s
         left join profile_addresses a on a.email = s.email
         left join users u on u.email = s.email
         left join profiles p on p.id = coalesce(a.profile_id, u.profile_id) and p.deleted_at is null
         left join staff t on t.email = s.email
         left join subscribers l on l.email = s.email and l.confirmed_at is not null
         where (p.id is not null or t.id is not null or l.id is not null) ";

/// Counts the rows of [`refused`].
pub(crate) async fn count_refused(db: &Db) -> Result<i64> {
    db.sql(["select count(*) ", REFUSED_IN_USE]).scalar().await
}

/// How many mails failed recently, as [`failed`] lists them.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct FailedCounts {
    #[sqlx(rename = "all_mails")]
    pub all: i64,
    pub about_videos: i64,
}

/// Counts the rows of [`failed`].
pub(crate) async fn count_failed(db: &Db, now: DateTime<Utc>) -> Result<FailedCounts> {
    db.sql(
        "select cast(coalesce(sum(t.total), 0) as bigint) as all_mails,
                cast(coalesce(sum(case when n.kind = 'video' then t.total end), 0) as bigint)
                  as about_videos
         from tallies t
         join notifications n on n.id = t.subject
         where t.name = 'failed_mails' and t.place >= $1",
    )
    .bind(hour_of_lately(now))
    .one()
    .await
}

/// Returns the mails that failed recently, the latest first. A digest is listed itself, not its
/// parts.
///
/// # Errors
///
/// [`Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn failed(
    app: &App,
    about: Option<About>,
    part: &PageRequest,
) -> Result<Page<FailedMail>> {
    let after: Option<(DateTime<Utc>, Uuid, String)> = part.after("failed mails")?;
    let (at, id, email) = match after {
        Some((at, id, email)) => (Some(at), Some(id), Some(email)),
        None => (None, None, None),
    };
    let rows: Vec<FailedMail> = app
        .db
        .sql([
            "select d.notification_id, d.email, d.full_name, n.kind,
                    ",
            MAIL_TITLE,
            ",
                    d.last_error as reason, d.updated_at as failed_at, p.id as family_id,
                    s.email is not null as refused
             from (select d.notification_id, d.email, d.full_name, d.profile_id, d.last_error, d.updated_at
                   from deliveries d
                   join notifications n on n.id = d.notification_id
                   where d.status = 'failed' and d.digest_id is null and d.updated_at >= $1
                     and ($2 is null or (n.kind = 'video') = $2)
                     and ($3 is null or (d.updated_at, d.notification_id, d.email) < ($3, $4, $5))
                   order by d.updated_at desc, d.notification_id desc, d.email desc
                   limit $6) d
             join notifications n on n.id = d.notification_id ",
            MAIL_ABOUT,
            MAIL_FAMILY,
            "left join suppressed_addresses s on s.email = d.email
             order by d.updated_at desc, d.notification_id desc, d.email desc",
        ])
        .bind(lately(app.clock.now()))
        .bind(about.map(|about| about == About::Videos))
        .bind(at)
        .bind(id)
        .bind(email)
        .bind(part.limit() + 1)
        .all()
        .await?;
    let place = |row: &FailedMail| (row.failed_at, row.notification_id, row.email.clone());
    Ok(part.page("failed mails", rows, place))
}

/// Sends failed mails again, even to addresses that refused mail permanently, because staff decided so. Mail
/// of a category goes to the present address of the family, if it is still wanted; other mail to the
/// same address. Returns how many are sent again.
///
/// # Errors
///
/// [`Error::Invalid`] on `mails` for more than 100.
pub async fn send_again(tx: &mut Tx, app: &App, actor: Actor, mails: &[MailRef]) -> Result<i64> {
    if mails.len() as i64 > crate::pagination::MAX_LIMIT {
        return Err(Error::invalid("mails", "Please send at most 100 emails at a time."));
    }
    let now = app.clock.now();
    let settings = app.settings().await?;
    let mut queued = 0;
    for MailRef { notification_id: id, email } in mails {
        let Some(email) = retries::retry_one(tx, app, &settings, *id, email).await? else {
            continue;
        };
        queued += 1;
        suppression::allow(tx, now, &email).await?;
        digest::retry(tx, &settings, *id, &email, now).await?;
    }
    if queued > 0 {
        let details = json!({ "queued": queued });
        audit::record(
            tx,
            now,
            actor,
            Action::MailSendAgain,
            Subject::none(SubjectKind::Mail),
            details,
        )
        .await?;
    }
    Ok(queued)
}

/// Returns the addresses that refused mail permanently, the latest first.
///
/// # Errors
///
/// [`Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn refused(db: &Db, part: &PageRequest) -> Result<Page<RefusedAddress>> {
    let after: Option<(DateTime<Utc>, String)> = part.after("refused addresses")?;
    let (at, email) = after.unzip();
    let rows: Vec<RefusedAddress> = db
        .sql([
            "select s.email, s.reason, s.created_at as refused_at, p.id as family_id,
                    p.full_name as family_name, t.username as staff,
                    l.id is not null as subscriber ",
            REFUSED_IN_USE,
            "and ($1 is null or (s.created_at, s.email) < ($1, $2))
             order by s.created_at desc, s.email desc
             limit $3",
        ])
        .bind(at)
        .bind(email)
        .bind(part.limit() + 1)
        .all()
        .await?;
    Ok(part.page("refused addresses", rows, |row| (row.refused_at, row.email.clone())))
}

/// Allows mail to an address that had refused it.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn let_through(tx: &mut Tx, app: &App, actor: Actor, typed: &str) -> Result<()> {
    let forms = EmailAddress::stored_forms(typed).into_iter().flatten();
    let mut allowed = None;
    for form in forms {
        if suppression::allow(tx, app.clock.now(), &form).await? {
            allowed = Some(form);
            break;
        }
    }
    let email = allowed.ok_or(Error::NotFound("Emails already go to this address."))?;
    let family: Option<(Uuid,)> = tx
        .sql(
            "select profile_id from profile_addresses where email = $1
             union select profile_id from users where email = $1",
        )
        .bind(&email)
        .optional()
        .await?;
    let subject = match family {
        Some((id,)) => Subject::new(SubjectKind::Profile, id),
        None => Subject::none(SubjectKind::Mail),
    };
    let details = json!({ "refused": audit::changed(true, false) });
    audit::record(tx, app.clock.now(), actor, Action::MailLetThrough, subject, details).await
}
