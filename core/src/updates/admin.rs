//! Updates as staff see them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{LiveUpdate, NOT_FOUND, Priority};
use crate::db::{On, Sql};
use crate::notifications::{self, Category, Tally};
use crate::pagination::{Page, PageRequest};
use crate::search_text::optional_pattern;
use crate::settings::Settings;
use crate::{App, Result};

/// An update as staff see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AdminUpdate {
    #[serde(flatten)]
    pub update: LiveUpdate,
    /// Shown to families now.
    pub is_active: bool,
    /// User name of the account that posted it.
    pub posted_by: Option<String>,
    pub expires_at: Option<DateTime<Utc>>,
    pub version: i64,
    /// Whether families have been notified, which happens once.
    pub announced: bool,
    /// The delivery counts of its mails.
    pub deliveries: Option<Tally>,
}

fn admin_update() -> Sql {
    Sql::from([
            "select u.id, u.title, u.message, u.author, u.priority, u.created_at, u.pinned,
                    u.is_active and (u.expires_at is null or u.expires_at > $1) as is_active,
                    s.username as posted_by, u.expires_at, u.version, n.id is not null as announced, ",
            notifications::TALLY_COLUMNS,
            "from live_updates u
             left join staff s on s.id = u.posted_by
             left join notifications n on n.subject_id = u.id and n.kind = 'update' ",
    ])
}

#[derive(sqlx::FromRow)]
struct Row {
    #[sqlx(flatten)]
    update: LiveUpdate,
    is_active: bool,
    posted_by: Option<String>,
    expires_at: Option<DateTime<Utc>>,
    version: i64,
    announced: bool,
    #[sqlx(flatten)]
    deliveries: Tally,
}

impl From<Row> for AdminUpdate {
    fn from(row: Row) -> AdminUpdate {
        let Row { update, is_active, posted_by, expires_at, version, announced, deliveries } = row;
        let deliveries = announced.then_some(deliveries);
        AdminUpdate { update, is_active, posted_by, expires_at, version, announced, deliveries }
    }
}

/// Whether an update is visible to families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = UpdateStanding)]
pub enum Standing {
    Active,
    /// Hidden by staff before its end.
    Inactive,
    /// Past its end.
    Expired,
}

/// The filter of the staff's list.
#[derive(Debug, Default)]
pub struct AdminFilter {
    /// Searched in title, message and author.
    pub q: Option<String>,
    pub standing: Option<Standing>,
    pub priority: Option<Priority>,
    pub part: PageRequest,
}

/// Returns the updates that match the filter, without deleted ones, the newest first.
pub async fn admin_list(app: &App, filter: &AdminFilter) -> Result<Page<AdminUpdate>> {
    let AdminFilter { q, standing, priority, part } = filter;
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("update desk")?;
    let rows: Vec<Row> = app
        .db
        .sql(admin_update().and(
            "where u.deleted_at is null
               and ($2 is null or u.search_text like $2 escape '\\')
               and ($4 is null or (u.created_at, u.id) < ($4, $5))
               and (cast($6 as text) is null or u.priority = $6)
               and (cast($7 as text) is null
                    or $7 = case when u.expires_at <= $1 then 'expired'
                                 when u.is_active then 'active'
                                 else 'inactive' end)
             order by u.created_at desc, u.id desc
             limit $3",
        ))
        .bind(app.clock.now())
        .bind(optional_pattern(q.as_deref()))
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .bind(*priority)
        .bind(*standing)
        .all()
        .await?;
    let rows = rows.into_iter().map(AdminUpdate::from).collect();
    Ok(part.page("update desk", rows, |row: &AdminUpdate| (row.update.created_at, row.update.id)))
}

/// Counts the addresses that would get mail if an update were posted now (decision U2).
pub async fn reach(app: &App, settings: &Settings) -> Result<i64> {
    notifications::reach(&app.db, settings, Category::CampUpdates).await
}

/// Returns an update that is not deleted.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn find_for_staff(
    on: impl Into<On<'_>>,
    now: DateTime<Utc>,
    id: Uuid,
) -> Result<AdminUpdate> {
    let row: Option<Row> = on
        .into()
        .sql(admin_update().and("where u.id = $2 and u.deleted_at is null"))
        .bind(now)
        .bind(id)
        .optional()
        .await?;
    row.map(AdminUpdate::from).ok_or(NOT_FOUND)
}
