//! What all `camp … import` commands share: they read a file, show a progress bar, and print the
//! problems of its rows.

use std::io::Read;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use portal::spreadsheet::{self, Encoding, Problem, Source};
use portal::{Error, Result, root};
use serde::Serialize;

use crate::output::{Code, Outcome, print, print_json, print_note, stderr_is_terminal};

#[derive(clap::Args)]
pub struct ImportFile {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only check and count; change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result, problems included, as JSON
    #[arg(long)]
    pub json: bool,
}

/// A file with a table that a spreadsheet program saved.
#[derive(clap::Args)]
pub struct Table {
    #[command(flatten)]
    pub file: ImportFile,
    /// Character encoding of a text file; detected from the content if not given
    #[arg(long)]
    encoding: Option<Encoding>,
}

impl Table {
    pub fn read(&self, max_bytes: usize) -> Result<spreadsheet::File> {
        Ok(spreadsheet::File { bytes: self.file.read(max_bytes)?, encoding: self.encoding })
    }

    /// Prints which encoding was assumed if the file does not declare one.
    pub fn tell_source(&self, source: &Source) {
        if let (Some(encoding), true, false) = (source.encoding, source.guessed, self.file.json) {
            let sample = source.sample.join("”, “");
            print_note(format!(
                "Read as {}, for example “{sample}”. If this looks wrong, choose with --encoding.",
                encoding.name()
            ));
        }
        if let (Some(others), false) = (quoted(&source.other_worksheets), self.file.json) {
            print_note(format!(
                "Not read: the worksheets {others}. Save them as files of their own."
            ));
        }
        if let (Some(above), false) = (quoted(&source.above), self.file.json) {
            print_note(format!("Not read, because it stands above the column names: {above}."));
        }
    }
}

fn quoted(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| format!("“{}”", texts.join("”, “")))
}

impl ImportFile {
    pub fn read(&self, max_bytes: usize) -> Result<Vec<u8>> {
        // Reads one byte more than the limit to detect a longer file without reading all of it.
        let limit = max_bytes as u64 + 1;
        let mut bytes = Vec::new();
        let file = &self.file;
        let outcome = match file.as_os_str() == "-" {
            true => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
            false => root::open_named(file).and_then(|f| f.take(limit).read_to_end(&mut bytes)),
        };
        match outcome {
            Ok(_) => Ok(bytes),
            Err(error) => Err(Error::invalid(
                "file",
                format!("{} cannot be read: {error}. Please check its name.", file.display()),
            )),
        }
    }

    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        let is_folder = root::on_named(|| self.file.metadata()).is_ok_and(|data| data.is_dir());
        is_folder.then_some(self.file.as_path())
    }

    /// Prints the report, or the problems of the rows and then a summary.
    pub fn tell(
        &self,
        report: &impl Serialize,
        problems: &[Problem],
        unknown_columns: &[String],
        sum: String,
    ) -> Outcome {
        if self.json {
            print_json(report)?;
        } else {
            for problem in problems {
                print_note(format!(
                    "line {}: {}: {}",
                    problem.line, problem.column, problem.message
                ));
            }
            if !unknown_columns.is_empty() {
                let columns = unknown_columns.join(", ");
                print_note(format!("These columns were ignored: {columns}."));
            }
            print(sum);
        }
        Ok(if problems.is_empty() { Code::Done } else { Code::Problems })
    }
}

/// Shows how many rows are done.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn of(things: &str) -> Bar {
        Bar::with(&format!("{{bar:40}} {{pos}}/{{len}} {things}"))
    }

    pub fn of_bytes() -> Bar {
        Bar::with("{bar:40} {bytes}/{total_bytes}")
    }

    fn with(template: &str) -> Bar {
        if !stderr_is_terminal() {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    pub fn is_at(&self, done: u64, all: u64) {
        self.0.set_length(all);
        self.0.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
