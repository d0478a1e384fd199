//! One answer for all that ask at the same time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;

/// The time for the database to answer. A slower one is not asked on behalf of a cache.
pub(super) const ANSWER: Duration = Duration::from_secs(2);

/// So often others go first before a question is sent. Each time costs a microsecond.
const MOST_TURNS: usize = 16;

/// Those who wait for an answer.
#[derive(Debug)]
pub(super) struct Line<A>(Mutex<Waiting<A>>);

#[derive(Debug)]
struct Waiting<A> {
    is_asking: bool,
    senders: Vec<oneshot::Sender<Option<A>>>,
}

impl<A> Default for Line<A> {
    fn default() -> Self {
        Line(Mutex::new(Waiting { is_asking: false, senders: Vec::new() }))
    }
}

impl<A> Line<A> {
    fn held(&self) -> MutexGuard<'_, Waiting<A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is asked one question by many.
pub(super) trait Asked: Send + Sync + 'static {
    type Answer: Clone + Send;
    /// What the question is sent over, as long as somebody waits.
    type Connection: Send;

    fn line(&self) -> &Line<Self::Answer>;

    /// Sends the question. `None` if there is no answer within [`ANSWER`].
    fn read(
        &self,
        connection: &mut Option<Self::Connection>,
    ) -> impl Future<Output = Option<Self::Answer>> + Send;
}

/// Asks. One answer is for all that waited before the question was sent, so that many simultaneous requests
/// cost one. `None` if there is no answer in time, also for those who wait to ask next: otherwise each of them would
/// wait for a database that is away once more.
pub(super) async fn ask<T: Asked>(asked: &Arc<T>) -> Option<T::Answer> {
    let (sender, answer) = oneshot::channel();
    let is_first = {
        let mut waiting = asked.line().held();
        waiting.senders.push(sender);
        !std::mem::replace(&mut waiting.is_asking, true)
    };
    if is_first {
        // In its own task, because a request may be dropped while others wait.
        tokio::spawn(answer_all(asked.clone()));
    }
    answer.await.ok()?
}

/// Lets those go first whose requests have arrived, also those whom the last answer woke, as long as more of them
/// come: the more share a question, the less it costs each of them.
async fn gather<A>(line: &Line<A>) {
    let mut waiting = 0;
    for _ in 0..MOST_TURNS {
        yield_now().await;
        let before = std::mem::replace(&mut waiting, line.held().senders.len());
        if waiting <= before.max(1) {
            return;
        }
    }
}

/// Asks as long as somebody waits.
async fn answer_all<T: Asked>(asked: Arc<T>) {
    let mut connection = None;
    loop {
        gather(asked.line()).await;
        let mut senders = {
            let mut waiting = asked.line().held();
            if waiting.senders.is_empty() {
                waiting.is_asking = false;
                return;
            }
            std::mem::take(&mut waiting.senders)
        };
        let answer = asked.read(&mut connection).await;
        if answer.is_none() {
            senders.append(&mut asked.line().held().senders);
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

    /// A database that answers when it is let, with how often it was asked, and not at first.
    struct Slow {
        line: Line<usize>,
        asked: AtomicUsize,
        answers: Semaphore,
    }

    impl Asked for Slow {
        type Answer = usize;
        type Connection = ();

        fn line(&self) -> &Line<usize> {
            &self.line
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
            line: Line::default(),
            asked: AtomicUsize::new(0),
            answers: Semaphore::new(0),
        });
        let ask = || {
            let slow = slow.clone();
            tokio::spawn(async move { ask(&slow).await })
        };
        let asked = |times| slow.asked.load(Ordering::SeqCst) == times;
        let waiting = |many| slow.line.held().senders.len() == many;

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
