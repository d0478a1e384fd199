//! The mail that announces an update to families.

use super::Priority;
use crate::notifications::{Button, MailContent, Notification};
use crate::{App, Result};

/// Writes the mail with the update's current content. Returns `None` if it was withdrawn or has
/// expired.
pub(crate) async fn mail_content(
    app: &App,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let update: Option<(String, String, String, Priority)> = app
        .db
        .sql(
            "select title, message, author, priority
             from live_updates
             where id = $1 and is_active and (expires_at is null or expires_at > $2)",
        )
        .bind(notification.subject_id)
        .bind(app.clock.now())
        .optional()
        .await?;
    let Some((title, message, author, priority)) = update else { return Ok(None) };
    let subject = match priority {
        Priority::High => format!("High priority: {title}"),
        _ => format!("Camp update: {title}"),
    };
    Ok(Some(MailContent {
        subject,
        heading: title,
        paragraphs: message
            .split("\n\n")
            .map(|paragraph| paragraph.trim().to_owned())
            .filter(|paragraph| !paragraph.is_empty())
            .chain([format!("— {author}")])
            .collect(),
        button: Some(Button {
            label: "Read it on the site",
            url: app.url(&format!("/updates/{}", notification.subject_id)),
        }),
        ..MailContent::default()
    }))
}
