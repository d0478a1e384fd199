//! Videos whose files staff upload: from when they may be public, and what they show.

use serde_json::json;
use uuid::Uuid;

use super::link::VideoType;
use super::own_picture::is_own_picture;
use super::record::{Record, Source, find, set_source};
use super::{NOT_FOUND, Status, chapters, positions};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::events::{self, Event};
use crate::ffmpeg::{CANDIDATES, POSTER};
use crate::unused_files::{RemoveFiles, remove_unused};
use crate::{App, Error, Result, uploads};

/// Whether `videos v` waits for a file: it has none yet, or staff gave it a new one that is not ready.
/// A file that operators convert again does not count: the video goes on with what it shows.
pub(super) const WAITS: &str = "(v.file_key is null and v.video_url like '/media/videos/%'
                  or exists (select 1 from uploads u
                             where u.video_id = v.id and u.state <> 'ready'
                               and u.staff_id is not null))";

/// Whether `videos v` was saved with a file that is gone, so that nothing will ever publish it.
const HAS_NO_FILE: &str = "(v.file_key is null and v.video_url like '/media/videos/%'
                  and not exists (select 1 from uploads u where u.video_id = v.id))";

/// Whether the file of a stored video is gone.
pub(super) async fn has_no_file(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let found: i64 = tx
        .sql(["select count(*) from videos v where v.id = $1 and ", HAS_NO_FILE])
        .bind(id)
        .scalar()
        .await?;
    Ok(found > 0)
}

/// Cancels an upload, or removes one that failed. A video that is left without a file is a draft again.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for the file that a video shows.
pub async fn cancel_upload(app: &App, actor: Actor, upload_id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let Some(id) = uploads::discard(&mut tx, app, actor, upload_id).await? else {
        return tx.commit().await;
    };
    let taken_back = tx
        .sql([
            "update videos as v
             set status = 'draft', scheduled_date = null, version = version + 1, updated_at = $2
             where v.id = $1 and v.status = 'scheduled' and ",
            HAS_NO_FILE,
        ])
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    if taken_back > 0 {
        let details =
            json!({ "status": audit::changed(json!(Status::Scheduled), json!(Status::Draft)) });
        let subject = Subject::new(SubjectKind::Video, id);
        audit::record(&mut tx, now, actor, Action::VideoEdit, subject, details).await?;
    }
    tx.commit().await
}

/// The source of a video whose file is not ready.
pub(super) fn no_file_yet(id: Uuid) -> Source {
    Source { video_url: format!("/media/videos/{id}"), ..Source::default() }
}

/// Whether a stored video waits for a file. No such video becomes public.
pub(super) async fn waits(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let waits: i64 = tx
        .sql(["select count(*) from videos v where v.id = $1 and ", WAITS])
        .bind(id)
        .scalar()
        .await?;
    Ok(waits > 0)
}

/// Whether another file of a stored video is on its way.
pub(super) async fn is_prepared(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let underway: i64 = tx
        .sql(
            "select count(*) from uploads
             where video_id = $1 and state in ('uploading', 'waiting', 'converting')",
        )
        .bind(id)
        .scalar()
        .await?;
    Ok(underway > 0)
}

/// How many videos should be public by now, but wait for a file that failed.
///
/// # Errors
///
/// Only those of the database.
pub(crate) async fn held_back(app: &App) -> Result<i64> {
    app.db
        .sql([
            "select count(*) from videos v
             where v.status = 'scheduled' and v.scheduled_date <= $1
               and exists (select 1 from uploads u where u.video_id = v.id and u.state = 'failed')
               and ",
            WAITS,
        ])
        .bind(app.clock.now())
        .scalar()
        .await
}

/// Gives an upload to a stored video, in place of earlier ones that are not ready. Once it is ready
/// itself, the video shows it; until then a video that is public goes on with what it shows.
/// Returns the name of the file.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `upload_id` for an upload that cannot be used.
pub(super) async fn attach(tx: &mut Tx, app: &App, id: Uuid, upload_id: Uuid) -> Result<String> {
    let file = uploads::claim(tx, upload_id, Some(id)).await?;
    uploads::attach(tx, upload_id, id).await?;
    uploads::remove_pending(tx, app, id, upload_id).await?;
    use_upload(tx, app, upload_id).await?;
    Ok(file.file_name)
}

#[derive(sqlx::FromRow)]
struct Ready {
    video_id: Uuid,
    /// An import that is converted later, or the film that the video showed, with its ends cut off.
    is_same_film: bool,
    folder: String,
    renditions: Option<String>,
    duration_seconds: Option<i64>,
}

/// Lets a video show an upload that is ready, and removes what it showed before. Does nothing for
/// an upload that is not ready or that no form was saved with. Call it in the transaction in which
/// an upload becomes ready, and [`super::publish_due`] afterwards.
pub(crate) async fn use_upload(tx: &mut Tx, app: &App, upload_id: Uuid) -> Result<()> {
    let ready: Option<Ready> = tx
        .sql(
            "select video_id, staff_id is null or trim_end_seconds is not null as is_same_film,
                    folder, renditions, duration_seconds
             from uploads
             where id = $1 and state = 'ready' and video_id is not null",
        )
        .bind(upload_id)
        .optional()
        .await?;
    let Some(ready) = ready else { return Ok(()) };
    let Ready { video_id: id, is_same_film, folder, renditions, duration_seconds } = ready;
    let old = find(tx, id).await?.ok_or(NOT_FOUND)?;
    // A file that was stored as it came has neither other sizes nor a picture.
    let has_poster = renditions.is_some_and(|list| list != "[]");
    let poster = has_poster.then(|| format!("{folder}/{POSTER}"));
    // A picture that staff gave stays, and so does one that came with an import.
    let kept = old
        .source
        .thumbnail_key
        .clone()
        .filter(|key| is_own_picture(key) || (is_same_film && !key.starts_with("videos/")));
    let own_url =
        old.source.thumbnail_url.clone().filter(|_| kept.as_deref().is_some_and(is_own_picture));
    let thumbnail_key = kept.or(poster);
    let usual_url = thumbnail_key.as_ref().map(|_| format!("/media/thumbnails/{id}"));
    let source = Source {
        video_url: format!("/media/videos/{id}"),
        video_type: VideoType::Upload,
        thumbnail_url: own_url.or(usual_url),
        file_key: Some(format!("{folder}/file.mp4")),
        thumbnail_key,
        content_type: Some("video/mp4".into()),
        duration_seconds,
    };
    let new = Record { source, ..old.clone() };
    set_source(tx, id, &new, Some(upload_id)).await?;
    if let Some(seconds) = duration_seconds.filter(|_| !is_same_film) {
        end_at(tx, id, seconds).await?;
    }
    uploads::remove_others(tx, app, id, Some(upload_id)).await?;
    remove_files(tx, app, &old.source, &new.source).await?;
    emit_change(tx, app, id).await
}

/// Removes chapters and viewers' places after the end of a new film, which may be shorter. Captions
/// stay: staff see them in the form, and the film may be the same one, made better.
async fn end_at(tx: &mut Tx, id: Uuid, seconds: i64) -> Result<()> {
    // Read again, because its row is locked only since its source was set.
    let Some(Record { chapters: before, .. }) = find(tx, id).await? else { return Ok(()) };
    let chapters = chapters::ending_at(before.as_deref(), seconds);
    if chapters != before {
        tx.sql("update videos set chapters = $2 where id = $1")
            .bind(id)
            .bind(chapters)
            .execute()
            .await?;
    }
    positions::end_at(tx, id, seconds).await
}

/// Returns the key of the picture of the conversion that staff chose for the video of an upload, unless
/// it is the proposed one.
pub(crate) async fn chosen_poster(app: &App, upload_id: Uuid) -> Result<Option<String>> {
    let key: Option<(Option<String>,)> = app
        .db
        .sql(
            "select v.thumbnail_key from videos v
             join uploads u on u.video_id = v.id
             where u.id = $1",
        )
        .bind(upload_id)
        .optional()
        .await?;
    let is_candidate = |key: &String| {
        key.starts_with("videos/")
            && CANDIDATES.iter().any(|name| key.ends_with(&format!("/{name}")))
    };
    Ok(key.and_then(|(key,)| key).filter(is_candidate))
}

/// Tells open pages of a change that the public sees.
pub(super) async fn emit_change(tx: &mut Tx, app: &App, id: Uuid) -> Result<()> {
    let published: i64 = tx
        .sql("select count(*) from videos where id = $1 and status = 'published'")
        .bind(id)
        .scalar()
        .await?;
    if published > 0 {
        events::emit(tx, app.clock.now(), Event::VideoChanged(id));
    }
    Ok(())
}

/// Chooses one of the three pictures that the conversion made, or with 0 the one that it proposes.
///
/// # Errors
///
/// [`Error::Invalid`] on `poster`.
pub(super) async fn choose_poster(tx: &mut Tx, app: &App, id: Uuid, poster: i64) -> Result<()> {
    let name = match poster {
        0 => Some(POSTER),
        1..=3 => CANDIDATES.get(poster as usize - 1).copied(),
        _ => None,
    };
    let folder: Option<(String, Option<String>)> = tx
        .sql(
            "select u.folder, v.thumbnail_key
             from videos v
             join uploads u on u.id = v.media_upload_id
             where v.id = $1 and u.state = 'ready' and u.renditions <> '[]'",
        )
        .bind(id)
        .optional()
        .await?;
    let (Some(name), Some((folder, old))) = (name, folder) else {
        return Err(Error::invalid("poster", "Please choose one of the pictures of this video."));
    };
    // The query lets browsers load the other picture at once.
    let url = match poster {
        0 => format!("/media/thumbnails/{id}"),
        _ => format!("/media/thumbnails/{id}?poster={poster}"),
    };
    tx.sql("update videos set thumbnail_key = $2, thumbnail_url = $3 where id = $1")
        .bind(id)
        .bind(format!("{folder}/{name}"))
        .bind(url)
        .execute()
        .await?;
    let elsewhere = old.filter(|key| !key.starts_with(&folder));
    if elsewhere.is_some() {
        let files = RemoveFiles { file_key: None, thumbnail_key: elsewhere };
        remove_unused(tx, app, &files).await?;
    }
    Ok(())
}

/// Removes the files that a video no longer shows.
pub(super) async fn remove_files(tx: &mut Tx, app: &App, old: &Source, new: &Source) -> Result<()> {
    let file_key = old.file_key.clone().filter(|key| new.file_key.as_ref() != Some(key));
    let thumbnail_key =
        old.thumbnail_key.clone().filter(|key| new.thumbnail_key.as_ref() != Some(key));
    if file_key.is_none() && thumbnail_key.is_none() {
        return Ok(());
    }
    remove_unused(tx, app, &RemoveFiles { file_key, thumbnail_key }).await
}
