//! Holds back mails of a restored camp that may have been sent already.
//!
//! A backup records which mails had been sent when it was made. Mails that waited then have
//! probably been sent since by the lost camp. So they are held back. Staff see them and can send
//! them. A video that became due in the meantime waits for staff to publish it.

use chrono::{DateTime, Utc};

use crate::Result;
use crate::db::Tx;
use crate::notifications::sent;

/// The number of mails and videos that were held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Held {
    pub mails: u64,
    pub videos: u64,
}

/// Marks the mails that were noted as sent when the backup was made. PostgreSQL's own programs run
/// this. Databases of earlier versions have no notes. On SQLite, [`sent::mark_all_noted`] does the
/// same.
pub(super) const NOTED_ON_POSTGRES: &str = "do $$ begin
   if to_regclass('sent_mails') is not null then
     update deliveries d
     set status = 'sent', attempts = attempts + 1, last_error = null, updated_at = s.sent_at, sent_at = s.sent_at
     from sent_mails s, jsonb_array_elements_text(cast(s.emails as jsonb)) as noted (email)
     where d.notification_id = s.notification_id and d.email = noted.email
       and d.status in ('queued', 'suppressed');
     delete from sent_mails;
   end if;
 end $$;";

/// `$1` is the time of the restore.
pub(super) const MAILS: &str = "update deliveries
    set status = 'failed', claimed_by = null, updated_at = $1,
        last_error = 'Held back when a backup was restored: it may have been sent already.'
    where status in ('queued', 'sending')";

pub(super) const VIDEOS: &str = "update videos
    set status = 'draft', scheduled_date = null, version = version + 1, updated_at = $1
    where status = 'scheduled' and scheduled_date <= $1";

pub(super) async fn hold(tx: &mut Tx, now: DateTime<Utc>) -> Result<Held> {
    sent::mark_all_noted(tx).await?;
    Ok(Held {
        mails: tx.sql(MAILS).bind(now).execute().await?,
        videos: tx.sql(VIDEOS).bind(now).execute().await?,
    })
}
