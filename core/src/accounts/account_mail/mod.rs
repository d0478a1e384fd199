//! Mail about accounts: one function for each kind.

mod families;
mod staff;
mod users;

use serde_json::{Value, json};

use super::links::{self, is_there};
use super::staff::RESET;
use super::tokens::Purpose;
use crate::bidi::isolated;
use crate::notifications::{AccountMail, Button, Delivery, MailContent, Notification, SampleWords};
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
    let link = match link_of(kind) {
        Some((purpose, page)) => links::link(app, notification, delivery, purpose, page).await?,
        None => String::new(),
    };
    let asker = match kind {
        AccountMail::SecondaryEmail | AccountMail::SecondaryRemoved => {
            families::asker(app, notification).await?
        }
        _ => String::new(),
    };
    let refused = match kind {
        AccountMail::AddressRefused => {
            families::refused_addresses(app, notification, delivery).await?
        }
        _ => String::new(),
    };
    let data = serde_json::from_str(&notification.data).unwrap_or_default();
    let name = isolated(&delivery.full_name);
    let site = isolated(settings.camp_name());
    Ok(Some(content(kind, &Mail { app, settings, data, name, site, link, asker, refused })))
}

/// A mail to an invented person, whose link opens nothing.
pub(crate) fn sample(
    app: &App,
    settings: &Settings,
    kind: AccountMail,
    token: &str,
    words: &SampleWords,
) -> MailContent {
    let link = link_of(kind).map(|(_, page)| app.url(&format!("{page}{token}")));
    let data =
        json!({ "by": words.person, "name": words.staff, "what": "promoted", "device": "phone" });
    let mail = Mail {
        app,
        settings,
        data,
        name: isolated(&words.staff),
        site: isolated(settings.camp_name()),
        link: link.unwrap_or_default(),
        asker: families::owner_of("chaya@family.example"),
        refused: "moshe@family.example".into(),
    };
    content(kind, &mail)
}

/// The page that the link of a mail opens, and what its token is for.
fn link_of(kind: AccountMail) -> Option<(Purpose, &'static str)> {
    Some(match kind {
        AccountMail::Verify => (Purpose::Verify, "/auth/verify?token="),
        AccountMail::ChangeEmail => (Purpose::ChangeEmail, "/auth/verify?for=new_email&token="),
        AccountMail::SecondaryEmail => {
            (Purpose::SecondaryEmail, "/auth/verify?for=second_email&token=")
        }
        AccountMail::Reset => (Purpose::Reset, "/auth/reset?token="),
        AccountMail::StaffReset => (RESET, "/auth/reset?for=staff&token="),
        AccountMail::Invitation => (Purpose::Invite, "/auth?invite="),
        _ => return None,
    })
}

fn content(kind: AccountMail, mail: &Mail<'_>) -> MailContent {
    match kind {
        AccountMail::Verify => mail.verify(),
        AccountMail::ChangeEmail => mail.change_email(),
        AccountMail::SecondaryEmail => mail.secondary_email(),
        AccountMail::SecondaryAdded => mail.secondary_added(),
        AccountMail::SecondaryRemoved => mail.secondary_removed(),
        AccountMail::Reset => mail.reset(),
        AccountMail::StaffReset => mail.staff_reset(),
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
        AccountMail::Invitation => mail.invitation(),
        AccountMail::Approved => mail.approved(),
        AccountMail::Refused => mail.refused(),
        AccountMail::AddressRefused => mail.address_refused(),
    }
}

/// A mail to one recipient.
struct Mail<'a> {
    app: &'a App,
    settings: &'a Settings,
    /// What the notification says besides its subject.
    data: Value,
    /// The recipient's name.
    name: String,
    /// The camp's name.
    site: String,
    /// The link, with a token for this recipient.
    link: String,
    /// Who gave a family its second address.
    asker: String,
    /// The addresses of the family to which mail is no longer sent.
    refused: String,
}

impl Mail<'_> {
    fn contact(&self) -> Button {
        Button { label: "Contact the camp", url: self.app.url("/contact") }
    }
}
