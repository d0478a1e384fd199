//! Mail about belonging to a family: its second address, its users, invitations and approval.

use super::Mail;
use crate::accounts::links::account;
use crate::notifications::{Button, Delivery, MailContent, Notification};
use crate::{App, Result};

impl Mail<'_> {
    pub(super) fn secondary_email(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Join a family’s emails at {site}"),
            heading: "Join a family’s emails".into(),
            paragraphs: vec![
                format!(
                    "{} added this address to their family at {site}.",
                    self.asker
                ),
                "If this is your family, please confirm: then you get the family’s emails too, and an account with this address shows the family. Until then we won’t email you again.".into(),
            ],
            button: Some(Button {
                label: "Confirm my email",
                url: self.link.clone(),
            }),
            notes: vec![
                "The link works for three days.".into(),
                "If you do not know this family, you don’t need to do anything.".into(),
            ],
            ..MailContent::default()
        }
    }

    pub(super) fn secondary_added(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Your family at {site} has a second address"),
            heading: "A second address for your family".into(),
            paragraphs: vec![format!(
                "The second address of your family was confirmed. It gets camp emails too, and an account with it shows your family. If you did not expect this, remove it on your profile and write to {}.",
                self.settings.contact_email
            )],
            button: Some(Button { label: "Open my profile", url: self.app.url("/profile") }),
            ..MailContent::default()
        }
    }

    pub(super) fn secondary_removed(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Your address was removed from a family at {site}"),
            heading: "Your address was removed".into(),
            paragraphs: vec![
                format!(
                    "{} removed your address from their family at {site}. You will no longer get emails about this family.",
                    self.asker
                ),
                format!(
                    "If you did not expect this, please write to {} right away.",
                    self.settings.contact_email
                ),
            ],
            button: Some(self.contact()),
            ..MailContent::default()
        }
    }

    pub(super) fn guardian_joined(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Someone joined your family at {site}"),
            heading: "A new login for your family".into(),
            paragraphs: vec![format!(
                "A new login was linked to your family at {site}, through one of your family’s addresses or an invitation from the camp. If you did not expect this, please write to {}.",
                self.settings.contact_email
            )],
            button: Some(Button { label: "Open my profile", url: self.app.url("/profile") }),
            ..MailContent::default()
        }
    }

    pub(super) fn invitation(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("You are invited to {site}"),
            heading: "Watch the summer with us".into(),
            paragraphs: vec![format!(
                "{site} has a site for its families, with a new video every day and updates from camp. Your account is ready. All you need is a password."
            )],
            button: Some(Button { label: "Accept the invitation", url: self.link.clone() }),
            notes: vec!["The link works for 30 days, only for your family.".into()],
            ..MailContent::default()
        }
    }

    pub(super) fn approved(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Welcome to {site}"),
            heading: "Your family is confirmed".into(),
            paragraphs: vec!["You can now watch all the videos.".into()],
            button: Some(Button { label: "Open the videos", url: self.app.url("/current-videos") }),
            ..MailContent::default()
        }
    }

    pub(super) fn refused(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Your registration at {site}"),
            heading: "We could not confirm your family".into(),
            paragraphs: vec![format!(
                "The camp did not find your family on this summer’s list. If this is a mistake, please write to {}.",
                self.settings.contact_email
            )],
            button: Some(self.contact()),
            ..MailContent::default()
        }
    }

    pub(super) fn address_refused(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Emails from {site} to your family’s other address are bouncing"),
            heading: "One of your family’s addresses does not work".into(),
            paragraphs: vec![
                format!(
                    "Emails to {} bounced, so we stopped sending them. For now, this is the only address at which your family gets emails from {site}.",
                    self.refused
                ),
                format!(
                    "If that address is wrong, please correct it on your profile or write to {}. If it works again, please tell us, and we will use it again.",
                    self.settings.contact_email
                ),
            ],
            button: Some(Button { label: "Open my profile", url: self.app.url("/profile") }),
            ..MailContent::default()
        }
    }
}

/// Who gave a family its second address, by their email address. A name is free text, which must
/// not be sent to strangers.
pub(super) async fn asker(app: &App, notification: &Notification) -> Result<String> {
    let email: Option<(String,)> = app
        .db
        .sql("select email from users where id = $1")
        .bind(account(notification))
        .optional()
        .await?;
    Ok(email.map_or("A family".to_owned(), |(email,)| owner_of(&email)))
}

pub(super) fn owner_of(email: &str) -> String {
    format!("The owner of the account {email}")
}

/// The family's other addresses, to which mail is no longer sent.
pub(super) async fn refused_addresses(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<String> {
    let refused: Vec<(String,)> = app
        .db
        .sql(
            "select a.email from profile_addresses a
             join suppressed_addresses s on s.email = a.email
             where a.profile_id = $1 and a.email <> $2",
        )
        .bind(notification.subject_id)
        .bind(&delivery.email)
        .all()
        .await?;
    let refused: Vec<String> = refused.into_iter().map(|(email,)| email).collect();
    Ok(refused.join(" and "))
}
