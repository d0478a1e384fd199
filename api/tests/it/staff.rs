//! Staff sign-in, roles, the second factor, and the last owner.

use chrono::TimeDelta;
use portal::accounts::Role;
use serde_json::{Value, json};

use crate::camp::PASSWORD;

story! {
    async fn staff_sign_in_by_name_and_are_not_parents(camp) {
        let owner = camp.owner().await;
        let me = owner.get("/api/admin/session").await.json();
        assert_eq!(me["staff"]["username"], "kornbluh");
        assert_eq!(me["staff"]["role"], "owner");
        owner.get("/api/profile").await.refused(401, "sign_in_required");
        let parent = camp.parent("Chaya", "chaya@family.example").await;
        parent.get("/api/admin/users").await.refused(401, "staff_required");
        let wrong = camp.browser().post("/api/admin/auth/sign-in", json!({ "username": "KORNBLUH ", "password": "no" })).await;
        let problem = wrong.refused(401, "invalid_credentials");
        assert_eq!(problem["detail"], "Invalid username or password. Please check your credentials and try again.");
        camp.browser().post("/api/admin/auth/sign-in", json!({ "username": " Kornbluh ", "password": PASSWORD })).await.expect(200);
    }
}

story! {
    async fn staff_may_not_do_what_is_for_owners(camp) {
        let staff = camp.staff().await;
        for path in ["/api/admin/accounts", "/api/admin/settings", "/api/admin/audit"] {
            staff.get(path).await.refused(403, "owner_required");
        }
        staff.get("/api/admin/users").await.expect(200);
    }
}

story! {
    async fn owners_add_change_and_remove_accounts(camp) {
        let owner = camp.owner().await;
        let new = json!({ "username": "Weber", "email": "weber@camp.example", "role": "staff", "password": PASSWORD, "current_password": PASSWORD });
        let added = owner.post("/api/admin/accounts", new.clone()).await.expect(201).json();
        assert!(added.get("password").is_none() && added.get("password_hash").is_none());
        let again = owner.post("/api/admin/accounts", json!({ "username": "wEBER", "email": "w2@camp.example", "role": "staff", "password": PASSWORD, "current_password": PASSWORD })).await;
        assert_eq!(again.refused(409, "taken")["detail"], "Username already exists");
        let again = owner.post("/api/admin/accounts", json!({ "username": "weber2", "email": "WEBER@camp.example", "role": "staff", "password": PASSWORD, "current_password": PASSWORD })).await;
        assert_eq!(again.refused(409, "taken")["detail"], "Email already exists");
        let missing = owner.post("/api/admin/accounts", json!({ "username": " ", "email": "x@camp.example", "role": "staff", "password": PASSWORD, "current_password": PASSWORD })).await;
        assert_eq!(missing.refused(422, "validation")["detail"], "All fields are required");

        let weber = camp.browser();
        let signing_in = json!({ "username": "weber", "password": PASSWORD });
        weber.post("/api/admin/auth/sign-in", signing_in.clone()).await.expect(200);
        let path = format!("/api/admin/accounts/{}", added["id"].as_str().expect("an id"));
        owner.patch(&path, json!({ "version": 1, "disabled": true, "current_password": PASSWORD })).await.expect(200);
        weber.get("/api/admin/users").await.refused(401, "staff_required");
        weber.post("/api/admin/auth/sign-in", signing_in.clone()).await.refused(401, "invalid_credentials");
        owner.patch(&path, json!({ "version": 2, "disabled": false, "role": "owner", "current_password": PASSWORD })).await.expect(200);
        weber.post("/api/admin/auth/sign-in", signing_in).await.expect(200);
        weber.get("/api/admin/accounts").await.expect(200);
        let confirmed = json!({ "current_password": PASSWORD });
        owner.delete_with(&path, confirmed.clone()).await.expect(204);
        weber.get("/api/admin/users").await.refused(401, "staff_required");
        owner.delete_with(&path, confirmed).await.refused(404, "not_found");
    }
}

story! {
    async fn the_last_owner_stays(camp) {
        let owner = camp.owner().await;
        let accounts = owner.get("/api/admin/accounts").await.json();
        let path = format!("/api/admin/accounts/{}", accounts["items"][0]["id"].as_str().expect("an id"));
        let removed = owner.delete_with(&path, json!({ "current_password": PASSWORD })).await;
        assert_eq!(removed.refused(409, "conflict")["detail"], "Cannot delete the last admin account");
        for reply in [
            owner.patch(&path, json!({ "version": 1, "role": "staff", "current_password": PASSWORD })).await,
            owner.patch(&path, json!({ "version": 1, "disabled": true, "current_password": PASSWORD })).await,
        ] {
            let said = "This is the last owner who can sign in. Please make somebody else an owner first.";
            assert_eq!(reply.refused(409, "conflict")["detail"], said);
        }
        owner.get("/api/admin/accounts").await.expect(200);
    }
}

story! {
    async fn two_owners_who_delete_each_other_leave_one(camp) {
        let confirmed = json!({ "current_password": PASSWORD });
        for round in 0..10 {
            let first = camp.staff_member(&format!("first{round}"), Role::Owner).await;
            let second = camp.staff_member(&format!("second{round}"), Role::Owner).await;
            let accounts = first.get("/api/admin/accounts").await.json();
            // Leaves only these two as owners.
            for account in accounts["items"].as_array().expect("a list") {
                let name = account["username"].as_str().expect("a name");
                if !name.ends_with(&round.to_string()) {
                    let path = format!("/api/admin/accounts/{}", account["id"].as_str().expect("an id"));
                    first.delete_with(&path, confirmed.clone()).await.expect(204);
                }
            }
            let id = |name: &str| accounts["items"].as_array().expect("a list").iter()
                .find(|account| account["username"] == name).expect("an account")["id"].as_str().expect("an id").to_owned();
            let (one, two) = (format!("/api/admin/accounts/{}", id(&format!("first{round}"))), format!("/api/admin/accounts/{}", id(&format!("second{round}"))));
            // Opens both connections first, so that neither request has a head start.
            tokio::join!(first.get("/api/admin/users"), second.get("/api/admin/users"));
            let (a, b) = tokio::join!(first.delete_with(&two, confirmed.clone()), second.delete_with(&one, confirmed.clone()));
            let gone = [a.status.as_u16(), b.status.as_u16()].iter().filter(|status| **status == 204).count();
            assert_eq!(gone, 1);
        }
    }
}

story! {
    async fn staff_are_signed_out_after_half_an_hour_without_use(camp) {
        let staff = camp.passing_staff_member("feder", Role::Staff).await;
        camp.wait(TimeDelta::minutes(31));
        tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
        staff.get("/api/admin/users").await.refused(401, "staff_required");
    }
}

pub fn code_of(secret: &str, at: i64) -> String {
    use totp_rs::Builder;
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u64, 0);
    for c in secret.bytes().filter(|c| *c != b' ') {
        let value =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".iter().position(|l| *l == c).expect("base32")
                as u64;
        bits = bits << 5 | value;
        count += 5;
        if count >= 8 {
            bytes.push((bits >> (count - 8) & 255) as u8);
            count -= 8;
        }
    }
    let secret: [u8; 20] = bytes.try_into().expect("160 bits");
    Builder::new().with_secret(secret).build().expect("an engine").generate(at as u64).to_string()
}

story! {
    async fn a_second_factor_is_asked_for_once_it_is_set_up_and_a_code_works_once(camp) {
        let staff = camp.staff().await;
        let begun = staff.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200).json();
        let secret = begun["secret"].as_str().expect("a secret").to_owned();
        assert!(begun["otpauth_url"].as_str().expect("a link").starts_with("otpauth://totp/"));
        staff.post("/api/admin/two-factor/confirm", json!({ "code": "000000" })).await.refused(422, "validation");
        let code = code_of(&secret, camp.now().timestamp());
        let done = staff.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200).json();
        let recovery = done["recovery_codes"][0].as_str().expect("a code").to_owned();

        let given = |code: Value| json!({ "username": "feder", "password": PASSWORD, "code": code });
        let door = camp.browser_at("198.51.100.9");
        door.post("/api/admin/auth/sign-in", given(json!(null))).await.refused(401, "second_factor_required");
        door.post("/api/admin/auth/sign-in", given(json!(code))).await.refused(401, "invalid_credentials");
        camp.wait(TimeDelta::seconds(60));
        let fresh = code_of(&secret, camp.now().timestamp());
        door.post("/api/admin/auth/sign-in", given(json!(fresh))).await.expect(200);
        door.post("/api/admin/auth/sign-in", given(json!(recovery))).await.expect(200);
        camp.browser_at("198.51.100.10").post("/api/admin/auth/sign-in", given(json!(recovery))).await.refused(401, "invalid_credentials");
    }
}

story! {
    async fn new_recovery_codes_replace_the_earlier_ones_at_once(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let path = "/api/admin/two-factor/recovery-codes";
        let with = |password: &str, code: &str| json!({ "current_password": password, "code": code });
        staff.post(path, with(PASSWORD, "000000")).await.refused(409, "conflict");
        let begun = staff.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200).json();
        let secret = begun["secret"].as_str().expect("a secret").to_owned();
        let used = code_of(&secret, camp.now().timestamp());
        let first = staff.post("/api/admin/two-factor/confirm", json!({ "code": used })).await.expect(200).json();

        // The password alone is not enough, nor is the code alone or a used code.
        let fresh = code_of(&secret, camp.now().timestamp() + 30);
        for (given, field) in [(with("no", &fresh), "current_password"), (with(PASSWORD, "000000"), "code"), (with(PASSWORD, &used), "code")] {
            let problem = staff.post(path, given).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], field);
        }
        let left = async || staff.get("/api/admin/two-factor").await.expect(200).json();
        assert_eq!(left().await, json!({ "on": true, "recovery_codes_left": 10 }));
        let second = staff.post(path, with(PASSWORD, &fresh)).await.expect(200).json();
        assert_eq!(second["recovery_codes"].as_array().expect("codes").len(), 10);
        camp.work().await;
        let told = camp.mails_to("feder@camp.example").pop().expect("a mail");
        assert_eq!(told.subject, "New recovery codes for your staff account at Visiting Day");
        assert!(told.text.contains("The earlier codes no longer work."), "{}", told.text);

        let door = camp.browser_at("198.51.100.9");
        let sign_in = |code: &Value| json!({ "username": "feder", "password": PASSWORD, "code": code });
        for earlier in first["recovery_codes"].as_array().expect("codes").iter().take(2) {
            door.post("/api/admin/auth/sign-in", sign_in(earlier)).await.refused(401, "invalid_credentials");
        }
        door.post("/api/admin/auth/sign-in", sign_in(&second["recovery_codes"][0])).await.expect(200);
        assert_eq!(left().await["recovery_codes_left"], 9);
        let log = owner.get("/api/admin/audit").await.expect(200).json();
        let lines = log["items"].as_array().expect("items").iter().filter(|one| one["action"] == "staff.recovery_codes");
        assert_eq!(lines.count(), 1);
    }
}

story! {
    async fn where_two_factor_is_required_it_comes_before_everything_else(camp) {
        let owner = camp.owner().await;
        camp.set("enableTwoFactor", true).await;
        tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
        owner.get("/api/admin/users").await.refused(403, "second_factor_setup_required");
        let begun = owner.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200).json();
        let code = code_of(begun["secret"].as_str().expect("a secret"), camp.now().timestamp());
        owner.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200);
        owner.get("/api/admin/users").await.expect(200);
    }
}

story! {
    async fn settings_are_checked_stored_and_take_effect(camp) {
        let owner = camp.owner().await;
        let bad = owner.patch("/api/admin/settings", json!({ "siteName": "Camp Ner Hayaar", "timezone": "Mars/Base", "nonsense": 1 })).await;
        let problem = bad.refused(422, "validation");
        assert_eq!(problem["errors"].as_array().expect("errors").len(), 2);
        assert_eq!(camp.browser().get("/api/site").await.json()["site_name"], "Visiting Day", "all or none");
        owner.patch("/api/admin/settings", json!({ "siteName": "Camp Ner Hayaar", "timezone": "America/Chicago", "passwordMinLength": 12 })).await.expect(200);
        let site = camp.browser().get("/api/site").await.json();
        assert_eq!(site["site_name"], "Camp Ner Hayaar");
        assert_eq!(site["timezone"], "America/Chicago");
        assert_eq!(site["password_min_length"], 12);
        let log = owner.get("/api/admin/audit").await.expect(200).json();
        assert_eq!(log["items"].as_array().expect("a list").iter().filter(|e| e["action"] == "settings.set").count(), 3);
    }
}

story! {
    async fn every_change_by_staff_is_in_the_audit_without_names(camp) {
        let owner = camp.owner().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "email": "chaya@family.example", "child_name": "Yossi" });
        let family = owner.post("/api/admin/users", new).await.expect(201).json();
        let id = family["id"].as_str().expect("an id");
        owner.delete(&format!("/api/admin/users/{id}")).await.expect(204);
        owner.get(&format!("/api/admin/users/{id}")).await.refused(404, "not_found");
        let log = owner.get(&format!("/api/admin/audit?subject_id={id}")).await.json();
        let actions: Vec<_> = log["items"].as_array().expect("a list").iter().map(|e| e["action"].clone()).collect();
        assert_eq!(actions, ["profile.delete", "profile.add"]);
        let all = owner.get("/api/admin/audit").await.text();
        assert!(!all.contains("Lindenfeld") && !all.contains("family.example"));
    }
}

story! {
    async fn an_office_full_of_people_who_sign_in_is_not_slowed_down(camp) {
        camp.staff().await;
        let office = camp.browser_at("198.51.100.77");
        for _ in 0..40 {
            office.post("/api/admin/auth/sign-in", json!({ "username": "feder", "password": PASSWORD })).await.expect(200);
        }
    }
}

story! {
    async fn several_videos_are_published_or_deleted_at_once_all_or_none(camp) {
        let staff = camp.staff().await;
        camp.parent("Chaya", "chaya@family.example").await;
        let mut ids = Vec::new();
        for n in 0..3 {
            let new = json!({ "title": format!("Draft {n}"), "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "draft" });
            let made = staff.post("/api/admin/videos", new).await.expect(201).json();
            ids.push(made["video"]["id"].clone());
        }
        let nobody = json!("0190a5b0-0000-7000-8000-000000000000");
        let bad = json!({ "ids": [ids[0], nobody], "action": "publish" });
        staff.post("/api/admin/videos/bulk", bad).await.refused(404, "not_found");
        assert_eq!(staff.get("/api/admin/videos/counts").await.json()["published"], 0);
        let done = staff.post("/api/admin/videos/bulk", json!({ "ids": ids, "action": "publish" })).await.expect(200).json();
        assert_eq!(done, json!({ "done": 3, "notified": 3, "waiting": 0, "mail_at": null }));
        let again = staff.post("/api/admin/videos/bulk", json!({ "ids": ids, "action": "publish" })).await.expect(200).json();
        assert_eq!(again, json!({ "done": 0, "notified": 0, "waiting": 0, "mail_at": null }));
        assert_eq!(staff.get("/api/admin/videos/counts?q=draft%202").await.json()["all"], 1);
        let one = staff.get(&format!("/api/admin/videos/{}", ids[0].as_str().expect("an id"))).await.expect(200).json();
        assert_eq!(one["status"], "published");
        assert_eq!(one["reported_comments"], 0);
        staff.post("/api/admin/videos/bulk", json!({ "ids": ids, "action": "delete" })).await.expect(200);
        assert_eq!(staff.get("/api/admin/videos/counts").await.json()["all"], 0);
    }
}
