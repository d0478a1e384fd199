//! The page that a browser shows while the database does not answer. It needs nothing but itself, and tries again.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::set;
use crate::error::Problem;

const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="15">
<title>We will be right back</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-content: center; font: 1.125rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; padding: 2rem 1.5rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.75rem; line-height: 1.2; }
p { margin: 0; }
</style>
</head>
<body>
<main>
<h1>We will be right back</h1>
<p>The site cannot be shown at the moment. This page tries again by itself.</p>
</main>
</body>
</html>
"#;
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/// The page, with the status and the time to wait of the problem.
pub(super) fn page(problem: Problem) -> Response {
    // This also writes the reason to the log.
    let mut response = problem.into_response();
    *response.body_mut() = Body::from(PAGE);
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(out, header::CACHE_CONTROL, "no-store");
    set(out, header::CONTENT_SECURITY_POLICY, POLICY);
    response
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[test]
    fn the_page_keeps_the_status_and_says_when_to_try_again() {
        let response = page(Problem::busy("The portal is busy.", 10));
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::RETRY_AFTER], "10");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    }
}
