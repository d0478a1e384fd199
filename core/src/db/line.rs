//! One answer for all that ask at the same time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;

/// The time for the database to answer. A slower one is not asked on behalf of a cache.
pub(super) const ANSWER: Duration = Duration::from_secs(2);

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
/// cost one. `None` if there is no answer in time, which may be twice [`ANSWER`] for who waits for another's first.
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

/// Asks as long as somebody waits.
async fn answer_all<T: Asked>(asked: Arc<T>) {
    let mut connection = None;
    loop {
        // Lets those go first whose requests have arrived, also those whom the last answer woke: the more share a
        // question, the less it costs each of them.
        yield_now().await;
        let senders = {
            let mut waiting = asked.line().held();
            if waiting.senders.is_empty() {
                waiting.is_asking = false;
                return;
            }
            std::mem::take(&mut waiting.senders)
        };
        let answer = asked.read(&mut connection).await;
        for sender in senders {
            sender.send(answer.clone()).ok();
        }
    }
}
