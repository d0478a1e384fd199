//! Views and likes (decisions V4 and V5).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::watch::open_all;
use super::{CARD, NOT_FOUND, VideoCard, catalog, or_gone, positions};
use crate::access::Viewer;
use crate::accounts::ClientInfo;
use crate::db::{On, Tx};
use crate::ids::UserId;
use crate::pagination::{Page, PageRequest};
use crate::pending_views::{Once, Subject, View};
use crate::rate_limits;
use crate::settings::Settings;
use crate::{App, Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Like {
    /// Whether the viewer likes it.
    pub liked: bool,
    pub like_count: i64,
}

/// The form in which a viewer is stored with a view: recognizable, but not reversible.
pub(crate) fn viewer_key(app: &App, viewer: Uuid) -> Vec<u8> {
    app.keys.hash("viewer", &[viewer.as_bytes()])
}

/// Counts a view: one for each viewer, video and hour, excluding staff. Viewers who are not signed
/// in are counted up to a limit for each network. Only the type of browser is stored. The view is
/// written about a second later ([`crate::view_counts`]). Errors as for the video's page.
pub async fn record_view(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
    from: &ClientInfo,
) -> Result<()> {
    must_be_open(&app.db, settings, viewer, id).await?;
    let Some(key) = viewer.key() else { return Ok(()) };
    let at = app.clock.now();
    if viewer.staff_id.is_some() {
        return positions::begin_now(app, viewer, id, at).await;
    }
    let (viewer_key, hour) = (viewer_key(app, key), at.timestamp().div_euclid(3600));
    let once = Once { subject: Subject::Video, id, viewer: viewer_key, hour };
    let networks = rate_limits::of_views(rate_limits::VIEWS_BY_ADDRESS, viewer, from.address);
    app.views.add(once, View { at, device: from.device, user_id: viewer.user_id, networks });
    Ok(())
}

/// Writes views that were counted. Those of a video that was deleted since are lost with it.
pub(crate) async fn write_views(tx: &mut Tx, views: &[(&Once, &View)]) -> Result<()> {
    let mut more = BTreeMap::<Uuid, i64>::new();
    let mut watchers = BTreeMap::<UserId, DateTime<Utc>>::new();
    for (once, view) in views {
        if let Some(user_id) = view.user_id {
            positions::begin(tx, user_id, once.id, view.at).await?;
            let last = watchers.entry(user_id).or_insert(view.at);
            *last = view.at.max(*last);
        }
        let counted = tx
            .sql(
                "insert into video_views (video_id, viewer, hour, device, viewed_at)
                 select id, $2, $3, $4, $5 from videos where id = $1
                 on conflict (video_id, viewer, hour) do nothing",
            )
            .bind(once.id)
            .bind(once.viewer.clone())
            .bind(once.hour)
            .bind(view.device)
            .bind(view.at)
            .execute()
            .await?;
        *more.entry(once.id).or_default() += counted as i64;
    }
    for (id, more) in more.into_iter().filter(|(_, more)| *more > 0) {
        tx.sql("update videos set view_count = view_count + $2 where id = $1")
            .bind(id)
            .bind(more)
            .execute()
            .await?;
    }
    for (user_id, at) in watchers {
        write_watcher(tx, user_id, at).await?;
    }
    Ok(())
}

/// Remembers when a user last watched a video.
pub(crate) async fn write_watcher(tx: &mut Tx, user_id: UserId, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "insert into watchers (user_id, watched_at)
         select id, $2 from users where id = $1
         on conflict (user_id) do update set watched_at = excluded.watched_at
         where excluded.watched_at > watchers.watched_at",
    )
    .bind(user_id)
    .bind(at)
    .execute()
    .await
    .map(drop)
}

/// Likes a video. Repeating it changes nothing.
///
/// # Errors
///
/// [`Error::SignInRequired`], otherwise as for the video's page.
pub async fn like(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
) -> Result<Like> {
    let user_id = viewer.user_id.ok_or(Error::SignInRequired)?;
    must_be_open(&mut *tx, settings, viewer, id).await?;
    let added = or_gone(
        tx.sql(
            "insert into video_likes (video_id, user_id, created_at) values ($1, $2, $3)
             on conflict (video_id, user_id) do nothing",
        )
        .bind(id)
        .bind(user_id)
        .bind(app.clock.now())
        .execute()
        .await,
    )?;
    Ok(Like { liked: true, like_count: count_likes(tx, id, added as i64).await? })
}

/// Removes a like.
///
/// # Errors
///
/// As for [`like`].
pub async fn unlike(tx: &mut Tx, settings: &Settings, viewer: &Viewer, id: Uuid) -> Result<Like> {
    let user_id = viewer.user_id.ok_or(Error::SignInRequired)?;
    must_be_open(&mut *tx, settings, viewer, id).await?;
    let removed = tx
        .sql("delete from video_likes where video_id = $1 and user_id = $2")
        .bind(id)
        .bind(user_id)
        .execute()
        .await?;
    Ok(Like { liked: false, like_count: count_likes(tx, id, -(removed as i64)).await? })
}

async fn count_likes(tx: &mut Tx, id: Uuid, more: i64) -> Result<i64> {
    let count: Option<(i64,)> = tx
        .sql("update videos set like_count = like_count + $2 where id = $1 returning like_count")
        .bind(id)
        .bind(more)
        .optional()
        .await?;
    count.map(|(count,)| count).ok_or(NOT_FOUND)
}

/// Removes all likes of a user. Call it before the user is deleted.
pub(crate) async fn erase_likes(tx: &mut Tx, user_id: UserId) -> Result<()> {
    tx.sql(
        "update videos set like_count = like_count - 1
         where id in (select video_id from video_likes where user_id = $1)",
    )
    .bind(user_id)
    .execute()
    .await?;
    tx.sql("delete from video_likes where user_id = $1").bind(user_id).execute().await?;
    Ok(())
}

/// Returns the published videos that this user likes, the last liked first.
///
/// # Errors
///
/// [`Error::SignInRequired`], [`Error::Invalid`] on `cursor` when it belongs to another order or
/// list.
pub async fn favorites(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    part: &PageRequest,
) -> Result<Page<VideoCard>> {
    #[derive(sqlx::FromRow)]
    struct Liked {
        #[sqlx(flatten)]
        card: VideoCard,
        liked_at: DateTime<Utc>,
    }
    let user_id = viewer.user_id.ok_or(Error::SignInRequired)?;
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("liked")?;
    let rows: Vec<Liked> = app
        .db
        .sql([
            "select ",
            CARD,
            ", l.created_at as liked_at
             from video_likes l
             join videos v on v.id = l.video_id
             where l.user_id = $1
               and v.status = 'published'
               and ($3 is null or (l.created_at, v.id) < ($3, $4))
             order by l.created_at desc, v.id desc
             limit $2",
        ])
        .bind(user_id)
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .all()
        .await?;
    let page = part.page("liked", rows, |liked| (liked.liked_at, liked.card.id));
    let mut items: Vec<VideoCard> = page.items.into_iter().map(|liked| liked.card).collect();
    let catalog = catalog::get(app).await?;
    open_all(app, &catalog, settings, viewer, &mut items).await?;
    Ok(Page { items, next: page.next })
}

/// Returns the errors that the video's page would return.
pub(crate) async fn must_be_open(
    on: impl Into<On<'_>>,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
) -> Result<()> {
    let published: i64 = on
        .into()
        .sql("select count(*) from videos where id = $1 and status = 'published'")
        .bind(id)
        .scalar()
        .await?;
    match published {
        0 => Err(NOT_FOUND),
        _ => viewer.must_watch(settings.watch_access()),
    }
}
