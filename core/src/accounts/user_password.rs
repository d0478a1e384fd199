//! Verifies the current password of a user.

use super::password::{self, Confirmed};
use super::{ClientInfo, User, find_user, user_browsers};
use crate::db::Tx;
use crate::ids::UserId;
use crate::rate_limits::{Attempt, By};
use crate::{App, Error, Result};

/// Verifies the current password of a user who is signed in. Failures are counted by the browser if
/// the user signed in there before, or else by the user.
///
/// # Errors
///
/// [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many wrong ones,
/// [`Error::SignInRequired`] if the user was deleted meanwhile.
pub(crate) async fn confirm_password(
    app: &App,
    user: &User,
    given: &str,
    from: &ClientInfo,
) -> Result<Confirmed> {
    confirm_counted(app, user, given, from, By::Account).await
}

/// Like [`confirm_password`], for somebody who is not signed in: failures in unknown browsers count as
/// attempts to sign in from that network.
///
/// # Errors
///
/// Those of [`confirm_password`].
pub(crate) async fn confirm_signed_out(
    app: &App,
    user: &User,
    given: &str,
    from: &ClientInfo,
) -> Result<Confirmed> {
    confirm_counted(app, user, given, from, By::Network(from.address)).await
}

async fn confirm_counted(
    app: &App,
    user: &User,
    given: &str,
    from: &ClientInfo,
    elsewhere: By,
) -> Result<Confirmed> {
    let settings = app.settings().await?;
    let found: Option<(String, i64)> = app
        .db
        .sql("select password_hash, token_version from users where id = $1")
        .bind(user.id)
        .optional()
        .await?;
    let (hash, version) = found.ok_or(Error::SignInRequired)?;
    let browser = from.user_browser.as_deref();
    let by = user_browsers::known(app, browser, Some((user.id, version))).unwrap_or(elsewhere);
    let most = settings.max_login_attempts;
    let attempt = Attempt::begin(app, "user", &user.email, by, most).await?;
    password::confirm(app, attempt, hash, given).await
}

impl Confirmed {
    /// Checks that this is still the user's password, and keeps it unchanged until the end of the
    /// transaction. The owner may have recovered the account while the password was compared. In
    /// that case, nothing that an intruder began may take effect.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] on `current_password`, [`Error::SignInRequired`] if the user was deleted meanwhile.
    pub(crate) async fn still_holds(&self, tx: &mut Tx, id: UserId) -> Result<()> {
        let held = tx
            .sql("update users set password_hash = password_hash where id = $1 and password_hash = $2")
            .bind(id)
            .bind(&self.0)
            .execute()
            .await?;
        match held {
            0 if find_user(tx, id).await?.is_none() => Err(Error::SignInRequired),
            0 => Err(password::not_current()),
            _ => Ok(()),
        }
    }
}
