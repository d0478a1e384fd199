//! Parses the links that staff paste, and stores each in one canonical form (decision V10). Nothing
//! of the input is stored except a validated id, or an https address that was parsed and serialized
//! again.

mod share_link;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::{Error, Result};

/// Who serves the video. A file of the portal's own or of any other https host is an upload.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum VideoType {
    Upload,
    GoogleDrive,
    Youtube,
}

/// A link in its canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = LinkInfo)]
pub struct Link {
    pub video_type: VideoType,
    /// What the player opens: an embed, or the address of a media file.
    pub video_url: String,
    pub thumbnail_url: Option<String>,
    #[serde(skip)]
    pub content_type: Option<&'static str>,
}

const INVALID: &str = "Please enter a valid URL.";
const LONGEST: usize = 2000;

/// Parses a pasted link.
///
/// # Errors
///
/// [`Error::Invalid`] on `video_url`. For a link that opens a page, the text also says what to do.
pub fn parse(typed: &str) -> Result<Link> {
    read(typed).map_err(|refusal| {
        let text = match refusal.advice {
            Some(advice) => format!("{INVALID} {advice}"),
            None => INVALID.to_owned(),
        };
        Error::invalid("video_url", text)
    })
}

/// Why a link is refused, where there is specific advice.
#[derive(Default)]
struct Refusal {
    advice: Option<String>,
}

fn read(typed: &str) -> std::result::Result<Link, Refusal> {
    let (url, host) = address(typed).ok_or_else(Refusal::default)?;
    let advised = |text: &str| Refusal { advice: Some(text.to_owned()) };
    let bare = match host.split_once('.') {
        Some(("www" | "m" | "music", bare)) => bare,
        _ => host.as_str(),
    };
    match host.as_str() {
        _ if matches!(bare, "youtube.com" | "youtu.be" | "youtube-nocookie.com") => {
            youtube(&url, bare).ok_or_else(|| advised(NO_SINGLE_VIDEO))
        }
        "drive.google.com" | "docs.google.com" | "drive.usercontent.google.com" => drive(&url)
            .ok_or_else(|| match url.path().contains("/folders/") {
                true => advised(DRIVE_FOLDER),
                false => Refusal::default(),
            }),
        _ => {
            let url = share_link::direct(url, &host)
                .map_err(|advice| Refusal { advice: Some(advice) })?;
            media_file(url).ok_or_else(Refusal::default)
        }
    }
}

const NO_SINGLE_VIDEO: &str = "This YouTube link is not a single video. Please open the video on \
                               YouTube, choose “Share”, and paste that link.";
const DRIVE_FOLDER: &str = "This link opens a Google Drive folder. Please open the video in Google \
                            Drive, choose “Copy link” there, and paste that link.";

/// Parses a web address without a password. Returns it with its host name.
fn address(typed: &str) -> Option<(Url, String)> {
    let typed = typed.trim();
    // `Url` would silently drop tabs and line breaks in an address.
    if typed.len() > LONGEST || typed.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return None;
    }
    let url = Url::parse(typed).ok()?;
    if !matches!(url.scheme(), "http" | "https")
        || !url.username().is_empty()
        || url.password().is_some()
    {
        return None;
    }
    let host = match url.host()? {
        Host::Domain(domain) => domain.trim_end_matches('.').to_owned(),
        _ => String::new(),
    };
    Some((url, host))
}

/// `youtu.be/ID`, `watch?v=ID`, `shorts/ID`, `live/ID`, `embed/ID` and the old `v/ID`. The start
/// time and the playlist are dropped.
fn youtube(url: &Url, host: &str) -> Option<Link> {
    let path = segments(url)?;
    let id = match (host, path.as_slice()) {
        ("youtu.be", [id]) => (*id).to_owned(),
        (_, ["watch"]) => parameter(url, "v")?,
        (_, ["watch" | "shorts" | "live" | "embed" | "v" | "e", id]) => (*id).to_owned(),
        _ => return None,
    };
    // Both have the length of an id, but embed a playlist and a channel.
    if id.len() != 11 || !plain(&id) || matches!(id.as_str(), "videoseries" | "live_stream") {
        return None;
    }
    Some(Link {
        video_type: VideoType::Youtube,
        video_url: format!("https://www.youtube-nocookie.com/embed/{id}"),
        thumbnail_url: Some(format!("https://i.ytimg.com/vi/{id}/maxresdefault.jpg")),
        content_type: None,
    })
}

/// `file/d/ID/…`, `open?id=ID`, `uc?id=ID` and similar, also for a second account (`/u/1/`) and for
/// a company (`/a/camp.example/`). Folders and documents are not videos.
fn drive(url: &Url) -> Option<Link> {
    let path = segments(url)?;
    let path = match path.as_slice() {
        ["a", _, rest @ ..] | ["u", _, rest @ ..] => rest,
        all => all,
    };
    let path = match path {
        ["u", _, rest @ ..] => rest,
        all => all,
    };
    let id = match path {
        ["file", "d", id, ..] | ["file", "u" | "a", _, "d", id, ..] => (*id).to_owned(),
        ["open" | "uc" | "download" | "thumbnail" | "leaf"] => parameter(url, "id")?,
        _ => return None,
    };
    if !(10..=128).contains(&id.len()) || !plain(&id) {
        return None;
    }
    // Files from before 2021 open only with the resource key in their link.
    let key = parameter(url, "resourcekey").filter(|key| (1..=64).contains(&key.len()));
    let key = key.filter(|key| plain(key));
    let (of_file, of_picture) = match key {
        Some(key) => (format!("?resourcekey={key}"), format!("&resourcekey={key}")),
        None => Default::default(),
    };
    Some(Link {
        video_type: VideoType::GoogleDrive,
        video_url: format!("https://drive.google.com/file/d/{id}/preview{of_file}"),
        thumbnail_url: Some(format!(
            "https://drive.google.com/thumbnail?id={id}&sz=w800-h450{of_picture}"
        )),
        content_type: None,
    })
}

/// Any https address of a media file. Plain http only for this machine.
fn media_file(mut url: Url) -> Option<Link> {
    let loopback = match url.host()? {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    if url.scheme() != "https" && !loopback {
        return None;
    }
    let (name, extension) = segments(&url)?.last()?.rsplit_once('.')?;
    if name.is_empty() {
        return None;
    }
    let content_type = match extension.to_ascii_lowercase().as_str() {
        "mp4" | "m4v" => Some("video/mp4"),
        "webm" => Some("video/webm"),
        "ogv" | "ogg" => Some("video/ogg"),
        "m3u8" => Some("application/vnd.apple.mpegurl"),
        "mp3" => Some("audio/mpeg"),
        "m4a" => Some("audio/mp4"),
        // Browsers refuse QuickTime by its media type, but play most of it without one.
        "mov" => None,
        _ => return None,
    };
    url.set_fragment(None);
    let video_url = String::from(url);
    (video_url.len() <= LONGEST).then_some(Link {
        video_type: VideoType::Upload,
        video_url,
        thumbnail_url: None,
        content_type,
    })
}

fn segments(url: &Url) -> Option<Vec<&str>> {
    Some(url.path_segments()?.filter(|segment| !segment.is_empty()).collect())
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn plain(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
