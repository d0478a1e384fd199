//! Browsers in which a user signed in before, identified by a cookie that the portal signed
//! ("device cookie", OWASP). Failures there are counted separately from those of their network, so
//! that nobody behind a shared address can lock a family out.
//!
//! The cookie holds an entry for each user, `nonce.seconds.signature`, and no name. An entry is
//! valid for a year, and until the user's links are revoked: by a new password, a changed address
//! or signing out everywhere.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::sessions::random_token;
use crate::ids::UserId;
use crate::rate_limits::By;
use crate::{App, Result};

/// How long an entry is valid and how long the cookie lasts, in days.
pub const DAYS: i64 = 365;
/// The maximum number of users per browser. The least recently used entry is dropped.
const MAX_USERS: usize = 5;
const SEPARATOR: char = '~';

/// Returns the cookie to set after this user signed in.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when there is no such user.
pub async fn remember(app: &App, cookie: Option<&str>, id: UserId) -> Result<String> {
    let version: i64 =
        app.db.sql("select token_version from users where id = $1").bind(id).scalar().await?;
    let named = format!("{}.{}", random_token(), app.clock.now().timestamp());
    let signature = app.keys.sign(PURPOSE, &signed(&named, id, version));
    let others = entries(cookie).filter(|entry| !is_good(app, entry, id, version));
    let all = std::iter::once(format!("{named}.{signature}")).chain(others.map(str::to_owned));
    Ok(all.take(MAX_USERS).collect::<Vec<_>>().join(&SEPARATOR.to_string()))
}

/// What an attempt from the browser of this cookie is counted by, if the user signed in there
/// before. `login` is the user and the version of its links, if there is one.
pub(crate) fn known(app: &App, cookie: Option<&str>, login: Option<(UserId, i64)>) -> Option<By> {
    // Does the same work if there is no such user.
    let (id, version) = login.unwrap_or((Uuid::nil().into(), 0));
    let entry = entries(cookie).find(|entry| is_good(app, entry, id, version))?;
    Some(By::Browser(entry.to_owned()))
}

const PURPOSE: &str = "signed in before";

fn signed(named: &str, id: UserId, version: i64) -> String {
    format!("{named}.{id}.{version}")
}

fn entries(cookie: Option<&str>) -> impl Iterator<Item = &str> {
    let entries = cookie.into_iter().flat_map(|cookie| cookie.split(SEPARATOR));
    entries.filter(|entry| entry.len() < 200).take(MAX_USERS)
}

fn is_good(app: &App, entry: &str, id: UserId, version: i64) -> bool {
    let Some((named, signature)) = entry.rsplit_once('.') else { return false };
    let made = named.rsplit_once('.').and_then(|(_, seconds)| seconds.parse().ok());
    let made: Option<DateTime<Utc>> = made.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    made.is_some_and(|made| app.clock.now() - made < TimeDelta::days(DAYS))
        && app.keys.verify(PURPOSE, &signed(named, id, version), signature)
}
