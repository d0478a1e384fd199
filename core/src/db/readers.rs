//! The connections of SQLite that read.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{Sqlite, SqliteConnection, SqlitePool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

/// The maximum number of statements that read at the same time.
pub(super) const MAX_READERS: u32 = 4;
/// How long a statement waits for a connection.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection stays out of the pool. Then it goes back to the pool, which may replace
/// it: a new connection plans its statements with the current statistics.
const MAX_AGE: Duration = Duration::from_secs(20 * 60);

/// The connections that nobody uses now, each with the time at which it left the pool.
type Idle = Arc<Mutex<Vec<(PoolConnection<Sqlite>, Instant)>>>;

/// Lends connections of a pool without giving them back to it. Before and after each use, the pool
/// asks the thread of a connection whether it is alive, which costs more than a short statement.
#[derive(Clone, Debug)]
pub struct Readers {
    pool: SqlitePool,
    permits: Arc<Semaphore>,
    idle: Idle,
}

impl Readers {
    /// The pool must have [`MAX_READERS`] more connections than others take from it.
    pub(super) fn of(pool: SqlitePool) -> Readers {
        Readers {
            pool,
            permits: Arc::new(Semaphore::new(MAX_READERS as usize)),
            idle: Idle::default(),
        }
    }

    /// # Errors
    ///
    /// When no connection is free in time, or the database is closed.
    pub(super) async fn take(&self) -> sqlx::Result<Reader> {
        // One deadline for both waits.
        let deadline = tokio::time::Instant::now() + ACQUIRE_TIMEOUT;
        let permit = timeout_at(deadline, self.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        let known = held(&self.idle).pop();
        let (connection, since) = match known {
            Some(lent) => lent,
            None => {
                let connection = timeout_at(deadline, self.pool.acquire()).await;
                (connection.map_err(|_| sqlx::Error::PoolTimedOut)??, Instant::now())
            }
        };
        Ok(Reader { connection, since, idle: self.idle.clone(), permit })
    }

    /// Closes all connections that are not in use, and lends no more.
    pub(super) fn close(&self) {
        self.permits.close();
        held(&self.idle).clear();
    }
}

fn held(idle: &Idle) -> MutexGuard<'_, Vec<(PoolConnection<Sqlite>, Instant)>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A borrowed connection. Dropped without [`Reader::release`], it goes to the pool, which checks
/// whether it can be reused.
pub(super) struct Reader {
    connection: PoolConnection<Sqlite>,
    since: Instant,
    idle: Idle,
    permit: OwnedSemaphorePermit,
}

impl Reader {
    /// Keeps the connection for the next reader, after a statement that succeeded.
    pub fn release(self) {
        let Reader { connection, since, idle, permit } = self;
        // Locked first, so that `close` misses none.
        let mut held = held(&idle);
        if !permit.semaphore().is_closed() && since.elapsed() < MAX_AGE {
            held.push((connection, since));
        }
    }
}

impl Deref for Reader {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Reader {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}
