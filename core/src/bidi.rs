//! The direction of texts in English, Yiddish and Hebrew, for mail: mail programs know neither
//! `dir="auto"` nor `<bdi>` everywhere.

use icu_properties::CodePointMapData;
use icu_properties::props::BidiClass;

const FIRST_STRONG_ISOLATE: char = '\u{2068}';
const POP_ISOLATE: char = '\u{2069}';

/// The direction of a line, as the value of the attribute `dir`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    LeftToRight,
    RightToLeft,
}

impl Direction {
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Direction::LeftToRight => "ltr",
            Direction::RightToLeft => "rtl",
        }
    }

    pub(crate) fn align(self) -> &'static str {
        match self {
            Direction::LeftToRight => "left",
            Direction::RightToLeft => "right",
        }
    }

    /// The direction of most letters outside isolated names and addresses. A Yiddish sentence that
    /// begins with an English word is still Yiddish; in one that begins with a Yiddish word,
    /// Yiddish letters count as three, because names of places and trips are English. `None`
    /// without any letter.
    pub(crate) fn of(text: &str) -> Option<Direction> {
        let (mut depth, mut left, mut right, mut first) = (0_u32, 0_i64, 0_i64, None);
        for word in text.split_whitespace() {
            let is_address = word.contains('@') || word.contains("://");
            for c in word.chars() {
                match (c, class(c)) {
                    (FIRST_STRONG_ISOLATE, _) => depth += 1,
                    (POP_ISOLATE, _) => depth = depth.saturating_sub(1),
                    _ if depth > 0 || is_address => {}
                    (_, BidiClass::LeftToRight) => {
                        left += 1;
                        first.get_or_insert(Direction::LeftToRight);
                    }
                    (_, BidiClass::RightToLeft | BidiClass::ArabicLetter) => {
                        right += 1;
                        first.get_or_insert(Direction::RightToLeft);
                    }
                    _ => {}
                }
            }
        }
        let weight = if first == Some(Direction::RightToLeft) { 3 } else { 1 };
        match left - weight * right {
            0 => first,
            1.. => Some(Direction::LeftToRight),
            _ => Some(Direction::RightToLeft),
        }
    }
}

/// A name for the middle of a sentence. One with right-to-left letters is isolated, so that the
/// punctuation around it stays where it is.
pub(crate) fn isolated(name: &str) -> String {
    let name = without_controls(name);
    match name.chars().any(is_right_to_left) {
        true => format!("{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"),
        false => name,
    }
}

/// The text without all characters that change the direction of others.
pub(crate) fn without_controls(text: &str) -> String {
    text.chars().filter(|c| !is_control(*c)).collect()
}

/// The text without the characters that turn others around. Isolates stay if they are paired within
/// their line: a single one that somebody typed would swallow the direction of the rest.
pub(crate) fn without_overrides(text: &str) -> String {
    text.split_inclusive('\n').map(line_without_overrides).collect()
}

fn line_without_overrides(line: &str) -> String {
    let isolates = [FIRST_STRONG_ISOLATE, POP_ISOLATE];
    let mut chars: Vec<Option<char>> =
        line.chars().filter(|c| isolates.contains(c) || !is_control(*c)).map(Some).collect();
    let mut opened = Vec::new();
    for (at, c) in chars.iter_mut().enumerate() {
        if *c == Some(FIRST_STRONG_ISOLATE) {
            opened.push(at);
        } else if *c == Some(POP_ISOLATE) && opened.pop().is_none() {
            *c = None;
        }
    }
    for at in opened {
        chars[at] = None;
    }
    chars.into_iter().flatten().collect()
}

fn is_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(class(c), BidiClass::RightToLeft | BidiClass::ArabicLetter)
}

fn class(c: char) -> BidiClass {
    CodePointMapData::<BidiClass>::new().get(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_letters_decide_the_direction() {
        for (text, direction) in [
            ("The gates open at ten.", Some(Direction::LeftToRight)),
            ("די טויערן עפענען זיך 10 אזייגער.", Some(Direction::RightToLeft)),
            ("WhatsApp גרופע פאר די עלטערן", Some(Direction::RightToLeft)),
            ("טאג 5: שווימען מיט bunk 12 און 3 counselors (Part 2)", Some(Direction::RightToLeft)),
            ("מארגן: trip צו Howe Caverns.", Some(Direction::RightToLeft)),
            ("Trip to Howe Caverns מארגן אינדערפרי", Some(Direction::LeftToRight)),
            ("שלום dear parents, the bus comes at ten", Some(Direction::LeftToRight)),
            ("\u{2068}קעמפ נערים און נאך א סאך\u{2069} got it", Some(Direction::LeftToRight)),
            ("רופט (845) 555-0142, office@camp.example", Some(Direction::RightToLeft)),
            ("קוקט https://camp.example/video.", Some(Direction::RightToLeft)),
            ("12:30 – 14:00", None),
            ("office@camp.example", None),
            ("", None),
        ] {
            assert_eq!(Direction::of(text), direction, "{text}");
        }
    }

    #[test]
    fn only_names_that_could_disturb_a_sentence_are_isolated() {
        assert_eq!(isolated("Chaya Weiss"), "Chaya Weiss");
        assert_eq!(isolated("חיה װײס"), "\u{2068}חיה װײס\u{2069}");
        assert_eq!(isolated("live\u{202e}evil\u{2066}"), "liveevil");
        assert_eq!(without_overrides("\u{2068}a\u{2069}\u{202e}b\u{200f}"), "\u{2068}a\u{2069}b");
        for (typed, kept) in [
            ("\u{2068}שלום", "שלום"),
            ("a\u{2069}b", "ab"),
            ("\u{2068}a\u{2068}b\u{2069}", "a\u{2068}b\u{2069}"),
            ("\u{2068}a\nb\u{2069}\n", "a\nb\n"),
        ] {
            assert_eq!(without_overrides(typed), kept, "{typed:?}");
        }
    }
}
