//! Timeouts of a request after its head has arrived, and the maximum number of simultaneous requests
//! of one network.
//!
//! A body has no time limit as long as it arrives at the rate of a slow phone. The timeout of the
//! handler starts again with each part of the body.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
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
use tokio::time::{Instant, Sleep, sleep_until};

use crate::auth::client_address;
use crate::error::Problem;
use crate::server::{Networks, Refused, Share};

/// The time for a body to arrive, extended by one second for each part of this size.
const BODY: Duration = Duration::from_secs(15);
const BYTES_A_SECOND: u64 = 1024;
/// The time for handling a request after the last part of its body.
const WORK: Duration = Duration::from_secs(40);

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
    let request = request.map(|body| match body.is_end_stream() {
        true => body,
        false => Body::new(Timed { body, progress: progress.clone(), wait: None, bytes: 0 }),
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
