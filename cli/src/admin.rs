//! `camp admin`: manages staff accounts. The first owner is added here, since there is no default account.

use std::io::{BufRead, IsTerminal};

use portal::accounts::staff::{self, Account, NewStaff, Role, StaffChanges};
use portal::audit::Actor;
use portal::pagination::PageRequest;
use portal::{App, Config, Error, Result};

use crate::output::{
    Code, Outcome, open_or_create, print, print_json, print_note, print_table, time_in,
};

/// Manage the accounts of the camp's staff
#[derive(clap::Subcommand)]
pub enum Admin {
    /// Add an account; the password is read from the terminal, or as one line of standard input
    #[command(
        after_help = "Examples:\n  camp admin add miriam --email miriam@camp.example --role owner\n  pass show camp/miriam | camp admin add miriam --email miriam@camp.example --role owner"
    )]
    Add {
        /// Name to sign in with
        #[arg(value_name = "NAME")]
        name: String,
        /// For mail about the account
        #[arg(long, value_name = "ADDRESS")]
        email: String,
        /// owner may do everything; staff everything but accounts, settings, exports and the audit log
        #[arg(long, value_name = "ROLE", default_value = "staff")]
        role: Role,
    },
    /// List all accounts
    #[command(after_help = "Example:\n  camp admin list --json")]
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Set a new password for an account and end its sessions
    #[command(after_help = "Example:\n  camp admin passwd miriam")]
    Passwd {
        /// Name to sign in with, as in `camp admin list`
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Disable an account and end its sessions
    #[command(after_help = "Example:\n  camp admin disable miriam")]
    Disable {
        /// Name to sign in with, as in `camp admin list`
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Enable a disabled account, and let it try to sign in again at once after failed sign-ins
    #[command(after_help = "Example:\n  camp admin enable miriam")]
    Enable {
        /// Name to sign in with, as in `camp admin list`
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Change the role of an account to owner or staff
    #[command(after_help = "Example:\n  camp admin role miriam staff")]
    Role {
        /// Name to sign in with, as in `camp admin list`
        #[arg(value_name = "NAME")]
        name: String,
        /// owner may do everything; staff everything but accounts, settings, exports and the audit log
        #[arg(value_name = "ROLE")]
        role: Role,
    },
    /// Delete an account
    #[command(after_help = "Example:\n  camp admin remove miriam")]
    Remove {
        /// Name to sign in with, as in `camp admin list`
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Remove the second factor of an account, for a lost phone
    #[command(after_help = "Example:\n  camp admin reset-two-factor miriam")]
    ResetTwoFactor {
        /// Name to sign in with, as in `camp admin list`
        #[arg(value_name = "NAME")]
        name: String,
    },
}

impl Admin {
    pub async fn run(self, config: Config) -> Outcome {
        // Adding the first owner creates the camp.
        let app = match self {
            Admin::Add { .. } => open_or_create(config).await?,
            _ => App::open(config).await?,
        };
        match self {
            Admin::Add { name, email, role } => {
                let password = ask_password()?;
                let new =
                    NewStaff { username: name, email, role, password, current_password: None };
                let account = staff::add(&app, Actor::Operator, new).await?;
                print(format!("{} can sign in as {}.", account.username, account.role));
            }
            Admin::List { json } => list(&app, json).await?,
            Admin::Passwd { name } => {
                // Checked before somebody types the password twice in vain.
                staff::named(&app.db, &name).await?;
                let password = Some(ask_password()?);
                let changes = StaffChanges { password, ..StaffChanges::default() };
                let account = change(&app, &name, changes).await?;
                print(format!("{} has a new password.", account.username));
            }
            Admin::Disable { name } => {
                let changes = StaffChanges { disabled: Some(true), ..StaffChanges::default() };
                let account = change(&app, &name, changes).await?;
                print(format!("{} can no longer sign in.", account.username));
            }
            Admin::Enable { name } => {
                let changes = StaffChanges { disabled: Some(false), ..StaffChanges::default() };
                let account = change(&app, &name, changes).await?;
                staff::clear_limits(&app, Actor::Operator, account.id.into()).await?;
                print(format!("{} can sign in again.", account.username));
            }
            Admin::Role { name, role } => {
                let changes = StaffChanges { role: Some(role), ..StaffChanges::default() };
                let account = change(&app, &name, changes).await?;
                print(format!("{} is {} now.", account.username, account.role));
            }
            Admin::Remove { name } => {
                let id = staff::named(&app.db, &name).await?;
                staff::remove(&app, Actor::Operator, id).await?;
                print(format!("The account {name} was removed."));
            }
            Admin::ResetTwoFactor { name } => {
                let id = staff::named(&app.db, &name).await?;
                staff::reset_two_factor(&app, Actor::Operator, id).await?;
                print(format!(
                    "{name} signs in with just the password until two-factor is set up again."
                ));
            }
        }
        Ok(Code::Done)
    }
}

async fn change(app: &App, name: &str, changes: StaffChanges) -> Result<Account> {
    let id = staff::named(&app.db, name).await?;
    let version = staff::find(&app.db, id).await?.version;
    staff::change(app, Actor::Operator, id, StaffChanges { version, ..changes }).await
}

async fn list(app: &App, json: bool) -> Result<()> {
    let (mut accounts, mut part) = (Vec::new(), PageRequest::default());
    loop {
        let page = staff::list(&app.db, staff::Filter::default(), &part).await?;
        accounts.extend(page.items);
        let Some(next) = page.next else { break };
        part.cursor = Some(next);
    }
    if json {
        return print_json(&accounts);
    }
    if accounts.is_empty() {
        print("There are no accounts yet. `camp admin add` creates the first one.");
        return Ok(());
    }
    let zone = app.settings().await?.timezone;
    let rows: Vec<Vec<String>> = accounts
        .into_iter()
        .map(|account| {
            let seen = account.last_sign_in_at.map(|at| time_in(zone, at));
            vec![
                account.username,
                account.email.into(),
                account.role.to_string(),
                if account.disabled { "disabled" } else { "active" }.to_owned(),
                if account.two_factor { "yes" } else { "no" }.to_owned(),
                seen.unwrap_or_else(|| "never".to_owned()),
            ]
        })
        .collect();
    print_table(&["NAME", "EMAIL", "ROLE", "STANDING", "TWO-FACTOR", "LAST SIGN-IN"], &rows);
    Ok(())
}

/// A password is never an argument, because process lists and shell histories show arguments.
fn ask_password() -> Result<String> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let mut line = String::new();
        stdin.lock().read_line(&mut line)?;
        let password = line.trim_end_matches(['\r', '\n']).to_owned();
        return match password.is_empty() {
            true => Err(Error::invalid(
                "password",
                "No password was given. Type it in a terminal, or pass it as one line on standard input.",
            )),
            false => Ok(password),
        };
    }
    for _ in 0..3 {
        let first = rpassword::prompt_password("New password: ")?;
        let second = rpassword::prompt_password("Repeat it: ")?;
        if first == second {
            return Ok(first);
        }
        print_note("The passwords do not match. Please try again.");
    }
    Err(Error::invalid("password", "The passwords did not match. Nothing was changed."))
}
