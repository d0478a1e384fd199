//! The audit log: who did what, when, to which record (decision S6). It holds only ids. Names and
//! addresses are left out. For texts that people wrote, it says only that they changed. Only a
//! refused sign-in to an unknown account keeps a part of what was typed. Entries are never changed
//! or deleted.

mod actions;
mod export;
mod line;
mod log;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::Result;
use crate::db::Tx;
use crate::ids::{StaffId, UserId};

use actions::topic;
pub use actions::{Action, SubjectKind};
pub use export::export;
pub use line::Line;
pub use log::{ActorKind, Entry, Filter, Filters, StaffName, filters, list};

/// Who performed the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Staff(StaffId),
    User(UserId),
    /// Somebody on the server's command line.
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
            Actor::Staff(id) => Some(id.into()),
            Actor::User(id) => Some(id.into()),
            _ => None,
        }
    }

    pub fn staff_id(self) -> Option<StaffId> {
        match self {
            Actor::Staff(id) => Some(id),
            _ => None,
        }
    }
}

/// The record that the action applies to.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    kind: SubjectKind,
    id: Option<Uuid>,
}

impl Subject {
    pub fn new(kind: SubjectKind, id: impl Into<Uuid>) -> Subject {
        Subject { kind, id: Some(id.into()) }
    }

    pub(crate) fn none(kind: SubjectKind) -> Subject {
        Subject { kind, id: None }
    }
}

/// Adds a row to the log in the transaction of the action, so that neither exists without the
/// other.
pub(crate) async fn record(
    tx: &mut Tx,
    now: DateTime<Utc>,
    actor: Actor,
    action: Action,
    subject: Subject,
    details: Value,
) -> Result<()> {
    tx.sql(
        "insert into audit_log
           (id, at, actor_kind, actor_id, action, topic, subject_kind, subject_id, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(Uuid::now_v7())
    .bind(now)
    .bind(actor.kind())
    .bind(actor.id())
    .bind(action.text())
    .bind(action.topic())
    .bind(subject.kind.text())
    .bind(subject.id)
    .bind(details.to_string())
    .execute()
    .await?;
    Ok(())
}

/// A field before and after.
pub(crate) fn changed(before: impl Into<Value>, after: impl Into<Value>) -> Value {
    json!({ "before": before.into(), "after": after.into() })
}

/// Adds personal fields, without their values: only that they changed.
pub(crate) fn personal<const N: usize>(
    mut differences: Map<String, Value>,
    changed: [(&str, bool); N],
) -> Map<String, Value> {
    let changed = changed.into_iter().filter(|(_, differs)| *differs);
    differences.extend(changed.map(|(field, _)| (field.to_owned(), json!("changed"))));
    differences
}

/// The fields of a record that differ, each before and after.
pub(crate) fn differences(before: &Value, after: &Value) -> Map<String, Value> {
    let fields = after.as_object().into_iter().flatten();
    fields
        .filter(|(key, after)| before[*key] != **after)
        .map(|(key, after)| (key.clone(), changed(before[key].clone(), after.clone())))
        .collect()
}
