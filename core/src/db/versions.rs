//! Tells which version of the database is the current one, so that what was read can be reused
//! until somebody, in any process, commits anything.

use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, Postgres};
use tokio::time::{Instant, timeout_at};

use super::query_cache::QueryCache;
use super::single_flight::{ANSWER_TIMEOUT, SingleFlight, Waiters, ask};
use super::{Db, commits};

/// A version of the database. As long as it is the current one, every statement reads the same
/// data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Sqlite(commits::Version),
    /// Which transactions are visible, since which checkpoint and which start of the server.
    Postgres(Arc<str>),
}

/// Reads the versions of one database.
#[derive(Clone, Debug)]
pub struct Versions(Source);

#[derive(Clone, Debug)]
enum Source {
    Sqlite(QueryCache),
    Postgres(Arc<Snapshots>),
}

impl Versions {
    pub fn of(db: &Db) -> Versions {
        Versions(match db {
            Db::Sqlite { query_cache, .. } => Source::Sqlite(query_cache.clone()),
            Db::Postgres(pool) => Source::Postgres(Arc::new(Snapshots {
                pool: pool.clone(),
                waiters: Waiters::default(),
            })),
        })
    }

    /// Whether [`Versions::current`] answers without asking the database.
    pub fn are_in_memory(&self) -> bool {
        matches!(self.0, Source::Sqlite(_))
    }

    /// The current version, never one older than this call. `None` if it cannot be determined.
    pub async fn current(&self) -> Option<Version> {
        match &self.0 {
            Source::Sqlite(query_cache) => query_cache.version().map(Kind::Sqlite).map(Version),
            Source::Postgres(snapshots) => ask(snapshots).await.map(Kind::Postgres).map(Version),
        }
    }
}

/// Asks PostgreSQL for its current snapshot.
#[derive(Debug)]
struct Snapshots {
    pool: PgPool,
    waiters: Waiters<Arc<str>>,
}

impl SingleFlight for Snapshots {
    type Answer = Arc<str>;
    type Connection = PoolConnection<Postgres>;

    fn waiters(&self) -> &Waiters<Arc<str>> {
        &self.waiters
    }

    /// A commit changes which transactions are visible before it is acknowledged, and nothing else
    /// changes what a statement reads. After a crash or a failover, transaction numbers may be used
    /// again for other transactions: a rollback, or a commit with `synchronous_commit = off`, does
    /// not wait for the disk. So a version includes the last checkpoint, because a server that
    /// recovers begins with another one.
    async fn read(&self, connection: &mut Option<PoolConnection<Postgres>>) -> Option<Arc<str>> {
        const CURRENT: &str = "select concat_ws(' ', pg_current_snapshot(), checkpoint_lsn, pg_postmaster_start_time())
             from pg_control_checkpoint()";
        let until = Instant::now() + ANSWER_TIMEOUT;
        if connection.is_none() {
            *connection = Some(timeout_at(until, self.pool.acquire()).await.ok()?.ok()?);
        }
        let asked = sqlx::query_scalar::<_, String>(CURRENT).fetch_one(&mut **connection.as_mut()?);
        if let Ok(Ok(version)) = timeout_at(until, asked).await {
            return Some(version.into());
        }
        // The connection may still be busy with the query.
        if let Some(mut broken) = connection.take() {
            broken.close_on_drop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn postgres_has_another_version_after_each_commit_of_anybody() {
        let Ok(url) = std::env::var("CAMP_TEST_POSTGRES_URL") else { return };
        let (one, other) =
            (Db::open(&url).await.expect("open"), Db::open(&url).await.expect("open"));
        let versions = Versions::of(&one);
        let mut seen = Vec::new();
        for _ in 0..3 {
            let mut tx = other.begin().await.expect("a transaction");
            tx.sql("create temp table bunks (id bigint) on commit drop")
                .execute()
                .await
                .expect("ok");
            seen.push(versions.current().await.expect("a version"));
            tx.commit().await.expect("committed");
            let after = versions.current().await.expect("a version");
            assert!(!seen.contains(&after));
            seen.push(after);
        }
        one.close().await;
        other.close().await;
        assert_eq!(versions.current().await, None, "it is closed");
    }

    #[tokio::test]
    async fn many_that_ask_at_once_are_all_answered() {
        let Ok(url) = std::env::var("CAMP_TEST_POSTGRES_URL") else { return };
        let db = Db::open(&url).await.expect("open");
        let versions = Versions::of(&db);
        for _ in 0..20 {
            let asked = (0..50).map(|_| versions.current());
            let answers = futures_util::future::join_all(asked).await;
            assert!(answers.iter().all(Option::is_some));
        }
        db.close().await;
    }
}
