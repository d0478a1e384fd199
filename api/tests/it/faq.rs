//! Questions and answers.

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::Browser;

const TOPICS: [&str; 10] = [
    "videos",
    "notifications",
    "access",
    "quality",
    "privacy",
    "technical",
    "comments",
    "multiple-children",
    "live-streaming",
    "downloads",
];

async fn items(browser: &Browser, path: &str) -> Vec<Value> {
    let list = browser.get(path).await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

async fn slugs(browser: &Browser, path: &str) -> Vec<String> {
    let items = items(browser, path).await;
    items.iter().map(|item| item["slug"].as_str().expect("a slug").to_owned()).collect()
}

async fn answer(browser: &Browser, slug: &str) -> String {
    let items = items(browser, "/api/faq").await;
    let found = items.iter().find(|item| item["slug"] == slug).expect("an entry");
    found["answer"].as_str().expect("an answer").to_owned()
}

fn path(entry: &Value) -> String {
    format!("/api/admin/faq/{}", entry["id"].as_str().expect("an id"))
}

async fn order(staff: &Browser, ids: Vec<&Value>) -> crate::camp::Reply {
    staff.send(Method::PUT, "/api/admin/faq/order", Some(json!({ "ids": ids })), &[]).await
}

story! {
    async fn a_new_camp_has_an_answer_for_each_of_ten_topics(camp) {
        let browser = camp.browser();
        assert_eq!(slugs(&browser, "/api/faq").await, TOPICS);
        for item in items(&browser, "/api/faq").await {
            let answer = item["answer"].as_str().expect("an answer");
            assert!(!answer.contains('{') && answer.len() > 80, "{answer}");
            assert_eq!(item["slug"], item["topic"]);
            assert!(item.get("position").is_none() && item.get("views").is_none());
        }
        let stats = camp.staff().await.get("/api/admin/faq/stats").await.expect(200).json();
        assert_eq!(stats, json!({ "total": 10, "published": 10, "draft": 0, "total_views": 0 }));
    }
}

story! {
    async fn what_was_deleted_does_not_come_back_at_the_next_start(camp) {
        let staff = camp.staff().await;
        for entry in items(&staff, "/api/admin/faq").await {
            staff.delete(&path(&entry)).await.expect(204);
        }
        let config = portal::Config::clone(&camp.app.config);
        let again = portal::App::open(config).await.expect("the camp opens again");
        again.db.close().await;
        assert!(slugs(&staff, "/api/faq").await.is_empty());
    }
}

story! {
    async fn answers_say_what_the_settings_say(camp) {
        let browser = camp.browser();
        assert!(answer(&browser, "access").await.starts_with("Anyone who has the address"));
        camp.set("access", "signed_in").await;
        assert!(answer(&browser, "access").await.starts_with("Anyone with an account can sign in"));
        camp.set("access", "families").await;
        assert!(answer(&browser, "access").await.starts_with("Only registered parents and authorized family members"));
        assert!(answer(&browser, "videos").await.contains("PM. Next update: Midnight. On trip days"));
        camp.set("postingTimeText", "").await;
        assert!(answer(&browser, "videos").await.contains("PM. On trip days"));
        camp.set("contactEmail", "hello@camp.example").await;
        assert!(answer(&browser, "privacy").await.contains("hello@camp.example"));
        let staff = camp.staff().await;
        let raw = items(&staff, "/api/admin/faq").await;
        assert_eq!(raw[2]["answer"], "{access_answer}");
        let known = items(&staff, "/api/admin/faq/placeholders").await;
        assert!(known.iter().any(|p| p["name"] == "{contact_email}" && p["value"] == "hello@camp.example"), "{known:?}");
    }
}

story! {
    async fn a_placeholder_that_nothing_replaces_is_refused_before_families_see_it(camp) {
        let staff = camp.staff().await;
        let entry = |question: &str, answer: &str| json!({ "question": question, "answer": answer, "category": "What to Bring", "is_published": true });
        let said = staff.post("/api/admin/faq", entry("Where?", "Call {contact_phon} please.")).await.refused(422, "validation");
        assert_eq!(said["errors"][0]["field"], "answer");
        assert!(said["errors"][0]["message"].as_str().expect("words").starts_with("“{contact_phon}” is not a placeholder of the portal. Please use one of: {access_answer}, "), "{said}");
        let said = staff.post("/api/admin/faq", entry("Where is {contact_phone}?", "Here.")).await.refused(422, "validation");
        assert_eq!(said["errors"][0]["field"], "question", "{said}");
        let made = staff.post("/api/admin/faq", entry("Where?", "Call {contact_phone}. {2 words} {} {")).await.expect(201).json();
        let path = format!("/api/admin/faq/{}", made["id"].as_str().expect("an id"));
        staff.patch(&path, json!({ "answer": "{x}", "version": made["version"] })).await.refused(422, "validation");
    }
}

story! {
    async fn the_first_answers_say_what_the_portal_does(camp) {
        let browser = camp.browser();
        assert!(answer(&browser, "notifications").await.contains("Camp updates and newsletters from camp are switches"));
        assert!(answer(&browser, "multiple-children").await.contains("a link that confirms it; after that they sign up"));
        assert!(answer(&browser, "downloads").await.starts_with("Where the camp allows it, a video has a \"Download\" button"));
        // The text that the search uses changed as well.
        let staff = camp.staff().await;
        for (typed, found) in [("newsletters%20from%20camp", 1), ("letters%20from%20the%20camp", 0), ("a%20download%20button%20below", 1)] {
            assert_eq!(slugs(&staff, &format!("/api/admin/faq?q={typed}")).await.len(), found, "{typed}");
        }
    }
}

story! {
    async fn staff_write_publish_and_delete(camp) {
        let browser = camp.browser();
        let staff = camp.staff().await;
        let new = json!({ "question": "What’s for lunch?", "answer": "Ask the kitchen.", "category": "What to Bring" });
        let added = staff.post("/api/admin/faq", new.clone()).await.expect(201).json();
        assert_eq!(added["slug"], "whats-for-lunch");
        assert_eq!(added["is_published"], false);
        assert_eq!(added["category"], "What to Bring");
        assert_eq!(slugs(&browser, "/api/faq").await.len(), 10, "a draft is not shown");
        browser.post(&format!("/api/faq/{}/views", added["id"].as_str().expect("an id")), json!({})).await.refused(404, "not_found");
        let twin = staff.post("/api/admin/faq", new).await.expect(201).json();
        assert_eq!(twin["slug"], "whats-for-lunch-2");
        let yiddish = json!({ "question": "װאָס דאַרף מען מיטברענגען?", "answer": "א קאַפּ.", "category": "What to Bring", "is_published": true });
        let yiddish = staff.post("/api/admin/faq", yiddish).await.expect(201).json();
        assert_eq!(yiddish["slug"], "װאס-דארף-מען-מיטברענגען", "its letters as they are written");
        staff.delete(&path(&yiddish)).await.expect(204);
        let published = staff.patch(&path(&added), json!({ "version": added["version"], "is_published": true, "question": "What is for supper?" })).await.expect(200).json();
        assert_eq!(published["slug"], "whats-for-lunch", "links stay");
        assert_eq!(slugs(&browser, "/api/faq").await[10], "whats-for-lunch");
        staff.patch(&path(&added), json!({ "version": added["version"], "answer": "Mine" })).await.refused(409, "stale");
        staff.patch(&path(&added), json!({ "version": published["version"], "answer": " " })).await.refused(422, "validation");
        assert_eq!(slugs(&staff, "/api/admin/faq?q=SUPPER").await, ["whats-for-lunch"]);
        assert_eq!(slugs(&staff, "/api/admin/faq?category=What%20to%20Bring").await.len(), 2);
        let stats = staff.get("/api/admin/faq/stats").await.expect(200).json();
        assert_eq!(stats["total"], 12);
        assert_eq!(stats["published"], 11);
        assert_eq!(stats["draft"], 1);
        staff.delete(&path(&twin)).await.expect(204);
        staff.delete(&path(&twin)).await.refused(404, "not_found");
        let wrong = staff.post("/api/admin/faq", json!({ "question": "", "answer": "", "category": "Policies" })).await.refused(422, "validation");
        assert_eq!(wrong["errors"].as_array().expect("errors").len(), 2);
    }
}

story! {
    async fn staff_put_entries_into_order(camp) {
        let staff = camp.staff().await;
        let all = items(&staff, "/api/admin/faq").await;
        let ids: Vec<&Value> = all.iter().map(|entry| &entry["id"]).collect();
        order(&staff, ids.iter().rev().copied().collect()).await.expect(204);
        let turned: Vec<&str> = TOPICS.iter().rev().copied().collect();
        assert_eq!(slugs(&camp.browser(), "/api/faq").await, turned);
        // As in a filtered list, only some entries are sent: they trade places among themselves.
        order(&staff, vec![ids[0], ids[9]]).await.expect(204);
        let mut swapped = turned.clone();
        swapped.swap(0, 9);
        assert_eq!(slugs(&camp.browser(), "/api/faq").await, swapped);
        order(&staff, vec![ids[0], ids[0]]).await.refused(422, "validation");
        staff.delete(&path(&all[0])).await.expect(204);
        order(&staff, vec![ids[0], ids[1]]).await.refused(409, "stale");
        let mut pages = Vec::new();
        let mut next = String::new();
        loop {
            let page = staff.get(&format!("/api/admin/faq?limit=4{next}")).await.expect(200).json();
            pages.push(page["items"].as_array().expect("items").len());
            let Some(cursor) = page["next"].as_str() else { break };
            next = format!("&cursor={cursor}");
        }
        assert_eq!(pages, [4, 4, 1]);
    }
}

story! {
    async fn an_answer_that_is_opened_is_counted_once_an_hour_for_each_reader(camp) {
        let staff = camp.staff().await;
        let id = items(&staff, "/api/faq").await[0]["id"].as_str().expect("an id").to_owned();
        let view = format!("/api/faq/{id}/views");
        let (one, two) = (camp.browser(), camp.browser());
        for browser in [&one, &one, &two, &staff] {
            browser.post(&view, json!({})).await.expect(204);
        }
        camp.write_views().await;
        assert_eq!(items(&staff, "/api/admin/faq").await[0]["views"], 2);
        camp.wait(chrono::TimeDelta::minutes(61));
        portal::faq::prune(&camp.app).await.expect("it works");
        one.post(&view, json!({})).await.expect(204);
        camp.write_views().await;
        let staff = camp.staff_member("spitz", portal::accounts::Role::Staff).await;
        assert_eq!(staff.get("/api/admin/faq/stats").await.expect(200).json()["total_views"], 3);
    }
}
