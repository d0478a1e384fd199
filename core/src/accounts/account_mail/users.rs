//! Emails to users about their own account.

use super::Mail;
use crate::notifications::{Button, MailContent};

const IGNORE: &str = "If this was not you, you don’t need to do anything.";

impl Mail<'_> {
    pub(super) fn verify(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Please confirm your email for {site}"),
            heading: "One click, and you are in.".into(),
            paragraphs: vec![format!(
                "Someone signed up at {site} with this email. If it was you, please confirm: then you can comment and get an email when a video is up."
            )],
            button: Some(Button { label: "Confirm my email", url: self.link.clone() }),
            notes: vec!["The link works for three days.".into(), IGNORE.into()],
            ..MailContent::default()
        }
    }

    pub(super) fn change_email(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Please confirm your new email for {site}"),
            heading: "Your new email".into(),
            paragraphs: vec![format!(
                "Someone asked to sign in at {site} with this email from now on. If it was you, please confirm. You may need your password."
            )],
            button: Some(Button { label: "Confirm my email", url: self.link.clone() }),
            notes: vec!["The link works for three days.".into(), IGNORE.into()],
            ..MailContent::default()
        }
    }

    pub(super) fn email_changed(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Your email for {site} was changed"),
            heading: "You sign in with a new email now".into(),
            paragraphs: vec![format!(
                "The email of your account was changed and the new one confirmed. If this was not you, please write to {} right away.",
                self.settings.contact_email
            )],
            button: Some(self.contact()),
            ..MailContent::default()
        }
    }

    pub(super) fn reset(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Choose a new password for {site}"),
            heading: "A new password".into(),
            paragraphs: vec!["You asked for a new password. Tap the button to choose one.".into()],
            button: Some(Button { label: "Choose a new password", url: self.link.clone() }),
            notes: vec!["The link works for one hour.".into(), IGNORE.into()],
            ..MailContent::default()
        }
    }

    pub(super) fn password_changed(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Your password for {site} was changed"),
            heading: "Your password was changed".into(),
            paragraphs: vec![
                "All other devices were signed out.".into(),
                format!(
                    "If this was not you, choose a new password right away and write to {}.",
                    self.settings.contact_email
                ),
            ],
            button: Some(Button {
                label: "Choose a new password",
                url: self.app.url("/auth/forgot"),
            }),
            ..MailContent::default()
        }
    }
}
