//! Recognizes a video file by its first bytes.
//!
//! ffmpeg is told the format, so that it never guesses one: a playlist would make it read other
//! files.

/// How many bytes [`sniff`] looks at.
pub const NEEDED_BYTES: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// MP4, MOV, M4V, 3GP.
    Mov,
    /// MKV and WebM.
    Matroska,
    Avi,
    MpegTransport,
    MpegProgram,
}

impl Container {
    /// The name of ffmpeg's demuxer.
    pub fn demuxer(self) -> &'static str {
        match self {
            Container::Mov => "mov",
            Container::Matroska => "matroska",
            Container::Avi => "avi",
            Container::MpegTransport => "mpegts",
            Container::MpegProgram => "mpeg",
        }
    }
}

/// Returns the container format of a file that starts with these bytes. Returns `None` for anything
/// that is not a video file, such as a text, an archive, a picture or a playlist.
pub fn sniff(start: &[u8]) -> Option<Container> {
    const PACKET: usize = 188;
    // On cameras, a timestamp of four bytes precedes each packet.
    const STAMPED: usize = 192;
    let at = |offset: usize, text: &[u8]| start.get(offset..offset + text.len()) == Some(text);
    if at(4, b"ftyp") {
        // Phones store pictures in the same container.
        let still: [&[u8]; 6] = [b"heic", b"heix", b"mif1", b"msf1", b"avif", b"crx "];
        return (!still.iter().any(|brand| at(8, brand))).then_some(Container::Mov);
    }
    // Old QuickTime files have no `ftyp`.
    let boxes: [&[u8]; 6] = [b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"];
    if boxes.iter().any(|name| at(4, name)) {
        return Some(Container::Mov);
    }
    if at(0, &[0x1a, 0x45, 0xdf, 0xa3]) {
        return Some(Container::Matroska);
    }
    if at(0, b"RIFF") && at(8, b"AVI ") {
        return Some(Container::Avi);
    }
    if at(0, &[0, 0, 1, 0xba]) {
        return Some(Container::MpegProgram);
    }
    let sync = |first: usize, length: usize| at(first, b"G") && at(first + length, b"G");
    (sync(0, PACKET) || sync(4, STAMPED)).then_some(Container::MpegTransport)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_video_files_are_recognized() {
        let padded = |start: &[u8]| [start, &[0; NEEDED_BYTES]].concat();
        assert_eq!(sniff(&padded(b"\0\0\0\x20ftypisom")), Some(Container::Mov));
        assert_eq!(sniff(&padded(b"\0\0\0\x08wide\0\0\0\x01mdat")), Some(Container::Mov));
        assert_eq!(sniff(&padded(&[0x1a, 0x45, 0xdf, 0xa3])), Some(Container::Matroska));
        assert_eq!(sniff(&padded(b"RIFF\0\0\0\0AVI LIST")), Some(Container::Avi));
        assert_eq!(sniff(&padded(&[0, 0, 1, 0xba])), Some(Container::MpegProgram));
        let mut stream = vec![0; NEEDED_BYTES];
        (stream[0], stream[188]) = (b'G', b'G');
        assert_eq!(sniff(&stream), Some(Container::MpegTransport));
        let others: [&[u8]; 9] = [
            b"",
            b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n",
            b"ffconcat version 1.0\nfile /etc/passwd\n",
            b"PK\x03\x04",
            b"\x89PNG\r\n",
            b"RIFF\0\0\0\0WEBPVP8 ",
            b"\0\0\0\x18ftypheic",
            b"Gut Shabbos",
            b"<?xml version=\"1.0\"?><MPD/>",
        ];
        for other in others {
            assert_eq!(sniff(other), None, "{}", String::from_utf8_lossy(other));
        }
    }
}
