//! Passwords, sessions and known browsers of staff.

use portal::accounts::Role;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD};

const FRESH: &str = "seven tall cedars";

async fn sign_in(browser: &Browser, username: &str, password: &str) {
    let given = json!({ "username": username, "password": password });
    browser.post("/api/admin/auth/sign-in", given).await.expect(200);
}

async fn sessions(browser: &Browser, path: &str) -> Vec<Value> {
    browser.get(path).await.expect(200).json()["items"].as_array().expect("items").clone()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a text")
}

async fn path(owner: &Browser, username: &str) -> String {
    let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
    let items = accounts["items"].as_array().expect("items");
    let account = items.iter().find(|one| one["username"] == username).expect("an account");
    format!("/api/admin/accounts/{}", text(account, "id"))
}

async fn subjects(camp: &Camp, address: &str) -> Vec<String> {
    camp.work().await;
    camp.mails_to(address).into_iter().map(|mail| mail.subject).collect()
}

const OWN: &str = "/api/admin/sessions";
const CHANGED: &str = "Your staff password for Visiting Day was changed";
const NEW_BROWSER: &str = "A new sign-in to the staff area of Visiting Day";

story! {
    async fn staff_see_and_end_their_own_sessions(camp) {
        let feder = camp.staff().await;
        let (phone, tablet) = (camp.browser(), camp.browser());
        sign_in(&phone, "feder", PASSWORD).await;
        sign_in(&tablet, "feder", PASSWORD).await;
        let owner = camp.owner().await;
        let listed = sessions(&feder, OWN).await;
        assert_eq!(listed.len(), 3, "not the owner's");
        let current: Vec<_> = listed.iter().filter(|one| one["current"] == true).collect();
        assert_eq!(current.len(), 1);
        assert_eq!(current[0]["device"], "phone");

        let owners = sessions(&owner, OWN).await;
        feder.delete(&format!("{OWN}/{}", text(&owners[0], "id"))).await.refused(404, "not_found");
        owner.get("/api/admin/users").await.expect(200);

        let mut desk = phone.listen(None).await;
        let listed = sessions(&phone, OWN).await;
        let here = listed.iter().find(|one| one["current"] == true).expect("this one");
        feder.delete(&format!("{OWN}/{}", text(here, "id"))).await.expect(204);
        phone.get("/api/admin/users").await.refused(401, "staff_required");
        desk.ends().await;
        tablet.get("/api/admin/users").await.expect(200);
        feder.post(&format!("{OWN}/end-others"), json!({})).await.expect(204);
        tablet.get("/api/admin/users").await.refused(401, "staff_required");
        assert_eq!(sessions(&feder, OWN).await.len(), 1);
        let log = owner.get("/api/admin/audit").await.expect(200).json();
        let ended = log["items"].as_array().expect("items").iter().filter(|one| one["action"] == "staff.end_sessions");
        assert_eq!(ended.count(), 2);
    }
}

story! {
    async fn sessions_that_were_idle_too_long_are_not_listed(camp) {
        let feder = camp.passing_staff_member("feder", Role::Staff).await;
        camp.wait(chrono::TimeDelta::minutes(31));
        let fresh = camp.browser();
        sign_in(&fresh, "feder", PASSWORD).await;
        assert_eq!(sessions(&fresh, OWN).await.len(), 1);
        drop(feder);
    }
}

story! {
    async fn owners_see_and_end_the_sessions_of_every_account(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let second = camp.browser();
        sign_in(&second, "feder", PASSWORD).await;
        let path = path(&owner, "feder").await;
        feder.get(&format!("{path}/sessions")).await.refused(403, "owner_required");
        let listed = sessions(&owner, &format!("{path}/sessions")).await;
        assert_eq!(listed.len(), 2);
        assert!(listed.iter().all(|one| one["current"] == false));
        let mine = sessions(&second, OWN).await;
        let here = mine.iter().find(|one| one["current"] == true).expect("this one");
        let one = format!("{path}/sessions/{}", text(here, "id"));
        let all = format!("{path}/sessions");
        let (wrong, right) = (json!({ "current_password": "no" }), json!({ "current_password": PASSWORD }));
        for target in [&one, &all] {
            let problem = owner.delete_with(target, wrong.clone()).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], "current_password");
        }
        second.get("/api/admin/users").await.expect(200);
        owner.delete_with(&one, right.clone()).await.expect(204);
        owner.delete_with(&one, right.clone()).await.refused(404, "not_found");
        second.get("/api/admin/users").await.refused(401, "staff_required");
        feder.get("/api/admin/users").await.expect(200);
        owner.delete_with(&all, right).await.expect(204);
        feder.get("/api/admin/users").await.refused(401, "staff_required");
        owner.get("/api/admin/users").await.expect(200);
        let nobody = "/api/admin/accounts/0190a5b0-0000-7000-8000-000000000000/sessions";
        owner.get(nobody).await.refused(404, "not_found");
    }
}

story! {
    async fn staff_change_their_own_password_with_the_current_one(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let other = camp.browser();
        sign_in(&other, "feder", PASSWORD).await;
        let reset = format!("{}/reset", path(&owner, "feder").await);
        owner.post(&reset, json!({ "current_password": PASSWORD })).await.expect(202);
        let link = camp.token_for("feder@camp.example").await;
        let change = |current: &str, new: &str| json!({ "current_password": current, "new_password": new });
        let wrong = feder.post("/api/admin/password", change("no", FRESH)).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0]["field"], "current_password");
        let short = feder.post("/api/admin/password", change(PASSWORD, "short")).await.refused(422, "validation");
        assert_eq!(short["errors"][0]["field"], "new_password");
        feder.post("/api/admin/password", change(PASSWORD, FRESH)).await.expect(204);
        feder.get("/api/admin/users").await.expect(200);
        other.get("/api/admin/users").await.refused(401, "staff_required");
        sign_in(&other, "feder", FRESH).await;
        let reset = json!({ "token": link, "password": "nine quiet herons" });
        camp.browser().post("/api/auth/reset", reset).await.refused(410, "gone");
        let mail = camp.mail_to("feder@camp.example").await;
        assert!(subjects(&camp, "feder@camp.example").await.contains(&CHANGED.to_owned()), "{}", mail.subject);
    }
}

story! {
    async fn whoever_had_an_account_is_told_when_an_owner_changes_its_keys(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let path = path(&owner, "feder").await;
        let both = json!({ "version": 1, "email": "new@camp.example", "password": FRESH, "current_password": PASSWORD });
        owner.patch(&path, both).await.expect(200);
        let mut told = subjects(&camp, "feder@camp.example").await;
        told.sort();
        assert_eq!(told, ["The email of your staff account at Visiting Day was changed", CHANGED]);
        assert!(camp.mails_to("new@camp.example").is_empty());
        owner.patch(&path, json!({ "version": 2, "role": "owner", "current_password": PASSWORD })).await.expect(200);
        assert_eq!(subjects(&camp, "new@camp.example").await, ["The staff accounts of Visiting Day have changed"]);
    }
}

story! {
    async fn a_sign_in_from_a_new_browser_is_told_by_mail(camp) {
        let feder = camp.staff().await;
        sign_in(&feder, "feder", PASSWORD).await;
        assert!(subjects(&camp, "feder@camp.example").await.is_empty(), "the first browser is known");
        let other = camp.browser();
        sign_in(&other, "feder", PASSWORD).await;
        let mail = camp.mail_to("feder@camp.example").await;
        assert_eq!(mail.subject, NEW_BROWSER);
        assert!(mail.text.contains("Someone signed in as feder on a phone") && mail.html.contains("/admin"));
        sign_in(&other, "feder", PASSWORD).await;
        assert_eq!(subjects(&camp, "feder@camp.example").await.len(), 1, "told once");

        // Two accounts may share a browser, and the browser stays known to both.
        let owner = camp.owner().await;
        sign_in(&feder, "kornbluh", PASSWORD).await;
        assert_eq!(subjects(&camp, "kornbluh@camp.example").await, [NEW_BROWSER]);
        sign_in(&feder, "feder", PASSWORD).await;
        sign_in(&feder, "kornbluh", PASSWORD).await;
        assert_eq!(subjects(&camp, "kornbluh@camp.example").await.len(), 1);
        assert_eq!(subjects(&camp, "feder@camp.example").await.len(), 1);
        drop(owner);
    }
}
