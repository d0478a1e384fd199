//! Limits how many mails may be sent at once, and how many a second.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Sleeping is not more precise than this, so shorter waits are added up first.
const TICK: Duration = Duration::from_millis(2);

pub(super) struct Limits {
    connections: Arc<Semaphore>,
    /// How many wait for a connection.
    waiting: Arc<AtomicUsize>,
    /// Between two mails.
    gap: Duration,
    /// When the next mail may go.
    next: Mutex<Instant>,
}

impl Limits {
    pub fn new(connections: u32, rate: u32) -> Limits {
        Limits {
            connections: Arc::new(Semaphore::new(connections as usize)),
            waiting: Arc::default(),
            gap: Duration::from_secs(1) / rate,
            next: Mutex::new(Instant::now()),
        }
    }

    pub async fn connection(&self) -> OwnedSemaphorePermit {
        let _waiting = Counted::of(&self.waiting);
        self.connections.clone().acquire_owned().await.expect("never closed")
    }

    /// Whether somebody waits for a connection.
    pub fn are_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Waits until the next mail may go.
    pub async fn pace(&self) {
        let at = {
            let mut next = self.next.lock().expect("no panic inside");
            let at = (*next).max(Instant::now());
            *next = at + self.gap;
            at
        };
        if at.saturating_duration_since(Instant::now()) > TICK {
            tokio::time::sleep_until(at.into()).await;
        }
    }
}

/// Counts as one until it is dropped.
pub(crate) struct Counted(Arc<AtomicUsize>);

impl Counted {
    pub fn of(count: &Arc<AtomicUsize>) -> Counted {
        count.fetch_add(1, Ordering::Relaxed);
        Counted(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
