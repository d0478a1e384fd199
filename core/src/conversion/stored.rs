//! Converts files that videos already show: those of imports, and of the sample camp.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use serde_json::json;
use uuid::Uuid;

use super::{convert, installed};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::uploads::conversion::{Stored, begin_stored, outcome};
use crate::uploads::staged;
use crate::{App, Error, Result, videos};

/// How the conversion of a stored file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With the sizes that viewers can choose from, the best first.
    Converted(Vec<String>),
    /// A sentence for staff.
    Failed(String),
}

/// How many videos show a converted file that was not uploaded in the staff area.
pub(crate) async fn converted_stored(app: &App) -> Result<i64> {
    app.db
        .sql(
            "select count(*) from videos v
             join uploads u on u.id = v.media_upload_id
             where u.state = 'ready' and u.staff_id is null",
        )
        .scalar()
        .await
}

/// Converts the file that a video shows, and lets the video show the result, which is recorded in
/// the audit log if there is an `actor`. `progress` receives percentages. Until then, and if it
/// fails, the video shows what it showed before.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for a video without a file of its own or whose file was
/// converted already, [`Error::Setup`] without ffmpeg.
pub async fn convert_stored(
    app: &App,
    actor: Option<Actor>,
    video_id: Uuid,
    progress: Arc<AtomicU8>,
) -> Result<Outcome> {
    if !installed(app) {
        return Err(Error::Setup(
            "ffmpeg is not installed. Please install it, or name it with --ffmpeg.".into(),
        ));
    }
    let file = videos::unconverted_file(app, video_id).await?;
    let _permit = app.converting.acquire().await.map_err(Error::unforeseen)?;
    let id = Uuid::now_v7();
    let copy = staged(app, id);
    if let Some(folder) = copy.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    let begun = async {
        app.files.copy_to(&file.key, &copy).await?;
        let size_bytes = tokio::fs::metadata(&copy).await?.len() as i64;
        begin_stored(app, Stored { id, video_id, file_name: &file.name, size_bytes }).await
    };
    let claimed = match begun.await {
        Ok(claimed) => claimed,
        Err(error) => {
            tokio::fs::remove_file(&copy).await.ok();
            return Err(error);
        }
    };
    convert(app, &claimed, progress).await?;
    let renditions = match outcome(app, id).await? {
        Ok(renditions) => renditions,
        Err(problem) => return Ok(Outcome::Failed(problem)),
    };
    if let Some(actor) = actor {
        let subject = Subject::new(SubjectKind::Video, video_id);
        let details = json!({ "sizes": renditions });
        let mut tx = app.db.begin().await?;
        let now = app.clock.now();
        audit::record(&mut tx, now, actor, Action::VideoConvert, subject, details).await?;
        tx.commit().await?;
    }
    Ok(Outcome::Converted(renditions))
}
