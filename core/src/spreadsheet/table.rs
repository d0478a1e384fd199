//! Assigns rows of values to the columns of a shape. The first row that is not empty contains the
//! column names.

use super::{Row, Shape, Sheet, Source, wrong};
use crate::Result;

/// The bytes of text that the rows of a file may have. A small workbook can refer to one text very often.
const MAX_TEXT: usize = 64 << 20;

pub(super) struct Table<'s> {
    shape: &'s Shape,
    /// The bytes of text in the rows.
    text: usize,
    header: Option<Vec<Option<usize>>>,
    sheet: Sheet,
}

impl<'s> Table<'s> {
    pub(super) fn new(shape: &'s Shape, source: Source) -> Table<'s> {
        let sheet = Sheet { rows: Vec::new(), unknown_columns: Vec::new(), source };
        Table { shape, text: 0, header: None, sheet }
    }

    /// Adds the next row of the file. `separated` means that one extra value may shift all others
    /// into the wrong columns.
    pub(super) fn take(&mut self, line: usize, values: &[&str], separated: bool) -> Result<()> {
        let empty = |value: &&str| value.trim().is_empty();
        if values.iter().all(empty) {
            return Ok(());
        }
        let Some(columns) = &self.header else {
            let unknown = &mut self.sheet.unknown_columns;
            self.header = Some(columns_of(values.iter().copied(), self.shape, unknown)?);
            return Ok(());
        };
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

    pub(super) fn rows(&self) -> usize {
        self.sheet.rows.len()
    }

    pub(super) fn done(self) -> Sheet {
        self.sheet
    }
}

fn columns_of<'a>(
    names: impl Iterator<Item = &'a str>,
    shape: &Shape,
    unknown: &mut Vec<String>,
) -> Result<Vec<Option<usize>>> {
    let mut columns: Vec<Option<usize>> = Vec::new();
    let mut seen = Vec::new();
    for name in names {
        let column = shape.column(name);
        match column {
            Some(known) if columns.contains(&Some(known)) => {
                return wrong(format!(
                    "The column “{}” appears twice, maybe under another name. Please remove one.",
                    name.trim()
                ));
            }
            Some(_) => {}
            None if name.trim().is_empty() => {}
            None => unknown.push(name.trim().to_owned()),
        }
        seen.push(name.trim().to_owned());
        columns.push(column);
    }
    for (at, needed) in shape.columns.iter().enumerate() {
        if needed.needed && !columns.contains(&Some(at)) {
            return wrong(format!(
                "There is no column “{}”. The first line must name the columns: {}, and if you \
                 like {}. It reads: {}",
                needed.name,
                shape.names(true),
                shape.names(false),
                seen.join(" | ").chars().take(200).collect::<String>()
            ));
        }
    }
    Ok(columns)
}
