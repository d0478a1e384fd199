//! Mail about accounts.

use serde_json::Value;

use super::links::{account, is_there, link};
use super::tokens::Purpose;
use crate::notifications::{AccountMail, Button, Delivery, MailContent, Notification};
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
    let site = &settings.site_name;
    if !is_there(app, kind, notification, &delivery.email).await? {
        return Ok(None);
    }
    let link = |purpose, page: &'static str| link(app, notification, delivery, purpose, page);
    let alarm = "If you did not expect this, please tell an owner of the portal at once.";
    let ignore = "If this was not you, you don’t need to do anything.".to_owned();
    let content = match kind {
        AccountMail::Verify => MailContent {
            subject: format!("Please confirm your email for {site}"),
            heading: "One click, and you are in.".into(),
            paragraphs: vec![format!(
                "Somebody signed up at {site} with this address. If it was you, please confirm it: then you can comment, and {site} can write to you when a video is up."
            )],
            button: Some(Button {
                label: "Confirm my email",
                url: link(Purpose::Verify, "/auth/verify?token=").await?,
            }),
            notes: vec!["The link works for three days.".into(), ignore],
            ..MailContent::default()
        },
        AccountMail::ChangeEmail => MailContent {
            subject: format!("Please confirm your new email for {site}"),
            heading: "Your new address".into(),
            paragraphs: vec![format!(
                "Somebody asked to sign in at {site} with this address from now on. If it was you, please confirm it; your password may be asked for."
            )],
            button: Some(Button {
                label: "Confirm my email",
                url: link(Purpose::ChangeEmail, "/auth/verify?for=new_email&token=").await?,
            }),
            notes: vec!["The link works for three days.".into(), ignore],
            ..MailContent::default()
        },
        AccountMail::SecondaryEmail => MailContent {
            subject: format!("{site}: confirm that you want our mail"),
            heading: "Your address, for a family".into(),
            paragraphs: vec![
                format!(
                    "{} gave this as the second address of their family at {site}.",
                    asker(app, notification).await?
                ),
                "If you are of this family, please confirm it: then camp writes to you as well, and an account with this address shows the family. Before that we do not write to it.".into(),
            ],
            button: Some(Button {
                label: "Confirm my email",
                url: link(Purpose::SecondaryEmail, "/auth/verify?for=second_email&token=").await?,
            }),
            notes: vec![
                "The link works for three days.".into(),
                "If you do not know this family, you don’t need to do anything.".into(),
            ],
            ..MailContent::default()
        },
        AccountMail::SecondaryAdded => MailContent {
            subject: format!("Your family at {site} has a second address"),
            heading: "A second address for your family".into(),
            paragraphs: vec![format!(
                "The second address of your family was confirmed. Camp writes there as well, and an account with it shows your family. If you did not expect this, remove it on your profile and write to {}.",
                settings.contact_email
            )],
            button: Some(Button { label: "Open my profile", url: app.url("/profile") }),
            ..MailContent::default()
        },
        AccountMail::SecondaryRemoved => MailContent {
            subject: format!("Your address was removed from a family at {site}"),
            heading: "Your address was removed".into(),
            paragraphs: vec![
                format!(
                    "{} removed your address from their family at {site}. Mail about the family no longer comes here.",
                    asker(app, notification).await?
                ),
                format!("If you did not expect this, please write to {} at once.", settings.contact_email),
            ],
            ..MailContent::default()
        },
        AccountMail::Reset => MailContent {
            subject: format!("Choose a new password for {site}"),
            heading: "A new password".into(),
            paragraphs: vec!["You asked for a new password. Choose one on the page that this button opens.".into()],
            button: Some(Button {
                label: "Choose a new password",
                url: link(Purpose::Reset, "/auth/reset?token=").await?,
            }),
            notes: vec!["The link works for one hour.".into(), ignore],
            ..MailContent::default()
        },
        AccountMail::StaffReset => MailContent {
            subject: format!("Choose a new password for the staff area of {site}"),
            heading: "A new password for your staff account".into(),
            paragraphs: vec![format!(
                "{} wants you to choose a new password for the staff account {}. Until you do, the old one stays.",
                owner(notification),
                delivery.full_name,
            )],
            button: Some(Button {
                label: "Choose a new password",
                url: link(super::staff::RESET, "/auth/reset?for=staff&token=").await?,
            }),
            notes: vec!["The link works for one hour. If you did not expect this mail, please ask an owner about it.".into()],
            ..MailContent::default()
        },
        AccountMail::PasswordChanged => MailContent {
            subject: format!("Your password for {site} was changed"),
            heading: "Your password was changed".into(),
            paragraphs: vec![
                "All other devices were signed out.".into(),
                format!("If this was not you, choose a new password at once and write to {}.", settings.contact_email),
            ],
            button: Some(Button { label: "Choose a new password", url: app.url("/auth/forgot") }),
            ..MailContent::default()
        },
        AccountMail::EmailChanged => MailContent {
            subject: format!("Your email for {site} was changed"),
            heading: "You sign in with another address now".into(),
            paragraphs: vec![format!(
                "The address of your account was changed, and the new one was confirmed. If this was not you, please write to {} at once.",
                settings.contact_email
            )],
            ..MailContent::default()
        },
        AccountMail::StaffPasswordChanged => MailContent {
            subject: format!("Your staff password for {site} was changed"),
            heading: "Your staff password was changed".into(),
            paragraphs: vec![
                format!("The password of {} was changed, and all other devices were signed out.", delivery.full_name),
                alarm.into(),
            ],
            ..MailContent::default()
        },
        AccountMail::StaffEmailChanged => MailContent {
            subject: format!("The email of your staff account at {site} was changed"),
            heading: "Your staff account has another address now".into(),
            paragraphs: vec![
                format!("An owner changed the address of {}. Mail about the account no longer comes here.", delivery.full_name),
                alarm.into(),
            ],
            ..MailContent::default()
        },
        AccountMail::StaffTwoFactorOn => MailContent {
            subject: format!("Two-factor was turned on for your staff account at {site}"),
            heading: "Signing in asks for a code now".into(),
            paragraphs: vec![
                format!(
                    "An authenticator app was set up for {}: from now on signing in asks for a code of it. All other devices were signed out.",
                    delivery.full_name,
                ),
                alarm.into(),
            ],
            ..MailContent::default()
        },
        AccountMail::StaffTwoFactorOff => MailContent {
            subject: format!("Two-factor was turned off for your staff account at {site}"),
            heading: "Signing in asks for no code any more".into(),
            paragraphs: vec![
                format!(
                    "The authenticator app was taken off {}: the password alone lets in. All other devices were signed out.",
                    delivery.full_name,
                ),
                alarm.into(),
            ],
            ..MailContent::default()
        },
        AccountMail::StaffAccount => MailContent {
            subject: format!("The staff accounts of {site} have changed"),
            heading: "A staff account was added or made an owner's".into(),
            paragraphs: vec![told_of(notification), alarm.into()],
            button: Some(Button { label: "Open the staff area", url: app.url("/admin") }),
            ..MailContent::default()
        },
        AccountMail::StaffNewBrowser => MailContent {
            subject: format!("A new sign-in to the staff area of {site}"),
            heading: "A sign-in from a new browser".into(),
            paragraphs: vec![
                format!(
                    "Somebody signed in as {} on a {}, in a browser that this account was not used in before.",
                    delivery.full_name,
                    device(notification),
                ),
                "If this was you, you don’t need to do anything. If it was not, change your password at once: that signs out every other device. Then tell an owner of the portal.".into(),
            ],
            button: Some(Button { label: "Open the staff area", url: app.url("/admin") }),
            ..MailContent::default()
        },
        AccountMail::GuardianJoined => MailContent {
            subject: format!("Somebody joined your family at {site}"),
            heading: "A second login for your family".into(),
            paragraphs: vec![format!(
                "Another login was linked to your family at {site}, by an address of your family or by an invitation from the camp. If you did not expect this, please write to {}.",
                settings.contact_email
            )],
            ..MailContent::default()
        },
        AccountMail::Invitation => MailContent {
            subject: format!("You are invited to {site}"),
            heading: "Watch the summer with us".into(),
            paragraphs: vec![format!(
                "{site} has a page for its families: a video of every day, news from camp, and your child's face within one tap. Your place is ready; all you need is a password."
            )],
            button: Some(Button {
                label: "Accept the invitation",
                url: link(Purpose::Invite, "/auth?invite=").await?,
            }),
            notes: vec!["The link works for 30 days and is only for your family.".into()],
            ..MailContent::default()
        },
        AccountMail::Approved => MailContent {
            subject: format!("Welcome to {site}"),
            heading: "You are confirmed as a family of the camp".into(),
            paragraphs: vec!["From now on you can watch all videos.".into()],
            button: Some(Button { label: "Open the videos", url: app.url("/current-videos") }),
            ..MailContent::default()
        },
        AccountMail::Refused => MailContent {
            subject: format!("Your registration at {site}"),
            heading: "We could not confirm your family".into(),
            paragraphs: vec![format!(
                "The camp did not find your family among those of this summer. If this is a mistake, please write to {}.",
                settings.contact_email
            )],
            ..MailContent::default()
        },
    };
    Ok(Some(content))
}

/// The staff member who triggered the mail, by the name that colleagues know.
fn owner(notification: &Notification) -> String {
    let data: Value = serde_json::from_str(&notification.data).unwrap_or_default();
    match data["by"].as_str() {
        Some(name) => format!("{name}, an owner of the portal,"),
        None => "An owner of the portal".into(),
    }
}

/// What one owner did with an account, for the mail to all owners.
fn told_of(notification: &Notification) -> String {
    let data: Value = serde_json::from_str(&notification.data).unwrap_or_default();
    let word = |key: &str| data[key].as_str().unwrap_or_default();
    let (by, name) = (word("by"), word("name"));
    match word("what") {
        "promoted" => format!("{by} made {name} an owner."),
        "added_owner" => format!("{by} added the account {name}, which is an owner's."),
        _ => format!("{by} added the account {name}."),
    }
}

/// The device in words.
fn device(notification: &Notification) -> &'static str {
    let data: Value = serde_json::from_str(&notification.data).unwrap_or_default();
    match data["device"].as_str() {
        Some("phone") => "phone",
        Some("tablet") => "tablet",
        _ => "computer",
    }
}

/// Who gave a family its second address, by their email address. A name is free text, which must
/// not be sent to strangers.
async fn asker(app: &App, notification: &Notification) -> Result<String> {
    let email: Option<(String,)> = app
        .db
        .sql("select email from users where id = $1")
        .bind(account(notification))
        .optional()
        .await?;
    Ok(email.map_or("A family".to_owned(), |(email,)| format!("The owner of the account {email}")))
}
