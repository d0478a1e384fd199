//! Every figure is computed, by days in the camp's time zone.

use chrono::TimeDelta;
use portal::accounts::Role;
use portal::db::Db;
use portal::seed::{self, Sample};
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, PASSWORD};
use crate::videos;

story! {
    async fn what_parents_do_shows_in_the_figures_of_their_day(camp) {
        // Half past eleven at night in camp, which is tomorrow in UTC.
        camp.set_clock("2026-07-30T03:30:00Z");
        let staff = camp.staff().await;
        let video = json!({ "title": "Color War breaks out", "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "published" });
        let id = staff.post("/api/admin/videos", video).await.expect(201).json()["video"]["id"].as_str().expect("an id").to_owned();
        let chaya = camp.parent("Chaya Lindenfeld", "chaya@family.example").await;
        chaya.post(&format!("/api/videos/{id}/views"), json!({})).await.expect(204);
        chaya.put(&format!("/api/videos/{id}/like")).await.expect(200);
        chaya.post(&format!("/api/videos/{id}/comments"), json!({ "content": "Gut gezugt!" })).await.expect(201);
        camp.browser().post(&format!("/api/videos/{id}/views"), json!({})).await.expect(204);
        camp.write_views().await;

        let figures = staff.get("/api/admin/analytics?period=7").await.expect(200).json();
        assert_eq!(figures["views"], json!({ "value": 2, "before": 0 }));
        let today = figures["days"].as_array().expect("days").last().expect("a day").clone();
        assert_eq!(today, json!({ "day": "2026-07-29", "views": 2, "likes": 1, "comments": 1, "new_members": 1 }));
        assert_eq!(figures["top_videos"][0]["title"], "Color War breaks out");
        assert_eq!(figures["top_videos"][0]["views"], 2);
        assert_eq!(figures["devices"]["phone"], 2);
        assert_eq!(figures["engagement"]["of"], 1);
        assert_eq!(figures["engagement"]["watched"], 1);
        assert_eq!(figures["engagement"]["liked"], 1);
        assert_eq!(figures["engagement"]["commented"], 1);
        assert_eq!(figures["user_types"]["parents"], 1);
        let kinds: Vec<_> = figures["recent"].as_array().expect("a list").iter().map(|a| a["kind"].clone()).collect();
        for kind in ["comment", "member", "video", "like"] {
            assert!(kinds.contains(&json!(kind)), "{kind}: {kinds:?}");
        }

        camp.wait(TimeDelta::days(7));
        let owner = camp.owner().await;
        let later = owner.get("/api/admin/analytics?period=7").await.expect(200).json();
        assert_eq!(later["views"], json!({ "value": 0, "before": 2 }));
        let season = owner.get("/api/admin/analytics?period=season").await.expect(200).json();
        assert_eq!(season["from"], "2026-07-29");
        assert_eq!(season["views"]["value"], 2);
        let table = owner.get("/api/admin/analytics.csv?period=season").await.expect(200).text();
        assert!(table.starts_with("\u{feff}day,views,likes,comments,new_members\n2026-07-29,2,1,1,1\n"), "{table}");
        owner.get("/api/admin/analytics?period=8").await.refused(400, "bad_request");
    }
}

story! {
    async fn the_dashboard_counts_what_is_there_and_what_needs_somebody(camp) {
        let staff = camp.staff().await;
        camp.parent("Chaya", "chaya@family.example").await;
        let new = json!({ "full_name": "Rivky Brachfeld", "email": "rivky@family.example", "child_name": "Mendy" });
        staff.post("/api/admin/users", new).await.expect(201);
        let video = json!({ "title": "Color War", "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "published" });
        let id = staff.post("/api/admin/videos", video).await.expect(201).json()["video"]["id"].as_str().expect("an id").to_owned();
        let rivky = camp.parent("Other", "other@family.example").await;
        let said = rivky.post(&format!("/api/videos/{id}/comments"), json!({ "content": "Hm." })).await.expect(201).json();
        let comment = said["id"].as_str().expect("an id");
        camp.browser().post(&format!("/api/videos/{id}/views"), json!({})).await.expect(204);
        camp.write_views().await;
        rivky.post(&format!("/api/comments/{comment}/report"), json!({})).await.expect(204);
        let board = staff.get("/api/admin/dashboard").await.expect(200).json();
        approved("dashboard_tiles", &board["tiles"]);
        approved("dashboard_attention", &board["attention"]);
    }
}

story! {
    async fn in_the_sample_camp_most_of_those_with_a_login_have_watched(camp) {
        camp.set_clock("2026-07-28T12:00:00Z");
        let options = seed::Options { sample: Sample::Yiddish, seed: 7, as_of: camp.now(), password: Some(PASSWORD.into()) };
        seed::generate(&camp.app, &options).await.expect("a sample camp");
        let staff = camp.staff_member("looker", Role::Staff).await;
        let figures = staff.get("/api/admin/analytics?period=season").await.expect(200).json();
        let figure = |name: &str| figures["engagement"][name].as_i64().expect("a number");
        let (of, watched) = (figure("of"), figure("watched"));
        assert!(watched * 2 > of && watched < of, "{watched} of {of}");
    }
}

story! {
    async fn families_that_get_emails_about_videos_are_those_with_an_address_that_does(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let subscribed = async || {
            let figures = staff.get("/api/admin/analytics?period=7").await.expect(200).json();
            assert_eq!(figures["engagement"]["families"], 1);
            figures["engagement"]["subscribed"].as_i64().expect("a number")
        };
        assert_eq!(subscribed().await, 1);
        chaya.patch("/api/profile", json!({ "daily_video_email": false })).await.expect(200);
        assert_eq!(subscribed().await, 0);
        let family = staff.get("/api/admin/users").await.json()["items"][0].clone();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let second = json!({ "version": family["version"], "secondary_email": "tatty@family.example" });
        staff.patch(&path, second).await.expect(200);
        assert_eq!(subscribed().await, 1, "the other address gets them");
        let refuses = "insert into suppressed_addresses (email, reason, created_at)
                       select email, '550 No such user', created_at from profile_addresses where email like 'tatty@%'";
        crate::mail::write(&camp, refuses.into()).await;
        assert_eq!(subscribed().await, 0, "it refuses mail");
        crate::families::import(&staff, "name,child\nShimon,Moishe\n").await;
        let figures = staff.get("/api/admin/analytics?period=7").await.expect(200).json();
        let figures = &figures["engagement"];
        assert_eq!((&figures["families"], &figures["subscribed"]), (&json!(2), &json!(0)), "it has no address");
    }
}

async fn listed(staff: &Browser, path: &str) -> Vec<Value> {
    let separator = if path.contains('?') { '&' } else { '?' };
    let mut all = Vec::new();
    let mut next = format!("{path}{separator}limit=100");
    loop {
        let page = staff.get(&next).await.expect(200).json();
        all.extend(page["items"].as_array().expect("items").clone());
        let Some(cursor) = page["next"].as_str() else { return all };
        next = format!("{path}{separator}limit=100&cursor={cursor}");
    }
}

fn sum(rows: &[Value], field: &str) -> i64 {
    rows.iter().map(|row| row[field].as_i64().expect("a number")).sum()
}

story! {
    async fn a_figure_that_stands_in_two_places_is_the_same_in_both(camp) {
        camp.set_clock("2026-07-28T12:00:00Z");
        let options = seed::Options { sample: Sample::Yiddish, seed: 7, as_of: camp.now(), password: Some(PASSWORD.into()) };
        seed::generate(&camp.app, &options).await.expect("a sample camp");
        let staff = camp.staff_member("looker", Role::Owner).await;
        let old = json!({ "title": "Found in the attic", "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "draft", "upload_date": "2024-07-01" });
        staff.post("/api/admin/videos", old).await.expect(201);
        camp.parent("Chaya Weiss", "chaya@new.example").await;

        let figures = async |path: &str| staff.get(path).await.expect(200).json();
        let board = figures("/api/admin/dashboard").await;
        let (tiles, attention) = (&board["tiles"], &board["attention"]);
        let videos = figures("/api/admin/videos/counts").await;
        let families = figures("/api/admin/users/summary").await;
        let comments = figures("/api/admin/comments/counts").await;
        for (name, here, there) in [
            ("videos of this year", &tiles["reports"], &videos["current"]),
            ("drafts", &tiles["drafts"], &videos["draft"]),
            ("gallery", &tiles["gallery"], &videos["archive"]),
            ("users", &tiles["users"], &families["total_users"]),
            ("overdue", &attention["overdue_plans"], &families["overdue"]),
            ("to approve", &attention["to_approve"], &families["to_approve"]),
            ("comments to review", &tiles["comments_to_review"], &comments["to_review"]),
            ("reported comments", &attention["reported_comments"], &comments["reported"]),
            ("held comments", &attention["held_comments"], &comments["held"]),
            ("unread messages", &tiles["messages_unread"], &figures("/api/admin/messages/counts").await["unread"]),
            ("unread messages", &tiles["messages_unread"], &attention["unread_messages"]),
            ("faq", &tiles["faq"], &figures("/api/admin/faq/stats").await["published"]),
            ("store", &tiles["store"], &figures("/api/admin/products/stats").await["total"]),
            ("views", &tiles["views"], &figures("/api/admin/analytics?period=7").await["views"]["value"]),
        ] {
            assert_eq!(here, there, "{name}");
            assert!(here.as_i64().is_some_and(|value| value > 0 || name == "held comments"), "{name}: {here}");
        }

        let all = listed(&staff, "/api/admin/videos").await;
        assert_eq!(json!(sum(&all, "reported_comments")), attention["reported_comments"]);
        assert_eq!(json!(sum(&all, "failed_mails")), attention["failed_video_mails"]);
        for (filter, count) in [
            ("videos?status=draft", &tiles["drafts"]),
            ("videos?attention=reported_comments", &videos["reported_comments"]),
            ("videos?attention=failed_mails", &videos["failed_mails"]),
            ("comments?filter=reported", &attention["reported_comments"]),
            ("comments?filter=hidden", &comments["hidden"]),
            ("comments?filter=all", &comments["all"]),
            ("users", &tiles["users"]),
            ("users?filter=overdue", &attention["overdue_plans"]),
            ("users?filter=to_approve", &attention["to_approve"]),
            ("mail/failed", &attention["failed_mails"]),
            ("mail/failed?about=videos", &attention["failed_video_mails"]),
            ("mail/refused", &attention["suppressed_addresses"]),
            ("messages?status=unread", &tiles["messages_unread"]),
            ("accounts?disabled=false", &tiles["accounts"]),
            ("live-updates?standing=active", &tiles["live_updates"]),
        ] {
            assert_eq!(&json!(listed(&staff, &format!("/api/admin/{filter}")).await.len()), count, "{filter}");
        }
    }
}

story! {
    async fn mails_about_a_video_that_failed_long_ago_need_nobody(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya", "child_name": "Yossi", "email": "chaya@family.example" });
        staff.post("/api/admin/users", new).await.expect(201);
        camp.work().await;
        let day = (camp.now() - TimeDelta::hours(12)).format("%Y-%m-%d").to_string();
        let video = json!({ "title": "Swim", "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "published", "upload_date": day });
        staff.post("/api/admin/videos", video).await.expect(201);
        crate::mail::fail_all_to(&camp, "chaya@family.example").await;
        camp.work().await;
        for (days, failed) in [(0, 1), (6, 1), (2, 0)] {
            camp.wait(TimeDelta::days(days));
            let staff = camp.staff_member(&format!("looker{days}"), Role::Staff).await;
            let board = staff.get("/api/admin/dashboard").await.expect(200).json();
            assert_eq!(board["attention"]["failed_video_mails"], failed);
            let counts = staff.get("/api/admin/videos/counts").await.expect(200).json();
            assert_eq!(counts["failed_mails"], failed);
            let with = listed(&staff, "/api/admin/videos?attention=failed_mails").await;
            assert_eq!(sum(&with, "failed_mails"), failed);
            assert_eq!(with.len() as i64, failed);
        }
    }
}

story! {
    async fn sums_that_somebody_spoiled_are_found_and_counted_again(camp) {
        camp.set_clock("2026-07-28T12:00:00Z");
        let staff = camp.staff().await;
        videos::posted(&staff, "Lake", json!({})).await;
        let db = camp.app.db.clone();
        let spoil = "update tallies set total = total + 7 where name = 'videos'";
        match &db {
            Db::Sqlite { write, .. } => sqlx::query(spoil).execute(write).await.map(drop),
            Db::Postgres(pool) => sqlx::query(spoil).execute(pool).await.map(drop),
        }
        .expect("a change by hand");
        assert_eq!(db.wrong_tallies().await.expect("tallies"), ["videos"]);
        assert_eq!(staff.get("/api/admin/videos/counts").await.expect(200).json()["all"], 8);
        assert_eq!(db.repair_tallies().await.expect("tallies"), ["videos"]);
        assert_eq!(staff.get("/api/admin/videos/counts").await.expect(200).json()["all"], 1);
        assert!(db.repair_tallies().await.expect("tallies").is_empty());
    }
}

story! {
    async fn the_cleanup_adds_up_parts_of_sums(camp) {
        camp.set_clock("2026-07-28T12:00:00Z");
        let staff = camp.staff().await;
        for title in ["Lake", "Fire", "Barn"] {
            videos::posted(&staff, title, json!({})).await;
        }
        let gone = videos::posted(&staff, "Dock", json!({ "status": "draft" })).await;
        staff.delete(&format!("/api/admin/videos/{}", videos::id(&gone))).await.expect(204);
        let db = camp.app.db.clone();
        let parts = async || {
            let text = "select count(*) from tallies where name = 'videos'";
            match &db {
                Db::Sqlite { write, .. } => sqlx::query_scalar::<_, i64>(text).fetch_one(write).await,
                Db::Postgres(pool) => sqlx::query_scalar(text).fetch_one(pool).await,
            }
            .expect("a number")
        };
        let before = staff.get("/api/admin/videos/counts").await.expect(200).json();
        assert_eq!((&before["all"], &before["draft"]), (&json!(3), &json!(0)));
        assert!(parts().await > 1);
        db.add_up_tallies().await.expect("tallies");
        assert_eq!(parts().await, 1, "published ones of this year");
        assert_eq!(staff.get("/api/admin/videos/counts").await.expect(200).json(), before);
    }
}

story! {
    async fn the_dashboard_names_the_next_video_and_none_that_waits_for_its_file(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let next = async || staff.get("/api/admin/dashboard").await.expect(200).json()["attention"]["next_video"].clone();
        let scheduled = |title: &str, at: &str| json!({ "title": title, "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "scheduled", "scheduled_date": at });
        staff.post("/api/admin/videos", scheduled("Early", "2026-07-15T13:00")).await.expect(201);
        staff.post("/api/admin/videos", scheduled("Tonight", "2026-07-15T21:00")).await.expect(201);
        assert_eq!(next().await["title"], "Early");
        // No worker publishes it, just as when a file cannot be converted.
        camp.wait(TimeDelta::hours(2));
        assert_eq!(next().await["title"], "Tonight");
        camp.wait(TimeDelta::hours(8));
        assert_eq!(next().await, Value::Null);
    }
}
