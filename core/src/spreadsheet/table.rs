//! Assigns rows of values to the columns of a shape. The first row that has all required columns
//! contains their names, or the row below it if that has them, too. There may be titles above.

use super::{Row, SAMPLE_LENGTH, Shape, Sheet, Source, wrong};
use crate::{Error, Result};

/// The column names are in one of this many first lines that are not empty.
pub(super) const HEADER_WITHIN: usize = 10;

/// The bytes of text that the rows of a file may have. A small workbook can refer to one text very often.
const MAX_TEXT: usize = 64 << 20;

pub(super) struct Table<'s> {
    shape: &'s Shape,
    /// The bytes of text in the rows.
    text: usize,
    header: Option<Header>,
    /// The row that names the most columns so far, of those that miss one: how many, and what it misses.
    nearest: Option<(usize, Error)>,
    sheet: Sheet,
}

/// The row with the column names.
struct Header {
    columns: Vec<Option<usize>>,
    /// Its text, in case it turns out to be a title.
    text: String,
    /// Why it cannot be used, unless it is a title.
    fault: Option<Error>,
}

impl<'s> Table<'s> {
    pub(super) fn new(shape: &'s Shape, source: Source) -> Table<'s> {
        let sheet = Sheet { rows: Vec::new(), unknown_columns: Vec::new(), source };
        Table { shape, text: 0, header: None, nearest: None, sheet }
    }

    /// Adds the next row of the file. `separated` means that one extra value may shift all others
    /// into the wrong columns.
    pub(super) fn take(&mut self, line: usize, values: &[&str], separated: bool) -> Result<()> {
        let empty = |value: &&str| value.trim().is_empty();
        if values.iter().all(empty) {
            return Ok(());
        }
        if self.sheet.rows.is_empty() && self.is_below_a_title(values) {
            let title = self.header.take().map(|header| header.text);
            self.sheet.source.above.extend(title);
        }
        let Some(header) = &mut self.header else { return self.take_header(values) };
        if let Some(fault) = header.fault.take() {
            return Err(fault);
        }
        let columns = &header.columns;
        self.text += values.iter().map(|value| value.len()).sum::<usize>();
        if self.text > MAX_TEXT {
            return wrong(format!(
                "The file has more than {} MB of text. Please split it.",
                MAX_TEXT >> 20
            ));
        }
        let mut row = Row { line, cells: vec![None; self.shape.columns.len()], too_many: None };
        for (at, column) in columns.iter().enumerate() {
            if let Some(column) = column {
                row.cells[*column] = Some(values.get(at).copied().unwrap_or_default().to_owned());
            }
        }
        let surplus = separated && !values.iter().skip(columns.len()).all(empty);
        row.too_many = surplus.then_some((values.len(), columns.len()));
        self.sheet.rows.push(row);
        Ok(())
    }

    /// Whether this row has the column names, and the one that was taken for them names groups of columns.
    fn is_below_a_title(&self, values: &[&str]) -> bool {
        self.header.is_some() && self.shape.is_header(&self.shape.columns(values.iter().copied()))
    }

    /// Takes a row as the column names, or as a line above them.
    fn take_header(&mut self, values: &[&str]) -> Result<()> {
        let columns = self.shape.columns(values.iter().copied());
        if self.shape.is_header(&columns) {
            let (unknown, fault) = match unknown(values, &columns, self.shape) {
                Ok(unknown) => (unknown, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            self.header = Some(Header { columns, text: title(values), fault });
            self.sheet.unknown_columns = unknown;
            return Ok(());
        }
        let known = columns.iter().flatten().count();
        if self.nearest.as_ref().is_none_or(|(most, _)| known > *most) {
            self.nearest = Some((known, self.shape.incomplete(values, &columns)));
        }
        let above = &mut self.sheet.source.above;
        if above.len() + 1 == HEADER_WITHIN {
            return self.nearest.take().map_or(Ok(()), |(_, error)| Err(error));
        }
        above.push(title(values));
        Ok(())
    }

    /// Whether the row with the column names was found.
    pub(super) fn has_header(&self) -> bool {
        self.header.is_some()
    }

    pub(super) fn rows(&self) -> usize {
        self.sheet.rows.len()
    }

    /// # Errors
    ///
    /// [`Error::Invalid`] on `file` when no row has the columns that are needed.
    pub(super) fn done(self) -> Result<Sheet> {
        match (self.header, self.nearest) {
            (Some(Header { fault: Some(error), .. }), _) | (None, Some((_, error))) => Err(error),
            _ => Ok(self.sheet),
        }
    }
}

/// The beginning of a row as one text.
fn title(values: &[&str]) -> String {
    let texts: Vec<&str> = values.iter().map(|v| v.trim()).filter(|v| !v.is_empty()).collect();
    texts.join(" ").chars().take(SAMPLE_LENGTH).collect()
}

/// The names that the shape does not know.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` when two columns have the same meaning or the meaning of one is unclear.
fn unknown(names: &[&str], columns: &[Option<usize>], shape: &Shape) -> Result<Vec<String>> {
    let mut unknown = Vec::new();
    for (at, (name, column)) in names.iter().zip(columns).enumerate() {
        match column {
            Some(_) => {
                if let Some(first) = columns[..at].iter().position(|other| other == column) {
                    return wrong(format!(
                        "The columns “{}” and “{}” mean the same. Please remove one.",
                        names[first].trim(),
                        name.trim()
                    ));
                }
            }
            None if name.trim().is_empty() => {}
            None => match shape.doubt(name) {
                Some(doubt) => return wrong(format!("“{}” {doubt}", name.trim())),
                None => unknown.push(name.trim().to_owned()),
            },
        }
    }
    Ok(unknown)
}
