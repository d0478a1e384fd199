//! Detects the type of a file by its content. For unsupported types, explains how to save it
//! instead.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::wrong;
use crate::Result;

/// The maximum unpacked size of a workbook in bytes: a small file can contain gigabytes of zeros.
const MAX_UNPACKED: u64 = 64 * 1024 * 1024;
const MAX_ENTRIES: usize = 2_000;

pub(super) const DAMAGED: &str =
    "The file is damaged and cannot be read. Please save it again as .xlsx or CSV UTF-8.";
pub(super) const MARKUP: &str = "This is a web page or XML, whatever its name says. Please open it in Excel and save it as an \
     Excel Workbook (.xlsx) or CSV UTF-8.";
const OLD: &str = "This is an old Excel file (.xls) or one with a password. Please open it, choose “Save As”, \
     and save it as an Excel Workbook (.xlsx) without a password, or as CSV UTF-8.";
const OPEN_DOCUMENT: &str = "This is an OpenDocument file (.ods). Please open it, choose “Save \
                             As”, and save it as Excel 2007-365 (.xlsx) or Text CSV.";
const BINARY: &str = "This is a binary workbook (.xlsb). Please open it in Excel, choose “Save \
                      As”, and save it as an Excel Workbook (.xlsx) or CSV UTF-8.";
const NUMBERS: &str = "This is an Apple Numbers file. Please open it, choose “Export To”, and \
                       export it to Excel (.xlsx) or CSV.";
const OTHER: &str =
    "This file is not a table. Please choose an Excel Workbook (.xlsx), a CSV file or a JSON list.";

pub(super) enum Kind {
    Workbook,
    Text,
}

pub(super) fn of(bytes: &[u8]) -> Result<Kind> {
    match bytes {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => archive(bytes),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => wrong(OLD.into()),
        [b'%', b'P', b'D', b'F', ..]
        | [0x89, b'P', b'N', b'G', ..]
        | [0xff, 0xd8, 0xff, ..]
        | [0x1f, 0x8b, ..]
        | [b'R', b'a', b'r', b'!', ..]
        | [b'7', b'z', 0xbc, 0xaf, ..] => wrong(OTHER.into()),
        _ => Ok(Kind::Text),
    }
}

fn archive(bytes: &[u8]) -> Result<Kind> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        return wrong(DAMAGED.into());
    };
    let names: Vec<String> =
        archive.file_names().filter_map(|name| name.ok().map(|name| name.into_owned())).collect();
    let has = |start: &str| names.iter().any(|name| name.starts_with(start));
    match () {
        _ if has("xl/workbook.bin") => return wrong(BINARY.into()),
        _ if has("xl/") => {}
        _ if has("mimetype") && has("content.xml") => return wrong(OPEN_DOCUMENT.into()),
        _ if has("Index/") || has("Index.zip") => return wrong(NUMBERS.into()),
        _ => return wrong(OTHER.into()),
    }
    if archive.len() > MAX_ENTRIES {
        return wrong(DAMAGED.into());
    }
    // The sizes that an archive states may be wrong.
    let mut unpacked = 0;
    for at in 0..archive.len() {
        let Ok(entry) = archive.by_index(at) else { return wrong(DAMAGED.into()) };
        let rest = MAX_UNPACKED + 1 - unpacked;
        match std::io::copy(&mut entry.take(rest), &mut std::io::sink()) {
            Ok(bytes) => unpacked += bytes,
            Err(_) => return wrong(DAMAGED.into()),
        }
        if unpacked > MAX_UNPACKED {
            return wrong(format!(
                "This workbook unpacks to more than {} MB. Please save the one worksheet that is \
                 needed as a new file, or as CSV UTF-8.",
                MAX_UNPACKED >> 20
            ));
        }
    }
    Ok(Kind::Workbook)
}
