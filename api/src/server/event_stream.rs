//! Sends event streams over HTTP/1. There are thousands of them, nearly always idle, and each event goes to
//! all. So a stream gets the socket itself: hyper would keep its buffers, and timers would run, for each.

use std::fmt::Write;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::task::{Poll, ready};

use axum::http::{Method, StatusCode, Version, header};
use axum::response::Response;
use bytes::{Buf, Bytes};
use chrono::Utc;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connection::{Pace, UNACKNOWLEDGED};
use crate::events::{Encoded, EventStream, Reader};
use crate::prometheus;

/// The last chunk of a response.
const END: Bytes = Bytes::from_static(b"0\r\n\r\n");
/// How many bytes a client may send after its request. They are ignored.
const IGNORED: usize = 64 * 1024;

/// An event stream that is about to be sent.
pub struct Stream {
    head: Vec<u8>,
    reader: Reader,
    /// Whether the response consists of chunks. Otherwise it ends with the connection.
    chunked: bool,
}

impl Stream {
    /// `None` if hyper has to send this response.
    pub fn of(method: &Method, version: Version, response: &Response) -> Option<Stream> {
        let is_old = version == Version::HTTP_10;
        if *method != Method::GET
            || !(is_old || version == Version::HTTP_11)
            || response.status() != StatusCode::OK
        {
            return None;
        }
        let reader = response.extensions().get::<EventStream>()?.take()?;
        let chunked = !is_old;
        Some(Stream { head: head(version, response, chunked), reader, chunked })
    }

    /// Sends it until it ends or the peer closes the connection.
    pub async fn send(mut self, socket: TcpStream) {
        // A video that was sent earlier on this connection allowed for a longer time.
        SockRef::from(&socket).set_tcp_user_timeout(Some(UNACKNOWLEDGED)).ok();
        let mut first = std::mem::take(&mut self.head);
        while let Some(Some(encoded)) = self.reader.try_next() {
            first.extend_from_slice(&self.bytes(&encoded));
        }
        if write(&socket, first.into()).await.is_err() {
            return;
        }
        let mut ignored = 0;
        loop {
            let next = tokio::select! {
                biased;
                next = self.reader.next() => next,
                () = closed(&socket, &mut ignored) => return,
            };
            let Some(encoded) = next else { break };
            if write(&socket, self.bytes(&encoded)).await.is_err() {
                return;
            }
        }
        if self.chunked {
            write(&socket, END).await.ok();
        }
    }

    fn bytes(&self, encoded: &Encoded) -> Bytes {
        if self.chunked { encoded.chunk() } else { encoded.plain() }
    }
}

/// The head of the response. The connection ends with the stream.
fn head(version: Version, response: &Response, chunked: bool) -> Vec<u8> {
    let mut head = format!("{version:?} 200 OK\r\n").into_bytes();
    for (name, value) in response.headers() {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    let mut rest = String::new();
    if chunked {
        rest += "transfer-encoding: chunked\r\n";
    }
    if !response.headers().contains_key(header::DATE) {
        write!(rest, "date: {}\r\n", Utc::now().format("%a, %d %b %Y %H:%M:%S GMT")).ok();
    }
    head.extend_from_slice(rest.as_bytes());
    head.extend_from_slice(b"connection: close\r\n\r\n");
    head
}

/// Usually one system call.
async fn write(socket: &TcpStream, mut bytes: Bytes) -> io::Result<()> {
    loop {
        match socket.try_write(&bytes) {
            Ok(n) if n == bytes.len() => return Ok(()),
            Ok(n) => bytes.advance(n),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                // On the heap, because it is rare and its timer is large.
                Box::pin(writable(socket)).await?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Waits until the peer reads, but not for long.
async fn writable(socket: &TcpStream) -> io::Result<()> {
    let waited = timeout(Pace::Stream.stalled(), socket.writable()).await;
    waited.unwrap_or_else(|_| {
        prometheus::closed("not_reading");
        // Otherwise the kernel would keep the data for a peer that does not read it.
        socket.set_zero_linger().ok();
        Err(ErrorKind::TimedOut.into())
    })
}

/// Waits until the peer closes the connection.
async fn closed(socket: &TcpStream, ignored: &mut usize) {
    poll_fn(|cx| {
        let mut bytes = [0; 512];
        while ready!(socket.poll_read_ready(cx)).is_ok() {
            match socket.try_read(&mut bytes) {
                Ok(n) if n > 0 && *ignored < IGNORED => *ignored += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
        Poll::Ready(())
    })
    .await;
}
