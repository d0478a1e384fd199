//! Accounts of the camp's staff: on the server only, with roles and sessions of their own.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::limits::Attempt;
use super::sessions::{self, Holder};
use super::tokens::Purpose;
use super::users::From;
use super::{letters, password, totp};
use crate::audit::{self, Actor, Subject};
use crate::checks::Checks;
use crate::db::{Db, Tx};
use crate::error::OrTaken;
use crate::notifications::{self, Notice};
use crate::settings::Settings;
use crate::{App, Error, Result};

pub use totp::Enrolment;

/// Owners may do everything; staff everything but admin accounts, settings, exports and the audit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Role {
    Owner,
    Staff,
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Role, String> {
        match text {
            "owner" => Ok(Role::Owner),
            "staff" => Ok(Role::Staff),
            _ => Err("a role is owner or staff".into()),
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Role::Owner => "owner",
            Role::Staff => "staff",
        })
    }
}

/// A member of the staff who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Staff {
    pub id: Uuid,
    pub username: String,
    pub email: String,
    pub role: Role,
    /// An authenticator app is set up.
    pub two_factor: bool,
    /// The settings ask for one.
    pub two_factor_required: bool,
}

impl Staff {
    /// Must set up the second factor before anything else.
    pub fn must_enrol(&self) -> bool {
        self.two_factor_required && !self.two_factor
    }
}

/// An account as its row has it; the password's hash never leaves this module.
#[derive(Clone, sqlx::FromRow)]
pub struct StaffRow {
    pub id: Uuid,
    pub username: String,
    pub email: String,
    password_hash: String,
    pub role: Role,
    pub disabled_at: Option<DateTime<Utc>>,
    totp_secret: Option<String>,
    totp_confirmed_at: Option<DateTime<Utc>>,
}

impl StaffRow {
    pub(super) fn to_staff(&self, settings: &Settings) -> Staff {
        Staff {
            id: self.id,
            username: self.username.clone(),
            email: self.email.clone(),
            role: self.role,
            two_factor: self.totp_confirmed_at.is_some(),
            two_factor_required: settings.enable_two_factor,
        }
    }
}

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
}

/// What owners may change; what is left out stays.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StaffChanges {
    pub username: Option<String>,
    pub email: Option<String>,
    pub role: Option<Role>,
    pub disabled: Option<bool>,
    pub password: Option<String>,
}

pub const WRONG: &str =
    "Invalid username or password. Please check your credentials and try again.";
const LAST_OWNER: Error = Error::Conflict("Cannot delete the last admin account");
const UNKNOWN: Error =
    Error::NotFound("There is no such account. `camp admin list` names them all.");

fn check_names(
    checks: &mut Checks,
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

/// Adds an account. Errors: [`Error::Invalid`], [`Error::Taken`] on `username` or `email`.
pub async fn add(app: &App, actor: Actor, new: NewStaff) -> Result<Account> {
    let settings = app.settings().await?;
    let mut checks = Checks::new();
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
    audit::record(&mut tx, now, actor, "staff.add", Subject::new("staff", id), details).await?;
    tx.commit().await?;
    find(&app.db, id).await
}

/// Names and addresses are unique among staff, whatever their case.
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

pub async fn find(db: &Db, id: Uuid) -> Result<Account> {
    db.sql(
        "select id, username, email, role, disabled_at is not null as disabled,
                totp_confirmed_at is not null as two_factor, last_sign_in_at, created_at, version
         from staff where id = $1",
    )
    .bind(id)
    .optional()
    .await?
    .ok_or(UNKNOWN)
}

/// The id of an account by its name, in any case.
pub async fn named(db: &Db, username: &str) -> Result<Uuid> {
    let found: Option<(Uuid,)> = db
        .sql("select id from staff where username_folded = $1")
        .bind(username.trim().to_lowercase())
        .optional()
        .await?;
    found.map(|(id,)| id).ok_or(UNKNOWN)
}

/// All accounts by name.
pub async fn list(db: &Db) -> Result<Vec<Account>> {
    db.sql(
        "select id, username, email, role, disabled_at is not null as disabled,
                totp_confirmed_at is not null as two_factor, last_sign_in_at, created_at, version
         from staff order by username_folded limit 500",
    )
    .all()
    .await
}

/// Changes an account. Its sessions end when its password, role or standing change. The last
/// active owner stays one, also when two are being demoted at the same moment.
pub async fn change(app: &App, actor: Actor, id: Uuid, changes: StaffChanges) -> Result<Account> {
    let settings = app.settings().await?;
    let mut checks = Checks::new();
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
    tx.serialize("staff").await?;
    free(&mut tx, id, username.as_deref(), email.as_deref()).await?;
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
             where id = $1",
        )
        .bind(id)
        .bind(username.clone())
        .bind(username.as_ref().map(|name| name.to_lowercase()))
        .bind(email.clone())
        .bind(changes.role)
        .bind(changes.disabled)
        .bind(now)
        .bind(hash.clone())
        .execute()
        .await
        .or_taken("username", "Username already exists")?;
    if changed == 0 {
        return Err(UNKNOWN);
    }
    an_owner_is_left(&mut tx).await?;
    if changes.role.is_some() || changes.disabled == Some(true) || hash.is_some() {
        sessions::end_all(&mut tx, Holder::Staff(id), None).await?;
    }
    let details = json!({
        "username": username.is_some(), "email": email.is_some(), "role": changes.role,
        "disabled": changes.disabled, "password": hash.is_some(),
    });
    audit::record(&mut tx, now, actor, "staff.change", Subject::new("staff", id), details).await?;
    tx.commit().await?;
    find(&app.db, id).await
}

/// Deletes an account for good.
pub async fn remove(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.serialize("staff").await?;
    if tx.sql("delete from staff where id = $1").bind(id).execute().await? == 0 {
        return Err(UNKNOWN);
    }
    an_owner_is_left(&mut tx).await?;
    audit::record(&mut tx, now, actor, "staff.remove", Subject::new("staff", id), Value::Null)
        .await?;
    tx.commit().await
}

/// Takes the second factor off an account whose phone is lost. At the command line only.
pub async fn reset_two_factor(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    take_factor_off(&mut tx, id).await?;
    sessions::end_all(&mut tx, Holder::Staff(id), None).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        "staff.reset_two_factor",
        Subject::new("staff", id),
        Value::Null,
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

/// A link to choose a new password goes to the account's address.
pub async fn send_reset(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let account = find(&app.db, id).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let notice = Notice::new(letters::STAFF_RESET, id);
    notifications::tell(&mut tx, app, notice, &account.email, &account.username).await?;
    audit::record(&mut tx, now, actor, "staff.send_reset", Subject::new("staff", id), Value::Null)
        .await?;
    tx.commit().await
}

pub(super) async fn password_was_reset(tx: &mut Tx, app: &App, id: Uuid, hash: &str) -> Result<()> {
    let now = app.clock.now();
    tx.sql(
        "update staff set password_hash = $2, updated_at = $3, version = version + 1 where id = $1",
    )
    .bind(id)
    .bind(hash)
    .bind(now)
    .execute()
    .await?;
    sessions::end_all(tx, Holder::Staff(id), None).await?;
    audit::record(
        tx,
        now,
        Actor::Staff(id),
        "staff.change_password",
        Subject::new("staff", id),
        Value::Null,
    )
    .await
}

/// A member of the staff who has just signed in, with the token for the cookie.
pub struct SignedIn {
    pub staff: Staff,
    pub token: String,
}

/// Signs in with the password and, where it is set up, a code of the authenticator app or a
/// recovery code. The same error, after the same time, for unknown, wrong and disabled.
pub async fn sign_in(
    app: &App,
    username: &str,
    given: &str,
    code: Option<&str>,
    from: From,
) -> Result<SignedIn> {
    let settings = app.settings().await?;
    let name = username.trim().to_lowercase();
    let attempt =
        Attempt::begin(app, "staff", &name, from.address, settings.max_login_attempts).await?;
    let row: Option<StaffRow> =
        app.db.sql("select * from staff where username_folded = $1").bind(&name).optional().await?;
    let stored = row.as_ref().map(|row| row.password_hash.as_str());
    let verdict = password::verify(app, given, stored).await?;
    let now = app.clock.now();
    let right = matches!(verdict, password::Verdict::Right | password::Verdict::RightButOld);
    let Some(row) = row.filter(|row| right && row.disabled_at.is_none()) else {
        refused(app, None).await?;
        return Err(Error::InvalidCredentials(WRONG));
    };
    let rehash = match verdict {
        password::Verdict::RightButOld => Some(password::hash(app, given).await?),
        _ => None,
    };
    let mut tx = app.db.begin().await?;
    if let (Some(secret), Some(_)) = (&row.totp_secret, row.totp_confirmed_at) {
        let Some(code) = code.map(str::trim).filter(|code| !code.is_empty()) else {
            // It stays counted: else a right password would take the brake off guessing codes.
            return Err(Error::SecondFactorRequired);
        };
        let good = totp::spend_code(&mut tx, row.id, secret, code, now.timestamp()).await?
            || totp::spend_recovery_code(&mut tx, row.id, code, now).await?;
        if !good {
            tx.rollback().await?;
            refused(app, Some(row.id)).await?;
            return Err(Error::InvalidCredentials(
                "This code is not right or was used already. Please wait for the next one.",
            ));
        }
    }
    tx.sql(
        "update staff set last_sign_in_at = $2, password_hash = coalesce($3, password_hash)
         where id = $1",
    )
    .bind(row.id)
    .bind(now)
    .bind(rehash)
    .execute()
    .await?;
    let token = sessions::begin(&mut tx, app, Holder::Staff(row.id), from.device).await?;
    let (actor, subject) = (Actor::Staff(row.id), Subject::new("staff", row.id));
    audit::record(&mut tx, now, actor, "staff.sign_in", subject, Value::Null).await?;
    tx.commit().await?;
    attempt.succeeded(app).await?;
    Ok(SignedIn { staff: row.to_staff(&settings), token })
}

async fn refused(app: &App, id: Option<Uuid>) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let subject = id.map_or(Subject::none("staff"), |id| Subject::new("staff", id));
    let now = app.clock.now();
    audit::record(&mut tx, now, Actor::Nobody, "staff.sign_in_refused", subject, Value::Null)
        .await?;
    tx.commit().await
}

/// Begins to set up an authenticator app; nothing changes for sign-in before [`confirm_two_factor`].
pub async fn begin_two_factor(app: &App, staff: &Staff) -> Result<Enrolment> {
    if staff.two_factor {
        return Err(Error::Conflict(
            "Two-factor is on already. Turn it off first to change the phone.",
        ));
    }
    let settings = app.settings().await?;
    let secret = totp::fresh_secret();
    let mut tx = app.db.begin().await?;
    tx.sql("update staff set totp_secret = $2, totp_last_step = null where id = $1 and totp_confirmed_at is null")
        .bind(staff.id)
        .bind(&secret)
        .execute()
        .await?;
    tx.commit().await?;
    totp::enrolment(&secret, &settings.site_name, &staff.username)
}

/// Turns two-factor on with a first code; returns the recovery codes, shown this once.
pub async fn confirm_two_factor(app: &App, staff: &Staff, code: &str) -> Result<Vec<String>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let row: StaffRow = tx.sql("select * from staff where id = $1").bind(staff.id).one().await?;
    let Some(secret) = row.totp_secret.filter(|_| row.totp_confirmed_at.is_none()) else {
        return Err(Error::Conflict("Please begin the set-up of two-factor again."));
    };
    if !totp::spend_code(&mut tx, staff.id, &secret, code, now.timestamp()).await? {
        return Err(Error::invalid(
            "code",
            "This code is not right. Please check the clock of your phone.",
        ));
    }
    tx.sql("update staff set totp_confirmed_at = $2 where id = $1")
        .bind(staff.id)
        .bind(now)
        .execute()
        .await?;
    let codes = totp::renew_recovery_codes(&mut tx, staff.id).await?;
    let (actor, subject) = (Actor::Staff(staff.id), Subject::new("staff", staff.id));
    audit::record(&mut tx, now, actor, "staff.two_factor_on", subject, Value::Null).await?;
    tx.commit().await?;
    Ok(codes)
}

/// Turns two-factor off again, with the password.
pub async fn end_two_factor(app: &App, staff: &Staff, given: &str, from: From) -> Result<()> {
    if staff.two_factor_required {
        return Err(Error::Conflict(
            "The camp's settings require two-factor for every staff account.",
        ));
    }
    let settings = app.settings().await?;
    let name = staff.username.to_lowercase();
    let attempt =
        Attempt::begin(app, "staff", &name, from.address, settings.max_login_attempts).await?;
    let hash: String =
        app.db.sql("select password_hash from staff where id = $1").bind(staff.id).scalar().await?;
    if matches!(password::verify(app, given, Some(&hash)).await?, password::Verdict::Wrong) {
        return Err(Error::invalid("current_password", "This is not your current password."));
    }
    attempt.succeeded(app).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    take_factor_off(&mut tx, staff.id).await?;
    let (actor, subject) = (Actor::Staff(staff.id), Subject::new("staff", staff.id));
    audit::record(&mut tx, now, actor, "staff.two_factor_off", subject, Value::Null).await?;
    tx.commit().await
}

async fn take_factor_off(tx: &mut Tx, id: Uuid) -> Result<()> {
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

/// The token of a reset link is made for the letter.
pub(super) const RESET: Purpose = Purpose::StaffReset;
