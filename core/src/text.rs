//! Cleans the characters of every text that the portal stores.
//!
//! Invisible characters and those that change the order of other letters are removed: a name must
//! not imitate another one, and a comment of invisible characters is empty. They are removed and
//! not refused, since spreadsheets, chats and word processors add them unasked. Letters with points
//! and marks, right-to-left text and emoji stay as they are.

use icu_properties::props::{
    DefaultIgnorableCodePoint, EmojiModifier, ExtendedPictographic, GeneralCategory, Script,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization;

/// Joins several emoji into one, such as a family of four.
const JOINER: char = '\u{200d}';
/// Selects the emoji or the text form of the preceding character.
const AS_EMOJI: char = '\u{fe0f}';
const AS_TEXT: char = '\u{fe0e}';
const KEYCAP: char = '\u{20e3}';
/// Preserves the order of Hebrew points.
const GRAPHEME_JOINER: char = '\u{034f}';
const BLACK_FLAG: char = '\u{1f3f4}';
/// The only flags that use tag characters (Unicode's `emoji-sequences.txt`).
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Returns the text without invisible and unassigned characters, in Unicode's composed form (NFC).
/// Spaces of every width become plain spaces, other line endings become `\n`. Control characters
/// stay, so that the caller can refuse them.
pub fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return text;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut kept: Vec<char> = Vec::with_capacity(chars.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        let next = chars.get(at).copied();
        match c {
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
            JOINER | AS_EMOJI | AS_TEXT if stays_in_emoji(c, kept.last().copied(), next) => {
                kept.push(c);
            }
            GRAPHEME_JOINER if kept.last().is_some_and(|last| is_hebrew(*last)) => kept.push(c),
            BLACK_FLAG => {
                let tags = tagged_flag(&chars[at..]);
                kept.push(c);
                kept.extend(&chars[at..at + tags]);
                at += tags;
            }
            _ if is_unwanted(c) => {}
            // The blank Braille pattern is invisible.
            _ if is_space(c) || c == '\u{2800}' => kept.push(' '),
            _ => kept.push(c),
        }
    }
    kept.into_iter().nfc().collect()
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn is_space(c: char) -> bool {
    category(c) == GeneralCategory::SpaceSeparator
}

pub(crate) fn is_hebrew(c: char) -> bool {
    CodePointMapData::<Script>::new().get(c) == Script::Hebrew
}

/// Invisible or meaningless characters: zero-width and bidirectional controls, variation selectors,
/// tags, marks of word processors, private use, and unassigned code points.
fn is_unwanted(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || matches!(c, '\u{fff9}'..='\u{fffc}')
        || matches!(category(c), GeneralCategory::Unassigned | GeneralCategory::PrivateUse)
}

/// Whether a joiner or a variation selector is part of an emoji.
fn stays_in_emoji(c: char, before: Option<char>, after: Option<char>) -> bool {
    let pictures = CodePointSetData::new::<ExtendedPictographic>();
    let Some(before) = before else { return false };
    let modifier = CodePointSetData::new::<EmojiModifier>().contains(before);
    match c {
        JOINER => {
            (modifier || before == AS_EMOJI || pictures.contains(before))
                && after.is_some_and(|after| pictures.contains(after))
        }
        _ if matches!(before, '0'..='9' | '#' | '*') => after == Some(KEYCAP),
        _ => pictures.contains(before),
    }
}

/// How many of these characters specify the flag after a black flag.
fn tagged_flag(tags: &[char]) -> usize {
    let written = TAGGED_FLAGS.iter().find(|name| {
        let sequence = name.bytes().map(|byte| 0xe0000 + u32::from(byte)).chain([0xe007f]);
        tags.len() > name.len() && tags.iter().map(|c| *c as u32).zip(sequence).all(|(a, b)| a == b)
    });
    written.map_or(0, |name| name.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn what_nobody_sees_is_removed() {
        for (typed, kept) in [
            ("\u{202e}live", "live"),
            ("a\u{2066}b\u{2069}c\u{200f}\u{200e}\u{61c}", "abc"),
            ("\u{feff}Chaya\u{200b} \u{2060}Fe\u{ad}der", "Chaya Feder"),
            ("a\u{200d}b\u{200c}c\u{fe0f}\u{e0100}", "abc"),
            ("\u{200b}", ""),
            ("\u{3164}\u{115f}\u{ffa0}", ""),
            ("hidden\u{e0068}\u{e0069}", "hidden"),
            ("\u{1f3f4}\u{e0068}\u{e0069}", "\u{1f3f4}"),
            ("\u{e000}\u{f8ff}\u{378}\u{fffe}\u{10ffff}", ""),
            ("one\u{a0}two\u{3000}three\u{2800}", "one two three "),
            ("a\r\nb\rc\u{2028}d\u{b}e", "a\nb\nc\nd\ne"),
            ("caf\u{65}\u{301}", "caf\u{e9}"),
        ] {
            assert_eq!(clean(typed), kept, "{typed:?}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in [
            "שַׁבָּת שָׁלוֹם",
            "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
            "ירושל\u{5b4}\u{34f}\u{5b7}ם",
            "װיזיטינג־דעי, ר׳ ײדל, בי״ס, „גוט“",
            "אַלטער ײִנגל",
            "Zoë Łukasz Nguyễn O’Brien",
            "👨‍👩‍👧‍👦 👍🏽 🧑🏾‍🚒 ❤️ ❤️‍🔥 ☎︎ 1️⃣ #️⃣ 🇮🇱 🏳️‍🌈",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} wins",
            "نَصّ हिन्दी 日本語 ภาษาไทย",
            "two\nlines\tand a tab",
            "bell\u{7} and \u{0} are left to the caller",
        ] {
            let composed = clean(text);
            assert_eq!(clean(&composed), composed, "{text:?}");
            use unicode_normalization::UnicodeNormalization;
            assert_eq!(composed, text.nfc().collect::<String>(), "{text:?}");
        }
    }
}
