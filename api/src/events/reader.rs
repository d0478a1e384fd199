//! One open event stream: the events that its viewer may see, in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use bytes::Bytes;
use portal::access::{Access, Viewer};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::hub::{News, Signal, Subscription};
use crate::server::Share;

/// One open stream.
pub(super) struct Reader {
    /// Sent before live events.
    pub(super) waiting: VecDeque<Bytes>,
    /// The current batch, the position in it, and the access setting.
    pub(super) news: Option<(Arc<[News]>, usize, Access)>,
    /// Events up to this id are not sent again.
    pub(super) seen: i64,
    pub(super) viewer: Viewer,
    /// The right to watch when the stream began.
    pub(super) may_watch: bool,
    pub(super) subscription: Option<Arc<Subscription>>,
    pub(super) signals: broadcast::Receiver<Signal>,
    pub(super) stop: CancellationToken,
    pub(super) _place: Place,
}

impl Reader {
    /// Returns what is sent next; nothing at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        if self.subscription.as_ref().is_some_and(|subscription| subscription.ended.load(Relaxed)) {
            return None;
        }
        if let Some(bytes) = self.waiting.pop_front() {
            return Some(bytes);
        }
        self.waiting = VecDeque::new();
        loop {
            if let Some(bytes) = self.news() {
                return Some(bytes);
            }
            let signal = tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                signal = self.signals.recv() => signal,
            };
            // An error means that this reader fell too far behind.
            let signal = signal.ok()?;
            if self
                .subscription
                .as_ref()
                .is_some_and(|subscription| subscription.ended.load(Relaxed))
            {
                return None;
            }
            match signal {
                Signal::Beat => return Some(Bytes::from_static(b":\n\n")),
                Signal::Look(access) | Signal::News { access, .. }
                    if self.viewer.may_watch(access) != self.may_watch =>
                {
                    return None;
                }
                Signal::Look(_) => {}
                Signal::News { news, access } => self.news = Some((news, 0, access)),
            }
        }
    }

    /// The next event of the batch that this viewer may see.
    fn news(&mut self) -> Option<Bytes> {
        let (news, at, access) = self.news.as_mut()?;
        while let Some(one) = news.get(*at) {
            *at += 1;
            if one.event.id > self.seen && one.event.is_for(&self.viewer, *access) {
                self.seen = one.event.id;
                return Some(one.bytes.clone());
            }
        }
        self.news = None;
        None
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
    use crate::events::bytes_of;
    use crate::events::hub::RING;

    fn reader(signals: &broadcast::Sender<Signal>) -> Reader {
        Reader {
            waiting: VecDeque::new(),
            news: None,
            seen: 0,
            viewer: Viewer::default(),
            may_watch: true,
            subscription: None,
            signals: signals.subscribe(),
            stop: CancellationToken::new(),
            _place: Place::taken(None),
        }
    }

    fn news(id: i64) -> Signal {
        let data = Some(json!({ "id": id }));
        let event = StoredEvent { id, kind: "video.changed".into(), data };
        let news = [News { bytes: bytes_of(&event).expect("bytes"), event }];
        Signal::News { news: Arc::from(news), access: Access::Everyone }
    }

    #[tokio::test]
    async fn a_reader_who_falls_too_far_behind_is_dropped() {
        let signals = broadcast::Sender::new(RING);
        let (mut quick, mut stuck) = (reader(&signals), reader(&signals));
        for id in 1..=RING as i64 + 1 {
            signals.send(news(id)).ok();
            let heard = quick.next().await.expect("news");
            assert!(heard.starts_with(format!("id: {id}\n").as_bytes()));
        }
        assert_eq!(stuck.next().await, None);
    }

    #[tokio::test]
    async fn nothing_is_told_twice() {
        let signals = broadcast::Sender::new(RING);
        let mut reader = reader(&signals);
        reader.seen = 2;
        for id in 1..=3 {
            signals.send(news(id)).ok();
        }
        assert!(reader.next().await.expect("news").starts_with(b"id: 3\n"));
    }
}
