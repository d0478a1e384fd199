//! All actions and kinds of subjects in the audit log, for its filters.

/// Actions, as `topic.verb`.
pub const ACTIONS: &[&str] = &[
    "analytics.export",
    "audit.export",
    "backup.restore",
    "comment.approve",
    "comment.delete",
    "comment.hide",
    "comment.show",
    "faq.add",
    "faq.change",
    "faq.delete",
    "faq.order",
    "gallery.import",
    "job.retry",
    "letter.retry_mail",
    "letter.send",
    "live_update.create",
    "live_update.delete",
    "live_update.edit",
    "live_update.expire",
    "mail.let_through",
    "mail.send_again",
    "message.change",
    "message.delete",
    "message.reply",
    "message.retry_mail",
    "payment.record",
    "payment_plan.change",
    "product.add",
    "product.add_image",
    "product.change",
    "product.delete",
    "product.order_images",
    "product.remove_image",
    "profile.add",
    "profile.approve",
    "profile.change",
    "profile.clear_limits",
    "profile.confirm_email",
    "profile.copy_invitation",
    "profile.delete",
    "profile.export",
    "profile.import",
    "profile.invite",
    "profile.merge",
    "profile.refuse",
    "profile.undo_import",
    "seed",
    "settings.export",
    "settings.set",
    "staff.add",
    "staff.change",
    "staff.change_password",
    "staff.end_sessions",
    "staff.remove",
    "staff.reset_two_factor",
    "staff.send_reset",
    "staff.sign_in",
    "staff.sign_in_refused",
    "staff.two_factor_off",
    "staff.two_factor_on",
    "subscriber.remove",
    "subscribers.export",
    "user.change_email",
    "user.change_password",
    "user.delete",
    "user.link",
    "user.sign_in",
    "user.sign_in_refused",
    "user.sign_up",
    "user.verify",
    "video.create",
    "video.delete",
    "video.edit",
    "video.publish",
    "video.retry_mail",
];

/// The kinds of records that actions apply to.
pub const SUBJECTS: &[&str] = &[
    "analytics",
    "audit",
    "comment",
    "database",
    "faq",
    "job",
    "letter",
    "live_update",
    "mail",
    "message",
    "product",
    "profile",
    "setting",
    "staff",
    "subscriber",
    "subscribers",
    "user",
    "video",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::audit::topic;

    /// Every text of the form `"word.word"` in the files that write to the log, and every subject.
    fn written() -> (BTreeSet<String>, BTreeSet<String>) {
        let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let (mut actions, mut subjects) = (BTreeSet::new(), BTreeSet::new());
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                let files = std::fs::read_dir(path).expect("the sources");
                waiting.extend(files.map(|file| file.expect("a file").path()));
                continue;
            }
            if path.ends_with("audit/actions.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if !text.contains("audit::record(") && !path.ends_with("audit/export.rs") {
                continue;
            }
            let is_word = |text: &str| {
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            };
            let is_action = |text: &&str| {
                text.split_once('.').is_some_and(|(topic, deed)| is_word(topic) && is_word(deed))
            };
            actions.extend(text.split('"').filter(is_action).map(str::to_owned));
            for call in ["Subject::new(\"", "Subject::none(\""] {
                let kinds = text.split(call).skip(1);
                subjects.extend(kinds.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
            }
        }
        (actions, subjects)
    }

    #[test]
    fn everything_that_is_written_down_can_be_asked_for() {
        let (mut actions, subjects) = written();
        // Skips file names and columns of the same form.
        actions.retain(|action| ACTIONS.iter().any(|known| topic(known) == topic(action)));
        actions.insert("seed".into());
        assert_eq!(actions, ACTIONS.iter().map(|action| action.to_string()).collect());
        assert_eq!(subjects, SUBJECTS.iter().map(|kind| kind.to_string()).collect());
    }

    #[test]
    fn the_menus_are_in_order() {
        assert!(ACTIONS.is_sorted() && SUBJECTS.is_sorted());
    }
}
