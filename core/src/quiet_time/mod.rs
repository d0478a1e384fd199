//! Quiet time: when the portal rests (decision M9). A pure function of the settings and the time.
//!
//! A rest day is a Saturday, a day of Yom Tov, or a day that the camp added. Each run of consecutive
//! rest days is one window, from the evening before its first day to the end of its last.

mod calendar_file;
mod holidays;
mod place;
mod sun;
#[cfg(test)]
mod tests;
mod week;

use std::ops::Range;

use chrono::{
    DateTime, Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Utc, Weekday,
};
use chrono_tz::Tz;

pub use calendar_file::{CalendarFile, NotACalendar, read as read_calendar_file};
pub use holidays::YomTov;
pub use place::{PLACES, Place};
pub use sun::Nightfall;
pub use week::{ExtraTime, TypedExtraTime, WeekTime};

use crate::clock::{day_in, moment_in};

/// The years for which the calendars are right.
pub const YEARS: Range<i32> = 2000..2200;
/// Windows that begin or end farther away than this do not touch a day. Runs of rest days, which may
/// be longer, are followed to their ends.
const MARGIN: Days = Days::new(9);
/// The name of a window that nobody named.
const NO_NAME: &str = "Quiet time";
/// The maximum number of consecutive rest days that are followed.
const LONGEST_RUN: u64 = 400;

/// A time in which the portal rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// What is kept, in order and each once: "Shavuos", "Shabbos".
    pub names: Vec<String>,
}

impl Window {
    /// For example "Shabbos", or "Shavuos and Shabbos".
    pub fn name(&self) -> String {
        match self.names.split_last() {
            None => String::new(),
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        }
    }
}

/// The hours of each window.
#[derive(Debug, Clone, PartialEq)]
pub enum Hours {
    /// From candle lighting to nightfall.
    Sun { place: Place, candle_lighting_minutes: i64, nightfall: Nightfall },
    /// Every week from one time to the next. Holidays begin and end at the same times of day.
    Fixed { start: WeekTime, end: WeekTime },
}

/// Everything that decides when the portal rests.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// The camp's time zone.
    pub zone: Tz,
    pub hours: Hours,
    pub yom_tov: YomTov,
    pub extra: Vec<ExtraTime>,
}

impl Schedule {
    /// Returns the window at this time. Its end is no longer part of it.
    pub fn window_at(&self, at: DateTime<Utc>) -> Option<Window> {
        self.windows(at, at)
            .into_iter()
            .find(|window| window.starts_at <= at && at < window.ends_at)
    }

    /// Returns the window at this time, or the next one.
    pub fn next(&self, at: DateTime<Utc>) -> Option<Window> {
        self.upcoming(at, 1).pop()
    }

    /// Returns the first `count` windows that end after `from`.
    pub fn upcoming(&self, from: DateTime<Utc>, count: usize) -> Vec<Window> {
        let mut weeks = 2 + count as i64;
        loop {
            let mut windows = self.windows(from, from + TimeDelta::weeks(weeks));
            if windows.len() >= count || weeks > 120 {
                windows.truncate(count);
                return windows;
            }
            weeks *= 2;
        }
    }

    /// Returns the windows that end after `from` and start at `to` or earlier, in order. None
    /// overlap or touch.
    pub fn windows(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> Vec<Window> {
        let mut first = day_in(self.zone, from) - MARGIN - MARGIN;
        let mut last = day_in(self.zone, to) + MARGIN + MARGIN;
        for _ in 0..50 {
            let windows = self.within(first, last);
            let is_asked = |window: &Window| window.ends_at > from && window.starts_at <= to;
            let windows: Vec<Window> = windows.into_iter().filter(is_asked).collect();
            let (Some(start), Some(end)) = (windows.first(), windows.last()) else {
                return windows;
            };
            // What touches a window may lie outside of the range so far.
            let start = day_in(self.zone, start.starts_at) - MARGIN;
            let end = day_in(self.zone, end.ends_at) + MARGIN;
            if first <= start && end <= last {
                return windows;
            }
            (first, last) = (first.min(start), last.max(end));
        }
        Vec::new()
    }

    fn within(&self, first: NaiveDate, last: NaiveDate) -> Vec<Window> {
        let mut windows = self.runs(first, last);
        windows.extend(self.weekly(first, last));
        windows.extend(self.extra.iter().filter_map(|extra| extra.hours(self.zone)));
        merge(windows)
    }

    /// One window for each run of consecutive rest days.
    fn runs(&self, first: NaiveDate, last: NaiveDate) -> Vec<Window> {
        let is_rest = |day: NaiveDate| !self.names(day).is_empty();
        let first = (0..LONGEST_RUN).map(|n| first - Days::new(n)).find(|day| !is_rest(*day));
        let last = (0..LONGEST_RUN).map(|n| last + Days::new(n)).find(|day| !is_rest(*day));
        let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
        let mut windows = Vec::new();
        let mut run: Option<(NaiveDate, Vec<String>)> = None;
        for day in first.iter_days().take_while(|day| *day <= last) {
            let names = self.names(day);
            match (&mut run, names.is_empty()) {
                (None, true) => {}
                (None, false) => run = Some((day, names)),
                (Some((_, known)), false) => known.extend(names),
                (Some((start, known)), true) => {
                    windows.push(Window {
                        starts_at: self.evening_before(*start),
                        ends_at: self.end_of(day - Days::new(1)),
                        names: std::mem::take(known),
                    });
                    run = None;
                }
            }
        }
        windows
    }

    /// The names of what is kept on this day. Empty on ordinary days.
    fn names(&self, day: NaiveDate) -> Vec<String> {
        let mut names = Vec::new();
        if day.weekday() == Weekday::Sat && self.keeps_shabbos() {
            names.push("Shabbos".to_owned());
        }
        names.extend(self.yom_tov.on(day).map(str::to_owned));
        let extra = self.extra.iter().filter(|extra| extra.is_on(day));
        names.extend(extra.map(|extra| extra.name.clone()));
        names
    }

    /// Whether the weekly window is Shabbos, so that it joins holidays before and after it.
    fn keeps_shabbos(&self) -> bool {
        match self.hours {
            Hours::Sun { .. } => true,
            Hours::Fixed { start, end } => {
                start.day == Weekday::Fri && (end.day == Weekday::Sat || self.ends_after_midnight())
            }
        }
    }

    /// Whether a fixed Shabbos, and with it every other rest day, ends in the night that follows.
    fn ends_after_midnight(&self) -> bool {
        match self.hours {
            Hours::Sun { .. } => false,
            Hours::Fixed { start, end } => {
                start.day == Weekday::Fri && end.day == Weekday::Sun && end.time.hour() < 12
            }
        }
    }

    fn evening_before(&self, day: NaiveDate) -> DateTime<Utc> {
        let eve = day - Days::new(1);
        match &self.hours {
            Hours::Sun { place, candle_lighting_minutes, .. } => {
                let sunset = sun::sunset(place, eve);
                floor_minute(sunset - TimeDelta::minutes(*candle_lighting_minutes))
            }
            Hours::Fixed { start, .. } => moment_in(self.zone, eve.and_time(start.time)),
        }
    }

    fn end_of(&self, day: NaiveDate) -> DateTime<Utc> {
        match &self.hours {
            Hours::Sun { place, nightfall, .. } => {
                let end = sun::nightfall(place, day, *nightfall);
                floor_minute(end + TimeDelta::seconds(59))
            }
            Hours::Fixed { end, .. } => {
                let last = if self.ends_after_midnight() { day + Days::new(1) } else { day };
                moment_in(self.zone, last.and_time(end.time))
            }
        }
    }

    /// The windows of a fixed week that is not Shabbos.
    fn weekly(&self, first: NaiveDate, last: NaiveDate) -> Vec<Window> {
        let Hours::Fixed { start, end } = self.hours else { return Vec::new() };
        if self.keeps_shabbos() || start == end {
            return Vec::new();
        }
        let days = first.iter_days().take_while(|day| *day <= last);
        days.filter(|day| day.weekday() == start.day)
            .map(|day| Window {
                starts_at: moment_in(self.zone, day.and_time(start.time)),
                ends_at: moment_in(self.zone, end.after(day.and_time(start.time))),
                names: vec![NO_NAME.to_owned()],
            })
            .collect()
    }
}

/// Sorts the windows and merges those that overlap or touch.
fn merge(mut windows: Vec<Window>) -> Vec<Window> {
    // Daylight saving can take all of a short window away.
    windows.retain(|window| window.starts_at < window.ends_at);
    windows.sort_by_key(|window| (window.starts_at, window.ends_at));
    let mut merged: Vec<Window> = Vec::new();
    for next in windows {
        match merged.last_mut() {
            Some(last) if next.starts_at <= last.ends_at => {
                last.ends_at = last.ends_at.max(next.ends_at);
                last.names.extend(next.names);
            }
            _ => merged.push(next),
        }
    }
    for window in &mut merged {
        let mut seen = Vec::new();
        window.names.retain(|name| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
    }
    merged
}

fn floor_minute(at: DateTime<Utc>) -> DateTime<Utc> {
    whole_minutes(at.naive_utc()).and_utc()
}

/// Cuts a local time to whole minutes.
fn whole_minutes(local: NaiveDateTime) -> NaiveDateTime {
    local.with_second(0).and_then(|local| local.with_nanosecond(0)).unwrap_or(local)
}
