//! The inbox of the staff: reading and assigning messages.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Department, Message, NOT_FOUND, Reply, Status};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, On, Tx, with_ids};
use crate::events::{self, Event};
use crate::ids::StaffId;
use crate::pagination::{Page, PageRequest};
use crate::search_text::optional_pattern;
use crate::validation::{Validator, given};
use crate::{App, Error, Result};

pub(super) const BODY: usize = 10_000;

/// The filter of the inbox.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// In sender, subject and child's name.
    pub q: Option<String>,
    pub status: Option<Status>,
    pub department: Option<Department>,
    /// Only spam. Otherwise spam is left out.
    pub spam: bool,
    pub given: AssignmentFilter,
    pub order: Order,
    pub part: PageRequest,
}

/// Filters messages by assignee.
#[derive(Debug, Clone, Default)]
pub enum AssignmentFilter {
    #[default]
    Anybodys,
    /// Assigned to nobody.
    Nobodys,
    /// The user name of an account.
    To(String),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageOrder)]
pub enum Order {
    #[default]
    Newest,
    Oldest,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = MessageCounts)]
pub struct Counts {
    pub unread: i64,
    pub read: i64,
    pub replied: i64,
    pub spam: i64,
    /// Without spam.
    pub all: i64,
}

/// Changes to a message. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = MessagePatch)]
pub struct Changes {
    /// The version that was read, so that nobody else's draft is overwritten.
    pub version: Option<i64>,
    /// `unread` or `read`. A message with a reply stays `replied` when it is read.
    pub status: Option<Status>,
    pub spam: Option<bool>,
    /// User name of an active account, or null.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub assigned_to: Option<Option<String>>,
    /// An unfinished reply, or null.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub draft: Option<Option<String>>,
}

const MESSAGE: &str = "select m.id, m.name, m.email, m.child_name, m.subject, m.user_type, m.department, m.message,
                m.status, m.spam, m.sender_proved, a.username as assigned_to, m.created_at, m.draft, m.version
         from messages m
         left join staff a on a.id = m.assigned_to ";

/// The filter of the list. It ends before the comparison with the row of the cursor.
const WANTED: &str = "where m.spam = $1
               and (cast($2 as text) is null or m.search_text like $2 escape '\\')
               and (cast($3 as text) is null or m.status = $3)
               and (cast($4 as text) is null or m.department = $4)
               and (not $8 or m.assigned_to is null
                    or m.assigned_to in (select id from staff where disabled_at is not null))
               and (cast($9 as text) is null
                    or m.assigned_to = (select id from staff where username_folded = $9))
               and ($6 is null or (m.created_at, m.id) ";

/// Returns the messages that match the filter.
///
/// # Errors
///
/// [`Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn list(app: &App, filter: &Filter) -> Result<Page<Message>> {
    let (name, rest) = match filter.order {
        Order::Newest => ("messages", "< ($6, $7)) order by m.created_at desc, m.id desc limit $5"),
        Order::Oldest => ("oldest messages", "> ($6, $7)) order by m.created_at, m.id limit $5"),
    };
    let after: Option<(DateTime<Utc>, Uuid)> = filter.part.after(name)?;
    let given_to = match &filter.given {
        AssignmentFilter::To(username) => Some(username.trim().to_lowercase()),
        _ => None,
    };
    let rows: Vec<Message> = app
        .db
        .sql([MESSAGE, WANTED, rest])
        .bind(filter.spam)
        .bind(optional_pattern(filter.q.as_deref()))
        .bind(filter.status)
        .bind(filter.department)
        .bind(filter.part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .bind(matches!(filter.given, AssignmentFilter::Nobodys))
        .bind(given_to)
        .all()
        .await?;
    let mut page = filter.part.page(name, rows, |row| (row.created_at, row.id));
    load_replies(&app.db, &mut page.items).await?;
    Ok(page)
}

#[derive(sqlx::FromRow)]
struct Found {
    message_id: Uuid,
    #[sqlx(flatten)]
    reply: Reply,
}

/// Loads the replies of all messages in one query.
async fn load_replies(on: impl Into<On<'_>>, messages: &mut [Message]) -> Result<()> {
    let rows: Vec<Found> = on
        .into()
        .either(with_ids(
            ["select r.message_id, r.id, r.body, s.username as sent_by, r.created_at,
                    coalesce((select case when d.status in ('queued', 'sending') then 'queued'
                                          when d.status = 'sent' then 'sent'
                                          else 'failed' end
                              from notifications n
                              join deliveries d on d.notification_id = n.id
                              where n.kind = 'message_reply' and n.subject_id = r.id
                              limit 1), 'failed') as delivery
             from message_replies r
             left join staff s on s.id = r.sent_by
             where r.message_id in "],
            "$1",
            " order by r.created_at, r.id",
        ))
        .bind_ids(messages.iter().map(|message| message.id))
        .all()
        .await?;
    let mut replies: HashMap<Uuid, Vec<Reply>> = HashMap::new();
    for row in rows {
        replies.entry(row.message_id).or_default().push(row.reply);
    }
    for message in messages {
        message.replies = replies.remove(&message.id).unwrap_or_default();
    }
    Ok(())
}

/// Returns one message.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn find(on: impl Into<On<'_>>, id: Uuid) -> Result<Message> {
    let mut on = on.into();
    let mut message: Message =
        on.again().sql([MESSAGE, "where m.id = $1"]).bind(id).optional().await?.ok_or(NOT_FOUND)?;
    load_replies(on, std::slice::from_mut(&mut message)).await?;
    Ok(message)
}

/// Counts the messages of each kind.
pub async fn counts(db: &Db) -> Result<Counts> {
    db.sql(
        "select cast(coalesce(sum(case when kind = 'unread' then total end), 0) as bigint) as unread,
                cast(coalesce(sum(case when kind = 'read' then total end), 0) as bigint) as read,
                cast(coalesce(sum(case when kind = 'replied' then total end), 0) as bigint) as replied,
                cast(coalesce(sum(case when kind = 'spam' then total end), 0) as bigint) as spam,
                cast(coalesce(sum(case when kind <> 'spam' then total end), 0) as bigint) as \"all\"
         from tallies where name = 'messages'",
    )
    .one()
    .await
}

/// Marks or assigns a message, or saves a draft.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] also when the staff account to assign is not active,
/// [`Error::Stale`] when a version was given and the message changed since.
pub async fn change(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
    changes: &Changes,
) -> Result<Message> {
    let mut checks = Validator::new();
    if changes.status == Some(Status::Replied) {
        checks.refuse("status", "To mark a message as replied, send a reply.");
    }
    let draft = match &changes.draft {
        None => None,
        Some(text) => {
            let text = checks.block("draft", text.as_deref().unwrap_or_default(), BODY);
            Some((!text.is_empty()).then_some(text))
        }
    };
    checks.done()?;
    let assigned_to = match &changes.assigned_to {
        Some(Some(username)) => Some(Some(active_staff(tx, username).await?)),
        Some(None) => Some(None),
        None => None,
    };
    let now = app.clock.now();
    let before = triage(tx, id).await?;
    let changed = tx
        .sql(
            "update messages set
               status = case when $3 = 'unread' then 'unread'
                             when $3 = 'read' and exists (select 1 from message_replies r
                                                          where r.message_id = messages.id) then 'replied'
                             when $3 = 'read' then 'read'
                             else status end,
               spam = coalesce($4, spam),
               assigned_to = case when $5 then $6 else assigned_to end,
               draft = case when $7 then $8 else draft end,
               version = version + 1, updated_at = $9
             where id = $1 and ($2 is null or version = $2)",
        )
        .bind(id)
        .bind(changes.version)
        .bind(changes.status)
        .bind(changes.spam)
        .bind(assigned_to.is_some())
        .bind(assigned_to.flatten())
        .bind(draft.is_some())
        .bind(draft.flatten())
        .bind(now)
        .execute()
        .await?;
    let message = find(&mut *tx, id).await?;
    if changed == 0 {
        return Err(Error::Stale);
    }
    if changes.status.is_some() || changes.spam.is_some() {
        events::emit(tx, now, Event::MessagesChanged);
    }
    // The text of a draft stays out of the audit log.
    let details = audit::differences(&json!(before), &json!(triage(tx, id).await?));
    if !details.is_empty() {
        let subject = Subject::new(SubjectKind::Message, id);
        audit::record(tx, now, actor, Action::MessageChange, subject, Value::Object(details))
            .await?;
    }
    Ok(message)
}

/// The fields that staff decide, as recorded in the audit log.
#[derive(Serialize, sqlx::FromRow)]
pub(super) struct Triage {
    status: Status,
    department: Department,
    spam: bool,
    assigned_to: Option<StaffId>,
}

pub(super) async fn triage(tx: &mut Tx, id: Uuid) -> Result<Triage> {
    tx.sql("select status, department, spam, assigned_to from messages where id = $1")
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)
}

async fn active_staff(tx: &mut Tx, username: &str) -> Result<StaffId> {
    let found: Option<(StaffId,)> = tx
        .sql("select id from staff where username_folded = $1 and disabled_at is null")
        .bind(username.trim().to_lowercase())
        .optional()
        .await?;
    match found {
        Some((id,)) => Ok(id),
        None => Err(Error::invalid("assigned_to", "There is no active account with this name.")),
    }
}

/// Deletes a message with its replies.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let mut details = json!(triage(tx, id).await?);
    details["replies"] = tx
        .sql("select count(*) from message_replies where message_id = $1")
        .bind(id)
        .scalar::<i64>()
        .await?
        .into();
    if tx.sql("delete from messages where id = $1").bind(id).execute().await? == 0 {
        return Err(NOT_FOUND);
    }
    let subject = Subject::new(SubjectKind::Message, id);
    audit::record(tx, app.clock.now(), actor, Action::MessageDelete, subject, details).await?;
    events::emit(tx, app.clock.now(), Event::MessagesChanged);
    Ok(())
}
