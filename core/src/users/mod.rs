//! Users: the accounts of parents and visitors, from sign-up and verification to deletion.
//!
//! A user is linked to a family only by a verified address or by an invitation (decision P2).
//! Otherwise, whoever types a family's address first would get access to it.

mod asked_mail;
mod credentials;
mod deletion;
mod former_addresses;
mod sign_in;
mod sign_up;
mod verification;

use crate::accounts::{User, find_user};
use crate::db::Tx;
use crate::ids::UserId;
use crate::{Error, Result};

pub use credentials::{
    change_email, change_password, check_reset, forgot, reset, sign_out_everywhere,
};
pub(crate) use deletion::remove;
pub use deletion::{delete, download};
pub(crate) use former_addresses::erase as erase_former_addresses;
pub use sign_in::{SignedIn, sign_in};
pub use sign_up::{Invited, SignUp, invitation, sign_up};
pub use verification::{
    Confirmation, ConfirmationFamily, ConfirmationKind, ConfirmationNeeds, Evidence, Proved,
    confirmation, resend_verification, verify,
};

pub(crate) const EXISTS: &str = "This email is already registered. Please sign in instead.";

async fn must_find(tx: &mut Tx, id: UserId) -> Result<User> {
    find_user(tx, id).await?.ok_or(Error::SignInRequired)
}
