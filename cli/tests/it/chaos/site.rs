//! A running portal, an owner who posts videos, and their responses.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::camp::{Camp, Running, free_port};

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
    pub id: u32,
    pub running: Running,
    pub log: PathBuf,
}

/// A signed-in owner; the session outlives the process.
#[derive(Clone)]
pub struct Owner {
    address: SocketAddr,
    cookie: String,
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
        let site = Site { address, id: child.id(), running: Running::of(child), log };
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

    /// The response without its body.
    pub async fn head(&self, path: &str) -> Answer {
        send(self.address, "HEAD", path, None, "").await.expect("an answer")
    }

    /// Stops the site as systemd does, and asserts that it never panicked.
    pub async fn stop(mut self) {
        assert_eq!(self.running.stop().await, Some(0), "{}", self.said());
        assert!(!self.said().contains("panicked"), "{}", self.said());
    }
}

/// Adds the owner's account, which also creates the camp.
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

    /// Sends one request with these bytes, by any method.
    pub async fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Raw {
        let own = [("sec-fetch-site", "same-origin"), ("cookie", self.cookie.as_str())];
        let headers = [headers, &own].concat();
        exchange(self.address, method, path, &headers, body).await.expect("an answer")
    }

    /// Uploads a file over tus and publishes it as soon as it is ready. Returns the video's id.
    pub async fn upload(&self, bytes: &[u8]) -> String {
        const TUS: (&str, &str) = ("tus-resumable", "1.0.0");
        let size = bytes.len().to_string();
        // "lake.mp4"
        let name = ("upload-metadata", "filename bGFrZS5tcDQ=");
        let headers = [TUS, name, ("upload-length", &size)];
        let begun = self.exchange("POST", "/api/admin/uploads", &headers, b"").await;
        let location = begun.head.lines().find_map(|line| line.strip_prefix("location: "));
        let path = location.unwrap_or_else(|| panic!("an address: {}", begun.head));
        let kind = ("content-type", "application/offset+octet-stream");
        let headers = [TUS, kind, ("upload-offset", "0")];
        assert_eq!(self.exchange("PATCH", path, &headers, bytes).await.status, 204);
        let upload = path.rsplit('/').next().expect("an id");
        let video = json!({ "title": "Lake", "upload_id": upload, "status": "published" });
        let kind = [("content-type", "application/json")];
        let body = video.to_string();
        let saved = self.exchange("POST", "/api/admin/videos", &kind, body.as_bytes()).await;
        assert_eq!(saved.status, 201, "{}", String::from_utf8_lossy(&saved.body));
        let saved: Value = serde_json::from_slice(&saved.body).expect("JSON");
        saved["video"]["id"].as_str().expect("an id").to_owned()
    }

    pub async fn delete_video(&self, id: &str) {
        let path = format!("/api/admin/videos/{id}");
        assert_eq!(self.exchange("DELETE", &path, &[], b"").await.status, 204);
    }

    pub async fn post(&self, title: &str, status: &str) -> Answer {
        self.try_post(title, status).await.expect("an answer")
    }

    pub async fn post_json(&self, path: &str, body: &Value) -> Answer {
        send(self.address, "POST", path, Some(body), &self.cookie).await.expect("an answer")
    }

    /// Sends one request with more header lines and a body of any length. The portal may respond
    /// before it has read all of it.
    pub async fn send_long<'a>(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: impl Iterator<Item = &'a [u8]>,
    ) -> Answer {
        let begun = Instant::now();
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        let (address, cookie) = (self.address, &self.cookie);
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nsec-fetch-site: same-origin\r\n\
             connection: close\r\ncookie: {cookie}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        for part in body {
            if stream.write_all(part).await.is_err() {
                break;
            }
        }
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (head, body, took) = (head.to_owned(), body.to_owned(), begun.elapsed());
        Answer { status: status.expect("a status"), head, body, took }
    }
}

/// Sends one request on its own connection. `None` if it could not be sent or was not answered.
pub async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<&Value>,
    cookie: &str,
) -> Option<Answer> {
    let mut headers = vec![("sec-fetch-site", "same-origin")];
    if body.is_some() {
        headers.push(("content-type", "application/json"));
    }
    if !cookie.is_empty() {
        headers.push(("cookie", cookie));
    }
    let body = body.map(Value::to_string).unwrap_or_default();
    let raw = exchange(address, method, path, &headers, body.as_bytes()).await?;
    let Raw { status, head, body, took } = raw;
    Some(Answer { status, head, body: String::from_utf8(body).ok()?, took })
}

/// A response whose body may be any bytes.
pub struct Raw {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    pub took: Duration,
}

/// Sends one request with any headers and bytes, on its own connection.
pub async fn exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Option<Raw> {
    let begun = Instant::now();
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("content-length: {}\r\n", body.len());
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).await.ok()?;
        stream.write_all(body).await.ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok()?;
        Some(answer)
    };
    let mut answer = tokio::time::timeout(LIMIT, exchange).await.expect("an answer in a minute")?;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let body = answer.split_off(end + 4);
    let head = String::from_utf8(answer).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let is_chunked = head.to_lowercase().contains("\r\ntransfer-encoding: chunked\r\n");
    let body = if is_chunked { unchunked(&body)? } else { body };
    Some(Raw { status, head, body, took: begun.elapsed() })
}

/// The content of a chunked body. `None` if it was cut off.
fn unchunked(body: &[u8]) -> Option<Vec<u8>> {
    let (mut rest, mut whole) = (body, Vec::new());
    loop {
        let end = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(rest.get(end + 2..end + 2 + size)?);
        rest = rest.get(end + 4 + size..)?;
    }
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
