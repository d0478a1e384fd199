//! The second factor: setup, removal by its holder, and reset when the phone is lost.

use serde_json::{Value, json};
use uuid::Uuid;

use super::credentials::confirm_password;
use super::{Enrollment, Staff, StaffRow, UNKNOWN, find};
use crate::accounts::ClientInfo;
use crate::accounts::sessions::{self, Holder};
use crate::accounts::{tokens, totp};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::ids::StaffId;
use crate::notifications::{self, AccountMail, Notice};
use crate::rate_limits;
use crate::{App, Error, Result};

/// Begins to set up an authenticator app, after verifying the password. The sign-in does not change
/// before [`confirm_two_factor`], which only the same account can call.
///
/// # Errors
///
/// [`Error::Conflict`] when it is on already, [`Error::Invalid`] on `current_password`,
/// [`Error::TooMany`] after many wrong passwords, [`Error::StaffRequired`] if the account was deleted
/// meanwhile.
pub async fn begin_two_factor(
    app: &App,
    staff: &Staff,
    given: &str,
    from: ClientInfo,
) -> Result<Enrollment> {
    if staff.two_factor {
        return Err(Error::Conflict(
            "Two-factor is already on. Turn it off first to change phones.",
        ));
    }
    let confirmed = confirm_password(app, staff, given, &from).await?;
    let settings = app.settings().await?;
    let secret = totp::fresh_secret();
    let mut tx = app.db.begin().await?;
    confirmed.still_holds_for_staff(&mut tx, staff.id).await?;
    tx.sql("update staff set totp_secret = $2, totp_last_step = null where id = $1 and totp_confirmed_at is null")
        .bind(staff.id)
        .bind(&secret)
        .execute()
        .await?;
    tx.commit().await?;
    totp::enrollment(&secret, settings.camp_name(), &staff.username)
}

/// Turns on the second factor with a first code and ends all other sessions. Returns the recovery
/// codes, which are shown only once.
///
/// # Errors
///
/// [`Error::Invalid`] on `code` for a wrong or used one, [`Error::Conflict`] when setup was not
/// begun or two-factor is on already, [`Error::TooMany`] after many codes, [`Error::NotFound`] if
/// the account was deleted meanwhile.
pub async fn confirm_two_factor(
    app: &App,
    staff: &Staff,
    session: Uuid,
    code: &str,
) -> Result<Vec<String>> {
    rate_limits::count(app, rate_limits::CODES_BY_STAFF, &staff.id.to_string()).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let row: StaffRow = tx.sql("select * from staff where id = $1").bind(staff.id).one().await?;
    let Some(secret) = row.totp_secret.filter(|_| row.totp_confirmed_at.is_none()) else {
        return Err(Error::Conflict("Please start setting up two-factor again."));
    };
    if !totp::spend_code(&mut tx, staff.id, &secret, code, now.timestamp()).await? {
        return Err(Error::invalid(
            "code",
            "This code is incorrect. Please check your phone's clock.",
        ));
    }
    tx.sql("update staff set totp_confirmed_at = $2 where id = $1")
        .bind(staff.id)
        .bind(now)
        .execute()
        .await?;
    let codes = totp::renew_recovery_codes(&mut tx, staff.id).await?;
    factor_changed(&mut tx, app, staff.id, Some(session), AccountMail::StaffTwoFactorOn).await?;
    let (actor, subject) = (Actor::Staff(staff.id), Subject::new(SubjectKind::Staff, staff.id));
    audit::record(&mut tx, now, actor, Action::StaffTwoFactorOn, subject, two_factor(true)).await?;
    tx.commit().await?;
    Ok(codes)
}

/// Replaces all recovery codes of an account, after verifying its password and a current code of the
/// authenticator app. The earlier codes stop working at once. Returns the new ones, which are shown
/// only once. The second factor and the sessions stay.
///
/// # Errors
///
/// [`Error::Conflict`] when two-factor is off, [`Error::Invalid`] on `current_password`, or on `code`
/// for a wrong or used one, [`Error::TooMany`] after many wrong passwords or many codes,
/// [`Error::StaffRequired`] or [`Error::NotFound`] if the account was deleted meanwhile.
pub async fn renew_recovery_codes(
    app: &App,
    staff: &Staff,
    given: &str,
    code: &str,
    from: ClientInfo,
) -> Result<Vec<String>> {
    if !staff.two_factor {
        return Err(OFF);
    }
    let confirmed = confirm_password(app, staff, given, &from).await?;
    rate_limits::count(app, rate_limits::CODES_BY_STAFF, &staff.id.to_string()).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    confirmed.still_holds_for_staff(&mut tx, staff.id).await?;
    let row: StaffRow = tx.sql("select * from staff where id = $1").bind(staff.id).one().await?;
    let Some(secret) = row.totp_secret.filter(|_| row.totp_confirmed_at.is_some()) else {
        return Err(OFF);
    };
    if !totp::spend_code(&mut tx, staff.id, &secret, code, now.timestamp()).await? {
        return Err(Error::invalid(
            "code",
            "This code is incorrect or was already used. Please wait for the next one.",
        ));
    }
    let codes = totp::renew_recovery_codes(&mut tx, staff.id).await?;
    let notice = Notice::new(AccountMail::StaffRecoveryCodes, staff.id);
    notifications::notify(&mut tx, app, notice, &row.email, &row.username).await?;
    let (actor, subject) = (Actor::Staff(staff.id), Subject::new(SubjectKind::Staff, staff.id));
    audit::record(&mut tx, now, actor, Action::StaffRecoveryCodes, subject, Value::Null).await?;
    tx.commit().await?;
    Ok(codes)
}

const OFF: Error = Error::Conflict("Two-factor is off. Set it up first to get recovery codes.");

/// Returns how many recovery codes of an account are left. Without a second factor there are none.
pub async fn recovery_codes_left(app: &App, staff: &Staff) -> Result<i64> {
    app.db
        .sql("select count(*) from recovery_codes where staff_id = $1 and used_at is null")
        .bind(staff.id)
        .scalar()
        .await
}

/// Turns off the second factor, after verifying the password, and ends all other sessions.
///
/// # Errors
///
/// [`Error::Conflict`] when the settings require a second factor, [`Error::Invalid`] on
/// `current_password`, [`Error::TooMany`] after many wrong passwords, [`Error::StaffRequired`] or
/// [`Error::NotFound`] if the account was deleted meanwhile.
pub async fn end_two_factor(
    app: &App,
    staff: &Staff,
    session: Uuid,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    if staff.two_factor_required {
        return Err(Error::Conflict(
            "The camp's settings require two-factor for every staff account.",
        ));
    }
    let confirmed = confirm_password(app, staff, given, &from).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    confirmed.still_holds_for_staff(&mut tx, staff.id).await?;
    remove_second_factor(&mut tx, staff.id).await?;
    factor_changed(&mut tx, app, staff.id, Some(session), AccountMail::StaffTwoFactorOff).await?;
    let (actor, subject) = (Actor::Staff(staff.id), Subject::new(SubjectKind::Staff, staff.id));
    audit::record(&mut tx, now, actor, Action::StaffTwoFactorOff, subject, two_factor(false))
        .await?;
    tx.commit().await
}

/// Removes the second factor of an account whose phone is lost. Only the command line can do this.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account.
pub async fn reset_two_factor(app: &App, actor: Actor, id: StaffId) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    remove_second_factor(&mut tx, id).await?;
    factor_changed(&mut tx, app, id, None, AccountMail::StaffTwoFactorOff).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        Action::StaffResetTwoFactor,
        Subject::new(SubjectKind::Staff, id),
        two_factor(false),
    )
    .await?;
    tx.commit().await
}

/// The consequences of a changed second factor, like those of a new password: all sessions end,
/// except `save` if given, all open links are revoked, and the account's address is notified
/// (safety 3).
async fn factor_changed(
    tx: &mut Tx,
    app: &App,
    id: StaffId,
    save: Option<Uuid>,
    kind: AccountMail,
) -> Result<()> {
    sessions::end_all(tx, Holder::Staff(id), save).await?;
    tokens::revoke_all(tx, Holder::Staff(id)).await?;
    let account = find(&mut *tx, id).await?;
    notifications::notify(tx, app, Notice::new(kind, id), &account.email, &account.username).await
}

fn two_factor(on: bool) -> Value {
    json!({ "two_factor": audit::changed(!on, on) })
}

async fn remove_second_factor(tx: &mut Tx, id: StaffId) -> Result<()> {
    tx.sql("delete from recovery_codes where staff_id = $1").bind(id).execute().await?;
    let changed = tx
        .sql("update staff set totp_secret = null, totp_confirmed_at = null, totp_last_step = null where id = $1")
        .bind(id)
        .execute()
        .await?;
    match changed {
        0 => Err(UNKNOWN),
        _ => Ok(()),
    }
}
