//! Live updates: short announcements that staff post and families read, on the page and by mail.

pub mod announce;

mod admin;
mod edit;
mod input;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use admin::{AdminFilter, AdminUpdate, Standing, admin_list, find_for_staff, reach};
pub use edit::{Saved, create, delete, edit, expire_due};
pub use input::{NewUpdate, UpdateChanges};

use crate::access::Viewer;
use crate::pagination::{Page, PageRequest};
use crate::settings::Settings;
use crate::{App, Error, Result};

pub const NOT_FOUND: Error = Error::NotFound("Update not found");

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
    /// Shown above the others.
    pub pinned: bool,
}

/// An update at its own address, which stays valid forever (decision U4).
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct LiveUpdatePage {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub update: LiveUpdate,
    /// Withdrawn, expired or deleted: title, message and author are empty.
    pub withdrawn: bool,
}

/// Returns the active updates, the pinned ones first, then the newest.
///
/// # Errors
///
/// Those of [`Viewer::must_watch`].
pub async fn list(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    part: &PageRequest,
) -> Result<Page<LiveUpdate>> {
    viewer.must_watch(settings.access)?;
    let after: Option<(bool, DateTime<Utc>, Uuid)> = part.after("updates")?;
    let rows: Vec<LiveUpdate> = app
        .db
        .sql(
            "select id, title, message, author, priority, created_at, pinned
             from live_updates
             where is_active
               and (expires_at is null or expires_at > $1)
               and ($3 is null or (pinned, created_at, id) < ($3, $4, $5))
             order by pinned desc, created_at desc, id desc
             limit $2",
        )
        .bind(app.clock.now())
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .bind(after.map(|a| a.2))
        .all()
        .await?;
    Ok(part.page("updates", rows, |update| (update.pinned, update.created_at, update.id)))
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
            "select id, title, message, author, priority, created_at, pinned,
                    not (is_active and (expires_at is null or expires_at > $2)) as withdrawn
             from live_updates
             where id = $1",
        )
        .bind(id)
        .bind(app.clock.now())
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    viewer.must_watch(settings.access)?;
    if page.withdrawn {
        let LiveUpdate { title, message, author, pinned, .. } = &mut page.update;
        [title, message, author].into_iter().for_each(String::clear);
        *pinned = false;
    }
    Ok(page)
}

/// Returns the public updates, the newest first, for the feed and the sitemap. Empty unless
/// everybody may watch. At most `limit`.
pub async fn public(app: &App, settings: &Settings, limit: i64) -> Result<Vec<LiveUpdate>> {
    if !Viewer::default().may_watch(settings.access) {
        return Ok(Vec::new());
    }
    app.db
        .sql(
            "select id, title, message, author, priority, created_at, pinned
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
