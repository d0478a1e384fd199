//! Writes tables that a spreadsheet will open.

use crate::money::Cents;
use crate::{Error, Result};

/// Returns a text that no spreadsheet treats as a formula: an apostrophe is added before a possible
/// formula, also after a semicolon or tab, which separates cells for some spreadsheets. The import
/// removes it again.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 1);
    if text.starts_with(['\t', '\r', '\n']) {
        plain.push('\'');
    }
    for part in text.split_inclusive(SEPARATORS) {
        if is_formula(part) {
            plain.push('\'');
        }
        plain.push_str(part);
    }
    plain
}

/// Removes the apostrophes that [`plain`] added.
pub(crate) fn original(text: &str) -> String {
    let part = |part: &str| match part.strip_prefix('\'') {
        Some(rest) if is_formula(rest) => rest.to_owned(),
        _ => part.to_owned(),
    };
    text.split_inclusive(SEPARATORS).map(part).collect()
}

const SEPARATORS: [char; 2] = [';', '\t'];

/// Excel with an East Asian keyboard also takes the wide forms for the beginning of a formula.
fn is_formula(text: &str) -> bool {
    text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// Formats an amount as a decimal number.
pub(crate) fn decimal(amount: Cents) -> String {
    let sign = if amount < Cents::ZERO { "-" } else { "" };
    let cents = amount.get().unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// Writes a table as CSV in UTF-8. The caller makes its texts [`plain`].
pub(crate) fn table<Row: IntoIterator<Item = String>>(
    head: &[&str],
    rows: impl Iterator<Item = Row>,
) -> Result<String> {
    // The byte order mark tells spreadsheets that this is UTF-8.
    let mut writer = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    writer.write_record(head).map_err(Error::unforeseen)?;
    for row in rows {
        writer.write_record(row.into_iter().collect::<Vec<_>>()).map_err(Error::unforeseen)?;
    }
    let bytes = writer.into_inner().map_err(Error::unforeseen)?;
    String::from_utf8(bytes).map_err(Error::unforeseen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, shown) in [("A;=1+1", "A;'=1+1"), ("A;\t@b", "A;\t'@b"), ("-1; +2", "'-1;' +2")]
        {
            assert_eq!(plain(text), shown);
            assert_eq!(original(shown), text);
        }
        for text in [
            "=1+1",
            "＝1+1",
            "＋1",
            "－1",
            "＠a",
            "+1",
            "-1",
            "@sum(a1)",
            "\t=1",
            "\r=1",
            "  =cmd|' /C calc'!A0",
        ] {
            assert!(plain(text).starts_with('\''), "{text:?}");
        }
        for text in ["Chaya", "O'Hara", "משה", "1-2", ""] {
            assert_eq!(plain(text), text);
        }
        assert_eq!(original(&plain("=1+1")), "=1+1");
        assert_eq!(original("'tis"), "'tis");
    }

    #[test]
    fn money_has_two_decimals_and_one_sign() {
        let shown = [280_005, 0, -5, -1_050].map(|cents| decimal(Cents::new(cents)));
        assert_eq!(shown, ["2800.05", "0.00", "-0.05", "-10.50"]);
    }
}
