//! Mails about a message: to the camp, the acknowledgment to the sender, and the reply.

use chrono::{DateTime, Utc};
use lettre::message::Mailbox;
use serde::{Deserialize, Serialize};

use super::{Department, SenderType};
use crate::bidi::isolated;
use crate::notifications::{
    Button, MailContent, MessageMail, Notification, Quote, SampleWords, paragraphs,
};
use crate::rate_limits;
use crate::settings::Settings;
use crate::{App, Result};

const REPLY: &str = "You can simply reply to this email.";

/// Data of an acknowledgment besides the message.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Acknowledgment {
    /// Quotes the message. Only for the verified address of a signed-in sender.
    pub copy: bool,
}

#[derive(sqlx::FromRow)]
struct Original {
    name: String,
    email: String,
    child_name: Option<String>,
    subject: String,
    user_type: SenderType,
    department: Department,
    message: String,
    created_at: DateTime<Utc>,
    sender_proved: bool,
    /// The text of the reply, if the mail is about one.
    body: Option<String>,
}

/// Writes the mail. Returns `None` if the message was deleted.
pub(crate) async fn write(
    app: &App,
    settings: &Settings,
    kind: MessageMail,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let found: Option<Original> = match kind {
        MessageMail::Reply => app.db.sql(
            "select m.name, m.email, m.child_name, m.subject, m.user_type, m.department, m.message,
                    m.created_at, m.sender_proved, r.body
             from message_replies r
             join messages m on m.id = r.message_id
             where r.id = $1",
        ),
        MessageMail::Arrived | MessageMail::MoreWait | MessageMail::Received => app.db.sql(
            "select name, email, child_name, subject, user_type, department, message, created_at,
                    sender_proved, cast(null as text) as body
             from messages
             where id = $1",
        ),
    }
    .bind(notification.subject_id)
    .optional()
    .await?;
    let Some(original) = found else { return Ok(None) };
    Ok(Some(match kind {
        MessageMail::Arrived => arrived(app, &original),
        MessageMail::MoreWait => more_wait(app),
        MessageMail::Received => {
            // Old acknowledgments without data never had copies.
            let asked: Acknowledgment =
                serde_json::from_str(&notification.data).unwrap_or_default();
            received(app, settings, &original, asked.copy)
        }
        MessageMail::Reply => reply(app, settings, &original),
    }))
}

/// The mails about an invented message: for kinds with two forms, the one that quotes the sender
/// comes last.
pub(crate) fn samples(
    app: &App,
    settings: &Settings,
    kind: MessageMail,
    words: &SampleWords,
) -> Vec<MailContent> {
    let original = |sender_proved| Original {
        name: words.person.clone(),
        email: "chaya@family.example".into(),
        child_name: Some(words.child.clone()),
        subject: words.title.clone(),
        user_type: SenderType::Parent,
        department: Department::Staff,
        message: words.text.clone(),
        created_at: app.clock.now(),
        sender_proved,
        body: Some(words.text.clone()),
    };
    match kind {
        MessageMail::Arrived => vec![arrived(app, &original(true))],
        MessageMail::MoreWait => vec![more_wait(app)],
        MessageMail::Received => {
            [false, true].map(|copy| received(app, settings, &original(copy), copy)).into()
        }
        MessageMail::Reply => {
            [false, true].map(|proved| reply(app, settings, &original(proved))).into()
        }
    }
}

fn arrived(app: &App, original: &Original) -> MailContent {
    let Original { name, email, subject, .. } = original;
    let mut text = paragraphs(&original.message);
    let sender = match original.user_type {
        SenderType::Parent => "Parent",
        SenderType::Guest => "Guest",
    };
    text.insert(0, format!("{sender}: {}, {email}", isolated(name)));
    if let Some(child) = &original.child_name {
        text.insert(1, format!("Child: {}", isolated(child)));
    }
    MailContent {
        subject: format!("Message: {subject}"),
        heading: subject.clone(),
        paragraphs: text,
        button: Some(Button { label: "Open the messages", url: app.url("/admin/messages") }),
        notes: vec![
            format!("For: {}.", original.department.name()),
            "If you reply to this email, your reply goes to the sender and does not appear in the portal.".into(),
        ],
        reply_to: email.parse().ok().map(|email| Mailbox::new(Some(name.clone()), email)),
        ..MailContent::default()
    }
}

fn more_wait(app: &App) -> MailContent {
    let most = rate_limits::CONTACT_BY_MAILBOX.most;
    MailContent {
        subject: "More messages in the portal".into(),
        heading: "More messages in the portal".into(),
        paragraphs: vec![
            format!(
                "More than {most} messages came in within an hour, so we won’t email you about each one for the rest of the hour."
            ),
            "Nothing is lost: every message is in the portal.".into(),
        ],
        button: Some(Button { label: "Open the messages", url: app.url("/admin/messages") }),
        ..MailContent::default()
    }
}

/// Without a copy, the mail contains nothing that the sender typed: anybody can enter anybody's
/// address.
fn received(app: &App, settings: &Settings, original: &Original, copy: bool) -> MailContent {
    let site = settings.camp_name();
    let phone = match settings.contact_phone.is_empty() {
        true => String::new(),
        false => format!(" If it cannot wait, call {}.", settings.contact_phone),
    };
    MailContent {
        subject: format!("{site} got your message"),
        heading: "We got your message".into(),
        paragraphs: vec![format!("We’ll get back to you within 24 hours during season.{phone}")],
        button: Some(Button { label: "Read common questions", url: app.url("/faq") }),
        quote: copy.then(|| Quote {
            from: format!("On {} you wrote, about “{}”:", day(settings, original), isolated(&original.subject)),
            paragraphs: paragraphs(&original.message),
        }),
        notes: vec![match copy {
            true => "This email includes your message because you were signed in with this confirmed email.",
            false => "If you did not write to us, someone entered your email by mistake. You don’t need to do anything.",
        }.into()],
        reply_to: department(settings, original.department),
        ..MailContent::default()
    }
}

/// An unverified address gets only the staff's text, and nothing that the sender typed.
fn reply(app: &App, settings: &Settings, original: &Original) -> MailContent {
    let text = paragraphs(original.body.as_deref().unwrap_or_default());
    let reply_to = department(settings, original.department);
    let day = day(settings, original);
    if !original.sender_proved {
        return MailContent {
            subject: format!("Re: Your message to {}", settings.camp_name()),
            heading: "A reply to your message".into(),
            paragraphs: text,
            linked: true,
            button: Some(contact(app)),
            notes: vec![
                REPLY.into(),
                format!(
                    "This is a reply to a message from {day} that gave this email. We don’t quote the message because its sender was not signed in with this email."
                ),
            ],
            reply_to,
            ..MailContent::default()
        };
    }
    MailContent {
        subject: format!("Re: {}", original.subject),
        heading: original.subject.clone(),
        paragraphs: text,
        linked: true,
        button: Some(contact(app)),
        quote: Some(Quote {
            from: format!("On {day} you wrote:"),
            paragraphs: paragraphs(&original.message),
        }),
        notes: vec![REPLY.into()],
        reply_to,
        ..MailContent::default()
    }
}

fn contact(app: &App) -> Button {
    Button { label: "Write to us again", url: app.url("/contact") }
}

fn day(settings: &Settings, original: &Original) -> String {
    original.created_at.with_timezone(&settings.timezone).format("%B %-d, %Y").to_string()
}

fn department(settings: &Settings, department: Department) -> Option<Mailbox> {
    department.address(settings).parse().ok().map(|email| Mailbox::new(None, email))
}
