//! Personal data stays out of the logs at every log level (safety 29).

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::time::Duration;

use crate::camp::Camp;

/// Sends a request and returns the whole response.
fn post(port: u16, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the portal listens");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a limit");
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

async fn names_and_addresses_stay_out_of_the_logs(camp: Camp) {
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
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
    // A second time, so that the database itself refuses.
    assert!(post(port, "/api/auth/sign-up", sign_up).starts_with("HTTP/1.1 409"));
    let sign_in = r#"{"email":"canary.vogel@family.example","password":"canary-secret-wrong"}"#;
    assert!(post(port, "/api/auth/sign-in", sign_in).starts_with("HTTP/1.1 401"));
    post(port, "/api/auth/verify?token=canary-token", r#"{"token":"canary-token"}"#);
    let mail = camp.folder().join("data/mail");
    for _ in 0..200 {
        if std::fs::read_dir(&mail).is_ok_and(|files| files.count() > 0) {
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
