//! Reads a table out of whatever a spreadsheet saved: CSV with comma, semicolon or tab, or JSON.

pub(crate) mod cell;
pub mod day;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Error, Result};

/// Most rows in a file.
pub const MAX_ROWS: usize = 20_000;

/// What a table is of, and the columns that are looked for in it.
pub struct Shape {
    /// As in "a list of videos".
    pub things: &'static str,
    pub thing: &'static str,
    pub columns: &'static [Column],
    pub max_bytes: usize,
}

pub struct Column {
    pub name: &'static str,
    /// Other names that people give it: lower case, letters and digits only.
    pub also: &'static [&'static str],
    pub needed: bool,
}

pub struct Sheet {
    pub rows: Vec<Row>,
    pub unknown_columns: Vec<String>,
}

/// One row as it was typed.
#[derive(Default)]
pub struct Row {
    pub line: usize,
    /// In the order of the shape's columns; nothing where the file has no such column.
    cells: Vec<Option<String>>,
    /// Values found and columns named, when there are more of the former.
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
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).and_then(Option::as_deref).unwrap_or_default()
    }

    pub fn has(&self, column: usize) -> bool {
        self.cells.get(column).is_some_and(Option::is_some)
    }

    /// What to tell about a line with more values than the header has names.
    pub fn surplus(&self) -> Option<String> {
        self.too_many.map(|(found, named)| {
            format!(
                "This line has {found} values where the header names {named} columns. Please put \
                 values with a separator inside into quotes."
            )
        })
    }
}

pub fn read(bytes: &[u8], shape: &Shape) -> Result<Sheet> {
    if bytes.len() > shape.max_bytes {
        let most = shape.max_bytes >> 20;
        return wrong(format!("The file is larger than {most} MB. Please split it."));
    }
    let text = text(bytes)?;
    // The content decides, because people rename files.
    let sheet = match text.trim_start().chars().next() {
        None => return wrong("The file is empty.".into()),
        Some('[' | '{') => json(text, shape)?,
        Some(_) => csv(text, shape)?,
    };
    match sheet.rows.len() {
        0 => wrong("The file has a header and no rows.".into()),
        n if n > MAX_ROWS => {
            wrong(format!("The file has {n} rows; {MAX_ROWS} are the most. Please split it."))
        }
        _ => Ok(sheet),
    }
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::invalid("file", message))
}

fn text(bytes: &[u8]) -> Result<&str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return wrong(
            "The file is in UTF-16 (“Unicode text”). Please save it as “CSV UTF-8” and try again."
                .into(),
        );
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.trim_start_matches('\u{feff}')),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            wrong(format!(
                "The file is not in UTF-8: line {line} has letters of an older encoding (most \
                 likely Windows-1252). Please save it as “CSV UTF-8” and try again; guessing would \
                 spoil names."
            ))
        }
    }
}

fn csv(text: &str, shape: &Shape) -> Result<Sheet> {
    let (separator, text, skipped) = separator(text);
    let mut reader = ::csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut header: Option<Vec<Option<usize>>> = None;
    let mut sheet = Sheet { rows: Vec::new(), unknown_columns: Vec::new() };
    let (mut line, mut counted) = (skipped + 1, 0);
    for record in reader.records() {
        let record =
            record.map_err(|e| Error::invalid("file", format!("It cannot be read: {e}")))?;
        // The reader gives the place before the empty lines that it passes over.
        let place = record.position().map_or(counted, |at| at.byte() as usize);
        let blank = text.as_bytes()[place..].iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        let start = place + blank.count();
        line += text.as_bytes()[counted..start].iter().filter(|b| **b == b'\n').count();
        counted = start;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let Some(columns) = &header else {
            header = Some(columns_of(record.iter(), shape, &mut sheet.unknown_columns)?);
            continue;
        };
        let mut row = Row { line, cells: vec![None; shape.columns.len()], too_many: None };
        for (at, column) in columns.iter().enumerate() {
            if let Some(column) = column {
                row.cells[*column] = Some(record.get(at).unwrap_or_default().to_owned());
            }
        }
        let surplus = record.iter().skip(columns.len()).any(|cell| !cell.trim().is_empty());
        row.too_many = surplus.then_some((record.len(), columns.len()));
        sheet.rows.push(row);
    }
    Ok(sheet)
}

/// What separates the values: said by a first line `sep=;`, else what stands most often in the
/// header. Gives the rest of the text and the lines that were taken off it.
fn separator(text: &str) -> (u8, &str, usize) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(said) = first.trim_end().strip_prefix("sep=")
        && let [said] = said.as_bytes()
    {
        return (*said, rest, 1);
    }
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in header.bytes() {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(s, _)| *s == byte && !quoted) {
            *count += 1;
        }
    }
    // The first of equals: a comma, in a file of one column.
    let most = counts.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
    (most.map_or(b',', |(separator, _)| separator), text, 0)
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
                    "The column “{}” is there twice, in other words perhaps. Please remove one.",
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

impl Shape {
    fn column(&self, name: &str) -> Option<usize> {
        let plain: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        self.columns.iter().position(|column| {
            column.name.replace('_', "") == plain || column.also.contains(&plain.as_str())
        })
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

fn json(text: &str, shape: &Shape) -> Result<Sheet> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Error::invalid("file", format!("The file is not whole as JSON: {error}."))
    })?;
    let needed: Vec<String> = shape
        .columns
        .iter()
        .filter(|column| column.needed)
        .map(|column| format!("\"{}\": …", column.name))
        .collect();
    let no_list =
        || wrong(format!("Please give a list of {}: [{{{}}}, …]", shape.things, needed.join(", ")));
    let (items, depth) = match value {
        Value::Array(items) => (items, 1),
        Value::Object(mut map) => {
            let list =
                [shape.things, "items"].into_iter().find_map(|name| match map.remove(name) {
                    Some(Value::Array(items)) => Some(items),
                    _ => None,
                });
            match list {
                // With other members before the list, their lines cannot be told apart.
                Some(items) if map.is_empty() => (items, 2),
                Some(items) => (items, 0),
                None => return no_list(),
            }
        }
        _ => return no_list(),
    };
    let lines = lines_of_items(text, depth);
    let mut sheet = Sheet { rows: Vec::new(), unknown_columns: Vec::new() };
    for (at, item) in items.into_iter().enumerate() {
        let line = lines.get(at).copied().unwrap_or(at + 1);
        let Value::Object(map) = item else {
            return wrong(format!("Line {line}: this is no {}, but a bare value.", shape.thing));
        };
        sheet.rows.push(row_of(line, map, shape, &mut sheet.unknown_columns)?);
    }
    Ok(sheet)
}

fn row_of(
    line: usize,
    map: Map<String, Value>,
    shape: &Shape,
    unknown: &mut Vec<String>,
) -> Result<Row> {
    let mut row = Row { line, cells: vec![None; shape.columns.len()], too_many: None };
    for (name, value) in map {
        let Some(column) = shape.column(&name) else {
            if !unknown.contains(&name) {
                unknown.push(name);
            }
            continue;
        };
        row.cells[column] = Some(match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => {
                return wrong(format!("Line {line}: “{name}” must be a text."));
            }
        });
    }
    Ok(row)
}

/// The lines on which the items of the list begin; the text is known to be whole.
fn lines_of_items(text: &str, list_depth: usize) -> Vec<usize> {
    let (mut lines, mut line, mut depth) = (Vec::new(), 1, 0);
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            '\n' => line += 1,
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' => {
                if depth == list_depth && c == '{' {
                    lines.push(line);
                }
                depth += 1;
            }
            ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    if list_depth == 0 { Vec::new() } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        things: "videos",
        thing: "video",
        columns: &[
            Column { name: "title", also: &["name", "videotitle", "heading"], needed: true },
            Column { name: "url", also: &["link", "videolink"], needed: true },
            Column { name: "text", also: &[], needed: false },
        ],
        max_bytes: 1 << 20,
    };

    fn read(bytes: &[u8]) -> Result<Sheet> {
        super::read(bytes, &SHAPE)
    }

    fn lines(sheet: &Sheet) -> Vec<(usize, &str, &str)> {
        sheet.rows.iter().map(|r| (r.line, r.cell(0), r.cell(1))).collect()
    }

    #[test]
    fn a_table_is_read_whatever_separates_it_and_however_its_columns_are_called() {
        for text in [
            "title,url\nA,x\n\nB,y\n",
            "\u{feff}Link;TITLE\r\nx;A\r\n;\r\ny;B\r\n",
            "Video Title\tVideo-Link\nA\tx\n\nB\ty",
            "[\n{\"name\":\"A\",\"url\":\"x\"},\n\n{\"title\":\"B\",\"link\":\"y\"}]",
        ] {
            let sheet = read(text.as_bytes()).expect(text);
            assert_eq!(lines(&sheet), [(2, "A", "x"), (4, "B", "y")], "{text:?}");
        }
        let wrapped = read(b"{\"videos\": [\n{\"title\": \"a [b] {c} \\\" d\", \"url\": \"x\"}]}");
        assert_eq!(lines(&wrapped.expect("wrapped"))[0].0, 2);
        let said = read(b"sep=;\ntitle;url\n\"A; and more\";x\n").expect("said");
        assert_eq!(lines(&said), [(3, "A; and more", "x")]);
    }

    #[test]
    fn a_line_number_counts_the_lines_inside_quotes() {
        let sheet = read(b"title,url,text\nA,x,\"one\ntwo\"\nB,y,z\n").expect("a table");
        assert_eq!(lines(&sheet), [(2, "A", "x"), (4, "B", "y")]);
    }

    #[test]
    fn a_file_that_cannot_be_read_says_what_to_do() {
        let windows = b"title,url\nCaf\xe9,x\n";
        for (bytes, says) in [
            (&b""[..], "empty"),
            (b"title,url\n", "no rows"),
            (windows, "CSV UTF-8"),
            (b"\xff\xfet\0", "UTF-16"),
            (b"heading,when\nA,b\n", "“url”"),
            (b"title,name,url\nA,B,x\n", "twice"),
            (b"{\"a\": 1}", "list"),
            (b"[1]", "bare"),
            (b"[{", "JSON"),
        ] {
            let Err(error) = read(bytes) else { panic!("{says}") };
            assert!(error.to_string().contains(says), "{says}: {error}");
        }
    }
}
