//! The publish-subscribe hub of all event streams of this process, with the one task that reads events.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use portal::access::Access;
use portal::accounts::sessions::{self, SessionAccess};
use portal::db::{Version, Versions};
use portal::event_feed::{self, StoredEvent};
use portal::settings::Settings;
use portal::{App, Result, events};
use tokio::sync::broadcast;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::encoded::Encoded;
use crate::server::{Networks, Refused, Share};

/// How often the task reads new events of other processes. It learns of this process's own events at once.
const POLL_EVERY: Duration = Duration::from_millis(250);
/// The time between two readings, so that what many write at once is sent together.
const PAUSE: Duration = Duration::from_millis(50);
/// How often the task checks which sessions still exist, and whether the access setting changed.
const CHECK: Duration = Duration::from_secs(2);
/// The same while nobody commits anything, so that sessions only expire.
const CHECK_IDLE: Duration = Duration::from_secs(4);
/// How often a heartbeat is sent, by which proxies see that the stream is in use.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);
/// The maximum number of batches that a stream may fall behind.
pub(super) const CAPACITY: usize = 128;
/// The maximum number of events of one batch.
const MAX_BATCH: i64 = 200;
/// How long missed events are kept for the next page that comes back.
const MISSED_LIFETIME: Duration = Duration::from_secs(1);

/// The hub of all event streams of this process.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    app: App,
    /// Ends all streams.
    stop: CancellationToken,
    streams: Arc<Networks>,
    versions: Versions,
    channel: Mutex<Channel>,
    missed: Mutex<Option<Missed>>,
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
    /// The server is stopping, and nobody sends signals anymore.
    stopped: bool,
}

/// What pages that come back have missed. After a restart, thousands ask for the same.
struct Missed {
    after: i64,
    version: Version,
    read: Instant,
    events: Arc<[StoredEvent]>,
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
    AccessChanged(Access),
    Heartbeat,
}

pub(super) struct News {
    pub(super) event: StoredEvent,
    pub(super) encoded: Encoded,
}

impl News {
    /// `None` if nothing of it may be shown anymore.
    pub(super) fn of(event: StoredEvent) -> Option<News> {
        Some(News { encoded: Encoded::event(&event)?, event })
    }
}

impl Hub {
    pub fn new(app: App, stop: CancellationToken) -> Hub {
        let channel = Channel {
            signals: broadcast::Sender::new(CAPACITY),
            running: false,
            position: 0,
            access: None,
            subscriptions: Vec::new(),
            stopped: false,
        };
        let config = &app.config;
        let total = config.event_streams as usize;
        let streams = Networks::new(total, config.event_streams_per_network, config);
        Hub(Arc::new(Inner {
            versions: Versions::of(&app.db),
            app,
            stop,
            streams,
            channel: Mutex::new(channel),
            missed: Mutex::default(),
        }))
    }

    /// Reserves one event stream for this network, or refuses if its share is used up.
    pub(super) fn share(&self, from: IpAddr) -> std::result::Result<Share, Refused> {
        self.0.streams.take(from)
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
                tokio::spawn(run(self.0.clone()));
                return Ok(joined);
            }
        }
        Ok(self.0.channel().join(subscription))
    }

    /// At most `limit` events after this one, as [`event_feed::since`] returns them.
    pub(super) async fn missed(&self, after: i64, limit: i64) -> Result<Arc<[StoredEvent]>> {
        let inner = &self.0;
        let version = inner.versions.current().await;
        let known = || inner.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(missed) = &*known()
            && (missed.after, Some(&missed.version)) == (after, version.as_ref())
            && missed.read.elapsed() < MISSED_LIFETIME
        {
            return Ok(missed.events.clone());
        }
        let read = Instant::now();
        let events: Arc<[_]> = event_feed::since(&inner.app, after, limit).await?.into();
        if let Some(version) = version {
            *known() = Some(Missed { after, version, read, events: events.clone() });
        }
        Ok(events)
    }
}

impl Channel {
    fn join(
        &mut self,
        subscription: Option<Arc<Subscription>>,
    ) -> (broadcast::Receiver<Signal>, Option<Arc<Subscription>>, i64) {
        self.subscriptions.extend(subscription.as_ref().map(Arc::downgrade));
        let signals = match self.stopped {
            true => broadcast::Sender::new(1).subscribe(),
            false => self.signals.subscribe(),
        };
        (signals, subscription, self.position)
    }

    fn subscriptions(&mut self) -> Vec<Arc<Subscription>> {
        self.subscriptions.retain(|subscription| subscription.strong_count() > 0);
        let open = self.subscriptions.iter().filter_map(Weak::upgrade);
        open.filter(|subscription| !subscription.ended.load(Relaxed)).collect()
    }
}

/// What the task has done so far.
struct Progress {
    /// The version whose events were published.
    published: Option<Version>,
    /// When the sessions were checked, and of which version.
    checked: (Instant, Option<Version>),
    last_heartbeat: Instant,
}

/// Reads new events and publishes them until there are no subscribers.
async fn run(inner: Arc<Inner>) {
    let mut committed = events::committed();
    let mut poll = interval(POLL_EVERY);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let now = Instant::now();
    let mut progress = Progress { published: None, checked: (now, None), last_heartbeat: now };
    while !inner.stop.is_cancelled() {
        tokio::select! {
            () = inner.stop.cancelled() => break,
            _ = poll.tick() => {}
            _ = committed.changed() => {}
        }
        let position = {
            let mut channel = inner.channel();
            if channel.signals.receiver_count() == 0 {
                channel.running = false;
                return;
            }
            channel.position
        };
        tokio::select! {
            () = inner.stop.cancelled() => break,
            () = inner.poll(position, &mut progress) => {}
        }
    }
    // Without a sender, all streams end.
    let mut channel = inner.channel();
    channel.stopped = true;
    channel.signals = broadcast::Sender::new(1);
}

impl Inner {
    fn channel(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().expect("no panic inside")
    }

    /// Publishes new events, and checks from time to time who may still listen.
    async fn poll(&self, position: i64, progress: &mut Progress) {
        if progress.last_heartbeat.elapsed() >= HEARTBEAT_EVERY {
            progress.last_heartbeat = Instant::now();
            self.channel().signals.send(Signal::Heartbeat).ok();
        }
        match self.publish_new(position, progress).await {
            Ok(false) => {}
            Ok(true) => sleep(PAUSE).await,
            Err(error) => tracing::debug!(error = error.reason(), "events cannot be read"),
        }
    }

    /// Publishes new events. Returns whether there were any.
    async fn publish_new(&self, position: i64, progress: &mut Progress) -> Result<bool> {
        let (checked, checked_version) = &progress.checked;
        let is_due = checked.elapsed() >= CHECK;
        // The version from before the events are read, so that a commit in between leads to another
        // version.
        let version = match is_due || self.versions.are_in_memory() {
            true => self.versions.current().await,
            false => None,
        };
        let is_other = |than: &Option<Version>| version.is_none() || version != *than;
        let check = is_due && (is_other(checked_version) || checked.elapsed() >= CHECK_IDLE);
        let events = match is_other(&progress.published) {
            true => event_feed::since(&self.app, position, MAX_BATCH).await?,
            false => Vec::new(),
        };
        if check && is_other(checked_version) {
            self.app.invalidate_settings();
        }
        let is_all = (events.len() as i64) < MAX_BATCH;
        let is_new = !events.is_empty();
        if is_new || check {
            self.publish(position, events).await?;
            progress.checked = (Instant::now(), version.clone());
        }
        progress.published = version.filter(|_| is_all);
        Ok(is_new)
    }

    async fn publish(&self, position: i64, events: Vec<StoredEvent>) -> Result<()> {
        let settings = self.app.settings().await?;
        let access = settings.watch_access();
        // Before events are published, so that ended sessions do not receive them.
        let somebody_ended = self.check(&settings).await?;
        let position = events.last().map_or(position, |event| event.id);
        let news: Arc<[News]> = events.into_iter().filter_map(News::of).collect();
        let mut channel = self.channel();
        let other_access = channel.access.replace(access).is_some_and(|before| before != access);
        if somebody_ended || other_access {
            channel.signals.send(Signal::AccessChanged(access)).ok();
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
        let sessions = || subscriptions.iter().flat_map(|subscription| &subscription.sessions);
        let all: Vec<_> = sessions().collect();
        if all.is_empty() || sessions::are_unchanged(&self.app, settings, &all).await? {
            return Ok(false);
        }
        let ids: Vec<Uuid> = sessions().map(|session| session.id).collect();
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
