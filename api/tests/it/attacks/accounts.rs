//! Attempts to take over a user or a family with links from emails. A link proves that somebody
//! receives mail at an address, but not that they created the user.

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, sign_up};

pub const OWN: &str = "eleven brave otters";

/// A family that staff added, with its path.
pub async fn family(staff: &Browser, email: &str) -> String {
    let new = json!({ "full_name": "Chaya Lindenfeld", "email": email, "child_name": "Yossi" });
    let family = staff.post("/api/admin/users", new).await.expect(201).json();
    format!("/api/admin/users/{}", family["id"].as_str().expect("an id"))
}

pub async fn logins(staff: &Browser, path: &str) -> i64 {
    staff.get(path).await.expect(200).json()["logins"].as_i64().expect("a number")
}

/// The token in the newest email to this address whose subject contains these words.
pub async fn link(camp: &Camp, email: &str, words: &str) -> String {
    camp.work().await;
    let mails = camp.mails_to(email);
    let found = mails.iter().rev().find(|mail| mail.subject.contains(words));
    crate::camp::token(found.unwrap_or_else(|| panic!("no mail to {email} about {words}")))
}

pub const CONFIRM: &str = "Please confirm your email";
pub const NEW: &str = "Please confirm your new email";
pub const SECOND: &str = "Join a family’s emails at";

pub async fn verify(browser: &Browser, token: &str) -> crate::camp::Reply {
    browser.post("/api/auth/verify", json!({ "token": token })).await
}

async fn verify_with(browser: &Browser, token: &str, key: &str, value: &str) -> crate::camp::Reply {
    browser.post("/api/auth/verify", json!({ "token": token, key: value })).await
}

async fn me(browser: &Browser) -> Value {
    browser.get("/api/session").await.expect(200).json()["user"].clone()
}

story! {
    async fn a_stranger_signs_up_with_a_parents_address_and_the_parent_presses_confirm(camp) {
        let staff = camp.staff().await;
        let path = family(&staff, "chaya@family.example").await;
        let mallory = camp.unconfirmed_parent("Chaya Lindenfeld", "chaya@family.example").await;
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        let chaya = camp.browser_at("198.51.100.1");

        let asked = chaya.post("/api/auth/verify/preview", json!({ "token": token })).await.expect(200).json();
        assert_eq!(asked["kind"], "login");
        assert_eq!(asked["needs"], "password_or_new_password");
        verify(&chaya, &token).await.refused(403, "password_required");
        let weak = verify_with(&chaya, &token, "new_password", "12345678").await.refused(422, "validation");
        assert_eq!(weak["errors"][0]["field"], "new_password");
        assert_eq!(logins(&staff, &path).await, 0);

        let done = verify_with(&chaya, &token, "new_password", OWN).await.expect(200).json();
        assert_eq!(done["linked"], true);
        assert_eq!(done["user"]["email"], "chaya@family.example");
        assert_eq!(done["user"]["family"], true);
        assert_eq!(logins(&staff, &path).await, 1);
        assert_eq!(me(&mallory).await, Value::Null);
        mallory.get("/api/profile").await.refused(401, "sign_in_required");
        let again = json!({ "email": "chaya@family.example", "password": PASSWORD });
        mallory.post("/api/auth/sign-in", again).await.refused(401, "invalid_credentials");
        assert_eq!(chaya.get("/api/profile").await.expect(200).json()["email"], "chaya@family.example");
    }
}

story! {
    async fn the_honest_parent_confirms_with_one_tap_or_elsewhere_with_the_password(camp) {
        let staff = camp.staff().await;
        let path = family(&staff, "chaya@family.example").await;
        let phone = camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        let asked = phone.post("/api/auth/verify/preview", json!({ "token": token })).await.expect(200).json();
        assert_eq!(asked["needs"], "nothing");
        assert_eq!(asked["email"], "chaya@family.example");
        assert_eq!(verify(&phone, &token).await.expect(200).json()["linked"], true);
        assert_eq!(logins(&staff, &path).await, 1);

        let tablet = camp.unconfirmed_parent("Rivky", "rivky@family.example").await;
        let token = link(&camp, "rivky@family.example", CONFIRM).await;
        let laptop = camp.browser();
        let done = verify_with(&laptop, &token, "current_password", PASSWORD).await.expect(200).json();
        assert_eq!(done["user"]["email"], "rivky@family.example");
        assert_eq!(done["user"]["email_verified"], true);
        laptop.get("/api/profile").await.expect(200);
        tablet.get("/api/profile").await.expect(200);
    }
}

story! {
    async fn a_confirmation_in_a_browser_where_somebody_else_is_signed_in_needs_the_password_too(camp) {
        camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        let rivky = camp.parent("Rivky", "rivky@family.example").await;
        verify(&rivky, &token).await.refused(403, "password_required");
        let done = verify_with(&rivky, &token, "current_password", PASSWORD).await.expect(200).json();
        assert_eq!(done["user"]["email"], "chaya@family.example");
    }
}

story! {
    async fn guessing_the_password_of_a_confirmation_is_slowed_down_and_spends_nothing(camp) {
        camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        let thief = camp.browser_at("198.51.100.66");
        for n in 0..5 {
            let wrong = verify_with(&thief, &token, "current_password", &format!("wrong {n}")).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], "current_password");
        }
        verify_with(&thief, &token, "current_password", PASSWORD).await.refused(429, "too_many_requests");
        // These attempts count as sign-in attempts for that account.
        let sign_in = json!({ "email": "chaya@family.example", "password": PASSWORD });
        thief.post("/api/auth/sign-in", sign_in).await.refused(429, "too_many_requests");
        verify_with(&camp.browser(), &token, "current_password", PASSWORD).await.expect(200);
    }
}

story! {
    async fn a_mail_scanner_that_follows_every_link_confirms_nothing(camp) {
        let chaya = camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        let scanner = camp.browser();
        for method in [Method::GET, Method::HEAD] {
            scanner.send(method, &format!("/auth/verify?token={token}"), None, &[]).await;
        }
        scanner.post("/api/auth/verify/preview", json!({ "token": token })).await.expect(200);
        assert_eq!(me(&chaya).await["email_verified"], false);
        verify(&chaya, &token).await.expect(200);
    }
}

story! {
    async fn a_stranger_moves_her_login_to_a_parents_address_and_the_parent_presses_confirm(camp) {
        let staff = camp.staff().await;
        let path = family(&staff, "chaya@family.example").await;
        let mallory = camp.parent("Mallory", "mallory@elsewhere.example").await;
        let ask = json!({ "current_password": PASSWORD, "new_email": "chaya@family.example" });
        mallory.post("/api/auth/email", ask).await.expect(202);
        let token = link(&camp, "chaya@family.example", NEW).await;
        let chaya = camp.browser_at("198.51.100.1");
        let asked = chaya.post("/api/auth/verify/preview", json!({ "token": token })).await.expect(200).json();
        assert_eq!(asked["kind"], "new_email");
        assert_eq!(asked["needs"], "password");
        verify(&chaya, &token).await.refused(403, "password_required");
        // Otherwise, whoever receives mail at a mistyped address could set a password and take over
        // the account.
        verify_with(&chaya, &token, "new_password", OWN).await.refused(403, "password_required");
        verify_with(&chaya, &token, "current_password", OWN).await.refused(422, "validation");
        assert_eq!(logins(&staff, &path).await, 0);
        assert_eq!(me(&mallory).await["email"], "mallory@elsewhere.example");

        // The user may confirm the address in another browser, with the password.
        let honest = camp.parent("Gitty", "old@family.example").await;
        let ask = json!({ "current_password": PASSWORD, "new_email": "new@family.example" });
        honest.post("/api/auth/email", ask).await.expect(202);
        let token = link(&camp, "new@family.example", NEW).await;
        verify_with(&camp.browser(), &token, "current_password", PASSWORD).await.expect(200);
        assert_eq!(me(&honest).await["email"], "new@family.example");
    }
}

/// Somebody who accepts a copied family invitation without having verified their address.
pub async fn invited(staff: &Browser, camp: &Camp, path: &str, name: &str, email: &str) -> Browser {
    let copied = staff.post(&format!("{path}/invitation-link"), json!({})).await.expect(200).json();
    let url = copied["url"].as_str().expect("a link").to_owned();
    let mut form = sign_up(name, email);
    form["invite"] = json!(url.split_once("invite=").expect("a token").1);
    let browser = camp.browser();
    browser.post("/api/auth/sign-up", form).await.expect(201);
    browser
}

/// A family whose invitation links a stranger got hold of. With them she created one user in a
/// parent's name and a second one of her own.
async fn prepared(staff: &Browser, camp: &Camp) -> (Browser, Browser) {
    let path = family(staff, "office@camp.example").await;
    let first = invited(staff, camp, &path, "Chaya Lindenfeld", "chaya@family.example").await;
    let second = invited(staff, camp, &path, "Mallory", "mallory@elsewhere.example").await;
    let token = link(camp, "mallory@elsewhere.example", CONFIRM).await;
    verify(&second, &token).await.expect(200);
    (first, second)
}

story! {
    async fn whoever_waits_in_a_family_that_a_stranger_made_is_left_behind_by_the_parent(camp) {
        let staff = camp.staff().await;
        for (n, route) in ["verify", "reset"].into_iter().enumerate() {
            if n > 0 {
                let waiting = staff.get("/api/admin/users").await.json();
                for family in waiting["items"].as_array().expect("a list") {
                    staff.delete(&format!("/api/admin/users/{}", family["id"].as_str().expect("an id"))).await.expect(204);
                }
            }
            let (first, second) = prepared(&staff, &camp).await;
            let chaya = camp.browser_at("198.51.100.1");
            if route == "verify" {
                let token = link(&camp, "chaya@family.example", CONFIRM).await;
                verify_with(&chaya, &token, "new_password", OWN).await.expect(200);
            } else {
                chaya.post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
                let token = link(&camp, "chaya@family.example", "Choose a new password").await;
                chaya.post("/api/auth/reset", json!({ "token": token, "password": OWN })).await.expect(204);
                chaya.post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": OWN })).await.expect(200);
            }
            first.get("/api/profile").await.refused(401, "sign_in_required");
            // The stranger does not get what the camp now gives the parent.
            let found = staff.get("/api/admin/users?q=chaya@family.example").await.json();
            let known = found["items"].as_array().expect("a list").iter().find(|f| f["email"] == "chaya@family.example").expect("a family");
            let plan = json!({ "version": known["version"], "total_amount": 290_000 });
            staff.patch(&format!("/api/admin/users/{}", known["id"].as_str().expect("an id")), plan).await.expect(200);
            let total = async |who: &Browser| who.get("/api/profile/payments").await.expect(200).json()["plan"]["total_amount"].clone();
            assert_eq!(total(&chaya).await, 290_000, "{route}");
            assert_ne!(total(&second).await, 290_000, "{route}");
            assert_eq!(chaya.get("/api/profile").await.json()["secondary_email"], Value::Null, "{route}");
        }
    }
}

story! {
    async fn an_invited_parent_does_not_become_a_visitor(camp) {
        let staff = camp.staff().await;
        let path = family(&staff, "chaya@family.example").await;
        let token = camp.token_for("chaya@family.example").await;
        let filled = camp.browser().post("/api/auth/invitation", json!({ "token": token })).await.expect(200).json();
        assert_eq!(filled["user_type"], "parent");
        let mut form = sign_up("Chaya", "chaya@family.example");
        form["invite"] = json!(token);
        form["user_type"] = json!("visitor");
        form["child_name"] = json!("");
        let wrong = camp.browser().post("/api/auth/sign-up", form.clone()).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0], json!({ "field": "user_type", "message": "This invitation is for a parent." }));
        form["user_type"] = json!("parent");
        form["child_name"] = json!("Yossi");
        camp.browser().post("/api/auth/sign-up", form).await.expect(201);
        assert_eq!(logins(&staff, &path).await, 1);
        assert_eq!(staff.get(&path).await.json()["user_type"], "parent");
    }
}

story! {
    async fn an_address_that_somebody_only_typed_gives_way_to_a_login_that_moves_to_it_and_proves_it(camp) {
        let staff = camp.staff().await;
        let mallory = camp.unconfirmed_parent("Mallory", "chaya@family.example").await;
        let chaya = camp.parent("Chaya", "old@family.example").await;
        let ask = json!({ "current_password": PASSWORD, "new_email": "chaya@family.example" });
        chaya.post("/api/auth/email", ask.clone()).await.expect(202);
        let token = link(&camp, "chaya@family.example", NEW).await;
        assert_eq!(me(&mallory).await["email"], "chaya@family.example", "nothing is proved yet");
        verify(&chaya, &token).await.expect(200);
        assert_eq!(me(&chaya).await["email"], "chaya@family.example");
        assert_eq!(me(&mallory).await, Value::Null);
        let found = staff.get("/api/admin/users?q=chaya@family.example").await.expect(200).json();
        let names: Vec<_> = found["items"].as_array().expect("a list").iter().map(|family| &family["full_name"]).collect();
        assert_eq!(json!(names), json!(["Chaya"]));
        // A verified address stays with its login.
        let rivky = camp.parent("Rivky", "rivky@family.example").await;
        let before = camp.mails_to("chaya@family.example").len();
        rivky.post("/api/auth/email", ask).await.expect(202);
        camp.work().await;
        assert_eq!(camp.mails_to("chaya@family.example").len(), before);
        assert_eq!(me(&chaya).await["email"], "chaya@family.example");
    }
}

story! {
    async fn an_address_that_was_proved_meanwhile_is_not_taken_by_a_login_that_moves_to_it(camp) {
        let rivky = camp.unconfirmed_parent("Rivky", "shared@family.example").await;
        let confirm = link(&camp, "shared@family.example", CONFIRM).await;
        let chaya = camp.parent("Chaya", "old@family.example").await;
        let ask = json!({ "current_password": PASSWORD, "new_email": "shared@family.example" });
        chaya.post("/api/auth/email", ask).await.expect(202);
        let moving = link(&camp, "shared@family.example", NEW).await;
        verify(&rivky, &confirm).await.expect(200);
        verify(&chaya, &moving).await.refused(409, "taken");
        assert_eq!(me(&rivky).await["email_verified"], true);
        assert_eq!(me(&chaya).await["email"], "old@family.example");
    }
}
