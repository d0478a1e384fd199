//! Counts of people that read every family, kept until somebody, in any process, changes families,
//! users or addresses.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::Result;
use crate::db::Db;

/// The maximum number of answers that are kept.
const MAX_ANSWERS: usize = 100;

#[derive(Default)]
pub(crate) struct PeopleCache(Mutex<Known>);

#[derive(Default)]
struct Known {
    version: Option<Uuid>,
    answers: HashMap<String, Arc<dyn Any + Send + Sync>>,
}

impl PeopleCache {
    /// Returns what `read` returns, or what it returned before if nothing changed since. `question`
    /// names the result and everything that it depends on besides the database. `read` must not be
    /// part of a transaction that writes.
    pub(crate) async fn get<V: Clone + Send + Sync + 'static>(
        &self,
        db: &Db,
        question: String,
        read: impl Future<Output = Result<V>>,
    ) -> Result<V> {
        // The version is read first, so that a result that is read during a commit gets the earlier
        // version.
        let Some(version) = db.version_of_people().await? else { return read.await };
        if let Some(answer) = self.known(version).answers.get(&question)
            && let Some(answer) = answer.downcast_ref::<V>()
        {
            return Ok(answer.clone());
        }
        let answer = read.await?;
        let mut known = self.known(version);
        if known.answers.len() < MAX_ANSWERS {
            known.answers.insert(question, Arc::new(answer.clone()));
        }
        Ok(answer)
    }

    /// What is known of this version.
    fn known(&self, version: Uuid) -> MutexGuard<'_, Known> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version != Some(version) {
            *known = Known { version: Some(version), answers: HashMap::new() };
        }
        known
    }
}
