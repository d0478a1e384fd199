//! Middleware for every request: request id, log line, metrics and security headers.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use portal::{App, Error};
use tracing::Instrument;
use uuid::Uuid;

use crate::content_security_policy;
use crate::error::{Problem, REQUEST_ID};
use crate::prometheus;

/// A reading request that takes this long is logged like one that writes.
const SLOW: Duration = Duration::from_millis(500);

/// Assigns the request id, logs and counts the request, and turns a panic into a 500.
///
/// Every request that may write runs in a separate task: a client that disconnects must not cancel
/// it halfway, nor leave a pooled database connection in a bad state.
pub async fn observe(request: Request, next: Next) -> Response {
    let id = Uuid::now_v7().simple().to_string();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let started = Instant::now();
    let span = tracing::info_span!("request", id = %id);
    let answer = REQUEST_ID
        .scope(id.clone(), async move {
            let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
            answer.unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                let text = format!("panic: {}", text.unwrap_or_default());
                Problem::from(Error::unforeseen(text)).into_response()
            })
        })
        .instrument(span.clone());
    let reading = matches!(method, Method::GET | Method::HEAD | Method::OPTIONS);
    let mut response = match reading {
        true => answer.await,
        false => match tokio::spawn(answer).await {
            Ok(response) => response,
            Err(error) => Problem::from(Error::unforeseen(error)).into_response(),
        },
    };
    let status = response.status();
    let elapsed = started.elapsed();
    // The path is logged without the query, which may contain tokens.
    span.in_scope(|| {
        let (code, ms) = (status.as_u16(), elapsed.as_millis() as u64);
        // There are many such requests, so they are logged only on request, like answers from the
        // cache.
        if reading && elapsed < SLOW && (status.is_success() || status.is_redirection()) {
            tracing::debug!(%method, path, status = code, ms, "answered");
        } else {
            tracing::info!(%method, path, status = code, ms, "answered");
        }
    });
    prometheus::answered(&method, route.as_ref(), status, elapsed);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), id);
    }
    response
}

/// Sets the security headers (safety 19). A page has set its content security policy already.
pub async fn set_security_headers(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "strict-origin-when-cross-origin");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    );
    set(header::CONTENT_SECURITY_POLICY, content_security_policy::OF_DATA);
    if is_api {
        // Not for pictures, because webmail shows them in mails.
        set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
        set(header::CACHE_CONTROL, "no-store");
    }
    if app.config.https() {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000; includeSubDomains");
    }
    response
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn;
    use axum::{Extension, Router};
    use serde_json::Value;
    use tower::ServiceExt;

    use super::*;

    /// Collects the log.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    async fn panics(Extension(text): Extension<&'static str>) -> &'static str {
        match text {
            "a text of its own" => panic!("{}", text.to_owned()),
            _ => std::panic::panic_any(7),
        }
    }

    #[tokio::test]
    async fn a_panic_is_logged_and_answered_as_a_problem_that_tells_nothing() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let _logging = tracing::subscriber::set_default(subscriber);
        for (method, text) in
            [("GET", "a text of its own"), ("POST", "a text of its own"), ("GET", "no text")]
        {
            let router =
                Router::new().fallback(panics).layer(Extension(text)).layer(from_fn(observe));
            let request = Request::builder().method(method).uri("/api/x").body(Body::empty());
            let response = router.oneshot(request.expect("a request")).await.expect("an answer");
            assert_eq!(response.status(), 500);
            assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
            let id = response.headers()["x-request-id"].to_str().expect("an id").to_owned();
            let body = to_bytes(response.into_body(), 10_000).await.expect("a body");
            let problem: Value = serde_json::from_slice(&body).expect("JSON");
            assert_eq!(problem["code"], "internal");
            assert_eq!(problem["request_id"], id.as_str());
            assert!(!problem.to_string().contains("its own"), "{problem}");
            let logged = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("text");
            let line = logged.lines().find(|line| line.contains("ERROR") && line.contains(&id));
            let line = line.unwrap_or_else(|| panic!("no line about {id} in {logged}"));
            assert_eq!(line.contains("panic: a text of its own"), text == "a text of its own");
        }
    }
}
