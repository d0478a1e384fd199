//! The program shuts down gracefully while it is busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::chaos;
use super::portal::{Portal, ask, head, with_json};
use crate::camp::{Camp, count};
use crate::on_both_engines;

/// The responses that a client received until the portal stopped.
#[derive(Default)]
struct Seen {
    answered: usize,
    failed: Vec<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_is_asked_to_stop_answers_what_is_in_flight_first() {
    let times = if chaos() { 50 } else { 3 };
    let camp = Camp::on_sqlite();
    let (mut answered, mut longest) = (0, Duration::ZERO);
    for _ in 0..times {
        let mut portal = Portal::start(&camp).await;
        let stopping = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        for client in 0..8 {
            clients.spawn(ask_on(portal.address, client, stopping.clone()));
        }
        tokio::time::sleep(Duration::from_millis(700)).await;
        stopping.store(true, SeqCst);
        let asked = Instant::now();
        assert_eq!(portal.running.stop().await, Some(0), "it ends well");
        longest = longest.max(asked.elapsed());
        while let Some(seen) = clients.join_next().await {
            let seen = seen.expect("no panic");
            assert!(seen.failed.is_empty(), "{:?}", seen.failed);
            answered += seen.answered;
        }
    }
    println!(
        "stopped {times} times under load: {answered} requests answered, none failed, longest stop {:.2} s",
        longest.as_secs_f64()
    );
    assert!(answered > times * 8, "there was a load");
    assert!(longest < Duration::from_secs(10), "{longest:?}");
}

on_both_engines! {
    async fn a_program_that_is_asked_to_stop_writes_the_views_that_wait(camp: Camp) {
        let mut portal = Portal::start(&camp).await;
        let app = camp.app().await;
        for (n, text) in ["select count(*) from faq_views", "select cast(sum(view_count) as bigint) from faq"].into_iter().enumerate() {
            let faq = portal.get("/api/faq").await.expect("an answer");
            let id = faq.split_once(r#""id":""#).expect("an entry").1.split('"').next().expect("an id");
            let view = format!("/api/faq/{id}/views");
            for client in 0..20 {
                let said = ask(portal.address, 1 + client, &with_json("POST", &view, "{}")).await.expect("an answer");
                assert!(said.starts_with("HTTP/1.1 204"), "{said}");
            }
            assert_eq!(portal.running.stop().await, Some(0), "it ends well");
            assert_eq!(count(&app.db, text).await, 20 * (n as i64 + 1));
            portal = Portal::start(&camp).await;
        }
        app.db.close().await;
    }
}

/// Sends one request after another until the portal is told to stop. Each request that started
/// before that must get a complete response.
async fn ask_on(address: std::net::SocketAddr, client: usize, stopping: Arc<AtomicBool>) -> Seen {
    let mut seen = Seen::default();
    let wrong = r#"{"username":"nobody","password":"wrong wrong wrong"}"#;
    let requests = [
        head("GET", "/api/videos", ""),
        head("GET", "/api/faq?limit=100", ""),
        // This takes a while, because a password is hashed.
        with_json("POST", "/api/admin/auth/sign-in", wrong),
    ];
    for request in requests.iter().cycle() {
        if stopping.load(SeqCst) {
            return seen;
        }
        let began = Instant::now();
        match ask(address, 1 + client, request).await {
            Ok(said) if said.starts_with("HTTP/1.1 ") && said.contains("\r\n\r\n") => {
                seen.answered += 1
            }
            other => seen.failed.push(format!("{other:?} after {:?}", began.elapsed())),
        }
    }
    seen
}
