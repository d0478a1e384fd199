//! `camp settings`: reads and changes the camp's settings.

use std::collections::BTreeMap;

use portal::audit::Actor;
use portal::quiet_time::{self, ExtraTime};
use portal::settings::{self, Kind};
use portal::settings_admin::{self, Difference};
use portal::{App, Config, Error, FieldError, Result};
use serde_json::{Map, Value};

use crate::import::ImportFile;
use crate::output::{Code, Outcome, print, print_json, print_note, print_table};

/// Read and change the camp's settings
#[derive(clap::Subcommand)]
pub enum Settings {
    /// List all settings with their values
    #[command(after_help = "Example:\n  camp settings list --json")]
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the value of one setting
    #[command(after_help = "Example:\n  camp settings get timezone")]
    Get {
        /// Its name in `camp settings list`
        #[arg(value_name = "NAME")]
        name: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Change one setting or several, all or none
    #[command(
        after_help = "Examples:\n  camp settings set siteName=\"Camp Naarim\" access=families\n  camp settings set sessionTimeout 60 --json"
    )]
    Set {
        /// Names of `camp settings list` with their new values; one setting may also be `NAME VALUE`, unless
        /// the value begins with a hyphen
        #[arg(value_name = "NAME=VALUE", required = true, allow_negative_numbers = true)]
        changes: Vec<String>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Add the dates of a calendar file (.ics) to quietDates
    #[command(after_help = "Example:\n  camp settings add-dates holidays.ics")]
    AddDates {
        #[command(flatten)]
        from: ImportFile,
    },
    /// Print all settings as a file that can be imported
    #[command(after_help = "Example:\n  camp settings export > settings.json")]
    Export,
    /// Import the settings of an exported file, all or none
    #[command(
        after_help = "Examples:\n  camp settings import settings.json --dry-run\n  camp settings import settings.json"
    )]
    Import {
        #[command(flatten)]
        from: ImportFile,
    },
}

/// More than any settings file needs.
const MAX_BYTES: usize = 1024 * 1024;

impl Settings {
    pub async fn run(self, config: Config) -> Outcome {
        let app = App::open(config).await?;
        match self {
            Settings::List { json } => list(&app, json).await,
            Settings::Get { name, json } => {
                let value = settings::get(app.settings().await?.as_ref(), &name)?;
                print(if json { value.to_string() } else { plain(&value) });
                Ok(Code::Done)
            }
            Settings::Set { changes, json } => set(&app, &changes, json).await,
            Settings::AddDates { from } => add_dates(&app, &from).await,
            Settings::Export => export(&app).await,
            Settings::Import { from } => import(&app, &from).await,
        }
    }
}

async fn list(app: &App, json: bool) -> Outcome {
    let now = app.settings().await?;
    let listed = settings::list(&now);
    if json {
        let map: Map<String, Value> =
            listed.into_iter().map(|(key, value)| (key.name.to_owned(), value)).collect();
        print_json(&map)?;
        return Ok(Code::Done);
    }
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|(key, value)| {
            let choices = match key.kind {
                Kind::Choice(choices) => format!(" ({})", choices.join(", ")),
                Kind::Number { min, max } => format!(" ({min} to {max})"),
                Kind::Money { min, max } => format!(" ({} to {})", min.get(), max.get()),
                _ => String::new(),
            };
            vec![key.name.to_owned(), plain(value), format!("{}{choices}", key.help)]
        })
        .collect();
    print_table(&["NAME", "VALUE", "WHAT IT DOES"], &rows);
    Ok(Code::Done)
}

async fn set(app: &App, typed: &[String], json: bool) -> Outcome {
    let mut changes = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, value) in pairs(typed)? {
        match settings::parse(name, value) {
            Ok(value) => {
                if changes.insert(name.to_owned(), value).is_some() {
                    problems.push(problem(name, "It is set twice. Please give it one value."));
                }
            }
            Err(Error::Invalid(wrong)) => {
                problems.extend(wrong.iter().map(|wrong| problem(name, &wrong.message)));
            }
            Err(other) => return Err(other),
        }
    }
    for Difference { key, problem: wrong, .. } in settings_admin::compare(app, &changes).await? {
        problems.extend(wrong.map(|wrong| problem(&key, &wrong)));
    }
    if !problems.is_empty() {
        return Err(Error::Invalid(problems));
    }
    let names: Vec<String> = changes.keys().cloned().collect();
    let mut tx = app.db.begin().await?;
    settings_admin::set(&mut tx, app, Actor::Operator, changes).await?;
    tx.commit().await?;
    app.invalidate_settings();
    let now = app.settings().await?;
    let mut saved = Map::new();
    for name in names {
        saved.insert(name.clone(), settings::get(now.as_ref(), &name)?);
    }
    if json {
        print(Value::Object(saved).to_string());
        return Ok(Code::Done);
    }
    for (name, value) in &saved {
        print(format!("{name} is now {}.", plain(value)));
    }
    Ok(Code::Done)
}

/// What is wrong with a value, with the name of its setting.
fn problem(name: &str, wrong: &str) -> FieldError {
    let message = match wrong.contains(name) {
        true => wrong.to_owned(),
        false => format!("{name}: {wrong}"),
    };
    FieldError { field: name.to_owned(), message }
}

/// `NAME=VALUE` once or several times, or `NAME VALUE`.
fn pairs(typed: &[String]) -> Result<Vec<(&str, &str)>> {
    if let [name, value] = typed
        && !name.contains('=')
    {
        return Ok(vec![(name, value)]);
    }
    typed
        .iter()
        .map(|one| {
            one.split_once('=').ok_or_else(|| {
                let text = format!(
                    "“{one}” has no value. Please write it like siteName=\"Camp Naarim\"; \
                     `camp settings list` shows all names."
                );
                Error::invalid("changes", text)
            })
        })
        .collect()
}

async fn add_dates(app: &App, from: &ImportFile) -> Outcome {
    let bytes = from.read(MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        let text = "This file is larger than 1 MB. Please export only the dates that are needed.";
        return Err(Error::invalid("file", text));
    }
    let now = app.settings().await?;
    let text = String::from_utf8_lossy(&bytes);
    let file = quiet_time::read_calendar_file(&text, now.timezone, app.clock.now())
        .map_err(|_| Error::invalid("file", "This is not a calendar file (.ics)."))?;
    let mut dates = now.quiet_dates.clone();
    let is_new = |date: &&ExtraTime| !now.quiet_dates.contains(date);
    let added: Vec<&ExtraTime> = file.dates.iter().filter(is_new).collect();
    dates.extend(added.iter().copied().cloned());
    if !added.is_empty() {
        let value = serde_json::to_value(&dates).map_err(Error::unforeseen)?;
        let mut tx = app.db.begin().await?;
        let changes = BTreeMap::from([("quietDates".to_owned(), value)]);
        settings_admin::set(&mut tx, app, Actor::Operator, changes).await?;
        match from.dry_run {
            true => tx.rollback().await?,
            false => tx.commit().await?,
        }
    }
    if from.json {
        print_json(&file)?;
        return Ok(Code::Done);
    }
    let would = if from.dry_run { "would be added" } else { "added" };
    print(format!("{} {would}.", dates_of(added.len())));
    let unusable = "without a length, longer than 31 days, or of an unknown time zone";
    for (count, what) in
        [(file.repeating, "repeating"), (file.past, "past"), (file.unusable, unusable)]
    {
        if count > 0 {
            print_note(format!("Left out: {} ({what}).", dates_of(count)));
        }
    }
    Ok(Code::Done)
}

fn dates_of(count: usize) -> String {
    match count {
        1 => "1 date".to_owned(),
        count => format!("{count} dates"),
    }
}

async fn export(app: &App) -> Outcome {
    let mut tx = app.db.begin().await?;
    let values = settings_admin::export(&mut tx, app, Actor::Operator).await?;
    tx.commit().await?;
    print_json(&values)?;
    Ok(Code::Done)
}

async fn import(app: &App, from: &ImportFile) -> Outcome {
    let changes: BTreeMap<String, Value> =
        serde_json::from_slice(&from.read(MAX_BYTES)?).map_err(|error| {
            let text = format!(
                "This is not a settings file: {error}. `camp settings export` creates one."
            );
            Error::invalid("file", text)
        })?;
    let differences = settings_admin::compare(app, &changes).await?;
    let sound = differences.iter().all(|difference| difference.problem.is_none());
    if sound {
        let mut tx = app.db.begin().await?;
        settings_admin::set(&mut tx, app, Actor::Operator, changes).await?;
        match from.dry_run {
            true => tx.rollback().await?,
            false => tx.commit().await?,
        }
    }
    if from.json {
        print_json(&differences)?;
    } else {
        tell(&differences);
        print(match (sound, from.dry_run, differences.len()) {
            (false, ..) => "Nothing was changed. Please fix the file and try again.".to_owned(),
            (true, _, 0) => "Everything in the file is already set.".to_owned(),
            (true, true, n) => format!("{n} would change. Nothing was changed."),
            (true, false, n) => format!("{n} changed."),
        });
    }
    Ok(if sound { Code::Done } else { Code::Problems })
}

fn tell(differences: &[Difference]) {
    let mut rows = Vec::new();
    for Difference { key, before, after, problem } in differences {
        match problem {
            Some(problem) => print_note(format!("{key}: {problem}")),
            None => rows.push(vec![key.clone(), plain(before), plain(after)]),
        }
    }
    if !rows.is_empty() {
        print_table(&["NAME", "IS", "IN THE FILE"], &rows);
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
