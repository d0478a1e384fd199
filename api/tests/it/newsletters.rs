//! Newsletters and the mailing list.

use axum::http::Method;
use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, token};

/// Adds an address to the mailing list.
pub async fn subscribed(camp: &Camp, email: &str) {
    let browser = camp.browser();
    browser.post("/api/subscribe", json!({ "email": email })).await.expect(202);
    let token = camp.token_for(email).await;
    browser.post("/api/subscribe/confirm", json!({ "token": token })).await.expect(204);
}

fn letter(audience: &str) -> Value {
    json!({ "subject": "Visiting day", "body": "Dear parents,\n\nthe gates open at ten.", "audience": audience })
}

async fn reach(staff: &Browser, audience: &str) -> i64 {
    let mut asked = letter(audience);
    asked["preview"] = json!(true);
    let answer = staff.post("/api/admin/letters", asked).await.expect(200).json();
    assert_eq!(answer["id"], Value::Null);
    answer["recipients"].as_i64().expect("a number")
}

fn readers(camp: &Camp) -> Vec<String> {
    let mails = camp.mails().into_iter().filter(|mail| mail.subject == "Visiting day");
    let mut readers: Vec<String> = mails.map(|mail| mail.to.email.to_string()).collect();
    readers.sort();
    readers
}

async fn addresses(staff: &Browser) -> Vec<String> {
    let list = staff.get("/api/admin/subscribers").await.expect(200).json();
    let items = list["items"].as_array().expect("items");
    items.iter().map(|row| row["email"].as_str().expect("an address").to_owned()).collect()
}

story! {
    async fn a_letter_reaches_families_and_the_list_once_each(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        moshe.patch("/api/profile", json!({ "email_notifications": false })).await.expect(200);
        camp.unconfirmed_parent("Somebody", "somebody@family.example").await;
        subscribed(&camp, "neighbor@town.example").await;
        subscribed(&camp, "chaya@family.example").await;
        camp.browser().post("/api/subscribe", json!({ "email": "wish@town.example" })).await.expect(202);
        let staff = camp.staff().await;
        assert_eq!(reach(&staff, "families").await, 1);
        assert_eq!(reach(&staff, "mailing_list").await, 2);
        assert_eq!(reach(&staff, "both").await, 2);
        camp.work().await;
        assert!(readers(&camp).is_empty(), "counting sends nothing");
        let clicks = join_all((0..6).map(|_| staff.post("/api/admin/letters", letter("both")))).await;
        let answers: Vec<Value> = clicks.into_iter().map(|click| click.expect(200).json()).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        assert_eq!(answers[0]["recipients"], 2);
        camp.work().await;
        camp.work().await;
        assert_eq!(readers(&camp), ["chaya@family.example", "neighbor@town.example"]);
        let mail = camp.mail_to("neighbor@town.example").await;
        assert!(mail.unsubscribe_url.is_some() && mail.text.contains("/unsubscribe?token="));
        assert!(mail.text.contains("the gates open at ten."));
        let list = staff.get("/api/admin/letters").await.expect(200).json();
        assert_eq!(list["items"].as_array().expect("items").len(), 1);
        let sent = &list["items"][0];
        assert_eq!(sent["sent_by"], "feder");
        assert_eq!(sent["audience"], "both");
        assert_eq!(sent["deliveries"]["sent"], 2);
        let retry = format!("/api/admin/letters/{}/deliveries/retry", sent["id"].as_str().expect("an id"));
        assert_eq!(staff.post(&retry, json!({})).await.expect(200).json()["queued"], 0);
    }
}

story! {
    async fn a_key_names_a_letter_for_good_and_words_for_ten_minutes(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let send = async |key: &str| {
            let headers = [("idempotency-key", key)];
            staff.send(Method::POST, "/api/admin/letters", Some(letter("families")), &headers).await
        };
        let (one, two) = ("0190a5b0-0000-7000-8000-000000000001", "0190a5b0-0000-7000-8000-000000000002");
        let first = send(one).await.expect(200).json();
        camp.wait(TimeDelta::minutes(20));
        assert_eq!(send(one).await.expect(200).json()["id"], first["id"]);
        let second = send(two).await.expect(200).json();
        assert_ne!(second["id"], first["id"]);
        assert_eq!(staff.post("/api/admin/letters", letter("families")).await.expect(200).json()["id"], second["id"]);
        camp.work().await;
        assert_eq!(readers(&camp).len(), 2);
        send("mine").await.refused(422, "validation");
    }
}

story! {
    async fn staff_get_a_test_of_a_newsletter_and_nobody_else_does(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let before = camp.mails().len();
        let test = json!({ "subject": "Visiting day", "body": "Dear parents,\n\nthe map is at https://camp.example/map." });
        staff.post("/api/admin/letters/test", test).await.expect(204);
        camp.work().await;
        let mails = camp.mails().split_off(before);
        let [mail] = &mails[..] else { panic!("one mail: {mails:?}") };
        assert_eq!(mail.to.email.to_string(), "feder@camp.example");
        assert_eq!(mail.subject, "Test: Visiting day");
        assert!(mail.text.contains("This is a test. It was sent only to you."), "{}", mail.text);
        assert!(mail.html.contains(r#"<a href="https://camp.example/map" dir="ltr""#), "{}", mail.html);
        assert_eq!(staff.get("/api/admin/letters").await.expect(200).json()["items"], json!([]));
        let wrong = staff.post("/api/admin/letters/test", json!({ "subject": "", "body": "" })).await.refused(422, "validation");
        assert_eq!(wrong["errors"].as_array().expect("errors").len(), 2);
        let owner = camp.owner().await;
        let log = owner.get("/api/admin/audit?action=letter.test").await.expect(200).json();
        assert_eq!(log["items"].as_array().expect("items").len(), 1);
        // The newsletter itself is sent even after a test with the same words.
        assert_eq!(staff.post("/api/admin/letters", letter("families")).await.expect(200).json()["recipients"], 1);
    }
}

story! {
    async fn a_letter_that_nobody_would_get_is_not_sent(camp) {
        let staff = camp.staff().await;
        staff.post("/api/admin/letters", letter("both")).await.refused(409, "conflict");
        subscribed(&camp, "neighbor@town.example").await;
        camp.set("emailEnabled", false).await;
        assert_eq!(reach(&staff, "both").await, 0);
        staff.post("/api/admin/letters", letter("both")).await.refused(409, "conflict");
        let mut empty = letter("both");
        empty["subject"] = json!(" ");
        empty["body"] = json!("");
        let wrong = staff.post("/api/admin/letters", empty).await.refused(422, "validation");
        assert_eq!(wrong["errors"].as_array().expect("errors").len(), 2);
        assert_eq!(staff.get("/api/admin/letters").await.expect(200).json()["items"], json!([]));
    }
}

story! {
    async fn nobody_is_on_the_list_who_has_not_confirmed_it(camp) {
        let browser = camp.browser();
        let staff = camp.staff().await;
        browser.post("/api/subscribe", json!({ "email": " Neighbor@Town.Example " })).await.expect(202);
        let mail = camp.mail_to("neighbor@town.example").await;
        assert!(mail.text.contains("http://camp.example/subscribe/confirm?token="));
        let row = staff.get("/api/admin/subscribers").await.expect(200).json()["items"][0].clone();
        assert_eq!(row["email"], "neighbor@town.example");
        assert_eq!(row["confirmed_at"], Value::Null);
        assert_eq!(reach(&staff, "mailing_list").await, 0);
        let given = json!({ "token": token(&mail) });
        let clicks = join_all((0..4).map(|_| browser.post("/api/subscribe/confirm", given.clone()))).await;
        let done: Vec<u16> = clicks.iter().map(|click| click.status.as_u16()).collect();
        assert_eq!(done.iter().filter(|status| **status == 204).count(), 1, "{done:?}");
        assert_eq!(done.iter().filter(|status| **status == 410).count(), 3, "{done:?}");
        assert_eq!(reach(&staff, "mailing_list").await, 1);
        browser.post("/api/subscribe/confirm", json!({ "token": "x" })).await.refused(410, "gone");
        // A known address gets the same response, and an email without a link.
        let known = browser.post("/api/subscribe", json!({ "email": "neighbor@town.example" })).await.expect(202);
        let other = browser.post("/api/subscribe", json!({ "email": "else@town.example" })).await.expect(202);
        assert_eq!(known.bytes.len(), 0);
        assert_eq!(other.bytes.len(), 0);
        let mail = camp.mail_to("neighbor@town.example").await;
        assert!(mail.text.contains("already on our list") && !mail.text.contains("token="));
        browser.post("/api/subscribe", json!({ "email": "nowhere" })).await.refused(422, "validation");
    }
}

story! {
    async fn links_expire_and_wishes_are_forgotten(camp) {
        let browser = camp.browser();
        let staff = camp.staff().await;
        browser.post("/api/subscribe", json!({ "email": "late@town.example" })).await.expect(202);
        let late = camp.token_for("late@town.example").await;
        subscribed(&camp, "early@town.example").await;
        camp.wait(TimeDelta::days(7) + TimeDelta::minutes(1));
        let staff_again = camp.staff_member("spitz", portal::accounts::Role::Staff).await;
        drop(staff);
        browser.post("/api/subscribe/confirm", json!({ "token": late })).await.refused(410, "gone");
        assert_eq!(addresses(&staff_again).await.len(), 2);
        portal::subscribers::prune(&camp.app).await.expect("it works");
        assert_eq!(addresses(&staff_again).await, ["early@town.example"]);
    }
}

story! {
    async fn one_address_is_not_flooded_with_mails_that_ask(camp) {
        for n in 0..5 {
            let browser = camp.browser_at(&format!("203.0.113.{n}"));
            browser.post("/api/subscribe", json!({ "email": "victim@town.example" })).await.expect(202);
        }
        camp.work().await;
        assert_eq!(camp.mails_to("victim@town.example").len(), 3);
        let browser = camp.browser_at("198.51.100.9");
        for n in 0..20 {
            browser.post("/api/subscribe", json!({ "email": format!("n{n}@town.example") })).await.expect(202);
        }
        browser.post("/api/subscribe", json!({ "email": "more@town.example" })).await.refused(429, "too_many_requests");
    }
}

story! {
    async fn unsubscribing_takes_an_address_off_the_list(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        subscribed(&camp, "chaya@family.example").await;
        subscribed(&camp, "neighbor@town.example").await;
        subscribed(&camp, "third@town.example").await;
        let staff = camp.staff().await;
        staff.post("/api/admin/letters", letter("both")).await.expect(200);
        for (email, left) in [("neighbor@town.example", 2), ("chaya@family.example", 1)] {
            let token = token(&camp.mail_to(email).await);
            let preview = camp.browser().post("/api/unsubscribe/preview", json!({ "token": token })).await;
            assert_eq!(preview.expect(200).json()["category"], "general");
            let given = json!({ "token": token, "scope": "category" });
            camp.browser().post("/api/unsubscribe", given).await.expect(204);
            assert_eq!(reach(&staff, "both").await, left);
        }
        assert_eq!(addresses(&staff).await, ["third@town.example"]);
        // Unsubscribing from another kind of email keeps the subscription. One click is enough.
        let mail = camp.mail_to("third@town.example").await;
        let url = mail.unsubscribe_url.expect("an address");
        let one_click = url.strip_prefix("http://camp.example").expect("ours");
        camp.browser().send(Method::POST, one_click, None, &[]).await.expect(204);
        assert!(addresses(&staff).await.is_empty());
        // Subscribing again needs a new confirmation.
        subscribed(&camp, "neighbor@town.example").await;
        assert_eq!(reach(&staff, "mailing_list").await, 1);
    }
}

story! {
    async fn whoever_leaves_gets_nothing_that_still_waited(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        subscribed(&camp, "neighbor@town.example").await;
        let staff = camp.staff().await;
        staff.post("/api/admin/letters", letter("both")).await.expect(200);
        let token = token(&camp.mail_to("neighbor@town.example").await);
        camp.work().await;
        let before = camp.mails().len();

        let mut second = letter("both");
        second["subject"] = json!("A second one");
        staff.post("/api/admin/letters", second).await.expect(200);
        let given = json!({ "token": token, "scope": "category" });
        camp.browser().post("/api/unsubscribe", given).await.expect(204);
        camp.work().await;
        let sent: Vec<_> = camp.mails().split_off(before);
        assert_eq!(sent.len(), 1, "the other reader has it");
        assert!(sent[0].to.email.to_string() == "chaya@family.example");
    }
}

story! {
    async fn the_link_of_a_mail_shows_what_comes_and_brings_it_back(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        subscribed(&camp, "neighbor@town.example").await;
        let staff = camp.staff().await;
        staff.post("/api/admin/letters", letter("both")).await.expect(200);
        let choice = async |token: &str| {
            let given = json!({ "token": token });
            let seen = camp.browser().post("/api/unsubscribe/preview", given).await.expect(200).json();
            (seen["choice"].clone(), seen["family"].clone())
        };
        let wish = |daily: bool, updates: bool, general: bool| {
            json!({ "daily_videos": daily, "camp_updates": updates, "general": general })
        };
        let put = async |token: &str, wanted: Value| {
            let given = json!({ "token": token, "choice": wanted });
            let path = "/api/unsubscribe/choice";
            camp.browser().send(Method::PUT, path, Some(given), &[]).await.expect(204);
        };
        let mail = camp.mail_to("chaya@family.example").await;
        let chaya = token(&mail);
        assert_eq!(choice(&chaya).await, (wish(true, false, true), json!(true)));
        put(&chaya, wish(false, true, false)).await;
        assert_eq!(choice(&chaya).await, (wish(false, true, false), json!(true)));
        put(&chaya, wish(true, true, true)).await;
        assert_eq!(choice(&chaya).await, (wish(true, true, true), json!(true)));
        assert_eq!(reach(&staff, "families").await, 1);

        // Nobody is subscribed again without a new confirmation.
        let neighbor = token(&camp.mail_to("neighbor@town.example").await);
        assert_eq!(choice(&neighbor).await, (wish(false, false, true), json!(false)));
        put(&neighbor, wish(false, false, false)).await;
        put(&neighbor, wish(true, true, true)).await;
        assert_eq!(choice(&neighbor).await, (wish(false, false, false), json!(false)));

        // A mail program without one-click support opens the URL like a link.
        let url = mail.unsubscribe_url.expect("an address");
        let path = url.strip_prefix("http://camp.example").expect("ours");
        let led = camp.browser().get(path).await.expect(303);
        assert_eq!(led.header("location"), format!("http://camp.example/unsubscribe?token={chaya}"));
        assert_eq!(choice(&chaya).await.0, wish(true, true, true), "looking changes nothing");
    }
}

story! {
    async fn a_family_that_is_gone_or_wants_none_gets_nothing_that_still_waited(camp) {
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        camp.parent("Dovid Stern", "dovid@family.example").await;
        camp.parent("Raizy Klein", "raizy@family.example").await;
        let staff = camp.staff().await;
        camp.work().await;
        let before = camp.mails().len();
        staff.post("/api/admin/letters", letter("families")).await.expect(200);
        chaya.patch("/api/profile", json!({ "email_notifications": false })).await.expect(200);
        let found = staff.get("/api/admin/users?q=dovid").await.expect(200).json();
        let id = found["items"][0]["id"].as_str().expect("an id").to_owned();
        staff.delete(&format!("/api/admin/users/{id}")).await.expect(204);
        camp.work().await;
        let sent: Vec<_> = camp.mails().split_off(before);
        assert_eq!(sent.len(), 1);
        assert!(sent[0].to.email.to_string() == "raizy@family.example");
    }
}

story! {
    async fn what_waits_follows_a_family_to_its_new_address_and_leaves_one_that_is_gone(camp) {
        for (name, email) in [("Chaya Weiss", "chaya@family.example"), ("Dovid Stern", "dovid@family.example")] {
            camp.parent(name, email).await;
        }
        let staff = camp.staff().await;
        let change = async |name: &str, mut changes: Value| {
            let found = staff.get(&format!("/api/admin/users?q={name}")).await.expect(200).json();
            changes["version"] = found["items"][0]["version"].clone();
            let path = format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("an id"));
            staff.patch(&path, changes).await.expect(200);
        };
        change("dovid", json!({ "secondary_email": "gone@family.example" })).await;
        camp.work().await;
        let before = camp.mails().len();
        staff.post("/api/admin/letters", letter("families")).await.expect(200);
        change("chaya", json!({ "email": "typo@family.example" })).await;
        change("chaya", json!({ "email": "chaya@home.example" })).await;
        change("dovid", json!({ "secondary_email": null })).await;
        camp.work().await;
        let mut sent: Vec<_> = camp.mails().split_off(before).iter().map(|mail| mail.to.email.to_string()).collect();
        sent.sort_unstable();
        assert_eq!(sent, ["chaya@home.example", "dovid@family.example"]);
    }
}

story! {
    async fn staff_see_and_remove_and_owners_export(camp) {
        subscribed(&camp, "=cmd@town.example").await;
        subscribed(&camp, "neighbor@town.example").await;
        subscribed(&camp, "o'brien@town.example").await;
        camp.browser().post("/api/subscribe", json!({ "email": "wish@town.example" })).await.expect(202);
        let staff = camp.staff().await;
        let owner = camp.owner().await;
        assert_eq!(addresses(&staff).await.len(), 4);
        for typed in ["o%27brien", "obrien"] {
            let found = staff.get(&format!("/api/admin/subscribers?q={typed}")).await.expect(200).json();
            assert_eq!(found["items"][0]["email"], "o'brien@town.example", "{typed}");
        }
        let found = staff.get("/api/admin/subscribers?q=NEIGHBOR").await.expect(200).json();
        assert_eq!(found["items"].as_array().expect("items").len(), 1);
        staff.get("/api/admin/subscribers/export.csv").await.refused(403, "owner_required");
        let sheet = owner.get("/api/admin/subscribers/export.csv").await.expect(200);
        assert!(sheet.header("content-type").starts_with("text/csv"));
        let text = sheet.text();
        assert!(text.starts_with("\u{feff}Email,Confirmed (America/New_York)\n'=cmd@town.example,20"), "{text}");
        assert!(text.contains("neighbor@town.example") && !text.contains("wish@"), "{text}");
        let path = format!("/api/admin/subscribers/{}", found["items"][0]["id"].as_str().expect("an id"));
        staff.delete(&path).await.expect(204);
        staff.delete(&path).await.refused(404, "not_found");
        assert_eq!(addresses(&staff).await.len(), 3);
    }
}

story! {
    async fn sent_letters_are_found_by_who_got_them(camp) {
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        subscribed(&camp, "neighbor@town.example").await;
        let staff = camp.staff().await;
        for audience in ["families", "both"] {
            staff.post("/api/admin/letters", letter(audience)).await.expect(200);
        }
        for (query, found) in [("", vec!["both", "families"]), ("?audience=families", vec!["families"]), ("?audience=mailing_list", vec![])] {
            let list = staff.get(&format!("/api/admin/letters{query}")).await.expect(200).json();
            let items = list["items"].as_array().expect("items");
            assert_eq!(items.iter().map(|row| &row["audience"]).collect::<Vec<_>>(), found, "{query}");
        }
    }
}
