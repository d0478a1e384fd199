//! Each reader gets only what they may see, immediately after every change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{cached, get};
use crate::camp::{Browser, Camp, Reply};
use crate::{updates, videos};

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

/// Repeats the request until the response has this status, for at most as long as another process
/// may cache a session.
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
