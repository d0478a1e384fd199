//! Writes and reads the backup archive in one pass, so that it can be piped.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{FORMAT, Manifest, Progress, Tally};
use crate::{Error, Result};

const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "database";
const FILES: &str = "files";
const UPLOADS: &str = "uploads";
const OBJECTS: &str = "objects.txt";
const END: &str = "end.json";

/// The folder with a backup's parts, before packing or after unpacking.
pub(super) struct Parts {
    pub database: PathBuf,
    /// The folder of the camp's files.
    pub files: PathBuf,
    /// The folder of uploads that wait for their conversion.
    pub uploads: PathBuf,
}

/// The files in the folders, as relative paths.
pub(super) struct Names {
    pub files: Vec<PathBuf>,
    pub uploads: Vec<PathBuf>,
}

/// Packs everything. Returns what was packed.
pub(super) fn pack<W: Write>(
    to: W,
    manifest: &Manifest,
    parts: &Parts,
    names: &Names,
    objects: Option<&str>,
    told: &Progress,
) -> io::Result<(W, Tally)> {
    let mut zstd = zstd::Encoder::new(to, 3)?;
    // With a checksum, the reader detects even a single wrong bit.
    zstd.include_checksum(true)?;
    let mut tar = tar::Builder::new(zstd);
    let mut done = 0;

    add(&mut tar, MANIFEST, &serde_json::to_vec_pretty(manifest)?)?;
    let mut database = File::open(&parts.database)?;
    let length = database.metadata()?.len();
    done += add_file(&mut tar, Path::new(DATABASE), &mut database, length)?;
    told(done, manifest.bytes);
    let mut tally = Tally { files: 0, bytes: 0 };
    // Uploads first: they are removed as soon as they are converted.
    let uploads = names.uploads.iter().map(|name| (UPLOADS, &parts.uploads, name));
    let files = names.files.iter().map(|name| (FILES, &parts.files, name));
    for (part, folder, name) in uploads.chain(files) {
        let mut file = match File::open(folder.join(name)) {
            Ok(file) => file,
            // Removed since the list was made, along with its record.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        done += add_file(&mut tar, &Path::new(part).join(name), &mut file, length)?;
        tally = Tally { files: tally.files + 1, bytes: tally.bytes + length };
        told(done, manifest.bytes);
    }
    if let Some(objects) = objects {
        add(&mut tar, OBJECTS, objects.as_bytes())?;
    }
    add(&mut tar, END, &serde_json::to_vec(&tally)?)?;
    let zstd = tar.into_inner()?;
    Ok((zstd.finish()?, tally))
}

fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o600);
    header
}

fn add(tar: &mut tar::Builder<impl Write>, name: &str, bytes: &[u8]) -> io::Result<()> {
    tar.append_data(&mut header(bytes.len() as u64), name, bytes)
}

fn add_file(
    tar: &mut tar::Builder<impl Write>,
    name: &Path,
    file: &mut File,
    length: u64,
) -> io::Result<u64> {
    let mut counted = Counted { inner: file.take(length), read: 0 };
    tar.append_data(&mut header(length), name, &mut counted)?;
    match counted.read == length {
        true => Ok(length),
        false => Err(io::Error::other(format!("{} became shorter", name.display()))),
    }
}

struct Counted<R> {
    inner: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read += n as u64;
        Ok(n)
    }
}

/// Unpacks everything, after `agreed` has accepted the manifest.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` when it is not a backup, or not a complete one.
pub(super) fn unpack(
    from: impl Read,
    into: &Parts,
    agreed: impl FnOnce(&Manifest) -> Result<()>,
    told: &Progress,
) -> Result<(Manifest, Tally)> {
    let cut_off = Arc::new(AtomicBool::new(false));
    let zstd = Whole { from: zstd::Decoder::new(from)?, cut_off: cut_off.clone() };
    let unpacked = unpack_all(zstd, into, agreed, told);
    match cut_off.load(Ordering::Relaxed) {
        true => Err(incomplete()),
        false => unpacked,
    }
}

fn unpack_all(
    from: impl Read,
    into: &Parts,
    agreed: impl FnOnce(&Manifest) -> Result<()>,
    told: &Progress,
) -> Result<(Manifest, Tally)> {
    let mut tar = tar::Archive::new(from);
    let mut entries = tar.entries()?;
    let first = entries.next().and_then(Result::<_, io::Error>::ok).ok_or_else(no_backup)?;
    let manifest = read_manifest(first)?;
    agreed(&manifest)?;
    let mut found = Tally { files: 0, bytes: 0 };
    let mut database = false;
    let mut end = None;
    let mut done = 0;
    for entry in entries {
        let mut entry = entry.map_err(damaged)?;
        let name = entry.path().map_err(damaged)?.into_owned();
        if !entry.header().entry_type().is_file() || !is_plain(&name) {
            return Err(damaged(format!("“{}” has no place in a backup", name.display())));
        }
        match name.to_str() {
            Some(DATABASE) => {
                done += copy(&mut entry, &into.database)?;
                database = true;
            }
            Some(END) => end = Some(serde_json::from_reader(&mut entry).map_err(damaged)?),
            Some(OBJECTS) => {}
            _ => {
                let path = match name.strip_prefix(UPLOADS) {
                    Ok(upload) => into.uploads.join(upload),
                    Err(_) => into.files.join(name.strip_prefix(FILES).map_err(damaged)?),
                };
                let length = copy(&mut entry, &path)?;
                found = Tally { files: found.files + 1, bytes: found.bytes + length };
                done += length;
            }
        }
        told(done, manifest.bytes);
    }
    // The checksum is at the very end.
    io::copy(&mut tar.into_inner(), &mut io::sink()).map_err(damaged)?;
    match end == Some(found) && database {
        true => Ok((manifest, found)),
        false => Err(incomplete()),
    }
}

fn read_manifest<R: Read>(mut entry: tar::Entry<R>) -> Result<Manifest> {
    if entry.path().ok().as_deref() != Some(Path::new(MANIFEST)) || entry.size() > 1 << 20 {
        return Err(no_backup());
    }
    let any: serde_json::Value = serde_json::from_reader(&mut entry).map_err(|_| no_backup())?;
    if any["format"].as_u64().is_some_and(|format| format > u64::from(FORMAT)) {
        return Err(Error::invalid(
            "file",
            "This backup was made by a newer version of camp. Please install that version and try \
             again.",
        ));
    }
    serde_json::from_value(any).map_err(|_| no_backup())
}

fn is_plain(name: &Path) -> bool {
    name.components().all(|part| matches!(part, Component::Normal(_)))
}

fn copy(from: &mut impl Read, to: &Path) -> Result<u64> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let mut reading = Reading { from, error: None };
    let copied = io::copy(&mut reading, &mut file);
    if let Some(error) = reading.error {
        return Err(damaged(error));
    }
    let length = copied?;
    file.sync_all()?;
    Ok(length)
}

/// Detects that the packed bytes end too early.
struct Whole<R> {
    from: R,
    cut_off: Arc<AtomicBool>,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.from.read(buffer).inspect_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                self.cut_off.store(true, Ordering::Relaxed);
            }
        })
    }
}

/// Distinguishes an error of the archive from one of the disk that it is unpacked to.
struct Reading<'a, R> {
    from: &'a mut R,
    error: Option<String>,
}

impl<R: Read> Read for Reading<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.from.read(buffer).inspect_err(|error| self.error = Some(error.to_string()))
    }
}

fn no_backup() -> Error {
    Error::invalid("file", "This is not a file that `camp backup` made.")
}

fn incomplete() -> Error {
    Error::invalid(
        "file",
        "This backup is incomplete: its end is missing. Nothing was changed. Please use another one, or copy it again.",
    )
}

fn damaged(why: impl std::fmt::Display) -> Error {
    let text =
        format!("This backup is damaged ({why}). Nothing was changed. Please use another one.");
    Error::invalid("file", text)
}
