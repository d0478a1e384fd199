//! Users (parents and visitors), and the families they belong to.

use chrono::TimeDelta;
use portal::accounts::staff::Role;
use portal::db::Db;
use serde_json::json;

use crate::answers::approved;
use crate::camp::{PASSWORD, address, sign_up};

story! {
    async fn a_parent_signs_up_confirms_and_is_told_apart_from_strangers(camp) {
        let chaya = camp.browser();
        let reply = chaya.post("/api/auth/sign-up", sign_up("Chaya Lindenfeld", "Chaya@Family.Example")).await;
        let welcome = reply.expect(201).json();
        approved("signed_up", &welcome);
        approved("profile_of_a_new_parent", &chaya.get("/api/profile").await.expect(200).json());

        let token = camp.token_for("chaya@family.example").await;
        let proved = chaya.post("/api/auth/verify", json!({ "token": token })).await.expect(200).json();
        assert_eq!(proved["user"]["email_verified"], true);
        let again = chaya.post("/api/auth/verify", json!({ "token": token })).await;
        again.refused(410, "gone");
        let resent = chaya.post("/api/auth/verify/resend", json!({})).await;
        assert_eq!(resent.refused(409, "conflict")["detail"], "Your email is already confirmed.");
        let session = chaya.get("/api/session").await.json();
        assert_eq!(session["user"]["can_comment"], true);
        assert_eq!(camp.browser().get("/api/session").await.json()["user"], json!(null));
    }
}

story! {
    async fn a_link_in_a_mail_expires(camp) {
        let chaya = camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = camp.token_for("chaya@family.example").await;
        camp.wait(TimeDelta::days(3) + TimeDelta::seconds(1));
        chaya.post("/api/auth/verify", json!({ "token": token })).await.refused(410, "gone");
    }
}

story! {
    async fn the_sign_up_form_says_everything_that_is_wrong_at_once(camp) {
        let bad = json!({
            "name": " ", "email": "nobody", "password": "short", "user_type": "parent", "child_name": "",
            "email_notifications": true, "daily_video_email": true, "camp_updates_email": false,
        });
        let problem = camp.browser().post("/api/auth/sign-up", bad).await.refused(422, "validation");
        let fields: Vec<_> = problem["errors"].as_array().expect("errors").iter().map(|e| e["field"].clone()).collect();
        assert_eq!(fields, ["name", "email", "child_name", "password"]);
        let mut extra = sign_up("Chaya", "chaya@family.example");
        extra["verified"] = json!(true);
        camp.browser().post("/api/auth/sign-up", extra).await.refused(422, "validation");
        let mut common = sign_up("Chaya", "chaya@family.example");
        common["password"] = json!("password123");
        camp.browser().post("/api/auth/sign-up", common).await.refused(422, "validation");
        camp.work().await;
        assert!(camp.mails().is_empty(), "nothing was half-saved");
    }
}

story! {
    async fn one_address_has_one_login(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let again = camp.browser().post("/api/auth/sign-up", sign_up("Other", "CHAYA@family.example")).await;
        let problem = again.refused(409, "taken");
        assert_eq!(problem["detail"], "This email is already registered. Please sign in instead.");
    }
}

story! {
    async fn two_sign_ups_with_one_address_at_once_make_one_login(camp) {
        let racers = (0..6).map(|_| {
            let browser = camp.browser();
            async move { browser.post("/api/auth/sign-up", sign_up("Chaya", "chaya@family.example")).await.status.as_u16() }
        });
        let mut statuses = futures_util::future::join_all(racers).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    }
}

story! {
    async fn a_wrong_password_an_unknown_address_and_a_deleted_family_look_the_same(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let wrong = camp.browser_at("198.51.100.1").post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": "not this one" })).await;
        let unknown = camp.browser_at("198.51.100.2").post("/api/auth/sign-in", json!({ "email": "nobody@family.example", "password": "not this one" })).await;
        let (mut a, mut b) = (wrong.refused(401, "invalid_credentials"), unknown.refused(401, "invalid_credentials"));
        a["request_id"] = json!(null);
        b["request_id"] = json!(null);
        assert_eq!(a, b);
        drop(chaya);
    }
}

story! {
    async fn a_sign_in_counts_only_if_nothing_was_changed_while_the_password_was_compared(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let parent = ("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": PASSWORD }));
        let staff = |name: &str| ("/api/admin/auth/sign-in", json!({ "username": name, "password": PASSWORD }));
        let cases = [
            (parent.clone(), "update users set last_sign_in_at = null"),
            (parent, "update users set password_hash = 'another'"),
            (staff("same"), "update staff set last_sign_in_at = null where username = 'same'"),
            (staff("changed"), "update staff set password_hash = 'another' where username = 'changed'"),
            (staff("disabled"), "update staff set disabled_at = created_at where username = 'disabled'"),
            (staff("careful"), "update staff set totp_confirmed_at = created_at where username = 'careful'"),
        ];
        for name in ["same", "changed", "disabled", "careful"] {
            camp.staff_member(name, Role::Staff).await;
        }
        let mut answers = Vec::new();
        for ((path, body), change) in cases {
            // Holds back every password check until the change is made.
            let permits = camp.app.hashing.permits.acquire_many(2).await.expect("permits");
            let browser = camp.browser();
            let change = async {
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                match &camp.app.db {
                    Db::Sqlite { write, .. } => sqlx::query(change).execute(write).await.map(drop),
                    Db::Postgres(pool) => sqlx::query(change).execute(pool).await.map(drop),
                }
                .expect("changed");
                drop(permits);
            };
            let (reply, ()) = tokio::join!(browser.post(path, body), change);
            answers.push(reply.status.as_u16());
        }
        assert_eq!(answers, [200, 401, 200, 401, 401, 401]);
    }
}

story! {
    async fn guessing_is_slowed_down_and_the_parent_gets_in_again_by_waiting(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let right = json!({ "email": "chaya@family.example", "password": PASSWORD });
        let guess = json!({ "email": "chaya@family.example", "password": "wrong wrong" });
        let thief = camp.browser_at("198.51.100.66");
        for _ in 0..5 {
            thief.post("/api/auth/sign-in", guess.clone()).await.refused(401, "invalid_credentials");
        }
        let stopped = thief.post("/api/auth/sign-in", right.clone()).await;
        assert!(stopped.header("retry-after").parse::<u64>().expect("seconds") <= 15);
        stopped.refused(429, "too_many_requests");
        // Somebody else's failed guesses do not block the parent at home.
        camp.browser_at("203.0.113.9").post("/api/auth/sign-in", right.clone()).await.expect(200);
        camp.wait(TimeDelta::seconds(16));
        thief.post("/api/auth/sign-in", right).await.expect(200);
    }
}

story! {
    async fn a_hundred_guesses_at_once_are_a_hundred(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let guesses = (0..20).map(|n| {
            let thief = camp.browser_at("198.51.100.66");
            let guess = json!({ "email": "chaya@family.example", "password": format!("wrong wrong {n}") });
            async move { thief.post("/api/auth/sign-in", guess).await.status.as_u16() }
        });
        let statuses = futures_util::future::join_all(guesses).await;
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5);
        assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 15);
    }
}

story! {
    async fn a_forgotten_password_is_replaced_and_all_sessions_end(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let anyone = camp.browser();
        anyone.post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
        anyone.post("/api/auth/forgot", json!({ "email": "nobody@family.example" })).await.expect(202);
        let token = camp.token_for("chaya@family.example").await;
        assert!(camp.mails_to("nobody@family.example").is_empty());
        let weak = anyone.post("/api/auth/reset", json!({ "token": token, "password": "12345678" })).await;
        weak.refused(422, "validation");
        let new = "another lantern by the lake";
        anyone.post("/api/auth/reset", json!({ "token": token, "password": new })).await.expect(204);
        anyone.post("/api/auth/reset", json!({ "token": token, "password": new })).await.refused(410, "gone");
        chaya.get("/api/profile").await.refused(401, "sign_in_required");
        anyone.post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": new })).await.expect(200);
        let told = camp.mail_to("chaya@family.example").await;
        assert!(told.subject.contains("was changed"), "{}", told.subject);
    }
}

story! {
    async fn the_page_of_a_link_for_a_new_password_knows_whether_it_still_works(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let anyone = camp.browser();
        let preview = async |token: &str| anyone.post("/api/auth/reset/preview", json!({ "token": token })).await;
        let ask = async || {
            anyone.post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
            camp.token_for("chaya@family.example").await
        };
        let never = preview("no such token").await;
        let (first, second) = (ask().await, ask().await);
        // Mail scanners may open a link any number of times.
        for token in [&first, &first, &second] {
            assert_eq!(preview(token).await.expect(204).text(), "");
        }
        let new = "another lantern by the lake";
        anyone.post("/api/auth/reset", json!({ "token": first, "password": new })).await.expect(204);
        let said = never.refused(410, "gone")["detail"].clone();
        for token in [&first, &second] {
            assert_eq!(preview(token).await.refused(410, "gone")["detail"], said, "used, or void with it");
        }
        let late = ask().await;
        camp.wait(TimeDelta::minutes(61));
        assert_eq!(preview(&late).await.refused(410, "gone")["detail"], said);
    }
}

story! {
    async fn a_link_that_confirms_or_invites_sets_no_password(camp) {
        camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = camp.token_for("chaya@family.example").await;
        camp.browser().post("/api/auth/reset/preview", json!({ "token": token })).await.refused(410, "gone");
    }
}

story! {
    async fn nobody_can_flood_somebody_with_mails_about_passwords(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let before = camp.mails_to("chaya@family.example").len();
        for n in 0..8 {
            let stranger = camp.browser_at(&format!("198.51.100.{n}"));
            stranger.post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
        }
        camp.work().await;
        assert_eq!(camp.mails_to("chaya@family.example").len() - before, 3);
    }
}

story! {
    async fn changing_the_password_needs_the_old_one_and_ends_the_other_devices(camp) {
        let phone = camp.parent("Chaya", "chaya@family.example").await;
        let laptop = camp.browser();
        laptop.post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": PASSWORD })).await.expect(200);
        assert_eq!(phone.get("/api/auth/sessions").await.json()["items"].as_array().expect("a list").len(), 2);
        let new = "another lantern by the lake";
        let wrong = json!({ "current_password": "not this one", "new_password": new });
        phone.post("/api/auth/password", wrong).await.refused(422, "validation");
        let missing = json!({ "current_password": "", "new_password": new });
        let refusal = phone.post("/api/auth/password", missing).await;
        assert_eq!(refusal.refused(422, "validation")["detail"], "Please enter your password.");
        let right = json!({ "current_password": PASSWORD, "new_password": new });
        phone.post("/api/auth/password", right).await.expect(204);
        phone.get("/api/profile").await.expect(200);
        laptop.get("/api/profile").await.refused(401, "sign_in_required");
    }
}

story! {
    async fn a_new_login_address_counts_once_it_is_confirmed_and_the_old_one_is_told(camp) {
        let chaya = camp.parent("Chaya", "old@family.example").await;
        let ask = json!({ "current_password": PASSWORD, "new_email": "New@Family.Example" });
        chaya.post("/api/auth/email", ask).await.expect(202);
        let link = camp.token_for("new@family.example").await;
        assert_eq!(chaya.get("/api/session").await.json()["user"]["email"], "old@family.example");
        chaya.post("/api/auth/verify", json!({ "token": link })).await.expect(200);
        assert_eq!(chaya.get("/api/session").await.json()["user"]["email"], "new@family.example");
        assert_eq!(chaya.get("/api/profile").await.json()["email"], "new@family.example");
        assert!(camp.mail_to("old@family.example").await.subject.contains("was changed"));
    }
}

story! {
    async fn sign_out_ends_the_session_at_once(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let stolen = chaya.cookie("session").expect("a cookie");
        chaya.post("/api/auth/sign-out", json!({})).await.expect(204);
        assert_eq!(chaya.cookie("session"), None);
        let thief = camp.browser();
        let headers = [("cookie", format!("session={stolen}"))];
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let reply = thief.send(axum::http::Method::GET, "/api/profile", None, &headers).await;
        reply.refused(401, "sign_in_required");
    }
}

story! {
    async fn a_session_ends_after_two_weeks_of_silence(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        camp.wait(TimeDelta::days(13));
        chaya.get("/api/profile").await.expect(200);
        tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
        camp.wait(TimeDelta::days(15));
        chaya.get("/api/profile").await.refused(401, "sign_in_required");
    }
}

story! {
    async fn the_list_of_ones_sessions_has_only_those_that_still_work(camp) {
        let phone = camp.parent("Chaya", "chaya@family.example").await;
        let laptop = camp.browser();
        laptop.post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": PASSWORD })).await.expect(200);
        camp.wait(TimeDelta::days(13));
        // Other processes, whose caches are empty.
        camp.beside().await.of(&phone).get("/api/profile").await.expect(200);
        camp.wait(TimeDelta::days(2));
        let later = camp.beside().await;
        later.of(&laptop).get("/api/profile").await.refused(401, "sign_in_required");
        let listed = later.of(&phone).get("/api/auth/sessions").await.expect(200).json();
        let current: Vec<_> = listed["items"].as_array().expect("a list").iter().map(|session| &session["current"]).collect();
        assert_eq!(json!(current), json!([true]));
    }
}

story! {
    async fn a_deleted_account_is_gone_and_its_family_record_stays(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let wrong = chaya.post("/api/auth/delete-account", json!({ "current_password": "no" })).await;
        wrong.refused(422, "validation");
        let data = chaya.get("/api/profile/download").await.expect(200).json();
        assert_eq!(data["account"]["email"], "chaya@family.example");
        assert_eq!(data["sessions"], chaya.get("/api/auth/sessions").await.json()["items"]);
        assert_eq!(data["sessions"][0]["current"], true);
        chaya.post("/api/auth/delete-account", json!({ "current_password": PASSWORD })).await.expect(204);
        chaya.get("/api/profile").await.refused(401, "sign_in_required");
        let kept = staff.get("/api/admin/users?q=chaya").await.json();
        assert_eq!(kept["items"][0]["logins"], 0);
        assert_eq!(kept["items"][0]["daily_video_email"], false, "nobody writes to who has left");
    }
}

story! {
    async fn what_belongs_to_others_is_not_there(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let rivky = camp.parent("Rivky", "rivky@family.example").await;
        let sessions = chaya.get("/api/auth/sessions").await.json();
        let id = sessions["items"][0]["id"].as_str().expect("an id").to_owned();
        rivky.delete(&format!("/api/auth/sessions/{id}")).await.refused(404, "not_found");
        rivky.delete("/api/auth/sessions/nonsense").await.refused(404, "not_found");
        chaya.get("/api/profile").await.expect(200);
    }
}

story! {
    async fn preferences_and_names_are_saved_and_nothing_else(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let saved = chaya.patch("/api/profile", json!({ "full_name": "Chaya Sarah", "camp_updates_email": true })).await.expect(200).json();
        assert_eq!(saved["full_name"], "Chaya Sarah");
        assert_eq!(saved["camp_updates_email"], true);
        assert_eq!(saved["child_name"], "Yossi");
        for forbidden in ["user_type", "email", "approved_at", "profile_id"] {
            chaya.patch("/api/profile", json!({ forbidden: "parent" })).await.refused(422, "validation");
        }
        chaya.patch("/api/profile", json!({ "full_name": "x".repeat(121) })).await.refused(422, "validation");
        chaya.patch("/api/profile", json!({ "full_name": "a\u{0}b" })).await.refused(422, "validation");
        assert_eq!(chaya.get("/api/profile").await.json()["full_name"], "Chaya Sarah");
    }
}

story! {
    async fn requests_from_other_sites_are_refused(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let post = axum::http::Method::POST;
        let cross = [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")];
        let body = Some(json!({}));
        chaya.send(post.clone(), "/api/auth/sessions/end-all", body.clone(), &cross).await.refused(403, "forbidden");
        let old = [("sec-fetch-site", ""), ("origin", "https://evil.example")];
        chaya.send(post.clone(), "/api/auth/sessions/end-all", body, &old).await.refused(403, "forbidden");
        for form in ["text/plain", "multipart/form-data; boundary=x", "Application/X-WWW-Form-Urlencoded"] {
            let form = [("content-type", form)];
            for path in ["/api/auth/password", "/api/auth/sessions/end-all", "/api/auth/sign-out"] {
                chaya.send(post.clone(), path, Some(json!({})), &form).await.refused(415, "bad_request");
            }
        }
        chaya.get("/api/profile").await.expect(200);
    }
}

story! {
    async fn unsubscribing_works_signed_out_and_twice(camp) {
        use portal::notifications::Category;
        use portal::unsubscribe;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let link = unsubscribe::token(&camp.app.keys, &address("chaya@family.example"), Category::DailyVideos);
        let anyone = camp.browser();
        let shown = anyone.post("/api/unsubscribe/preview", json!({ "token": link })).await.expect(200).json();
        assert_eq!(shown["email_hint"], "c…a@family.example");
        assert_eq!(shown["category"], "daily_videos");
        // A mail program sends a form from any origin, without cookies.
        for _ in 0..2 {
            let request = axum::http::Request::post(format!("/api/unsubscribe/one-click?token={link}"))
                .header("content-type", "application/x-www-form-urlencoded")
                .body("List-Unsubscribe=One-Click".into()).expect("a request");
            anyone.send_raw(request).await.expect(204);
        }
        let profile = chaya.get("/api/profile").await.json();
        assert_eq!(profile["daily_video_email"], false);
        assert_eq!(profile["email_notifications"], true);
        anyone.post("/api/unsubscribe", json!({ "token": link, "scope": "everything" })).await.expect(204);
        assert_eq!(chaya.get("/api/profile").await.json()["email_notifications"], false);
        let mut forged = link.clone();
        forged.replace_range(0..1, if link.starts_with('e') { "f" } else { "e" });
        anyone.post("/api/unsubscribe", json!({ "token": forged, "scope": "category" })).await.refused(410, "gone");
    }
}

story! {
    async fn an_owner_may_be_staff_and_parent_in_one_browser(camp) {
        let browser = camp.staff_member("both", Role::Owner).await;
        browser.post("/api/auth/sign-up", sign_up("Both", "both@family.example")).await.expect(201);
        browser.post("/api/auth/sign-out", json!({})).await.expect(204);
        browser.get("/api/admin/accounts").await.expect(200);
    }
}
