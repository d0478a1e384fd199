//! Staff accounts, with their own roles and sessions.

mod admin;
mod change;
mod credentials;
mod known_browsers;
mod list;
mod second_factor;
mod sign_in;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::tokens::Purpose;
use crate::Error;
use crate::email_address::EmailAddress;
use crate::ids::StaffId;
use crate::settings::Settings;

pub use super::totp::Enrollment;
pub use admin::{NewStaff, add, add_as, remove, remove_as, send_reset_as};
pub use change::{StaffChanges, change, change_as};
pub(crate) use credentials::password_was_reset;
pub use credentials::{
    change_password, end_other_sessions, end_session, end_session_as, end_sessions_as, sessions_of,
};
pub use known_browsers::DAYS as BROWSER_DAYS;
pub(super) use known_browsers::prune as prune_browsers;
pub(crate) use list::count_active;
pub use list::{Account, Filter, colleagues, find, list, named};
pub use second_factor::{
    begin_two_factor, confirm_two_factor, end_two_factor, recovery_codes_left,
    renew_recovery_codes, reset_two_factor,
};
pub use sign_in::{SignedIn, clear_limits, sign_in};

/// Owners may do everything; staff everything but admin accounts, settings, exports and the audit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Role {
    Owner,
    Staff,
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Role, String> {
        match text {
            "owner" => Ok(Role::Owner),
            "staff" => Ok(Role::Staff),
            _ => Err("a role is owner or staff".into()),
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Role::Owner => "owner",
            Role::Staff => "staff",
        })
    }
}

/// A member of the staff who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Staff {
    #[schema(value_type = Uuid)]
    pub id: StaffId,
    pub username: String,
    #[schema(value_type = String)]
    pub email: EmailAddress,
    pub role: Role,
    /// An authenticator app is set up.
    pub two_factor: bool,
    /// Whether the settings require a second factor.
    pub two_factor_required: bool,
}

impl Staff {
    /// Whether the account must set up the second factor first.
    pub fn must_enroll(&self) -> bool {
        self.two_factor_required && !self.two_factor
    }
}

/// An account as stored. The password hash never leaves this module.
#[derive(Clone, sqlx::FromRow)]
pub struct StaffRow {
    pub id: StaffId,
    pub username: String,
    pub email: EmailAddress,
    password_hash: String,
    pub role: Role,
    pub disabled_at: Option<DateTime<Utc>>,
    totp_secret: Option<String>,
    totp_confirmed_at: Option<DateTime<Utc>>,
    last_sign_in_at: Option<DateTime<Utc>>,
}

impl StaffRow {
    pub(super) fn to_staff(&self, settings: &Settings) -> Staff {
        Staff {
            id: self.id,
            username: self.username.clone(),
            email: self.email.clone(),
            role: self.role,
            two_factor: self.totp_confirmed_at.is_some(),
            two_factor_required: settings.enable_two_factor,
        }
    }
}

const UNKNOWN: Error =
    Error::NotFound("There is no such account. `camp admin list` lists them all.");

/// The token of a reset link is created when the mail is written.
pub(super) const RESET: Purpose = Purpose::StaffReset;
