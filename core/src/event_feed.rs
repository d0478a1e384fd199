//! Reads the events for open pages, as server-sent events (decision U1). Each API process reads new
//! rows a few times a second and sends them on.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::access::{Access, Viewer};
use crate::comments::Comment;
use crate::db::Db;
use crate::updates::{LiveUpdate, Priority};
use crate::{App, Result};

/// An event as open pages receive it: its name and the content of its `data` line.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "event", content = "data")]
pub enum ServerEvent {
    /// The first event of every stream: the number of the last event that the page knows.
    #[serde(rename = "hello")]
    Hello { id: i64 },
    /// Events were missed. The page reloads everything.
    #[serde(rename = "reset")]
    Reset {},
    #[serde(rename = "update.created")]
    UpdateCreated(CreatedUpdate),
    #[serde(rename = "update.changed")]
    UpdateChanged(LiveUpdate),
    #[serde(rename = "update.removed")]
    UpdateRemoved { id: Uuid },
    #[serde(rename = "video.published")]
    VideoPublished {
        id: Uuid,
        title: String,
        published_at: DateTime<Utc>,
        /// Browser notifications wait until then.
        #[serde(skip_serializing_if = "Option::is_none")]
        quiet_until: Option<DateTime<Utc>>,
    },
    #[serde(rename = "video.changed")]
    VideoChanged { id: Uuid },
    #[serde(rename = "comment.created")]
    CommentCreated { video_id: Uuid, comment: Comment },
    #[serde(rename = "comment.removed")]
    CommentRemoved { video_id: Uuid, id: Uuid },
    /// For staff only.
    #[serde(rename = "messages.changed")]
    MessagesChanged { unread: i64 },
    /// For staff only.
    #[serde(rename = "site.changed")]
    SiteChanged {},
}

/// An update that was posted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CreatedUpdate {
    #[serde(flatten)]
    pub update: LiveUpdate,
    /// Browser notifications wait until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_until: Option<DateTime<Utc>>,
}

impl ServerEvent {
    /// The content of the event's `data` line.
    pub fn data(&self) -> Option<Value> {
        serde_json::to_value(self).ok()?.get_mut("data").map(Value::take)
    }
}

/// An event read from its table.
#[derive(Debug)]
pub struct StoredEvent {
    pub id: i64,
    pub kind: String,
    /// `None` when the record no longer exists or may no longer be shown.
    pub data: Option<Value>,
}

impl StoredEvent {
    /// Decides who receives an event (safety 14). Nothing else does.
    pub fn is_for(&self, viewer: &Viewer, access: Access) -> bool {
        match self.kind.as_str() {
            "messages.changed" | "site.changed" => viewer.staff_id.is_some(),
            _ => viewer.may_watch(access),
        }
    }
}

/// Returns the number of the newest event.
pub async fn newest(db: &Db) -> Result<i64> {
    db.sql("select coalesce(max(id), 0) from events").scalar().await
}

/// Returns at most `limit` events after this number, the oldest first, with the current content of
/// their records.
///
/// Numbers have no gaps. If the first number is not the next one, the events before it have been
/// deleted.
pub async fn since(app: &App, after: i64, limit: i64) -> Result<Vec<StoredEvent>> {
    let now = app.clock.now();
    let rows: Vec<Row> = app
        .db
        .sql(
            "select e.id, e.kind, e.video_id, e.subject_id,
                    coalesce(u.title, v.title) as title,
                    coalesce(u.message, c.content) as content,
                    coalesce(u.author, c.author_name) as author,
                    coalesce(u.created_at, c.created_at) as created_at, v.published_at,
                    u.priority, u.pinned_until, u.urgent,
                    case when e.kind = 'messages.changed'
                         then (select count(*) from messages where status = 'unread' and not spam)
                    end as unread
             from events e
             left join live_updates u
               on e.kind in ('update.created', 'update.changed')
              and u.id = e.subject_id
              and u.is_active
              and (u.expires_at is null or u.expires_at > $3)
             left join videos v
               on e.kind in ('video.published', 'comment.created')
              and v.id = e.video_id
              and v.status = 'published'
             left join video_comments c
               on e.kind = 'comment.created'
              and c.id = e.subject_id
              and c.hidden_at is null
             where e.id > $1
             order by e.id
             limit $2",
        )
        .bind(after)
        .bind(limit)
        .bind(now)
        .all()
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let quiet_until = app.settings().await?.quiet_until(now);
    Ok(rows.into_iter().map(|row| row.into_stored(quiet_until)).collect())
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    kind: String,
    video_id: Option<Uuid>,
    subject_id: Option<Uuid>,
    unread: Option<i64>,
    title: Option<String>,
    content: Option<String>,
    author: Option<String>,
    created_at: Option<DateTime<Utc>>,
    published_at: Option<DateTime<Utc>>,
    priority: Option<Priority>,
    pinned_until: Option<DateTime<Utc>>,
    urgent: Option<bool>,
}

impl Row {
    fn into_stored(self, quiet_until: Option<DateTime<Utc>>) -> StoredEvent {
        let (id, kind) = (self.id, self.kind.clone());
        StoredEvent { id, kind, data: self.event(quiet_until).and_then(|event| event.data()) }
    }

    fn event(self, quiet_until: Option<DateTime<Utc>>) -> Option<ServerEvent> {
        let (video_id, subject_id) = (self.video_id, self.subject_id);
        match self.kind.as_str() {
            "update.created" => {
                let quiet_until = quiet_until.filter(|_| self.urgent != Some(true));
                let update = self.update()?;
                Some(ServerEvent::UpdateCreated(CreatedUpdate { update, quiet_until }))
            }
            "update.changed" => Some(ServerEvent::UpdateChanged(self.update()?)),
            "update.removed" => Some(ServerEvent::UpdateRemoved { id: subject_id? }),
            "video.published" => Some(ServerEvent::VideoPublished {
                id: video_id?,
                title: self.title?,
                published_at: self.published_at?,
                quiet_until,
            }),
            "video.changed" => Some(ServerEvent::VideoChanged { id: video_id? }),
            "comment.created" => {
                // Only for a published video. The title is not sent.
                self.title?;
                let comment = Comment {
                    id: subject_id?,
                    author_name: self.author?,
                    content: self.content?,
                    created_at: self.created_at?,
                    mine: false,
                    held: false,
                };
                Some(ServerEvent::CommentCreated { video_id: video_id?, comment })
            }
            "comment.removed" => {
                Some(ServerEvent::CommentRemoved { video_id: video_id?, id: subject_id? })
            }
            "messages.changed" => Some(ServerEvent::MessagesChanged { unread: self.unread? }),
            "site.changed" => Some(ServerEvent::SiteChanged {}),
            _ => None,
        }
    }

    fn update(self) -> Option<LiveUpdate> {
        Some(LiveUpdate {
            id: self.subject_id?,
            title: self.title?,
            message: self.content?,
            author: self.author?,
            priority: self.priority?,
            created_at: self.created_at?,
            pinned_until: self.pinned_until,
        })
    }
}

/// Deletes events older than two days. A page that was away longer reloads everything. The newest
/// event stays, because the next number follows from it.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from events where created_at < $1 and id < (select max(id) from events)")
        .bind(app.clock.now() - TimeDelta::days(2))
        .execute()
        .await?;
    tx.commit().await
}
