//! Takes over files of this machine.

use std::path::Path;

use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use uuid::Uuid;

use super::create::begin;
use super::receive::finish;
use super::{NewUpload, staged};
use crate::settings::Settings;
use crate::{App, Error, Result, root};

const PART: usize = 1 << 20;

/// Copies a file of this machine to an upload, which then waits for its conversion. `progress`
/// receives the bytes so far.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` for a file that is not a video or for which there is no space.
pub(crate) async fn add_file(
    app: &App,
    settings: &Settings,
    path: &Path,
    mut progress: impl FnMut(u64) + Send,
) -> Result<Uuid> {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let size_bytes = root::on_named(|| path.metadata())?.len() as i64;
    let row = begin(app, settings, None, &NewUpload { file_name, size_bytes }).await?;
    let place = staged(app, row.id);
    let added = async {
        copy(path, &place, &mut progress).await?;
        finish(app, &row).await
    };
    if let Err(error) = added.await {
        tokio::fs::remove_file(&place).await.ok();
        let mut tx = app.db.begin().await?;
        tx.sql("delete from uploads where id = $1").bind(row.id).execute().await?;
        tx.commit().await?;
        return Err(error);
    }
    Ok(row.id)
}

async fn copy(from: &Path, to: &Path, progress: &mut (impl FnMut(u64) + Send)) -> Result<()> {
    let unreadable = |error: std::io::Error| {
        let text = format!("It cannot be read: {error}. Please check the file and run this again.");
        Error::invalid("file", text)
    };
    let mut source = File::from_std(root::open_named(from).map_err(unreadable)?);
    let mut target = File::create(to).await?;
    let mut part = vec![0; PART];
    let mut done = 0;
    loop {
        let length = source.read(&mut part).await.map_err(unreadable)?;
        if length == 0 {
            break;
        }
        target.write_all(&part[..length]).await?;
        done += length as u64;
        progress(done);
    }
    target.flush().await?;
    Ok(target.sync_data().await?)
}
