//! Identifies the viewer and decides who may watch (decision P9).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ids::{StaffId, UserId};
use crate::{Error, Result};

/// Who may watch (decision P9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Everyone,
    SignedIn,
    Families,
    /// Only staff. This is not a setting: it replaces the others while the camp's site is closed
    /// ([`crate::settings::ShabbosMode`]).
    #[serde(skip)]
    Closed,
}

/// The sender of a request, as far as watching is concerned.
#[derive(Debug, Clone, Default)]
pub struct Viewer {
    pub user_id: Option<UserId>,
    /// Linked to a family that staff created or approved.
    pub family: bool,
    /// Nobody is asked to approve this user: a visitor, or a parent whom staff refused.
    pub outsider: bool,
    /// Signed in as a member of the staff.
    pub staff_id: Option<StaffId>,
    /// Random first-party cookie of a browser that is not signed in. Used to count views and
    /// reports.
    pub browser: Option<Uuid>,
}

impl Viewer {
    /// Whether this viewer may watch videos, comments and updates. Lists, details, search, previews
    /// and media all use this function.
    pub fn may_watch(&self, access: Access) -> bool {
        match access {
            _ if self.staff_id.is_some() => true,
            Access::Everyone => true,
            Access::SignedIn => self.user_id.is_some(),
            Access::Families => self.family,
            Access::Closed => false,
        }
    }

    /// Returns an error that tells the gate page what to do, unless the viewer may watch.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] while the site is closed, else
    /// [`Error::SignInRequired`] when nobody is signed in, otherwise [`Error::Forbidden`].
    pub(crate) fn must_watch(&self, access: Access) -> Result<()> {
        if self.may_watch(access) {
            return Ok(());
        }
        if access == Access::Closed {
            return Err(Error::Forbidden {
                code: "closed",
                text: "The site is closed for now. It opens again after quiet time.",
            });
        }
        match self.user_id {
            None => Err(Error::SignInRequired),
            Some(_) if self.outsider => Err(Error::Forbidden {
                code: "families_only",
                text: "Only camp families can see this. If you are one, please write to the camp.",
            }),
            Some(_) => Err(Error::Forbidden {
                code: "awaiting_approval",
                text: "The camp still needs to confirm your family for this summer. We’ll email you as soon as it does.",
            }),
        }
    }

    /// An id by which this viewer is counted once.
    pub fn key(&self) -> Option<Uuid> {
        self.user_id.map(Uuid::from).or(self.browser)
    }
}
