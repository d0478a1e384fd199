//! Says in words what is wrong with a mail server, and what to do about it.

use super::SendError;
use super::smtp::explains_itself;

/// The answer of a mail server that was asked without sending a mail ([`super::Mailer::probe`]).
#[derive(Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Follows the name of the server, and has no period.
    pub says: String,
    pub todo: &'static str,
    /// Whether it may pass by itself.
    pub passes: bool,
}

/// Replies about names and passwords (RFC 4954), as lettre writes them.
const PASSWORD_CODES: [&str; 4] = ["(530)", "(534)", "(535)", "(538)"];

impl From<SendError> for Trouble {
    fn from(answer: SendError) -> Trouble {
        let (says, todo, passes) = match answer {
            SendError::Unreachable(cause) if explains_itself(&cause) => (
                format!("cannot be used: {cause}"),
                "Check --smtp-url, and the certificate of the server.",
                false,
            ),
            SendError::Unreachable(cause) => (
                format!("cannot be reached: {cause}"),
                "Check --smtp-url, and that no firewall blocks it.",
                false,
            ),
            SendError::Later(cause) | SendError::DomainBusy(cause) | SendError::InDoubt(cause) => {
                (format!("says “later”: {cause}"), "Try again in a few minutes.", true)
            }
            SendError::Refused { text, .. } => {
                let is_about_the_password = PASSWORD_CODES.iter().any(|code| text.contains(code));
                let todo = match is_about_the_password {
                    true => "Check name and password in --smtp-url.",
                    false => {
                        "It takes no mail from this machine. Ask those who run it, or use another --smtp-url."
                    }
                };
                (format!("refuses us: {text}"), todo, false)
            }
        };
        Trouble { says: says.trim_end_matches('.').to_owned(), todo, passes }
    }
}
