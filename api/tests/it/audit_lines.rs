//! Each audit line contains old and new values. For personal data it says only that the value
//! changed.

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::Browser;

/// The audit lines of a record, newest first: action and fields.
async fn kept(owner: &Browser, record: &Value) -> Vec<(String, Value)> {
    let id = record["id"].as_str().expect("an id");
    let log = owner.get(&format!("/api/admin/audit?subject_id={id}")).await.expect(200).json();
    let items = log["items"].as_array().expect("items").iter();
    items
        .map(|entry| {
            let mut fields = json!({});
            for line in entry["lines"].as_array().expect("lines") {
                let field = line["field"].as_str().expect("a field");
                fields[field] = match line.get("before") {
                    Some(before) => json!([before, line["after"]]),
                    None => line["after"].clone(),
                };
            }
            (entry["action"].as_str().expect("an action").to_owned(), fields)
        })
        .collect()
}

fn at(list: &str, record: &Value) -> String {
    format!("/api/admin/{list}/{}", record["id"].as_str().expect("an id"))
}

story! {
    async fn of_a_product_every_field_is_kept(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let new = json!({ "title": "Camp cap", "price": 1_850, "category": "clothing", "stock_quantity": 12 });
        let cap = staff.post("/api/admin/products", new).await.expect(201).json();
        let changes = json!({
            "version": 1, "title": "Warm cap", "description": "Green", "price": 2_000, "stock_quantity": 4,
            "category": "clothing", "is_new": true, "is_active": false,
        });
        staff.patch(&at("products", &cap), changes).await.expect(200);
        staff.delete(&at("products", &cap)).await.expect(204);
        let kept = kept(&owner, &cap).await;
        assert_eq!(kept[1], ("product.change".into(), json!({
            "title": ["Camp cap", "Warm cap"], "description": [null, "Green"], "price": [1_850, 2_000],
            "stock_quantity": [12, 4], "is_new": [false, true], "is_active": [true, false],
        })));
        assert_eq!(kept[0].0, "product.delete");
        assert_eq!(kept[0].1["title"], "Warm cap");
        assert_eq!(kept[0].1["price"], 2_000);
        assert_eq!(kept[0].1["images"], 0);
        assert_eq!(&kept[2].0[..], "product.add");
        assert_eq!(kept[2].1["price"], 1_850);
    }
}

story! {
    async fn of_a_message_its_standing_is_kept_and_no_word_of_it(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let form = json!({
            "name": "Chaya Weiss", "email": "chaya@family.example", "child_name": "Mendy", "subject": "Bunk",
            "user_type": "parent", "department": "staff", "message": "Which bunk is he in?",
        });
        camp.browser().post("/api/contact", form).await.expect(202);
        let message = staff.get("/api/admin/messages").await.json()["items"][0].clone();
        let path = at("messages", &message);
        staff.patch(&path, json!({ "status": "read", "assigned_to": "feder", "draft": "Dear Chaya" })).await.expect(200);
        staff.patch(&path, json!({ "status": "read" })).await.expect(200);
        staff.post(&format!("{path}/reply"), json!({ "body": "In bunk six.", "draft": "Dear Chaya" })).await.expect(200);
        staff.patch(&path, json!({ "spam": true, "assigned_to": null })).await.expect(200);
        staff.delete(&path).await.expect(204);
        let accounts = owner.get("/api/admin/accounts").await.json();
        let feder = accounts["items"].as_array().expect("accounts").iter().find(|one| one["username"] == "feder").expect("an account")["id"].clone();
        let kept = kept(&owner, &message).await;
        assert_eq!(kept.len(), 4, "the same again is no change: {kept:?}");
        assert_eq!(kept[3], ("message.change".into(), json!({ "status": ["unread", "read"], "assigned_to": [null, feder] })));
        assert_eq!(&kept[2].0[..], "message.reply");
        assert_eq!(kept[2].1["status"], json!(["read", "replied"]));
        assert_eq!(kept[1], ("message.change".into(), json!({ "spam": [false, true], "assigned_to": [feder, null] })));
        assert_eq!(kept[0], ("message.delete".into(), json!({ "status": "replied", "spam": true, "department": "staff", "replies": 1 })));
        let all = owner.get("/api/admin/audit").await.text();
        for word in ["Chaya", "Weiss", "family.example", "bunk", "Bunk", "Mendy"] {
            assert!(!all.contains(word), "{word}");
        }
    }
}

story! {
    async fn of_a_family_amounts_and_choices_are_kept_and_no_name(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let new = json!({ "full_name": "Rivka Adler", "email": "rivka@family.example", "child_name": "Moishe" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = at("users", &family);
        let pay = json!({ "kind": "payment", "amount": 100_000, "payment_date": "2026-07-15", "notes": "Cash from Rivka" });
        staff.send(Method::POST, &format!("{path}/payments"), Some(pay), &[("idempotency-key", "0190a5b0-0000-7000-8000-00000000000a")]).await.expect(201);
        let version = staff.get(&path).await.json()["version"].clone();
        let changes = json!({
            "version": version, "full_name": "Rivka Braun", "secondary_email": "zev@family.example",
            "daily_video_email": false, "total_amount": 300_000, "due_date": "2026-08-01",
        });
        staff.patch(&path, changes).await.expect(200);
        staff.delete(&path).await.expect(204);
        let kept = kept(&owner, &family).await;
        let of = |action: &str| &kept.iter().find(|(done, _)| done == action).unwrap_or_else(|| panic!("no {action} in {kept:?}")).1;
        assert_eq!(of("profile.add"), &json!({ "total_amount": 280_000 }));
        let paid = of("payment.record");
        assert_eq!(paid["amount"], 100_000);
        assert_eq!(paid["paid_amount"], json!([0, 100_000]));
        assert_eq!(paid["kind"], "payment");
        assert_eq!(of("payment_plan.change"), &json!({ "total_amount": [280_000, 300_000], "due_date": [null, "2026-08-01"] }));
        assert_eq!(of("profile.change"), &json!({ "full_name": "changed", "emails": "changed", "daily_video_email": [true, false] }));
        assert_eq!(of("profile.delete"), &json!({ "logins": 0, "addresses": 2, "total_amount": 300_000, "paid_amount": 100_000 }));
        let all = owner.get("/api/admin/audit").await.text();
        for word in ["Rivka", "Adler", "Braun", "family.example", "Moishe", "Cash"] {
            assert!(!all.contains(word), "{word}");
        }
    }
}

story! {
    async fn a_family_of_an_import_has_lines_of_its_own(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let import = async |name: &str, total: i64, update: Value| {
            let table = format!("name,child,email,total\n{name},Yossi,chaya@family.example,{total}\n");
            staff.post("/api/admin/users/import", json!({ "csv": table, "update": update })).await.expect(200);
        };
        import("Chaya", 2800, json!([])).await;
        let family = staff.get("/api/admin/users?q=chaya").await.json()["items"][0].clone();
        import("Chaya Weiss", 3000, json!([{ "id": family["id"], "version": family["version"] }])).await;
        let family = staff.get("/api/admin/users?q=chaya").await.json()["items"][0].clone();
        let kept = kept(&owner, &family).await;
        assert_eq!(kept, [
            ("payment_plan.change".to_owned(), json!({ "total_amount": [280_000, 300_000] })),
            ("profile.change".to_owned(), json!({ "full_name": "changed" })),
            ("profile.add".to_owned(), json!({ "total_amount": 280_000 })),
        ]);
    }
}

story! {
    async fn approval_and_brakes_are_kept(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        camp.parent("Perl Weiss", "perl@family.example").await;
        let family = staff.get("/api/admin/users?q=perl").await.json()["items"][0].clone();
        let path = at("users", &family);
        staff.post(&format!("{path}/approve"), json!({})).await.expect(200);
        staff.post(&format!("{path}/refuse"), json!({})).await.expect(200);
        staff.delete(&path).await.expect(204);
        let kept = kept(&owner, &family).await;
        assert_eq!(kept[2], ("profile.approve".into(), json!({ "standing": ["waiting", "approved"] })));
        assert_eq!(kept[1], ("profile.refuse".into(), json!({ "standing": ["approved", "refused"] })));
        assert_eq!(kept[0].1["logins"], 1);
        assert_eq!(kept[0].1["addresses"], 1);
    }
}

story! {
    async fn of_updates_and_videos_what_the_camp_said_of_itself_is_kept(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let update = crate::updates::posted(&staff, "Rain", json!({})).await;
        crate::updates::patch(&staff, &update, json!({ "title": "Sun", "message": "Moishe sings.", "priority": "high" })).await.expect(200);
        staff.delete(&at("live-updates", &update)).await.expect(204);
        let lines = kept(&owner, &update).await;
        assert_eq!(lines[1], ("live_update.edit".into(), json!({ "title": ["Rain", "Sun"], "priority": ["medium", "high"], "message": "changed" })));
        assert_eq!(lines[0], ("live_update.delete".into(), json!({ "title": "Sun", "priority": "high", "is_active": true })));
        assert!(!owner.get("/api/admin/audit").await.text().contains("Moishe"));

        let new = json!({ "title": "Hike", "video_url": "https://youtu.be/dQw4w9WgXcQ", "upload_date": "2026-07-14", "status": "scheduled", "scheduled_date": "2026-07-15T20:00" });
        let video = staff.post("/api/admin/videos", new).await.expect(201).json()["video"].clone();
        camp.set_clock("2026-07-16T00:01:00Z");
        camp.work().await;
        portal::videos::publish_due(&camp.app).await.expect("published");
        staff.delete(&at("videos", &video)).await.expect(204);
        let lines = kept(&owner, &video).await;
        assert_eq!(lines[1], ("video.publish".into(), json!({ "status": ["scheduled", "published"], "scheduled_date": ["2026-07-16T00:00:00Z", null] })));
        assert_eq!(lines[0], ("video.delete".into(), json!({ "title": "Hike", "status": "published", "upload_date": "2026-07-14", "comments": 0 })));
    }
}

story! {
    async fn an_order_is_kept_as_it_was_and_as_it_is(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let all = staff.get("/api/admin/faq").await.json()["items"].clone();
        let ids = [&all[2]["id"], &all[0]["id"], &all[1]["id"]];
        staff.send(Method::PUT, "/api/admin/faq/order", Some(json!({ "ids": ids })), &[]).await.expect(204);
        let log = owner.get("/api/admin/audit?action=faq.order").await.json();
        assert_eq!(log["items"][0]["lines"], json!([{
            "field": "order", "before": ["videos", "notifications", "access"], "after": ["access", "videos", "notifications"],
        }]));
        staff.delete(&at("faq", &all[0])).await.expect(204);
        let gone = kept(&owner, &all[0]).await;
        assert_eq!(&gone[0].0[..], "faq.delete");
        assert_eq!(gone[0].1["is_published"], true);
    }
}

story! {
    async fn what_readers_see_of_a_comment_is_kept(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let new = json!({ "title": "Hike", "video_url": "https://youtu.be/dQw4w9WgXcQ", "upload_date": "2026-07-14" });
        let video = staff.post("/api/admin/videos", new).await.expect(201).json()["video"].clone();
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let video_id = video["id"].as_str().expect("an id");
        let said = chaya.post(&format!("/api/videos/{video_id}/comments"), json!({ "content": "There is Yossi!" })).await.expect(201).json();
        let path = at("comments", &said);
        staff.post(&format!("{path}/hide"), json!({})).await.expect(204);
        staff.post(&format!("{path}/show"), json!({})).await.expect(204);
        staff.delete(&path).await.expect(204);
        assert_eq!(kept(&owner, &said).await, [
            ("comment.delete".to_owned(), json!({ "video_id": video_id, "hidden": false })),
            ("comment.show".to_owned(), json!({ "video_id": video_id, "comment": ["hidden", "shown"] })),
            ("comment.hide".to_owned(), json!({ "video_id": video_id, "comment": ["shown", "hidden"] })),
        ]);
        assert!(!owner.get("/api/admin/audit").await.text().contains("Yossi"));
    }
}

story! {
    async fn who_leaves_the_mailing_list_leaves_no_address(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        camp.browser().post("/api/subscribe", json!({ "email": "perl@friends.example" })).await.expect(202);
        let listed = staff.get("/api/admin/subscribers").await.json()["items"][0].clone();
        staff.delete(&at("subscribers", &listed)).await.expect(204);
        assert_eq!(kept(&owner, &listed).await, [("subscriber.remove".to_owned(), json!({ "confirmed": false }))]);
        assert!(!owner.get("/api/admin/audit").await.text().contains("friends.example"));
    }
}
