//! Tells which version of what families see is the current one, so that an answer can be reused
//! until somebody, in any process, changes anything that it shows (`content_versions`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, Postgres};
use sqlx::sqlite::{Sqlite, SqlitePool};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::content_versions::{CONTENT, NUMBERS, PERSONAL};
use super::query_cache::QueryCache;
use super::single_flight::{ANSWER_TIMEOUT, SingleFlight, Waiters, ask};
use super::{Db, commits};

/// A version of what families see, apart from counts of views, likes and comments. As long as it is
/// the current one, families see the same. It is random, so that it never occurs again with another
/// meaning, as a number could after a crash or after restoring a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(Uuid);

/// The current versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    pub content: Version,
    /// The version of what all parents together watched and like.
    pub personal: Version,
    /// The version of the numbers of views, likes and comments of videos.
    pub numbers: Version,
}

/// Reads the versions of one database.
#[derive(Clone, Debug)]
pub struct Versions(Arc<Reading>);

#[derive(Debug)]
struct Reading {
    source: Source,
    waiters: Waiters<Current>,
}

#[derive(Debug)]
enum Source {
    Sqlite {
        read: SqlitePool,
        query_cache: QueryCache,
        /// The last answer. It is current as long as nobody has committed since.
        known: Mutex<Option<(commits::Version, Current)>>,
    },
    Postgres(PgPool),
}

/// The connection of the query. It is kept as long as a request waits.
enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

impl Versions {
    pub fn of(db: &Db) -> Versions {
        let source = match db {
            Db::Sqlite { read, query_cache, .. } => {
                let (read, query_cache) = (read.clone(), query_cache.clone());
                Source::Sqlite { read, query_cache, known: Mutex::default() }
            }
            Db::Postgres(pool) => Source::Postgres(pool.clone()),
        };
        Versions(Arc::new(Reading { source, waiters: Waiters::default() }))
    }

    /// The current versions, never older than this call. `None` if they cannot be determined.
    pub async fn current(&self) -> Option<Current> {
        match self.0.known() {
            Some(version) => Some(version),
            None => Box::pin(ask(&self.0)).await,
        }
    }
}

impl Reading {
    /// The version, if nobody has committed anything since it was read.
    fn known(&self) -> Option<Current> {
        let Source::Sqlite { query_cache, known, .. } = &self.source else { return None };
        let (of, version) = (*held(known))?;
        (query_cache.version() == Some(of)).then_some(version)
    }
}

impl SingleFlight for Reading {
    type Answer = Current;
    type Connection = Connection;

    fn waiters(&self) -> &Waiters<Current> {
        &self.waiters
    }

    async fn read(&self, connection: &mut Option<Connection>) -> Option<Current> {
        // Read before the versions, so that a commit in between causes them to be read again.
        let of = match &self.source {
            Source::Sqlite { query_cache, .. } => Some(query_cache.version()?),
            Source::Postgres(_) => None,
        };
        let until = Instant::now() + ANSWER_TIMEOUT;
        let mut used = match connection.take() {
            Some(connection) => connection,
            None => timeout_at(until, self.connection()).await.ok()??,
        };
        match timeout_at(until, used.version()).await {
            Ok(Ok(tokens)) => {
                *connection = Some(used);
                let (content, personal, numbers) = tokens?;
                let version = Current {
                    content: Version(content),
                    personal: Version(personal),
                    numbers: Version(numbers),
                };
                if let (Source::Sqlite { known, .. }, Some(of)) = (&self.source, of) {
                    *held(known) = Some((of, version));
                }
                Some(version)
            }
            // The connection may still be busy with the query.
            _ => {
                used.close_on_drop();
                None
            }
        }
    }
}

impl Reading {
    async fn connection(&self) -> Option<Connection> {
        Some(match &self.source {
            Source::Sqlite { read, .. } => Connection::Sqlite(read.acquire().await.ok()?),
            Source::Postgres(pool) => Connection::Postgres(pool.acquire().await.ok()?),
        })
    }
}

impl Connection {
    async fn version(&mut self) -> sqlx::Result<Option<(Uuid, Uuid, Uuid)>> {
        const CURRENT: &str = "select c.token, p.token, n.token
             from content_versions c
             join content_versions p on p.name = $2
             join content_versions n on n.name = $3
             where c.name = $1";
        match self {
            Connection::Sqlite(used) => {
                sqlx::query_as(CURRENT)
                    .bind(CONTENT)
                    .bind(PERSONAL)
                    .bind(NUMBERS)
                    .fetch_optional(&mut **used)
                    .await
            }
            Connection::Postgres(used) => {
                sqlx::query_as(CURRENT)
                    .bind(CONTENT)
                    .bind(PERSONAL)
                    .bind(NUMBERS)
                    .fetch_optional(&mut **used)
                    .await
            }
        }
    }

    fn close_on_drop(&mut self) {
        match self {
            Connection::Sqlite(used) => used.close_on_drop(),
            Connection::Postgres(used) => used.close_on_drop(),
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes of a camp, on each engine.
    async fn camps(folder: &std::path::Path) -> Vec<[Db; 2]> {
        let mut urls = vec![format!("sqlite://{}", folder.join("camp.db").display())];
        if let Ok(server) = std::env::var("CAMP_TEST_POSTGRES_URL") {
            let name = format!("versions_{}", Uuid::now_v7().simple());
            let admin = Db::open(&server).await.expect("a server");
            run(&admin, format!("create database {name}")).await;
            let (address, _) = server.rsplit_once('/').expect("an address");
            urls.push(format!("{address}/{name}"));
        }
        let mut camps = Vec::new();
        for url in urls {
            let db = Db::open(&url).await.expect("a database");
            db.migrate().await.expect("migrated");
            camps.push([db, Db::open(&url).await.expect("a database")]);
        }
        camps
    }

    async fn run(db: &Db, text: String) {
        let text = sqlx::raw_sql(sqlx::AssertSqlSafe(text));
        match db {
            Db::Sqlite { write, .. } => drop(text.execute(write).await.expect("it runs")),
            Db::Postgres(pool) => drop(text.execute(pool).await.expect("it runs")),
        }
    }

    async fn end([one, other]: [Db; 2]) {
        other.close().await;
        if let Db::Postgres(pool) = &one {
            let name: String = sqlx::query_scalar("select current_database()")
                .fetch_one(pool)
                .await
                .expect("a name");
            let server = std::env::var("CAMP_TEST_POSTGRES_URL").expect("a server");
            let admin = Db::open(&server).await.expect("a server");
            run(&admin, format!("drop database {name} with (force)")).await;
            admin.close().await;
        }
        one.close().await;
    }

    const SETTING: &str = "insert into settings (key, value, updated_at, updated_by)
        values ('siteName', '\"Camp\"', '2026-07-01 00:00:00+00:00', 'a test')";

    async fn add_answer(db: &Db) {
        let mut tx = db.begin().await.expect("a transaction");
        tx.sql(
            "insert into faq (id, slug, question, answer, category, is_published, position,
               view_count, search_text, version, created_at, updated_at)
             values ($1, 'lunch', 'Lunch?', 'Yes.', 'Schedule', true, 1, 0, 'lunch', 1,
               '2026-07-01 00:00:00+00:00', '2026-07-01 00:00:00+00:00')",
        )
        .bind(Uuid::nil())
        .execute()
        .await
        .expect("an answer");
        tx.commit().await.expect("committed");
    }

    #[tokio::test]
    async fn each_change_of_what_is_shown_makes_another_version_and_nothing_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        for [one, other] in camps(folder.path()).await {
            let versions = Versions::of(&one);
            let mut seen = vec![versions.current().await.expect("a version")];
            add_answer(&other).await;
            for text in [
                SETTING,
                "update settings set value = '\"Lake\"'",
                "delete from settings",
                "update faq set position = position + 1",
            ] {
                let before = versions.current().await.expect("a version");
                let mut tx = other.begin().await.expect("a transaction");
                tx.sql(text).execute().await.expect("written");
                assert_eq!(versions.current().await, Some(before), "{text}: no commit yet");
                tx.commit().await.expect("committed");
                let new = versions.current().await.expect("a version");
                assert!(!seen.contains(&new), "{}: {text}", one.engine());
                seen.push(new);
            }
            let last = versions.current().await;
            for text in [
                "update faq set view_count = view_count + 1",
                "insert into worker_beats (worker, beat_at) select id, created_at from faq",
            ] {
                run(&other, text.to_owned()).await;
                assert_eq!(versions.current().await, last, "{}: {text}", one.engine());
            }
            let mut tx = other.begin().await.expect("a transaction");
            tx.sql(SETTING).execute().await.expect("written");
            tx.rollback().await.expect("rolled back");
            assert_eq!(versions.current().await, last);
            end([one, other]).await;
            assert_eq!(versions.current().await, None, "it is closed");
        }
    }

    #[tokio::test]
    async fn triggers_that_are_missing_or_others_are_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        for [one, other] in camps(folder.path()).await {
            let versions = Versions::of(&one);
            add_answer(&other).await;
            let first = versions.current().await;
            assert!(first.is_some());
            one.migrate().await.expect("migrated");
            assert_eq!(versions.current().await, first, "nothing was to do");
            run(&other, "alter table faq add column bunk text".into()).await;
            one.migrate().await.expect("migrated");
            let second = versions.current().await;
            assert!(second.is_some() && second != first);
            run(&other, "update faq set bunk = '7'".into()).await;
            assert_ne!(versions.current().await, second, "{}", one.engine());
            one.end_content_versions().await.expect("ended");
            assert_eq!(versions.current().await, None, "nothing is kept during a migration");
            one.migrate().await.expect("migrated");
            assert!(versions.current().await.is_some());
            end([one, other]).await;
        }
    }

    #[tokio::test]
    async fn many_that_ask_at_once_are_all_answered() {
        let folder = tempfile::tempdir().expect("a folder");
        for [one, other] in camps(folder.path()).await {
            let versions = Versions::of(&one);
            for _ in 0..20 {
                run(&other, "update faq set view_count = view_count + 1".into()).await;
                let asked = (0..50).map(|_| versions.current());
                let answers = futures_util::future::join_all(asked).await;
                assert!(answers.iter().all(Option::is_some));
            }
            end([one, other]).await;
        }
    }
}
