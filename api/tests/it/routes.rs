//! Every route declares who may call it, and enforces this (safety 11).

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::{payments, videos};

/// Whether the status is a refusal. Some routes that anybody may call refuse a call without the
/// right token or password.
fn is_refusal(status: u16) -> bool {
    matches!(status, 401 | 403)
}

/// Whether a staff route, or a route for a person's own account, may declare this.
fn is_plausible(path: &str, declared: &Value) -> bool {
    const OPEN: [&str; 3] =
        ["/api/admin/auth/sign-in", "/api/admin/auth/sign-out", "/api/admin/session"];
    let has = |who: &str| declared.get(who).is_some();
    match path {
        _ if OPEN.contains(&path) => declared == &json!({}),
        _ if path.starts_with("/api/admin/") => has("staff") || has("owner"),
        _ if path.starts_with("/api/profile") || path.starts_with("/api/auth/sessions") => {
            has("session")
        }
        _ => !has("staff") && !has("owner"),
    }
}

fn path_of(path: &str) -> String {
    path.split('/')
        .map(
            |part| {
                if part.starts_with('{') { "0190a5b0-0000-7000-8000-000000000000" } else { part }
            },
        )
        .collect::<Vec<_>>()
        .join("/")
}

story! {
    async fn every_route_declares_who_may_call_it_and_keeps_to_it(camp) {
        let document: Value = serde_json::from_str(&api::openapi()).expect("a document");
        let people: Vec<(&str, Browser)> = vec![
            ("nobody", camp.browser()),
            ("visitor", camp.unconfirmed_parent("Visitor", "visitor@family.example").await),
            ("parent", camp.parent("Chaya", "chaya@family.example").await),
            ("staff", camp.staff().await),
            ("owner", camp.owner().await),
        ];
        let mut calls: Vec<(&String, &String, &Value)> = document["paths"].as_object().expect("paths").iter()
            .flat_map(|(path, operations)| {
                let operations = operations.as_object().expect("operations").iter();
                operations.map(move |(method, operation)| (path, method, operation))
            })
            .collect();
        // Routes that end the caller's own session come last, because later calls would fail.
        calls.sort_by_key(|(path, ..)| (path.ends_with("/sign-out"), path.ends_with("/end-all")));
        let mut walked = 0;
        for (path, method, operation) in calls {
            let declared = operation["security"].as_array()
                .unwrap_or_else(|| panic!("{method} {path} does not declare who may call it"));
            assert_eq!(declared.len(), 1, "{method} {path}");
            assert!(is_plausible(path, &declared[0]), "{method} {path} declares {declared:?}");
            let who = declared[0].as_object().expect("a scheme").keys().next().cloned();
            for (name, browser) in &people {
                let may = match who.as_deref() {
                    None => true,
                    Some("session") => matches!(*name, "visitor" | "parent"),
                    Some("staff") => matches!(*name, "staff" | "owner"),
                    Some("owner") => *name == "owner",
                    Some(other) => panic!("{method} {path} declares {other}"),
                };
                // A GET request for the event stream would never end.
                let verb = if path == "/api/events" { "head" } else { method };
                let verb: Method = verb.to_uppercase().parse().expect("a method");
                let reads = matches!(verb, Method::GET | Method::HEAD | Method::DELETE);
                let body = (!reads).then(|| json!({}));
                let reply = browser.send(verb, &path_of(path), body, &[]).await;
                let status = reply.status.as_u16();
                assert!(status < 500, "{method} {path} as {name}: {}", reply.text());
                match may {
                    true => assert!(!is_refusal(status), "{method} {path} as {name}: {}", reply.text()),
                    false => assert!(is_refusal(status), "{method} {path} as {name} answered {status}: {}", reply.text()),
                }
                walked += 1;
            }
        }
        assert!(walked > 100, "only {walked} calls");
    }
}

/// A route that is missing from the contract would not be tested.
#[test]
fn every_route_is_in_the_contract() {
    let mut waiting = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let files = std::fs::read_dir(path).expect("the sources");
            waiting.extend(files.map(|file| file.expect("a file").path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        for call in [".route(", ".route_service(", ".nest(", ".nest_service("] {
            assert!(!text.contains(call), "{} adds a route past the contract", path.display());
        }
    }
}

/// Chaya's data, and how to see that nobody touched it.
struct Belongings {
    chaya: Browser,
    ids: Vec<String>,
    video: String,
}

const HERS: [&str; 5] =
    ["chaya@family.example", "shimon@family.example", "Zalmen", "28 Cedar Lane", "check 4711"];

impl Belongings {
    async fn new(camp: &Camp, staff: &Browser) -> Belongings {
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let own = json!({ "child_name": "Zalmen", "secondary_email": "shimon@family.example" });
        chaya.patch("/api/profile", own).await.expect(200);
        let found = staff.get("/api/admin/users?q=chaya").await.expect(200).json();
        let family = payments::Family { id: id_of(&found["items"][0]) };
        let path = format!("/api/admin/users/{}", family.id);
        let plan = json!({ "version": staff.get(&path).await.expect(200).json()["version"], "total_amount": 280_000 });
        staff.patch(&path, plan).await.expect(200);
        let mut paid = payments::payment(5_000);
        paid["notes"] = json!("check 4711");
        let paid = payments::record(staff, &family, paid).await.expect(201).json();
        let message = json!({ "name": "Chaya Weiss", "email": "chaya@family.example", "subject": "Package",
            "user_type": "parent", "department": "staff", "message": "To 28 Cedar Lane, please." });
        chaya.post("/api/contact", message).await.expect(202);
        let inbox = staff.get("/api/admin/messages").await.expect(200).json();
        let video = id_of(&videos::posted(staff, "Lake", json!({})).await);
        let said = json!({ "content": "What a fine dive!" });
        let comment =
            chaya.post(&format!("/api/videos/{video}/comments"), said).await.expect(201).json();
        let sessions = chaya.get("/api/auth/sessions").await.expect(200).json();
        let ids = [
            &found["items"][0],
            &paid["payment"],
            &inbox["items"][0],
            &comment,
            &sessions["items"][0],
        ];
        Belongings { ids: ids.map(id_of).to_vec(), chaya, video }
    }

    async fn state(&self) -> Vec<Value> {
        let mut state = Vec::new();
        for path in ["/api/profile", "/api/profile/payments", "/api/profile/download"] {
            let mut seen = self.chaya.get(path).await.expect(200).json();
            // Reading the profile counts as activity in the session.
            seen["sessions"]
                .as_array_mut()
                .into_iter()
                .flatten()
                .for_each(|one| one["last_seen_at"] = Value::Null);
            state.push(seen);
        }
        let comments = format!("/api/videos/{}/comments", self.video);
        state.push(self.chaya.get(&comments).await.expect(200).json());
        state
    }
}

fn id_of(record: &Value) -> String {
    record["id"].as_str().unwrap_or_else(|| panic!("no id in {record}")).to_owned()
}

story! {
    async fn the_ids_of_another_family_open_and_change_nothing(camp) {
        let document: Value = serde_json::from_str(&api::openapi()).expect("a document");
        let staff = camp.staff().await;
        let hers = Belongings::new(&camp, &staff).await;
        let people = [
            ("nobody", camp.browser()),
            ("visitor", camp.unconfirmed_parent("Visitor", "visitor@elsewhere.example").await),
            ("parent", camp.parent("Moshe Adler", "moshe@elsewhere.example").await),
        ];
        // Her page shows which emails were sent.
        camp.work().await;
        let before = hers.state().await;
        let mut walked = 0;
        for (path, operations) in document["paths"].as_object().expect("paths") {
            for (method, _) in operations.as_object().expect("operations") {
                let verb: Method = method.to_uppercase().parse().expect("a method");
                for id in hers.ids.iter().filter(|_| path.contains("{id}")) {
                    let address = path_of(&path.replace("{id}", id));
                    for (name, browser) in &people {
                        let body = (!matches!(verb, Method::GET | Method::HEAD)).then(|| json!({}));
                        let reply = browser.send(verb.clone(), &address, body, &[]).await;
                        assert!(reply.status.as_u16() < 500, "{method} {address} as {name}: {}", reply.text());
                        for secret in HERS {
                            assert!(!reply.text().contains(secret), "{method} {address} as {name} tells {secret}");
                        }
                        walked += 1;
                    }
                }
            }
        }
        assert!(walked > 500, "only {walked} calls");
        assert_eq!(hers.state().await, before);
    }
}

story! {
    async fn staff_end_only_their_own_sessions(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        let open = owner.get("/api/admin/sessions").await.expect(200).json();
        let session = id_of(&open["items"][0]);
        staff.delete(&format!("/api/admin/sessions/{session}")).await.refused(404, "not_found");
        owner.get("/api/admin/sessions").await.expect(200);
    }
}

story! {
    async fn what_does_not_exist_says_so(camp) {
        let browser = camp.browser();
        browser.get("/api/nothing").await.refused(404, "not_found");
        browser.get("/media/nothing").await.refused(404, "not_found");
        browser.delete("/api/session").await.refused(405, "bad_request");
        browser.get("/healthz").await.expect(200);
        let ready = browser.get("/readyz").await.expect(200).json();
        assert_eq!(ready["ready"], true);
        assert_eq!(ready["worker"], "silent");
        browser.get("/metrics").await.refused(404, "not_found");
        let figures = camp.browser_at("127.0.0.1").get("/metrics").await.expect(200).text();
        assert!(figures.contains("camp_http_requests_total"), "{figures}");
    }
}

story! {
    async fn every_answer_is_guarded(camp) {
        let browser = camp.browser();
        for path in ["/api/site", "/api/nothing", "/healthz"] {
            let reply = browser.get(path).await;
            assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
            assert!(reply.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
            assert!(!reply.header("x-request-id").is_empty(), "{path}");
        }
        assert_eq!(browser.get("/api/site").await.header("cache-control"), "no-store");
    }
}
