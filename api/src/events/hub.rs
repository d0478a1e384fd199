//! Where all streams of this process listen, and the one task that reads for them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use bytes::Bytes;
use portal::accounts::sessions::{self, SessionAccess};
use portal::events::{self, StoredEvent};
use portal::settings::{Access, Settings};
use portal::{App, Result};
use tokio::sync::broadcast;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::bytes_of;
use crate::server::{Networks, Refused, Share};

/// How often the database is asked what is new.
const LOOK: Duration = Duration::from_millis(250);
/// How often it is asked who is still signed in, and whether access changed.
const CHECK: Duration = Duration::from_secs(2);
/// A sign of life, which also finds out who is gone.
const BEAT: Duration = Duration::from_secs(15);
/// How many looks with news a stream may fall behind.
pub(super) const RING: usize = 64;
/// The most events of one look.
const NEWS: i64 = 200;

/// Where all streams of this process listen.
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
    /// Whether somebody reads the events; not while nobody listens.
    running: bool,
    /// Of the last event that was passed on.
    position: i64,
    /// As it was last passed on.
    access: Option<Access>,
    subscriptions: Vec<Weak<Subscription>>,
}

/// Somebody who listens and is signed in.
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
    /// Somebody's session has ended, or access is another.
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

    /// A share of the streams that may be open at once, while there is one for this network.
    pub(super) fn share(&self, from: IpAddr) -> std::result::Result<Share, Refused> {
        self.0.streams.take(from)
    }

    /// What ends all streams.
    pub(super) fn stop(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// Begins to listen. Everything after the returned number will be heard.
    pub(super) async fn join(
        &self,
        sessions: Vec<SessionAccess>,
        access: Access,
    ) -> Result<(broadcast::Receiver<Signal>, Option<Arc<Subscription>>, i64)> {
        let subscription = (!sessions.is_empty())
            .then(|| Arc::new(Subscription { sessions, ended: AtomicBool::new(false) }));
        if !self.0.channel().running {
            let newest = events::newest(&self.0.app.db).await?;
            let mut channel = self.0.channel();
            // Somebody else may have been faster.
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

/// Reads what is new and passes it on, until nobody listens any more.
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
            Err(error) => tracing::debug!(%error, "events cannot be read just now"),
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
        let event = events::since(&self.app, position, NEWS).await?;
        if event.is_empty() && !check {
            return Ok(());
        }
        let settings = self.app.settings().await?;
        let access = settings.access;
        // Before anything is told: whoever was sent away does not hear it any more.
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

    /// Finds out whose session has ended or is worth something else now.
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
