//! Converts uploaded videos, one at a time in each worker, and stores the result.
//!
//! The rows of the uploads say what waits and who works on it. A job only starts the work at once;
//! the scheduler starts whatever a killed worker left behind.

mod made;
mod stored;
mod storing;
mod trim;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use uuid::Uuid;

use self::made::Made;
use crate::ffmpeg::{self, Converted, Cut, Failure, PROGRESSIVE, Rendition, Tools};
use crate::jobs::Job;
use crate::uploads::conversion::{
    Conversion, Finished, claim_next, fail, finish, release, renew, state,
};
use crate::uploads::{ConvertVideo, State, remove_metadata, staged};
use crate::{App, Error, Result, videos};

pub(crate) use stored::converted_stored;
pub use stored::{Outcome, convert_stored};

/// The progress in percent when the files only remain to be stored.
const STORING: u8 = 99;
/// How often the progress is written to the row.
const RENEW_EVERY: Duration = Duration::from_secs(2);
/// How long a worker that is stopping waits for its conversion to be given back.
const GIVE_BACK: Duration = Duration::from_secs(2);

const GONE: &str = "The uploaded file no longer exists. Please send it again.";
const FULL: &str = "The camp's server has run out of space. Please make room, then try again.";
const NOT_STORED: &str = "The converted video could not be stored. Please try again.";

/// Whether this machine can convert videos.
pub fn installed(app: &App) -> bool {
    Tools::find(&app.config).is_some()
}

impl Job for ConvertVideo {
    const NAME: &'static str = "convert_video";

    /// Starts the conversion and does not wait for it: it may take an hour, and mail must not wait
    /// for a free place among the running jobs.
    async fn run(self, app: &App) -> Result<()> {
        start(app);
        Ok(())
    }
}

/// Converts in the background whatever waits, unless this process already does.
pub fn start(app: &App) {
    let app = app.clone();
    tokio::spawn(async move {
        let Ok(_permit) = app.converting.clone().try_acquire_owned() else { return };
        if let Err(error) = convert_waiting(&app).await {
            tracing::warn!(
                error = error.reason(),
                "a conversion was interrupted; it will be tried again"
            );
        }
    });
}

/// Lets this process convert, also after [`stop`].
pub fn resume(app: &App) {
    app.ends_conversions.send_replace(false);
}

/// Interrupts what this process converts. It is given back at once, so that the next worker need not
/// wait for the end of the claim.
pub fn interrupt(app: &App) {
    app.ends_conversions.send_replace(true);
}

/// Interrupts what this process converts, and waits until it is given back.
pub async fn stop(app: &App) {
    interrupt(app);
    let given_back = tokio::time::timeout(GIVE_BACK, app.converting.acquire());
    if given_back.await.is_err() {
        tracing::warn!("a conversion was not given back in time; its claim ends by itself");
    }
}

/// Converts whatever waits, and whatever this process already converts. Returns how many uploads.
pub async fn run_all(app: &App) -> Result<usize> {
    let _permit = app.converting.acquire().await.map_err(Error::unforeseen)?;
    convert_waiting(app).await
}

async fn convert_waiting(app: &App) -> Result<usize> {
    let mut done = 0;
    while !*app.ends_conversions.borrow()
        && let Some(claimed) = claim_next(app).await?
    {
        convert(app, &claimed, Arc::default()).await?;
        done += 1;
    }
    Ok(done)
}

/// Removes folders that killed workers left behind, with what they stored of uploads that nobody will
/// see.
pub async fn prune(app: &App) -> Result<()> {
    let Ok(mut entries) = tokio::fs::read_dir(work_folder(app)).await else { return Ok(()) };
    while let Some(entry) = entries.next_entry().await? {
        let pruned = match entry.file_name().to_str().and_then(|name| name.parse().ok()) {
            Some(id) => prune_one(app, id, &entry.path()).await,
            None => tokio::fs::remove_dir_all(entry.path()).await.map_err(Error::from),
        };
        if let Err(error) = pruned {
            tracing::warn!(error = error.reason(), "the space of a conversion is given back later");
        }
    }
    Ok(())
}

async fn prune_one(app: &App, id: Uuid, folder: &Path) -> Result<()> {
    match state(&app.db, id).await? {
        // The worker that takes it up continues with these files.
        Some(State::Waiting | State::Converting) => Ok(()),
        Some(State::Ready) => Ok(tokio::fs::remove_dir_all(folder).await?),
        Some(State::Uploading | State::Failed) | None => storing::discard(app, id).await,
    }
}

fn work_folder(app: &App) -> PathBuf {
    app.config.data_dir.join("converting")
}

/// Converts a claimed upload. A failure is recorded in its row.
///
/// # Errors
///
/// Only those of the database. In that case the upload waits again, or its claim expires.
async fn convert(app: &App, claimed: &Conversion, progress: Arc<AtomicU8>) -> Result<()> {
    let work_folder = work_folder(app).join(claimed.id.to_string());
    let outcome = tokio::select! {
        outcome = make_and_store(app, claimed, &work_folder, progress.clone()) => Some(outcome),
        () = keep(app, claimed, &progress) => None,
        () = ending(app) => return release(app, claimed).await,
    };
    let shown = match outcome {
        None | Some(Err(Stop::TakenOver)) => Ok(false),
        Some(Ok(made)) => show(app, claimed, &made).await,
        Some(Err(Stop::Interrupted(error))) => Err(error),
        Some(Err(Stop::Failed(Failure { problem, log }))) => {
            tracing::warn!(upload = %claimed.id, problem, log, "a video was not converted");
            fail(app, claimed, &problem, &log).await.map(|_| false)
        }
    };
    match shown {
        Ok(true) => {
            tokio::fs::remove_dir_all(&work_folder).await.ok();
            tokio::fs::remove_file(staged(app, claimed.id)).await.ok();
            // Publishes videos whose time came while they waited for their file.
            if let Err(error) = videos::publish_due(app).await {
                tracing::warn!(error = error.reason(), "due videos are published a little later");
            }
        }
        // If another worker has taken the upload over, it continues with these files.
        Ok(false) => {
            if matches!(state(&app.db, claimed.id).await?, None | Some(State::Failed))
                && let Err(error) = storing::discard(app, claimed.id).await
            {
                tracing::warn!(
                    error = error.reason(),
                    "the space of a conversion is given back later"
                );
            }
        }
        Err(error) => {
            release(app, claimed).await?;
            return Err(error);
        }
    }
    Ok(())
}

/// Waits until this process ends.
async fn ending(app: &App) {
    let ends = app.ends_conversions.subscribe().wait_for(|ends| *ends).await.is_ok();
    if !ends {
        std::future::pending().await
    }
}

/// The prefix of the files that this attempt makes.
fn key(claimed: &Conversion) -> String {
    format!("{}/{}", storing::prefix(claimed.id), claimed.attempts)
}

/// Extends the claim until the upload is removed or taken over.
async fn keep(app: &App, claimed: &Conversion, progress: &AtomicU8) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        match renew(app, claimed, progress.load(Ordering::Relaxed)).await {
            Ok(true) => {}
            Ok(false) => return,
            // The claim lasts for several of these intervals.
            Err(error) => tracing::warn!(
                error = error.reason(),
                "the progress of a conversion was not stored"
            ),
        }
    }
}

/// Why nothing can be shown.
enum Stop {
    Failed(Failure),
    /// Another process works on the upload, or it was removed.
    TakenOver,
    /// The database did not answer. What was made stays for the next attempt.
    Interrupted(Error),
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.into())
    }
}

async fn make_and_store(
    app: &App,
    claimed: &Conversion,
    folder: &Path,
    progress: Arc<AtomicU8>,
) -> Result<Made, Stop> {
    let made = match Made::read(folder).await {
        Some(made) => made,
        None => {
            let made = make_marked(app, claimed, folder, progress.clone()).await;
            if made.is_err() {
                // If the disk stayed full, the failure could not be recorded.
                tokio::fs::remove_dir_all(folder).await.ok();
            }
            made?
        }
    };
    progress.store(STORING, Ordering::Relaxed);
    // Another process that took over while this one slept may have stored its files already.
    match renew(app, claimed, STORING).await {
        Ok(true) => {}
        Ok(false) => return Err(Stop::TakenOver),
        Err(error) => return Err(Stop::Interrupted(error)),
    }
    storing::put_all(app, claimed.id, &made, folder).await.map_err(not_stored)?;
    Ok(made)
}

async fn make_marked(
    app: &App,
    claimed: &Conversion,
    folder: &Path,
    progress: Arc<AtomicU8>,
) -> Result<Made, Failure> {
    tokio::fs::remove_dir_all(folder).await.ok();
    tokio::fs::create_dir_all(folder).await?;
    let (converted, cut) = make(app, claimed, folder, progress).await?;
    Made::mark(key(claimed), converted, cut, folder).await.map_err(not_stored)
}

fn not_stored(error: Error) -> Failure {
    let problem = if matches!(error, Error::Full) { FULL } else { NOT_STORED };
    Failure { problem: problem.into(), log: error.reason() }
}

async fn make(
    app: &App,
    claimed: &Conversion,
    folder: &Path,
    progress: Arc<AtomicU8>,
) -> Result<(Converted, Option<Cut>), Failure> {
    let tell = Arc::new(move |percent| progress.store(percent, Ordering::Relaxed));
    if claimed.trim_end_seconds.is_some() {
        let (converted, cut) = trim::trim(app, claimed, folder, tell).await?;
        return Ok((converted, Some(cut)));
    }
    let source = staged(app, claimed.id);
    if !tokio::fs::try_exists(&source).await? {
        return Err(Failure { problem: GONE.into(), log: String::new() });
    }
    // ffmpeg works in the other folder.
    let source = std::path::absolute(source)?;
    let converted = match Tools::find(&app.config) {
        Some(tools) => ffmpeg::convert(&tools, &source, folder, tell).await?,
        // Without ffmpeg, only files that every phone plays are accepted (decision V11).
        None => {
            let copy = folder.join(PROGRESSIVE);
            tokio::fs::copy(&source, &copy).await?;
            // Nobody learns where the children were filmed.
            tokio::task::spawn_blocking(move || remove_metadata(&copy))
                .await
                .map_err(io::Error::other)??;
            Converted { renditions: Vec::new(), duration_seconds: 0.0 }
        }
    };
    Ok((converted, None))
}

/// Shows the files to viewers, all at once. Returns `false` if another process has taken the upload
/// over, or if it was removed.
async fn show(app: &App, claimed: &Conversion, made: &Made) -> Result<bool> {
    let Made { key, converted, cut, .. } = made;
    let seconds = converted.duration_seconds.round() as i64;
    let finished = Finished::<Rendition> {
        folder: key,
        renditions: &converted.renditions,
        stored_bytes: made.bytes(),
        duration_seconds: (!converted.renditions.is_empty()).then_some(seconds.max(1)),
    };
    let mut tx = app.db.begin().await?;
    if !finish(&mut tx, app, claimed, &finished).await? {
        tx.rollback().await?;
        return Ok(false);
    }
    if let Some(cut) = cut {
        videos::follow_cut(&mut tx, app.clock.now(), claimed.id, *cut).await?;
    }
    videos::use_upload(&mut tx, app, claimed.id).await?;
    tx.commit().await?;
    Ok(true)
}
