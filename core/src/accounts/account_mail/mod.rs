//! Mail about accounts: one function for each kind.

mod families;
mod staff;
mod users;

use super::links::{self, is_there};
use super::tokens::Purpose;
use crate::notifications::{AccountMail, Delivery, MailContent, Notification};
use crate::settings::Settings;
use crate::{App, Result};

/// Writes the mail. Returns `None` if the user or family is gone or the mail is out of date.
pub(crate) async fn write(
    app: &App,
    settings: &Settings,
    kind: AccountMail,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<MailContent>> {
    if !is_there(app, kind, notification, &delivery.email).await? {
        return Ok(None);
    }
    let mail = Mail { app, settings, notification, delivery };
    Ok(Some(match kind {
        AccountMail::Verify => mail.verify().await?,
        AccountMail::ChangeEmail => mail.change_email().await?,
        AccountMail::SecondaryEmail => mail.secondary_email().await?,
        AccountMail::SecondaryAdded => mail.secondary_added(),
        AccountMail::SecondaryRemoved => mail.secondary_removed().await?,
        AccountMail::Reset => mail.reset().await?,
        AccountMail::StaffReset => mail.staff_reset().await?,
        AccountMail::PasswordChanged => mail.password_changed(),
        AccountMail::EmailChanged => mail.email_changed(),
        AccountMail::StaffPasswordChanged => mail.staff_password_changed(),
        AccountMail::StaffEmailChanged => mail.staff_email_changed(),
        AccountMail::StaffTwoFactorOn => mail.staff_two_factor_on(),
        AccountMail::StaffTwoFactorOff => mail.staff_two_factor_off(),
        AccountMail::StaffRecoveryCodes => mail.staff_recovery_codes(),
        AccountMail::StaffAccount => mail.staff_account(),
        AccountMail::StaffNewBrowser => mail.staff_new_browser(),
        AccountMail::GuardianJoined => mail.guardian_joined(),
        AccountMail::Invitation => mail.invitation().await?,
        AccountMail::Approved => mail.approved(),
        AccountMail::Refused => mail.refused(),
        AccountMail::AddressRefused => mail.address_refused().await?,
    }))
}

/// A mail to one recipient.
struct Mail<'a> {
    app: &'a App,
    settings: &'a Settings,
    notification: &'a Notification,
    delivery: &'a Delivery,
}

impl Mail<'_> {
    /// Creates a link with a token for this recipient.
    async fn link(&self, purpose: Purpose, page: &str) -> Result<String> {
        links::link(self.app, self.notification, self.delivery, purpose, page).await
    }
}
