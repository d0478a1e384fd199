//! Personal data stays out of the logs at every log level (safety 29).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use crate::camp::{Camp, free_port};

fn post(port: u16, path: &str, body: &str) -> String {
    send(port, "POST", path, "", body)
}

/// Sends a request and returns the whole response.
fn send(port: u16, method: &str, path: &str, cookie: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the portal listens");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a limit");
    let (length, key) = (body.len(), uuid::Uuid::new_v4());
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncookie: {cookie}\r\nidempotency-key: {key}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The cookie that a response sets.
fn cookie(answer: &str) -> String {
    let line = answer.lines().find_map(|line| line.strip_prefix("set-cookie: staff="));
    let value = line.and_then(|line| line.split(';').next()).expect("a cookie");
    format!("staff={value}")
}

/// The first id in a response.
fn id(answer: &str) -> &str {
    let at = answer.find("\"id\":\"").unwrap_or_else(|| panic!("no id in {answer}")) + 6;
    &answer[at..at + 36]
}

/// What strangers send, and what link addresses contain.
fn strangers_write(port: u16) {
    let message = r#"{"name":"Canaryname Vogel","email":"canary.writer@family.example","subject":"Canarysubject","user_type":"guest","department":"staff","message":"Canarymessage"}"#;
    assert!(post(port, "/api/contact", message).starts_with("HTTP/1.1 202"));
    let list = r#"{"email":"canary.reader@family.example"}"#;
    assert!(post(port, "/api/subscribe", list).starts_with("HTTP/1.1 202"));
    let forgot = r#"{"email":"canary.vogel@family.example"}"#;
    assert!(post(port, "/api/auth/forgot", forgot).starts_with("HTTP/1.1 202"));
    post(port, "/api/auth/reset", r#"{"token":"canary-token","password":"canary-secret-new"}"#);
    post(port, "/api/auth/sign-in", r#"{"email":"canary.vogel@family.example","canary":true}"#);
    post(port, "/api/unsubscribe/one-click?token=canary-token", "List-Unsubscribe=One-Click");
    for path in [
        "/auth?invite=canary-token",
        "/auth/verify?token=canary-token",
        "/unsubscribe?token=canary-token",
        "/api/videos?q=canaryname",
        "/api/videos?cursor=canary",
    ] {
        send(port, "GET", path, "", "");
    }
}

/// What staff write about a family.
fn staff_write(port: u16) {
    let wrong = r#"{"username":"canarystaff","password":"canary-secret-wrong"}"#;
    assert!(post(port, "/api/admin/auth/sign-in", wrong).starts_with("HTTP/1.1 401"));
    let right = r#"{"username":"canarystaff","password":"canary-secret-staff"}"#;
    let staff = cookie(&post(port, "/api/admin/auth/sign-in", right));
    let new = r#"{"full_name":"Canaryname Fink","email":"canary.fink@family.example","child_name":"Canarychild"}"#;
    let added = send(port, "POST", "/api/admin/users", &staff, new);
    assert!(added.starts_with("HTTP/1.1 201"), "{added}");
    let family = format!("/api/admin/users/{}", id(&added));
    let paid = r#"{"kind":"payment","amount":500,"payment_date":"2026-07-15","notes":"Canarynote","staff_notes":"Canarynote","as_credit":true}"#;
    let paid = send(port, "POST", &format!("{family}/payments"), &staff, paid);
    assert!(paid.starts_with("HTTP/1.1 201"), "{paid}");
    for path in ["invite", "invitation-link"] {
        let made = send(port, "POST", &format!("{family}/{path}"), &staff, "{}");
        assert!(made.starts_with("HTTP/1.1 2"), "{made}");
    }
    let table = r#"{"csv":"name,child,email\nCanaryname Dror,Canarychild,canary.dror@family.example\nCanaryname,,nothing"}"#;
    let read = send(port, "POST", "/api/admin/users/import", &staff, table);
    assert!(read.starts_with("HTTP/1.1 200"), "{read}");
    let found = send(port, "GET", "/api/admin/users?q=canaryname", &staff, "");
    assert!(found.contains("canary.fink@family.example"), "{found}");
}

async fn names_and_addresses_stay_out_of_the_logs(camp: Camp) {
    let added = camp.run_with(
        &["admin", "add", "canarystaff", "--email", "canary.staff@camp.example"],
        "canary-secret-staff\n",
    );
    assert_eq!(added.code, 0, "{added:?}");
    let port = free_port();
    let log = camp.folder().join("log");
    let bind = format!("127.0.0.1:{port}");
    let child = camp
        .command(&["serve", "--with-worker", "--bind", &bind, "--log", "trace"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&log).expect("a file"))
        .spawn()
        .expect("the binary starts");
    let mut portal = crate::camp::Running::of(child);
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let sign_up = r#"{"name":"Canaryname Vogel","email":"canary.vogel@family.example","password":"canary-secret-word","user_type":"parent","child_name":"Canarychild","email_notifications":true,"daily_video_email":true,"camp_updates_email":false}"#;
    assert!(post(port, "/api/auth/sign-up", sign_up).starts_with("HTTP/1.1 201"));
    // Signs up a second time, so that the database itself refuses.
    assert!(post(port, "/api/auth/sign-up", sign_up).starts_with("HTTP/1.1 409"));
    let sign_in = r#"{"email":"canary.vogel@family.example","password":"canary-secret-wrong"}"#;
    assert!(post(port, "/api/auth/sign-in", sign_in).starts_with("HTTP/1.1 401"));
    post(port, "/api/auth/verify?token=canary-token", r#"{"token":"canary-token"}"#);
    strangers_write(port);
    staff_write(port);
    let mail = camp.folder().join("data/mail");
    for _ in 0..200 {
        if std::fs::read_dir(&mail).is_ok_and(|files| files.count() > 4) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    portal.stop().await;
    let said = std::fs::read_to_string(&log).expect("a log").to_lowercase();
    assert!(said.contains("answered"), "the log tells of requests: {said}");
    for line in said.lines() {
        assert!(!line.contains("canary"), "{line}");
    }
}

#[tokio::test]
async fn names_and_addresses_stay_out_of_the_logs_on_sqlite() {
    names_and_addresses_stay_out_of_the_logs(Camp::on_sqlite()).await;
}

#[tokio::test]
async fn names_and_addresses_stay_out_of_the_logs_on_postgres() {
    names_and_addresses_stay_out_of_the_logs(Camp::on_postgres().await).await;
}
