//! The clock of the portal, and dates in the camp's time zone.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, SubsecRound, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// Returns the time in UTC, truncated to microseconds because both databases store that precision.
///
/// Only tests set and advance it.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Microseconds that this clock is ahead of the machine's clock.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    pub fn now(&self) -> DateTime<Utc> {
        let ahead = TimeDelta::microseconds(self.ahead.load(Ordering::Relaxed));
        (Utc::now() + ahead).trunc_subsecs(6)
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

#[cfg(test)]
mod tests {
    use super::*;

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
