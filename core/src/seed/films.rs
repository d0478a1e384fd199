//! Makes the sample films as large as those of a phone, so that a conversion makes every size of them.

use std::sync::Arc;

use uuid::Uuid;

use crate::ffmpeg::{self, Tools};
use crate::uploads::staged;
use crate::{App, Error, Result, conversion, videos};

/// How many of the newest sample videos get all sizes.
const CONVERTED: i64 = 12;

/// Converts the newest sample videos, so that they play as uploads do. Goes on where an earlier run
/// ended, and does nothing without ffmpeg.
///
/// # Errors
///
/// Those of the database and of the files.
pub async fn convert_newest(app: &App) -> Result<()> {
    let Some(tools) = Tools::find(&app.config) else { return Ok(()) };
    let missing = CONVERTED - conversion::converted_stored(app).await?;
    for video in videos::unconverted(app, missing.max(0)).await? {
        enlarge(app, &tools, video.id).await?;
        conversion::convert_stored(app, None, video.id, Arc::default()).await?;
    }
    Ok(())
}

async fn enlarge(app: &App, tools: &Tools, video_id: Uuid) -> Result<()> {
    let key = videos::unconverted_file(app, video_id).await?.key;
    let (small, large) = (staged(app, Uuid::now_v7()), staged(app, Uuid::now_v7()));
    if let Some(folder) = small.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    app.files.copy_to(&key, &small).await?;
    let enlarged = async {
        ffmpeg::enlarge(tools, &small, &large).await.map_err(Error::unforeseen)?;
        app.files.put_file(&key, &large).await
    };
    let enlarged = enlarged.await;
    for file in [&small, &large] {
        tokio::fs::remove_file(file).await.ok();
    }
    enlarged
}
