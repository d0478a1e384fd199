//! `camp mail preview`: writes a sample of every email into a folder.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use portal::mail_samples::{self, Sample};
use portal::notifications::SampleWords;
use portal::{App, Config, Error, Result, root};
use serde_json::json;

use crate::output::{Code, Outcome, print, print_json};

/// In the index, so that a later run knows its own files.
const MARK: &str = "<meta name=\"generator\" content=\"camp mail preview\">";
const INDEX: &str = "index.html";

#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  camp mail preview mails\n\nIt sends nothing. A second run replaces what the first one wrote and nothing else.\n\nExit codes: 0 all are written, 3 the folder has other files of these names or cannot be written."
)]
pub struct Preview {
    /// Folder for the files and their index.html
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// Print the list of emails as JSON
    #[arg(long)]
    json: bool,
}

impl Preview {
    pub async fn run(self, config: Config) -> Outcome {
        let Preview { folder, json } = self;
        let app = App::open(config).await?;
        let settings = app.settings().await?;
        let samples = mail_samples::all(&app, &settings, &SampleWords::default())?;
        let mut files = Vec::new();
        for sample in &samples {
            let Sample { name, mail, .. } = sample;
            files.push((format!("{name}.html"), mail.html.clone().into_bytes()));
            files.push((format!("{name}.txt"), mail.text.clone().into_bytes()));
            files.push((format!("{name}.eml"), mail.bytes()?));
        }
        files.insert(0, (INDEX.into(), index(settings.camp_name(), &samples).into_bytes()));
        root::in_named_folder(&folder, || {
            refuse_foreign_files(&folder, files.iter().map(|(name, _)| name.as_str()))?;
            write(&folder, &files).map_err(|error| unwritable(&folder, &error))
        })?;
        match json {
            true => print_json(&samples.iter().map(listed).collect::<Vec<_>>())?,
            false => {
                let place = folder.join(INDEX);
                print(format!("{} emails are in {}.", samples.len(), place.display()));
            }
        }
        Ok(Code::Done)
    }
}

fn listed(sample: &Sample) -> serde_json::Value {
    let Sample { name, title, group, mail, .. } = sample;
    json!({
        "name": name,
        "title": title,
        "group": group,
        "subject": mail.subject,
        "files": [format!("{name}.html"), format!("{name}.txt"), format!("{name}.eml")],
    })
}

fn refuse_foreign_files<'a>(folder: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let own = own_files(folder);
    for name in names {
        let path = folder.join(name);
        let Ok(found) = path.symlink_metadata() else { continue };
        if !found.is_file() || !own.contains(name) {
            let text = format!(
                "{} already exists and was not written by this command. Choose another folder.",
                path.display()
            );
            return Err(Error::invalid("folder", text));
        }
    }
    Ok(())
}

/// The index of an earlier run, and the files that it lists.
fn own_files(folder: &Path) -> HashSet<String> {
    let path = folder.join(INDEX);
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return HashSet::new();
    }
    let index = fs::read_to_string(path).unwrap_or_default();
    if !index.contains(MARK) {
        return HashSet::new();
    }
    let listed = index.split("<a href=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    listed.map(|(name, _)| name.to_owned()).chain([INDEX.to_owned()]).collect()
}

/// Writes the index first: files without it would be foreign ones for the next run.
fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in files {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // A new file, so that no link is followed.
        fs::File::create_new(path)?.write_all(bytes)?;
    }
    Ok(())
}

fn unwritable(folder: &Path, error: &io::Error) -> Error {
    Error::invalid("folder", format!("{} cannot be written: {error}.", folder.display()))
}

fn index(camp: &str, samples: &[Sample]) -> String {
    let mut rows = String::new();
    for Sample { name, title, mail, .. } in samples {
        let subject = escape(&mail.subject);
        writeln!(
            rows,
            "<tr><th scope=\"row\"><a href=\"{name}.html\">{title}</a></th><td dir=\"auto\">{subject}</td>\
             <td><a href=\"{name}.txt\">text</a></td><td><a href=\"{name}.eml\">eml</a></td></tr>"
        )
        .ok();
    }
    let title = format!("Emails of {}", escape(camp));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n{MARK}\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif }}\n\
         table {{ border-collapse: collapse; width: 100% }}\n\
         th, td {{ padding: .4rem .6rem; border-top: 1px solid #8884; text-align: start; vertical-align: top }}</style>\n\
         <h1>{title}</h1>\n<p>With invented people. The links open nothing.</p>\n<table>\n{rows}</table>\n</html>\n"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
