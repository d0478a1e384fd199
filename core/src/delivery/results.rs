//! Records the results of mails in groups: notes all that were sent while the last ones were noted, and marks the
//! deliveries of many groups at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::feed::Recorded;
use super::not_sent::{Change, change, store_others};
use super::persist;
use crate::db::Dedicated;
use crate::email_address::EmailAddress;
use crate::mail::{BeforeText, Counted, Mailer, SendError, SendPermit};
use crate::notifications::lease::Lease;
use crate::notifications::{Delivery, Notification, digest, sent};
use crate::{App, Error, Result};

/// How often notes are secured on the disk. A power failure loses those made since then, and their mails are sent
/// again.
const SECURE_EVERY: Duration = Duration::from_millis(250);
/// How often mails that were noted as sent are marked.
const MARK_EVERY: Duration = Duration::from_secs(1);
/// How long a mail that was begun waits until the last result is stored. After that it is begun again.
const STORE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a result waits for those of other mails, since one write for many costs each of them less.
const BATCH_DELAY: Duration = Duration::from_millis(1);
/// The maximum time for which the dedicated connection of the results is held, since on SQLite
/// others wait for it.
const HOLD: Duration = Duration::from_millis(25);
/// The maximum time for which it is held while there is nothing to store.
const PAUSE: Duration = Duration::from_millis(2);

pub(super) enum Outcome {
    Sent,
    /// The record that it was about is gone, so no mail is sent.
    Withdrawn,
    NotSent(SendError),
}

pub(super) struct Finished {
    pub delivery: Delivery,
    pub outcome: Outcome,
}

/// Takes the results of one sender. It may begin the next mail while the last result is stored, but the server gets
/// the text of the next one only afterwards.
pub(super) struct Results {
    ledger: mpsc::UnboundedSender<Waiting>,
    on_the_way: OnTheWay,
    /// The mail that the server has been given.
    current: Option<Counted>,
    /// The result that is being stored.
    last: Option<oneshot::Receiver<()>>,
    permit: Option<SendPermit>,
}

/// How many mails servers have been given without saying yet whether they accept them.
type OnTheWay = Arc<AtomicUsize>;

/// A result, and the sender that waits until it is stored.
type Waiting = (Finished, oneshot::Sender<()>);

impl Results {
    fn of(ledger: mpsc::UnboundedSender<Waiting>, on_the_way: OnTheWay) -> Results {
        Results { ledger, on_the_way, current: None, last: None, permit: None }
    }

    /// For another sender of the same notification.
    pub fn another(&self) -> Results {
        Results::of(self.ledger.clone(), self.on_the_way.clone())
    }

    /// Waits for the permit to send a mail. The permit of the last mail is reused, unless it
    /// `may_pass` to somebody else who waits for one. Returns whether there is one, as
    /// [`Mailer::permit`] does.
    ///
    /// # Errors
    ///
    /// When the last result cannot be stored.
    pub async fn permit(&mut self, mailer: &Mailer, may_pass: bool) -> Result<bool> {
        // Held until the result is stored, so that no more mails than connections are in doubt.
        let kept = self.permit.take_if(|_| !(may_pass && mailer.is_wanted()));
        if kept.is_none() {
            self.finish().await?;
        }
        self.permit = mailer.permit(kept).await;
        Ok(self.permit.is_some())
    }

    /// Begins to store the result of a mail.
    ///
    /// # Errors
    ///
    /// When results are no longer stored.
    pub fn add(&mut self, finished: Finished) -> Result<()> {
        let (saved, is_saved) = oneshot::channel();
        self.ledger.send((finished, saved)).map_err(|_| lost())?;
        (self.current, self.last) = (None, Some(is_saved));
        Ok(())
    }

    /// Waits until the last result is stored, and lets others have the permit.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub async fn finish(&mut self) -> Result<()> {
        self.stored().await?;
        self.permit = None;
        Ok(())
    }

    async fn stored(&mut self) -> Result<()> {
        if let Some(last) = &mut self.last {
            let stored = last.await;
            self.last = None;
            stored.map_err(|_| lost())?;
        }
        match self.ledger.is_closed() {
            true => Err(lost()),
            false => Ok(()),
        }
    }
}

impl BeforeText for Results {
    async fn may_go(&mut self) -> bool {
        let is_stored = matches!(timeout(STORE_TIMEOUT, self.stored()).await, Ok(Ok(())));
        self.current = is_stored.then(|| Counted::of(&self.on_the_way));
        is_stored
    }
}

fn lost() -> Error {
    Error::unforeseen("the result of a mail could not be saved")
}

/// Stores the results of a notification. Those that came while the last ones were stored are stored
/// at once.
pub(super) struct Ledger {
    app: App,
    lease: Lease,
    /// Whether it is a digest. If so, the results of its parts are stored with each result, in one
    /// transaction.
    is_digest: bool,
    waiting: mpsc::UnboundedReceiver<Waiting>,
    on_the_way: OnTheWay,
    connection: Option<(Dedicated, Instant)>,
    /// Mails that were noted as sent, and are not marked yet.
    noted: Vec<EmailAddress>,
    /// The number of groups that were noted.
    groups: i64,
    /// Something was noted that a power failure would undo.
    is_unsecured: bool,
    /// When securing last began.
    secured: Option<Instant>,
    /// When marking last began, which also secures what was noted.
    marked: Option<Instant>,
    securing: Option<JoinHandle<Result<()>>>,
    recorded: Recorded,
}

impl Ledger {
    pub fn of(
        app: &App,
        notification: &Notification,
        lease: Lease,
        recorded: Recorded,
    ) -> (Results, Ledger) {
        let (ledger, waiting) = mpsc::unbounded_channel();
        let on_the_way = OnTheWay::default();
        let results = Results::of(ledger, on_the_way.clone());
        let ledger = Ledger {
            app: app.clone(),
            lease,
            is_digest: notification.is_digest(),
            waiting,
            on_the_way,
            connection: None,
            noted: Vec::new(),
            groups: 0,
            is_unsecured: false,
            secured: None,
            marked: None,
            securing: None,
            recorded,
        };
        (results, ledger)
    }

    /// Ends when no sender is left.
    pub async fn run(mut self) -> Result<()> {
        loop {
            let mut group = Vec::new();
            let wait = self.next_wait();
            let next = self.waiting.recv_many(&mut group, usize::MAX);
            let count = match wait {
                None => next.await,
                Some(wait) => match timeout(wait, next).await {
                    Ok(count) => count,
                    Err(_) => {
                        self.release().await;
                        self.secure_if_due().await?;
                        continue;
                    }
                },
            };
            if count == 0 {
                return self.close().await;
            }
            self.gather(&mut group).await;
            let (group, waiting): (Vec<Finished>, Vec<_>) = group.into_iter().unzip();
            self.save(group).await?;
            for saved in waiting {
                saved.send(()).ok();
            }
            self.secure_if_due().await?;
        }
    }

    /// Adds what comes within a moment, until as many results are there as mails are still being sent.
    async fn gather(&mut self, group: &mut Vec<Waiting>) {
        let begun = Instant::now();
        while group.len() < self.on_the_way.load(Ordering::Relaxed)
            && let Some(left) = BATCH_DELAY.checked_sub(begun.elapsed())
        {
            let more = self.waiting.recv_many(group, usize::MAX);
            if timeout(left, more).await.is_err() {
                return;
            }
        }
    }

    /// How long it waits for the next result before it does something else.
    fn next_wait(&self) -> Option<Duration> {
        match self.connection {
            Some(_) => Some(PAUSE),
            None => (!self.noted.is_empty()).then_some(SECURE_EVERY),
        }
    }

    async fn save(&mut self, group: Vec<Finished>) -> Result<()> {
        let mut sent: Vec<EmailAddress> = Vec::new();
        let mut others: Vec<(Finished, Change)> = Vec::new();
        for finished in group {
            match finished.outcome {
                Outcome::Sent => sent.push(finished.delivery.email),
                _ => {
                    let change = change(&self.app, &finished).await;
                    others.push((finished, change));
                }
            }
        }
        // Saved first and separately, so that no problem with the others causes these mails to be
        // sent again.
        if !sent.is_empty() {
            metrics::counter!("camp_mails_total", "status" => "sent").increment(sent.len() as u64);
            self.save_sent(sent).await?;
        }
        if !others.is_empty() {
            self.release().await;
            let (app, lease, is_digest) = (&self.app, self.lease, self.is_digest);
            persist(app, "the results of mails could not be saved", || {
                Box::pin(store_others(app, lease, is_digest, &others))
            })
            .await?;
        }
        for (finished, change) in others {
            metrics::counter!("camp_mails_total", "status" => change.status).increment(1);
            record(&self.recorded, [finished.delivery.email]);
        }
        Ok(())
    }

    async fn save_sent(&mut self, sent: Vec<EmailAddress>) -> Result<()> {
        // One mail alone is marked at once.
        if self.marked.is_some() && !self.is_digest {
            match self.note(&sent).await {
                Ok(()) => {
                    self.noted.extend(sent);
                    return Ok(());
                }
                Err(error) => tracing::warn!(
                    error = error.reason(),
                    "mails that were sent are saved once more"
                ),
            }
        }
        self.release().await;
        let (app, id, is_digest) = (&self.app, self.lease.notification_id, self.is_digest);
        persist(app, "mails that were sent could not be saved", || {
            Box::pin(store_sent(app, id, is_digest, &sent))
        })
        .await?;
        record(&self.recorded, sent);
        self.marked = Some(Instant::now());
        self.secured = self.marked;
        Ok(())
    }

    /// Notes mails on the dedicated connection. It is closed if that fails.
    async fn note(&mut self, sent: &[EmailAddress]) -> Result<()> {
        let (mut connection, since) = match self.connection.take() {
            Some(taken) => taken,
            None => (self.app.db.dedicated().await?, Instant::now()),
        };
        let number = self.groups;
        // The number is not used again if this fails, because the note may have been stored.
        self.groups += 1;
        sent::note(&mut connection, self.lease, number, sent, self.app.clock.now()).await?;
        self.is_unsecured = true;
        self.connection = Some((connection, since));
        if since.elapsed() > HOLD {
            self.release().await;
        }
        Ok(())
    }

    async fn release(&mut self) {
        if let Some((connection, _)) = self.connection.take()
            && let Err(error) = connection.release().await
        {
            tracing::warn!(error = error.reason(), "a database connection is closed");
        }
    }

    /// Secures what was noted, and marks it from time to time, while other mails go out.
    async fn secure_if_due(&mut self) -> Result<()> {
        let is_due = |at: Option<Instant>, every| at.is_none_or(|at| at.elapsed() > every);
        let must_mark = !self.noted.is_empty() && is_due(self.marked, MARK_EVERY);
        let must_secure = self.is_unsecured && is_due(self.secured, SECURE_EVERY);
        let is_busy = self.securing.as_ref().is_some_and(|securing| !securing.is_finished());
        if is_busy || !(must_mark || must_secure) {
            return Ok(());
        }
        self.end_securing().await?;
        // SQLite has one connection that writes.
        self.release().await;
        let (app, lease, recorded) = (self.app.clone(), self.lease, self.recorded.clone());
        let now = Some(Instant::now());
        (self.is_unsecured, self.secured) = (false, now);
        self.securing = Some(if must_mark {
            self.marked = now;
            let noted = std::mem::take(&mut self.noted);
            tokio::spawn(async move {
                mark_noted(&app, lease.notification_id).await?;
                record(&recorded, noted);
                Ok(())
            })
        } else {
            tokio::spawn(async move { secure(&app, lease).await })
        });
        Ok(())
    }

    async fn end_securing(&mut self) -> Result<()> {
        match self.securing.take() {
            Some(securing) => securing.await.map_err(Error::unforeseen).flatten(),
            None => Ok(()),
        }
    }

    async fn close(mut self) -> Result<()> {
        self.release().await;
        self.end_securing().await?;
        match self.noted.is_empty() {
            true => Ok(()),
            false => mark_noted(&self.app, self.lease.notification_id).await,
        }
    }
}

fn record(recorded: &Recorded, emails: impl IntoIterator<Item = EmailAddress>) {
    recorded.lock().expect("no panic inside").extend(emails);
}

/// A commit that waits for the disk also secures those before it.
async fn secure(app: &App, lease: Lease) -> Result<()> {
    persist(app, "mails that were noted as sent could not be secured", || {
        Box::pin(async move {
            let mut tx = app.db.begin().await?;
            lease.renew(&mut tx, app).await?;
            tx.commit().await
        })
    })
    .await
}

/// Marks the noted mails in parts, so that others can write in between.
async fn mark_noted(app: &App, notification_id: Uuid) -> Result<()> {
    persist(app, "mails that were sent could not be marked", || {
        Box::pin(async move {
            let mut are_more = true;
            while are_more {
                let mut tx = app.db.begin().await?;
                are_more = sent::mark_some_noted(&mut tx, notification_id).await?;
                tx.commit().await?;
            }
            Ok(())
        })
    })
    .await
}

async fn store_sent(
    app: &App,
    notification_id: Uuid,
    is_digest: bool,
    sent: &[EmailAddress],
) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    sent::mark(&mut tx, notification_id, sent, now).await?;
    if is_digest {
        digest::record(&mut tx, notification_id, sent, now).await?;
    }
    tx.commit().await
}
