//! Which columns a table has, and how people name them.

/// The subject of a table, and the columns to look for.
pub struct Shape {
    /// As in "a list of videos".
    pub things: &'static str,
    pub thing: &'static str,
    pub columns: &'static [Column],
    pub max_bytes: usize,
}

pub struct Column {
    pub name: &'static str,
    /// Alternative column names: lower case, letters and digits only.
    pub also: &'static [&'static str],
    pub needed: bool,
}

impl Shape {
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let plain: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        self.columns.iter().position(|column| {
            column.name.replace('_', "") == plain || column.also.contains(&plain.as_str())
        })
    }

    pub(super) fn names(&self, needed: bool) -> String {
        let names: Vec<&str> =
            self.columns.iter().filter(|c| c.needed == needed).map(|c| c.name).collect();
        match names.as_slice() {
            [many @ .., last] if !many.is_empty() => format!("{} and {last}", many.join(", ")),
            other => other.join(", "),
        }
    }
}
