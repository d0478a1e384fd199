//! Adds the camp's own pictures, and deletes those that are no longer used.

use bytes::Bytes;
use serde_json::json;
use uuid::Uuid;

use super::{locked, set};
use crate::audit::Actor;
use crate::db::{On, Tx};
use crate::settings::{MAX_HERO, PictureSlot};
use crate::unused_files::{self, RemoveFiles};
use crate::{App, Error, Result, pictures};

/// The longest sides of stored pictures, in pixels.
const LOGO: u32 = 512;
const LARGE: u32 = 2000;
const SMALL: u32 = 1080;

/// The stored sizes of an uploaded picture.
struct Kept {
    large: Vec<u8>,
    small: Option<Vec<u8>>,
    width: u32,
    height: u32,
}

/// Adds a picture to its slot: a logo replaces the previous one, a picture of the camp is appended.
///
/// # Errors
///
/// [`Error::Invalid`] on `file`, [`Error::Conflict`] for a fourth picture.
pub async fn add_picture(app: &App, actor: Actor, place: PictureSlot, sent: Bytes) -> Result<()> {
    let Kept { large, small, width, height } = prepare(place, sent).await?;
    let id = Uuid::now_v7();
    let file_key = match place {
        PictureSlot::Logo => format!("site/{id}.png"),
        PictureSlot::Hero => format!("site/{id}.jpg"),
    };
    let small = small.map(|bytes| (format!("site/{id}-small.jpg"), bytes));
    let small_key = small.as_ref().map(|(key, _)| key.clone());
    let files = [(file_key.clone(), large)].into_iter().chain(small).collect();
    let picture = NewPicture { id, file_key, small_key, width, height };
    unused_files::store_with(app, files, record(app, actor, place, picture)).await
}

struct NewPicture {
    id: Uuid,
    file_key: String,
    small_key: Option<String>,
    width: u32,
    height: u32,
}

async fn record(app: &App, actor: Actor, place: PictureSlot, new: NewPicture) -> Result<()> {
    let NewPicture { id, file_key, small_key, width, height } = new;
    let mut tx = app.db.begin().await?;
    let current = locked(&mut tx).await?;
    let (name, value) = match place {
        PictureSlot::Logo => ("logo", json!(id)),
        PictureSlot::Hero if current.hero_pictures.len() >= MAX_HERO => {
            return Err(Error::Conflict(
                "There are already three pictures. Please remove one first.",
            ));
        }
        PictureSlot::Hero => {
            let ids: Vec<Uuid> = current.hero_pictures.into_iter().chain([id]).collect();
            ("heroPictures", json!(ids))
        }
    };
    tx.sql(
        "insert into site_pictures
           (id, place, file_key, small_key, width, height, created_by, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(id)
    .bind(place)
    .bind(&file_key)
    .bind(small_key)
    .bind(i64::from(width))
    .bind(i64::from(height))
    .bind(actor.staff_id())
    .bind(app.clock.now())
    .execute()
    .await?;
    set(&mut tx, app, actor, [(name.to_owned(), value)].into()).await?;
    tx.commit().await
}

async fn prepare(place: PictureSlot, sent: Bytes) -> Result<Kept> {
    pictures::open(sent, move |picture| {
        Ok(match place {
            PictureSlot::Logo => {
                let fitted = pictures::fit(&picture, LOGO);
                let (width, height) = (fitted.width(), fitted.height());
                Kept { large: pictures::png(&fitted)?, small: None, width, height }
            }
            PictureSlot::Hero => {
                let fitted = pictures::fit(&picture, LARGE);
                let (width, height) = (fitted.width(), fitted.height());
                let small = Some(pictures::jpeg(&picture, SMALL)?);
                Kept { large: pictures::jpeg(&fitted, LARGE)?, small, width, height }
            }
        })
    })
    .await
}

/// Whether all of these pictures are in that slot and not deleted.
pub(super) async fn are_there(
    on: impl Into<On<'_>>,
    place: PictureSlot,
    ids: &[Uuid],
) -> Result<bool> {
    if ids.is_empty() {
        return Ok(true);
    }
    let there: Vec<(Uuid,)> =
        on.into().sql("select id from site_pictures where place = $1").bind(place).all().await?;
    Ok(ids.iter().all(|id| there.contains(&(*id,))))
}

/// Deletes pictures that are no longer used in that slot. They cannot be restored.
pub(super) async fn remove_unused(
    tx: &mut Tx,
    app: &App,
    place: PictureSlot,
    standing: &[Uuid],
) -> Result<()> {
    let rows: Vec<(Uuid, String, Option<String>)> = tx
        .sql("select id, file_key, small_key from site_pictures where place = $1")
        .bind(place)
        .all()
        .await?;
    for (id, file_key, thumbnail_key) in rows {
        if !standing.contains(&id) {
            tx.sql("delete from site_pictures where id = $1").bind(id).execute().await?;
            let job = RemoveFiles { file_key: Some(file_key), thumbnail_key };
            unused_files::remove_unused(tx, app, &job).await?;
        }
    }
    Ok(())
}
