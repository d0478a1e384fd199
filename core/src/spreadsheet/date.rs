//! Parses dates in the formats that people use.

use chrono::{NaiveDate, NaiveTime};

use crate::dates;

/// Parses `2024-07-15`, `07/15/2024`, `15 July 2024` or `July 15, 2024`; month names may be
/// abbreviated.
///
/// # Errors
///
/// A sentence that says what to do.
pub fn read(typed: &str) -> Result<NaiveDate, String> {
    let unreadable = || {
        let shown: String = typed.chars().take(40).collect();
        format!("“{shown}” is not a date like 2024-07-15, 07/15/2024 or 15 July 2024.")
    };
    let day = without_time(typed.trim());
    let (year, month, date) = numbers(day).or_else(|| words(day)).ok_or_else(unreadable)?;
    match dates::missing(year, month, date) {
        Some(_) if typed.contains('/') && (13..=31).contains(&month) => Err(format!(
            "“{typed}” has no month {month}. Dates with slashes are month/day/year here."
        )),
        Some(message) => Err(message),
        None => NaiveDate::from_ymd_opt(year, month, date).ok_or_else(unreadable),
    }
}

/// Spreadsheets often add a time to a date, mostly midnight. A moment that a program wrote with a `T` may be of
/// another time zone, and so of another day.
fn without_time(text: &str) -> &str {
    let text = text.strip_suffix("T00:00:00").unwrap_or(text);
    match text.split_once(' ') {
        Some((day, time))
            if numbers(day).is_some() && NaiveTime::parse_from_str(time, "%H:%M:%S").is_ok() =>
        {
            day
        }
        _ => text,
    }
}

fn numbers(text: &str) -> Option<(i32, u32, u32)> {
    let parts = |separator| {
        let parts: Vec<&str> = text.split(separator).collect();
        let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        (parts.len() == 3 && parts.iter().all(digits)).then_some(parts)
    };
    if let Some([year, month, day]) = parts('-').as_deref()
        && year.len() == 4
    {
        return Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?));
    }
    if let Some([month, day, year]) = parts('/').as_deref()
        && year.len() == 4
    {
        return Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?));
    }
    None
}

fn words(text: &str) -> Option<(i32, u32, u32)> {
    let words: Vec<String> = text
        .split([' ', ',', '.', '-'])
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let [first, second, year] = words.as_slice() else { return None };
    let year = (year.len() == 4).then(|| year.parse().ok()).flatten()?;
    match (month(first), month(second)) {
        (None, Some(month)) => Some((year, month, day(first)?)),
        (Some(month), None) => Some((year, month, day(second)?)),
        _ => None,
    }
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th").then(|| digits.parse().ok())?
}

fn month(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let at = NAMES.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
    u32::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_in_every_usual_form() {
        let day = NaiveDate::from_ymd_opt(2024, 7, 15);
        for typed in [
            "2024-07-15",
            "2024-7-15",
            "07/15/2024",
            "7/15/2024",
            "15 July 2024",
            "15 Jul 2024",
            "July 15, 2024",
            "Jul. 15 2024",
            "15th July 2024",
            "JULY 15TH, 2024",
            "15-Jul-2024",
            "2024-07-15T00:00:00",
            "2024-07-15 00:00:00",
            "2024-07-15 18:30:00",
            " 2024-07-15 ",
        ] {
            assert_eq!(read(typed).ok(), day, "{typed}");
        }
    }

    #[test]
    fn a_day_that_is_none_is_refused_with_what_to_do() {
        for typed in [
            "",
            "soon",
            "15/07/2024",
            "2024-02-30",
            "07/15/24",
            "2024",
            "July 2024",
            "15 Ju 2024",
            "1.7.2024",
            "2024/07/15",
            "32 July 2024",
            "5x July 2024",
            "é July 2024",
            "99999999999 July 2024",
            "2024-07-15T11:00:00",
        ] {
            assert!(read(typed).is_err(), "{typed}");
        }
        assert!(read("15/07/2024").is_err_and(|text| text.contains("month/day/year")));
        for typed in ["2024-02-30", "02/30/2024", "30 February 2024", "Feb. 30, 2024"] {
            assert_eq!(read(typed), Err("There is no February 30.".to_owned()), "{typed}");
        }
    }
}
