//! Settings that the camp changes without the operator (decision S3).
//!
//! Every key has a default, a kind with its validation, and an effect in the portal. Only values
//! that differ from the default are stored. Other processes see a change within two seconds.

mod keys;
mod stored;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::audit::{self, Actor};
use crate::branding;
use crate::db::{On, Tx};
use crate::events::{self, Event};
use crate::{App, Error, Result};

use keys::{GONE, check, find};
pub use keys::{KEYS, Key, Kind, UNAVAILABLE, group};
pub use stored::{Unfit, unfit};

/// Who may watch (decision P9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Everyone,
    SignedIn,
    Families,
}

/// When comments become visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moderation {
    AtOnce,
    /// A user's comments wait until staff have approved one.
    FirstHeld,
}

/// All settings with their values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub site_name: String,
    pub site_description: String,
    pub contact_email: String,
    pub contact_phone: String,
    /// Receives messages to the staff. If empty, the contact address does.
    pub staff_email: String,
    /// Receives messages to the video team. If empty, the contact address does.
    pub video_team_email: String,
    pub timezone: Tz,
    pub access: Access,
    pub posting_time_text: String,
    /// Cents that a new family owes.
    pub default_plan_amount: i64,
    pub currency: String,
    pub email_enabled: bool,
    pub daily_reports: bool,
    pub system_alerts: bool,
    pub live_updates: bool,
    pub push_enabled: bool,
    pub user_registrations: bool,
    pub require_email_verification: bool,
    /// Minutes without activity until staff are signed out.
    pub session_timeout: i64,
    pub max_login_attempts: i64,
    pub password_min_length: i64,
    pub enable_two_factor: bool,
    pub comment_moderation: Moderation,
    /// `#rrggbb`, or empty for pine green.
    pub main_color: String,
    /// `#rrggbb`, or empty for lantern amber.
    pub accent_color: String,
    /// A picture of the camp that replaces the default logo.
    pub logo: Option<Uuid>,
    /// Pictures of the camp that replace the default ones.
    pub hero_pictures: Vec<Uuid>,
    /// Address of an embedded shop, or empty.
    pub shop_url: String,
}

impl Settings {
    /// The origin of the embedded shop for the content security policy: scheme, host and port.
    pub fn shop_origin(&self) -> Option<String> {
        let url = url::Url::parse(&self.shop_url).ok()?;
        Some(url.origin().ascii_serialization())
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            site_name: "Visiting Day".into(),
            site_description: "A friendly hub for daily updates and progress reports.".into(),
            contact_email: "office@camp.example".into(),
            contact_phone: "(845) 555-0142".into(),
            staff_email: String::new(),
            video_team_email: String::new(),
            timezone: chrono_tz::America::New_York,
            access: Access::Everyone,
            posting_time_text: "Next update: Midnight".into(),
            default_plan_amount: 280_000,
            currency: "USD".into(),
            email_enabled: true,
            daily_reports: true,
            system_alerts: true,
            live_updates: true,
            push_enabled: true,
            user_registrations: true,
            require_email_verification: true,
            session_timeout: 30,
            max_login_attempts: 5,
            password_min_length: 8,
            enable_two_factor: false,
            comment_moderation: Moderation::AtOnce,
            main_color: String::new(),
            accent_color: String::new(),
            logo: None,
            hero_pictures: Vec::new(),
            shop_url: String::new(),
        }
    }
}

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
        && !branding::are_there(on, place, &branding::named(value)).await?
    {
        return Ok(Err(Error::invalid(name, GONE)));
    }
    Ok(checked)
}

/// Locks the settings until the end of the transaction and returns them.
pub(crate) async fn locked(tx: &mut Tx) -> Result<Settings> {
    Ok(locked_with_unfit(tx).await?.0)
}

async fn locked_with_unfit(tx: &mut Tx) -> Result<(Settings, Vec<Unfit>)> {
    tx.lock("settings").await?;
    stored::read(tx).await
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

#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<Option<(Instant, Arc<Settings>)>>);

const FRESH: Duration = Duration::from_secs(2);

impl App {
    /// Returns the current settings, at most two seconds old.
    pub async fn settings(&self) -> Result<Arc<Settings>> {
        if let Some((at, settings)) = self.settings.0.lock().expect("no panic inside").as_ref()
            && at.elapsed() < FRESH
        {
            return Ok(settings.clone());
        }
        let settings = Arc::new(stored::read(&self.db).await?.0);
        *self.settings.0.lock().expect("no panic inside") =
            Some((Instant::now(), settings.clone()));
        Ok(settings)
    }

    /// Invalidates the cache, so that the next access reads the settings again.
    pub fn invalidate_settings(&self) {
        *self.settings.0.lock().expect("no panic inside") = None;
    }
}

/// Returns every key with its value, including defaults, in the order of [`KEYS`].
pub fn list(settings: &Settings) -> Vec<(&'static Key, Value)> {
    let values = as_map(settings);
    KEYS.iter().map(|key| (key, values.get(key.name).cloned().unwrap_or(Value::Null))).collect()
}

/// Returns the value of a setting. Fails for an unknown name.
pub fn get(settings: &Settings, name: &str) -> Result<Value> {
    find(name)?;
    Ok(as_map(settings).remove(name).unwrap_or(Value::Null))
}

/// Parses command line input as a value of that key: `true`, `30`, or text. Fails for an unknown
/// name or an invalid value.
pub fn parse(name: &str, typed: &str) -> Result<Value> {
    Ok(match find(name)?.kind {
        Kind::Switch => match typed {
            "true" | "on" | "yes" => json!(true),
            "false" | "off" | "no" => json!(false),
            _ => return Err(Error::invalid(name, format!("{name} is true or false."))),
        },
        Kind::Number { .. } | Kind::Money { .. } => match typed.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => return Err(Error::invalid(name, format!("{name} is a whole number."))),
        },
        Kind::Pictures(_) => {
            json!(typed.split([',', ' ']).filter(|id| !id.is_empty()).collect::<Vec<_>>())
        }
        _ => json!(typed),
    })
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
    let (before, unfit) = locked_with_unfit(tx).await?;
    let before = as_map(&before);
    let mut checks = crate::validation::Validator::new();
    let mut values = BTreeMap::new();
    for (name, value) in &changes {
        match clean(&mut *tx, &before, name, value).await? {
            Ok(value) => {
                values.insert(name.clone(), value);
            }
            Err(error) => checks.refuse(name, error.to_string()),
        }
    }
    checks.done()?;
    let defaults = as_map(&Settings::default());
    let now = app.clock.now();
    let mut changed = false;
    for (name, value) in values {
        let is_stored = unfit.iter().all(|unfit| unfit.key != name);
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
            branding::remove_unused(tx, app, place, &branding::named(&value)).await?;
        }
        let details = json!({ "key": name, "before": before.get(&name), "after": value });
        audit::record(tx, now, actor, "settings.set", audit::Subject::none("setting"), details)
            .await?;
    }
    if changed {
        events::emit(tx, now, Event::SiteChanged);
    }
    Ok(())
}

/// Returns all settings by key, including defaults, in the form that [`compare`] and [`set`] take.
/// Adds an audit record.
pub async fn export(tx: &mut Tx, app: &App, actor: Actor) -> Result<BTreeMap<&'static str, Value>> {
    let current = app.settings().await?;
    let subject = audit::Subject::none("setting");
    audit::record(tx, app.clock.now(), actor, "settings.export", subject, Value::Null).await?;
    Ok(list(&current).into_iter().map(|(key, value)| (key.name, value)).collect())
}

fn as_map(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_key_and_a_default_that_passes_its_own_check() {
        let defaults = as_map(&Settings::default());
        assert_eq!(defaults.len(), KEYS.len());
        for key in KEYS {
            let value = &defaults[key.name];
            assert_eq!(&check(key, value, "USD").expect(key.name), value);
        }
    }
}
