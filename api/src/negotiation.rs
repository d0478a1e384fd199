//! Content negotiation: which kinds and encodings of a response the client accepts, and whether it has the response
//! already.

use axum::http::{HeaderMap, HeaderName, header};

/// What the client lists in `Accept` or `Accept-Encoding`, without what it refuses with a weight of zero.
pub fn accepted(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(|part| {
        let (one, parameters) = part.split_once(';').unwrap_or((part, ""));
        let is_refused = parameters.split(';').any(|parameter| {
            parameter.trim().strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0))
        });
        (!is_refused).then_some(one.trim())
    })
}

/// Whether the client has the response with this ETag. A `W/` before it is ignored.
pub fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/") == etag.trim_start_matches("W/");
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    known.is_some_and(|known| known.trim() == "*" || known.split(',').any(strong))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn what_has_a_weight_of_zero_is_not_accepted() {
        let accepted = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(value));
            super::accepted(&headers, header::ACCEPT).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(accepted("gzip, deflate ,br;q=1.0"), "gzip deflate br");
        assert_eq!(accepted("br;q=0.000,gzip ; q=0, zstd;q=0.001"), "zstd");
        assert_eq!(accepted("image/webp;level=1;q=0, */*"), "*/*");
        assert_eq!(accepted(""), "");
    }

    #[test]
    fn a_response_is_known_by_any_of_the_tags_that_the_client_has() {
        let is_known = |value: &'static str| {
            let headers =
                HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(value))]);
            super::is_known(&headers, "W/\"lake\"")
        };
        for value in ["\"lake\"", "W/\"lake\"", "\"hike\", W/\"lake\"", " * "] {
            assert!(is_known(value), "{value}");
        }
        for value in ["", "\"hike\"", "lake", "\"lake", "\"*\""] {
            assert!(!is_known(value), "{value}");
        }
        assert!(!super::is_known(&HeaderMap::new(), "\"lake\""));
    }
}
