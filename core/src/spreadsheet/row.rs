//! A row of a table, and what is wrong with it.

use serde::Serialize;

use super::workbook;

/// A row as it was typed.
#[derive(Default)]
pub struct Row {
    pub line: usize,
    /// In the order of the shape's columns. `None` if the file has no such column.
    pub(super) cells: Vec<Option<String>>,
    /// The numbers of values and of columns, if there are more values.
    pub too_many: Option<(usize, usize)>,
}

/// What is wrong with a row.
#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = ImportProblem)]
pub struct Problem {
    /// Counted from 1, the header included.
    pub line: usize,
    pub column: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl Row {
    pub(crate) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).and_then(Option::as_deref).unwrap_or_default()
    }

    pub fn has(&self, column: usize) -> bool {
        self.cells.get(column).is_some_and(Option::is_some)
    }

    /// The message about a row that is unreliable as a whole.
    pub(crate) fn fault(&self) -> Option<String> {
        if let Some((found, named)) = self.too_many {
            return Some(format!(
                "This line has {found} values where the header names {named} columns. Please put \
                 values with a separator inside into quotes."
            ));
        }
        let cells = || self.cells.iter().flatten();
        if cells().any(|cell| cell.contains('\u{fffd}')) {
            return Some(
                "Letters of this line were lost (�) when the file was saved. Please save it again \
                 from the original, as .xlsx or CSV UTF-8."
                    .into(),
            );
        }
        if cells().any(|cell| cell == workbook::NO_RESULT) {
            return Some(
                "A formula in this row has no result. Please open the file in Excel, save it and \
                 try again."
                    .into(),
            );
        }
        let error = cells().find(|cell| workbook::ERRORS.contains(&cell.as_str()))?;
        Some(format!("A cell of this line shows the error {error}. Please correct it."))
    }
}
