//! The content of a daily email: what its parts would say as mails of their own.

use crate::notifications::{Delivery, MailContent, MailKind, Notification, digest, digest_content};
use crate::settings::Settings;
use crate::{App, Error, Result, newsletters, updates, videos};

/// Writes the mail with the parts that are still wanted. Returns `None` if there are none, or if
/// the address is no longer the family's.
pub(super) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<MailContent>> {
    let (id, email) = (notification.id, &delivery.email);
    if !digest::is_of_family(app, delivery).await? {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for part in digest::parts(app, id, email).await? {
        match write(app, settings, &part).await? {
            Some(content) => parts.push(content),
            None => digest::withdraw(app, id, email, part.id).await?,
        }
    }
    Ok(digest_content(app, settings, parts))
}

async fn write(
    app: &App,
    settings: &Settings,
    part: &Notification,
) -> Result<Option<(MailKind, MailContent)>> {
    let kind = MailKind::read(&part.kind);
    let content = match kind {
        Some(MailKind::Video) => videos::announce::mail_content(app, settings, part).await?,
        Some(MailKind::Update) => updates::announce::mail_content(app, part).await?,
        Some(MailKind::Newsletter) => newsletters::mail_content(app, part).await?,
        // A later version collected it, and may still send it.
        _ => return Err(Error::unforeseen(format!("no part of a daily email: {}", part.kind))),
    };
    Ok(kind.zip(content))
}
