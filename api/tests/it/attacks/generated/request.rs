//! Generates one request for one operation, valid or with one or more errors.

use axum::body::Body;
use axum::http::{Request, header};
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

use super::contract::Operation;
use super::values::{Known, fitting, hostile, hostile_text};

pub struct Sent {
    pub request: Request<Body>,
    /// A description for debugging.
    pub shown: String,
    /// Whether the response has no body.
    pub bare: bool,
}

pub fn make(rng: &mut StdRng, operation: &Operation, known: &Known) -> Sent {
    let wrong = rng.random_bool(0.6);
    // A single error is more likely than several, because the portal rarely gets to a second one.
    let mut odds = |likely: f64| wrong && rng.random_bool(likely);
    let (bad_path, bad_query, bad_body, bad_headers) =
        (odds(0.15), odds(0.4), odds(0.6), odds(0.25));
    let uri = uri(rng, operation, known, bad_path, bad_query);
    let mut request = Request::builder().method(operation.method.as_str()).uri(&uri);
    let body = body(rng, operation, known, bad_body);
    if let Some((kind, _)) = &body {
        request = request.header(header::CONTENT_TYPE, kind.as_str());
    }
    let mut headers = headers(rng, operation, known);
    if bad_headers {
        headers.extend(hostile_headers(rng));
    }
    for (name, value) in &headers {
        request = request.header(*name, value.as_slice());
    }
    let bytes = body.map(|(_, bytes)| bytes).unwrap_or_default();
    let start: String = String::from_utf8_lossy(&bytes).chars().take(600).collect();
    let shown = format!("{} {uri} {:?} {start}", operation.method, shown(&headers));
    Sent {
        request: request.body(Body::from(bytes)).expect("a request"),
        shown,
        bare: operation.method == "HEAD",
    }
}

fn shown(headers: &[(&'static str, Vec<u8>)]) -> Vec<String> {
    headers.iter().map(|(n, v)| format!("{n}: {}", String::from_utf8_lossy(v))).collect()
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                (byte as char).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn uri(
    rng: &mut StdRng,
    operation: &Operation,
    known: &Known,
    bad_path: bool,
    bad_query: bool,
) -> String {
    let mut path = operation.path.clone();
    let mut query = Vec::new();
    for parameter in &operation.parameters {
        let name = &parameter.name;
        match parameter.place.as_str() {
            "path" => {
                let value = match bad_path {
                    // An empty segment would make a different URL.
                    true => encoded(&hostile_text(rng)) + "~",
                    false => encoded(&plain(&fitting(rng, &parameter.schema, name, known))),
                };
                path = path.replace(&format!("{{{name}}}"), &value);
            }
            "query" if bad_query && rng.random_bool(0.5) => {
                let value: String = plain(&hostile(rng)).chars().take(5000).collect();
                query.push(format!("{}={}", encoded(name), encoded(&value)));
            }
            "query" if parameter.required || rng.random_bool(0.4) => {
                let value = plain(&fitting(rng, &parameter.schema, name, known));
                if value != "null" {
                    query.push(format!("{}={}", encoded(name), encoded(&value)));
                }
            }
            _ => {}
        }
    }
    if bad_query {
        let odd = ["a=b&a=b", "%FF=%FF", "=&&=", "limit=1&limit=2", "%00", "q[]=1", "unknown=1"];
        query.extend(odd.choose(rng).filter(|_| rng.random_bool(0.4)).map(|&odd| odd.to_owned()));
    }
    match query.is_empty() {
        true => path,
        false => format!("{path}?{}", query.join("&")),
    }
}

fn body(
    rng: &mut StdRng,
    operation: &Operation,
    known: &Known,
    bad: bool,
) -> Option<(String, Vec<u8>)> {
    let Some((kind, schema)) = &operation.body else {
        return (bad && rng.random_bool(0.2)).then(|| ("text/plain".into(), b"unasked".to_vec()));
    };
    if kind.starts_with("image/") {
        let bytes = match bad {
            true => hostile_text(rng).into_bytes(),
            false => picture(rng),
        };
        return Some(("image/png".into(), bytes));
    }
    let mut value = fitting(rng, schema, "", known);
    let kind = "application/json".to_owned();
    if !bad {
        return Some((kind, value.to_string().into_bytes()));
    }
    match rng.random_range(0..12) {
        0 => Some((kind, hostile(rng).to_string().into_bytes())),
        1 => Some((kind, hostile_text(rng).into_bytes())),
        2 => Some((kind, (0..50).map(|_| rng.random::<u8>()).collect())),
        3 => {
            let kinds =
                ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"];
            let kind = kinds.choose(rng).copied().unwrap_or_default();
            Some((kind.into(), value.to_string().into_bytes()))
        }
        4 => None,
        5 => {
            let text = value.to_string();
            let cut = rng.random_range(0..=text.len());
            Some((kind, text.into_bytes()[..cut].to_vec()))
        }
        _ => {
            for _ in 0..rng.random_range(1..4) {
                spoil(rng, &mut value);
            }
            Some((kind, value.to_string().into_bytes()))
        }
    }
}

/// Adds one error somewhere in the request.
fn spoil(rng: &mut StdRng, value: &mut Value) {
    match value {
        Value::Object(fields) if !fields.is_empty() && rng.random_bool(0.9) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = names.choose(rng).cloned().unwrap_or_default();
            match rng.random_range(0..8) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(hostile_text(rng), hostile(rng))),
                _ => spoil(rng, fields.entry(name).or_insert(Value::Null)),
            }
        }
        Value::Array(list) if !list.is_empty() && rng.random_bool(0.9) => {
            let at = rng.random_range(0..list.len());
            match rng.random_range(0..4) {
                0 => *list = vec![list[at].clone(); 150],
                _ => spoil(rng, &mut list[at]),
            }
        }
        Value::Object(fields) => *fields = Map::from_iter([("a".to_owned(), json!(1))]),
        other => *other = hostile(rng),
    }
}

fn picture(rng: &mut StdRng) -> Vec<u8> {
    let side = rng.random_range(1..64);
    let picture = image::DynamicImage::new_rgb8(side, side);
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).expect("a picture");
    bytes.into_inner()
}

fn headers(rng: &mut StdRng, operation: &Operation, known: &Known) -> Vec<(&'static str, Vec<u8>)> {
    let mut headers = vec![("host", b"camp.example".to_vec())];
    headers.push(("sec-fetch-site", b"same-origin".to_vec()));
    for parameter in operation.parameters.iter().filter(|one| one.place == "header") {
        if parameter.required || rng.random_bool(0.5) {
            let value = plain(&fitting(rng, &parameter.schema, &parameter.name, known));
            match parameter.name.to_lowercase().as_str() {
                "idempotency-key" => headers.push(("idempotency-key", value.into_bytes())),
                "last-event-id" => headers.push(("last-event-id", value.into_bytes())),
                _ => {}
            }
        }
    }
    headers
}

/// Adds at most one header of each name, because the portal would not read a second one.
fn hostile_headers(rng: &mut StdRng) -> Vec<(&'static str, Vec<u8>)> {
    const NAMES: [&str; 10] = [
        "idempotency-key",
        "last-event-id",
        "x-forwarded-for",
        "cookie",
        "range",
        "if-none-match",
        "accept-encoding",
        "user-agent",
        "origin",
        "content-encoding",
    ];
    const VALUES: [&[u8]; 10] = [
        b"",
        b"\xff\xfe",
        b"bytes=0-0,5-",
        b"bytes=99999999999999999999-",
        b"session=; staff=\"; session=x",
        b"gzip;q=999, br;q=-1",
        b"https://evil.example",
        b"-1",
        b"99999999999999999999",
        b"127.0.0.1, ::1, junk",
    ];
    let many = rng.random_range(1..3);
    let one = |rng: &mut StdRng| {
        let value = VALUES.choose(rng).map(|value| value.to_vec()).unwrap_or_default();
        (NAMES.choose(rng).copied().unwrap_or_default(), value)
    };
    (0..many).map(|_| one(rng)).collect()
}
