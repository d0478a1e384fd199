//! Uploads become videos that every phone plays, and people who may not watch get no byte of them.

use std::time::Duration;

use axum::http::Method;
use chrono::TimeDelta;
use portal::audit::Actor;
use portal::{conversion, gallery};
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::quiet_time::close;
use crate::uploads::{LAKE, is_staged, open_uploads, uploaded, without_converter};

/// Publishes an upload at once, and lets the worker convert it.
pub async fn published(camp: &Camp, staff: &Browser) -> Value {
    let upload = uploaded(staff, "lake.mp4", LAKE).await;
    let form = json!({ "title": "Lake", "upload_id": upload });
    let saved = staff.post("/api/admin/videos", form).await.expect(201).json();
    camp.work().await;
    saved["video"].clone()
}

/// The URLs of all files that a player finds, starting with the playlist.
async fn addresses(browser: &Browser, video: &Value) -> Vec<String> {
    let id = video["id"].as_str().expect("an id");
    let seen = browser.get(&format!("/api/videos/{id}")).await.expect(200).json();
    let master = seen["hls_url"].as_str().expect("a playlist").to_owned();
    let previews = seen["previews_url"].as_str().expect("previews").to_owned();
    let (folder, _) = master.rsplit_once('/').expect("a folder");
    let near = |name: &str| format!("{folder}/{name}");
    let text = browser.get(&master).await.expect(200).text();
    let playlists: Vec<String> = text.lines().filter(|l| !l.starts_with('#')).map(near).collect();
    assert!(!playlists.is_empty(), "{text}");
    let mut all = vec![master.clone(), previews, near("sprite.jpg"), near("poster-2.jpg")];
    for playlist in playlists {
        let text = browser.get(&playlist).await.expect(200).text();
        let segments = text.lines().find(|line| !line.starts_with('#')).expect("a segment");
        all.push(near(segments));
        all.push(playlist);
    }
    all.extend([format!("/media/videos/{id}"), format!("/media/thumbnails/{id}")]);
    all
}

story! {
    async fn a_converted_video_is_sent_as_players_ask_for_it(camp) {
        let staff = camp.staff().await;
        let video = published(&camp, &staff).await;
        let home = camp.browser();
        let all = addresses(&home, &video).await;
        for path in &all {
            let reply = home.get(path).await.expect(200);
            let kind = match path.rsplit_once('.').map(|(_, end)| end) {
                Some("m3u8") => "application/vnd.apple.mpegurl",
                Some("vtt") => "text/vtt; charset=utf-8",
                Some("jpg") => "image/jpeg",
                None if path.contains("thumbnails") => "image/jpeg",
                _ => "video/mp4",
            };
            assert_eq!(reply.header("content-type"), kind, "{path}");
            assert_eq!(reply.header("x-content-type-options"), "nosniff");
            let cache = match path.matches('/').count() {
                5 => "private, max-age=31536000, immutable",
                _ => "private, max-age=600",
            };
            assert_eq!(reply.header("cache-control"), cache, "{path}");
            let known = [("if-none-match", reply.header("etag"))];
            home.send(Method::GET, path, None, &known).await.expect(304);
            let part = home.send(Method::GET, path, None, &[("range", "bytes=10-19")]).await.expect(206);
            assert_eq!(&part.bytes[..], &reply.bytes[10..20], "{path}");
        }
        let shown = staff.get(&format!("/api/admin/videos/{}", video["id"].as_str().expect("an id"))).await;
        let upload = shown.expect(200).json()["upload"].clone();
        assert_eq!((&upload["state"], &upload["progress"]), (&json!("ready"), &json!(100)));
        assert_eq!((&upload["renditions"][0]["width"], &upload["renditions"][0]["height"]), (&json!(640), &json!(360)));
        let seen = home.get(&format!("/api/videos/{}", video["id"].as_str().expect("an id"))).await.expect(200).json();
        assert_eq!(seen["duration_seconds"], 7);
        assert!(!is_staged(&camp, upload["id"].as_str().expect("an id")), "the original takes no space");
    }
}

story! {
    async fn every_file_of_a_converted_video_obeys_the_rule_on_who_may_watch(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let stranger = camp.browser();
        let video = published(&camp, &staff).await;
        let all = addresses(&stranger, &video).await;
        camp.set("access", "signed_in").await;
        for path in &all {
            stranger.get(path).await.refused(401, "sign_in_required");
            let range = [("range", "bytes=0-1")];
            stranger.send(Method::GET, path, None, &range).await.refused(401, "sign_in_required");
            assert_eq!(stranger.send(Method::HEAD, path, None, &[]).await.status, 401);
            assert_eq!(chaya.get(path).await.expect(200).header("cache-control"), "private, no-cache");
        }
        camp.set("access", "families").await;
        for path in &all {
            chaya.get(path).await.refused(403, "awaiting_approval");
            let etag = staff.get(path).await.expect(200).header("etag").to_owned();
            let known = [("if-none-match", etag.as_str())];
            assert_eq!(chaya.send(Method::GET, path, None, &known).await.status, 403);
        }
        camp.set("access", "signed_in").await;
        let id = video["id"].as_str().expect("an id");
        let folder = all[0].rsplit_once('/').expect("a folder").0;
        for name in ["camp.db", "..%2f..%2fcamp.db", "2160.mp4", "poster-9.jpg", ""] {
            chaya.get(&format!("{folder}/{name}")).await.refused(404, "not_found");
        }
        let other = format!("/media/videos/{id}/0190a5b0-0000-7000-8000-000000000000/master.m3u8");
        chaya.get(&other).await.refused(404, "not_found");
        chaya.post("/api/auth/sign-out", json!({})).await.expect(204);
        chaya.get(&all[0]).await.refused(401, "sign_in_required");

        camp.set("access", "everyone").await;
        close(&camp).await;
        for path in &all {
            stranger.get(path).await.refused(403, "closed");
            assert_eq!(staff.get(path).await.expect(200).header("cache-control"), "private, no-cache");
        }
        camp.set("shabbosMode", "none").await;
        let shown = staff.get(&format!("/api/admin/videos/{id}")).await.expect(200).json();
        let draft = json!({ "version": shown["version"], "status": "draft" });
        staff.patch(&format!("/api/admin/videos/{id}"), draft).await.expect(200);
        for path in &all {
            stranger.get(path).await.refused(404, "not_found");
            let cache = staff.get(path).await.expect(200).header("cache-control").to_owned();
            assert!(cache.starts_with("private"), "{path}: {cache}");
        }
        staff.delete(&format!("/api/admin/videos/{id}")).await.expect(204);
        camp.work().await;
        for path in &all {
            staff.get(path).await.refused(404, "not_found");
        }
        let left = camp.app.files.list().await.expect("files");
        assert!(left.is_empty(), "the space is given back: {left:?}");
    }
}

story! {
    async fn a_failed_conversion_says_why_and_can_be_tried_again(camp) {
        let staff = camp.staff().await;
        let nothing = [&[0x1a, 0x45, 0xdf, 0xa3], &LAKE[..2000]].concat();
        let broken = uploaded(&staff, "nothing.mkv", &nothing).await;
        camp.work().await;
        let seen = open_uploads(&staff).await;
        assert_eq!((&seen[0]["id"], &seen[0]["state"]), (&json!(broken), &json!("failed")));
        let problem = "This video file is damaged or incomplete. Please send it again, or export it once more.";
        assert_eq!(seen[0]["problem"], problem);
        staff.delete(&format!("/api/admin/uploads/{broken}")).await.expect(204);

        // The conversion cannot create its folder.
        let place = camp.app.config.data_dir.join("converting");
        std::fs::remove_dir_all(&place).ok();
        std::fs::write(&place, "in the way").expect("written");
        let video = published(&camp, &staff).await;
        let path = format!("/api/admin/videos/{}", video["id"].as_str().expect("an id"));
        let shown = staff.get(&path).await.expect(200).json();
        assert_eq!((&shown["status"], &shown["upload"]["state"]), (&json!("scheduled"), &json!("failed")));
        assert!(camp.app.files.list().await.expect("files").is_empty());
        std::fs::remove_file(&place).expect("removed");
        let owner = camp.owner().await;
        portal::alerts::check(&camp.app).await.expect("a look");
        camp.work().await;
        let alert = camp.mail_to("kornbluh@camp.example").await;
        assert!(alert.text.contains("A video should be public by now"), "{}", alert.text);
        assert_eq!(shown["upload"]["can_retry"], true);
        let upload = shown["upload"]["id"].as_str().expect("an id");
        let retry = format!("/api/admin/uploads/{upload}/retry");
        let waits = staff.post(&retry, json!({})).await.expect(200).json();
        assert_eq!((&waits["state"], &waits["problem"]), (&json!("waiting"), &Value::Null));
        let log = owner.get("/api/admin/audit?action=video.upload_retry").await.expect(200).json();
        let line = &log["items"][0];
        assert_eq!((&line["subject_id"], &line["actor_name"]), (&video["id"], &json!("feder")), "{line}");
        camp.work().await;
        let shown = staff.get(&path).await.expect(200).json();
        assert_eq!((&shown["status"], &shown["upload"]["state"]), (&json!("published"), &json!("ready")));
    }
}

story! {
    async fn another_worker_goes_on_with_what_a_killed_one_left(camp) {
        let staff = camp.staff().await;
        uploaded(&staff, "lake.mp4", LAKE).await;
        let begun = async {
            while open_uploads(&staff).await[0]["state"] != "converting" {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = conversion::run_all(&camp.app) => panic!("it was too fast"),
            () = begun => {}
        }
        let other = camp.beside().await;
        other.work().await;
        assert_eq!(open_uploads(&staff).await[0]["state"], "converting", "it is still taken");
        assert!(camp.app.files.list().await.expect("files").is_empty(), "nothing is half there");
        camp.wait(TimeDelta::seconds(31));
        other.work().await;
        let seen = open_uploads(&staff).await;
        assert_eq!(seen[0]["state"], "ready", "{seen:?}");
        let work = camp.app.config.data_dir.join("converting");
        assert_eq!(std::fs::read_dir(work).expect("a folder").count(), 0);
    }
}

story! {
    async fn an_upload_that_is_cancelled_while_it_is_converted_leaves_nothing(camp) {
        let staff = camp.staff().await;
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        let cancelled = async {
            while open_uploads(&staff).await[0]["state"] != "converting" {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            staff.delete(&format!("/api/admin/uploads/{upload}")).await.expect(204);
        };
        let (converted, ()) = tokio::join!(conversion::run_all(&camp.app), cancelled);
        converted.expect("it goes on");
        camp.work().await;
        assert!(open_uploads(&staff).await.is_empty());
        assert!(camp.app.files.list().await.expect("files").is_empty());
        assert!(!is_staged(&camp, &upload));
    }
}

story! {
    async fn what_staff_upload_does_not_wait_for_an_import_of_many_videos(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let folder = tempfile::tempdir().expect("a folder");
        for day in 1..=3 {
            std::fs::write(folder.path().join(format!("2024-07-0{day} Hike.mp4")), LAKE).expect("written");
        }
        let import = gallery::import_folder(&camp.app, Actor::Operator, folder.path(), 2024, false, |_, _| {});
        assert_eq!(import.await.expect("an import").added, 3);
        let video = published(&camp, &staff).await;
        let all = staff.get("/api/admin/videos").await.expect(200).json();
        let all = all["items"].as_array().expect("videos");
        assert_eq!(all.len(), 4);
        let at = |one: &Value| one["published_at"].as_str().expect("a time").to_owned();
        let first = all.iter().min_by_key(|one| at(one)).expect("a video");
        assert_eq!(first["id"], video["id"]);
    }
}
