//! Mails that were withdrawn before they were sent because their subject was gone, and that go out
//! once it is back.

use uuid::Uuid;

use super::enqueue::once_key;
use super::reach::switched_on;
use super::suppression::{FAMILY_READERS, REFUSED};
use super::{Category, Deliver, Notice};
use crate::access::Access;
use crate::db::{On, Query, Sql, Tx};
use crate::settings::Settings;
use crate::{App, Result, jobs};

/// Queues the withdrawn mails of a notification again, for those who still want them. Returns how many.
pub(crate) async fn queue_withdrawn(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    notice: &Notice,
    category: Category,
) -> Result<i64> {
    let Some(id) = find(&mut *tx, settings, notice, category).await? else { return Ok(0) };
    let again = "update deliveries
         set status = 'queued', last_error = null, digest_id = null, attempts = 0, due_at = $5,
             created_at = $5, updated_at = $5, first_tried_at = null";
    let queued = withdrawn(On::from(&mut *tx), again, settings, category, id)
        .bind(app.clock.now())
        .execute()
        .await?;
    if queued > 0 {
        tx.sql(
            "update notifications set sent = null, failed = null, suppressed = null where id = $1",
        )
        .bind(id)
        .execute()
        .await?;
        jobs::enqueue(tx, app, &Deliver { notification_id: id }).await?;
    }
    Ok(queued as i64)
}

/// Counts the mails that [`queue_withdrawn`] would queue now.
pub(crate) async fn count_withdrawn(
    on: impl Into<On<'_>>,
    settings: &Settings,
    notice: &Notice,
    category: Category,
) -> Result<i64> {
    let mut on = on.into();
    let Some(id) = find(on.again(), settings, notice, category).await? else { return Ok(0) };
    withdrawn(on, "select count(*) from deliveries", settings, category, id).scalar().await
}

/// Does something with the withdrawn mails of a notification that are still wanted.
fn withdrawn<'c>(
    on: On<'c>,
    does: &'static str,
    settings: &Settings,
    category: Category,
    id: Uuid,
) -> Query<'c> {
    on.sql(Sql::from([
        does,
        " where notification_id = $4 and status = 'suppressed' and last_error = 'withdrawn'
            and email in (select a.email from (",
        FAMILY_READERS,
        ") a where a.profile_id = deliveries.profile_id and not ",
        REFUSED,
        ")",
    ]))
    .bind(category)
    .bind(settings.require_email_verification)
    .bind(settings.access == Access::Families)
    .bind(id)
}

/// The notification, unless mail of its category is switched off.
async fn find(
    on: impl Into<On<'_>>,
    settings: &Settings,
    notice: &Notice,
    category: Category,
) -> Result<Option<Uuid>> {
    if !switched_on(settings, category) {
        return Ok(None);
    }
    let found: Option<(Uuid,)> = on
        .into()
        .sql("select id from notifications where once_key = $1")
        .bind(once_key(notice))
        .optional()
        .await?;
    Ok(found.map(|(id,)| id))
}
