//! An intruder's attempts to get back in: with links that outlive the recovery, and with
//! credentials that change without the password.

use std::time::Duration;

use axum::http::Method;
use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::accounts::staff::Role;
use serde_json::{Value, json};

use super::accounts::{CONFIRM, NEW, OWN, SECOND, link, verify};
use crate::camp::{Browser, Camp, PASSWORD};
use crate::staff::code_of;

/// An intruder in a parent's session requests every link that would let her back in.
async fn intrusion(camp: &Camp) -> (Browser, Vec<String>) {
    let chaya = camp.parent("Chaya", "chaya@family.example").await;
    let ask = json!({ "current_password": PASSWORD, "new_email": "mallory@elsewhere.example" });
    chaya.post("/api/auth/email", ask).await.expect(202);
    chaya
        .patch("/api/profile", json!({ "secondary_email": "eve@elsewhere.example" }))
        .await
        .expect(200);
    let links = vec![
        link(camp, "mallory@elsewhere.example", NEW).await,
        link(camp, "eve@elsewhere.example", SECOND).await,
    ];
    (chaya, links)
}

async fn are_void(camp: &Camp, how: &str, links: &[String]) {
    for (token, evidence) in links.iter().flat_map(|t| [(t, PASSWORD), (t, OWN)]) {
        let given = json!({ "token": token, "current_password": evidence });
        let reply = camp.browser().post("/api/auth/verify", given).await;
        assert_eq!(reply.status, 410, "{how}: {}", reply.text());
        let shown =
            camp.browser().post("/api/auth/verify/preview", json!({ "token": token })).await;
        assert_eq!(shown.status, 410, "{how}: {}", shown.text());
    }
}

async fn reset(camp: &Camp, email: &str) {
    camp.browser().post("/api/auth/forgot", json!({ "email": email })).await.expect(202);
    let token = link(camp, email, "Choose a new password").await;
    camp.browser()
        .post("/api/auth/reset", json!({ "token": token, "password": OWN }))
        .await
        .expect(204);
}

story! {
    async fn links_that_an_intruder_asked_for_end_with_a_forgotten_password(camp) {
        let (_, links) = intrusion(&camp).await;
        reset(&camp, "chaya@family.example").await;
        are_void(&camp, "reset", &links).await;
    }
}

story! {
    async fn links_that_an_intruder_asked_for_end_with_a_new_password(camp) {
        let (chaya, links) = intrusion(&camp).await;
        let change = json!({ "current_password": PASSWORD, "new_password": OWN });
        chaya.post("/api/auth/password", change).await.expect(204);
        are_void(&camp, "password", &links).await;
    }
}

story! {
    async fn a_change_of_the_password_that_an_intruder_has_begun_does_not_outlive_the_recovery(camp) {
        let camp = camp.with_real_hashes();
        let (intruder, _) = intrusion(&camp).await;
        let forgot = json!({ "email": "chaya@family.example" });
        camp.browser().post("/api/auth/forgot", forgot).await.expect(202);
        let token = link(&camp, "chaya@family.example", "Choose a new password").await;
        let changes = (0..8).map(|n| {
            let to = format!("mallory keeps out {n}");
            intruder.post("/api/auth/password", json!({ "current_password": PASSWORD, "new_password": to }))
        });
        let owner = camp.browser();
        let recovery = owner.post("/api/auth/reset", json!({ "token": token, "password": OWN }));
        let (recovered, changed) = behind(&camp, recovery, join_all(changes)).await;
        recovered.expect(204);
        assert!(changed.iter().all(|reply| reply.status != 204), "after the recovery");
        let own = json!({ "email": "chaya@family.example", "password": OWN });
        owner.post("/api/auth/sign-in", own).await.expect(200);
    }
}

/// Sends `first`, which needs a password hash, and sends `rest` while `first` waits for it, so that
/// `rest` queues behind it. With real hashes, `first` finishes before `rest`.
async fn behind<A, B>(
    camp: &Camp,
    first: impl Future<Output = A>,
    rest: impl Future<Output = B>,
) -> (A, B) {
    let permit = async || camp.app.hashing.permits.clone().acquire_owned().await.expect("a permit");
    // Keeps one of the two permits, so that passwords are hashed one at a time.
    let (held, _kept) = (permit().await, permit().await);
    let wait = async |millis| tokio::time::sleep(Duration::from_millis(millis)).await;
    let rest = async {
        wait(300).await;
        rest.await
    };
    let release = async {
        wait(1_000).await;
        drop(held);
    };
    let (first, rest, ()) = tokio::join!(first, rest, release);
    (first, rest)
}

story! {
    async fn an_owner_who_is_locked_out_does_not_come_back_by_an_account_that_was_being_added(camp) {
        let camp = camp.with_real_hashes();
        let owner = camp.owner().await;
        let dismissed = camp.staff_member("dismissed", Role::Owner).await;
        let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
        let accounts = accounts["items"].as_array().expect("items").clone();
        let account = accounts.into_iter().find(|one| one["username"] == "dismissed").expect("an account");
        let additions = (0..4).map(|n| {
            let new = json!({
                "username": format!("door{n}"), "email": format!("door{n}@camp.example"), "role": "owner",
                "password": "quiet herons at dawn", "current_password": PASSWORD,
            });
            dismissed.post("/api/admin/accounts", new)
        });
        let path = format!("/api/admin/accounts/{}", account["id"].as_str().expect("an id"));
        let out = json!({ "version": account["version"], "disabled": true, "current_password": PASSWORD });
        let (disabled, added) = behind(&camp, owner.patch(&path, out), join_all(additions)).await;
        disabled.expect(200);
        for reply in added {
            reply.refused(401, "staff_required");
        }
    }
}

story! {
    async fn an_owner_who_is_locked_out_signs_nobody_out_any_more(camp) {
        let camp = camp.with_real_hashes();
        let owner = camp.owner().await;
        let dismissed = camp.staff_member("dismissed", Role::Owner).await;
        let feder = camp.staff().await;
        let (path, version) = account(&owner, "dismissed").await;
        let (feders, _) = account(&owner, "feder").await;
        let given = json!({ "current_password": PASSWORD });
        let sessions = format!("{feders}/sessions");
        let ends = (0..4).map(|_| dismissed.delete_with(&sessions, given.clone()));
        let out = json!({ "version": version, "disabled": true, "current_password": PASSWORD });
        let (disabled, ended) = behind(&camp, owner.patch(&path, out), join_all(ends)).await;
        disabled.expect(200);
        for reply in ended {
            reply.refused(401, "staff_required");
        }
        feder.get("/api/admin/colleagues").await.expect(200);
    }
}

story! {
    async fn an_intruder_does_not_turn_off_the_second_factor_of_an_account_that_was_recovered(camp) {
        let camp = camp.with_real_hashes();
        let owner = camp.owner().await;
        let intruder = camp.staff().await;
        let confirmed = json!({ "current_password": PASSWORD });
        let begun = intruder.post("/api/admin/two-factor", confirmed.clone()).await.expect(200).json();
        let code = code_of(begun["secret"].as_str().expect("a secret"), camp.now().timestamp());
        intruder.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200);
        let (path, _) = account(&owner, "feder").await;
        owner.post(&format!("{path}/reset"), confirmed.clone()).await.expect(202);
        let token = link(&camp, "feder@camp.example", "Choose a new password").await;
        let ends = (0..4).map(|_| intruder.send(Method::DELETE, "/api/admin/two-factor", Some(confirmed.clone()), &[]));
        let feder = camp.browser();
        let recovery = feder.post("/api/auth/reset", json!({ "token": token, "password": OWN }));
        let (recovered, ended) = behind(&camp, recovery, join_all(ends)).await;
        recovered.expect(204);
        assert!(ended.iter().all(|reply| reply.status != 204), "after the recovery");
        let without_code = json!({ "username": "feder", "password": OWN });
        let reply = feder.post("/api/admin/auth/sign-in", without_code).await;
        assert_ne!(reply.status, 200, "the second factor is still asked for");
    }
}

story! {
    async fn of_two_changes_of_a_password_at_one_moment_one_counts(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let staff = camp.staff().await;
        for (browser, path) in [(&chaya, "/api/auth/password"), (&staff, "/api/admin/password")] {
            let changes = join_all((0..4).map(|n| {
                let to = format!("quiet herons {n}");
                browser.post(path, json!({ "current_password": PASSWORD, "new_password": to }))
            }));
            let mut statuses: Vec<_> = changes.await.iter().map(|reply| reply.status.as_u16()).collect();
            statuses.sort_unstable();
            assert_eq!(statuses, [204, 422, 422, 422], "{path}");
        }
    }
}

story! {
    async fn links_that_an_intruder_asked_for_end_with_signing_out_everywhere(camp) {
        let (chaya, links) = intrusion(&camp).await;
        chaya.post("/api/auth/sessions/end-all", json!({})).await.expect(204);
        are_void(&camp, "everywhere", &links).await;
    }
}

story! {
    async fn open_links_end_when_the_address_changes(camp) {
        let chaya = camp.unconfirmed_parent("Chaya", "old@family.example").await;
        let confirm = link(&camp, "old@family.example", CONFIRM).await;
        chaya.post("/api/auth/forgot", json!({ "email": "old@family.example" })).await.expect(202);
        let forgotten = link(&camp, "old@family.example", "Choose a new password").await;
        for email in ["one@family.example", "two@family.example"] {
            let ask = json!({ "current_password": PASSWORD, "new_email": email });
            chaya.post("/api/auth/email", ask).await.expect(202);
        }
        let (one, two) = (link(&camp, "one@family.example", NEW).await, link(&camp, "two@family.example", NEW).await);
        verify(&chaya, &one).await.expect(200);
        verify(&chaya, &two).await.refused(410, "gone");
        verify(&chaya, &confirm).await.refused(410, "gone");
        let given = json!({ "token": forgotten, "password": OWN });
        camp.browser().post("/api/auth/reset", given).await.refused(410, "gone");
        // Nobody verified the old address, so it gets no mail.
        assert_eq!(camp.mails_to("old@family.example").len(), 2);
    }
}

story! {
    async fn a_link_whose_mail_still_waits_is_not_written_after_the_recovery(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let ask = json!({ "current_password": PASSWORD, "new_email": "mallory@elsewhere.example" });
        chaya.post("/api/auth/email", ask).await.expect(202);
        chaya.patch("/api/profile", json!({ "secondary_email": "eve@elsewhere.example" })).await.expect(200);
        let change = json!({ "current_password": PASSWORD, "new_password": OWN });
        chaya.post("/api/auth/password", change).await.expect(204);
        camp.work().await;
        assert!(camp.mails_to("mallory@elsewhere.example").is_empty());
        assert!(camp.mails_to("eve@elsewhere.example").is_empty());
    }
}

async fn account(owner: &Browser, username: &str) -> (String, Value) {
    let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
    let found =
        accounts["items"].as_array().expect("items").iter().find(|one| one["username"] == username);
    let account = found.expect("an account").clone();
    (
        format!("/api/admin/accounts/{}", account["id"].as_str().expect("an id")),
        account["version"].clone(),
    )
}

story! {
    async fn a_staff_link_ends_with_everything_that_locks_others_out(camp) {
        let owner = camp.owner().await;
        let mut feder = camp.staff().await;
        let (path, _) = account(&owner, "feder").await;
        for how in ["own password", "others out", "owner signs out", "email"] {
            owner.post(&format!("{path}/reset"), json!({ "current_password": PASSWORD })).await.expect(202);
            let token = link(&camp, "feder@camp.example", "Choose a new password").await;
            match how {
                "own password" => {
                    let change = json!({ "current_password": PASSWORD, "new_password": OWN });
                    feder.post("/api/admin/password", change).await.expect(204);
                }
                "others out" => drop(feder.post("/api/admin/sessions/end-others", json!({})).await.expect(204)),
                "owner signs out" => {
                    owner.delete_with(&format!("{path}/sessions"), json!({ "current_password": PASSWORD })).await.expect(204);
                    feder = camp.browser();
                    feder.post("/api/admin/auth/sign-in", json!({ "username": "feder", "password": OWN })).await.expect(200);
                }
                _ => {
                    let (_, version) = account(&owner, "feder").await;
                    owner.patch(&path, json!({ "version": version, "email": "other@camp.example", "current_password": PASSWORD })).await.expect(200);
                }
            }
            let given = json!({ "token": token, "password": "nine quiet herons" });
            let reply = camp.browser().post("/api/auth/reset", given).await;
            assert_eq!(reply.status, 410, "{how}: {}", reply.text());
        }
    }
}

story! {
    async fn an_open_session_of_an_owner_does_not_become_the_account(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let (path, version) = account(&owner, "kornbluh").await;
        for change in [json!({ "password": OWN }), json!({ "email": "mallory@elsewhere.example" }), json!({ "username": "mallory" })] {
            for given in [None, Some("wrong wrong")] {
                let mut body = change.clone();
                body["version"] = version.clone();
                if let Some(given) = given {
                    body["current_password"] = json!(given);
                }
                let problem = owner.patch(&path, body).await.refused(422, "validation");
                assert_eq!(problem["errors"][0]["field"], "current_password", "{change}");
            }
        }
        let right = json!({ "version": version, "email": "kornbluh2@camp.example", "current_password": PASSWORD });
        assert_eq!(owner.patch(&path, right).await.expect(200).json()["email"], "kornbluh2@camp.example");
        // An owner confirms a change to another account with her own password, not with that
        // account's.
        let (path, version) = account(&owner, "feder").await;
        owner.patch(&path, json!({ "version": version, "password": OWN, "current_password": PASSWORD })).await.expect(200);
    }
}

story! {
    async fn an_open_session_does_not_set_up_an_authenticator_app(camp) {
        for staff in [camp.owner().await, camp.staff().await] {
            staff.post("/api/admin/two-factor", json!({})).await.refused(422, "validation");
            let wrong = staff.post("/api/admin/two-factor", json!({ "current_password": "wrong wrong" })).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], "current_password");
            staff.post("/api/admin/two-factor/confirm", json!({ "code": "000000" })).await.refused(409, "conflict");
            staff.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200);
        }
    }
}

story! {
    async fn an_open_session_of_an_owner_makes_no_second_owner_and_takes_no_account(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let new = json!({ "username": "mallory", "email": "mallory@elsewhere.example", "role": "owner", "password": OWN });
        let (path, version) = account(&owner, "feder").await;
        for given in [None, Some("wrong wrong")] {
            let with = |mut body: Value| {
                if let Some(given) = given {
                    body["current_password"] = json!(given);
                }
                body
            };
            let problem = owner.post("/api/admin/accounts", with(new.clone())).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], "current_password");
            for change in [json!({ "role": "owner" }), json!({ "password": OWN }), json!({ "email": "mallory@elsewhere.example" })] {
                let mut body = with(change.clone());
                body["version"] = version.clone();
                let problem = owner.patch(&path, body).await.refused(422, "validation");
                assert_eq!(problem["errors"][0]["field"], "current_password", "{change}");
            }
        }
        let told = |camp: &Camp| camp.mails_to("kornbluh@camp.example").into_iter().filter(|mail| mail.subject.contains("staff accounts")).count();
        camp.work().await;
        assert_eq!(told(&camp), 0);
        let mut new = new;
        new["current_password"] = json!(PASSWORD);
        owner.post("/api/admin/accounts", new).await.expect(201);
        owner.patch(&path, json!({ "version": version, "role": "owner", "current_password": PASSWORD })).await.expect(200);
        camp.work().await;
        assert_eq!(told(&camp), 2);
    }
}

story! {
    async fn an_open_session_of_an_owner_keeps_no_colleague_out(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let (path, _) = account(&owner, "feder").await;
        let reset = format!("{path}/reset");
        let sessions = format!("{path}/sessions");
        let listed = owner.get(&sessions).await.expect(200).json();
        let session = format!("{sessions}/{}", listed["items"][0]["id"].as_str().expect("an id"));
        let steps: [(Method, &str, Value, u16); 8] = [
            (Method::DELETE, &session, json!({}), 204),
            (Method::DELETE, &sessions, json!({}), 204),
            (Method::POST, &reset, json!({}), 202),
            (Method::PATCH, &path, json!({ "version": 1, "username": "federn" }), 200),
            (Method::PATCH, &path, json!({ "version": 2, "disabled": true }), 200),
            (Method::PATCH, &path, json!({ "version": 3, "disabled": false }), 200),
            (Method::PATCH, &path, json!({ "version": 4, "role": "owner" }), 200),
            (Method::DELETE, &path, json!({}), 204),
        ];
        for (method, path, body, done) in steps {
            for (given, status) in [(None, 422), (Some("wrong wrong"), 422), (Some(PASSWORD), done)] {
                if status != 422 && path == reset {
                    camp.work().await;
                    assert!(camp.mails_to("feder@camp.example").is_empty(), "no link was sent");
                }
                let mut body = body.clone();
                if let Some(given) = given {
                    body["current_password"] = json!(given);
                }
                let reply = owner.send(method.clone(), path, Some(body.clone()), &[]).await.expect(status);
                // The error for a body that lacks a required field does not name the field.
                if status == 422 && (given.is_some() || method == Method::PATCH) {
                    assert_eq!(reply.json()["errors"][0]["field"], "current_password", "{method} {body}");
                }
            }
        }
        feder.get("/api/admin/users").await.refused(401, "staff_required");
        let left = owner.get("/api/admin/accounts").await.expect(200).json();
        assert_eq!(left["items"].as_array().expect("items").len(), 1);
    }
}

story! {
    async fn a_second_factor_that_comes_or_goes_is_told_and_locks_others_out(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let (path, _) = account(&owner, "feder").await;
        let begun = feder.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200).json();
        let secret = begun["secret"].as_str().expect("a secret").to_owned();
        for on in [true, false] {
            let code = code_of(&secret, camp.now().timestamp());
            let other = camp.browser();
            let sign_in = json!({ "username": "feder", "password": PASSWORD, "code": (!on).then_some(&code) });
            other.post("/api/admin/auth/sign-in", sign_in).await.expect(200);
            other.get("/api/admin/sessions").await.expect(200);
            owner.post(&format!("{path}/reset"), json!({ "current_password": PASSWORD })).await.expect(202);
            let token = link(&camp, "feder@camp.example", "Choose a new password").await;
            let password = json!({ "current_password": PASSWORD });
            if on {
                feder.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200);
            } else {
                feder.send(Method::DELETE, "/api/admin/two-factor", Some(password), &[]).await.expect(204);
            }
            feder.get("/api/admin/sessions").await.expect(200);
            other.get("/api/admin/sessions").await.refused(401, "staff_required");
            let given = json!({ "token": token, "password": "nine quiet herons" });
            camp.browser().post("/api/auth/reset", given).await.refused(410, "gone");
            camp.work().await;
            let told = camp.mails_to("feder@camp.example").pop().expect("a mail");
            let word = if on { "on" } else { "off" };
            assert_eq!(told.subject, format!("Two-factor was turned {word} for your staff account at Visiting Day"));
            camp.wait(TimeDelta::seconds(60));
        }
    }
}

story! {
    async fn first_codes_of_an_authenticator_app_cannot_be_guessed_without_end(camp) {
        let staff = camp.staff().await;
        let begun = staff.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200).json();
        let secret = begun["secret"].as_str().expect("a secret");
        let right = code_of(secret, camp.now().timestamp());
        let wrong = if right == "000000" { "000001" } else { "000000" };
        for _ in 0..10 {
            staff.post("/api/admin/two-factor/confirm", json!({ "code": wrong })).await.refused(422, "validation");
        }
        let elsewhere = camp.browser_at("198.51.100.9");
        elsewhere.post("/api/admin/auth/sign-in", json!({ "username": "feder", "password": PASSWORD })).await.expect(200);
        for browser in [&staff, &elsewhere] {
            browser.post("/api/admin/two-factor/confirm", json!({ "code": right })).await.refused(429, "too_many_requests");
        }
        camp.wait(TimeDelta::minutes(15));
        let code = code_of(secret, camp.now().timestamp());
        staff.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200);
    }
}
