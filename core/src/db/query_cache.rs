//! Caches the results of queries until somebody commits.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::Db;
use super::commits::{Commits, Version};
use crate::Result;

/// The maximum number of cached answers.
const MAX_ANSWERS: usize = 2_000;

/// What was asked: a name for the question, and the ids in it.
pub(crate) type Question = (&'static str, Uuid, Uuid);

type Answers = HashMap<(Question, TypeId), Arc<dyn Any + Send + Sync>>;

/// The cache of a SQLite database.
#[derive(Clone, Debug)]
pub struct QueryCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    commits: Commits,
    known: Mutex<(Option<Version>, Answers)>,
}

impl QueryCache {
    /// The cache of the database in this file.
    pub(super) fn of(database: PathBuf) -> QueryCache {
        QueryCache(Arc::new(Inner { commits: Commits::of(database), known: Mutex::default() }))
    }

    /// The current version of the database, if it can be told.
    pub(super) fn version(&self) -> Option<Version> {
        self.0.commits.version()
    }

    fn get<V: Clone + 'static>(&self, question: Question, version: Version) -> Option<V> {
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, answers) = &mut *known;
        if *of != Some(version) {
            *of = Some(version);
            answers.clear();
        }
        answers.get(&(question, TypeId::of::<V>()))?.downcast_ref().cloned()
    }

    fn put<V: Send + Sync + 'static>(&self, question: Question, version: Version, answer: V) {
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, answers) = &mut *known;
        if *of == Some(version) && answers.len() < MAX_ANSWERS {
            answers.insert((question, TypeId::of::<V>()), Arc::new(answer));
        }
    }
}

impl Db {
    /// Returns what `read` returns, or what it returned before if nobody, in any process, has
    /// committed anything since. The answer is never older than this call. PostgreSQL is always
    /// asked.
    pub(crate) async fn cached<V: Clone + Send + Sync + 'static>(
        &self,
        question: Question,
        read: impl Future<Output = Result<V>>,
    ) -> Result<V> {
        let Db::Sqlite { query_cache, .. } = self else { return read.await };
        // The version is read first, so that a result that is read during a commit gets the earlier
        // version.
        let Some(version) = query_cache.version() else { return read.await };
        if let Some(answer) = query_cache.get(question, version) {
            return Ok(answer);
        }
        let answer = read.await?;
        query_cache.put(question, version, answer.clone());
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn what_was_read_is_read_again_only_after_a_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("camp.db").display());
        let db = Db::open(&url).await.expect("a database");
        let mut tx = db.begin().await.expect("a transaction");
        tx.sql("create table numbers (number integer)").execute().await.expect("a table");
        tx.commit().await.expect("a commit");
        let asked = Cell::new(0);
        let count = async || {
            let read = async {
                asked.set(asked.get() + 1);
                db.sql("select count(*) from numbers").scalar::<i64>().await
            };
            db.cached(("numbers", Uuid::nil(), Uuid::nil()), read).await.expect("a number")
        };
        assert_eq!((count().await, count().await, asked.get()), (0, 0, 1));
        let mut tx = db.begin().await.expect("a transaction");
        tx.sql("insert into numbers values (7)").execute().await.expect("a row");
        assert_eq!((count().await, asked.get()), (0, 1));
        tx.commit().await.expect("a commit");
        assert_eq!((count().await, count().await, asked.get()), (1, 1, 2));
        db.close().await;
    }
}
