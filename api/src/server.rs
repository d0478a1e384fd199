//! Listens, and keeps slow, silent and too many clients from taking the portal away from others.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use portal::{App, Error, Result};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::router;

/// Connections at once; further ones wait until the kernel's queue is full.
const CONNECTIONS: usize = 12_000;
/// For a client to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// For a listener that has stopped reading.
const STUCK: Duration = Duration::from_secs(20);
/// For requests in flight to end after the signal to stop.
const FAREWELL: Duration = Duration::from_secs(8);

/// Serves until the token is cancelled; requests in flight are answered first.
pub async fn serve(app: App, stop: CancellationToken) -> Result<()> {
    let bind = app.config.bind;
    let listener = TcpListener::bind(bind).await.map_err(|error| {
        Error::Setup(format!(
            "Cannot listen on {bind}: {error}. Choose another address with --bind."
        ))
    })?;
    serve_on(listener, app, stop).await
}

/// The same on a socket that is open already.
pub async fn serve_on(listener: TcpListener, app: App, stop: CancellationToken) -> Result<()> {
    let bound = listener.local_addr().map_err(Error::unforeseen)?;
    tracing::info!(address = %bound, url = app.config.public_url(), "listening");
    let watch = tokio::spawn(watch_the_worker(app.clone()));
    let router = router(app, stop.clone());
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let farewell = GracefulShutdown::new();
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(64 * 1024);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .max_concurrent_streams(100);
    loop {
        let place = places.clone().acquire_owned().await.map_err(Error::unforeseen)?;
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: others will close theirs.
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        stream.set_nodelay(true).ok();
        let router = router.clone();
        let patience = Patience::default();
        let stream = Patient { io: stream, patience: patience.clone(), limit: STUCK, wait: None };
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
            patience.begin();
            // On HTTP/2 other requests share the connection, and its pings find out who is gone.
            if request.version() < Version::HTTP_2 {
                request.extensions_mut().insert(patience.clone());
            }
            router.clone().oneshot(request)
        });
        let connection =
            builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
        let watched = farewell.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    watch.abort();
    if tokio::time::timeout(FAREWELL, farewell.shutdown()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
    Ok(())
}

/// Owners hear of it when no worker runs; only the site can tell them then.
async fn watch_the_worker(app: App) {
    loop {
        tokio::time::sleep(Duration::from_secs(60)).await;
        if let Err(error) = portal::alerts::look_for_worker(&app).await {
            tracing::debug!(%error, "could not look for the worker");
        }
    }
}

/// Whether a peer that does not read is waited for. A player that is paused may leave a video
/// unread as long as it likes; an event stream that nobody reads only takes up room.
#[derive(Clone, Default)]
pub(crate) struct Patience(Arc<AtomicBool>);

impl Patience {
    fn begin(&self) {
        self.0.store(false, Relaxed);
    }

    pub(crate) fn end(&self) {
        self.0.store(true, Relaxed);
    }
}

/// A connection that gives up a peer that does not read, once patience has ended.
struct Patient<T> {
    io: T,
    patience: Patience,
    limit: Duration,
    wait: Option<Pin<Box<Sleep>>>,
}

impl<T: AsyncWrite + Unpin> Patient<T> {
    fn watch(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() || !self.patience.0.load(Relaxed) {
            self.wait = None;
            return written;
        }
        let wait = self.wait.get_or_insert_with(|| Box::pin(sleep(self.limit)));
        ready!(wait.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the listener does not read")))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Patient<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, into)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Patient<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, parts);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn a_listener_who_stops_reading_is_given_up_and_a_paused_player_is_not() {
        let (io, _reads_nothing) = tokio::io::duplex(16);
        let limit = Duration::from_millis(20);
        let patience = Patience::default();
        let mut writer = Patient { io, patience: patience.clone(), limit, wait: None };
        let waited = tokio::time::timeout(limit * 5, writer.write_all(&[0; 64])).await;
        assert!(waited.is_err(), "a player may pause");
        patience.end();
        let given_up = writer.write_all(&[0; 64]).await.expect_err("nobody reads");
        assert_eq!(given_up.kind(), io::ErrorKind::TimedOut);
    }
}
