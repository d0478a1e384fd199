//! Compares whole API responses with the approved ones, which are the files `it__answers__*` in
//! `snapshots`. After an intended change, run the tests with `INSTA_UPDATE=always` and review the
//! diff.

use chrono::DateTime;
use serde_json::Value;
use uuid::Uuid;

/// Compares a response with the approved one, on both engines. Times are left out, and ids are
/// numbered in order of appearance.
pub fn approved(name: &str, answer: &Value) {
    let shown = repeatable(answer, &mut Vec::new());
    insta::assert_snapshot!(name, serde_json::to_string_pretty(&shown).expect("JSON"));
}

fn repeatable(value: &Value, ids: &mut Vec<String>) -> Value {
    match value {
        Value::String(text) if DateTime::parse_from_rfc3339(text).is_ok() => "TIME".into(),
        Value::String(text) => without_ids(text, ids).into(),
        Value::Array(all) => all.iter().map(|one| repeatable(one, ids)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), repeatable(field, ids))).collect()
        }
        other => other.clone(),
    }
}

/// Numbers the ids in a text, which may be a URL.
fn without_ids(text: &str, ids: &mut Vec<String>) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_hexdigit() && c != '-');
    let mut shown = String::new();
    for word in words {
        let id = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
        if id.len() != 36 || Uuid::parse_str(id).is_err() {
            shown.push_str(word);
            continue;
        }
        let known = ids.iter().position(|known| known == id).unwrap_or_else(|| {
            ids.push(id.to_owned());
            ids.len() - 1
        });
        shown.push_str(&format!("ID {}{}", known + 1, &word[id.len()..]));
    }
    shown
}
