//! Event streams on real connections, which the portal takes over from hyper: what the portal sends
//! over HTTP/1, and clients that leave, send more, or do not read.

use std::time::{Duration, Instant};

use portal::events::{self, Event};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use uuid::Uuid;

use super::wire::{Served, Wire, serve};
use crate::camp::Browser;
use crate::updates::{id, posted};

const LONGEST: Duration = Duration::from_secs(60);

/// Opens a stream and returns what arrives up to the first event.
async fn listen(portal: &Served, version: &str, more: &str) -> (Wire, String) {
    let mut wire = portal.connect(2).await;
    let host = "Host: camp.example\r\n";
    wire.send(format!("GET /api/events HTTP/{version}\r\n{host}{more}\r\n")).await;
    let said = until(&mut wire, "\ndata: {\"id\":").await;
    (wire, said)
}

async fn until(wire: &mut Wire, text: &str) -> String {
    let mut said = String::new();
    while !said.contains(text) {
        let part = wire.answer().await;
        assert!(!part.is_empty(), "ended after {said}");
        said += &part;
    }
    said
}

/// Opens a stream as soon as a slot is free.
async fn listen_soon(portal: &Served) -> Wire {
    let began = Instant::now();
    loop {
        let mut wire = portal.connect(2).await;
        wire.send("GET /api/events HTTP/1.1\r\nHost: camp.example\r\n\r\n").await;
        if wire.answer().await.starts_with("HTTP/1.1 200 ") {
            return wire;
        }
        assert!(began.elapsed() < LONGEST, "the place is still taken");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The content of HTTP chunks, joined.
fn joined(mut chunks: &str) -> String {
    let mut text = String::new();
    loop {
        let (size, rest) = chunks.split_once("\r\n").expect("the size of a chunk");
        let size = usize::from_str_radix(size, 16).expect("a number");
        if size == 0 {
            assert_eq!(rest, "\r\n", "nothing comes after the last chunk");
            return text;
        }
        text += &rest[..size];
        chunks = rest[size..].strip_prefix("\r\n").expect("the end of a chunk");
    }
}

story! {
    async fn a_stream_has_chunks_only_since_http_1_1_and_ends_with_its_connection(camp) {
        let staff = camp.staff().await;
        let portal = serve(&camp, |_| {}).await;
        let (mut new, mut said) = listen(&portal, "1.1", "").await;
        let (mut old, mut old_said) = listen(&portal, "1.0", "").await;
        posted(&staff, "Lake", json!({})).await;
        said += &until(&mut new, "\"Lake\"").await;
        old_said += &until(&mut old, "\"Lake\"").await;
        portal.stop().await;
        said += &new.ends().await.0;
        old_said += &old.ends().await.0;

        let (head, chunks) = said.split_once("\r\n\r\n").expect("a head");
        let (old_head, text) = old_said.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && old_head.starts_with("HTTP/1.0 200 OK\r\n"));
        for line in ["content-type: text/event-stream", "connection: close", "cache-control: no-store",
            "x-content-type-options: nosniff", "x-request-id: ", "date: "] {
            assert_eq!((head.matches(line).count(), old_head.matches(line).count()), (1, 1), "{head}");
        }
        assert!(head.contains("transfer-encoding: chunked") && !old_head.contains("transfer-encoding"));
        assert_eq!(joined(chunks), text);
        let events: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        assert_eq!(events, ["hello", "update.created"], "{text}");
        assert!(text.ends_with("\n\n"), "whole events");
    }
}

story! {
    async fn what_a_page_missed_comes_first_and_each_event_once(camp) {
        let staff = camp.staff().await;
        for title in ["One", "Two", "Three"] {
            posted(&staff, title, json!({})).await;
        }
        let portal = serve(&camp, |_| {}).await;
        let (mut page, mut said) = listen(&portal, "1.1", "Last-Event-ID: 1\r\n").await;
        posted(&staff, "Four", json!({})).await;
        if !said.contains("\"Four\"") {
            said += &until(&mut page, "\"Four\"").await;
        }
        let ids: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        assert_eq!(ids, ["1", "2", "3", "4"], "{said}");
        portal.stop().await;
    }
}

story! {
    async fn a_page_that_leaves_makes_room_for_another(camp) {
        let portal = serve(&camp, |config| config.event_streams = 1).await;
        let closed = listen_soon(&portal).await;
        drop(closed);
        let reset = listen_soon(&portal).await;
        reset.stream.set_zero_linger().expect("an open connection");
        drop(reset);
        let mut half_closed = listen_soon(&portal).await;
        half_closed.stream.shutdown().await.expect("an open connection");
        listen_soon(&portal).await;
        portal.stop().await;
    }
}

story! {
    async fn a_client_that_talks_on_is_not_listened_to_for_ever(camp) {
        let staff = camp.staff().await;
        let portal = serve(&camp, |config| config.event_streams = 1).await;
        let (mut wire, _) = listen(&portal, "1.1", "").await;
        wire.send("GET /api/faq HTTP/1.1\r\nHost: camp.example\r\n\r\n").await;
        posted(&staff, "Lake", json!({})).await;
        let said = until(&mut wire, "\"Lake\"").await;
        assert!(!said.contains("HTTP/1.1"), "a stream is the last answer of its connection: {said}");
        let talk = async { while wire.stream.write_all(&[b'x'; 4096]).await.is_ok() {} };
        tokio::time::timeout(LONGEST, talk).await.expect("the connection ends");
        listen_soon(&portal).await;
        portal.stop().await;
    }
}

story! {
    async fn a_page_that_does_not_read_is_given_up(camp) {
        let staff = camp.staff().await;
        let portal = serve(&camp, |config| config.event_streams = 1).await;
        let mut wire = portal.connect_reading(2, Some(4096)).await;
        wire.send("GET /api/events HTTP/1.1\r\nHost: camp.example\r\n\r\n").await;
        assert!(wire.answer().await.contains("200 OK"));
        let update = posted(&staff, "Lake", json!({ "message": "x".repeat(5_000) })).await;
        let update = Uuid::parse_str(id(&update)).expect("an id");
        // Together these events exceed what the kernel buffers for one connection.
        let mut tx = camp.app.db.begin().await.expect("a transaction");
        for _ in 0..800 {
            events::emit(&mut tx, camp.now(), Event::UpdateChanged(update));
        }
        tx.commit().await.expect("a commit");
        listen_soon(&portal).await;
        let mut rest = Vec::new();
        wire.stream.read_to_end(&mut rest).await.expect_err("the rest is thrown away");
        portal.stop().await;
    }
}

/// A request of this browser's session.
fn session(browser: &Browser) -> String {
    let cookies = browser.cookie_header().expect("a session");
    format!("Cookie: {}\r\n", cookies.to_str().expect("text"))
}

story! {
    async fn whoever_signs_out_or_is_refused_loses_the_stream(camp) {
        let staff = camp.staff().await;
        let (chaya, malky) = (camp.parent("Chaya Weiss", "chaya@family.example").await,
            camp.parent("Malky Stern", "malky@family.example").await);
        camp.set("access", "signed_in").await;
        let portal = serve(&camp, |_| {}).await;
        let (mut leaves, _) = listen(&portal, "1.1", &session(&chaya)).await;
        let (mut stays, _) = listen(&portal, "1.1", &session(&malky)).await;
        chaya.post("/api/auth/sign-out", json!({})).await.expect(204);
        // The portal sends this at once, but not to the person who has just signed out.
        posted(&staff, "Lake", json!({})).await;
        until(&mut stays, "\"Lake\"").await;
        let (rest, _) = leaves.ends().await;
        assert_eq!(rest, "0\r\n\r\n", "nothing but the end");
        camp.set("access", "families").await;
        assert!(stays.ends().await.0.ends_with("0\r\n\r\n"));
        portal.stop().await;
    }
}
