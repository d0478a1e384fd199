//! What becomes of mails that were not sent: when they are tried again, or that they have failed.

use chrono::{DateTime, TimeDelta, Utc};

use super::LIFETIME;
use super::results::{Finished, Outcome};
use crate::db::{On, Sql, Texts, Tx};
use crate::mail::SendError;
use crate::notifications::lease::Lease;
use crate::notifications::{Delivery, digest};
use crate::{App, Result, bounces};

/// Stores what becomes of mails that were not sent.
pub(super) async fn store_others(
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
pub(super) struct Change {
    pub status: &'static str,
    attempts: i64,
    due_at: DateTime<Utc>,
    error: String,
    /// All mail for its domain waits as well.
    is_domain_busy: bool,
}

pub(super) async fn change(app: &App, finished: &Finished) -> Change {
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
            let backoff = app.mailer.domains.backoff(delivery.email.domain());
            (delivery.attempts - 1, TimeDelta::from_std(backoff).unwrap_or_default())
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
    let Finished { delivery, outcome } = finished;
    let email = &delivery.email;
    let is_in_doubt = matches!(outcome, Outcome::NotSent(SendError::InDoubt(_)));
    let stored = tx
        .sql(
            "update deliveries
             set status = $3, attempts = $4, due_at = $5, last_error = $6, updated_at = $7,
                 may_have_left = $9, first_tried_at = coalesce(first_tried_at, $7)
             where notification_id = $1 and email = $2 and status = 'queued'
               and exists (select 1 from delivery_leases l
                           where l.notification_id = $1 and l.lease = $8)
               -- a video that is public again is announced after all
               and not ($10 and exists (select 1 from notifications n
                                        join videos v on v.id = n.subject_id
                                        where n.id = $1 and n.kind = 'video'
                                          and v.status = 'published'))",
        )
        .bind(lease.notification_id)
        .bind(email)
        .bind(change.status)
        .bind(change.attempts)
        .bind(change.due_at)
        .bind(&change.error)
        .bind(app.clock.now())
        .bind(lease.id)
        .bind(delivery.may_have_left || is_in_doubt)
        .bind(matches!(outcome, Outcome::Withdrawn))
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

/// For how long a mail has been tried. Quiet time does not count: the mail may have waited for its
/// end.
async fn tried_for(app: &App, delivery: &Delivery) -> TimeDelta {
    let now = app.clock.now();
    let first = delivery.first_tried_at.unwrap_or(now);
    let all = now - first;
    if all < LIFETIME {
        return all;
    }
    match app.settings().await {
        Ok(settings) => all - settings.quiet_between(first, now),
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
