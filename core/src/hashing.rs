//! Where passwords are hashed: on threads of low priority, two at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use argon2::{Block, Params};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use tokio::sync::{Semaphore, oneshot};

use crate::{Error, Result};

/// How many passwords are hashed at the same time. Each hash takes 19 MiB and a CPU core.
const CONCURRENCY: usize = 2;
/// The niceness of these threads (0 to 19): visitors do not wait for those who sign in.
const NICENESS: i32 = 10;

/// The working memory of a hash.
pub type Memory = Vec<Block>;

/// Runs hashes, and hands the memory of one to the next while others wait: new memory costs a tenth
/// of the hash.
pub struct Hashing {
    /// One for each hash that may run.
    pub permits: Arc<Semaphore>,
    /// The costs of new hashes.
    pub(crate) params: Params,
    /// A hash that matches no password, so that unknown accounts take the same time.
    pub(crate) dummy: String,
    waiting: AtomicUsize,
    spare: Mutex<Vec<Memory>>,
}

impl Default for Hashing {
    /// Memory in KiB, passes, lanes: at least the values that OWASP recommends.
    fn default() -> Self {
        Hashing::with(Params::new(19 * 1024, 2, 1, None).unwrap_or_default())
    }
}

impl Hashing {
    fn with(params: Params) -> Self {
        Hashing {
            permits: Arc::new(Semaphore::new(CONCURRENCY)),
            dummy: dummy(&params),
            params,
            waiting: AtomicUsize::new(0),
            spare: Mutex::default(),
        }
    }

    /// Costs next to nothing, and protects nothing: for tests of anything but sign-in.
    pub fn cheap() -> Self {
        let (m, t, p) = (Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST);
        Hashing::with(Params::new(m, t, p, None).unwrap_or_default())
    }

    /// Waits for its turn and runs `work` on a thread of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the thread cannot be started or panics.
    pub async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> Result<T> {
        let waiter = Waiter::new(self);
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(Error::unforeseen)?;
        let mut memory = self.take_spare();
        drop(waiter);
        let (done, result) = oneshot::channel();
        let hashing = Arc::clone(self);
        let work = move || {
            let _permit = permit;
            // On Linux this is the priority of the thread. Where it is refused, only speed suffers.
            let _ = rustix::process::setpriority_process(None, NICENESS);
            let worked = work(&mut memory);
            hashing.keep(memory);
            let _ = done.send(worked);
        };
        thread::Builder::new().name("password".into()).spawn(work).map_err(Error::unforeseen)?;
        result.await.map_err(Error::unforeseen)
    }

    fn take_spare(&self) -> Memory {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn keep(&self, memory: Memory) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            spare.push(memory);
        }
    }
}

/// Makes a hash that matches no password, without hashing one.
fn dummy(params: &Params) -> String {
    let (m, t, p) = (params.m_cost(), params.t_cost(), params.p_cost());
    let salt = STANDARD_NO_PAD.encode(rand::random::<[u8; 16]>());
    let hash = STANDARD_NO_PAD.encode(rand::random::<[u8; 32]>());
    format!("$argon2id$v=19$m={m},t={t},p={p}${salt}${hash}")
}

/// Somebody who waits for a permit. The last one frees the memory that nobody will need.
struct Waiter<'a>(&'a Hashing);

impl<'a> Waiter<'a> {
    fn new(hashing: &'a Hashing) -> Self {
        hashing.waiting.fetch_add(1, Ordering::SeqCst);
        Waiter(hashing)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut spare = self.0.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if self.0.waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
            spare.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spare(hashing: &Hashing) -> usize {
        hashing.spare.lock().expect("no panic").len()
    }

    #[tokio::test]
    async fn memory_goes_from_hash_to_hash_while_others_wait_and_is_freed_then() {
        let hashing = Arc::new(Hashing::default());
        let work = |memory: &mut Memory| {
            let reused = !memory.is_empty();
            memory.resize(1, Block::new());
            thread::sleep(std::time::Duration::from_millis(30));
            reused
        };
        let ways = (0..6).map(|_| hashing.run(work));
        let reused = futures_util::future::try_join_all(ways).await.expect("hashed");
        assert_eq!(reused.iter().filter(|reused| **reused).count(), 6 - CONCURRENCY);
        assert_eq!(spare(&hashing), 0, "nobody waits any more");
        assert!(!hashing.run(work).await.expect("hashed"), "there is nothing left to take over");
    }

    #[tokio::test]
    async fn who_no_longer_waits_leaves_no_memory_behind() {
        let hashing = Arc::new(Hashing::default());
        let both = Arc::clone(&hashing.permits).acquire_many_owned(2).await.expect("permits");
        let mut waits = Box::pin(hashing.run(|_| ()));
        assert!(futures_util::poll!(&mut waits).is_pending());
        hashing.keep(vec![Block::new()]);
        assert_eq!(spare(&hashing), 1);
        drop(waits);
        assert_eq!(spare(&hashing), 0);
        drop(both);
        hashing.run(|_| ()).await.expect("hashed");
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_gives_the_permit_back() {
        let hashing = Arc::new(Hashing::default());
        for _ in 0..=CONCURRENCY {
            assert!(hashing.run(|_| panic!("on purpose")).await.is_err());
        }
        assert_eq!(hashing.permits.available_permits(), CONCURRENCY);
    }
}
