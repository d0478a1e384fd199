//! The connections of SQLite that read.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{Sqlite, SqliteConnection, SqlitePool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many statements read at the same time.
pub(super) const AT_ONCE: u32 = 4;
/// How long a statement waits for its turn.
pub(super) const TURN: Duration = Duration::from_secs(5);

type Idle = Arc<Mutex<Vec<PoolConnection<Sqlite>>>>;

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
        let turn = tokio::time::timeout(TURN, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let turn = turn.map_err(|_| sqlx::Error::PoolClosed)?;
        let known = held(&self.idle).pop();
        let connection = match known {
            Some(connection) => connection,
            None => self.pool.acquire().await?,
        };
        Ok(Reader { connection, idle: self.idle.clone(), turn })
    }

    /// Ends all that are not in use, and lends none any more.
    pub(super) fn close(&self) {
        self.turns.close();
        held(&self.idle).clear();
    }
}

fn held(idle: &Idle) -> std::sync::MutexGuard<'_, Vec<PoolConnection<Sqlite>>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A borrowed connection. Dropped without [`Reader::give_back`], it goes to the pool, which looks
/// whether it can be used again.
pub(super) struct Reader {
    connection: PoolConnection<Sqlite>,
    idle: Idle,
    turn: OwnedSemaphorePermit,
}

impl Reader {
    /// For a connection whose statement has ended well.
    pub fn give_back(self) {
        let Reader { connection, idle, turn } = self;
        if !turn.semaphore().is_closed() {
            held(&idle).push(connection);
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
