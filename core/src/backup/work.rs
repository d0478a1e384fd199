//! The folder in which a restore is prepared.

use std::path::{Path, PathBuf};

use super::archive::Parts;
use super::sqlite::unless_gone;
use super::swap;
use super::target::Target;
use crate::Result;

/// The folder in which a camp is prepared. It is deleted when it is dropped.
pub(super) struct Work(PathBuf);

impl Work {
    pub(super) fn begin(data_dir: &Path) -> Result<Work> {
        use std::os::unix::fs::DirBuilderExt;
        let folder = data_dir.join(".restoring");
        // Removes what a killed process left.
        std::fs::remove_dir_all(&folder).or_else(unless_gone)?;
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Work(folder))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    pub(super) fn parts(&self) -> Parts {
        Parts {
            database: self.0.join("camp.db"),
            files: self.0.join("files"),
            uploads: self.0.join("uploads"),
        }
    }

    pub(super) fn old(&self) -> PathBuf {
        self.0.join("old")
    }

    /// Gives the existing camp a second name, so that it stays complete when its own name is taken.
    pub(super) fn keep_old(&self, database: &Path, target: &Target) -> Result<()> {
        for ending in ["", "-wal", "-shm"] {
            let part = beside(database, ending);
            if part.exists() {
                swap::link(&part, &self.old().join(format!("camp.db{ending}")))?;
            }
        }
        self.keep_old_files(target)
    }

    pub(super) fn keep_old_files(&self, target: &Target) -> Result<()> {
        if let Some(files) = &target.files {
            swap::link_all(files, &self.old().join("files"))?;
        }
        Ok(swap::link_all(&target.uploads, &self.old().join("uploads"))?)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

pub(super) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
