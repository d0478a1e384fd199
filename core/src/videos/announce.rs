//! The mail that announces a new video to families.

use crate::access::Access;
use crate::notifications::{Button, MailContent, Notification, Picture, paragraphs};
use crate::settings::Settings;
use crate::{App, Result};

/// Writes the mail with the video's current content. Returns `None` if the video was deleted or
/// unpublished.
pub(crate) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let video: Option<(String, Option<String>, Option<String>)> = app
        .db
        .sql(
            "select title, description, thumbnail_url
             from videos
             where id = $1 and status = 'published'",
        )
        .bind(notification.subject_id)
        .optional()
        .await?;
    let Some((title, description, thumbnail)) = video else { return Ok(None) };
    // Mails are easily forwarded, so a picture that not everybody may see is left out.
    let picture = thumbnail
        .filter(|_| settings.access == Access::Everyone)
        .and_then(|address| match address {
            own if own.starts_with('/') => Some(app.url(&own)),
            other => other.starts_with("https://").then_some(other),
        })
        .map(|url| Picture { url, alt: title.clone() });
    Ok(Some(MailContent {
        subject: format!("New video: {title}"),
        heading: title,
        paragraphs: paragraphs(description.as_deref().unwrap_or_default()),
        picture,
        button: Some(Button {
            label: "Watch the video",
            // `play` starts the video at once, where the browser allows it.
            url: app.url(&format!("/video/{}?play=1", notification.subject_id)),
        }),
        ..MailContent::default()
    }))
}
