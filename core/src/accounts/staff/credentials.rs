//! The password and the sessions of a staff account.

use serde_json::{Value, json};
use uuid::Uuid;

use super::sign_in::NAME_AND_PASSWORD;
use super::{Staff, find, known_browsers};
use crate::accounts::ClientInfo;
use crate::accounts::password::{self, Confirmed};
use crate::accounts::sessions::{self, Holder, SessionInfo};
use crate::accounts::tokens;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::StaffId;
use crate::notifications::{self, AccountMail, Notice};
use crate::rate_limits::{Attempt, By};
use crate::validation::Validator;
use crate::{App, Error, Result};

/// Verifies the current password of a staff account. Failures are counted by the browser if the
/// account signed in there before, or else by the account.
///
/// # Errors
///
/// [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many wrong ones,
/// [`Error::StaffRequired`] if the account was deleted meanwhile.
pub(super) async fn confirm_password(
    app: &App,
    me: &Staff,
    given: &str,
    from: &ClientInfo,
) -> Result<Confirmed> {
    let settings = app.settings().await?;
    let name = me.username.to_lowercase();
    let known = known_browsers::known(app, &name, from.staff_browser.as_deref()).await?;
    let (by, most) = (known.unwrap_or(By::Account), settings.max_login_attempts);
    let attempt = Attempt::begin(app, NAME_AND_PASSWORD, &name, by, most).await?;
    let found: Option<(String,)> =
        app.db.sql("select password_hash from staff where id = $1").bind(me.id).optional().await?;
    let (hash,) = found.ok_or(Error::StaffRequired)?;
    password::confirm(app, attempt, hash, given).await
}

impl Confirmed {
    /// Checks that this is still the password of the staff account, and keeps it unchanged until
    /// the end of the transaction. As for parents, nothing that an intruder began takes effect once
    /// the account has been recovered.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] on `current_password`, [`Error::NotFound`] if the account was deleted meanwhile.
    pub(super) async fn still_holds_for_staff(&self, tx: &mut Tx, id: StaffId) -> Result<()> {
        let held = tx
            .sql("update staff set password_hash = password_hash where id = $1 and password_hash = $2")
            .bind(id)
            .bind(&self.0)
            .execute()
            .await?;
        match held {
            0 => find(tx, id).await.and(Err(password::not_current())),
            _ => Ok(()),
        }
    }
}

/// Who changes an account: an owner who has just entered their password, or an operator.
#[derive(Clone, Copy)]
pub(super) enum Authority<'a> {
    Owner(&'a ConfirmedOwner),
    Other(Actor),
}

impl Authority<'_> {
    pub(super) fn actor(&self) -> Actor {
        match self {
            Authority::Owner(owner) => owner.actor(),
            Authority::Other(actor) => *actor,
        }
    }

    /// Afterwards no account changes until the end of the transaction.
    ///
    /// # Errors
    ///
    /// [`Error::StaffRequired`] when the owner no longer is one.
    pub(super) async fn begin(&self, tx: &mut Tx) -> Result<()> {
        match self {
            Authority::Owner(owner) => owner.still_may(tx).await,
            Authority::Other(_) => tx.lock("staff").await,
        }
    }
}

/// An owner who has just confirmed a change of another account with their password.
pub(super) struct ConfirmedOwner {
    id: StaffId,
    password: Confirmed,
}

impl ConfirmedOwner {
    pub(super) async fn of(
        app: &App,
        me: &Staff,
        given: &str,
        from: &ClientInfo,
    ) -> Result<ConfirmedOwner> {
        let password = confirm_password(app, me, given, from).await?;
        Ok(ConfirmedOwner { id: me.id, password })
    }

    pub(super) fn actor(&self) -> Actor {
        Actor::Staff(self.id)
    }

    /// Checks that this is still an owner with that password: another owner may have locked them
    /// out while passwords were hashed. Afterwards, no other transaction can change a staff account
    /// until this one ends.
    ///
    /// # Errors
    ///
    /// [`Error::StaffRequired`]
    pub(super) async fn still_may(&self, tx: &mut Tx) -> Result<()> {
        tx.lock("staff").await?;
        let owners: i64 = tx
            .sql(
                "select count(*) from staff
                 where id = $1 and password_hash = $2 and role = 'owner' and disabled_at is null",
            )
            .bind(self.id)
            .bind(&self.password.0)
            .scalar()
            .await?;
        match owners {
            0 => Err(Error::StaffRequired),
            _ => Ok(()),
        }
    }
}

/// Changes the password of the signed-in account and ends all its other sessions.
///
/// # Errors
///
/// [`Error::Invalid`] for a wrong current or an unacceptable new password, [`Error::TooMany`] after
/// many wrong passwords, [`Error::StaffRequired`] or [`Error::NotFound`] if the account was deleted
/// meanwhile.
pub async fn change_password(
    app: &App,
    staff: &Staff,
    session: Uuid,
    current: &str,
    new: &str,
    from: ClientInfo,
) -> Result<()> {
    let settings = app.settings().await?;
    let mut checks = Validator::new();
    let known = [staff.username.as_str(), staff.email.as_str(), settings.site_name.as_str()];
    password::check(&mut checks, "new_password", new, &settings, &known);
    checks.done()?;
    let Confirmed(before) = confirm_password(app, staff, current, &from).await?;
    let hash = password::hash(app, new).await?;
    let mut tx = app.db.begin().await?;
    tx.lock("staff").await?;
    // The password may have been changed while it was compared.
    let changed = tx
        .sql(
            "update staff set password_hash = $2, updated_at = $3, version = version + 1
             where id = $1 and password_hash = $4",
        )
        .bind(staff.id)
        .bind(&hash)
        .bind(app.clock.now())
        .bind(before)
        .execute()
        .await?;
    if changed == 0 {
        find(&mut tx, staff.id).await?;
        return Err(password::not_current());
    }
    password_changed(&mut tx, app, staff.id, Some(session)).await?;
    tx.commit().await
}

/// Sets the password that was chosen with a reset link to this address.
///
/// # Errors
///
/// [`Error::Gone`] unless the account is active and still has this address.
pub(crate) async fn password_was_reset(
    tx: &mut Tx,
    app: &App,
    id: StaffId,
    email: &EmailAddress,
    hash: &str,
) -> Result<()> {
    let now = app.clock.now();
    let changed = tx
        .sql(
            "update staff set password_hash = $3, updated_at = $4, version = version + 1
             where id = $1 and email = $2 and disabled_at is null",
        )
        .bind(id)
        .bind(email)
        .bind(hash)
        .bind(now)
        .execute()
        .await?;
    if changed == 0 {
        return Err(Error::Gone("This link no longer works. Please ask an owner for a new one."));
    }
    password_changed(tx, app, id, None).await
}

/// The consequences of a password that the account's holder chose.
async fn password_changed(tx: &mut Tx, app: &App, id: StaffId, save: Option<Uuid>) -> Result<()> {
    sessions::end_all(tx, Holder::Staff(id), save).await?;
    tokens::revoke_all(tx, Holder::Staff(id)).await?;
    let account = find(&mut *tx, id).await?;
    let notice = Notice::new(AccountMail::StaffPasswordChanged, id);
    notifications::notify(tx, app, notice, &account.email, &account.username).await?;
    let (now, subject) = (app.clock.now(), Subject::new(SubjectKind::Staff, id));
    audit::record(tx, now, Actor::Staff(id), Action::StaffChangePassword, subject, Value::Null)
        .await
}

/// Returns the sessions of an account. `current` is the requesting session.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account.
pub async fn sessions_of(app: &App, id: StaffId, current: Uuid) -> Result<Vec<SessionInfo>> {
    find(&app.db, id).await?;
    let settings = app.settings().await?;
    sessions::of_staff(app, &settings, id, current).await
}

/// Ends one session of an account.
///
/// # Errors
///
/// [`Error::NotFound`] when the session is not the account's.
pub async fn end_session(app: &App, actor: Actor, id: StaffId, session: Uuid) -> Result<()> {
    let mut tx = app.db.begin().await?;
    end_session_in(&mut tx, app, actor, id, session).await?;
    tx.commit().await
}

async fn end_session_in(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: StaffId,
    session: Uuid,
) -> Result<()> {
    sessions::end_one(tx, Holder::Staff(id), session).await?;
    ended(tx, app, actor, id, 1).await
}

/// Ends all sessions of an account, except `save` if given, and revokes its open links.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account.
pub async fn end_other_sessions(
    app: &App,
    actor: Actor,
    id: StaffId,
    save: Option<Uuid>,
) -> Result<()> {
    find(&app.db, id).await?;
    let mut tx = app.db.begin().await?;
    end_other_sessions_in(&mut tx, app, actor, id, save).await?;
    tx.commit().await
}

async fn end_other_sessions_in(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: StaffId,
    save: Option<Uuid>,
) -> Result<()> {
    let count = sessions::end_all(tx, Holder::Staff(id), save).await?;
    tokens::revoke_all(tx, Holder::Staff(id)).await?;
    match count {
        0 => Ok(()),
        count => ended(tx, app, actor, id, count).await,
    }
}

/// Ends one session of an account for an owner, who confirms with their password, as for every other
/// change of another account.
///
/// # Errors
///
/// Those of [`end_session`], [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many
/// wrong passwords, [`Error::StaffRequired`] if the owner's account was deleted meanwhile.
pub async fn end_session_as(
    app: &App,
    me: &Staff,
    id: StaffId,
    session: Uuid,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    let owner = ConfirmedOwner::of(app, me, given, &from).await?;
    let mut tx = app.db.begin().await?;
    owner.still_may(&mut tx).await?;
    end_session_in(&mut tx, app, owner.actor(), id, session).await?;
    tx.commit().await
}

/// Ends all sessions of an account, except `save`, for an owner, who confirms with their password.
///
/// # Errors
///
/// Those of [`end_other_sessions`], [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after
/// many wrong passwords, [`Error::StaffRequired`] if the owner's account was deleted meanwhile.
pub async fn end_sessions_as(
    app: &App,
    me: &Staff,
    id: StaffId,
    save: Uuid,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    let owner = ConfirmedOwner::of(app, me, given, &from).await?;
    let mut tx = app.db.begin().await?;
    owner.still_may(&mut tx).await?;
    find(&mut tx, id).await?;
    end_other_sessions_in(&mut tx, app, owner.actor(), id, Some(save)).await?;
    tx.commit().await
}

async fn ended(tx: &mut Tx, app: &App, actor: Actor, id: StaffId, count: u64) -> Result<()> {
    let (now, subject) = (app.clock.now(), Subject::new(SubjectKind::Staff, id));
    let details = json!({ "sessions": count });
    audit::record(tx, now, actor, Action::StaffEndSessions, subject, details).await
}
