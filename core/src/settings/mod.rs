//! Settings that the camp changes without the operator (decision S3).
//!
//! Every key has a default, a kind with its validation, and an effect in the portal. Only values
//! that differ from the default are stored. Other processes see a change within two seconds. The
//! module `settings_admin` changes them.

mod keys;
mod pictures;
mod quiet_time;
mod stored;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::access::Access;
use crate::db::Db;
use crate::money::Cents;
use crate::quiet_time::{ExtraTime, Nightfall, Place, WeekTime, YomTov};
use crate::{Error, Result};

pub(crate) use keys::KEYS;
pub(crate) use keys::{GONE, check, find};
pub use keys::{Key, Kind, UNAVAILABLE, group};
pub(crate) use pictures::named;
pub use pictures::{MAX_HERO, PictureSlot};
pub use quiet_time::{QuietHours, ShabbosMode};
pub(crate) use stored::read;
pub use stored::{InvalidValue, invalid_values};

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
    /// The time of day by which a video is promised, as `HH:MM`, or empty.
    pub posting_deadline: String,
    /// What a new family owes.
    pub default_plan_amount: Cents,
    pub currency: String,
    /// How families pay, for reminders and their profile page.
    pub payment_instructions: String,
    pub remind_before_due: bool,
    pub remind_on_due_date: bool,
    pub remind_overdue: bool,
    /// The hour of the camp's day at which reminders are sent.
    pub reminder_hour: i64,
    pub email_enabled: bool,
    pub daily_reports: bool,
    pub system_alerts: bool,
    pub live_updates: bool,
    /// The hour of the camp's day at which digests are sent.
    pub digest_hour: i64,
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
    /// Gigabytes that the files of videos may take.
    pub upload_quota: i64,
    /// Address of an embedded shop, or empty.
    pub shop_url: String,
    /// What quiet time changes.
    pub shabbos_mode: ShabbosMode,
    pub quiet_hours: QuietHours,
    pub quiet_place: Place,
    /// Before sunset.
    pub candle_lighting_minutes: i64,
    pub nightfall: Nightfall,
    /// Only with fixed hours.
    pub quiet_start: WeekTime,
    pub quiet_end: WeekTime,
    pub yom_tov: YomTov,
    pub quiet_dates: Vec<ExtraTime>,
    /// Whether videos that are scheduled in quiet time are published after it.
    pub quiet_holds_videos: bool,
    /// Whether pages say that it is quiet time.
    pub quiet_notice: bool,
    /// No setting: whether the site was closed when [`crate::App::settings`] returned them.
    #[serde(skip)]
    pub(crate) closed_now: bool,
}

impl Settings {
    /// The camp's name for titles and sentences, see [`camp_name`].
    pub fn camp_name(&self) -> &str {
        camp_name(&self.site_name)
    }

    /// The origin of the embedded shop for the content security policy: scheme, host and port.
    pub fn shop_origin(&self) -> Option<String> {
        let url = url::Url::parse(&self.shop_url).ok()?;
        Some(url.origin().ascii_serialization())
    }
}

/// The camp's name without the Yiddish or Hebrew that may follow it: "Camp Naarim" of "Camp Naarim ·
/// קעמפ נערים".
pub(crate) fn camp_name(site_name: &str) -> &str {
    in_two_scripts(site_name).0
}

/// The camp's name and its name in Yiddish or Hebrew, if the setting has both. Pages split it the same way
/// (`splitScripts` in `web/src/ui/two-scripts.tsx`).
pub fn in_two_scripts(site_name: &str) -> (&str, Option<&str>) {
    let hebrew = |text: &str| text.chars().any(crate::text::is_hebrew);
    match site_name.rsplit_once(" · ") {
        Some((name, rest)) if hebrew(rest) && !hebrew(name) && !name.is_empty() => {
            (name, Some(rest.trim()))
        }
        _ => (site_name, None),
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
            posting_deadline: String::new(),
            default_plan_amount: Cents::new(280_000),
            currency: "USD".into(),
            payment_instructions: String::new(),
            remind_before_due: true,
            remind_on_due_date: true,
            remind_overdue: true,
            reminder_hour: 10,
            email_enabled: true,
            daily_reports: true,
            system_alerts: true,
            live_updates: true,
            digest_hour: 21,
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
            upload_quota: 100,
            shop_url: String::new(),
            shabbos_mode: ShabbosMode::None,
            quiet_hours: QuietHours::CandleLighting,
            quiet_place: Place::default(),
            candle_lighting_minutes: 18,
            nightfall: Nightfall::Degrees(850),
            quiet_start: WeekTime::FRIDAY,
            quiet_end: WeekTime::SATURDAY,
            yom_tov: YomTov::Diaspora,
            quiet_dates: Vec::new(),
            quiet_holds_videos: false,
            quiet_notice: true,
            closed_now: false,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    settings: Option<(Instant, Arc<Settings>)>,
    /// How many times the settings were invalidated.
    invalidated: u64,
}

const FRESH: Duration = Duration::from_secs(2);

impl Cache {
    /// Returns the current settings, at most two seconds old.
    pub(crate) async fn get(&self, db: &Db, now: DateTime<Utc>) -> Result<Arc<Settings>> {
        let settings = self.stored(db).await?;
        let closed_now = settings.is_closed(now);
        if closed_now == settings.closed_now {
            return Ok(settings);
        }
        Ok(Arc::new(Settings { closed_now, ..(*settings).clone() }))
    }

    async fn stored(&self, db: &Db) -> Result<Arc<Settings>> {
        let before = {
            let cached = self.cached();
            match &cached.settings {
                Some((at, settings)) if at.elapsed() < FRESH => return Ok(settings.clone()),
                _ => cached.invalidated,
            }
        };
        let settings = Arc::new(stored::read(db).await?.0);
        let mut cached = self.cached();
        // What was read before a change must not be kept after it.
        if cached.invalidated == before {
            cached.settings = Some((Instant::now(), settings.clone()));
        }
        Ok(settings)
    }

    /// Forgets the settings, so that the next access reads them again.
    pub(crate) fn invalidate(&self) {
        let mut cached = self.cached();
        cached.settings = None;
        cached.invalidated += 1;
    }

    fn cached(&self) -> MutexGuard<'_, Cached> {
        self.0.lock().expect("no panic inside")
    }
}

/// Returns every key with its value, including defaults, in the order of [`KEYS`].
pub fn list(settings: &Settings) -> Vec<(&'static Key, Value)> {
    let values = as_map(settings);
    KEYS.iter().map(|key| (key, values.get(key.name).cloned().unwrap_or(Value::Null))).collect()
}

/// Returns the value of a setting.
///
/// # Errors
///
/// [`Error::Invalid`] on the setting's name when it is unknown or in [`UNAVAILABLE`].
pub fn get(settings: &Settings, name: &str) -> Result<Value> {
    find(name)?;
    Ok(as_map(settings).remove(name).unwrap_or(Value::Null))
}

/// Parses command line input as a value of that key: `true`, `30`, or text. Whether the key allows the
/// value is checked when it is stored.
///
/// # Errors
///
/// [`Error::Invalid`] on the setting's name when it is unknown or in [`UNAVAILABLE`], when a switch is
/// neither true nor false, when a number or an amount is not a whole number, and when an extra time is
/// not a date.
pub fn parse(name: &str, typed: &str) -> Result<Value> {
    Ok(match find(name)?.kind {
        Kind::Switch => match typed {
            "true" | "on" | "yes" => json!(true),
            "false" | "off" | "no" => json!(false),
            _ => return Err(Error::invalid(name, format!("{name} must be true or false."))),
        },
        Kind::Number { .. } | Kind::Hour | Kind::Money { .. } => match typed.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => return Err(Error::invalid(name, format!("{name} must be a whole number."))),
        },
        Kind::Pictures(_) => {
            json!(typed.split([',', ' ']).filter(|id| !id.is_empty()).collect::<Vec<_>>())
        }
        Kind::ExtraTimes => {
            let times = typed.split(',').filter(|time| !time.trim().is_empty());
            let times: std::result::Result<Vec<_>, _> = times.map(ExtraTime::read).collect();
            json!(times.map_err(|problem| Error::invalid(name, problem))?)
        }
        _ => json!(typed),
    })
}

pub(crate) fn as_map(settings: &Settings) -> Map<String, Value> {
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
