//! The program's memory grows neither from requests that are all different (safety 31) nor from
//! sign-ins.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::chaos;
use super::portal::{Portal, ask, connect};
use crate::camp::Camp;

const CLIENTS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_requests_leave_memory_flat() {
    let requests = if chaos() { 100_000 } else { 4_000 };
    let camp = Camp::on_sqlite();
    let portal = Portal::start(&camp).await;
    // Fills caches and buffers first.
    odd(&portal, "first", requests.min(10_000)).await;
    let (series, memory) = (series(&portal).await, portal.memory());
    odd(&portal, "then", requests).await;
    let (series_after, memory_after) = (self::series(&portal).await, portal.memory());
    println!(
        "{requests} odd requests: memory {:.1} MiB before, {:.1} MiB after; {series} series before, {series_after} after",
        memory as f64 / 1024.0,
        memory_after as f64 / 1024.0
    );
    assert!(series_after <= series + 40, "a few more states of known routes at the most");
    assert!(memory_after < memory + 24 * 1024, "{memory} KiB before, {memory_after} KiB after");
}

/// A sign-in takes 19 MB while its password is hashed. The C library's allocator kept 60 MB of that
/// for every thread that ever hashed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_sign_ins_gives_its_memory_back() {
    let sign_ins = if chaos() { 2_000 } else { 160 };
    let camp = Camp::on_sqlite();
    let portal = Portal::start(&camp).await;
    sign_in(portal.address, 0).await;
    let before = portal.memory();
    let clients = (0..16).map(|client| {
        let address = portal.address;
        tokio::spawn(async move {
            for n in (client..sign_ins).step_by(16) {
                sign_in(address, n + 1).await;
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("no panic");
    }
    let (most, ended) = (portal.memory(), Instant::now());
    // Memory is freed seconds after its last use, even when nothing else happens. A single hash
    // would hold more than this limit.
    while portal.memory() > before + 16 * 1024 && ended.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let after = portal.memory();
    println!(
        "{sign_ins} sign-ins: memory {} MiB before, {} MiB at their end, {} MiB then",
        before / 1024,
        most / 1024,
        after / 1024
    );
    assert!(after < before + 16 * 1024, "{before} KiB before, {after} KiB after");
}

/// Signs in with a wrong password, each time from a new network.
async fn sign_in(address: SocketAddr, n: usize) {
    let body = format!(r#"{{"email":"parent{n}@family.example","password":"not this one"}}"#);
    let head = format!(
        "POST /api/auth/sign-in HTTP/1.1\r\nHost: camp.example\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let said = ask(address, n, &head).await.expect("an answer");
    assert!(said.starts_with("HTTP/1.1 401"), "{said}");
}

async fn series(portal: &Portal) -> usize {
    portal.get("/metrics").await.expect("an answer").lines().count()
}

/// Sends many requests that are all different.
async fn odd(portal: &Portal, word: &'static str, requests: usize) {
    let clients = (0..CLIENTS).map(|client| {
        let address = portal.address;
        tokio::spawn(async move {
            let mut stream = None;
            for n in (client..requests).step_by(CLIENTS) {
                send(&mut stream, address, word, n).await;
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("no panic");
    }
}

async fn send(stream: &mut Option<TcpStream>, address: SocketAddr, word: &str, n: usize) {
    let method = match n % 4 {
        0 => format!("M{word}{n}"),
        1 => "POST".to_owned(),
        _ => "GET".to_owned(),
    };
    let path = match n % 7 {
        0 => format!("/{word}/{n}"),
        1 => format!("/api/{word}{n}?{word}={n}"),
        2 => "/api/videos".to_owned(),
        3 => format!("/video/{n}"),
        4 => format!("/media/videos/{n}"),
        5 => format!("/api/videos?q={word}{n}"),
        _ => "/healthz".to_owned(),
    };
    let token: String = format!("{word}{n:0>43}").chars().take(43).collect();
    let long = "x".repeat(n % 5 * 4_000);
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {word}{n}.example\r\nUser-Agent: {word} {n}\r\nX-{word}-{n}: {n}\r\n\
         X-Forwarded-For: 198.51.{}.{}\r\nCookie: session={token}; staff={long}{n}\r\nContent-Length: 0\r\n\r\n",
        n / 256 % 256,
        n % 256,
    );
    // The portal may close a connection after a response. Then a new one is opened.
    for _ in 0..3 {
        let mut open = match stream.take() {
            Some(open) => open,
            None => connect(address, 0, None).await.expect("a connection"),
        };
        if open.write_all(request.as_bytes()).await.is_ok() && answer(&mut open).await {
            *stream = Some(open);
            return;
        }
    }
    panic!("no answer to {method} {path}");
}

/// Reads one response. Returns whether there was one.
async fn answer(stream: &mut TcpStream) -> bool {
    let mut read = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return false,
            Ok(n) => read.extend_from_slice(&buffer[..n]),
        }
        let Some(end) = read.windows(4).position(|part| part == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        match length.map(|length| length.trim().parse::<usize>().expect("a number")) {
            Some(length) if read.len() < end + 4 + length => {}
            Some(_) => return true,
            None if read.ends_with(b"0\r\n\r\n") => return true,
            None => {}
        }
    }
}
