//! The database: SQLite by default or PostgreSQL, with one SQL text for both.
//!
//! This file opens it; `transaction` and `query` are how everything else uses it, and `migrations`
//! brings its schema up to date.

mod commits;
pub mod content;
mod content_versions;
mod deadlocks;
mod dedicated;
mod migrations;
mod packed;
mod query;
mod query_cache;
mod readers;
mod single_flight;
mod tallies;
pub(crate) use tallies::day_place;
mod transaction;
mod triggers;
mod versions;

use std::str::FromStr;
use std::time::Duration;

use futures_util::future::BoxFuture;
use nix::unistd::{User, geteuid};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use url::Url;

pub(crate) use deadlocks::again_after_deadlock;
pub use dedicated::Dedicated;
pub use migrations::all_migrations;
pub(crate) use migrations::newest_schema;
pub(crate) use packed::{packed, packed_by_id};
pub use query::{On, Row, Value};
pub(crate) use query::{Query, Sql, Texts, with_ids};
use query_cache::QueryCache;
use readers::Readers;
use transaction::is_reusable;
pub use transaction::{OpenTransaction, Tx};
pub use versions::{Version, Versions};

use crate::{Error, Result};

/// How many transactions of SQLite read at the same time.
const SNAPSHOTS: u32 = 4;

/// An open database.
///
/// SQLite uses one connection that writes and several that read. This is two to three times faster
/// than a pool in which every connection writes, and no request fails because another one is
/// writing.
#[derive(Clone, Debug)]
pub enum Db {
    Sqlite { write: SqlitePool, read: SqlitePool, readers: Readers, query_cache: QueryCache },
    Postgres(PgPool),
}

/// Connects as the user of this process if the address names nobody, like PostgreSQL's own programs.
fn with_user(url: &str, options: PgConnectOptions) -> PgConnectOptions {
    let is_named = Url::parse(url).is_ok_and(|url| {
        !url.username().is_empty() || url.query_pairs().any(|(name, _)| name == "user")
    });
    match User::from_uid(geteuid()) {
        Ok(Some(user)) if !is_named && std::env::var_os("PGUSER").is_none() => {
            options.username(&user.name)
        }
        _ => options,
    }
}

impl Db {
    /// Opens `sqlite://path` (created if missing) or `postgres://…` without migrating it.
    ///
    /// # Errors
    ///
    /// When the address is invalid or the database cannot be opened.
    pub async fn open(url: &str) -> Result<Db> {
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            // An unused filter (`$1 is null or …`) is free only if the planner sees the values. A
            // generic plan would read and sort whole tables.
            let options = with_user(url, PgConnectOptions::from_str(url)?)
                .application_name("camp")
                .options([("plan_cache_mode", "force_custom_plan")]);
            let pool = PgPoolOptions::new()
                .max_connections(16)
                .acquire_timeout(Duration::from_secs(5))
                .after_release(|connection, _| Box::pin(is_reusable(connection)))
                .connect_with(options)
                .await?;
            return Ok(Db::Postgres(pool));
        }
        if !url.starts_with("sqlite:") {
            return Err(Error::Usage(format!(
                "The database address must begin with sqlite:// or postgres://, not “{}”.",
                url.split(':').next().unwrap_or_default()
            )));
        }
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .pragma("temp_store", "memory")
            .optimize_on_close(true, None);
        // Connections to a file do not break, so they need no test.
        let write = SqlitePoolOptions::new()
            .test_before_acquire(false)
            .max_connections(1)
            .acquire_timeout(Duration::from_secs(10))
            .after_release(|connection, _| Box::pin(is_reusable(connection)))
            .connect_with(options.clone())
            .await?;
        let query_cache = QueryCache::of(options.get_filename().to_owned());
        let read = pool_of_readers(options).await?;
        let readers = Readers::of(read.clone());
        Ok(Db::Sqlite { write, read, readers, query_cache })
    }

    /// Opens a SQLite database that nobody writes to.
    pub(crate) async fn read_only(options: SqliteConnectOptions) -> Result<Db> {
        let query_cache = QueryCache::of(options.get_filename().to_owned());
        let read = pool_of_readers(options.read_only(true).immutable(true)).await?;
        let readers = Readers::of(read.clone());
        Ok(Db::Sqlite { write: read.clone(), read, readers, query_cache })
    }

    /// Begins a transaction that writes. On SQLite it is the only one in the process. Fails when
    /// the database is busy or unavailable.
    ///
    /// Like all futures of the database it is boxed, so that the code of connecting is compiled once and not into
    /// everything that waits for it.
    pub fn begin(&self) -> BoxFuture<'_, Result<Tx>> {
        Box::pin(async move {
            Ok(match self {
                Db::Sqlite { write, .. } => {
                    Tx::Sqlite(OpenTransaction::begin(write, "begin immediate").await?)
                }
                Db::Postgres(pool) => {
                    // Runs in its own task: sqlx 0.9.0 loses count of a `begin` that is dropped midway.
                    let pool = pool.clone();
                    let begun =
                        tokio::spawn(async move { OpenTransaction::begin(&pool, "begin").await });
                    Tx::Postgres(begun.await.map_err(Error::unforeseen)??)
                }
            })
        })
    }

    /// Begins a read-only transaction. It sees the database as of its first query.
    pub(crate) fn snapshot(&self) -> BoxFuture<'_, Result<Tx>> {
        Box::pin(async move {
            Ok(match self {
                Db::Sqlite { read, .. } => Tx::Sqlite(OpenTransaction::begin(read, "begin").await?),
                Db::Postgres(pool) => Tx::Postgres(
                    OpenTransaction::begin(
                        pool,
                        "begin isolation level repeatable read, read only",
                    )
                    .await?,
                ),
            })
        })
    }

    /// Creates a statement that runs outside a transaction.
    pub(crate) fn sql(&self, text: impl Into<Sql>) -> Query<'_> {
        On::Db(self).sql(text)
    }

    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        match self {
            Db::Sqlite { .. } => "sqlite",
            Db::Postgres(_) => "postgres",
        }
    }

    pub async fn close(&self) {
        match self {
            Db::Sqlite { write, read, readers, .. } => {
                readers.close();
                read.close().await;
                write.close().await;
            }
            Db::Postgres(pool) => pool.close().await,
        }
    }
}

async fn pool_of_readers(options: SqliteConnectOptions) -> Result<SqlitePool> {
    let pool = SqlitePoolOptions::new()
        .test_before_acquire(false)
        .max_connections(readers::MAX_READERS + SNAPSHOTS)
        .acquire_timeout(readers::ACQUIRE_TIMEOUT)
        .after_release(|connection, _| Box::pin(is_reusable(connection)))
        .connect_with(options)
        .await?;
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_user_means_the_user_of_the_process() {
        let user = |url: &str| {
            let options = PgConnectOptions::from_str(url).expect("an address");
            with_user(url, options).get_username().to_owned()
        };
        assert_eq!(user("postgres://miriam@localhost/camp"), "miriam");
        assert_eq!(user("postgres://miriam@%2Frun%2Fpostgresql/camp"), "miriam");
        assert_eq!(user("postgres:///camp?host=/run/postgresql&user=miriam"), "miriam");
        if std::env::var_os("PGUSER").is_none() {
            let us = User::from_uid(geteuid()).expect("users are known").expect("a user").name;
            assert_eq!(user("postgres:///camp?host=/run/postgresql"), us);
            assert_eq!(user("postgres://localhost/camp"), us);
        }
    }
}
