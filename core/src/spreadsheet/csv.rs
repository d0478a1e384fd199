//! Reads CSV.

use super::table::{HEADER_WITHIN, Table};
use super::{Format, Shape, Sheet, Source, wrong};
use crate::{Error, Result};

pub(super) fn read(text: &str, shape: &Shape) -> Result<Sheet> {
    // Windows and old programs on a Mac end lines in their own ways.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (separator, text, skipped) = separator(&text, shape);
    if let Some(line) = open_quote(text.as_bytes(), separator) {
        return wrong(format!(
            "A quotation mark (\") opens in line {} and is never closed, so that all rows after it would be one cell. \
             Please close it or remove it, and try again.",
            skipped + line
        ));
    }
    let mut reader = ::csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut table = Table::new(shape, Source { format: Format::Csv, ..Source::default() });
    let (mut line, mut counted) = (skipped + 1, 0);
    for record in reader.records() {
        let record =
            record.map_err(|e| Error::invalid("file", format!("It cannot be read: {e}")))?;
        // The reader's position is before the empty lines that it skips.
        let place = record.position().map_or(counted, |at| at.byte() as usize);
        let blank = text.as_bytes()[place..].iter().take_while(|b| **b == b'\n');
        let start = place + blank.count();
        line += text.as_bytes()[counted..start].iter().filter(|b| **b == b'\n').count();
        counted = start;
        table.take(line, &record.iter().collect::<Vec<_>>(), true)?;
    }
    table.done()
}

/// Returns the line of a quotation mark that opens and is never closed, which the reader does not report.
/// As for the reader, only one at the start of a cell opens, and a doubled one inside quotes is a letter.
fn open_quote(text: &[u8], separator: u8) -> Option<usize> {
    enum At {
        Start,
        Plain,
        Quoted,
        Closing,
    }
    let (mut at, mut line, mut opened) = (At::Start, 1, 0);
    for byte in text {
        at = match (at, *byte) {
            (At::Start, b'"') => {
                opened = line;
                At::Quoted
            }
            (At::Quoted, b'"') => At::Closing,
            (At::Quoted, _) | (At::Closing, b'"') => At::Quoted,
            (_, b'\n') => At::Start,
            (_, byte) if byte == separator => At::Start,
            _ => At::Plain,
        };
        line += usize::from(*byte == b'\n');
    }
    matches!(at, At::Quoted).then_some(opened)
}

/// Returns the separator: the one in a first line `sep=;`, otherwise the most frequent one in the
/// header. Also returns the remaining text and the number of lines removed from it.
fn separator<'t>(text: &'t str, shape: &Shape) -> (u8, &'t str, usize) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(said) = first.trim_end().strip_prefix("sep=")
        && let [said] = said.as_bytes()
    {
        return (*said, rest, 1);
    }
    // The first of the lines that name the most columns; there may be a title above it.
    let known = |line: &str| shape.columns(line.split([',', ';', '\t'])).iter().flatten().count();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(HEADER_WITHIN);
    let header = lines.reduce(|a, b| if known(b) > known(a) { b } else { a }).unwrap_or_default();
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in header.bytes() {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(s, _)| *s == byte && !quoted) {
            *count += 1;
        }
    }
    // The first one if counts are equal: a comma, for a file with one column.
    let most = counts.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
    (most.map_or(b',', |(separator, _)| separator), text, 0)
}
