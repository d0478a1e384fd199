//! Reads the index of an MP4 file: whether it is complete, what is in it, and where the index is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// No index of an honest file is longer: this is enough for a day of video.
const LONGEST_INDEX: u64 = 256 << 20;

/// Recordings in fragments have two parts for each second or two: this is enough for a day. Each part
/// is read from the disk by itself.
const MAX_PARTS: usize = 200_000;

/// What the index says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mp4 {
    /// QuickTime's own kind of file, which many players refuse.
    pub quicktime: bool,
    /// The index is before the pictures, so that playing can begin at once.
    pub index_in_front: bool,
    /// 0 where the index does not say.
    pub seconds: u64,
    pub video: Option<Video>,
    /// The name of the audio format, if there is sound.
    pub audio: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Video {
    /// The name of the format: `avc1` for H.264, `hvc1` for HEVC.
    pub format: String,
    pub width: u16,
    pub height: u16,
    /// The profile of H.264: 66 Baseline, 77 Main, 88 Extended, 100 High; others do not play
    /// everywhere.
    pub profile: Option<u8>,
}

/// Why the file cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// A part is longer than the rest of the file, or the index is missing.
    Incomplete,
    Unreadable,
}

/// Reads the index of a file that begins like an MP4.
pub(super) fn read(path: &Path) -> Result<Mp4, Wrong> {
    let mut file = File::open(path).map_err(|_| Wrong::Unreadable)?;
    let size = file.metadata().map_err(|_| Wrong::Unreadable)?.len();
    let mut found = Mp4::default();
    let (mut at, mut parts, mut index, mut pictures) = (0, 0, None, false);
    while at < size {
        parts += 1;
        if parts > MAX_PARTS {
            return Err(Wrong::Unreadable);
        }
        let (kind, start, end) = match head(&mut file, at, size) {
            Ok(part) => part,
            // Some recorders leave other bytes behind the last part.
            Err(_) if index.is_some() && pictures => break,
            Err(wrong) => return Err(wrong),
        };
        match &kind {
            b"ftyp" => {
                found.quicktime = &content(&mut file, start, end.min(start + 4))?[..] == b"qt  "
            }
            b"moov" if index.is_none() => {
                found.index_in_front = !pictures;
                index = Some(content(&mut file, start, end)?);
            }
            b"mdat" => pictures = true,
            _ => {}
        }
        at = end;
    }
    let index = index.ok_or(Wrong::Incomplete)?;
    if !pictures {
        return Err(Wrong::Incomplete);
    }
    found.seconds = inside(&index, &[b"mvhd"]).and_then(seconds).unwrap_or_default();
    for track in boxes(&index).filter(|part| &part.kind == b"trak") {
        describe(&mut found, track.content);
    }
    Ok(found)
}

/// The kind of the part that begins here, where its content begins, and where it ends.
pub(super) fn head(file: &mut File, at: u64, size: u64) -> Result<([u8; 4], u64, u64), Wrong> {
    let left = size - at;
    let bytes = content(file, at, at + left.min(16))?;
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
        return Err(Wrong::Incomplete);
    };
    let Some((kind, rest)) = rest.split_first_chunk::<4>() else { return Err(Wrong::Incomplete) };
    let (before, length) = match u32::from_be_bytes(*length) {
        // It reaches to the end of the file.
        0 => (8, left),
        1 => {
            let Some(long) = rest.first_chunk::<8>() else { return Err(Wrong::Incomplete) };
            (16, u64::from_be_bytes(*long))
        }
        short => (8, u64::from(short)),
    };
    match length {
        _ if length < before => Err(Wrong::Unreadable),
        _ if length > left => Err(Wrong::Incomplete),
        _ => Ok((*kind, at + before, at + length)),
    }
}

pub(super) fn content(file: &mut File, start: u64, end: u64) -> Result<Vec<u8>, Wrong> {
    if end - start > LONGEST_INDEX {
        return Err(Wrong::Unreadable);
    }
    let mut bytes = Vec::new();
    let read: io::Result<usize> = file
        .seek(SeekFrom::Start(start))
        .and_then(|_| file.take(end - start).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|_| Wrong::Unreadable)
}

pub(super) struct Part<'a> {
    pub kind: [u8; 4],
    pub content: &'a [u8],
}

/// The parts inside a part. Ends where one cannot be read.
pub(super) fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = Part<'_>> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (kind, _) = rest.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length) as usize;
        let content = bytes.get(8..length)?;
        bytes = &bytes[length..];
        Some(Part { kind: *kind, content })
    })
}

pub(super) fn inside<'a>(bytes: &'a [u8], path: &[&[u8; 4]]) -> Option<&'a [u8]> {
    path.iter().try_fold(bytes, |bytes, kind| {
        boxes(bytes).find(|part| part.kind == **kind).map(|part| part.content)
    })
}

/// The duration in a movie header, rounded.
fn seconds(header: &[u8]) -> Option<u64> {
    let short = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let (scale, duration) = match header.first()? {
        // Version 1 has times of eight bytes.
        1 => (short(20)?, u64::from(short(24)?) << 32 | u64::from(short(28)?)),
        _ => (short(12)?, u64::from(short(16)?)),
    };
    let scale = u64::from(scale);
    duration.saturating_add(scale / 2).checked_div(scale)
}

/// Adds what a track is. The first track of a kind is the one that plays.
fn describe(found: &mut Mp4, track: &[u8]) {
    let handler = inside(track, &[b"mdia", b"hdlr"]).and_then(|handler| handler.get(8..12));
    // Four bytes of version and flags and the number of entries come before the first entry.
    let entries = inside(track, &[b"mdia", b"minf", b"stbl", b"stsd"]).and_then(|all| all.get(8..));
    let Some(entry) = entries.and_then(|entries| boxes(entries).next()) else { return };
    let format = String::from_utf8_lossy(&entry.kind).into_owned();
    match handler {
        Some(b"vide") if found.video.is_none() => {
            let number = |at: usize| {
                let bytes = entry.content.get(at..at + 2).and_then(|two| two.try_into().ok());
                bytes.map_or(0, u16::from_be_bytes)
            };
            let details = entry.content.get(78..).unwrap_or_default();
            let profile = inside(details, &[b"avcC"]).and_then(|avc| avc.get(1).copied());
            found.video = Some(Video { format, width: number(24), height: number(26), profile });
        }
        Some(b"soun") if found.audio.is_none() => found.audio = Some(format),
        _ => {}
    }
}
