//! Timeouts of a request after its head has arrived, and the maximum number of simultaneous requests
//! of one network.
//!
//! A body has no time limit as long as it arrives at the rate of a slow phone. The timeout of the
//! handler starts again with each part of the body.

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use portal::App;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::auth::client_address;
use crate::error::Problem;
use crate::server::{Networks, Refused, Share};

/// The time for a body to arrive, extended by one second for each part of this size.
const BODY: Duration = Duration::from_secs(15);
const BYTES_A_SECOND: u64 = 1024;
/// The time for handling a request after the last part of its body.
const WORK: Duration = Duration::from_secs(40);
/// The largest body that is read to its end after a response that did not need it. If the connection were closed
/// instead, a proxy that is still sending the body would report a broken connection (502) and not the response.
const UNREAD: u64 = 12 * 1024 * 1024;
/// The time for reading it, and for waiting until more of it arrives.
const UNREAD_TIME: Duration = Duration::from_secs(10);
const UNREAD_PAUSE: Duration = Duration::from_millis(500);

/// The state of the middleware.
#[derive(Clone)]
pub struct Limits {
    app: App,
    requests: Arc<Networks>,
}

impl Limits {
    pub fn new(app: &App) -> Limits {
        let each = app.config.connections_per_network;
        let requests = Networks::new(usize::MAX, each, &app.config);
        Limits { app: app.clone(), requests }
    }

    /// Takes the share of a request, or refuses it. Event streams have their own limit.
    pub fn share(&self, request: &Parts) -> Result<Option<Share>, Refused> {
        if request.uri.path() == "/api/events" {
            return Ok(None);
        }
        let peer = request.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let Some(peer) = peer else { return Ok(None) };
        let from: IpAddr = client_address(&self.app, peer, &request.headers);
        self.requests.take(from).map(Some)
    }
}

pub async fn limit(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let share = match limits.share(&parts) {
        Ok(share) => share,
        Err(_) => {
            let detail = "Too many requests from your network at once. Please try again soon.";
            return Problem::too_many(detail, 5).into_response();
        }
    };
    let request = Request::from_parts(parts, body);
    let old = request.version() < Version::HTTP_2;
    let progress = Arc::new(Progress::new());
    // A client that asked first sends nothing after a refusal.
    let asks_first = request.headers().contains_key(header::EXPECT);
    let mut unread = None;
    let request = request.map(|body| match body.is_end_stream() {
        true => body,
        false => {
            let is_small = body.size_hint().exact().is_some_and(|bytes| bytes <= UNREAD);
            let timed = Timed { body, progress: progress.clone(), wait: None, bytes: 0 };
            let shared = Shared(Arc::new(Mutex::new(timed)));
            unread = (old && is_small && !asks_first).then(|| shared.clone());
            Body::new(shared)
        }
    });
    let answer = next.run(request);
    tokio::pin!(answer);
    let mut response = loop {
        let until = progress.last() + WORK;
        tokio::select! {
            response = answer.as_mut() => break response,
            () = sleep_until(until) => if progress.last() + WORK <= Instant::now() {
                let detail = "This is taking too long. Please try again in a moment.";
                break Problem::busy(detail, 10).into_response();
            }
        }
    };
    if progress.too_slow.load(Relaxed) {
        let detail = "The request came too slowly. Please try again on a better connection.";
        response = Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", detail).into_response();
        if old {
            // Does not wait for the rest of the body.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    } else if let Some(rest) = unread {
        // If there is not enough time, the connection is closed.
        let _ = timeout(UNREAD_TIME, rest.discard()).await;
    }
    response.map(|body| Body::new(Held { body, _share: share }))
}

/// The progress of a request.
struct Progress {
    began: Instant,
    /// Milliseconds since it began.
    last: AtomicU64,
    too_slow: AtomicBool,
}

impl Progress {
    fn new() -> Progress {
        Progress { began: Instant::now(), last: AtomicU64::default(), too_slow: false.into() }
    }

    fn last(&self) -> Instant {
        self.began + Duration::from_millis(self.last.load(Relaxed))
    }

    fn moves(&self) {
        self.last.store(self.began.elapsed().as_millis() as u64, Relaxed);
    }
}

/// A body that must arrive at a minimum rate.
struct Timed {
    body: Body,
    progress: Arc<Progress>,
    /// When the handler first waited for the body, and the timer.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
    bytes: u64,
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            if let Some(Ok(frame)) = &frame {
                this.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
            }
            this.progress.moves();
            return Poll::Ready(frame);
        }
        let allowed = BODY + Duration::from_secs(this.bytes / BYTES_A_SECOND);
        let (began, alarm) = this.wait.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + allowed)))
        });
        let until = *began + allowed;
        if alarm.deadline() != until {
            alarm.as_mut().reset(until);
        }
        ready!(alarm.as_mut().poll(cx));
        this.progress.too_slow.store(true, Relaxed);
        Poll::Ready(Some(Err(axum::Error::new("the body came too slowly"))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body of which the middleware can read what the handler left.
#[derive(Clone)]
struct Shared(Arc<Mutex<Timed>>);

impl Shared {
    /// Reads the body to its end, to its first error or until nothing comes for a moment.
    async fn discard(mut self) {
        let mut next = async || {
            let frame = poll_fn(|cx| Pin::new(&mut self).poll_frame(cx));
            matches!(timeout(UNREAD_PAUSE, frame).await, Ok(Some(Ok(_))))
        };
        while next().await {}
    }

    fn with<T>(&self, read: impl FnOnce(&mut Timed) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.with(|timed| Pin::new(timed).poll_frame(cx))
    }

    fn is_end_stream(&self) -> bool {
        self.with(|timed| timed.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.with(|timed| timed.size_hint())
    }
}

/// A response body that counts toward its network's share until it is sent.
struct Held {
    body: Body,
    _share: Option<Share>,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
