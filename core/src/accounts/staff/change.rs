//! Owners and the command line change staff accounts.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::admin::{an_owner_is_left, check_names, confirm, free, tell_owners};
use super::credentials::Authority;
use super::list::{Account, find};
use super::{Role, Staff};
use crate::accounts::ClientInfo;
use crate::accounts::sessions::{self, Holder};
use crate::accounts::{password, tokens};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::error::OrTaken;
use crate::ids::StaffId;
use crate::notifications::{self, AccountMail, Notice};
use crate::validation::Validator;
use crate::{App, Error, Result};

/// Changes to an account. Omitted fields stay as they are.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StaffChanges {
    /// The version that was read; [`Error::Stale`] when the account changed since.
    pub version: i64,
    pub username: Option<String>,
    pub email: Option<String>,
    pub role: Option<Role>,
    pub disabled: Option<bool>,
    pub password: Option<String>,
    /// The password of the owner who makes the change.
    pub current_password: Option<String>,
}

/// Changes an account for an owner, who confirms with their password: an open session must not be
/// enough to take over an account or to keep its holder out (safety 3).
///
/// # Errors
///
/// Those of [`change`], [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many wrong
/// passwords, [`Error::StaffRequired`] if the owner's account was deleted meanwhile.
pub async fn change_as(
    app: &App,
    me: &Staff,
    id: StaffId,
    changes: StaffChanges,
    from: ClientInfo,
) -> Result<Account> {
    let owner = confirm(app, me, changes.current_password.as_deref(), from).await?;
    write(app, Authority::Owner(&owner), id, changes).await
}

/// Changes an account. Its sessions end when its password, role or active state changes. Its
/// password reset links are revoked then and when its address changes. The last active owner cannot
/// be demoted, even when two owners are demoted at the same time.
///
/// # Errors
///
/// [`Error::Stale`] when the account changed since it was read, [`Error::NotFound`] when there is no
/// such account, [`Error::Invalid`] on `username`, `email` or `password`, [`Error::Taken`] when another
/// account has that name or address, [`Error::Conflict`] for the last active owner.
pub async fn change(
    app: &App,
    actor: Actor,
    id: StaffId,
    changes: StaffChanges,
) -> Result<Account> {
    write(app, Authority::Other(actor), id, changes).await
}

async fn write(
    app: &App,
    by: Authority<'_>,
    id: StaffId,
    changes: StaffChanges,
) -> Result<Account> {
    let settings = app.settings().await?;
    let mut checks = Validator::new();
    let (username, email) =
        check_names(&mut checks, changes.username.as_deref(), changes.email.as_deref());
    if let Some(new) = &changes.password {
        let account = find(&app.db, id).await?;
        let name = username.as_deref().unwrap_or(&account.username);
        let address = email.as_ref().unwrap_or(&account.email).as_str();
        let known = [name, address, settings.site_name.as_str()];
        password::check(&mut checks, "password", new, &settings, &known);
    }
    checks.done()?;
    let hash = match &changes.password {
        Some(new) => Some(password::hash(app, new).await?),
        None => None,
    };
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    by.begin(&mut tx).await?;
    let before = find(&mut tx, id).await?;
    if before.version != changes.version {
        return Err(Error::Stale);
    }
    free(&mut tx, id, username.as_deref(), email.as_ref()).await?;
    update(&mut tx, id, &changes, username.as_deref(), email.as_ref(), hash.as_deref(), now)
        .await?;
    an_owner_is_left(&mut tx).await?;
    let after = find(&mut tx, id).await?;
    let locked_out = after.disabled && !before.disabled;
    if after.role != before.role || locked_out || hash.is_some() {
        sessions::end_all(&mut tx, Holder::Staff(id), None).await?;
    }
    if after.email != before.email || locked_out || hash.is_some() {
        tokens::revoke_all(&mut tx, Holder::Staff(id)).await?;
    }
    notify_old_address(&mut tx, app, &before, &after, hash.is_some()).await?;
    if after.role == Role::Owner && before.role != Role::Owner {
        tell_owners(&mut tx, app, by.actor(), &after.username, "promoted").await?;
    }
    let details = differences(&before, &after, hash.is_some());
    audit::record(
        &mut tx,
        now,
        by.actor(),
        Action::StaffChange,
        Subject::new(SubjectKind::Staff, id),
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(after)
}

/// Writes the changes. Fields that are `None` stay as they are.
async fn update(
    tx: &mut Tx,
    id: StaffId,
    changes: &StaffChanges,
    username: Option<&str>,
    email: Option<&EmailAddress>,
    password_hash: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let changed = tx
        .sql(
            "update staff
             set username = coalesce($2, username),
                 username_folded = coalesce($3, username_folded),
                 email = coalesce($4, email),
                 role = coalesce($5, role),
                 disabled_at = case when $6 is null then disabled_at when $6 then coalesce(disabled_at, $7) end,
                 password_hash = coalesce($8, password_hash),
                 version = version + 1, updated_at = $7
             where id = $1 and version = $9",
        )
        .bind(id)
        .bind(username.map(str::to_owned))
        .bind(username.map(str::to_lowercase))
        .bind(email.cloned())
        .bind(changes.role)
        .bind(changes.disabled)
        .bind(now)
        .bind(password_hash.map(str::to_owned))
        .bind(changes.version)
        .execute()
        .await
        .or_taken("username", "Username already exists")?;
    if changed == 0 {
        return Err(Error::Stale);
    }
    Ok(())
}

/// Notifies the previous address of a change that takes the account from it (safety 3).
async fn notify_old_address(
    tx: &mut Tx,
    app: &App,
    before: &Account,
    after: &Account,
    password: bool,
) -> Result<()> {
    let moved = after.email != before.email;
    for (kind, happened) in
        [(AccountMail::StaffPasswordChanged, password), (AccountMail::StaffEmailChanged, moved)]
    {
        if happened {
            let notice = Notice::new(kind, before.id);
            notifications::notify(tx, app, notice, &before.email, &before.username).await?;
        }
    }
    Ok(())
}

/// The changes, for the audit log. Names and addresses are not included, only that they changed.
fn differences(before: &Account, after: &Account, password: bool) -> Value {
    let shown = |account: &Account| json!({ "role": account.role, "disabled": account.disabled });
    let changed = audit::personal(
        audit::differences(&shown(before), &shown(after)),
        [
            ("username", before.username != after.username),
            ("email", before.email != after.email),
            ("password", password),
        ],
    );
    Value::Object(changed)
}
