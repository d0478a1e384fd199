//! JSON in responses.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use portal::Error;
use serde::Serialize;

use crate::error::Problem;

/// A value as the body of a response. Unlike axum's it is written into a `Vec`, which takes half as long as
/// into `BytesMut`.
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => {
                let json = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, json)], bytes).into_response()
            }
            Err(error) => Problem::from(Error::unforeseen(error)).into_response(),
        }
    }
}
