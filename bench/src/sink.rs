//! A mail server on this machine that accepts everything, as fast as it can.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone)]
pub struct Sink {
    pub url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    mails: usize,
    bytes: usize,
    first: Option<Instant>,
    last: Option<Instant>,
    recipients: HashMap<String, usize>,
}

/// What has arrived so far.
#[derive(Clone, Copy)]
pub struct Arrived {
    pub mails: usize,
    pub recipients: usize,
    pub bytes: usize,
    /// From the first mail to the last.
    pub took: Duration,
}

impl Sink {
    pub async fn open() -> Sink {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("smtp://{}", listener.local_addr().expect("an address"));
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, shared.clone()));
            }
        });
        Sink { url, state }
    }

    pub fn arrived(&self) -> Arrived {
        let state = self.state.lock().expect("no panic inside");
        let took = state.first.zip(state.last).map_or(Duration::ZERO, |(first, last)| last - first);
        let State { mails, bytes, .. } = *state;
        Arrived { mails, recipients: state.recipients.len(), bytes, took }
    }

    pub fn clear(&self) {
        *self.state.lock().expect("no panic inside") = State::default();
    }
}

async fn converse(mut stream: TcpStream, state: Arc<Mutex<State>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.write_all(b"220 sink\r\n").await?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut to = String::new();
    let mut is_text = false;
    loop {
        if stream.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
        let mut answers = String::new();
        if !is_text {
            is_text = answer_commands(&mut buffer, &mut to, &mut answers);
        }
        // Nothing follows a text before its answer.
        if is_text && buffer.ends_with(b"\r\n.\r\n") {
            record(&state, &to, buffer.len());
            buffer.clear();
            is_text = false;
            answers.push_str("250 kept\r\n");
        }
        stream.write_all(answers.as_bytes()).await?;
    }
}

/// Answers all complete lines. Returns whether a text follows.
fn answer_commands(buffer: &mut Vec<u8>, to: &mut String, answers: &mut String) -> bool {
    while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
        let line: Vec<u8> = buffer.drain(..=end).collect();
        let line = String::from_utf8_lossy(&line);
        match line.get(..4).unwrap_or_default() {
            "EHLO" => answers.push_str("250-sink\r\n250 PIPELINING\r\n"),
            "RCPT" => {
                *to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                answers.push_str("250 ok\r\n");
            }
            "DATA" => {
                answers.push_str("354 go on\r\n");
                return true;
            }
            _ => answers.push_str("250 ok\r\n"),
        }
    }
    false
}

fn record(state: &Mutex<State>, to: &str, bytes: usize) {
    let mut state = state.lock().expect("no panic inside");
    let now = Instant::now();
    state.mails += 1;
    state.bytes += bytes;
    state.first.get_or_insert(now);
    state.last = Some(now);
    *state.recipients.entry(to.to_owned()).or_default() += 1;
}
