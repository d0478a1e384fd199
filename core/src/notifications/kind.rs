//! The kinds of mail. A kind selects the content of a mail, and is stored with its notification.

use crate::text_enum::text_enum;

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// A new video.
    Video,
    /// Tonight's video is late.
    LateVideo,
    /// A camp update.
    Update,
    Newsletter,
    /// An update that was not posted yet, to the member of the staff who writes it. The subject is
    /// the staff account.
    UpdateTest,
    /// The same of a newsletter.
    NewsletterTest,
    /// An alert to the owners.
    Alert,
    /// A receipt.
    Payment,
    /// The subject is the plan.
    PaymentReminder,
    /// Asks a subscriber to confirm the address.
    Subscribe,
    Message(MessageMail),
    Account(AccountMail),
}

text_enum! {
    /// Mails about a message from the contact form.
    MessageMail {
        /// To the camp. The subject is the message.
        Arrived = "message",
        /// To the camp, instead of further mails when there are too many in an hour. The subject is
        /// the first message without its own mail.
        MoreWait = "messages_wait",
        /// To the sender: the acknowledgment.
        Received = "message_received",
        /// To the sender: the answer. The subject is the reply.
        Reply = "message_reply",
    }
}

text_enum! {
    /// Mails about the account of a user, of a family or of staff.
    AccountMail {
        Verify = "verify",
        Reset = "reset",
        PasswordChanged = "password_changed",
        ChangeEmail = "change_email",
        EmailChanged = "email_changed",
        SecondaryEmail = "secondary_email",
        SecondaryAdded = "secondary_added",
        SecondaryRemoved = "secondary_removed",
        GuardianJoined = "guardian_joined",
        Invitation = "invitation",
        Approved = "approved",
        Refused = "refused",
        /// To the other address of a family, when mail to one of its addresses stops. The subject
        /// is the family.
        AddressRefused = "address_refused",
        StaffReset = "staff_reset",
        StaffPasswordChanged = "staff_password_changed",
        StaffEmailChanged = "staff_email_changed",
        StaffTwoFactorOn = "staff_two_factor_on",
        StaffTwoFactorOff = "staff_two_factor_off",
        StaffRecoveryCodes = "staff_recovery_codes",
        StaffAccount = "staff_account",
        StaffNewBrowser = "staff_new_browser",
    }
}

impl MailKind {
    /// The stored text.
    pub fn text(self) -> &'static str {
        match self {
            MailKind::Video => "video",
            MailKind::LateVideo => "late_video",
            MailKind::Update => "update",
            MailKind::Newsletter => "letter",
            MailKind::UpdateTest => "update_test",
            MailKind::NewsletterTest => "letter_test",
            MailKind::Alert => "alert",
            MailKind::Payment => "payment",
            MailKind::PaymentReminder => "payment_reminder",
            MailKind::Subscribe => "subscribe",
            MailKind::Message(kind) => kind.text(),
            MailKind::Account(kind) => kind.text(),
        }
    }

    /// The kind with this stored text. Returns `None` for a kind that a later version added.
    pub fn read(text: &str) -> Option<MailKind> {
        let messages = MessageMail::ALL.iter().map(|kind| MailKind::Message(*kind));
        let accounts = AccountMail::ALL.iter().map(|kind| MailKind::Account(*kind));
        let others = [
            MailKind::Video,
            MailKind::LateVideo,
            MailKind::Update,
            MailKind::Newsletter,
            MailKind::UpdateTest,
            MailKind::NewsletterTest,
            MailKind::Alert,
            MailKind::Payment,
            MailKind::PaymentReminder,
            MailKind::Subscribe,
        ];
        others.into_iter().chain(messages).chain(accounts).find(|kind| kind.text() == text)
    }
}

impl From<MessageMail> for MailKind {
    fn from(kind: MessageMail) -> MailKind {
        MailKind::Message(kind)
    }
}

impl From<AccountMail> for MailKind {
    fn from(kind: AccountMail) -> MailKind {
        MailKind::Account(kind)
    }
}
