//! Input of staff about an update, and its validation.

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::Priority;
use super::edit::Record;
use crate::Result;
use crate::clock::{moment_in, wall_time};
use crate::dates;
use crate::settings::Settings;
use crate::validation::{Validator, given};

const TITLE: usize = 200;
const MESSAGE: usize = 5000;
const AUTHOR: usize = 100;
/// In days.
const LONGEST_PIN: i64 = 7;

/// A new update. It is visible immediately.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUpdate {
    pub title: String,
    pub message: String,
    /// The author's name that families see.
    pub author: String,
    #[serde(default)]
    pub priority: Priority,
    /// Pins it for this many days from now, 1 to 7.
    pub pin_days: Option<i64>,
    /// When it expires, as the camp's local time `YYYY-MM-DDTHH:MM`.
    pub expires_at: Option<String>,
    /// Whether families get mail about it, now or never.
    #[serde(default = "by_mail")]
    pub send_mail: bool,
    /// Its mails and notifications do not wait for the end of quiet time.
    #[serde(default)]
    pub urgent: bool,
}

fn by_mail() -> bool {
    true
}

/// An update that a member of the staff wants to see as a mail before posting it.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestUpdate {
    pub title: String,
    pub message: String,
    pub author: String,
    #[serde(default)]
    pub priority: Priority,
}

/// Changes to an update. Omitted fields stay as they are.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UpdatePatch)]
pub struct UpdateChanges {
    /// The version that was read. A change by somebody else since then is not overwritten.
    pub version: i64,
    pub title: Option<String>,
    pub message: Option<String>,
    pub author: Option<String>,
    pub priority: Option<Priority>,
    pub is_active: Option<bool>,
    /// Pins it for this many days from now, 1 to 7. Null ends the pin.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub pin_days: Option<Option<i64>>,
    /// When it expires, as the camp's local time `YYYY-MM-DDTHH:MM`, or null for never.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub expires_at: Option<Option<String>>,
}

impl NewUpdate {
    pub(super) fn record(&self, settings: &Settings, now: DateTime<Utc>) -> Result<Record> {
        let mut checks = Validator::new();
        let record = Record {
            title: title(&mut checks, &self.title),
            message: message(&mut checks, &self.message),
            author: author(&mut checks, &self.author),
            priority: self.priority,
            is_active: true,
            pinned_until: pin_end(&mut checks, self.pin_days, now),
            expires_at: end(&mut checks, self.expires_at.as_deref(), settings, now, None),
            version: 1,
        };
        checks.done()?;
        Ok(record)
    }
}

impl TestUpdate {
    /// The update as it would be stored.
    pub(super) fn checked(&self) -> Result<TestUpdate> {
        let mut checks = Validator::new();
        let update = TestUpdate {
            title: title(&mut checks, &self.title),
            message: message(&mut checks, &self.message),
            author: author(&mut checks, &self.author),
            priority: self.priority,
        };
        checks.done()?;
        Ok(update)
    }
}

impl UpdateChanges {
    /// Applies the changes to a record.
    pub(super) fn apply(
        &self,
        old: &Record,
        settings: &Settings,
        now: DateTime<Utc>,
    ) -> Result<Record> {
        let mut checks = Validator::new();
        let mut new = old.clone();
        if let Some(text) = &self.title {
            new.title = title(&mut checks, text);
        }
        if let Some(text) = &self.message {
            new.message = message(&mut checks, text);
        }
        if let Some(text) = &self.author {
            new.author = author(&mut checks, text);
        }
        new.priority = self.priority.unwrap_or(old.priority);
        new.is_active = self.is_active.unwrap_or(old.is_active);
        if let Some(days) = self.pin_days {
            new.pinned_until = pin_end(&mut checks, days, now);
        }
        match &self.expires_at {
            Some(typed) => {
                new.expires_at = end(&mut checks, typed.as_deref(), settings, now, old.expires_at);
            }
            // An expired update that is shown again no longer has an end.
            None if self.is_active == Some(true) => {
                new.expires_at = old.expires_at.filter(|end| *end > now);
            }
            None => {}
        }
        checks.done()?;
        Ok(new)
    }
}

fn title(checks: &mut Validator, text: &str) -> String {
    let text = checks.line("title", text, TITLE);
    checks.require(!text.is_empty(), "title", "Title is required");
    text
}

fn message(checks: &mut Validator, text: &str) -> String {
    let text = checks.block("message", text, MESSAGE);
    checks.require(!text.is_empty(), "message", "Message is required");
    text
}

fn author(checks: &mut Validator, text: &str) -> String {
    let text = checks.line("author", text, AUTHOR);
    checks.require(!text.is_empty(), "author", "Author is required");
    text
}

/// The time at which the pin ends (decision U4).
fn pin_end(checks: &mut Validator, days: Option<i64>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let days = days?;
    if !(1..=LONGEST_PIN).contains(&days) {
        checks.refuse("pin_days", format!("An update can be pinned for 1 to {LONGEST_PIN} days."));
        return None;
    }
    Some(now + TimeDelta::days(days))
}

/// The time at which it ends. An unchanged one may be in the past.
fn end(
    checks: &mut Validator,
    typed: Option<&str>,
    settings: &Settings,
    now: DateTime<Utc>,
    before: Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    let typed = typed?;
    let local = wall_time(typed).filter(|local| local.year() <= now.year() + 10);
    let Some(local) = local else {
        let valid = || "Please enter a valid date and time.".to_owned();
        checks.refuse("expires_at", dates::missing_in(typed).unwrap_or_else(valid));
        return None;
    };
    let end = moment_in(settings.timezone, local);
    let good = end > now || before == Some(end);
    checks.require(good, "expires_at", "Please choose a date and time in the future.");
    Some(end)
}
