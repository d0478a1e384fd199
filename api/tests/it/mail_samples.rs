//! Every kind of email, read by an independent parser, also with hostile names. Also the samples
//! that staff view and send to themselves.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use mail_parser::{Message, MessageParser, MimeHeaders};
use portal::mail_samples::{self, Sample};
use portal::notifications::{MailKind, SampleWords};
use portal::settings::Settings;
use serde_json::json;

use crate::camp::{Camp, PASSWORD};

/// The list ids that mail programs sort by.
const LISTS: [&str; 4] = ["daily-videos", "camp-updates", "newsletters", "daily-digest"];

/// The camp's settings with another name.
async fn named(camp: &Camp, name: &str) -> Settings {
    let mut settings = (*camp.app.settings().await.expect("settings")).clone();
    settings.site_name = name.into();
    settings
}

async fn samples(camp: &Camp) -> Vec<Sample> {
    let settings = camp.app.settings().await.expect("settings");
    mail_samples::all(&camp.app, &settings, &SampleWords::default()).expect("samples")
}

fn header_names(message: &Message<'_>) -> Vec<String> {
    message.headers().iter().map(|header| header.name().to_owned()).collect()
}

fn raw<'a>(message: &'a Message<'_>, name: &'a str) -> Option<&'a str> {
    message.header_raw(name).map(str::trim)
}

/// Where the links in the HTML lead, except for the camp's own email address.
fn links(html: &str) -> BTreeSet<String> {
    let found = html.split("href=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let urls = found.map(|(url, _)| url.replace("&#38;", "&").replace("&amp;", "&"));
    urls.filter(|url| !url.starts_with("mailto:")).collect()
}

fn addresses(text: &str) -> BTreeSet<String> {
    let words = text.split_whitespace().filter(|word| word.starts_with("http"));
    words.map(str::to_owned).collect()
}

/// The letters and digits that the HTML shows.
fn visible(html: &str) -> String {
    let body = html.split_once("<body").expect("a body").1;
    let mut shown = String::new();
    for piece in body.split('<').skip(1) {
        shown.push_str(piece.split_once('>').expect("the end of a tag").1);
    }
    let mut without_entities = String::new();
    for (n, piece) in shown.split('&').enumerate() {
        let end = if n == 0 { 0 } else { piece.find(';').map_or(0, |at| at + 1) };
        without_entities.push_str(&piece[end..]);
    }
    letters(&without_entities)
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Checks what every email must have, whatever it says.
fn check(sample: &Sample, bytes: &[u8]) {
    let Sample { name, mail, .. } = sample;
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let last = lines.pop().expect("a line");
    let ended = lines.iter().map(|line| line.strip_suffix(b"\r").expect("CR before every LF"));
    for line in ended.chain([last]) {
        assert!(line.len() <= 998 && !line.contains(&b'\r'), "{name}: {}", line.len());
    }
    let message = MessageParser::default().parse(bytes).expect("a message");
    assert_eq!(
        message.from().and_then(|from| from.first()).and_then(|a| a.address()),
        Some("no-reply@camp.example")
    );
    let to = message.to().and_then(|to| to.first()).expect("a recipient");
    assert_eq!(to.address(), Some("chaya@family.example"), "{name}");
    assert_eq!(
        to.name().unwrap_or_default(),
        mail.to.name.as_deref().unwrap_or_default(),
        "{name}"
    );
    assert_eq!(message.subject(), Some(mail.subject.as_str()), "{name}");
    assert!(message.date().is_some_and(mail_parser::DateTime::is_valid), "{name}");
    assert_eq!(message.message_id(), Some(mail.message_id.trim_matches(['<', '>'])), "{name}");
    assert_eq!(raw(&message, "Auto-Submitted"), Some("auto-generated"), "{name}");
    assert_eq!(raw(&message, "MIME-Version"), Some("1.0"), "{name}");
    let kind = message.content_type().expect("a content type");
    assert_eq!((kind.ctype(), kind.subtype()), ("multipart", Some("alternative")), "{name}");
    assert_eq!(message.parts.len(), 3, "{name}: text and HTML");
    let lines = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(lines(&message.body_text(0).expect("text")), lines(&mail.text), "{name}");
    assert_eq!(lines(&message.body_html(0).expect("HTML")), lines(&mail.html), "{name}");
    let names = header_names(&message);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{name}: {names:?}");
    match &mail.unsubscribe_url {
        Some(url) => {
            let list = raw(&message, "List-Id").expect("a list");
            assert!(LISTS.iter().any(|known| list == format!("<{known}.camp.example>")), "{list}");
            assert_eq!(raw(&message, "List-Unsubscribe"), Some(format!("<{url}>").as_str()));
            assert_eq!(raw(&message, "List-Unsubscribe-Post"), Some("List-Unsubscribe=One-Click"));
        }
        None => {
            assert!(!names.iter().any(|header| header.starts_with("List-")), "{name}: {names:?}")
        }
    }
}

story! {
    async fn every_kind_of_mail_has_a_sample_and_sound_headers(camp) {
        let samples = samples(&camp).await;
        for kind in MailKind::all() {
            assert!(samples.iter().any(|sample| sample.name == kind.text()), "{kind:?}");
        }
        let names: BTreeSet<&str> = samples.iter().map(|sample| sample.name).collect();
        assert_eq!(names.len(), samples.len(), "names are unique");
        for sample in &samples {
            check(sample, &sample.mail.bytes().expect("bytes"));
        }
        let of_category = samples.iter().filter(|sample| sample.mail.unsubscribe_url.is_some());
        assert_eq!(of_category.map(|sample| sample.name).collect::<Vec<_>>(),
            ["video", "late_video", "update", "update_high", "letter", "letter_to_subscriber", "digest"]);
    }
}

story! {
    async fn every_mail_says_the_same_in_text_and_html(camp) {
        for Sample { name, mail, preview, .. } in samples(&camp).await {
            assert_eq!(links(&mail.html), addresses(&mail.text), "{name}");
            let shown = visible(&mail.html);
            for line in mail.text.lines().filter(|line| !line.starts_with("http")) {
                assert!(shown.contains(&letters(line)), "{name}: {line}\n{}", mail.html);
            }
            assert_eq!(mail.html.matches("<a class=\"act\"").count(), 1, "{name}: one main button");
            assert_eq!(mail.text.matches("You get this because").count(), 1, "{name}");
            assert!(preview.chars().count() > 15 && shown.starts_with(&letters(&preview)), "{name}: {preview}");
            for token in mail.html.split("token=").skip(1).chain(mail.html.split("invite=").skip(1)) {
                assert!(token.starts_with("sample\"") || token.starts_with("sample<"), "{name}");
            }
            for picture in mail.html.split("<img src=\"").skip(1) {
                assert!(picture.starts_with("http://camp.example/"), "{name}");
            }
        }
    }
}

const HOSTILE: [&str; 10] = [
    "<script>alert(1)</script>",
    "Chaya\r\nBcc: all@evil.example\r\n\r\n<img src=x onerror=alert(1)>",
    "\u{2068}x",
    "live\u{202e}gnp.evil\u{2066}x\u{200f}\u{2069}\u{202c}",
    "👨‍👩‍👧‍👦 🏕️ Zoë",
    "\"'` <a@evil.example>, \"",
    "\"",
    "{{ 7 * 7 }} {% raw %} {{ content.subject }}",
    "חיה װײס (באַנק 6)!",
    "=?utf-8?B?QmNjOg==?= \\\" \t\u{0}\u{7}",
];

/// The text on one line, as a header shows it.
fn one_line(typed: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let spaced =
        typed.replace(char::is_control, " ").replace(turns, "").replace("=?", "=\u{2060}?");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

const TAGS: [&str; 28] = [
    "!--[if",
    "![endif]--",
    "!doctype",
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "div",
    "table",
    "tr",
    "td",
    "th",
    "a",
    "img",
    "span",
    "h1",
    "h2",
    "p",
    "br",
    "blockquote",
    "bdi",
    "noscript",
    "xml",
    "o:OfficeDocumentSettings",
    "o:PixelsPerInch",
    "!-- [if",
];

fn check_hostile(sample: &Sample) {
    let Sample { name, mail, .. } = sample;
    let html = mail.html.replace("<![endif]-->", "");
    for piece in html.split('<').skip(1) {
        let tag = piece.trim_start_matches('/').split([' ', '>', '\n']).next().expect("a name");
        assert!(TAGS.contains(&tag), "{name}: <{tag}");
        // Every second part is inside quotes.
        let names: String = piece.split('>').next().expect("a tag").split('"').step_by(2).collect();
        assert!(!names.to_lowercase().contains(" on"), "{name}: <{names}>");
    }
    for text in [&mail.html, &mail.text, &mail.subject] {
        let turns = |c: char| {
            matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}' | '\u{2067}')
        };
        assert!(!text.contains(turns), "{name}: {text:?}");
    }
    for line in mail.text.lines() {
        let (opened, closed) = (line.matches('\u{2068}').count(), line.matches('\u{2069}').count());
        assert_eq!(opened, closed, "{name}: {line:?}");
    }
}

story! {
    async fn hostile_names_change_no_header_and_run_nothing(camp) {
        let plain: Vec<_> = samples(&camp).await.iter().map(|sample| {
            let bytes = sample.mail.bytes().expect("bytes");
            header_names(&MessageParser::default().parse(&bytes).expect("a message"))
        }).collect();
        let long = "w".repeat(200);
        for typed in HOSTILE.iter().copied().chain([long.as_str()]) {
            let settings = named(&camp, typed).await;
            let words = SampleWords {
                person: typed.into(), child: typed.into(), staff: typed.into(), title: typed.into(), text: typed.into(), note: typed.into(),
            };
            let samples = mail_samples::all(&camp.app, &settings, &words).expect("samples");
            for (sample, headers) in samples.iter().zip(&plain) {
                let bytes = sample.mail.bytes().expect("bytes");
                check(sample, &bytes);
                check_hostile(sample);
                let message = MessageParser::default().parse(&bytes).expect("a message");
                assert_eq!(&header_names(&message), headers, "{}: {typed:?}", sample.name);
                let from = message.from().and_then(|from| from.first()).expect("a sender");
                assert_eq!(from.name(), Some(one_line(typed).as_str()), "{}", sample.name);
                let to = message.to().and_then(|to| to.first()).expect("a recipient");
                assert_eq!(to.name(), Some(one_line(typed).as_str()), "{}", sample.name);
            }
            let video = samples.iter().find(|sample| sample.name == "video").expect("a video");
            assert_eq!(video.mail.subject, format!("New video: {}", one_line(typed)));
            let told = samples.iter().find(|sample| sample.name == "message").expect("a message");
            assert_eq!(told.mail.reply_to.as_ref().and_then(|to| to.name.clone()), Some(one_line(typed)));
        }
    }
}

story! {
    async fn yiddish_stands_right_to_left_beside_english(camp) {
        let settings = named(&camp, "קעמפ נערים").await;
        let words = SampleWords {
            title: "WhatsApp גרופע פאר די עלטערן".into(),
            text: "Dear parents,\nטייערע עלטערן, זעט https://camp.example/map\n\nשלום, the bus comes at ten.".into(),
            ..SampleWords::default()
        };
        let samples = mail_samples::all(&camp.app, &settings, &words).expect("samples");
        let html = |name: &str| &samples.iter().find(|sample| sample.name == name).expect("it").mail.html;
        let letter = html("letter");
        for block in [
            "<h1 class=\"ink head\" dir=\"rtl\" align=\"right\"",
            "dir=\"ltr\" align=\"left\" style=\"margin:0 0 0px;",
        ] {
            assert!(letter.contains(block), "{block}: {letter}");
        }
        let direction = |text: &str| {
            let before = letter.split_once(text).expect("the text").0;
            before.rsplit_once("<p ").and_then(|(_, tag)| tag.split_once("dir=\"")).expect("a paragraph").1[..3].to_owned()
        };
        // The first of the two is the preview text for the inbox.
        assert_eq!(letter.matches("טייערע").count(), 2);
        let body = letter.split_once("<h1").expect("a heading").1;
        assert!(body.contains("dir=\"rtl\" align=\"right\" style=\"margin:0 0 14px"), "{body}");
        assert_eq!(direction(", the bus comes at ten.</p>"), "ltr");
        assert!(body.contains("<a href=\"https://camp.example/map\" dir=\"ltr\""), "{body}");
        // A Hebrew name in an English sentence leaves its punctuation in place.
        assert!(html("invitation").contains("\u{2068}קעמפ נערים\u{2069} has a site for its families"));
    }
}

story! {
    async fn staff_see_every_mail_and_send_one_to_themselves(camp) {
        let staff = camp.staff().await;
        let list = staff.get("/api/admin/mail/samples").await.expect(200).json();
        let items = list["items"].as_array().expect("items");
        assert_eq!(items.len(), samples(&camp).await.len());
        assert_eq!(items[0], json!({ "name": "video", "title": "New video", "group": "families", "subject": "New video: A day at the lake" }));
        let shown = staff.get("/api/admin/mail/samples/invitation").await.expect(200).json();
        assert_eq!(shown["subject"], "You are invited to Visiting Day");
        assert!(shown["html"].as_str().expect("HTML").contains("/auth?invite=sample"));
        assert!(shown["text"].as_str().expect("text").contains("Accept the invitation"));
        staff.get("/api/admin/mail/samples/postcard").await.refused(404, "not_found");

        let path = "/api/admin/mail/samples/invitation/test";
        camp.browser().post(path, json!({})).await.expect(401);
        camp.browser().get("/api/admin/mail/samples").await.expect(401);
        staff.post("/api/admin/mail/samples/postcard/test", json!({})).await.refused(404, "not_found");
        let before = camp.mails().len();
        staff.post(path, json!({})).await.expect(204);
        camp.work().await;
        let mails = camp.mails().split_off(before);
        let [mail] = &mails[..] else { panic!("one mail: {mails:?}") };
        assert_eq!(mail.to.email.to_string(), "feder@camp.example");
        assert_eq!(mail.subject, "Test: You are invited to Visiting Day");
        assert!(mail.text.contains("This is a test. It was sent only to you."), "{}", mail.text);
        assert!(mail.text.contains("You get this because you sent yourself a test"), "{}", mail.text);
        assert!(mail.text.contains("/auth?invite=sample\n"), "no link of it works: {}", mail.text);
        assert_eq!(mail.unsubscribe_url, None);
        let refused = json!({ "token": "sample", "password": PASSWORD });
        camp.browser().post("/api/auth/reset", refused).await.expect(410);

        for _ in 1..10 {
            staff.post("/api/admin/mail/samples/video/test", json!({})).await.expect(204);
        }
        camp.wait(TimeDelta::minutes(1));
        staff.post(path, json!({})).await.refused(429, "too_many_tests");
        let owner = camp.owner().await;
        let log = owner.get("/api/admin/audit?action=mail.test").await.expect(200).json();
        let items = log["items"].as_array().expect("items");
        assert_eq!(items.len(), 10);
        assert_eq!(items[9]["lines"], json!([{ "field": "email", "after": "Invitation" }]));
    }
}
