//! Sends WebP copies of pictures to browsers that accept them.

use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use portal::App;

use crate::error::Answer;
use crate::negotiation::accepted;

pub const WEBP: &str = "image/webp";

/// The copy of the picture with this key, if the browser accepts WebP and the copy has been made. A
/// program that merely accepts anything, such as a mail program, gets the JPEG.
pub async fn copy_for(app: &App, headers: &HeaderMap, key: &str) -> Option<Bytes> {
    let takes = accepted(headers, ACCEPT).any(|one| one == WEBP);
    if takes { app.webp_copy(key).await } else { None }
}

/// A picture whose format depends on the request.
pub fn vary(mut response: Response) -> Response {
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    response
}

/// The copy, or the picture itself, whose media type is `kind`. The headers say how long it may be kept.
pub async fn send(
    app: &App,
    key: &str,
    kind: &'static str,
    headers: &HeaderMap,
    kept: [(HeaderName, &'static str); 1],
) -> Answer<Response> {
    let response = match copy_for(app, headers, key).await {
        Some(copy) => (kept, [(CONTENT_TYPE, WEBP)], copy).into_response(),
        None => {
            let file = app.files.get(key, None).await?;
            let own = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_LENGTH, file.size.to_string())];
            (kept, own, Body::from_stream(file.bytes)).into_response()
        }
    };
    Ok(vary(response))
}
