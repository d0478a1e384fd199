//! Owners manage staff accounts: links for a new password, versions, and the audit log.

use portal::accounts::staff::Role;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD};

const FRESH: &str = "seven tall cedars";

async fn account(owner: &Browser, username: &str) -> Value {
    let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
    let items = accounts["items"].as_array().expect("items");
    items.iter().find(|one| one["username"] == username).expect("an account").clone()
}

async fn path(owner: &Browser, username: &str) -> String {
    let id = account(owner, username).await["id"].as_str().expect("an id").to_owned();
    format!("/api/admin/accounts/{id}")
}

pub async fn change(owner: &Browser, username: &str, mut changes: Value) {
    changes["current_password"] = json!(PASSWORD);
    changes["version"] = account(owner, username).await["version"].clone();
    owner.patch(&path(owner, username).await, changes).await.expect(200);
}

async fn link(camp: &Camp, owner: &Browser, username: &str, email: &str) -> String {
    let path = path(owner, username).await;
    owner.post(&format!("{path}/reset"), json!({ "current_password": PASSWORD })).await.expect(202);
    camp.token_for(email).await
}

fn choice(token: &str) -> Value {
    json!({ "token": token, "password": FRESH })
}

story! {
    async fn a_colleague_may_try_again_when_an_owner_says_so(camp) {
        let owner = camp.owner().await;
        let staff = camp.staff().await;
        let browser = camp.browser_at("198.51.100.20");
        let tries = |password: &str| json!({ "username": "Feder", "password": password });
        for _ in 0..5 {
            browser.post("/api/admin/auth/sign-in", tries("wrong wrong wrong")).await.refused(401, "invalid_credentials");
        }
        browser.post("/api/admin/auth/sign-in", tries(PASSWORD)).await.refused(429, "too_many_requests");
        let clear = format!("{}/clear-limits", path(&owner, "feder").await);
        staff.post(&clear, json!({})).await.refused(403, "owner_required");
        let cleared = owner.post(&clear, json!({})).await.expect(200).json();
        assert!(cleared["cleared"].as_i64() >= Some(1), "{cleared}");
        browser.post("/api/admin/auth/sign-in", tries(PASSWORD)).await.expect(200);
        let log = owner.get("/api/admin/audit?action=staff.clear_limits").await.expect(200).json();
        assert_eq!(log["items"].as_array().expect("items").len(), 1, "{log}");
        let nobody = "/api/admin/accounts/0199a6f0-0000-7000-8000-000000000000/clear-limits";
        owner.post(nobody, json!({})).await.refused(404, "not_found");
    }
}

story! {
    async fn a_link_for_a_new_password_is_void_once_the_account_changed(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let anyone = camp.browser();
        for (email, changes) in [
            ("feder@camp.example", json!({ "email": "feder2@camp.example" })),
            ("feder2@camp.example", json!({ "password": "nine quiet herons" })),
            ("feder2@camp.example", json!({ "disabled": true })),
        ] {
            let token = link(&camp, &owner, "feder", email).await;
            let shown = json!({ "token": token });
            anyone.post("/api/auth/reset/preview", shown.clone()).await.expect(204);
            change(&owner, "feder", changes.clone()).await;
            let reply = anyone.post("/api/auth/reset", choice(&token)).await;
            assert_eq!(reply.status.as_u16(), 410, "{changes}: {}", reply.text());
            anyone.post("/api/auth/reset/preview", shown).await.refused(410, "gone");
        }
        let disabled = json!({ "username": "feder", "password": FRESH });
        anyone.post("/api/admin/auth/sign-in", disabled).await.refused(401, "invalid_credentials");
    }
}

story! {
    async fn a_letter_with_a_link_says_who_had_it_sent_and_leads_to_the_staff_area(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        link(&camp, &owner, "feder", "feder@camp.example").await;
        let mail = camp.mail_to("feder@camp.example").await;
        assert_eq!(mail.subject, "Choose a new password for the staff area of Visiting Day");
        let name = owner.get("/api/admin/session").await.json()["staff"]["username"].as_str().expect("a name").to_owned();
        let said = format!("{name}, an owner, asked you to choose a new password for the staff account feder.");
        for part in [&mail.text, &mail.html] {
            let words = part.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(&said), "{words}");
            assert!(part.contains("/auth/reset?for=staff&"), "{part}");
            assert!(!part.contains("You asked"), "{part}");
        }
    }
}

story! {
    async fn of_two_links_for_a_new_password_one_works(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let mut tokens = Vec::new();
        for _ in 0..3 {
            tokens.push(link(&camp, &owner, "feder", "feder@camp.example").await);
        }
        let anyone = camp.browser();
        let (a, b) = (choice(&tokens[0]), choice(&tokens[1]));
        let (a, b) = tokio::join!(anyone.post("/api/auth/reset", a), anyone.post("/api/auth/reset", b));
        let mut statuses = [a.status.as_u16(), b.status.as_u16()];
        statuses.sort();
        assert_eq!(statuses, [204, 410]);
        anyone.post("/api/auth/reset", choice(&tokens[2])).await.refused(410, "gone");
        feder.get("/api/admin/users").await.refused(401, "staff_required");
        let given = json!({ "username": "feder", "password": FRESH });
        anyone.post("/api/admin/auth/sign-in", given).await.expect(200);
    }
}

story! {
    async fn a_letter_with_a_link_is_not_written_to_an_old_address(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let path = path(&owner, "feder").await;
        owner.post(&format!("{path}/reset"), json!({ "current_password": PASSWORD })).await.expect(202);
        change(&owner, "feder", json!({ "email": "feder2@camp.example" })).await;
        camp.work().await;
        let mails = camp.mails_to("feder@camp.example");
        assert!(mails.iter().all(|mail| !mail.text.contains("/auth/reset?")));
    }
}

story! {
    async fn two_owners_at_one_account_do_not_undo_each_other(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let path = path(&owner, "feder").await;
        assert_eq!(account(&owner, "feder").await["version"], 1);
        assert_eq!(owner.get(&path).await.expect(200).json(), account(&owner, "feder").await);
        owner.patch(&path, json!({ "username": "federn" })).await.refused(422, "validation");
        let changed = owner.patch(&path, json!({ "version": 1, "username": "federn", "current_password": PASSWORD })).await.expect(200).json();
        assert_eq!(changed["version"], 2);
        assert_eq!(changed["username"], "federn");
        owner.patch(&path, json!({ "version": 1, "role": "owner", "current_password": PASSWORD })).await.refused(409, "stale");
        assert_eq!(account(&owner, "federn").await["role"], "staff");
    }
}

story! {
    async fn the_log_says_before_and_after_without_names(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        let changes = json!({
            "username": "federn", "email": "federn@camp.example", "role": "owner",
            "disabled": true, "password": FRESH,
        });
        change(&owner, "feder", changes).await;
        // Saving unchanged values is not a change.
        change(&owner, "federn", json!({ "username": "federn", "role": "owner" })).await;
        let id = account(&owner, "federn").await["id"].as_str().expect("an id").to_owned();
        let log = owner.get(&format!("/api/admin/audit?subject_id={id}")).await.expect(200).json();
        let kept: Vec<Value> = log["items"].as_array().expect("items").iter()
            .filter(|entry| entry["action"] == "staff.change")
            .map(|entry| entry["lines"].clone())
            .collect();
        assert_eq!(kept, [json!([]), json!([
            { "field": "disabled", "before": false, "after": true },
            { "field": "email", "after": "changed" },
            { "field": "password", "after": "changed" },
            { "field": "role", "before": "staff", "after": "owner" },
            { "field": "username", "after": "changed" },
        ])]);
        assert!(!log.to_string().contains("camp.example"));
    }
}

story! {
    async fn what_is_sent_as_it_was_ends_no_session(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let now = account(&owner, "feder").await;
        let same = json!({ "username": "feder", "email": now["email"], "role": "staff", "disabled": false });
        change(&owner, "feder", same).await;
        feder.get("/api/admin/users").await.expect(200);
        change(&owner, "feder", json!({ "role": "owner" })).await;
        feder.get("/api/admin/users").await.refused(401, "staff_required");
    }
}

story! {
    async fn accounts_are_found_by_role_and_by_being_disabled(camp) {
        let owner = camp.owner().await;
        camp.staff_member("miriam", Role::Staff).await;
        camp.staff_member("zelda", Role::Staff).await;
        let names = async |query: &str| {
            let list = owner.get(&format!("/api/admin/accounts{query}")).await.expect(200).json();
            let items = list["items"].as_array().expect("items").clone();
            items.into_iter().map(|row| (row["username"].as_str().expect("a name").to_owned(), row["id"].as_str().expect("an id").to_owned())).collect::<Vec<_>>()
        };
        let staff = names("?role=staff").await;
        assert_eq!(staff.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["miriam", "zelda"]);
        assert_eq!(names("?role=owner").await.len(), 1);
        assert_eq!(names("?disabled=true").await, []);
        owner.patch(&format!("/api/admin/accounts/{}", staff[1].1), json!({ "version": 1, "disabled": true, "current_password": PASSWORD })).await.expect(200);
        assert_eq!(names("?disabled=true").await, staff[1..]);
        assert_eq!(names("?role=staff&disabled=false").await, staff[..1]);
        owner.get("/api/admin/accounts?role=king").await.refused(400, "bad_request");
    }
}

story! {
    async fn a_long_list_of_accounts_comes_in_pages(camp) {
        let owner = camp.owner().await;
        for name in ["Zev", "adler", "Braun"] {
            camp.staff_member(name, Role::Staff).await;
        }
        let (mut names, mut query) = (Vec::new(), "limit=3".to_owned());
        for left in [3, 1] {
            let page = owner.get(&format!("/api/admin/accounts?{query}")).await.expect(200).json();
            let items = page["items"].as_array().expect("items").clone();
            assert_eq!(items.len(), left);
            names.extend(items.iter().map(|one| one["username"].as_str().expect("a name").to_owned()));
            query = format!("limit=3&cursor={}", page["next"].as_str().unwrap_or_default());
        }
        assert_eq!(names, ["adler", "Braun", "kornbluh", "Zev"]);
        assert!(query.ends_with("cursor="), "the last page says so");
        owner.get("/api/admin/accounts?cursor=x").await.refused(422, "validation");
    }
}

story! {
    async fn everybody_on_the_staff_knows_who_else_is_and_no_more(camp) {
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        camp.staff_member("Adler", Role::Staff).await;
        let known = feder.get("/api/admin/colleagues").await.expect(200).json();
        assert_eq!(known, json!({ "usernames": ["Adler", "feder", "kornbluh"] }));
        change(&owner, "Adler", json!({ "disabled": true })).await;
        let known = feder.get("/api/admin/colleagues").await.expect(200).json();
        assert_eq!(known, json!({ "usernames": ["feder", "kornbluh"] }));
        feder.get("/api/admin/accounts").await.refused(403, "owner_required");
    }
}

story! {
    async fn a_password_is_no_name_and_no_address_of_its_account(camp) {
        let owner = camp.owner().await;
        camp.staff().await;
        camp.parent("Chaya", "chaya@family.example").await;
        let anyone = camp.browser();
        let feder = link(&camp, &owner, "feder", "feder@camp.example").await;
        anyone.post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
        let chaya = camp.token_for("chaya@family.example").await;
        for (token, password) in [(&feder, "Feder@camp.example"), (&chaya, "chaya@Family.example")] {
            let weak = json!({ "token": token, "password": password });
            let problem = anyone.post("/api/auth/reset", weak).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], "password");
            anyone.post("/api/auth/reset", choice(token)).await.expect(204);
        }
        let path = path(&owner, "feder").await;
        let version = account(&owner, "feder").await["version"].clone();
        for (name, password) in [("feder", "feder@camp.example"), ("feder.the.cook", "Feder.The.Cook")] {
            let weak = json!({ "version": version, "username": name, "password": password, "current_password": PASSWORD });
            let problem = owner.patch(&path, weak).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], "password");
        }
    }
}
