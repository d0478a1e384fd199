//! Tells families that a video is up.

use crate::notifications::{Button, MailContent, Notification, Picture, paragraphs};
use crate::settings::{Access, Settings};
use crate::{App, Result};

pub const KIND: &str = "video";

/// The letter as the video is now; nothing when it is gone or was taken back.
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
    // A mail is forwarded easily: a picture that not everybody may see does not travel with it.
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
            url: app.url(&format!("/video/{}", notification.subject_id)),
        }),
        ..MailContent::default()
    }))
}
