//! Reads Excel workbooks (.xlsx): the first worksheet that has the columns. The others are named as not read.

use std::io::Cursor;

use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx};

use super::format::DAMAGED;
use super::table::Table;
use super::{Format, MAX_ROWS, Shape, Sheet, Source, wrong};
use crate::{Error, Result};

/// Columns further to the right are ignored.
const MAX_COLUMNS: u32 = 256;
/// The bytes of a cell. Excel allows 32,767 characters.
const MAX_CELL: usize = 4 * 32_767;
/// The text of a cell whose formula failed.
pub(super) const ERRORS: [&str; 8] =
    ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA"];

/// The text of a cell whose formula has no result: programs other than spreadsheets write such
/// cells.
pub(super) const NO_RESULT: &str = "#FORMULA";

pub(super) fn read(bytes: &[u8], shape: &Shape) -> Result<Sheet> {
    let Ok(mut book) = Xlsx::new(Cursor::new(bytes)) else { return wrong(DAMAGED.into()) };
    let visible = |sheet: &&calamine::Sheet| {
        sheet.visible == SheetVisible::Visible && sheet.typ == SheetType::WorkSheet
    };
    let names: Vec<String> =
        book.sheets_metadata().iter().filter(visible).map(|sheet| sheet.name.clone()).collect();
    let (mut found, mut without_columns, mut others) = (None, None, Vec::new());
    for name in &names {
        match worksheet(&mut book, name, shape) {
            Ok(Content::Nothing) => {}
            Ok(Content::Table(sheet)) if found.is_none() => found = Some(sheet),
            // Errors in a worksheet that is not read do not matter.
            Ok(Content::Table(_)) => others.push(name.clone()),
            Err(_) if found.is_some() => others.push(name.clone()),
            Ok(Content::NoColumns(error)) => {
                others.push(name.clone());
                without_columns.get_or_insert(error);
            }
            Err(error) if names.len() == 1 => return Err(error),
            Err(error) => return wrong(format!("Worksheet “{name}”: {error}")),
        }
    }
    match (found, without_columns) {
        (Some(mut sheet), _) => {
            sheet.source.other_worksheets = others;
            Ok(sheet)
        }
        (None, Some(error)) => Err(error),
        (None, None) => wrong("The workbook has no rows.".into()),
    }
}

/// What is in a worksheet.
enum Content {
    Table(Sheet),
    /// Rows, none of which names the required columns.
    NoColumns(Error),
    /// No rows below the column names.
    Nothing,
}

/// # Errors
///
/// [`Error::Invalid`] on `file` when the worksheet has the columns and cannot be read, or is damaged.
fn worksheet(book: &mut Xlsx<Cursor<&[u8]>>, name: &str, shape: &Shape) -> Result<Content> {
    let damaged = |_| Error::invalid("file", DAMAGED);
    let source =
        Source { format: Format::Xlsx, worksheet: Some(name.to_owned()), ..Source::default() };
    let mut table = Table::new(shape, source);
    let mut cells = book.worksheet_cells_reader(name).map_err(damaged)?;
    let (mut at, mut row): (u32, Vec<String>) = (0, Vec::new());
    loop {
        // Cell by cell, because the size that a worksheet states may be wrong.
        let cell = cells.next_cell_with_formula_metadata().map_err(damaged)?;
        let place = cell.as_ref().map(|cell| cell.pos);
        if place.is_none_or(|(line, _)| line != at) {
            let values: Vec<&str> = row.iter().map(String::as_str).collect();
            match table.take(at as usize + 1, &values, false) {
                Err(error) if !table.has_header() => return Ok(Content::NoColumns(error)),
                taken => taken?,
            }
            row.clear();
            if table.rows() > MAX_ROWS {
                return wrong(format!(
                    "The worksheet has more than {MAX_ROWS} rows. Please split it."
                ));
            }
        }
        let (Some(cell), Some((line, column))) = (cell, place) else { break };
        at = line;
        // Many cells may share one long text.
        if let DataRef::SharedString(text) = cell.value
            && text.len() > MAX_CELL
        {
            return wrong(format!("A cell of row {} has too much text.", line + 1));
        }
        let value = match (&cell.value, &cell.formula) {
            (DataRef::Empty, Some(_)) => NO_RESULT.to_owned(),
            (value, _) => self::value(value),
        };
        if column < MAX_COLUMNS && !value.is_empty() {
            if row.len() <= column as usize {
                row.resize(column as usize + 1, String::new());
            }
            row[column as usize] = value;
        }
    }
    let has_header = table.has_header();
    match table.done() {
        Ok(sheet) if sheet.rows.is_empty() => Ok(Content::Nothing),
        Ok(sheet) => Ok(Content::Table(sheet)),
        Err(error) if has_header => Err(error),
        Err(error) => Ok(Content::NoColumns(error)),
    }
}

/// Returns a value as somebody would have typed it.
fn value(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Empty => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => decimal(*number),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(yes) => yes.to_string(),
        DataRef::DateTime(moment) => day(moment),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
    }
}

/// Rounds sums of cents, which can have invisible digits: 2800.0000000000005 is 2800.
fn decimal(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn day(moment: &ExcelDateTime) -> String {
    if moment.is_duration() {
        return decimal(moment.as_f64());
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read, Write};

    use rust_xlsxwriter::{ExcelDateTime, Format as Look, Formula, Workbook};
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::spreadsheet::{self, Column, File};

    const SHAPE: Shape = Shape {
        things: "families",
        thing: "family",
        columns: &[
            Column { name: "name", also: &[], fallbacks: &[], needed: true },
            Column { name: "total", also: &[], fallbacks: &[], needed: false },
            Column { name: "due", also: &[], fallbacks: &[], needed: false },
        ],
        unclear: &[],
        max_bytes: 1 << 20,
    };

    fn read(bytes: Vec<u8>) -> Result<Sheet> {
        spreadsheet::read(&File { bytes, encoding: None }, &SHAPE)
    }

    fn refusal(bytes: Vec<u8>) -> String {
        read(bytes).err().expect("refused").to_string()
    }

    fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).expect("an entry");
            writer.write_all(content).expect("written");
        }
        writer.finish().expect("an archive").into_inner()
    }

    /// The workbook with another text in the place of one in its cells.
    fn edited(book: &[u8], old: &str, new: &str) -> Vec<u8> {
        let mut archive_of = zip::ZipArchive::new(Cursor::new(book)).expect("an archive");
        let mut entries = Vec::new();
        for at in 0..archive_of.len() {
            let mut entry = archive_of.by_index(at).expect("an entry");
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("text");
            let name = entry.name().expect("a name").into_owned();
            entries.push((name, text.replace(old, new)));
        }
        let entries: Vec<_> =
            entries.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
        archive(&entries)
    }

    #[test]
    fn numbers_dates_and_formulas_become_what_somebody_would_have_typed() {
        let mut book = Workbook::new();
        book.add_worksheet()
            .set_name("Notes")
            .expect("named")
            .write(0, 0, "Hello")
            .expect("written");
        let sheet = book.add_worksheet().set_name("משפחות").expect("named");
        let date = Look::new().set_num_format("d mmm yyyy");
        let money = Look::new().set_num_format("$#,##0.00");
        for (at, name) in ["Due", "Name", "", "Total"].into_iter().enumerate() {
            sheet.write(2, at as u16, name).expect("written");
        }
        let due = ExcelDateTime::from_ymd(2027, 6, 1).expect("a day");
        sheet.write_with_format(3, 0, &due, &date).expect("written");
        sheet.write(3, 1, "שרה Renée").expect("written");
        sheet.write(3, 2, "a note").expect("written");
        sheet.write_with_format(3, 3, 2800.0, &money).expect("written");
        sheet.write(3, 9, "beside the table").expect("written");
        sheet.write(5, 1, "Chaya").expect("written");
        sheet
            .write(5, 3, Formula::new("=1400.1+1399.9").set_result("2800.0000000000005"))
            .expect("written");
        sheet.write(6, 1, "Zev").expect("written");
        sheet.write(6, 3, Formula::new("=1/0").set_result("#DIV/0!")).expect("written");
        sheet.write(7, 1, "Perl").expect("written");
        sheet.write(7, 3, Formula::new("=1000*2").set_result("missing")).expect("written");
        let book = book.save_to_buffer().expect("a workbook");
        let book = edited(&book, "<v>missing</v>", "");
        let sheet = read(book).expect("a table");
        let rows: Vec<_> =
            sheet.rows.iter().map(|r| (r.line, r.cell(0), r.cell(1), r.cell(2))).collect();
        assert_eq!(
            rows,
            [
                (4, "שרה Renée", "2800", "2027-06-01 00:00:00"),
                (6, "Chaya", "2800", ""),
                (7, "Zev", "#DIV/0!", ""),
                (8, "Perl", "#FORMULA", "")
            ]
        );
        assert!(sheet.rows[2].fault().is_some_and(|text| text.contains("#DIV/0!")));
        assert!(sheet.rows[3].fault().is_some_and(|text| text.contains("has no result")));
        assert!(sheet.rows[..2].iter().all(|row| row.fault().is_none()));
        assert_eq!(sheet.source.worksheet.as_deref(), Some("משפחות"));
        assert_eq!(sheet.source.sample, ["שרה Renée"]);
    }

    #[test]
    fn the_first_worksheet_with_the_columns_is_read_and_the_others_are_named() {
        let mut book = Workbook::new();
        for (name, cells) in [
            ("Notes", &["Hello"][..]),
            ("Empty", &[]),
            ("Boys", &["Name", "Yossi"]),
            ("Girls", &["Name", "Rivka"]),
            ("Header", &["Name"]),
        ] {
            let sheet = book.add_worksheet().set_name(name).expect("named");
            for (row, cell) in (0..).zip(cells) {
                sheet.write(row, 0, *cell).expect("written");
            }
        }
        let sheet = read(book.save_to_buffer().expect("a workbook")).expect("a table");
        assert_eq!(sheet.source.worksheet.as_deref(), Some("Boys"));
        assert_eq!(sheet.source.other_worksheets, ["Notes", "Girls"]);
    }

    #[test]
    fn no_other_worksheet_is_taken_for_one_whose_columns_are_wrong() {
        let mut book = Workbook::new();
        for (name, cells) in [("2027", ["Name", "Total", "Name"]), ("2026", ["Name", "", ""])] {
            let sheet = book.add_worksheet().set_name(name).expect("named");
            for (column, cell) in (0..).zip(cells) {
                sheet.write(0, column, cell).expect("written");
            }
            sheet.write(1, 0, "Chaya").expect("written");
        }
        let text = refusal(book.save_to_buffer().expect("a workbook"));
        assert!(text.contains("Worksheet “2027”") && text.contains("mean the same"), "{text}");
    }

    #[test]
    fn a_cell_in_the_last_corner_takes_no_memory_for_those_between() {
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        sheet.write(0, 0, "Name").expect("written");
        sheet.write(1_048_575, 0, "Chaya").expect("written");
        sheet.write(1_048_575, 16_383, "far away").expect("written");
        let sheet = read(book.save_to_buffer().expect("a workbook")).expect("a table");
        assert_eq!(
            sheet.rows.iter().map(|r| (r.line, r.cell(0))).collect::<Vec<_>>(),
            [(1_048_576, "Chaya")]
        );
    }

    #[test]
    fn more_than_may_be_is_refused() {
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        sheet.write(0, 0, "Name").expect("written");
        for row in 1..=MAX_ROWS as u32 + 1 {
            sheet.write(row, 0, row).expect("written");
        }
        assert!(refusal(book.save_to_buffer().expect("a workbook")).contains("20000 rows"));
        let zeros = vec![b' '; 65 << 20];
        let bomb = archive(&[("xl/workbook.xml", &zeros)]);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert!(refusal(bomb).contains("unpacks to more than 64 MB"));
    }

    #[test]
    fn one_text_in_very_many_cells_is_refused() {
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        sheet.write(0, 0, "Name").expect("written");
        let text = "x".repeat(32_000);
        for row in 1..=2_500 {
            sheet.write(row, 0, &text).expect("written");
        }
        let bytes = book.save_to_buffer().expect("a workbook");
        assert!(bytes.len() < 100_000, "{}", bytes.len());
        assert!(refusal(bytes).contains("more than 64 MB of text"));
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        sheet.write(0, 0, "Name").expect("written");
        sheet.write(1, 0, "Chaya").expect("written");
        let long = "x".repeat(200_000);
        let bytes = edited(&book.save_to_buffer().expect("a workbook"), "Chaya", &long);
        assert!(refusal(bytes).contains("A cell of row 2 has too much text"));
    }

    #[test]
    fn other_files_are_refused_with_what_to_do() {
        for (entries, says) in [
            (&[("xl/workbook.bin", &b"x"[..])][..], "binary workbook"),
            (&[("mimetype", b"application/vnd.oasis"), ("content.xml", b"x")], "OpenDocument"),
            (&[("Index/Document.iwa", b"x")], "Numbers"),
            (&[("word/document.xml", b"x")], "not a table"),
            (&[("xl/workbook.xml", b"<broken")], "damaged"),
        ] {
            let text = refusal(archive(entries));
            assert!(text.contains(says), "{says}: {text}");
        }
        let mut empty = Workbook::new();
        empty.add_worksheet();
        assert!(refusal(empty.save_to_buffer().expect("a workbook")).contains("no rows"));
        let mut wrong = Workbook::new();
        wrong.add_worksheet().write(0, 0, "Heading").expect("written");
        assert!(refusal(wrong.save_to_buffer().expect("a workbook")).contains("“name”"));
    }

    #[test]
    fn a_damaged_workbook_is_refused_wherever_it_is_damaged() {
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        sheet.write(0, 0, "Name").expect("written");
        sheet.write(1, 0, "Chaya").expect("written");
        let whole = book.save_to_buffer().expect("a workbook");
        for at in (0..whole.len()).step_by(37) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            // Either read or refused. It must not panic, although `open` would catch that.
            drop(read(bytes));
            drop(read(whole[..at].to_vec()));
        }
    }
}
