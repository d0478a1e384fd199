//! The evenings of a summer on which a video is published.

use chrono::{DateTime, Datelike, Days, NaiveDate, Utc, Weekday};

use super::Sample;
use super::content::Content;
use crate::clock::{day_in, year_in};

/// A day of camp with a video.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Night {
    /// The day of the summer or session, from 1.
    pub day: u32,
    pub date: NaiveDate,
}

pub fn year_of(content: &Content, now: DateTime<Utc>) -> i64 {
    i64::from(year_in(content.camp.timezone, now))
}

/// Returns all days with a video in an earlier summer.
pub fn summer(sample: Sample, year: i32) -> Vec<Night> {
    match sample {
        Sample::Yiddish => {
            let first = on_or_after(june(year, 26), Weekday::Sun);
            let fast = eve_of_tisha_bav(year);
            let nights = (0..53).map(|n| night(first, n));
            nights.filter(|n| n.date.weekday() != Weekday::Fri && Some(n.date) != fast).collect()
        }
        Sample::General => {
            let first = on_or_after(june(year, 20), Weekday::Sun);
            // Three sessions of two weeks.
            (0..42).map(|n| Night { day: n as u32 % 14 + 1, ..night(first, n) }).collect()
        }
    }
}

/// Returns this summer's days, shifted so that they end yesterday. There are fewer early in the
/// year.
pub fn this_summer(content: &Content, sample: Sample, now: DateTime<Utc>, n: usize) -> Vec<Night> {
    let today = day_in(content.camp.timezone, now);
    let mut dates: Vec<NaiveDate> = (1..)
        .map_while(|back| today.checked_sub_days(Days::new(back)))
        .take_while(|date| date.year() == today.year())
        .filter(|date| is_filmed(sample, *date))
        .take(n)
        .collect();
    dates.reverse();
    let Some(first) = dates.first().copied() else { return Vec::new() };
    let session = if sample == Sample::General { 14 } else { i64::MAX };
    dates
        .into_iter()
        .map(|date| Night { day: ((date - first).num_days() % session) as u32 + 1, date })
        .collect()
}

/// Returns the days to come, including today.
pub fn coming(sample: Sample, today: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    today.iter_days().filter(move |date| is_filmed(sample, *date))
}

fn is_filmed(sample: Sample, date: NaiveDate) -> bool {
    sample == Sample::General || date.weekday() != Weekday::Fri
}

fn night(first: NaiveDate, n: u64) -> Night {
    Night { day: n as u32 + 1, date: first + Days::new(n) }
}

fn june(year: i32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, 6, day).unwrap_or_default()
}

fn on_or_after(date: NaiveDate, weekday: Weekday) -> NaiveDate {
    date.iter_days().find(|date| date.weekday() == weekday).unwrap_or(date)
}

/// The evening on which the fast of the ninth of Av begins. It is a day later if that is Shabbos.
fn eve_of_tisha_bav(year: i32) -> Option<NaiveDate> {
    // The ninth of Av is always 51 days before the next new year.
    let ninth = NaiveDate::from_num_days_from_ce_opt(new_year(year + 3761) - 51)?;
    match ninth.weekday() {
        Weekday::Sat => Some(ninth),
        _ => ninth.pred_opt(),
    }
}

/// The first of Tishri of a Hebrew year, in days of the common era (Reingold and Dershowitz,
/// Calendrical Calculations).
fn new_year(year: i32) -> i32 {
    const EPOCH: i32 = -1_373_427;
    let (before, this, after) = (elapsed(year - 1), elapsed(year), elapsed(year + 1));
    let correction = match (after - this, this - before) {
        (356, _) => 2,
        (_, 382) => 1,
        _ => 0,
    };
    EPOCH + this + correction
}

fn elapsed(year: i32) -> i32 {
    let months = (235 * i64::from(year) - 234).div_euclid(19);
    let parts = 12_084 + 13_753 * months;
    let day = 29 * months + parts.div_euclid(25_920);
    (if (3 * (day + 1)).rem_euclid(7) < 3 { day + 1 } else { day }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::content;

    fn date(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    #[test]
    fn the_fast_begins_on_the_right_evening() {
        for (year, eve) in [
            (2022, "2022-08-06"),
            (2023, "2023-07-26"),
            (2024, "2024-08-12"),
            (2025, "2025-08-02"),
            (2026, "2026-07-22"),
        ] {
            assert_eq!(eve_of_tisha_bav(year), Some(date(eve)), "{year}");
        }
    }

    #[test]
    fn no_summer_has_a_friday_night_and_this_one_is_never_empty_nor_of_last_year() {
        let content = content::read(Sample::Yiddish).expect("content");
        for day in 1..=366 {
            let now: DateTime<Utc> = "2028-01-01T12:00:00Z".parse().expect("a time");
            let now = now + chrono::TimeDelta::days(day - 1);
            let nights = this_summer(&content, Sample::Yiddish, now, 29);
            assert!(nights.iter().all(|n| n.date.year() == 2028));
            assert!(nights.iter().all(|n| n.date.weekday() != Weekday::Fri));
            assert!(nights.len() == 29 || day < 40, "day {day}: {}", nights.len());
        }
        let usual = summer(Sample::Yiddish, 2024).len();
        assert!((44..=46).contains(&usual), "{usual}");
    }
}
