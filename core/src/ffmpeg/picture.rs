//! Takes pictures from a converted video: posters, and small ones for the seek bar.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use super::ladder::Rung;
use super::process::{self, Tools};
use super::{FAILED, Failure, POSTER, SEGMENT, SPRITE, picture_limit};

/// The pictures that staff can choose from.
pub const CANDIDATES: [&str; 3] = ["poster-1.jpg", "poster-2.jpg", "poster-3.jpg"];
/// Where the candidates are, as parts of the duration.
const PLACES: [f64; 3] = [0.1, 0.4, 0.7];
const LARGEST_POSTER: u32 = 1280;
const MAX_TILES: u32 = 150;
const TILE_SIDE: f64 = 160.0;
const COLUMNS: u32 = 10;

/// Makes three posters and proposes the one with the most detail, which is never a black frame.
pub(super) async fn posters(
    tools: &Tools,
    rung: &Rung,
    duration: f64,
    folder: &Path,
) -> Result<(), Failure> {
    let mut best: Option<(u64, &str)> = None;
    for (name, place) in CANDIDATES.into_iter().zip(PLACES) {
        let start = format!("{:.3}", duration * place);
        let mut arguments = process::input(&rung.file(), "mov", &["-ss", &start]);
        let filters = format!(
            "thumbnail=50,scale='if(gt(iw,ih),min({LARGEST_POSTER},iw),-2)':'if(gt(iw,ih),-2,min({LARGEST_POSTER},ih))'"
        );
        let words = ["-map", "0:v", "-vf", &filters, "-frames:v", "1", "-q:v", "4", name];
        arguments.extend(words.map(Into::into));
        tools.ffmpeg(arguments, folder, picture_limit(duration), None).await?;
        let size = tokio::fs::metadata(folder.join(name)).await.map_or(0, |data| data.len());
        if size > best.map_or(0, |(size, _)| size) {
            best = Some((size, name));
        }
    }
    let (_, name) = best.ok_or_else(|| Failure::new(FAILED, "no poster could be made"))?;
    tokio::fs::copy(folder.join(name), folder.join(POSTER)).await?;
    Ok(())
}

/// Small pictures in one file, one for each few seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sprite {
    /// Seconds.
    interval: u32,
    tiles: u32,
    width: u32,
    height: u32,
    duration: f64,
}

impl Sprite {
    pub fn of(rung: &Rung, duration: f64) -> Sprite {
        let interval = SEGMENT * (duration / f64::from(SEGMENT * MAX_TILES)).ceil().max(1.0) as u32;
        let tiles = (duration / f64::from(interval)).ceil().max(1.0) as u32;
        let factor = TILE_SIDE / f64::from(rung.width.max(rung.height));
        let even = |side: u32| ((f64::from(side) * factor / 2.0).round() as u32 * 2).max(2);
        Sprite { interval, tiles, width: even(rung.width), height: even(rung.height), duration }
    }

    pub fn arguments(&self) -> Vec<OsString> {
        let Sprite { interval, tiles, width, height, .. } = self;
        let (columns, rows) = (COLUMNS.min(*tiles), tiles.div_ceil(COLUMNS));
        let filters = format!(
            "fps=1/{interval}:round=up:start_time=0,scale={width}:{height},tile={columns}x{rows}"
        );
        ["-map", "0:v", "-vf", &filters, "-frames:v", "1", "-q:v", "5", SPRITE]
            .map(Into::into)
            .into()
    }

    /// WebVTT whose texts name parts of the sprite.
    pub fn vtt(&self) -> String {
        let Sprite { interval, tiles, width, height, duration } = self;
        let mut text = String::from("WEBVTT\n");
        for tile in 0..*tiles {
            let start = f64::from(tile * interval);
            let end = f64::from((tile + 1) * interval).min(*duration).max(start + 0.001);
            let (x, y) = (tile % COLUMNS * width, tile / COLUMNS * height);
            let _ = write!(
                text,
                "\n{} --> {}\n{SPRITE}#xywh={x},{y},{width},{height}\n",
                clock(start),
                clock(end)
            );
        }
        text
    }
}

fn clock(seconds: f64) -> String {
    let millis = (seconds * 1000.0).round() as u64;
    let (hours, minutes) = (millis / 3_600_000, millis / 60_000 % 60);
    format!("{hours:02}:{minutes:02}:{:02}.{:03}", millis / 1000 % 60, millis % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_video_has_at_most_150_previews() {
        let rung = Rung { name: 480, width: 854, height: 480, max_rate: 0, copied: false };
        let short = Sprite::of(&rung, 9.5);
        assert_eq!((short.interval, short.tiles, short.width, short.height), (4, 3, 160, 90));
        let long = Sprite::of(&rung, 3700.0);
        assert_eq!((long.interval, long.tiles), (28, 133));
        let text = short.vtt();
        let last = "\n00:00:08.000 --> 00:00:09.500\nsprite.jpg#xywh=320,0,160,90\n";
        assert!(text.starts_with("WEBVTT\n\n") && text.ends_with(last), "{text}");
        assert!(long.vtt().contains("\nsprite.jpg#xywh=0,90,160,90\n"));
    }
}
