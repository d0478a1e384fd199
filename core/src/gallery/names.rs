//! Reads the title and the date of a video from the name of its file.

use chrono::NaiveDate;

/// What cameras and phones write into names.
const CAMERA: [&str; 12] =
    ["img", "vid", "mov", "mvi", "dsc", "dscn", "dscf", "pxl", "gopr", "video", "clip", "movie"];

/// Returns the title, which is never empty, and the date if the name has one.
pub(super) fn read(file_name: &str) -> (String, Option<NaiveDate>) {
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    let found = stem.char_indices().find_map(|(at, _)| date_at(stem, at));
    let (rest, date) = match found {
        Some((date, from, to)) => (format!("{} {}", &stem[..from], &stem[to..]), Some(date)),
        None => (stem.to_owned(), None),
    };
    let words: Vec<&str> = rest
        .split(|letter: char| letter.is_whitespace() || letter == '_')
        .map(|word| word.trim_matches(['-', '–', '.', ',']))
        .filter(|word| !word.is_empty())
        .collect();
    let title = words.join(" ");
    let says_nothing = words.iter().all(|word| {
        let word = word.to_lowercase();
        CAMERA.contains(&word.as_str()) || word.chars().all(|letter| letter.is_ascii_digit())
    });
    let title = match (says_nothing, date) {
        (true, Some(date)) => date.format("%B %-d, %Y").to_string(),
        (true, None) => stem.to_owned(),
        (false, _) => title,
    };
    (title, date)
}

/// A date such as `2024-07-15`, `20240715`, `2024_07_15`, perhaps with a time of day behind it, or
/// `07-15-2024`, and where it ends.
fn date_at(stem: &str, from: usize) -> Option<(NaiveDate, usize, usize)> {
    let bytes = stem.as_bytes();
    if from > 0 && bytes[from - 1].is_ascii_digit() {
        return None;
    }
    let number = |at: usize, length: usize| -> Option<u32> {
        let digits = stem.get(at..at + length)?;
        digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let separator = |at: usize| {
        let is_one = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b' ');
        bytes.get(at).copied().filter(is_one)
    };
    let ends = |at: usize| !bytes.get(at).is_some_and(u8::is_ascii_digit);
    let of = |year: u32, month: u32, day: u32| {
        (1900..2200).contains(&year).then(|| NaiveDate::from_ymd_opt(year as i32, month, day))?
    };
    if let Some(year) = number(from, 4) {
        let (date, end) = match separator(from + 4) {
            Some(one) if separator(from + 7) == Some(one) => {
                (of(year, number(from + 5, 2)?, number(from + 8, 2)?)?, from + 10)
            }
            Some(_) => return None,
            None => (of(year, number(from + 4, 2)?, number(from + 6, 2)?)?, from + 8),
        };
        let has_time = matches!(bytes.get(end), Some(b'_' | b'-' | b'T' | b' '))
            && number(end + 1, 6).is_some()
            && ends(end + 7);
        let end = if has_time { end + 7 } else { end };
        return ends(end).then_some((date, from, end));
    }
    let one = separator(from + 2)?;
    let (month, day, year) = (number(from, 2)?, number(from + 3, 2)?, number(from + 6, 4)?);
    let is_date = separator(from + 5) == Some(one) && ends(from + 10);
    of(year, month, day).filter(|_| is_date).map(|date| (date, from, from + 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_titles_and_dates() {
        let day = NaiveDate::from_ymd_opt(2024, 7, 15);
        for (name, title, date) in [
            ("2024-07-15 Color War breaks out.mp4", "Color War breaks out", day),
            ("Lake_day_20240715.mov", "Lake day", day),
            ("20240715_183000.mp4", "July 15, 2024", day),
            ("IMG_20240715_183000.MOV", "July 15, 2024", day),
            ("PXL_20240715_183000123.mp4", "July 15, 2024", day),
            ("07-15-2024 - Siyum.mkv", "Siyum", day),
            ("2024_07_15.m4v", "July 15, 2024", day),
            ("Bunk 7 - Melave Malka.mp4", "Bunk 7 Melave Malka", None),
            ("IMG_0042.MOV", "IMG_0042", None),
            ("ל״ג בעומר 2024-07-15.mp4", "ל״ג בעומר", day),
            ("2024-13-45 Hike.mp4", "2024-13-45 Hike", None),
            ("120240715.mp4", "120240715", None),
        ] {
            assert_eq!(read(name), (title.to_owned(), date), "{name}");
        }
    }
}
