//! Reads extra times from a calendar file (.ics, RFC 5545).

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::Serialize;

use super::week::{ExtraTime, TypedExtraTime, When};
use super::whole_minutes;
use crate::clock::moment_in;

/// No quiet time is longer.
const LONGEST: TimeDelta = TimeDelta::days(366);

/// What a calendar file contains.
#[derive(Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CalendarFile {
    /// Events that are not over, in the order of the file.
    #[schema(value_type = Vec<TypedExtraTime>)]
    pub dates: Vec<ExtraTime>,
    /// Events that repeat. Their dates must be entered one by one.
    pub repeating: usize,
    /// Events that are over.
    pub past: usize,
    /// Events without a length, longer than an extra time may be, or with a date or time zone that
    /// cannot be read.
    pub unusable: usize,
}

/// The text is not a calendar file.
#[derive(Debug, PartialEq, Eq)]
pub struct NotACalendar;

/// Reads the events of a calendar file. Times without a zone are local to the camp.
///
/// # Errors
///
/// [`NotACalendar`]
pub fn read(text: &str, zone: Tz, now: DateTime<Utc>) -> Result<CalendarFile, NotACalendar> {
    let lines = unfold(text);
    let is_calendar = |line: &String| line.eq_ignore_ascii_case("BEGIN:VCALENDAR");
    if !lines.iter().take(3).any(is_calendar) {
        return Err(NotACalendar);
    }
    let mut file = CalendarFile::default();
    let mut event: Option<Event> = None;
    let mut inner = 0;
    for line in &lines {
        let property = Property::read(line);
        match (property.name.as_str(), property.value, &mut event) {
            ("BEGIN", "VEVENT", _) => event = Some(Event::default()),
            ("BEGIN", _, Some(_)) => inner += 1,
            ("END", "VEVENT", Some(_)) => {
                inner = 0;
                if let Some(event) = event.take() {
                    file.add(event, zone, now);
                }
            }
            ("END", _, Some(_)) => inner -= 1,
            (_, _, Some(event)) if inner == 0 => event.take_property(&property, zone),
            _ => {}
        }
    }
    Ok(file)
}

impl CalendarFile {
    fn add(&mut self, event: Event, zone: Tz, now: DateTime<Utc>) {
        if event.cancelled {
            return;
        }
        if event.repeats {
            self.repeating += 1;
            return;
        }
        match event.extra_time(zone) {
            Some(extra) if extra.is_over(zone, now) => self.past += 1,
            Some(extra) => self.dates.push(extra),
            None => self.unusable += 1,
        }
    }
}

#[derive(Default)]
struct Event {
    name: String,
    start: Option<At>,
    end: Option<At>,
    length: Option<TimeDelta>,
    repeats: bool,
    cancelled: bool,
}

#[derive(Clone, Copy)]
enum At {
    Day(NaiveDate),
    Time(NaiveDateTime),
}

impl Event {
    fn take_property(&mut self, property: &Property<'_>, zone: Tz) {
        match property.name.as_str() {
            "DTSTART" => self.start = property.at(zone),
            "DTEND" => self.end = property.at(zone),
            "DURATION" => self.length = length(property.value),
            "SUMMARY" => self.name = unescape(property.value),
            "RRULE" | "RDATE" => self.repeats = true,
            "STATUS" => self.cancelled = property.value.eq_ignore_ascii_case("CANCELLED"),
            _ => {}
        }
    }

    fn extra_time(self, zone: Tz) -> Option<ExtraTime> {
        let when = match (self.start?, self.end, self.length) {
            (At::Day(first), Some(At::Day(after)), _) => {
                // The end is the day after; some programs write the same day.
                let last = after.checked_sub_days(Days::new(1))?.max(first);
                When::Days { first, last }
            }
            (At::Day(first), None, Some(length)) => {
                let more = Days::new(u64::try_from(length.num_days()).ok()?.max(1) - 1);
                When::Days { first, last: first.checked_add_days(more)? }
            }
            (At::Day(first), None, None) => When::Days { first, last: first },
            (At::Time(from), Some(At::Time(to)), _) => When::Hours { from, to },
            (At::Time(from), None, Some(length)) => {
                let to = moment_in(zone, from).checked_add_signed(length)?;
                When::Hours { from, to: to.with_timezone(&zone).naive_local() }
            }
            _ => return None,
        };
        let name: String = self.name.chars().filter(|c| !c.is_control()).take(60).collect();
        let typed = ExtraTime::new(when, &name).ok()?;
        // The years are checked as if it were typed.
        ExtraTime::try_from(TypedExtraTime::from(typed)).ok()
    }
}

/// A line: `NAME;PARAMETER=value:value`.
struct Property<'a> {
    name: String,
    parameters: &'a str,
    value: &'a str,
}

impl Property<'_> {
    fn read(line: &str) -> Property<'_> {
        let mut quoted = false;
        let colon = line.find(|c| {
            quoted ^= c == '"';
            c == ':' && !quoted
        });
        let (head, value) = colon.map_or((line, ""), |at| (&line[..at], &line[at + 1..]));
        let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
        Property { name: name.to_ascii_uppercase(), parameters, value: value.trim() }
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        let parameters = self.parameters.split(';').filter_map(|part| part.split_once('='));
        let mut values = parameters.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value.trim_matches('"'))
    }

    /// A date, or a time in the camp's zone.
    fn at(&self, zone: Tz) -> Option<At> {
        if self.value.len() == 8 {
            return NaiveDate::parse_from_str(self.value, "%Y%m%d").ok().map(At::Day);
        }
        let (text, utc) = match self.value.strip_suffix(['Z', 'z']) {
            Some(text) => (text, true),
            None => (self.value, false),
        };
        let local = NaiveDateTime::parse_from_str(text, "%Y%m%dT%H%M%S").ok()?;
        // Times so far away cannot be converted.
        if !(1900..2200).contains(&local.year()) {
            return None;
        }
        let at = match (utc, self.parameter("TZID")) {
            (true, _) => local.and_utc().with_timezone(&zone).naive_local(),
            (false, Some(id)) => {
                let other: Tz = id.trim_start_matches('/').parse().ok()?;
                moment_in(other, local).with_timezone(&zone).naive_local()
            }
            (false, None) => local,
        };
        Some(At::Time(whole_minutes(at)))
    }
}

/// Joins lines that were folded.
fn unfold(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => out.push(' '),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

/// Parses a duration: `P1D`, `PT1H30M`, `P2W`.
fn length(text: &str) -> Option<TimeDelta> {
    let mut seconds: i64 = 0;
    let mut number: Option<i64> = None;
    for c in text.trim_start_matches('+').strip_prefix('P')?.chars() {
        let unit = match c {
            '0'..='9' => {
                let digit = i64::from(c as u8 - b'0');
                number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
                continue;
            }
            'T' => continue,
            'W' => 7 * 86_400,
            'D' => 86_400,
            'H' => 3_600,
            'M' => 60,
            'S' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.take()?.checked_mul(unit)?)?;
    }
    TimeDelta::try_seconds(seconds)
        .filter(|length| *length > TimeDelta::zero() && *length <= LONGEST)
}
