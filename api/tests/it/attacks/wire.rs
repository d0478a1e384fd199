//! A portal on a real port, and raw connections to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use portal::{Config, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::camp::Camp;

/// A portal on a real port.
pub struct Served {
    pub address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<Result<()>>,
}

/// The camp's portal on its own port, with another configuration.
pub async fn serve(camp: &Camp, change: impl FnOnce(&mut Config)) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut app = camp.app.clone();
    let mut config = (*app.config).clone();
    change(&mut config);
    app.config = Arc::new(config);
    let stop = CancellationToken::new();
    let serving = tokio::spawn(api::serve_on(listener, app, stop.clone()));
    Served { address, stop, serving }
}

impl Served {
    /// A connection from 127.0.0.`n`; the first is the machine itself, the others are strangers.
    pub async fn connect(&self, n: u8) -> Wire {
        self.connect_reading(n, None).await
    }

    /// The same, with a receive buffer of `room` bytes.
    pub async fn connect_reading(&self, n: u8, room: Option<u32>) -> Wire {
        let socket = TcpSocket::new_v4().expect("a socket");
        if let Some(room) = room {
            socket.set_recv_buffer_size(room).expect("a buffer");
        }
        let from = SocketAddr::from((Ipv4Addr::new(127, 0, 0, n), 0));
        socket.bind(from).expect("an address of this machine");
        let stream = socket.connect(self.address).await.expect("a connection");
        Wire { stream, began: Instant::now() }
    }

    /// Stops the portal.
    pub async fn stop(self) {
        self.stop.cancel();
        self.serving.await.expect("no panic").expect("a farewell");
    }
}

pub struct Wire {
    pub stream: TcpStream,
    pub began: Instant,
}

impl Wire {
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("the portal takes it");
    }

    /// Sends parts with a pause after each, until all are sent or the portal closes the connection.
    pub async fn drip<T: AsRef<[u8]>>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        pause: Duration,
    ) {
        for part in parts {
            if self.stream.write_all(part.as_ref()).await.is_err() {
                return;
            }
            let mut one = [0];
            let answered = tokio::time::timeout(pause, self.stream.peek(&mut one));
            if answered.await.is_ok() {
                return;
            }
        }
    }

    /// Everything that the portal sends until it closes the connection, and how long that took from
    /// the start of the connection.
    pub async fn ends(&mut self) -> (String, Duration) {
        let mut read = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(60), self.stream.read_to_end(&mut read));
        end.await.expect("the connection is open still after a minute").ok();
        (String::from_utf8_lossy(&read).into_owned(), self.began.elapsed())
    }

    /// The first part of a response.
    pub async fn answer(&mut self) -> String {
        let mut buffer = vec![0; 64 * 1024];
        let read = tokio::time::timeout(Duration::from_secs(60), self.stream.read(&mut buffer));
        let n = read.await.expect("an answer").expect("a connection");
        String::from_utf8_lossy(&buffer[..n]).into_owned()
    }

    /// Whether the portal answers a request on this connection.
    pub async fn works(&mut self) -> bool {
        let request = "GET /healthz HTTP/1.1\r\nHost: camp.example\r\n\r\n";
        if self.stream.write_all(request.as_bytes()).await.is_err() {
            return false;
        }
        let mut buffer = [0; 1024];
        matches!(self.stream.read(&mut buffer).await, Ok(n) if buffer[..n].starts_with(b"HTTP/1.1 200"))
    }
}
