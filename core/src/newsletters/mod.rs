//! Newsletters: mail from the camp to families and to the mailing list (decision C3).

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::accounts::Staff;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
pub use crate::notifications::Audience;
use crate::notifications::{self, Category, MailKind, Notice, Notification, SampleWords, Tally};
use crate::pagination::{Page, PageRequest};
use crate::settings::Settings;
use crate::validation::Validator;
use crate::{App, Error, Result};

const SUBJECT: usize = 200;
const BODY: usize = 20_000;
/// The same text to the same recipients within this time is the same newsletter: a double click, or
/// a retry after a lost response.
const SAME: TimeDelta = TimeDelta::minutes(10);
const ANOTHER_TEXT: Error = Error::Conflict(
    "This newsletter was already sent, without your latest changes. You can find it in the list of newsletters. Send this version only if it should go out too.",
);
const NOT_FOUND: Error = Error::NotFound("Newsletter not found.");

#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewLetter)]
pub struct NewNewsletter {
    pub subject: String,
    /// Plain text; an empty line begins a new paragraph.
    pub body: String,
    pub audience: Audience,
    /// Only counts the recipients.
    #[serde(default)]
    pub preview: bool,
}

/// A newsletter that a member of the staff wants to get before others do.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TestLetter)]
pub struct TestNewsletter {
    pub subject: String,
    /// Plain text; an empty line begins a new paragraph.
    pub body: String,
}

/// A newsletter that was sent, or a preview of one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = LetterSent)]
pub struct Sent {
    /// The number of recipients.
    pub recipients: i64,
    /// Null for a preview.
    pub id: Option<Uuid>,
    /// When it goes out; empty for at once.
    pub mail_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SentLetter)]
pub struct Row {
    pub id: Uuid,
    pub subject: String,
    pub body: String,
    pub audience: Audience,
    pub created_at: DateTime<Utc>,
    /// User name of the sender.
    pub sent_by: Option<String>,
    pub deliveries: Tally,
}

/// Sends a newsletter, or counts its recipients. The caller chooses `key`, which identifies the
/// newsletter, so repeated calls send it once.
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::Conflict`] when there are no recipients, mail is switched off, or the key was
/// used for another text or audience.
pub async fn send(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    new: &NewNewsletter,
    key: Option<Uuid>,
) -> Result<Sent> {
    let reach = |tx| notifications::reach_all(tx, settings, Category::General, new.audience);
    let now = app.clock.now();
    let mail_at = settings.quiet_until(now);
    if new.preview {
        return Ok(Sent { recipients: reach(&mut *tx).await?, id: None, mail_at });
    }
    let TestNewsletter { subject, body } = checked(&new.subject, &new.body)?;
    tx.lock("letters").await?;
    if let Some((id, same)) = sent_before(tx, now, key, &subject, &body, new.audience).await? {
        if !same {
            return Err(ANOTHER_TEXT);
        }
        let tally = notifications::tally(&mut *tx, MailKind::Newsletter, id).await?;
        return Ok(Sent { recipients: tally.mailed(), id: Some(id), mail_at });
    }
    if reach(&mut *tx).await? == 0 {
        return Err(Error::Conflict(match settings.email_enabled {
            true => "No one would get this newsletter.",
            false => "Emails are turned off in the settings.",
        }));
    }
    let id = Uuid::now_v7();
    tx.sql(
        "insert into letters (id, subject, body, audience, sent_by, idempotency_key, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id)
    .bind(&subject)
    .bind(&body)
    .bind(new.audience)
    .bind(actor.staff_id())
    .bind(key)
    .bind(now)
    .execute()
    .await?;
    let notice = Notice::new(MailKind::Newsletter, id);
    let recipients =
        notifications::notify_all(tx, app, settings, notice, Category::General, new.audience)
            .await?;
    let details = json!({ "audience": new.audience, "recipients": recipients });
    let subject = Subject::new(SubjectKind::Letter, id);
    audit::record(tx, now, actor, Action::LetterSend, subject, details).await?;
    Ok(Sent { recipients, id: Some(id), mail_at })
}

/// Returns the newsletter that was sent with this key, or with this content a moment ago, and whether it has this
/// content.
async fn sent_before(
    tx: &mut Tx,
    now: DateTime<Utc>,
    key: Option<Uuid>,
    subject: &str,
    body: &str,
    audience: Audience,
) -> Result<Option<(Uuid, bool)>> {
    tx.sql(
        "select id, subject = $2 and body = $3 and audience = $4 as same from letters
         where idempotency_key = $1
            or (subject = $2 and body = $3 and audience = $4 and created_at > $5)
         order by case when idempotency_key = $1 then 0 else 1 end
         limit 1",
    )
    .bind(key)
    .bind(subject)
    .bind(body)
    .bind(audience)
    .bind(now - SAME)
    .optional()
    .await
}

/// Sends a newsletter to the member of the staff who writes it, and to nobody else.
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::TooManyTests`]
pub async fn send_test(
    tx: &mut Tx,
    app: &App,
    staff: &Staff,
    newsletter: &TestNewsletter,
) -> Result<()> {
    let data = json!(checked(&newsletter.subject, &newsletter.body)?);
    let to = (staff.id, &staff.email);
    notifications::notify_test(tx, app, MailKind::NewsletterTest, to, data).await?;
    let subject = Subject::none(SubjectKind::Letter);
    let actor = Actor::Staff(staff.id);
    audit::record(tx, app.clock.now(), actor, Action::LetterTest, subject, Value::Null).await
}

/// Subject and text as they are stored.
fn checked(subject: &str, body: &str) -> Result<TestNewsletter> {
    let mut checks = Validator::new();
    let subject = checks.line("subject", subject, SUBJECT);
    checks.require(!subject.is_empty(), "subject", "Please enter a subject.");
    let body = checks.block("body", body, BODY);
    checks.require(!body.is_empty(), "body", "Please write the newsletter first.");
    checks.done()?;
    Ok(TestNewsletter { subject, body })
}

/// Returns the sent newsletters, all or those to one audience, the newest first.
///
/// # Errors
///
/// [`Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn list(app: &App, audience: Option<Audience>, part: &PageRequest) -> Result<Page<Row>> {
    #[derive(sqlx::FromRow)]
    struct Found {
        id: Uuid,
        subject: String,
        body: String,
        audience: Audience,
        created_at: DateTime<Utc>,
        sent_by: Option<String>,
    }
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("letters")?;
    let rows: Vec<Found> = app
        .db
        .sql(
            "select l.id, l.subject, l.body, l.audience, l.created_at, s.username as sent_by
             from letters l
             left join staff s on s.id = l.sent_by
             where ($2 is null or (l.created_at, l.id) < ($2, $3))
               and (cast($4 as text) is null or l.audience = $4)
             order by l.created_at desc, l.id desc
             limit $1",
        )
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .bind(audience)
        .all()
        .await?;
    let page = part.page("letters", rows, |row| (row.created_at, row.id));
    let mut items = Vec::with_capacity(page.items.len());
    for Found { id, subject, body, audience, created_at, sent_by } in page.items {
        let deliveries = notifications::tally(&app.db, MailKind::Newsletter, id).await?;
        items.push(Row { id, subject, body, audience, created_at, sent_by, deliveries });
    }
    Ok(Page { items, next: page.next })
}

/// Queues the failed mails of a newsletter again. Returns how many.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such newsletter.
pub async fn retry(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<i64> {
    let letters: i64 =
        tx.sql("select count(*) from letters where id = $1").bind(id).scalar().await?;
    if letters == 0 {
        return Err(NOT_FOUND);
    }
    let queued = notifications::retry(tx, app, MailKind::Newsletter, id).await?;
    let details = json!({ "queued": queued });
    let subject = Subject::new(SubjectKind::Letter, id);
    audit::record(tx, app.clock.now(), actor, Action::LetterRetryMail, subject, details).await?;
    Ok(queued)
}

pub(crate) async fn mail_content(
    app: &App,
    notification: &Notification,
) -> Result<Option<notifications::MailContent>> {
    let found: Option<(String, String)> = app
        .db
        .sql("select subject, body from letters where id = $1")
        .bind(notification.subject_id)
        .optional()
        .await?;
    Ok(found.map(|(subject, body)| content(app, TestNewsletter { subject, body })))
}

/// Writes the mail that staff send to themselves. Returns `None` if its text was erased.
pub(crate) fn test_content(
    app: &App,
    notification: &Notification,
) -> Result<Option<notifications::MailContent>> {
    let newsletter: Option<TestNewsletter> =
        serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    Ok(newsletter.map(|newsletter| content(app, newsletter).marked_as_test()))
}

/// An invented newsletter.
pub(crate) fn sample(app: &App, words: &SampleWords) -> notifications::MailContent {
    let SampleWords { title, text, .. } = words;
    content(app, TestNewsletter { subject: title.clone(), body: text.clone() })
}

fn content(app: &App, newsletter: TestNewsletter) -> notifications::MailContent {
    let TestNewsletter { subject, body } = newsletter;
    notifications::MailContent {
        heading: subject.clone(),
        paragraphs: notifications::paragraphs(&body),
        linked: true,
        button: Some(notifications::Button { label: "Visit our site", url: app.url("/") }),
        subject,
        ..notifications::MailContent::default()
    }
}
