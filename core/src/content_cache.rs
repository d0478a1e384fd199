//! What was read of what families see, as long as nobody, in no process, has changed anything of it.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Turn, MutexGuard, TryLockError};

use crate::db::Db;
use crate::db::content::{Current, Versions};

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

    /// Waits for whoever reads the value.
    pub(crate) async fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Fails while somebody reads the value.
    pub(crate) fn try_turn(&self) -> Result<MutexGuard<'_, ()>, TryLockError> {
        self.turn.try_lock()
    }
}
