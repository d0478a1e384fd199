//! Generates values that match a schema, values that do not, and values from earlier responses.

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::camp::PASSWORD;

/// Ids, cursors and versions from the portal's responses.
#[derive(Default)]
pub struct Known {
    ids: Vec<String>,
    cursors: Vec<String>,
}

const MAX_VALUES: usize = 2_000;

impl Known {
    pub fn learn(&mut self, answer: &Value, rng: &mut StdRng) {
        match answer {
            Value::Array(list) => list.iter().for_each(|one| self.learn(one, rng)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match value {
                        Value::String(text) if name == "next" => keep(&mut self.cursors, text, rng),
                        Value::String(text) if text.parse::<Uuid>().is_ok() => {
                            keep(&mut self.ids, text, rng);
                        }
                        other => self.learn(other, rng),
                    }
                }
            }
            _ => {}
        }
    }

    pub fn id(&self, rng: &mut StdRng) -> String {
        match self.ids.choose(rng).filter(|_| rng.random_ratio(9, 10)) {
            Some(id) => id.clone(),
            None => Uuid::from_u128(rng.random()).to_string(),
        }
    }

    fn cursor(&self, rng: &mut StdRng) -> String {
        self.cursors.choose(rng).cloned().unwrap_or_default()
    }
}

fn keep(list: &mut Vec<String>, text: &str, rng: &mut StdRng) {
    match list.len() < MAX_VALUES {
        true => list.push(text.to_owned()),
        false => list[rng.random_range(0..MAX_VALUES)] = text.to_owned(),
    }
}

/// A value that matches the schema.
pub fn fitting(rng: &mut StdRng, schema: &Value, name: &str, known: &Known) -> Value {
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.choose(rng).cloned().unwrap_or_default();
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(forms) = schema[word].as_array() {
            let form = forms.choose(rng).cloned().unwrap_or_default();
            return fitting(rng, &form, name, known);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in parts {
            if let Value::Object(fields) = fitting(rng, part, name, known) {
                whole.extend(fields);
            }
        }
        return Value::Object(whole);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["object"],
    };
    match kinds.choose(rng).copied().unwrap_or("null") {
        "string" => json!(text(rng, schema, name, known)),
        "integer" => json!(number(rng, schema, name)),
        "number" => json!(rng.random_range(-10.0..1000.0)),
        "boolean" => json!(rng.random_bool(0.5)),
        "array" => {
            let many = rng.random_range(0..4);
            (0..many).map(|_| fitting(rng, &schema["items"], name, known)).collect()
        }
        "object" => object(rng, schema, known),
        _ => Value::Null,
    }
}

fn object(rng: &mut StdRng, schema: &Value, known: &Known) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut whole = Map::new();
    for (name, one) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || rng.random_bool(0.5) {
            whole.insert(name.clone(), fitting(rng, one, name, known));
        }
    }
    // Values of every kind, by the names of the settings.
    if schema["additionalProperties"].is_object() {
        let names = ["siteName", "timezone", "defaultPlanAmount", "mainColor", "commentModeration"];
        let name = names.choose(rng).copied().unwrap_or_default();
        whole.insert(name.to_owned(), hostile(rng));
    }
    Value::Object(whole)
}

fn number(rng: &mut StdRng, schema: &Value, name: &str) -> i64 {
    let least = schema["minimum"].as_i64().unwrap_or(0);
    match name {
        "version" => rng.random_range(1..4),
        "year" => rng.random_range(2014..2028),
        _ => rng.random_range(least..least.saturating_add(100_000)),
    }
}

fn text(rng: &mut StdRng, schema: &Value, name: &str, known: &Known) -> String {
    match (schema["format"].as_str().unwrap_or_default(), name) {
        ("uuid", "Idempotency-Key") => Uuid::from_u128(rng.random()).to_string(),
        ("uuid", _) => known.id(rng),
        ("date", _) => {
            let (month, day) = (rng.random_range(1..13), rng.random_range(1..29));
            format!("{}-{month:02}-{day:02}", rng.random_range(2015..2028))
        }
        ("date-time", _) => format!("{}-07-01T12:00:00Z", rng.random_range(2015..2030)),
        (_, "cursor") => known.cursor(rng),
        (_, "password" | "current_password" | "new_password") => PASSWORD.to_owned(),
        (_, name) if name.contains("email") => {
            format!("somebody{}@family.example", rng.random_range(0..1000))
        }
        (_, "video_url" | "url") => format!("https://youtu.be/{:011}", rng.random_range(0..999)),
        (_, "scheduled_date" | "expires_at") => {
            format!("{}-07-01T12:00", rng.random_range(2026..2032))
        }
        (_, "csv") => "name,child,email,total\nWeiss,Yossi,w@family.example,2800\n".to_owned(),
        (_, "color" | "mainColor") => "#1b5a40".to_owned(),
        _ => {
            let words = ["Lake", "קאלער וואר", "Visiting Day", "Rain", "שַׁבָּת", "Bunk 7", "👍🏽"];
            let many = rng.random_range(1..4);
            let words: Vec<&str> = (0..many).filter_map(|_| words.choose(rng).copied()).collect();
            words.join(" ")
        }
    }
}

/// Texts that the portal's pages never send.
pub fn hostile(rng: &mut StdRng) -> Value {
    match rng.random_range(0..12) {
        0 => Value::Null,
        1 => json!(rng.random_bool(0.5)),
        2 => {
            let numbers = [
                json!(i64::MAX),
                json!(i64::MIN),
                json!(-1),
                json!(0),
                json!(u64::MAX),
                json!(1e308),
                json!(0.1),
                json!(2_147_483_648_i64),
                json!(10_i64.pow(15)),
            ];
            numbers.choose(rng).cloned().unwrap_or_default()
        }
        3 => json!([]),
        4 => json!({ "$ne": null }),
        5 => (0..40).fold(json!(0), |inner, _| json!([inner])),
        6 => json!("x".repeat(1 << rng.random_range(0..17))),
        _ => json!(hostile_text(rng)),
    }
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "\u{0}",
    "a\u{0}b",
    "\u{1}\u{7f}\u{9b}",
    "\u{202e}live",
    "\u{200b}",
    "\u{feff}",
    "\u{fffe}\u{10ffff}\u{e000}",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "👨‍👩‍👧‍👦🏴‍☠️",
    "' or 1=1; drop table users; --",
    "\" \\ %s %n {{7*7}} ${7*7}",
    "%_\\%%",
    "<script>alert(1)</script>",
    "evil@family.example\r\nBcc: all@family.example",
    "../../../../etc/passwd",
    "javascript:alert(1)",
    "http://169.254.169.254/",
    "https://user:secret@evil.example:99999/\u{202e}",
    "-9999-01-01",
    "+262142-12-31",
    "0000-00-00",
    "2026-02-30",
    "-9999-01-01T00:00:00Z",
    "2026-07-01T24:61:61+99:99",
    "99999999999999999999999999",
    "NaN",
    "null",
    "true",
    "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}",
    "WyJuZXdlc3QiLFsiLTk5OTktMDEtMDEiLCItOTk5OS0wMS0wMVQwMDowMDowMFoiLCIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDAiXV0",
    "=cmd|' /C calc'!A0",
    "name\tchild\temail\n\u{0}\t\u{202e}\t@\n",
    "[{\"name\": 7}]",
    "name,child\n\"unclosed",
];

pub fn hostile_text(rng: &mut StdRng) -> String {
    match rng.random_range(0..8) {
        0 => (0..rng.random_range(1..40))
            .filter_map(|_| char::from_u32(rng.random_range(0..0x11_0000)))
            .collect(),
        _ => TEXTS.choose(rng).copied().unwrap_or_default().to_owned(),
    }
}
