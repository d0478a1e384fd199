//! Responses from the cache say the same as new ones, at any time and in every process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::camp::{Browser, Camp, Reply};
use crate::{updates, videos};

/// The body of a request that is never answered from the cache, because it has one.
const UNCACHED: Value = Value::Null;

/// Counts of views, likes and comments may be shown late by this.
const COUNTS_LATE: TimeDelta = TimeDelta::seconds(1);

/// What both processes answer to a stranger.
async fn get(stranger: &Browser, path: &str, headers: &[(&str, &str)]) -> Reply {
    stranger.send(Method::GET, path, None, headers).await
}

fn is_from_cache(one: &Reply, other: &Reply) -> bool {
    // The first half of the ids names the process.
    one.header("x-request-id")[..16] == other.header("x-request-id")[..16]
}

/// Asks until two responses came from the cache, which holds each for a second.
async fn cached(stranger: &Browser, path: &str, headers: &[(&str, &str)]) -> Reply {
    loop {
        get(stranger, path, headers).await;
        let one = get(stranger, path, headers).await;
        let other = get(stranger, path, headers).await;
        if is_from_cache(&one, &other) {
            return other;
        }
    }
}

/// What a story has made.
struct History {
    /// The same browser of a member of the staff at both processes.
    staff: [Browser; 2],
    parent: [Browser; 2],
    videos: Vec<String>,
    updates: Vec<String>,
    entries: Vec<String>,
}

impl History {
    fn any<'a>(random: &mut StdRng, all: &'a [String]) -> &'a str {
        &all[random.random_range(0..all.len())]
    }

    async fn version(staff: &Browser, path: &str) -> Value {
        staff.get(path).await.json()["version"].clone()
    }

    async fn change(staff: &Browser, path: &str, mut changes: Value) {
        changes["version"] = Self::version(staff, path).await;
        staff.patch(path, changes).await.expect(200);
    }

    /// Somebody changes something at one of the processes.
    async fn step(&mut self, camp: &Camp, random: &mut StdRng, n: usize) {
        let staff = self.staff[random.random_range(0..2)].clone();
        let video = format!("/api/admin/videos/{}", Self::any(random, &self.videos));
        let update = format!("/api/admin/live-updates/{}", Self::any(random, &self.updates));
        match random.random_range(0..18) {
            0 => {
                let new = videos::posted(&staff, &format!("Video {n}"), json!({})).await;
                self.videos.push(videos::id(&new).to_owned());
            }
            1 => Self::change(&staff, &video, json!({ "title": format!("Title {n}") })).await,
            2 => Self::change(&staff, &video, json!({ "status": "draft" })).await,
            3 => Self::change(&staff, &video, json!({ "status": "published" })).await,
            4 if self.videos.len() > 2 => {
                staff.delete(&video).await.expect(204);
                self.videos.retain(|id| !video.ends_with(id.as_str()));
            }
            5 => {
                // On the clock in camp.
                let end = camp.now() - TimeDelta::hours(4) + TimeDelta::minutes(3);
                let end = json!({ "expires_at": end.format("%Y-%m-%dT%H:%M").to_string() });
                let end = if random.random() { end } else { json!({}) };
                let new = updates::posted(&staff, &format!("Update {n}"), end).await;
                self.updates.push(updates::id(&new).to_owned());
            }
            6 => {
                Self::change(&staff, &update, json!({ "is_active": random.random::<bool>() })).await
            }
            7 => camp.wait(TimeDelta::seconds(random.random_range(1..100))),
            8 => {
                let access = ["everyone", "signed_in", "families"][random.random_range(0..3)];
                camp.set("access", access).await;
            }
            9 => camp.set("siteName", format!("Camp {n}")).await,
            10 => {
                let entry = format!("/api/admin/faq/{}", Self::any(random, &self.entries));
                let list = staff.get("/api/admin/faq").await.expect(200).json();
                let items = list["items"].as_array().expect("entries").clone();
                let is_this = |item: &&Value| entry.ends_with(updates::id(item));
                let version = items.iter().find(is_this).expect("an entry")["version"].clone();
                let shown = random.random::<bool>();
                let changes = json!({ "is_published": shown, "version": version });
                staff.patch(&entry, changes).await.expect(200);
            }
            11 => {
                let view = format!("{}/views", video.replace("/admin", ""));
                self.parent[0].post(&view, json!({})).await;
                camp.write_views().await;
                camp.wait(COUNTS_LATE);
            }
            12 => {
                self.parent[0].put(&format!("{}/like", video.replace("/admin", ""))).await;
                camp.wait(COUNTS_LATE);
            }
            13 => {
                let comments = format!("{}/comments", video.replace("/admin", ""));
                self.parent[0].post(&comments, json!({ "content": format!("Comment {n}") })).await;
                camp.wait(COUNTS_LATE);
            }
            14 => {
                let cap = json!({ "title": format!("Cap {n}"), "price": 1800, "category": "clothing", "stock_quantity": 3 });
                staff.post("/api/admin/products", cap).await.expect(201);
            }
            15 => {
                let day = format!("202{}-07-0{}", random.random_range(4..7), n % 9 + 1);
                Self::change(&staff, &video, json!({ "upload_date": day })).await;
            }
            // Mail goes out, which nobody sees here.
            16 => camp.work().await,
            _ => {
                let closed = ["none", "closed"][random.random_range(0..2)];
                camp.set("shabbosMode", closed).await;
            }
        }
    }

    /// Some addresses that strangers ask for.
    fn paths(&self, random: &mut StdRng) -> Vec<String> {
        let video = Self::any(random, &self.videos).to_owned();
        let update = Self::any(random, &self.updates).to_owned();
        let all = [
            "/api/videos".into(),
            "/api/videos?collection=home".into(),
            "/api/videos?collection=current&sort=popular&limit=60".into(),
            "/api/videos/years".into(),
            "/api/videos/years?q=title".into(),
            "/api/videos?q=title".into(),
            "/api/videos?collection=archive&limit=2".into(),
            format!("/api/videos/{video}"),
            "/api/live-updates".into(),
            format!("/api/live-updates/{update}"),
            "/api/faq".into(),
            "/api/site".into(),
            "/api/store".into(),
            "/feed.xml".into(),
            "/sitemap.xml".into(),
            "/".into(),
            "/updates".into(),
            format!("/video/{video}"),
            format!("/updates/{update}"),
        ];
        (0..5).map(|_| all[random.random_range(0..all.len())].clone()).collect()
    }
}

/// The headers and the body that must be the same. Those of a transfer differ.
fn content(reply: &Reply) -> (u16, Vec<(String, String)>, String) {
    let is_own = |name: &str| matches!(name, "x-request-id" | "etag" | "vary" | "content-length");
    let headers = reply.headers.iter().filter(|(name, _)| !is_own(name.as_str()));
    let text = |value: &axum::http::HeaderValue| value.to_str().expect("text").to_owned();
    let mut headers: Vec<_> = headers.map(|(n, value)| (n.to_string(), text(value))).collect();
    headers.sort();
    let mut body = reply.text();
    if reply.status != 200 && !body.starts_with('<') {
        let mut problem = reply.json();
        problem["request_id"] = Value::Null;
        body = problem.to_string();
    }
    (reply.status.as_u16(), headers, body)
}

/// The responses to a reader: from the cache, not from the cache, and of a process that knows nothing yet.
/// Asks again if a minute ended meanwhile, as an update may have expired.
async fn all(camp: &Camp, reader: &Browser, new: &Camp, path: &str) -> [Reply; 3] {
    let minute = || camp.now().timestamp() / 60;
    loop {
        let before = minute();
        let cached = get(reader, path, &[]).await;
        // Otherwise up to two seconds old, which the cache never is.
        camp.app.invalidate_settings();
        let uncached = reader.send(Method::GET, path, Some(UNCACHED), &[]).await;
        let new = new.of(reader).send(Method::GET, path, Some(UNCACHED), &[]).await;
        if minute() == before {
            return [cached, uncached, new];
        }
    }
}

async fn check(camps: &[Camp; 2], history: &History, paths: &[String], what: &str) {
    let beside = camps[0].beside().await;
    for (process, camp) in camps.iter().enumerate() {
        let [parent, staff] = [&history.parent[process], &history.staff[process]];
        let stranger = camp.browser();
        let readers = [(&stranger, "a stranger"), (parent, "a parent"), (staff, "staff")];
        for path in paths {
            for (reader, who) in readers {
                let [cached, uncached, new] = all(camp, reader, &beside, path).await;
                let what = format!("{what}: {path} of process {process} for {who}");
                assert_eq!(content(&cached), content(&new), "{what}");
                assert_eq!(content(&uncached), content(&new), "not from the cache, {what}");
            }
        }
    }
    beside.app.db.close().await;
}

story! {
    async fn a_response_from_the_cache_is_what_a_new_one_would_be(camp) {
        camp.set_clock("2026-07-31T22:00:00Z");
        let camps = [camp.clone(), camp.beside().await];
        let staff = camp.staff().await;
        let parent = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let faq = staff.get("/api/admin/faq").await.expect(200).json();
        let entries = faq["items"].as_array().expect("entries").iter().map(|one| updates::id(one).to_owned());
        let mut history = History {
            entries: entries.collect(),
            videos: vec![videos::id(&videos::posted(&staff, "Lake", json!({})).await).to_owned()],
            updates: vec![updates::id(&updates::posted(&staff, "Trip", json!({})).await).to_owned()],
            staff: [camps[0].of(&staff), camps[1].of(&staff)],
            parent: [camps[0].of(&parent), camps[1].of(&parent)],
        };
        let seed = rand::random::<u64>();
        let mut random = StdRng::seed_from_u64(seed);
        let steps = if std::env::var_os("CAMP_CHAOS").is_some() { 2_000 } else { 40 };
        for n in 0..steps {
            let paths = history.paths(&mut random);
            let what = format!("seed {seed}, step {n}");
            check(&camps, &history, &paths, &what).await;
            history.step(&camp, &mut random, n).await;
            check(&camps, &history, &paths, &what).await;
        }
        camps[1].app.db.close().await;
    }
}

story! {
    async fn who_asks_after_a_withdrawal_never_sees_it(camp) {
        let camps = [camp.clone(), camp.beside().await];
        let staff = camp.staff().await;
        for _ in 0..3 {
            let lake = videos::posted(&staff, "Lake", json!({})).await;
            let path = format!("/api/videos/{}", videos::id(&lake));
            let withdrawn = AtomicBool::new(false);
            let read = async |camp: &Camp| {
                let stranger = camp.browser();
                loop {
                    let is_withdrawn = withdrawn.load(Ordering::SeqCst);
                    let status = get(&stranger, &path, &[]).await.status;
                    assert!(!is_withdrawn || status == 404, "{status}");
                    if is_withdrawn {
                        return;
                    }
                    tokio::task::yield_now().await;
                }
            };
            let withdraw = async {
                cached(&camps[1].browser(), &path, &[]).await;
                staff.delete(&path.replace("/api/", "/api/admin/")).await.expect(204);
                withdrawn.store(true, Ordering::SeqCst);
            };
            let readers = futures_util::future::join_all(camps.iter().cycle().take(6).map(read));
            futures_util::future::join(readers, withdraw).await;
        }
        camps[1].app.db.close().await;
    }
}

story! {
    async fn only_requests_without_a_session_share_a_response(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let lake = videos::posted(&staff, "Lake", json!({})).await;
        let path = format!("/api/videos/{}", videos::id(&lake));
        chaya.put(&format!("{path}/like")).await.expect(200);
        assert_eq!(cached(&camp.browser(), &path, &[]).await.expect(200).json()["liked"], false);
        assert_eq!(chaya.get(&path).await.expect(200).json()["liked"], true);
        assert_eq!(cached(&camp.browser(), &path, &[]).await.expect(200).json()["liked"], false);
        camp.set("access", "signed_in").await;
        chaya.get(&path).await.expect(200);
        camp.browser().get(&path).await.refused(401, "sign_in_required");
    }
}

/// Asks until the answer has this status, at most as long as another process may know a session.
async fn soon(reader: &Browser, path: &str, headers: &[(&str, &str)], status: u16) {
    let began = Instant::now();
    while get(reader, path, headers).await.status != status {
        assert!(began.elapsed() < Duration::from_secs(30), "{path} is still shown");
        sleep(Duration::from_millis(50)).await;
    }
    for _ in 0..3 {
        get(reader, path, headers).await.expect(status);
    }
}

story! {
    async fn a_parent_gets_from_the_cache_what_is_the_parents_own_at_once_in_every_process(camp) {
        let beside = camp.beside().await;
        let staff = camp.staff().await;
        let lake = format!("/api/videos/{}", videos::id(&videos::posted(&staff, "Lake", json!({})).await));
        let hike = format!("/api/videos/{}", videos::id(&videos::posted(&staff, "Hike", json!({})).await));
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let elsewhere = beside.of(&chaya);
        let of = |reply: Reply| {
            let video = reply.expect(200).json();
            (video["liked"] == true, video["is_new"] == true, video["resume_seconds"].clone())
        };
        let nothing = (false, true, Value::Null);
        for reader in [&chaya, &moshe, &elsewhere] {
            assert_eq!(of(cached(reader, &lake, &[]).await), nothing);
        }
        chaya.put(&format!("{lake}/like")).await.expect(200);
        assert_eq!(get(&chaya, &lake, &[]).await.json()["like_count"], 1, "with the own one");
        for reader in [&chaya, &elsewhere] {
            assert_eq!(of(get(reader, &lake, &[]).await), (true, true, Value::Null));
        }
        elsewhere.put_with(&format!("{lake}/position"), json!({ "seconds": 42 })).await.expect(204);
        for reader in [&chaya, &elsewhere] {
            assert_eq!(of(cached(reader, &lake, &[]).await), (true, false, json!(42)));
            assert_eq!(of(cached(reader, &hike, &[]).await), nothing);
        }
        assert_eq!(of(cached(&moshe, &lake, &[]).await), nothing);
        assert_eq!(of(cached(&camp.browser(), &lake, &[]).await), (false, false, Value::Null));
        let new = async |reader: &Browser| {
            let list = cached(reader, "/api/videos", &[("accept-encoding", "gzip;q=0")]).await.expect(200).json();
            let items = list["items"].as_array().expect("items").clone();
            items.iter().filter(|card| card["is_new"] == true).map(|card| card["title"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(new(&chaya).await, [json!("Hike")]);
        assert_eq!(new(&moshe).await.len(), 2);
        chaya.delete(&format!("{lake}/like")).await.expect(200);
        assert_eq!(of(get(&elsewhere, &lake, &[]).await), (false, false, json!(42)));
        beside.app.db.close().await;
    }
}

story! {
    async fn who_may_not_watch_gets_nothing_that_the_cache_has_for_others(camp) {
        let beside = camp.beside().await;
        let staff = camp.staff().await;
        let hidden = json!({ "description": "by the lake" });
        let lake = format!("/api/videos/{}", videos::id(&videos::posted(&staff, "Lake", hidden).await));
        let trip = format!("/api/live-updates/{}", updates::id(&updates::posted(&staff, "Trip", json!({})).await));
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let elsewhere = beside.of(&chaya);
        let decide = async |name: &str, what: &str| {
            let found = staff.get(&format!("/api/admin/users?q={name}")).await.expect(200).json();
            let family = found["items"][0]["id"].as_str().expect("an id").to_owned();
            staff.post(&format!("/api/admin/users/{family}/{what}"), json!({})).await.expect(200);
        };
        camp.set("access", "families").await;
        decide("chaya", "approve").await;
        soon(&elsewhere, &lake, &[], 200).await;
        for _ in 0..2 {
            for reader in [&chaya, &elsewhere] {
                for path in [&lake, &trip] {
                    cached(reader, path, &[]).await.expect(200);
                }
                assert!(cached(reader, "/api/videos", &[]).await.text().contains("by the lake"));
            }
            for path in [&lake, &trip] {
                get(&moshe, path, &[]).await.refused(403, "awaiting_approval");
                get(&camp.browser(), path, &[]).await.refused(401, "sign_in_required");
            }
            for reader in [&moshe, &camp.browser()] {
                assert!(!cached(reader, "/api/videos", &[]).await.text().contains("by the lake"));
            }
        }
        decide("chaya", "refuse").await;
        for path in [&lake, &trip] {
            get(&chaya, path, &[]).await.refused(403, "families_only");
            soon(&elsewhere, path, &[], 403).await;
        }
        for reader in [&chaya, &elsewhere] {
            assert!(!get(reader, "/api/videos", &[]).await.text().contains("by the lake"));
        }
        camp.set("access", "signed_in").await;
        let elsewhere = beside.of(&moshe);
        for reader in [&moshe, &elsewhere] {
            cached(reader, &lake, &[]).await.expect(200);
        }
        let cookies = moshe.cookie_header().expect("a session");
        let session = [("cookie", cookies.to_str().expect("text"))];
        moshe.post("/api/auth/sign-out", json!({})).await.expect(204);
        get(&camp.browser(), &lake, &session).await.refused(401, "sign_in_required");
        soon(&beside.browser(), &lake, &session, 401).await;
        beside.app.db.close().await;
    }
}

story! {
    async fn also_what_is_not_cached_knows_who_may_watch_from_the_change_on(camp) {
        let beside = camp.beside().await;
        let staff = camp.staff().await;
        let lake = videos::posted(&staff, "Lake", json!({ "description": "Cold water" })).await;
        let comments = format!("/api/videos/{}/comments", videos::id(&lake));
        let elsewhere = [beside.browser(), beside.of(&staff)];
        let paths = [
            "/api/videos?q=lake",
            &format!("/api/videos?q={}lake", "%20".repeat(90)),
            "/?utm_source=mail",
            &comments,
        ];
        for path in paths {
            for (access, for_strangers) in [("families", false), ("everyone", true), ("families", false)] {
                camp.set("access", access).await;
                let [stranger, staff] = &elsewhere;
                let reply = get(stranger, path, &[]).await;
                let shown = match path == comments {
                    true => reply.status == 200,
                    false => reply.expect(200).text().contains("Cold water"),
                };
                assert_eq!(shown, for_strangers, "{path} for {access}");
                if path.starts_with("/api/videos?q") {
                    assert!(get(staff, path, &[]).await.expect(200).text().contains("Cold water"));
                }
            }
        }
        beside.app.db.close().await;
    }
}

/// The responses from half a second before a time and from that time. The first one must not be used for
/// a whole second.
async fn around(camp: &Camp, at: DateTime<Utc>, path: &str) -> (Reply, Reply) {
    loop {
        camp.app.clock.set(at - TimeDelta::milliseconds(500));
        let before = get(&camp.browser(), path, &[]).await;
        // On a busy machine it may have passed meanwhile.
        if camp.now() < at {
            camp.app.clock.set(at);
            return (before, get(&camp.browser(), path, &[]).await);
        }
    }
}

story! {
    async fn a_closing_of_the_site_and_the_end_of_an_update_count_to_the_second(camp) {
        camp.set_clock("2026-07-31T16:00:00Z");
        let staff = camp.staff().await;
        let list = "/api/live-updates";
        updates::posted(&staff, "Trip", json!({ "expires_at": "2026-07-31T13:00" })).await;
        let end = "2026-07-31T17:00:00Z".parse().expect("a time");
        let (before, after) = around(&camp, end, list).await;
        assert_eq!(before.json()["items"][0]["title"], "Trip");
        assert_eq!(after.json()["items"], json!([]));
        camp.set("shabbosMode", "closed").await;
        let settings = camp.app.settings().await.expect("settings");
        let start = settings.next_quiet_change(camp.now(), camp.now() + TimeDelta::days(2));
        let (before, after) = around(&camp, start.expect("a window"), list).await;
        before.expect(200);
        after.refused(403, "closed");
    }
}

/// Whether nobody waits while a response is made again that is asked for shortly before its second is over. A busy
/// machine may be too slow to tell.
async fn is_made_ahead(camp: &Camp, path: &str, parent: &Browser, like: &str) -> bool {
    let stranger = camp.browser();
    let first = cached(&stranger, path, &[]).await.expect(200);
    // Made anew a second later.
    camp.app.clock.advance(TimeDelta::seconds(1));
    get(&stranger, path, &[]).await.expect(200);
    let made = camp.now();
    parent.put(like).await.expect(200);
    camp.app.clock.set(made + TimeDelta::milliseconds(850));
    loop {
        let reply = get(&stranger, path, &[]).await.expect(200);
        if !is_from_cache(&first, &reply) {
            parent.delete(like).await.expect(200);
            return false;
        }
        if reply.json()["items"][0]["like_count"] == 1 {
            break;
        }
        sleep(Duration::from_millis(1)).await;
    }
    camp.app.clock.set(made + TimeDelta::milliseconds(1_500));
    let is_kept = is_from_cache(&first, &get(&stranger, path, &[]).await.expect(200));
    parent.delete(like).await.expect(200);
    is_kept
}

story! {
    async fn nobody_waits_for_a_response_that_is_asked_for_all_the_time(camp) {
        camp.set_clock("2026-07-31T22:00:00Z");
        let staff = camp.staff().await;
        let parent = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let lake = videos::posted(&staff, "Lake", json!({})).await;
        let like = format!("/api/videos/{}/like", videos::id(&lake));
        for _ in 0..20 {
            if is_made_ahead(&camp, "/api/videos", &parent, &like).await {
                return;
            }
        }
        panic!("somebody always waited");
    }
}

story! {
    async fn a_cached_response_is_guarded_compressed_and_sent_once(camp) {
        let stranger = camp.browser();
        let staff = camp.staff().await;
        for n in 0..5 {
            videos::posted(&staff, &format!("Lake {n}"), json!({ "description": "Cold water. ".repeat(50) })).await;
        }
        for path in ["/api/videos", "/feed.xml", "/", "/faq"] {
            let plain = cached(&stranger, path, &[]).await.expect(200);
            assert_eq!(plain.header("x-content-type-options"), "nosniff", "{path}");
            assert!(plain.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
            for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0", "")] {
                let packed = cached(&stranger, path, &[("accept-encoding", accepted)]).await.expect(200);
                assert_eq!(packed.header("content-encoding"), coding, "{path}");
                assert_eq!(packed.header("vary"), "accept-encoding", "{path}");
                assert_eq!(packed.bytes.len() < plain.bytes.len(), !coding.is_empty(), "{path}");
                let known = [("if-none-match", packed.header("etag"))];
                let again = cached(&stranger, path, &known).await.expect(304);
                assert!(again.bytes.is_empty() && again.header("content-type").is_empty(), "{path}");
                assert_eq!(again.header("cache-control"), plain.header("cache-control"), "{path}");
            }
        }
        let figures = camp.browser_at("127.0.0.1").get("/metrics").await.expect(200).text();
        assert!(figures.contains(r#"camp_http_requests_total{method="GET",route="/api/videos",status="304"}"#), "{figures}");
    }
}

story! {
    async fn pages_that_are_never_cached_are_compressed_too(camp) {
        let stranger = camp.browser();
        for path in ["/faq?question=1", "/admin/users", "/auth/verify?token=x", "/no-such-page"] {
            let plain = get(&stranger, path, &[]).await;
            assert_eq!((plain.header("content-encoding"), plain.header("vary")), ("", "accept-encoding"), "{path}");
            for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip")] {
                let accepted = [("accept-encoding", accepted)];
                let packed = get(&stranger, path, &accepted).await;
                assert_eq!(packed.header("content-encoding"), coding, "{path}");
                assert!(packed.bytes.len() < plain.bytes.len() / 2, "{path}");
                assert_eq!(packed.header("vary"), "accept-encoding", "{path}");
                assert_eq!(packed.header("content-security-policy").is_empty(), plain.header("content-security-policy").is_empty());
                assert_eq!(packed.status, plain.status, "{path}");
                let head = stranger.send(Method::HEAD, path, None, &accepted).await;
                assert!(head.bytes.is_empty() && head.status == plain.status, "{path}");
            }
        }
    }
}

story! {
    async fn a_file_of_the_front_end_is_kept_as_the_router_answers_it(camp) {
        let stranger = camp.browser();
        let page = stranger.get("/about").await.expect(200).text();
        let named = |end: &str| {
            let mut addresses = page.split('"').filter(|part| part.starts_with("/assets/"));
            addresses.find(|address| address.ends_with(end)).expect("a file").to_owned()
        };
        for path in [named(".js"), named(".woff2")] {
            let mut sizes = Vec::new();
            for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("identity", "")] {
                // Fonts are compressed already.
                let (asked, coding) = if path.ends_with(".woff2") { ("identity", "") } else { (accepted, coding) };
                let new = [("accept-encoding", asked)];
                let new = stranger.send(Method::GET, &path, Some(UNCACHED), &new).await.expect(200);
                let accepted = [("accept-encoding", accepted)];
                let kept = cached(&stranger, &path, &accepted).await.expect(200);
                assert_eq!(kept.header("content-encoding"), coding, "{path}");
                assert!(kept.bytes == new.bytes, "{path} {coding}");
                let own = ["x-request-id", "content-length", "vary"];
                for (name, value) in new.headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
                    assert_eq!(kept.headers.get(name), Some(value), "{path} {coding}: {name}");
                }
                assert_eq!(kept.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
                let known = [("if-none-match", kept.header("etag"))];
                assert!(get(&stranger, &path, &known).await.expect(304).bytes.is_empty(), "{path}");
                let head = stranger.send(Method::HEAD, &path, None, &accepted).await.expect(200);
                assert!(head.bytes.is_empty() && head.header("etag") == kept.header("etag"), "{path}");
                sizes.push(kept.bytes.len());
            }
            assert!(path.ends_with(".woff2") || sizes.is_sorted(), "{path}: {sizes:?}");
        }
        stranger.get("/assets/gone-12345678.js").await.refused(404, "not_found");
        stranger.get("/assets/").await.expect(404);
    }
}

story! {
    async fn one_network_cannot_take_all_responses_at_once(camp) {
        let camp = camp.beside_as(|config| config.connections_per_network = 8).await;
        let stranger = camp.browser();
        cached(&stranger, "/api/site", &[]).await;
        let mut unread = Vec::new();
        for _ in 0..8 {
            unread.push(stranger.unread("/api/site").await);
        }
        stranger.get("/api/site").await.refused(429, "too_many_requests");
        drop(unread);
        stranger.get("/api/site").await.expect(200);
    }
}
