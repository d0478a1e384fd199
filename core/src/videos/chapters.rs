//! Chapters of a video: staff type a line for each, such as "0:42 Bunk 7".

use serde::Serialize;

use crate::ffmpeg::Cut;
use crate::text;

const MAX_CHAPTERS: usize = 100;
const LONGEST_TITLE: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Chapter {
    pub start_seconds: i64,
    pub title: String,
}

/// Reads the lines of staff. `duration` is the length of the video in seconds, where it is known.
///
/// # Errors
///
/// A sentence for staff.
pub(super) fn read(typed: &str, duration: Option<i64>) -> Result<Vec<Chapter>, String> {
    let typed = text::clean(typed);
    let mut chapters: Vec<Chapter> = Vec::new();
    for (at, line) in typed.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = at + 1;
        let (time, title) =
            line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let Some(start_seconds) = seconds(time) else {
            return Err(format!("Line {number}: please begin with a time, such as 0:42 Bunk 7."));
        };
        let title = title.trim_start_matches(['-', '–', '—', ' ', '\t']).trim();
        if title.is_empty() {
            return Err(format!("Line {number}: please write a title after the time."));
        }
        if title.contains(char::is_control) {
            return Err(format!(
                "Line {number}: please remove the characters that cannot be seen."
            ));
        }
        if title.chars().count() > LONGEST_TITLE {
            return Err(format!(
                "Line {number}: a title may have at most {LONGEST_TITLE} letters."
            ));
        }
        if chapters.last().is_some_and(|before| before.start_seconds >= start_seconds) {
            return Err(format!("Line {number}: {time} is not after the chapter before it."));
        }
        if let Some(end) = duration.filter(|end| start_seconds >= *end) {
            let end = clock(end);
            return Err(format!("Line {number}: {time} is after the end of the video ({end})."));
        }
        chapters.push(Chapter { start_seconds, title: title.to_owned() });
    }
    match chapters.len() > MAX_CHAPTERS {
        true => Err(format!("A video may have at most {MAX_CHAPTERS} chapters.")),
        false => Ok(chapters),
    }
}

/// Writes chapters as they are stored, and shown in the form. Returns `None` for no chapters.
pub(super) fn lines(chapters: &[Chapter]) -> Option<String> {
    let line = |chapter: &Chapter| format!("{} {}", clock(chapter.start_seconds), chapter.title);
    (!chapters.is_empty()).then(|| chapters.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Chapters as they are stored.
pub(super) fn stored(lines: Option<&str>) -> Vec<Chapter> {
    read(lines.unwrap_or_default(), None).unwrap_or_default()
}

/// Leaves out the stored chapters that begin after the end of another film.
pub(super) fn ending_at(lines: Option<&str>, seconds: i64) -> Option<String> {
    let mut kept = stored(lines);
    kept.retain(|chapter| chapter.start_seconds < seconds);
    self::lines(&kept)
}

/// Moves stored chapters along with a cut of the video.
pub(super) fn cut(lines: Option<&str>, cut: Cut) -> Option<String> {
    let (start, end) = (cut.start.round() as i64, cut.end.round() as i64);
    let mut kept: Vec<Chapter> = Vec::new();
    for mut chapter in stored(lines).into_iter().filter(|chapter| chapter.start_seconds < end) {
        chapter.start_seconds = (chapter.start_seconds - start).max(0);
        // Of the chapters that began before the cut, the last one continues.
        kept.retain(|before| before.start_seconds < chapter.start_seconds);
        kept.push(chapter);
    }
    self::lines(&kept)
}

/// `0:42` or `1:02:03`.
fn seconds(time: &str) -> Option<i64> {
    let parts: Vec<&str> = time.split(':').collect();
    let is_number = |part: &&str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit())
    };
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(is_number) {
        return None;
    }
    parts.iter().try_fold(0, |sum, part| Some(sum * 60 + part.parse::<i64>().ok()?))
}

fn clock(seconds: i64) -> String {
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_time_are_chapters() {
        let typed = "0:00 Opening\n\n 0:42  – Bunk 7\r\n01:15 בונק 8\n1:02:03 Siyum\n";
        let clean = "0:00 Opening\n0:42 Bunk 7\n1:15 בונק 8\n1:02:03 Siyum";
        let chapters = read(typed, Some(4000)).expect("chapters");
        assert_eq!(chapters[3], Chapter { start_seconds: 3723, title: "Siyum".into() });
        assert_eq!(lines(&chapters).as_deref(), Some(clean));
        assert_eq!(stored(Some(clean)), chapters);
        assert_eq!(lines(&stored(None)), None);
    }

    #[test]
    fn chapters_move_with_a_cut() {
        let lines = "0:00 A\n0:10 B\n0:30 C\n1:00 D";
        let cut_to = |start, end| cut(Some(lines), Cut { start, end });
        assert_eq!(cut_to(12.0, 59.6).as_deref(), Some("0:00 B\n0:18 C"));
        assert_eq!(cut_to(0.0, 100.0).as_deref(), Some(lines));
        assert_eq!(cut_to(70.0, 80.0).as_deref(), Some("0:00 D"));
        assert_eq!(cut(None, Cut { start: 4.0, end: 8.0 }), None);
    }

    #[test]
    fn a_line_that_is_no_chapter_is_named() {
        for (typed, problem) in [
            ("0:00 Opening\nBunk 7", "Line 2: please begin with a time, such as 0:42 Bunk 7."),
            ("0:42", "Line 1: please write a title after the time."),
            ("0:42 -", "Line 1: please write a title after the time."),
            ("0:42 A\n0:42 B", "Line 2: 0:42 is not after the chapter before it."),
            ("6:12 The end", "Line 1: 6:12 is after the end of the video (6:12)."),
            ("99999:00 Far", "Line 1: please begin with a time, such as 0:42 Bunk 7."),
        ] {
            assert_eq!(read(typed, Some(372)), Err(problem.to_owned()));
        }
        let hidden = read("0:42 Bunk\u{202e} \u{200b}7", None).expect("a chapter");
        assert_eq!(hidden[0].title, "Bunk 7");
        assert!(read("0:42 Bunk\u{7}", None).is_err());
        let long = format!("0:01 {}", "a".repeat(101));
        assert!(read(&long, None).is_err());
        let many: String = (0..=MAX_CHAPTERS).map(|at| format!("{at}:00 Bunk\n")).collect();
        assert!(read(&many, None).is_err());
    }
}
