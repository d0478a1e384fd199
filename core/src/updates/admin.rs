//! Updates as staff see them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{LiveUpdate, NOT_FOUND, PLACE, Position, Priority, TOP_FOR};
use crate::db::On;
use crate::ids::StaffId;
use crate::notifications::{self, Category, TALLY_COLUMNS, Tally};
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
    /// Whether it did not wait for the end of quiet time.
    pub urgent: bool,
    /// Whether families have been notified, which happens once.
    pub announced: bool,
    /// The delivery counts of its mails.
    pub deliveries: Option<Tally>,
}

const COLUMNS: &str =
    "u.id, u.title, u.message, u.author, u.priority, u.created_at, u.pinned_until,
         u.is_active and (u.expires_at is null or u.expires_at > $1) as is_active,
         s.username as posted_by, u.expires_at, u.version, u.urgent,
         n.id is not null as announced, ";

const JOINS: &str = "left join staff s on s.id = u.posted_by
     left join notifications n on n.subject_id = u.id and n.kind = 'update' ";

#[derive(sqlx::FromRow)]
struct Row {
    #[sqlx(flatten)]
    update: LiveUpdate,
    is_active: bool,
    posted_by: Option<String>,
    expires_at: Option<DateTime<Utc>>,
    version: i64,
    urgent: bool,
    announced: bool,
    #[sqlx(flatten)]
    deliveries: Tally,
}

impl From<Row> for AdminUpdate {
    fn from(row: Row) -> AdminUpdate {
        let Row {
            update,
            is_active,
            posted_by,
            expires_at,
            version,
            urgent,
            announced,
            deliveries,
        } = row;
        let deliveries = announced.then_some(deliveries);
        AdminUpdate {
            update,
            is_active,
            posted_by,
            expires_at,
            version,
            urgent,
            announced,
            deliveries,
        }
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

/// Returns the updates that match the filter, without deleted ones: those that families see in their
/// order (decision U4), then the rest, the newest first.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn admin_list(app: &App, filter: &AdminFilter) -> Result<Page<AdminUpdate>> {
    #[derive(sqlx::FromRow)]
    struct Listed {
        #[sqlx(flatten)]
        row: Row,
        place: i64,
    }
    let AdminFilter { q, standing, priority, part } = filter;
    let now = app.clock.now();
    let after: Option<Position> = part.after("updates for staff")?;
    let as_of = after.map_or(now, |(as_of, ..)| as_of);
    let rows: Vec<Listed> = app
        .db
        .sql([
            "select ",
            COLUMNS,
            "u.place, ",
            TALLY_COLUMNS,
            "from (select * from (
                     select u.*,
                            case when u.is_active and (u.expires_at is null or u.expires_at > $1) then ",
            PLACE,
            "else 0 end as place
                     from live_updates u
                     where u.deleted_at is null
                       and ($8 is null or u.search_text like $8 escape '\\')
                       and (cast($9 as text) is null or u.priority = $9)
                       and (cast($10 as text) is null
                            or $10 = case when u.expires_at <= $1 then 'expired'
                                          when u.is_active then 'active'
                                          else 'inactive' end)) u
                   where $4 is null or (place, created_at, id) < ($4, $5, $6)
                   order by place desc, created_at desc, id desc
                   limit $7) u ",
            JOINS,
            "order by u.place desc, u.created_at desc, u.id desc",
        ])
        .bind(now)
        .bind(as_of)
        .bind(as_of - TOP_FOR)
        .bind(after.map(|a| a.1))
        .bind(after.map(|a| a.2))
        .bind(after.map(|a| a.3))
        .bind(part.limit() + 1)
        .bind(optional_pattern(q.as_deref()))
        .bind(*priority)
        .bind(*standing)
        .all()
        .await?;
    let Page { items, next } = part.page("updates for staff", rows, |Listed { row, place }| {
        (as_of, *place, row.update.created_at, row.update.id)
    });
    Ok(Page { items: items.into_iter().map(|listed| listed.row.into()).collect(), next })
}

/// Counts the updates that families see now.
pub(crate) async fn count_active(app: &App) -> Result<i64> {
    app.db
        .sql(
            "select count(*) from live_updates
             where is_active and (expires_at is null or expires_at > $1)",
        )
        .bind(app.clock.now())
        .scalar()
        .await
}

/// Counts the addresses that would get mail if an update were posted now (decision U2).
///
/// # Errors
///
/// Only those of the database.
pub async fn reach(app: &App, settings: &Settings) -> Result<i64> {
    notifications::kept_reach(app, settings, Category::CampUpdates).await
}

/// Returns the author's name in the last update that this account posted.
///
/// # Errors
///
/// Only those of the database.
pub async fn last_author(app: &App, staff_id: StaffId) -> Result<Option<String>> {
    let author: Option<(String,)> = app
        .db
        .sql(
            "select author from live_updates
             where posted_by = $1 and deleted_at is null
             order by created_at desc, id desc
             limit 1",
        )
        .bind(staff_id)
        .optional()
        .await?;
    Ok(author.map(|(author,)| author))
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
        .sql([
            "select ",
            COLUMNS,
            TALLY_COLUMNS,
            "from live_updates u ",
            JOINS,
            "where u.id = $2 and u.deleted_at is null",
        ])
        .bind(now)
        .bind(id)
        .optional()
        .await?;
    row.map(AdminUpdate::from).ok_or(NOT_FOUND)
}
