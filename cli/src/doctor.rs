//! `camp doctor`: finds problems and says what to do.

use std::net::SocketAddr;

use portal::doctor::{self, Finding, Options, State};
use portal::{App, Config};

use crate::output::{Code, Outcome, print, print_json};

/// Check the portal and its environment
///
/// Checks configuration, database, files, mail and its DNS records, worker and accounts. Sends no
/// mail and changes nothing. The exit code is 1 if something is broken, 4 if there is no camp, and 0
/// if there are no problems or only warnings.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  camp doctor\n  camp doctor --dkim-selector mail --json | jq '.[] | select(.state == \"broken\")'"
)]
pub struct Doctor {
    /// Use this name server instead of the machine's
    #[arg(long, value_name = "ADDR:PORT", value_parser = name_server)]
    name_server: Option<SocketAddr>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

fn name_server(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "give an address and a port like 9.9.9.9:53")
}

impl Doctor {
    pub async fn run(self, config: Config) -> Outcome {
        let Doctor { name_server, json } = self;
        let camp = App::is_there(&config);
        let found = doctor::examine(config, &Options { name_server }).await;
        let count = |state| found.iter().filter(|finding| finding.state == state).count();
        let (broken, warnings) = (count(State::Broken), count(State::Warning));
        match json {
            true => print_json(&found)?,
            false => {
                found.iter().for_each(tell);
                print(sum(broken, warnings));
            }
        }
        Ok(match (camp, broken) {
            (false, _) => Code::Unusable,
            (true, 0) => Code::Done,
            (true, _) => Code::Failed,
        })
    }
}

fn tell(finding: &Finding) {
    let state = match finding.state {
        State::Ok => "ok",
        State::NotChecked => "not checked",
        State::Warning => "WARNING",
        State::Broken => "BROKEN",
    };
    print(format!("{state:<12} {:<16} {}", finding.what, finding.says));
    if let Some(todo) = &finding.todo {
        print(format!("{:<29} → {todo}", ""));
    }
}

fn sum(broken: usize, warnings: usize) -> String {
    let warnings = match warnings {
        0 => String::new(),
        1 => "1 thing to check".to_owned(),
        n => format!("{n} things to check"),
    };
    match (broken, warnings.is_empty()) {
        (0, true) => "\nAll is well.".to_owned(),
        (0, false) => format!("\nNothing is broken; {warnings}."),
        (1, true) => "\n1 thing is broken.".to_owned(),
        (n, true) => format!("\n{n} things are broken."),
        (1, false) => format!("\n1 thing is broken; {warnings}."),
        (n, false) => format!("\n{n} things are broken; {warnings}."),
    }
}
