//! Users (parents and visitors), staff accounts, and how both are authenticated.

pub(crate) mod account_mail;
pub(crate) mod links;
pub mod password;
pub mod sessions;
pub mod staff;
pub(crate) mod tokens;
mod totp;
pub(crate) mod tried_name;
mod user;
pub mod user_browsers;
pub(crate) mod user_password;

pub use staff::{Role, Staff, StaffRow};
pub use user::{ClientInfo, User, UserType, find_user};

use chrono::TimeDelta;

use crate::{App, Result};

/// Deletes expired sessions, links and rate limits. The worker runs it hourly.
pub async fn prune(app: &App) -> Result<()> {
    let now = app.clock.now();
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    sessions::prune(&mut tx, now, &settings).await?;
    tx.sql("delete from mail_tokens where expires_at < $1")
        .bind(now - TimeDelta::days(7))
        .execute()
        .await?;
    tx.sql(
        "delete from attempts where last_at < $1 and (blocked_until is null or blocked_until < $2)",
    )
    .bind(now - TimeDelta::days(1))
    .bind(now)
    .execute()
    .await?;
    staff::prune_browsers(&mut tx, now).await?;
    tx.commit().await
}
