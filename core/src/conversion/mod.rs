//! Makes the files that viewers watch out of complete uploads.

use crate::jobs::Job;
use crate::uploads::{ConvertVideo, fail_conversion, finish_conversion, staged, take_conversion};
use crate::{App, Error, Result, videos};

impl Job for ConvertVideo {
    const NAME: &'static str = "convert_video";

    /// Stores a file that plays everywhere as it is (decision V11).
    async fn run(self, app: &App) -> Result<()> {
        let id = self.upload_id;
        let Some(size) = take_conversion(app, id).await? else { return Ok(()) };
        let folder = format!("videos/{id}");
        match app.files.put_file(&format!("{folder}/file.mp4"), &staged(app, id)).await {
            Ok(()) => {}
            Err(error) => {
                app.files.remove_folder(&folder).await?;
                tracing::warn!(%id, %error, "an upload could not be stored");
                let problem = match error {
                    Error::Full => {
                        "The camp's server ran out of space. Please make room, then retry."
                    }
                    _ => "The file could not be stored. Please retry.",
                };
                return fail_conversion(app, id, problem).await;
            }
        }
        let mut tx = app.db.begin().await?;
        let finished = finish_conversion(&mut tx, app, id, &folder, size).await?;
        videos::use_upload(&mut tx, app, id).await?;
        tx.commit().await?;
        if !finished {
            // It was removed meanwhile.
            app.files.remove_folder(&folder).await?;
        }
        tokio::fs::remove_file(staged(app, id)).await.ok();
        videos::publish_due(app).await?;
        Ok(())
    }
}
