//! Live updates: short announcements that staff post and families read, on the page and by mail.

pub(crate) mod announce;

mod admin;
mod edit;
mod input;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub(crate) use admin::count_active;
pub use admin::{
    AdminFilter, AdminUpdate, Standing, admin_list, find_for_staff, last_author, reach,
};
pub(crate) use edit::end_old_pins;
pub use edit::{Saved, create, delete, edit, expire_due, send_test};
pub use input::{NewUpdate, TestUpdate, UpdateChanges};

use crate::access::Viewer;
use crate::pagination::{Page, PageRequest};
use crate::settings::Settings;
use crate::{App, Error, Result};

pub(crate) const NOT_FOUND: Error = Error::NotFound("Update not found");

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = UpdatePriority)]
pub enum Priority {
    Low,
    #[default]
    Medium,
    High,
}

/// An active update.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct LiveUpdate {
    pub id: Uuid,
    pub title: String,
    pub message: String,
    /// As staff wrote it.
    pub author: String,
    pub priority: Priority,
    pub created_at: DateTime<Utc>,
    /// Until then it stands above the others, except High Priority ones of the last 24 hours.
    pub pinned_until: Option<DateTime<Utc>>,
}

/// How long a High Priority update stands above all others (decision U4).
const TOP_FOR: TimeDelta = TimeDelta::hours(24);

/// The place of an update in lists at the time $2, of which $3 is [`TOP_FOR`] earlier: High Priority
/// ones of the last 24 hours stand first, then pinned ones, then the rest (decision U4). The web has
/// the same rule in `web/src/updates/order.ts`.
const PLACE: &str = "cast(case when u.priority = 'high' and u.created_at > $3 then 2
                                when u.pinned_until > $2 then 1
                                else 0 end as bigint) ";

/// Where a page of a list ends: the time of the first page, then the place, the creation and the id of
/// the last update. All pages have the order of the first one's time, so that an update that changes
/// its place meanwhile is neither missed nor listed twice.
type Position = (DateTime<Utc>, i64, DateTime<Utc>, Uuid);

/// An update at its own address, which stays valid forever (decision U4).
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct LiveUpdatePage {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub update: LiveUpdate,
    /// Withdrawn, expired or deleted: title, message and author are empty.
    pub withdrawn: bool,
}

/// Returns the active updates: High Priority ones of the last 24 hours, then pinned ones, then the
/// rest, each the newest first (decision U4).
///
/// # Errors
///
/// Those of [`Viewer::must_watch`], and [`Error::Invalid`] on `cursor` when it belongs to another
/// order or list.
pub async fn list(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    part: &PageRequest,
) -> Result<Page<LiveUpdate>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        #[sqlx(flatten)]
        update: LiveUpdate,
        place: i64,
    }
    viewer.must_watch(settings.watch_access())?;
    let now = app.clock.now();
    let after: Option<Position> = part.after("updates")?;
    let as_of = after.map_or(now, |(as_of, ..)| as_of);
    let rows: Vec<Row> = app
        .db
        .sql([
            "select * from (
               select u.id, u.title, u.message, u.author, u.priority, u.created_at, u.pinned_until, ",
            PLACE,
            "as place
               from live_updates u
               where u.is_active
                 and (u.expires_at is null or u.expires_at > $1)) u
             where $4 is null or (place, created_at, id) < ($4, $5, $6)
             order by place desc, created_at desc, id desc
             limit $7",
        ])
        .bind(now)
        .bind(as_of)
        .bind(as_of - TOP_FOR)
        .bind(after.map(|a| a.1))
        .bind(after.map(|a| a.2))
        .bind(after.map(|a| a.3))
        .bind(part.limit() + 1)
        .all()
        .await?;
    let Page { items, next } = part.page("updates", rows, |Row { update, place }| {
        (as_of, *place, update.created_at, update.id)
    });
    Ok(Page { items: items.into_iter().map(|row| row.update).collect(), next })
}

/// Returns one update.
///
/// # Errors
///
/// [`Error::NotFound`] when it never existed, and those of [`Viewer::must_watch`].
pub async fn find(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
) -> Result<LiveUpdatePage> {
    let mut page: LiveUpdatePage = app
        .db
        .sql(
            "select id, title, message, author, priority, created_at, pinned_until,
                    not (is_active and (expires_at is null or expires_at > $2)) as withdrawn
             from live_updates
             where id = $1",
        )
        .bind(id)
        .bind(app.clock.now())
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    viewer.must_watch(settings.watch_access())?;
    if page.withdrawn {
        let LiveUpdate { title, message, author, pinned_until, .. } = &mut page.update;
        [title, message, author].into_iter().for_each(String::clear);
        *pinned_until = None;
    }
    Ok(page)
}

/// Returns when the next update expires, if that is before `to`.
///
/// # Errors
///
/// Only those of the database.
pub async fn next_expiry(
    app: &App,
    at: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    app.db
        .sql(
            "select min(expires_at)
             from live_updates
             where is_active and expires_at > $1 and expires_at < $2",
        )
        .bind(at)
        .bind(to)
        .scalar()
        .await
}

/// Returns the public updates, the newest first, for the feed and the sitemap. Empty unless
/// everybody may watch. At most `limit`.
///
/// # Errors
///
/// Only those of the database.
pub async fn public(app: &App, settings: &Settings, limit: i64) -> Result<Vec<LiveUpdate>> {
    if !Viewer::default().may_watch(settings.watch_access()) {
        return Ok(Vec::new());
    }
    app.db
        .sql(
            "select id, title, message, author, priority, created_at, pinned_until
             from live_updates
             where is_active and (expires_at is null or expires_at > $1)
             order by created_at desc, id desc
             limit $2",
        )
        .bind(app.clock.now())
        .bind(limit)
        .all()
        .await
}
