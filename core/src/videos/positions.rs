//! Where signed-in viewers stopped watching, and which videos are new to them.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{VideoCard, or_gone};
use crate::access::Viewer;
use crate::db::{On, Tx, with_ids};
use crate::ffmpeg::Cut;
use crate::ids::UserId;
use crate::settings::Settings;
use crate::videos::must_be_open;
use crate::{App, Error, Result};

/// A video that was published earlier is not new to anybody.
const NEW: TimeDelta = TimeDelta::days(30);
/// The longest video is shorter than this, in seconds.
const LONGEST: i64 = 24 * 3600;

/// Remembers where a signed-in viewer stopped watching; 0 at the beginning and at the end.
///
/// # Errors
///
/// [`Error::SignInRequired`], [`Error::Invalid`], otherwise as for the video's page.
pub async fn keep_position(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
    seconds: i64,
) -> Result<()> {
    let user_id = viewer.user_id.ok_or(Error::SignInRequired)?;
    if !(0..=LONGEST).contains(&seconds) {
        return Err(Error::invalid("seconds", "This is not a place in a video."));
    }
    must_be_open(&mut *tx, settings, viewer, id).await?;
    let query = tx.sql(
        "insert into video_positions (user_id, video_id, seconds, watched_at)
         values ($1, $2, $3, $4)
         on conflict (user_id, video_id) do update
         set seconds = excluded.seconds, watched_at = excluded.watched_at",
    );
    let query = query.bind(user_id).bind(id).bind(seconds).bind(app.clock.now());
    or_gone(query.execute().await).map(drop)
}

/// Forgets the places after the end of a video that was replaced.
pub(super) async fn end_at(tx: &mut Tx, id: Uuid, seconds: i64) -> Result<()> {
    tx.sql("update video_positions set seconds = 0 where video_id = $1 and seconds >= $2")
        .bind(id)
        .bind(seconds)
        .execute()
        .await?;
    Ok(())
}

/// Moves the places along with a cut of the video; those in what was cut off are forgotten.
pub(super) async fn cut(tx: &mut Tx, id: Uuid, cut: Cut) -> Result<()> {
    tx.sql(
        "update video_positions
         set seconds = case when seconds < $2 or seconds >= $3 then 0 else seconds - $2 end
         where video_id = $1",
    )
    .bind(id)
    .bind(cut.start.round() as i64)
    .bind(cut.end.floor() as i64)
    .execute()
    .await?;
    Ok(())
}

/// Remembers that a user began to watch a video at that time. A place that is known already stays.
pub(super) async fn begin(tx: &mut Tx, user_id: UserId, id: Uuid, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "insert into video_positions (user_id, video_id, seconds, watched_at)
         select u.id, v.id, 0, $3
         from users u join videos v on v.id = $2
         where u.id = $1
         on conflict (user_id, video_id) do nothing",
    )
    .bind(user_id)
    .bind(id)
    .bind(at)
    .execute()
    .await
    .map(drop)
}

/// The same at once, for staff who are signed in as a parent as well: their views are not counted.
pub(super) async fn begin_now(
    app: &App,
    viewer: &Viewer,
    id: Uuid,
    at: DateTime<Utc>,
) -> Result<()> {
    let Some(user_id) = viewer.user_id else { return Ok(()) };
    let mut tx = app.db.begin().await?;
    begin(&mut tx, user_id, id, at).await?;
    tx.commit().await
}

/// Returns where the viewer stopped watching, in seconds; `None` if they never began.
pub(super) async fn of(app: &App, user_id: UserId, id: Uuid) -> Result<Option<i64>> {
    app.db
        .sql("select max(seconds) from video_positions where user_id = $1 and video_id = $2")
        .bind(user_id)
        .bind(id)
        .scalar()
        .await
}

/// Marks the videos that were published lately and that this viewer has not begun to watch.
pub(super) async fn mark_new(app: &App, viewer: &Viewer, cards: &mut [VideoCard]) -> Result<()> {
    let Some(user_id) = viewer.user_id else { return Ok(()) };
    let since = app.clock.now() - NEW;
    let lately = |card: &VideoCard| !card.restricted && !card.archive && card.published_at >= since;
    let ids: Vec<Uuid> = cards.iter().filter(|card| lately(card)).map(|card| card.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let known: Vec<(Uuid,)> = On::from(&app.db)
        .either(with_ids(
            ["select video_id from video_positions where user_id = $1 and video_id in "],
            "$2",
            "",
        ))
        .bind(user_id)
        .bind_ids(ids)
        .all()
        .await?;
    let known: HashSet<Uuid> = known.into_iter().map(|(id,)| id).collect();
    for card in cards.iter_mut().filter(|card| lately(card)) {
        card.is_new = !known.contains(&card.id);
    }
    Ok(())
}

/// What a user did with videos.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// The videos that the user began to watch, with the place in seconds; 0 at the beginning and at the
    /// end.
    pub begun: HashMap<Uuid, i64>,
    pub liked: HashSet<Uuid>,
}

/// Returns what a user did with videos.
pub async fn watched(app: &App, user_id: UserId) -> Result<Watched> {
    let rows: Vec<(Uuid, Option<i64>)> = app
        .db
        .sql(
            "select video_id, seconds from video_positions where user_id = $1
             union all
             select video_id, null from video_likes where user_id = $1",
        )
        .bind(user_id)
        .all()
        .await?;
    let mut watched = Watched::default();
    for (video, seconds) in rows {
        match seconds {
            Some(seconds) => drop(watched.begun.insert(video, seconds)),
            None => drop(watched.liked.insert(video)),
        }
    }
    Ok(watched)
}

/// Returns all places of a user: video, seconds and when it was watched last.
pub(crate) async fn of_user(app: &App, user_id: UserId) -> Result<Vec<(Uuid, i64, DateTime<Utc>)>> {
    app.db
        .sql(
            "select video_id, seconds, watched_at from video_positions
             where user_id = $1 order by watched_at",
        )
        .bind(user_id)
        .all()
        .await
}
