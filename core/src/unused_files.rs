//! Removes files of deleted records from the object store.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::db::Tx;
use crate::jobs::{self, Job};
use crate::{App, Result};

/// A backup copies the database first, and then the files that it names, which may take hours.
const REPLACED_FILES_STAY: TimeDelta = TimeDelta::days(1);

/// Enqueues a job that removes files which others have replaced, for a time at which no backup needs
/// them any more.
pub(crate) async fn remove_replaced<J: Job>(tx: &mut Tx, app: &App, job: &J) -> Result<()> {
    jobs::enqueue_at(tx, app, job, Some(app.clock.now() + REPLACED_FILES_STAY)).await
}

/// Removes the files of a deleted video, unless another video uses them too.
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
