//! Writes mails. What is the same for all recipients of a notification is written once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::digest;
use crate::compose::{Circumstances, Draft, Recipient};
use crate::mail::{Mail, Message};
use crate::notifications::{Delivery, MailContent, MailKind, Notification};
use crate::settings::Settings;
use crate::{
    App, Error, Result, accounts, alerts, mail_samples, messages, newsletters, payments,
    subscribers, unsubscribe, updates, videos,
};

/// How long a draft is used. Then the record that it is about is read again: it may have been
/// changed or withdrawn.
const FRESH: Duration = Duration::from_secs(1);

/// A mail to one recipient.
pub(super) enum Outgoing {
    /// As it is sent to a server.
    Message(Message),
    Mail(Box<Mail>),
}

/// The drafts of one notification.
#[derive(Default)]
pub(super) struct Drafts {
    to_families: Shared,
    to_others: Shared,
}

type Shared = Mutex<Option<(Instant, Arc<Draft>)>>;

impl Drafts {
    /// Writes the mail for one recipient. Returns `None` if the record that it was about is gone.
    pub async fn mail(
        &self,
        app: &App,
        notification: &Notification,
        delivery: &Delivery,
    ) -> Result<Option<Outgoing>> {
        if !is_same_for_all(notification) {
            let draft = draft(app, notification, delivery).await?;
            return draft.map(|draft| address(app, &draft, notification, delivery)).transpose();
        }
        let draft = {
            let shared = match delivery.profile_id {
                Some(_) => &self.to_families,
                None => &self.to_others,
            };
            let mut shared = shared.lock().await;
            match shared.as_ref() {
                Some((at, draft)) if at.elapsed() < FRESH => Some(draft.clone()),
                _ => {
                    let draft = draft(app, notification, delivery).await?.map(Arc::new);
                    // A record that is gone may come back at any moment. Then its mails are sent
                    // after all.
                    *shared = draft.clone().map(|draft| (Instant::now(), draft));
                    draft
                }
            }
        };
        draft.map(|draft| address(app, &draft, notification, delivery)).transpose()
    }
}

/// Whether its mails differ only in the recipient and the link for unsubscribing.
fn is_same_for_all(notification: &Notification) -> bool {
    let kind = MailKind::read(&notification.kind);
    matches!(
        kind,
        Some(MailKind::Video | MailKind::LateVideo | MailKind::Update | MailKind::Newsletter)
    )
}

fn address(
    app: &App,
    draft: &Draft,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Outgoing> {
    let token =
        notification.list().map(|list| unsubscribe::token(&app.keys, &delivery.email, list));
    let recipient = Recipient {
        notification_id: notification.id,
        email: &delivery.email,
        full_name: &delivery.full_name,
        token: token.as_deref(),
    };
    Ok(match app.mailer.is_smtp() {
        true => Outgoing::Message(draft.message(app, recipient)?),
        false => Outgoing::Mail(Box::new(draft.to(app, recipient)?)),
    })
}

async fn draft(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<Draft>> {
    let settings = app.settings().await?;
    let Some(content) = write(app, &settings, notification, delivery).await? else {
        return Ok(None);
    };
    let circumstances = Circumstances {
        kind: kind_of(notification)?,
        list: notification.list(),
        in_family: delivery.profile_id.is_some(),
    };
    Draft::new(app, &settings, content, circumstances).map(Some)
}

fn kind_of(notification: &Notification) -> Result<MailKind> {
    // A later version enqueued it, and may still send it.
    MailKind::read(&notification.kind)
        .ok_or_else(|| Error::unforeseen(format!("unknown kind of mail: {}", notification.kind)))
}

/// Writes the mail for one recipient. Returns `None` if the record that it was about is gone. Links
/// with tokens are created here, so that no token is ever stored.
async fn write(
    app: &App,
    settings: &Settings,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<MailContent>> {
    match kind_of(notification)? {
        MailKind::Video => videos::announce::mail_content(app, settings, notification).await,
        MailKind::LateVideo => videos::late_mail_content(app, settings, notification).await,
        MailKind::Update => updates::announce::mail_content(app, notification).await,
        MailKind::Newsletter => newsletters::mail_content(app, notification).await,
        MailKind::Digest => digest::mail_content(app, settings, notification, delivery).await,
        MailKind::UpdateTest => updates::announce::test_content(app, notification),
        MailKind::NewsletterTest => newsletters::test_content(app, notification),
        MailKind::SampleTest => mail_samples::test_content(app, settings, notification),
        MailKind::Alert => Ok(alerts::mail_content(app, settings, notification)),
        MailKind::Payment => {
            payments::receipt::mail_content(app, settings, notification, delivery).await
        }
        MailKind::PaymentReminder => {
            payments::reminders::mail_content(app, settings, notification, delivery).await
        }
        MailKind::Subscribe => subscribers::mail_content(app, settings, notification).await,
        MailKind::Message(kind) => messages::mail::write(app, settings, kind, notification).await,
        MailKind::Account(kind) => {
            accounts::account_mail::write(app, settings, kind, notification, delivery).await
        }
    }
}
