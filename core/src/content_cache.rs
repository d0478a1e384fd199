//! What was read of what families see, as long as nobody, in no process, has changed anything of it.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as Turn, MutexGuard, TryLockError};
use tokio::time::timeout;

use crate::db::Db;
use crate::db::content::{Current, Versions};

/// How long somebody waits for another one who reads the value.
const TURN: Duration = Duration::from_secs(1);

/// Keeps one value.
pub(crate) struct ContentCache {
    versions: Versions,
    known: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
    turn: Turn<()>,
}

impl ContentCache {
    pub(crate) fn of(db: &Db) -> ContentCache {
        ContentCache { versions: Versions::of(db), known: Mutex::default(), turn: Turn::default() }
    }

    /// The current versions, never from before this call. `None` where they cannot be told.
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

    /// Waits for whoever reads the value. `None` if that takes long: while the database is away, those who
    /// wait must not fail one after the other.
    pub(crate) async fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        timeout(TURN, self.turn.lock()).await.ok()
    }

    /// Fails while somebody reads the value.
    pub(crate) fn try_turn(&self) -> Result<MutexGuard<'_, ()>, TryLockError> {
        self.turn.try_lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_waits_long_for_a_turn() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("camp.db").display());
        let db = Db::open(&url).await.expect("a database");
        let cache = ContentCache::of(&db);
        let turn = cache.turn().await;
        assert!(turn.is_some() && cache.try_turn().is_err());
        assert!(cache.turn().await.is_none(), "whoever has the turn waits for the database");
        drop(turn);
        assert!(cache.turn().await.is_some());
        db.close().await;
    }
}
