//! All settings by name: the kind of value and the effect. The defaults are in `Settings::default`,
//! `settings/mod.rs`.

use chrono::NaiveTime;
use chrono_tz::Tz;
use serde_json::{Number, Value, json};
use uuid::Uuid;

use super::pictures::{MAX_HERO, PictureSlot, named};
use crate::colors::Color;
use crate::email_address::EmailAddress;
use crate::money::{Cents, MAX_AMOUNT, grouped, money};
use crate::quiet_time::{ExtraTime, Nightfall, Place, TypedExtraTime, WeekTime};
use crate::{Error, Result};

/// The kind of value that a setting takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One line of text. Lengths count characters.
    Line {
        min: usize,
        max: usize,
    },
    /// A phone number with whatever people write beside it, at most this many characters, or empty.
    Phone {
        max: usize,
    },
    Email,
    /// An email address, or empty.
    EmailOrNone,
    Switch,
    Number {
        min: i64,
        max: i64,
    },
    /// An hour of the day, from 0 to 23.
    Hour,
    /// A time of day like 21:00, or empty.
    TimeOrNone,
    /// An amount in cents.
    Money {
        min: Cents,
        max: Cents,
    },
    Choice(&'static [&'static str]),
    /// An https address, or empty.
    Https,
    Zone,
    /// `#rrggbb`, or empty for the default color.
    Color,
    /// The id of a picture in this slot, or null for the default one.
    Picture(PictureSlot),
    /// The ids of such pictures in order, or none for the defaults.
    Pictures(PictureSlot),
    /// The name of a place, or latitude and longitude.
    Place,
    /// "8.5 degrees" or "72 minutes".
    Nightfall,
    /// "Friday 18:00".
    WeekTime,
    /// Dates that are kept as quiet time.
    ExtraTimes,
}

impl Kind {
    /// The slot of the pictures, if the kind names any.
    pub(crate) fn place(self) -> Option<PictureSlot> {
        match self {
            Kind::Picture(place) | Kind::Pictures(place) => Some(place),
            _ => None,
        }
    }
}

/// A setting: its name, its kind, and a sentence on its effect for the operator.
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

const fn key(name: &'static str, kind: Kind, help: &'static str) -> Key {
    Key { name, kind, help }
}

pub(crate) const KEYS: &[Key] = &[
    key(
        "siteName",
        Kind::Line { min: 1, max: 60 },
        "The camp's name. A Yiddish name may follow: Camp Naarim · קעמפ נערים",
    ),
    key(
        "siteDescription",
        Kind::Line { min: 0, max: 300 },
        "One sentence for footers and link previews",
    ),
    key("contactEmail", Kind::Email, "The email that families see"),
    key("contactPhone", Kind::Phone { max: 40 }, "The phone number that families see"),
    key(
        "staffEmail",
        Kind::EmailOrNone,
        "Where messages to the staff go; empty for the contact address",
    ),
    key(
        "videoTeamEmail",
        Kind::EmailOrNone,
        "Where messages to the video team go; empty for the contact address",
    ),
    key("timezone", Kind::Zone, "The camp's time zone, for example America/New_York"),
    key("access", Kind::Choice(&["everyone", "signed_in", "families"]), "Who may watch the videos"),
    key(
        "postingTimeText",
        Kind::Line { min: 0, max: 80 },
        "Shown when no video is scheduled for today",
    ),
    key(
        "postingDeadline",
        Kind::TimeOrNone,
        "The time of day by which tonight's video should be published, for example 21:00. If it is not, owners get an email; empty for no alert",
    ),
    key(
        "defaultPlanAmount",
        Kind::Money { min: Cents::ZERO, max: MAX_AMOUNT },
        "What a new family owes, in cents",
    ),
    key(
        "currency",
        Kind::Choice(&["USD", "CAD", "EUR", "GBP", "ILS"]),
        "The currency of all payments. Amounts are not converted when it changes",
    ),
    key(
        "paymentInstructions",
        Kind::Line { min: 0, max: 300 },
        "How families pay, for reminders and their profile page. Web addresses become links",
    ),
    key(
        "reminderHour",
        Kind::Hour,
        "The hour, in the camp's time zone, at which payment reminders go out",
    ),
    key(
        "remindBeforeDue",
        Kind::Switch,
        "Whether families are reminded seven days before a payment is due",
    ),
    key(
        "remindOnDueDate",
        Kind::Switch,
        "Whether families are reminded on the day on which a payment is due",
    ),
    key(
        "remindOverdue",
        Kind::Switch,
        "Whether families are reminded every week while a payment is overdue",
    ),
    key(
        "emailEnabled",
        Kind::Switch,
        "Whether any emails about videos, updates and newsletters go out. Emails that are waiting when it is turned off go out once it is turned on again",
    ),
    key("dailyReports", Kind::Switch, "Whether families get emails about new videos"),
    key("systemAlerts", Kind::Switch, "Whether owners get an email when something needs attention"),
    key("liveUpdates", Kind::Switch, "Whether families get emails about live updates"),
    key(
        "digestHour",
        Kind::Hour,
        "The hour, in the camp's time zone, at which families that chose one email a day get it",
    ),
    key(
        "pushEnabled",
        Kind::Switch,
        "Whether families can turn on browser notifications for new videos and updates while a page is open",
    ),
    key("userRegistrations", Kind::Switch, "Whether people can sign up; invitations always work"),
    key(
        "requireEmailVerification",
        Kind::Switch,
        "Whether people must confirm their email before they can comment and get emails",
    ),
    key(
        "sessionTimeout",
        Kind::Number { min: 5, max: 720 },
        "Minutes without a click after which staff are signed out",
    ),
    key(
        "maxLoginAttempts",
        Kind::Number { min: 1, max: 100 },
        "Failed sign-ins before delays start",
    ),
    key(
        "passwordMinLength",
        Kind::Number { min: 8, max: 64 },
        "Minimum password length, in characters",
    ),
    key(
        "enableTwoFactor",
        Kind::Switch,
        "Whether every staff account must use an authenticator app",
    ),
    key(
        "commentModeration",
        Kind::Choice(&["at_once", "first_held"]),
        "Whether comments appear right away, or everyone's first one waits until staff approve it",
    ),
    key(
        "mainColor",
        Kind::Color,
        "Buttons and links in pages and emails; made lighter or darker where it would be hard to read",
    ),
    key(
        "accentColor",
        Kind::Color,
        "The lantern's color: badges and highlights in pages and emails",
    ),
    key(
        "logo",
        Kind::Picture(PictureSlot::Logo),
        "Shown next to the camp's name on every public page",
    ),
    key(
        "heroPictures",
        Kind::Pictures(PictureSlot::Hero),
        "Up to three pictures of the camp that take turns on the home page",
    ),
    key(
        "uploadQuota",
        Kind::Number { min: 1, max: 100_000 },
        "How much space video files may use, in gigabytes",
    ),
    key("shopUrl", Kind::Https, "Address of an embedded shop for the store page, or empty"),
    key(
        "shabbosMode",
        Kind::Choice(&["none", "quiet", "closed"]),
        "What changes on Shabbos, Yom Tov and quietDates: nothing (none), emails and notifications wait (quiet), or the site is closed as well (closed)",
    ),
    key(
        "quietHours",
        Kind::Choice(&["candle_lighting", "fixed"]),
        "Whether quiet time is from candle lighting to nightfall, or at fixed times of the week",
    ),
    key(
        "quietPlace",
        Kind::Place,
        "Where sunset is measured: a place like Monsey, NY, or latitude and longitude like 41.11, -74.07",
    ),
    key(
        "candleLightingMinutes",
        Kind::Number { min: 0, max: 90 },
        "Minutes before sunset when quiet time begins",
    ),
    key(
        "nightfall",
        Kind::Nightfall,
        "When quiet time ends: 4 to 12 degrees (8.5 degrees), or 20 to 120 minutes after sunset (72 minutes)",
    ),
    key("quietStart", Kind::WeekTime, "When a fixed quiet time begins, for example Friday 18:00"),
    key("quietEnd", Kind::WeekTime, "When a fixed quiet time ends, for example Saturday 21:30"),
    key(
        "yomTov",
        Kind::Choice(&["none", "diaspora", "israel"]),
        "Which days of Yom Tov are quiet time as well",
    ),
    key(
        "quietDates",
        Kind::ExtraTimes,
        "More quiet times: whole days from the evening before, or from one time to another",
    ),
    key(
        "quietHoldsVideos",
        Kind::Switch,
        "Whether a video that is scheduled in quiet time is published after it",
    ),
    key("quietNotice", Kind::Switch, "Whether pages say that it is quiet time, and until when"),
];

/// Settings for features that this portal does not have, with the reason.
pub const UNAVAILABLE: &[(Key, &str)] = &[(
    key("smsEnabled", Kind::Switch, "Whether families get text messages"),
    "No SMS gateway is connected to the portal.",
)];

/// The group of a setting in the settings page.
pub fn group(name: &str) -> &'static str {
    match name {
        "siteName" | "siteDescription" | "contactEmail" | "contactPhone" | "timezone"
        | "postingTimeText" | "postingDeadline" | "shopUrl" | "defaultPlanAmount" | "currency"
        | "staffEmail" | "videoTeamEmail" | "uploadQuota" => "general",
        "paymentInstructions"
        | "reminderHour"
        | "remindBeforeDue"
        | "remindOnDueDate"
        | "remindOverdue" => "payments",
        "mainColor" | "accentColor" | "logo" | "heroPictures" => "look",
        "emailEnabled" | "dailyReports" | "liveUpdates" | "digestHour" | "systemAlerts"
        | "pushEnabled" | "smsEnabled" => "notifications",
        "shabbosMode"
        | "quietHours"
        | "quietPlace"
        | "candleLightingMinutes"
        | "nightfall"
        | "quietStart"
        | "quietEnd"
        | "yomTov"
        | "quietDates"
        | "quietHoldsVideos"
        | "quietNotice" => "quiet_time",
        _ => "security",
    }
}

pub(crate) const GONE: &str = "This picture no longer exists. Please upload it again.";

/// Returns the key with this name.
///
/// # Errors
///
/// [`Error::Invalid`] on the setting's name when it is unknown or in [`UNAVAILABLE`].
pub(crate) fn find(name: &str) -> Result<&'static Key> {
    if let Some((_, reason)) = UNAVAILABLE.iter().find(|(key, _)| key.name == name) {
        return Err(Error::invalid(name, format!("{name} is not available. {reason}")));
    }
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
        Error::invalid(
            name,
            format!("Unknown setting “{name}”. `camp settings list` shows them all."),
        )
    })
}

/// Validates a value and returns its stored form. Amounts in error texts are in the camp's
/// currency.
///
/// # Errors
///
/// [`Error::Invalid`] on the key's name for a value that the key does not allow.
pub(crate) fn check(key: &Key, value: &Value, currency: &str) -> Result<Value> {
    let wrong = |text: String| Err(Error::invalid(key.name, text));
    let name = key.name;
    match (key.kind, value) {
        (Kind::Line { min, max }, Value::String(text)) => line(name, text, min, max),
        (Kind::Phone { max }, Value::String(text)) => phone(name, text, max),
        (Kind::EmailOrNone, Value::String(text)) if text.trim().is_empty() => Ok(json!("")),
        (Kind::Email | Kind::EmailOrNone, Value::String(text)) => match EmailAddress::parse(text) {
            Some(email) => Ok(json!(email)),
            None => wrong("Please enter a valid email address.".into()),
        },
        (Kind::Switch, Value::Bool(_)) => Ok(value.clone()),
        (Kind::Switch, _) => wrong(format!("{name} must be true or false.")),
        (Kind::Number { min, max }, Value::Number(number)) => {
            within(name, number, min, max, |n| grouped(n.unsigned_abs()))
        }
        (Kind::Hour, Value::Number(number)) => within(name, number, 0, 23, |n| n.to_string()),
        (Kind::Money { min, max }, Value::Number(number)) => {
            let shown = |cents| money(Cents::new(cents), currency);
            within(name, number, min.get(), max.get(), shown)
        }
        (Kind::Number { .. } | Kind::Hour | Kind::Money { .. }, _) => {
            wrong(format!("{name} must be a whole number."))
        }
        (Kind::Choice(choices), Value::String(text)) => match choices.contains(&text.as_str()) {
            true => Ok(value.clone()),
            false => wrong(format!("{name} must be one of {}.", choices.join(", "))),
        },
        (Kind::Zone, Value::String(text)) => match text.parse::<Tz>() {
            Ok(zone) => Ok(json!(zone.name())),
            Err(_) => wrong("Please choose a time zone like America/New_York.".into()),
        },
        (Kind::Color, Value::String(text)) => color(name, text.trim()),
        (Kind::Picture(_), value) => picture(name, value),
        (Kind::Pictures(_), Value::Array(list)) => pictures(name, value, list.len()),
        (Kind::Pictures(_), _) => wrong(GONE.into()),
        (Kind::Https, Value::String(text)) => https(name, text.trim()),
        (Kind::Place, Value::String(text)) => match Place::read(text) {
            Some(place) => Ok(json!(place)),
            None => wrong(NOT_A_PLACE.into()),
        },
        (Kind::Nightfall, Value::String(text)) => match Nightfall::read(text) {
            Some(nightfall) => Ok(json!(nightfall)),
            None => wrong(NOT_A_NIGHTFALL.into()),
        },
        (Kind::WeekTime, Value::String(text)) => match WeekTime::read(text) {
            Some(time) => Ok(json!(time)),
            None => wrong("Please enter a day and a time like Friday 18:00.".into()),
        },
        (Kind::TimeOrNone, Value::String(text)) => time_or_none(name, text.trim()),
        (Kind::ExtraTimes, value) => extra_times(name, value),
        _ => wrong(format!("{name} must be text.")),
    }
}

const NOT_A_PLACE: &str = "Please choose a place from the list, or enter latitude and longitude like 41.11, -74.07, between 65 degrees south and 65 degrees north.";
const NOT_A_NIGHTFALL: &str =
    "Please enter 4 to 12 degrees like 8.5 degrees, or 20 to 120 minutes like 72 minutes.";
/// More than a camp needs for years.
const MAX_EXTRA: usize = 200;

/// Extra times in order, each once.
fn extra_times(name: &str, value: &Value) -> Result<Value> {
    let wrong = |text: String| Err(Error::invalid(name, text));
    let Value::Array(list) = value else { return wrong(format!("{name} must be a list.")) };
    if list.len() > MAX_EXTRA {
        return wrong(format!("Please enter at most {MAX_EXTRA} dates."));
    }
    let times: Result<Vec<ExtraTime>> = list.iter().map(|typed| extra_time(name, typed)).collect();
    Ok(in_order(times?))
}

fn extra_time(name: &str, typed: &Value) -> Result<ExtraTime> {
    let Ok(mut typed) = serde_json::from_value::<TypedExtraTime>(typed.clone()) else {
        return Err(Error::invalid(name, "Each date has a from, a to and a name."));
    };
    let mut checks = crate::validation::Validator::new();
    typed.name = checks.line(name, &typed.name, ExtraTime::NAME);
    let time = ExtraTime::try_from(typed).map_err(|problem| Error::invalid(name, problem))?;
    checks.done()?;
    Ok(time)
}

fn in_order(mut times: Vec<ExtraTime>) -> Value {
    times.sort_by_key(ExtraTime::start);
    times.dedup();
    json!(times)
}

/// The valid extra times in an invalid list: whatever can be read is still kept.
pub(super) fn valid_times(list: &Value) -> Value {
    let all = list.as_array().map(Vec::as_slice).unwrap_or_default();
    in_order(all.iter().filter_map(|typed| extra_time("", typed).ok()).take(MAX_EXTRA).collect())
}

fn time_or_none(name: &str, text: &str) -> Result<Value> {
    if text.is_empty() {
        return Ok(json!(""));
    }
    match NaiveTime::parse_from_str(text, "%H:%M") {
        Ok(time) => Ok(json!(time.format("%H:%M").to_string())),
        Err(_) => Err(Error::invalid(name, "Please enter a time like 21:00.")),
    }
}

fn line(name: &str, text: &str, min: usize, max: usize) -> Result<Value> {
    let mut checks = crate::validation::Validator::new();
    let text = checks.line(name, text, max);
    checks.require(text.chars().count() >= min, name, format!("{name} must not be empty."));
    checks.done()?;
    Ok(json!(text))
}

fn phone(name: &str, text: &str, max: usize) -> Result<Value> {
    let text = line(name, text, 0, max)?;
    let digits = text.as_str().unwrap_or_default().chars().filter(char::is_ascii_digit).count();
    match text == "" || digits >= 3 {
        true => Ok(text),
        false => Err(Error::invalid(name, "Please enter a phone number like (845) 555-0142.")),
    }
}

fn within(
    name: &str,
    number: &Number,
    min: i64,
    max: i64,
    shown: impl Fn(i64) -> String,
) -> Result<Value> {
    match number.as_i64() {
        Some(n) if (min..=max).contains(&n) => Ok(json!(n)),
        _ => {
            let bounds = format!("{name} must be from {} to {}.", shown(min), shown(max));
            Err(Error::invalid(name, bounds))
        }
    }
}

fn color(name: &str, text: &str) -> Result<Value> {
    if text.is_empty() {
        return Ok(json!(""));
    }
    match Color::read(text) {
        Some(color) => Ok(json!(color.to_string())),
        None => Err(Error::invalid(name, "Please enter a color like #1b5a40.")),
    }
}

fn picture(name: &str, value: &Value) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::String(text) if text.is_empty() => Ok(Value::Null),
        Value::String(text) => match text.parse::<Uuid>() {
            Ok(id) => Ok(json!(id)),
            Err(_) => Err(Error::invalid(name, GONE)),
        },
        _ => Err(Error::invalid(name, GONE)),
    }
}

/// `given` is the number of values, including those that are not ids.
fn pictures(name: &str, value: &Value, given: usize) -> Result<Value> {
    let ids = named(value);
    let mut once = ids.clone();
    once.sort();
    once.dedup();
    if ids.len() < given || once.len() < ids.len() {
        return Err(Error::invalid(name, GONE));
    }
    if ids.len() > MAX_HERO {
        return Err(Error::invalid(name, format!("{name}: at most three pictures.")));
    }
    Ok(json!(ids))
}

fn https(name: &str, text: &str) -> Result<Value> {
    if text.is_empty() {
        return Ok(json!(""));
    }
    match url::Url::parse(text) {
        Ok(url) if url.scheme() == "https" && url.host().is_some() && url.username().is_empty() => {
            Ok(json!(url.as_str()))
        }
        _ => Err(Error::invalid(name, "Please enter an address that begins with https://.")),
    }
}
