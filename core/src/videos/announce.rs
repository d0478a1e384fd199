//! Tells families that a video is up.

use crate::notifications::{Letter, Notification};
use crate::settings::Settings;
use crate::{App, Result};

pub const KIND: &str = "video";

pub(crate) async fn letter(
    _app: &App,
    _settings: &Settings,
    _notification: &Notification,
) -> Result<Option<Letter>> {
    Ok(None)
}
