//! Messages to the camp and its replies (decision C2).

pub(crate) mod mail;

mod contact;
mod erasure;
mod inbox;
mod reply;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Error;
use crate::email_address::EmailAddress;
use crate::settings::Settings;

pub use contact::{NewMessage, Received, receive};
pub(crate) use contact::{of_sender, searchable};
pub use erasure::prune;
pub(crate) use erasure::{erase_of_former_addresses, erase_sender};
pub use inbox::{
    AssignmentFilter, Changes, Counts, Filter, Order, change, counts, delete, find, list,
};
pub use reply::{NewReply, reply, retry};

pub(crate) const NOT_FOUND: Error = Error::NotFound("This message no longer exists.");

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = MessageStatus)]
pub enum Status {
    Unread,
    Read,
    Replied,
}

/// The team that the sender wants to reach.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Department {
    Staff,
    VideoTeam,
}

impl Department {
    /// The address that receives its mail.
    pub fn address(self, settings: &Settings) -> EmailAddress {
        let own = match self {
            Department::Staff => &settings.staff_email,
            Department::VideoTeam => &settings.video_team_email,
        };
        EmailAddress::checked_before(match own.is_empty() {
            true => &settings.contact_email,
            false => own,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Department::Staff => "Camp staff",
            Department::VideoTeam => "Video team",
        }
    }
}

/// Who the sender claims to be.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = MessageSenderType)]
pub enum SenderType {
    Parent,
    Guest,
}

/// A message as staff see it.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Message {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub child_name: Option<String>,
    pub subject: String,
    pub user_type: SenderType,
    pub department: Department,
    pub message: String,
    pub status: Status,
    pub spam: bool,
    /// Whether the sender was signed in with this verified address. Otherwise anybody may have
    /// entered it, and a reply does not quote the message.
    pub sender_proved: bool,
    /// User name.
    pub assigned_to: Option<String>,
    pub created_at: DateTime<Utc>,
    /// An unfinished reply.
    pub draft: Option<String>,
    /// The oldest first.
    #[sqlx(skip)]
    pub replies: Vec<Reply>,
    pub version: i64,
}

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = MessageReply)]
pub struct Reply {
    pub id: Uuid,
    pub body: String,
    /// User name; null when the account is gone.
    pub sent_by: Option<String>,
    pub created_at: DateTime<Utc>,
    pub delivery: ReplyDelivery,
}

/// The delivery status of the mail.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum ReplyDelivery {
    Queued,
    Sent,
    Failed,
}
