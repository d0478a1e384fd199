//! Pictures of products (decision S2).

use serde_json::json;
use uuid::Uuid;

use super::edit::remove_later;
use super::{MAX_IMAGES, NOT_FOUND};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, Tx};
use crate::unused_files::store_with;
use crate::{App, Error, Result, pictures};

/// The longest side of stored pictures, in pixels.
const LARGE: u32 = 1600;
const SMALL: u32 = 480;

/// Both sizes as JPEG.
#[derive(Debug)]
pub struct Sizes {
    pub large: Vec<u8>,
    pub small: Vec<u8>,
}

/// Creates the two sizes of an uploaded picture.
///
/// # Errors
///
/// [`Error::Invalid`] on `file`.
pub async fn prepare(bytes: bytes::Bytes) -> Result<Sizes> {
    pictures::open(bytes, |picture| {
        Ok(Sizes {
            large: pictures::jpeg(&picture, LARGE)?,
            small: pictures::jpeg(&picture, SMALL)?,
        })
    })
    .await
}

/// The file keys of the two sizes of a picture.
pub(crate) fn keys(id: Uuid) -> (String, String) {
    (format!("products/{id}.jpg"), format!("products/{id}-small.jpg"))
}

pub(crate) fn alt_text(title: &str, order: i64) -> String {
    format!("{title}, picture {}", order + 1)
}

/// Appends a prepared picture.
///
/// # Errors
///
/// [`Error::Conflict`] for a fifth one, [`Error::NotFound`] for a deleted product,
/// [`Error::Unforeseen`] when the object store does not take the files.
pub async fn add(app: &App, actor: Actor, product_id: Uuid, sizes: Sizes) -> Result<()> {
    let id = Uuid::now_v7();
    let (file_key, thumb_key) = keys(id);
    let files = vec![(file_key, sizes.large), (thumb_key, sizes.small)];
    store_with(app, files, record(app, actor, product_id, id)).await
}

async fn record(app: &App, actor: Actor, product_id: Uuid, id: Uuid) -> Result<()> {
    let (file_key, thumb_key) = keys(id);
    let mut tx = app.db.begin().await?;
    // Writing the row locks it, so that each of several concurrent requests sees those before it.
    let title: Option<(String,)> = tx
        .sql("update products set version = version + 1 where id = $1 returning title")
        .bind(product_id)
        .optional()
        .await?;
    let (title,) = title.ok_or(NOT_FOUND)?;
    let (count, last): (i64, Option<i64>) = tx
        .sql("select count(*), max(display_order) from product_images where product_id = $1")
        .bind(product_id)
        .one()
        .await?;
    if count >= MAX_IMAGES {
        return Err(Error::Conflict("You can only upload up to 4 images per product."));
    }
    let now = app.clock.now();
    let order = last.map_or(0, |last| last + 1);
    tx.sql(
        "insert into product_images (id, product_id, file_key, thumb_key, alt_text, display_order, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id)
    .bind(product_id)
    .bind(file_key)
    .bind(thumb_key)
    .bind(alt_text(&title, order))
    .bind(order)
    .bind(now)
    .execute()
    .await?;
    let subject = Subject::new(SubjectKind::Product, product_id);
    audit::record(&mut tx, now, actor, Action::ProductAddImage, subject, json!({ "image": id }))
        .await?;
    tx.commit().await
}

/// Removes a picture of a product.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn remove(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    product_id: Uuid,
    id: Uuid,
) -> Result<()> {
    let files: Vec<(String, String)> = tx
        .sql("delete from product_images where id = $1 and product_id = $2 returning file_key, thumb_key")
        .bind(id)
        .bind(product_id)
        .all()
        .await?;
    if files.is_empty() {
        return Err(Error::NotFound("This picture no longer exists."));
    }
    remove_later(tx, app, files).await?;
    let now = app.clock.now();
    let subject = Subject::new(SubjectKind::Product, product_id);
    audit::record(tx, now, actor, Action::ProductRemoveImage, subject, json!({ "image": id })).await
}

/// Puts the pictures of a product into that order. Those that are not named follow.
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such product.
pub async fn order(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    product_id: Uuid,
    ids: &[Uuid],
) -> Result<()> {
    let there: i64 =
        tx.sql("select count(*) from products where id = $1").bind(product_id).scalar().await?;
    if there == 0 {
        return Err(NOT_FOUND);
    }
    let before = in_order(tx, product_id).await?;
    tx.sql("update product_images set display_order = display_order + 100 where product_id = $1")
        .bind(product_id)
        .execute()
        .await?;
    for (place, id) in ids.iter().take(MAX_IMAGES as usize).enumerate() {
        tx.sql("update product_images set display_order = $3 where product_id = $1 and id = $2")
            .bind(product_id)
            .bind(*id)
            .bind(place as i64)
            .execute()
            .await?;
    }
    let now = app.clock.now();
    let subject = Subject::new(SubjectKind::Product, product_id);
    let after = in_order(tx, product_id).await?;
    // As the positions that each picture had before, which people can read.
    let place = |id| before.iter().position(|one| *one == id).map_or(0, |place| place + 1);
    let numbers = |ids: &[Uuid]| ids.iter().copied().map(place).collect::<Vec<_>>();
    let details = json!({ "images": audit::changed(numbers(&before), numbers(&after)) });
    audit::record(tx, now, actor, Action::ProductOrderImages, subject, details).await
}

async fn in_order(tx: &mut Tx, product_id: Uuid) -> Result<Vec<Uuid>> {
    let ids: Vec<(Uuid,)> = tx
        .sql("select id from product_images where product_id = $1 order by display_order, id")
        .bind(product_id)
        .all()
        .await?;
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

/// Returns the file key of a picture. Those of hidden products are only for staff.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn key(db: &Db, id: Uuid, small: bool, staff: bool) -> Result<String> {
    let found: Option<(String, String)> = db
        .sql(
            "select i.file_key, i.thumb_key from product_images i
             join products p on p.id = i.product_id
             where i.id = $1 and (p.is_active or $2)",
        )
        .bind(id)
        .bind(staff)
        .optional()
        .await?;
    let (large_key, small_key) = found.ok_or(Error::NotFound("This picture no longer exists."))?;
    Ok(if small { small_key } else { large_key })
}
