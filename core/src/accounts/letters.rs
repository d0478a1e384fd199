//! Mail about accounts.

use crate::notifications::{Delivery, Letter, Notification};
use crate::settings::Settings;
use crate::{App, Result};

pub(crate) async fn write(
    _app: &App,
    _settings: &Settings,
    _notification: &Notification,
    _delivery: &Delivery,
) -> Result<Option<Letter>> {
    Ok(None)
}
