//! Removes from an MP4 file what it says besides pictures and sound, such as the place where a phone
//! filmed it: a file that is not converted is published as it is.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::mp4::{Part, boxes, content, head, inside};

/// Bytes of the file, which become zeros.
#[derive(Debug, PartialEq, Eq)]
enum Hidden {
    /// A part: where its kind and its content are. It becomes a free part, so that nothing else
    /// moves.
    Part {
        kind: u64,
        content: Range<u64>,
    },
    Samples(Range<u64>),
}

impl Hidden {
    /// A part inside another one, whose head always has eight bytes.
    fn inner(at: u64, end: u64) -> Hidden {
        Hidden::Part { kind: at + 4, content: at + 8..end }
    }

    fn bytes(&self) -> &Range<u64> {
        match self {
            Hidden::Part { content, .. } => content,
            Hidden::Samples(samples) => samples,
        }
    }
}

/// Overwrites the metadata of a complete file that [`super::content`] has accepted.
///
/// # Errors
///
/// When the file cannot be read or written.
pub(crate) fn remove_metadata(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut found = found(&mut file)?;
    found.sort_by_key(|hidden| hidden.bytes().start);
    // Each byte is written once at most, however often an index names it.
    let mut written = 0;
    for hidden in found {
        if let Hidden::Part { kind, .. } = hidden {
            file.seek(SeekFrom::Start(kind))?;
            file.write_all(b"free")?;
        }
        let bytes = hidden.bytes();
        let start = bytes.start.max(written);
        if start < bytes.end {
            file.seek(SeekFrom::Start(start))?;
            io::copy(&mut io::Read::take(io::repeat(0), bytes.end - start), &mut file)?;
            written = bytes.end;
        }
    }
    file.sync_all()
}

fn found(file: &mut File) -> io::Result<Vec<Hidden>> {
    let size = file.metadata()?.len();
    let (mut at, mut has_index, mut found) = (0, false, Vec::new());
    // What cannot be read is behind the pictures and is not played.
    while let Ok((kind, start, end)) = head(file, at, size) {
        match &kind {
            b"moov" if !has_index => {
                has_index = true;
                let bytes = content(file, start, end).map_err(|_| io::ErrorKind::InvalidData)?;
                in_index(&bytes, start, &mut found);
            }
            b"moov" | b"udta" | b"meta" | b"uuid" => {
                found.push(Hidden::Part { kind: at + 4, content: start..end });
            }
            _ => {}
        }
        at = end;
    }
    // Samples are within the file, whatever the index says.
    found.retain(|hidden| hidden.bytes().end <= size);
    Ok(found)
}

/// In the index, which begins at `start` of the file, and in its tracks. Parts of parts are read to a fixed depth,
/// because a file can have a million of them in each other.
fn in_index(bytes: &[u8], start: u64, found: &mut Vec<Hidden>) {
    for (at, end, part) in placed(bytes, start) {
        match &part.kind {
            b"trak" if is_of_metadata(part.content) => {
                found.extend(samples(part.content).unwrap_or_default());
                found.push(Hidden::inner(at, end));
            }
            b"trak" => {
                for (at, end, part) in placed(part.content, at + 8) {
                    in_described(&part, at, end, found);
                }
            }
            _ => in_described(&part, at, end, found),
        }
    }
}

/// What a part of the index or of a track says about it.
fn in_described(part: &Part, at: u64, end: u64, found: &mut Vec<Hidden>) {
    match &part.kind {
        b"uuid" => found.push(Hidden::inner(at, end)),
        kind @ (b"udta" | b"meta") => in_metadata(kind, part.content, at + 8, found),
        _ => {}
    }
}

/// All that is not empty in a part with metadata. What says only that it has metadata stays.
fn in_metadata(kind: &[u8; 4], bytes: &[u8], start: u64, found: &mut Vec<Hidden>) {
    // MP4 has a version here, QuickTime has none.
    let versioned = kind == b"meta" && bytes.get(8..12) == Some(b"hdlr");
    let skipped = if versioned { 4 } else { 0 };
    for (at, end, part) in placed(&bytes[skipped..], start + skipped as u64) {
        match &part.kind {
            b"meta" if kind == b"udta" => in_metadata(b"meta", part.content, at + 8, found),
            b"hdlr" => {}
            _ if part.content.is_empty() => {}
            _ => found.push(Hidden::inner(at, end)),
        }
    }
}

/// The parts inside a part whose content begins at `start` of the file, with where each begins and ends there.
fn placed(bytes: &[u8], start: u64) -> impl Iterator<Item = (u64, u64, Part<'_>)> {
    let mut at = start;
    boxes(bytes).map(move |part| {
        let begin = at;
        at += 8 + part.content.len() as u64;
        (begin, at, part)
    })
}

/// A track with what the sensors of a phone or camera recorded.
fn is_of_metadata(track: &[u8]) -> bool {
    let handler = inside(track, &[b"mdia", b"hdlr"]).and_then(|handler| handler.get(8..12));
    matches!(handler, Some(b"meta" | b"camm"))
}

/// More than the chunks of a day, one of which has about a second.
const MAX_CHUNKS: usize = 200_000;

/// Where the samples of a track are in the file.
fn samples(track: &[u8]) -> Option<Vec<Hidden>> {
    let table = inside(track, &[b"mdia", b"minf", b"stbl"])?;
    let number = |bytes: &[u8], at: usize| {
        Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
    };
    let sizes = inside(table, &[b"stsz"])?;
    let length = |first: usize, count: usize| match number(sizes, 4)? {
        0 => (first..first + count).map(|sample| number(sizes, 12 + 4 * sample)).sum(),
        same => same.checked_mul(count),
    };
    let offset = |chunk: usize| match inside(table, &[b"stco"]) {
        Some(offsets) => number(offsets, 8 + 4 * chunk).map(|at| at as u64),
        None => {
            let at = inside(table, &[b"co64"])?.get(8 + 8 * chunk..16 + 8 * chunk)?;
            Some(u64::from_be_bytes(at.try_into().ok()?))
        }
    };
    let runs = inside(table, &[b"stsc"])?;
    let (mut found, mut sample, mut run, mut chunk) = (Vec::new(), 0, 0, 0);
    while let Some(at) = offset(chunk).filter(|_| chunk < MAX_CHUNKS) {
        while number(runs, 8 + 12 * (run + 1)).is_some_and(|first| first <= chunk + 1) {
            run += 1;
        }
        let count = number(runs, 12 + 12 * run)?;
        let end = at.checked_add(length(sample, count)? as u64)?;
        found.push(Hidden::Samples(at..end));
        (sample, chunk) = (sample + count, chunk + 1);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
    }

    fn numbers(all: &[u32]) -> Vec<u8> {
        all.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn track(handler: &[u8; 4], table: &[u8], more: &[u8]) -> Vec<u8> {
        let handler = part(b"hdlr", &[&[0; 8][..], handler, &[0; 12]].concat());
        let media = part(b"mdia", &[handler, part(b"minf", &part(b"stbl", table))].concat());
        part(b"trak", &[&media[..], more].concat())
    }

    #[test]
    fn the_place_goes_from_the_index_the_tracks_and_the_samples_and_nothing_moves() {
        let table = |first: u32| {
            [
                part(b"stsz", &numbers(&[0, 0, 3, 4, 2, 3])),
                part(b"stsc", &numbers(&[0, 2, 1, 2, 1, 2, 1, 1])),
                part(b"stco", &numbers(&[0, 2, first, first + 9])),
            ]
            .concat()
        };
        let place = |kind: &[u8; 4]| part(kind, b"+41.7036-074.6497/");
        let tags = part(b"meta", &[part(b"hdlr", &[0; 24]), place(b"ilst")].concat());
        let film = |first: u32| {
            let own = part(b"udta", &place(b"\xa9xyz"));
            let index = [
                track(b"vide", b"", &own),
                track(b"meta", &table(first), b""),
                part(b"udta", &[place(b"loci"), tags.clone()].concat()),
                place(b"uuid"),
            ];
            let pictures = part(b"mdat", b"41.7XXsee074end");
            [part(b"ftyp", b"isom"), part(b"moov", &index.concat()), pictures, place(b"uuid")]
                .concat()
        };
        let at = |bytes: &[u8]| bytes.windows(6).position(|six| six == b"41.7XX").expect("it");
        let film = film(at(&film(0)) as u32);
        let left = without_metadata(&film);
        assert_eq!(left.len(), film.len());
        assert!(!left.windows(4).any(|four| four == b"41.7" || four == b"074."));
        let pictures = at(&film);
        assert_eq!(&left[pictures..pictures + 15], b"\0\0\0\0\0\0see\0\0\0end");
    }

    fn without_metadata(film: &[u8]) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), film).expect("it is written");
        remove_metadata(file.path()).expect("it works");
        std::fs::read(file.path()).expect("a file")
    }

    #[test]
    fn a_million_parts_in_each_other_and_samples_named_a_million_times_are_no_work() {
        for kind in [b"trak", b"udta", b"meta"] {
            let depth = 200_000_u32;
            let nested = (0..depth).flat_map(|n| part_head(8 * (depth - n), kind));
            let index = part(b"moov", &nested.collect::<Vec<u8>>());
            assert_eq!(without_metadata(&index).len(), index.len());
        }
        let chunks = 1_000_000_u32;
        let offsets = [0, chunks].into_iter().chain((0..chunks).map(|_| 0)).collect::<Vec<u32>>();
        let table = [
            part(b"stsz", &numbers(&[0, 4_000_000, chunks])),
            part(b"stsc", &numbers(&[0, 1, 1, 1, 1])),
            part(b"stco", &numbers(&offsets)),
        ];
        let film = part(b"moov", &track(b"meta", &table.concat(), b""));
        assert_eq!(without_metadata(&film).len(), film.len());
    }

    fn part_head(length: u32, kind: &[u8; 4]) -> [u8; 8] {
        let mut head = [0; 8];
        head[..4].copy_from_slice(&length.to_be_bytes());
        head[4..].copy_from_slice(kind);
        head
    }

    #[test]
    fn a_part_with_a_long_head_still_ends_where_it_ended() {
        let length = 16 + 8_u64;
        let place = [&[0, 0, 0, 1][..], b"uuid", &length.to_be_bytes(), b"+41.7036"].concat();
        let film = [part(b"moov", b""), place, part(b"mdat", b"pictures")].concat();
        let left = without_metadata(&film);
        let kept = [&[0, 0, 0, 1][..], b"free", &length.to_be_bytes(), &[0; 8]].concat();
        assert_eq!(left, [part(b"moov", b""), kept, part(b"mdat", b"pictures")].concat());
    }
}
