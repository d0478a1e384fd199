//! Removes uploads with everything that belongs to them.

use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{NOT_FOUND, find, staged};
use crate::audit::{self, Action, Actor};
use crate::db::Tx;
use crate::jobs::{self, Job};
use crate::unused_files::remove_unused;
use crate::{App, Error, Result};

/// Removes the files of an upload whose row is gone.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveUpload {
    pub upload_id: Uuid,
    pub folder: Option<String>,
}

impl Job for RemoveUpload {
    const NAME: &'static str = "remove_upload";

    async fn run(self, app: &App) -> Result<()> {
        match tokio::fs::remove_file(staged(app, self.upload_id)).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        match self.folder {
            Some(folder) => app.files.remove_folder(&folder).await,
            None => Ok(()),
        }
    }
}

/// Removes an upload that no video shows: it is canceled, or its replacement is not wanted. Returns
/// its video.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for the file that a video shows.
pub(crate) async fn discard(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
) -> Result<Option<Uuid>> {
    let row = find(&mut *tx, id).await?.ok_or(NOT_FOUND)?;
    // A video shows the upload of it that is ready. A subquery on the videos would not see a
    // transaction that shows this upload right now: after waiting for it, PostgreSQL reads only the
    // row itself again.
    let removed: Vec<(Uuid, Option<String>)> = tx
        .sql(
            "delete from uploads
             where id = $1 and not (state = 'ready' and video_id is not null)
             returning id, folder",
        )
        .bind(id)
        .all()
        .await?;
    if removed.is_empty() {
        return Err(Error::Conflict(
            "This is the file that the video shows. Please replace it, or delete the video.",
        ));
    }
    let details = json!({ "file_name": row.file_name, "size_bytes": row.size_bytes });
    let now = app.clock.now();
    audit::record(tx, now, actor, Action::VideoUploadCancel, row.subject(), details).await?;
    enqueue(tx, app, removed).await?;
    Ok(row.video_id)
}

/// Removes all uploads of a video.
pub(crate) async fn remove_all(tx: &mut Tx, app: &App, video_id: Uuid) -> Result<()> {
    let removed = tx
        .sql("delete from uploads where video_id = $1 returning id, folder")
        .bind(video_id)
        .all()
        .await?;
    enqueue(tx, app, removed).await
}

/// Removes the uploads of a video that another one replaces, or with `None` a link.
pub(crate) async fn remove_others(
    tx: &mut Tx,
    app: &App,
    video_id: Uuid,
    id: Option<Uuid>,
) -> Result<()> {
    let removed: Vec<(Uuid, Option<String>)> = tx
        .sql(
            "delete from uploads
             where video_id = $1 and ($2 is null or id <> $2)
             returning id, folder",
        )
        .bind(video_id)
        .bind(id)
        .all()
        .await?;
    let (shown, pending): (Vec<_>, Vec<_>) =
        removed.into_iter().partition(|(_, folder)| folder.is_some());
    enqueue(tx, app, pending).await?;
    for (upload_id, folder) in shown {
        remove_unused(tx, app, &RemoveUpload { upload_id, folder }).await?;
    }
    Ok(())
}

/// Removes the uploads of a video that are not ready and that a newer one replaces.
pub(crate) async fn remove_pending(tx: &mut Tx, app: &App, video_id: Uuid, id: Uuid) -> Result<()> {
    let removed = tx
        .sql(
            "delete from uploads
             where video_id = $1 and id <> $2 and state <> 'ready'
             returning id, folder",
        )
        .bind(video_id)
        .bind(id)
        .all()
        .await?;
    enqueue(tx, app, removed).await
}

pub(super) async fn enqueue(
    tx: &mut Tx,
    app: &App,
    removed: Vec<(Uuid, Option<String>)>,
) -> Result<()> {
    for (upload_id, folder) in removed {
        jobs::enqueue(tx, app, &RemoveUpload { upload_id, folder }).await?;
    }
    Ok(())
}
