//! Live updates: staff post them, families read them, and each family gets one email.

use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::event_feed;
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, Camp, Reply, sign_up};
use crate::payments::count;

pub fn update(title: &str, more: Value) -> Value {
    let mut update = json!({ "title": title, "message": "All is well.", "author": "Main office" });
    let fields = more.as_object().expect("fields").clone();
    update.as_object_mut().expect("fields").extend(fields);
    update
}

/// Posts an update and returns it as staff see it.
pub async fn posted(staff: &Browser, title: &str, more: Value) -> Value {
    let reply = staff.post("/api/admin/live-updates", update(title, more)).await.expect(201);
    reply.json()["update"].clone()
}

pub async fn patch(staff: &Browser, update: &Value, mut changes: Value) -> Reply {
    changes["version"] = update["version"].clone();
    staff.patch(&format!("/api/admin/live-updates/{}", id(update)), changes).await
}

pub fn id(update: &Value) -> &str {
    update["id"].as_str().expect("an id")
}

async fn titles(browser: &Browser, path: &str) -> Vec<String> {
    let list = browser.get(path).await.expect(200).json();
    let items = list["items"].as_array().expect("items");
    items.iter().map(|update| update["title"].as_str().expect("a title").to_owned()).collect()
}

/// A parent who wants camp updates by mail.
pub async fn follower(camp: &Camp, name: &str, email: &str) -> Browser {
    let browser = camp.browser();
    let mut form = sign_up(name, email);
    form["camp_updates_email"] = json!(true);
    browser.post("/api/auth/sign-up", form).await.expect(201);
    let token = camp.token_for(email).await;
    browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
    browser
}

fn update_mails(camp: &Camp) -> Vec<String> {
    let mails = camp.mails().into_iter().filter(|mail| mail.unsubscribe_url.is_some());
    mails.map(|mail| format!("{}: {}", mail.to.email, mail.subject)).collect()
}

story! {
    async fn posting_an_update_tells_whoever_wants_camp_updates_once_ever(camp) {
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let _moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let staff = camp.staff().await;
        let reach = staff.get("/api/admin/live-updates/reach").await.expect(200).json();
        assert_eq!(reach["recipients"], 1);
        let new = update("Buses are late", json!({ "priority": "high", "message": "Fifty minutes.\n\nWater & <snacks> on board." }));
        let reply = staff.post("/api/admin/live-updates", new).await.expect(201).json();
        approved("posted_update", &reply);
        let posted = &reply["update"];
        camp.work().await;
        let mail = camp.mail_to("chaya@family.example").await;
        assert_eq!(mail.subject, "High priority: Buses are late");
        assert!(mail.text.contains("Water & <snacks> on board."), "{}", mail.text);
        assert!(mail.text.contains("— Main office"), "{}", mail.text);
        assert!(mail.text.contains(&format!("http://camp.example/updates/{}", id(posted))), "{}", mail.text);
        assert!(mail.html.contains("Water &#38; &#60;snacks&#62;") || mail.html.contains("Water &amp; &lt;snacks&gt;"), "{}", mail.html);
        let off = patch(&staff, posted, json!({ "is_active": false })).await.expect(200).json();
        assert_eq!(off["is_active"], false);
        let on = patch(&staff, &off, json!({ "is_active": true, "title": "Buses are on time" })).await.expect(200).json();
        assert_eq!(on["deliveries"]["sent"], 1);
        camp.work().await;
        assert_eq!(update_mails(&camp), ["chaya@family.example: High priority: Buses are late"]);
    }
}

story! {
    async fn an_update_that_was_taken_back_is_not_mailed_any_more(camp) {
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let wrong = posted(&staff, "Wrong camp", json!({})).await;
        patch(&staff, &wrong, json!({ "is_active": false })).await.expect(200);
        let gone = posted(&staff, "Gone", json!({})).await;
        let at = format!("/api/admin/live-updates/{}", id(&gone));
        assert_eq!(staff.get(&at).await.expect(200).json(), staff.get("/api/admin/live-updates").await.json()["items"][0]);
        staff.delete(&at).await.expect(204);
        staff.get(&at).await.refused(404, "not_found");
        camp.work().await;
        assert!(update_mails(&camp).is_empty());
    }
}

story! {
    async fn the_switch_for_mails_about_updates_is_real(camp) {
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        camp.set("liveUpdates", false).await;
        let reach = staff.get("/api/admin/live-updates/reach").await.expect(200).json();
        assert_eq!(reach["recipients"], 0);
        let quiet = staff.post("/api/admin/live-updates", update("Quiet", json!({}))).await.expect(201).json();
        assert_eq!(quiet["notified"], 0);
        camp.set("liveUpdates", true).await;
        let off = patch(&staff, &quiet["update"], json!({ "is_active": false })).await.expect(200).json();
        patch(&staff, &off, json!({ "is_active": true })).await.expect(200);
        camp.work().await;
        assert!(update_mails(&camp).is_empty());
        assert_eq!(staff.post("/api/admin/live-updates", update("Loud", json!({}))).await.expect(201).json()["notified"], 1);
    }
}

story! {
    async fn families_read_active_updates_the_pinned_ones_first_page_by_page(camp) {
        let staff = camp.staff().await;
        for n in 0..5 {
            camp.wait(TimeDelta::minutes(1));
            posted(&staff, &format!("No. {n}"), json!({ "pin_days": (n == 1).then_some(2) })).await;
        }
        let stranger = camp.browser();
        assert_eq!(titles(&stranger, "/api/live-updates").await, ["No. 1", "No. 4", "No. 3", "No. 2", "No. 0"]);
        let mut read = Vec::new();
        let mut path = "/api/live-updates?limit=2".to_owned();
        loop {
            read.extend(titles(&stranger, &path).await);
            let next = stranger.get(&path).await.expect(200).json()["next"].clone();
            let Some(next) = next.as_str() else { break };
            path = format!("/api/live-updates?limit=2&cursor={next}");
        }
        assert_eq!(read, ["No. 1", "No. 4", "No. 3", "No. 2", "No. 0"]);
        let list = stranger.get("/api/live-updates?limit=1").await.expect(200).json();
        let fields: Vec<&String> = list["items"][0].as_object().expect("fields").keys().collect();
        assert_eq!(fields, ["author", "created_at", "id", "message", "pinned_until", "priority", "title"]);
        assert_eq!(titles(&staff, "/api/admin/live-updates").await, ["No. 1", "No. 4", "No. 3", "No. 2", "No. 0"]);
        assert_eq!(titles(&staff, "/api/admin/live-updates?q=NO.%203").await, ["No. 3"]);
        assert!(titles(&staff, "/api/admin/live-updates?q=100%25").await.is_empty());
    }
}

/// All titles of a list, read in pages of this size. The clock moves on between pages.
async fn in_pages(
    camp: &Camp,
    browser: &Browser,
    path: &str,
    limit: i64,
    pause: TimeDelta,
) -> Vec<String> {
    let mut read = Vec::new();
    let mut page = format!("{path}?limit={limit}");
    loop {
        let list = browser.get(&page).await.expect(200).json();
        let items = list["items"].as_array().expect("items");
        read.extend(
            items.iter().map(|update| update["title"].as_str().expect("a title").to_owned()),
        );
        let Some(next) = list["next"].as_str() else { return read };
        page = format!("{path}?limit={limit}&cursor={next}");
        camp.wait(pause);
    }
}

story! {
    async fn a_fresh_high_priority_update_stands_above_an_old_pinned_one_for_a_day(camp) {
        camp.set_clock("2026-07-29T12:00:00Z");
        let staff = camp.staff().await;
        let stranger = camp.browser();
        for (title, more) in [
            ("Old alarm", json!({ "priority": "high" })),
            ("Pinned", json!({ "pin_days": 3 })),
            ("Also pinned", json!({ "pin_days": 1, "priority": "low" })),
            ("Bread", json!({})),
        ] {
            posted(&staff, title, more).await;
            camp.wait(TimeDelta::hours(7));
        }
        posted(&staff, "Alarm", json!({ "priority": "high" })).await;
        let listed = async || {
            let seen = titles(&stranger, "/api/live-updates").await;
            assert_eq!(titles(&staff, "/api/admin/live-updates").await, seen, "staff see the same order");
            seen
        };
        assert_eq!(listed().await, ["Alarm", "Also pinned", "Pinned", "Bread", "Old alarm"]);
        // The shorter pin ends a day after it began, without anybody doing anything.
        camp.wait(TimeDelta::hours(10) - TimeDelta::minutes(1));
        assert_eq!(listed().await, ["Alarm", "Also pinned", "Pinned", "Bread", "Old alarm"]);
        camp.wait(TimeDelta::minutes(1));
        assert_eq!(listed().await, ["Alarm", "Pinned", "Bread", "Also pinned", "Old alarm"]);
        // The alarm is 24 hours old.
        camp.wait(TimeDelta::hours(14) - TimeDelta::minutes(1));
        assert_eq!(listed().await[0], "Alarm");
        camp.wait(TimeDelta::minutes(1));
        assert_eq!(listed().await, ["Pinned", "Alarm", "Bread", "Also pinned", "Old alarm"]);
        camp.wait(TimeDelta::days(3));
        assert_eq!(listed().await, ["Alarm", "Bread", "Also pinned", "Pinned", "Old alarm"]);
    }
}

story! {
    async fn pages_of_updates_fit_together_when_a_day_passes_between_them(camp) {
        camp.set_clock("2026-07-29T12:00:00Z");
        let staff = camp.staff().await;
        let stranger = camp.browser();
        for n in 0..4 {
            posted(&staff, &format!("News {n}"), json!({})).await;
            posted(&staff, &format!("Pinned {n}"), json!({ "pin_days": 1 })).await;
            posted(&staff, &format!("Alarm {n}"), json!({ "priority": "high" })).await;
            camp.wait(TimeDelta::minutes(1));
        }
        let order = ["Alarm 3", "Alarm 2", "Alarm 1", "Alarm 0", "Pinned 3", "Pinned 2", "Pinned 1", "Pinned 0",
            "News 3", "News 2", "News 1", "News 0"];
        for (path, browser) in [("/api/live-updates", &stranger), ("/api/admin/live-updates", &staff)] {
            camp.set_clock("2026-07-29T12:10:00Z");
            assert_eq!(in_pages(&camp, browser, path, 5, TimeDelta::hours(24)).await, order);
            camp.set_clock("2026-07-29T12:10:00Z");
            assert_eq!(in_pages(&camp, browser, path, 2, TimeDelta::hours(9)).await, order);
        }
        // A newer update goes above the page that was already read.
        camp.set_clock("2026-07-29T12:10:00Z");
        let first = stranger.get("/api/live-updates?limit=6").await.expect(200).json();
        posted(&staff, "Newer alarm", json!({ "priority": "high" })).await;
        let next = first["next"].as_str().expect("a cursor");
        assert_eq!(titles(&stranger, &format!("/api/live-updates?cursor={next}")).await, order[6..]);
    }
}

story! {
    async fn a_pin_is_renewed_and_ended_by_staff(camp) {
        camp.set_clock("2026-07-29T12:00:00Z");
        let staff = camp.staff().await;
        let bread = posted(&staff, "Bread", json!({ "pin_days": 2 })).await;
        let end = bread["pinned_until"].clone();
        assert!(end.as_str().is_some_and(|end| end.starts_with("2026-07-31T12:0")), "{end}");
        camp.wait(TimeDelta::days(1));
        let bread = patch(&staff, &bread, json!({ "title": "Fresh bread" })).await.expect(200).json();
        assert_eq!(bread["pinned_until"], end, "as it was");
        let wrong = patch(&staff, &bread, json!({ "pin_days": 8 })).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0], json!({ "field": "pin_days", "message": "An update can be pinned for 1 to 7 days." }));
        let bread = patch(&staff, &bread, json!({ "pin_days": 7 })).await.expect(200).json();
        let end = bread["pinned_until"].as_str().expect("an end");
        assert!(end.starts_with("2026-08-06T12:0"), "from now on: {end}");
        let bread = patch(&staff, &bread, json!({ "pin_days": null })).await.expect(200).json();
        assert_eq!(bread["pinned_until"], Value::Null);
    }
}

story! {
    async fn an_update_without_mail_is_never_mailed(camp) {
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let mut page = camp.browser().listen(None).await;
        let new = update("Quiet", json!({ "send_mail": false }));
        let reply = staff.post("/api/admin/live-updates", new).await.expect(201).json();
        assert_eq!(reply["notified"], 0);
        assert_eq!(reply["update"]["announced"], false);
        assert_eq!(reply["update"]["deliveries"], Value::Null);
        assert_eq!(page.hears("update.created").await.data["title"], "Quiet", "open pages show it");
        let off = patch(&staff, &reply["update"], json!({ "is_active": false })).await.expect(200).json();
        let on = patch(&staff, &off, json!({ "is_active": true, "priority": "high" })).await.expect(200).json();
        assert_eq!(on["announced"], false);
        patch(&staff, &on, json!({ "send_mail": true })).await.refused(422, "validation");
        camp.work().await;
        assert!(update_mails(&camp).is_empty());
    }
}

story! {
    async fn staff_get_a_test_of_an_update_and_families_do_not(camp) {
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let path = "/api/admin/live-updates/test";
        let test = json!({ "title": "Rain plan", "message": "Boots.\n\nMap: https://camp.example/map.",
            "author": "Main office", "priority": "high" });
        let before = camp.mails().len();
        staff.post(path, test.clone()).await.expect(204);
        camp.work().await;
        let mails = camp.mails().split_off(before);
        let [mail] = &mails[..] else { panic!("one mail: {mails:?}") };
        assert_eq!(mail.to.email.to_string(), "feder@camp.example");
        assert_eq!(mail.subject, "Test: High priority: Rain plan");
        assert!(mail.text.contains("This is a test. It was sent only to you."), "{}", mail.text);
        assert!(mail.html.contains(r#"<a href="https://camp.example/map" dir="ltr""#), "{}", mail.html);
        assert_eq!(mail.unsubscribe_url, None);
        assert!(titles(&staff, "/api/admin/live-updates").await.is_empty(), "nothing was posted");
        assert_eq!(event_feed::newest(&camp.app.db).await.expect("a number"), 0);
        // A test is validated like a post, and the number of tests is limited for each account.
        let wrong = staff.post(path, json!({ "title": "", "message": "x", "author": "y" })).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0]["message"], "Title is required");
        for _ in 1..10 {
            staff.post(path, test.clone()).await.expect(204);
        }
        camp.wait(TimeDelta::minutes(20));
        let refused = staff.post(path, test.clone()).await.refused(429, "too_many_tests");
        assert_eq!(refused["detail"], "You have sent yourself 10 tests in the last hour. You can send another one in 40 minutes.");
        staff.post("/api/admin/letters/test", json!({ "subject": "A", "body": "B" })).await.refused(429, "too_many_tests");
        let other = camp.staff_member("spitz", portal::accounts::Role::Staff).await;
        other.post(path, test.clone()).await.expect(204);
        camp.wait(TimeDelta::minutes(41));
        staff.post(path, test).await.expect(204);
        let owner = camp.owner().await;
        let log = owner.get("/api/admin/audit?action=live_update.test").await.expect(200).json();
        assert_eq!(log["items"].as_array().expect("items").len(), 12);
    }
}

story! {
    async fn the_text_of_a_test_is_soon_erased(camp) {
        let staff = camp.staff().await;
        let test = json!({ "title": "Rain plan", "message": "Boots.", "author": "Main office" });
        staff.post("/api/admin/live-updates/test", test).await.expect(204);
        let kept = async || {
            portal::notifications::erase_old(&camp.app).await.expect("it works");
            count(&camp, "select count(*) from notifications where data like '%Boots%'").await
        };
        assert_eq!(kept().await, 1);
        camp.wait(TimeDelta::days(3) + TimeDelta::minutes(1));
        assert_eq!(kept().await, 0);
        // A test that was still waiting is no longer sent.
        let before = camp.mails().len();
        camp.work().await;
        assert_eq!(camp.mails().len(), before);
    }
}

story! {
    async fn the_form_remembers_the_author_of_each_account(camp) {
        let staff = camp.staff().await;
        let author = async |browser: &Browser| {
            browser.get("/api/admin/live-updates/reach").await.expect(200).json()["last_author"].clone()
        };
        assert_eq!(author(&staff).await, Value::Null);
        posted(&staff, "One", json!({ "author": "Kitchen" })).await;
        camp.wait(TimeDelta::minutes(1));
        let two = posted(&staff, "Two", json!({ "author": "Infirmary" })).await;
        assert_eq!(author(&staff).await, "Infirmary");
        let other = camp.staff_member("spitz", portal::accounts::Role::Staff).await;
        assert_eq!(author(&other).await, Value::Null);
        staff.delete(&format!("/api/admin/live-updates/{}", id(&two))).await.expect(204);
        assert_eq!(author(&staff).await, "Kitchen");
    }
}

story! {
    async fn addresses_that_staff_type_are_links_in_mail(camp) {
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let message = "Sign up at https://camp.example/trip?a=1&b=\"2\" (or http://other.example/x).\n\njavascript:alert(1) and https://you@evil.example";
        posted(&staff, "Trip", json!({ "message": message })).await;
        let mail = camp.mail_to("chaya@family.example").await;
        let links: Vec<&str> = mail.html.split("<a href=\"").skip(1)
            .map(|rest| rest.split('"').next().expect("an address")).collect();
        assert!(links.contains(&"https://camp.example/trip?a=1&#38;b="), "{links:?}");
        assert!(links.contains(&"http://other.example/x"), "{links:?}");
        assert!(!links.iter().any(|link| link.contains("evil") || link.contains("javascript")), "{links:?}");
        assert!(mail.text.contains("https://camp.example/trip?a=1&b=\"2\""), "{}", mail.text);
    }
}

story! {
    async fn an_update_that_was_withdrawn_says_so_at_its_address(camp) {
        let staff = camp.staff().await;
        let stranger = camp.browser();
        let hidden = posted(&staff, "Secret", json!({ "pin_days": 7 })).await;
        let deleted = posted(&staff, "Secret", json!({})).await;
        let path = |update: &Value| format!("/api/live-updates/{}", id(update));
        let seen = stranger.get(&path(&hidden)).await.expect(200).json();
        assert_eq!(seen["title"], "Secret");
        assert_eq!(seen["withdrawn"], false);
        patch(&staff, &hidden, json!({ "is_active": false })).await.expect(200);
        staff.delete(&format!("/api/admin{}", path(&deleted).trim_start_matches("/api"))).await.expect(204);
        staff.delete(&format!("/api/admin{}", path(&deleted).trim_start_matches("/api"))).await.refused(404, "not_found");
        patch(&staff, &deleted, json!({ "title": "Again" })).await.refused(404, "not_found");
        for update in [&hidden, &deleted] {
            let seen = stranger.get(&path(update)).await.expect(200).json();
            assert_eq!(seen["title"], "");
            assert_eq!(seen["withdrawn"], true);
            let text = seen.to_string();
            assert!(!text.contains("Secret") && !text.contains("well") && !text.contains("office"), "{text}");
        }
        assert!(titles(&stranger, "/api/live-updates").await.is_empty());
        assert_eq!(titles(&staff, "/api/admin/live-updates").await, ["Secret"]);
        stranger.get("/api/live-updates/0190a5b0-0000-7000-8000-000000000000").await.refused(404, "not_found");
    }
}

story! {
    async fn an_update_ends_when_it_said_it_would(camp) {
        camp.set_clock("2026-07-29T16:00:00Z");
        let staff = camp.staff().await;
        let stranger = camp.browser();
        let lunch = posted(&staff, "Lunch outside", json!({ "expires_at": "2026-07-29T12:20" })).await;
        assert_eq!(lunch["expires_at"], "2026-07-29T16:20:00Z", "on the clock in camp");
        let mut page = stranger.listen(None).await;
        camp.wait(TimeDelta::minutes(21));
        assert!(titles(&stranger, "/api/live-updates").await.is_empty(), "before any worker looked");
        assert_eq!(staff.get("/api/admin/live-updates").await.expect(200).json()["items"][0]["is_active"], false);
        camp.work().await;
        assert_eq!(page.hears("update.removed").await.data, json!({ "id": id(&lunch) }));
        camp.work().await;
        page.hears_nothing().await;
        // Once shown again, the update no longer expires.
        let lunch = staff.get("/api/admin/live-updates").await.expect(200).json()["items"][0].clone();
        patch(&staff, &lunch, json!({ "expires_at": "2026-07-29T12:10" })).await.refused(422, "validation");
        let again = patch(&staff, &lunch, json!({ "is_active": true })).await.expect(200).json();
        assert_eq!(again["is_active"], true);
        assert_eq!(again["expires_at"], Value::Null);
        let ends = patch(&staff, &again, json!({ "expires_at": "2026-11-01T01:30" })).await.expect(200).json();
        assert_eq!(ends["expires_at"], "2026-11-01T05:30:00Z", "of a time that comes twice the first");
        let endless = patch(&staff, &ends, json!({ "expires_at": null })).await.expect(200).json();
        assert_eq!(endless["expires_at"], Value::Null);
    }
}

story! {
    async fn what_is_missing_or_strange_is_refused_beside_its_field(camp) {
        let staff = camp.staff().await;
        let path = "/api/admin/live-updates";
        for (more, field) in [
            (json!({ "title": "  " }), "title"),
            (json!({ "title": "two\nlines" }), "title"),
            (json!({ "title": "x".repeat(201) }), "title"),
            (json!({ "message": "" }), "message"),
            (json!({ "message": "x".repeat(5001) }), "message"),
            (json!({ "author": "" }), "author"),
            (json!({ "author": "nul\u{0}" }), "author"),
            (json!({ "pin_days": 0 }), "pin_days"),
            (json!({ "pin_days": 8 }), "pin_days"),
            (json!({ "expires_at": "tomorrow" }), "expires_at"),
            (json!({ "expires_at": "2001-01-01T10:00" }), "expires_at"),
            (json!({ "expires_at": "99999-01-01T10:00" }), "expires_at"),
        ] {
            let wrong = staff.post(path, update("Title", more)).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], field);
        }
        for more in [json!({ "priority": "urgent" }), json!({ "is_active": false }), json!({ "posted_by": "me" })] {
            staff.post(path, update("Title", more)).await.refused(422, "validation");
        }
        let kept = posted(&staff, "Kept", json!({})).await;
        let wrong = patch(&staff, &kept, json!({ "title": "" })).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0]["message"], "Title is required");
        assert_eq!(titles(&staff, path).await, ["Kept"]);
        assert_eq!(event_feed::newest(&camp.app.db).await.expect("a number"), 1);
    }
}

story! {
    async fn of_two_who_edit_the_same_update_one_is_told(camp) {
        let staff = camp.staff().await;
        let update = posted(&staff, "Title", json!({})).await;
        let edits = join_all(["One", "Two", "Three"].map(|title| patch(&staff, &update, json!({ "title": title })))).await;
        assert_eq!(edits.iter().filter(|reply| reply.status == 200).count(), 1);
        for reply in edits.into_iter().filter(|reply| reply.status != 200) {
            reply.refused(409, "stale");
        }
        let owner = camp.owner().await;
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", id(&update))).await.expect(200).json();
        let actions: Vec<&str> = log["items"].as_array().expect("items").iter()
            .map(|entry| entry["action"].as_str().expect("an action")).collect();
        assert_eq!(actions, ["live_update.edit", "live_update.create"]);
    }
}

story! {
    async fn who_may_not_watch_reads_no_updates(camp) {
        let staff = camp.staff().await;
        let update = posted(&staff, "Trip", json!({})).await;
        let path = format!("/api/live-updates/{}", id(&update));
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        camp.set("access", "signed_in").await;
        for path in ["/api/live-updates", &path] {
            camp.browser().get(path).await.refused(401, "sign_in_required");
            chaya.get(path).await.expect(200);
        }
        camp.set("access", "families").await;
        for path in ["/api/live-updates", &path] {
            camp.browser().get(path).await.refused(401, "sign_in_required");
            chaya.get(path).await.refused(403, "awaiting_approval");
            staff.get(path).await.expect(200);
        }
    }
}

story! {
    async fn staff_find_updates_by_their_standing_and_priority(camp) {
        camp.set_clock("2026-07-29T16:00:00Z");
        let staff = camp.staff().await;
        posted(&staff, "Shown", json!({ "priority": "high" })).await;
        posted(&staff, "Until tonight", json!({ "expires_at": "2026-07-29T13:00" })).await;
        let hidden = posted(&staff, "Hidden", json!({ "priority": "high" })).await;
        patch(&staff, &hidden, json!({ "is_active": false })).await.expect(200);
        let found = async |query: &str| titles(&staff, &format!("/api/admin/live-updates?{query}")).await;
        assert_eq!(found("standing=active").await, ["Shown", "Until tonight"]);
        assert_eq!(found("standing=inactive").await, ["Hidden"]);
        assert!(found("standing=expired").await.is_empty());
        assert_eq!(found("priority=high").await, ["Shown", "Hidden"]);
        assert_eq!(found("priority=high&standing=active").await, ["Shown"]);
        assert_eq!(found("priority=low&q=hidden").await, [""; 0]);
        // The update expires before the worker runs, and keeps this time afterwards.
        camp.wait(TimeDelta::hours(3));
        for _ in 0..2 {
            assert_eq!(found("standing=active").await, ["Shown"]);
            assert_eq!(found("standing=expired").await, ["Until tonight"]);
            assert_eq!(found("standing=inactive").await, ["Hidden"]);
            camp.work().await;
        }
        staff.get("/api/admin/live-updates?standing=gone").await.refused(400, "bad_request");
    }
}
