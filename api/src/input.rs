//! Extractors for JSON bodies, query strings and path parameters, with readable errors; and the pages
//! of lists.

mod missing_date;
mod nul;

use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use portal::validation::CONTROL;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::error::Problem;

pub use nul::refuse_in_addresses;

/// A JSON body.
pub struct Input<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Input<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let detail = "Please send JSON (Content-Type: application/json).";
            return Err(unsupported(detail));
        }
        let body = body(request, state, "This is too long. Please send less.").await?;
        if let Some(field) = nul::field_with_one(&body) {
            return Err(portal::Error::invalid(&field, CONTROL).into());
        }
        match Json::<T>::from_bytes(&body) {
            Ok(Json(body)) => Ok(Input(body)),
            Err(JsonRejection::JsonDataError(wrong)) => Err(unreadable(&body, &wrong.body_text())),
            Err(_) => Err(Problem::bad_request("The request is not well-formed JSON.")),
        }
    }
}

/// Refuses writes with a content type that the forms of other sites can send without asking (safety 20). Handlers
/// without a body do not look at it.
pub async fn refuse_forms(request: Request, next: Next) -> Response {
    let is_safe = request.method().is_safe();
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    let of_forms = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];
    if !is_safe && of_forms.iter().any(|form| form.eq_ignore_ascii_case(kind)) {
        return unsupported("This content type is not accepted here.").into_response();
    }
    next.run(request).await
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", detail)
}

/// Reads the whole body within the limits of its route.
async fn body<S: Send + Sync>(
    request: Request,
    state: &S,
    too_large: &str,
) -> Result<Bytes, Problem> {
    let read = Bytes::from_request(request, state).await;
    read.map_err(|broken: BytesRejection| match broken.status() {
        status @ StatusCode::PAYLOAD_TOO_LARGE => Problem::new(status, "too_large", too_large),
        _ => Problem::bad_request("The request did not arrive completely. Please send it again."),
    })
}

/// The file of a picture. Refuses a body whose content type is not an image; decoding checks the
/// content later.
pub struct Picture(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Picture {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("image/")) {
            return Err(unsupported("Please send a picture."));
        }
        Ok(Picture(body(request, state, portal::pictures::TOO_LARGE).await?))
    }
}

/// A file of captions. Refuses a body with any other content type; the text is checked later.
pub struct CaptionsFile(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for CaptionsFile {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !matches!(kind, Some("text/vtt" | "application/x-subrip")) {
            return Err(unsupported("Please send captions (Content-Type: text/vtt)."));
        }
        let too_large = "This file is too large. Please choose a file of captions of at most 2 MB.";
        Ok(CaptionsFile(body(request, state, too_large).await?))
    }
}

/// serde's error message without Rust types.
fn unreadable(body: &[u8], text: &str) -> Problem {
    let text = text
        .strip_prefix("Failed to deserialize the JSON body into the target type: ")
        .unwrap_or(text);
    let text = text.split(" at line ").next().unwrap_or(text);
    if let Some(error) = missing_date::in_json(body, text) {
        return error.into();
    }
    let detail = format!("The request cannot be read: {text}.");
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "validation", detail)
}

/// The query string.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Params(params)),
            Err(QueryRejection::FailedToDeserializeQueryString(wrong)) => {
                let text = wrong.body_text();
                let text = text.rsplit("query string: ").next().unwrap_or(&text).to_owned();
                let query = parts.uri.query().unwrap_or_default();
                if let Some(error) = missing_date::in_query(query, &text) {
                    return Err(error.into());
                }
                Err(Problem::bad_request(format!("The address cannot be read: {text}.")))
            }
            Err(other) => Err(Problem::bad_request(other.body_text())),
        }
    }
}

/// An id in the path. A malformed id is answered with 404.
pub struct Id<T = uuid::Uuid>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Segments(id) = Segments::from_request_parts(parts, state).await?;
        Ok(Id(id))
    }
}

/// A path parameter. A malformed value is answered with 404.
pub struct Segments<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Segments<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(segments)) => Ok(Segments(segments)),
            Err(PathRejection::FailedToDeserializePathParams(_)) => {
                Err(portal::Error::NotFound("There is nothing at this address.").into())
            }
            Err(other) => Err(Problem::bad_request(other.body_text())),
        }
    }
}

/// The `Idempotency-Key` of a form, if it has one.
pub struct Key(pub Option<uuid::Uuid>);

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Some(key) = parts.headers.get("idempotency-key") else { return Ok(Key(None)) };
        let key = key.to_str().ok().and_then(|key| key.trim().parse().ok());
        let no_uuid = || portal::Error::invalid("Idempotency-Key", "This key is not a UUID.");
        Ok(Key(Some(key.ok_or_else(no_uuid)?)))
    }
}

/// One page of a list.
#[derive(Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Pass it as `cursor` for the following page; null at the end.
    pub next: Option<String>,
}

impl<T> Page<T> {
    pub fn whole(items: Vec<T>) -> Page<T> {
        Page { items, next: None }
    }
}
