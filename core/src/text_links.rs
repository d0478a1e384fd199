//! Finds the web addresses in a text, so that they can be shown as links. Only for texts that staff
//! wrote: strangers must not place links in the camp's mails and pages. `web/src/ui/text-links.ts`
//! has the same rules.

use url::Url;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    /// The address if this piece is one.
    pub url: Option<String>,
}

/// Splits a text into addresses that begin with `http://` or `https://` and what is between them.
/// Together the pieces are the text.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(start) = next_scheme(text, at) {
        let end = start + length(&text[start..]);
        let Some(url) = address(&text[..start], &text[start..end]) else {
            at = start + 1;
            continue;
        };
        if plain < start {
            parts.push(Part { text: &text[plain..start], url: None });
        }
        parts.push(Part { text: &text[start..end], url: Some(url) });
        (plain, at) = (end, end);
    }
    if plain < text.len() {
        parts.push(Part { text: &text[plain..], url: None });
    }
    parts
}

fn next_scheme(text: &str, from: usize) -> Option<usize> {
    let is_scheme = |at: &usize| {
        ["http://", "https://"].iter().any(|scheme| {
            let begin = text.as_bytes().get(*at..at + scheme.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(scheme.as_bytes()))
        })
    };
    (from..text.len()).find(is_scheme)
}

/// How far an address at the beginning of this text goes: to the next space or quotation mark, without
/// the punctuation of the sentence around it.
fn length(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || "<>\"“”„«»".contains(c);
    let mut address = &text[..text.find(ends).unwrap_or(text.len())];
    while let Some(last) = address.chars().last() {
        let opening = match last {
            ')' => Some('('),
            ']' => Some('['),
            '}' => Some('{'),
            _ => None,
        };
        let belongs = match opening {
            Some(opening) => address.matches(opening).count() >= address.matches(last).count(),
            None => !".,;:!?…'’*_׳״".contains(last),
        };
        if belongs {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address.len()
}

/// The address for the link. A user name before the host could imitate another site, so such an
/// address stays text.
fn address(before: &str, typed: &str) -> Option<String> {
    if before.chars().last().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let url = Url::parse(typed).ok()?;
    let named = url.host_str().is_some_and(|host| host.contains('.'));
    let anonymous = url.username().is_empty() && url.password().is_none();
    (named && anonymous).then(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Vec<&str> {
        parts(text).into_iter().filter(|part| part.url.is_some()).map(|part| part.text).collect()
    }

    #[test]
    fn addresses_are_found_without_the_punctuation_around_them() {
        for (text, found) in [
            ("Sign up at https://camp.example/visit.", vec!["https://camp.example/visit"]),
            ("HTTP://Camp.example!", vec!["HTTP://Camp.example"]),
            ("(see https://camp.example/a_(b))", vec!["https://camp.example/a_(b)"]),
            (
                "https://a.example, https://b.example/?q=1&r=2",
                vec!["https://a.example", "https://b.example/?q=1&r=2"],
            ),
            (
                "„https://camp.example“ and <https://other.example>",
                vec!["https://camp.example", "https://other.example"],
            ),
            ("פרטים באתר https://camp.example/א׳.", vec!["https://camp.example/א"]),
            ("one\nhttps://camp.example\ntwo", vec!["https://camp.example"]),
        ] {
            assert_eq!(links(text), found, "{text}");
        }
    }

    #[test]
    fn anything_else_stays_text() {
        for text in [
            "",
            "www.camp.example",
            "javascript:alert(1)",
            "data:text/html,https",
            "xhttps://camp.example",
            "https://",
            "https://camp",
            "https://camp.example@evil.example/",
            "ftp://camp.example",
            "mailto:office@camp.example",
        ] {
            assert!(links(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn nothing_of_the_text_is_lost() {
        for text in
            ["", "a https://b.example c", "https://b.example", "https://https://b.example/x ä"]
        {
            assert_eq!(parts(text).iter().map(|part| part.text).collect::<String>(), text);
        }
        let parts = parts("https://B\u{fc}cher.example/<b>");
        assert_eq!(parts[0].url.as_deref(), Some("https://xn--bcher-kva.example/"));
        assert_eq!(parts[1], Part { text: "<b>", url: None });
    }
}
