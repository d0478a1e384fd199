//! A dedicated connection of one task for many short writes, each of which is a transaction of its own.
//!
//! The pool checks before and after each use whether a connection is alive, and `begin` and
//! `commit` cost as much as a short statement. What is written here survives the end of the process
//! at once, and a power failure only after the next transaction that waits for the disk.

use sqlx::pool::PoolConnection;
use sqlx::{Database, Executor, Pool, Postgres, Sqlite};

use super::transaction::in_time;
use super::{Db, On};
use crate::Result;

pub enum Dedicated {
    Sqlite(Connection<Sqlite>),
    Postgres(Connection<Postgres>),
}

/// Dropped without [`Dedicated::release`], it is closed: the next user must not get its settings.
pub struct Connection<E: Database> {
    connection: Option<PoolConnection<E>>,
}

impl Db {
    /// Takes a connection out of the pool, on SQLite the one that writes, so it must be released soon.
    pub(crate) async fn dedicated(&self) -> Result<Dedicated> {
        Ok(match self {
            Db::Sqlite { write, .. } => {
                Dedicated::Sqlite(Connection::of(write, "pragma synchronous = normal").await?)
            }
            // The statements are few and the same each time, so their plans may be kept as well.
            Db::Postgres(pool) => Dedicated::Postgres(
                Connection::of(
                    pool,
                    "set synchronous_commit = off; set plan_cache_mode = force_generic_plan",
                )
                .await?,
            ),
        })
    }
}

impl Dedicated {
    pub(crate) async fn release(self) -> Result<()> {
        match self {
            Dedicated::Sqlite(dedicated) => dedicated.release("pragma synchronous = full").await,
            Dedicated::Postgres(dedicated) => {
                dedicated.release("reset synchronous_commit; reset plan_cache_mode").await
            }
        }
    }
}

impl<E: Database> Connection<E>
where
    for<'c> &'c mut E::Connection: Executor<'c, Database = E>,
{
    async fn of(pool: &Pool<E>, settings: &'static str) -> Result<Connection<E>> {
        let mut dedicated = Connection { connection: Some(pool.acquire().await?) };
        in_time(sqlx::raw_sql(settings).execute(dedicated.get())).await?;
        Ok(dedicated)
    }

    async fn release(mut self, settings: &'static str) -> Result<()> {
        in_time(sqlx::raw_sql(settings).execute(self.get())).await?;
        self.connection = None;
        Ok(())
    }
}

impl<E: Database> Connection<E> {
    pub(super) fn get(&mut self) -> &mut E::Connection {
        self.connection.as_mut().expect("it is not released yet")
    }
}

impl<E: Database> Drop for Connection<E> {
    fn drop(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.close_on_drop();
        }
    }
}

impl<'c> From<&'c mut Dedicated> for On<'c> {
    fn from(dedicated: &'c mut Dedicated) -> Self {
        On::Dedicated(dedicated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Tx;
    use crate::db::transaction::tests::{at_rest, engines, made, same_connection};

    /// Whether writes wait for the disk.
    async fn waits(db: &Db) -> String {
        at_rest(db).await;
        let mut tx = db.begin().await.expect("a transaction");
        let text = match &tx {
            Tx::Sqlite(_) => "select cast(synchronous as text) from pragma_synchronous",
            Tx::Postgres(_) => "select current_setting('synchronous_commit')",
        };
        let waits = tx.sql(text).scalar().await.expect("a setting");
        tx.rollback().await.expect("rolled back");
        waits
    }

    #[tokio::test]
    async fn a_dedicated_connection_waits_for_the_disk_again_before_others_get_it() {
        for db in engines().await {
            made(&db).await;
            let usual = waits(&db).await;
            at_rest(&db).await;
            let mut dedicated = db.dedicated().await.expect("a connection");
            let text = "insert into bunks (id) values (1)";
            assert_eq!(On::from(&mut dedicated).sql(text).execute().await.expect("a row"), 1);
            dedicated.release().await.expect("as it was");
            assert_eq!(waits(&db).await, usual, "{}: given back", db.engine());
            assert!(same_connection(&db).await, "{}: given back", db.engine());
            at_rest(&db).await;
            drop(db.dedicated().await.expect("a connection"));
            assert_eq!(waits(&db).await, usual, "{}: dropped", db.engine());
            assert!(!same_connection(&db).await, "{}: dropped", db.engine());
            db.close().await;
        }
    }
}
