//! Events for open pages (decision U1): updates, videos and comments for everybody who may watch,
//! the inbox for staff.
//!
//! An event is a row that is written in the transaction that causes it, in any process. The
//! module `event_feed` reads them.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use tokio::sync::watch;
use uuid::Uuid;

use crate::Result;
use crate::db::Tx;

/// A change that open pages should know about.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    UpdateCreated(Uuid),
    /// Changed, or visible again.
    UpdateChanged(Uuid),
    UpdateRemoved(Uuid),
    /// Published for the first time and in the current year. Families get mail about it.
    VideoPublished(Uuid),
    /// Any other change of a video that is published, or was until now.
    VideoChanged(Uuid),
    /// Written, or visible again.
    CommentCreated {
        video_id: Uuid,
        id: Uuid,
    },
    CommentRemoved {
        video_id: Uuid,
        id: Uuid,
    },
    /// The staff's inbox changed.
    MessagesChanged,
    /// The settings changed.
    SiteChanged,
}

/// Changes when a transaction of this process has committed events, of whichever database.
static COMMITTED: LazyLock<watch::Sender<()>> = LazyLock::new(|| watch::Sender::new(()));

/// Tells when this process has committed events, so that readers learn of them at once. Events of
/// other processes are found only by reading.
pub fn committed() -> watch::Receiver<()> {
    COMMITTED.subscribe()
}

/// Writes an event in the transaction that causes it. It gets its number just before the commit:
/// from then on no other transaction can write events, so the numbers grow in the order of the
/// commits.
pub fn emit(tx: &mut Tx, now: DateTime<Utc>, event: Event) {
    tx.before_commit(move |tx| Box::pin(number(tx, now, event)));
    tx.after_commit(|| COMMITTED.send_replace(()));
}

async fn number(tx: &mut Tx, now: DateTime<Utc>, event: Event) -> Result<()> {
    tx.lock("events").await?;
    let (kind, video_id, subject_id) = event.columns();
    tx.sql(
        "insert into events (id, kind, video_id, subject_id, created_at)
         select coalesce(max(id), 0) + 1, $1, $2, $3, $4 from events",
    )
    .bind(kind)
    .bind(video_id)
    .bind(subject_id)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

impl Event {
    /// Kind, video, and update or comment.
    fn columns(self) -> (&'static str, Option<Uuid>, Option<Uuid>) {
        use Event::*;
        match self {
            UpdateCreated(id) => ("update.created", None, Some(id)),
            UpdateChanged(id) => ("update.changed", None, Some(id)),
            UpdateRemoved(id) => ("update.removed", None, Some(id)),
            VideoPublished(id) => ("video.published", Some(id), None),
            VideoChanged(id) => ("video.changed", Some(id), None),
            CommentCreated { video_id, id } => ("comment.created", Some(video_id), Some(id)),
            CommentRemoved { video_id, id } => ("comment.removed", Some(video_id), Some(id)),
            MessagesChanged => ("messages.changed", None, None),
            SiteChanged => ("site.changed", None, None),
        }
    }
}
