//! Erases messages: when their senders are deleted, and all of them after two years.

use chrono::{DateTime, TimeDelta, Utc};

use crate::db::{Tx, Value};
use crate::email_address::EmailAddress;
use crate::events::{self, Event};
use crate::ids::UserId;
use crate::{App, Result};

/// Messages and their replies are deleted this long after the last change. The privacy page and the
/// README state the same period.
const RETENTION: TimeDelta = TimeDelta::days(730);

const REMOVED: &str = "The text was removed when the sender was deleted.";

/// Erases the content of messages from an address and of their replies. The rows stay, so that the
/// counts of the inbox stay correct.
pub(crate) async fn erase_sender(
    tx: &mut Tx,
    now: DateTime<Utc>,
    email: &EmailAddress,
) -> Result<()> {
    erase(tx, now, "email = $1", email).await
}

/// Like [`erase_sender`], for the addresses that a user had before, until the user left them.
pub(crate) async fn erase_of_former_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    user: UserId,
) -> Result<()> {
    let theirs = "exists (select 1 from former_addresses f
                   where f.user_id = $1 and f.email = messages.email
                     and messages.created_at <= f.left_at)";
    erase(tx, now, theirs, user).await
}

async fn erase<T: Value + Copy>(
    tx: &mut Tx,
    now: DateTime<Utc>,
    which: &'static str,
    value: T,
) -> Result<()> {
    tx.sql([
        "update message_replies set body = $2
         where message_id in (select id from messages where ",
        which,
        ")",
    ])
    .bind(value)
    .bind(REMOVED)
    .execute()
    .await?;
    let emptied = tx
        .sql([
            "update messages
             set name = 'Former member', email = '', child_name = null, subject = 'Removed message',
                 message = $2, draft = null, search_text = '', updated_at = $3,
                 status = case when status = 'unread' then 'read' else status end,
                 version = version + 1
             where ",
            which,
        ])
        .bind(value)
        .bind(REMOVED)
        .bind(now)
        .execute()
        .await?;
    if emptied > 0 {
        events::emit(tx, now, Event::MessagesChanged);
    }
    Ok(())
}

/// Deletes old messages. Runs hourly.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from messages where updated_at < $1")
        .bind(app.clock.now() - RETENTION)
        .execute()
        .await?;
    tx.commit().await
}
