//! Turns the content of a mail into the mail to a recipient: headers, text, HTML and footer.

use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use lettre::message::Mailbox;
use uuid::Uuid;

use crate::bidi::isolated;
use crate::email_address::EmailAddress;
use crate::mail::{Encoded, Mail, Message, Personal, Shared, Template};
use crate::notifications::{Footer, MailContent, MailKind, MailList, header_text, reason};
use crate::settings::Settings;
use crate::{App, Error, Result, bounces};

/// What the recipients of a mail have in common, and why they get it.
#[derive(Clone, Copy)]
pub(crate) struct Circumstances {
    pub kind: MailKind,
    /// The list that it belongs to; none for transactional mail.
    pub list: Option<MailList>,
    /// Whether their addresses belong to families, which have mail preferences.
    pub in_family: bool,
}

/// The recipient of a mail.
#[derive(Clone, Copy)]
pub(crate) struct Recipient<'a> {
    /// The notification. With the address it makes the Message-ID, which stays the same when the mail
    /// is sent again.
    pub notification_id: Uuid,
    pub email: &'a EmailAddress,
    pub full_name: &'a str,
    /// The token of the links that unsubscribe this address from the list.
    pub token: Option<&'a str>,
}

/// A mail in which only the recipient is missing.
pub(crate) struct Draft {
    from: Mailbox,
    reply_to: Option<Mailbox>,
    subject: String,
    /// Its token is that of the link for unsubscribing.
    text: Template,
    html: Template,
    list_id: Option<String>,
    date: DateTime<Utc>,
    /// The part that all mails have in common, once it has been written. The inner `None` means
    /// that each mail must be written as a whole.
    shared: OnceLock<Option<Shared>>,
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
        circumstances: Circumstances,
    ) -> Result<Draft> {
        let Circumstances { kind, list, in_family } = circumstances;
        let mark = Uuid::new_v4().simple().to_string();
        let footer = Footer {
            reason: reason(kind, in_family, &isolated(settings.camp_name())),
            unsubscribe: list.map(|_| app.url(&format!("/unsubscribe?token={mark}"))),
            preferences: (list.is_some() && in_family).then(|| app.url("/profile")),
        };
        let (text, html) = content.render(app, settings, &footer)?;
        let domain = app.config.mail_domain();
        Ok(Draft {
            from: app.config.mail_from(&header_text(settings.camp_name())),
            reply_to: content.reply_to.map(one_line).or_else(|| mailbox(&settings.contact_email)),
            subject: header_text(&content.subject),
            text: Template::new(&text, &mark),
            html: Template::new(&html, &mark),
            list_id: list.map(|list| format!("<{}.{domain}>", list_name(list))),
            date: app.clock.now(),
            shared: OnceLock::new(),
        })
    }

    /// Addresses the mail to a recipient.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] for an address that mail cannot be sent to.
    pub(crate) fn to(&self, app: &App, recipient: Recipient<'_>) -> Result<Mail> {
        let Personal { to, envelope_sender, message_id, provider_header, unsubscribe_url } =
            personal(app, recipient)?;
        let filled = recipient.token.unwrap_or_default();
        Ok(Mail {
            from: self.from.clone(),
            to,
            reply_to: self.reply_to.clone(),
            subject: self.subject.clone(),
            text: self.text.fill(filled),
            html: self.html.fill(filled),
            encoded: Encoded::fill(&self.text, &self.html, filled),
            message_id,
            envelope_sender,
            provider_header,
            list_id: self.list_id.clone(),
            unsubscribe_url,
            date: self.date,
        })
    }

    /// Writes the mail to a recipient as it is sent to a server.
    ///
    /// # Errors
    ///
    /// As for [`Draft::to`], and for a mail that cannot be written.
    pub(crate) fn message(&self, app: &App, recipient: Recipient<'_>) -> Result<Message> {
        let filled = recipient.token.unwrap_or_default();
        let shared = match self.shared.get() {
            Some(shared) => shared,
            None => {
                let shared = Shared::of(&self.to(app, recipient)?, filled)?;
                self.shared.get_or_init(|| shared)
            }
        };
        let message = match shared {
            Some(shared) => {
                let personal = personal(app, recipient)?;
                app.mailer.prepare_shared(shared, personal, filled, self.date)
            }
            None => app.mailer.prepare(&self.to(app, recipient)?),
        };
        message.map_err(Error::unforeseen)
    }
}

fn personal(app: &App, recipient: Recipient<'_>) -> Result<Personal> {
    let Recipient { notification_id, email, full_name, token } = recipient;
    let (keys, config) = (&app.keys, &app.config);
    let message_id = bounces::token::message_id(keys, notification_id, email);
    let address = email.for_delivery().parse().map_err(Error::unforeseen)?;
    let name = header_text(full_name);
    Ok(Personal {
        to: Mailbox::new((!name.is_empty()).then_some(name), address),
        message_id: format!("<{message_id}@{}>", config.mail_domain()),
        envelope_sender: bounces::token::envelope_sender(config, keys, notification_id, email),
        provider_header: bounces::providers::header(config, keys, notification_id, email),
        unsubscribe_url: token
            .map(|token| app.url(&format!("/api/unsubscribe/one-click?token={token}"))),
    })
}

fn mailbox(address: &str) -> Option<Mailbox> {
    address.parse().ok().map(|email| Mailbox::new(None, email))
}

fn one_line(mailbox: Mailbox) -> Mailbox {
    Mailbox::new(mailbox.name.map(|name| header_text(&name)), mailbox.email)
}

/// The name of a list in the header `List-Id`, by which mail programs sort mail. It never changes.
fn list_name(list: MailList) -> &'static str {
    match list {
        MailList::DailyVideos => "daily-videos",
        MailList::CampUpdates => "camp-updates",
        MailList::General => "newsletters",
        MailList::Digest => "daily-digest",
    }
}
