//! Removes from an MP4 file what it says besides pictures and sound, such as the place where a phone
//! filmed it: a file that is not converted is published as it is.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::mp4::{boxes, content, head, inside};

/// Bytes of the file, which become zeros.
#[derive(Debug, PartialEq, Eq)]
enum Hidden {
    /// A part with its head of eight bytes; it becomes a free one, so that nothing else moves.
    Part(Range<u64>),
    Samples(Range<u64>),
}

/// Overwrites the metadata of a complete file that [`super::content`] has accepted.
///
/// # Errors
///
/// When the file cannot be read or written.
pub(crate) fn remove_metadata(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    for hidden in found(&mut file)? {
        let bytes = match hidden {
            Hidden::Part(part) => {
                file.seek(SeekFrom::Start(part.start + 4))?;
                file.write_all(b"free")?;
                part.start + 8..part.end
            }
            Hidden::Samples(samples) => samples,
        };
        file.seek(SeekFrom::Start(bytes.start))?;
        io::copy(&mut io::Read::take(io::repeat(0), bytes.end - bytes.start), &mut file)?;
    }
    file.sync_all()
}

fn found(file: &mut File) -> io::Result<Vec<Hidden>> {
    let size = file.metadata()?.len();
    let (mut at, mut found) = (0, Vec::new());
    // What cannot be read stands behind the pictures and is not played.
    while let Ok((kind, start, end)) = head(file, at, size) {
        if matches!(&kind, b"moov" | b"udta" | b"meta" | b"uuid") {
            let bytes = content(file, start, end).map_err(|_| io::ErrorKind::InvalidData)?;
            match &kind {
                b"moov" => in_index(&bytes, start, &mut found),
                b"uuid" => found.push(Hidden::Part(at..end)),
                kind => in_metadata(kind, &bytes, start, &mut found),
            }
        }
        at = end;
    }
    // Samples lie in the file, whatever the index says.
    let within = |hidden: &Hidden| match hidden {
        Hidden::Part(bytes) | Hidden::Samples(bytes) => bytes.end <= size,
    };
    found.retain(within);
    Ok(found)
}

/// In the index and in its tracks, which begin at `start` of the file.
fn in_index(bytes: &[u8], start: u64, found: &mut Vec<Hidden>) {
    let mut at = start;
    for part in boxes(bytes) {
        let end = at + 8 + part.content.len() as u64;
        match &part.kind {
            b"trak" if is_of_metadata(part.content) => {
                found.extend(samples(part.content).unwrap_or_default());
                found.push(Hidden::Part(at..end));
            }
            b"trak" => in_index(part.content, at + 8, found),
            b"uuid" => found.push(Hidden::Part(at..end)),
            kind @ (b"udta" | b"meta") => in_metadata(kind, part.content, at + 8, found),
            _ => {}
        }
        at = end;
    }
}

/// All that is not empty in a part with metadata. What says only that it has metadata stays.
fn in_metadata(kind: &[u8; 4], bytes: &[u8], start: u64, found: &mut Vec<Hidden>) {
    // MP4 has a version here, QuickTime has none.
    let versioned = kind == b"meta" && bytes.get(8..12) == Some(b"hdlr");
    let skipped = if versioned { 4 } else { 0 };
    let mut at = start + skipped as u64;
    for part in boxes(&bytes[skipped..]) {
        let end = at + 8 + part.content.len() as u64;
        match &part.kind {
            b"meta" => in_metadata(b"meta", part.content, at + 8, found),
            b"hdlr" => {}
            _ if part.content.is_empty() => {}
            _ => found.push(Hidden::Part(at..end)),
        }
        at = end;
    }
}

/// A track with what the sensors of a phone or camera recorded.
fn is_of_metadata(track: &[u8]) -> bool {
    let handler = inside(track, &[b"mdia", b"hdlr"]).and_then(|handler| handler.get(8..12));
    matches!(handler, Some(b"meta" | b"camm"))
}

/// Where the samples of a track lie in the file.
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
    while let Some(at) = offset(chunk) {
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
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), &film).expect("it is written");
        remove_metadata(file.path()).expect("it works");
        let left = std::fs::read(file.path()).expect("a file");
        assert_eq!(left.len(), film.len());
        assert!(!left.windows(4).any(|four| four == b"41.7" || four == b"074."));
        let pictures = at(&film);
        assert_eq!(&left[pictures..pictures + 15], b"\0\0\0\0\0\0see\0\0\0end");
    }
}
