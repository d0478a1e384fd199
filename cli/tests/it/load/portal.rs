//! The real program on its own port, and raw connections to it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::camp::{Camp, Running, free_port};

pub struct Portal {
    pub address: SocketAddr,
    pub running: Running,
    pub id: u32,
}

impl Portal {
    /// Starts it and waits until it is ready.
    pub async fn start(camp: &Camp) -> Portal {
        // This limit is for the connections of this process. The program raises its own.
        rlimit::increase_nofile_limit(65_536).ok();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let child = camp
            .command(&["serve", "--log", "error", "--bind", &address.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let portal = Portal { address, id: child.id(), running: Running::of(child) };
        let began = Instant::now();
        while !portal.get("/readyz").await.is_ok_and(|said| said.starts_with("HTTP/1.1 200")) {
            assert!(began.elapsed() < Duration::from_secs(120), "it does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        portal
    }

    /// One request on its own connection.
    pub async fn get(&self, path: &str) -> io::Result<String> {
        ask(self.address, 0, &head("GET", path, "")).await
    }

    /// Resident memory of the process, in KiB. Pages of files such as its program are left out,
    /// because they come and go with the machine's other work.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id));
        let status = status.expect("the process is there");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a figure");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

/// A connection from a different network for each number. Zero is the machine itself.
pub async fn connect(to: SocketAddr, from: usize, room: Option<u32>) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(room) = room {
        socket.set_recv_buffer_size(room)?;
    }
    let [.., high, low] = (from as u32 + 1).to_be_bytes();
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, high, low), 0)))?;
    socket.connect(to).await
}

/// Sends one request on its own connection, and returns the whole response.
pub async fn ask(to: SocketAddr, from: usize, request: &str) -> io::Result<String> {
    let exchange = async {
        let mut stream = connect(to, from, None).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    // Longer than any response takes.
    tokio::time::timeout(Duration::from_secs(120), exchange).await?
}

/// The head of a request that closes its connection.
pub fn head(method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: camp.example\r\nConnection: close\r\n{more}\r\n")
}

/// A request with a JSON body, as the portal's pages send it.
pub fn with_json(method: &str, path: &str, body: &str) -> String {
    let more = format!(
        "Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    head(method, path, &more) + body
}
