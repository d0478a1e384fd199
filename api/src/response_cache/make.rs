//! Makes responses for the cache, each once for all that wait for it, and decides how long they are used.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use axum::body::HttpBody;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use chrono::{DateTime, Utc};
use portal::db::content::Version;
use portal::updates;
use tokio::sync::MutexGuard;
use tokio::time::timeout;

use super::personal::Placeholders;
use super::requests::{Reader, anonymous};
use super::stored::Stored;
use super::{LOCK_TIMEOUT, LOCKS, MAX_RESPONSE_BYTES, REFRESH_AHEAD, ResponseCache, TIME_TO_LIVE};

/// A response, and when it may be used.
pub(super) struct Entry {
    version: Version,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    pub stored: Arc<Stored>,
    pub placeholders: Placeholders,
    /// Whether the next one is being made.
    is_renewed: AtomicBool,
}

/// What [`ResponseCache::make`] made.
pub(super) enum Made {
    Kept(Arc<Entry>, HeaderValue),
    /// Another request has made it in the meantime.
    Found(Arc<Entry>),
    /// It is for this request only.
    Other(Response),
}

impl Entry {
    fn is_valid(&self, version: Version, now: DateTime<Utc>) -> bool {
        self.version == version && (self.from..self.until).contains(&now)
    }

    /// Tells one request that the response has to be made again. This does not apply to a response
    /// that something ends early: until then, it would be made the same again and again.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.until - now <= REFRESH_AHEAD
            && self.until - self.from == TIME_TO_LIVE
            && !self.is_renewed.swap(true, Relaxed)
    }
}

impl ResponseCache {
    pub(super) async fn find(
        &self,
        key: &str,
        version: Version,
        now: DateTime<Utc>,
    ) -> Option<Arc<Entry>> {
        self.0.entries.get(key).await.filter(|entry| entry.is_valid(version, now))
    }

    /// Makes the response, unless another request has made it meanwhile. `told` is the version that was
    /// current when this request came or later.
    pub(super) async fn make(
        &self,
        key: &str,
        reader: &Reader,
        parts: &Parts,
        told: Version,
    ) -> Option<Made> {
        let _lock = timeout(LOCK_TIMEOUT, self.lock(key)).await.ok()?;
        // The version is not requested again, because waiting requests would do that one after
        // another.
        if let Some(entry) = self.find(key, told, self.0.app.clock.now()).await {
            return Some(Made::Found(entry));
        }
        let version = self.0.versions.current().await?.content;
        if let Some(entry) = self.find(key, version, self.0.app.clock.now()).await {
            return Some(Made::Found(entry));
        }
        self.make_new(key, reader, parts, version).await
    }

    /// Makes the response that follows this one while others are still answered with it.
    pub(super) fn refresh_ahead(
        &self,
        last: &Arc<Entry>,
        key: &str,
        reader: &Reader,
        parts: &Parts,
    ) {
        let (cache, last, key, reader) =
            (self.clone(), last.clone(), key.to_owned(), reader.clone());
        let (parts, _) = anonymous(parts, &reader).into_parts();
        tokio::spawn(async move {
            let _lock = timeout(LOCK_TIMEOUT, cache.lock(&key)).await.ok()?;
            let entry = cache.0.entries.get(&key).await?;
            if Arc::ptr_eq(&entry, &last) {
                let version = cache.0.versions.current().await?.content;
                cache.make_new(&key, &reader, &parts, version).await?;
            }
            Some(())
        });
    }

    /// Makes the response. Only the holder of the lock calls this. `version` is from before
    /// everything that is read for the response, so that a change in between leads to another
    /// version.
    async fn make_new(
        &self,
        key: &str,
        reader: &Reader,
        parts: &Parts,
        version: Version,
    ) -> Option<Made> {
        let now = self.0.app.clock.now();
        self.renew_settings(version);
        let answered = self.forward(anonymous(parts, reader));
        let (until, response) = tokio::join!(self.constant_until(now), answered);
        if !may_be_kept(&response) {
            return Some(Made::Other(response));
        }
        let until = until.ok()?;
        let (id, headers, bytes) = self.read(response).await?;
        let placeholders = match reader {
            Reader::Parent(_) => Placeholders::of(&bytes),
            Reader::Anybody | Reader::OfPage => Placeholders::default(),
        };
        let stored = Arc::new(Stored::new(&self.0.app.keys, headers, bytes));
        // Keeps the compressed forms if the response is the same as before.
        let before = self.0.entries.get(key).await.map(|entry| entry.stored.clone());
        let stored = before.filter(|before| before.is_same(&stored)).unwrap_or(stored);
        let is_renewed = AtomicBool::default();
        let entry = Arc::new(Entry { version, from: now, until, stored, placeholders, is_renewed });
        self.0.entries.insert(key.to_owned(), entry.clone()).await;
        Some(Made::Kept(entry, id))
    }

    async fn lock(&self, key: &str) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        self.0.locks[hasher.finish() as usize % LOCKS].lock().await
    }

    /// How long a response stays right if nobody changes anything: until quiet time begins or ends, or
    /// an update expires. The rest of what depends on the time may be late by [`TIME_TO_LIVE`].
    async fn constant_until(&self, now: DateTime<Utc>) -> portal::Result<DateTime<Utc>> {
        let app = &self.0.app;
        let latest = now + TIME_TO_LIVE;
        let quiet = app.settings().await?.next_quiet_change(now, latest);
        let expiry = updates::next_expiry(app, now, latest).await?;
        Ok([quiet, expiry].into_iter().flatten().fold(latest, Ord::min))
    }
}

pub(super) fn may_be_kept(response: &Response) -> bool {
    let size = response.body().size_hint().exact();
    response.status() == StatusCode::OK
        && size.is_some_and(|size| size <= MAX_RESPONSE_BYTES as u64)
        && !response.headers().contains_key(header::SET_COOKIE)
}
