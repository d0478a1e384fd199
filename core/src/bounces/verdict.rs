//! Decides what a report means: whether the address no longer takes mail, takes none for now, or
//! whether the mail was refused and not the address.

use super::report::one_line;
use crate::mail::Refusal;
use crate::notifications::reports::{Cause, Kind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub kind: Kind,
    pub cause: Cause,
    /// The reason in the words of the other mail server.
    pub reason: String,
}

impl Verdict {
    pub fn complaint(says: &str) -> Verdict {
        let reason = one_line(&format!("Marked as spam ({says})"));
        Verdict { kind: Kind::Complaint, cause: Cause::Spam, reason }
    }

    /// The mailbox itself exists, so one report does not stop mail to it.
    pub fn of_forwarded(self) -> Verdict {
        match self.kind {
            Kind::Hard => Verdict { kind: Kind::Soft, cause: Cause::Forwarding, ..self },
            _ => self,
        }
    }
}

/// What a mail server did with a mail (RFC 3464).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Failed,
    Delayed,
    /// Delivered, relayed or expanded.
    Arrived,
}

impl Action {
    pub fn read(text: &str) -> Option<Action> {
        let word = text.split([' ', ';', '(']).next().unwrap_or_default().to_lowercase();
        match &*word {
            "failed" => Some(Action::Failed),
            "delayed" => Some(Action::Delayed),
            "delivered" | "relayed" | "expanded" => Some(Action::Arrived),
            _ => None,
        }
    }
}

/// Judges what a report says about one recipient. `status` is the enhanced status code. `None` if
/// the mail arrived or is still being tried.
pub(crate) fn judge(action: Action, status: &str, said: &str) -> Option<Verdict> {
    let (kind, cause) = match action {
        // If the mail server gives up in the end, another report says so.
        Action::Arrived | Action::Delayed => return None,
        Action::Failed => meaning(Refusal::read(status, said)),
    };
    let reason = match said.trim() {
        "" if status.trim().is_empty() => "The other mail server gave no reason.".to_owned(),
        "" => one_line(status),
        said => one_line(said),
    };
    Some(Verdict { kind, cause, reason })
}

fn meaning(refusal: Refusal) -> (Kind, Cause) {
    match refusal {
        Refusal::NoSuchAddress => (Kind::Hard, Cause::NoSuchAddress),
        Refusal::NoSuchDomain => (Kind::Hard, Cause::NoSuchDomain),
        Refusal::Disabled => (Kind::Hard, Cause::Disabled),
        Refusal::Address => (Kind::Hard, Cause::Other),
        Refusal::MailboxFull => (Kind::Soft, Cause::MailboxFull),
        Refusal::Unreachable => (Kind::Soft, Cause::Unreachable),
        Refusal::Unclear => (Kind::Soft, Cause::Other),
        Refusal::Policy => (Kind::Blocked, Cause::Policy),
        Refusal::Content => (Kind::Blocked, Cause::Content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(status: &str, said: &str) -> (Kind, Cause) {
        let verdict = judge(Action::Failed, status, said).expect("a verdict");
        (verdict.kind, verdict.cause)
    }

    #[test]
    fn what_mail_servers_say_is_about_the_address_or_the_mail_or_only_today() {
        let hard = |cause| (Kind::Hard, cause);
        assert_eq!(
            failed("5.1.1", "550 5.1.1 <a@b.example> No such user"),
            hard(Cause::NoSuchAddress)
        );
        assert_eq!(
            failed("5.0.0", "550-5.1.1 The account does not exist"),
            hard(Cause::NoSuchAddress)
        );
        assert_eq!(failed("5.0.0", "550 Unrouteable address"), hard(Cause::Other));
        assert_eq!(failed("5.4.1", "550 5.4.1 Access denied"), hard(Cause::NoSuchAddress));
        assert_eq!(failed("5.4.4", "Host not found"), hard(Cause::NoSuchDomain));
        assert_eq!(failed("5.2.1", ""), hard(Cause::Disabled));
        assert_eq!(failed("5.2.2", "552 5.2.2 Over quota"), (Kind::Soft, Cause::MailboxFull));
        assert_eq!(failed("5.0.0", "552 Quota"), (Kind::Soft, Cause::MailboxFull));
        assert_eq!(failed("4.4.7", "Expired"), (Kind::Soft, Cause::Unreachable));
        assert_eq!(failed("5.4.7", "Expired"), (Kind::Soft, Cause::Unreachable));
        assert_eq!(failed("5.7.1", "550 5.7.1 Looks like spam"), (Kind::Blocked, Cause::Policy));
        assert_eq!(failed("5.0.0", "554 Spam"), (Kind::Blocked, Cause::Policy));
        assert_eq!(failed("5.3.4", "552 5.3.4 Too big"), (Kind::Blocked, Cause::Content));
        assert_eq!(failed("", ""), (Kind::Soft, Cause::Other));
        assert_eq!(failed("5.0.0", ""), (Kind::Soft, Cause::Other));
        assert_eq!(judge(Action::Arrived, "2.1.5", ""), None);
        assert_eq!(judge(Action::Delayed, "4.2.2", "452 4.2.2 Full"), None, "it is still tried");
    }

    #[test]
    fn what_is_said_about_the_sender_is_not_held_against_the_address() {
        for said in [
            "550 relay not permitted",
            "553 sorry, that domain isn't in my list of allowed rcpthosts",
            "550 Blocked: see https://rbl.example",
            "550 Message rejected as spam",
            "550 SPF check failed",
        ] {
            assert_eq!(failed("5.0.0", said), (Kind::Blocked, Cause::Policy), "{said}");
        }
    }
}
