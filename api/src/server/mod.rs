//! The HTTP server. Limits keep slow, idle or too many clients from blocking others.
//!
//! Every phase of a connection has a timeout: the time before and between requests (`connection.rs`),
//! the body of a request and its handler (`timeouts.rs`), and the time in which the client reads the
//! response, on HTTP/1 for the socket and on HTTP/2 for each stream (`streams.rs`). Event streams over
//! HTTP/1 leave all that when they begin (`event_stream.rs`).

mod connection;
mod event_stream;
mod networks;
mod streams;

use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Version};
use chrono::TimeDelta;
use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use portal::{App, Error, Result, view_counts};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use self::connection::Pace;
pub(crate) use self::networks::{Networks, Refused, Share};

use self::connection::{Activity, UNACKNOWLEDGED, Watched};
use self::event_stream::Stream;
use self::networks::is_proxy;
use self::streams::{Flow, Sent, Streams};
use crate::response_cache::ResponseCache;
use crate::{prometheus, service};

/// File descriptors that are reserved for the database, files and everything else.
const SPARE_FILES: u64 = 256;
/// The kernel's queue of connections that are not accepted yet.
const BACKLOG: u32 = 4096;
/// The time for requests in flight to end after the signal to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);
/// The time to accept requests that were sent before the signal to stop.
const ON_ITS_WAY: Duration = Duration::from_millis(250);

/// Serves until the token is canceled; requests in flight are answered first.
pub async fn serve(app: App, stop: CancellationToken) -> Result<()> {
    let bind = app.config.bind;
    let listener = listen(bind).map_err(|error| {
        Error::Setup(format!(
            "Cannot listen on {bind}: {error}. Choose another address with --bind."
        ))
    })?;
    serve_on(listener, app, stop).await
}

fn listen(bind: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if bind.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(bind)?;
    socket.listen(BACKLOG)
}

/// The same on an open socket.
pub async fn serve_on(listener: TcpListener, app: App, stop: CancellationToken) -> Result<()> {
    let bound = listener.local_addr().map_err(Error::unforeseen)?;
    let most = most_connections(u64::from(app.config.connections));
    tracing::info!(address = %bound, url = app.config.public_url(), most, "listening");
    let watch = tokio::spawn(monitor_worker(app.clone()));
    let upkeep = tokio::spawn(prometheus::run_upkeep_regularly());
    let permits = Arc::new(Semaphore::new(most));
    let server = Arc::new(Server {
        networks: Networks::new(most, app.config.connections_per_network, &app.config),
        service: service(app.clone(), stop.clone()),
        app,
        builder: builder(),
        tasks: TaskTracker::new(),
        stop: stop.clone(),
    });
    loop {
        let permit = tokio::select! {
            permit = permits.clone().acquire_owned() => permit.map_err(Error::unforeseen)?,
            () = stop.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((socket, peer)) => server.begin(socket, peer, permit),
            Err(error) => {
                // Probably out of file descriptors; other connections will release some.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
    // Connections that were made before the signal are still served.
    let until = Instant::now() + ON_ITS_WAY;
    while let Some(Ok((socket, peer))) = listener.accept().now_or_never() {
        server.begin(socket, peer, ());
        if Instant::now() > until {
            break;
        }
    }
    drop(listener);
    watch.abort();
    upkeep.abort();
    server.tasks.close();
    if timeout(SHUTDOWN_GRACE, server.tasks.wait()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
    if let Err(error) = view_counts::write(&server.app).await {
        tracing::warn!(error = error.reason(), "the last views could not be written");
    }
    Ok(())
}

/// How many of the wanted connections the limit of file descriptors allows, after raising it. Further
/// ones wait in the kernel's queue.
fn most_connections(wanted: u64) -> usize {
    let files = rlimit::increase_nofile_limit(wanted + SPARE_FILES).unwrap_or(1024);
    let most = files.saturating_sub(SPARE_FILES).max(64).min(wanted);
    if most < wanted {
        let text = "Few files may be open at once, so fewer connections are accepted. Raise the limit \
                    (ulimit -n, or LimitNOFILE in the service unit).";
        tracing::warn!(files, connections = most, text);
    }
    most as usize
}

fn builder() -> auto::Builder<Streams> {
    let mut builder = auto::Builder::new(Streams);
    builder
        .http1()
        .timer(TokioTimer::new())
        // `Activity` measures it, from before the HTTP version is known.
        .header_read_timeout(None)
        .max_buf_size(64 * 1024);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .max_concurrent_streams(100)
        .max_pending_accept_reset_streams(20)
        .max_local_error_reset_streams(100)
        .max_header_list_size(32 * 1024)
        .max_send_buf_size(64 * 1024);
    builder
}

/// The state that all connections share.
struct Server {
    app: App,
    service: ResponseCache,
    networks: Arc<Networks>,
    builder: auto::Builder<Streams>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Server {
    /// Serves a connection in its own task, unless its network has too many.
    fn begin(self: &Arc<Self>, socket: TcpStream, peer: SocketAddr, permit: impl Send + 'static) {
        let share = match self.networks.take(peer.ip()) {
            Ok(share) => share,
            Err(refused) => {
                tracing::debug!(?refused, "a connection was refused");
                return prometheus::closed("network");
            }
        };
        let server = self.clone();
        self.tasks.spawn(async move {
            prepare(&socket);
            let activity = Activity::new(is_proxy(&server.app.config, peer.ip()));
            server.serve_connection(socket, peer, &activity).await;
            if let Some((socket, stream)) = activity.take_over() {
                // In its own task, because this one is as large as a connection of hyper.
                server.tasks.spawn(async move {
                    stream.send(socket).await;
                    drop((share, permit));
                });
            }
        });
    }

    /// Serves the requests of one connection as long as it stays within the timeouts, or until an event
    /// stream takes it over.
    async fn serve_connection(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        activity: &Arc<Activity>,
    ) {
        let socket = TokioIo::new(Watched::new(socket, activity.clone()));
        let service = service_fn(|request| answer(&self.service, activity, peer, request));
        let connection = self.builder.serve_connection(socket, service);
        let stopped = self.stop.cancelled();
        tokio::pin!(connection, stopped);
        let mut stopping = false;
        loop {
            let wait = match activity.check() {
                Ok(wait) => wait,
                Err(reason) => {
                    if !matches!(reason, "silent" | "idle") {
                        activity.give_up();
                    }
                    return prometheus::closed(reason);
                }
            };
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection ended early");
                    }
                    return;
                }
                // After the connection, whose service hands it over.
                () = poll_fn(|_| activity.poll_handed_over()) => return,
                () = stopped.as_mut(), if !stopping => {
                    stopping = true;
                    let before = !activity.was_asked();
                    if before && timeout(ON_ITS_WAY, connection.as_mut()).await.is_ok() {
                        return;
                    }
                    connection.as_mut().graceful_shutdown();
                }
                () = sleep(wait) => {}
            }
        }
    }
}

/// Makes the kernel detect a peer that vanished.
fn prepare(socket: &TcpStream) {
    socket.set_nodelay(true).ok();
    let socket = SockRef::from(socket);
    let seconds = Duration::from_secs;
    let probes =
        TcpKeepalive::new().with_time(seconds(20)).with_interval(seconds(10)).with_retries(3);
    socket.set_tcp_keepalive(&probes).ok();
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED)).ok();
}

fn answer(
    service: &ResponseCache,
    activity: &Arc<Activity>,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> impl Future<Output = std::result::Result<axum::http::Response<Sent>, Infallible>> + Send + 'static
{
    let in_flight = activity.request();
    let (service, activity) = (service.clone(), activity.clone());
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
    async move {
        let (method, version) = (request.method().clone(), request.version());
        let response = service.answer(request).await;
        if activity.has_written_all()
            && let Some(stream) = Stream::of(&method, version, &response)
        {
            activity.hand_over(stream);
            // `serve_connection` drops the connection now.
            return pending().await;
        }
        let http2 = version == Version::HTTP_2;
        let pace = response.extensions().get::<Pace>().copied().unwrap_or_default();
        // Many requests share an HTTP/2 connection, which stays open as long as any of them.
        activity.response(if http2 { Pace::Stream } else { pace });
        Ok(response.map(|body| Sent::new(body, pace, Flow::current(), in_flight)))
    }
}

/// Alerts owners when no worker runs, which only the site can do.
async fn monitor_worker(app: App) {
    let started = Instant::now();
    loop {
        sleep(Duration::from_secs(60)).await;
        let up = TimeDelta::from_std(started.elapsed()).unwrap_or(TimeDelta::MAX);
        if let Err(error) = portal::alerts::check_worker(&app, up).await {
            tracing::debug!(error = error.reason(), "the check for a worker failed");
        }
    }
}
