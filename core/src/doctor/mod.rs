//! Checks the installation, and explains each problem with its solution.
//!
//! It changes nothing, but it writes one file in the data folder and one object in the store, and
//! removes them again.

mod bounces;
mod camp;
mod database;
mod dns;
mod environment;
mod mail;
mod videos;

use std::fmt::Display;
use std::net::SocketAddr;

use serde::Serialize;

use crate::config::Config;
use crate::{App, cryptography};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ok,
    /// It could not be checked, for a reason that is not an error.
    NotChecked,
    /// It works, but needs attention.
    Warning,
    Broken,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// A short name for scripts.
    pub what: &'static str,
    pub state: State,
    pub says: String,
    /// How to fix it.
    pub todo: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The name server to use instead of the machine's.
    pub name_server: Option<SocketAddr>,
}

/// Runs all checks, in the order of their dependencies.
pub async fn examine(config: Config, options: &Options) -> Vec<Finding> {
    cryptography::choose();
    let mut found = Findings::default();
    environment::examine(&config, &mut found);
    videos::examine_ffmpeg(&config, &mut found).await;
    let db = database::examine(&config, &mut found).await;
    let app = match db {
        // Opening a camp would create missing folders.
        Some(_) if !App::is_there(&config) => Err(()),
        Some(db) => App::with(db, config.clone()).await.map_err(|error| {
            found.broken(
                "database",
                format!("The portal cannot start: {}.", clause(error)),
                "Please read on.",
            );
        }),
        None => Err(()),
    };
    if let Ok(app) = &app {
        camp::examine(app, &mut found).await;
        environment::examine_files(&app.files, &mut found).await;
        videos::examine(app, &mut found).await;
    }
    mail::examine(&config, options, &mut found).await;
    bounces::examine(&config, app.as_ref().ok(), &mut found).await;
    if let Ok(app) = app {
        app.db.close().await;
    }
    found.0
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, what: &'static str, says: impl Into<String>) {
        self.add(what, State::Ok, says, None);
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

    /// Reports that something is broken. If one of these checks has already found the cause, its
    /// advice is enough.
    fn unless_known(
        &mut self,
        causes: &[&str],
        what: &'static str,
        says: impl Into<String>,
        todo: &str,
    ) {
        let is_broken = |one: &Finding| one.state == State::Broken && causes.contains(&one.what);
        match self.0.iter().any(is_broken) {
            true => self.not_checked(what, says),
            false => self.broken(what, says, todo),
        }
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

/// An error as the end of a sentence, without its period.
fn clause(error: impl Display) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

/// “1 mail”, “2 mails”.
fn counted(n: i64, thing: &str) -> String {
    match n {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}
