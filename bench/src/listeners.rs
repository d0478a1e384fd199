//! Keeps thousands of event streams open and measures when an event reaches them. Reads commands, a line each, and
//! answers each with a line:
//!
//! - `open COUNT`: opens so many streams. `opened MILLISECONDS REFUSALS`
//! - `mark`: begins to count streams that come back. `marked`
//! - `back COUNT`: waits until so many are open that were opened since then. `back MILLISECONDS REFUSALS`, counted from
//!   this command
//! - `publish FILE`: sends the request in this file. `delivered COUNT MEDIAN 99TH LAST ANSWER`: how many streams
//!   received the event, and microseconds since the request was sent
//!
//! A stream that ends is opened again, as browsers do.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// The number of addresses that the streams come from, so that the ports of none run out.
const ADDRESSES: u64 = 64;
/// The number of streams that are being opened at the same time.
const CONCURRENCY: usize = 512;
/// How long to wait before a stream is opened again; pages wait for up to two seconds.
const PAUSE: Duration = Duration::from_millis(500);
const LIMIT: Duration = Duration::from_secs(120);
/// How long an event may take.
const LATEST: Duration = Duration::from_secs(10);

struct State {
    server: SocketAddr,
    request: String,
    places: Semaphore,
    open: AtomicI64,
    opened: AtomicU64,
    refused: AtomicU64,
    /// The number of the event that is waited for.
    event: AtomicU64,
    arrivals: Mutex<Arrivals>,
}

struct Arrivals {
    since: Instant,
    times: Vec<Duration>,
}

pub fn obey(runtime: &Runtime, server: &str, path: &str) {
    rlimit::increase_nofile_limit(u64::MAX).expect("a limit of open files");
    let state = Arc::new(State {
        server: server.parse().expect("HOST:PORT"),
        request: format!(
            "GET {path} HTTP/1.1\r\nHost: {server}\r\nAccept: text/event-stream\r\n\r\n"
        ),
        places: Semaphore::new(CONCURRENCY),
        open: AtomicI64::default(),
        opened: AtomicU64::default(),
        refused: AtomicU64::default(),
        event: AtomicU64::default(),
        arrivals: Mutex::new(Arrivals { since: Instant::now(), times: Vec::new() }),
    });
    let mut marked = 0;
    for line in std::io::stdin().lines() {
        let line = line.expect("a line");
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["open", count] => {
                let count = count.parse().expect("a number");
                let begun = Instant::now();
                for n in 0..count {
                    runtime.spawn(stay(state.clone(), n));
                }
                println!("opened {}", runtime.block_on(state.until_open(begun, count, 0)));
            }
            ["mark"] => {
                marked = state.opened.load(Relaxed);
                println!("marked");
            }
            ["back", count] => {
                let count = count.parse().expect("a number");
                let back = state.until_open(Instant::now(), count, marked);
                println!("back {}", runtime.block_on(back));
            }
            ["publish", file] => println!("delivered {}", runtime.block_on(state.publish(file))),
            _ => panic!("{line}"),
        }
    }
}

/// Keeps one stream open.
async fn stay(state: Arc<State>, number: u64) {
    loop {
        if let Ok(stream) = state.open(number).await {
            state.open.fetch_add(1, Relaxed);
            state.opened.fetch_add(1, Relaxed);
            state.listen(&stream).await;
            state.open.fetch_sub(1, Relaxed);
        } else {
            state.refused.fetch_add(1, Relaxed);
        }
        // Not all in the same moment, as people's browsers.
        sleep(PAUSE + PAUSE * (number % 100) as u32 / 100).await;
    }
}

impl State {
    /// Opens a stream and reads the head of the response.
    async fn open(&self, number: u64) -> std::io::Result<TcpStream> {
        let _place = self.places.acquire().await.map_err(std::io::Error::other)?;
        let socket = TcpSocket::new_v4()?;
        let address = Ipv4Addr::new(127, 0, 0, 2 + (number % ADDRESSES) as u8);
        socket.bind((address, 0).into())?;
        let mut stream = socket.connect(self.server).await?;
        stream.set_nodelay(true)?;
        stream.write_all(self.request.as_bytes()).await?;
        let mut head = [0; 4096];
        let read = stream.read(&mut head).await?;
        match head[..read].starts_with(b"HTTP/1.1 200") {
            true => Ok(stream),
            false => Err(std::io::Error::other("refused")),
        }
    }

    /// Reads until the stream ends.
    async fn listen(&self, stream: &TcpStream) {
        let mut seen = self.event.load(Relaxed);
        while stream.readable().await.is_ok() {
            let mut chunk = [0; 4096];
            let read = match stream.try_read(&mut chunk) {
                Ok(0) => return,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
                Err(_) => return,
            };
            let event = self.event.load(Relaxed);
            if event != seen && chunk[..read].windows(5).any(|part| part == b"data:") {
                seen = event;
                let mut arrivals = self.arrivals.lock().expect("no panic");
                let took = arrivals.since.elapsed();
                arrivals.times.push(took);
            }
        }
    }

    /// Waits until `count` are open, and were opened after the first `marked`.
    async fn until_open(&self, begun: Instant, count: u64, marked: u64) -> String {
        let refused = self.refused.load(Relaxed);
        while self.open.load(Relaxed) < count as i64 || self.opened.load(Relaxed) < marked + count {
            if begun.elapsed() > LIMIT {
                let open = self.open.load(Relaxed);
                panic!("only {open} of {count} are open, {:?} refused", self.refused);
            }
            sleep(Duration::from_millis(2)).await;
        }
        let refused = self.refused.load(Relaxed) - refused;
        format!("{} {refused}", begun.elapsed().as_millis())
    }

    async fn publish(&self, file: &str) -> String {
        let request = std::fs::read(file).expect("the file of the request");
        let mut stream = TcpStream::connect(self.server).await.expect("it listens");
        stream.set_nodelay(true).expect("a TCP stream");
        let all = self.open.load(Relaxed) as usize;
        let begun = Instant::now();
        *self.arrivals.lock().expect("no panic") =
            Arrivals { since: begun, times: Vec::with_capacity(all) };
        self.event.fetch_add(1, Relaxed);
        stream.write_all(&request).await.expect("it reads");
        let mut head = [0; 4096];
        let read = stream.read(&mut head).await.expect("it answers");
        let answered = begun.elapsed();
        let head = String::from_utf8_lossy(&head[..read]);
        assert!(head.starts_with("HTTP/1.1 2"), "{head}");
        loop {
            let arrived = self.arrivals.lock().expect("no panic").times.len();
            if arrived >= all || begun.elapsed() > LATEST {
                let mut times = self.arrivals.lock().expect("no panic").times.clone();
                times.sort();
                let at = |part: usize| {
                    times.get((times.len() * part / 100).min(times.len().saturating_sub(1)))
                };
                let micros = |at: Option<&Duration>| at.map_or(0, Duration::as_micros);
                let (median, most, last) = (micros(at(50)), micros(at(99)), micros(times.last()));
                return format!("{} {median} {most} {last} {}", times.len(), answered.as_micros());
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}
