//! The ids of the requests that are answered from the cache.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use axum::http::{HeaderName, HeaderValue};
use uuid::Uuid;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Numbers the responses that come from the cache, because a random id for each would cost as much as
/// the rest of its headers.
pub(super) struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub fn new() -> RequestIds {
        RequestIds { process: Uuid::new_v4().as_u64_pair().1, next: AtomicU64::default() }
    }

    pub fn next(&self) -> HeaderValue {
        let id = Uuid::from_u64_pair(self.process, self.next.fetch_add(1, Relaxed));
        let id = HeaderValue::from_str(id.simple().encode_lower(&mut Uuid::encode_buffer()));
        id.unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}
