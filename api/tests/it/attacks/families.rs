//! Attempts to join a family as a user whose address is not confirmed.

use serde_json::{Value, json};

use super::accounts::{CONFIRM, OWN, family, invited, link, logins, verify};
use crate::camp::{Browser, Camp, PASSWORD, token as token_in};

async fn plan(staff: &Browser, path: &str) {
    let version = staff.get(path).await.expect(200).json()["version"].clone();
    let plan = json!({ "version": version, "total_amount": 280_000 });
    staff.patch(path, plan).await.expect(200);
}

async fn total(browser: &Browser) -> Value {
    browser.get("/api/profile/payments").await.expect(200).json()["plan"]["total_amount"].clone()
}

/// The only family that staff find with these search words.
async fn found(staff: &Browser, words: &str) -> String {
    let found = staff.get(&format!("/api/admin/users?q={words}")).await.expect(200).json();
    format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("a family"))
}

fn id(path: &str) -> &str {
    path.rsplit('/').next().expect("an id")
}

/// The owner of a mailbox takes over the user with that address, using one of the two links.
async fn claim(camp: &Camp, email: &str, route: &str) -> Browser {
    let browser = camp.browser_at("198.51.100.1");
    if route == "verify" {
        let token = link(camp, email, CONFIRM).await;
        let given = json!({ "token": token, "new_password": OWN });
        browser.post("/api/auth/verify", given).await.expect(200);
        return browser;
    }
    browser.post("/api/auth/forgot", json!({ "email": email })).await.expect(202);
    let token = link(camp, email, "Choose a new password").await;
    browser.post("/api/auth/reset", json!({ "token": token, "password": OWN })).await.expect(204);
    let given = json!({ "email": email, "password": OWN });
    browser.post("/api/auth/sign-in", given).await.expect(200);
    browser
}

story! {
    async fn a_login_that_nobody_confirmed_is_not_merged_into_a_family(camp) {
        let staff = camp.staff().await;
        let kept = family(&staff, "chaya@family.example").await;
        plan(&staff, &kept).await;
        let mallory = camp.unconfirmed_parent("Chaya Lindenfeld", "chaya.l@elsewhere.example").await;
        let dropped = found(&staff, "chaya.l@elsewhere.example").await;
        let merge = |preview: bool| json!({ "keep": id(&kept), "drop": id(&dropped), "preview": preview });
        let told = staff.post("/api/admin/users/merge", merge(true)).await.expect(200).json();
        assert_eq!(told["logins"], 0, "{told}");
        assert_eq!(told["unconfirmed_logins"], 1, "{told}");
        staff.post("/api/admin/users/merge", merge(false)).await.expect(200);
        assert_eq!(logins(&staff, &kept).await, 0);
        assert_eq!(total(&mallory).await, Value::Null);
        assert_eq!(mallory.get("/api/profile").await.expect(200).json()["full_name"], "Chaya Lindenfeld");
    }
}

story! {
    async fn an_honest_login_that_was_left_out_of_a_merge_joins_when_its_address_is_confirmed(camp) {
        let staff = camp.staff().await;
        let kept = family(&staff, "chaya@family.example").await;
        plan(&staff, &kept).await;
        let new = json!({ "full_name": "Shimon", "email": "shimon@family.example", "child_name": "Yossi" });
        let dropped = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", dropped["id"].as_str().expect("an id"));
        let shimon = invited(&staff, &camp, &path, "Shimon", "shimon@family.example").await;
        staff.post("/api/admin/users/merge", json!({ "keep": id(&kept), "drop": dropped["id"], "total": "keep" })).await.expect(200);
        assert_eq!(logins(&staff, &kept).await, 0);
        assert_eq!(total(&shimon).await, Value::Null);
        let token = link(&camp, "shimon@family.example", CONFIRM).await;
        assert_eq!(verify(&shimon, &token).await.expect(200).json()["linked"], true);
        assert_eq!(total(&shimon).await, 280_000);
    }
}

story! {
    async fn whoever_has_not_confirmed_her_own_address_lets_no_second_one_in(camp) {
        let mallory = camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let typed = json!({ "secondary_email": "mallory@elsewhere.example" });
        let problem = mallory.patch("/api/profile", typed.clone()).await.refused(422, "validation");
        let error = json!({ "field": "secondary_email", "message": "Please confirm your own address first." });
        assert_eq!(problem["errors"][0], error);
        mallory.post("/api/profile/second-email/resend", json!({})).await.refused(409, "conflict");
        camp.work().await;
        assert!(camp.mails_to("mallory@elsewhere.example").is_empty());
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        verify(&mallory, &token).await.expect(200);
        mallory.patch("/api/profile", typed).await.expect(200);
    }
}

story! {
    async fn whoever_reads_a_mistyped_address_does_not_get_the_family(camp) {
        let staff = camp.staff().await;
        for route in ["verify", "reset"] {
            let slip = format!("{route}@mistyped.example");
            let path = family(&staff, &format!("{route}@family.example")).await;
            plan(&staff, &path).await;
            let mother = invited(&staff, &camp, &path, "Chaya", &slip).await;
            assert_eq!(total(&mother).await, 280_000);
            let stranger = claim(&camp, &slip, route).await;
            mother.get("/api/profile").await.refused(401, "sign_in_required");
            let seen = stranger.get("/api/profile").await.expect(200).json();
            assert_eq!(seen["full_name"], "", "{route}");
            assert_eq!(seen["child_name"], "", "{route}");
            assert_eq!(total(&stranger).await, Value::Null, "{route}");
            assert_eq!(logins(&staff, &path).await, 0, "{route}");
            let kept = staff.get(&path).await.expect(200).json();
            assert_eq!(kept["full_name"], "Chaya Lindenfeld");
            assert_eq!(kept["plan"]["total_amount"], 280_000);
        }
    }
}

story! {
    async fn a_stranger_who_joined_before_the_mother_confirmed_does_not_stay_in_her_family(camp) {
        let staff = camp.staff().await;
        let path = family(&staff, "chaya@family.example").await;
        invited(&staff, &camp, &path, "Chaya", "chaya@family.example").await;
        let mallory = invited(&staff, &camp, &path, "Mallory", "mallory@elsewhere.example").await;
        let token = link(&camp, "mallory@elsewhere.example", CONFIRM).await;
        verify(&mallory, &token).await.expect(200);
        mallory.patch("/api/profile", json!({ "daily_video_email": false })).await.expect(200);
        plan(&staff, &path).await;
        assert_eq!(total(&mallory).await, 280_000);
        let chaya = claim(&camp, "chaya@family.example", "verify").await;
        assert_eq!(total(&chaya).await, json!(280_000));
        assert_eq!(total(&mallory).await, Value::Null);
        let kept = staff.get(&path).await.expect(200).json();
        assert_eq!(kept["email"], "chaya@family.example");
        assert_eq!(kept["secondary_email"], Value::Null);
        let own = mallory.get("/api/profile").await.expect(200).json();
        assert_eq!(own["email"], "mallory@elsewhere.example");
        assert_eq!(own["child_name"], "");
    }
}

story! {
    async fn a_stranger_who_had_to_leave_a_family_leaves_nothing_behind_through_another_process(camp) {
        let (staff, beside) = (camp.staff().await, camp.beside().await);
        let path = family(&staff, "chaya@family.example").await;
        invited(&staff, &camp, &path, "Chaya", "chaya@family.example").await;
        let mallory = invited(&staff, &camp, &path, "Mallory", "mallory@elsewhere.example").await;
        let token = link(&camp, "mallory@elsewhere.example", CONFIRM).await;
        verify(&mallory, &token).await.expect(200);
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        // The other process may treat her as a member for up to two seconds.
        let mallory = beside.of(&mallory);
        mallory.get("/api/profile").await.expect(200);
        let given = json!({ "token": token, "new_password": OWN });
        camp.browser_at("198.51.100.1").post("/api/auth/verify", given).await.expect(200);
        let changes = json!({ "secondary_email": "eve@elsewhere.example", "child_name": "Mallory's" });
        mallory.patch("/api/profile", changes).await;
        let kept = staff.get(&path).await.expect(200).json();
        assert_eq!(kept["child_name"], "Yossi");
        beside.work().await;
        for mail in beside.mails_to("eve@elsewhere.example") {
            let joined = camp.browser().post("/api/auth/verify", json!({ "token": token_in(&mail) })).await;
            joined.expect(200);
        }
        assert_eq!(staff.get(&path).await.expect(200).json()["secondary_email"], Value::Null);
    }
}

story! {
    async fn a_new_password_takes_no_address_that_staff_entered_from_a_family(camp) {
        let staff = camp.staff().await;
        camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let path = found(&staff, "chaya@family.example").await;
        let version = staff.get(&path).await.expect(200).json()["version"].clone();
        let entered = json!({ "version": version, "email": "chaya@family.example", "secondary_email": "shimon@family.example", "total_amount": 280_000 });
        staff.patch(&path, entered).await.expect(200);
        let chaya = claim(&camp, "chaya@family.example", "reset").await;
        let seen = chaya.get("/api/profile").await.expect(200).json();
        assert_eq!(seen["email"], "chaya@family.example");
        assert_eq!(seen["secondary_email"], "shimon@family.example");
        assert_eq!(total(&chaya).await, json!(280_000));
        assert_eq!(seen["child_name"], "Yossi");
    }
}

story! {
    async fn what_a_stranger_chose_at_sign_up_is_not_the_familys(camp) {
        let staff = camp.staff().await;
        let mut form = crate::camp::sign_up("Mallory", "chaya@family.example");
        form["daily_video_email"] = json!(false);
        form["camp_updates_email"] = json!(true);
        camp.browser().post("/api/auth/sign-up", form).await.expect(201);
        let path = family(&staff, "chaya@family.example").await;
        let chaya = claim(&camp, "chaya@family.example", "verify").await;
        assert_eq!(logins(&staff, &path).await, 1);
        let seen = chaya.get("/api/profile").await.expect(200).json();
        assert_eq!(seen["daily_video_email"], true);
        assert_eq!(seen["camp_updates_email"], false);
        assert_eq!(seen["full_name"], "Chaya Lindenfeld");
        assert_eq!(seen["child_name"], "Yossi");
        let again = json!({ "email": "chaya@family.example", "password": PASSWORD });
        camp.browser().post("/api/auth/sign-in", again).await.refused(401, "invalid_credentials");
    }
}

story! {
    async fn an_invited_mother_gets_the_login_that_a_stranger_made_with_her_address(camp) {
        let staff = camp.staff().await;
        let mallory = camp.unconfirmed_parent("Mallory", "chaya@family.example").await;
        let confirm = link(&camp, "chaya@family.example", CONFIRM).await;
        let path = family(&staff, "chaya@family.example").await;
        let mut form = crate::camp::sign_up("Chaya", "chaya@family.example");
        form["invite"] = json!(link(&camp, "chaya@family.example", "You are invited").await);
        form["password"] = json!(OWN);
        form["daily_video_email"] = json!(false);
        mallory.get("/api/profile").await.expect(200);
        let chaya = camp.browser();
        chaya.post("/api/auth/sign-up", form).await.expect(201);
        assert_eq!(logins(&staff, &path).await, 1);
        let seen = chaya.get("/api/profile").await.expect(200).json();
        assert_eq!(seen["full_name"], "Chaya Lindenfeld");
        assert_eq!(seen["daily_video_email"], false);
        mallory.get("/api/profile").await.refused(401, "sign_in_required");
        let given = json!({ "email": "chaya@family.example", "password": PASSWORD });
        mallory.post("/api/auth/sign-in", given).await.refused(401, "invalid_credentials");
        verify(&mallory, &confirm).await.refused(410, "gone");
    }
}
