//! `camp mail`: tests sending mail.

use portal::mail::{self, SendError};
use portal::{App, Config, EmailAddress, Error};

use crate::output::{Code, Outcome, print, print_note};

/// Test sending mail
#[derive(clap::Subcommand)]
pub enum Mail {
    /// Send one mail now and print the result
    #[command(
        after_help = "Example:\n  camp mail test miriam@camp.example --smtp-url smtps://USER:PASSWORD@mail.camp.example"
    )]
    Test {
        /// Address of the recipient
        #[arg(value_name = "ADDRESS")]
        address: String,
    },
}

impl Mail {
    pub async fn run(self, config: Config) -> Outcome {
        let Mail::Test { address } = self;
        let Some(to) = EmailAddress::parse(&address) else {
            return Err(Error::invalid(
                "address",
                format!("“{address}” is not a valid email address."),
            ));
        };
        let app = App::open(config).await?;
        let settings = app.settings().await?;
        let from = app.config.mail_from(settings.camp_name());
        let line =
            format!("This is a test from {}. Nothing needs to be done.", settings.camp_name());
        let test = mail::Mail {
            from: from.clone(),
            to: to.parse().map_err(Error::unforeseen)?,
            reply_to: None,
            subject: format!("A test from {}", settings.camp_name()),
            html: format!("<p>{}</p>", escape(&line)),
            text: line,
            message_id: format!("<{}@{}>", uuid::Uuid::new_v4().simple(), app.config.mail_domain()),
            unsubscribe_url: None,
            encoded: None,
            date: app.clock.now(),
        };
        let destination = app.mailer.destination();
        match app.mailer.send(&test).await {
            Ok(()) if app.mailer.folder().is_some() => {
                print(format!(
                    "Written to the folder {destination}, because no --smtp-url is given."
                ));
                Ok(Code::Done)
            }
            Ok(()) => {
                let destination = app.mailer.in_use();
                print(format!("{destination} accepted the email from {from} to {to}."));
                Ok(Code::Done)
            }
            Err(SendError::Unreachable(cause)) => {
                print_note(format!(
                    "camp: {destination} cannot be reached: {cause}. Please check --smtp-url and that no firewall blocks it."
                ));
                Ok(Code::Unusable)
            }
            Err(SendError::Later(answer) | SendError::DomainBusy(answer)) => {
                print_note(format!("camp: {destination} said “later”: {answer}"));
                Ok(Code::Failed)
            }
            Err(SendError::Refused { text, .. }) => {
                print_note(format!(
                    "camp: {destination} refused the email from {from} to {to}: {text}. Often the server must know the sender, see --mail-from."
                ));
                Ok(Code::Failed)
            }
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
