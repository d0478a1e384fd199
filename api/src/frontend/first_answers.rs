//! Writes the API's answers that a page requests first into its HTML, so that the browser need not request
//! them. Only for requests without a session: the answers are those that the API gives to anybody.

use std::fmt::Write;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use tower::ServiceExt;

use super::first_view::preload;
use super::meta::escape;

/// The largest page and the largest answer in it.
const LARGEST: usize = 256 << 10;

/// Where the HTML has room for them: after everything that is shown.
pub const MARK: &str = "<!--answers-->";

/// An extension of the response that is a page: the addresses that the page requests first.
#[derive(Clone)]
pub struct FirstAnswers(pub Vec<String>);

/// An extension of a request for a page that gets no answers.
#[derive(Clone, Copy)]
pub struct WithoutAnswers;

/// Whether the response is a page that can hold answers.
pub fn are_wanted(response: &Response) -> bool {
    response.extensions().get::<FirstAnswers>().is_some()
        && !response.headers().contains_key(header::CONTENT_ENCODING)
        && response.body().size_hint().exact().is_some_and(|size| size <= LARGEST as u64)
}

/// The page with the answers of `router`. `anonymous` makes the request for an address.
pub async fn embed(
    router: &Router,
    response: Response,
    anonymous: impl Fn(&str) -> Option<Request>,
) -> Response {
    let (mut head, body) = response.into_parts();
    let FirstAnswers(addresses) = head.extensions.remove().unwrap_or(FirstAnswers(Vec::new()));
    let bytes = to_bytes(body, LARGEST).await.unwrap_or_default();
    let mut html = String::from_utf8_lossy(&bytes).into_owned();
    let mut answers = String::new();
    for address in addresses {
        let Some(request) = anonymous(&address) else { continue };
        let Ok(answer) = router.clone().oneshot(request).await;
        let Some(json) = json_of(answer).await else { continue };
        let json = String::from_utf8_lossy(&json).replace('<', "\\u003c");
        let (link, address) = (preload(&address), escape(&address));
        html = html.replacen(&link, "", 1);
        let _ = write!(
            answers,
            "<script type=\"application/json\" data-answer=\"{address}\">{json}</script>"
        );
    }
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(html.replacen(MARK, &answers, 1)))
}

async fn json_of(answer: Response) -> Option<Bytes> {
    let is_json = |headers: &HeaderMap| {
        headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
    };
    if answer.status() != StatusCode::OK || !is_json(answer.headers()) {
        return None;
    }
    to_bytes(answer.into_body(), LARGEST).await.ok()
}
