//! Converts a video file with ffmpeg for every phone: an HLS ladder of H.264 and AAC, one small MP4
//! file, posters and preview thumbnails.
//!
//! It knows no database: a file goes in, a folder of files and their description come out.

mod ladder;
mod picture;
mod playlist;
mod probe;
mod process;
mod sniff;
mod trim;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::ladder::{Plan, Rung};
pub use self::picture::CANDIDATES;
use self::playlist::Playlist;
use self::probe::Media;
pub use self::process::Tools;
pub use self::sniff::{Container, NEEDED_BYTES, sniff};
pub use self::trim::{Cut, needed_for_trim, trim};
use crate::data_folder::free_bytes;

pub const MASTER: &str = "master.m3u8";
/// The file for players without HLS, and for those who save it.
pub const PROGRESSIVE: &str = "file.mp4";
pub const POSTER: &str = "poster.jpg";
pub const PREVIEWS: &str = "thumbnails.vtt";
const SPRITE: &str = "sprite.jpg";

/// Segments start with a keyframe and have this many seconds.
const SEGMENT: u32 = 4;
/// A copied video whose keyframes are more than this many seconds apart starts and seeks too
/// slowly.
const LONGEST_SEGMENT: f64 = 12.0;
const DAY: f64 = 24.0 * 3600.0;
/// A disk with less space than this is full.
const FULL: u64 = 1 << 20;
const LONGEST_SECONDS: f64 = 6.0 * 3600.0;

const NO_VIDEO: &str = "This is not a video file that can be converted. Please choose a video as the \
                        phone or camera made it, such as .mp4, .mov, .mkv, .webm or .avi.";
const DAMAGED: &str = "This video file is damaged or incomplete. Please send it again, or export it \
                       once more.";
const NO_PICTURE: &str = "This file has sound but no picture.";
const CUT_OFF: &str =
    "This video file ends too early: a part of it is missing. Please send it again.";
const TOO_LONG: &str = "This video is longer than six hours. Please cut it into parts.";
const TOO_SMALL: &str = "The picture of this video is too small.";
const NO_SPACE: &str = "The camp's server has run out of space. Please make room, then try again.";
const TOO_SLOW: &str = "The conversion took too long and was stopped. Please try again.";
const FAILED: &str = "The video could not be converted. The log says more.";

/// Why a conversion failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Failure {
    /// A sentence for staff.
    pub problem: String,
    /// The end of ffmpeg's output.
    pub log: String,
}

impl Failure {
    fn new(problem: &str, log: impl Into<String>) -> Failure {
        Failure { problem: problem.into(), log: log.into() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        let problem = match error.kind() {
            std::io::ErrorKind::StorageFull => NO_SPACE,
            _ => FAILED,
        };
        Failure::new(problem, error.to_string())
    }
}

/// One size of a converted video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendition {
    pub width: u32,
    pub height: u32,
    /// The peak, in bits per second.
    pub bandwidth: u64,
    /// As in the `CODECS` attribute of HLS.
    pub codecs: String,
    pub size_bytes: u64,
}

/// A converted video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Converted {
    /// The best first.
    pub renditions: Vec<Rendition>,
    pub duration_seconds: f64,
}

/// Receives the progress in percent.
pub type Progress = Arc<dyn Fn(u8) + Send + Sync>;

/// Converts `source` into files in the empty folder `folder`. When the future is dropped, ffmpeg is
/// stopped; the files so far stay in the folder.
///
/// # Errors
///
/// [`Failure`] when the file is not a video, is damaged, or ffmpeg failed.
pub async fn convert(
    tools: &Tools,
    source: &Path,
    folder: &Path,
    progress: Progress,
) -> Result<Converted, Failure> {
    let made = make(tools, source, folder, progress).await;
    // ffmpeg does not always notice that the disk is full.
    if free_bytes(folder).is_some_and(|free| free < FULL) {
        let log = made.err().map(|failure| failure.log).unwrap_or_default();
        return Err(Failure::new(NO_SPACE, log));
    }
    made
}

async fn make(
    tools: &Tools,
    source: &Path,
    folder: &Path,
    progress: Progress,
) -> Result<Converted, Failure> {
    let container = container(source).await?;
    let media = probe::probe(tools, source, container).await?;
    let mut plan = Plan::of(&media);
    encode(tools, &media, &plan, folder, progress.clone()).await?;
    let mut playlists = playlist::read_all(folder, &plan.rungs).await?;
    if plan.copies_top() && playlists.iter().any(|list| list.longest() > LONGEST_SEGMENT) {
        plan = Plan::encoding_all(&media);
        empty(folder).await?;
        encode(tools, &media, &plan, folder, progress.clone()).await?;
        playlists = playlist::read_all(folder, &plan.rungs).await?;
    }
    let duration = playlists.iter().map(Playlist::seconds).fold(0.0, f64::max);
    if duration < media.duration * 0.9 - 0.5 {
        return Err(Failure::new(CUT_OFF, ""));
    }
    describe(tools, &plan, playlists, folder, progress).await
}

/// Removes what an earlier attempt made, since the next may have other sizes.
async fn empty(folder: &Path) -> std::io::Result<()> {
    let mut entries = tokio::fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        tokio::fs::remove_file(entry.path()).await?;
    }
    Ok(())
}

/// Enlarges the picture of a small MP4 to 1080 lines.
///
/// # Errors
///
/// [`Failure`] when ffmpeg failed.
pub async fn enlarge(tools: &Tools, source: &Path, target: &Path) -> Result<(), Failure> {
    let (source, target) = (std::path::absolute(source)?, std::path::absolute(target)?);
    let mut arguments = process::input(&source, "mov", &[]);
    let words =
        "-vf scale=-2:1080:flags=lanczos -c:v libx264 -preset veryfast -crf 20 -c:a copy -f mp4";
    arguments.extend(words.split(' ').map(Into::into));
    arguments.push(target.into());
    tools.ffmpeg(arguments, Path::new("/"), picture_limit(0.0), None).await
}

/// Makes everything else from the sizes that are in the folder.
async fn describe(
    tools: &Tools,
    plan: &Plan,
    playlists: Vec<Playlist>,
    folder: &Path,
    progress: Progress,
) -> Result<Converted, Failure> {
    let duration = playlists.iter().map(Playlist::seconds).fold(0.0, f64::max);
    let Some(smallest) = plan.rungs.last() else { return Err(Failure::new(FAILED, "")) };
    progressive_and_sprite(tools, smallest, duration, folder).await?;
    progress(96);
    picture::posters(tools, &plan.rungs[0], duration, folder).await?;
    let renditions = playlist::renditions(folder, &plan.rungs, &playlists).await?;
    playlist::write_master(folder, plan, &renditions, &playlists).await?;
    progress(100);
    Ok(Converted { renditions, duration_seconds: duration })
}

/// Whether a conversion makes a file with this name. Only these are ever served.
pub fn is_output(name: &str) -> bool {
    let rung = |stem: &str| {
        (1..=4).contains(&stem.len()) && stem.bytes().all(|digit| digit.is_ascii_digit())
    };
    match name {
        MASTER | PROGRESSIVE | POSTER | PREVIEWS | SPRITE => true,
        _ if picture::CANDIDATES.contains(&name) => true,
        _ => match name.rsplit_once('.') {
            Some((stem, "m3u8" | "mp4")) => rung(stem),
            _ => false,
        },
    }
}

async fn container(source: &Path) -> Result<Container, Failure> {
    use tokio::io::AsyncReadExt;
    let file = tokio::fs::File::open(source).await?;
    let mut start = Vec::new();
    file.take(NEEDED_BYTES as u64).read_to_end(&mut start).await?;
    sniff(&start).ok_or_else(|| Failure::new(NO_VIDEO, ""))
}

async fn encode(
    tools: &Tools,
    media: &Media,
    plan: &Plan,
    folder: &Path,
    progress: Progress,
) -> Result<(), Failure> {
    let total = media.duration.max(0.1);
    let on_line = move |line: &str| {
        let micros = line.strip_prefix("out_time_us=").and_then(|at| at.trim().parse::<f64>().ok());
        if let Some(micros) = micros {
            progress((micros / 10_000.0 / total * 0.94).clamp(0.0, 94.0) as u8);
        }
    };
    let arguments = plan.arguments(media, tools.threads());
    // The slowest server needs half a minute for a second of 4K.
    let limit = Duration::from_secs_f64(600.0 + (total * 60.0).min(DAY));
    tools.ffmpeg(arguments, folder, limit, Some(Box::new(on_line))).await?;
    Ok(())
}

/// How long the pictures of a video of that many seconds may take. All of it may have to be read.
fn picture_limit(duration: f64) -> Duration {
    Duration::from_secs_f64(300.0 + duration)
}

/// The progressive file is the smallest size with its index in front. The sprite reads the same
/// file.
async fn progressive_and_sprite(
    tools: &Tools,
    smallest: &Rung,
    duration: f64,
    folder: &Path,
) -> Result<(), Failure> {
    let sprite = picture::Sprite::of(smallest, duration);
    let mut arguments = process::input(&smallest.file(), "mov", &["-skip_frame", "nokey"]);
    arguments.extend(
        ["-map", "0", "-c", "copy", "-movflags", "+faststart", "-map_metadata", "-1", PROGRESSIVE]
            .map(Into::into),
    );
    arguments.extend(sprite.arguments());
    tools.ffmpeg(arguments, folder, picture_limit(duration), None).await?;
    tokio::fs::write(folder.join(PREVIEWS), sprite.vtt()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
