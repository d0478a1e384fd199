//! Replaces the files of a camp with those of another, so that one of them works at any time.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The camp's files below a folder, as relative paths. Unfinished files are left out.
pub(super) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let entries = match std::fs::read_dir(folder.join(&below)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let name = below.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(name);
            } else if kind.is_file() && !is_unfinished(&name) {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The object store writes to `name#1` and renames it.
fn is_unfinished(name: &Path) -> bool {
    name.to_string_lossy()
        .rsplit_once('#')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Gives every file of `from` a second name below `to`.
pub(super) fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    for name in files_in(from)? {
        link(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Gives a file a second name, or copies it if the file system does not support links.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => std::fs::copy(from, to).map(drop),
        linked => linked,
    }
}

/// Moves a file atomically, replacing an existing one.
pub(super) fn place(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(here(folder))?;
    }
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let name = to.file_name().unwrap_or_default().to_string_lossy();
            let near = to.with_file_name(format!(".{name}.part"));
            std::fs::copy(from, &near)?;
            File::open(&near)?.sync_all()?;
            std::fs::rename(&near, to)?;
            std::fs::remove_file(from)
        }
        renamed => renamed,
    }
}

/// Moves every file of `from` to its place below `to`.
pub(super) fn place_all(from: &Path, to: &Path) -> io::Result<()> {
    for name in files_in(from)? {
        place(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Removes the files below a folder that are not in the list.
pub(super) fn keep_only(folder: &Path, wanted: &HashSet<PathBuf>) -> io::Result<()> {
    for name in files_in(folder)?.iter().filter(|name| !wanted.contains(*name)) {
        std::fs::remove_file(folder.join(name)).or_else(super::sqlite::unless_gone)?;
    }
    Ok(())
}

/// Creates an empty file that only the portal's user can read, replacing an existing one.
pub(super) fn private(file: &Path) -> io::Result<()> {
    std::fs::remove_file(file).or_else(super::sqlite::unless_gone)?;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map(drop)
}

pub(super) fn sync_folder_of(file: &Path) -> io::Result<()> {
    File::open(here(file.parent().unwrap_or(file)))?.sync_all()
}

/// The folder of a bare file name is the current one.
pub(super) fn here(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}
