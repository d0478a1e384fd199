//! Removes files of deleted records from the object store.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::db::Tx;
use crate::jobs::{self, Job};
use crate::{App, Error, Result};

/// A backup copies the database first, and then the files that it names, which may take hours.
const UNUSED_FILES_STAY: TimeDelta = TimeDelta::days(1);

/// Enqueues a job that removes files which are no longer used, for a time at which no backup needs
/// them anymore.
pub(crate) async fn remove_unused<J: Job>(tx: &mut Tx, app: &App, job: &J) -> Result<()> {
    jobs::enqueue_at(tx, app, job, Some(app.clock.now() + UNUSED_FILES_STAY)).await
}

/// Stores the files of a record, then the record. A record that is there always has its files, and no
/// transaction waits for the object store meanwhile. Files of a record that is refused are removed;
/// unused ones do no harm.
pub(crate) async fn store_with<T>(
    app: &App,
    files: Vec<(String, Vec<u8>)>,
    record: impl Future<Output = Result<T>>,
) -> Result<T> {
    let keys: Vec<String> = files.iter().map(|(key, _)| key.clone()).collect();
    for (key, bytes) in files {
        app.files.put(&key, bytes).await?;
    }
    let stored = record.await;
    // After any other error, the record may exist.
    if let Err(Error::Invalid(_) | Error::NotFound(_) | Error::Conflict(_)) = stored {
        for key in keys {
            app.files.remove(&key).await.ok();
        }
    }
    stored
}

/// Removes the files of a deleted record, unless a video uses them too.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveFiles {
    pub file_key: Option<String>,
    pub thumbnail_key: Option<String>,
}

impl Job for RemoveFiles {
    const NAME: &'static str = "remove_files";

    async fn run(self, app: &App) -> Result<()> {
        for key in [self.file_key, self.thumbnail_key].into_iter().flatten() {
            let users: i64 = app
                .db
                .sql("select count(*) from videos where file_key = $1 or thumbnail_key = $1")
                .bind(&key)
                .scalar()
                .await?;
            if users == 0 {
                app.files.remove(&key).await?;
            }
        }
        Ok(())
    }
}
