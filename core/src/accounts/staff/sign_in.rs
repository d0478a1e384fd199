//! Sign-in of staff.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Staff, StaffRow, find, known_browsers};
use crate::accounts::ClientInfo;
use crate::accounts::sessions::{self, Holder};
use crate::accounts::{password, totp, tried_name};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::ids::StaffId;
use crate::notifications::{self, AccountMail, Notice};
use crate::rate_limits::{Attempt, By};
use crate::settings::Settings;
use crate::{App, Error, Result, rate_limits};

const WRONG: &str = "Invalid username or password. Please check your credentials and try again.";

/// The kind under which wrong passwords are counted.
pub(super) const NAME_AND_PASSWORD: &str = "staff";

/// The kind under which wrong codes are counted for the account, whatever the network. Only somebody who
/// knows the password gets that far, so strangers cannot use this limit up.
const CODE: &str = "staff-code";

/// A staff account that has just signed in, with the token for the cookie.
pub struct SignedIn {
    pub staff: Staff,
    pub token: String,
    /// For the cookie that identifies this browser the next time.
    pub browser: String,
}

/// Signs in with the password and, if set up, an authenticator or recovery code. A sign-in from a
/// new browser is reported to the account's address. Unknown, wrong and disabled give the same error
/// after the same time.
///
/// # Errors
///
/// [`Error::InvalidCredentials`] for a wrong name, password or code or a disabled account,
/// [`Error::SecondFactorRequired`] when the code is missing, [`Error::TooMany`] after many failures.
pub async fn sign_in(
    app: &App,
    username: &str,
    given: &str,
    code: Option<&str>,
    from: ClientInfo,
) -> Result<SignedIn> {
    let settings = app.settings().await?;
    let name = username.trim().to_lowercase();
    let browser = from.staff_browser.as_deref();
    let code = code.map(str::trim).filter(|code| !code.is_empty());
    let known = known_browsers::known(app, &name, browser).await?;
    let in_known_browser = known.is_some();
    let by = known.unwrap_or(By::Network(from.address));
    let attempt =
        Attempt::begin(app, NAME_AND_PASSWORD, &name, by, settings.max_login_attempts).await?;
    let row: Option<StaffRow> =
        app.db.sql("select * from staff where username_folded = $1").bind(&name).optional().await?;
    let stored = row.as_ref().map(|row| row.password_hash.as_str());
    let verdict = password::verify(app, given, stored).await?;
    let now = app.clock.now();
    let right = matches!(verdict, password::Verdict::Right | password::Verdict::RightButOld);
    let known = row.as_ref().map(|row| row.id);
    let Some(row) = row.filter(|row| right && row.disabled_at.is_none()) else {
        refused(app, known, username).await?;
        return Err(Error::InvalidCredentials(WRONG));
    };
    let rehash = match verdict {
        password::Verdict::RightButOld => Some(password::hash(app, given).await?),
        _ => None,
    };
    let codes = count_code(app, &row, code, &name, in_known_browser, &settings).await?;
    let mut tx = app.db.begin().await?;
    if !spend_code(&mut tx, now, &row, code).await? {
        tx.rollback().await?;
        refused(app, known, username).await?;
        return Err(Error::InvalidCredentials(
            "This code is incorrect or was already used. Please wait for the next one.",
        ));
    }
    if !record(&mut tx, now, &row, rehash).await? {
        tx.rollback().await?;
        refused(app, known, username).await?;
        return Err(Error::InvalidCredentials(WRONG));
    }
    let token = sessions::begin(&mut tx, app, Holder::Staff(row.id), from.device).await?;
    let (browser, known) = known_browsers::note(&mut tx, app, row.id, browser).await?;
    // The very first sign-in is always from a new browser, so it is not reported.
    if !known && row.last_sign_in_at.is_some() {
        let data = json!({ "device": from.device });
        let notice = Notice { data, ..Notice::new(AccountMail::StaffNewBrowser, row.id) };
        notifications::notify(&mut tx, app, notice, &row.email, &row.username).await?;
    }
    let (actor, subject) = (Actor::Staff(row.id), Subject::new(SubjectKind::Staff, row.id));
    audit::record(&mut tx, now, actor, Action::StaffSignIn, subject, Value::Null).await?;
    attempt.succeeded(&mut tx).await?;
    if let Some(codes) = codes {
        codes.succeeded(&mut tx).await?;
    }
    tx.commit().await?;
    Ok(SignedIn { staff: row.to_staff(&settings), token, browser })
}

/// Clears the sign-in rate limits of an account, and the delays of all networks, since its holder
/// may be behind any of them (decision P8). Returns how many there were.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account.
pub async fn clear_limits(app: &App, actor: Actor, id: StaffId) -> Result<u64> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let name = find(&mut tx, id).await?.username.to_lowercase();
    let mut cleared = rate_limits::clear_networks(&mut tx, now).await?;
    for kind in [NAME_AND_PASSWORD, CODE] {
        cleared += rate_limits::clear_account(&mut tx, app, kind, &name).await?;
    }
    let (subject, details) = (Subject::new(SubjectKind::Staff, id), json!({ "cleared": cleared }));
    audit::record(&mut tx, now, actor, Action::StaffClearLimits, subject, details).await?;
    tx.commit().await?;
    Ok(cleared)
}

/// Counts an attempt with a code, if the account has a second factor. A known browser has its own limit
/// already.
async fn count_code(
    app: &App,
    row: &StaffRow,
    code: Option<&str>,
    name: &str,
    in_known_browser: bool,
    settings: &Settings,
) -> Result<Option<Attempt>> {
    if row.totp_confirmed_at.is_none() {
        return Ok(None);
    }
    // The attempt to sign in stays counted without a code, too. Otherwise a correct password would
    // lift the rate limit on guessing codes.
    code.ok_or(Error::SecondFactorRequired)?;
    if in_known_browser {
        return Ok(None);
    }
    Attempt::begin(app, CODE, name, By::Account, settings.max_login_attempts).await.map(Some)
}

/// Whether the code is right, or the account has no second factor.
async fn spend_code(
    tx: &mut Tx,
    now: DateTime<Utc>,
    row: &StaffRow,
    code: Option<&str>,
) -> Result<bool> {
    let (Some(secret), Some(_)) = (&row.totp_secret, row.totp_confirmed_at) else {
        return Ok(true);
    };
    let Some(code) = code else { return Ok(false) };
    Ok(totp::spend_code(tx, row.id, secret, code, now.timestamp()).await?
        || totp::spend_recovery_code(tx, row.id, code, now).await?)
}

/// Records that somebody signs in. `false` if the account is no longer as it was when the password was compared.
async fn record(
    tx: &mut Tx,
    now: DateTime<Utc>,
    row: &StaffRow,
    rehash: Option<String>,
) -> Result<bool> {
    let current = tx
        .sql(
            "update staff set last_sign_in_at = $2, password_hash = coalesce($3, password_hash)
             where id = $1 and password_hash = $4 and disabled_at is null
               and (totp_confirmed_at is null) = $5",
        )
        .bind(row.id)
        .bind(now)
        .bind(rehash)
        .bind(&row.password_hash)
        .bind(row.totp_confirmed_at.is_none())
        .execute()
        .await?;
    Ok(current > 0)
}

async fn refused(app: &App, id: Option<StaffId>, username: &str) -> Result<()> {
    let details = tried_name::details(id.is_some(), username);
    let mut tx = app.db.begin().await?;
    let subject =
        id.map_or(Subject::none(SubjectKind::Staff), |id| Subject::new(SubjectKind::Staff, id));
    let now = app.clock.now();
    audit::record(&mut tx, now, Actor::Nobody, Action::StaffSignInRefused, subject, details)
        .await?;
    tx.commit().await
}
