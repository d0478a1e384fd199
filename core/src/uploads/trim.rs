//! Uploads that are made from the files of another one, by cutting off the ends.

use uuid::Uuid;

use super::{ConvertVideo, Rendition};
use crate::db::Tx;
use crate::ids::StaffId;
use crate::{App, Error, Result, jobs};

/// What is cut, and where.
#[derive(Debug)]
pub(crate) struct NewTrim {
    pub video_id: Uuid,
    pub staff_id: Option<StaffId>,
    /// The upload that the video shows.
    pub upload_id: Uuid,
    pub start_seconds: i64,
    pub end_seconds: i64,
}

/// Begins to cut. The result replaces what the video shows, as any other file of it does.
pub(crate) async fn begin_trim(tx: &mut Tx, app: &App, new: &NewTrim) -> Result<()> {
    let id = Uuid::now_v7();
    tx.sql(
        "insert into uploads
           (id, staff_id, video_id, file_name, size_bytes, state, progress, attempts,
            trims, trim_start_seconds, trim_end_seconds, created_at, updated_at)
         select $1, $2, $3, file_name, coalesce(stored_bytes, size_bytes), 'waiting', 0, 0,
                id, $5, $6, $7, $7
         from uploads
         where id = $4",
    )
    .bind(id)
    .bind(new.staff_id)
    .bind(new.video_id)
    .bind(new.upload_id)
    .bind(new.start_seconds)
    .bind(new.end_seconds)
    .bind(app.clock.now())
    .execute()
    .await?;
    jobs::enqueue(tx, app, &ConvertVideo { upload_id: id }).await
}

/// Returns the folder and the sizes of an upload that is ready, the best first.
pub(crate) async fn finished(app: &App, id: Uuid) -> Result<Option<(String, Vec<(u32, u32)>)>> {
    let row: Option<(String, Option<String>)> = app
        .db
        .sql("select folder, renditions from uploads where id = $1 and state = 'ready'")
        .bind(id)
        .optional()
        .await?;
    let Some((folder, renditions)) = row else { return Ok(None) };
    let renditions: Vec<Rendition> = renditions
        .as_deref()
        .map_or(Ok(Vec::new()), serde_json::from_str)
        .map_err(Error::unforeseen)?;
    let size = |one: &Rendition| Some((one.width.try_into().ok()?, one.height.try_into().ok()?));
    Ok(Some((folder, renditions.iter().filter_map(size).collect())))
}
