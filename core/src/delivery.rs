//! Sends the mails of one notification: claims a mail, writes it, sends it, records the result.
//!
//! Each sender processes at most one mail at a time. If a worker is killed, at most as many mails
//! are in doubt as it had connections open. They are sent again with the same Message-ID once the
//! worker's heartbeat has been missing for a while ([`crate::notifications::recover`]).

use chrono::{DateTime, TimeDelta, Utc};
use lettre::message::Mailbox;
use uuid::Uuid;

use crate::db::Tx;
use crate::jobs::{self, Job};
use crate::mail::{Mail, SendError};
use crate::notifications::{Deliver, Delivery, MailContent, MailKind, Notification, suppression};
use crate::settings::Settings;
use crate::unsubscribe;
use crate::{
    App, Error, Result, accounts, alerts, messages, newsletters, payments, subscribers, updates,
    videos,
};

/// A claim expires after this time, in case its worker is alive but stuck.
const LEASE: TimeDelta = TimeDelta::minutes(5);
/// Mails that were made so long before quiet time, and could not be sent before it, come first after it.
const LATE: TimeDelta = TimeDelta::hours(24);
/// A mail that could not be sent for this long has failed.
const LIFETIME: TimeDelta = TimeDelta::hours(48);

impl Job for Deliver {
    const NAME: &'static str = "deliver";

    async fn run(self, app: &App) -> Result<()> {
        let Some(notification) = find(app, self.notification_id).await? else { return Ok(()) };
        match wait_of(app, &notification).await? {
            Wait::None => {}
            Wait::QuietUntil(end) => {
                let mut tx = app.db.begin().await?;
                jobs::enqueue_at(&mut tx, app, &self, Some(end)).await?;
                return tx.commit().await;
            }
            // Recovery wakes it after the earlier ones.
            Wait::Turn => return Ok(()),
        }
        let senders = (0..app.mailer.connections).map(|_| send_all(app, &notification));
        futures_util::future::try_join_all(senders).await?;
        // Quiet time may have begun while the mails went out.
        let wait = wait_of(app, &notification).await?;
        // Waiting mails are tried again at a known time.
        let mut tx = app.db.begin().await?;
        let next: Option<DateTime<Utc>> = tx
            .sql("select min(due_at) from deliveries where notification_id = $1 and status = 'queued'")
            .bind(notification.id)
            .scalar()
            .await?;
        if let Some(due) = next {
            let rest = app.mailer.backing_off().unwrap_or_default();
            let rested = app.clock.now() + TimeDelta::from_std(rest).unwrap_or_default();
            let at = due.max(rested) + TimeDelta::seconds(1);
            let at = match wait {
                Wait::QuietUntil(end) => at.max(end),
                Wait::None | Wait::Turn => at,
            };
            jobs::enqueue_at(&mut tx, app, &self, Some(at)).await?;
        } else if notification.category.is_some() {
            settle(&mut tx, notification.id).await?;
        }
        tx.commit().await
    }
}

/// Why the mails of a notification wait although they are due (decision M9).
enum Wait {
    None,
    /// For the end of quiet time.
    QuietUntil(DateTime<Utc>),
    /// For earlier notifications that waited for the end of quiet time and are still going out.
    Turn,
}

/// Decides whether a notification waits. This is asked again before each mail, and nothing of the
/// answer is stored, so mails that wait follow every change of the settings.
async fn wait_of(app: &App, notification: &Notification) -> Result<Wait> {
    if !notification.can_wait() {
        return Ok(Wait::None);
    }
    let settings = app.settings().await?;
    let now = app.clock.now();
    if let Some(end) = settings.quiet_until(now) {
        return Ok(Wait::QuietUntil(end));
    }
    let Some(window) = settings.last_quiet_window(now) else { return Ok(Wait::None) };
    let earlier: bool = app
        .db
        .sql(
            "select exists (
               select 1 from notifications n
               join deliveries d on d.notification_id = n.id
               where n.category is not null and not n.urgent
                 and n.created_at > $1 and n.created_at < $2
                 and (n.created_at, n.id) < ($3, $4)
                 and d.status in ('queued', 'sending')
                 and (d.status = 'sending' or d.due_at <= $5))",
        )
        .bind(window.starts_at - LATE)
        .bind(window.ends_at)
        .bind(notification.created_at)
        .bind(notification.id)
        .bind(now)
        .scalar()
        .await?;
    Ok(if earlier { Wait::Turn } else { Wait::None })
}

/// Records the result of the notification, unless another worker still processes one of its mails.
/// That worker records it then.
async fn settle(tx: &mut Tx, id: Uuid) -> Result<()> {
    tx.sql(
        "update notifications
         set sent = (select count(*) from deliveries d
                     where d.notification_id = $1 and d.status = 'sent'),
             failed = (select count(*) from deliveries d
                       where d.notification_id = $1 and d.status = 'failed'),
             suppressed = (select count(*) from deliveries d
                           where d.notification_id = $1 and d.status = 'suppressed')
         where id = $1
           and not exists (select 1 from deliveries d
                           where d.notification_id = $1 and d.status in ('queued', 'sending'))",
    )
    .bind(id)
    .execute()
    .await?;
    Ok(())
}

async fn find(app: &App, id: Uuid) -> Result<Option<Notification>> {
    app.db
        .sql(
            "select id, kind, subject_id, category, data, urgent, created_at
             from notifications
             where id = $1",
        )
        .bind(id)
        .optional()
        .await
}

async fn send_all(app: &App, notification: &Notification) -> Result<()> {
    loop {
        let _turn = app.mailer.acquire().await;
        if app.mailer.backing_off().is_some() || app.mailer.is_paused() {
            return Ok(());
        }
        if !matches!(wait_of(app, notification).await?, Wait::None) {
            return Ok(());
        }
        let Some(delivery) = claim(app, notification.id).await? else { return Ok(()) };
        let outcome = send_one(app, notification, &delivery).await;
        mark(app, notification, &delivery, outcome).await?;
    }
}

async fn claim(app: &App, notification_id: Uuid) -> Result<Option<Delivery>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let delivery = match &tx {
        Tx::Sqlite(_) => tx.sql(
            "update deliveries
             set status = 'sending', claimed_by = $3, attempts = attempts + 1, due_at = $4, updated_at = $2
             where notification_id = $1
               and email = (select email from deliveries
                            where notification_id = $1 and status = 'queued' and due_at <= $2
                            limit 1)
             returning email, full_name, profile_id, attempts, created_at",
        ),
        Tx::Postgres(_) => tx.sql(
            "update deliveries
             set status = 'sending', claimed_by = $3, attempts = attempts + 1, due_at = $4, updated_at = $2
             where notification_id = $1
               and email = (select email from deliveries
                            where notification_id = $1 and status = 'queued' and due_at <= $2
                            limit 1
                            for update skip locked)
             returning email, full_name, profile_id, attempts, created_at",
        ),
    }
    .bind(notification_id)
    .bind(now)
    .bind(app.process)
    .bind(now + LEASE)
    .optional()
    .await?;
    tx.commit().await?;
    Ok(delivery)
}

enum Outcome {
    Sent,
    /// The record that it was about is gone, so no mail is sent.
    Withdrawn,
    NotSent(SendError),
}

async fn send_one(app: &App, notification: &Notification, delivery: &Delivery) -> Outcome {
    // A mail that cannot be written now (database unavailable) may be written later.
    let mail = match compose(app, notification, delivery).await {
        Ok(Some(mail)) => mail,
        Ok(None) => return Outcome::Withdrawn,
        Err(error) => return Outcome::NotSent(SendError::Later(error.to_string())),
    };
    match app.mailer.send(&mail).await {
        Ok(()) => Outcome::Sent,
        Err(error) => Outcome::NotSent(error),
    }
}

async fn compose(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<Mail>> {
    let settings = app.settings().await?;
    let Some(content) = write(app, &settings, notification, delivery).await? else {
        return Ok(None);
    };
    let leave = notification
        .category
        .map(|category| unsubscribe::token(&app.keys, &delivery.email, category));
    let stable = [notification.id.as_bytes().as_slice(), delivery.email.as_bytes()];
    let id: String =
        app.keys.hash("message-id", &stable)[..16].iter().map(|b| format!("{b:02x}")).collect();
    let address = delivery.email.for_delivery().parse().map_err(Error::unforeseen)?;
    let name = (!delivery.full_name.is_empty()).then(|| delivery.full_name.clone());
    let page = leave.as_ref().map(|token| app.url(&format!("/unsubscribe?token={token}")));
    let (text, html) = content.render(app, &settings, page.as_deref())?;
    Ok(Some(Mail {
        from: app.config.mail_from(settings.camp_name()),
        to: Mailbox::new(name, address),
        reply_to: content.reply_to.or_else(|| mailbox(&settings.contact_email)),
        subject: content.subject,
        text,
        html,
        message_id: format!("<{id}@{}>", app.config.mail_domain()),
        unsubscribe_url: leave
            .map(|token| app.url(&format!("/api/unsubscribe/one-click?token={token}"))),
        date: app.clock.now(),
    }))
}

/// Writes the mail for one recipient. Returns `None` if the record that it was about is gone. Links
/// with tokens are created here, so that no token is ever stored.
async fn write(
    app: &App,
    settings: &Settings,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<MailContent>> {
    let Some(kind) = MailKind::read(&notification.kind) else {
        // A later version enqueued it, and may still send it.
        return Err(Error::unforeseen(format!("unknown kind of mail: {}", notification.kind)));
    };
    match kind {
        MailKind::Video => videos::announce::mail_content(app, settings, notification).await,
        MailKind::Update => updates::announce::mail_content(app, notification).await,
        MailKind::Newsletter => newsletters::mail_content(app, notification).await,
        MailKind::UpdateTest => updates::announce::test_content(app, notification),
        MailKind::NewsletterTest => newsletters::test_content(notification),
        MailKind::Alert => Ok(alerts::mail_content(app, settings, notification)),
        MailKind::Payment => {
            payments::receipt::mail_content(app, settings, notification, delivery).await
        }
        MailKind::Subscribe => subscribers::mail_content(app, settings, notification).await,
        MailKind::Message(kind) => messages::mail::write(app, settings, kind, notification).await,
        MailKind::Account(kind) => {
            accounts::account_mail::write(app, settings, kind, notification, delivery).await
        }
    }
}

fn mailbox(address: &str) -> Option<Mailbox> {
    address.parse().ok().map(|email| Mailbox::new(None, email))
}

/// Records the result of a mail. The mail may already have been sent, so the write is retried when
/// the database is unavailable for a moment.
async fn mark(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
    outcome: Outcome,
) -> Result<()> {
    let tried_for = tried_for(app, notification, delivery).await;
    let mut tries = 0;
    loop {
        match try_mark(app, notification.id, delivery, &outcome, tried_for).await {
            Err(error) if tries < 5 => {
                tracing::warn!(%error, "the result of a mail could not be saved; trying again");
                tries += 1;
                tokio::time::sleep(std::time::Duration::from_millis(200 << tries)).await;
            }
            done => return done,
        }
    }
}

/// How long a mail could have been sent. Quiet time does not count if the mail waited for its end.
async fn tried_for(app: &App, notification: &Notification, delivery: &Delivery) -> TimeDelta {
    let now = app.clock.now();
    let all = now - delivery.created_at;
    if !notification.can_wait() || all < LIFETIME {
        return all;
    }
    match app.settings().await {
        Ok(settings) => all - settings.quiet_between(delivery.created_at, now),
        // The result of the mail must be recorded all the same.
        Err(_) => LIFETIME,
    }
}

async fn try_mark(
    app: &App,
    id: Uuid,
    delivery: &Delivery,
    outcome: &Outcome,
    tried_for: TimeDelta,
) -> Result<()> {
    let now = app.clock.now();
    let (status, attempts, due, error) = match outcome {
        Outcome::Sent => ("sent", delivery.attempts, now, None),
        Outcome::Withdrawn => ("suppressed", delivery.attempts, now, Some("withdrawn".to_owned())),
        Outcome::NotSent(error) => {
            let text: String = error.to_string().chars().take(500).collect();
            match error {
                SendError::Refused { .. } => ("failed", delivery.attempts, now, Some(text)),
                _ if tried_for > LIFETIME => ("failed", delivery.attempts, now, Some(text)),
                // An unreachable server says nothing about this mail, so the wait does not grow.
                SendError::Unreachable(_) => {
                    let attempts = delivery.attempts - 1;
                    ("queued", attempts, now + TimeDelta::seconds(30), Some(text))
                }
                SendError::Later(_) => {
                    ("queued", delivery.attempts, now + wait(delivery.attempts), Some(text))
                }
            }
        }
    };
    metrics(status);
    let mut tx = app.db.begin().await?;
    let marked = tx
        .sql(
            "update deliveries
         set status = $3, attempts = $4, due_at = $5, last_error = $6, updated_at = $7,
             sent_at = case when $3 = 'sent' then $7 else sent_at end
         where notification_id = $1 and email = $2 and status = 'sending' and claimed_by = $8",
        )
        .bind(id)
        .bind(&delivery.email)
        .bind(status)
        .bind(attempts)
        .bind(due)
        .bind(error)
        .bind(now)
        .bind(app.process)
        .execute()
        .await?;
    // Nothing is recorded for people who were deleted in the meantime.
    if marked > 0
        && let Outcome::NotSent(SendError::Refused { text, address: true }) = outcome
    {
        suppression::refuse(&mut tx, now, &delivery.email, text).await?;
    }
    tx.commit().await
}

fn metrics(status: &'static str) {
    metrics::counter!("camp_mails_total", "status" => status).increment(1);
}

/// The delay after the n-th temporary failure: 30 seconds, doubling, at most 5 minutes.
fn wait(attempts: i64) -> TimeDelta {
    TimeDelta::seconds((30i64 << attempts.clamp(1, 5).saturating_sub(1)).min(300))
}
