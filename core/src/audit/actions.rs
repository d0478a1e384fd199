//! All actions and kinds of subjects in the audit log, in the order of its filters.

use crate::text_enum::text_enum;

text_enum! {
    /// What was done, stored as `topic.verb`.
    Action {
        AnalyticsExport = "analytics.export",
        AuditExport = "audit.export",
        BackupRestore = "backup.restore",
        CommentApprove = "comment.approve",
        CommentDelete = "comment.delete",
        CommentHide = "comment.hide",
        CommentKeep = "comment.keep",
        CommentReopen = "comment.reopen",
        CommentShow = "comment.show",
        FaqAdd = "faq.add",
        FaqChange = "faq.change",
        FaqDelete = "faq.delete",
        FaqOrder = "faq.order",
        GalleryImport = "gallery.import",
        JobRetry = "job.retry",
        LetterRetryMail = "letter.retry_mail",
        LetterSend = "letter.send",
        LetterTest = "letter.test",
        LiveUpdateCreate = "live_update.create",
        LiveUpdateDelete = "live_update.delete",
        LiveUpdateEdit = "live_update.edit",
        LiveUpdateExpire = "live_update.expire",
        LiveUpdateTest = "live_update.test",
        MailLetThrough = "mail.let_through",
        MailSendAgain = "mail.send_again",
        MailTest = "mail.test",
        MessageChange = "message.change",
        MessageDelete = "message.delete",
        MessageReply = "message.reply",
        MessageRetryMail = "message.retry_mail",
        PaymentExport = "payment.export",
        PaymentRecord = "payment.record",
        PaymentPlanChange = "payment_plan.change",
        ProductAdd = "product.add",
        ProductAddImage = "product.add_image",
        ProductChange = "product.change",
        ProductDelete = "product.delete",
        ProductOrderImages = "product.order_images",
        ProductRemoveImage = "product.remove_image",
        ProfileAdd = "profile.add",
        ProfileApprove = "profile.approve",
        ProfileChange = "profile.change",
        ProfileClearLimits = "profile.clear_limits",
        ProfileConfirmEmail = "profile.confirm_email",
        ProfileCopyInvitation = "profile.copy_invitation",
        ProfileDelete = "profile.delete",
        ProfileExport = "profile.export",
        ProfileImport = "profile.import",
        ProfileInvite = "profile.invite",
        ProfileMerge = "profile.merge",
        ProfileRefuse = "profile.refuse",
        ProfileRemoveLogin = "profile.remove_login",
        ProfileUndoImport = "profile.undo_import",
        Seed = "seed",
        SettingsExport = "settings.export",
        SettingsSet = "settings.set",
        StaffAdd = "staff.add",
        StaffChange = "staff.change",
        StaffChangePassword = "staff.change_password",
        StaffClearLimits = "staff.clear_limits",
        StaffEndSessions = "staff.end_sessions",
        StaffRecoveryCodes = "staff.recovery_codes",
        StaffRemove = "staff.remove",
        StaffResetTwoFactor = "staff.reset_two_factor",
        StaffSendReset = "staff.send_reset",
        StaffSignIn = "staff.sign_in",
        StaffSignInRefused = "staff.sign_in_refused",
        StaffTwoFactorOff = "staff.two_factor_off",
        StaffTwoFactorOn = "staff.two_factor_on",
        SubscriberRemove = "subscriber.remove",
        SubscribersExport = "subscribers.export",
        UserChangeEmail = "user.change_email",
        UserChangePassword = "user.change_password",
        UserDelete = "user.delete",
        UserLink = "user.link",
        UserSignIn = "user.sign_in",
        UserSignInRefused = "user.sign_in_refused",
        UserSignUp = "user.sign_up",
        UserVerify = "user.verify",
        VideoCaptions = "video.captions",
        VideoConvert = "video.convert",
        VideoCreate = "video.create",
        VideoDelete = "video.delete",
        VideoEdit = "video.edit",
        VideoPublish = "video.publish",
        VideoRetryMail = "video.retry_mail",
        VideoTellLate = "video.tell_late",
        VideoTrim = "video.trim",
        VideoUpload = "video.upload",
        VideoUploadCancel = "video.upload_cancel",
        VideoUploadFailed = "video.upload_failed",
        VideoUploadRetry = "video.upload_retry",
    }
}

impl Action {
    /// The topic: `payment` of `payment.record`.
    pub(crate) fn topic(self) -> &'static str {
        topic(self.text())
    }
}

/// The topic of an action, or of a filter that is a topic itself.
pub(super) fn topic(action: &str) -> &str {
    action.split('.').next().unwrap_or(action)
}

text_enum! {
    /// The kind of record that an action applies to.
    SubjectKind {
        Analytics = "analytics",
        Audit = "audit",
        Comment = "comment",
        Database = "database",
        Faq = "faq",
        Job = "job",
        Letter = "letter",
        LiveUpdate = "live_update",
        Mail = "mail",
        Message = "message",
        Product = "product",
        Profile = "profile",
        Setting = "setting",
        Staff = "staff",
        Subscriber = "subscriber",
        Subscribers = "subscribers",
        User = "user",
        Video = "video",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The sources, without this file.
    fn sources() -> String {
        let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut sources = String::new();
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                let files = std::fs::read_dir(path).expect("the sources");
                waiting.extend(files.map(|file| file.expect("a file").path()));
            } else if !path.ends_with("audit/actions.rs") {
                sources += &std::fs::read_to_string(&path).unwrap_or_default();
            }
        }
        sources
    }

    #[test]
    fn every_filter_finds_something_that_is_written_down() {
        let sources = sources();
        let names = Action::ALL.iter().map(|action| format!("Action::{action:?}"));
        let kinds = SubjectKind::ALL.iter().map(|kind| format!("SubjectKind::{kind:?}"));
        for name in names.chain(kinds) {
            let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
            assert!(sources.split(&name).skip(1).any(is_whole), "nothing writes {name}");
        }
    }

    #[test]
    fn the_menus_are_in_order() {
        assert!(Action::ALL.iter().map(|action| action.text()).is_sorted());
        assert!(SubjectKind::ALL.iter().map(|kind| kind.text()).is_sorted());
    }
}
