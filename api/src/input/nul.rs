//! Refuses the NUL character, which PostgreSQL cannot store, before any handler runs.

use std::fmt;

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::error::Problem;

/// Refuses URLs with a NUL in their path or query. A page is opened without those in its query.
pub async fn refuse_in_addresses(request: Request, next: Next) -> Response {
    let uri = request.uri();
    let has_one = |part: &str| part.contains("%00");
    let is_page = request.method() == Method::GET && is_page(uri.path());
    if let Some(query) = uri.query().filter(|query| is_page && has_one(query))
        && !has_one(uri.path())
    {
        // Relative, so that it stays on this site whatever the path is.
        return Redirect::temporary(&format!("?{}", query.replace("%00", ""))).into_response();
    }
    if has_one(uri.path()) || uri.query().is_some_and(has_one) {
        let detail = "The address contains a NUL character.";
        return Problem::bad_request(detail).into_response();
    }
    next.run(request).await
}

/// Whether somebody may have followed a link there: no file, and nothing that only programs read.
fn is_page(path: &str) -> bool {
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    !is_file
        && !["/api/", "/media/"].iter().any(|start| path.starts_with(start))
        && !["/healthz", "/readyz", "/metrics"].contains(&path)
}

/// The outermost field of a JSON text whose name or value contains a NUL.
pub fn field_with_one(json: &[u8]) -> Option<String> {
    // JSON has no other way to write a NUL.
    const ESCAPED: &[u8] = b"\\u0000";
    if !json.windows(ESCAPED.len()).any(|part| part == ESCAPED) {
        return None;
    }
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_slice(json);
    // The actual parser reports malformed JSON.
    Search { field: "", found: &mut found }.deserialize(&mut reader).ok();
    found
}

struct Search<'a> {
    field: &'a str,
    found: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if text.contains('\0') {
            self.found.get_or_insert(self.field.to_owned());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Search { field: self.field, found: self.found })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let field = if self.field.is_empty() { &name } else { self.field };
            if name.contains('\0') {
                self.found.get_or_insert(field.replace('\0', ""));
            }
            map.next_value_seed(Search { field, found: self.found })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::field_with_one;

    #[test]
    fn a_nul_is_found_wherever_it_stands() {
        for (json, field) in [
            (r#"{"a": 1, "b": "x\u0000"}"#, Some("b")),
            (r#"{"a": {"b": ["x", {"c": "\u0000"}]}}"#, Some("a")),
            (r#"{"a\u0000": null}"#, Some("a")),
            (r#"["\u0000"]"#, Some("")),
            (r#"{"a": "the text \\u0000", "b": [1.5, -1, true, null]}"#, None),
            (r#"{"a": "x\u0000"#, None),
        ] {
            assert_eq!(field_with_one(json.as_bytes()).as_deref(), field, "{json}");
        }
    }
}
