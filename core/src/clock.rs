//! The clock of the portal, and dates in the camp's time zone.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{
    DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Offset, SubsecRound, TimeDelta,
    TimeZone, Utc,
};
use chrono_tz::{OffsetName, Tz};

/// Returns the time in UTC, truncated to microseconds because both databases store that precision.
///
/// Only tests set and advance it.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Microseconds that this clock is ahead of the machine's clock.
    ahead: Arc<AtomicI64>,
    /// How wrong the machine's clock is.
    wrong_by: TimeDelta,
}

impl Clock {
    pub fn now(&self) -> DateTime<Utc> {
        let ahead = TimeDelta::microseconds(self.ahead.load(Ordering::Relaxed));
        (Utc::now() + self.wrong_by + ahead).trunc_subsecs(6)
    }

    /// The time of another clock, advanced as this one is.
    pub(crate) fn like(&self, other: DateTime<Utc>) -> DateTime<Utc> {
        other + TimeDelta::microseconds(self.ahead.load(Ordering::Relaxed))
    }

    /// The clock of a machine that is wrong.
    pub fn wrong_by(&self, by: TimeDelta) -> Clock {
        Clock { ahead: self.ahead.clone(), wrong_by: by }
    }

    pub fn set(&self, now: DateTime<Utc>) {
        let ahead = now - Utc::now();
        self.ahead.store(ahead.num_microseconds().unwrap_or_default(), Ordering::Relaxed);
    }

    pub fn advance(&self, by: TimeDelta) {
        self.ahead.fetch_add(by.num_microseconds().unwrap_or_default(), Ordering::Relaxed);
    }
}

/// The date in the camp's time zone.
pub fn day_in(zone: Tz, at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

/// The year in the camp's time zone.
pub fn year_in(zone: Tz, at: DateTime<Utc>) -> i32 {
    day_in(zone, at).year()
}

/// Parses a local time as forms send it: `YYYY-MM-DDTHH:MM`, optionally with seconds.
pub fn wall_time(typed: &str) -> Option<NaiveDateTime> {
    ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(typed.trim(), form).ok())
        .filter(|local| local.year() >= 1900)
}

/// Converts a local time of the camp to UTC (decision V2). A time that daylight saving skips moves
/// forward by the gap. Of a time that occurs twice, the first one is used.
pub fn moment_in(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        chrono::LocalResult::Single(at) => at.to_utc(),
        chrono::LocalResult::Ambiguous(first, _) => first.to_utc(),
        chrono::LocalResult::None => {
            // No zone skips more than a day, so an offset from before the gap exists.
            let before = local - TimeDelta::hours(24);
            match zone.from_local_datetime(&before).earliest() {
                Some(at) => at.to_utc() + TimeDelta::hours(24),
                None => Utc.from_utc_datetime(&local),
            }
        }
    }
}

/// A period in which the clock of a time zone does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UtcOffset {
    pub from: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// How far the local time is ahead of UTC, in minutes.
    pub minutes: i32,
    /// What people call it, such as "EDT", or "GMT+5:30" where it has no name.
    pub name: String,
}

/// The UTC offsets of a time zone in these years, one period after the other.
pub fn utc_offsets(zone: Tz, years: RangeInclusive<i32>) -> Vec<UtcOffset> {
    let start_of = |year| {
        let day = NaiveDate::from_ymd_opt(year, 1, 1).unwrap_or_default();
        moment_in(zone, day.and_time(NaiveTime::MIN))
    };
    let (from, until) = (start_of(*years.start()), start_of(years.end() + 1));
    let offset = |at: DateTime<Utc>| {
        let offset = zone.offset_from_utc_datetime(&at.naive_utc());
        (offset.fix().local_minus_utc() / 60, offset_name(&offset))
    };
    let mut periods = Vec::new();
    let mut start = from;
    while start < until {
        let (minutes, name) = offset(start);
        let end = end_of_offset(start, until, |at| offset(at) == (minutes, name.clone()));
        periods.push(UtcOffset { from: start, until: end, minutes, name });
        start = end;
    }
    periods
}

/// When `same` ends, to the minute. No zone changes its clock twice in a week.
fn end_of_offset(
    start: DateTime<Utc>,
    until: DateTime<Utc>,
    same: impl Fn(DateTime<Utc>) -> bool,
) -> DateTime<Utc> {
    let mut before = start;
    let mut after = start;
    while same(after) {
        if after >= until {
            return until;
        }
        before = after;
        after += TimeDelta::weeks(1);
    }
    while after - before > TimeDelta::minutes(1) {
        let middle = before + TimeDelta::minutes((after - before).num_minutes() / 2);
        if same(middle) {
            before = middle;
        } else {
            after = middle;
        }
    }
    after.min(until)
}

fn offset_name(offset: &(impl Offset + OffsetName)) -> String {
    match offset.abbreviation() {
        Some(name) if name.starts_with(char::is_alphabetic) => name.to_owned(),
        _ => {
            let minutes = offset.fix().local_minus_utc() / 60;
            let sign = if minutes < 0 { '-' } else { '+' };
            match (minutes.abs() / 60, minutes.abs() % 60) {
                (0, 0) => "GMT".to_owned(),
                (hours, 0) => format!("GMT{sign}{hours}"),
                (hours, minutes) => format!("GMT{sign}{hours}:{minutes:02}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(zone: Tz) -> Vec<(String, i32, String)> {
        utc_offsets(zone, 2026..=2026)
            .into_iter()
            .map(|offset| (offset.from.to_rfc3339(), offset.minutes, offset.name))
            .collect()
    }

    #[test]
    fn the_clock_of_new_york_changes_twice_a_year() {
        let expected = [
            ("2026-01-01T05:00:00+00:00", -300, "EST"),
            ("2026-03-08T07:00:00+00:00", -240, "EDT"),
            ("2026-11-01T06:00:00+00:00", -300, "EST"),
        ]
        .map(|(from, minutes, name)| (from.to_owned(), minutes, name.to_owned()));
        assert_eq!(offsets(chrono_tz::America::New_York), expected);
    }

    #[test]
    fn zones_without_daylight_saving_or_names_have_an_offset_too() {
        let year = |from: &str, minutes, name: &str| [(from.to_owned(), minutes, name.to_owned())];
        assert_eq!(offsets(chrono_tz::UTC), year("2026-01-01T00:00:00+00:00", 0, "UTC"));
        assert_eq!(
            offsets(chrono_tz::Asia::Kathmandu),
            year("2025-12-31T18:15:00+00:00", 345, "GMT+5:45")
        );
    }

    /// Also where the clock changes four times a year, as in Morocco.
    #[test]
    fn the_offsets_of_all_zones_follow_one_another_and_are_right() {
        for zone in chrono_tz::TZ_VARIANTS {
            let offsets = utc_offsets(zone, 2025..=2027);
            assert_eq!(year_in(zone, offsets[0].from), 2025, "{zone}");
            assert_eq!(year_in(zone, offsets[offsets.len() - 1].until), 2028, "{zone}");
            assert!(offsets.windows(2).all(|pair| pair[0].until == pair[1].from), "{zone}");
            for offset in offsets {
                for at in [offset.from, offset.until - TimeDelta::seconds(1)] {
                    let seconds = zone.offset_from_utc_datetime(&at.naive_utc()).fix();
                    assert_eq!(seconds.local_minus_utc(), offset.minutes * 60, "{zone} {at}");
                }
            }
        }
    }

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    fn local(text: &str) -> NaiveDateTime {
        text.parse().expect("a local time")
    }

    #[test]
    fn a_time_that_daylight_saving_skips_moves_forward() {
        let zone = chrono_tz::America::New_York;
        assert_eq!(moment_in(zone, local("2026-03-08T02:30:00")), utc("2026-03-08T07:30:00Z"));
    }

    #[test]
    fn of_a_time_that_comes_twice_the_first_is_meant() {
        let zone = chrono_tz::America::New_York;
        assert_eq!(moment_in(zone, local("2026-11-01T01:30:00")), utc("2026-11-01T05:30:00Z"));
    }

    #[test]
    fn new_years_eve_in_camp_is_still_this_year() {
        let zone = chrono_tz::America::New_York;
        assert_eq!(year_in(zone, utc("2027-01-01T04:30:00Z")), 2026);
    }
}
