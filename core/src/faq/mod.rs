//! Questions and answers (decision F1): one table for the public page and the staff area.

mod admin;
mod placeholders;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::access::Viewer;
use crate::accounts::ClientInfo;
use crate::clock::Clock;
use crate::db::{Db, Tx};
use crate::pagination::{Page, PageRequest};
use crate::pending_views::{Once, Subject, View};
use crate::rate_limits;
use crate::search_text::normalize;
use crate::settings::Settings;
use crate::{App, Error, Result};

pub use admin::{
    AdminFaq, Changes, Filter, NewFaq, Stats, add, admin_list, change, delete, order, stats,
};
pub use placeholders::{Placeholder, placeholders};

const NOT_FOUND: Error = Error::NotFound("This question no longer exists.");

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[sqlx(type_name = "text")]
#[schema(as = FaqCategory)]
pub enum Category {
    Schedule,
    #[serde(rename = "What to Bring")]
    #[sqlx(rename = "What to Bring")]
    WhatToBring,
    #[serde(rename = "Safety & Security")]
    #[sqlx(rename = "Safety & Security")]
    SafetyAndSecurity,
    Policies,
    Communication,
}

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Faq {
    pub id: Uuid,
    /// Identifies the entry in addresses: `/faq#videos`.
    pub slug: String,
    pub question: String,
    pub answer: String,
    pub category: Category,
    pub topic: Option<String>,
    #[serde(skip)]
    position: i64,
}

/// Returns the published entries in their order, with placeholders replaced from the settings.
pub async fn list(app: &App, settings: &Settings, part: &PageRequest) -> Result<Page<Faq>> {
    let after: Option<(i64, Uuid)> = part.after("faq")?;
    let rows: Vec<Faq> = app
        .db
        .sql(
            "select id, slug, question, answer, category, topic, position
             from faq
             where is_published
               and ($2 is null or (position, id) > ($2, $3))
             order by position, id
             limit $1",
        )
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .all()
        .await?;
    let mut page = part.page("faq", rows, |faq| (faq.position, faq.id));
    let values = placeholders(app, settings).await?;
    for faq in &mut page.items {
        faq.answer = placeholders::fill(&faq.answer, &values);
    }
    Ok(page)
}

/// Counts that somebody opened an answer: once an hour for each reader, excluding staff. Readers
/// who are not signed in are counted up to a limit for each network. The view is written about a
/// second later ([`crate::view_counts`]).
///
/// # Errors
///
/// [`Error::NotFound`], also for an unpublished entry.
pub async fn record_view(app: &App, viewer: &Viewer, id: Uuid, from: &ClientInfo) -> Result<()> {
    let published: i64 = app
        .db
        .sql("select count(*) from faq where id = $1 and is_published")
        .bind(id)
        .scalar()
        .await?;
    if published == 0 {
        return Err(NOT_FOUND);
    }
    let (None, Some(key)) = (viewer.staff_id, viewer.key()) else { return Ok(()) };
    let at = app.clock.now();
    let reader = app.keys.hash("faq-viewer", &[key.as_bytes()]);
    let once = Once { subject: Subject::Answer, id, viewer: reader, hour: hour(at) };
    let networks = rate_limits::of_views(rate_limits::FAQ_VIEWS_BY_ADDRESS, viewer, from.address);
    app.views.add(once, View { at, device: from.device, user_id: viewer.user_id, networks });
    Ok(())
}

/// Writes views that were counted. Those of an entry that was deleted since are lost with it.
pub(crate) async fn write_views(tx: &mut Tx, views: &[(&Once, &View)]) -> Result<()> {
    let mut more = BTreeMap::<Uuid, i64>::new();
    for (once, _) in views {
        let counted = tx
            .sql(
                "insert into faq_views (faq_id, viewer, hour)
                 select id, $2, $3 from faq where id = $1
                 on conflict (faq_id, viewer, hour) do nothing",
            )
            .bind(once.id)
            .bind(once.viewer.clone())
            .bind(once.hour)
            .execute()
            .await?;
        *more.entry(once.id).or_default() += counted as i64;
    }
    for (id, more) in more.into_iter().filter(|(_, more)| *more > 0) {
        tx.sql("update faq set view_count = view_count + $2 where id = $1")
            .bind(id)
            .bind(more)
            .execute()
            .await?;
    }
    Ok(())
}

/// Deletes the records of who opened which answer. The counts stay. Runs hourly.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from faq_views where hour < $1")
        .bind(hour(app.clock.now()) - 1)
        .execute()
        .await?;
    tx.commit().await
}

fn hour(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(3600)
}

/// Adds the default answers to a new camp. They are moved from a table that is empty afterwards, so
/// entries that staff delete do not come back.
pub(crate) async fn begin(db: &Db, clock: &Clock) -> Result<()> {
    #[derive(sqlx::FromRow)]
    struct First {
        topic: String,
        position: i64,
        category: Category,
        question: String,
        answer: String,
    }
    let waiting: i64 = db.sql("select count(*) from faq_first").scalar().await?;
    if waiting == 0 {
        return Ok(());
    }
    let mut tx = db.begin().await?;
    let first: Vec<First> = tx
        .sql("delete from faq_first returning topic, position, category, question, answer")
        .all()
        .await?;
    for row in first {
        let texts =
            Texts { question: row.question, answer: row.answer, topic: Some(row.topic.clone()) };
        let entry = NewEntry {
            id: Uuid::now_v7(),
            slug: &row.topic,
            category: row.category,
            texts: &texts,
            is_published: true,
            position: row.position,
        };
        insert(&mut tx, clock.now(), entry).await?;
    }
    tx.commit().await
}

/// The validated texts of an entry.
pub(crate) struct Texts {
    pub question: String,
    pub answer: String,
    pub topic: Option<String>,
}

/// An entry that is added.
pub(crate) struct NewEntry<'a> {
    pub id: Uuid,
    /// Its part of the address.
    pub slug: &'a str,
    pub category: Category,
    pub texts: &'a Texts,
    pub is_published: bool,
    pub position: i64,
}

pub(crate) async fn insert(tx: &mut Tx, now: DateTime<Utc>, new: NewEntry<'_>) -> Result<()> {
    let NewEntry { id, slug, category, texts, is_published, position } = new;
    tx.sql(
        "insert into faq
           (id, slug, question, answer, category, topic, is_published, position, view_count,
            search_text, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, 1, $10, $10)",
    )
    .bind(id)
    .bind(slug)
    .bind(&texts.question)
    .bind(&texts.answer)
    .bind(category)
    .bind(texts.topic.clone())
    .bind(is_published)
    .bind(position)
    .bind(searchable(&texts.question, &texts.answer))
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

fn searchable(question: &str, answer: &str) -> String {
    normalize(&format!("{question} {answer}"))
}
