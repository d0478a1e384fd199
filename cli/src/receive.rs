//! `camp mail receive`: takes a report about mail from a mail server.

use std::io::Read;

use portal::bounces::{self, Received, Source};
use portal::{App, Config, Error, Result};

use crate::output::{Code, Outcome, print, print_note};

/// Read one bounce or complaint from standard input, as a mail server gives it to a program
#[derive(clap::Args)]
#[command(after_help = RECEIVE_HELP)]
pub struct Receive {
    /// Address to which the message came, with its “+…”
    #[arg(long, value_name = "ADDRESS")]
    recipient: Option<String>,
}

const RECEIVE_HELP: &str = "\
Example:
  camp mail receive --recipient bounces+TOKEN@camp.example < report.eml

In master.cf of Postfix:
  campbounce unix - n n - 4 pipe flags=q user=camp argv=/usr/bin/env CAMP_DATA_DIR=/var/lib/camp CAMP_BOUNCE_ADDRESS=bounces@camp.example /usr/local/bin/camp mail receive --recipient ${original_recipient}

Exit codes (sysexits.h):
   0  read; a message that is no report about the portal's mail is dropped
  65  not a message
  75  the portal cannot take it now, or its database must be upgraded; the mail server tries again";

impl Receive {
    pub async fn run(self, config: Config) -> Outcome {
        Ok(receive(config, self.recipient).await)
    }
}

/// Every failure is temporary for the mail server, so that no report is lost.
async fn receive(config: Config, recipient: Option<String>) -> Code {
    let mut message = Vec::new();
    let read = std::io::stdin().lock().take(bounces::MAX_BYTES as u64).read_to_end(&mut message);
    // The mail server waits until the whole message is taken.
    let rest = read.and_then(|_| std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink()));
    if let Err(error) = rest {
        print_note(format!("camp: The message did not arrive completely: {error}"));
        return Code::TryAgain;
    }
    if !message.contains(&b':') {
        print_note("camp: This is not a message.");
        return Code::NoMessage;
    }
    match handle(config, &message, recipient.as_deref()).await {
        Ok(received) => {
            print(match received {
                Received::Recorded(_) => "Recorded.",
                Received::Repeated => "Reported before.",
                Received::Ignored(why) => why,
                Received::NotOurs => "Not about a mail of the portal.",
                Received::NoReport => "Not a report.",
            });
            Code::Done
        }
        Err(error) => {
            print_note(format!("camp: {error}"));
            Code::TryAgain
        }
    }
}

async fn handle(config: Config, message: &[u8], recipient: Option<&str>) -> Result<Received> {
    // The mail server must not decide when the database is upgraded.
    if App::pending_migrations(&config).await?.is_some_and(|pending| pending > 0) {
        return Err(Error::Setup(
            "The database must be upgraded first: `camp migrate`.".to_owned(),
        ));
    }
    let app = App::open(config).await?;
    bounces::receive(&app, message, recipient, Source::Pipe).await
}
