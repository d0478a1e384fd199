//! Mail notifications: one row per notification and one per recipient, written in the transaction
//! that causes them. The job [`Deliver`] sends them.

mod addresses;
pub mod digest;
mod digest_words;
mod enqueue;
mod erasure;
mod kind;
mod late;
pub(crate) mod lease;
mod mail_content;
mod moves;
mod reach;
mod readers;
mod reason;
mod recovery;
pub mod reports;
mod retries;
mod sample_words;
pub(crate) mod sent;
pub(crate) mod suppression;
mod text_block;
pub mod undelivered;
mod withdrawn;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub(crate) use addresses::follow_addresses;
pub(crate) use digest_words::digest_content;
pub(crate) use enqueue::notify_at;
pub use enqueue::{Limited, notify};
pub(crate) use enqueue::{
    notify_all, notify_families, notify_family_once, notify_late_video, notify_limited,
    notify_once, notify_requested, notify_test,
};
pub use erasure::erase_old;
pub(crate) use erasure::{erase_about, erase_address, erase_of_former_addresses, erase_staff};
pub use kind::{AccountMail, MailKind, MessageMail};
pub(crate) use late::{LATE, late};
pub(crate) use mail_content::paragraphs;
pub use mail_content::{Button, MailContent, Picture, Quote, Section};
pub(crate) use mail_content::{Footer, header_text};
pub(crate) use moves::{move_mails_of_user, move_to_family};
pub(crate) use reach::{
    IS_HELD, goes_out, held, kept_reach, kept_subscribed, late_note_families, reach, reach_all,
    switched_off,
};
pub(crate) use reason::reason;
pub(crate) use recovery::{NOT_RUNNING, clear_heartbeats};
pub use recovery::{is_worker_running, record_heartbeat, recover, since_last_heartbeat};
pub(crate) use retries::retry;
pub use sample_words::SampleWords;
pub(crate) use withdrawn::{count_withdrawn, queue_withdrawn};

use crate::Result;
use crate::db::On;
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;

/// Kinds of mail that people can unsubscribe from (decision M1). Mail without a category is
/// transactional.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Category {
    DailyVideos,
    CampUpdates,
    General,
}

impl Category {
    pub(crate) const ALL: [Category; 3] =
        [Category::DailyVideos, Category::CampUpdates, Category::General];

    /// As it is stored.
    fn text(self) -> &'static str {
        match self {
            Category::DailyVideos => "daily_videos",
            Category::CampUpdates => "camp_updates",
            Category::General => "general",
        }
    }
}

/// A list that a recipient can leave with one click, and by which mail programs sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailList {
    DailyVideos,
    CampUpdates,
    General,
    /// One email a day with mail of all categories.
    Digest,
}

impl From<Category> for MailList {
    fn from(category: Category) -> MailList {
        match category {
            Category::DailyVideos => MailList::DailyVideos,
            Category::CampUpdates => MailList::CampUpdates,
            Category::General => MailList::General,
        }
    }
}

impl MailList {
    /// The list of a notification; none for transactional mail. `kind` is the stored text.
    pub(crate) fn of(kind: &str, category: Option<Category>) -> Option<MailList> {
        match kind == MailKind::Digest.text() {
            true => Some(MailList::Digest),
            false => category.map(MailList::from),
        }
    }

    pub(crate) fn has(self, category: Category) -> bool {
        self == MailList::Digest || self == MailList::from(category)
    }
}

/// A notification to create.
pub struct Notice {
    /// Selects the content of the mail.
    pub kind: MailKind,
    /// The video, user, family or staff account that it is about.
    pub subject_id: Uuid,
    /// What the mail needs besides its subject; never a token or a password.
    pub data: Value,
    /// Does not wait for the end of quiet time (decision M9).
    pub urgent: bool,
}

impl Notice {
    pub fn new(kind: impl Into<MailKind>, subject_id: impl Into<Uuid>) -> Notice {
        let (kind, subject_id) = (kind.into(), subject_id.into());
        Notice { kind, subject_id, data: Value::Null, urgent: false }
    }
}

#[derive(Debug, sqlx::FromRow)]
pub struct Notification {
    pub id: Uuid,
    /// The stored text of a [`MailKind`].
    pub kind: String,
    pub subject_id: Uuid,
    pub category: Option<Category>,
    pub data: String,
    /// Whether its mails wait for the end of quiet time.
    pub waits: bool,
    pub created_at: DateTime<Utc>,
}

impl Notification {
    /// The list that its mails belong to; none for transactional mail.
    pub(crate) fn list(&self) -> Option<MailList> {
        MailList::of(&self.kind, self.category)
    }

    pub(crate) fn is_digest(&self) -> bool {
        self.kind == MailKind::Digest.text()
    }
}

/// A mail to one address, about to be sent.
#[derive(Debug, sqlx::FromRow)]
pub struct Delivery {
    pub email: EmailAddress,
    pub full_name: String,
    pub profile_id: Option<FamilyId>,
    /// How often it was tried, this attempt included.
    pub attempts: i64,
    /// Whether a server may have it from an earlier attempt.
    pub may_have_left: bool,
    /// When it was first tried and not sent.
    pub first_tried_at: Option<DateTime<Utc>>,
}

/// The job that sends the mails of one notification. The module `delivery` runs it.
#[derive(Serialize, Deserialize)]
pub struct Deliver {
    pub notification_id: Uuid,
}

/// The delivery counts of the mails about something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = Deliveries)]
pub struct Tally {
    pub queued: i64,
    /// For families that get one email a day: the mails that are sent with the next one.
    pub collected: i64,
    pub sent: i64,
    pub failed: i64,
    /// Addresses that were skipped because they had refused mail permanently.
    pub suppressed: i64,
}

impl Tally {
    /// The number of mails that were queued, whatever their result.
    pub(crate) fn mailed(&self) -> i64 {
        self.queued + self.collected + self.sent + self.failed
    }
}

/// Who gets category mail.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Audience {
    /// Families that want the category (decision M2).
    Families,
    /// Subscribers who confirmed their address.
    MailingList,
    Both,
}

impl Audience {
    fn families(self) -> bool {
        self != Audience::MailingList
    }

    fn mailing_list(self) -> bool {
        self != Audience::Families
    }
}

/// The delivery counts of a notification `n`. They are counted while any mail waits. Afterwards
/// they are stored in the notification, so that long lists need not read all mails.
pub(crate) const TALLY_COLUMNS: &str = "case when n.sent is null
              then (select count(*) from deliveries d
                    where d.notification_id = n.id and d.status in ('queued', 'sending')
                      and not d.collected)
              else 0 end as queued,
         case when n.sent is null
              then (select count(*) from deliveries d
                    where d.notification_id = n.id and d.status = 'queued' and d.collected)
              else 0 end as collected,
         coalesce(n.sent, (select count(*) from deliveries d
                           where d.notification_id = n.id and d.status = 'sent')) as sent,
         coalesce(n.failed, (select count(*) from deliveries d
                             where d.notification_id = n.id and d.status = 'failed')) as failed,
         coalesce(n.suppressed, (select count(*) from deliveries d
                                 where d.notification_id = n.id and d.status = 'suppressed'))
           as suppressed ";

/// Returns the delivery counts for that kind and subject.
pub(crate) async fn tally(
    on: impl Into<On<'_>>,
    kind: MailKind,
    subject_id: Uuid,
) -> Result<Tally> {
    on.into()
        .sql([
            "select cast(coalesce(sum(t.queued), 0) as bigint) as queued,
                    cast(coalesce(sum(t.collected), 0) as bigint) as collected,
                    cast(coalesce(sum(t.sent), 0) as bigint) as sent,
                    cast(coalesce(sum(t.failed), 0) as bigint) as failed,
                    cast(coalesce(sum(t.suppressed), 0) as bigint) as suppressed
             from (select ",
            TALLY_COLUMNS,
            "from notifications n where n.kind = $1 and n.subject_id = $2) t",
        ])
        .bind(kind.text())
        .bind(subject_id)
        .one()
        .await
}
