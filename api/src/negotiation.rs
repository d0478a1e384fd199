//! Content negotiation: which kinds and encodings of a response the client accepts.

use axum::http::{HeaderMap, HeaderName};

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

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

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
}
