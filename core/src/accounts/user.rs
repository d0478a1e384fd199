//! A user as a signed-in person, with what its family contributes.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::access::Access;
use crate::db::On;
use crate::device::Device;
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, UserId};
use crate::settings::Settings;

/// A label that grants nothing (decision P4).
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum UserType {
    #[default]
    Parent,
    Visitor,
}

/// A user, with what its family contributes.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct User {
    pub id: UserId,
    pub email: EmailAddress,
    pub full_name: String,
    pub verified: bool,
    pub profile_id: FamilyId,
    pub user_type: UserType,
    /// Linked to a family that staff created or approved.
    pub family: bool,
    pub refused: bool,
    pub welcome_popup_shown: bool,
}

impl User {
    /// Whether this user may write comments (decision P4).
    pub fn can_comment(&self, settings: &Settings) -> bool {
        self.verified || !settings.require_email_verification
    }

    /// Whether staff still have to approve the user's family.
    pub fn awaiting_approval(&self, settings: &Settings) -> bool {
        settings.access == Access::Families && !self.family && !self.is_outsider()
    }

    /// Whether nobody is asked to approve this user: staff refused the family, or it is a visitor, whom
    /// staff may approve all the same.
    pub fn is_outsider(&self) -> bool {
        self.refused || (self.user_type == UserType::Visitor && !self.family)
    }

    /// The name to show. Only the user sees it, so it may fall back to a part of the address.
    pub fn display_name(&self) -> &str {
        match self.full_name.as_str() {
            "" => self.email.split('@').next().filter(|s| !s.is_empty()).unwrap_or("User"),
            name => name,
        }
    }
}

/// The client that sent a request.
#[derive(Clone)]
pub struct ClientInfo {
    pub address: IpAddr,
    pub device: Device,
    /// The cookie that identifies a browser in which users signed in before.
    pub user_browser: Option<String>,
    /// The cookie that identifies a browser in which staff signed in before.
    pub staff_browser: Option<String>,
}

/// Returns a user, or `None` if there is none.
pub async fn find_user(on: impl Into<On<'_>>, id: UserId) -> Result<Option<User>> {
    on.into()
        .sql(
            "select u.id, u.email, u.full_name, u.verified_at is not null as verified, u.profile_id,
                    p.user_type, p.approved_at is not null and p.refused_at is null as family,
                    p.refused_at is not null as refused, p.welcome_popup_shown
             from users u join profiles p on p.id = u.profile_id
             where u.id = $1 and p.deleted_at is null",
        )
        .bind(id)
        .optional()
        .await
}
