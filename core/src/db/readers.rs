//! The connections of SQLite that read.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{Sqlite, SqliteConnection, SqlitePool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

/// How many statements read at the same time.
pub(super) const AT_ONCE: u32 = 4;
/// How long a statement waits for its turn.
pub(super) const TURN: Duration = Duration::from_secs(5);

/// For so long a connection is lent. Then the pool decides about it: a new one plans its statements with the
/// current statistics.
const LENT: Duration = Duration::from_secs(20 * 60);

/// With the time since when they are lent.
type Idle = Arc<Mutex<Vec<(PoolConnection<Sqlite>, Instant)>>>;

/// Lends connections of a pool without giving them back to it. The pool asks the thread of a connection
/// before and after each use whether it lives, which costs more than a short statement.
#[derive(Clone, Debug)]
pub struct Readers {
    pool: SqlitePool,
    turns: Arc<Semaphore>,
    idle: Idle,
}

impl Readers {
    /// The pool must have [`AT_ONCE`] connections more than what others take from it.
    pub(super) fn of(pool: SqlitePool) -> Readers {
        Readers { pool, turns: Arc::new(Semaphore::new(AT_ONCE as usize)), idle: Idle::default() }
    }

    /// # Errors
    ///
    /// When no connection is free in time, or the database is closed.
    pub(super) async fn take(&self) -> sqlx::Result<Reader> {
        // One for both waits.
        let deadline = tokio::time::Instant::now() + TURN;
        let turn = timeout_at(deadline, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let turn = turn.map_err(|_| sqlx::Error::PoolClosed)?;
        let known = held(&self.idle).pop();
        let (connection, since) = match known {
            Some(lent) => lent,
            None => {
                let connection = timeout_at(deadline, self.pool.acquire()).await;
                (connection.map_err(|_| sqlx::Error::PoolTimedOut)??, Instant::now())
            }
        };
        Ok(Reader { connection, since, idle: self.idle.clone(), turn })
    }

    /// Ends all that are not in use, and lends none any more.
    pub(super) fn close(&self) {
        self.turns.close();
        held(&self.idle).clear();
    }
}

fn held(idle: &Idle) -> MutexGuard<'_, Vec<(PoolConnection<Sqlite>, Instant)>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A borrowed connection. Dropped without [`Reader::give_back`], it goes to the pool, which looks
/// whether it can be used again.
pub(super) struct Reader {
    connection: PoolConnection<Sqlite>,
    since: Instant,
    idle: Idle,
    turn: OwnedSemaphorePermit,
}

impl Reader {
    /// For a connection whose statement has ended well.
    pub fn give_back(self) {
        let Reader { connection, since, idle, turn } = self;
        // Locked first, so that `close` misses none.
        let mut held = held(&idle);
        if !turn.semaphore().is_closed() && since.elapsed() < LENT {
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
