//! Owners and the command line add and remove staff accounts, and send reset links.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::credentials::{Authority, ConfirmedOwner};
use super::list::{Account, find};
use super::{Role, Staff, UNKNOWN};
use crate::accounts::ClientInfo;
use crate::accounts::sessions::Holder;
use crate::accounts::{links, password};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{On, Sql, Texts, Tx};
use crate::email_address::EmailAddress;
use crate::error::OrTaken;
use crate::ids::StaffId;
use crate::notifications::{self, AccountMail, Notice};
use crate::validation::Validator;
use crate::{App, Error, Result};

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

const LAST_OWNER: Error = Error::Conflict("Cannot delete the last admin account");
const LAST_OWNER_STAYS: Error = Error::Conflict(
    "This is the last owner who can sign in. Please make somebody else an owner first.",
);

pub(super) fn check_names(
    checks: &mut Validator,
    username: Option<&str>,
    email: Option<&str>,
) -> (Option<String>, Option<EmailAddress>) {
    let missing = "All fields are required";
    let username = username.map(|name| {
        let name = checks.line("username", name, 60);
        checks.require(!name.is_empty(), "username", missing);
        name
    });
    let email = email.and_then(|email| match email.trim().is_empty() {
        true => {
            checks.refuse("email", missing);
            None
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
/// Those of [`add`], [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many wrong
/// passwords, [`Error::StaffRequired`] if the owner's account was deleted meanwhile.
pub async fn add_as(app: &App, me: &Staff, new: NewStaff, from: ClientInfo) -> Result<Account> {
    let owner = confirm(app, me, new.current_password.as_deref(), from).await?;
    insert(app, Authority::Owner(&owner), new).await
}

pub(super) async fn confirm(
    app: &App,
    me: &Staff,
    given: Option<&str>,
    from: ClientInfo,
) -> Result<ConfirmedOwner> {
    let Some(given) = given else {
        let text = "Please enter your current password.";
        return Err(Error::invalid("current_password", text));
    };
    ConfirmedOwner::of(app, me, given, &from).await
}

/// Adds an account.
///
/// # Errors
///
/// [`Error::Invalid`] on `username`, `email` or `password`, [`Error::Taken`] on `username` or `email`.
pub async fn add(app: &App, actor: Actor, new: NewStaff) -> Result<Account> {
    insert(app, Authority::Other(actor), new).await
}

async fn insert(app: &App, by: Authority<'_>, new: NewStaff) -> Result<Account> {
    let settings = app.settings().await?;
    let mut checks = Validator::new();
    let (username, email) = check_names(&mut checks, Some(&new.username), Some(&new.email));
    let username = username.unwrap_or_default();
    let address = email.as_deref().unwrap_or_default();
    let known = [username.as_str(), address, settings.site_name.as_str()];
    password::check(&mut checks, "password", &new.password, &settings, &known);
    let email = checks.done_with(email)?;
    let hash = password::hash(app, &new.password).await?;
    let now = app.clock.now();
    let id = StaffId::generate();
    let mut tx = app.db.begin().await?;
    by.begin(&mut tx).await?;
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
        by.actor(),
        Action::StaffAdd,
        Subject::new(SubjectKind::Staff, id),
        details,
    )
    .await?;
    let what = if new.role == Role::Owner { "added_owner" } else { "added" };
    tell_owners(&mut tx, app, by.actor(), &username, what).await?;
    tx.commit().await?;
    find(&app.db, id).await
}

/// Names and addresses are unique among staff, ignoring case.
pub(super) async fn free(
    tx: &mut Tx,
    id: StaffId,
    username: Option<&str>,
    email: Option<&EmailAddress>,
) -> Result<()> {
    let taken: Vec<(bool, bool)> = tx
        .sql("select username_folded = $2, email = $3 from staff where id <> $1 and (username_folded = $2 or email = $3)")
        .bind(id)
        .bind(username.map(str::to_lowercase).unwrap_or_default())
        .bind(email.map_or("", |email| email.as_str()))
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

/// Notifies all owners of an account that one of them added or promoted to owner.
pub(super) async fn tell_owners(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    name: &str,
    what: &'static str,
) -> Result<()> {
    let Actor::Staff(by) = actor else { return Ok(()) };
    let by = find(&mut *tx, by).await?.username;
    let owners: Vec<(StaffId, EmailAddress, String)> = tx
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

/// Deletes an account for an owner, who confirms with their password.
///
/// # Errors
///
/// Those of [`remove`], [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many wrong
/// passwords, [`Error::StaffRequired`] if the owner's account was deleted meanwhile.
pub async fn remove_as(
    app: &App,
    me: &Staff,
    id: StaffId,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    let owner = ConfirmedOwner::of(app, me, given, &from).await?;
    delete(app, Authority::Owner(&owner), id).await
}

/// Deletes an account permanently.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account, [`Error::Conflict`] for the last active owner.
pub async fn remove(app: &App, actor: Actor, id: StaffId) -> Result<()> {
    delete(app, Authority::Other(actor), id).await
}

async fn delete(app: &App, by: Authority<'_>, id: StaffId) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    by.begin(&mut tx).await?;
    let gone = find(&mut tx, id).await?;
    // A payment that this account is recording right now keeps the account's name, or is refused.
    On::from(&mut tx)
        .either(Texts {
            sqlite: Sql::from("select id from staff where id = $1"),
            postgres: Sql::from("select id from staff where id = $1 for update"),
        })
        .bind(id)
        .optional::<(StaffId,)>()
        .await?;
    keep_name(&mut tx, now, id, &gone.username).await?;
    if tx.sql("delete from staff where id = $1").bind(id).execute().await? == 0 {
        return Err(UNKNOWN);
    }
    if !has_owner(&mut tx).await? {
        return Err(LAST_OWNER);
    }
    notifications::erase_staff(&mut tx, app, id, &gone.email, &gone.username).await?;
    let details = json!({ "role": gone.role, "disabled": gone.disabled });
    audit::record(
        &mut tx,
        now,
        by.actor(),
        Action::StaffRemove,
        Subject::new(SubjectKind::Staff, id),
        details,
    )
    .await?;
    tx.commit().await
}

/// Keeps the name for the log and the ledger, which continue to say who did what and who took the
/// money (decision S6).
async fn keep_name(tx: &mut Tx, now: DateTime<Utc>, id: StaffId, username: &str) -> Result<()> {
    tx.sql(
        "insert into former_staff (id, username, username_folded, deleted_at)
         values ($1, $2, $3, $4)",
    )
    .bind(id)
    .bind(username)
    .bind(username.to_lowercase())
    .bind(now)
    .execute()
    .await?;
    tx.sql("update payments set recorded_by_former = $1 where recorded_by = $1")
        .bind(id)
        .execute()
        .await?;
    Ok(())
}

/// Refuses a change after which no owner can sign in.
pub(super) async fn an_owner_is_left(tx: &mut Tx) -> Result<()> {
    if has_owner(tx).await? { Ok(()) } else { Err(LAST_OWNER_STAYS) }
}

async fn has_owner(tx: &mut Tx) -> Result<bool> {
    let owners: i64 = tx
        .sql("select count(*) from staff where role = 'owner' and disabled_at is null")
        .scalar()
        .await?;
    Ok(owners > 0)
}

/// Sends a password reset link to the account's address for an owner, who confirms with their
/// password.
///
/// # Errors
///
/// Those of [`send_reset`], [`Error::Invalid`] on `current_password`, [`Error::TooMany`] after many
/// wrong passwords, [`Error::StaffRequired`] if the owner's account was deleted meanwhile.
pub async fn send_reset_as(
    app: &App,
    me: &Staff,
    id: StaffId,
    given: &str,
    from: ClientInfo,
) -> Result<()> {
    let owner = ConfirmedOwner::of(app, me, given, &from).await?;
    send_reset(app, &owner, id).await
}

/// Sends a password reset link to the account's address.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such account.
async fn send_reset(app: &App, owner: &ConfirmedOwner, id: StaffId) -> Result<()> {
    let account = find(&app.db, id).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    owner.still_may(&mut tx).await?;
    let mut notice =
        links::with_link(&mut tx, AccountMail::StaffReset, id, Holder::Staff(id)).await?;
    if let Actor::Staff(by) = owner.actor() {
        notice.data["by"] = json!(find(&mut tx, by).await?.username);
    }
    notifications::notify(&mut tx, app, notice, &account.email, &account.username).await?;
    audit::record(
        &mut tx,
        now,
        owner.actor(),
        Action::StaffSendReset,
        Subject::new(SubjectKind::Staff, id),
        Value::Null,
    )
    .await?;
    tx.commit().await
}
