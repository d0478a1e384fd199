//! Checks by its bytes whether a complete file is a video that the portal can use. Its name and
//! what the browser says about it mean nothing.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::mp4::{self, Mp4, Wrong};
use crate::ffmpeg::{Container, NEEDED_BYTES, sniff};

const NO_VIDEO: &str =
    "This file is not a video. Please choose a video file, for example MP4 or MOV.";
const NO_PICTURES: &str = "There is only sound in this file. Please choose a video.";
const INCOMPLETE: &str = "This file is not complete: its end is missing. Please copy it from the camera \
                          or phone again, and upload it once more.";
const EXPORT: &str = "Please export it as MP4 (H.264 and AAC, at most 1080p, “optimized for \
                      streaming”) and upload that file. To film this way on an iPhone, choose \
                      Settings, Camera, Formats, “Most Compatible”.";

/// Checks a complete file. Without a converter, `as_it_is`, it must play on every phone as it is
/// (decision V11). Returns its duration in seconds, where its index tells.
///
/// # Errors
///
/// A sentence for staff.
pub(super) fn check(path: &Path, as_it_is: bool) -> Result<Option<i64>, String> {
    let container = container(path).ok_or(NO_VIDEO)?;
    if container == Container::Mov {
        let mp4 = mp4::read(path).map_err(|wrong| match wrong {
            Wrong::Incomplete => INCOMPLETE,
            Wrong::Unreadable => NO_VIDEO,
        })?;
        if mp4.video.is_none() {
            return Err(NO_PICTURES.into());
        }
        return match obstacle(&mp4).filter(|_| as_it_is) {
            Some(obstacle) => {
                Err(format!("This video would not play on every phone: {obstacle}. {EXPORT}"))
            }
            None => Ok(i64::try_from(mp4.seconds).ok().filter(|seconds| *seconds > 0)),
        };
    }
    match as_it_is {
        true => Err(format!(
            "This video would not play on every phone: it is not an MP4 file. {EXPORT}"
        )),
        false => Ok(None),
    }
}

fn container(path: &Path) -> Option<Container> {
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(NEEDED_BYTES as u64).read_to_end(&mut start).ok()?;
    sniff(&start)
}

/// Why a file does not play everywhere as it is.
fn obstacle(mp4: &Mp4) -> Option<&'static str> {
    let video = mp4.video.as_ref()?;
    match video.format.as_str() {
        "hvc1" | "hev1" | "dvh1" | "dvhe" => return Some("it is HEVC (“High Efficiency”)"),
        "avc1" | "avc3" => {}
        _ => return Some("it is not H.264"),
    }
    if !matches!(video.profile, Some(66 | 77 | 88 | 100)) {
        return Some("it is a kind of H.264 that only computers play");
    }
    if mp4.audio.as_ref().is_some_and(|audio| audio != "mp4a") {
        return Some("its sound is not AAC");
    }
    if mp4.quicktime {
        return Some("it is a QuickTime file");
    }
    if video.width.min(video.height) > 1080 || video.width.max(video.height) > 1920 {
        return Some("it is larger than 1080p");
    }
    (!mp4.index_in_front).then_some("its index is at the end")
}
