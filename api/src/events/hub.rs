//! The publish-subscribe hub of all event streams of this process, with the one task that reads events.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use bytes::Bytes;
use portal::access::Access;
use portal::accounts::sessions::{self, SessionAccess};
use portal::event_feed::{self, StoredEvent};
use portal::settings::Settings;
use portal::{App, Result};
use tokio::sync::broadcast;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::bytes_of;
use crate::server::{Networks, Refused, Share};

/// How often the task reads new events.
const LOOK: Duration = Duration::from_millis(250);
/// How often the task checks which sessions still exist, and whether the access setting changed.
const CHECK: Duration = Duration::from_secs(2);
/// How often a heartbeat is sent, which also detects closed connections.
const BEAT: Duration = Duration::from_secs(15);
/// The maximum number of batches that a stream may fall behind.
pub(super) const RING: usize = 64;
/// The maximum number of events of one batch.
const NEWS: i64 = 200;

/// The hub of all event streams of this process.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    app: App,
    /// Ends all streams.
    stop: CancellationToken,
    streams: Arc<Networks>,
    channel: Mutex<Channel>,
}

struct Channel {
    signals: broadcast::Sender<Signal>,
    /// Whether the task runs; it stops when there are no subscribers.
    running: bool,
    /// The id of the last event that was published.
    position: i64,
    /// The access setting that was last published.
    access: Option<Access>,
    subscriptions: Vec<Weak<Subscription>>,
}

/// A subscriber who is signed in.
pub(super) struct Subscription {
    pub(super) sessions: Vec<SessionAccess>,
    pub(super) ended: AtomicBool,
}

#[derive(Clone)]
pub(super) enum Signal {
    News {
        news: Arc<[News]>,
        access: Access,
    },
    /// A session has ended, or the access setting changed.
    Look(Access),
    Beat,
}

pub(super) struct News {
    pub(super) event: StoredEvent,
    pub(super) bytes: Bytes,
}

impl Hub {
    pub fn new(app: App, stop: CancellationToken) -> Hub {
        let channel = Channel {
            signals: broadcast::Sender::new(RING),
            running: false,
            position: 0,
            access: None,
            subscriptions: Vec::new(),
        };
        let config = &app.config;
        let total = config.event_streams as usize;
        let streams = Networks::new(total, config.event_streams_per_network, config);
        Hub(Arc::new(Inner { app, stop, streams, channel: Mutex::new(channel) }))
    }

    /// Reserves one event stream for this network, or refuses if its share is used up.
    pub(super) fn share(&self, from: IpAddr) -> std::result::Result<Share, Refused> {
        self.0.streams.take(from)
    }

    /// The token that ends all streams.
    pub(super) fn stop(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// Subscribes. The subscriber receives every event after the returned id.
    pub(super) async fn join(
        &self,
        sessions: Vec<SessionAccess>,
        access: Access,
    ) -> Result<(broadcast::Receiver<Signal>, Option<Arc<Subscription>>, i64)> {
        let subscription = (!sessions.is_empty())
            .then(|| Arc::new(Subscription { sessions, ended: AtomicBool::new(false) }));
        if !self.0.channel().running {
            let newest = event_feed::newest(&self.0.app.db).await?;
            let mut channel = self.0.channel();
            // Another subscriber may have started the task meanwhile.
            if !channel.running {
                channel.running = true;
                channel.position = newest;
                channel.access = Some(access);
                let joined = channel.join(subscription);
                tokio::spawn(read(self.0.clone()));
                return Ok(joined);
            }
        }
        Ok(self.0.channel().join(subscription))
    }
}

impl Channel {
    fn join(
        &mut self,
        subscription: Option<Arc<Subscription>>,
    ) -> (broadcast::Receiver<Signal>, Option<Arc<Subscription>>, i64) {
        self.subscriptions.extend(subscription.as_ref().map(Arc::downgrade));
        (self.signals.subscribe(), subscription, self.position)
    }

    fn subscriptions(&mut self) -> Vec<Arc<Subscription>> {
        self.subscriptions.retain(|subscription| subscription.strong_count() > 0);
        self.subscriptions.iter().filter_map(Weak::upgrade).collect()
    }
}

/// Reads new events and publishes them until there are no subscribers.
async fn read(inner: Arc<Inner>) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut beaten, mut checked) = (Instant::now(), Instant::now());
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = inner.stop.cancelled() => return,
        }
        let position = {
            let mut channel = inner.channel();
            if channel.signals.receiver_count() == 0 {
                channel.running = false;
                return;
            }
            channel.position
        };
        let check = checked.elapsed() >= CHECK;
        match inner.pass_on(position, check).await {
            Ok(()) if check => checked = Instant::now(),
            Ok(()) => {}
            Err(error) => tracing::debug!(%error, "events cannot be read"),
        }
        if beaten.elapsed() >= BEAT {
            beaten = Instant::now();
            inner.channel().signals.send(Signal::Beat).ok();
        }
    }
}

impl Inner {
    fn channel(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().expect("nothing panics with the line in hand")
    }

    async fn pass_on(&self, position: i64, check: bool) -> Result<()> {
        let event = event_feed::since(&self.app, position, NEWS).await?;
        if event.is_empty() && !check {
            return Ok(());
        }
        let settings = self.app.settings().await?;
        let access = settings.watch_access();
        // Before events are published, so that ended sessions do not receive them.
        let somebody_ended = self.check(&settings).await?;
        let position = event.last().map_or(position, |event| event.id);
        let news: Arc<[News]> = event
            .into_iter()
            .filter_map(|event| Some(News { bytes: bytes_of(&event)?, event }))
            .collect();
        let mut channel = self.channel();
        let other_access = channel.access.replace(access).is_some_and(|before| before != access);
        if somebody_ended || other_access {
            channel.signals.send(Signal::Look(access)).ok();
        }
        if !news.is_empty() {
            channel.signals.send(Signal::News { news, access }).ok();
        }
        channel.position = position;
        Ok(())
    }

    /// Finds subscriptions whose session has ended or has other rights now.
    async fn check(&self, settings: &Settings) -> Result<bool> {
        let subscriptions = self.channel().subscriptions();
        let ids: Vec<Uuid> = subscriptions
            .iter()
            .flat_map(|subscription| &subscription.sessions)
            .map(|session| session.id)
            .collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let now = sessions::access_of_all(&self.app, settings, &ids).await?;
        let now: HashMap<Uuid, SessionAccess> = now.into_iter().map(|s| (s.id, s)).collect();
        let mut any = false;
        for subscription in subscriptions {
            if subscription.sessions.iter().any(|before| now.get(&before.id) != Some(before)) {
                subscription.ended.store(true, Relaxed);
                any = true;
            }
        }
        Ok(any)
    }
}
