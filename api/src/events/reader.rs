//! One open event stream: the events that its viewer may see, in order.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use portal::access::{Access, Viewer};
use tokio::sync::broadcast;

use super::encoded::Encoded;
use super::hub::{News, Signal, Subscription};
use crate::server::Share;

/// One open stream.
pub struct Reader {
    /// Sent before live events.
    pub(super) waiting: VecDeque<Encoded>,
    /// The current batch, the position in it, and the access setting.
    pub(super) news: Option<(Arc<[News]>, usize, Access)>,
    /// Events up to this id are not sent again.
    pub(super) seen: i64,
    pub(super) viewer: Viewer,
    /// The right to watch when the stream began.
    pub(super) may_watch: bool,
    pub(super) subscription: Option<Arc<Subscription>>,
    pub(super) signals: broadcast::Receiver<Signal>,
    pub(super) _place: Place,
}

impl Reader {
    /// Returns what is sent next; nothing at the end of the stream. The future may be dropped while it waits.
    pub async fn next(&mut self) -> Option<Encoded> {
        loop {
            if let Some(next) = self.try_next()? {
                return Some(next);
            }
            // An error means that this reader fell too far behind, or that the server stops.
            match self.signals.recv().await.ok()? {
                Signal::Heartbeat if self.may_go_on() => return Some(Encoded::HEARTBEAT),
                Signal::AccessChanged(access) | Signal::News { access, .. }
                    if self.viewer.may_watch(access) != self.may_watch =>
                {
                    return None;
                }
                Signal::Heartbeat | Signal::AccessChanged(_) => {}
                Signal::News { news, access } => self.news = Some((news, 0, access)),
            }
        }
    }

    /// What can be sent without waiting; `None` at the end of the stream.
    pub fn try_next(&mut self) -> Option<Option<Encoded>> {
        if !self.may_go_on() {
            return None;
        }
        if let Some(next) = self.waiting.pop_front() {
            if self.waiting.is_empty() {
                self.waiting = VecDeque::new();
            }
            return Some(Some(next));
        }
        Some(self.news())
    }

    fn may_go_on(&self) -> bool {
        self.subscription.as_ref().is_none_or(|subscription| !subscription.ended.load(Relaxed))
    }

    /// The next event of the batch that this viewer may see.
    fn news(&mut self) -> Option<Encoded> {
        let (news, at, access) = self.news.as_mut()?;
        while let Some(one) = news.get(*at) {
            *at += 1;
            if one.event.id > self.seen && one.event.is_for(&self.viewer, *access) {
                self.seen = one.event.id;
                return Some(one.encoded.clone());
            }
        }
        self.news = None;
        None
    }
}

/// The stream of a response. Whoever sends it takes the reader: the body, or the server itself.
#[derive(Clone)]
pub struct EventStream(Arc<Mutex<Option<Reader>>>);

impl EventStream {
    pub(super) fn new(reader: Reader) -> EventStream {
        EventStream(Arc::new(Mutex::new(Some(reader))))
    }

    /// `None` if somebody has taken it.
    pub fn take(&self) -> Option<Reader> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The reservation of one stream, released when it is dropped.
pub(super) struct Place(#[allow(dead_code, reason = "held, not read")] Option<Share>);

impl Place {
    pub(super) fn taken(share: impl Into<Option<Share>>) -> Place {
        metrics::gauge!("camp_event_streams").increment(1);
        Place(share.into())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        metrics::gauge!("camp_event_streams").decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use portal::event_feed::StoredEvent;
    use serde_json::json;

    use super::*;
    use crate::events::hub::CAPACITY;

    fn reader(signals: &broadcast::Sender<Signal>) -> Reader {
        Reader {
            waiting: VecDeque::new(),
            news: None,
            seen: 0,
            viewer: Viewer::default(),
            may_watch: true,
            subscription: None,
            signals: signals.subscribe(),
            _place: Place::taken(None),
        }
    }

    fn news(id: i64) -> Signal {
        let data = Some(json!({ "id": id }));
        let event = StoredEvent { id, kind: "video.changed".into(), data };
        let news = [News::of(event).expect("bytes")];
        Signal::News { news: Arc::from(news), access: Access::Everyone }
    }

    async fn heard(reader: &mut Reader) -> String {
        String::from_utf8(reader.next().await.expect("news").plain().to_vec()).expect("text")
    }

    #[tokio::test]
    async fn a_reader_who_falls_too_far_behind_is_dropped() {
        let signals = broadcast::Sender::new(CAPACITY);
        let (mut quick, mut stuck) = (reader(&signals), reader(&signals));
        for id in 1..=CAPACITY as i64 + 1 {
            signals.send(news(id)).ok();
            assert!(heard(&mut quick).await.starts_with(&format!("id: {id}\n")));
        }
        assert_eq!(stuck.next().await, None);
    }

    #[tokio::test]
    async fn nothing_is_told_twice() {
        let signals = broadcast::Sender::new(CAPACITY);
        let mut reader = reader(&signals);
        reader.seen = 2;
        for id in 1..=3 {
            signals.send(news(id)).ok();
        }
        assert!(heard(&mut reader).await.starts_with("id: 3\n"));
    }

    #[tokio::test]
    async fn a_stop_ends_the_stream() {
        let signals = broadcast::Sender::new(CAPACITY);
        let mut reader = reader(&signals);
        drop(signals);
        assert_eq!(reader.next().await, None);
    }
}
