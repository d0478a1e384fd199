//! Says which day is not in the calendar when a request names one.

use portal::{Error, dates};
use serde_json::Value;

/// The error for a JSON body that could not be read because of a date, or `None` if there is
/// another reason. `wrong` is the parser's message, which begins with the path of the value.
pub fn in_json(body: &[u8], wrong: &str) -> Option<Error> {
    let (path, _) = wrong.split_once(": ")?;
    let body: Value = serde_json::from_slice(body).ok()?;
    let pointer = path.replace('[', ".").replace(']', "").replace('.', "/");
    let text = body.pointer(&format!("/{pointer}"))?.as_str()?;
    Some(Error::invalid(path, dates::missing_in(text)?))
}

/// As [`in_json`], for a query string.
pub fn in_query(query: &str, wrong: &str) -> Option<Error> {
    let (field, _) = wrong.split_once(": ")?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, text) = pairs.find(|(name, _)| *name == field)?;
    Some(Error::invalid(field, dates::missing_in(text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: Option<Error>) -> Option<(String, String)> {
        match error? {
            Error::Invalid(mut wrong) => wrong.pop().map(|wrong| (wrong.field, wrong.message)),
            _ => None,
        }
    }

    #[test]
    fn the_field_is_found_wherever_it_stands() {
        let no_day = |field: &str| Some((field.to_owned(), "There is no February 30.".to_owned()));
        let body = br#"{"day": "2026-02-30", "rows": [{"on": "x"}, {"on": "2026-02-30"}], "title": "2026-02-30"}"#;
        assert_eq!(said(in_json(body, "day: input is out of range")), no_day("day"));
        assert_eq!(said(in_json(body, "rows[1].on: input is out of range")), no_day("rows[1].on"));
        assert_eq!(said(in_json(body, "rows[0].on: premature end of input")), None);
        assert_eq!(said(in_json(body, "missing field `name`")), None);
        let query = "action=staff&from=2026-02-30";
        assert_eq!(said(in_query(query, "from: input is out of range")), no_day("from"));
        assert_eq!(said(in_query(query, "action: unknown variant")), None);
    }
}
