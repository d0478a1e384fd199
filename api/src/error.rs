//! Maps errors to status codes and problem+json (RFC 9457). No other module knows status codes.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portal::{Error, FieldError};
use serde::Serialize;

pub type Answer<T> = Result<T, Problem>;

/// The body of an error response.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    /// For programs.
    code: &'static str,
    /// A sentence that may be shown.
    detail: String,
    /// The number under which the server's log tells more.
    request_id: Option<String>,
    /// What is wrong with which field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    /// Seconds, with 429 and 503.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    #[serde(skip)]
    cause: Option<Error>,
}

tokio::task_local! {
    /// The id of the current request, which a problem contains.
    pub(crate) static REQUEST_ID: String;
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            request_id: None,
            errors: Vec::new(),
            retry_after: None,
            cause: None,
        }
    }

    /// Temporarily unavailable; retry after this many seconds.
    pub fn busy(detail: &str, seconds: u64) -> Problem {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Problem { retry_after: Some(seconds), ..problem }
    }

    /// Whether the request may succeed a little later, because the database did not answer in time.
    pub fn is_busy(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE.as_u16()
    }

    /// Too many requests at once or in too short a time; retry after this many seconds.
    pub fn too_many(detail: &str, seconds: u64) -> Problem {
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail);
        Problem { retry_after: Some(seconds), ..problem }
    }

    pub fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        use StatusCode as S;
        let detail = error.to_string();
        let (status, code) = match &error {
            Error::Invalid(_) => (S::UNPROCESSABLE_ENTITY, "validation"),
            Error::Taken(_) => (S::CONFLICT, "taken"),
            Error::NotFound(_) => (S::NOT_FOUND, "not_found"),
            Error::SignInRequired => (S::UNAUTHORIZED, "sign_in_required"),
            Error::StaffRequired => (S::UNAUTHORIZED, "staff_required"),
            Error::InvalidCredentials(_) => (S::UNAUTHORIZED, "invalid_credentials"),
            Error::SecondFactorRequired => (S::UNAUTHORIZED, "second_factor_required"),
            Error::Forbidden { code, .. } => (S::FORBIDDEN, *code),
            Error::Stale => (S::CONFLICT, "stale"),
            Error::Conflict(_) => (S::CONFLICT, "conflict"),
            Error::OutOfRange { .. } => (S::RANGE_NOT_SATISFIABLE, "bad_request"),
            Error::Forestalled { code, .. } => (S::CONFLICT, *code),
            Error::Gone(_) => (S::GONE, "gone"),
            Error::TooMany { .. } => (S::TOO_MANY_REQUESTS, "too_many_requests"),
            Error::TooManyMails { .. } => (S::TOO_MANY_REQUESTS, "too_many_mails"),
            Error::TooManyTests { .. } => (S::TOO_MANY_REQUESTS, "too_many_tests"),
            Error::Busy(_) | Error::Unavailable { .. } => (S::SERVICE_UNAVAILABLE, "busy"),
            Error::Full => (S::INSUFFICIENT_STORAGE, "full"),
            Error::Setup(_) | Error::Usage(_) | Error::Database(_) | Error::Unforeseen(_) => {
                let mut problem = Problem::new(
                    S::INTERNAL_SERVER_ERROR,
                    "internal",
                    "Something went wrong on our side. Please try again.",
                );
                problem.cause = Some(error);
                return problem;
            }
        };
        let mut problem = Problem::new(status, code, detail);
        match error {
            Error::Invalid(errors) => problem.errors = errors,
            Error::Taken(field) => problem.errors = vec![field],
            Error::TooMany { retry_after }
            | Error::TooManyMails { retry_after }
            | Error::TooManyTests { retry_after, .. } => problem.retry_after = Some(retry_after),
            Error::Busy(_) => {
                problem.retry_after = Some(2);
                problem.cause = Some(error);
            }
            Error::Unavailable { cause } => {
                problem.retry_after = Some(5);
                problem.cause = Some(Error::Unforeseen(cause));
            }
            _ => {}
        }
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(mut self) -> Response {
        self.request_id = REQUEST_ID.try_with(Clone::clone).ok();
        match &self.cause {
            Some(cause) if self.status == 503 => tracing::warn!(cause = cause.reason(), "busy"),
            Some(cause) => tracing::error!(%cause, "request failed"),
            None => {}
        }
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
