//! What the camp decides for itself, from the command line.

use std::collections::BTreeMap;

use portal::audit::Actor;
use portal::settings::{self, Kind};
use portal::{App, Config};
use serde_json::{Map, Value, json};

use crate::output::{Code, Outcome, say, say_json, say_table};

/// Look at the camp's settings and change them
#[derive(clap::Subcommand)]
pub enum Settings {
    /// List all settings with their values
    #[command(after_help = "Example:\n  camp settings list --json")]
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the value of one setting
    #[command(after_help = "Example:\n  camp settings get timezone")]
    Get {
        /// Its name in `camp settings list`
        #[arg(value_name = "NAME")]
        name: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Change one setting or several, all or none
    #[command(
        after_help = "Examples:\n  camp settings set siteName \"Camp Naarim\"\n  camp settings set access families\n  camp settings set sessionTimeout 60 --json"
    )]
    Set {
        /// Its name in `camp settings list`
        #[arg(value_name = "NAME")]
        name: String,
        /// The new value
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Settings {
    pub async fn run(self, config: Config) -> Outcome {
        let app = App::open(config).await?;
        match self {
            Settings::List { json } => list(&app, json).await,
            Settings::Get { name, json } => {
                let value = settings::get(app.settings().await?.as_ref(), &name)?;
                say(if json { value.to_string() } else { plain(&value) });
                Ok(Code::Done)
            }
            Settings::Set { name, value, json } => set(&app, name, &value, json).await,
        }
    }
}

async fn list(app: &App, json: bool) -> Outcome {
    let now = app.settings().await?;
    let listed = settings::list(&now);
    if json {
        let map: Map<String, Value> =
            listed.into_iter().map(|(key, value)| (key.name.to_owned(), value)).collect();
        say_json(&map)?;
        return Ok(Code::Done);
    }
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|(key, value)| {
            let choices = match key.kind {
                Kind::Choice(choices) => format!(" ({})", choices.join(", ")),
                Kind::Number { min, max } => format!(" ({min} to {max})"),
                _ => String::new(),
            };
            vec![key.name.to_owned(), plain(value), format!("{}{choices}", key.help)]
        })
        .collect();
    say_table(&["NAME", "VALUE", "WHAT IT DOES"], &rows);
    Ok(Code::Done)
}

async fn set(app: &App, name: String, typed: &str, json: bool) -> Outcome {
    let value = settings::parse(&name, typed)?;
    let mut tx = app.db.begin().await?;
    settings::set(&mut tx, app, Actor::Operator, BTreeMap::from([(name.clone(), value)])).await?;
    tx.commit().await?;
    app.forget_settings();
    let value = settings::get(app.settings().await?.as_ref(), &name)?;
    match json {
        true => say(json!({ (name): value }).to_string()),
        false => say(format!("{name} is now {}.", plain(&value))),
    }
    Ok(Code::Done)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
