//! Comments on videos and their moderation (decisions C1 and S3).

mod admin;
mod queue;
mod reports;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::access::Viewer;
use crate::db::{Db, Tx};
use crate::events::{self, Event};
use crate::ids::UserId;
use crate::pagination::{Page, PageRequest};
use crate::rate_limits;
use crate::search_text::normalize;
use crate::settings::{Moderation, Settings};
use crate::text;
use crate::validation::Validator;
use crate::videos::{self, must_be_open};
use crate::{App, Error, Result};

pub use admin::{approve, delete, hide, show};
pub use queue::{AdminComment, QueueCounts, QueueFilter, counts, list_for_staff, queue};
pub use reports::{
    KeepComment, Report, ReportCategory, ReportReason, keep, may_report, reopen, report,
};

const LONGEST: usize = 2000;
const NOT_FOUND: Error = Error::NotFound("This comment no longer exists.");

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Comment {
    pub id: Uuid,
    /// The writer's name at the time.
    pub author_name: String,
    pub content: String,
    pub created_at: DateTime<Utc>,
    /// Whether the viewer wrote it.
    pub mine: bool,
    /// Waits for review. Only its author and staff see it.
    pub held: bool,
}

#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewComment {
    /// 1 to 2000 characters.
    pub content: String,
}

impl NewComment {
    fn check(&self) -> Result<String> {
        let mut checks = Validator::new();
        let content =
            checks.block("content", &few_empty_lines(&text::clean(&self.content)), LONGEST);
        checks.require(!content.is_empty(), "content", "Please write a comment first.");
        checks.done()?;
        Ok(content)
    }
}

/// Reduces several empty lines in a row to one: a comment of few words must not push the comments
/// below it out of sight.
fn few_empty_lines(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        let is_second =
            line.trim().is_empty() && kept.last().is_some_and(|last| last.trim().is_empty());
        if !is_second {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// Applies the rate limit of comments. Call it before [`post`], outside its transaction.
///
/// # Errors
///
/// [`Error::SignInRequired`], [`Error::TooMany`]
pub async fn may_post(app: &App, viewer: &Viewer) -> Result<()> {
    let user_id = viewer.user_id.ok_or(Error::SignInRequired)?;
    rate_limits::count(app, rate_limits::COMMENTS_BY_USER, &user_id.to_string()).await
}

/// Posts a comment under the user's current name. Where first comments are moderated, all comments
/// of a user wait until one is approved.
///
/// # Errors
///
/// [`Error::SignInRequired`], `email_unverified`, [`Error::Invalid`], and those of the video's
/// page.
pub async fn post(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    video_id: Uuid,
    new: &NewComment,
) -> Result<Comment> {
    let user_id = viewer.user_id.ok_or(Error::SignInRequired)?;
    must_be_open(&mut *tx, settings, viewer, video_id).await?;
    let (full_name, verified_at): (String, Option<DateTime<Utc>>) = tx
        .sql("select full_name, verified_at from users where id = $1")
        .bind(user_id)
        .optional()
        .await?
        .ok_or(Error::SignInRequired)?;
    if settings.require_email_verification && verified_at.is_none() {
        return Err(Error::Forbidden {
            code: "email_unverified",
            text: "Please confirm your email before you comment.",
        });
    }
    let content = new.check()?;
    let held = settings.comment_moderation == Moderation::FirstHeld
        && !has_visible_comment(tx, user_id).await?;
    // Counting first locks the video, so that it cannot be deleted in between.
    videos::hold_for_comment(tx, video_id, i64::from(!held)).await?;
    let name = match full_name.trim() {
        "" => "Anonymous",
        name => name,
    };
    let now = app.clock.now();
    let comment: Comment = tx
        .sql(
            "insert into video_comments
               (id, video_id, user_id, author_name, content, created_at, held_at, hidden_at,
                search_text)
             values ($1, $2, $3, $4, $5, $6, $7, $7, $8)
             returning id, author_name, content, created_at, (1 = 1) as mine,
                       held_at is not null as held",
        )
        .bind(Uuid::now_v7())
        .bind(video_id)
        .bind(user_id)
        .bind(name)
        .bind(&content)
        .bind(now)
        .bind(held.then_some(now))
        .bind(search_text(name, &content))
        .one()
        .await
        .map_err(deleted_meanwhile)?;
    if !held {
        events::emit(tx, now, Event::CommentCreated { video_id, id: comment.id });
    }
    Ok(comment)
}

/// The video is locked, so a broken reference can only be the one to the user.
fn deleted_meanwhile(error: Error) -> Error {
    match error {
        Error::Database(sqlx::Error::Database(cause)) if cause.is_foreign_key_violation() => {
            Error::SignInRequired
        }
        other => other,
    }
}

async fn has_visible_comment(tx: &mut Tx, user_id: UserId) -> Result<bool> {
    let found: Option<(Uuid,)> = tx
        .sql("select id from video_comments where user_id = $1 and hidden_at is null limit 1")
        .bind(user_id)
        .optional()
        .await?;
    Ok(found.is_some())
}

/// Returns the visible comments of a video and the user's own held ones, newest first.
///
/// # Errors
///
/// Those of the video's page.
pub async fn list(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    video_id: Uuid,
    part: &PageRequest,
) -> Result<Page<Comment>> {
    must_be_open(&app.db, settings, viewer, video_id).await?;
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("comments")?;
    let rows: Vec<Comment> = app
        .db
        .sql(
            "select id, author_name, content, created_at, coalesce(user_id = $2, 1 = 0) as mine,
                    held_at is not null as held
             from video_comments
             where video_id = $1
               and (hidden_at is null or (held_at is not null and user_id = $2))
               and ($4 is null or (created_at, id) < ($4, $5))
             order by created_at desc, id desc
             limit $3",
        )
        .bind(video_id)
        .bind(viewer.user_id)
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .all()
        .await?;
    Ok(part.page("comments", rows, |comment| (comment.created_at, comment.id)))
}

/// Deletes the user's own comment.
///
/// # Errors
///
/// [`Error::NotFound`], also for somebody else's comment.
pub async fn delete_own(tx: &mut Tx, app: &App, user_id: UserId, id: Uuid) -> Result<()> {
    let gone: Option<Place> = tx
        .sql(
            "delete from video_comments where id = $1 and user_id = $2
             returning video_id, hidden_at",
        )
        .bind(id)
        .bind(user_id)
        .optional()
        .await?;
    let place = gone.ok_or(NOT_FOUND)?;
    uncount(tx, &place).await?;
    emit_removed(tx, app, &place, id);
    Ok(())
}

/// Removes the author's name from comments when the user is deleted (decision P10).
pub(crate) async fn erase_author(tx: &mut Tx, user_id: UserId) -> Result<()> {
    const NAME: &str = "Former member";
    let theirs: Vec<(Uuid, String)> = tx
        .sql("select id, content from video_comments where user_id = $1")
        .bind(user_id)
        .all()
        .await?;
    for (id, content) in theirs {
        tx.sql(
            "update video_comments set author_name = $2, search_text = $3, user_id = null
             where id = $1",
        )
        .bind(id)
        .bind(NAME)
        .bind(search_text(NAME, &content))
        .execute()
        .await?;
    }
    Ok(())
}

/// Adds the search texts of comments from before schema 28. Runs with each migration, but only the
/// first run finds any.
pub(crate) async fn add_search_texts(db: &Db) -> Result<()> {
    // A start takes the write lock only if there is something to do.
    while has_empty_search_texts(db).await? {
        let mut tx = db.begin().await?;
        tx.lock("comment search texts").await?;
        let some: Vec<(Uuid, String, String)> = tx
            .sql(
                "select id, author_name, content from video_comments
                 where search_text = '' order by id limit 500",
            )
            .all()
            .await?;
        for (id, author_name, content) in some {
            // A comment without letters must not stay in the list of what is missing.
            let text = Some(search_text(&author_name, &content)).filter(|text| !text.is_empty());
            // Another process may have changed the comment in the meantime.
            tx.sql("update video_comments set search_text = $2 where id = $1 and search_text = ''")
                .bind(id)
                .bind(text.unwrap_or_else(|| " ".to_owned()))
                .execute()
                .await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

async fn has_empty_search_texts(db: &Db) -> Result<bool> {
    let one: Option<(Uuid,)> = db
        .sql("select id from video_comments where search_text = '' order by id limit 1")
        .optional()
        .await?;
    Ok(one.is_some())
}

/// The text in which staff search for a comment.
pub(crate) fn search_text(author_name: &str, content: &str) -> String {
    normalize(&format!("{author_name} {content}"))
}

#[derive(sqlx::FromRow)]
struct Place {
    video_id: Uuid,
    hidden_at: Option<DateTime<Utc>>,
}

/// Hidden and held comments are not counted.
async fn uncount(tx: &mut Tx, place: &Place) -> Result<()> {
    if place.hidden_at.is_none() {
        videos::add_to_comment_count(tx, place.video_id, -1).await?;
    }
    Ok(())
}

/// Readers do not see hidden or held comments, so no event is sent.
fn emit_removed(tx: &mut Tx, app: &App, place: &Place, id: Uuid) {
    if place.hidden_at.is_none() {
        let event = Event::CommentRemoved { video_id: place.video_id, id };
        events::emit(tx, app.clock.now(), event);
    }
}
