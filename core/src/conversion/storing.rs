//! Stores the files that a conversion made, and removes those that nobody needs.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::made::Made;
use super::work_folder;
use crate::{App, Error, Result};

/// How long to wait for an unavailable bucket, and how often to try.
const TIMEOUT: Duration = Duration::from_secs(3600);
const AGAIN: Duration = Duration::from_secs(5);

/// The prefix of the keys of all files of an upload.
pub(super) fn prefix(id: Uuid) -> String {
    format!("videos/{id}")
}

/// Stores all files of an upload, except those that an earlier worker stored. Waits for a bucket
/// that is unavailable.
pub(super) async fn put_all(app: &App, id: Uuid, made: &Made, folder: &Path) -> Result<()> {
    let begun = Instant::now();
    loop {
        match put_missing(app, id, made, folder).await {
            Err(Error::Unavailable { cause }) if begun.elapsed() < TIMEOUT => {
                tracing::warn!(upload = %id, cause, "a video waits for the bucket to be stored");
                tokio::time::sleep(AGAIN).await;
            }
            done => return done,
        }
    }
}

async fn put_missing(app: &App, id: Uuid, made: &Made, folder: &Path) -> Result<()> {
    let wanted: HashMap<String, u64> =
        made.files.iter().map(|(name, size)| (format!("{}/{name}", made.key), *size)).collect();
    let stored: HashMap<String, u64> =
        app.files.list_folder(&prefix(id)).await?.into_iter().collect();
    for (key, size) in &stored {
        // These files are from earlier attempts that were not finished.
        if wanted.get(key) != Some(size) {
            app.files.remove(key).await?;
        }
    }
    for (name, size) in &made.files {
        let key = format!("{}/{name}", made.key);
        if stored.get(&key) != Some(size) {
            app.files.put_file(&key, &folder.join(name)).await?;
        }
    }
    Ok(())
}

/// Frees the space of an upload that nobody will see. What is still in an unavailable bucket is
/// left for the next cleanup, which finds the folder.
pub(super) async fn discard(app: &App, id: Uuid) -> Result<()> {
    let folder = work_folder(app).join(id.to_string());
    if let Some(made) = Made::read(&folder).await {
        for (name, _) in &made.files {
            app.files.abandon(&folder.join(name)).await?;
        }
    }
    app.files.remove_folder(&prefix(id)).await?;
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
