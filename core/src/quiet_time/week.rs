//! Times of the week, and times that a camp adds to its windows.

use std::fmt;

use chrono::{
    DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Utc, Weekday,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::Window;
use crate::clock::{moment_in, wall_time};

/// The longest extra time, in days.
const LONGEST_EXTRA: i64 = 31;

/// A time of every week, local to the camp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WeekTime {
    pub day: Weekday,
    pub time: NaiveTime,
}

impl WeekTime {
    pub const FRIDAY: WeekTime = WeekTime { day: Weekday::Fri, time: hour(18) };
    pub const SATURDAY: WeekTime = WeekTime { day: Weekday::Sat, time: hour(22) };

    /// Parses "Friday 18:00".
    pub fn read(text: &str) -> Option<WeekTime> {
        let (day, time) = text.trim().split_once(' ')?;
        let time = NaiveTime::parse_from_str(time.trim(), "%H:%M").ok()?;
        Some(WeekTime { day: day.parse().ok()?, time })
    }

    /// The hours from this time to the next `end`, rounded up; 0 if they are the same.
    pub fn hours_until(self, end: WeekTime) -> i64 {
        const WEEK: i64 = 7 * 24 * 60;
        let minute_of = |at: WeekTime| {
            i64::from(at.day.num_days_from_monday()) * 24 * 60
                + i64::from(at.time.hour() * 60 + at.time.minute())
        };
        ((minute_of(end) - minute_of(self)).rem_euclid(WEEK) + 59) / 60
    }

    /// The next such time after `from`.
    pub(super) fn after(self, from: NaiveDateTime) -> NaiveDateTime {
        let days = from.date().iter_days().take(8).filter(|day| day.weekday() == self.day);
        let mut times = days.map(|day| day.and_time(self.time));
        times.find(|at| *at > from).unwrap_or(from)
    }
}

impl fmt::Display for WeekTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
            [self.day.num_days_from_monday() as usize];
        write!(out, "{name} {}", self.time.format("%H:%M"))
    }
}

impl From<WeekTime> for String {
    fn from(time: WeekTime) -> String {
        time.to_string()
    }
}

impl TryFrom<String> for WeekTime {
    type Error = &'static str;

    fn try_from(text: String) -> Result<WeekTime, Self::Error> {
        WeekTime::read(&text).ok_or("not a time of the week")
    }
}

const fn hour(hour: u32) -> NaiveTime {
    match NaiveTime::from_hms_opt(hour, 0, 0) {
        Some(time) => time,
        None => NaiveTime::MIN,
    }
}

/// Days or hours that a camp added, local to the camp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "TypedExtraTime", into = "TypedExtraTime")]
pub struct ExtraTime {
    pub when: When,
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Whole days, kept like a holiday: from the evening before the first to the end of the last.
    Days {
        first: NaiveDate,
        last: NaiveDate,
    },
    Hours {
        from: NaiveDateTime,
        to: NaiveDateTime,
    },
}

/// An extra time as it is entered and stored: two dates, or two local times `YYYY-MM-DDTHH:MM`.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExtraTime)]
pub struct TypedExtraTime {
    pub from: String,
    /// The last day, or the end.
    pub to: String,
    #[serde(default)]
    #[schema(required = true)]
    pub name: String,
}

impl ExtraTime {
    /// The maximum length of a name, in characters.
    pub const NAME: usize = 60;

    /// # Errors
    ///
    /// What is wrong, as a sentence for staff.
    pub fn new(when: When, name: &str) -> Result<ExtraTime, &'static str> {
        let (fits, longest) = match when {
            When::Days { first, last } => {
                (first <= last, (last - first).num_days() < LONGEST_EXTRA)
            }
            When::Hours { from, to } => (from < to, (to - from).num_days() < LONGEST_EXTRA),
        };
        match (fits, longest) {
            (false, _) => Err("The end must be after the start."),
            (_, false) => Err("Please enter at most 31 days at a time."),
            _ if name.chars().count() > ExtraTime::NAME => {
                Err("Please enter a name of at most 60 characters.")
            }
            _ => Ok(ExtraTime { when, name: named(name) }),
        }
    }

    /// Parses what is typed at the command line: "2026-07-23 Tisha B'Av",
    /// "2026-08-02/2026-08-04", "2026-07-27T14:00/2026-07-27T16:30 Visiting Day".
    pub fn read(text: &str) -> Result<ExtraTime, &'static str> {
        let (times, name) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let (from, to) = times.split_once('/').unwrap_or((times, times));
        ExtraTime::try_from(TypedExtraTime { from: from.into(), to: to.into(), name: name.into() })
    }

    /// When it begins, for the order of lists.
    pub fn start(&self) -> NaiveDateTime {
        match self.when {
            When::Days { first, .. } => first.and_time(NaiveTime::MIN),
            When::Hours { from, .. } => from,
        }
    }

    /// Whether this day is kept as a whole.
    pub(super) fn is_on(&self, day: NaiveDate) -> bool {
        matches!(self.when, When::Days { first, last } if (first..=last).contains(&day))
    }

    /// The window of an extra time that is not of whole days.
    pub(super) fn hours(&self, zone: Tz) -> Option<Window> {
        let When::Hours { from, to } = self.when else { return None };
        let (starts_at, ends_at) = (moment_in(zone, from), moment_in(zone, to));
        Some(Window { starts_at, ends_at, names: vec![self.name.clone()] })
    }

    /// Whether it is over. A day ends at the latest on the following one.
    pub(crate) fn is_over(&self, zone: Tz, now: DateTime<Utc>) -> bool {
        let end = match self.when {
            When::Days { last, .. } => (last + Days::new(2)).and_time(NaiveTime::MIN),
            When::Hours { to, .. } => to,
        };
        moment_in(zone, end) <= now
    }
}

fn named(name: &str) -> String {
    match name.trim() {
        "" => super::NO_NAME.to_owned(),
        name => name.to_owned(),
    }
}

impl TryFrom<TypedExtraTime> for ExtraTime {
    type Error = &'static str;

    fn try_from(typed: TypedExtraTime) -> Result<ExtraTime, Self::Error> {
        let day = |text: &str| {
            NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d")
                .ok()
                .filter(|day| (2000..2200).contains(&day.year()))
        };
        let time = |text: &str| {
            wall_time(text).map(super::whole_minutes).filter(|at| (2000..2200).contains(&at.year()))
        };
        let when = if let (Some(first), Some(last)) = (day(&typed.from), day(&typed.to)) {
            When::Days { first, last }
        } else if let (Some(from), Some(to)) = (time(&typed.from), time(&typed.to)) {
            When::Hours { from, to }
        } else {
            return Err("Please enter two dates, or two dates with times.");
        };
        ExtraTime::new(when, &typed.name)
    }
}

impl From<ExtraTime> for TypedExtraTime {
    fn from(extra: ExtraTime) -> TypedExtraTime {
        let time = |at: NaiveDateTime| at.format("%Y-%m-%dT%H:%M").to_string();
        let (from, to) = match extra.when {
            When::Days { first, last } => (first.to_string(), last.to_string()),
            When::Hours { from, to } => (time(from), time(to)),
        };
        TypedExtraTime { from, to, name: extra.name }
    }
}
