//! Publishes or deletes several videos at once, all or none.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{delete, publish};
use crate::audit::Actor;
use crate::{App, Error, Result};

const MAX_VIDEOS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BulkAction {
    Publish,
    Delete,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BulkDone {
    /// How many were published or deleted now, without those that already were.
    pub done: i64,
    /// How many will be published as soon as their files are ready.
    pub waiting: i64,
    /// How many mails were queued.
    pub notified: i64,
    /// When the mails go out; empty for at once.
    pub mail_at: Option<DateTime<Utc>>,
}

/// Publishes or deletes at most 100 videos in one transaction.
///
/// # Errors
///
/// [`Error::Invalid`] on `ids` for more, and those of [`publish`] and [`delete`].
pub async fn bulk(app: &App, actor: Actor, action: BulkAction, ids: &[Uuid]) -> Result<BulkDone> {
    if ids.len() > MAX_VIDEOS {
        return Err(Error::invalid("ids", "Please choose at most 100 videos."));
    }
    let settings = app.settings().await?;
    let mut done = BulkDone { done: 0, waiting: 0, notified: 0, mail_at: None };
    let mut tx = app.db.begin().await?;
    for &id in ids {
        match action {
            BulkAction::Publish => {
                let publication = publish(&mut tx, app, &settings, actor, id).await?;
                done.done += i64::from(publication.published);
                done.waiting += i64::from(publication.waits);
                done.notified += publication.notified;
            }
            BulkAction::Delete => {
                delete(&mut tx, app, actor, id).await?;
                done.done += 1;
            }
        }
    }
    tx.commit().await?;
    done.mail_at = settings.quiet_until(app.clock.now()).filter(|_| done.notified > 0);
    Ok(done)
}
