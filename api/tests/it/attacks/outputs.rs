//! Every response obeys the rule about who may watch (safety 14).

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::media::own_video;
use crate::video_details::caption;
use crate::{quiet_time, updates, videos};
use portal::videos::Status;

const TITLE: &str = "Swimming at Loon Pond";
/// Parts of a video that only people who may watch it get.
const OF_VIDEO: [&str; 4] = [
    "by the quiet lake",
    "what a fine dive",
    "captioned herons",
    "0123456789abcdefghijklmnopqrstuvwxyz",
];
const OF_UPDATE: &str = "gather at the flagpole";

/// All URLs with these ids that need no special permission.
fn addresses(ids: &[&str]) -> Vec<String> {
    let document: Value = serde_json::from_str(&api::openapi()).expect("a document");
    let mut all: Vec<String> =
        ["/", "/current-videos", "/past-videos", "/updates", "/profile", "/about", "/faq"]
            .into_iter()
            .map(str::to_owned)
            .collect();
    for query in [
        "collection=current",
        "collection=home",
        "collection=archive",
        "sort=popular",
        "q=quiet",
        "q=loon",
        "year=2026",
    ] {
        all.push(format!("/api/videos?{query}"));
    }
    for id in ids {
        all.extend([format!("/video/{id}"), format!("/updates/{id}")]);
    }
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let who = operations["get"]["security"][0].as_object();
        let anybody = who.is_some_and(|who| who.is_empty() || who.contains_key("session"));
        // The stream of events never ends, and has tests of its own.
        if !anybody || path == "/api/events" {
            continue;
        }
        for id in ids {
            let path =
                path.replace("{id}", id).replace("{upload_id}", id).replace("{file}", "yi.vtt");
            if !all.contains(&path) {
                all.push(path);
            }
        }
    }
    all
}

/// The texts that this browser can read anywhere.
async fn reads<'a>(
    browser: &Browser,
    addresses: &[String],
    texts: &[&'a str],
) -> Vec<(&'a str, String)> {
    let mut found = Vec::new();
    for path in addresses {
        let reply = browser.send(Method::GET, path, None, &[]).await;
        assert!(reply.status.as_u16() < 500, "{path}: {}", reply.text());
        let text = reply.text();
        for wanted in texts.iter().filter(|wanted| text.contains(**wanted)) {
            found.push((*wanted, path.clone()));
        }
    }
    found
}

async fn reads_all(browser: &Browser, addresses: &[String], texts: &[&str]) {
    let found = reads(browser, addresses, texts).await;
    for wanted in texts {
        assert!(found.iter().any(|(text, _)| text == wanted), "nowhere: {wanted}");
    }
}

async fn reads_none(who: &str, browser: &Browser, addresses: &[String], texts: &[&str]) {
    let found = reads(browser, addresses, texts).await;
    assert!(found.is_empty(), "{who}: {found:?}");
}

async fn shown(staff: &Browser, id: &str) -> Value {
    staff.get(&format!("/api/admin/videos/{id}")).await.expect(200).json()
}

/// Everything that belongs to a video: its description, file, captions and comments.
async fn full_video(camp: &Camp, staff: &Browser, writer: &Browser) -> String {
    let id = own_video(camp, TITLE, Status::Published, "films/lake.mp4").await.to_string();
    let video = shown(staff, &id).await;
    videos::edited(staff, &video, json!({ "description": OF_VIDEO[0] })).await;
    let said = json!({ "content": OF_VIDEO[1] });
    writer.post(&format!("/api/videos/{id}/comments"), said).await.expect(201);
    let cue = format!("WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n", OF_VIDEO[2]);
    caption(staff, &video, "yi", cue.as_bytes()).await.expect(200);
    id
}

story! {
    async fn no_response_holds_more_of_a_video_than_the_viewer_may_see(camp) {
        camp.set_clock("2026-07-29T16:00:00Z");
        let staff = camp.staff().await;
        let (chaya, moshe) = (camp.parent("Chaya Weiss", "chaya@family.example").await,
            camp.parent("Moshe Adler", "moshe@family.example").await);
        let found = staff.get("/api/admin/users?q=chaya").await.expect(200).json();
        let family = found["items"][0]["id"].as_str().expect("an id").to_owned();
        staff.post(&format!("/api/admin/users/{family}/approve"), json!({})).await.expect(200);
        let video = full_video(&camp, &staff, &chaya).await;
        moshe.put(&format!("/api/videos/{video}/like")).await.expect(200);
        let update = updates::posted(&staff, "Trip", json!({ "message": OF_UPDATE })).await;
        let all = addresses(&[&video, updates::id(&update)]);
        let stranger = camp.browser();
        let secrets = [&OF_VIDEO[..], &[OF_UPDATE]].concat();

        reads_all(&stranger, &all, &[&secrets[..], &[TITLE]].concat()).await;
        camp.set("access", "signed_in").await;
        reads_all(&moshe, &all, &secrets).await;
        reads_none("a stranger, signed_in", &stranger, &all, &secrets).await;
        camp.set("access", "families").await;
        reads_all(&chaya, &all, &secrets).await;
        reads_none("a stranger, families", &stranger, &all, &secrets).await;
        reads_none("somebody who waits", &moshe, &all, &secrets).await;
        quiet_time::close(&camp).await;
        reads_all(&staff, &all, &secrets).await;
        for (who, browser) in [("a stranger", &stranger), ("a family", &chaya)] {
            let own = if who == "a family" { OF_VIDEO[1] } else { "" };
            let others: Vec<&str> = secrets.iter().copied().filter(|text| *text != own).collect();
            reads_none(who, browser, &all, &others).await;
        }
        camp.set("shabbosMode", "none").await;
        camp.set("access", "everyone").await;
        reads_all(&stranger, &all, &secrets).await;
    }
}

story! {
    async fn no_response_holds_anything_of_a_video_that_was_withdrawn_or_deleted(camp) {
        camp.set_clock("2026-07-29T16:00:00Z");
        let staff = camp.staff().await;
        let (chaya, moshe) = (camp.parent("Chaya Weiss", "chaya@family.example").await,
            camp.parent("Moshe Adler", "moshe@family.example").await);
        let video = full_video(&camp, &staff, &chaya).await;
        moshe.put(&format!("/api/videos/{video}/like")).await.expect(200);
        moshe.send(Method::PUT, &format!("/api/videos/{video}/position"), Some(json!({ "seconds": 3 })), &[]).await;
        let all = addresses(&[&video]);
        let stranger = camp.browser();
        let secrets = [&OF_VIDEO[..], &[TITLE]].concat();
        for reader in [&stranger, &moshe] {
            reads_all(reader, &all, &secrets).await;
        }
        let now = shown(&staff, &video).await;
        videos::edited(&staff, &now, json!({ "status": "draft" })).await;
        reads_none("a stranger", &stranger, &all, &secrets).await;
        reads_none("a parent", &moshe, &all, &secrets).await;
        let now = shown(&staff, &video).await;
        videos::edited(&staff, &now, json!({ "status": "published" })).await;
        reads_all(&stranger, &all, &secrets).await;
        staff.delete(&format!("/api/admin/videos/{video}")).await.expect(204);
        reads_none("a stranger", &stranger, &all, &secrets).await;
        reads_none("a parent", &moshe, &all, &secrets).await;
        camp.work().await;
    }
}
