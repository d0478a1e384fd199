//! Who did what, when, to which record (decision S6). Ids only: names and addresses stay out.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::Result;
use crate::db::{Db, Tx};

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Staff(Uuid),
    User(Uuid),
    /// Somebody at the command line of the server.
    Operator,
    /// The worker.
    System,
    /// A stranger, for example at a refused sign-in.
    Nobody,
}

impl Actor {
    pub fn kind(self) -> &'static str {
        match self {
            Actor::Staff(_) => "staff",
            Actor::User(_) => "user",
            Actor::Operator => "operator",
            Actor::System => "system",
            Actor::Nobody => "nobody",
        }
    }

    pub fn id(self) -> Option<Uuid> {
        match self {
            Actor::Staff(id) | Actor::User(id) => Some(id),
            _ => None,
        }
    }

    pub fn staff_id(self) -> Option<Uuid> {
        match self {
            Actor::Staff(id) => Some(id),
            _ => None,
        }
    }
}

/// What it was done to.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    kind: &'static str,
    id: Option<Uuid>,
}

impl Subject {
    pub fn new(kind: &'static str, id: Uuid) -> Subject {
        Subject { kind, id: Some(id) }
    }

    pub fn none(kind: &'static str) -> Subject {
        Subject { kind, id: None }
    }
}

/// One line of the audit log.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = AuditEntry)]
pub struct Entry {
    pub id: Uuid,
    pub at: DateTime<Utc>,
    pub actor_kind: String,
    pub actor_id: Option<Uuid>,
    /// Of the staff account, while there is one.
    pub actor_name: Option<String>,
    pub action: String,
    pub subject_kind: String,
    pub subject_id: Option<Uuid>,
    /// Before and after, as JSON text.
    pub details: String,
}

/// Writes a line in the transaction of what it tells of, so that neither exists without the other.
pub async fn record(
    tx: &mut Tx,
    now: DateTime<Utc>,
    actor: Actor,
    action: &str,
    subject: Subject,
    details: Value,
) -> Result<()> {
    tx.sql(
        "insert into audit_log (id, at, actor_kind, actor_id, action, subject_kind, subject_id, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(Uuid::now_v7())
    .bind(now)
    .bind(actor.kind())
    .bind(actor.id())
    .bind(action)
    .bind(subject.kind)
    .bind(subject.id)
    .bind(details.to_string())
    .execute()
    .await?;
    Ok(())
}

macro_rules! entries {
    () => {
        "select l.id, l.at, l.actor_kind, l.actor_id, s.username as actor_name, l.action,
                l.subject_kind, l.subject_id, l.details
         from audit_log l
         left join staff s on s.id = l.actor_id and l.actor_kind = 'staff'
         where ($2 is null or l.id < $2) "
    };
}

/// The newest lines about one record, or about all, before the line `before`; at most `limit`.
/// Ids grow with time.
pub async fn newest(
    db: &Db,
    subject: Option<Uuid>,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Entry>> {
    // SQLite finds its way by an index only where nothing is optional.
    let text = match subject {
        Some(_) => concat!(entries!(), "and l.subject_id = $1 order by l.id desc limit $3"),
        None => concat!(entries!(), "and $1 is null order by l.id desc limit $3"),
    };
    db.sql(text).bind(subject).bind(before).bind(limit).all().await
}
