//! `camp mail`: tests sending mail, shows what is sent, makes the key that signs it, and receives reports
//! about mail.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use portal::mail::{self, DkimKey, SendError, Trouble};
use portal::{App, Config, EmailAddress, Error, root};

use crate::mail_preview::Preview;
use crate::output::{Code, Outcome, print, print_note};
use crate::receive::Receive;

/// Test sending mail, look at every email, make the key that signs it, and receive bounces
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
    /// Make the private key that signs mail (DKIM), and print its DNS record
    ///
    /// The key is written to --dkim-key, or to dkim.pem in the data folder. A key that is there stays, and its
    /// record is printed again. An RSA key is made by the program openssl.
    #[command(
        after_help = "Example:\n  camp mail dkim --dkim-key /etc/camp/dkim.pem --mail-from hello@camp.example"
    )]
    Dkim {
        /// Make an Ed25519 key, which is shorter but which large providers do not check yet
        #[arg(long)]
        ed25519: bool,
    },
    Receive(Receive),
    /// Write a sample of every email into a folder, to look at them
    Preview(Preview),
}

impl Mail {
    pub async fn run(self, config: Config) -> Outcome {
        let address = match self {
            Mail::Test { address } => address,
            Mail::Dkim { ed25519 } => return make_key(&config, ed25519),
            Mail::Receive(receive) => return receive.run(config).await,
            Mail::Preview(preview) => return preview.run(config).await,
        };
        let to = recipient(&address)?;
        let app = App::open(config).await?;
        let settings = app.settings().await?;
        let from = app.config.mail_from(settings.camp_name());
        let line =
            format!("This is a test from {}. Nothing needs to be done.", settings.camp_name());
        let test = mail::Mail {
            from: from.clone(),
            envelope_sender: portal::bounces::test_sender(&app, &to),
            to: to.parse().map_err(Error::unforeseen)?,
            reply_to: None,
            subject: format!("A test from {}", settings.camp_name()),
            html: format!("<p>{}</p>", escape(&line)),
            text: line,
            message_id: format!("<{}@{}>", uuid::Uuid::new_v4().simple(), app.config.mail_domain()),
            provider_header: None,
            list_id: None,
            unsubscribe_url: None,
            encoded: None,
            date: app.clock.now(),
        };
        if !tell_troubles(&app).await {
            return Ok(Code::Unusable);
        }
        tell(&app, &from.to_string(), &to, app.mailer.send(&test).await)
    }
}

/// Prints which servers cannot be used. Returns whether another one can, or mail is written to a folder.
async fn tell_troubles(app: &App) -> bool {
    let answers = app.mailer.probe().await;
    let is_usable = answers.is_empty() || answers.iter().any(|(_, answer)| answer.is_ok());
    for (server, answer) in answers {
        if let Err(answer) = answer {
            let Trouble { says, todo, .. } = answer.into();
            print_note(format!("camp: {server} {says}. {todo}"));
        }
    }
    is_usable
}

/// Prints what became of the test.
fn tell(app: &App, from: &str, to: &EmailAddress, sent: Result<(), SendError>) -> Outcome {
    let destination = app.mailer.destination();
    match sent {
        Ok(()) if app.mailer.folder().is_some() => {
            print(format!("Written to the folder {destination}, because no --smtp-url is given."));
            Ok(Code::Done)
        }
        Ok(()) => {
            let destination = app.mailer.in_use();
            print(format!("{destination} accepted the email from {from} to {to}."));
            Ok(Code::Done)
        }
        Err(SendError::Unreachable(cause)) => {
            print_note(format!(
                "camp: {destination} did not take the email from {from}: {cause}. Please check --mail-from and --bounce-address."
            ));
            Ok(Code::Unusable)
        }
        Err(SendError::InDoubt(cause)) => {
            print_note(format!(
                "camp: {destination} did not say whether it accepted the email: {cause}. It may have sent it."
            ));
            Ok(Code::Failed)
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

fn recipient(address: &str) -> Result<EmailAddress, Error> {
    EmailAddress::parse(address).ok_or_else(|| {
        Error::invalid("address", format!("“{address}” is not a valid email address."))
    })
}

fn make_key(config: &Config, is_ed25519: bool) -> Outcome {
    let default = || config.data_dir.join("dkim.pem");
    let file: PathBuf = config.dkim_key.clone().unwrap_or_else(default);
    // Root may put it where only root may write; the portal must still be able to read it.
    let folder = file.parent().unwrap_or(Path::new(""));
    if !root::in_named_folder(folder, || file.exists()) {
        let pem = if is_ed25519 { DkimKey::new_ed25519()? } else { new_rsa_key()? };
        root::in_named_folder(folder, || write_new(&file, &pem)).map_err(|error| {
            Error::Setup(format!("{} cannot be written: {error}", file.display()))
        })?;
        print_note(format!("The key was written to {}.", file.display()));
    }
    let record = DkimKey::read(&file)?.record();
    print_note(format!(
        "Add this TXT record at {}, then start with --dkim-key:",
        config.dkim_name()
    ));
    print(record);
    Ok(Code::Done)
}

/// Only its owner may read it. Never overwrites a file.
fn write_new(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut open = std::fs::OpenOptions::new();
    let mut file = open.write(true).create_new(true).mode(0o600).open(file)?;
    file.write_all(text.as_bytes())?;
    root::give_written(&file)
}

fn new_rsa_key() -> Result<String, Error> {
    let arguments = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
    let made = Command::new("openssl").args(arguments).output();
    let failed = |why: String| {
        Error::Setup(format!("openssl cannot make a key ({why}). Install it, or use --ed25519."))
    };
    let made = made.map_err(|error| failed(error.to_string()))?;
    if !made.status.success() {
        return Err(failed(String::from_utf8_lossy(&made.stderr).trim().to_owned()));
    }
    String::from_utf8(made.stdout).map_err(Error::unforeseen)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
