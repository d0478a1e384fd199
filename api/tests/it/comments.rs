//! Comments by families, and their moderation by staff.

use axum::http::Method;
use futures_util::future::join_all;
use portal::db::Db;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, Reply};
use crate::videos::{id, posted};

async fn a_video(camp: &Camp) -> (Browser, String) {
    camp.set_clock("2026-07-29T16:00:00Z");
    let staff = camp.staff().await;
    let video = posted(&staff, "Lake", json!({})).await;
    (staff, format!("/api/videos/{}", id(&video)))
}

async fn told(staff: &Browser, path: String) -> Reply {
    staff.post(&path, json!({})).await
}

async fn say(browser: &Browser, video: &str, content: &str) -> Value {
    let reply = browser.post(&format!("{video}/comments"), json!({ "content": content })).await;
    reply.expect(201).json()
}

async fn said(browser: &Browser, video: &str) -> Vec<Value> {
    let list = browser.get(&format!("{video}/comments")).await.expect(200).json();
    list["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|comment| comment["content"].clone())
        .collect()
}

/// Bypasses the cache, whose counts may be a second old: a request with a body is never answered
/// from it.
async fn counted(browser: &Browser, video: &str) -> Value {
    let reply = browser.send(Method::GET, video, Some(Value::Null), &[]).await;
    reply.expect(200).json()["comment_count"].clone()
}

story! {
    async fn a_parent_comments_under_the_name_of_that_day(camp) {
        let (_, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let first = say(&chaya, &video, "  How nice!\r\nReally. \n").await;
        assert_eq!(first["author_name"], "Chaya Weiss");
        assert_eq!(first["content"], "How nice!\nReally.");
        assert_eq!(first["mine"], true);
        chaya.patch("/api/profile", json!({ "full_name": "Chaya Adler" })).await.expect(200);
        say(&chaya, &video, "Still here").await;
        let stranger = camp.browser();
        let list = stranger.get(&format!("{video}/comments")).await.expect(200).json();
        assert_eq!(list["items"][1]["author_name"], "Chaya Weiss");
        assert_eq!(list["items"][0]["content"], "Still here", "newest first");
        assert_eq!(list["items"][0]["mine"], false);
        assert!(!list.to_string().contains("family.example"));
        assert_eq!(list["items"][0].as_object().expect("fields").len(), 6, "no more than the contract says");
        assert_eq!(counted(&stranger, &video).await, 2);
    }
}

story! {
    async fn one_empty_line_stays_of_many(camp) {
        let (_, film) = a_video(&camp).await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let saved = say(&chaya, &film, &format!("top\r\n{}bottom\nlast", "\n \n".repeat(300))).await;
        assert_eq!(saved["content"], "top\n\nbottom\nlast");
        for none in ["\u{2028}", "\r", "\u{200b}\n"] {
            let saved = say(&chaya, &film, &format!("a{}b", none.repeat(300))).await;
            assert!(saved["content"].as_str().expect("words").len() <= 4, "{saved}");
        }
    }
}

story! {
    async fn a_comment_needs_somebody_with_a_confirmed_address_and_something_to_say(camp) {
        let (staff, video) = a_video(&camp).await;
        let comments = format!("{video}/comments");
        let hello = || json!({ "content": "Hello" });
        camp.browser().post(&comments, hello()).await.refused(401, "sign_in_required");
        staff.post(&comments, hello()).await.refused(401, "sign_in_required");
        let moshe = camp.unconfirmed_parent("Moshe Adler", "moshe@family.example").await;
        moshe.post(&comments, hello()).await.refused(403, "email_unverified");
        camp.set("requireEmailVerification", false).await;
        moshe.post(&comments, hello()).await.expect(201);
        for content in ["", "   \n ", &"x".repeat(2001), "bell\u{7}", "nul\u{0}"] {
            let wrong = moshe.post(&comments, json!({ "content": content })).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], "content");
        }
        for body in [
            json!({}),
            json!({ "content": 7 }),
            json!({ "content": "Hello", "author_name": "The Camp" }),
            json!({ "content": "Hello", "user_id": "0190a5b0-0000-7000-8000-000000000000" }),
        ] {
            moshe.post(&comments, body).await.refused(422, "validation");
        }
        say(&moshe, &video, &"ש".repeat(2000)).await;
        say(&moshe, &video, "<script>alert(1)</script>").await;
        assert_eq!(counted(&moshe, &video).await, 3);
        let nowhere = "/api/videos/0190a5b0-0000-7000-8000-000000000000/comments";
        moshe.post(nowhere, hello()).await.refused(404, "not_found");
    }
}

story! {
    async fn a_comment_that_is_sent_while_its_author_deletes_the_account_keeps_no_name(camp) {
        let (_, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        // The deletion waits for the row of the user, and the comment waits for the deletion.
        let held = match &camp.app.db {
            Db::Postgres(pool) => {
                let mut held = pool.begin().await.expect("a transaction");
                sqlx::query("select id from users for update").fetch_all(&mut *held).await.expect("locked");
                Some(held)
            }
            Db::Sqlite { .. } => None,
        };
        let confirmed = json!({ "current_password": PASSWORD });
        let delete = chaya.post("/api/auth/delete-account", confirmed);
        let bye = json!({ "content": "Bye" });
        let comments = format!("{video}/comments");
        let comment = chaya.post(&comments, bye);
        let (deleted, said) = match held {
            None => (delete.await, comment.await),
            Some(held) => {
                let comment = async {
                    camp.until_waiting(1).await;
                    comment.await
                };
                let release = async {
                    camp.until_waiting(2).await;
                    drop(held);
                };
                let (deleted, said, ()) = tokio::join!(delete, comment, release);
                (deleted, said)
            }
        };
        deleted.expect(204);
        if said.status == 401 {
            return;
        }
        let said = said.expect(201).json();
        let list = camp.browser().get(&comments).await.expect(200).json();
        assert_eq!(list["items"][0]["id"], said["id"]);
        assert_eq!(list["items"][0]["author_name"], "Former member");
    }
}

story! {
    async fn one_may_take_back_ones_own_words_only(camp) {
        let (_, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let comment = format!("/api/comments/{}", id(&say(&chaya, &video, "Oops").await));
        moshe.delete(&comment).await.refused(404, "not_found");
        camp.browser().delete(&comment).await.refused(401, "sign_in_required");
        assert_eq!(counted(&chaya, &video).await, 1);
        let tries = join_all((0..5).map(|_| chaya.delete(&comment))).await;
        assert_eq!(tries.iter().filter(|reply| reply.status == 204).count(), 1);
        assert_eq!(tries.iter().filter(|reply| reply.status == 404).count(), 4);
        assert_eq!(counted(&chaya, &video).await, 0);
    }
}

story! {
    async fn staff_hide_a_comment_and_let_it_stand_again(camp) {
        let (staff, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let kept = say(&chaya, &video, "Nice").await;
        let rude = say(&chaya, &video, "Rude").await;
        let order = format!("/api/admin/comments/{}", id(&rude));
        let hides = join_all((0..4).map(|_| told(&staff, format!("{order}/hide")))).await;
        hides.into_iter().for_each(|reply| drop(reply.expect(204)));
        assert_eq!(said(&chaya, &video).await, ["Nice"]);
        assert_eq!(counted(&chaya, &video).await, 1);
        let seen = staff.get(&format!("/api/admin{}/comments", video.trim_start_matches("/api"))).await.expect(200).json();
        assert_eq!(seen["items"][0]["hidden"], true);
        assert_eq!(seen["items"][1]["hidden"], false);
        chaya.post(&format!("/api/comments/{}/report", id(&rude)), json!({})).await.refused(404, "not_found");
        told(&staff, format!("{order}/show")).await.expect(204);
        told(&staff, format!("{order}/show")).await.expect(204);
        assert_eq!(counted(&chaya, &video).await, 2);
        told(&staff, format!("{order}/hide")).await.expect(204);
        staff.delete(&order).await.expect(204);
        staff.delete(&order).await.refused(404, "not_found");
        told(&staff, format!("{order}/hide")).await.refused(404, "not_found");
        assert_eq!(counted(&chaya, &video).await, 1);
        staff.delete(&format!("/api/admin/comments/{}", id(&kept))).await.expect(204);
        assert_eq!(counted(&chaya, &video).await, 0);
        chaya.post(&format!("{order}/hide"), json!({})).await.refused(401, "staff_required");
        let owner = camp.owner().await;
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", id(&rude))).await.expect(200).json();
        let actions: Vec<&str> = log["items"].as_array().expect("items").iter()
            .map(|entry| entry["action"].as_str().expect("an action")).collect();
        assert_eq!(actions, ["comment.delete", "comment.hide", "comment.show", "comment.hide"]);
    }
}

story! {
    async fn every_reader_reports_a_comment_once(camp) {
        let (staff, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let rude = say(&chaya, &video, "Rude").await;
        let report = format!("/api/comments/{}/report", id(&rude));
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let stranger = camp.browser();
        for _ in 0..3 {
            moshe.post(&report, json!({ "reason": "It is rude" })).await.expect(204);
            stranger.post(&report, json!({})).await.expect(204);
        }
        stranger.post(&report, json!({ "reason": "x".repeat(501) })).await.refused(422, "validation");
        stranger.post(&report, json!({ "why": "?" })).await.refused(422, "validation");
        let nowhere = "/api/comments/0190a5b0-0000-7000-8000-000000000000/report";
        stranger.post(nowhere, json!({})).await.refused(404, "not_found");
        let seen = staff.get(&format!("/api/admin{}/comments", video.trim_start_matches("/api"))).await.expect(200).json();
        assert_eq!(seen["items"][0]["reports"], 2);
        moshe.post(&report, json!({ "category": "private", "reason": "It names a child" })).await.expect(204);
        let seen = staff.get(&format!("/api/admin{}/comments", video.trim_start_matches("/api"))).await.expect(200).text();
        assert!(seen.contains("It names a child") && !seen.contains("It is rude"), "{seen}");
    }
}

story! {
    async fn a_flood_of_comments_or_reports_is_stopped_for_a_while(camp) {
        let (staff, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let comments = format!("{video}/comments");
        for n in 0..30 {
            chaya.post(&comments, json!({ "content": format!("Number {n}") })).await.expect(201);
        }
        let more = json!({ "content": "One more" });
        chaya.post(&comments, more.clone()).await.refused(429, "too_many_requests");
        camp.wait(chrono::TimeDelta::minutes(11));
        let said = chaya.post(&comments, more).await.expect(201).json();

        // A request without a valid cookie counts as a new viewer each time.
        let report = format!("/api/comments/{}/report", id(&said));
        for _ in 0..20 {
            let made_up = format!("browser={}", uuid::Uuid::new_v4());
            let headers = [("cookie", made_up.as_str())];
            let sent = camp.browser().send(axum::http::Method::POST, &report, Some(json!({})), &headers).await;
            assert!(sent.expect(204).header("set-cookie").starts_with("browser="));
        }
        camp.browser().post(&report, json!({})).await.refused(429, "too_many_requests");
        camp.browser_at("198.51.100.77").post(&report, json!({})).await.expect(204);
        drop(staff);
    }
}

story! {
    async fn many_voices_at_once_are_all_counted_and_read_page_by_page(camp) {
        let (_, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let words: Vec<String> = (0..12).map(|n| format!("Word {n}")).collect();
        join_all(words.iter().map(|word| say(&chaya, &video, word))).await;
        assert_eq!(counted(&chaya, &video).await, 12);
        let mut read = Vec::new();
        let mut path = format!("{video}/comments?limit=5");
        loop {
            let page = camp.browser().get(&path).await.expect(200).json();
            read.extend(page["items"].as_array().expect("items").iter().map(|c| c["content"].to_string()));
            say(&chaya, &video, "Later").await;
            let Some(next) = page["next"].as_str() else { break };
            path = format!("{video}/comments?limit=5&cursor={next}");
        }
        read.sort();
        read.dedup();
        assert_eq!(read.len(), 12);
        assert!(!read.iter().any(|word| word.contains("Later")));
    }
}

story! {
    async fn somebody_who_leaves_takes_likes_along_and_leaves_words_without_a_name(camp) {
        let (_, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        say(&chaya, &video, "Goodbye").await;
        chaya.put(&format!("{video}/like")).await.expect(200);
        let password = json!({ "current_password": crate::camp::PASSWORD });
        chaya.post("/api/auth/delete-account", password).await.expect(204);
        let stranger = camp.browser();
        let list = stranger.get(&format!("{video}/comments")).await.expect(200).json();
        assert_eq!(list["items"][0]["author_name"], "Former member");
        let seen = stranger.get(&video).await.expect(200).json();
        assert_eq!(seen["like_count"], 0);
        assert_eq!(seen["comment_count"], 1);
    }
}

fn admin_path(video: &str) -> String {
    format!("/api/admin{}/comments", video.trim_start_matches("/api"))
}

async fn waiting(staff: &Browser) -> Value {
    let dashboard = staff.get("/api/admin/dashboard").await.expect(200).json();
    dashboard["attention"]["held_comments"].clone()
}

story! {
    async fn a_first_comment_waits_for_the_camp_when_it_wants_to_read_it_first(camp) {
        let (staff, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        assert_eq!(say(&chaya, &video, "At once").await["held"], false, "by default nobody waits");
        camp.set("commentModeration", "first_held").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let stranger = camp.browser();
        let mut page = stranger.listen(None).await;
        let first = say(&moshe, &video, "First").await;
        assert_eq!(first["held"], true);
        assert_eq!(first["mine"], true);
        assert_eq!(say(&moshe, &video, "Second").await["held"], true, "none of his stands yet");
        page.hears_nothing().await;
        assert_eq!(said(&moshe, &video).await, ["Second", "First", "At once"]);
        for other in [&stranger, &chaya] {
            assert_eq!(said(other, &video).await, ["At once"]);
            assert_eq!(counted(other, &video).await, 1);
        }
        let path = format!("/api/comments/{}/report", id(&first));
        chaya.post(&path, json!({})).await.refused(404, "not_found");
        let desk = staff.get(&admin_path(&video)).await.expect(200).json();
        assert_eq!(desk["items"][1]["held"], true);
        assert_eq!(desk["items"][1]["hidden"], false);
        assert_eq!(waiting(&staff).await, 2);
        assert_eq!(staff.get("/api/admin/videos").await.expect(200).json()["items"][0]["held_comments"], 2);
        let to_read = staff.get("/api/admin/videos?attention=held_comments").await.expect(200).json();
        assert_eq!(to_read["items"].as_array().expect("items").len(), 1);

        let order = format!("/api/admin/comments/{}", id(&first));
        moshe.post(&format!("{order}/approve"), json!({})).await.refused(401, "staff_required");
        let approvals = join_all((0..4).map(|_| told(&staff, format!("{order}/approve")))).await;
        approvals.into_iter().for_each(|reply| drop(reply.expect(204)));
        let heard = page.hears("comment.created").await.data;
        assert_eq!(heard["comment"]["content"], "First");
        assert_eq!(heard["comment"]["held"], false);
        assert_eq!(said(&stranger, &video).await, ["First", "At once"]);
        assert_eq!(counted(&stranger, &video).await, 2);
        assert_eq!(say(&moshe, &video, "Third").await["held"], false, "the camp knows him now");
        page.hears("comment.created").await;
        assert_eq!(waiting(&staff).await, 1, "what was held before is still to be read");
        let owner = camp.owner().await;
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", id(&first))).await.expect(200).json();
        assert_eq!(log["items"].as_array().expect("items").len(), 1);
        assert_eq!(log["items"][0]["action"], "comment.approve");
    }
}

story! {
    async fn a_held_comment_is_hidden_deleted_or_taken_back_without_a_word_to_readers(camp) {
        let (staff, video) = a_video(&camp).await;
        camp.set("commentModeration", "first_held").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let mut page = camp.browser().listen(None).await;
        let rude = say(&moshe, &video, "Rude").await;
        let order = format!("/api/admin/comments/{}", id(&rude));
        told(&staff, format!("{order}/show")).await.expect(204);
        assert_eq!(said(&camp.browser(), &video).await, [] as [&str; 0], "showing is not approving");
        told(&staff, format!("{order}/hide")).await.expect(204);
        assert_eq!(said(&moshe, &video).await, [] as [&str; 0]);
        assert_eq!(waiting(&staff).await, 0);
        let late = told(&staff, format!("{order}/approve")).await.refused(409, "conflict");
        assert_eq!(late["detail"], "This comment is already hidden.");
        let desk = staff.get(&admin_path(&video)).await.expect(200).json();
        assert_eq!(desk["items"][0]["held"], false);
        assert_eq!(desk["items"][0]["hidden"], true);
        let again = say(&moshe, &video, "Again").await;
        assert_eq!(again["held"], true, "a hidden one does not make him known");
        moshe.delete(&format!("/api/comments/{}", id(&again))).await.expect(204);
        let last = say(&moshe, &video, "Last").await;
        staff.delete(&format!("/api/admin/comments/{}", id(&last))).await.expect(204);
        assert_eq!(counted(&moshe, &video).await, json!(0));
        assert_eq!(waiting(&staff).await, json!(0));
        page.hears_nothing().await;
        let nowhere = "/api/admin/comments/0190a5b0-0000-7000-8000-000000000000/approve";
        staff.post(nowhere, json!({})).await.refused(404, "not_found");
    }
}

async fn queue(staff: &Browser, query: &str) -> Vec<Value> {
    let list = staff.get(&format!("/api/admin/comments{query}")).await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

fn texts(list: &[Value]) -> Vec<&str> {
    list.iter().map(|row| row["content"].as_str().expect("a text")).collect()
}

async fn board(staff: &Browser) -> (Value, Value) {
    let board = staff.get("/api/admin/dashboard").await.expect(200).json();
    (board["attention"]["reported_comments"].clone(), board["tiles"]["comments_to_review"].clone())
}

story! {
    async fn a_reader_says_why_and_staff_keep_the_comment(camp) {
        let (staff, video) = a_video(&camp).await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let comment = say(&chaya, &video, "My Yossi runs faster than yours").await;
        let report = format!("/api/comments/{}/report", id(&comment));
        moshe.post(&report, json!({ "category": "rude" })).await.refused(422, "validation");
        moshe.post(&report, json!({ "category": "unkind", "reason": "It hurts\nothers" })).await.expect(204);
        camp.wait(chrono::TimeDelta::minutes(1));
        let stranger = camp.browser();
        stranger.post(&report, json!({ "category": "private" })).await.expect(204);

        let waiting = queue(&staff, "").await;
        assert_eq!(waiting.len(), 1);
        assert_eq!(waiting[0]["video_title"], "Lake");
        assert_eq!(waiting[0]["reports"], 2);
        let reasons: Vec<(&str, &str)> = waiting[0]["reasons"].as_array().expect("reasons").iter()
            .map(|one| (one["category"].as_str().expect("one"), one["reason"].as_str().expect("words"))).collect();
        assert_eq!(reasons, [("unkind", "It hurts\nothers"), ("private", "")]);
        assert!(!waiting[0].to_string().contains("Moshe"), "nobody learns who reported it");
        assert_eq!(board(&staff).await, (json!(1), json!(1)));

        let kept = format!("/api/admin/comments/{}/kept", id(&comment));
        let seen = |report: &Value| json!({ "reported_until": report["created_at"] });
        let (first, both) = (seen(&waiting[0]["reasons"][0]), seen(&waiting[0]["reasons"][1]));
        chaya.put_with(&kept, both.clone()).await.refused(401, "staff_required");
        staff.put_with(&kept, first).await.refused(409, "conflict");
        assert_eq!(board(&staff).await, (json!(1), json!(1)), "the second report was not seen yet");
        let keeps = join_all((0..4).map(|_| staff.put_with(&kept, both.clone()))).await;
        keeps.into_iter().for_each(|reply| drop(reply.expect(204)));
        assert_eq!(board(&staff).await, (json!(0), json!(0)));
        assert_eq!(queue(&staff, "").await.len(), 0);
        assert_eq!(said(&stranger, &video).await, ["My Yossi runs faster than yours"]);
        let desk = staff.get(&admin_path(&video)).await.expect(200).json();
        assert_eq!(desk["items"][0]["reports"], 0);

        moshe.post(&report, json!({ "category": "unkind" })).await.expect(204);
        assert_eq!(board(&staff).await.0, 0, "each reader counts once");
        camp.wait(chrono::TimeDelta::minutes(1));
        camp.browser().post(&report, json!({ "category": "advertising" })).await.expect(204);
        staff.put_with(&kept, both).await.refused(409, "conflict");
        let again = queue(&staff, "?filter=reported").await;
        assert_eq!(again[0]["reports"], 1, "only what came since");
        assert_eq!(again[0]["reasons"][0]["category"], "advertising");

        camp.wait(chrono::TimeDelta::minutes(1));
        let latest = seen(&again[0]["reasons"][0]);
        staff.put_with(&kept, latest.clone()).await.expect(204);
        told(&staff, format!("/api/admin/comments/{}/hide", id(&comment))).await.expect(204);
        let late = staff.delete(&kept).await.refused(409, "conflict");
        assert_eq!(late["detail"], "This comment is already hidden.");
        told(&staff, format!("/api/admin/comments/{}/show", id(&comment))).await.expect(204);
        staff.delete(&kept).await.expect(204);
        staff.delete(&kept).await.expect(204);
        assert_eq!(board(&staff).await, (json!(1), json!(1)), "taken back");
        assert_eq!(queue(&staff, "").await[0]["reports"], 1);
        staff.put_with("/api/admin/comments/0190a5b0-0000-7000-8000-000000000000/kept", latest).await.refused(404, "not_found");
        staff.delete("/api/admin/comments/0190a5b0-0000-7000-8000-000000000000/kept").await.refused(404, "not_found");

        let owner = camp.owner().await;
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", id(&comment))).await.expect(200).json();
        let lines: Vec<(&str, &Value)> = log["items"].as_array().expect("items").iter()
            .map(|entry| (entry["action"].as_str().expect("an action"), &entry["lines"][0]["after"])).collect();
        assert_eq!(lines, [("comment.reopen", &json!(1)), ("comment.show", &json!("shown")), ("comment.hide", &json!("hidden")),
            ("comment.keep", &json!(1)), ("comment.keep", &json!(2))]);
    }
}

story! {
    async fn one_queue_holds_the_comments_of_all_videos(camp) {
        let (staff, lake) = a_video(&camp).await;
        let forest = format!("/api/videos/{}", id(&posted(&staff, "Forest", json!({})).await));
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let minute = || camp.wait(chrono::TimeDelta::minutes(1));
        let mut said = Vec::new();
        for (video, text) in [(&lake, "Lovely"), (&forest, "Rude"), (&lake, "Ruder"), (&forest, "Out of sight"), (&lake, "שיין געזונגען")] {
            said.push(say(&chaya, video, text).await);
            minute();
        }
        camp.set("commentModeration", "first_held").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        say(&moshe, &lake, "My first").await;
        minute();
        say(&moshe, &forest, "My second").await;
        let stranger = camp.browser();
        for late_first in [2, 1, 3] {
            minute();
            stranger.post(&format!("/api/comments/{}/report", id(&said[late_first])), json!({})).await.expect(204);
        }
        told(&staff, format!("/api/admin/comments/{}/hide", id(&said[3]))).await.expect(204);

        assert_eq!(texts(&queue(&staff, "").await), ["Rude", "Ruder", "My first", "My second"], "reported ones first");
        assert_eq!(texts(&queue(&staff, "?filter=reported").await), ["Rude", "Ruder"]);
        assert_eq!(texts(&queue(&staff, "?filter=held").await), ["My first", "My second"]);
        assert_eq!(texts(&queue(&staff, "?filter=hidden").await), ["Out of sight"]);
        assert_eq!(queue(&staff, "?filter=all").await.len(), 7);
        assert_eq!(queue(&staff, "?filter=all").await[0]["content"], "My second", "the newest first");
        let counts = staff.get("/api/admin/comments/counts").await.expect(200).json();
        assert_eq!(counts, json!({ "to_review": 4, "reported": 2, "held": 2, "hidden": 1, "all": 7 }));

        assert_eq!(texts(&queue(&staff, "?q=forest").await), ["Rude", "My second"], "by the video");
        assert_eq!(texts(&queue(&staff, "?filter=all&q=MOSHE").await), ["My second", "My first"], "by the author");
        assert_eq!(texts(&queue(&staff, "?filter=all&q=%D7%92%D7%A2%D7%96%D7%95%D7%A0%D7%92%D7%A2%D7%A0").await), ["שיין געזונגען"], "by the text");
        let found = staff.get("/api/admin/comments/counts?q=moshe").await.expect(200).json();
        assert_eq!(found, json!({ "to_review": 2, "reported": 0, "held": 2, "hidden": 0, "all": 2 }));

        for filter in ["to_review", "all", "reported"] {
            let whole = queue(&staff, &format!("?filter={filter}")).await;
            let mut parts = Vec::new();
            let mut path = format!("/api/admin/comments?filter={filter}&limit=1");
            loop {
                let page = staff.get(&path).await.expect(200).json();
                parts.extend(page["items"].as_array().expect("items").clone());
                let Some(next) = page["next"].as_str() else { break };
                path = format!("/api/admin/comments?filter={filter}&limit=1&cursor={next}");
            }
            assert_eq!(parts, whole, "{filter}");
        }
        let page = staff.get("/api/admin/comments?filter=all&limit=1").await.expect(200).json();
        let next = page["next"].as_str().expect("more");
        staff.get(&format!("/api/admin/comments?filter=reported&cursor={next}")).await.refused(422, "validation");

        told(&staff, format!("/api/admin/comments/{}/show", id(&said[3]))).await.expect(204);
        assert_eq!(texts(&queue(&staff, "?filter=reported").await), ["Rude", "Ruder", "Out of sight"], "shown again, still reported");
        let password = json!({ "current_password": crate::camp::PASSWORD });
        moshe.post("/api/auth/delete-account", password).await.expect(204);
        assert_eq!(queue(&staff, "?filter=all&q=moshe").await.len(), 0);
        assert_eq!(texts(&queue(&staff, "?filter=all&q=former").await), ["My second", "My first"]);
    }
}
