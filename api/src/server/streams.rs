//! The streams of an HTTP/2 connection. A stream is reset if the peer opens no flow-control window for
//! its response; the other streams continue.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, sleep};

use super::connection::{InFlight, Pace, TICK};

tokio::task_local! {
    static FLOW: Arc<Flow>;
}

/// Runs each stream in its own task, and ends it if the peer has not read for too long.
#[derive(Clone, Debug)]
pub struct Streams;

impl<F> hyper::rt::Executor<F> for Streams
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, stream: F) {
        let flow = Arc::new(Flow::default());
        tokio::spawn(async move {
            tokio::select! {
                _ = FLOW.scope(flow.clone(), stream) => {}
                () = flow.stalled() => crate::prometheus::closed("stream_not_reading"),
            }
        });
    }
}

/// Whether the peer reads the response of a stream.
pub struct Flow {
    began: Instant,
    pace: OnceLock<Pace>,
    /// Since when the peer has not read, in milliseconds since the stream began; zero while it reads or
    /// there is nothing to read.
    waiting: AtomicU64,
}

impl Default for Flow {
    fn default() -> Flow {
        let waiting = AtomicU64::default();
        Flow { began: Instant::now(), pace: OnceLock::new(), waiting }
    }
}

impl Flow {
    /// The state of the current stream; none on HTTP/1.
    pub fn current() -> Option<Arc<Flow>> {
        FLOW.try_with(Clone::clone).ok()
    }

    fn waits(&self) {
        self.waiting.store(self.began.elapsed().as_millis() as u64 + 1, Relaxed);
    }

    fn goes_on(&self) {
        self.waiting.store(0, Relaxed);
    }

    async fn stalled(&self) {
        loop {
            let limit = self.pace.get().copied().unwrap_or_default().stalled();
            let left = match self.waiting.load(Relaxed) {
                0 => TICK,
                since => {
                    (Duration::from_millis(since) + limit).saturating_sub(self.began.elapsed())
                }
            };
            if left.is_zero() {
                return;
            }
            sleep(left.min(TICK)).await;
        }
    }
}

/// The body of a response that is being sent.
pub struct Sent {
    body: Body,
    flow: Option<Arc<Flow>>,
    _in_flight: InFlight,
}

impl Sent {
    pub fn new(body: Body, pace: Pace, flow: Option<Arc<Flow>>, in_flight: InFlight) -> Sent {
        if let Some(flow) = &flow {
            flow.pace.set(pace).ok();
            flow.waits();
        }
        Sent { body, flow, _in_flight: in_flight }
    }
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Some(flow) = &self.flow {
            match &frame {
                Poll::Ready(Some(_)) => flow.waits(),
                Poll::Ready(None) | Poll::Pending => flow.goes_on(),
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
