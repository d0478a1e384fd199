//! Receives the bytes of an upload.
//!
//! One request at a time writes to the file, guarded by a lock on it, so that this also holds
//! between processes. What arrived stays when a request breaks off, unless it has a checksum, which
//! nobody can check then.

use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde_json::json;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{ConvertVideo, NOT_FOUND, NOT_KEPT, Row, State, content, find, folder, staged};
use crate::audit::{self, Action, Actor};
use crate::ffmpeg::Tools;
use crate::{App, Error, Result, file_permissions, jobs};

/// How long to wait for a request that was told to end.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many bytes may be only in the system's memory. A long file is written to the disk while it
/// arrives, so that the answer to its last byte does not take long.
const UNWRITTEN: u64 = 32 << 20;

const TOO_LONG: &str = "More data arrived than the file should contain. Please upload it again.";
const COMPLETE: Error = Error::Conflict("This upload is complete already.");

/// The checksum that the bytes of one request must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checksum {
    Sha1(Vec<u8>),
    Sha256(Vec<u8>),
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// All of it arrived; the upload now has this many bytes.
    Whole { offset: u64 },
    /// The request broke off.
    Part,
    /// The upload does not have as many bytes as the sender thinks.
    OtherOffset { offset: u64 },
    /// The checksum was wrong, so nothing of the request was kept.
    WrongChecksum,
}

/// Returns how many bytes of an upload arrived, and its size. Takes up what a process that broke
/// off left undone.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Gone`] for a file that was not a video, [`Error::Busy`] while
/// another request writes.
pub async fn offset(app: &App, id: Uuid) -> Result<(u64, u64)> {
    let row = find(&app.db, id).await?.ok_or(NOT_FOUND)?;
    let size = row.size_bytes as u64;
    if row.state != State::Uploading {
        return match row.state == State::Failed && !row.is_kept(app).await? {
            true => Err(Error::Gone(NOT_KEPT)),
            false => Ok((size, size)),
        };
    }
    let (_file, row) = open(app, id).await?;
    let offset = super::received(app, id).await? as u64;
    if offset == size && row.state == State::Uploading {
        finish(app, &row).await.map_err(|error| match error {
            Error::Invalid(_) => Error::Gone(NOT_KEPT),
            other => other,
        })?;
    }
    Ok((offset, size))
}

/// Appends the bytes of a request to an upload. After the last one, the content of the file is
/// checked and its conversion enqueued.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` for too many bytes, and for a file that is not a video: then the
/// upload has failed. [`Error::NotFound`], [`Error::Conflict`] for a complete upload,
/// [`Error::Busy`] while another request writes, [`Error::Full`].
pub async fn receive<E>(
    app: &App,
    id: Uuid,
    offset: u64,
    checksum: Option<Checksum>,
    body: impl Stream<Item = Result<Bytes, E>> + Send,
) -> Result<Received> {
    find(&app.db, id).await?.ok_or(NOT_FOUND)?;
    let (mut file, row) = open(app, id).await?;
    if row.state != State::Uploading {
        return Err(COMPLETE);
    }
    let before = file.metadata().await?.len();
    if before != offset {
        return Ok(Received::OtherOffset { offset: before });
    }
    let size = row.size_bytes as u64;
    let written = write(&mut file, size - before, checksum, body).await;
    let received = match written {
        Ok(Written::Whole(count)) => Received::Whole { offset: before + count },
        Ok(Written::Part) => Received::Part,
        Ok(Written::WrongChecksum) => Received::WrongChecksum,
        Ok(Written::TooLong) => {
            file.set_len(before).await?;
            return Err(Error::invalid("file", TOO_LONG));
        }
        Err(error) => {
            // The disk is full, and others need the space that this request took.
            file.set_len(before).await?;
            return Err(error.into());
        }
    };
    if received == Received::WrongChecksum {
        file.set_len(before).await?;
    }
    file.sync_data().await?;
    touch(app, id).await?;
    if received == (Received::Whole { offset: size }) {
        finish(app, &row).await?;
    }
    Ok(received)
}

enum Written {
    Whole(u64),
    Part,
    WrongChecksum,
    TooLong,
}

async fn write<E>(
    file: &mut File,
    most: u64,
    checksum: Option<Checksum>,
    body: impl Stream<Item = Result<Bytes, E>> + Send,
) -> io::Result<Written> {
    let mut body = std::pin::pin!(body);
    let mut hasher = checksum.as_ref().map(Hasher::new);
    let (mut count, mut unwritten) = (0, 0);
    while let Some(bytes) = body.next().await {
        let Ok(bytes) = bytes else {
            file.flush().await?;
            return Ok(match hasher {
                Some(_) => Written::WrongChecksum,
                None => Written::Part,
            });
        };
        count += bytes.len() as u64;
        if count > most {
            file.flush().await?;
            return Ok(Written::TooLong);
        }
        file.write_all(&bytes).await?;
        if let Some(hasher) = &mut hasher {
            hasher.update(&bytes);
        }
        unwritten += bytes.len() as u64;
        if unwritten >= UNWRITTEN {
            file.flush().await?;
            file.sync_data().await?;
            unwritten = 0;
        }
    }
    file.flush().await?;
    Ok(match hasher.map(Hasher::finish) == checksum {
        true => Written::Whole(count),
        false => Written::WrongChecksum,
    })
}

enum Hasher {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Hasher {
    fn new(checksum: &Checksum) -> Hasher {
        match checksum {
            Checksum::Sha1(_) => Hasher::Sha1(Sha1::new()),
            Checksum::Sha256(_) => Hasher::Sha256(Sha256::new()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Sha256(hasher) => hasher.update(bytes),
        }
    }

    fn finish(self) -> Checksum {
        match self {
            Hasher::Sha1(hasher) => Checksum::Sha1(hasher.finalize().to_vec()),
            Hasher::Sha256(hasher) => Checksum::Sha256(hasher.finalize().to_vec()),
        }
    }
}

/// Opens the file of an upload for appending, as soon as no other request writes. It stays locked
/// until it is dropped.
async fn open(app: &App, id: Uuid) -> Result<(File, Row)> {
    file_permissions::folder(&folder(app))?;
    let path = staged(app, id);
    let until = Instant::now() + TIMEOUT;
    let file = loop {
        match try_open(&path)? {
            Some(file) => break File::from_std(file),
            None if Instant::now() < until => sleep(Duration::from_millis(50)).await,
            None => return Err(Error::Busy(None)),
        }
    };
    // It may have been removed meanwhile.
    match find(&app.db, id).await? {
        Some(row) => Ok((file, row)),
        None => {
            tokio::fs::remove_file(&path).await.ok();
            Err(NOT_FOUND)
        }
    }
}

fn try_open(path: &Path) -> io::Result<Option<std::fs::File>> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Remembers when the last bytes arrived.
async fn touch(app: &App, id: Uuid) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("update uploads set updated_at = $2 where id = $1")
        .bind(id)
        .bind(app.clock.now())
        .execute()
        .await?;
    tx.commit().await
}

/// Checks a complete file and enqueues its conversion.
pub(super) async fn finish(app: &App, row: &Row) -> Result<()> {
    let path = staged(app, row.id);
    let as_it_is = Tools::find(&app.config).is_none();
    let checked = tokio::task::spawn_blocking(move || content::check(&path, as_it_is)).await;
    let (state, seconds, problem) = match checked.map_err(Error::unforeseen)? {
        Ok(seconds) => (State::Waiting, seconds, None),
        Err(problem) => (State::Failed, None, Some(problem)),
    };
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let changed = tx
        .sql(
            "update uploads set state = $2, problem = $3, duration_seconds = $4, updated_at = $5
             where id = $1 and state = 'uploading'",
        )
        .bind(row.id)
        .bind(state)
        .bind(problem.clone())
        .bind(seconds)
        .bind(now)
        .execute()
        .await?;
    if changed == 0 {
        return Ok(());
    }
    let action = match state {
        State::Failed => Action::VideoUploadFailed,
        _ => Action::VideoUpload,
    };
    let actor = row.staff_id.map_or(Actor::System, Actor::Staff);
    let details =
        json!({ "file_name": row.file_name, "size_bytes": row.size_bytes, "problem": problem });
    audit::record(&mut tx, now, actor, action, row.subject(), details).await?;
    if state == State::Waiting {
        jobs::enqueue(&mut tx, app, &ConvertVideo { upload_id: row.id }).await?;
    }
    tx.commit().await?;
    match problem {
        Some(problem) => {
            tokio::fs::remove_file(staged(app, row.id)).await.ok();
            Err(Error::invalid("file", problem))
        }
        None => Ok(()),
    }
}
