//! Staff accounts as owners and the command line manage them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::credentials::confirm_password;
use super::{Role, Staff, UNKNOWN};
use crate::accounts::ClientInfo;
use crate::accounts::sessions::{self, Holder};
use crate::accounts::{links, password, tokens};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, On, Tx};
use crate::error::OrTaken;
use crate::notifications::{self, AccountMail, Notice};
use crate::pagination::{Page, PageRequest};
use crate::validation::Validator;
use crate::{App, Error, Result};

/// An account as owners see it. No password in any form.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Account {
    pub id: Uuid,
    pub username: String,
    pub email: String,
    pub role: Role,
    pub disabled: bool,
    pub two_factor: bool,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStaff {
    pub username: String,
    pub email: String,
    pub role: Role,
    pub password: String,
    /// The password of the owner who adds the account.
    #[serde(default)]
    pub current_password: Option<String>,
}

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

const LAST_OWNER: Error = Error::Conflict("Cannot delete the last admin account");

fn check_names(
    checks: &mut Validator,
    username: Option<&str>,
    email: Option<&str>,
) -> (Option<String>, Option<String>) {
    let missing = "All fields are required";
    let username = username.map(|name| {
        let name = checks.line("username", name, 60);
        checks.require(!name.is_empty(), "username", missing);
        name
    });
    let email = email.map(|email| match email.trim().is_empty() {
        true => {
            checks.refuse("email", missing);
            String::new()
        }
        false => checks.email("email", email),
    });
    (username, email)
}

/// Adds an account for an owner, who confirms with their password: an unattended page must not be
/// enough to create an account.
///
/// # Errors
///
/// Those of [`add`], and [`Error::Invalid`] on `current_password`.
pub async fn add_as(app: &App, me: &Staff, new: NewStaff, from: ClientInfo) -> Result<Account> {
    confirm(app, me, new.current_password.as_deref(), from).await?;
    add(app, Actor::Staff(me.id), new).await
}

async fn confirm(app: &App, me: &Staff, given: Option<&str>, from: ClientInfo) -> Result<()> {
    let Some(given) = given else {
        let text = "Please enter your current password.";
        return Err(Error::invalid("current_password", text));
    };
    confirm_password(app, me, given, &from).await
}

/// Adds an account.
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::Taken`] on `username` or `email`
pub async fn add(app: &App, actor: Actor, new: NewStaff) -> Result<Account> {
    let settings = app.settings().await?;
    let mut checks = Validator::new();
    let (username, email) = check_names(&mut checks, Some(&new.username), Some(&new.email));
    let (username, email) = (username.unwrap_or_default(), email.unwrap_or_default());
    let known = [username.as_str(), email.as_str(), settings.site_name.as_str()];
    password::check(&mut checks, "password", &new.password, &settings, &known);
    checks.done()?;
    let hash = password::hash(app, &new.password).await?;
    let now = app.clock.now();
    let id = Uuid::now_v7();
    let mut tx = app.db.begin().await?;
    free(&mut tx, id, Some(&username), Some(&email)).await?;
    tx.sql(
        "insert into staff (id, username, username_folded, email, password_hash, role, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, 1, $7, $7)",
    )
    .bind(id)
    .bind(&username)
    .bind(username.to_lowercase())
    .bind(&email)
    .bind(&hash)
    .bind(new.role)
    .bind(now)
    .execute()
    .await
    .or_taken("username", "Username already exists")?;
    let details = json!({ "role": new.role });
    audit::record(
        &mut tx,
        now,
        actor,
        Action::StaffAdd,
        Subject::new(SubjectKind::Staff, id),
        details,
    )
    .await?;
    let what = if new.role == Role::Owner { "added_owner" } else { "added" };
    tell_owners(&mut tx, app, actor, &username, what).await?;
    tx.commit().await?;
    find(&app.db, id).await
}

/// Names and addresses are unique among staff, ignoring case.
async fn free(tx: &mut Tx, id: Uuid, username: Option<&str>, email: Option<&str>) -> Result<()> {
    let taken: Vec<(bool, bool)> = tx
        .sql("select username_folded = $2, email = $3 from staff where id <> $1 and (username_folded = $2 or email = $3)")
        .bind(id)
        .bind(username.map(str::to_lowercase).unwrap_or_default())
        .bind(email.unwrap_or_default())
        .all()
        .await?;
    let refuse = |field: &str, message: &str| {
        Err(Error::Taken(crate::FieldError { field: field.into(), message: message.into() }))
    };
    if taken.iter().any(|(name, _)| *name) {
        return refuse("username", "Username already exists");
    }
    if taken.iter().any(|(_, email)| *email) {
        return refuse("email", "Email already exists");
    }
    Ok(())
}

const ACCOUNT: &str = "select id, username, email, role, disabled_at is not null as disabled,
                totp_confirmed_at is not null as two_factor, last_sign_in_at, created_at, version
         from staff ";

/// Returns an account.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn find(on: impl Into<On<'_>>, id: Uuid) -> Result<Account> {
    on.into().sql([ACCOUNT, "where id = $1"]).bind(id).optional().await?.ok_or(UNKNOWN)
}

/// Returns the id of an account by its name, ignoring case. Fails when there is none.
pub async fn named(db: &Db, username: &str) -> Result<Uuid> {
    let found: Option<(Uuid,)> = db
        .sql("select id from staff where username_folded = $1")
        .bind(username.trim().to_lowercase())
        .optional()
        .await?;
    found.map(|(id,)| id).ok_or(UNKNOWN)
}

/// The accounts to list. The default is all of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub role: Option<Role>,
    pub disabled: Option<bool>,
}

/// Returns the accounts that match the filter, by name.
pub async fn list(db: &Db, filter: Filter, part: &PageRequest) -> Result<Page<Account>> {
    let after: Option<String> = part.after("accounts")?;
    let rows: Vec<Account> = db
        .sql([
            ACCOUNT,
            "where (cast($1 as text) is null or username_folded > $1)
               and (cast($3 as text) is null or role = $3)
               and (cast($4 as boolean) is null or (disabled_at is not null) = $4)
             order by username_folded
             limit $2",
        ])
        .bind(after)
        .bind(part.limit() + 1)
        .bind(filter.role)
        .bind(filter.disabled)
        .all()
        .await?;
    Ok(part.page("accounts", rows, |row: &Account| row.username.to_lowercase()))
}

/// Returns the names of all active staff, for assigning work.
pub async fn colleagues(db: &Db) -> Result<Vec<String>> {
    let names: Vec<(String,)> = db
        .sql("select username from staff where disabled_at is null order by username_folded")
        .all()
        .await?;
    Ok(names.into_iter().map(|(name,)| name).collect())
}

/// Changes an account for an owner, who confirms with their password: an open session must not be
/// enough to take over an account or to keep its holder out (safety 3).
///
/// # Errors
///
/// Those of [`change`], and [`Error::Invalid`] on `current_password`.
pub async fn change_as(
    app: &App,
    me: &Staff,
    id: Uuid,
    changes: StaffChanges,
    from: ClientInfo,
) -> Result<Account> {
    confirm(app, me, changes.current_password.as_deref(), from).await?;
    change(app, Actor::Staff(me.id), id, changes).await
}

/// Changes an account. Its sessions end when its password, role or active state changes. Its
/// password reset links are revoked then and when its address changes. The last active owner cannot
/// be demoted, even when two owners are demoted at the same time.
///
/// # Errors
///
/// [`Error::Stale`] when the account changed since it was read.
pub async fn change(app: &App, actor: Actor, id: Uuid, changes: StaffChanges) -> Result<Account> {
    let settings = app.settings().await?;
    let mut checks = Validator::new();
    let (username, email) =
        check_names(&mut checks, changes.username.as_deref(), changes.email.as_deref());
    if let Some(new) = &changes.password {
        password::check(&mut checks, "password", new, &settings, &[&settings.site_name]);
    }
    checks.done()?;
    let hash = match &changes.password {
        Some(new) => Some(password::hash(app, new).await?),
        None => None,
    };
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.lock("staff").await?;
    let before = find(&mut tx, id).await?;
    if before.version != changes.version {
        return Err(Error::Stale);
    }
    free(&mut tx, id, username.as_deref(), email.as_deref()).await?;
    update(&mut tx, id, &changes, username.as_deref(), email.as_deref(), hash.as_deref(), now)
        .await?;
    an_owner_is_left(&mut tx).await?;
    let after = find(&mut tx, id).await?;
    let locked_out = after.disabled && !before.disabled;
    if after.role != before.role || locked_out || hash.is_some() {
        sessions::end_all(&mut tx, Holder::Staff(id), None).await?;
    }
    if after.email != before.email || locked_out || hash.is_some() {
        tokens::void(&mut tx, Holder::Staff(id)).await?;
    }
    notify_old_address(&mut tx, app, &before, &after, hash.is_some()).await?;
    if after.role == Role::Owner && before.role != Role::Owner {
        tell_owners(&mut tx, app, actor, &after.username, "promoted").await?;
    }
    let details = differences(&before, &after, hash.is_some());
    audit::record(
        &mut tx,
        now,
        actor,
        Action::StaffChange,
        Subject::new(SubjectKind::Staff, id),
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(after)
}

/// Writes what was changed. What is `None` stays.
async fn update(
    tx: &mut Tx,
    id: Uuid,
    changes: &StaffChanges,
    username: Option<&str>,
    email: Option<&str>,
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
        .bind(email.map(str::to_owned))
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

/// Notifies all owners of an account that one of them added or promoted to owner.
async fn tell_owners(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    name: &str,
    what: &'static str,
) -> Result<()> {
    let Actor::Staff(by) = actor else { return Ok(()) };
    let by = find(&mut *tx, by).await?.username;
    let owners: Vec<(Uuid, String, String)> = tx
        .sql("select id, email, username from staff where role = $1 and disabled_at is null")
        .bind(Role::Owner)
        .all()
        .await?;
    for (id, email, username) in owners {
        let data = json!({ "by": by, "name": name, "what": what });
        let notice = Notice { data, ..Notice::new(AccountMail::StaffAccount, id) };
        notifications::notify(tx, app, notice, &email, &username).await?;
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

/// Deletes an account for an owner, who confirms with their password.
///
/// # Errors
///
/// Those of [`remove`], and [`Error::Invalid`] on `current_password`.
pub async fn remove_as(
    app: &App,
    me: &Staff,
    id: Uuid,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    confirm_password(app, me, given, &from).await?;
    remove(app, Actor::Staff(me.id), id).await
}

/// Deletes an account permanently.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for the last active owner.
pub async fn remove(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.lock("staff").await?;
    let gone = find(&mut tx, id).await?;
    if tx.sql("delete from staff where id = $1").bind(id).execute().await? == 0 {
        return Err(UNKNOWN);
    }
    an_owner_is_left(&mut tx).await?;
    let details = json!({ "role": gone.role, "disabled": gone.disabled });
    audit::record(
        &mut tx,
        now,
        actor,
        Action::StaffRemove,
        Subject::new(SubjectKind::Staff, id),
        details,
    )
    .await?;
    tx.commit().await
}

async fn an_owner_is_left(tx: &mut Tx) -> Result<()> {
    let owners: i64 = tx
        .sql("select count(*) from staff where role = 'owner' and disabled_at is null")
        .scalar()
        .await?;
    match owners {
        0 => Err(LAST_OWNER),
        _ => Ok(()),
    }
}

/// Sends a password reset link to the account's address for an owner, who confirms with their
/// password.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] on `current_password`.
pub async fn send_reset_as(
    app: &App,
    me: &Staff,
    id: Uuid,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    confirm_password(app, me, given, &from).await?;
    send_reset(app, Actor::Staff(me.id), id).await
}

/// Sends a password reset link to the account's address.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn send_reset(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let account = find(&app.db, id).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let mut notice =
        links::with_link(&mut tx, AccountMail::StaffReset, id, Holder::Staff(id)).await?;
    if let Actor::Staff(owner) = actor {
        notice.data["by"] = json!(find(&mut tx, owner).await?.username);
    }
    notifications::notify(&mut tx, app, notice, &account.email, &account.username).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        Action::StaffSendReset,
        Subject::new(SubjectKind::Staff, id),
        Value::Null,
    )
    .await?;
    tx.commit().await
}
