//! A connection to a mail server, and the commands of a mail on it.

use std::fmt::{self, Display, Formatter};
use std::time::Instant;

use lettre::address::{Address, Envelope};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;

use super::SmtpError;
use super::failure::{Failed, Stage, is_answer};
use crate::mail::SendError;

pub(super) struct Connection {
    pub smtp: AsyncSmtpConnection,
    /// The server accepts several commands at once.
    pub is_pipelining: bool,
    pub used: Instant,
    /// Carried a mail before, so the server may have closed it meanwhile.
    pub is_used: bool,
}

/// A text, and the commands of the next mail.
pub(super) struct Text<'a> {
    pub text: &'a str,
    pub commands: Option<&'a [String; 3]>,
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)?;
        self.commands.into_iter().flatten().try_for_each(|command| f.write_str(command))
    }
}

impl Connection {
    /// Sends the commands. On success the server waits for the text.
    pub async fn begin(&mut self, commands: &[String; 3]) -> Result<(), Failed> {
        let begun = match self.is_pipelining {
            true => {
                let answer = self.smtp.command(commands.concat()).await;
                self.read_answers(answer).await
            }
            false => self.begin_stepwise(commands).await,
        };
        self.reset_if_not(begun).await
    }

    /// The same for commands that were sent with the text of the last mail.
    pub async fn begin_announced(&mut self) -> Result<(), Failed> {
        let answer = self.smtp.read_response().await;
        let begun = self.read_answers(answer).await;
        self.reset_if_not(begun).await
    }

    async fn reset_if_not(&mut self, begun: Result<(), Failed>) -> Result<(), Failed> {
        match begun {
            Err(mut failed) => {
                failed.is_usable = failed.is_usable && self.smtp.command(Rset).await.is_ok();
                Err(failed)
            }
            Ok(()) => Ok(()),
        }
    }

    /// The commands MAIL, RCPT and DATA.
    pub fn commands(&self, envelope: &Envelope) -> Result<[String; 3], SendError> {
        let mut options = Vec::new();
        let addresses = envelope.from().into_iter().chain(envelope.to());
        let is_international = |address: &Address| !AsRef::<str>::as_ref(address).is_ascii();
        if addresses.into_iter().any(is_international) {
            if !self.smtp.server_info().supports_feature(Extension::SmtpUtfEight) {
                // This does not affect the next mail.
                let text = "the mail server does not support international addresses".into();
                return Err(SendError::Refused { text, address: false });
            }
            options.push(MailParameter::SmtpUtfEight);
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let mail = Mail::new(envelope.from().cloned(), options).to_string();
        let recipient = envelope.to().first().map(|to| Rcpt::new(to.clone(), vec![]).to_string());
        Ok([mail, recipient.unwrap_or_default(), Data.to_string()])
    }

    async fn begin_stepwise(&mut self, commands: &[String; 3]) -> Result<(), Failed> {
        let stages = [Stage::Begin, Stage::Recipient, Stage::Recipient];
        for (command, stage) in commands.iter().zip(stages) {
            self.smtp.command(command).await.map_err(|error| {
                let is_usable = is_answer(&error);
                Failed { error, stage, is_usable }
            })?;
        }
        Ok(())
    }

    /// Reads the answers to the commands that were sent at once, after the first one.
    async fn read_answers(&mut self, mail: Result<Response, SmtpError>) -> Result<(), Failed> {
        let mail = match mail {
            // There will be no answer to the others.
            Err(error) if !is_answer(&error) => {
                return Err(Failed { error, stage: Stage::Begin, is_usable: false });
            }
            answer => answer,
        };
        let recipient = self.smtp.read_response().await;
        let data = self.smtp.read_response().await;
        // If the server accepts DATA without a recipient, it waits for a text now.
        let is_usable =
            data.as_ref().is_err_and(is_answer) && recipient.as_ref().err().is_none_or(is_answer);
        let answers = [(mail, Stage::Begin), (recipient, Stage::Recipient)];
        for (answer, stage) in answers.into_iter().chain([(data, Stage::Recipient)]) {
            answer.map_err(|error| Failed { error, stage, is_usable })?;
        }
        Ok(())
    }
}
