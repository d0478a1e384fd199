//! Staff submit a form again because the response was lost.

use axum::http::Method;
use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::accounts::staff::Role;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, Reply};
use crate::updates::follower;
use crate::videos::{NOON, TUBE, video, video_mails};

const KEY: &str = "0190a5b0-0000-7000-8000-000000000001";
const OTHER_KEY: &str = "0190a5b0-0000-7000-8000-000000000002";

async fn sent(staff: &Browser, path: &str, body: &Value, key: &str) -> Reply {
    staff.send(Method::POST, path, Some(body.clone()), &[("idempotency-key", key)]).await
}

/// The forms of the staff area that create records, with the path of the title in each.
fn forms() -> [(&'static str, &'static str, Value); 5] {
    let cap = json!({ "title": "Cap", "price": 1800, "category": "clothing", "stock_quantity": 5 });
    let lunch = json!({ "question": "Lunch?", "answer": "At noon.", "category": "Schedule" });
    let update = json!({ "title": "Rain", "message": "We are inside.", "author": "Main office" });
    [
        ("/api/admin/videos", "title", video("Campfire", json!({}))),
        (
            "/api/admin/gallery",
            "title",
            json!({ "title": "Long ago", "video_url": TUBE, "year": 2025 }),
        ),
        ("/api/admin/live-updates", "title", update),
        ("/api/admin/products", "title", cap),
        ("/api/admin/faq", "question", lunch),
    ]
}

/// The number of rows, and of audit lines about them.
async fn count(staff: &Browser, path: &str) -> (usize, usize) {
    let (list, lines) = match path {
        "/api/admin/videos" => ("/api/admin/videos?collection=current", "video.create"),
        "/api/admin/gallery" => ("/api/admin/videos?collection=archive", "video.create"),
        "/api/admin/live-updates" => (path, "live_update.create"),
        "/api/admin/products" => (path, "product.add"),
        _ => ("/api/admin/faq?q=Lunch", "faq.add"),
    };
    let list = staff.get(list).await.expect(200).json();
    let lines = staff.get(&format!("/api/admin/audit?action={lines}")).await.expect(200).json();
    [list, lines].map(|list| list["items"].as_array().expect("items").len()).into()
}

fn told(camp: &Camp) -> (usize, usize) {
    let updates = camp.mails().into_iter().filter(|mail| mail.subject.contains("Rain")).count();
    (video_mails(camp).len(), updates)
}

/// Two families that want all kinds of mail.
async fn families(camp: &Camp) {
    camp.set_clock(NOON);
    follower(camp, "Chaya Weiss", "chaya@family.example").await;
    follower(camp, "Moshe Adler", "moshe@family.example").await;
}

story! {
    async fn a_form_that_is_sent_again_makes_one_record_and_one_mail_for_each_family(camp) {
        families(&camp).await;
        let staff = camp.owner().await;
        for (n, (path, _, body)) in forms().iter().enumerate() {
            let key = format!("0190a5b0-0000-7000-8000-00000000010{n}");
            let before = count(&staff, path).await;
            let first = sent(&staff, path, body, &key).await.expect(201).json();
            camp.work().await;
            camp.wait(TimeDelta::minutes(5));
            let again = sent(&staff, path, body, &key).await.expect(201).json();
            let id = |made: &Value| [&made["id"], &made["video"]["id"], &made["update"]["id"]].map(Value::clone);
            assert_eq!(id(&again), id(&first), "{path}");
            assert_eq!(again["notified"], first["notified"], "{path}");
            let after = count(&staff, path).await;
            assert_eq!(after.0 - before.0, 1, "{path}");
            assert_eq!(after.1 - before.1, 1, "{path}");
        }
        camp.work().await;
        assert_eq!(told(&camp), (2, 2));
    }
}

story! {
    async fn a_form_that_is_sent_several_times_at_once_makes_one_record(camp) {
        families(&camp).await;
        let staff = camp.owner().await;
        for (n, (path, _, body)) in forms().iter().enumerate() {
            let key = format!("0190a5b0-0000-7000-8000-00000000010{n}");
            let before = count(&staff, path).await;
            let clicks = join_all((0..6).map(|_| sent(&staff, path, body, &key))).await;
            let answers: Vec<Value> = clicks.into_iter().map(|click| click.expect(201).json()).collect();
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
            let after = count(&staff, path).await;
            assert_eq!(after.0 - before.0, 1, "{path}");
            assert_eq!(after.1 - before.1, 1, "{path}");
        }
        camp.work().await;
        assert_eq!(told(&camp), (2, 2));
    }
}

story! {
    async fn a_key_stands_for_one_content_and_nothing_else(camp) {
        families(&camp).await;
        let staff = camp.owner().await;
        for (n, (path, title, body)) in forms().iter().enumerate() {
            let key = format!("0190a5b0-0000-7000-8000-00000000010{n}");
            // A refused request does not use up the key.
            let mut empty = body.clone();
            empty[title] = json!("");
            sent(&staff, path, &empty, &key).await.refused(422, "validation");
            sent(&staff, path, body, &key).await.expect(201);
            let made = count(&staff, path).await;
            let mut other = body.clone();
            other[title] = json!("Something else");
            let refused = sent(&staff, path, &other, &key).await.refused(409, "conflict");
            let said = "Something else was saved under this Idempotency-Key. Please reload the page and try again.";
            assert_eq!(refused["detail"], said);
            sent(&staff, path, body, "mine").await.refused(422, "validation");
            assert_eq!(count(&staff, path).await, made, "{path}");
        }
        // A key works for one form only.
        let (path, _, body) = &forms()[3];
        sent(&staff, path, body, "0190a5b0-0000-7000-8000-000000000100").await.refused(409, "conflict");
        sent(&staff, path, body, OTHER_KEY).await.expect(201);
        staff.post(path, body.clone()).await.expect(201);
        assert_eq!(count(&staff, path).await.0, 3, "without a key, or with another, it is meant");
    }
}

story! {
    async fn what_was_deleted_since_the_first_try_does_not_come_back(camp) {
        families(&camp).await;
        let staff = camp.owner().await;
        for (n, (path, _, body)) in forms().iter().enumerate() {
            let key = format!("0190a5b0-0000-7000-8000-00000000010{n}");
            let made = sent(&staff, path, body, &key).await.expect(201).json();
            let id = [&made["id"], &made["video"]["id"], &made["update"]["id"]].into_iter().find_map(Value::as_str);
            let place = path.replace("gallery", "videos");
            staff.delete(&format!("{place}/{}", id.expect("an id"))).await.expect(204);
            let refused = sent(&staff, path, body, &key).await.refused(410, "gone");
            assert_eq!(refused["detail"], "This was saved the first time, but someone has deleted it since.");
        }
    }
}

story! {
    async fn a_date_that_has_passed_since_the_first_try_is_no_reason_to_refuse(camp) {
        families(&camp).await;
        let staff = camp.owner().await;
        let soon = json!({ "status": "scheduled", "scheduled_date": "2026-07-29T12:10" });
        let (path, body) = ("/api/admin/videos", video("Campfire", soon));
        let first = sent(&staff, path, &body, KEY).await.expect(201).json();
        camp.wait(TimeDelta::minutes(30));
        let again = sent(&staff, path, &body, KEY).await.expect(201).json();
        assert_eq!(again["video"]["id"], first["video"]["id"]);
        sent(&staff, path, &body, OTHER_KEY).await.refused(422, "validation");
    }
}

story! {
    async fn keys_are_forgotten_after_a_week(camp) {
        let (path, _, body) = &forms()[3];
        let staff = camp.owner().await;
        sent(&staff, path, body, KEY).await.expect(201);
        camp.wait(TimeDelta::days(6));
        portal::idempotency::prune(&camp.app).await.expect("pruned");
        let staff = camp.staff_member("spitz", Role::Owner).await;
        sent(&staff, path, body, KEY).await.expect(201);
        assert_eq!(count(&staff, path).await.0, 1);
        camp.wait(TimeDelta::days(2));
        portal::idempotency::prune(&camp.app).await.expect("pruned");
        let staff = camp.staff_member("adler", Role::Owner).await;
        sent(&staff, path, body, KEY).await.expect(201);
        assert_eq!(count(&staff, path).await.0, 2);
    }
}
