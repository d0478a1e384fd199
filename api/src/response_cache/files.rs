//! The files of the front end whose names contain a hash of their content, in the encodings that the build made
//! of them.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use axum::body::{Bytes, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};

use super::stored::{Encoded, Stored};
use super::{EACH, REQUEST_ID, Reader, ResponseCache, anonymous, may_be_kept};

/// By their paths. There are as many as the front end has files.
#[derive(Default)]
pub(super) struct Files(RwLock<HashMap<String, Arc<Stored>>>);

impl Files {
    /// The file at the path of a request. `None` if there is none, or none that may be kept.
    pub async fn find(&self, cache: &ResponseCache, parts: &Parts) -> Option<Arc<Stored>> {
        let path = parts.uri.path();
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if known.is_some() {
            return known;
        }
        let stored = Arc::new(read(cache, parts).await?);
        let mut files = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Some(files.entry(path.to_owned()).or_insert(stored).clone())
    }
}

async fn read(cache: &ResponseCache, parts: &Parts) -> Option<Stored> {
    let (headers, bytes) = form(cache, parts, "identity").await?;
    if headers.contains_key(header::CONTENT_ENCODING) {
        return None;
    }
    let encoded = [encoded(cache, parts, "gzip").await, encoded(cache, parts, "br").await];
    Some(Stored::with_encodings(&cache.0.app.keys, headers, bytes, encoded))
}

/// `None` if the build has not made this form: of fonts, which are compressed already, and of what is too small.
async fn encoded(cache: &ResponseCache, parts: &Parts, coding: &'static str) -> Option<Encoded> {
    let (headers, bytes) = form(cache, parts, coding).await?;
    let coding = headers.get(header::CONTENT_ENCODING).filter(|found| *found == coding)?;
    Some((coding.clone(), bytes))
}

/// The router's response to a request for this encoding.
async fn form(
    cache: &ResponseCache,
    parts: &Parts,
    coding: &'static str,
) -> Option<(HeaderMap, Bytes)> {
    let mut request = anonymous(parts, &Reader::Anybody);
    request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding));
    let response = cache.pass(request).await;
    if !may_be_kept(&response) {
        return None;
    }
    let (mut head, body) = response.into_parts();
    head.headers.remove(REQUEST_ID);
    Some((head.headers, to_bytes(body, EACH).await.ok()?))
}
