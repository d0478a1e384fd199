//! Frees the space of uploads that nobody goes on with.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::remove::enqueue;
use super::{State, find, folder, staged};
use crate::{App, Result};

/// How long an upload is kept without a new byte, or without a form that is saved with it.
const RETENTION: TimeDelta = TimeDelta::days(1);
const UNFINISHED: &str = "The upload was not finished within a day. Please upload the file again.";

/// Removes uploads of which nothing arrived for a day, and finished ones that no form was saved
/// with. For a video that waits for its file, staff see why it does not come. Also removes files
/// that no upload needs.
pub async fn prune(app: &App) -> Result<()> {
    let before = app.clock.now() - RETENTION;
    let stalled: Vec<(Uuid,)> = app
        .db
        .sql(
            "select id from uploads
             where updated_at < $1
               and (state = 'uploading'
                    or video_id is null and state in ('waiting', 'ready', 'failed'))
             order by updated_at
             limit 500",
        )
        .bind(before)
        .all()
        .await?;
    for (id,) in stalled {
        let file = staged(app, id);
        if !is_written(&file) && !is_younger(&file, before) {
            prune_one(app, id).await?;
        }
    }
    for (path, _) in left_over(app).await? {
        tokio::fs::remove_file(path).await?;
    }
    Ok(())
}

/// Returns the files of uploads that have no row, or that are ready and no longer need them, with
/// their sizes in bytes. Processes that were killed between two steps left them. Files of the last
/// day are not included, because their row may still follow.
pub(crate) async fn left_over(app: &App) -> Result<Vec<(PathBuf, u64)>> {
    let before = app.clock.now() - RETENTION;
    let mut found = Vec::new();
    let Ok(mut entries) = tokio::fs::read_dir(folder(app)).await else { return Ok(found) };
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<Uuid>().ok()) else { continue };
        let path = entry.path();
        if is_younger(&path, before) {
            continue;
        }
        if find(&app.db, id).await?.is_none_or(|row| row.state == State::Ready) {
            let Ok(file) = entry.metadata().await else { continue };
            found.push((path, file.len()));
        }
    }
    Ok(found)
}

async fn prune_one(app: &App, id: Uuid) -> Result<()> {
    let before = app.clock.now() - RETENTION;
    let mut tx = app.db.begin().await?;
    let removed = tx
        .sql(
            "delete from uploads
             where id = $1 and updated_at < $2 and video_id is null
               and state in ('uploading', 'waiting', 'ready', 'failed')
             returning id, folder",
        )
        .bind(id)
        .bind(before)
        .all()
        .await?;
    enqueue(&mut tx, app, removed).await?;
    let failed: Vec<(Uuid, Option<String>)> = tx
        .sql(
            "update uploads
             set state = 'failed', problem = $3, updated_at = $4
             where id = $1 and updated_at < $2 and state = 'uploading'
             returning id, folder",
        )
        .bind(id)
        .bind(before)
        .bind(UNFINISHED)
        .bind(app.clock.now())
        .all()
        .await?;
    enqueue(&mut tx, app, failed).await?;
    tx.commit().await
}

/// Whether the file was written after that time. The row does not show this for a long request if
/// the process was killed.
fn is_younger(path: &Path, than: DateTime<Utc>) -> bool {
    let written = path.metadata().and_then(|file| file.modified());
    written.is_ok_and(|written| DateTime::<Utc>::from(written) > than)
}

/// Whether a request of any process writes to the file: a long one may take more than a day.
fn is_written(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}
