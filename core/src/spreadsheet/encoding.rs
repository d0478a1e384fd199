//! Detects and decodes the text encodings of spreadsheets.

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, WINDOWS_1255};
use serde::{Deserialize, Serialize};

use super::wrong;
use crate::Result;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, utoipa::ToSchema,
)]
#[schema(as = TextEncoding)]
pub enum Encoding {
    #[serde(rename = "utf-8")]
    #[value(name = "utf-8")]
    Utf8,
    #[serde(rename = "utf-16le")]
    #[value(name = "utf-16le")]
    Utf16Le,
    #[serde(rename = "utf-16be")]
    #[value(name = "utf-16be")]
    Utf16Be,
    /// Western European, what Excel writes as "CSV" in most of the world.
    #[serde(rename = "windows-1252")]
    #[value(name = "windows-1252")]
    Windows1252,
    /// Hebrew and Yiddish, what Excel writes as "CSV" on a Hebrew Windows.
    #[serde(rename = "windows-1255")]
    #[value(name = "windows-1255")]
    Windows1255,
}

impl Encoding {
    /// The name that people know.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16Le => "UTF-16 (little-endian)",
            Encoding::Utf16Be => "UTF-16 (big-endian)",
            Encoding::Windows1252 => "Windows-1252 (Western European)",
            Encoding::Windows1255 => "Windows-1255 (Hebrew)",
        }
    }

    fn table(self) -> &'static encoding_rs::Encoding {
        match self {
            Encoding::Utf8 => UTF_8,
            Encoding::Utf16Le => UTF_16LE,
            Encoding::Utf16Be => UTF_16BE,
            Encoding::Windows1252 => WINDOWS_1252,
            Encoding::Windows1255 => WINDOWS_1255,
        }
    }

    /// Decodes the text. Returns `None` if some bytes are not letters in this encoding.
    fn text(self, bytes: &[u8]) -> Option<String> {
        let (text, broken) = self.table().decode_with_bom_removal(bytes);
        (!broken).then(|| text.into_owned())
    }
}

pub(super) struct Decoded {
    pub text: String,
    pub encoding: Encoding,
    pub guessed: bool,
}

/// Decodes any file of text. Returns `None` for a file that is not text.
pub(crate) fn text_of(bytes: &[u8]) -> Option<String> {
    decode(bytes, None).ok().map(|decoded| decoded.text)
}

/// Decodes a file in the chosen encoding, or in the one that fits its content.
pub(super) fn decode(bytes: &[u8], chosen: Option<Encoding>) -> Result<Decoded> {
    let (encoding, guessed) = match chosen {
        Some(encoding) => (encoding, false),
        None => find(bytes),
    };
    let Some(text) = encoding.text(bytes) else {
        return wrong(match encoding {
            Encoding::Utf8 => {
                let line = first_broken_line(bytes);
                format!(
                    "Line {line} has letters that are not UTF-8. Please choose another encoding, \
                     or save the file as .xlsx or CSV UTF-8."
                )
            }
            other => format!(
                "The file is not in {}. Please choose another encoding, or save the file as .xlsx \
                 or CSV UTF-8.",
                other.name()
            ),
        });
    };
    if text.contains('\0') {
        return wrong(
            "This file is not a table. Please save it from the spreadsheet as .xlsx or CSV UTF-8."
                .into(),
        );
    }
    Ok(Decoded { text, encoding, guessed })
}

fn first_broken_line(bytes: &[u8]) -> usize {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    bytes[..valid].iter().filter(|b| **b == b'\n').count() + 1
}

/// Returns the encoding that fits, and whether it is only a guess.
fn find(bytes: &[u8]) -> (Encoding, bool) {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((mark, _)) if mark == UTF_16LE => return (Encoding::Utf16Le, false),
        Some((mark, _)) if mark == UTF_16BE => return (Encoding::Utf16Be, false),
        _ => {}
    }
    // ASCII characters in UTF-16 all have their zero byte on the same side.
    let zeros = |side: usize| bytes.iter().skip(side).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let some = bytes.len() / 20 + 1;
    match () {
        _ if odd >= some && even == 0 => (Encoding::Utf16Le, true),
        _ if even >= some && odd == 0 => (Encoding::Utf16Be, true),
        // Text in another encoding is practically never valid UTF-8.
        _ if std::str::from_utf8(bytes).is_ok() => (Encoding::Utf8, false),
        _ if is_hebrew(bytes) && Encoding::Windows1255.text(bytes).is_some() => {
            (Encoding::Windows1255, true)
        }
        _ => (Encoding::Windows1252, true),
    }
}

/// Whether the bytes above ASCII are Hebrew letters of Windows-1255 rather than accented letters of
/// Windows-1252. Hebrew words consist only of such bytes, while accented letters appear among plain
/// ones.
fn is_hebrew(bytes: &[u8]) -> bool {
    let letter = |b: &u8| b.is_ascii_alphabetic() || *b >= 0xc0;
    let hebrew = |b: &u8| matches!(b, 0xc0..=0xd8 | 0xe0..=0xfa | 0xfd | 0xfe);
    let (mut one, mut other) = (0, 0);
    for word in bytes.split(|b| !letter(b)).filter(|word| !word.is_ascii()) {
        match word.iter().all(hebrew) {
            true if word.len() > 1 => one += 1,
            // Both have words of a single such letter.
            true => {}
            false => other += 1,
        }
    }
    one > other
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEBREW: &str = "שם,ילד\nשרה ר׳ לינדנפלד,יאָסל\n\"Chaya, שרה\",מענדל\n";
    const ACCENTS: &str = "Name,Child\nRenée Étoile,François\nZoë Ångström,Ñuño à\n";

    fn found(bytes: &[u8]) -> (String, Encoding, bool) {
        let Decoded { text, encoding, guessed } = decode(bytes, None).expect("a text");
        (text.trim_start_matches('\u{feff}').to_owned(), encoding, guessed)
    }

    fn utf_16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn every_encoding_of_a_spreadsheet_is_told_by_its_content() {
        for text in [HEBREW, ACCENTS] {
            let with_mark = format!("\u{feff}{text}");
            for (bytes, encoding, guessed) in [
                (text.as_bytes().to_vec(), Encoding::Utf8, false),
                (with_mark.as_bytes().to_vec(), Encoding::Utf8, false),
                (utf_16(&with_mark, u16::to_le_bytes), Encoding::Utf16Le, false),
                (utf_16(&with_mark, u16::to_be_bytes), Encoding::Utf16Be, false),
                (utf_16(text, u16::to_le_bytes), Encoding::Utf16Le, true),
                (utf_16(text, u16::to_be_bytes), Encoding::Utf16Be, true),
            ] {
                assert_eq!(found(&bytes), (text.to_owned(), encoding, guessed));
            }
        }
        let (hebrew, _, lost) = WINDOWS_1255.encode(HEBREW);
        assert!(!lost);
        assert_eq!(found(&hebrew), (HEBREW.to_owned(), Encoding::Windows1255, true));
        let (accents, _, lost) = WINDOWS_1252.encode(ACCENTS);
        assert!(!lost);
        assert_eq!(found(&accents), (ACCENTS.to_owned(), Encoding::Windows1252, true));
        assert_eq!(found(b"name,child\n").1, Encoding::Utf8);
    }

    #[test]
    fn one_accented_name_among_many_plain_ones_is_not_taken_for_hebrew() {
        for (bytes, encoding) in [
            (&b"Ren\xe9e,x\n"[..], Encoding::Windows1252),
            (b"\xc9lo\xefse,x\n", Encoding::Windows1252),
            (b"\xe0 la,x\n", Encoding::Windows1252),
            (b"\xf9\xf8\xe4,Chaya\n", Encoding::Windows1255),
            (b"\xf8' \xee\xf9\xe4,Chaya\n", Encoding::Windows1255),
            (b"Sara \x93x\x94,y\n", Encoding::Windows1252),
        ] {
            assert_eq!(found(bytes).1, encoding, "{bytes:?}");
        }
    }

    #[test]
    fn a_chosen_encoding_holds_or_is_refused_with_the_line() {
        let bytes = b"a,b\nRen\xe9e,x\n";
        assert!(decode(bytes, Some(Encoding::Windows1255)).is_ok_and(|d| d.text.contains("Renיe")));
        let refused = decode(bytes, Some(Encoding::Utf8)).err().expect("refused").to_string();
        assert!(refused.starts_with("Line 2 "), "{refused}");
        assert!(decode(b"\xff\xff\xdb,x", Some(Encoding::Windows1255)).is_err());
        assert!(decode(b"a\0\0,\x01b\0\0\0", None).is_err());
    }
}
