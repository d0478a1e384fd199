//! What requests carry: JSON bodies and query strings, refused with a sentence when they are not
//! what they should be; and lists in pages.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::error::Problem;

/// A JSON body.
pub struct Input<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Input<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Input(body)),
            Err(JsonRejection::JsonDataError(wrong)) => Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "validation",
                readable(&wrong.body_text()),
            )),
            Err(JsonRejection::JsonSyntaxError(_)) => {
                Err(Problem::bad_request("The request is not well-formed JSON."))
            }
            Err(JsonRejection::MissingJsonContentType(_)) => Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "bad_request",
                "Please send JSON (Content-Type: application/json).",
            )),
            Err(other) if other.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                "This is too long. Please send less.",
            )),
            Err(other) => Err(Problem::bad_request(other.body_text())),
        }
    }
}

/// serde's words without the part about Rust.
fn readable(text: &str) -> String {
    let text = text
        .strip_prefix("Failed to deserialize the JSON body into the target type: ")
        .unwrap_or(text);
    let text = text.split(" at line ").next().unwrap_or(text);
    format!("The request cannot be read: {text}.")
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
                Err(Problem::bad_request(format!("The address cannot be read: {text}.")))
            }
            Err(other) => Err(Problem::bad_request(other.body_text())),
        }
    }
}

/// An id in the path. What is no id at all is nothing that exists.
pub struct Id(pub uuid::Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<uuid::Uuid>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Id(id)),
            Err(PathRejection::FailedToDeserializePathParams(_)) => {
                Err(portal::Error::NotFound("There is nothing at this address.").into())
            }
            Err(other) => Err(Problem::bad_request(other.body_text())),
        }
    }
}

/// The `Idempotency-Key` of a form, when it has one.
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
