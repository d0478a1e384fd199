//! Reads tables from spreadsheet files: an Excel workbook, CSV with comma, semicolon or tab in any
//! common encoding, or JSON. The content determines the format, because people rename files.

pub(crate) mod cell;
mod csv;
pub(crate) mod date;
pub(crate) mod encoding;
mod format;
mod json;
mod row;
mod shape;
mod table;
mod workbook;

use serde::Serialize;

pub use encoding::Encoding;
pub(crate) use encoding::text_of;
pub use row::{Problem, Row};
pub use shape::{Column, Shape};

use crate::{Error, Result};

/// The maximum number of rows in a file.
pub(crate) const MAX_ROWS: usize = 20_000;
/// How many values are shown as a sample.
const SAMPLE: usize = 3;
const SAMPLE_LENGTH: usize = 60;

/// An uploaded file.
pub struct File {
    pub bytes: Vec<u8>,
    /// The encoding that the user chose. Without it, the content determines it.
    pub encoding: Option<Encoding>,
}

impl From<&[u8]> for File {
    fn from(bytes: &[u8]) -> File {
        File { bytes: bytes.to_vec(), encoding: None }
    }
}

pub struct Sheet {
    pub rows: Vec<Row>,
    pub unknown_columns: Vec<String>,
    pub source: Source,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ImportFormat)]
pub enum Format {
    #[default]
    Csv,
    Json,
    Xlsx,
}

/// What was detected about a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ImportSource)]
pub struct Source {
    pub format: Format,
    /// For text: the encoding that was used.
    pub encoding: Option<Encoding>,
    /// Whether the encoding was only guessed from the letters.
    pub guessed: bool,
    /// A few values with letters beyond a to z, to check the encoding.
    pub sample: Vec<String>,
    /// For a workbook: the worksheet that was read.
    pub worksheet: Option<String>,
    /// For a workbook: the visible worksheets with rows that were not read.
    pub other_worksheets: Vec<String>,
    /// The lines above the column names, such as a title. They are not read.
    pub above: Vec<String>,
}

/// Reads a file in a blocking thread.
///
/// # Errors
///
/// [`Error::Invalid`] on `file`.
pub(crate) async fn open(file: File, shape: &'static Shape) -> Result<Sheet> {
    match tokio::task::spawn_blocking(move || read(&file, shape)).await {
        Ok(sheet) => sheet,
        Err(broken) => {
            tracing::warn!(%broken, "a file could not be read");
            wrong(format::DAMAGED.into())
        }
    }
}

/// Fails with [`Error::Invalid`] on `file` when the file is too large, cannot be read as a table of
/// this shape, or has no rows or more than [`MAX_ROWS`].
pub(crate) fn read(file: &File, shape: &Shape) -> Result<Sheet> {
    let bytes = file.bytes.as_slice();
    if bytes.len() > shape.max_bytes {
        let most = shape.max_bytes >> 20;
        return wrong(format!("The file is larger than {most} MB. Please split it."));
    }
    let mut sheet = match format::of(bytes)? {
        format::Kind::Workbook => workbook::read(bytes, shape)?,
        format::Kind::Text => text(bytes, file.encoding, shape)?,
    };
    match sheet.rows.len() {
        0 => return wrong("The file has a header and no rows.".into()),
        n if n > MAX_ROWS => {
            return wrong(format!(
                "The file has {n} rows; {MAX_ROWS} are the most. Please split it."
            ));
        }
        _ => {}
    }
    sheet.source.sample = sample(&sheet.rows);
    Ok(sheet)
}

fn text(bytes: &[u8], encoding: Option<Encoding>, shape: &Shape) -> Result<Sheet> {
    let decoded = encoding::decode(bytes, encoding)?;
    let text = decoded.text.trim_start_matches('\u{feff}');
    let mut sheet = match text.trim_start().chars().next() {
        None => return wrong("The file is empty.".into()),
        Some('<') => return wrong(format::MARKUP.into()),
        Some('[' | '{') => json::read(text, shape)?,
        Some(_) => csv::read(text, shape)?,
    };
    sheet.source.encoding = Some(decoded.encoding);
    sheet.source.guessed = decoded.guessed;
    Ok(sheet)
}

fn sample(rows: &[Row]) -> Vec<String> {
    let mut sample: Vec<String> = Vec::new();
    for cell in rows.iter().flat_map(|row| row.cells.iter().flatten()) {
        if cell.is_ascii() || sample.len() == SAMPLE {
            continue;
        }
        let shown: String = cell.trim().chars().take(SAMPLE_LENGTH).collect();
        if !sample.contains(&shown) {
            sample.push(shown);
        }
    }
    sample
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::invalid("file", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        things: "videos",
        thing: "video",
        columns: &[
            Column {
                name: "title",
                also: &["name", "videotitle", "heading"],
                fallbacks: &[],
                needed: true,
            },
            Column { name: "url", also: &["link", "videolink"], fallbacks: &[], needed: true },
            Column { name: "text", also: &[], fallbacks: &[], needed: false },
        ],
        unclear: &[],
        max_bytes: 1 << 20,
    };

    fn read(bytes: &[u8]) -> Result<Sheet> {
        super::read(&File::from(bytes), &SHAPE)
    }

    fn lines(sheet: &Sheet) -> Vec<(usize, &str, &str)> {
        sheet.rows.iter().map(|r| (r.line, r.cell(0), r.cell(1))).collect()
    }

    #[test]
    fn a_table_is_read_whatever_separates_it_and_however_its_columns_are_called() {
        for text in [
            "title,url\nA,x\n\nB,y\n",
            "\u{feff}Link;TITLE\r\nx;A\r\n;\r\ny;B\r\n",
            "Video Title\tVideo-Link\nA\tx\n\nB\ty",
            "title,url\rA,x\r\rB,y\r",
            "[\n{\"name\":\"A\",\"url\":\"x\"},\n\n{\"title\":\"B\",\"link\":\"y\"}]",
        ] {
            let sheet = read(text.as_bytes()).expect(text);
            assert_eq!(lines(&sheet), [(2, "A", "x"), (4, "B", "y")], "{text:?}");
        }
        let wrapped = read(b"{\"videos\": [\n{\"title\": \"a [b] {c} \\\" d\", \"url\": \"x\"}]}");
        assert_eq!(lines(&wrapped.expect("wrapped"))[0].0, 2);
        let said = read(b"sep=;\ntitle;url\n\"A; and more\";x\n").expect("said");
        assert_eq!(lines(&said), [(3, "A; and more", "x")]);
    }

    #[test]
    fn the_column_names_may_stand_below_a_title() {
        for text in [
            "Videos of camp, and more, and more\n\nPrinted on;June 1\nTitle;URL;Of\nA;x\nB;y\n",
            "sep=;\nVideos of camp, and more, and more\nPrinted on;June 1\n\"URL\";\"Title\";\"Of\"\nx;A\ny;B",
        ] {
            let sheet = read(text.as_bytes()).expect(text);
            let first = lines(&sheet)[0].0;
            assert_eq!(lines(&sheet), [(first, "A", "x"), (first + 1, "B", "y")], "{text:?}");
            assert_eq!(first, 5);
            assert_eq!(sheet.source.above.len(), 2);
            assert!(sheet.source.above[0].starts_with("Videos of camp"), "{text:?}");
            assert_eq!(sheet.source.above[1], "Printed on June 1");
            assert_eq!(sheet.unknown_columns, ["Of"]);
        }
        // The error is about the line that is most like column names.
        for text in
            ["Videos of camp\nTitle,Address\nA,x\n", "Videos, of camp\nTitle;Address\nA;x\n"]
        {
            let Err(error) = read(text.as_bytes()) else { panic!("refused") };
            assert!(error.to_string().contains("Title | Address"), "{error}");
        }
        let long = format!("{}title,url\nA,x\n", "a note\n".repeat(10));
        let Err(error) = read(long.as_bytes()) else { panic!("refused") };
        assert!(error.to_string().contains("a note"), "{error}");
        assert!(read(long.strip_prefix("a note\n").expect("a line").as_bytes()).is_ok());
    }

    #[test]
    fn headings_of_groups_of_columns_are_a_title_even_if_they_are_called_like_columns() {
        for text in [
            "Summer 2027\nName,,Link,\nTitle,Of,URL,Text\nA,a,x,t\n",
            // Here two mean the same, which counts for column names only.
            "Summer 2027\nName,Heading,Link,\nTitle,Of,URL,Text\nA,a,x,t\n",
        ] {
            let sheet = read(text.as_bytes()).expect(text);
            assert_eq!(lines(&sheet), [(4, "A", "x")], "{text:?}");
            assert_eq!(sheet.source.above[0], "Summer 2027");
            assert!(sheet.source.above[1].starts_with("Name"), "{:?}", sheet.source.above);
            assert_eq!(sheet.unknown_columns, ["Of"]);
        }
    }

    #[test]
    fn a_line_number_counts_the_lines_inside_quotes() {
        let sheet = read(b"title,url,text\nA,x,\"one\ntwo\"\nB,y,z\n").expect("a table");
        assert_eq!(lines(&sheet), [(2, "A", "x"), (4, "B", "y")]);
    }

    #[test]
    fn quotes_inside_a_cell_are_letters_and_one_that_stays_open_is_refused_with_its_line() {
        let inches = read(b"title,url\n8\" pizza,x\n\"the \"\"big\"\" day\",y\n\"A\"b\",\"\"\n")
            .expect("a table");
        assert_eq!(
            lines(&inches),
            [(2, "8\" pizza", "x"), (3, "the \"big\" day", "y"), (4, "Ab\"", "")]
        );
        let ends = read(b"title,url\nA,\"x\"").expect("a table");
        assert_eq!(lines(&ends), [(2, "A", "x")]);
        for (bytes, line) in [
            (&b"title,url\nA,x\n\"B,y\nC,z\n"[..], "line 3 "),
            (b"title,url\r\n\"A\r\nor A\",x\r\nB,\"y \"\" \r\nC,z\r\n", "line 4 "),
            (b"sep=;\ntitle;url\nA;\"x\n", "line 3 "),
            (b"\"title,url\nA,x\n", "line 1 "),
        ] {
            let Err(error) = read(bytes) else { panic!("{line}") };
            assert!(error.to_string().contains(line), "{line}: {error}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_says_what_to_do() {
        for (bytes, says) in [
            (&b""[..], "empty"),
            (b"title,url\n", "no rows"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xlsx"),
            (b"PK\x03\x04 and no more", "damaged"),
            (b"<html><table>", "web page"),
            (b"%PDF-1.7", "not a table"),
            (b"title,url\n\0\0\x01\0,\0\0", "not a table"),
            (b"heading,when\nA,b\n", "“url”"),
            (b"title,name,url\nA,B,x\n", "The columns “title” and “name” mean the same"),
            (b"{\"a\": 1}", "list"),
            (b"[1]", "bare"),
            (b"[{", "JSON"),
        ] {
            let Err(error) = read(bytes) else { panic!("{says}") };
            assert!(error.to_string().contains(says), "{says}: {error}");
        }
    }
}
