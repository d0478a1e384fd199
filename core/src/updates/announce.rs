//! The mail that announces an update to families.

use super::{Priority, TestUpdate};
use crate::notifications::{Button, MailContent, Notification, SampleWords, paragraphs};
use crate::{App, Error, Result};

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
    let url = app.url(&format!("/updates/{}", notification.subject_id));
    Ok(Some(content(TestUpdate { title, message, author, priority }, url)))
}

/// Writes the mail that staff send to themselves. Returns `None` if its text was erased.
pub(crate) fn test_content(app: &App, notification: &Notification) -> Result<Option<MailContent>> {
    let update: Option<TestUpdate> =
        serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    Ok(update.map(|update| content(update, app.url("/updates")).marked_as_test()))
}

/// The mail about an invented update.
pub(crate) fn sample(app: &App, priority: Priority, words: &SampleWords) -> MailContent {
    let update = TestUpdate {
        title: words.title.clone(),
        message: words.text.clone(),
        author: words.staff.clone(),
        priority,
    };
    content(update, app.url("/updates"))
}

fn content(update: TestUpdate, url: String) -> MailContent {
    let TestUpdate { title, message, author, priority } = update;
    let subject = match priority {
        Priority::High => format!("High priority: {title}"),
        _ => format!("Camp update: {title}"),
    };
    MailContent {
        subject,
        heading: title,
        paragraphs: paragraphs(&message).into_iter().chain([format!("— {author}")]).collect(),
        linked: true,
        button: Some(Button { label: "Read it on the site", url }),
        ..MailContent::default()
    }
}
