//! Mail about belonging to a family: its second address, its users, invitations and approval.

use super::Mail;
use crate::Result;
use crate::accounts::links::account;
use crate::accounts::tokens::Purpose;
use crate::notifications::{Button, MailContent};

impl Mail<'_> {
    pub(super) async fn secondary_email(&self) -> Result<MailContent> {
        let site = self.settings.camp_name();
        Ok(MailContent {
            subject: format!("Join a family’s emails at {site}"),
            heading: "Join a family’s emails".into(),
            paragraphs: vec![
                format!(
                    "{} added this address to their family at {site}.",
                    self.asker().await?
                ),
                "If this is your family, please confirm: then you get the family’s emails too, and an account with this address shows the family. Until then we won’t email you again.".into(),
            ],
            button: Some(Button {
                label: "Confirm my email",
                url: self.link(Purpose::SecondaryEmail, "/auth/verify?for=second_email&token=").await?,
            }),
            notes: vec![
                "The link works for three days.".into(),
                "If you do not know this family, you don’t need to do anything.".into(),
            ],
            ..MailContent::default()
        })
    }

    pub(super) fn secondary_added(&self) -> MailContent {
        let site = self.settings.camp_name();
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

    pub(super) async fn secondary_removed(&self) -> Result<MailContent> {
        let site = self.settings.camp_name();
        Ok(MailContent {
            subject: format!("Your address was removed from a family at {site}"),
            heading: "Your address was removed".into(),
            paragraphs: vec![
                format!(
                    "{} removed your address from their family at {site}. You will no longer get emails about this family.",
                    self.asker().await?
                ),
                format!(
                    "If you did not expect this, please write to {} right away.",
                    self.settings.contact_email
                ),
            ],
            ..MailContent::default()
        })
    }

    pub(super) fn guardian_joined(&self) -> MailContent {
        let site = self.settings.camp_name();
        MailContent {
            subject: format!("Someone joined your family at {site}"),
            heading: "A second login for your family".into(),
            paragraphs: vec![format!(
                "Another login was linked to your family at {site}, through one of your family’s addresses or an invitation from the camp. If you did not expect this, please write to {}.",
                self.settings.contact_email
            )],
            ..MailContent::default()
        }
    }

    pub(super) async fn invitation(&self) -> Result<MailContent> {
        let site = self.settings.camp_name();
        Ok(MailContent {
            subject: format!("You are invited to {site}"),
            heading: "Watch the summer with us".into(),
            paragraphs: vec![format!(
                "{site} has a site for its families, with a new video every day and updates from camp. Your account is ready. All you need is a password."
            )],
            button: Some(Button {
                label: "Accept the invitation",
                url: self.link(Purpose::Invite, "/auth?invite=").await?,
            }),
            notes: vec!["The link works for 30 days, only for your family.".into()],
            ..MailContent::default()
        })
    }

    pub(super) fn approved(&self) -> MailContent {
        let site = self.settings.camp_name();
        MailContent {
            subject: format!("Welcome to {site}"),
            heading: "Your family is confirmed".into(),
            paragraphs: vec!["You can now watch all the videos.".into()],
            button: Some(Button { label: "Open the videos", url: self.app.url("/current-videos") }),
            ..MailContent::default()
        }
    }

    pub(super) fn refused(&self) -> MailContent {
        let site = self.settings.camp_name();
        MailContent {
            subject: format!("Your registration at {site}"),
            heading: "We could not confirm your family".into(),
            paragraphs: vec![format!(
                "The camp did not find your family on this summer’s list. If this is a mistake, please write to {}.",
                self.settings.contact_email
            )],
            ..MailContent::default()
        }
    }

    pub(super) async fn address_refused(&self) -> Result<MailContent> {
        let site = self.settings.camp_name();
        let refused: Vec<(String,)> = self
            .app
            .db
            .sql(
                "select a.email from profile_addresses a
                 join suppressed_addresses s on s.email = a.email
                 where a.profile_id = $1 and a.email <> $2",
            )
            .bind(self.notification.subject_id)
            .bind(&self.delivery.email)
            .all()
            .await?;
        let refused: Vec<String> = refused.into_iter().map(|(email,)| email).collect();
        Ok(MailContent {
            subject: format!("Emails from {site} to your family’s other address come back"),
            heading: "One of your family’s addresses does not work".into(),
            paragraphs: vec![
                format!(
                    "Emails to {} came back, so we stopped sending them. For now, this is the only address at which your family gets emails from {site}.",
                    refused.join(" and ")
                ),
                format!(
                    "If that address is wrong, please correct it on your profile or write to {}. If it works again, please tell us, and we will use it again.",
                    self.settings.contact_email
                ),
            ],
            button: Some(Button { label: "Open my profile", url: self.app.url("/profile") }),
            ..MailContent::default()
        })
    }

    /// Who gave a family its second address, by their email address. A name is free text, which must
    /// not be sent to strangers.
    async fn asker(&self) -> Result<String> {
        let email: Option<(String,)> = self
            .app
            .db
            .sql("select email from users where id = $1")
            .bind(account(self.notification))
            .optional()
            .await?;
        Ok(email
            .map_or("A family".to_owned(), |(email,)| format!("The owner of the account {email}")))
    }
}
