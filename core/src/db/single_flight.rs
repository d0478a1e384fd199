//! Single flight: one query answers all requests that wait for the same answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;

/// Timeout for the database to answer. Without an answer in this time, the caller does not use its cache.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// How often the query yields to requests that are about to join it. Each time costs a microsecond.
const MAX_YIELDS: usize = 16;

/// The requests that wait for the answer.
#[derive(Debug)]
pub(super) struct Waiters<A>(Mutex<Waiting<A>>);

#[derive(Debug)]
struct Waiting<A> {
    is_asking: bool,
    senders: Vec<oneshot::Sender<Option<A>>>,
}

impl<A> Default for Waiters<A> {
    fn default() -> Self {
        Waiters(Mutex::new(Waiting { is_asking: false, senders: Vec::new() }))
    }
}

impl<A> Waiters<A> {
    fn held(&self) -> MutexGuard<'_, Waiting<A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A query that many requests share.
pub(super) trait SingleFlight: Send + Sync + 'static {
    type Answer: Clone + Send;
    /// The connection of the query. It is kept as long as a request waits.
    type Connection: Send;

    fn waiters(&self) -> &Waiters<Self::Answer>;

    /// Runs the query. `None` if there is no answer within [`ANSWER_TIMEOUT`].
    fn read(
        &self,
        connection: &mut Option<Self::Connection>,
    ) -> impl Future<Output = Option<Self::Answer>> + Send;
}

/// Waits for an answer that is not older than this call. All requests that waited before the query
/// ran share its answer. `None` if there is none in time. Requests that wait for the next answer
/// then get `None` as well: otherwise each of them would wait once more for a database that does
/// not answer.
pub(super) async fn ask<T: SingleFlight>(asked: &Arc<T>) -> Option<T::Answer> {
    let (sender, answer) = oneshot::channel();
    let is_first = {
        let mut waiting = asked.waiters().held();
        waiting.senders.push(sender);
        !std::mem::replace(&mut waiting.is_asking, true)
    };
    if is_first {
        // In its own task, because a request may be dropped while others wait.
        tokio::spawn(answer_all(asked.clone()));
    }
    answer.await.ok()?
}

/// Yields as long as more requests join, including those that the last answer woke: the more
/// requests share a query, the less it costs each of them.
async fn gather<A>(waiters: &Waiters<A>) {
    let mut waiting = 0;
    for _ in 0..MAX_YIELDS {
        yield_now().await;
        let before = std::mem::replace(&mut waiting, waiters.held().senders.len());
        if waiting <= before.max(1) {
            return;
        }
    }
}

/// Runs the query again as long as a request waits.
async fn answer_all<T: SingleFlight>(asked: Arc<T>) {
    let mut connection = None;
    loop {
        gather(asked.waiters()).await;
        let mut senders = {
            let mut waiting = asked.waiters().held();
            if waiting.senders.is_empty() {
                waiting.is_asking = false;
                return;
            }
            std::mem::take(&mut waiting.senders)
        };
        let answer = asked.read(&mut connection).await;
        if answer.is_none() {
            senders.append(&mut asked.waiters().held().senders);
        }
        for sender in senders {
            sender.send(answer.clone()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;
    use tokio::time::{sleep, timeout};

    use super::*;

    /// A database that answers only when a test lets it, and that counts how often it was asked.
    struct Slow {
        waiters: Waiters<usize>,
        asked: AtomicUsize,
        answers: Semaphore,
    }

    impl SingleFlight for Slow {
        type Answer = usize;
        type Connection = ();

        fn waiters(&self) -> &Waiters<usize> {
            &self.waiters
        }

        async fn read(&self, _: &mut Option<()>) -> Option<usize> {
            let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
            self.answers.acquire().await.ok()?.forget();
            (asked > 1).then_some(asked)
        }
    }

    async fn until(is_so: impl Fn() -> bool) {
        while !is_so() {
            sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn who_waits_behind_a_question_without_an_answer_does_not_wait_for_the_next() {
        let slow = Arc::new(Slow {
            waiters: Waiters::default(),
            asked: AtomicUsize::new(0),
            answers: Semaphore::new(0),
        });
        let ask = || {
            let slow = slow.clone();
            tokio::spawn(async move { ask(&slow).await })
        };
        let asked = |times| slow.asked.load(Ordering::SeqCst) == times;
        let waiting = |many| slow.waiters.held().senders.len() == many;

        let first = ask();
        until(|| asked(1)).await;
        let others = [ask(), ask()];
        until(|| waiting(2)).await;
        slow.answers.add_permits(1);
        assert_eq!(first.await.expect("no panic"), None);
        for other in others {
            let answer = timeout(Duration::from_secs(20), other).await.expect("it need not wait");
            assert_eq!(answer.expect("no panic"), None);
        }

        let second = ask();
        until(|| asked(2)).await;
        let third = ask();
        until(|| waiting(1)).await;
        slow.answers.add_permits(2);
        assert_eq!(second.await.expect("no panic"), Some(2));
        assert_eq!(third.await.expect("no panic"), Some(3), "asked after it came");
    }
}
