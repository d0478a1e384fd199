//! Cuts off the ends of a converted video without encoding its picture again.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ladder::{Plan, Rung, SOUND};
use super::playlist::{self, Playlist};
use super::probe::Rate;
use super::process::{self, Tools};
use super::{Converted, Failure, MASTER, Progress, describe};

const LIMIT: Duration = Duration::from_secs(3600);
/// Segments of two sizes that begin at most this many seconds apart count as beginning together.
const SAME: f64 = 0.3;
/// The picture begins at most this many seconds after the sound.
const BEHIND: f64 = 0.1;
/// Pictures that are read before they are shown come at most this many pictures early.
const REORDERED: f64 = 5.0;

/// The part of a video that stays, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    pub start: f64,
    pub end: f64,
}

/// The names of the files that [`trim`] reads.
pub fn needed_for_trim(sizes: &[(u32, u32)]) -> Vec<String> {
    let rungs = rungs(sizes);
    let names = rungs.iter().flat_map(|rung| [rung.playlist(), rung.file()]);
    names.chain([MASTER.to_owned()]).collect()
}

/// Cuts the files of an earlier conversion in the folder `source`, whose sizes are given best first.
/// `folder` receives what a conversion makes. A video can begin only where all sizes have a segment,
/// so the start may be a few seconds earlier; the cut that was made is returned.
///
/// # Errors
///
/// [`Failure`] when ffmpeg failed.
pub async fn trim(
    tools: &Tools,
    (source, sizes): (&Path, &[(u32, u32)]),
    wanted: Cut,
    folder: &Path,
    progress: Progress,
) -> Result<(Converted, Cut), Failure> {
    let rungs = rungs(sizes);
    let before = playlist::read_all(source, &rungs).await?;
    let end = wanted.end.min(before.iter().map(Playlist::seconds).fold(0.0, f64::max));
    let cut = Cut { start: common_start(&before, wanted.start), end };
    let master = tokio::fs::read_to_string(source.join(MASTER)).await?;
    let plan = Plan { rungs, rate: rate(&master) };
    for (done, rung) in plan.rungs.iter().enumerate() {
        progress((done * 80 / plan.rungs.len()) as u8);
        tools.ffmpeg(arguments(source, rung, plan.rate, cut), folder, LIMIT, None).await?;
    }
    let playlists = playlist::read_all(folder, &plan.rungs).await?;
    Ok((describe(tools, &plan, playlists, folder, progress).await?, cut))
}

fn rungs(sizes: &[(u32, u32)]) -> Vec<Rung> {
    let rung = |(width, height): &(u32, u32)| Rung {
        name: *width.min(height),
        width: *width,
        height: *height,
        max_rate: 0,
        copied: true,
    };
    sizes.iter().map(rung).collect()
}

/// The last beginning of a segment of all sizes that is not after `wanted`.
fn common_start(playlists: &[Playlist], wanted: f64) -> f64 {
    let starts: Vec<Vec<f64>> = playlists.iter().map(Playlist::starts).collect();
    let is_common =
        |at: &f64| starts.iter().all(|starts| starts.iter().any(|start| (start - at).abs() < SAME));
    let first = starts.first().cloned().unwrap_or_default();
    first.into_iter().rev().filter(|at| *at <= wanted + 0.05).find(is_common).unwrap_or(0.0)
}

fn rate(master: &str) -> Rate {
    let value = master.split_once("FRAME-RATE=").and_then(|(_, rest)| rest.split(',').next());
    let value = value.and_then(|value| value.parse::<f64>().ok()).unwrap_or(30.0);
    Rate((value * 1000.0).round() as u32, 1000)
}

fn arguments(source: &Path, rung: &Rung, rate: Rate, cut: Cut) -> Vec<OsString> {
    let (start, end) = (format!("{:.3}", cut.start + BEHIND), format!("{:.3}", cut.end));
    // The sound begins with the picture, not at the exact moment.
    let mut options = vec!["-noaccurate_seek", "-to", &end];
    if cut.start > 0.0 {
        options.extend(["-ss", &start]);
    }
    let mut arguments = process::input(&source.join(rung.file()), "mov", &options);
    // An HLS player stops when the first stream ends, and the last pictures are read after the last
    // sound.
    let seconds = cut.end - cut.start + REORDERED / rate.value();
    let words = format!("-map 0:v -map 0:a -c:v copy -af apad=whole_dur={seconds:.3} {SOUND}");
    arguments.extend(words.split(' ').map(Into::into));
    arguments.extend(rung.packaging().into_iter().map(Into::into));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_begins_where_all_sizes_have_a_segment() {
        let list = |seconds: &[f64]| Playlist::of(seconds);
        let copied = list(&[5.0, 7.0, 4.0, 4.0]);
        let encoded = list(&[4.0, 4.0, 4.0, 4.0, 4.0]);
        let both = [copied, encoded];
        for (wanted, start) in [(0.0, 0.0), (11.9, 0.0), (12.0, 12.0), (15.0, 12.0), (99.0, 16.0)] {
            assert_eq!(common_start(&both, wanted), start, "{wanted}");
        }
        assert_eq!(common_start(&[], 9.0), 0.0);
        assert_eq!(
            rate("#EXTM3U\n#EXT-X-STREAM-INF:FRAME-RATE=29.970,CODECS=\"a\"\n"),
            Rate(29_970, 1000)
        );
    }
}
