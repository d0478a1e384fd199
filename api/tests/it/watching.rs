//! Watching, searching and liking videos; viewers who may not watch see only titles and dates.

use std::time::{Duration, Instant};

use axum::http::Method;
use chrono::TimeDelta;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::camp::{Browser, Camp};
use crate::videos::{id, posted, titles};

/// Noon in camp, in the middle of summer.
const NOON: &str = "2026-07-29T16:00:00Z";
const NO_ID: &str = "0190a5b0-0000-7000-8000-000000000000";

async fn cards(browser: &Browser, query: &str) -> Vec<Value> {
    let list = browser.get(&format!("/api/videos{query}")).await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

async fn season(camp: &Camp) -> Browser {
    camp.set_clock(NOON);
    let staff = camp.staff().await;
    for (title, day) in [
        ("First day", "2026-06-28"),
        ("Swimming", "2026-07-05"),
        ("Hike", "2026-07-12"),
        ("Last summer", "2025-07-20"),
        ("Long ago", "2023-07-20"),
    ] {
        posted(&staff, title, json!({ "upload_date": day })).await;
    }
    posted(&staff, "Not yet", json!({ "status": "draft" })).await;
    staff
}

story! {
    async fn this_year_and_the_gallery_part_by_the_year_of_camp(camp) {
        season(&camp).await;
        let home = camp.browser();
        assert_eq!(titles(&home, "?collection=current").await, ["Hike", "Swimming", "First day"]);
        assert_eq!(titles(&home, "?collection=archive").await, ["Last summer", "Long ago"]);
        assert_eq!(titles(&home, "?collection=archive&year=2023").await, ["Long ago"]);
        assert_eq!(titles(&home, "").await.len(), 5);
        let years = home.get("/api/videos/years").await.expect(200).json();
        assert_eq!(years, json!({ "items": [{ "year": 2025, "count": 1 }, { "year": 2023, "count": 1 }], "next": null }));
        let all = cards(&home, "").await;
        let latest: Vec<&Value> = all.iter().filter(|card| card["latest"] == true).collect();
        assert_eq!(latest.len(), 1);
        assert_eq!(latest[0]["title"], "Hike");
        let swimming = home.get(&format!("/api/videos/{}", id(&all[1]))).await.expect(200).json();
        assert_eq!(swimming["previous"]["title"], "First day");
        assert_eq!(swimming["next"]["title"], "Hike");
        let first = home.get(&format!("/api/videos/{}", id(&all[2]))).await.expect(200).json();
        assert_eq!(first["previous"], Value::Null, "seasons do not run into each other");
        home.get("/api/videos?collection=attic").await.refused(400, "bad_request");
        home.get("/api/videos?sort=view_count%20desc").await.refused(400, "bad_request");
    }
}

story! {
    async fn the_home_page_leads_with_what_staff_marked_this_week(camp) {
        let staff = season(&camp).await;
        let home = camp.browser();
        assert_eq!(titles(&home, "?collection=home").await, ["Hike", "Swimming", "First day"]);
        posted(&staff, "Marked too long ago", json!({ "upload_date": "2026-07-22", "is_featured": true })).await;
        assert_eq!(titles(&home, "?collection=home").await[0], "Marked too long ago", "it is the newest");
        posted(&staff, "Yesterday", json!({ "upload_date": "2026-07-28" })).await;
        assert_eq!(titles(&home, "?collection=home").await[0], "Yesterday");
        posted(&staff, "Visiting Day", json!({ "upload_date": "2026-07-23", "is_featured": true })).await;
        assert_eq!(titles(&home, "?collection=home").await, ["Visiting Day", "Yesterday", "Marked too long ago"]);
        assert_eq!(titles(&home, "?collection=home&limit=2").await, ["Visiting Day", "Yesterday"]);
        assert_eq!(titles(&home, "?collection=home&limit=4").await.len(), 3);
    }
}

story! {
    async fn a_grandmother_finds_a_video_however_its_title_was_typed(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        posted(&staff, "װיזיטינג דעי", json!({ "description": "100% fun_day" })).await;
        posted(&staff, "שַׁבָּת אין קעמפ", json!({})).await;
        posted(&staff, "Café at the LAKE", json!({ "description": "back\\slash" })).await;
        posted(&staff, "ל״ג בעומר אין וואלד", json!({})).await;
        let home = camp.browser();
        for (typed, found) in [
            ("וויזיטינג", 1), ("ויזיטינג", 1), ("שבת", 1), ("קעמפּ", 1), ("cafe", 1), ("CAFÉ", 1), ("lake", 1),
            ("100%", 1), ("fun_day", 1), ("funxday", 0), ("%", 1), ("_", 1), ("\\", 1), ("%%%", 0),
            ("youtube", 0), ("", 4), ("  ", 4), ("' or 1=1 --", 0), ("לג בעומר", 1), ("ל\"ג", 1), ("ל״ג בעומר", 1), ("״", 4),
        ] {
            let query: String = typed.bytes().map(|b| format!("%{b:02X}")).collect();
            assert_eq!(titles(&home, &format!("?q={query}")).await.len(), found, "{typed:?}");
        }
        let long = "x".repeat(3000);
        assert!(titles(&home, &format!("?q={long}")).await.is_empty());
    }
}

story! {
    async fn a_video_is_found_whether_its_title_has_dashes_or_spaces(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        posted(&staff, "ערב־שבת אין קעמפ", json!({ "description": "Pre-season – day one" })).await;
        posted(&staff, "Shabbos shuva", json!({ "description": "ערב שבת, by the non\u{2011}stop lake" })).await;
        let home = camp.browser();
        for (typed, found) in [
            ("ערב־שבת", 2), ("ערב שבת", 2), ("ערב-שבת", 2), ("ערב – שבת", 2), ("pre-season", 1), ("pre season", 1),
            ("PRE‑SEASON", 1), ("pre−season", 1), ("season day", 1), ("season - day", 1), ("preseason", 0), ("non stop", 1),
            ("non-stop", 1), ("-", 2),
        ] {
            let query: String = typed.bytes().map(|b| format!("%{b:02X}")).collect();
            assert_eq!(titles(&home, &format!("?q={query}")).await.len(), found, "{typed:?}");
        }
    }
}

story! {
    async fn staff_find_addresses_and_names_with_dashes_typed_either_way(camp) {
        let staff = camp.staff().await;
        let family = json!({ "full_name": "Mary-Ann Katz־Weiss", "child_name": "Leah", "email": "mary-ann@family-mail.example" });
        staff.post("/api/admin/users", family).await.expect(201);
        let letter = json!({ "name": "Yossi", "email": "yossi-b@family.example", "subject": "Call 845-555-0142", "user_type": "parent", "department": "staff", "message": "Please call." });
        camp.browser().post("/api/contact", letter).await.expect(202);
        camp.browser().post("/api/subscribe", json!({ "email": "town-s-man@town.example" })).await.expect(202);
        for (path, typed) in [
            ("users", ["mary-ann@family-mail.example", "Mary Ann", "katz-weiss", "KATZ WEISS"]),
            ("messages", ["845-555", "845 555-0142", "yossi-b@", "yossi b@family.example"]),
            ("subscribers", ["town-s-man@town", "town s man", "s-man@", "n-s-m"]),
        ] {
            for typed in typed {
                let query: String = typed.bytes().map(|b| format!("%{b:02X}")).collect();
                let found = staff.get(&format!("/api/admin/{path}?q={query}")).await.expect(200).json();
                assert_eq!(found["items"].as_array().expect("items").len(), 1, "{path} {typed:?}");
            }
        }
    }
}

story! {
    async fn a_list_goes_on_where_it_ended_while_videos_are_added(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for n in 1..=7 {
            posted(&staff, &format!("Video {n}"), json!({ "upload_date": "2026-07-20" })).await;
        }
        let home = camp.browser();
        let mut seen = Vec::new();
        let mut query = "?collection=current&limit=3".to_owned();
        loop {
            let page = home.get(&format!("/api/videos{query}")).await.expect(200).json();
            seen.extend(page["items"].as_array().expect("items").iter().map(|v| v["title"].clone()));
            posted(&staff, "Newer", json!({ "upload_date": "2026-07-21" })).await;
            let Some(next) = page["next"].as_str() else { break };
            query = format!("?collection=current&limit=3&cursor={next}");
        }
        assert_eq!(seen, (1..=7).rev().map(|n| json!(format!("Video {n}"))).collect::<Vec<_>>());
        for cursor in ["x", "bnVsbA", "WyJwb3B1bGFyIixbXV0"] {
            let wrong = home.get(&format!("/api/videos?cursor={cursor}")).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], "cursor");
        }
        assert_eq!(titles(&home, "?limit=0").await.len(), 1);
        assert_eq!(titles(&home, "?limit=100000").await.len(), 10);
    }
}

story! {
    async fn popular_videos_come_first_when_asked_for(camp) {
        let staff = season(&camp).await;
        let home = camp.browser();
        let all = cards(&home, "?collection=current").await;
        let path = format!("/api/videos/{}/views", id(&all[2]));
        for _ in 0..2 {
            camp.browser().post(&path, json!({})).await.expect(204);
        }
        camp.browser().post(&format!("/api/videos/{}/views", id(&all[1])), json!({})).await.expect(204);
        camp.write_views().await;
        assert_eq!(titles(&home, "?collection=current&sort=popular").await, ["First day", "Swimming", "Hike"]);
        let first = home.get("/api/videos?collection=current&sort=popular&limit=1").await.expect(200).json();
        let next = first["next"].as_str().expect("more");
        assert_eq!(titles(&home, &format!("?collection=current&sort=popular&cursor={next}")).await, ["Swimming", "Hike"]);
        home.get(&format!("/api/videos?cursor={next}")).await.refused(422, "validation");
        drop(staff);
    }
}

story! {
    async fn a_view_counts_once_for_each_viewer_and_hour(camp) {
        camp.set_clock("2026-07-29T16:05:00Z");
        let staff = camp.staff().await;
        let video = posted(&staff, "Lake", json!({})).await;
        let path = format!("/api/videos/{}", id(&video));
        let views = format!("{path}/views");
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let stranger = camp.browser();
        // Bypasses the cache, whose counts may be a second old.
        let counted = async || {
            let reply = stranger.send(Method::GET, &path, Some(Value::Null), &[]).await;
            reply.expect(200).json()["view_count"].clone()
        };
        assert_eq!(counted().await, 0, "opening the page is no view");
        for _ in 0..3 {
            stranger.post(&views, json!({})).await.expect(204);
            chaya.post(&views, json!({})).await.expect(204);
            staff.post(&views, json!({})).await.expect(204);
        }
        camp.write_views().await;
        assert_eq!(counted().await, 2);
        join_all((0..10).map(|_| chaya.post(&views, json!({})))).await;
        camp.write_views().await;
        assert_eq!(counted().await, 2);
        camp.wait(TimeDelta::hours(1));
        join_all((0..10).map(|_| chaya.post(&views, json!({})))).await.into_iter().for_each(|r| drop(r.expect(204)));
        camp.write_views().await;
        assert_eq!(counted().await, 3);
        stranger.post(&format!("/api/videos/{NO_ID}/views"), json!({})).await.refused(404, "not_found");
    }
}

story! {
    async fn views_of_many_at_two_processes_are_all_counted_a_second_later(camp) {
        let camps = [camp.clone(), camp.beside().await];
        let staff = camp.staff().await;
        let lake = id(&posted(&staff, "Lake", json!({})).await).to_owned();
        let hike = id(&posted(&staff, "Hike", json!({})).await).to_owned();
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let counts = async || {
            let count = async |id: &str| {
                // Bypasses the cache.
                let video = staff.get(&format!("/api/videos/{id}")).await.expect(200).json();
                video["view_count"].as_i64().expect("a count")
            };
            (count(&lake).await, count(&hike).await)
        };
        let strangers = (0..60).map(async |n: usize| {
            let stranger = camps[n % 2].browser_at(&format!("198.51.100.{}", n % 7));
            for video in [&lake, &hike].into_iter().take(1 + n % 2) {
                stranger.post(&format!("/api/videos/{video}/views"), json!({})).await.expect(204);
            }
        });
        let of_chaya = camps.iter().map(|camp| camp.of(&chaya));
        let of_chaya = of_chaya.map(async |chaya| {
            chaya.post(&format!("/api/videos/{lake}/views"), json!({})).await.expect(204);
        });
        let began = Instant::now();
        join(join_all(strangers), join_all(of_chaya)).await;
        let took = began.elapsed();
        while counts().await != (61, 30) {
            // This takes two seconds alone, and more on a busy machine.
            assert!(began.elapsed() < took + Duration::from_secs(30), "{:?}", counts().await);
            sleep(Duration::from_millis(20)).await;
        }
        // Later views are counted as well.
        camp.browser().post(&format!("/api/videos/{hike}/views"), json!({})).await.expect(204);
        while counts().await != (61, 31) {
            assert!(began.elapsed() < took + Duration::from_secs(60), "{:?}", counts().await);
            sleep(Duration::from_millis(20)).await;
        }
        camps[1].app.db.close().await;
    }
}

story! {
    async fn a_view_of_a_video_that_is_deleted_meanwhile_does_not_stop_the_others(camp) {
        let staff = camp.staff().await;
        let lake = id(&posted(&staff, "Lake", json!({})).await).to_owned();
        let hike = id(&posted(&staff, "Hike", json!({})).await).to_owned();
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        for video in [&lake, &hike] {
            chaya.post(&format!("/api/videos/{video}/views"), json!({})).await.expect(204);
        }
        staff.delete(&format!("/api/admin/videos/{lake}")).await.expect(204);
        camp.write_views().await;
        let hike = camp.browser().get(&format!("/api/videos/{hike}")).await.expect(200).json();
        assert_eq!(hike["view_count"], 1);
    }
}

story! {
    async fn everybody_likes_a_video_once_however_often_the_heart_is_pressed(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let lake = posted(&staff, "Lake", json!({})).await;
        let hike = posted(&staff, "Hike", json!({})).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.unconfirmed_parent("Moshe Adler", "moshe@family.example").await;
        let like = format!("/api/videos/{}/like", id(&lake));
        let replies = join_all((0..10).map(|n| {
            let who = if n % 2 == 0 { &chaya } else { &moshe };
            who.put(&like)
        })).await;
        for reply in replies {
            assert_eq!(reply.expect(200).json()["liked"], true);
        }
        assert_eq!(chaya.put(&like).await.expect(200).json(), json!({ "liked": true, "like_count": 2 }));
        chaya.put(&format!("/api/videos/{}/like", id(&hike))).await.expect(200);
        let page = format!("/api/videos/{}", id(&lake));
        assert_eq!(chaya.get(&page).await.expect(200).json()["liked"], true);
        assert_eq!(camp.browser().get(&page).await.expect(200).json()["liked"], false);
        let favorites = chaya.get("/api/profile/favorites?limit=1").await.expect(200).json();
        assert_eq!(favorites["items"][0]["title"], "Hike");
        let next = favorites["next"].as_str().expect("more");
        let rest = chaya.get(&format!("/api/profile/favorites?cursor={next}")).await.expect(200).json();
        assert_eq!(rest["items"][0]["title"], "Lake");
        join_all((0..6).map(|_| chaya.delete(&like))).await.into_iter().for_each(|r| drop(r.expect(200)));
        assert_eq!(moshe.delete(&like).await.expect(200).json(), json!({ "liked": false, "like_count": 0 }));
        camp.browser().put(&like).await.refused(401, "sign_in_required");
        camp.browser().get("/api/profile/favorites").await.refused(401, "sign_in_required");
        staff.put(&like).await.refused(401, "sign_in_required");
        chaya.put(&format!("/api/videos/{NO_ID}/like")).await.refused(404, "not_found");
        chaya.put("/api/videos/nonsense/like").await.refused(404, "not_found");
    }
}

story! {
    async fn drafts_and_scheduled_videos_are_not_there_yet_for_anybody(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let draft = posted(&staff, "Draft", json!({ "status": "draft" })).await;
        let later = posted(&staff, "Later", json!({ "status": "scheduled", "scheduled_date": "2026-07-29T20:00" })).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        for video in [&draft, &later] {
            for browser in [&staff, &chaya, &camp.browser()] {
                let path = format!("/api/videos/{}", id(video));
                browser.get(&path).await.refused(404, "not_found");
                browser.get(&format!("{path}/comments")).await.refused(404, "not_found");
                browser.post(&format!("{path}/views"), json!({})).await.refused(404, "not_found");
                assert!(titles(browser, "").await.is_empty());
            }
            let path = format!("/api/videos/{}", id(video));
            chaya.put(&format!("{path}/like")).await.refused(404, "not_found");
            chaya.post(&format!("{path}/comments"), json!({ "content": "Early!" })).await.refused(404, "not_found");
        }
    }
}

/// Texts that a viewer who may not watch must never receive.
const SECRETS: [&str; 4] = ["dQw4w9WgXcQ", "ytimg", "by the lake", "Chaya"];

story! {
    async fn who_may_not_watch_gets_titles_and_dates_and_nothing_else(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let video = posted(&staff, "Swimming", json!({ "description": "by the lake", "is_featured": true })).await;
        posted(&staff, "Hike", json!({ "upload_date": "2026-07-20" })).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let path = format!("/api/videos/{}", id(&video));
        moshe.put(&format!("{path}/like")).await.expect(200);
        chaya.post(&format!("{path}/views"), json!({})).await.expect(204);
        chaya.post(&format!("{path}/comments"), json!({ "content": "by the lake!" })).await.expect(201);
        let families = staff.get("/api/admin/users?q=chaya").await.expect(200).json();
        staff.post(&format!("/api/admin/users/{}/approve", id(&families["items"][0])), json!({})).await.expect(200);
        let stranger = camp.browser();
        for (access, open, shut) in [
            ("everyone", vec![&stranger, &moshe, &chaya, &staff], vec![]),
            ("signed_in", vec![&moshe, &chaya, &staff], vec![(&stranger, 401)]),
            ("families", vec![&chaya, &staff], vec![(&stranger, 401), (&moshe, 403)]),
        ] {
            camp.set("access", access).await;
            for browser in open {
                let seen = browser.get(&path).await.expect(200).json();
                assert_eq!(seen["video_url"], "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ");
                assert_eq!(seen["restricted"], false);
                browser.get(&format!("{path}/comments")).await.expect(200);
                assert_eq!(titles(browser, "?q=by%20the%20lake").await, ["Swimming"]);
                assert_eq!(cards(browser, "").await[0]["like_count"], 1);
            }
            for (browser, status) in shut {
                for query in ["", "?collection=home", "?collection=current", "?sort=popular", "?q=swim"] {
                    let reply = browser.get(&format!("/api/videos{query}")).await.expect(200);
                    for secret in SECRETS {
                        assert!(!reply.text().contains(secret), "{access} {query}: {}", reply.text());
                    }
                    for card in reply.json()["items"].as_array().expect("items") {
                        assert_eq!(card["restricted"], true);
                        assert_eq!(card["description"], Value::Null);
                        assert_eq!(card["thumbnail_url"], Value::Null);
                        assert_eq!(card["view_count"], 0);
                        assert_eq!(card["like_count"], 0);
                        assert_eq!(card["comment_count"], 0);
                    }
                }
                assert!(titles(browser, "?q=by%20the%20lake").await.is_empty(), "descriptions are not searched");
                assert_eq!(titles(browser, "?q=swim").await, ["Swimming"]);
                let refusals = [
                    browser.get(&path).await,
                    browser.get(&format!("{path}/comments")).await,
                    browser.post(&format!("{path}/views"), json!({})).await,
                    browser.put(&format!("{path}/like")).await,
                    browser.post(&format!("{path}/comments"), json!({ "content": "Hello" })).await,
                ];
                for reply in refusals {
                    assert_eq!(reply.status.as_u16(), status, "{access}: {}", reply.text());
                    for secret in SECRETS {
                        assert!(!reply.text().contains(secret));
                    }
                }
                let page = browser.get(&format!("/video/{}", id(&video))).await;
                for secret in SECRETS {
                    assert!(!page.text().contains(secret), "{access}: the page tells {secret}");
                }
                browser.get(&format!("/api/videos/{NO_ID}")).await.refused(404, "not_found");
            }
        }
        moshe.get(&path).await.refused(403, "awaiting_approval");
        let waiting = staff.get("/api/admin/users?q=moshe").await.expect(200).json();
        staff.post(&format!("/api/admin/users/{}/refuse", id(&waiting["items"][0])), json!({})).await.expect(200);
        moshe.get(&path).await.refused(403, "families_only");
        // Favorites show somebody who lost access no more than that.
        let favorites = moshe.get("/api/profile/favorites").await.expect(200).json();
        assert_eq!(favorites["items"][0]["restricted"], true);
    }
}
