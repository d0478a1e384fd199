//! Where all streams of this process listen, and the one task that reads for them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use bytes::Bytes;
use portal::accounts::sessions::{self, Standing};
use portal::events::{self, Told};
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
    line: Mutex<Line>,
}

struct Line {
    signals: broadcast::Sender<Signal>,
    /// Whether somebody reads the events; not while nobody listens.
    running: bool,
    /// Of the last event that was passed on.
    position: i64,
    /// As it was last passed on.
    access: Option<Access>,
    guests: Vec<Weak<Guest>>,
}

/// Somebody who listens and is signed in.
pub(super) struct Guest {
    pub(super) sessions: Vec<Standing>,
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
    pub(super) told: Told,
    pub(super) bytes: Bytes,
}

impl Hub {
    pub fn new(app: App, stop: CancellationToken) -> Hub {
        let line = Line {
            signals: broadcast::Sender::new(RING),
            running: false,
            position: 0,
            access: None,
            guests: Vec::new(),
        };
        let config = &app.config;
        let total = config.event_streams as usize;
        let streams = Networks::new(total, config.event_streams_per_network, config);
        Hub(Arc::new(Inner { app, stop, streams, line: Mutex::new(line) }))
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
        sessions: Vec<Standing>,
        access: Access,
    ) -> Result<(broadcast::Receiver<Signal>, Option<Arc<Guest>>, i64)> {
        let guest = (!sessions.is_empty())
            .then(|| Arc::new(Guest { sessions, ended: AtomicBool::new(false) }));
        if !self.0.line().running {
            let newest = events::newest(&self.0.app.db).await?;
            let mut line = self.0.line();
            // Somebody else may have been faster.
            if !line.running {
                line.running = true;
                line.position = newest;
                line.access = Some(access);
                let joined = line.join(guest);
                tokio::spawn(read(self.0.clone()));
                return Ok(joined);
            }
        }
        Ok(self.0.line().join(guest))
    }
}

impl Line {
    fn join(
        &mut self,
        guest: Option<Arc<Guest>>,
    ) -> (broadcast::Receiver<Signal>, Option<Arc<Guest>>, i64) {
        self.guests.extend(guest.as_ref().map(Arc::downgrade));
        (self.signals.subscribe(), guest, self.position)
    }

    fn guests(&mut self) -> Vec<Arc<Guest>> {
        self.guests.retain(|guest| guest.strong_count() > 0);
        self.guests.iter().filter_map(Weak::upgrade).collect()
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
            let mut line = inner.line();
            if line.signals.receiver_count() == 0 {
                line.running = false;
                return;
            }
            line.position
        };
        let check = checked.elapsed() >= CHECK;
        match inner.pass_on(position, check).await {
            Ok(()) if check => checked = Instant::now(),
            Ok(()) => {}
            Err(error) => tracing::debug!(%error, "events cannot be read just now"),
        }
        if beaten.elapsed() >= BEAT {
            beaten = Instant::now();
            inner.line().signals.send(Signal::Beat).ok();
        }
    }
}

impl Inner {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().expect("nothing panics with the line in hand")
    }

    async fn pass_on(&self, position: i64, check: bool) -> Result<()> {
        let told = events::since(&self.app, position, NEWS).await?;
        if told.is_empty() && !check {
            return Ok(());
        }
        let settings = self.app.settings().await?;
        let access = settings.access;
        // Before anything is told: whoever was sent away does not hear it any more.
        let somebody_ended = self.check(&settings).await?;
        let position = told.last().map_or(position, |told| told.id);
        let news: Arc<[News]> = told
            .into_iter()
            .filter_map(|told| Some(News { bytes: bytes_of(&told)?, told }))
            .collect();
        let mut line = self.line();
        let other_access = line.access.replace(access).is_some_and(|before| before != access);
        if somebody_ended || other_access {
            line.signals.send(Signal::Look(access)).ok();
        }
        if !news.is_empty() {
            line.signals.send(Signal::News { news, access }).ok();
        }
        line.position = position;
        Ok(())
    }

    /// Finds out whose session has ended or is worth something else now.
    async fn check(&self, settings: &Settings) -> Result<bool> {
        let guests = self.line().guests();
        let ids: Vec<Uuid> =
            guests.iter().flat_map(|guest| &guest.sessions).map(|session| session.id).collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let now = sessions::standings(&self.app, settings, &ids).await?;
        let now: HashMap<Uuid, Standing> = now.into_iter().map(|s| (s.id, s)).collect();
        let mut any = false;
        for guest in guests {
            if guest.sessions.iter().any(|before| now.get(&before.id) != Some(before)) {
                guest.ended.store(true, Relaxed);
                any = true;
            }
        }
        Ok(any)
    }
}
