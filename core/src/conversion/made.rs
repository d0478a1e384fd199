//! The files that a conversion made. One more file in their folder, written last, says that they
//! are complete: a worker that takes over from a stopped one stores them and does not convert
//! again.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use crate::ffmpeg::{Converted, Cut};
use crate::{Error, Result};

const MARKER: &str = "made.json";

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Made {
    /// The prefix of the keys of its files.
    pub key: String,
    pub converted: Converted,
    /// If it was cut from the files of the video: the part that was kept.
    pub cut: Option<Cut>,
    /// Names and sizes in bytes.
    pub files: Vec<(String, u64)>,
}

impl Made {
    /// Reads what was made in that folder. `None` unless it is complete.
    pub(super) async fn read(folder: &Path) -> Option<Made> {
        let text = tokio::fs::read(folder.join(MARKER)).await.ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Marks everything in the folder as complete, so that even a power failure cannot lose it.
    pub(super) async fn mark(
        key: String,
        converted: Converted,
        cut: Option<Cut>,
        folder: &Path,
    ) -> Result<Made> {
        let mut files = Vec::new();
        let mut entries = tokio::fs::read_dir(folder).await?;
        while let Some(entry) = entries.next_entry().await? {
            let file = File::open(entry.path()).await?;
            file.sync_all().await?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push((name, file.metadata().await?.len()));
        }
        let made = Made { key, converted, cut, files };
        let new = folder.join("made-new.json");
        let mut written = File::create(&new).await?;
        written.write_all(&serde_json::to_vec(&made).map_err(Error::unforeseen)?).await?;
        written.sync_all().await?;
        tokio::fs::rename(new, folder.join(MARKER)).await?;
        Ok(made)
    }

    pub(super) fn bytes(&self) -> i64 {
        let bytes: u64 = self.files.iter().map(|(_, size)| size).sum();
        i64::try_from(bytes).unwrap_or(i64::MAX)
    }
}
