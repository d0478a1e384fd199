//! What a mail server means when it refuses a mail, at once or in a report (RFC 3463, RFC 5321).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    NoSuchAddress,
    NoSuchDomain,
    Disabled,
    /// The address takes no mail, for a reason that is not clear.
    Address,
    MailboxFull,
    Unreachable,
    Unclear,
    /// The sender, or the way it sends, is not welcome.
    Policy,
    Content,
}

impl Refusal {
    /// Reads an enhanced status code, which may be missing, and the text beside it.
    pub fn read(status: &str, said: &str) -> Refusal {
        let in_text = || words(said).find_map(code);
        // Many servers report 5.0.0 and give the precise code in the text only.
        let code = match words(status).find_map(code) {
            Some((class, 0, 0)) => in_text().filter(|(c, ..)| *c == class).or(Some((class, 0, 0))),
            Some(code) => Some(code),
            None => in_text(),
        };
        match of(code, words(said).find_map(reply)) {
            Refusal::Address if said.trim().is_empty() => Refusal::Unclear,
            refusal
                if refusal.is_about_the_address()
                    && !names_the_address(code)
                    && blames_the_sender(said) =>
            {
                Refusal::Policy
            }
            refusal => refusal,
        }
    }

    /// Whether the address takes no mail at all.
    pub fn is_about_the_address(self) -> bool {
        matches!(
            self,
            Refusal::NoSuchAddress | Refusal::NoSuchDomain | Refusal::Disabled | Refusal::Address
        )
    }
}

/// Codes that mean nothing else.
fn names_the_address(code: Option<Code>) -> bool {
    matches!(code, Some((5, 1, 1 | 2 | 3 | 6 | 10) | (5, 4, 4 | 310)))
}

/// Whether the text is about the sender or about what is sent. Many servers use the code for an
/// unknown mailbox for this.
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

fn of(code: Option<Code>, reply: Option<u16>) -> Refusal {
    match code {
        Some((_, 2, 2)) => Refusal::MailboxFull,
        Some((4, ..)) => Refusal::Unreachable,
        Some((5, 7, _)) => Refusal::Policy,
        // About the sender or the mail.
        Some((5, 1, 7 | 8) | (5, 2, 3) | (5, 3 | 5 | 6, _)) => Refusal::Content,
        Some((5, 1, 2) | (5, 4, 4 | 310)) => Refusal::NoSuchDomain,
        // Exchange says 5.4.1 for an unknown recipient.
        Some((5, 1, _) | (5, 4, 1)) => Refusal::NoSuchAddress,
        Some((5, 2, 1)) => Refusal::Disabled,
        Some((5, 4, _)) => Refusal::Unreachable,
        Some((5, ..)) | None => match reply {
            Some(550 | 551 | 553) => Refusal::Address,
            Some(552) => Refusal::MailboxFull,
            Some(500..) => Refusal::Policy,
            Some(_) => Refusal::Unreachable,
            None if code.is_some() => Refusal::Address,
            None => Refusal::Unclear,
        },
        Some(_) => Refusal::Unclear,
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

    #[test]
    fn what_is_said_about_the_sender_is_not_held_against_the_address() {
        let about = |said| Refusal::read("", said).is_about_the_address();
        assert!(!about("550 relay not permitted"));
        assert!(!about("550 5.7.1 Message rejected as spam"));
        assert!(about("550 5.1.1 No such user, see our policy"));
        assert!(about("550 Unrouteable address"));
    }

    #[test]
    fn numbers_in_addresses_of_machines_are_no_codes() {
        assert_eq!(code("203.0.113"), None);
        assert_eq!(code("5.1.1.9"), None);
        assert_eq!(code("5.1.1."), Some((5, 1, 1)));
        assert_eq!(reply("5500"), None);
    }
}
