//! The files of the front end whose names contain a hash of their content, in the encodings that the build made
//! of them.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use axum::body::Bytes;
use axum::http::HeaderMap;
use portal::Keys;

use super::stored::Stored;
use crate::frontend::{Coding, packed};

/// Files by their paths. There are at most as many as the front end has files.
#[derive(Default)]
pub(super) struct Files(RwLock<HashMap<String, Arc<Stored>>>);

impl Files {
    pub fn get(&self, path: &str) -> Option<Arc<Stored>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// Keeps a file for which the router answered with these headers and bytes.
    pub fn keep(&self, keys: &Keys, path: &str, headers: HeaderMap, bytes: Bytes) -> Arc<Stored> {
        let encoded = |coding| packed(path.trim_start_matches('/'), coding);
        let encodings = [encoded(Coding::Gzip), encoded(Coding::Brotli)];
        let stored = Arc::new(Stored::with_encodings(keys, headers, bytes, encodings));
        let mut files = self.0.write().unwrap_or_else(PoisonError::into_inner);
        files.entry(path.to_owned()).or_insert(stored).clone()
    }
}
