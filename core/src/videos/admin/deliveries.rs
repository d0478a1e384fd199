//! The mails about a video: how many were sent, and sending failed ones again.

use serde_json::json;
use uuid::Uuid;

use super::find::must_exist;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::notifications::{self, MailKind, Tally};
use crate::{App, Result};

/// Returns the delivery counts of a video's mails.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn deliveries(app: &App, id: Uuid) -> Result<Tally> {
    must_exist(&app.db, id).await?;
    notifications::tally(&app.db, MailKind::Video, id).await
}

/// Queues the failed mails about a video again. Returns how many.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn retry_deliveries(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<i64> {
    must_exist(&mut *tx, id).await?;
    let queued = notifications::retry(tx, app, MailKind::Video, id).await?;
    let details = json!({ "queued": queued });
    let subject = Subject::new(SubjectKind::Video, id);
    audit::record(tx, app.clock.now(), actor, Action::VideoRetryMail, subject, details).await?;
    Ok(queued)
}
