//! Families and staff who share an IP address with an attacker who guesses passwords, because of a
//! web filter or an office network.

use axum::http::Method;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, Reply};

const PARENT: &str = "/api/auth/sign-in";
const STAFF: &str = "/api/admin/auth/sign-in";

fn parent(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

fn staff(username: &str, password: &str) -> Value {
    json!({ "username": username, "password": password })
}

/// A stranger behind the same address uses up its limit of failures across all accounts, until the
/// delay is several minutes.
async fn guess(camp: &Camp) {
    let stranger = camp.browser();
    for n in 0..34 {
        if n >= 30 {
            camp.wait(TimeDelta::minutes(16));
        }
        let given = parent(&format!("guess{n}@family.example"), "wrong wrong");
        stranger.post(PARENT, given).await.refused(401, "invalid_credentials");
        let given = staff(&format!("guess{n}"), "wrong wrong");
        stranger.post(STAFF, given).await.refused(401, "invalid_credentials");
    }
}

async fn wrong_until_refused(browser: &Browser, path: &str, given: Value) -> usize {
    for tried in 0..30 {
        let reply = browser.post(path, given.clone()).await;
        match reply.status.as_u16() {
            401 => {}
            429 => return tried,
            other => panic!("{other}: {}", reply.text()),
        }
    }
    panic!("never refused");
}

story! {
    async fn a_stranger_behind_the_same_address_keeps_nobody_out_of_a_known_browser(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let feder = camp.staff().await;
        chaya.post("/api/auth/sign-out", json!({})).await.expect(204);
        feder.post("/api/admin/auth/sign-out", json!({})).await.expect(204);
        guess(&camp).await;
        // An unknown browser is delayed, for every account.
        let (new, right) = (camp.browser(), parent("chaya@family.example", PASSWORD));
        new.post(PARENT, right.clone()).await.refused(429, "too_many_requests");
        new.post(STAFF, staff("feder", PASSWORD)).await.refused(429, "too_many_requests");
        // A known browser is not delayed, even after one failure.
        chaya.post(PARENT, parent("chaya@family.example", "wrong wrong")).await.refused(401, "invalid_credentials");
        chaya.post(PARENT, right).await.expect(200);
        feder.post(STAFF, staff("feder", "wrong wrong")).await.refused(401, "invalid_credentials");
        feder.post(STAFF, staff("feder", PASSWORD)).await.expect(200);
        // A browser is known for one account only.
        chaya.post(PARENT, parent("zev@family.example", PASSWORD)).await.refused(429, "too_many_requests");
        feder.post(STAFF, staff("kornbluh", PASSWORD)).await.refused(429, "too_many_requests");
    }
}

/// This browser's session without its other cookies, like a browser in which nobody has signed in
/// before.
async fn with_session_only(
    browser: &Browser,
    cookie: &str,
    method: Method,
    path: &str,
    body: Value,
) -> Reply {
    let session = format!("{cookie}={}", browser.cookie(cookie).expect("a session"));
    browser.without_cookies().send(method, path, Some(body), &[("cookie", &session)]).await
}

story! {
    async fn a_stranger_behind_the_same_address_keeps_nobody_from_confirming_a_password(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let feder = camp.staff().await;
        guess(&camp).await;
        let given = json!({ "current_password": PASSWORD, "new_email": "chaya2@family.example" });
        with_session_only(&chaya, "session", Method::POST, "/api/auth/email", given.clone()).await.expect(202);
        chaya.post("/api/auth/email", given).await.expect(202);
        let given = json!({ "current_password": PASSWORD });
        with_session_only(&feder, "staff", Method::POST, "/api/admin/two-factor", given.clone()).await.expect(200);
        feder.post("/api/admin/two-factor", given).await.expect(200);
    }
}

story! {
    async fn a_stolen_session_guesses_no_password_from_ever_new_networks_and_does_not_delay_its_owner(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let feder = camp.staff().await;
        for (browser, cookie, method, path) in [
            (&chaya, "session", Method::POST, "/api/auth/delete-account"),
            (&feder, "staff", Method::POST, "/api/admin/two-factor"),
        ] {
            for n in 0..5 {
                let thief = browser.at(format!("198.51.100.{n}").parse().expect("an address"));
                let given = json!({ "current_password": format!("wrong wrong {n}") });
                with_session_only(&thief, cookie, method.clone(), path, given).await.refused(422, "validation");
            }
            let right = json!({ "current_password": PASSWORD });
            let thief = browser.at("2001:db8:5::1".parse().expect("an address"));
            with_session_only(&thief, cookie, method.clone(), path, right.clone()).await.refused(429, "too_many_requests");
            let reply = browser.send(method, path, Some(right), &[]).await;
            assert!(reply.status.is_success(), "{path}: {}", reply.text());
        }
    }
}

story! {
    async fn a_family_that_shares_a_browser_is_known_with_each_login(camp) {
        let shared = camp.parent("Chaya", "chaya@family.example").await;
        shared.post("/api/auth/sign-out", json!({})).await.expect(204);
        shared.post("/api/auth/sign-up", crate::camp::sign_up("Zev", "zev@family.example")).await.expect(201);
        shared.post("/api/auth/sign-out", json!({})).await.expect(204);
        guess(&camp).await;
        for email in ["chaya@family.example", "zev@family.example", "chaya@family.example"] {
            shared.post(PARENT, parent(email, PASSWORD)).await.expect(200);
        }
        let cookie = shared.cookie("device").expect("a cookie");
        assert!(!cookie.contains('@') && cookie.len() < 400, "{cookie}");
    }
}

story! {
    async fn a_stolen_cookie_of_a_known_browser_is_worth_no_more_tries_than_an_address(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let feder = camp.staff().await;
        for (browser, path, given, right) in [
            (&chaya, PARENT, parent("chaya@family.example", "wrong wrong"), parent("chaya@family.example", PASSWORD)),
            (&feder, STAFF, staff("feder", "wrong wrong"), staff("feder", PASSWORD)),
        ] {
            // The guesses may come from any number of addresses.
            for n in 0..5 {
                let thief = browser.at(format!("198.51.100.{n}").parse().expect("an address"));
                thief.post(path, given.clone()).await.refused(401, "invalid_credentials");
            }
            let thief = browser.at("198.51.100.99".parse().expect("an address"));
            let wait = thief.post(path, given.clone()).await.refused(429, "too_many_requests");
            assert!(wait["retry_after"].as_i64().expect("seconds") <= 15, "{wait}");
            // The owner is not delayed elsewhere, and here only for a while.
            camp.browser_at("192.0.2.8").post(path, right.clone()).await.expect(200);
            camp.wait(TimeDelta::seconds(16));
            browser.post(path, right).await.expect(200);
        }
    }
}

story! {
    async fn a_known_browser_is_forgotten_with_a_new_password_and_its_cookie_cannot_be_made_up(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let zev = camp.parent("Zev", "zev@family.example").await;
        let phone = camp.browser();
        phone.post(PARENT, parent("chaya@family.example", PASSWORD)).await.expect(200);
        let change = json!({ "current_password": PASSWORD, "new_password": "nine quiet herons" });
        chaya.post("/api/auth/password", change).await.expect(204);
        guess(&camp).await;
        let right = parent("chaya@family.example", "nine quiet herons");
        phone.post(PARENT, right.clone()).await.refused(429, "too_many_requests");
        // The browser in which the password was changed stays known.
        chaya.post(PARENT, right.clone()).await.expect(200);
        let cookie = chaya.cookie("device").expect("a cookie");
        let foreign = zev.cookie("device").expect("a cookie");
        let mut parts: Vec<&str> = cookie.split('.').collect();
        parts[0] = "AAAA";
        for made_up in [parts.join("."), foreign, cookie.replace('.', "~"), "~".repeat(500), String::new()] {
            let header = [("cookie", format!("device={made_up}"))];
            let header: Vec<_> = header.iter().map(|(k, v)| (*k, v.as_str())).collect();
            let reply = camp.browser().send(axum::http::Method::POST, PARENT, Some(right.clone()), &header).await;
            assert_eq!(reply.status, 429, "{made_up}");
        }
        // It stays known for a year, too.
        camp.wait(TimeDelta::days(366));
        guess(&camp).await;
        chaya.post(PARENT, right).await.refused(429, "too_many_requests");
    }
}

story! {
    async fn a_link_for_a_new_password_lets_its_owner_in_wherever_strangers_guess(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        guess(&camp).await;
        let new = camp.browser();
        new.post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
        let token = camp.token_for("chaya@family.example").await;
        new.post("/api/auth/reset", json!({ "token": token, "password": "nine quiet herons" })).await.expect(204);
        new.post(PARENT, parent("chaya@family.example", "nine quiet herons")).await.expect(200);
    }
}

story! {
    async fn a_known_browser_learns_nothing_about_other_accounts_and_staff_can_clear_its_delay(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        camp.parent("Zev", "zev@family.example").await;
        let replies = [
            chaya.post(PARENT, parent("zev@family.example", "wrong wrong")).await,
            chaya.post(PARENT, parent("nobody@family.example", "wrong wrong")).await,
        ];
        for reply in replies {
            assert!(reply.headers.get("set-cookie").is_none_or(|set| !set.to_str().expect("text").starts_with("device=")));
            let problem = reply.refused(401, "invalid_credentials");
            assert_eq!(problem["detail"], "The email or password is incorrect.");
        }
        assert_eq!(wrong_until_refused(&chaya, PARENT, parent("chaya@family.example", "wrong wrong")).await, 5);
        let staff = camp.staff().await;
        let users = staff.get("/api/admin/users").await.expect(200).json();
        let hers = users["items"].as_array().expect("items").iter().find(|user| user["full_name"] == "Chaya").expect("a family").clone();
        let id = hers["id"].as_str().expect("an id");
        staff.post(&format!("/api/admin/users/{id}/clear-limits"), json!({})).await.expect(200);
        chaya.post(PARENT, parent("chaya@family.example", PASSWORD)).await.expect(200);
    }
}
