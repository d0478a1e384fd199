//! `camp backup` and `camp restore`: write the camp into one file and restore it.

use std::path::PathBuf;
use std::sync::Arc;

use portal::backup::{self, Made, Manifest, Place, Progress, Stored, Tally};
use portal::{Config, Error, Result};
use serde::Serialize;

use crate::import::Bar;
use crate::output::{
    Code, Outcome, note_created, print, print_json, print_note, stdout_is_terminal,
};

/// Write all data of the camp into one file, while the portal runs
///
/// The file contains the database, including the keys that sign links in mail, and the camp's files.
/// It does not contain the operator's configuration (CAMP_…). The copy is checked before it is kept.
/// It contains personal data, and only its owner can read it: keep it in a safe place.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  camp backup camp-2026-07-28.tar.zst\n  camp backup - | ssh backup@elsewhere.example 'cat > camp.tar.zst'"
)]
pub struct Backup {
    /// The file, or - for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Overwrite a file of this name
    #[arg(long)]
    force: bool,
    /// Print a summary as JSON; on standard error if the backup goes to standard output
    #[arg(long)]
    json: bool,
}

/// Restore the camp from a backup
///
/// Either everything is restored or nothing is changed. Mail that was waiting when the backup was
/// made has probably been sent since, so it is marked as failed; staff can send it again. Scheduled
/// videos whose time has passed become drafts. Everyone has to sign in again.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  camp restore camp-2026-07-28.tar.zst\n  camp restore camp-2026-07-28.tar.zst --replace"
)]
pub struct Restore {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the existing camp, and keep it in another folder
    #[arg(long)]
    replace: bool,
    /// Send waiting mail and keep everyone signed in: for a camp that moves and was stopped before its
    /// last backup
    #[arg(long)]
    send_mail: bool,
    /// Print what was restored as JSON
    #[arg(long)]
    json: bool,
}

impl Backup {
    pub async fn run(self, config: Config) -> Outcome {
        let Backup { file, force, json } = self;
        let place = match file.as_os_str() == "-" {
            true if stdout_is_terminal() => {
                return Err(Error::Usage(
                    "A backup is not text, so it cannot be shown here. Please name a file, or pipe the output into a program.".into(),
                ));
            }
            true => Place::Stdout,
            false => Place::File { path: file.clone(), force },
        };
        let made = backup::make(&config, &place, progress()).await?;
        let tell: fn(String) = match place {
            Place::Stdout => |line| print_note(line),
            Place::File { .. } => |line| print(line),
        };
        if json {
            tell(as_json(&made)?);
            return Ok(Code::Done);
        }
        let Made { manifest, packed, size } = made;
        let size = size.map(|size| format!(", {}", bytes(size))).unwrap_or_default();
        tell(format!(
            "{} holds the camp of {}{size}.",
            name(&file, "The backup"),
            moment(&manifest)
        ));
        tell(contents(&manifest, packed));
        if let Stored::Bucket { url } = &manifest.files {
            tell(format!(
                "It has only a list of the files in {url}: the bucket keeps its own versions and copies. Please check that they are turned on."
            ));
        }
        warn_about_plans(&manifest);
        Ok(Code::Done)
    }
}

impl Restore {
    pub async fn run(self, config: Config) -> Outcome {
        let Restore { file, replace, send_mail, json } = self;
        let from = (file.as_os_str() != "-").then_some(file.as_path());
        let options = backup::Options { replace, send_mail };
        let restored = backup::restore(&config, from, options, progress()).await?;
        if restored.is_new {
            note_created(&config);
        }
        if json {
            print_json(&restored)?;
            return Ok(Code::Done);
        }
        let manifest = &restored.manifest;
        print(format!("The camp is as it was at {}.", moment(manifest)));
        print(contents(manifest, restored.unpacked));
        if let Some(folder) = &restored.set_aside {
            print(format!("What was there before is in {}.", folder.display()));
        }
        if let Some(schema) = &restored.set_aside_schema {
            print(format!("The previous database is in the schemas {schema} and {schema}_queue."));
        }
        if !send_mail {
            print("Everyone is signed out: someone may have ended a session since the backup.");
        }
        match restored.held.mails {
            0 => {}
            1 => print("1 email that was waiting is marked as failed; staff can still send it."),
            n => print(format!(
                "{n} emails that were waiting are marked as failed; staff can still send them."
            )),
        }
        match restored.held.videos {
            0 => {}
            1 => print("1 scheduled video whose time has passed is now a draft."),
            n => print(format!("{n} scheduled videos whose time has passed are now drafts.")),
        }
        if let Stored::Bucket { url } = &manifest.files {
            print(format!(
                "The files were in {url}, and not in the backup: --storage-url must name it."
            ));
        }
        warn_about_plans(manifest);
        Ok(Code::Done)
    }
}

fn progress() -> Progress {
    let bar = Bar::of_bytes();
    Arc::new(move |done, all| bar.is_at(done, all))
}

fn as_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(portal::Error::unforeseen)
}

fn name(file: &std::path::Path, stdout: &str) -> String {
    match file.as_os_str() == "-" {
        true => stdout.to_owned(),
        false => file.display().to_string(),
    }
}

fn moment(manifest: &Manifest) -> String {
    // The time zone of the camp is inside the backup.
    manifest.made_at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn contents(manifest: &Manifest, packed: Tally) -> String {
    let counts: Vec<String> =
        manifest.counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    format!(
        "In it: {}; {} files ({}); database {} of schema {} ({}).",
        counts.join(", "),
        packed.files,
        bytes(packed.bytes),
        manifest.engine,
        manifest.schema,
        bytes(manifest.database_bytes)
    )
}

fn warn_about_plans(manifest: &Manifest) {
    if manifest.plans_off > 0 {
        print_note(format!(
            "camp: {} payment plans do not agree with their ledger. `camp doctor` says more.",
            manifest.plans_off
        ));
    }
}

/// 1,536 bytes are 1.5 KiB.
pub fn bytes(n: u64) -> String {
    let mut size = n as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if size < 1024.0 {
            return match unit {
                "bytes" => format!("{n} {unit}"),
                _ => format!("{size:.1} {unit}"),
            };
        }
        size /= 1024.0;
    }
    format!("{size:.1} TiB")
}
