//! Replies of the staff, checked against newer replies of colleagues.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::inbox::{BODY, find, triage};
use super::{Message, NOT_FOUND, ReplyDelivery};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::events::{self, Event};
use crate::notifications::{self, MessageMail, Notice};
use crate::validation::Validator;
use crate::{App, Error, Result};

/// The same reply within this time counts as a double click.
const SAME: TimeDelta = TimeDelta::minutes(10);

#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewMessageReply)]
pub struct NewReply {
    pub body: String,
    /// The id of the last reply that the writer has seen; nothing when there was none.
    pub last_reply: Option<Uuid>,
    /// The draft that the writer has seen; nothing when there was none. It is dropped.
    pub draft: Option<String>,
}

/// Replies to the sender: stores the reply, deletes the draft and enqueues the mail, once. A second
/// click, with the same reply within ten minutes, changes nothing.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when the sender was deleted,
/// [`Error::Forestalled`] when somebody replied or started a draft that the writer has not seen.
pub async fn reply(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
    new: &NewReply,
) -> Result<Message> {
    let mut checks = Validator::new();
    let body = checks.block("body", &new.body, BODY);
    checks.require(!body.is_empty(), "body", "Please write a reply first.");
    checks.done()?;
    let now = app.clock.now();
    let before = triage(tx, id).await?;
    // Writing first locks the message, so that the second of two clicks sees the first.
    let held: Option<(String, String, Option<String>, bool)> = tx
        .sql(
            "update messages set updated_at = $2 where id = $1
             returning name, email, draft, sender_proved",
        )
        .bind(id)
        .bind(now)
        .optional()
        .await?;
    let (name, email, draft, proved) = held.ok_or(NOT_FOUND)?;
    if email.is_empty() {
        return Err(Error::Conflict(
            "The sender and their address were deleted, so there is no one to reply to.",
        ));
    }
    if is_sent_already(tx, id, new, &body, now - SAME).await? {
        return find(tx, id).await;
    }
    check_nothing_newer(tx, id, new, draft).await?;
    let reply_id = Uuid::now_v7();
    insert(tx, reply_id, id, &body, actor, now).await?;
    tx.sql(
        "update messages set status = 'replied', draft = null, version = version + 1 where id = $1",
    )
    .bind(id)
    .execute()
    .await?;
    let email = EmailAddress::checked_before(email);
    // The sender typed the name as well.
    let name = if proved { name.as_str() } else { "" };
    notifications::notify(tx, app, Notice::new(MessageMail::Reply, reply_id), &email, name).await?;
    let mut details = audit::differences(&json!(before), &json!(triage(tx, id).await?));
    details.insert("reply_id".into(), json!(reply_id));
    let (subject, details) = (Subject::new(SubjectKind::Message, id), Value::Object(details));
    audit::record(tx, now, actor, Action::MessageReply, subject, details).await?;
    events::emit(tx, now, Event::MessagesChanged);
    find(tx, id).await
}

async fn insert(
    tx: &mut Tx,
    id: Uuid,
    message_id: Uuid,
    body: &str,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<()> {
    tx.sql(
        "insert into message_replies (id, message_id, body, sent_by, created_at)
         values ($1, $2, $3, $4, $5)",
    )
    .bind(id)
    .bind(message_id)
    .bind(body)
    .bind(actor.staff_id())
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Whether the newest reply is the same, and the writer has not seen it: the second of two clicks.
async fn is_sent_already(
    tx: &mut Tx,
    id: Uuid,
    new: &NewReply,
    body: &str,
    since: DateTime<Utc>,
) -> Result<bool> {
    let newest: Option<(Uuid, String, DateTime<Utc>)> = tx
        .sql(
            "select id, body, created_at from message_replies
             where message_id = $1
             order by created_at desc, id desc limit 1",
        )
        .bind(id)
        .optional()
        .await?;
    Ok(newest.is_some_and(|(newest, said, at)| {
        said == body && at > since && new.last_reply != Some(newest)
    }))
}

/// Checks that the writer of a reply has seen everything that others wrote.
async fn check_nothing_newer(
    tx: &mut Tx,
    id: Uuid,
    new: &NewReply,
    draft: Option<String>,
) -> Result<()> {
    let last: Option<(Uuid, Option<String>)> = tx
        .sql(
            "select r.id, s.username from message_replies r
             left join staff s on s.id = r.sent_by
             where r.message_id = $1
             order by r.created_at desc, r.id desc limit 1",
        )
        .bind(id)
        .optional()
        .await?;
    let (last, who) = last.map_or((None, None), |(id, who)| (Some(id), who));
    if last.is_some() && new.last_reply != last {
        let who = who.unwrap_or("Someone else".to_owned());
        let text = format!("{who} already replied to this message.");
        return Err(Error::Forestalled { code: "answered", text });
    }
    if draft.is_some() && new.draft != draft {
        let text = "Someone else started a reply to this message.".to_owned();
        return Err(Error::Forestalled { code: "drafted", text });
    }
    Ok(())
}

/// Queues the failed mails of a message's replies again.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn retry(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<Message> {
    let failed: Vec<Uuid> = find(&mut *tx, id)
        .await?
        .replies
        .iter()
        .filter(|reply| reply.delivery == ReplyDelivery::Failed)
        .map(|reply| reply.id)
        .collect();
    let mut queued = 0;
    for reply_id in failed {
        queued += notifications::retry(tx, app, MessageMail::Reply.into(), reply_id).await?;
    }
    let details = json!({ "queued": queued });
    let subject = Subject::new(SubjectKind::Message, id);
    audit::record(tx, app.clock.now(), actor, Action::MessageRetryMail, subject, details).await?;
    find(tx, id).await
}
