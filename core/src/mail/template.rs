//! A text of which only one token differs between recipients. It is encoded once for all of them.

/// A text with a place for a token, and its quoted-printable form (RFC 2045).
#[derive(Clone, Debug)]
pub struct Template {
    parts: Vec<String>,
    /// Each part ends with a soft line break, so that a token can follow it.
    encoded: Vec<String>,
}

/// Text and HTML of one mail in quoted-printable.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub(super) text: String,
    pub(super) html: String,
}

impl Encoded {
    /// Fills in the token. `None` if one of them was not prepared.
    pub fn fill(text: &Template, html: &Template, token: &str) -> Option<Encoded> {
        Some(Encoded { text: text.fill_encoded(token)?, html: html.fill_encoded(token)? })
    }
}

impl Template {
    /// Prepares a text in which `mark` stands for the token.
    pub fn new(text: &str, mark: &str) -> Template {
        let parts: Vec<String> = text.split(mark).map(str::to_owned).collect();
        // In quoted-printable, a letter that is not ASCII takes six bytes. Texts with many of them
        // are shorter in base64, which is left to each mail.
        let foreign = text.bytes().filter(|byte| !byte.is_ascii()).count();
        let encoded = match parts.len() == 1 || foreign * 6 > text.len() {
            true => Vec::new(),
            false => parts.iter().map(|part| quoted_printable(part)).collect(),
        };
        Template { parts, encoded }
    }

    /// Fills in a token of ASCII letters, digits and `-_.`.
    pub fn fill(&self, token: &str) -> String {
        self.parts.join(token)
    }

    fn fill_encoded(&self, token: &str) -> Option<String> {
        let token = || format!("=\r\n{}=\r\n", quoted_printable(token));
        (!self.encoded.is_empty()).then(|| self.encoded.join(&token()))
    }
}

/// Encodes a text in lines of at most 76 characters. Line breaks of the text stay.
pub(super) fn quoted_printable(text: &str) -> String {
    const LONGEST: usize = 75;
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut column = 0;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1).copied();
        match byte {
            b'\r' if next == Some(b'\n') => continue,
            b'\n' => {
                out.push_str("\r\n");
                column = 0;
                continue;
            }
            _ => {}
        }
        // A space at the end of a line would be lost on the way, and so may one at the end of the text.
        let ends_line = matches!(next, None | Some(b'\r' | b'\n'));
        let is_plain = match byte {
            b' ' | b'\t' => !ends_line,
            b'=' => false,
            // Mail servers treat a dot alone on a line specially, and so do mailboxes with a line
            // that begins with "From ".
            b'.' | b'F' => column > 0,
            _ => byte.is_ascii_graphic(),
        };
        let width = if is_plain { 1 } else { 3 };
        if column + width > LONGEST {
            out.push_str("=\r\n");
            column = 0;
        }
        match is_plain && !(column == 0 && matches!(byte, b'.' | b'F')) {
            true => {
                out.push(char::from(byte));
                column += 1;
            }
            false => {
                out.push('=');
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
                column += 3;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> String {
        let mut bytes = Vec::new();
        let joined = text.replace("=\r\n", "");
        let mut rest = joined.as_bytes();
        while let [first, tail @ ..] = rest {
            rest = tail;
            if *first != b'=' {
                bytes.push(*first);
                continue;
            }
            let hex = std::str::from_utf8(&rest[..2]).expect("two digits");
            bytes.push(u8::from_str_radix(hex, 16).expect("two digits"));
            rest = &rest[2..];
        }
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn a_filled_template_reads_like_its_text() {
        let long = "The gates open at ten = early. ".repeat(20);
        for text in [
            format!("Shalom\n{long}\n.\nFrom the lake \n<a href=\"MARK\">Leave</a>\nגוט\n"),
            "MARK".into(),
            "MARK\n\nx MARK ".into(),
        ] {
            let template = Template::new(&text, "MARK");
            let filled = template.fill("eyJlIjoi-_.abc");
            assert_eq!(filled, text.replace("MARK", "eyJlIjoi-_.abc"));
            let encoded = template.fill_encoded("eyJlIjoi-_.abc").expect("mostly ASCII");
            assert!(encoded.split("\r\n").all(|line| line.len() <= 76), "{encoded}");
            assert!(encoded.split("\r\n").all(|line| line != "." && !line.starts_with("From ")));
            assert_eq!(decoded(&encoded), filled.replace('\n', "\r\n"));
        }
    }

    #[test]
    fn a_text_in_hebrew_letters_is_encoded_by_each_mail() {
        assert!(Template::new("א גוטע וואך", "MARK").fill_encoded("x").is_none());
    }
}
