//! Explains why a date does not exist, and checks the days of a filter.

use chrono::{Datelike, NaiveDate};

use crate::{Error, Result};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Checks the first and the last day of a filter.
///
/// # Errors
///
/// [`Error::Invalid`] on `from` or `to`.
pub(crate) fn check_days(from: Option<NaiveDate>, to: Option<NaiveDate>) -> Result<()> {
    for (field, day) in [("from", from), ("to", to)] {
        if day.is_some_and(|day| !(1900..=2200).contains(&day.year())) {
            return Err(Error::invalid(field, "Please choose a day between 1900 and 2200."));
        }
    }
    match from.zip(to) {
        Some((from, to)) if to < from => {
            Err(Error::invalid("to", "The last day is before the first."))
        }
        _ => Ok(()),
    }
}

/// Returns the sentence for a date that is not in the calendar, or `None` for one that is.
pub(crate) fn missing(year: i32, month: u32, day: u32) -> Option<String> {
    if NaiveDate::from_ymd_opt(year, month, day).is_some() {
        return None;
    }
    let name = usize::try_from(month).ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    Some(match name {
        None => format!("There is no month {month}."),
        Some(name) if (month, day) == (2, 29) => format!("There is no {name} 29 in {year}."),
        Some(name) => format!("There is no {name} {day}."),
    })
}

/// As [`missing`], for a text that begins with `YYYY-MM-DD`, with or without a time. Returns `None`
/// for any other text.
pub fn missing_in(text: &str) -> Option<String> {
    let text = text.trim();
    let (day, time) = text.split_at_checked(10)?;
    if !(time.is_empty() || time.starts_with(['T', ' '])) {
        return None;
    }
    let mut parts = day.split('-');
    let mut number = |length: usize| {
        let part = parts.next()?;
        let digits = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok())?
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    missing(i32::try_from(year).ok()?, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_that_is_not_in_the_calendar_is_named() {
        for (text, said) in [
            ("2026-02-30", Some("There is no February 30.")),
            ("2026-04-31", Some("There is no April 31.")),
            ("2026-02-29", Some("There is no February 29 in 2026.")),
            ("2028-02-29", None),
            ("2026-06-31T09:00", Some("There is no June 31.")),
            ("2026-01-32 10:00", Some("There is no January 32.")),
            ("2026-13-01", Some("There is no month 13.")),
            ("2026-00-10", Some("There is no month 0.")),
            ("2026-07-15", None),
            ("2026-7-32", None),
            ("2026-02-30x", None),
            ("tomorrow", None),
            ("שבת שבת שבת", None),
            ("", None),
        ] {
            assert_eq!(missing_in(text).as_deref(), said, "{text}");
        }
    }
}
