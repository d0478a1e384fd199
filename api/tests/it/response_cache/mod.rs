//! Responses from the cache say the same as new ones, at any time and in every process.

mod readers;
mod same_as_new;
mod sending;
mod timing;

use axum::http::Method;
use serde_json::Value;

use crate::camp::{Browser, Reply};

/// The body of a request that is never answered from the cache, because it has one.
const UNCACHED: Value = Value::Null;

/// What both processes answer to a stranger.
async fn get(stranger: &Browser, path: &str, headers: &[(&str, &str)]) -> Reply {
    stranger.send(Method::GET, path, None, headers).await
}

fn is_from_cache(one: &Reply, other: &Reply) -> bool {
    // The first half of the ids names the process.
    one.header("x-request-id")[..16] == other.header("x-request-id")[..16]
}

/// Asks until two responses came from the cache, which holds each for a second.
async fn cached(stranger: &Browser, path: &str, headers: &[(&str, &str)]) -> Reply {
    loop {
        get(stranger, path, headers).await;
        let one = get(stranger, path, headers).await;
        let other = get(stranger, path, headers).await;
        if is_from_cache(&one, &other) {
            return other;
        }
    }
}
