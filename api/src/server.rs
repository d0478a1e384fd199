//! Listens, and keeps slow, silent and too many clients from taking the portal away from others.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use portal::{App, Error, Result};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::router;

/// Connections at once; further ones wait until the kernel's queue is full.
const CONNECTIONS: usize = 12_000;
/// For a client to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
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
    let router = router(app);
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
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
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
