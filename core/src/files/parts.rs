//! Sends a large file to a bucket in parts, and continues where an earlier process was stopped.

use std::io::ErrorKind;
use std::path::{Path as FilePath, PathBuf};

use bytes::BytesMut;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use serde::{Deserialize, Serialize};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt, SeekFrom};

use super::bucket::{SLOWEST, within};
use crate::{Error, Result};

/// A bucket accepts parts of at least 5 MiB, and at most 10,000 of them.
pub(super) const PART: u64 = 16 << 20;
/// How many parts are sent at the same time.
const CONCURRENCY: usize = 2;

/// What a bucket has of a file so far. It is kept beside the file.
#[derive(Debug, Serialize, Deserialize)]
struct Sent {
    key: String,
    /// The bucket's name for the upload that was begun.
    id: String,
    /// The bucket's receipts for the parts that it has.
    parts: Vec<Option<String>>,
}

/// Sends a file, or what the bucket does not have of it yet.
pub(super) async fn send(store: &dyn MultipartStore, key: &Path, file: &FilePath) -> Result<()> {
    loop {
        let known = Sent::read(file).await?;
        let goes_on = known.is_some();
        let mut sent = match known {
            Some(sent) => sent,
            None => Sent::begin(store, key, file).await?,
        };
        match sent.send_missing(store, key, file).await {
            // The bucket has forgotten the upload, for example because of a rule that removes old
            // unfinished ones.
            Err(Error::NotFound(_)) if goes_on => forget(file).await?,
            Err(error) => return Err(error),
            Ok(()) => return forget(file).await,
        }
    }
}

/// Frees the space in the bucket of what was begun for this file.
pub(super) async fn abort(store: &dyn MultipartStore, file: &FilePath) -> Result<()> {
    let Some(sent) = Sent::read(file).await? else { return Ok(()) };
    match within(SLOWEST, store.abort_multipart(&Path::from(sent.key), &sent.id)).await {
        Ok(()) | Err(Error::NotFound(_)) => forget(file).await,
        Err(error) => Err(error),
    }
}

impl Sent {
    async fn read(file: &FilePath) -> Result<Option<Sent>> {
        match tokio::fs::read(place(file)).await {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn begin(store: &dyn MultipartStore, key: &Path, file: &FilePath) -> Result<Sent> {
        let parts = tokio::fs::metadata(file).await?.len().div_ceil(PART);
        let id = within(SLOWEST, store.create_multipart(key)).await?;
        let sent = Sent { key: key.to_string(), id, parts: vec![None; parts as usize] };
        sent.write(file).await?;
        Ok(sent)
    }

    async fn send_missing(
        &mut self,
        store: &dyn MultipartStore,
        key: &Path,
        file: &FilePath,
    ) -> Result<()> {
        let id = self.id.clone();
        let missing: Vec<usize> =
            (0..self.parts.len()).filter(|at| self.parts[*at].is_none()).collect();
        let send = |at: usize| {
            let id = &id;
            async move {
                let bytes = read_part(file, at).await?.freeze();
                let part = within(SLOWEST, store.put_part(key, id, at, bytes.into())).await?;
                Ok::<_, Error>((at, part.content_id))
            }
        };
        let mut receipts = stream::iter(missing).map(send).buffer_unordered(CONCURRENCY);
        while let Some((at, receipt)) = receipts.try_next().await? {
            self.parts[at] = Some(receipt);
            self.write(file).await?;
        }
        let parts = self.parts.iter().flatten();
        let parts = parts.map(|receipt| PartId { content_id: receipt.clone() }).collect();
        within(SLOWEST, store.complete_multipart(key, &id, parts)).await?;
        Ok(())
    }

    /// Never leaves a half-written file behind, even when the machine loses power.
    async fn write(&self, file: &FilePath) -> Result<()> {
        let (place, new) = (place(file), beside(file, "sending-new"));
        let mut written = File::create(&new).await?;
        written.write_all(&serde_json::to_vec(self).map_err(Error::unforeseen)?).await?;
        written.sync_all().await?;
        Ok(tokio::fs::rename(new, place).await?)
    }
}

async fn forget(file: &FilePath) -> Result<()> {
    match tokio::fs::remove_file(place(file)).await {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn place(file: &FilePath) -> PathBuf {
    beside(file, "sending")
}

fn beside(file: &FilePath, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

async fn read_part(file: &FilePath, at: usize) -> Result<BytesMut> {
    let mut source = File::open(file).await?;
    source.seek(SeekFrom::Start(at as u64 * PART)).await?;
    let mut source = source.take(PART);
    let mut bytes = BytesMut::with_capacity(PART as usize);
    while source.read_buf(&mut bytes).await? > 0 {}
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt;
    use object_store::memory::InMemory;

    use super::*;

    #[tokio::test]
    async fn what_a_bucket_has_is_not_sent_again() {
        let store = InMemory::new();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lake.mp4");
        let key = Path::from("videos/lake.mp4");
        let bytes: Vec<u8> = (0..2 * PART + 5).map(|at| (at / 1000) as u8).collect();
        std::fs::write(&file, &bytes).expect("written");
        let mut begun = Sent::begin(&store, &key, &file).await.expect("begun");
        for at in [0, 2] {
            let part = read_part(&file, at).await.expect("a part").freeze();
            store.put_part(&key, &begun.id, at, part.into()).await.expect("sent");
            begun.parts[at] = Some(String::new());
        }
        begun.write(&file).await.expect("written");
        // Only the missing part is read: the other parts no longer match the file.
        let mut other = vec![7; bytes.len()];
        let middle = PART as usize..2 * PART as usize;
        other[middle.clone()].copy_from_slice(&bytes[middle]);
        std::fs::write(&file, &other).expect("written");
        send(&store, &key, &file).await.expect("sent");
        let stored = store.get(&key).await.expect("it is there").bytes().await.expect("its bytes");
        assert!(stored == bytes, "{}", stored.len());
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[tokio::test]
    async fn what_nobody_wants_is_given_back() {
        let store = InMemory::new();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lake.mp4");
        let key = Path::from("videos/lake.mp4");
        std::fs::write(&file, vec![7; PART as usize + 1]).expect("written");
        let begun = Sent::begin(&store, &key, &file).await.expect("begun");
        abort(&store, &file).await.expect("given back");
        let part = store.put_part(&key, &begun.id, 0, vec![7].into()).await;
        part.expect_err("it is not known any more");
        abort(&store, &file).await.expect("nothing was begun");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
