//! Scheduled videos are published in the camp's time zone.

use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::videos::publish_due;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::videos::{NOON, edited, id, posted, titles, two_families, video, video_mails};

story! {
    async fn many_workers_publish_a_due_video_once(camp) {
        let (chaya, _) = two_families(&camp).await;
        let staff = camp.staff().await;
        let when = json!({ "status": "scheduled", "scheduled_date": "2026-07-29T12:10" });
        let scheduled = posted(&staff, "Grand Siyum", when).await;
        assert_eq!(scheduled["scheduled_date"], "2026-07-29T16:10:00Z");
        assert_eq!(publish_due(&camp.app).await.expect("nothing is due"), 0);
        chaya.get(&format!("/api/videos/{}", id(&scheduled))).await.refused(404, "not_found");
        camp.wait(TimeDelta::minutes(11));
        let done = join_all((0..8).map(|_| publish_due(&camp.app))).await;
        let published: usize = done.into_iter().map(|done| done.expect("it works")).sum();
        assert_eq!(published, 1);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 2);
        let seen = chaya.get(&format!("/api/videos/{}", id(&scheduled))).await.expect(200).json();
        assert_eq!(seen["latest"], true);
        let video = &staff.get("/api/admin/videos").await.expect(200).json()["items"][0];
        assert_eq!(video["status"], "published");
        assert_eq!(video["scheduled_date"], Value::Null);
        assert_eq!(video["announced"], true);
    }
}

story! {
    async fn what_became_due_while_the_worker_was_off_appears_when_it_is_back(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        for (title, hour) in [("Afternoon", "14:00"), ("Evening", "20:30")] {
            let when = json!({ "status": "scheduled", "scheduled_date": format!("2026-07-29T{hour}") });
            posted(&staff, title, when).await;
        }
        let site = camp.browser().get("/api/site").await.expect(200).json();
        assert_eq!(site["posting_time_text"], "Next update: 2:00 PM");
        camp.wait(TimeDelta::days(2));
        assert_eq!(publish_due(&camp.app).await.expect("it works"), 2);
        assert_eq!(publish_due(&camp.app).await.expect("it works"), 0);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 4);
        assert_eq!(titles(&camp.browser(), "?collection=current").await.len(), 2);
    }
}

story! {
    async fn a_scheduled_time_is_required_and_in_the_future(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for (date, sentence) in [
            (Value::Null, "Please choose a date and time."),
            (json!("2026-07-29T11:59"), "Please choose a date and time in the future."),
            (json!("2026-07-29T12:00"), "Please choose a date and time in the future."),
            (json!("tomorrow"), "Please enter a valid date and time."),
            (json!("99999-01-01T10:00"), "Please enter a valid date and time."),
            (json!(""), "Please enter a valid date and time."),
        ] {
            let new = video("Lake", json!({ "status": "scheduled", "scheduled_date": date }));
            let wrong = staff.post("/api/admin/videos", new).await.refused(422, "validation");
            assert_eq!(wrong["errors"], json!([{ "field": "scheduled_date", "message": sentence }]));
        }
        for status in ["draft", "published"] {
            let new = video("Lake", json!({ "status": status, "scheduled_date": "2026-07-30T20:00" }));
            staff.post("/api/admin/videos", new).await.refused(422, "validation");
        }
        let day = video("Lake", json!({ "status": "scheduled", "scheduled_date": "2026-07-30" }));
        let day = staff.post("/api/admin/videos", day).await.expect(201).json();
        assert_eq!(day["video"]["scheduled_date"], "2026-07-30T13:00:00Z", "nine in the morning");
    }
}

story! {
    async fn a_time_that_daylight_saving_skips_moves_forward_and_a_doubled_one_is_the_first(camp) {
        camp.set_clock("2026-03-01T17:00:00Z");
        let staff = camp.staff().await;
        let spring = json!({ "status": "scheduled", "scheduled_date": "2026-03-08T02:30" });
        let spring = posted(&staff, "Spring", spring).await;
        assert_eq!(spring["scheduled_date"], "2026-03-08T07:30:00Z");
        let autumn = json!({ "status": "scheduled", "scheduled_date": "2026-11-01T01:30" });
        let autumn = posted(&staff, "Autumn", autumn).await;
        assert_eq!(autumn["scheduled_date"], "2026-11-01T05:30:00Z");
        camp.set("timezone", "Asia/Jerusalem").await;
        let there = json!({ "status": "scheduled", "scheduled_date": "2026-07-30T20:00" });
        assert_eq!(posted(&staff, "There", there).await["scheduled_date"], "2026-07-30T17:00:00Z");
    }
}

story! {
    async fn new_years_eve_in_camp_still_belongs_to_the_old_year(camp) {
        // 11:30 at night in camp. In UTC the new year has begun.
        camp.set_clock("2027-01-01T04:30:00Z");
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let last = posted(&staff, "Melave Malka", json!({})).await;
        assert_eq!(last["upload_date"], "2026-12-31");
        assert_eq!(last["year"], 2026);
        let draft = posted(&staff, "Still cutting", json!({ "status": "draft" })).await;
        assert_eq!(draft["recipients"], 1);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 1);
        let home = camp.browser();
        assert_eq!(titles(&home, "?collection=current").await, ["Melave Malka"]);
        camp.wait(TimeDelta::minutes(40));
        let staff = again(&camp).await;
        assert!(titles(&home, "?collection=current").await.is_empty());
        let archive = home.get("/api/videos?collection=archive").await.expect(200).json();
        let card = &archive["items"][0];
        assert_eq!(card["archive"], true);
        assert_eq!(card["latest"], false);
        let years = home.get("/api/videos/years").await.expect(200).json();
        assert_eq!(years["items"], json!([{ "year": 2026, "count": 1 }]));
        // A video of an earlier year never notifies, however late it is published.
        let late = edited(&staff, &draft, json!({ "status": "published" })).await;
        assert_eq!(late["notified"], 0);
        assert_eq!(late["video"]["year"], 2026);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 1);
    }
}

/// Signs the same staff member in again after a long time.
async fn again(camp: &Camp) -> Browser {
    let browser = camp.browser();
    let given = json!({ "username": "feder", "password": crate::camp::PASSWORD });
    browser.post("/api/admin/auth/sign-in", given).await.expect(200);
    browser
}
