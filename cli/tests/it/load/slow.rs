//! Clients that are slow to send heads, to send bodies, or to read.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::portal::{Portal, connect};
use super::{chaos, milliseconds, percentile};
use crate::camp::Camp;
use crate::videos::imported;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Slow {
    Head,
    Body,
    Read,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_closed_and_others_are_answered() {
    // On a machine that does nothing else: the promised 15 s, plus the time in which an unoptimized
    // program accepts 2,000 clients at once.
    let (clients, closed, answered) =
        if chaos() { (2_000, SECOND * 20, SECOND / 2) } else { (200, SECOND * 30, SECOND * 5) };
    let camp = Camp::on_sqlite();
    let portal = Portal::start(&camp).await;
    let mut slow = JoinSet::new();
    for n in 0..clients {
        let kind = [Slow::Head, Slow::Body, Slow::Read][n % 3];
        // The clients come from twenty networks, so that none has more than its share.
        let address = portal.address;
        slow.spawn(async move { (kind, until_closed(address, 1 + n % 20, kind).await) });
    }
    let mut times = Vec::new();
    let mut others = Vec::new();
    while !slow.is_empty() {
        let began = Instant::now();
        let said = portal.get("/api/site").await.expect("an answer");
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
        others.push(began.elapsed());
        while let Some(ended) = slow.try_join_next() {
            times.push(ended.expect("no panic"));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let p99 = percentile(&mut others, 99);
    println!(
        "{clients} slow clients: {} others answered, p99 {:.1} ms",
        others.len(),
        milliseconds(p99)
    );
    for kind in [Slow::Head, Slow::Body, Slow::Read] {
        let of_kind = times.iter().filter(|(k, _)| *k == kind).map(|(_, time)| *time);
        let longest = of_kind.max().expect("some were of this kind");
        println!("  slow {kind:?}: the last one was closed after {:.1} s", longest.as_secs_f64());
        assert!(longest < closed, "{kind:?}: {longest:?}");
    }
    assert!(p99 < answered, "p99 {p99:?}");
}

/// The portal keeps serving players that read slowly or pause. It holds parts of a file in memory
/// for each of them, and only the first 64 get large parts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_readers_of_videos_hold_little_memory() {
    let clients = if chaos() { 2_000 } else { 400 };
    let camp = Camp::on_sqlite();
    camp.begin();
    let app = camp.app().await;
    let bytes = "x".repeat(4 << 20);
    let film = imported(&app, "Lake", "films/lake.mp4", bytes.as_bytes()).await;
    app.db.close().await;
    let portal = Portal::start(&camp).await;
    let path = format!("/media/videos/{film}");
    let whole = portal.get(&path).await.expect("an answer");
    assert!(whole.starts_with("HTTP/1.1 200") && whole.len() > 4 << 20, "{}", whole.len());
    drop(whole);
    let before = portal.memory();
    let mut slow = Vec::new();
    let mut some = [0; 1024];
    for n in 0..clients {
        // The clients come from forty networks, so that none has more than its share.
        let mut stream =
            connect(portal.address, 1 + n % 40, Some(4096)).await.expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nHost: camp.example\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it is taken");
        // Reads one after another: on a busy machine, some of many simultaneous clients would be
        // told to come back later.
        stream.read_exact(&mut some).await.expect("the beginning of the film");
        assert!(some.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&some));
        slow.push(stream);
    }
    // A client that has received some of the body has made the portal read its part of the file.
    for _ in 0..7 {
        for stream in &mut slow {
            stream.read_exact(&mut some).await.expect("more of the film");
        }
    }
    let during = portal.memory();
    println!(
        "{clients} slow readers: memory {} MiB before, {} MiB then",
        before / 1024,
        during / 1024
    );
    // Besides the large parts, each client takes 128 KiB. If all parts were large, it would be
    // twice as much.
    let most = before + 24 * 1024 + clients as u64 * 128;
    assert!(during < most, "{before} KiB before, {during} KiB then");
    let said = portal.get("/api/site").await.expect("an answer");
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}

/// How long the portal keeps such a client's connection.
async fn until_closed(address: SocketAddr, from: usize, kind: Slow) -> Duration {
    let room = (kind == Slow::Read).then_some(4096);
    let mut stream = connect(address, from, room).await.expect("a connection");
    let began = Instant::now();
    let start = match kind {
        Slow::Head => "GET / HTTP/1.1\r\nHost: camp.example\r\n".to_owned(),
        Slow::Body => "POST /api/contact HTTP/1.1\r\nHost: camp.example\r\n\
             Content-Type: application/json\r\nContent-Length: 900\r\n\r\n"
            .to_owned(),
        Slow::Read => "GET /api/openapi.json HTTP/1.1\r\nHost: camp.example\r\n\r\n".repeat(20),
    };
    stream.write_all(start.as_bytes()).await.expect("it is taken");
    let (part, pause) = match kind {
        Slow::Head => ("X-A: a\r\n", SECOND),
        Slow::Body => (" ", SECOND * 5),
        Slow::Read => ("", SECOND / 4),
    };
    let mut next = began;
    while !is_closed(&stream, kind) {
        assert!(began.elapsed() < SECOND * 60, "{kind:?}: open after a minute");
        if next.elapsed() > pause {
            next = Instant::now();
            stream.write_all(part.as_bytes()).await.ok();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    began.elapsed()
}

fn is_closed(stream: &TcpStream, kind: Slow) -> bool {
    if stream.take_error().is_ok_and(|error| error.is_some()) {
        return true;
    }
    // A client that reads nothing would not notice the end of the connection.
    let mut some = [0; 1024];
    kind != Slow::Read
        && match stream.try_read(&mut some) {
            // There is nothing more, or the status 408.
            Ok(n) => n == 0 || some.starts_with(b"HTTP/1.1 408"),
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
}
