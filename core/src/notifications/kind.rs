//! The kinds of mail. A kind selects the content of a mail, and is stored with its notification.

use crate::text_enum::text_enum;

/// Defines [`MailKind`] with the stored text of each kind. `MailKind::all` cannot leave one out.
macro_rules! mail_kinds {
    ($($(#[$about:meta])* $Kind:ident = $text:literal,)+) => {
        /// What a mail is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum MailKind {
            $($(#[$about])* $Kind,)+
            Message(MessageMail),
            Account(AccountMail),
        }

        impl MailKind {
            const PLAIN: &[MailKind] = &[$(MailKind::$Kind,)+];

            /// The stored text.
            pub fn text(self) -> &'static str {
                match self {
                    $(MailKind::$Kind => $text,)+
                    MailKind::Message(kind) => kind.text(),
                    MailKind::Account(kind) => kind.text(),
                }
            }
        }
    };
}

mail_kinds! {
    /// A new video.
    Video = "video",
    /// Tonight's video is late.
    LateVideo = "late_video",
    /// A camp update.
    Update = "update",
    Newsletter = "letter",
    /// The videos, updates and newsletters of a day in one mail. The subject is the notification itself.
    Digest = "digest",
    /// An update that was not posted yet, to the member of the staff who writes it. The subject is
    /// the staff account.
    UpdateTest = "update_test",
    /// The same for a newsletter.
    NewsletterTest = "letter_test",
    /// A sample of any mail, to the member of the staff who wants to see it.
    SampleTest = "sample_test",
    /// An alert to the owners.
    Alert = "alert",
    /// A receipt.
    Payment = "payment",
    /// The subject is the plan.
    PaymentReminder = "payment_reminder",
    /// Asks a subscriber to confirm the address.
    Subscribe = "subscribe",
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
    pub fn all() -> impl Iterator<Item = MailKind> {
        let messages = MessageMail::ALL.iter().map(|kind| MailKind::Message(*kind));
        let accounts = AccountMail::ALL.iter().map(|kind| MailKind::Account(*kind));
        MailKind::PLAIN.iter().copied().chain(messages).chain(accounts)
    }

    /// The kind with this stored text. Returns `None` for a kind that a later version added.
    pub fn read(text: &str) -> Option<MailKind> {
        MailKind::all().find(|kind| kind.text() == text)
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
