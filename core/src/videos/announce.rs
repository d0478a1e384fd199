//! The mail that announces a new video to families.

use uuid::Uuid;

use crate::access::Access;
use crate::notifications::{Button, MailContent, Notification, Picture, SampleWords, paragraphs};
use crate::settings::Settings;
use crate::{App, Result, branding};

/// What the mail says about a video.
#[derive(sqlx::FromRow)]
struct Announced {
    title: String,
    description: Option<String>,
    thumbnail_url: Option<String>,
    duration_seconds: Option<i64>,
}

/// Writes the mail with the video's current content. Returns `None` if the video was deleted or
/// unpublished.
pub(crate) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let id = notification.subject_id;
    let video: Option<Announced> = app
        .db
        .sql(
            "select title, description, thumbnail_url, duration_seconds
             from videos
             where id = $1 and status = 'published'",
        )
        .bind(id)
        .optional()
        .await?;
    let Some(video) = video else { return Ok(None) };
    let neutral = branding::social_picture(app, &branding::shown(&app.db, settings).await?);
    let picture = own_picture(app, settings, &video).unwrap_or(neutral);
    Ok(Some(content(app, id, video, picture)))
}

/// The mail about an invented video.
pub(crate) fn sample(app: &App, words: &SampleWords) -> MailContent {
    let video = Announced {
        title: words.title.clone(),
        description: Some(words.text.clone()),
        thumbnail_url: None,
        duration_seconds: Some(155),
    };
    content(app, Uuid::nil(), video, app.url(branding::SOCIAL_PICTURE))
}

/// The picture of the video, if everybody may see it: mails are easily forwarded, and no mail program
/// is signed in. Pictures of other sites would tell those who reads the camp's mail.
fn own_picture(app: &App, settings: &Settings, video: &Announced) -> Option<String> {
    let path = video.thumbnail_url.as_ref().filter(|url| url.starts_with('/'))?;
    (settings.access == Access::Everyone).then(|| app.url(path))
}

fn content(app: &App, id: Uuid, video: Announced, picture: String) -> MailContent {
    let length = video.duration_seconds.filter(|seconds| *seconds > 0).map(length);
    MailContent {
        subject: format!("New video: {}", video.title),
        heading: video.title.clone(),
        paragraphs: paragraphs(video.description.as_deref().unwrap_or_default()),
        picture: Some(Picture { url: picture, alt: video.title, length }),
        button: Some(Button {
            label: "Watch the video",
            // `play` starts the video at once, where the browser allows it.
            url: app.url(&format!("/video/{id}?play=1")),
        }),
        ..MailContent::default()
    }
}

/// As players show it: `2:35` or `1:02:35`.
fn length(seconds: i64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_length_is_shown_as_in_players() {
        assert_eq!(super::length(155), "2:35");
        assert_eq!(super::length(9), "0:09");
        assert_eq!(super::length(3_755), "1:02:35");
    }
}
