//! Reads WebVTT and SubRip files, and writes clean WebVTT: times and texts, without styles.

use std::fmt::Write;

use crate::spreadsheet;

/// More than the captions of any film.
const MAX_CUES: usize = 20_000;
const LONGEST_TEXT: usize = 1000;

const NOT_TEXT: &str =
    "This is not a captions file. Please choose a WebVTT (.vtt) or SubRip (.srt) file.";
const NONE: &str =
    "There are no captions in this file. Please choose a WebVTT (.vtt) or SubRip (.srt) file.";
const TOO_MANY: &str =
    "This file has more than 20,000 captions. Please check whether it is the right one.";

/// Captions as they are stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Captions {
    pub vtt: String,
    pub cues: i64,
}

struct Cue {
    /// Milliseconds.
    start: u64,
    end: u64,
    text: String,
}

/// Reads a file of staff.
///
/// # Errors
///
/// A sentence for staff.
pub(super) fn read(bytes: &[u8]) -> Result<Captions, String> {
    let text = spreadsheet::text_of(bytes).ok_or(NOT_TEXT)?;
    let mut cues = cues(&text)?;
    match cues.len() {
        0 => return Err(NONE.into()),
        count if count > MAX_CUES => return Err(TOO_MANY.into()),
        _ => {}
    }
    cues.sort_by_key(|cue| cue.start);
    Ok(written(&cues))
}

/// Moves stored captions along with a cut of the video, in milliseconds.
pub(super) fn cut(vtt: &str, start: u64, end: u64) -> Captions {
    let stored = cues(vtt).unwrap_or_default();
    let kept = stored.into_iter().filter(|cue| cue.end > start && cue.start < end);
    let moved = kept.map(|cue| Cue {
        start: cue.start.saturating_sub(start),
        end: cue.end.min(end) - start,
        text: cue.text,
    });
    written(&moved.collect::<Vec<_>>())
}

fn written(cues: &[Cue]) -> Captions {
    let mut vtt = String::from("WEBVTT\n");
    for Cue { start, end, text } in cues {
        let _ = write!(vtt, "\n{} --> {}\n{text}\n", clock(*start), clock(*end));
    }
    Captions { vtt, cues: cues.len() as i64 }
}

/// A cue is a line of times and the lines up to the next empty one. Headers, notes, styles and numbers
/// stand before such a line and are left out.
fn cues(text: &str) -> Result<Vec<Cue>, String> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some((start, end)) = line.split_once("-->") else { continue };
        let end = end.split_whitespace().next().unwrap_or_default();
        let (Some(start), Some(end)) = (millis(start.trim()), millis(end)) else {
            return Err(format!(
                "Line {}: “{}” should be two times, such as 00:01:05.000 --> 00:01:08.500.",
                at + 1,
                line.trim().chars().take(60).collect::<String>()
            ));
        };
        let mut text = String::new();
        for (_, line) in lines.by_ref().take_while(|(_, line)| !line.trim().is_empty()) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&clean(line));
        }
        let text: String = text.trim().chars().take(LONGEST_TEXT).collect();
        if end < start {
            return Err(format!("Line {}: this caption ends before it begins.", at + 1));
        }
        if end > start && !text.is_empty() {
            cues.push(Cue { start, end, text });
        }
    }
    Ok(cues)
}

/// `1:05.5`, `00:01:05.500` or `00:01:05,500`, in milliseconds.
fn millis(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let is_number = |part: &str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit())
    };
    let parts: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(|part| is_number(part)) {
        return None;
    }
    let seconds =
        parts.iter().try_fold(0, |sum, part| Some(sum * 60 + part.parse::<u64>().ok()?))?;
    let fraction: String = is_number(fraction).then(|| format!("{fraction:0<3}"))?;
    Some(seconds * 1000 + fraction[..3].parse::<u64>().ok()?)
}

fn clock(millis: u64) -> String {
    let seconds = millis / 1000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}.{:03}", seconds % 60, millis % 1000)
}

/// Control characters, and marks that turn the order of letters around or have no width. Files of
/// captions often tell the direction of a line; that stays.
fn is_hidden(letter: char) -> bool {
    letter.is_control() && letter != '\t'
        || matches!(letter, '\u{200b}' | '\u{202d}' | '\u{202e}' | '\u{2060}' | '\u{feff}')
}

/// Keeps bold, italic and underlined text. Other tags and the positions of SubRip are left out, and
/// what only looks like a tag is text.
fn clean(line: &str) -> String {
    let line: String = line.trim().chars().filter(|letter| !is_hidden(*letter)).collect();
    let mut text = String::new();
    let mut rest = line.as_str();
    while let Some(at) = rest.find(['<', '>', '&', '{']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (written, length) = match &rest[..1] {
            "<" => tag(rest).unwrap_or(("&lt;", 1)),
            ">" => ("&gt;", 1),
            "&" if is_entity(rest) => ("&", 1),
            "&" => ("&amp;", 1),
            _ if rest.starts_with("{\\") => ("", rest.find('}').map_or(1, |end| end + 1)),
            _ => ("{", 1),
        };
        text.push_str(written);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// The tag at the beginning of the text, as it is kept, and its length.
fn tag(text: &str) -> Option<(&'static str, usize)> {
    const KEPT: [&str; 6] = ["<b>", "</b>", "<i>", "</i>", "<u>", "</u>"];
    let end = text.find('>')?;
    let inside = text[1..end].trim_start_matches('/');
    // Times within a text say when the next word is sung.
    let is_time = inside.starts_with(|first: char| first.is_ascii_digit()) && inside.contains(':');
    let is_tag = inside.starts_with(|first: char| first.is_ascii_alphabetic()) || is_time;
    let kept = KEPT.into_iter().find(|tag| text[..=end].eq_ignore_ascii_case(tag));
    is_tag.then_some((kept.unwrap_or_default(), end + 1))
}

fn is_entity(text: &str) -> bool {
    ["&amp;", "&lt;", "&gt;", "&nbsp;", "&lrm;", "&rlm;"].iter().any(|name| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vtt(text: &str) -> String {
        read(text.as_bytes()).expect("captions").vtt
    }

    #[test]
    fn subrip_and_webvtt_become_the_same() {
        let clean = "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nאַ גוטן טאָג\nfrom camp\n\n\
                     00:01:05.050 --> 01:02:03.000\n<i>Singing</i>\n";
        let subrip = "\u{feff}1\r\n00:00:01,000 --> 00:00:03,500 X1:0 X2:9\r\n{\\an8}אַ גוטן טאָג\r\n<font color=\"red\">from camp</font>\r\n\r\n\
                      2\r\n00:01:05,05 --> 01:02:03,000\r\n<I>Singing</I>\r\n";
        let webvtt = "WEBVTT - Lake\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE a note\n\nlast\n\
                      01:05.050 --> 1:02:03.000 align:start\n<i>Singing</i>\n\nfirst\n\
                      00:01.000 --> 00:03.500\n<v Rivky>אַ גוטן טאָג</v>\nfrom camp\n";
        assert_eq!(vtt(subrip), clean);
        assert_eq!(vtt(webvtt), clean);
        assert_eq!(vtt(clean), clean);
        assert_eq!(read(clean.as_bytes()).expect("captions").cues, 2);
    }

    #[test]
    fn nothing_in_a_caption_is_hidden_or_turned_around() {
        let turned = "WEBVTT\n\n00:01.000 --> 00:02.000\n\u{202b}שלום\u{202c}, \u{202e}txet\u{200b} \u{feff}here\u{7}\n";
        assert!(vtt(turned).ends_with("\n\u{202b}שלום\u{202c}, txet here\n"), "{}", vtt(turned));
    }

    #[test]
    fn captions_move_with_a_cut() {
        let all = "WEBVTT\n\n00:00:01.000 --> 00:00:05.000\nA\n\n00:00:06.000 --> 00:00:09.500\n<i>B</i> &amp;\n\n\
                   00:00:12.000 --> 00:00:14.000\nC\n";
        assert_eq!(cut(all, 0, 99_000).vtt, all);
        let kept = cut(all, 4000, 8000);
        let wanted = "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nA\n\n00:00:02.000 --> 00:00:04.000\n<i>B</i> &amp;\n";
        assert_eq!((kept.vtt.as_str(), kept.cues), (wanted, 2));
        assert_eq!(cut(all, 20_000, 30_000).cues, 0);
    }

    #[test]
    fn hebrew_of_an_old_windows_is_read() {
        let (bytes, _, _) =
            encoding_rs::WINDOWS_1255.encode("1\n00:00:01,000 --> 00:00:02,000\nשלום לכולם\n");
        assert!(read(&bytes).expect("captions").vtt.contains("שלום לכולם"));
    }

    #[test]
    fn letters_that_mean_something_are_written_out() {
        let text = "0:01.0 --> 0:02.0\nTom & Jerry &amp; <3 {x} a > b <script>alert(1)</script>\n";
        assert!(
            vtt(text).ends_with("\nTom &amp; Jerry &amp; &lt;3 {x} a &gt; b alert(1)\n"),
            "{}",
            vtt(text)
        );
    }

    #[test]
    fn what_is_no_file_of_captions_is_refused_in_words() {
        for (bytes, problem) in [
            (&b"\0\0\0\x18ftypisom"[..], NOT_TEXT),
            (b"", NONE),
            (b"WEBVTT\n\nDear parents", NONE),
            (b"1\n00:00:03,000 --> 00:00:03,000\nNo time\n", NONE),
            (
                b"a\nb\n00:03 --> later\nx\n",
                "Line 3: \u{201c}00:03 --> later\u{201d} should be two times, such as 00:01:05.000 --> 00:01:08.500.",
            ),
            (b"00:03.0 --> 00:02.0\nx\n", "Line 1: this caption ends before it begins."),
        ] {
            assert_eq!(read(bytes), Err(problem.to_owned()));
        }
        let many = "0:01.0 --> 0:02.0\nx\n\n".repeat(MAX_CUES + 1);
        assert_eq!(read(many.as_bytes()), Err(TOO_MANY.to_owned()));
    }
}
