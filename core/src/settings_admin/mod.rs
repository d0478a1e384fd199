//! Changes the settings of the camp (decision S3).

mod pictures;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{On, Tx};
use crate::events::{self, Event};
use crate::settings::{self, GONE, InvalidValue, Settings, as_map, check, find, list, named};
use crate::{App, Error, Result};

pub use pictures::add_picture;

/// A setting of an imported file, compared with the current value.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SettingDifference)]
pub struct Difference {
    pub key: String,
    pub before: Value,
    pub after: Value,
    /// Why it cannot be imported.
    pub problem: Option<String>,
}

/// Returns what an import would change, with problems. Unchanged settings are left out.
pub async fn compare(app: &App, changes: &BTreeMap<String, Value>) -> Result<Vec<Difference>> {
    let now = as_map(&*app.settings().await?);
    let mut differences = Vec::new();
    for (name, value) in changes {
        let before = now.get(name).cloned().unwrap_or(Value::Null);
        let (after, problem) = match clean(&app.db, &now, name, value).await? {
            Ok(clean) => (clean, None),
            Err(error) => (value.clone(), Some(error.to_string())),
        };
        if before != after || problem.is_some() {
            differences.push(Difference { key: name.clone(), before, after, problem });
        }
    }
    Ok(differences)
}

/// Validates a value and returns its stored form, or the problem. `now` is the current settings.
async fn clean(
    on: impl Into<On<'_>>,
    now: &Map<String, Value>,
    name: &str,
    value: &Value,
) -> Result<Result<Value>> {
    let key = match find(name) {
        Ok(key) => key,
        Err(error) => return Ok(Err(error)),
    };
    let checked = check(key, value, now["currency"].as_str().unwrap_or_default());
    if let (Some(place), Ok(value)) = (key.kind.place(), &checked)
        && !pictures::are_there(on, place, &named(value)).await?
    {
        return Ok(Err(Error::invalid(name, GONE)));
    }
    Ok(checked)
}

/// Locks the settings until the end of the transaction and returns them.
async fn locked(tx: &mut Tx) -> Result<Settings> {
    Ok(locked_with_invalid_values(tx).await?.0)
}

async fn locked_with_invalid_values(tx: &mut Tx) -> Result<(Settings, Vec<InvalidValue>)> {
    tx.lock("settings").await?;
    settings::read(tx).await
}

/// Checks that the settings are still as they were seen.
///
/// # Errors
///
/// [`Error::Stale`]
pub async fn check_unchanged(tx: &mut Tx, seen: &BTreeMap<String, Value>) -> Result<()> {
    let now = as_map(&locked(tx).await?);
    match seen.iter().all(|(name, value)| now.get(name) == Some(value)) {
        true => Ok(()),
        false => Err(Error::Stale),
    }
}

/// Changes settings, all or none. The caller invalidates the cache after the commit
/// ([`App::invalidate_settings`]).
///
/// # Errors
///
/// [`Error::Invalid`] names every invalid value.
pub async fn set(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    changes: BTreeMap<String, Value>,
) -> Result<()> {
    let (before, invalid_values) = locked_with_invalid_values(tx).await?;
    let before = as_map(&before);
    let values = clean_all(tx, &before, &changes).await?;
    merged(&before, &values)?;
    let defaults = as_map(&Settings::default());
    let now = app.clock.now();
    let mut changed = false;
    for (name, value) in values {
        let is_stored = invalid_values.iter().all(|value| value.key != name);
        if is_stored && before.get(&name) == Some(&value) {
            continue;
        }
        changed = true;
        tx.sql("delete from settings where key = $1").bind(&name).execute().await?;
        if defaults.get(&name) != Some(&value) {
            tx.sql(
                "insert into settings (key, value, updated_at, updated_by) values ($1, $2, $3, $4)",
            )
            .bind(&name)
            .bind(value.to_string())
            .bind(now)
            .bind(actor.kind())
            .execute()
            .await?;
        }
        if let Some(place) = find(&name)?.kind.place() {
            pictures::remove_unused(tx, app, place, &named(&value)).await?;
        }
        let details = json!({ "key": name, "before": before.get(&name), "after": value });
        audit::record(
            tx,
            now,
            actor,
            Action::SettingsSet,
            Subject::none(SubjectKind::Setting),
            details,
        )
        .await?;
    }
    if changed {
        events::emit(tx, now, Event::SiteChanged);
    }
    Ok(())
}

/// Returns the settings with these valid values, if they fit together.
fn merged(before: &Map<String, Value>, values: &BTreeMap<String, Value>) -> Result<Settings> {
    let mut after = before.clone();
    after.extend(values.iter().map(|(name, value)| (name.clone(), value.clone())));
    let after: Settings =
        serde_json::from_value(Value::Object(after)).map_err(Error::unforeseen)?;
    match after.quiet_problem() {
        Some((name, problem)) => Err(Error::invalid(name, problem)),
        None => Ok(after),
    }
}

/// Validates all values and returns their stored form.
async fn clean_all(
    tx: &mut Tx,
    now: &Map<String, Value>,
    changes: &BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>> {
    let mut checks = crate::validation::Validator::new();
    let mut values = BTreeMap::new();
    for (name, value) in changes {
        match clean(&mut *tx, now, name, value).await? {
            Ok(value) => drop(values.insert(name.clone(), value)),
            Err(error) => checks.refuse(name, error.to_string()),
        }
    }
    checks.done()?;
    Ok(values)
}

/// Returns the settings as they would be with these changes, for a preview.
///
/// # Errors
///
/// [`Error::Invalid`] names every invalid value.
pub async fn with_changes(app: &App, changes: &BTreeMap<String, Value>) -> Result<Settings> {
    let mut checks = crate::validation::Validator::new();
    let mut values = BTreeMap::new();
    for Difference { key, after, problem, .. } in compare(app, changes).await? {
        match problem {
            Some(problem) => checks.refuse(&key, problem),
            None => drop(values.insert(key, after)),
        }
    }
    checks.done()?;
    merged(&as_map(&*app.settings().await?), &values)
}

/// Returns all settings by key, including defaults, in the form that [`compare`] and [`set`] take.
/// Adds an audit record.
pub async fn export(tx: &mut Tx, app: &App, actor: Actor) -> Result<BTreeMap<&'static str, Value>> {
    let current = app.settings().await?;
    let subject = Subject::none(SubjectKind::Setting);
    audit::record(tx, app.clock.now(), actor, Action::SettingsExport, subject, Value::Null).await?;
    Ok(list(&current).into_iter().map(|(key, value)| (key.name, value)).collect())
}
