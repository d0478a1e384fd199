//! All statistics are computed, by days in the camp's time zone.

use chrono::TimeDelta;
use portal::accounts::Role;
use portal::seed::{self, Sample};
use serde_json::json;

use crate::camp::PASSWORD;

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
        assert!(table.starts_with("day,views,likes,comments,new_members\r\n2026-07-29,2,1,1,1\r\n"), "{table}");
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
        rivky.post(&format!("/api/comments/{comment}/report"), json!({})).await.expect(204);
        let board = staff.get("/api/admin/dashboard").await.expect(200).json();
        assert_eq!(board["tiles"]["reports"], 1);
        assert_eq!(board["tiles"]["users"], 3);
        assert_eq!(board["tiles"]["faq"], 10);
        assert_eq!(board["tiles"]["views"], 1);
        let attention = &board["attention"];
        assert_eq!(attention["reported_comments"], 1);
        assert_eq!(attention["to_approve"], 2);
        assert_eq!(attention["next_video"], json!(null));
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
