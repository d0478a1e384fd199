//! Parses the links that staff paste, and stores each in one canonical form (decision V10). Nothing
//! of the input is stored except a validated id, or an https address that was parsed and serialized
//! again.

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::share_link;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DRIVE: &str = "1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV";
    const TUBE: &str = "dQw4w9WgXcQ";

    #[test]
    fn drive_links_of_every_usual_form_become_the_preview() {
        for form in [
            "https://drive.google.com/file/d/{}/view?usp=sharing",
            "https://drive.google.com/file/d/{}/view?usp=drive_link",
            "https://drive.google.com/file/d/{}/preview",
            "https://drive.google.com/file/d/{}/edit",
            "https://drive.google.com/file/d/{}",
            "https://drive.google.com/file/d/{}/",
            "http://drive.google.com/file/d/{}/view",
            "https://DRIVE.google.com/file/d/{}/view#t=3",
            "https://drive.google.com/file/u/0/d/{}/view",
            "https://drive.google.com/u/1/file/d/{}/view",
            "https://drive.google.com/a/camp.example/file/d/{}/view",
            "https://drive.google.com/open?id={}",
            "https://drive.google.com/open?usp=sharing&id={}&authuser=0",
            "https://drive.google.com/u/0/open?id={}",
            "https://drive.google.com/uc?id={}&export=download",
            "https://drive.google.com/uc?export=view&id={}",
            "https://drive.google.com/u/2/uc?id={}&export=download",
            "https://drive.google.com/thumbnail?id={}&sz=w800-h450",
            "https://docs.google.com/file/d/{}/edit?usp=sharing",
            "https://docs.google.com/a/camp.example/file/d/{}/edit",
            "https://docs.google.com/uc?id={}",
            "https://drive.usercontent.google.com/download?id={}&export=download&authuser=0",
            "https://drive.usercontent.google.com/u/0/uc?id={}&export=download",
            "  https://drive.google.com/file/d/{}/view\n",
        ] {
            let link = parse(&form.replace("{}", DRIVE)).unwrap_or_else(|_| panic!("{form}"));
            assert_eq!(link.video_type, VideoType::GoogleDrive, "{form}");
            assert_eq!(link.video_url, format!("https://drive.google.com/file/d/{DRIVE}/preview"));
            assert_eq!(
                link.thumbnail_url,
                Some(format!("https://drive.google.com/thumbnail?id={DRIVE}&sz=w800-h450"))
            );
        }
    }

    #[test]
    fn an_old_drive_file_keeps_the_key_without_which_it_does_not_open() {
        let typed = format!(
            "https://drive.google.com/file/d/{DRIVE}/view?usp=sharing&resourcekey=0-Ab_c9xYz"
        );
        let link = parse(&typed).expect("a link");
        assert_eq!(
            link.video_url,
            format!("https://drive.google.com/file/d/{DRIVE}/preview?resourcekey=0-Ab_c9xYz")
        );
        let strange = format!("https://drive.google.com/open?id={DRIVE}&resourcekey=%22%3E%3Cx");
        assert_eq!(
            parse(&strange).expect("a link").video_url,
            format!("https://drive.google.com/file/d/{DRIVE}/preview")
        );
    }

    #[test]
    fn youtube_links_of_every_usual_form_become_the_embed_without_cookies() {
        for form in [
            "https://www.youtube.com/watch?v={}",
            "https://youtube.com/watch?v={}&t=42s",
            "https://www.youtube.com/watch?list=PL123&index=2&v={}",
            "https://www.youtube.com/watch?app=desktop&v={}&feature=youtu.be",
            "http://www.youtube.com/watch?v={}",
            "https://m.youtube.com/watch?v={}",
            "https://music.youtube.com/watch?v={}&list=RDAMVM",
            "https://youtu.be/{}",
            "https://youtu.be/{}?si=abcdef&t=10",
            "https://www.youtube.com/shorts/{}?feature=share",
            "https://www.youtube.com/live/{}?si=x",
            "https://www.youtube.com/embed/{}?autoplay=1",
            "https://www.youtube.com/v/{}",
            "https://www.youtube-nocookie.com/embed/{}",
            "https://youtube-nocookie.com/embed/{}?rel=0",
            "https://www.youtube.com./watch?v={}",
        ] {
            let link = parse(&form.replace("{}", TUBE)).unwrap_or_else(|_| panic!("{form}"));
            assert_eq!(link.video_type, VideoType::Youtube, "{form}");
            assert_eq!(link.video_url, format!("https://www.youtube-nocookie.com/embed/{TUBE}"));
            assert_eq!(
                link.thumbnail_url,
                Some(format!("https://i.ytimg.com/vi/{TUBE}/maxresdefault.jpg"))
            );
        }
    }

    #[test]
    fn another_media_file_is_an_upload() {
        for (typed, kept) in [
            ("https://cdn.camp.example/day-1.mp4", "https://cdn.camp.example/day-1.mp4"),
            ("https://CDN.camp.example/a/../b.MP4#t=9", "https://cdn.camp.example/b.MP4"),
            (
                "https://cdn.example/v.m3u8?sig=a%2Fb&x=1",
                "https://cdn.example/v.m3u8?sig=a%2Fb&x=1",
            ),
            ("https://cdn.example:8443/v.webm", "https://cdn.example:8443/v.webm"),
            ("http://localhost:9000/v.mov", "http://localhost:9000/v.mov"),
            ("http://127.0.0.1/v.ogv", "http://127.0.0.1/v.ogv"),
            ("http://[::1]:80/v.m4v", "http://[::1]/v.m4v"),
        ] {
            let link = parse(typed).unwrap_or_else(|_| panic!("{typed}"));
            assert_eq!(link.video_type, VideoType::Upload);
            assert_eq!(link.video_url.as_str(), kept);
            assert_eq!(link.thumbnail_url, None);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let long = format!("https://cdn.example/{}.mp4", "a".repeat(3000));
        for typed in [
            "",
            "   ",
            "hello",
            "camp.example/v.mp4",
            "//cdn.example/v.mp4",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)//v.mp4",
            "java\nscript:alert(1)",
            "data:video/mp4;base64,AAAA",
            "data:text/html,<script>//v.mp4",
            "file:///etc/passwd.mp4",
            "ftp://cdn.example/v.mp4",
            "blob:https://cdn.example/v.mp4",
            "vbscript:x.mp4",
            "http://cdn.example/v.mp4",
            "http://127.0.0.1.evil.example/v.mp4",
            "http://localhost.evil.example/v.mp4",
            "https://cdn.example/v.html",
            "https://cdn.example/",
            "https://cdn.example/.mp4",
            "https://cdn.example/page?file=v.mp4",
            "https://user:secret@cdn.example/v.mp4",
            "https://cdn.exam\tple/v.mp4",
            "https://cdn.example/v.mp4\u{0}",
            "https://drive.google.com/drive/folders/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV",
            "https://docs.google.com/document/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/edit",
            "https://drive.google.com/file/d/short/view",
            "https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7m%22onload=/view",
            "https://drive.google.com/open?id=../../../../etc/passwd",
            "https://drive.google.com/v.mp4",
            "https://drive.google.com.evil.example/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/view",
            "https://www.youtube.com/",
            "https://www.youtube.com/playlist?list=PL123",
            "https://www.youtube.com/@camp",
            "https://www.youtube.com/watch?v=tooshort",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQQ",
            "https://www.youtube.com/watch?v=dQw4w9Wg%22Q",
            "https://www.youtube.com/embed/videoseries?list=PL123",
            "https://www.youtube.com/embed/live_stream?channel=UC1",
            "https://notyoutube.com/watch?v=dQw4w9WgXcQ",
            "https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ",
            "https://youtube.com@evil.example/watch?v=dQw4w9WgXcQ",
            &long,
        ] {
            match parse(typed) {
                Err(Error::Invalid(wrong)) => {
                    assert_eq!(wrong[0].field, "video_url");
                    assert!(wrong[0].message.starts_with(INVALID), "{wrong:?}");
                }
                other => panic!("{typed:?}: {other:?}"),
            }
        }
    }

    /// The only addresses that may ever appear in a page.
    fn allowed(link: &Link) -> bool {
        let url = Url::parse(&link.video_url).expect("an address");
        let id = |text: &str| !text.is_empty() && plain(text);
        let tail = |prefix| link.video_url.strip_prefix(prefix);
        match link.video_type {
            VideoType::Youtube => tail("https://www.youtube-nocookie.com/embed/")
                .is_some_and(|i| i.len() == 11 && id(i)),
            VideoType::GoogleDrive => tail("https://drive.google.com/file/d/")
                .and_then(|t| t.split_once("/preview"))
                .is_some_and(|(i, rest)| {
                    id(i) && (rest.is_empty() || rest.strip_prefix("?resourcekey=").is_some_and(id))
                }),
            VideoType::Upload => {
                (url.scheme() == "https"
                    || matches!(url.host_str(), Some(h) if h.ends_with("localhost") || h.starts_with("127.") || h == "[::1]"))
                    && url.username().is_empty()
                    && url.password().is_none()
                    && url.fragment().is_none()
                    && !link.video_url.contains(['"', '<', '>', ' ', '\n'])
            }
        }
    }

    fn address() -> impl Strategy<Value = String> {
        let host = prop::sample::select(vec![
            "youtube.com",
            "www.youtube.com",
            "youtu.be",
            "m.youtube.com",
            "drive.google.com",
            "docs.google.com",
            "drive.usercontent.google.com",
            "cdn.example",
            "www.dropbox.com",
            "dl.dropboxusercontent.com",
            "localhost",
            "127.0.0.1",
            "[::1]",
            "evil.example",
            "xn--p1ai",
            "user:pw@cdn.example",
        ]);
        let scheme =
            prop::sample::select(vec!["https://", "http://", "javascript:", "//", "HTTPS://", ""]);
        let word = prop::sample::select(vec![
            "file", "d", "u", "0", "a", "open", "uc", "watch", "embed", "shorts", DRIVE, TUBE,
            "v.mp4", "x.m3u8", "s", "scl", "fi", "..", "%2e%2e", "%00", "\"", "<", "ü", "",
        ]);
        let query = prop::sample::select(vec![
            "",
            "?id=1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV",
            "?v=dQw4w9WgXcQ",
            "?id=\"><script>",
            "?v=dQw4w9WgXcQ&list=x#y",
            "?id=1aB2cD3eF4gH5i&resourcekey=0-a",
            "#v.mp4",
            "?x=.mp4",
            "?rlkey=a\"b&dl=0",
        ]);
        (scheme, host, prop::collection::vec(word, 0..6), query).prop_map(
            |(scheme, host, path, query)| format!("{scheme}{host}/{}{query}", path.join("/")),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn whatever_is_pasted_only_allowed_addresses_come_out(
            typed in prop_oneof![".{0,80}", any::<String>(), address()]
        ) {
            if let Ok(link) = parse(&typed) {
                prop_assert!(allowed(&link), "{:?} became {:?}", typed, link);
                prop_assert_eq!(parse(&link.video_url).ok(), Some(link));
            }
        }
    }
}
