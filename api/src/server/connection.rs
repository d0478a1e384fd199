//! The state of one connection, and its timeouts.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::event_stream::Stream;

/// The time until the first request, between requests, and for the head of each.
const IDLE: Duration = Duration::from_secs(10);
/// The time until the next request of a proxy, which keeps connections open between requests. Longer
/// than the proxies' own timeouts, so that none sends a request into a connection that is being closed.
const IDLE_PROXY: Duration = Duration::from_secs(180);
/// How often a connection is checked.
pub(super) const TICK: Duration = Duration::from_secs(3);
/// The time for a peer to acknowledge data; without acknowledgment it may have vanished.
pub(super) const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// How fast the peer is expected to read a response.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
pub enum Pace {
    /// At once.
    #[default]
    Page,
    /// At once, and without an end.
    Stream,
    /// At the pace of a player, which may be paused.
    Media,
}

impl Pace {
    /// The time for a peer that does not read. With one tick, less than 15 seconds, except for players.
    pub(super) fn stalled(self) -> Duration {
        match self {
            Pace::Page | Pace::Stream => Duration::from_secs(12),
            Pace::Media => Duration::from_secs(600),
        }
    }

    /// The time for the whole request and its response.
    fn whole(self) -> Duration {
        match self {
            Pace::Page => Duration::from_secs(30 * 60),
            Pace::Media => Duration::from_secs(6 * 3600),
            Pace::Stream => Duration::MAX,
        }
    }

    fn unacknowledged(self) -> Duration {
        match self {
            Pace::Page | Pace::Stream => UNACKNOWLEDGED,
            // The kernel counts a paused player's full buffer as unacknowledged.
            Pace::Media => self.stalled(),
        }
    }

    fn of(number: u8) -> Pace {
        match number {
            1 => Pace::Stream,
            2 => Pace::Media,
            _ => Pace::Page,
        }
    }
}

/// The state of a connection. Times are milliseconds since it began.
pub struct Activity {
    began: Instant,
    idle: Duration,
    pace: AtomicU8,
    in_flight: AtomicU32,
    /// When the last response was written; 0 before the first request.
    quiet: AtomicU64,
    /// When the last request arrived; zero before the first one.
    asked: AtomicU64,
    /// Since when the peer has not read; zero while it reads.
    blocked: AtomicU64,
    given_up: AtomicBool,
    /// The event stream that continues on the socket without hyper.
    handover: Mutex<Handover>,
}

#[derive(Default)]
struct Handover {
    stream: Option<Stream>,
    /// Returned when the connection is dropped.
    socket: Option<TcpStream>,
}

impl Activity {
    pub fn new(proxy: bool) -> Arc<Activity> {
        Arc::new(Activity {
            began: Instant::now(),
            idle: if proxy { IDLE_PROXY } else { IDLE },
            pace: AtomicU8::default(),
            in_flight: AtomicU32::default(),
            quiet: AtomicU64::default(),
            asked: AtomicU64::default(),
            blocked: AtomicU64::default(),
            given_up: AtomicBool::default(),
            handover: Mutex::default(),
        })
    }

    /// Never zero.
    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64 + 1
    }

    /// Counts a request as in flight until the returned value is dropped.
    pub fn request(self: &Arc<Self>) -> InFlight {
        self.begin();
        InFlight(self.clone())
    }

    fn begin(&self) {
        self.in_flight.fetch_add(1, Relaxed);
        self.asked.store(self.now(), Relaxed);
        self.pace.store(Pace::Page as u8, Relaxed);
    }

    fn end(&self) {
        self.quiet.store(self.now(), Relaxed);
        self.in_flight.fetch_sub(1, Relaxed);
    }

    /// Records that the response begins.
    pub fn response(&self, pace: Pace) {
        self.pace.store(pace as u8, Relaxed);
    }

    pub fn was_asked(&self) -> bool {
        self.asked.load(Relaxed) != 0
    }

    fn blocked(&self) {
        self.blocked.compare_exchange(0, self.now(), Relaxed, Relaxed).ok();
    }

    fn written(&self) {
        if self.blocked.swap(0, Relaxed) != 0 && self.in_flight.load(Relaxed) == 0 {
            // This is the rest of the last response.
            self.quiet.store(self.now(), Relaxed);
        }
    }

    /// The peer does not read, so the remaining data is discarded.
    pub fn give_up(&self) {
        self.given_up.store(true, Relaxed);
    }

    /// Whether hyper has written everything. It may have read more requests than it has answered.
    pub fn has_written_all(&self) -> bool {
        self.blocked.load(Relaxed) == 0
    }

    /// Lets this stream continue on the socket, as soon as the connection is dropped.
    pub fn hand_over(&self, stream: Stream) {
        self.handover().stream = Some(stream);
    }

    /// Wakes nobody: it must be polled after what hands over.
    pub fn poll_handed_over(&self) -> Poll<()> {
        if self.handover().stream.is_some() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// The stream that continues, after the connection was dropped.
    pub fn take_over(&self) -> Option<(TcpStream, Stream)> {
        let mut handover = self.handover();
        handover.socket.take().zip(handover.stream.take())
    }

    fn handover(&self) -> MutexGuard<'_, Handover> {
        self.handover.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When to check again, or why the connection must be closed.
    pub fn check(&self) -> Result<Duration, &'static str> {
        let pace = Pace::of(self.pace.load(Relaxed));
        let blocked = self.blocked.load(Relaxed);
        let (since, limit, reason) = match self.in_flight.load(Relaxed) {
            _ if blocked != 0 => (blocked, pace.stalled(), "not_reading"),
            0 if self.was_asked() => (self.quiet.load(Relaxed), self.idle, "idle"),
            0 => (0, IDLE, "silent"),
            _ => (self.asked.load(Relaxed), pace.whole(), "too_long"),
        };
        let left = limit.saturating_sub(Duration::from_millis(self.now().saturating_sub(since)));
        if left.is_zero() { Err(reason) } else { Ok(left.min(TICK)) }
    }
}

pub struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A socket that records whether its peer reads.
pub struct Watched {
    /// `None` only while it is dropped.
    socket: Option<TcpStream>,
    activity: Arc<Activity>,
    pace: Pace,
}

impl Watched {
    pub fn new(socket: TcpStream, activity: Arc<Activity>) -> Watched {
        Watched { socket: Some(socket), activity, pace: Pace::Page }
    }

    fn socket(&mut self) -> Pin<&mut TcpStream> {
        Pin::new(self.socket.as_mut().expect("it is not dropped yet"))
    }

    fn keep_pace(&mut self) {
        let pace = Pace::of(self.activity.pace.load(Relaxed));
        if pace.unacknowledged() != self.pace.unacknowledged() {
            let socket = self.socket();
            let socket = SockRef::from(&*socket);
            socket.set_tcp_user_timeout(Some(pace.unacknowledged())).ok();
        }
        self.pace = pace;
    }

    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => self.activity.blocked(),
            Poll::Ready(_) => self.activity.written(),
        }
        written
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(socket) = self.socket.take() else { return };
        if self.activity.given_up.load(Relaxed) {
            // Otherwise the kernel would keep the data for a peer that does not read it.
            socket.set_zero_linger().ok();
        }
        let mut handover = self.activity.handover();
        if handover.stream.is_some() {
            handover.socket = Some(socket);
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.socket().poll_read(cx, into)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.keep_pace();
        let written = self.socket().poll_write(cx, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.keep_pace();
        let written = self.socket().poll_write_vectored(cx, parts);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.as_ref().is_some_and(TcpStream::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn activity(proxy: bool) -> Activity {
        let mut activity = Arc::into_inner(Activity::new(proxy)).expect("nobody else has it");
        pass(&mut activity, SECOND);
        activity
    }

    /// Simulates that time passes.
    fn pass(activity: &mut Activity, time: Duration) {
        activity.began = activity.began.checked_sub(time).expect("the machine has run that long");
    }

    #[test]
    fn a_connection_that_asks_nothing_is_closed_and_a_proxy_may_wait() {
        let (mut stranger, mut proxy) = (activity(false), activity(true));
        pass(&mut stranger, IDLE - SECOND * 2);
        assert!(stranger.check().is_ok());
        pass(&mut stranger, SECOND);
        assert_eq!(stranger.check(), Err("silent"));
        proxy.begin();
        proxy.end();
        pass(&mut proxy, IDLE * 2);
        assert!(proxy.check().is_ok());
        pass(&mut proxy, IDLE_PROXY);
        assert_eq!(proxy.check(), Err("idle"));
    }

    #[test]
    fn who_does_not_read_is_given_up_and_a_paused_player_is_waited_for() {
        for (pace, waits) in [(Pace::Page, 12), (Pace::Stream, 12), (Pace::Media, 600)] {
            let mut activity = activity(false);
            activity.begin();
            activity.response(pace);
            activity.blocked();
            pass(&mut activity, SECOND * (waits - 1));
            assert!(activity.check().is_ok(), "{pace:?}");
            pass(&mut activity, SECOND);
            assert_eq!(activity.check(), Err("not_reading"), "{pace:?}");
            activity.written();
            assert!(activity.check().is_ok(), "{pace:?}");
        }
    }

    #[test]
    fn a_long_answer_on_a_slow_line_is_no_idle_connection() {
        let mut activity = activity(false);
        activity.begin();
        activity.end();
        for _ in 0..10 {
            activity.blocked();
            pass(&mut activity, SECOND * 8);
            activity.written();
        }
        assert!(activity.check().is_ok());
        pass(&mut activity, IDLE);
        assert_eq!(activity.check(), Err("idle"));
    }
}
