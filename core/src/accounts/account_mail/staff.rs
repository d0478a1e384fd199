//! Emails to staff about their accounts.

use super::Mail;
use crate::bidi::isolated;
use crate::notifications::{Button, MailContent};

const NOT_EXPECTED: &str = "If you did not expect this, please tell an owner right away.";

impl Mail<'_> {
    pub(super) fn staff_reset(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Choose a new password for the staff area of {site}"),
            heading: "A new password for your staff account".into(),
            paragraphs: vec![format!(
                "{} asked you to choose a new password for the staff account {}. Until you do, the old one works.",
                self.owner(),
                self.name,
            )],
            button: Some(Button {
                label: "Choose a new password",
                url: self.link.clone(),
            }),
            notes: vec!["The link works for one hour. If you did not expect this email, please ask an owner about it.".into()],
            ..MailContent::default()
        }
    }

    pub(super) fn staff_password_changed(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Your staff password for {site} was changed"),
            heading: "Your staff password was changed".into(),
            paragraphs: vec![
                format!(
                    "The password of {} was changed, and all other devices were signed out.",
                    self.name
                ),
                NOT_EXPECTED.into(),
            ],
            button: Some(self.staff_area()),
            ..MailContent::default()
        }
    }

    pub(super) fn staff_email_changed(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("The email of your staff account at {site} was changed"),
            heading: "Your staff account has a new email".into(),
            paragraphs: vec![
                format!(
                    "An owner changed the email of {}. You will no longer get emails about this account here.",
                    self.name
                ),
                NOT_EXPECTED.into(),
            ],
            button: Some(self.contact()),
            ..MailContent::default()
        }
    }

    pub(super) fn staff_two_factor_on(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Two-factor was turned on for your staff account at {site}"),
            heading: "You now need a code to sign in".into(),
            paragraphs: vec![
                format!(
                    "An authenticator app was set up for {}. From now on you need a code from it to sign in. All other devices were signed out.",
                    self.name,
                ),
                NOT_EXPECTED.into(),
            ],
            button: Some(self.staff_area()),
            ..MailContent::default()
        }
    }

    pub(super) fn staff_two_factor_off(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("Two-factor was turned off for your staff account at {site}"),
            heading: "You no longer need a code to sign in".into(),
            paragraphs: vec![
                format!(
                    "The authenticator app was removed from {}, so the password is enough to sign in. All other devices were signed out.",
                    self.name,
                ),
                NOT_EXPECTED.into(),
            ],
            button: Some(self.staff_area()),
            ..MailContent::default()
        }
    }

    pub(super) fn staff_recovery_codes(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("New recovery codes for your staff account at {site}"),
            heading: "You have new recovery codes".into(),
            paragraphs: vec![
                format!(
                    "New recovery codes were made for {}. The earlier codes no longer work.",
                    self.name,
                ),
                NOT_EXPECTED.into(),
            ],
            button: Some(self.staff_area()),
            ..MailContent::default()
        }
    }

    pub(super) fn staff_account(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("The staff accounts of {site} have changed"),
            heading: "A staff account was added or became an owner".into(),
            paragraphs: vec![self.told_of(), NOT_EXPECTED.into()],
            button: Some(self.staff_area()),
            ..MailContent::default()
        }
    }

    pub(super) fn staff_new_browser(&self) -> MailContent {
        let site = &self.site;
        MailContent {
            subject: format!("A new sign-in to the staff area of {site}"),
            heading: "A sign-in from a new browser".into(),
            paragraphs: vec![
                format!(
                    "Someone signed in as {} on a {}, in a browser this account had not used before.",
                    self.name,
                    self.device(),
                ),
                "If this was you, you don’t need to do anything. If not, change your password right away: that signs out every other device. Then tell an owner.".into(),
            ],
            button: Some(self.staff_area()),
            ..MailContent::default()
        }
    }

    /// The staff member who triggered the mail, by the name that colleagues know.
    fn owner(&self) -> String {
        match self.data["by"].as_str() {
            Some(name) => format!("{}, an owner,", isolated(name)),
            None => "An owner".into(),
        }
    }

    /// What one owner did with an account, for the mail to all owners.
    fn told_of(&self) -> String {
        let word = |key: &str| isolated(self.data[key].as_str().unwrap_or_default());
        let (by, name) = (word("by"), word("name"));
        match self.data["what"].as_str() {
            Some("promoted") => format!("{by} made {name} an owner."),
            Some("added_owner") => format!("{by} added the account {name} as an owner."),
            _ => format!("{by} added the account {name}."),
        }
    }

    /// The device in words.
    fn device(&self) -> &'static str {
        match self.data["device"].as_str() {
            Some("phone") => "phone",
            Some("tablet") => "tablet",
            _ => "computer",
        }
    }

    fn staff_area(&self) -> Button {
        Button { label: "Open the staff area", url: self.app.url("/admin") }
    }
}
