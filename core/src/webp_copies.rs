//! Keeps WebP copies of pictures in memory: a picture that is removed leaves no copy behind, and
//! the content of a key never changes.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use moka::future::Cache;
use tokio::sync::Semaphore;

/// In bytes. A list shows pictures of about 14 KB.
const MAX_KEPT: u64 = 8 << 20;

pub(crate) struct WebpCopies {
    /// The copies by key. `None` for a picture that has no smaller copy.
    pub made: Cache<String, Option<Bytes>>,
    /// Keys of copies that are being made.
    waiting: Mutex<HashSet<String>>,
    pub one_at_a_time: Semaphore,
}

impl Default for WebpCopies {
    fn default() -> Self {
        let size = |key: &String, copy: &Option<Bytes>| {
            u32::try_from(key.len() + copy.as_ref().map_or(0, Bytes::len)).unwrap_or(u32::MAX)
        };
        WebpCopies {
            made: Cache::builder().max_capacity(MAX_KEPT).weigher(size).build(),
            waiting: Mutex::default(),
            one_at_a_time: Semaphore::new(1),
        }
    }
}

impl WebpCopies {
    pub fn waiting(&self) -> MutexGuard<'_, HashSet<String>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
