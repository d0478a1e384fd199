//! The object store: a folder by default, or S3. The server generates all names.
//!
//! A bucket may be unavailable: every call then ends within its timeout with [`Error::Unavailable`].

mod bucket;
mod buffers;
mod folder;
mod parts;

use std::io;
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use url::Url;

use self::bucket::{Bucket, CALL, FIRST_BYTES, SLOWEST, refusal, silent, unless_silent, within};
use crate::config::Storage;
use crate::{Error, Result};

const GONE: Error = Error::NotFound("This file no longer exists.");

#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// A bucket, which receives large files in parts.
    parts: Option<Arc<dyn MultipartStore>>,
    bucket: Option<Bucket>,
    /// The folder, unless it is a bucket.
    pub folder: Option<PathBuf>,
}

/// A byte range of a file, as a stream.
pub struct FileRange {
    /// The size of the whole file in bytes.
    pub size: u64,
    /// The range of the bytes in the stream.
    pub range: Range<u64>,
    pub bytes: BoxStream<'static, io::Result<Bytes>>,
}

impl Files {
    /// Opens `s3://bucket/prefix` (keys and region from the usual `AWS_…` variables) or a folder,
    /// which is created if missing.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for an invalid address, [`Error::Setup`] when the store cannot be opened.
    pub fn open(storage_url: Option<&str>, data_dir: &FilePath) -> Result<Files> {
        let storage =
            Storage::of(storage_url, data_dir).map_err(|wrong| Error::Usage(wrong.into()))?;
        match storage {
            Storage::Bucket(url) => {
                let (bucket, store) = Bucket::open(&url)?;
                let parts = Some(store.clone() as Arc<dyn MultipartStore>);
                Ok(Files { store, parts, bucket: Some(bucket), folder: None })
            }
            Storage::Folder(folder) => {
                std::fs::create_dir_all(&folder).map_err(|e| {
                    Error::Setup(format!("The folder {} cannot be made: {e}", folder.display()))
                })?;
                let local = LocalFileSystem::new_with_prefix(&folder)
                    .map_err(|e| Error::Setup(format!("The object store cannot be used: {e}")))?;
                Ok(Files {
                    store: Arc::new(local),
                    parts: None,
                    bucket: None,
                    folder: Some(folder),
                })
            }
        }
    }

    /// Stores a whole file under that key. It never becomes visible partially written.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] when the disk is full, [`Error::NotFound`] when the bucket does not exist,
    /// otherwise [`Error::Unforeseen`].
    pub async fn put(&self, key: &str, bytes: impl Into<PutPayload>) -> Result<()> {
        within(SLOWEST, self.store.put(&Path::from(key), bytes.into())).await?;
        Ok(())
    }

    /// Stores a file of this machine. On the same disk it is moved, which takes no extra space. A
    /// bucket receives it in parts: if this is called again for the same file, after an error or in
    /// another process, it continues where it ended. It never becomes visible partially written.
    ///
    /// # Errors
    ///
    /// As [`Files::put`].
    pub async fn put_file(&self, key: &str, file: &FilePath) -> Result<()> {
        if let Some(folder) = &self.folder {
            return folder::move_file(file, &folder.join(key)).await;
        }
        let large = tokio::fs::metadata(file).await?.len() > parts::PART;
        match &self.parts {
            Some(store) if large => parts::send(store.as_ref(), &Path::from(key), file).await,
            _ => self.put(key, tokio::fs::read(file).await?).await,
        }
    }

    /// Removes from the bucket what [`Files::put_file`] began to store of this file and did not
    /// finish.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] when the bucket does not answer; then it can be called again.
    pub async fn abandon(&self, file: &FilePath) -> Result<()> {
        match &self.parts {
            Some(store) => parts::abort(store.as_ref(), file).await,
            None => Ok(()),
        }
    }

    /// Copies a file to this machine.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] without the file, [`Error::Full`] when the disk of this machine is full.
    pub async fn copy_to(&self, key: &str, file: &FilePath) -> Result<()> {
        let mut bytes = self.get(key, None).await?.bytes;
        let mut target = tokio::fs::File::create(file).await?;
        while let Some(part) = bytes.try_next().await? {
            target.write_all(&part).await?;
        }
        Ok(target.flush().await?)
    }

    /// Checks that the folder with files is not read-only for this process, as under systemd's
    /// `ProtectSystem=strict`. A bucket is not asked.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] if it is.
    pub fn check_writable(&self) -> Result<()> {
        match &self.folder {
            Some(folder) if crate::data_folder::is_read_only(folder) => Err(Error::Setup(format!(
                "Nothing can be written to {folder}, where files are stored (--storage-url). If systemd starts the \
                 portal, allow it: `systemctl edit camp camp-worker` with [Service] and ReadWritePaths={folder}. \
                 Otherwise its disk is mounted read-only.",
                folder = folder.display()
            ))),
            _ => Ok(()),
        }
    }

    /// Removes all files whose key begins with that folder. Succeeds if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when one cannot be removed.
    pub async fn remove_folder(&self, folder: &str) -> Result<()> {
        if folder.is_empty() {
            return Err(Error::unforeseen("the whole store is no folder"));
        }
        if let Some(root) = &self.folder {
            let place = root.join(folder);
            if let Err(error) = tokio::fs::remove_dir_all(&place).await
                && error.kind() != std::io::ErrorKind::NotFound
            {
                return Err(error.into());
            }
            // Folders that became empty; a bucket has none.
            for parent in place.ancestors().skip(1).take_while(|parent| *parent != root) {
                if tokio::fs::remove_dir(parent).await.is_err() {
                    break;
                }
            }
            return Ok(());
        }
        for (key, _) in self.list_in(Some(folder)).await? {
            self.remove(&key).await?;
        }
        Ok(())
    }

    /// Returns a file or a range of it: `(first, last)`, both inclusive and `last` optional, or the
    /// last `n` bytes as `(None, Some(n))`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a range outside the file, [`Error::NotFound`] without the file.
    pub async fn get(
        &self,
        key: &str,
        range: Option<(Option<u64>, Option<u64>)>,
    ) -> Result<FileRange> {
        let open = self.open_range(key, range);
        timeout(FIRST_BYTES, open).await.unwrap_or_else(|_| Err(silent()))
    }

    async fn open_range(
        &self,
        key: &str,
        range: Option<(Option<u64>, Option<u64>)>,
    ) -> Result<FileRange> {
        let path = Path::from(key);
        if let Some(folder) = &self.folder {
            let (file, size) = folder::open(folder.join(path.as_ref())).await?;
            let range = bounded(range, size)?;
            return Ok(FileRange {
                size,
                range: range.clone(),
                bytes: folder::parts_of(file, range).boxed(),
            });
        }
        let size = self.store.head(&path).await.map_err(refusal)?.size;
        let range = bounded(range, size)?;
        let options = GetOptions {
            range: (size > 0).then(|| GetRange::Bounded(range.clone())),
            ..GetOptions::default()
        };
        let result = self.store.get_opts(&path, options).await.map_err(refusal)?;
        let bytes = unless_silent(result.into_stream()).boxed();
        Ok(FileRange { size, range, bytes })
    }

    /// Returns an address at which everybody can read a file of the bucket for a few minutes, or
    /// `None` without a bucket.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when it cannot be signed.
    pub async fn signed_url(&self, key: &str) -> Result<Option<Url>> {
        match &self.bucket {
            Some(bucket) => bucket.signed_url(key).await.map(Some),
            None => Ok(None),
        }
    }

    /// Removes a file. Succeeds if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when it cannot be removed.
    pub async fn remove(&self, key: &str) -> Result<()> {
        match within(CALL, self.store.delete(&Path::from(key))).await {
            Err(Error::NotFound(_)) => Ok(()),
            other => other,
        }
    }

    /// Returns all files with their sizes in bytes, in no particular order.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the store cannot be read.
    pub async fn list(&self) -> Result<Vec<(String, u64)>> {
        self.list_in(None).await
    }

    /// Returns the files whose key begins with that folder, with their sizes in bytes.
    ///
    /// # Errors
    ///
    /// As [`Files::list`].
    pub async fn list_folder(&self, folder: &str) -> Result<Vec<(String, u64)>> {
        self.list_in(Some(folder)).await
    }

    async fn list_in(&self, folder: Option<&str>) -> Result<Vec<(String, u64)>> {
        let mut listed = self.store.list(folder.map(Path::from).as_ref());
        let mut files = Vec::new();
        while let Some(file) = within(CALL, listed.try_next()).await? {
            files.push((file.location.to_string(), file.size));
        }
        Ok(files)
    }

    /// Whether there is a file under that key.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the store cannot be read.
    pub async fn exists(&self, key: &str) -> Result<bool> {
        match within(FIRST_BYTES, self.store.head(&Path::from(key))).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The bytes of a file that a range means.
fn bounded(range: Option<(Option<u64>, Option<u64>)>, size: u64) -> Result<Range<u64>> {
    let range = match range {
        None | Some((None, None)) => 0..size,
        Some((Some(first), last)) => first..last.map_or(size, |l| l.saturating_add(1).min(size)),
        Some((None, Some(n))) => size.saturating_sub(n)..size,
    };
    match size > 0 && (range.start >= size || range.is_empty()) {
        true => Err(Error::OutOfRange { size }),
        false => Ok(range),
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[tokio::test]
    async fn a_large_file_reaches_a_bucket_in_parts() {
        let store = Arc::new(InMemory::new());
        let files = Files { store: store.clone(), parts: Some(store), bucket: None, folder: None };
        let folder = tempfile::tempdir().expect("a folder");
        let (source, copy) = (folder.path().join("source"), folder.path().join("copy"));
        let part = parts::PART as usize;
        for size in [0, 5, 2 * part, 2 * part + 5] {
            let bytes: Vec<u8> = (0..size).map(|at| (at / 1000) as u8).collect();
            std::fs::write(&source, &bytes).expect("written");
            files.put_file("videos/lake/1/720.mp4", &source).await.expect("stored");
            files.put(&format!("videos/lake{size}"), "another").await.expect("stored");
            files.copy_to("videos/lake/1/720.mp4", &copy).await.expect("copied");
            assert!(std::fs::read(&copy).expect("a file") == bytes, "{size}");
        }
        files.remove_folder("videos/lake").await.expect("removed");
        assert_eq!(files.list().await.expect("a list").len(), 4, "only that folder");
        files.remove_folder("").await.expect_err("everything");
    }

    #[tokio::test]
    async fn every_range_of_a_file_in_a_folder_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files::open(None, folder.path()).expect("a folder");
        const READ: u64 = buffers::LARGE as u64;
        let bytes: Vec<u8> = (0..3 * READ + 7).map(|at| (at / 100) as u8).collect();
        files.put("videos/lake.mp4", bytes.clone()).await.expect("stored");
        let end = bytes.len();
        for (range, expected) in [
            (None, 0..end),
            (Some((Some(5), Some(2 * READ + 9))), 5..2 * READ as usize + 10),
            (Some((Some(READ), None)), READ as usize..end),
            (Some((None, Some(9))), end - 9..end),
            (Some((Some(7), Some(u64::MAX))), 7..end),
        ] {
            let part = files.get("videos/lake.mp4", range).await.expect("a file");
            assert_eq!(
                (part.size, part.range),
                (end as u64, expected.start as u64..expected.end as u64)
            );
            // A reader that keeps what it got finds it unchanged.
            let read: Vec<Bytes> = part.bytes.try_collect().await.expect("bytes");
            assert!(read.concat() == bytes[expected], "{range:?}");
            let mut read = Vec::new();
            let part = files.get("videos/lake.mp4", range).await.expect("a file");
            let appended = part.bytes.try_for_each(|part| {
                read.extend_from_slice(&part);
                std::future::ready(Ok(()))
            });
            appended.await.expect("bytes");
            assert!(read == bytes[part.range.start as usize..part.range.end as usize], "{range:?}");
        }
        let beyond = files.get("videos/lake.mp4", Some((Some(end as u64), None))).await;
        assert!(matches!(beyond, Err(Error::OutOfRange { .. })));
        for missing in ["videos/hike.mp4", "videos", "videos/lake.mp4/720.mp4", "../camp.db"] {
            assert!(matches!(files.get(missing, None).await, Err(Error::NotFound(_))), "{missing}");
        }
    }
}
