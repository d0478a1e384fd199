//! Which mail servers can be used. A server that cannot be reached is left alone for a while. If
//! none is left, one mail at a time tests whether a server is back.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How long to wait after a server could not be reached.
const BACKOFF: Duration = Duration::from_secs(30);

pub(super) struct Health {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    down_until: Vec<Option<Instant>>,
    /// Somebody is testing whether a server is back.
    is_probed: bool,
}

/// Whether a mail may be sent now.
pub(super) enum Entry {
    Open,
    /// No server could be reached a while ago. Other mails wait until this one has been sent or has
    /// failed.
    Probe(Probe),
    /// Somebody else is trying.
    Probed,
    Down,
}

/// Held by whoever tests whether a server is back.
pub(super) struct Probe(Arc<Health>);

impl Drop for Probe {
    fn drop(&mut self) {
        self.0.state.lock().expect("no panic inside").is_probed = false;
        self.0.changed.notify_waiters();
    }
}

impl Health {
    pub fn of(servers: usize) -> Health {
        let state = State { down_until: vec![None; servers], is_probed: false };
        Health { state: Mutex::new(state), changed: Notify::new() }
    }

    pub fn enter(self: &Arc<Self>) -> Entry {
        let mut state = self.state.lock().expect("no panic inside");
        if state.down_until.iter().any(Option::is_none) {
            return Entry::Open;
        }
        let now = Instant::now();
        match (state.down_until.iter().flatten().any(|until| *until <= now), state.is_probed) {
            (false, _) => Entry::Down,
            (true, true) => Entry::Probed,
            (true, false) => {
                state.is_probed = true;
                Entry::Probe(Probe(self.clone()))
            }
        }
    }

    /// Waits for the end of a probe, or for a second.
    pub async fn changed(&self) {
        tokio::time::timeout(Duration::from_secs(1), self.changed.notified()).await.ok();
    }

    /// How long it takes until a server may be tried again.
    pub fn backing_off(&self) -> Option<Duration> {
        let state = self.state.lock().expect("no panic inside");
        let now = Instant::now();
        let rest = |until: &Option<Instant>| until.and_then(|at| at.checked_duration_since(now));
        let rests: Option<Vec<Duration>> = state.down_until.iter().map(rest).collect();
        rests?.into_iter().min()
    }

    /// Whether this server may be tried: it works, or no server does and its time has come.
    pub fn may_try(&self, server: usize) -> bool {
        let state = self.state.lock().expect("no panic inside");
        match state.down_until[server] {
            None => true,
            Some(until) => until <= Instant::now() && state.down_until.iter().all(Option::is_some),
        }
    }

    /// Whether somebody should test if this server is back, while another one works. After a yes,
    /// the answer is no until the same time has passed again.
    pub fn is_worth_a_look(&self, server: usize) -> bool {
        let mut state = self.state.lock().expect("no panic inside");
        let now = Instant::now();
        let is_due = state.down_until[server].is_some_and(|until| until <= now);
        if is_due {
            state.down_until[server] = Some(now + BACKOFF);
        }
        is_due
    }

    /// Records whether a server could be reached. Returns whether that is news.
    pub fn record(&self, server: usize, is_up: bool) -> bool {
        let mut state = self.state.lock().expect("no panic inside");
        let was_up = state.down_until[server].is_none();
        state.down_until[server] = (!is_up).then(|| Instant::now() + BACKOFF);
        drop(state);
        if is_up && !was_up {
            self.changed.notify_waiters();
        }
        was_up != is_up
    }
}
