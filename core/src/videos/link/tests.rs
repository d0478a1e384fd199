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
    let typed =
        format!("https://drive.google.com/file/d/{DRIVE}/view?usp=sharing&resourcekey=0-Ab_c9xYz");
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
        ("https://cdn.example/v.m3u8?sig=a%2Fb&x=1", "https://cdn.example/v.m3u8?sig=a%2Fb&x=1"),
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
        VideoType::Youtube => {
            tail("https://www.youtube-nocookie.com/embed/").is_some_and(|i| i.len() == 11 && id(i))
        }
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
        "file", "d", "u", "0", "a", "open", "uc", "watch", "embed", "shorts", DRIVE, TUBE, "v.mp4",
        "x.m3u8", "s", "scl", "fi", "..", "%2e%2e", "%00", "\"", "<", "ü", "",
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
    (scheme, host, prop::collection::vec(word, 0..6), query)
        .prop_map(|(scheme, host, path, query)| format!("{scheme}{host}/{}{query}", path.join("/")))
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
