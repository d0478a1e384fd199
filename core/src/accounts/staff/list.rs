//! Staff accounts as owners see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::{Role, UNKNOWN};
use crate::Result;
use crate::db::{Db, On};
use crate::email_address::EmailAddress;
use crate::ids::StaffId;
use crate::pagination::{Page, PageRequest};

/// An account as owners see it. No password in any form.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Account {
    pub id: Uuid,
    pub username: String,
    #[schema(value_type = String)]
    pub email: EmailAddress,
    pub role: Role,
    pub disabled: bool,
    pub two_factor: bool,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

const ACCOUNT: &str = "select id, username, email, role, disabled_at is not null as disabled,
                totp_confirmed_at is not null as two_factor, last_sign_in_at, created_at, version
         from staff ";

/// Returns an account.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when there is no such account.
pub async fn find(on: impl Into<On<'_>>, id: StaffId) -> Result<Account> {
    on.into().sql([ACCOUNT, "where id = $1"]).bind(id).optional().await?.ok_or(UNKNOWN)
}

/// Returns the id of an account by its name, ignoring case.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when there is none.
pub async fn named(db: &Db, username: &str) -> Result<StaffId> {
    let found: Option<(StaffId,)> = db
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

/// Counts the accounts that may sign in.
pub(crate) async fn count_active(db: &Db) -> Result<i64> {
    db.sql("select count(*) from staff where disabled_at is null").scalar().await
}

/// Returns the names of all active staff, for assigning work.
pub async fn colleagues(db: &Db) -> Result<Vec<String>> {
    let names: Vec<(String,)> = db
        .sql("select username from staff where disabled_at is null order by username_folded")
        .all()
        .await?;
    Ok(names.into_iter().map(|(name,)| name).collect())
}
