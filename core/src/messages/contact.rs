//! The contact form: the message is stored, mailed to the camp and acknowledged to the sender.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::mail::Acknowledgment;
use super::{Department, SenderType};
use crate::accounts::User;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::events::{self, Event};
use crate::notifications::{self, MessageMail, Notice};
use crate::rate_limits::{self, Quota};
use crate::search_text::normalize;
use crate::validation::Validator;
use crate::{App, Result};

#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContactForm)]
pub struct NewMessage {
    pub name: String,
    pub email: String,
    pub child_name: Option<String>,
    pub subject: String,
    pub user_type: SenderType,
    pub department: Department,
    /// 1 to 5000 characters.
    pub message: String,
    /// A hidden field that only bots fill in.
    pub website: Option<String>,
}

/// The response to the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ReceivedMessage)]
pub struct Received {
    /// Whether the acknowledgment quotes the message. Otherwise it only says that a message
    /// arrived.
    pub copy_mailed: bool,
}

/// Stores a message. A bot that fills in every field gets the same response, but nothing is stored.
/// `user` is the signed-in user.
///
/// # Errors
///
/// [`crate::Error::Invalid`], [`crate::Error::TooMany`] above the limit of the sender or the sender's
/// network.
pub async fn receive(
    app: &App,
    new: &NewMessage,
    from: IpAddr,
    user: Option<&User>,
) -> Result<Received> {
    if new.website.as_deref().is_some_and(|website| !website.is_empty()) {
        return Ok(Received { copy_mailed: false });
    }
    let mut checks = Validator::new();
    let name = checks.line("name", &new.name, 120);
    checks.require(!name.is_empty(), "name", "Please enter your name.");
    let email = checks.email("email", &new.email);
    let child_name = checks.line("child_name", new.child_name.as_deref().unwrap_or_default(), 200);
    let subject = checks.line("subject", &new.subject, 200);
    checks.require(!subject.is_empty(), "subject", "Please enter a subject.");
    let message = checks.block("message", &new.message, 5000);
    checks.require(!message.is_empty(), "message", "Please write a message first.");
    let email = checks.done_with(email)?;
    rate_limits::count_network(app, rate_limits::CONTACT_BY_ADDRESS, from).await?;
    // Only a signed-in user's verified address gets a mail that quotes the input: nobody may use
    // the portal to send their own text to somebody else's mailbox.
    let proved = user.filter(|user| user.verified && user.email == email);
    count_sender(app, proved, &email, from).await?;
    let proved = proved.is_some();

    let settings = app.settings().await?;
    let now = app.clock.now();
    let id = Uuid::now_v7();
    let mut tx = app.db.begin().await?;
    tx.sql(
        "insert into messages
           (id, name, email, child_name, subject, user_type, department, message, status, spam,
            search_text, version, created_at, updated_at, sender_proved)
         values ($1, $2, $3, $4, $5, $6, $7, $8, 'unread', false, $9, 1, $10, $10, $11)",
    )
    .bind(id)
    .bind(&name)
    .bind(&email)
    .bind((!child_name.is_empty()).then(|| child_name.clone()))
    .bind(&subject)
    .bind(new.user_type)
    .bind(new.department)
    .bind(&message)
    .bind(searchable(&name, &email, &subject, &child_name))
    .bind(now)
    .bind(proved)
    .execute()
    .await?;
    notify_camp(&mut tx, app, id, &new.department.address(&settings)).await?;
    let data = json!(Acknowledgment { copy: proved });
    let notice = Notice { data, ..Notice::new(MessageMail::Received, id) };
    match proved {
        // The mail omits the name in either case.
        true => notifications::notify(&mut tx, app, notice, &email, "").await?,
        false => {
            notifications::notify_limited(&mut tx, app, notice, &email).await?.ignore_refusal()
        }
    }
    events::emit(&mut tx, now, Event::MessagesChanged);
    tx.commit().await?;
    Ok(Received { copy_mailed: proved })
}

async fn count_sender(
    app: &App,
    proved: Option<&User>,
    email: &EmailAddress,
    from: IpAddr,
) -> Result<()> {
    let (limit, sender) = match proved {
        Some(user) => (rate_limits::CONTACT_BY_USER, user.id.to_string()),
        None => (rate_limits::CONTACT_BY_SENDER, format!("{email} {}", rate_limits::network(from))),
    };
    rate_limits::count(app, limit, &sender).await
}

/// Notifies the camp of a message. Above the limit, one last mail says that more messages wait.
async fn notify_camp(tx: &mut Tx, app: &App, id: Uuid, camp: &EmailAddress) -> Result<()> {
    let limit = rate_limits::CONTACT_BY_MAILBOX;
    let kind = match rate_limits::count_own_mail(tx, app, limit, camp).await? {
        Quota::Within => MessageMail::Arrived,
        Quota::JustExceeded => MessageMail::MoreWait,
        Quota::Exceeded => return Ok(()),
    };
    notifications::notify(tx, app, Notice::new(kind, id), camp, "").await
}

#[derive(sqlx::FromRow)]
struct Sent {
    id: Uuid,
    subject: String,
    message: String,
    child_name: Option<String>,
    created_at: DateTime<Utc>,
}

/// Returns the messages from this address until then, with the camp's replies, for its owner.
pub(crate) async fn of_sender(
    app: &App,
    email: &EmailAddress,
    until: DateTime<Utc>,
) -> Result<Vec<Value>> {
    let rows: Vec<Sent> = app
        .db
        .sql(
            "select id, subject, message, child_name, created_at from messages
             where email = $1 and created_at <= $2 order by created_at, id",
        )
        .bind(email)
        .bind(until)
        .all()
        .await?;
    let replies: Vec<(Uuid, String, DateTime<Utc>)> = app
        .db
        .sql(
            "select r.message_id, r.body, r.created_at
             from message_replies r join messages m on m.id = r.message_id
             where m.email = $1 order by r.created_at, r.id",
        )
        .bind(email)
        .all()
        .await?;
    let told = rows.into_iter().map(|Sent { id, subject, message, child_name, created_at }| {
        let replies = replies.iter().filter(|(message, ..)| *message == id);
        let replies: Vec<Value> =
            replies.map(|(_, text, at)| json!({ "message": text, "created_at": at })).collect();
        json!({ "subject": subject, "message": message, "child_name": child_name, "created_at": created_at, "replies": replies })
    });
    Ok(told.collect())
}

pub(crate) fn searchable(name: &str, email: &str, subject: &str, child_name: &str) -> String {
    normalize(&format!("{name} {email} {subject} {child_name}"))
}
