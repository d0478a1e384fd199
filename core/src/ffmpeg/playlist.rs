//! Reads the playlists that ffmpeg wrote, and writes the one that lists all sizes.

use std::fmt::Write;
use std::path::Path;

use super::ladder::{Plan, Rung};
use super::{FAILED, Failure, MASTER, Rendition};

const AUDIO_CODEC: &str = "mp4a.40.2";
/// `avcC` is within this many bytes from the start of the file.
const HEADER_BYTES: usize = 8192;

/// The segments of one size.
pub(super) struct Playlist {
    /// Seconds and bytes of each.
    segments: Vec<(f64, u64)>,
    /// Where the last one ends in the file.
    end: u64,
}

impl Playlist {
    fn parse(text: &str) -> Option<Playlist> {
        let mut segments = Vec::new();
        let (mut seconds, mut end) = (None, 0);
        for line in text.lines() {
            if let Some(value) = line.strip_prefix("#EXTINF:") {
                seconds = value.trim_end_matches(',').parse().ok();
            } else if let Some(value) = line.strip_prefix("#EXT-X-BYTERANGE:") {
                let (length, start) = value.split_once('@')?;
                let (length, start): (u64, u64) = (length.parse().ok()?, start.parse().ok()?);
                segments.push((seconds.take()?, length));
                end = start + length;
            }
        }
        let complete = text.trim_end().ends_with("#EXT-X-ENDLIST") && !segments.is_empty();
        complete.then_some(Playlist { segments, end })
    }

    pub fn seconds(&self) -> f64 {
        self.segments.iter().map(|(seconds, _)| seconds).sum()
    }

    /// When each segment begins, in seconds.
    pub fn starts(&self) -> Vec<f64> {
        let seconds = self.segments.iter().map(|(seconds, _)| *seconds);
        let ends = seconds.scan(0.0, |sum, seconds| {
            *sum += seconds;
            Some(*sum)
        });
        [0.0].into_iter().chain(ends).take(self.segments.len()).collect()
    }

    #[cfg(test)]
    pub fn of(seconds: &[f64]) -> Playlist {
        Playlist { segments: seconds.iter().map(|seconds| (*seconds, 1)).collect(), end: 0 }
    }

    pub fn longest(&self) -> f64 {
        self.segments.iter().map(|(seconds, _)| *seconds).fold(0.0, f64::max)
    }

    /// Bits per second of the segment with the highest rate. The last one is too short to be
    /// representative, unless it is the only one.
    fn peak(&self) -> u64 {
        let last = self.segments.len() - 1;
        let counted = self.segments.iter().enumerate().filter(|(at, _)| *at < last || last == 0);
        counted.map(|(_, segment)| rate(*segment)).max().unwrap_or_default()
    }

    fn average(&self) -> u64 {
        rate((self.seconds(), self.segments.iter().map(|(_, bytes)| bytes).sum()))
    }
}

fn rate((seconds, bytes): (f64, u64)) -> u64 {
    (bytes as f64 * 8.0 / seconds.max(0.04)).ceil() as u64
}

pub(super) async fn read_all(folder: &Path, rungs: &[Rung]) -> Result<Vec<Playlist>, Failure> {
    let mut playlists = Vec::new();
    for rung in rungs {
        let text = tokio::fs::read_to_string(folder.join(rung.playlist())).await?;
        let playlist = Playlist::parse(&text).ok_or_else(|| Failure::new(FAILED, text))?;
        if tokio::fs::metadata(folder.join(rung.file())).await?.len() < playlist.end {
            return Err(Failure::new(FAILED, "a converted file is incomplete"));
        }
        playlists.push(playlist);
    }
    Ok(playlists)
}

pub(super) async fn renditions(
    folder: &Path,
    rungs: &[Rung],
    playlists: &[Playlist],
) -> Result<Vec<Rendition>, Failure> {
    let mut renditions = Vec::new();
    for (rung, playlist) in rungs.iter().zip(playlists) {
        let path = folder.join(rung.file());
        renditions.push(Rendition {
            width: rung.width,
            height: rung.height,
            bandwidth: playlist.peak(),
            codecs: format!("{},{AUDIO_CODEC}", video_codec(&path).await?),
            size_bytes: tokio::fs::metadata(&path).await?.len(),
        });
    }
    Ok(renditions)
}

/// The codec of an H.264 file with its profile and level, such as `avc1.64001f` (RFC 6381).
async fn video_codec(path: &Path) -> Result<String, Failure> {
    use tokio::io::AsyncReadExt;
    let mut header = Vec::new();
    let file = tokio::fs::File::open(path).await?;
    file.take(HEADER_BYTES as u64).read_to_end(&mut header).await?;
    let at = header.windows(4).position(|name| name == b"avcC");
    let bytes = at.and_then(|at| header.get(at + 5..at + 8));
    let [profile, limits, level] = bytes.unwrap_or_default() else {
        return Err(Failure::new(FAILED, "the converted file has no H.264 header"));
    };
    Ok(format!("avc1.{profile:02x}{limits:02x}{level:02x}"))
}

/// Players start with the first size: not the largest one, so that playing starts at once.
pub(super) async fn write_master(
    folder: &Path,
    plan: &Plan,
    renditions: &[Rendition],
    playlists: &[Playlist],
) -> Result<(), Failure> {
    let mut order: Vec<usize> = (0..plan.rungs.len()).collect();
    order.sort_by_key(|at| plan.rungs[*at].name > 720);
    let mut text = String::from("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n");
    for at in order {
        let Rendition { width, height, bandwidth, codecs, .. } = &renditions[at];
        let average = playlists[at].average();
        let _ = write!(
            text,
            "#EXT-X-STREAM-INF:BANDWIDTH={},AVERAGE-BANDWIDTH={average},RESOLUTION={width}x{height},\
             FRAME-RATE={:.3},CODECS=\"{codecs}\"\n{}\n",
            (*bandwidth).max(average),
            plan.rate.value(),
            plan.rungs[at].playlist(),
        );
    }
    tokio::fs::write(folder.join(MASTER), text).await?;
    Ok(())
}
