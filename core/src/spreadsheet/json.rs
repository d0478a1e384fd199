//! Reads a list of records in JSON.

use serde_json::{Map, Value};

use super::{Format, Row, Shape, Sheet, Source, wrong};
use crate::{Error, Result};

pub(super) fn read(text: &str, shape: &Shape) -> Result<Sheet> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Error::invalid("file", format!("The file is not complete JSON: {error}."))
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
                // If other members precede the list, the lines of its items cannot be determined.
                Some(items) if map.is_empty() => (items, 2),
                Some(items) => (items, 0),
                None => return no_list(),
            }
        }
        _ => return no_list(),
    };
    let lines = lines_of_items(text, depth);
    let source = Source { format: Format::Json, ..Source::default() };
    let mut sheet = Sheet { rows: Vec::new(), unknown_columns: Vec::new(), source };
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
    let columns = shape.columns(map.keys().map(String::as_str));
    for ((name, value), column) in map.into_iter().zip(columns) {
        let Some(column) = column else {
            if let Some(doubt) = shape.doubt(&name) {
                return wrong(format!("Line {line}: “{name}” {doubt}"));
            }
            if !unknown.contains(&name) {
                unknown.push(name);
            }
            continue;
        };
        if row.cells[column].is_some() {
            let meaning = shape.columns[column].name;
            return wrong(format!(
                "Line {line}: “{name}” is not the only name for “{meaning}”. Please remove one."
            ));
        }
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

/// Returns the lines on which the items of the list begin. The text is valid JSON.
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
