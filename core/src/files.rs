//! The object store: a folder by default, or S3. The server generates all names.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::signer::Signer;
use object_store::{
    GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

use crate::{Error, Result, cryptography};

/// A bucket accepts parts of at least 5 MiB, and at most 10,000 of them.
const PART: usize = 16 << 20;
/// How many parts are sent at the same time.
const AT_ONCE: usize = 2;
/// How many bytes of a file are read at once.
const READ: u64 = 256 << 10;
/// A copied address is worth nothing soon.
const SIGNED_FOR: Duration = Duration::from_secs(300);

#[derive(Clone, Debug)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    bucket: Option<Bucket>,
    /// The folder, unless it is a bucket.
    pub folder: Option<std::path::PathBuf>,
}

/// What signs addresses of the files in a bucket.
#[derive(Clone, Debug)]
struct Bucket {
    s3: Arc<AmazonS3>,
    prefix: Path,
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
    /// [`Error::Setup`] when the store cannot be opened.
    pub fn open(storage_url: Option<&str>, data_dir: &FilePath) -> Result<Files> {
        match storage_url {
            Some(url) if url.starts_with("s3://") => {
                let parsed = Url::parse(url)
                    .map_err(|e| Error::Setup(format!("--storage-url is not an address: {e}")))?;
                cryptography::choose();
                let bucket = parsed.host_str().unwrap_or_default();
                let s3 = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .build()
                    .map_err(|e| Error::Setup(format!("The object store cannot be used: {e}")))?;
                let prefix = Path::from(parsed.path());
                let bucket = Bucket { s3: Arc::new(s3.clone()), prefix: prefix.clone() };
                let store = PrefixStore::new(s3, prefix);
                Ok(Files { store: Arc::new(store), bucket: Some(bucket), folder: None })
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
                Ok(Files { store: Arc::new(local), bucket: None, folder: Some(folder) })
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

    /// Stores a file of this machine. On the same disk it is moved, which takes no second space;
    /// otherwise it is copied in parts. It never becomes visible partially written.
    ///
    /// # Errors
    ///
    /// As [`Files::put`].
    pub async fn put_file(&self, key: &str, file: &FilePath) -> Result<()> {
        if let Some(folder) = &self.folder {
            let place = folder.join(key);
            if let Some(parent) = place.parent() {
                tokio::fs::create_dir_all(parent).await?;
            }
            if tokio::fs::rename(file, &place).await.is_ok() {
                return Ok(());
            }
        }
        if tokio::fs::metadata(file).await?.len() <= PART as u64 {
            return self.put(key, tokio::fs::read(file).await?).await;
        }
        let mut source = tokio::fs::File::open(file).await?;
        let upload = self.store.put_multipart(&Path::from(key)).await.map_err(refusal)?;
        let mut writer = WriteMultipart::new_with_chunk_size(upload, PART);
        let copied = async {
            let mut part = BytesMut::with_capacity(PART);
            while source.read_buf(&mut part).await? > 0 {
                if part.len() == part.capacity() {
                    writer.wait_for_capacity(AT_ONCE).await.map_err(refusal)?;
                    writer.put(part.split().freeze());
                    part.reserve(PART);
                }
            }
            writer.put(part.freeze());
            Ok(())
        };
        match copied.await {
            Ok(()) => writer.finish().await.map(drop).map_err(refusal),
            Err(error) => {
                writer.abort().await.ok();
                Err(error)
            }
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
        let listed = self.store.list(Some(&Path::from(folder)));
        let files: Vec<_> = listed.try_collect().await.map_err(refusal)?;
        for file in files {
            self.remove(file.location.as_ref()).await?;
        }
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
        let bytes = match result.payload {
            GetResultPayload::File(file, _) => parts_of(file, range.clone()).boxed(),
            GetResultPayload::Stream(stream) => stream.map_err(io::Error::other).boxed(),
        };
        Ok(FileRange { size, range, bytes })
    }

    /// Returns an address at which everybody can read a file of the bucket for a few minutes, or
    /// `None` without a bucket.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when it cannot be signed.
    pub async fn signed_url(&self, key: &str) -> Result<Option<Url>> {
        let Some(Bucket { s3, prefix }) = &self.bucket else { return Ok(None) };
        let path = prefix.parts().chain(Path::from(key).parts()).collect();
        s3.signed_url(Method::GET, &path, SIGNED_FOR).await.map(Some).map_err(refusal)
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

/// Reads a range of a file. The object store's own stream reads 8 KiB at a time, each in a task, which
/// costs several times as much as sending them.
fn parts_of(file: std::fs::File, range: Range<u64>) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold((Arc::new(file), range), |(file, Range { start, end })| async move {
        let length = (end - start).min(READ) as usize;
        if length == 0 {
            return Ok(None);
        }
        let source = file.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut part = vec![0; length];
            source.read_exact_at(&mut part, start)?;
            Ok::<_, io::Error>(Bytes::from(part))
        });
        let part = read.await.map_err(io::Error::other)??;
        Ok(Some((part, (file, start + length as u64..end))))
    })
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

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[tokio::test]
    async fn a_large_file_reaches_a_bucket_in_parts() {
        let files = Files { store: Arc::new(InMemory::new()), bucket: None, folder: None };
        let folder = tempfile::tempdir().expect("a folder");
        let (source, copy) = (folder.path().join("source"), folder.path().join("copy"));
        for size in [0, 5, 2 * PART, 2 * PART + 5] {
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
}
