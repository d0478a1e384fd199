//! Removes files of deleted records from the object store.

use serde::{Deserialize, Serialize};

use crate::jobs::Job;
use crate::{App, Result};

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
