//! Reads what is in a video file, with ffprobe.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Deserialize;

use super::process::{self, Tools};
use super::sniff::Container;
use super::{DAMAGED, Failure, LONGEST_SECONDS, NO_PICTURE, TOO_LONG, TOO_SMALL};

const SMALLEST_SIDE: u32 = 16;
/// For reading a file from its beginning to its end.
const READING: Duration = Duration::from_secs(1200);

/// A frame rate as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rate(pub u32, pub u32);

impl Rate {
    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(self.1)
    }

    fn parse(text: &str) -> Option<Rate> {
        let (over, under) = text.split_once('/')?;
        let rate = Rate(over.parse().ok()?, under.parse().ok()?);
        (rate.0 > 0 && rate.1 > 0).then_some(rate)
    }
}

/// A source with one video stream and at most one audio stream.
#[derive(Debug, Clone)]
pub(super) struct Media {
    pub path: PathBuf,
    pub container: Container,
    /// In seconds.
    pub duration: f64,
    pub video: Video,
    /// The index of the stream in the file.
    pub audio: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Video {
    /// The index of the stream in the file.
    pub index: usize,
    pub codec: String,
    pub profile: String,
    pub pixels: String,
    /// As people see it: upright and with square pixels.
    pub width: u32,
    pub height: u32,
    /// Whether the stored picture is the one that people see.
    pub upright: bool,
    pub square: bool,
    pub transfer: String,
    pub interlaced: bool,
    pub average: Rate,
    /// The rate at which all timestamps can be represented. It is far from the average if the rate
    /// varies.
    pub base: Rate,
    pub bits_per_second: u64,
}

#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    streams: Vec<Stream>,
    #[serde(default)]
    format: Format,
}

#[derive(Deserialize, Default)]
struct Format {
    duration: Option<String>,
    bit_rate: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Stream {
    index: usize,
    codec_type: String,
    codec_name: Option<String>,
    profile: String,
    pix_fmt: String,
    width: u32,
    height: u32,
    sample_aspect_ratio: String,
    color_transfer: String,
    field_order: String,
    avg_frame_rate: String,
    r_frame_rate: String,
    duration: Option<String>,
    bit_rate: Option<String>,
    disposition: HashMap<String, i64>,
    side_data_list: Vec<SideData>,
}

#[derive(Deserialize)]
struct SideData {
    rotation: Option<f64>,
}

pub(super) async fn probe(
    tools: &Tools,
    source: &Path,
    container: Container,
) -> Result<Media, Failure> {
    let mut arguments: Vec<OsString> =
        ["-v", "error", "-of", "json", "-show_format", "-show_streams"].map(Into::into).into();
    arguments.extend(process::input(source, container.demuxer(), &[]));
    let json = tools.ffprobe(arguments).await?.map_err(|log| Failure::new(DAMAGED, log))?;
    let report: Report =
        serde_json::from_slice(&json).map_err(|error| Failure::new(DAMAGED, error.to_string()))?;
    let media = read(report, source, container)?;
    match media.duration > 0.0 {
        true => Ok(media),
        false => measured(tools, media).await,
    }
}

/// A file that a browser recorded does not say how long it is, so all of it is read.
async fn measured(tools: &Tools, media: Media) -> Result<Media, Failure> {
    let mut arguments = process::input(&media.path, media.container.demuxer(), &[]);
    let picture = format!("0:{}", media.video.index);
    arguments.extend(["-map", &picture, "-c", "copy", "-f", "null", "-"].map(Into::into));
    let micros = Arc::new(AtomicU64::new(0));
    let seen = micros.clone();
    let on_line = move |line: &str| {
        if let Some(at) = line.strip_prefix("out_time_us=").and_then(|at| at.trim().parse().ok()) {
            seen.store(at, Ordering::Relaxed);
        }
    };
    tools.ffmpeg(arguments, Path::new("/"), READING, Some(Box::new(on_line))).await?;
    let duration = micros.load(Ordering::Relaxed) as f64 / 1e6;
    match duration > LONGEST_SECONDS {
        true => Err(Failure::new(TOO_LONG, "")),
        false => Ok(Media { duration, ..media }),
    }
}

fn read(report: Report, source: &Path, container: Container) -> Result<Media, Failure> {
    let known = |stream: &&Stream| {
        stream.codec_name.as_deref().is_some_and(|name| !matches!(name, "none" | "unknown"))
    };
    let picture = report.streams.iter().find(|stream| {
        let cover = stream.disposition.get("attached_pic") == Some(&1);
        stream.codec_type == "video" && !cover && known(stream)
    });
    let sound = report.streams.iter().find(|s| s.codec_type == "audio" && known(s));
    let Some(stream) = picture else {
        let problem = if sound.is_some() { NO_PICTURE } else { DAMAGED };
        return Err(Failure::new(problem, ""));
    };
    let number = |text: &Option<String>| text.as_ref().and_then(|n| n.parse::<f64>().ok());
    let duration = number(&report.format.duration).or(number(&stream.duration));
    if duration.is_some_and(|seconds| !(0.0..=LONGEST_SECONDS).contains(&seconds)) {
        return Err(Failure::new(TOO_LONG, ""));
    }
    let bits = number(&stream.bit_rate).or(number(&report.format.bit_rate)).unwrap_or(0.0);
    let video = Video { bits_per_second: bits as u64, ..video(stream) };
    if video.width.min(video.height) < SMALLEST_SIDE {
        return Err(Failure::new(TOO_SMALL, ""));
    }
    let audio = sound.map(|stream| stream.index);
    // 0 until it is measured.
    let duration = duration.unwrap_or(0.0);
    Ok(Media { path: source.to_owned(), container, duration, video, audio })
}

fn video(stream: &Stream) -> Video {
    let aspect = stream.sample_aspect_ratio.split_once(':').and_then(|(over, under)| {
        let (over, under) = (over.parse::<f64>().ok()?, under.parse::<f64>().ok()?);
        (over > 0.0 && under > 0.0).then_some(over / under)
    });
    let aspect = aspect.unwrap_or(1.0);
    let stored_width = (f64::from(stream.width) * aspect).round() as u32;
    let rotation = stream.side_data_list.iter().find_map(|data| data.rotation).unwrap_or(0.0);
    let turned = (rotation.abs() / 90.0).round() as u32 % 2 == 1;
    let (width, height) = match turned {
        true => (stream.height, stored_width),
        false => (stored_width, stream.height),
    };
    let base = Rate::parse(&stream.r_frame_rate);
    let average = Rate::parse(&stream.avg_frame_rate).or(base).unwrap_or(Rate(30, 1));
    Video {
        index: stream.index,
        codec: stream.codec_name.clone().unwrap_or_default(),
        profile: stream.profile.clone(),
        pixels: stream.pix_fmt.clone(),
        width,
        height,
        upright: rotation == 0.0,
        square: aspect == 1.0,
        transfer: stream.color_transfer.clone(),
        interlaced: !matches!(stream.field_order.as_str(), "" | "progressive" | "unknown"),
        average,
        base: base.unwrap_or(average),
        bits_per_second: 0,
    }
}
