//! Normalizes texts for search, so that a video is found regardless of how its title was typed.

use unicode_normalization::UnicodeNormalization;

/// Converts to lower case, removes Latin accents, Hebrew points, apostrophes and quotation marks (also geresh and
/// gershayim), splits Yiddish ligatures, and replaces final letters, and dashes (also maqaf) by spaces. Both the
/// searched text and the search input are normalized this way.
pub fn normalize(text: &str) -> String {
    joined(fold(text).split([' ', '-', '‐', '‒', '―', '−']))
}

/// Normalizes the name of a file, in which a dash is not a space: two files may differ only in that.
pub(crate) fn normalize_file_name(name: &str) -> String {
    joined(fold(name).split(' '))
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in without_marks(text).chars() {
        match c {
            'װ' => folded.push_str("וו"),
            'ױ' => folded.push_str("וי"),
            'ײ' => folded.push_str("יי"),
            'ך' => folded.push('כ'),
            'ם' => folded.push('מ'),
            'ן' => folded.push('נ'),
            'ף' => folded.push('פ'),
            'ץ' => folded.push('צ'),
            c => folded.push(c),
        }
    }
    folded
}

/// Like [`normalize`], but keeps dashes, and every letter as it is written.
pub fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for c in crate::text::clean(text).nfkd() {
        match c {
            // Combining marks: Latin accents, Hebrew points and cantillation.
            '\u{0300}'..='\u{036f}'
            | '\u{0591}'..='\u{05bd}'
            | '\u{05bf}'
            | '\u{05c1}'
            | '\u{05c2}'
            | '\u{05c4}'
            | '\u{05c5}'
            | '\u{05c7}' => {}
            '־' | '–' | '—' => kept.push('-'),
            '\'' | '’' | '‘' | '‚' | '׳' | '′' | '`' | '"' | '“' | '”' | '„' | '‟' | '״' =>
                {}
            c if c.is_whitespace() => kept.push(' '),
            c => kept.extend(c.to_lowercase()),
        }
    }
    joined(kept.split(' '))
}

/// Converts search input to a pattern for `like … escape '\'`.
pub(crate) fn like_pattern(typed: &str) -> String {
    containing(&normalize(typed))
}

fn containing(term: &str) -> String {
    let mut pattern = String::from("%");
    for c in term.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Converts search input to a pattern, or `None` if it is empty.
pub(crate) fn optional_pattern(typed: Option<&str>) -> Option<String> {
    optional_term(typed).map(|term| containing(&term))
}

/// Converts search input to patterns for its first five words and for the rest, which must all match.
pub(crate) fn word_patterns(typed: &str) -> [Option<String>; 6] {
    let term = optional_term(Some(typed)).unwrap_or_default();
    let mut words = term.splitn(6, ' ').filter(|word| !word.is_empty());
    std::array::from_fn(|_| words.next().map(containing))
}

/// Normalizes search input, or returns `None` if it is empty.
pub(crate) fn optional_term(typed: Option<&str>) -> Option<String> {
    let typed: String =
        typed?.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(normalize(&typed)).filter(|term| !term.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yiddish_is_found_with_and_without_points_and_ligatures() {
        assert_eq!(normalize("װיזיטינג דעי"), normalize("וויזיטינג  דעי"));
        assert_eq!(normalize("שַׁבָּת"), normalize("שבת"));
        assert_eq!(normalize("אַלטער ײִד"), normalize("אלטער ייד"));
        assert_eq!(normalize("סיום"), normalize("סיומ"));
        assert_eq!(normalize("Café COLOR War"), "cafe color war");
    }

    #[test]
    fn quotation_marks_do_not_matter() {
        assert_eq!(normalize("ל״ג בעומר"), "לג בעומר");
        assert_eq!(normalize("ל\"ג בעומר"), "לג בעומר");
        assert_eq!(normalize("ר׳ יוסף"), "ר יוספ");
        assert_eq!(normalize("“Don’t”"), "dont");
        assert_eq!(normalize("דער „טאָג“"), normalize("דער טאג"));
    }

    #[test]
    fn dashes_are_spaces_except_in_names_of_files() {
        assert_eq!(normalize("ערב־שבת"), normalize("ערב שבת"));
        assert_eq!(normalize("- Pre–season\u{2011}day —"), "pre season day");
        assert_eq!(normalize_file_name("Day–1  At-the-lake.mp4"), "day-1 at-the-lake.mp4");
    }

    #[test]
    fn wildcards_are_only_characters() {
        assert_eq!(like_pattern("100%_a\\b"), "%100\\%\\_a\\\\b%");
    }
}
