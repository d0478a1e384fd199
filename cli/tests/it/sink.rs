//! A mail server that stores the mail it receives and can misbehave.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How the server treats connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Well,
    /// Closes the connection at once.
    Refuses,
    /// Accepts the connection and never responds.
    Silent,
    /// Greets with 554.
    NoService,
    /// Responds 535 to every password.
    BadPassword,
    /// Responds 421 to every sender.
    ShuttingDown,
    /// Responds 451 to every recipient.
    Later,
    /// Receives the mail and never responds.
    HangsAfterData,
    /// Keeps the mail and never responds.
    KeepsAndHangs,
}

#[derive(Debug, Clone)]
pub struct Got {
    pub to: String,
    pub message_id: String,
}

#[derive(Clone)]
pub struct Sink {
    pub port: u16,
    kept: Arc<Mutex<Vec<Got>>>,
    mood: Arc<Mutex<Mood>>,
    open: Arc<AtomicUsize>,
    /// The maximum number of simultaneous connections.
    pub most_open: Arc<AtomicUsize>,
    /// Connections and attempts of any kind.
    pub visits: Arc<AtomicUsize>,
    turned_away: Arc<Mutex<HashMap<String, usize>>>,
    /// Mails that are being received for each domain, and the maximum.
    domains: Arc<Mutex<HashMap<String, (usize, usize)>>>,
    _serving: Arc<AbortOnDrop>,
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Sink {
    pub async fn open() -> Sink {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let (sender, receiver) = tokio::sync::oneshot::channel::<Sink>();
        let serving = tokio::spawn(async move {
            let Ok(sink) = receiver.await else { return };
            // Captures only the shared state. Otherwise the server would keep itself alive.
            let shared = sink.shared();
            drop(sink);
            while let Ok((stream, _)) = listener.accept().await {
                shared.visits.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(shared.clone().converse(stream));
            }
        });
        let sink = Sink {
            port,
            kept: Arc::default(),
            mood: Arc::new(Mutex::new(Mood::Well)),
            open: Arc::default(),
            most_open: Arc::default(),
            visits: Arc::default(),
            turned_away: Arc::default(),
            domains: Arc::default(),
            _serving: Arc::new(AbortOnDrop(serving)),
        };
        sender.send(sink.clone()).ok();
        sink
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    pub fn mood(&self, mood: Mood) {
        *self.mood.lock().expect("fine") = mood;
    }

    pub fn kept(&self) -> Vec<Got> {
        self.kept.lock().expect("fine").clone()
    }

    /// The number of different recipients.
    pub fn reached(&self) -> usize {
        let kept = self.kept.lock().expect("fine");
        kept.iter().map(|got| &got.to).collect::<std::collections::HashSet<_>>().len()
    }

    fn shared(&self) -> Shared {
        Shared {
            kept: self.kept.clone(),
            mood: self.mood.clone(),
            open: self.open.clone(),
            most_open: self.most_open.clone(),
            visits: self.visits.clone(),
            turned_away: self.turned_away.clone(),
            domains: self.domains.clone(),
        }
    }

    /// The maximum number of mails for one domain that were received at the same time.
    pub fn most_at_once_to(&self, domain: &str) -> usize {
        self.domains.lock().expect("fine").get(domain).map_or(0, |(_, most)| *most)
    }
}

#[derive(Clone)]
struct Shared {
    kept: Arc<Mutex<Vec<Got>>>,
    mood: Arc<Mutex<Mood>>,
    open: Arc<AtomicUsize>,
    most_open: Arc<AtomicUsize>,
    visits: Arc<AtomicUsize>,
    turned_away: Arc<Mutex<HashMap<String, usize>>>,
    domains: Arc<Mutex<HashMap<String, (usize, usize)>>>,
}

impl Shared {
    async fn converse(self, stream: TcpStream) {
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_open.fetch_max(open, Ordering::Relaxed);
        self.talk(stream).await.ok();
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    fn is(&self, mood: Mood) -> bool {
        *self.mood.lock().expect("fine") == mood
    }

    async fn talk(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        if self.is(Mood::Refuses) {
            return Ok(());
        }
        if self.is(Mood::Silent) {
            while lines.next_line().await?.is_some() {}
            return Ok(());
        }
        if self.is(Mood::NoService) {
            write.write_all(b"554 5.3.2 no service here\r\n").await?;
            return Ok(());
        }
        write.write_all(b"220 sink\r\n").await?;
        let mut to = String::new();
        while let Some(line) = lines.next_line().await? {
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
            let answer = match verb.as_str() {
                "EHLO" => "250-sink\r\n250-AUTH PLAIN LOGIN\r\n250 PIPELINING",
                "AUTH" if self.is(Mood::BadPassword) => "535 5.7.8 bad credentials",
                "AUTH" => "235 2.7.0 welcome",
                "MAIL" if self.is(Mood::ShuttingDown) => {
                    write.write_all(b"421 4.3.2 shutting down\r\n").await?;
                    return Ok(());
                }
                "RCPT" => {
                    to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                    let opinion = self.opinion(&to);
                    if opinion.starts_with("421") {
                        write.write_all(format!("{opinion}\r\n").as_bytes()).await?;
                        return Ok(());
                    }
                    if !opinion.starts_with("250") {
                        to.clear();
                    }
                    opinion
                }
                "DATA" if to.is_empty() => "503 no recipient",
                "DATA" => {
                    write.write_all(b"354 go on\r\n").await?;
                    let _counted = self.count(&to);
                    let mut message_id = String::new();
                    loop {
                        // A mail that ends before its final dot was not received.
                        let Some(line) = lines.next_line().await? else { return Ok(()) };
                        if line == "." {
                            break;
                        }
                        if let Some(id) = line.strip_prefix("Message-ID: ") {
                            message_id = id.trim().to_owned();
                        }
                    }
                    if self.is(Mood::HangsAfterData) {
                        while lines.next_line().await?.is_some() {}
                        return Ok(());
                    }
                    let got = Got { to: to.clone(), message_id };
                    if self.is(Mood::KeepsAndHangs) {
                        self.kept.lock().expect("fine").push(got);
                        while lines.next_line().await?.is_some() {}
                        return Ok(());
                    }
                    if to.ends_with("@slow.example") {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                    self.kept.lock().expect("fine").push(got);
                    "250 kept"
                }
                "QUIT" => {
                    write.write_all(b"221 bye\r\n").await?;
                    return Ok(());
                }
                _ => "250 ok",
            };
            write.write_all(format!("{answer}\r\n").as_bytes()).await?;
        }
        Ok(())
    }

    /// Refuses some mailboxes at first because they are full, and others because they do not exist.
    fn opinion(&self, to: &str) -> &'static str {
        let mut turned_away = self.turned_away.lock().expect("fine");
        let times = turned_away.entry(to.to_owned()).or_default();
        *times += 1;
        if self.is(Mood::Later) {
            return "451 4.3.0 later";
        }
        match to.split(['-', '@']).next() {
            Some("busy") => "421 4.7.28 too much mail for this domain",
            Some("full") if *times == 1 => "451 4.2.2 later",
            Some("nobody") => "550 5.1.1 no such mailbox",
            _ => "250 ok",
        }
    }

    /// Counts an email while it is being received.
    fn count(&self, to: &str) -> Counted {
        let domain = to.rsplit('@').next().unwrap_or_default().to_owned();
        let mut domains = self.domains.lock().expect("fine");
        let (now, most) = domains.entry(domain.clone()).or_default();
        *now += 1;
        *most = (*most).max(*now);
        Counted { domains: self.domains.clone(), domain }
    }
}

struct Counted {
    domains: Arc<Mutex<HashMap<String, (usize, usize)>>>,
    domain: String,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut domains = self.domains.lock().expect("fine");
        domains.entry(self.domain.clone()).or_default().0 -= 1;
    }
}
