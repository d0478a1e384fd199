//! Transactions, and whether their connection may be used again.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{Connection, Database, Executor, Pool, Postgres, SqlSafeStr, Sqlite};
use sqlx_core::transaction::TransactionManager;

use super::{On, Query, Sql};
use crate::{Error, Result, error};

/// A transaction that may write. It is rolled back when it is dropped without [`Tx::commit`].
pub enum Tx {
    Sqlite(OpenTransaction<Sqlite>),
    Postgres(OpenTransaction<Postgres>),
}

/// Work that a transaction does last, just before it commits.
type LastStep = Box<dyn for<'a> FnOnce(&'a mut Tx) -> BoxFuture<'a, Result<()>> + Send + Sync>;

/// A transaction on one engine, with what its commit will do first. sqlx's own transaction
/// type cannot give up a connection that must not be reused.
pub struct OpenTransaction<E: Database> {
    connection: PoolConnection<E>,
    /// Neither committed nor rolled back.
    open: bool,
    last_steps: Vec<LastStep>,
    /// What is called once it is committed.
    afterwards: Option<fn()>,
    /// The database ended the transaction on its own. On SQLite, later statements would be
    /// committed one by one.
    ended: bool,
}

impl<E: Database> OpenTransaction<E> {
    pub(super) async fn begin(
        pool: &Pool<E>,
        statement: &'static str,
    ) -> sqlx::Result<OpenTransaction<E>> {
        let connection = pool.acquire().await?;
        // Counts as open from here on, so that a `begin` that fails or is dropped is rolled back as
        // well.
        let mut open = OpenTransaction {
            connection,
            open: true,
            last_steps: Vec::new(),
            afterwards: None,
            ended: false,
        };
        E::TransactionManager::begin(&mut open.connection, Some(statement.into_sql_str())).await?;
        Ok(open)
    }

    async fn send_commit(&mut self) -> Result<()> {
        in_time(E::TransactionManager::commit(&mut self.connection)).await
    }

    fn committed(mut self, outcome: Result<()>) -> Result<()> {
        self.end(outcome)?;
        if let Some(call) = self.afterwards {
            call();
        }
        Ok(())
    }

    async fn rollback(mut self) -> Result<()> {
        let outcome = in_time(E::TransactionManager::rollback(&mut self.connection)).await;
        self.end(outcome)
    }

    /// Closes a connection that could not end its transaction, even if a later rollback succeeds:
    /// its state is unknown. The pool then opens another.
    fn end(&mut self, outcome: Result<()>) -> Result<()> {
        match &outcome {
            Ok(()) => self.open = false,
            Err(_) => {
                tracing::warn!(
                    "a database connection is closed because its transaction did not end"
                );
                self.connection.close_on_drop();
            }
        }
        outcome
    }

    /// Rejects statements in a transaction that the database has ended.
    pub(super) fn check(&self) -> Result<()> {
        match self.ended {
            true => Err(Error::Busy(None)),
            false => Ok(()),
        }
    }

    pub(super) fn noted<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        self.ended |= outcome.as_ref().is_err_and(error::ends_transaction);
        Ok(outcome?)
    }
}

impl OpenTransaction<Sqlite> {
    /// Lets the next commit write over the log from its beginning, so that it needs no more space. A log that has
    /// grown until the disk is full would otherwise stop all writes until somebody frees space.
    async fn reuse_log(&mut self) {
        for text in ["rollback", "pragma wal_checkpoint(passive)"] {
            // There is nothing to roll back if SQLite has ended the transaction.
            let outcome = in_time(self.connection.execute(text)).await;
            tracing::debug!(text, failed = outcome.is_err(), "the disk is full");
        }
    }
}

/// Timeout for a server to answer a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for one statement on PostgreSQL. Without it, the kernel waits about 15 minutes for a
/// server that disappeared silently.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(45);

/// Returns the statement's result, or an error if there is no answer in time.
pub(super) async fn in_time<T>(statement: impl Future<Output = sqlx::Result<T>>) -> Result<T> {
    match tokio::time::timeout(STATEMENT_TIMEOUT, statement).await {
        Ok(outcome) => Ok(outcome?),
        Err(_) => Err(Error::Busy(Some(sqlx::Error::PoolTimedOut))),
    }
}

/// Whether a connection may go back to its pool.
///
/// When the disk is full or fails, SQLite ends a transaction on its own, and the rollback that sqlx
/// sends then fails. sqlx would count the transaction as open forever, and every later transaction
/// on this connection would fail. Such a connection is closed, and the pool opens another.
pub(super) async fn is_reusable<C: Connection>(connection: &mut C) -> sqlx::Result<bool> {
    // A server that disappeared silently must not occupy the connection's place in the pool.
    let remote = C::Database::NAME == Postgres::NAME;
    if !remote && !connection.is_in_transaction() {
        return Ok(true);
    }
    // The rollback of a dropped transaction runs before the ping is answered.
    let answered = tokio::time::timeout(PING_TIMEOUT, connection.ping());
    answered.await.map_err(|_| sqlx::Error::PoolTimedOut)??;
    let reusable = !connection.is_in_transaction();
    if !reusable {
        tracing::warn!("a database connection is closed because its transaction cannot be ended");
    }
    Ok(reusable)
}

impl<E: Database> Drop for OpenTransaction<E> {
    fn drop(&mut self) {
        if self.open {
            // Only queued here. It runs before the connection is used again.
            E::TransactionManager::start_rollback(&mut self.connection);
        }
    }
}

impl<E: Database> Deref for OpenTransaction<E> {
    type Target = E::Connection;

    fn deref(&self) -> &E::Connection {
        &self.connection
    }
}

impl<E: Database> DerefMut for OpenTransaction<E> {
    fn deref_mut(&mut self) -> &mut E::Connection {
        &mut self.connection
    }
}

impl Tx {
    pub(crate) fn sql(&mut self, text: impl Into<Sql>) -> Query<'_> {
        On::Tx(self).sql(text)
    }

    /// Takes the last steps ([`Tx::before_commit`]) and commits. Fails when the database ended the
    /// transaction on its own or cannot commit; nothing is stored then.
    pub fn commit(mut self) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            let steps = match &mut self {
                Tx::Sqlite(open) => std::mem::take(&mut open.last_steps),
                Tx::Postgres(open) => std::mem::take(&mut open.last_steps),
            };
            for step in steps {
                step(&mut self).await?;
            }
            match self {
                Tx::Sqlite(mut open) => {
                    open.check()?;
                    let outcome = open.send_commit().await;
                    if matches!(outcome, Err(Error::Full)) {
                        open.reuse_log().await;
                    }
                    open.committed(outcome)
                }
                Tx::Postgres(mut open) => {
                    let outcome = open.send_commit().await;
                    open.committed(outcome)
                }
            }
        })
    }

    /// Undoes all changes of the transaction.
    pub fn rollback(self) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            match self {
                Tx::Sqlite(open) => open.rollback().await,
                Tx::Postgres(open) => open.rollback().await,
            }
        })
    }

    /// Leaves work for the end of the transaction. A number that others wait for is taken there, so
    /// that no transaction waits for it while it holds row locks.
    pub(crate) fn before_commit(
        &mut self,
        step: impl for<'a> FnOnce(&'a mut Tx) -> BoxFuture<'a, Result<()>> + Send + Sync + 'static,
    ) {
        match self {
            Tx::Sqlite(open) => open.last_steps.push(Box::new(step)),
            Tx::Postgres(open) => open.last_steps.push(Box::new(step)),
        }
    }

    /// Calls a function after the commit, and never without one. A transaction has at most one such
    /// function.
    pub(crate) fn after_commit(&mut self, call: fn()) {
        match self {
            Tx::Sqlite(open) => open.afterwards = Some(call),
            Tx::Postgres(open) => open.afterwards = Some(call),
        }
    }

    /// Lets PostgreSQL read the rows of a list in the order of an index for the rest of the transaction. Without
    /// statistics it expects few rows and sorts all of them for each part of the list.
    pub(crate) async fn without_sorting(&mut self) -> Result<()> {
        if let Tx::Postgres(_) = self {
            self.sql("select set_config('enable_sort', 'off', true)").execute().await?;
        }
        Ok(())
    }

    /// Serializes transactions that use the same `name`, for rules that span several rows ("the
    /// last owner stays"). SQLite has a single writer, so nothing is needed there.
    pub(crate) async fn lock(&mut self, name: &str) -> Result<()> {
        if let Tx::Postgres(_) = self {
            self.sql("select pg_advisory_xact_lock(hashtext($1))").bind(name).execute().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::db::Db;

    /// SQLite, and PostgreSQL if the tests have a server.
    pub(in crate::db) async fn engines() -> Vec<Db> {
        let mut urls = vec!["sqlite::memory:".to_owned()];
        urls.extend(std::env::var("CAMP_TEST_POSTGRES_URL"));
        let mut engines = Vec::new();
        for url in urls {
            engines.push(Db::open(&url).await.expect("a database"));
        }
        engines
    }

    /// Temporary tables belong to one connection, so they show which connection is used.
    pub(in crate::db) async fn made(db: &Db) {
        at_rest(db).await;
        let mut tx = db.begin().await.expect("a transaction");
        for text in [
            "create temp table bunks (id bigint primary key)",
            "create temp table boys (bunk bigint references bunks (id) deferrable initially deferred)",
        ] {
            tx.sql(text).execute().await.expect("a table");
        }
        tx.commit().await.expect("committed");
    }

    /// Waits, because a connection is returned to its pool, or closed, in a separate task.
    pub(in crate::db) async fn at_rest(db: &Db) {
        let Db::Postgres(pool) = db else { return };
        while pool.num_idle() < pool.size() as usize {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(in crate::db) async fn same_connection(db: &Db) -> bool {
        at_rest(db).await;
        let mut tx = db.begin().await.expect("a transaction");
        let count = tx.sql("select count(*) from boys").scalar::<i64>().await;
        tx.rollback().await.expect("rolled back");
        count.is_ok_and(|count| count == 0)
    }

    #[tokio::test]
    async fn a_connection_whose_commit_failed_is_thrown_away() {
        for db in engines().await {
            made(&db).await;
            assert!(same_connection(&db).await, "{}: it is used again", db.engine());
            // After a rollback, explicit or by dropping, the connection is reusable.
            at_rest(&db).await;
            let mut tx = db.begin().await.expect("a transaction");
            tx.sql("insert into bunks (id) values (1)").execute().await.expect("a row");
            drop(tx);
            assert!(same_connection(&db).await, "{}: after a roll-back", db.engine());
            // The commit is refused. A rollback afterwards would succeed.
            at_rest(&db).await;
            let mut tx = db.begin().await.expect("a transaction");
            tx.sql("insert into boys (bunk) values (7)").execute().await.expect("a row");
            tx.commit().await.expect_err("there is no such bunk");
            assert!(!same_connection(&db).await, "{}: after a commit that failed", db.engine());
            // The pool has opened another connection.
            made(&db).await;
            assert!(same_connection(&db).await, "{}: a new one", db.engine());
            db.close().await;
        }
    }
}
