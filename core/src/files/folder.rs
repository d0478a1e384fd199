//! Reads files from a folder, and moves files into it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream};

use super::GONE;
use super::buffers::Buffer;
use crate::{Error, Result};

/// Opens a file of the folder, and returns its size.
pub(super) async fn open(place: PathBuf) -> Result<(File, u64)> {
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
pub(super) fn parts_of(file: File, range: Range<u64>) -> impl Stream<Item = io::Result<Bytes>> {
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
fn open_from_memory(place: &Path) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat2(CWD, place, flags, Mode::empty(), ResolveFlags::CACHED).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn open_from_memory(_: &Path) -> Option<File> {
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

/// Moves a file, also to another disk.
pub(super) async fn move_file(file: &Path, place: &Path) -> Result<()> {
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
