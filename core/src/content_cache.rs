//! Caches one value that was read from what families see, until somebody, in any process, changes
//! that.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, MutexGuard, TryLockError};
use tokio::time::timeout;

use crate::db::Db;
use crate::db::content::{Current, Versions};

/// How long a caller waits for another one that is reading the value.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// Keeps one value.
pub(crate) struct ContentCache {
    versions: Versions,
    known: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
    reading: AsyncMutex<()>,
}

impl ContentCache {
    pub(crate) fn of(db: &Db) -> ContentCache {
        ContentCache {
            versions: Versions::of(db),
            known: Mutex::default(),
            reading: AsyncMutex::default(),
        }
    }

    /// The current versions, never older than this call. `None` if they cannot be determined.
    pub(crate) async fn versions(&self) -> Option<Current> {
        self.versions.current().await
    }

    pub(crate) fn get<V: Send + Sync + 'static>(&self) -> Option<Arc<V>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.and_then(|known| known.downcast().ok())
    }

    pub(crate) fn put<V: Send + Sync + 'static>(&self, value: Arc<V>) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }

    /// Waits for whoever is reading the value. `None` if that takes too long: while the database is
    /// unavailable, those who wait must not fail one after another.
    pub(crate) async fn lock(&self) -> Option<MutexGuard<'_, ()>> {
        timeout(LOCK_TIMEOUT, self.reading.lock()).await.ok()
    }

    /// Fails while somebody reads the value.
    pub(crate) fn try_lock(&self) -> Result<MutexGuard<'_, ()>, TryLockError> {
        self.reading.try_lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_waits_long_for_the_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("camp.db").display());
        let db = Db::open(&url).await.expect("a database");
        let cache = ContentCache::of(&db);
        let lock = cache.lock().await;
        assert!(lock.is_some() && cache.try_lock().is_err());
        assert!(cache.lock().await.is_none(), "whoever has the lock waits for the database");
        drop(lock);
        assert!(cache.lock().await.is_some());
        db.close().await;
    }
}
