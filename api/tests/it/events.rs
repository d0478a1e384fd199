//! Open pages receive events, but never events about what their viewer may not see.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use portal::accounts::Role;
use portal::events::{self, Event};
use portal::{audit::Actor, gallery};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::camp::{Browser, PASSWORD};
use crate::updates::{id, patch, posted};
use crate::videos::posted as posted_video;

const NOON: &str = "2026-07-29T16:00:00Z";

async fn say(browser: &Browser, video: &Value, content: &str) -> Value {
    let path = format!("/api/videos/{}/comments", id(video));
    browser.post(&path, json!({ "content": content })).await.expect(201).json()
}

story! {
    async fn an_open_page_hears_of_updates_at_once(camp) {
        let staff = camp.staff().await;
        let mut page = camp.browser().listen(None).await;
        let started = Instant::now();
        let update = posted(&staff, "Buses are late", json!({ "priority": "high" })).await;
        let heard = page.hears("update.created").await;
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        let read = camp.browser().get(&format!("/api/live-updates/{}", id(&update))).await.expect(200).json();
        let mut read = read.as_object().expect("fields").clone();
        read.remove("withdrawn");
        assert_eq!(heard.data, Value::Object(read), "the same as the list shows");
        let update = patch(&staff, &update, json!({ "pin_days": 1 })).await.expect(200).json();
        assert_eq!(page.hears("update.changed").await.data["pinned_until"], update["pinned_until"]);
        assert!(update["pinned_until"].is_string());
        let update = patch(&staff, &update, json!({ "is_active": false })).await.expect(200).json();
        assert_eq!(page.hears("update.removed").await.data, json!({ "id": id(&update) }));
        // A change to something hidden sends no event.
        let update = patch(&staff, &update, json!({ "title": "Hidden" })).await.expect(200).json();
        patch(&staff, &update, json!({ "is_active": true })).await.expect(200);
        assert_eq!(page.hears("update.changed").await.data["title"], "Hidden", "not created again: no second toast");
        staff.delete(&format!("/api/admin/live-updates/{}", id(&update))).await.expect(204);
        page.hears("update.removed").await;
    }
}

story! {
    async fn an_open_page_hears_of_videos_and_comments_also_from_the_worker_and_the_command_line(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let mut page = camp.browser().listen(None).await;
        posted_video(&staff, "Draft", json!({ "status": "draft" })).await;
        let lake = posted_video(&staff, "Lake", json!({ "status": "scheduled", "scheduled_date": "2026-07-29T12:10" })).await;
        camp.wait(TimeDelta::minutes(15));
        camp.work().await;
        let shown = camp.browser().get(&format!("/api/videos/{}", id(&lake))).await.expect(200).json();
        assert_eq!(page.hears("video.published").await.data, json!({ "id": id(&lake), "title": "Lake", "published_at": shown["published_at"] }));
        let comment = say(&chaya, &lake, "How nice").await;
        let heard = page.hears("comment.created").await.data;
        assert_eq!(heard["video_id"], lake["id"]);
        assert_eq!(heard["comment"], json!({ "id": comment["id"], "author_name": "Chaya Weiss", "content": "How nice",
            "created_at": comment["created_at"], "mine": false, "held": false }));
        let order = format!("/api/admin/comments/{}", id(&comment));
        staff.post(&format!("{order}/hide"), json!({})).await.expect(204);
        assert_eq!(page.hears("comment.removed").await.data, json!({ "video_id": id(&lake), "id": id(&comment) }));
        staff.post(&format!("{order}/show"), json!({})).await.expect(204);
        assert_eq!(page.hears("comment.created").await.data["comment"]["content"], "How nice");
        chaya.delete(&format!("/api/comments/{}", id(&comment))).await.expect(204);
        page.hears("comment.removed").await;
        let version = staff.get("/api/admin/videos?q=Lake").await.expect(200).json()["items"][0]["version"].clone();
        let path = format!("/api/admin/videos/{}", id(&lake));
        let edited = staff.patch(&path, json!({ "version": version, "status": "draft" })).await.expect(200).json();
        assert_eq!(page.hears("video.changed").await.data, json!({ "id": id(&lake) }));
        let version = &edited["video"]["version"];
        staff.patch(&path, json!({ "version": version, "status": "published" })).await.expect(200);
        page.hears("video.changed").await;
        staff.delete(&path).await.expect(204);
        page.hears("video.changed").await;
        let sheet = b"title,video_url\nSummer,https://youtu.be/aBcDeFgHiJ0\n";
        gallery::import(&camp.beside().await.app, Actor::Operator, portal::spreadsheet::File::from(&sheet[..]), 2024, false, |_, _| {}).await.expect("an import");
        page.hears("video.changed").await;
        page.hears_nothing().await;
    }
}

story! {
    async fn a_page_that_comes_back_misses_nothing_and_hears_nothing_twice(camp) {
        let staff = camp.staff().await;
        let stranger = camp.browser();
        let mut page = stranger.listen(None).await;
        posted(&staff, "First", json!({})).await;
        let first = page.hears("update.created").await;
        drop(page);
        posted(&staff, "Second", json!({})).await;
        let third = posted(&staff, "Third", json!({})).await;
        patch(&staff, &third, json!({ "is_active": false })).await.expect(200);
        camp.set("siteName", "Camp Two").await;
        let mut page = stranger.listen(Some(&first.id)).await;
        assert_eq!(page.hears("update.created").await.data["title"], "Second");
        // The third one was withdrawn, so its text is no longer sent.
        let removed = page.hears("update.removed").await;
        assert_eq!(removed.data, json!({ "id": id(&third) }));
        posted(&staff, "Fourth", json!({})).await;
        let fourth = page.hears("update.created").await;
        assert_eq!(fourth.data["title"], "Fourth");
        page.hears_nothing().await;
        let mut same = stranger.listen(Some(&fourth.id)).await;
        same.hears_nothing().await;
    }
}

story! {
    async fn a_page_that_slept_too_long_reads_everything_anew(camp) {
        let staff = camp.staff().await;
        let stranger = camp.browser();
        for title in ["One", "Two", "Three"] {
            posted(&staff, title, json!({})).await;
        }
        for unknown in ["4", "999999", "-1", "never", "99999999999999999999"] {
            let mut page = stranger.listen(Some(unknown)).await;
            assert_eq!(page.hears("reset").await.id, "3", "{unknown}");
        }
        camp.wait(TimeDelta::days(3));
        portal::event_feed::prune(&camp.app).await.expect("a prune");
        let mut page = stranger.listen(Some("1")).await;
        assert_eq!(page.hears("reset").await.id, "3");
        posted(&staff, "Four", json!({})).await;
        assert_eq!(page.hears("update.created").await.id, "4", "numbers go on");
        let mut page = stranger.listen(Some("2")).await;
        assert_eq!(page.hears("update.created").await.id, "3", "the newest one was kept");
    }
}

story! {
    async fn a_page_that_missed_very_much_reads_everything_anew(camp) {
        let mut tx = camp.app.db.begin().await.expect("a transaction");
        for _ in 0..52 {
            events::emit(&mut tx, camp.now(), Event::SiteChanged);
        }
        tx.commit().await.expect("a commit");
        let staff = camp.staff().await;
        let mut page = staff.listen(Some("1")).await;
        assert_eq!(page.hears("reset").await.id, "52");
        let mut page = staff.listen(Some("2")).await;
        for n in 3..=52 {
            assert_eq!(page.hears("site.changed").await.id, n.to_string());
        }
    }
}

story! {
    async fn a_page_that_missed_long_texts_reads_everything_anew(camp) {
        let staff = camp.staff().await;
        for title in ["One", "Two", "Three", "Four", "Five", "Six"] {
            posted(&staff, title, json!({ "message": "x".repeat(5_000) })).await;
        }
        let mut page = camp.browser().listen(Some("1")).await;
        assert_eq!(page.hears("reset").await.id, "6", "25 KB are not kept for a stream");
        let mut page = camp.browser().listen(Some("3")).await;
        for n in 4..=6 {
            assert_eq!(page.hears("update.created").await.id, n.to_string());
        }
    }
}

story! {
    async fn two_processes_on_one_database_hear_each_other(camp) {
        let other = camp.beside().await;
        let staff = camp.staff().await;
        let staff_there = other.of(&staff);
        let mut here = camp.browser().listen(None).await;
        let mut there = other.browser().listen(None).await;
        for n in 0..4 {
            let (staff, title) = (if n % 2 == 0 { &staff } else { &staff_there }, format!("No. {n}"));
            posted(staff, &title, json!({})).await;
        }
        for n in 0..4 {
            let (one, two) = (here.hears("update.created").await, there.hears("update.created").await);
            assert_eq!(one, two);
            assert_eq!(one.data["title"], format!("No. {n}"));
        }
        // A page may reconnect to another server that has not read the newest events yet.
        let last = { posted(&staff, "Last", json!({})).await; here.hears("update.created").await };
        let mut moved = other.browser().listen(Some(&last.id)).await;
        moved.hears_nothing().await;
        assert_eq!(there.hears("update.created").await, last);
    }
}

story! {
    async fn many_who_write_at_once_are_all_heard_in_order(camp) {
        let other = camp.beside().await;
        let staff = camp.staff().await;
        let mut page = other.browser().listen(None).await;
        let both = [staff.clone(), other.of(&staff)];
        let titles: Vec<String> = (0..20).map(|n| format!("No. {n}")).collect();
        let posts = titles.iter().enumerate().map(|(n, title)| posted(&both[n % 2], title, json!({})));
        futures_util::future::join_all(posts).await;
        let mut heard = Vec::new();
        for n in 1..=20 {
            let event = page.hears("update.created").await;
            assert_eq!(event.id, n.to_string());
            heard.push(event.data["title"].as_str().expect("a title").to_owned());
        }
        heard.sort();
        let mut titles = titles;
        titles.sort();
        assert_eq!(heard, titles);
    }
}

story! {
    async fn staff_who_delete_many_and_readers_who_comment_do_not_block_each_other(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let mut videos = Vec::new();
        for n in 0..6 {
            videos.push(posted_video(&staff, &format!("No. {n}"), json!({})).await);
        }
        let ids: Vec<&str> = videos.iter().map(id).collect();
        let comments = videos.iter().rev().flat_map(|video| [video, video]).map(|video| {
            let path = format!("/api/videos/{}/comments", id(video));
            let chaya = chaya.clone();
            async move { chaya.post(&path, json!({ "content": "Nice" })).await.status.as_u16() }
        });
        let delete = staff.post("/api/admin/videos/bulk", json!({ "action": "delete", "ids": ids }));
        let (comments, deleted) = tokio::join!(futures_util::future::join_all(comments), delete);
        deleted.expect(200);
        assert!(comments.iter().all(|status| [201, 404].contains(status)), "{comments:?}");
    }
}

story! {
    async fn who_may_not_watch_hears_nothing(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        camp.set("access", "families").await;
        let (mut stranger, mut waiting) = (camp.browser().listen(None).await, chaya.listen(None).await);
        let mut desk = staff.listen(None).await;
        let video = posted_video(&staff, "Lake", json!({})).await;
        posted(&staff, "Trip", json!({})).await;
        desk.hears("video.published").await;
        desk.hears("update.created").await;
        stranger.hears_nothing().await;
        waiting.hears_nothing().await;
        // The event is not sent later, either.
        camp.browser().listen(Some("1")).await.hears_nothing().await;
        chaya.listen(Some("1")).await.hears_nothing().await;
        drop(video);
    }
}

story! {
    async fn only_staff_hear_of_the_inbox_and_the_settings(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let mut pages = [camp.browser().listen(None).await, chaya.listen(None).await];
        let mut desk = staff.listen(None).await;
        let form = json!({ "name": "Malky", "email": "malky@family.example", "subject": "Bus", "user_type": "parent",
            "department": "staff", "message": "When does it leave?" });
        camp.browser().post("/api/contact", form).await.expect(202);
        assert_eq!(desk.hears("messages.changed").await.data, json!({ "unread": 1 }));
        let inbox = staff.get("/api/admin/messages").await.expect(200).json();
        let message = format!("/api/admin/messages/{}", id(&inbox["items"][0]));
        staff.patch(&message, json!({ "draft": "At nine" })).await.expect(200);
        staff.patch(&message, json!({ "status": "read" })).await.expect(200);
        assert_eq!(desk.hears("messages.changed").await.data, json!({ "unread": 0 }), "and drafts are not told");
        camp.set("siteName", "Camp Two").await;
        assert_eq!(desk.hears("site.changed").await.data, json!({}));
        for page in &mut pages {
            page.hears_nothing().await;
        }
    }
}

story! {
    async fn a_stream_ends_with_the_session_it_began_with(camp) {
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let owner = camp.owner().await;
        let mut stranger = camp.browser().listen(None).await;
        let (mut page, mut desk) = (chaya.listen(None).await, staff.listen(None).await);
        let started = Instant::now();
        chaya.post("/api/auth/sign-out", json!({})).await.expect(204);
        page.ends().await;
        let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
        let account = accounts["items"].as_array().expect("items").iter()
            .find(|account| account["username"] == "feder").expect("an account").clone();
        let path = format!("/api/admin/accounts/{}", id(&account));
        owner.patch(&path, json!({ "version": account["version"], "disabled": true, "current_password": PASSWORD })).await.expect(200);
        desk.ends().await;
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
        posted(&owner, "Still here", json!({})).await;
        stranger.hears("update.created").await;
    }
}

story! {
    async fn a_page_that_is_only_open_keeps_no_staff_signed_in(camp) {
        let staff = camp.passing_staff_member("feder", Role::Staff).await;
        let mut desk = staff.listen(None).await;
        for _ in 0..4 {
            camp.wait(TimeDelta::minutes(8));
            drop(staff.listen(None).await);
        }
        desk.ends().await;
        staff.get("/api/admin/videos").await.refused(401, "staff_required");
        let given = json!({ "username": "feder", "password": PASSWORD });
        staff.post("/api/admin/auth/sign-in", given).await.expect(200);
    }
}

story! {
    async fn a_stream_ends_when_access_changes_and_stays_where_it_does_not(camp) {
        let other = camp.beside().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let mut pages = [camp.browser().listen(None).await, other.browser().listen(None).await];
        let mut signed_in = chaya.listen(None).await;
        let started = Instant::now();
        camp.set("access", "signed_in").await;
        for page in &mut pages {
            page.ends().await;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
        let staff = camp.staff().await;
        posted(&staff, "Trip", json!({})).await;
        signed_in.hears("update.created").await;
        camp.set("access", "families").await;
        signed_in.ends().await;
    }
}

story! {
    async fn over_the_cap_a_page_is_asked_to_come_back_later(camp) {
        let mut few = camp.clone();
        few.app.config = std::sync::Arc::new({
            let mut config = (*camp.app.config).clone();
            config.event_streams = 2;
            config
        });
        let few = few.beside().await;
        let (one, _two) = (few.browser().listen(None).await, few.browser().listen(None).await);
        let full = few.browser().get("/api/events").await;
        assert_eq!(full.header("retry-after"), "30");
        full.refused(503, "busy");
        few.browser().get("/api/live-updates").await.expect(200);
        drop(one);
        few.browser().listen(None).await;
    }
}

/// Reads from a real connection until the text appears.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = String::new();
    let mut buffer = [0; 4096];
    while !read.contains(text) {
        let wait = tokio::time::timeout(Duration::from_secs(120), stream.read(&mut buffer));
        let n = wait.await.expect("something to read").expect("a connection");
        assert!(n > 0, "ended after {read}");
        read.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
    read
}

story! {
    async fn an_open_stream_does_not_hold_up_the_farewell(camp) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve_on(listener, camp.app.clone(), stop.clone()));
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = "GET /api/events HTTP/1.1\r\nHost: camp.example\r\nAccept-Encoding: gzip, br\r\n\r\n";
        stream.write_all(request.as_bytes()).await.expect("a request");
        let head = read_until(&mut stream, "event: hello").await.to_lowercase();
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        assert!(head.contains("x-accel-buffering: no") && !head.contains("content-encoding"), "{head}");
        let staff = camp.staff().await;
        posted(&staff, "Trip", json!({})).await;
        read_until(&mut stream, "event: update.created").await;
        let started = Instant::now();
        stop.cancel();
        serving.await.expect("no panic").expect("a farewell");
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.expect("the end");
        assert!(rest.ends_with("0\r\n\r\n"), "a whole answer: {rest:?}");
    }
}
