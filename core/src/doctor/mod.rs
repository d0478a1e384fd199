//! Looks whether everything is as it should be, and says in words what is not and what to do.
//!
//! Nothing is changed, save one object that is written to the store and removed again.

mod camp;
mod database;
mod dns;
mod environment;
mod mail;

use std::net::SocketAddr;

use serde::Serialize;

use crate::config::Config;
use crate::{App, app};

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Well,
    /// It could not be found out, for a reason that is no fault.
    NotChecked,
    /// It works, and somebody should look at it.
    Warning,
    Broken,
}

/// What was found out about one thing.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// A short name, for scripts.
    pub what: &'static str,
    pub state: State,
    pub says: String,
    /// What to do about it.
    pub todo: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Under which the mail server's key stands in the DNS.
    pub dkim_selector: Option<String>,
    /// Instead of those that the machine uses.
    pub name_server: Option<SocketAddr>,
}

/// Looks at everything, in the order in which one thing needs another.
pub async fn examine(config: Config, options: &Options) -> Vec<Finding> {
    app::choose_cryptography();
    let mut found = Findings::default();
    environment::examine(&config, &mut found);
    let db = database::examine(&config, &mut found).await;
    let app = match db {
        // Opening a camp would make the folders that are missing.
        Some(_) if !App::is_there(&config) => Err(()),
        Some(db) => App::with(db, config.clone()).await.map_err(|error| {
            found.broken(
                "database",
                format!("The portal cannot begin: {error}."),
                "Please read on.",
            );
        }),
        None => Err(()),
    };
    if let Ok(app) = &app {
        camp::examine(app, &mut found).await;
        environment::examine_files(&app.files, &mut found).await;
    }
    mail::examine(&config, options, &mut found).await;
    if let Ok(app) = app {
        app.db.close().await;
    }
    found.0
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn well(&mut self, what: &'static str, says: impl Into<String>) {
        self.add(what, State::Well, says, None);
    }

    fn not_checked(&mut self, what: &'static str, says: impl Into<String>) {
        self.add(what, State::NotChecked, says, None);
    }

    fn warning(&mut self, what: &'static str, says: impl Into<String>, todo: impl Into<String>) {
        self.add(what, State::Warning, says, Some(todo.into()));
    }

    fn broken(&mut self, what: &'static str, says: impl Into<String>, todo: impl Into<String>) {
        self.add(what, State::Broken, says, Some(todo.into()));
    }

    fn add(
        &mut self,
        what: &'static str,
        state: State,
        says: impl Into<String>,
        todo: Option<String>,
    ) {
        self.0.push(Finding { what, state, says: says.into(), todo });
    }
}

/// “1 mail”, “2 mails”.
fn counted(n: i64, thing: &str) -> String {
    match n {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}
