//! The object store: a folder by default, or S3. The server generates all names.
//!
//! A bucket may be away: every call ends within its time with [`Error::Away`].

mod buffers;
mod parts;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::HttpError;
use object_store::local::LocalFileSystem;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::signer::Signer;
use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, GetOptions, GetRange, ObjectStore,
    ObjectStoreExt, PutPayload, RetryConfig,
};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use url::Url;

use self::buffers::Buffer;
use crate::config::Storage;
use crate::{Error, Result, cryptography};

/// Somebody waits for the first bytes of a file.
const FIRST_BYTES: Duration = Duration::from_secs(6);
/// The time for the next bytes of a file.
const NEXT_BYTES: Duration = Duration::from_secs(15);
/// The time for a call that sends no file.
const CALL: Duration = Duration::from_secs(60);
/// The time for a part of a file over a slow line.
const SLOWEST: Duration = Duration::from_secs(600);
/// A copied address is worth nothing soon.
const SIGNED_FOR: Duration = Duration::from_secs(300);

#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// A bucket, which receives large files in parts.
    parts: Option<Arc<dyn MultipartStore>>,
    bucket: Option<Bucket>,
    /// The folder, unless it is a bucket.
    pub folder: Option<PathBuf>,
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
    /// [`Error::Usage`] for an invalid address, [`Error::Setup`] when the store cannot be opened.
    pub fn open(storage_url: Option<&str>, data_dir: &FilePath) -> Result<Files> {
        let storage =
            Storage::of(storage_url, data_dir).map_err(|wrong| Error::Usage(wrong.into()))?;
        match storage {
            Storage::Bucket(url) => {
                cryptography::choose();
                let bucket = url.host_str().unwrap_or_default();
                let s3 = builder()
                    .with_bucket_name(bucket)
                    .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), "24h")
                    .with_retry(retries())
                    .build()
                    .map_err(|e| Error::Setup(format!("The object store cannot be used: {e}")))?;
                let prefix = Path::from(url.path());
                let bucket = Bucket { s3: Arc::new(s3.clone()), prefix: prefix.clone() };
                let store = Arc::new(PrefixStore::new(s3, prefix));
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

    /// Stores a file of this machine. On the same disk it is moved, which takes no second space. A
    /// bucket receives it in parts: called again for the same file after an error or in another
    /// process, this goes on where it ended. It never becomes visible partially written.
    ///
    /// # Errors
    ///
    /// As [`Files::put`].
    pub async fn put_file(&self, key: &str, file: &FilePath) -> Result<()> {
        if let Some(folder) = &self.folder {
            return move_file(file, &folder.join(key)).await;
        }
        let large = tokio::fs::metadata(file).await?.len() > parts::PART;
        match &self.parts {
            Some(store) if large => parts::send(store.as_ref(), &Path::from(key), file).await,
            _ => self.put(key, tokio::fs::read(file).await?).await,
        }
    }

    /// Gives back what [`Files::put_file`] began to store of this file and did not finish.
    ///
    /// # Errors
    ///
    /// [`Error::Away`] when the bucket does not answer; it can be called again then.
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
    /// [`Error::Invalid`] on `range` for a range outside the file, [`Error::NotFound`] without the
    /// file.
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
            let (file, size) = open(folder.join(path.as_ref())).await?;
            let range = bounded(range, size)?;
            return Ok(FileRange {
                size,
                range: range.clone(),
                bytes: parts_of(file, range).boxed(),
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
        true => Err(Error::invalid("range", size.to_string())),
        false => Ok(range),
    }
}

/// Opens a file of the folder, and returns its size.
async fn open(place: PathBuf) -> Result<(File, u64)> {
    let with_data = |file: File| file.metadata().map(|data| (file, data));
    let opened = match open_from_memory(&place) {
        Some(file) => with_data(file),
        None => tokio::task::spawn_blocking(move || File::open(place).and_then(with_data))
            .await
            .map_err(Error::unforeseen)?,
    };
    match opened {
        Ok((file, data)) if data.is_file() => Ok((file, data.len())),
        Ok(_) => Err(GONE),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => GONE,
            _ => error.into(),
        }),
    }
}

/// Reads a range of a file. The object store's own stream reads 8 KiB at a time, each in a task, which
/// costs several times as much as sending them.
fn parts_of(file: File, range: Range<u64>) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold((Arc::new(file), range), |(file, Range { start, end })| async move {
        let left = usize::try_from(end - start).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(None);
        }
        let mut part = Buffer::take(left);
        let length = left.min(part.bytes().len());
        let part = match read_from_memory(&file, &mut part.bytes()[..length], start) {
            Some(read) => part.first(read),
            None => {
                let source = file.clone();
                let read = tokio::task::spawn_blocking(move || {
                    source.read_exact_at(&mut part.bytes()[..length], start)?;
                    Ok::<_, io::Error>(part.first(length))
                });
                read.await.map_err(io::Error::other)??
            }
        };
        let next = start + part.len() as u64;
        Ok(Some((part, (file, next..end))))
    })
}

/// Opens a file whose folders the system holds in memory. Returns `None` if it would have to wait for
/// the disk.
#[cfg(target_os = "linux")]
fn open_from_memory(place: &FilePath) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat2(CWD, place, flags, Mode::empty(), ResolveFlags::CACHED).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn open_from_memory(_: &FilePath) -> Option<File> {
    None
}

/// Reads what the system holds in memory, which is not worth another thread. Returns `None` if it would
/// have to wait for the disk.
#[cfg(target_os = "linux")]
fn read_from_memory(file: &File, part: &mut [u8], at: u64) -> Option<usize> {
    let mut parts = [io::IoSliceMut::new(part)];
    let read = rustix::io::preadv2(file, &mut parts, at, rustix::io::ReadWriteFlags::NOWAIT);
    read.ok().filter(|count| *count > 0)
}

#[cfg(not(target_os = "linux"))]
fn read_from_memory(_: &File, _: &mut [u8], _: u64) -> Option<usize> {
    None
}

const GONE: Error = Error::NotFound("This file no longer exists.");

/// Passes the bytes on until the next ones take too long. A reader that pauses does not count: what
/// has arrived meanwhile is taken first.
fn unless_silent(
    bytes: BoxStream<'static, object_store::Result<Bytes>>,
) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold(bytes, |mut bytes| async move {
        let next = timeout(NEXT_BYTES, bytes.try_next()).await?;
        Ok(next.map_err(io::Error::other)?.map(|part| (part, bytes)))
    })
}

/// Moves a file, also to another disk.
async fn move_file(file: &FilePath, place: &FilePath) -> Result<()> {
    if let Some(parent) = place.parent() {
        tokio::fs::create_dir_all(parent).await?;
    }
    if tokio::fs::rename(file, place).await.is_ok() {
        return Ok(());
    }
    let copy = place.with_added_extension("part");
    let copied = async {
        tokio::fs::copy(file, &copy).await?;
        tokio::fs::File::open(&copy).await?.sync_all().await?;
        tokio::fs::rename(&copy, place).await?;
        tokio::fs::remove_file(file).await
    };
    if let Err(error) = copied.await {
        tokio::fs::remove_file(&copy).await.ok();
        return Err(error.into());
    }
    Ok(())
}

/// What browsers are told that they load directly from a bucket.
const CONTENT_TYPES: [(&str, &str); 6] = [
    ("jpg", "image/jpeg"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("mov", "video/quicktime"),
    ("mp4", "video/mp4"),
    ("vtt", "text/vtt; charset=utf-8"),
    ("webm", "video/webm"),
];

/// With the usual `AWS_…` variables, as [`AmazonS3Builder::from_env`] reads them, and content types.
fn builder() -> AmazonS3Builder {
    let options = CONTENT_TYPES.into_iter().fold(ClientOptions::new(), |options, (end, kind)| {
        options.with_content_type_for_suffix(end, kind)
    });
    let variables = std::env::vars().filter(|(name, _)| name.starts_with("AWS_"));
    let keys = variables
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)));
    let builder = AmazonS3Builder::new().with_client_options(options);
    keys.fold(builder, |builder, (key, value)| builder.with_config(key, value))
}

/// A few quick ones; whoever called decides about later ones. One stream may take hours.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(1),
            base: 2.0,
        },
        max_retries: 3,
        retry_timeout: Duration::from_secs(24 * 3600),
    }
}

async fn within<T>(
    limit: Duration,
    call: impl Future<Output = object_store::Result<T>>,
) -> Result<T> {
    timeout(limit, call).await.map_or_else(|_| Err(silent()), |done| done.map_err(refusal))
}

fn silent() -> Error {
    Error::Away { cause: "the bucket does not answer".into() }
}

fn refusal(error: object_store::Error) -> Error {
    if let object_store::Error::NotFound { .. } = error {
        return GONE;
    }
    // A full disk and a broken connection are only visible in the chain of causes.
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>()
            && io.kind() == io::ErrorKind::StorageFull
        {
            return Error::Full;
        }
        if inner.is::<HttpError>() {
            return Error::Away { cause: error.to_string() };
        }
        cause = inner.source();
    }
    let text = error.to_string();
    // The type of this cause is private, and only its text has the status.
    match ["status code: 5", "status code: 429", "SlowDown"].iter().any(|sign| text.contains(sign))
    {
        true => Error::Away { cause: text },
        false => Error::Unforeseen(text),
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
        assert!(matches!(beyond, Err(Error::Invalid(_))));
        for missing in ["videos/hike.mp4", "videos", "videos/lake.mp4/720.mp4", "../camp.db"] {
            assert!(matches!(files.get(missing, None).await, Err(Error::NotFound(_))), "{missing}");
        }
    }
}
