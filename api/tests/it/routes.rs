//! Every route declares who may call it and enforces this (safety 11).

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::Browser;

/// Routes that anybody may call, but which refuse a call without the right token or password.
fn is_refusal(status: u16) -> bool {
    matches!(status, 401 | 403)
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
            let who = declared[0].as_object().expect("a scheme").keys().next().cloned();
            for (name, browser) in &people {
                let may = match who.as_deref() {
                    None => true,
                    Some("session") => matches!(*name, "visitor" | "parent"),
                    Some("staff") => matches!(*name, "staff" | "owner"),
                    Some("owner") => *name == "owner",
                    Some(other) => panic!("{method} {path} declares {other}"),
                };
                // An event stream never ends.
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

/// A route that is missing in the contract would not be tested.
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
        assert!(!text.contains(".route("), "{} adds a route past the contract", path.display());
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
