//! An ended session is refused at once by the process that ended it, and within two seconds by the
//! others (safety 9).

use std::time::Duration;

use axum::http::Method;
use portal::accounts::staff::Role;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD};

const NEW: &str = "nine quiet herons";

/// A session, and a path that only its account may read.
struct Session {
    why: &'static str,
    cookies: String,
    path: &'static str,
}

impl Session {
    /// The session of this browser, after both processes have just used it.
    async fn of(
        why: &'static str,
        browser: &Browser,
        path: &'static str,
        camps: [&Camp; 2],
    ) -> Session {
        let cookies = browser.cookie_header().expect("a session");
        let cookies = cookies.to_str().expect("a text").to_owned();
        let session = Session { why, cookies, path };
        for camp in camps {
            assert_eq!(session.status(camp).await, 200, "{why}");
        }
        session
    }

    async fn status(&self, camp: &Camp) -> u16 {
        let cookies = [("cookie", self.cookies.as_str())];
        camp.browser().send(Method::GET, self.path, None, &cookies).await.status.as_u16()
    }
}

async fn second(camp: &Camp, email: &str) -> Browser {
    let browser = camp.browser();
    browser
        .post("/api/auth/sign-in", json!({ "email": email, "password": PASSWORD }))
        .await
        .expect(200);
    browser
}

async fn forget(camp: &Camp, email: &str) {
    camp.browser().post("/api/auth/forgot", json!({ "email": email })).await.expect(202);
    let token = camp.token_for(email).await;
    camp.browser()
        .post("/api/auth/reset", json!({ "token": token, "password": NEW }))
        .await
        .expect(204);
}

story! {
    async fn a_session_of_a_family_that_one_process_ends_is_over_in_all(camp) {
        let beside = camp.beside().await;
        let staff = camp.staff().await;
        let mut ended = Vec::new();
        for (n, why) in ["sign-out", "everywhere", "one", "password", "forgotten", "login", "family"].into_iter().enumerate() {
            let email = format!("{why}@family.example");
            let home = camp.browser_at(&format!("203.0.113.{}", n + 20));
            let home = camp.parent_with(home, why, &email).await;
            let other = second(&camp, &email).await;
            let session = Session::of(why, &other, "/api/profile", [&camp, &beside]).await;
            let confirmed = json!({ "current_password": PASSWORD });
            match why {
                "sign-out" => drop(other.post("/api/auth/sign-out", json!({})).await.expect(204)),
                "everywhere" => drop(home.post("/api/auth/sessions/end-all", json!({})).await.expect(204)),
                "one" => {
                    let open = other.get("/api/auth/sessions").await.expect(200).json();
                    let open = open["items"].as_array().expect("items").clone();
                    let this = open.iter().find(|one| one["current"] == true).expect("this one");
                    let path = format!("/api/auth/sessions/{}", this["id"].as_str().expect("an id"));
                    home.delete(&path).await.expect(204);
                }
                "password" => {
                    let given = json!({ "current_password": PASSWORD, "new_password": NEW });
                    home.post("/api/auth/password", given).await.expect(204);
                }
                "forgotten" => forget(&camp, &email).await,
                "login" => drop(home.post("/api/auth/delete-account", confirmed).await.expect(204)),
                _ => {
                    let found = staff.get(&format!("/api/admin/users?q={email}")).await.expect(200).json();
                    let path = format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("an id"));
                    staff.delete(&path).await.expect(204);
                }
            }
            assert_eq!(session.status(&camp).await, 401, "{why}");
            ended.push(session);
        }
        are_over(&ended, &beside).await;
    }
}

story! {
    async fn a_session_of_the_staff_that_one_process_ends_is_over_in_all(camp) {
        let beside = camp.beside().await;
        let owner = camp.owner().await;
        let mut ended = Vec::new();
        for why in ["sign-out", "everywhere", "password", "disabled", "demoted", "promoted", "removed", "ended"] {
            let role = if why == "demoted" { Role::Owner } else { Role::Staff };
            let desk = camp.staff_member(why, role).await;
            let other = camp.browser();
            other.post("/api/admin/auth/sign-in", json!({ "username": why, "password": PASSWORD })).await.expect(200);
            let session = Session::of(why, &other, "/api/admin/users", [&camp, &beside]).await;
            let account = account(&owner, why).await;
            let path = format!("/api/admin/accounts/{}", account["id"].as_str().expect("an id"));
            let change = |what: &str, to: Value| json!({ "version": account["version"], "current_password": PASSWORD, what: to });
            let confirmed = json!({ "current_password": PASSWORD });
            match why {
                "sign-out" => drop(other.post("/api/admin/auth/sign-out", json!({})).await.expect(204)),
                "everywhere" => drop(desk.post("/api/admin/sessions/end-others", json!({})).await.expect(204)),
                "password" => {
                    let given = json!({ "current_password": PASSWORD, "new_password": NEW });
                    desk.post("/api/admin/password", given).await.expect(204);
                }
                "disabled" => drop(owner.patch(&path, change("disabled", json!(true))).await.expect(200)),
                "demoted" => drop(owner.patch(&path, change("role", json!("staff"))).await.expect(200)),
                "promoted" => drop(owner.patch(&path, change("role", json!("owner"))).await.expect(200)),
                "removed" => drop(owner.delete_with(&path, confirmed).await.expect(204)),
                _ => drop(owner.delete_with(&format!("{path}/sessions"), confirmed).await.expect(204)),
            }
            assert_eq!(session.status(&camp).await, 401, "{why}");
            ended.push(session);
        }
        are_over(&ended, &beside).await;
    }
}

async fn account(owner: &Browser, username: &str) -> Value {
    let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
    let accounts = accounts["items"].as_array().expect("items").clone();
    accounts.into_iter().find(|one| one["username"] == username).expect("an account")
}

async fn are_over(ended: &[Session], beside: &Camp) {
    tokio::time::sleep(Duration::from_secs(2)).await;
    for session in ended {
        assert_eq!(session.status(beside).await, 401, "{} in another process", session.why);
    }
    beside.app.db.close().await;
}
