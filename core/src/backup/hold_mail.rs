//! Holds back mails of a restored camp that may have gone out already.
//!
//! A backup knows which mails had been sent when it was made. What waited then has probably been
//! sent since, by the camp that was lost: so it is held back, where staff see it and can send it
//! after all, and a video whose time has come since waits for somebody to publish it.

use chrono::{DateTime, Utc};

use crate::Result;
use crate::db::Tx;

/// What was held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Held {
    pub mails: u64,
    pub videos: u64,
}

/// `$1` is the moment of the restoration.
pub(super) const MAILS: &str = "update deliveries
    set status = 'failed', claimed_by = null, updated_at = $1,
        last_error = 'Held back when a backup was restored: it may have been sent already.'
    where status in ('queued', 'sending')";

pub(super) const VIDEOS: &str = "update videos
    set status = 'draft', scheduled_date = null, version = version + 1, updated_at = $1
    where status = 'scheduled' and scheduled_date <= $1";

pub(super) async fn hold(tx: &mut Tx, now: DateTime<Utc>) -> Result<Held> {
    Ok(Held {
        mails: tx.sql(MAILS).bind(now).execute().await?,
        videos: tx.sql(VIDEOS).bind(now).execute().await?,
    })
}
