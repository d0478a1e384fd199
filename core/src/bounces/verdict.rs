//! Decides what a report means: whether the address takes no mail any more, only for now, or whether
//! the mail was refused and not the address.

use super::report::one_line;
use crate::notifications::reports::{Cause, Kind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub kind: Kind,
    pub cause: Cause,
    /// As the other mail server said.
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
/// the mail arrived, or is still tried.
pub(crate) fn judge(action: Action, status: &str, said: &str) -> Option<Verdict> {
    let in_text = || words(said).find_map(code);
    // Many servers report 5.0.0 and give the precise code in the text only.
    let code = match words(status).find_map(code) {
        Some((class, 0, 0)) => in_text().filter(|(c, ..)| *c == class).or(Some((class, 0, 0))),
        Some(code) => Some(code),
        None => in_text(),
    };
    let reply = words(said).find_map(reply);
    let (kind, cause) = match action {
        // If it is given up at last, another report says so.
        Action::Arrived | Action::Delayed => return None,
        Action::Failed => match failed(code, reply) {
            (Kind::Hard, Cause::Other) if said.trim().is_empty() => (Kind::Soft, Cause::Other),
            (Kind::Hard, _) if !names_the_address(code) && blames_the_sender(said) => {
                (Kind::Blocked, Cause::Policy)
            }
            judged => judged,
        },
    };
    let reason = match said.trim() {
        "" if status.trim().is_empty() => "The other mail server gave no reason.".to_owned(),
        "" => one_line(status),
        said => one_line(said),
    };
    Some(Verdict { kind, cause, reason })
}

/// Whether a mail server that refused a recipient at once with this text takes no mail for it at all.
pub(crate) fn is_about_the_address(said: &str) -> bool {
    judge(Action::Failed, "", said).is_some_and(|verdict| verdict.kind == Kind::Hard)
}

/// Codes that mean nothing else.
fn names_the_address(code: Option<Code>) -> bool {
    matches!(code, Some((5, 1, 1 | 2 | 3 | 6 | 10) | (5, 4, 4 | 310)))
}

/// Whether the text is about who sends or what is sent. Many servers say so with the code for an
/// unknown mailbox.
fn blames_the_sender(said: &str) -> bool {
    const WORDS: [&str; 13] = [
        "relay",
        "rcpthosts",
        "authenticat",
        "sender",
        "spam",
        "block",
        "list",
        "rbl",
        "policy",
        "spf",
        "dkim",
        "dmarc",
        "reputation",
    ];
    let said = said.to_lowercase();
    WORDS.into_iter().any(|word| said.contains(word))
}

/// An enhanced status code (RFC 3463).
type Code = (u16, u16, u16);

fn failed(code: Option<Code>, reply: Option<u16>) -> (Kind, Cause) {
    match code {
        Some((_, 2, 2)) => (Kind::Soft, Cause::MailboxFull),
        Some((4, ..)) => (Kind::Soft, Cause::Unreachable),
        Some((5, 7, _)) => (Kind::Blocked, Cause::Policy),
        // About the sender or the mail.
        Some((5, 1, 7 | 8) | (5, 2, 3) | (5, 3 | 5 | 6, _)) => (Kind::Blocked, Cause::Content),
        Some((5, 1, 2) | (5, 4, 4 | 310)) => (Kind::Hard, Cause::NoSuchDomain),
        // Exchange says 5.4.1 for an unknown recipient.
        Some((5, 1, _) | (5, 4, 1)) => (Kind::Hard, Cause::NoSuchAddress),
        Some((5, 2, 1)) => (Kind::Hard, Cause::Disabled),
        Some((5, 4, _)) => (Kind::Soft, Cause::Unreachable),
        Some((5, ..)) | None => match reply {
            Some(550 | 551 | 553) => (Kind::Hard, Cause::Other),
            Some(552) => (Kind::Soft, Cause::MailboxFull),
            Some(500..) => (Kind::Blocked, Cause::Policy),
            Some(_) => (Kind::Soft, Cause::Unreachable),
            None if code.is_some() => (Kind::Hard, Cause::Other),
            None => (Kind::Soft, Cause::Other),
        },
        Some(_) => (Kind::Soft, Cause::Other),
    }
}

/// The words of a text, split where codes end: `550-5.1.1 No`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "-#()<>[]:;,".contains(c)).filter(|w| !w.is_empty())
}

/// An enhanced status code: `5.1.1`.
fn code(word: &str) -> Option<Code> {
    let mut numbers = word.trim_end_matches('.').split('.');
    let mut next = || numbers.next().filter(|n| n.len() <= 3)?.parse::<u16>().ok();
    let code = (next()?, next()?, next()?);
    (matches!(code.0, 2 | 4 | 5) && numbers.next().is_none()).then_some(code)
}

/// A reply code of SMTP: `550`.
fn reply(word: &str) -> Option<u16> {
    let digits = word.len() == 3 && word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten().filter(|code| (400..600).contains(code))
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
            assert!(!is_about_the_address(said), "{said}");
        }
        assert!(is_about_the_address("550 5.1.1 No such user, see our policy"));
        assert!(is_about_the_address("550 Unrouteable address"));
    }

    #[test]
    fn numbers_in_addresses_of_machines_are_no_codes() {
        assert_eq!(code("203.0.113"), None);
        assert_eq!(code("5.1.1.9"), None);
        assert_eq!(code("5.1.1."), Some((5, 1, 1)));
        assert_eq!(reply("5500"), None);
    }
}
