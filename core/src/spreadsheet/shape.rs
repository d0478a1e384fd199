//! Which columns a table has, and how people name them.

use crate::Error;
use crate::search_text::without_marks;

/// The subject of a table, and the columns to look for.
pub struct Shape {
    /// As in "a list of videos".
    pub things: &'static str,
    pub thing: &'static str,
    pub columns: &'static [Column],
    /// Names of columns that may mean several things, written as in [`Column::also`], and what to do about one.
    pub unclear: &'static [(&'static str, &'static str)],
    pub max_bytes: usize,
}

pub struct Column {
    pub name: &'static str,
    /// Alternative column names: lower case, letters and digits only.
    pub also: &'static [&'static str],
    /// Further names, for a table without a column that has one of the names above.
    pub fallbacks: &'static [&'static str],
    pub needed: bool,
}

impl Shape {
    /// The column that each name means.
    pub(super) fn columns<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Vec<Option<usize>> {
        let names: Vec<String> = names.into_iter().map(plain).collect();
        let named = |name: &String| {
            self.columns.iter().position(|column| {
                plain(column.name) == *name || column.also.contains(&name.as_str())
            })
        };
        let mut columns: Vec<Option<usize>> = names.iter().map(named).collect();
        for (at, name) in names.iter().enumerate() {
            let column = self.columns.iter().position(|one| one.fallbacks.contains(&name.as_str()));
            if column.is_some() && !columns.contains(&column) {
                columns[at] = column;
            }
        }
        columns
    }

    /// Why the meaning of a column is unclear.
    pub(super) fn doubt(&self, name: &str) -> Option<&'static str> {
        let plain = plain(name);
        self.unclear.iter().find(|(unclear, _)| *unclear == plain).map(|(_, doubt)| *doubt)
    }

    /// Whether a row with these columns names all that are needed.
    pub(super) fn is_header(&self, columns: &[Option<usize>]) -> bool {
        self.missing(columns).is_none()
    }

    fn missing(&self, columns: &[Option<usize>]) -> Option<&Column> {
        let here = |at| columns.contains(&Some(at));
        self.columns.iter().enumerate().find(|(at, c)| c.needed && !here(*at)).map(|(_, c)| c)
    }

    /// The error of a row that does not name all columns that are needed.
    pub(super) fn incomplete(&self, names: &[&str], columns: &[Option<usize>]) -> Error {
        let missing = self.missing(columns).map_or("", |column| column.name);
        let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
        Error::invalid(
            "file",
            format!(
                "There is no column “{missing}”. One line must name the columns: {}, and if you like {}. \
                 The most similar one reads: {}",
                self.names(true),
                self.names(false),
                names.join(" | ").chars().take(200).collect::<String>()
            ),
        )
    }

    fn names(&self, needed: bool) -> String {
        let names: Vec<&str> =
            self.columns.iter().filter(|c| c.needed == needed).map(|c| c.name).collect();
        match names.as_slice() {
            [many @ .., last] if !many.is_empty() => format!("{} and {last}", many.join(", ")),
            other => other.join(", "),
        }
    }
}

fn plain(name: &str) -> String {
    without_marks(name).chars().filter(|c| c.is_alphanumeric()).collect()
}
