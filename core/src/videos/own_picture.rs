//! Pictures that staff give to the camp's own videos, instead of one of the conversion.

use bytes::Bytes;
use serde_json::{Value, json};
use uuid::Uuid;

use super::admin::must_exist;
use super::own_file::{choose_poster, emit_change};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::unused_files::{RemoveFiles, remove_unused, store_with};
use crate::{App, Error, Result, pictures};

/// The longest side in pixels.
const SIDE: u32 = 1280;
const FOLDER: &str = "posters/";

/// Whether a picture was given by staff.
pub(super) fn is_own_picture(thumbnail_key: &str) -> bool {
    thumbnail_key.starts_with(FOLDER)
}

/// Shows a picture of staff before the video plays. It stays when the file is converted, trimmed or
/// replaced.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] on `file`, [`Error::Conflict`] for a link.
pub async fn set_picture(app: &App, actor: Actor, id: Uuid, sent: Bytes) -> Result<()> {
    must_exist(&app.db, id).await?;
    let jpeg = pictures::open(sent, |picture| pictures::jpeg(&picture, SIDE)).await?;
    let picture = Uuid::now_v7();
    let key = format!("{FOLDER}{picture}.jpg");
    let files = vec![(key.clone(), jpeg)];
    store_with(app, files, record(app, actor, id, (picture, key))).await
}

async fn record(app: &App, actor: Actor, id: Uuid, (picture, key): (Uuid, String)) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let old = shown(&mut tx, id).await?;
    // The query lets browsers load the other picture at once.
    tx.sql("update videos set thumbnail_key = $2, thumbnail_url = $3 where id = $1")
        .bind(id)
        .bind(key)
        .bind(format!("/media/thumbnails/{id}?picture={picture}"))
        .execute()
        .await?;
    remove_own(&mut tx, app, old).await?;
    changed(&mut tx, app, actor, id, json!({ "own_picture": true })).await?;
    tx.commit().await
}

/// Shows the picture that the conversion proposes again. Succeeds if staff gave none.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for a link.
pub async fn remove_picture(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let Some(old) = shown(&mut tx, id).await?.filter(|key| is_own_picture(key)) else {
        return Ok(());
    };
    // Before the conversion there is no other one.
    match choose_poster(&mut tx, app, id, 0).await {
        Err(Error::Invalid(_)) => {
            tx.sql("update videos set thumbnail_key = null, thumbnail_url = null where id = $1")
                .bind(id)
                .execute()
                .await?;
            remove_own(&mut tx, app, Some(old)).await?;
        }
        other => other?,
    }
    changed(&mut tx, app, actor, id, json!({ "own_picture": false })).await?;
    tx.commit().await
}

/// The key of the picture that a video with a file of its own shows. The row stays locked until the
/// end of the transaction.
async fn shown(tx: &mut Tx, id: Uuid) -> Result<Option<String>> {
    must_exist(&mut *tx, id).await?;
    let row: Option<(Option<String>,)> = tx
        .sql(
            "update videos set version = version
             where id = $1 and video_url like '/media/videos/%'
             returning thumbnail_key",
        )
        .bind(id)
        .optional()
        .await?;
    match row {
        Some((key,)) => Ok(key),
        None => {
            Err(Error::Conflict("Only a video with an uploaded file can have its own picture."))
        }
    }
}

async fn remove_own(tx: &mut Tx, app: &App, old: Option<String>) -> Result<()> {
    match old.filter(|key| is_own_picture(key)) {
        Some(key) => {
            let files = RemoveFiles { file_key: None, thumbnail_key: Some(key) };
            remove_unused(tx, app, &files).await
        }
        None => Ok(()),
    }
}

async fn changed(tx: &mut Tx, app: &App, actor: Actor, id: Uuid, details: Value) -> Result<()> {
    let subject = Subject::new(SubjectKind::Video, id);
    audit::record(tx, app.clock.now(), actor, Action::VideoEdit, subject, details).await?;
    emit_change(tx, app, id).await
}
