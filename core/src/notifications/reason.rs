//! Why somebody gets a mail, in one sentence below it.

use super::{AccountMail, MailKind, MessageMail};

/// The reason. `in_family` says whether the address belongs to a family; newsletters also go to the
/// mailing list.
pub(crate) fn reason(kind: MailKind, in_family: bool, camp: &str) -> String {
    match kind {
        MailKind::Video => {
            format!("You get this because your family at {camp} gets emails about new videos.")
        }
        MailKind::LateVideo => {
            "You get this because your family asked for it. To stop only these notes, switch off “When tonight’s video is late” on your profile page.".into()
        }
        MailKind::Update => {
            format!("You get this because your family at {camp} gets camp updates by email.")
        }
        MailKind::Newsletter if in_family => {
            format!("You get this because your family at {camp} gets newsletters.")
        }
        MailKind::Newsletter => {
            format!("You get this because you signed up for newsletters from {camp}.")
        }
        MailKind::Digest => {
            format!("You get this because your family at {camp} chose one email a day.")
        }
        MailKind::UpdateTest | MailKind::NewsletterTest | MailKind::SampleTest => {
            format!("You get this because you sent yourself a test from the staff area of {camp}.")
        }
        MailKind::Alert => {
            "You get this because you are an owner. To turn it off, use the setting “System alerts”."
                .into()
        }
        MailKind::Payment => {
            format!("You get this because your family at {camp} gets a receipt for every payment.")
        }
        MailKind::PaymentReminder => {
            format!("You get this because your family has a payment plan with {camp}.")
        }
        MailKind::Subscribe => {
            "You get this because this email was entered under “Stay Updated” on our site.".into()
        }
        MailKind::Message(kind) => of_message(kind, camp),
        MailKind::Account(kind) => of_account(kind, camp),
    }
}

fn of_message(kind: MessageMail, camp: &str) -> String {
    match kind {
        MessageMail::Arrived | MessageMail::MoreWait => {
            format!("You get this because messages to {camp} are sent to this email.")
        }
        MessageMail::Received => {
            "You get this because this email was entered in our contact form.".into()
        }
        MessageMail::Reply => format!("You get this because {camp} answered a message."),
    }
}

fn of_account(kind: AccountMail, camp: &str) -> String {
    match kind {
        AccountMail::Verify => {
            format!("You get this because someone signed up at {camp} with this email.")
        }
        AccountMail::Reset => {
            "You get this because someone asked for a new password for this email.".into()
        }
        AccountMail::ChangeEmail => {
            "You get this because someone entered this email for their account.".into()
        }
        AccountMail::PasswordChanged | AccountMail::EmailChanged => {
            format!("You get this because it is about the safety of your account at {camp}.")
        }
        AccountMail::SecondaryEmail => {
            "You get this because someone entered this email for their family.".into()
        }
        AccountMail::SecondaryRemoved => {
            format!("You get this because this email belonged to a family at {camp}.")
        }
        AccountMail::SecondaryAdded
        | AccountMail::GuardianJoined
        | AccountMail::Approved
        | AccountMail::Refused
        | AccountMail::AddressRefused => {
            format!("You get this because it is about your family’s account at {camp}.")
        }
        AccountMail::Invitation => {
            format!("You get this because {camp} has this email for your family.")
        }
        AccountMail::StaffEmailChanged => {
            format!("You get this because this email belonged to a staff account at {camp}.")
        }
        AccountMail::StaffAccount => {
            format!("You get this because you are an owner of the portal of {camp}.")
        }
        AccountMail::StaffReset
        | AccountMail::StaffPasswordChanged
        | AccountMail::StaffTwoFactorOn
        | AccountMail::StaffTwoFactorOff
        | AccountMail::StaffRecoveryCodes
        | AccountMail::StaffNewBrowser => {
            format!("You get this because you have a staff account at {camp}.")
        }
    }
}
