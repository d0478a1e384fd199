//! Records the results of mails in groups: one statement for all that were sent while the last
//! one was written.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::feed::Recorded;
use super::{LIFETIME, persist};
use crate::db::{Kept, On, Sql, Texts, Tx};
use crate::email_address::EmailAddress;
use crate::mail::SendError;
use crate::notifications::lease::Lease;
use crate::notifications::{Delivery, Notification, digest, sent};
use crate::{App, Error, Result, bounces};

/// So often, mails that were noted as sent are marked. That waits until they are on the disk: what was noted since
/// then would be lost in a power failure, and these mails sent again.
const MARK_EVERY: Duration = Duration::from_millis(250);
/// On SQLite so many are marked at once, without waiting for the disk: it has one connection that writes, and the
/// senders wait for it.
const AT_ONCE: usize = 128;
/// The connection of the results is kept for so long, since others wait for it on SQLite,
const KEEP: Duration = Duration::from_millis(10);
/// and no longer than this if nothing is to be stored.
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

/// Takes the results of one sender.
#[derive(Clone)]
pub(super) struct Results(mpsc::UnboundedSender<Waiting>);

/// A result, and the sender that waits until it is stored.
type Waiting = (Finished, oneshot::Sender<()>);

impl Results {
    /// Returns when the result is stored.
    pub async fn record(&self, finished: Finished) -> Result<()> {
        let (saved, is_saved) = oneshot::channel();
        let lost = || Error::unforeseen("the result of a mail could not be saved");
        self.0.send((finished, saved)).map_err(|_| lost())?;
        is_saved.await.map_err(|_| lost())
    }
}

/// Stores the results of a notification: all at once that came while the last ones were stored.
pub(super) struct Ledger {
    app: App,
    lease: Lease,
    /// Then the results of its parts are stored with each, in one transaction.
    is_digest: bool,
    waiting: mpsc::UnboundedReceiver<Waiting>,
    kept: Option<(Kept, Instant)>,
    /// Mails that were noted as sent, and are not marked yet.
    noted: Vec<EmailAddress>,
    /// Of the last group that was noted.
    number: i64,
    /// When marking began last, which waits for the disk.
    marked: Option<Instant>,
    marking: Option<JoinHandle<Result<()>>>,
    recorded: Recorded,
}

impl Ledger {
    pub fn of(
        app: &App,
        notification: &Notification,
        lease: Lease,
        recorded: Recorded,
    ) -> (Results, Ledger) {
        let (results, waiting) = mpsc::unbounded_channel();
        let ledger = Ledger {
            app: app.clone(),
            lease,
            is_digest: notification.is_digest(),
            waiting,
            kept: None,
            noted: Vec::new(),
            number: 0,
            marked: None,
            marking: None,
            recorded,
        };
        (Results(results), ledger)
    }

    /// Ends when no sender is left.
    pub async fn run(mut self) -> Result<()> {
        loop {
            let mut group = Vec::new();
            let patience = self.patience();
            let next = self.waiting.recv_many(&mut group, usize::MAX);
            let count = match patience {
                None => next.await,
                Some(patience) => match timeout(patience, next).await {
                    Ok(count) => count,
                    Err(_) => {
                        self.give_back().await;
                        self.mark_if_due().await?;
                        continue;
                    }
                },
            };
            if count == 0 {
                return self.close().await;
            }
            let (group, waiting): (Vec<Finished>, Vec<_>) = group.into_iter().unzip();
            self.save(group).await?;
            for saved in waiting {
                saved.send(()).ok();
            }
            self.mark_if_due().await?;
            if self.noted.len() >= AT_ONCE {
                self.mark_some().await;
            }
        }
    }

    /// How long it waits for the next result before it does something else.
    fn patience(&self) -> Option<Duration> {
        match self.kept {
            Some(_) => Some(PAUSE),
            None => (!self.noted.is_empty()).then_some(MARK_EVERY),
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
        // First and apart, so that no trouble with the others lets these be sent again.
        if !sent.is_empty() {
            metrics::counter!("camp_mails_total", "status" => "sent").increment(sent.len() as u64);
            self.save_sent(sent).await?;
        }
        if !others.is_empty() {
            self.give_back().await;
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
                Err(error) => tracing::warn!(%error, "mails that were sent are saved once more"),
            }
        }
        self.give_back().await;
        let (app, id, is_digest) = (&self.app, self.lease.notification_id, self.is_digest);
        persist(app, "mails that were sent could not be saved", || {
            Box::pin(store_sent(app, id, is_digest, &sent))
        })
        .await?;
        record(&self.recorded, sent);
        self.marked = Some(Instant::now());
        Ok(())
    }

    /// Notes mails on the connection that is kept. It is closed if that fails.
    async fn note(&mut self, sent: &[EmailAddress]) -> Result<()> {
        let (mut kept, since) = match self.kept.take() {
            Some(kept) => kept,
            None => (self.app.db.keep().await?, Instant::now()),
        };
        self.number += 1;
        sent::note(&mut kept, self.lease, self.number, sent, self.app.clock.now()).await?;
        self.kept = Some((kept, since));
        if since.elapsed() > KEEP {
            self.give_back().await;
        }
        Ok(())
    }

    async fn give_back(&mut self) {
        if let Some((kept, _)) = self.kept.take()
            && let Err(error) = kept.give_back().await
        {
            tracing::warn!(%error, "a database connection is closed");
        }
    }

    /// Marks what was noted on the connection that is kept, on SQLite. If that fails, it is marked later.
    async fn mark_some(&mut self) {
        let Some((mut kept, since)) =
            self.kept.take_if(|(kept, _)| matches!(kept, Kept::Sqlite(_)))
        else {
            return;
        };
        let now = self.app.clock.now();
        let marked =
            sent::mark_groups((&mut kept).into(), self.lease, self.number, &self.noted, now);
        match marked.await {
            Ok(()) => {
                record(&self.recorded, std::mem::take(&mut self.noted));
                self.kept = Some((kept, since));
            }
            Err(error) => tracing::warn!(%error, "mails that were sent are marked once more"),
        }
    }

    /// Marks what was noted and waits for the disk, while other mails go out.
    async fn mark_if_due(&mut self) -> Result<()> {
        let is_due = self.marked.is_none_or(|at| at.elapsed() > MARK_EVERY);
        let is_busy = self.marking.as_ref().is_some_and(|marking| !marking.is_finished());
        if self.noted.is_empty() || !is_due || is_busy {
            return Ok(());
        }
        self.end_marking().await?;
        // SQLite has one connection that writes.
        self.give_back().await;
        let (app, id, recorded) =
            (self.app.clone(), self.lease.notification_id, self.recorded.clone());
        let noted = std::mem::take(&mut self.noted);
        self.marked = Some(Instant::now());
        self.marking = Some(tokio::spawn(async move {
            mark_noted(&app, id).await?;
            record(&recorded, noted);
            Ok(())
        }));
        Ok(())
    }

    async fn end_marking(&mut self) -> Result<()> {
        match self.marking.take() {
            Some(marking) => marking.await.map_err(Error::unforeseen).flatten(),
            None => Ok(()),
        }
    }

    async fn close(mut self) -> Result<()> {
        self.give_back().await;
        self.end_marking().await?;
        match self.noted.is_empty() {
            true => Ok(()),
            false => mark_noted(&self.app, self.lease.notification_id).await,
        }
    }
}

fn record(recorded: &Recorded, emails: impl IntoIterator<Item = EmailAddress>) {
    recorded.lock().expect("no panic inside").extend(emails);
}

async fn mark_noted(app: &App, notification_id: Uuid) -> Result<()> {
    persist(app, "mails that were sent could not be marked", || {
        Box::pin(async move {
            let mut tx = app.db.begin().await?;
            sent::mark_noted(&mut tx, notification_id).await?;
            tx.commit().await
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

async fn store_others(
    app: &App,
    lease: Lease,
    is_digest: bool,
    others: &[(Finished, Change)],
) -> Result<()> {
    let id = lease.notification_id;
    let mut tx = app.db.begin().await?;
    for (finished, change) in others {
        let is_stored = store(&mut tx, app, lease, finished, change).await?;
        let email = &finished.delivery.email;
        // Before the address is refused, which withdraws what still waits for it.
        if is_digest {
            digest::record(&mut tx, id, std::slice::from_ref(email), app.clock.now()).await?;
        }
        // Nothing is recorded for people who were deleted in the meantime.
        if is_stored
            && let Outcome::NotSent(SendError::Refused { text, address: true }) = &finished.outcome
        {
            bounces::refuse(&mut tx, app, email, text).await?;
        }
    }
    tx.commit().await
}

/// What becomes of a mail that was not sent.
struct Change {
    status: &'static str,
    attempts: i64,
    due_at: DateTime<Utc>,
    error: String,
    /// All mail for its domain waits as well.
    is_domain_busy: bool,
}

async fn change(app: &App, finished: &Finished) -> Change {
    let Finished { delivery, outcome } = finished;
    let now = app.clock.now();
    let ended = |status, error| {
        let attempts = delivery.attempts;
        Change { status, attempts, due_at: now, error, is_domain_busy: false }
    };
    let error = match outcome {
        Outcome::NotSent(error) => error,
        Outcome::Withdrawn | Outcome::Sent => return ended("suppressed", "withdrawn".to_owned()),
    };
    let text: String = error.to_string().chars().take(500).collect();
    let tried_for = tried_for(app, delivery).await;
    if matches!(error, SendError::Refused { .. }) || tried_for > LIFETIME {
        return ended("failed", text);
    }
    let (attempts, wait) = match error {
        SendError::Later(_) | SendError::Refused { .. } => {
            (delivery.attempts, wait(delivery.attempts, tried_for))
        }
        SendError::InDoubt(_) => (delivery.attempts, wait_in_doubt(delivery.attempts)),
        // Neither says anything about this mail, so its wait does not grow.
        SendError::Unreachable(_) => (delivery.attempts - 1, TimeDelta::seconds(30)),
        SendError::DomainBusy(_) => {
            let rest = app.mailer.domains.rest(delivery.email.domain());
            (delivery.attempts - 1, TimeDelta::from_std(rest).unwrap_or_default())
        }
    };
    let is_domain_busy = matches!(error, SendError::DomainBusy(_));
    Change { status: "queued", attempts, due_at: now + wait, error: text, is_domain_busy }
}

/// Returns whether the mail was still there, and nobody else has taken over.
async fn store(
    tx: &mut Tx,
    app: &App,
    lease: Lease,
    finished: &Finished,
    change: &Change,
) -> Result<bool> {
    let email = &finished.delivery.email;
    let stored = tx
        .sql(
            "update deliveries
             set status = $3, attempts = $4, due_at = $5, last_error = $6, updated_at = $7
             where notification_id = $1 and email = $2 and status = 'queued'
               and exists (select 1 from delivery_leases l
                           where l.notification_id = $1 and l.lease = $8)",
        )
        .bind(lease.notification_id)
        .bind(email)
        .bind(change.status)
        .bind(change.attempts)
        .bind(change.due_at)
        .bind(&change.error)
        .bind(app.clock.now())
        .bind(lease.id)
        .execute()
        .await?;
    if change.is_domain_busy {
        postpone_domain(tx, email.domain(), change.due_at).await?;
    }
    Ok(stored > 0)
}

/// Lets all mail for a domain wait.
async fn postpone_domain(tx: &mut Tx, domain: &str, until: DateTime<Utc>) -> Result<()> {
    let texts = Texts {
        sqlite: Sql::from(
            "update deliveries set due_at = $2
             where status = 'queued' and collected = false and due_at < $2
               and substr(email, instr(email, '@') + 1) = $1",
        ),
        postgres: Sql::from(
            "update deliveries set due_at = $2
             where status = 'queued' and collected = false and due_at < $2
               and split_part(email, '@', 2) = $1",
        ),
    };
    On::from(tx).either(texts).bind(domain).bind(until).execute().await?;
    Ok(())
}

/// How long a mail could have been sent. Quiet time does not count: the mail may have waited for its end.
async fn tried_for(app: &App, delivery: &Delivery) -> TimeDelta {
    let now = app.clock.now();
    let all = now - delivery.created_at;
    if all < LIFETIME {
        return all;
    }
    match app.settings().await {
        Ok(settings) => all - settings.quiet_between(delivery.created_at, now),
        // The result of the mail must be recorded all the same.
        Err(_) => LIFETIME,
    }
}

/// The delay after the n-th temporary failure: 30 seconds, doubling, at most 5 minutes in the first 40
/// minutes, and later an eighth of the time that the mail was tried so far. A mailbox that is full for a
/// day is left alone for hours, and a mail server that was in trouble for an hour gets all mail
/// within 10 minutes.
fn wait(attempts: i64, tried_for: TimeDelta) -> TimeDelta {
    let doubled = TimeDelta::seconds(30i64 << attempts.clamp(1, 16).saturating_sub(1));
    doubled.min((tried_for / 8).clamp(TimeDelta::minutes(5), TimeDelta::days(1)))
}

/// The delay after a server kept a mail without an answer for the n-th time: it doubles, since each time
/// may be another copy for the recipient.
fn wait_in_doubt(attempts: i64) -> TimeDelta {
    TimeDelta::minutes(1i64 << attempts.clamp(1, 11).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_that_a_server_may_have_is_sent_again_a_dozen_times_at_most() {
        let mut age = TimeDelta::zero();
        let again = (1..).take_while(|attempts| {
            age += wait_in_doubt(*attempts);
            age < LIFETIME
        });
        assert!((10..=12).contains(&again.count()));
    }

    #[test]
    fn a_mail_is_tried_again_soon_at_first_and_a_few_times_a_day_later() {
        let waits = |attempts, minutes| wait(attempts, TimeDelta::minutes(minutes)).num_seconds();
        assert_eq!([waits(1, 0), waits(2, 1), waits(3, 2), waits(9, 30)], [30, 60, 120, 300]);
        assert_eq!(waits(20, 60), 450);
        assert_eq!(waits(40, 47 * 60), 47 * 3600 / 8);
        assert_eq!(waits(1, 47 * 60), 30);
        assert_eq!(waits(i64::MAX, 60 * 24 * 60), 24 * 3600);
    }
}
