//! Clients that are idle or slow in any phase of a connection. Each is disconnected within the
//! promised 15 seconds, plus a margin for machines that run other tests.

use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;

use super::wire::serve;

const SECOND: Duration = Duration::from_secs(1);
/// The promised time plus a margin for a busy machine.
const CLOSED: Duration = Duration::from_secs(15 + 10);

story! {
    async fn a_connection_that_sends_nothing_is_closed(camp) {
        let portal = serve(&camp, |_| {}).await;
        let (said, after) = portal.connect(2).await.ends().await;
        assert!(said.is_empty() && after < CLOSED, "{said:?} after {after:?}");
        portal.stop().await;
    }
}

story! {
    async fn half_a_preface_of_http_2_is_not_waited_for(camp) {
        let portal = serve(&camp, |_| {}).await;
        for start in ["P", "PRI * HTTP/2.0\r\n\r\nSM", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
            let mut wire = portal.connect(2).await;
            wire.send(start).await;
            let (_, after) = wire.ends().await;
            assert!(after < CLOSED, "{start:?} after {after:?}");
        }
        portal.stop().await;
    }
}

story! {
    async fn a_head_that_never_ends_is_not_waited_for(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect(2).await;
        wire.send("GET / HTTP/1.1\r\n").await;
        wire.drip((0..40).map(|n| format!("X-{n}: a\r\n")), SECOND).await;
        let (_, after) = wire.ends().await;
        assert!(after < CLOSED, "after {after:?}");
        portal.stop().await;
    }
}

story! {
    async fn a_connection_is_not_kept_open_after_its_last_answer(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect(2).await;
        assert!(wire.works().await && wire.works().await);
        let (_, after) = wire.ends().await;
        assert!(after > SECOND * 5 && after < CLOSED, "after {after:?}");
        portal.stop().await;
    }
}

story! {
    async fn a_body_that_drips_is_refused_in_time_and_says_why(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect(2).await;
        wire.send("POST /api/contact HTTP/1.1\r\nHost: camp.example\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n").await;
        wire.drip(vec!["{"; 20], SECOND * 5).await;
        let (said, after) = wire.ends().await;
        assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
        assert!(said.contains("application/problem+json") && said.contains("\"too_slow\""), "{said}");
        assert!(after < CLOSED, "after {after:?}");
        portal.stop().await;
    }
}

story! {
    async fn a_body_that_never_comes_is_refused_in_time(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect(2).await;
        wire.send("POST /api/contact HTTP/1.1\r\nHost: camp.example\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        let (said, after) = wire.ends().await;
        assert!(said.starts_with("HTTP/1.1 408 ") && after < CLOSED, "{said} after {after:?}");
        portal.stop().await;
    }
}

story! {
    async fn a_long_body_on_a_slow_line_is_waited_for(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect(2).await;
        wire.send("POST /api/contact HTTP/1.1\r\nHost: camp.example\r\nContent-Type: application/json\r\nContent-Length: 40002\r\n\r\n\"").await;
        wire.drip(vec!["x".repeat(2_000); 20], SECOND).await;
        assert!(wire.began.elapsed() > SECOND * 19, "nothing was answered before the end");
        wire.send("\"").await;
        let said = wire.answer().await;
        assert!(said.starts_with("HTTP/1.1 4") && !said.contains("408"), "{said}");
        portal.stop().await;
    }
}

story! {
    async fn who_asks_for_much_and_reads_nothing_is_cut_off(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect_reading(2, Some(4096)).await;
        let request = "GET /api/openapi.json HTTP/1.1\r\nHost: camp.example\r\n\r\n";
        wire.send(request.repeat(40)).await;
        let cut = loop {
            tokio::time::sleep(SECOND / 4).await;
            if wire.stream.take_error().expect("a socket").is_some() {
                break wire.began.elapsed();
            }
            assert!(wire.began.elapsed() < SECOND * 40, "it is open still");
        };
        assert!(cut < CLOSED, "after {cut:?}");
        portal.stop().await;
    }
}

/// One frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The head of a GET, complete and without a body.
fn get(stream: u32, path: &str) -> Vec<u8> {
    let mut head = vec![0x82, 0x86, 0x44, path.len() as u8];
    head.extend(path.as_bytes());
    head.extend([0x41, 12]);
    head.extend(b"camp.example");
    frame(1, 0x5, stream, &head)
}

/// Reads frames until one has this kind and stream.
async fn until(wire: &mut super::wire::Wire, kind: u8, stream: u32) -> Vec<u8> {
    loop {
        let mut head = [0; 9];
        wire.stream.read_exact(&mut head).await.expect("a frame");
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        wire.stream.read_exact(&mut payload).await.expect("its payload");
        if head[3] == kind && head[5..] == stream.to_be_bytes() {
            return payload;
        }
    }
}

story! {
    async fn on_http_2_a_response_that_nobody_takes_is_reset_and_others_go_on(camp) {
        let portal = serve(&camp, |_| {}).await;
        let mut wire = portal.connect(2).await;
        wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        // The client announces a window of zero, so no byte of a response fits.
        wire.send(frame(4, 0, 0, &[0, 4, 0, 0, 0, 0])).await;
        let asked = Instant::now();
        wire.send(get(1, "/api/openapi.json")).await;
        let reset = tokio::time::timeout(CLOSED, until(&mut wire, 3, 1)).await;
        assert!(reset.is_ok() && asked.elapsed() > SECOND * 5, "{reset:?}");
        wire.send(get(3, "/healthz")).await;
        wire.send(frame(8, 0, 3, &100_u32.to_be_bytes())).await;
        assert_eq!(until(&mut wire, 0, 3).await, b"ok\n");
        let (_, after) = wire.ends().await;
        assert!(after < CLOSED * 2, "after {after:?}");
        portal.stop().await;
    }
}
