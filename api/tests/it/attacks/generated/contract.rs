//! Reads the operations of the API contract.

use std::collections::BTreeSet;

use serde_json::Value;

pub struct Operation {
    pub method: String,
    pub path: String,
    pub parameters: Vec<Parameter>,
    /// Media type and schema.
    pub body: Option<(String, Value)>,
    pub statuses: BTreeSet<u16>,
    /// The roles that may call it, as the contract says. Empty means everybody.
    pub security: String,
}

pub struct Parameter {
    pub name: String,
    pub place: String,
    pub required: bool,
    pub schema: Value,
}

pub fn operations() -> Vec<Operation> {
    let document: Value = serde_json::from_str(&api::openapi()).expect("a document");
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            operations.push(read(&document, path, method, operation));
        }
    }
    operations
}

fn read(document: &Value, path: &str, method: &str, operation: &Value) -> Operation {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let body = operation["requestBody"]["content"].as_object();
    let statuses = operation["responses"].as_object().expect("responses").keys();
    Operation {
        // An event stream never ends.
        method: if path == "/api/events" { "HEAD".into() } else { method.to_uppercase() },
        path: path.to_owned(),
        parameters: parameters
            .map(|parameter| Parameter {
                name: text(&parameter["name"]),
                place: text(&parameter["in"]),
                required: parameter["required"] == true,
                schema: resolved(document, &parameter["schema"], 0),
            })
            .collect(),
        body: body.and_then(|content| {
            let (kind, media) = content.iter().next()?;
            Some((kind.clone(), resolved(document, &media["schema"], 0)))
        }),
        security: operation["security"][0]
            .as_object()
            .and_then(|scheme| scheme.keys().next().cloned())
            .unwrap_or_default(),
        statuses: statuses.map(|status| status.parse().expect("a status")).collect(),
    }
}

/// The schema with its references resolved, up to the depth that occurs.
fn resolved(document: &Value, schema: &Value, depth: u8) -> Value {
    if depth > 8 {
        return Value::Null;
    }
    match schema {
        Value::Object(fields) => {
            if let Some(place) = fields.get("$ref").and_then(Value::as_str) {
                let target = document.pointer(place.trim_start_matches('#'));
                return resolved(document, target.unwrap_or(&Value::Null), depth + 1);
            }
            let fields = fields.iter();
            fields.map(|(name, one)| (name.clone(), resolved(document, one, depth + 1))).collect()
        }
        Value::Array(list) => list.iter().map(|one| resolved(document, one, depth + 1)).collect(),
        other => other.clone(),
    }
}
