//! Share links of common file hosts. They open a page about the file, not the file itself. They are
//! rewritten to the address of the file if the host has one. Otherwise they are refused with advice
//! (decision V10). No request is made to the host.

use url::Url;

const INSTEAD: &str = "Please put the video on YouTube (as “Unlisted”), on Google Drive or in \
                       Dropbox, and paste the link from there.";

/// Returns the address of the file itself, for a link to any host except YouTube and Google Drive.
///
/// # Errors
///
/// A sentence that says what the link opens and what to do instead.
pub(super) fn direct(url: Url, host: &str) -> Result<Url, String> {
    let under = |domain: &str| {
        host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
    };
    if under("dropbox.com") || under("dropboxusercontent.com") {
        return dropbox(&url, host);
    }
    if let Some((name, also)) = pages(&under, &url) {
        return Err(format!("{name} links open a page, not the video itself.{also} {INSTEAD}"));
    }
    match opens_a_page(&url, host) {
        true => Err("This link opens a page about the video, not the video itself. Please paste \
                     the direct link of the file."
            .into()),
        false => Ok(url),
    }
}

/// `/scl/fi/ID/name?rlkey=…` and the older `/s/ID/name`, with `raw=1` as documented by Dropbox: the
/// file itself, for everybody who has the link.
fn dropbox(url: &Url, host: &str) -> Result<Url, String> {
    let path: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let is_file = match path.as_slice() {
        ["s", id, name] | ["scl", "fi", id, name] => !id.is_empty() && !name.is_empty(),
        _ => false,
    };
    if !is_file {
        return Err(match path.as_slice() {
            ["sh", ..] | ["scl", "fo", ..] => {
                "This link opens a Dropbox folder. Please open the video in Dropbox, choose “Copy \
                 link” there, and paste that link."
            }
            _ if host.ends_with("dropboxusercontent.com") => {
                "This Dropbox link works for a few hours only. Please choose “Copy link” in \
                 Dropbox, and paste that link."
            }
            _ => {
                "This link opens a page of Dropbox, not the video itself. Please choose “Share” \
                 and “Copy link” in Dropbox, and paste that link."
            }
        }
        .into());
    }
    let mut direct = Url::parse("https://www.dropbox.com/").map_err(|error| error.to_string())?;
    direct.set_path(url.path());
    // Newer links do not open without this key.
    if let Some((_, key)) = url.query_pairs().find(|(name, _)| name == "rlkey") {
        direct.query_pairs_mut().append_pair("rlkey", &key);
    }
    direct.query_pairs_mut().append_pair("raw", "1");
    Ok(direct)
}

/// Hosts whose links never open the file. Returns the name that people know, and what is special.
fn pages(under: &impl Fn(&str) -> bool, url: &Url) -> Option<(&'static str, &'static str)> {
    // Paying customers of Vimeo get direct file addresses on this host.
    let vimeo_file = under("player.vimeo.com")
        && ["/external/", "/progressive_redirect/"].iter().any(|p| url.path().starts_with(p));
    let hosts: [(&[&str], &str, &str); 13] = [
        (&["1drv.ms", "onedrive.live.com", "onedrive.com", "sharepoint.com"], "OneDrive", ""),
        (&["photos.app.goo.gl", "photos.google.com", "googleusercontent.com"], "Google Photos", ""),
        (&["icloud.com"], "iCloud", ""),
        (&["wetransfer.com", "we.tl"], "WeTransfer", " They also expire after some days."),
        (&["vimeo.com"], "Vimeo", " With a paid plan, paste Vimeo’s own “video file link”."),
        (&["facebook.com", "fb.watch"], "Facebook", ""),
        (&["instagram.com"], "Instagram", ""),
        (&["tiktok.com"], "TikTok", ""),
        (&["loom.com"], "Loom", ""),
        (&["dailymotion.com", "dai.ly"], "Dailymotion", ""),
        (&["mega.nz", "mega.io"], "MEGA", ""),
        (&["mediafire.com"], "MediaFire", ""),
        (&["t.me", "telegram.me"], "Telegram", ""),
    ];
    let found = hosts.iter().find(|(domains, ..)| domains.iter().any(|domain| under(domain)));
    found.filter(|_| !vimeo_file).map(|(_, name, also)| (*name, *also))
}

/// Pages whose address ends like a file: a viewer without download, a file viewer of a code host, a
/// wiki page about a file.
fn opens_a_page(url: &Url, host: &str) -> bool {
    let asks_for_page = url.query_pairs().any(|(name, value)| {
        matches!((&*name, &*value), ("dl" | "download" | "raw", "0") | ("web", "1"))
    });
    let mut path = url.path_segments().into_iter().flatten();
    let code = ["github.com", "gitlab.com", "bitbucket.org"].contains(&host);
    let viewed = |part: &str| code && matches!(part, "blob" | "src");
    asks_for_page || path.any(|part| part.starts_with("File:") || viewed(part))
}

#[cfg(test)]
mod tests {
    use super::super::{VideoType, parse};
    use crate::Error;

    fn refused(typed: &str) -> String {
        match parse(typed) {
            Err(Error::Invalid(wrong)) => {
                assert_eq!(wrong[0].field, "video_url");
                wrong[0].message.clone()
            }
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn share_links_of_dropbox_become_the_file_itself() {
        for (typed, kept) in [
            (
                "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&st=x9&dl=0",
                "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&raw=1",
            ),
            (
                "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?dl=1&rlkey=k3y",
                "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&raw=1",
            ),
            (
                "https://www.dropbox.com/s/a1b2c3/day%201.MP4?dl=0",
                "https://www.dropbox.com/s/a1b2c3/day%201.MP4?raw=1",
            ),
            (
                "http://dropbox.com/s/a1b2c3/day-1.mov",
                "https://www.dropbox.com/s/a1b2c3/day-1.mov?raw=1",
            ),
            (
                "https://dl.dropboxusercontent.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&dl=0",
                "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&raw=1",
            ),
            (
                "https://m.dropbox.com/s/a1b2c3/day-1.webm?raw=1#t=5",
                "https://www.dropbox.com/s/a1b2c3/day-1.webm?raw=1",
            ),
        ] {
            let link = parse(typed).unwrap_or_else(|_| panic!("{typed}"));
            assert_eq!(link.video_type, VideoType::Upload);
            assert_eq!(link.video_url.as_str(), kept);
            // The stored link is parsed to the same result.
            assert_eq!(parse(&link.video_url).expect("a link"), link);
        }
    }

    #[test]
    fn what_dropbox_does_not_play_says_which_link_to_copy() {
        for (typed, part) in [
            ("https://www.dropbox.com/scl/fo/a1/h2?rlkey=k3y&dl=0", "opens a Dropbox folder"),
            ("https://www.dropbox.com/sh/a1/AAA/day-1.mp4?dl=0", "opens a Dropbox folder"),
            ("https://www.dropbox.com/home/Camp?preview=day-1.mp4", "“Copy link”"),
            ("https://www.dropbox.com/t/a1b2c3.mp4", "“Copy link”"),
            ("https://uc123.dl.dropboxusercontent.com/cd/0/inline/x/day-1.mp4", "a few hours only"),
            ("https://www.dropbox.com/s/a1b2c3/day-1.pdf?dl=0", "Please enter a valid URL."),
        ] {
            let said = refused(typed);
            assert!(
                said.starts_with("Please enter a valid URL.") && said.contains(part),
                "{typed}: {said}"
            );
        }
    }

    #[test]
    fn links_that_only_open_a_page_are_refused_and_say_what_to_do() {
        for (typed, host) in [
            ("https://1drv.ms/v/s!AbCdEf?e=x", "OneDrive"),
            ("https://1drv.ms/v/c/12/day-1.mp4", "OneDrive"),
            ("https://onedrive.live.com/?cid=1&id=2", "OneDrive"),
            ("https://camp-my.sharepoint.com/:v:/g/personal/x/day-1.mp4?web=1", "OneDrive"),
            ("https://photos.app.goo.gl/AbCdEf", "Google Photos"),
            ("https://photos.google.com/share/x/photo/y", "Google Photos"),
            ("https://share.icloud.com/photos/0abc", "iCloud"),
            ("https://www.icloud.com/iclouddrive/0abc#day-1.mp4", "iCloud"),
            ("https://vimeo.com/123456789", "Vimeo"),
            ("https://player.vimeo.com/video/123456789", "Vimeo"),
            ("https://we.tl/t-AbCdEf", "WeTransfer"),
            ("https://wetransfer.com/downloads/abc/day-1.mp4", "WeTransfer"),
            ("https://fb.watch/abc/", "Facebook"),
            ("https://www.loom.com/share/abc", "Loom"),
        ] {
            let said = refused(typed);
            assert!(said.contains(&format!("{host} links open a page")), "{typed}: {said}");
            assert!(said.contains("YouTube (as “Unlisted”)"), "{typed}: {said}");
        }
        for typed in [
            "https://cdn.example/day-1.mp4?dl=0",
            "https://cdn.example/day-1.mp4?x=1&download=0",
            "https://cloud.example/day-1.mp4?web=1",
            "https://github.com/camp/videos/blob/main/day-1.mp4",
            "https://commons.wikimedia.org/wiki/File:Lake.webm",
        ] {
            assert!(refused(typed).contains("opens a page about the video"), "{typed}");
        }
        assert!(
            refused("https://drive.google.com/drive/folders/1aB2cD3eF4gH5iJ6kL7m")
                .contains("a Google Drive folder")
        );
        assert!(
            refused("https://www.youtube.com/playlist?list=PL123").contains("not a single video")
        );
    }

    #[test]
    fn files_of_hosts_that_also_have_pages_are_taken() {
        for typed in [
            "https://player.vimeo.com/external/123.hd.mp4?s=abc",
            "https://player.vimeo.com/progressive_redirect/playback/1/rendition/720p/file.mp4?loc=external",
            "https://app.box.com/shared/static/abc.mp4",
            "https://notdropbox.com/s/a/day-1.mp4",
            "https://cdn.example/day-1.mp4?download=1",
            "https://upload.wikimedia.org/wikipedia/commons/1/1a/Lake.webm",
        ] {
            assert_eq!(parse(typed).expect(typed).video_url, typed);
        }
    }
}
