//! Video files made by ffmpeg, and how tests upload them to a running portal.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::site::{Answer, Owner};

/// The metadata for the name `film.mp4`, whatever the file contains.
const NAME: &str = "upload-metadata: filename ZmlsbS5tcDQ=\r\n";
static ZEROS: [u8; 1 << 20] = [0; 1 << 20];

/// Runs ffmpeg with these space-separated arguments, and reads the file that it makes.
pub fn film(name: &str, words: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    ffmpeg(words, &file);
    std::fs::read(&file).expect("a film")
}

pub fn ffmpeg(words: &str, file: &Path) {
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error"]).args(words.split_whitespace()).arg(file);
    assert!(command.status().expect("ffmpeg is installed").success(), "{words}");
}

/// What ffprobe prints about the first stream of a kind.
pub fn shown(file: &Path, stream: &str, entries: &str) -> String {
    let entries = format!("stream={entries}");
    let words = ["-v", "error", "-select_streams", stream, "-of", "csv=p=0", "-show_entries"];
    let output = Command::new("ffprobe").args(words).arg(entries).arg(file).output();
    let output = String::from_utf8(output.expect("ffprobe is installed").stdout).expect("a text");
    output.trim().trim_end_matches(',').to_owned()
}

/// A part of a file that is sent.
pub enum Part {
    Bytes(Vec<u8>),
    Zeros(u64),
}

/// The size of the file in bytes.
pub fn length_of(parts: &[Part]) -> u64 {
    let size = |part: &Part| match part {
        Part::Bytes(bytes) => bytes.len() as u64,
        Part::Zeros(count) => *count,
    };
    parts.iter().map(size).sum()
}

fn pieces(parts: &[Part]) -> impl Iterator<Item = &[u8]> {
    parts.iter().flat_map(|part| -> Box<dyn Iterator<Item = &[u8]>> {
        match part {
            Part::Bytes(bytes) => Box::new(bytes.chunks(ZEROS.len())),
            Part::Zeros(count) => {
                let whole = *count / ZEROS.len() as u64;
                let rest = (*count % ZEROS.len() as u64) as usize;
                let whole = (0..whole).map(|_| &ZEROS[..]);
                Box::new(whole.chain([&ZEROS[..rest]]))
            }
        }
    })
}

/// An upload by a staff member.
pub struct Upload<'a> {
    owner: &'a Owner,
    path: String,
}

impl<'a> Upload<'a> {
    /// Starts an upload. Fails with the response if the file is refused.
    pub async fn begin(owner: &'a Owner, size: u64) -> Result<Upload<'a>, Answer> {
        let headers =
            format!("tus-resumable: 1.0.0\r\nupload-length: {size}\r\ncontent-length: 0\r\n{NAME}");
        let path = "/api/admin/uploads";
        let answer = owner.send_long("POST", path, &headers, std::iter::empty()).await;
        match answer.header("location") {
            Some(path) => Ok(Upload { owner, path: path.to_owned() }),
            None => Err(answer),
        }
    }

    /// Sends the whole file.
    pub async fn send(&self, parts: &[Part]) -> Answer {
        let headers = format!(
            "tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-length: {}\r\n\
             content-type: application/offset+octet-stream\r\n",
            length_of(parts)
        );
        self.owner.send_long("PATCH", &self.path, &headers, pieces(parts)).await
    }

    pub async fn offset(&self) -> u64 {
        let headers = "tus-resumable: 1.0.0\r\n";
        let answer = self.owner.send_long("HEAD", &self.path, headers, std::iter::empty()).await;
        answer.header("upload-offset").expect("an offset").parse().expect("a number")
    }

    pub fn id(&self) -> &str {
        self.path.rsplit('/').next().expect("an id")
    }

    /// Publishes the video as soon as it is converted. Returns its id.
    pub async fn publish(&self) -> String {
        let form = json!({ "title": "Lake", "upload_id": self.id(), "status": "published" });
        let answer = self.owner.post_json("/api/admin/videos", &form).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let saved: Value = serde_json::from_str(&answer.body).expect("JSON");
        saved["video"]["id"].as_str().expect("an id").to_owned()
    }

    pub async fn retry(&self) {
        let answer = self.owner.post_json(&format!("{}/retry", self.path), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    /// Uploads a whole file that is no video. Returns the refusal, which comes at its beginning or
    /// at its end.
    pub async fn refused(owner: &'a Owner, parts: &[Part]) -> Answer {
        match Upload::begin(owner, length_of(parts)).await {
            Ok(upload) => upload.send(parts).await,
            Err(answer) => answer,
        }
    }

    pub async fn whole(owner: &'a Owner, parts: &[Part]) -> Upload<'a> {
        let begun = Upload::begin(owner, length_of(parts)).await;
        let upload = begun.unwrap_or_else(|answer| panic!("{}", answer.body));
        let answer = upload.send(parts).await;
        assert_eq!(answer.status, 204, "{}", answer.body);
        upload
    }
}

/// A video's upload, as staff see it, as soon as the conversion has ended.
pub async fn converted(owner: &Owner, video: &str) -> Value {
    let begun = Instant::now();
    loop {
        let answer = owner.get(&format!("/api/admin/videos/{video}")).await;
        let shown: Value = serde_json::from_str(&answer.body).expect("JSON");
        let upload = &shown["upload"];
        if upload["state"] == "failed" || upload["state"] == "ready" {
            return upload.clone();
        }
        assert!(begun.elapsed() < Duration::from_secs(1200), "{shown}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
