//! A running portal, an owner who posts videos, and their responses.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::camp::{Camp, Running};

const PASSWORD: &str = "visiting-day-demo";
/// Longer than any response takes.
const LIMIT: Duration = Duration::from_secs(60);

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
    pub took: Duration,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

pub struct Site {
    pub address: SocketAddr,
    pub running: Running,
    pub log: PathBuf,
}

/// A signed-in owner; the session outlives the process.
#[derive(Clone)]
pub struct Owner {
    address: SocketAddr,
    cookie: String,
}

/// A free port.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port()
}

impl Site {
    /// Starts `camp serve` and waits until it responds.
    pub async fn start(camp: &Camp, arguments: &[&str]) -> Site {
        Site::start_on(camp, (Ipv4Addr::LOCALHOST, free_port()).into(), arguments).await
    }

    pub async fn start_on(camp: &Camp, address: SocketAddr, arguments: &[&str]) -> Site {
        let log = camp.folder().join("log");
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&log);
        let bind = address.to_string();
        let child = camp
            .command(&["serve", "--bind", &bind])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file.expect("a log"))
            .spawn()
            .expect("the binary starts");
        let site = Site { address, running: Running::of(child), log };
        let begun = Instant::now();
        while send(address, "GET", "/healthz", None, "").await.is_none_or(|a| a.status != 200) {
            assert!(begun.elapsed() < LIMIT, "the portal does not start: {}", site.said());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        site
    }

    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub async fn get(&self, path: &str) -> Answer {
        send(self.address, "GET", path, None, "").await.expect("an answer")
    }

    /// Stops it like systemd, and asserts that it never panicked.
    pub async fn stop(mut self) {
        assert_eq!(self.running.stop().await, Some(0), "{}", self.said());
        assert!(!self.said().contains("panicked"), "{}", self.said());
    }
}

/// Adds the owner's account, which creates the camp.
pub fn add_owner(camp: &Camp) {
    let add = ["admin", "add", "miriam", "--email", "miriam@camp.example", "--role", "owner"];
    let said = camp.run_with(&add, &format!("{PASSWORD}\n"));
    assert_eq!(said.code, 0, "{said:?}");
}

impl Owner {
    pub async fn sign_in(site: &Site) -> Owner {
        let given = json!({ "username": "miriam", "password": PASSWORD });
        let path = "/api/admin/auth/sign-in";
        let answer = send(site.address, "POST", path, Some(&given), "").await.expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookies: Vec<&str> = answer
            .head
            .lines()
            .filter(|line| line.to_ascii_lowercase().starts_with("set-cookie:"))
            .filter_map(|line| line.split_once(':')?.1.split(';').next())
            .map(str::trim)
            .collect();
        Owner { address: site.address, cookie: cookies.join("; ") }
    }

    /// The same session, after a restart of the portal.
    pub fn at(&self, site: &Site) -> Owner {
        Owner { address: site.address, cookie: self.cookie.clone() }
    }

    /// `None` if the portal closed the connection.
    pub async fn try_get(&self, path: &str) -> Option<Answer> {
        send(self.address, "GET", path, None, &self.cookie).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.try_get(path).await.expect("an answer")
    }

    pub async fn try_post(&self, title: &str, status: &str) -> Option<Answer> {
        let video = json!({
            "title": title, "video_url": "https://youtu.be/aBcDeFgHiJk", "status": status,
            "description": "Long enough to fill a disk. ".repeat(30).trim(),
        });
        send(self.address, "POST", "/api/admin/videos", Some(&video), &self.cookie).await
    }

    pub async fn post(&self, title: &str, status: &str) -> Answer {
        self.try_post(title, status).await.expect("an answer")
    }
}

/// One request on its own connection; `None` if it could not be sent or was not answered.
pub async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<&Value>,
    cookie: &str,
) -> Option<Answer> {
    let begun = Instant::now();
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nsec-fetch-site: same-origin\r\nconnection: close\r\n"
        );
        if !body.is_empty() {
            let length = body.len();
            request += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
        }
        if !cookie.is_empty() {
            request += &format!("cookie: {cookie}\r\n");
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok()?;
        String::from_utf8(answer).ok()
    };
    let text = tokio::time::timeout(LIMIT, exchange).await.expect("an answer within a minute")?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let took = begun.elapsed();
    Some(Answer { status, head: head.to_owned(), body: body.to_owned(), took })
}

/// How often each status was received.
#[derive(Debug, Default)]
pub struct Tally(pub HashMap<u16, usize>);

impl Tally {
    pub fn add(&mut self, answer: &Answer) {
        *self.0.entry(answer.status).or_default() += 1;
    }

    pub fn of(&self, status: u16) -> usize {
        self.0.get(&status).copied().unwrap_or_default()
    }

    /// Fails if there was any other status.
    #[track_caller]
    pub fn only(&self, allowed: &[u16]) {
        assert!(self.0.keys().all(|status| allowed.contains(status)), "{self:?}");
    }
}
