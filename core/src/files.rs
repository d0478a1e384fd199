//! The object store: a folder by default, or S3. The server generates all names.

use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload};

use crate::{Error, Result, cryptography};

#[derive(Clone, Debug)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// The folder, unless it is a bucket.
    pub folder: Option<std::path::PathBuf>,
}

/// A byte range of a file, as a stream.
pub struct FileRange {
    /// The size of the whole file in bytes.
    pub size: u64,
    /// The range of the bytes in the stream.
    pub range: Range<u64>,
    pub bytes: BoxStream<'static, std::io::Result<Bytes>>,
}

impl Files {
    /// Opens `s3://bucket/prefix` (keys and region from the usual `AWS_…` variables) or a folder,
    /// which is created if missing.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when the store cannot be opened.
    pub fn open(storage_url: Option<&str>, data_dir: &FilePath) -> Result<Files> {
        match storage_url {
            Some(url) if url.starts_with("s3://") => {
                let parsed = url::Url::parse(url)
                    .map_err(|e| Error::Setup(format!("--storage-url is not an address: {e}")))?;
                cryptography::choose();
                let bucket = parsed.host_str().unwrap_or_default();
                let s3 = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .build()
                    .map_err(|e| Error::Setup(format!("The object store cannot be used: {e}")))?;
                let store = PrefixStore::new(s3, parsed.path().trim_matches('/'));
                Ok(Files { store: Arc::new(store), folder: None })
            }
            Some(url) if url.contains("://") && !url.starts_with("file://") => {
                Err(Error::Setup("--storage-url must be a folder or s3://BUCKET/PREFIX.".into()))
            }
            folder => {
                let folder = match folder {
                    Some(path) => path.trim_start_matches("file://").into(),
                    None => data_dir.join("files"),
                };
                std::fs::create_dir_all(&folder).map_err(|e| {
                    Error::Setup(format!("The folder {} cannot be made: {e}", folder.display()))
                })?;
                let local = LocalFileSystem::new_with_prefix(&folder)
                    .map_err(|e| Error::Setup(format!("The object store cannot be used: {e}")))?;
                Ok(Files { store: Arc::new(local), folder: Some(folder) })
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
        self.store.put(&Path::from(key), bytes.into()).await.map_err(refusal)?;
        Ok(())
    }

    /// Returns a file or a range of it: `(first, last)`, both inclusive and `last` optional, or the
    /// last `n` bytes as `(None, Some(n))`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] on `range` for a range outside the file, [`Error::NotFound`] without the
    /// file.
    pub async fn get(
        &self,
        key: &str,
        range: Option<(Option<u64>, Option<u64>)>,
    ) -> Result<FileRange> {
        let path = Path::from(key);
        let size = self.store.head(&path).await.map_err(refusal)?.size;
        let range = match range {
            None => 0..size,
            Some((Some(first), last)) => {
                first..last.map_or(size, |l| l.saturating_add(1).min(size))
            }
            Some((None, Some(n))) => size.saturating_sub(n)..size,
            Some((None, None)) => 0..size,
        };
        if size > 0 && (range.start >= size || range.is_empty()) {
            return Err(Error::invalid("range", size.to_string()));
        }
        let options = GetOptions {
            range: (size > 0).then(|| GetRange::Bounded(range.clone())),
            ..GetOptions::default()
        };
        let result = self.store.get_opts(&path, options).await.map_err(refusal)?;
        let bytes = futures_util::StreamExt::map(result.into_stream(), |chunk| {
            chunk.map_err(std::io::Error::other)
        });
        Ok(FileRange { size, range, bytes: futures_util::StreamExt::boxed(bytes) })
    }

    /// Removes a file. Succeeds if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when it cannot be removed.
    pub async fn remove(&self, key: &str) -> Result<()> {
        match self.store.delete(&Path::from(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(refusal(error)),
        }
    }

    /// Returns all files with their sizes in bytes, in no particular order.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the store cannot be read.
    pub async fn list(&self) -> Result<Vec<(String, u64)>> {
        let listed = self.store.list(None).map_ok(|file| (file.location.to_string(), file.size));
        listed.try_collect().await.map_err(refusal)
    }

    /// Whether there is a file under that key.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the store cannot be read.
    pub async fn exists(&self, key: &str) -> Result<bool> {
        match self.store.head(&Path::from(key)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(refusal(error)),
        }
    }
}

fn refusal(error: object_store::Error) -> Error {
    match error {
        object_store::Error::NotFound { .. } => Error::NotFound("This file no longer exists."),
        error => {
            // A full disk is only visible in the chain of causes.
            let mut cause: Option<&dyn std::error::Error> = Some(&error);
            while let Some(inner) = cause {
                if let Some(io) = inner.downcast_ref::<std::io::Error>()
                    && io.kind() == std::io::ErrorKind::StorageFull
                {
                    return Error::Full;
                }
                cause = inner.source();
            }
            Error::unforeseen(error)
        }
    }
}
