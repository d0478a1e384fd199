//! Writes mails. What is the same for all recipients of a notification is written once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lettre::message::Mailbox;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::mail::{Encoded, Mail, Template};
use crate::notifications::{Category, Delivery, MailContent, MailKind, Notification};
use crate::settings::Settings;
use crate::{
    App, Error, Result, accounts, alerts, bounces, messages, newsletters, payments, subscribers,
    unsubscribe, updates, videos,
};

/// A draft is used for so long. Then the record that it is about is read again: it may have been
/// changed or withdrawn.
const FRESH: Duration = Duration::from_secs(1);

/// A mail in which only the recipient is missing.
pub(crate) struct Draft {
    from: Mailbox,
    reply_to: Option<Mailbox>,
    subject: String,
    /// The token is that of the link for unsubscribing.
    text: Template,
    html: Template,
    category: Option<Category>,
}

impl Draft {
    /// Renders the content.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when a template cannot be rendered.
    pub(crate) fn new(
        app: &App,
        settings: &Settings,
        content: MailContent,
        category: Option<Category>,
    ) -> Result<Draft> {
        let mark = Uuid::new_v4().simple().to_string();
        let page = category.map(|_| app.url(&format!("/unsubscribe?token={mark}")));
        let (text, html) = content.render(app, settings, page.as_deref())?;
        Ok(Draft {
            from: app.config.mail_from(settings.camp_name()),
            reply_to: content.reply_to.or_else(|| mailbox(&settings.contact_email)),
            subject: content.subject,
            text: Template::new(&text, &mark),
            html: Template::new(&html, &mark),
            category,
        })
    }

    /// Addresses the mail to a recipient.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] for an address that mail cannot be sent to.
    pub(crate) fn to(
        &self,
        app: &App,
        notification: &Notification,
        delivery: &Delivery,
    ) -> Result<Mail> {
        let token =
            self.category.map(|category| unsubscribe::token(&app.keys, &delivery.email, category));
        let (keys, id, email) = (&app.keys, notification.id, &delivery.email);
        let message_id = bounces::token::message_id(keys, id, email);
        let address = delivery.email.for_delivery().parse().map_err(Error::unforeseen)?;
        let name = (!delivery.full_name.is_empty()).then(|| delivery.full_name.clone());
        let filled = token.as_deref().unwrap_or_default();
        Ok(Mail {
            from: self.from.clone(),
            to: Mailbox::new(name, address),
            reply_to: self.reply_to.clone(),
            subject: self.subject.clone(),
            text: self.text.fill(filled),
            html: self.html.fill(filled),
            encoded: Encoded::fill(&self.text, &self.html, filled),
            message_id: format!("<{message_id}@{}>", app.config.mail_domain()),
            envelope_sender: bounces::token::envelope_sender(&app.config, keys, id, email),
            provider_header: bounces::providers::header(&app.config, keys, id, email),
            unsubscribe_url: token
                .map(|token| app.url(&format!("/api/unsubscribe/one-click?token={token}"))),
            date: app.clock.now(),
        })
    }
}

/// The drafts of one notification.
#[derive(Default)]
pub(super) struct Drafts {
    /// `None` inside if the record that it was about is gone.
    shared: Mutex<Option<(Instant, Option<Arc<Draft>>)>>,
}

impl Drafts {
    /// Writes the mail for one recipient. Returns `None` if the record that it was about is gone.
    pub async fn mail(
        &self,
        app: &App,
        notification: &Notification,
        delivery: &Delivery,
    ) -> Result<Option<Mail>> {
        if !is_same_for_all(notification) {
            return compose(app, notification, delivery).await;
        }
        let draft = {
            let mut shared = self.shared.lock().await;
            match shared.as_ref() {
                Some((at, draft)) if at.elapsed() < FRESH => draft.clone(),
                _ => {
                    let draft = draft(app, notification, delivery).await?.map(Arc::new);
                    *shared = Some((Instant::now(), draft.clone()));
                    draft
                }
            }
        };
        draft.map(|draft| draft.to(app, notification, delivery)).transpose()
    }
}

/// Whether recipient and link for unsubscribing are all that differs between its mails.
fn is_same_for_all(notification: &Notification) -> bool {
    let kind = MailKind::read(&notification.kind);
    matches!(
        kind,
        Some(MailKind::Video | MailKind::LateVideo | MailKind::Update | MailKind::Newsletter)
    )
}

/// Writes the mail for one recipient. Returns `None` if the record that it was about is gone.
pub(crate) async fn compose(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<Mail>> {
    let draft = draft(app, notification, delivery).await?;
    draft.map(|draft| draft.to(app, notification, delivery)).transpose()
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
    Draft::new(app, &settings, content, notification.category).map(Some)
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
        MailKind::LateVideo => videos::late_mail_content(app, settings, notification).await,
        MailKind::Update => updates::announce::mail_content(app, notification).await,
        MailKind::Newsletter => newsletters::mail_content(app, notification).await,
        MailKind::UpdateTest => updates::announce::test_content(app, notification),
        MailKind::NewsletterTest => newsletters::test_content(notification),
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

fn mailbox(address: &str) -> Option<Mailbox> {
    address.parse().ok().map(|email| Mailbox::new(None, email))
}
