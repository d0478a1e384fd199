//! Makes random changes in two processes, and compares cached responses with new ones after each.

use axum::http::Method;
use chrono::TimeDelta;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::{UNCACHED, get};
use crate::camp::{Browser, Camp, Reply};
use crate::{updates, videos};

/// How late the counts of views, likes and comments may be.
const COUNTS_LATE: TimeDelta = TimeDelta::seconds(1);

/// What a story has created so far.
struct History {
    /// The same staff member's browser at both processes.
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

    /// Makes one change at one of the processes.
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
                // Local time in camp.
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
            // Email goes out, which nobody sees here.
            16 => camp.work().await,
            _ => {
                let closed = ["none", "closed"][random.random_range(0..2)];
                camp.set("shabbosMode", closed).await;
            }
        }
    }

    /// Some paths that strangers request.
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

/// The headers and the body that must be equal. Headers about the transfer may differ.
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

/// The responses to a reader: from the cache, past the cache, and from a process with an empty
/// cache. Repeats the requests if a minute ends in between, because an update may have expired.
async fn all(camp: &Camp, reader: &Browser, new: &Camp, path: &str) -> [Reply; 3] {
    let minute = || camp.now().timestamp() / 60;
    loop {
        let before = minute();
        let cached = get(reader, path, &[]).await;
        // The settings would otherwise be up to two seconds old. The cache is never that old.
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
