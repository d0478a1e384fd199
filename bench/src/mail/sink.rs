//! A mail server on this machine that accepts everything, as fast as it can. It is a process of its own
//! with a single thread, since the mail servers of a camp share neither with the worker.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The first argument of the program that makes it this server.
pub const ROLE: &str = "sink";
/// Commands of the measurement.
const TELL: &str = "TELL\r\n";
const FORGET: &str = "FORGET\r\n";

/// The end of a text.
const END: &[u8] = b"\r\n.\r\n";

/// The server, as the measurement sees it. It ends when this is dropped.
pub struct Sink {
    pub url: String,
    server: Child,
    /// Carries the commands of the measurement.
    line: tokio::sync::Mutex<TcpStream>,
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
    pub async fn start() -> Sink {
        let program = std::env::current_exe().expect("this program");
        let mut server = Command::new(program)
            .arg(ROLE)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut address = String::new();
        let said = server.stdout.take().expect("its output");
        BufReader::new(said).read_line(&mut address).expect("its address");
        let mut line = TcpStream::connect(address.trim()).await.expect("it answers");
        line.set_nodelay(true).expect("a TCP stream");
        answer(&mut line).await;
        Sink { url: format!("smtp://{}", address.trim()), server, line: line.into() }
    }

    pub async fn arrived(&self) -> Arrived {
        let told = self.ask(TELL).await;
        let numbers: Vec<usize> = told.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [_, mails, recipients, bytes, micros] = numbers[..] else { panic!("{told}") };
        Arrived { mails, recipients, bytes, took: Duration::from_micros(micros as u64) }
    }

    pub async fn clear(&self) {
        self.ask(FORGET).await;
    }

    async fn ask(&self, command: &str) -> String {
        let mut line = self.line.lock().await;
        line.write_all(command.as_bytes()).await.expect("it listens");
        answer(&mut line).await
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

/// Reads one line.
async fn answer(line: &mut TcpStream) -> String {
    let mut buffer = Vec::new();
    while !buffer.ends_with(b"\r\n") {
        assert!(line.read_buf(&mut buffer).await.expect("it lives") > 0, "it lives");
    }
    String::from_utf8(buffer).expect("text").trim().to_owned()
}

#[derive(Default)]
struct State {
    mails: usize,
    bytes: usize,
    first: Option<Instant>,
    last: Option<Instant>,
    recipients: HashMap<String, usize>,
}

impl State {
    fn record(&mut self, to: &str, bytes: usize) {
        let now = Instant::now();
        self.mails += 1;
        self.bytes += bytes;
        self.first.get_or_insert(now);
        self.last = Some(now);
        *self.recipients.entry(to.to_owned()).or_default() += 1;
    }

    fn tell(&self) -> String {
        let took = self.first.zip(self.last).map_or(Duration::ZERO, |(first, last)| last - first);
        let State { mails, bytes, recipients, .. } = self;
        format!("250 {mails} {} {bytes} {}\r\n", recipients.len(), took.as_micros())
    }
}

/// Is the server, until the process is killed.
pub async fn serve() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let state: Arc<Mutex<State>> = Arc::default();
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(converse(stream, state.clone()));
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
        loop {
            if !is_text {
                is_text = answer_commands(&mut buffer, &mut to, &mut answers, &state);
            }
            // The commands of the next mail may follow the text.
            let Some(length) = is_text.then(|| length_of_text(&buffer)).flatten() else { break };
            state.lock().expect("no panic inside").record(&to, length);
            buffer.drain(..length);
            is_text = false;
            answers.push_str("250 kept\r\n");
        }
        stream.write_all(answers.as_bytes()).await?;
    }
}

/// The length of the text at the beginning of the buffer, if it is all there. Only commands follow it, which are short.
fn length_of_text(buffer: &[u8]) -> Option<usize> {
    let from = buffer.len().saturating_sub(1024);
    let at = buffer[from..].windows(END.len()).position(|window| window == END)?;
    Some(from + at + END.len())
}

/// Answers all complete lines. Returns whether a text follows.
fn answer_commands(
    buffer: &mut Vec<u8>,
    to: &mut String,
    answers: &mut String,
    state: &Mutex<State>,
) -> bool {
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
            _ if line == TELL => {
                answers.push_str(&state.lock().expect("no panic inside").tell());
            }
            _ if line == FORGET => {
                *state.lock().expect("no panic inside") = State::default();
                answers.push_str("250 ok\r\n");
            }
            _ => answers.push_str("250 ok\r\n"),
        }
    }
    false
}
