//! Pictures of products: checked by what is in them, turned upright, made smaller, and written
//! anew, so that nothing but the picture is left, above all not the place where it was taken
//! (decision S2, safety 25).

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use serde_json::json;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{MOST_IMAGES, NOT_FOUND, remove_later};
use crate::audit::{self, Actor, Subject};
use crate::db::{Db, Tx};
use crate::{App, Error, Result};

/// The largest file, in bytes.
pub const LARGEST: usize = 10 * 1024 * 1024;
const LONGEST_SIDE: u32 = 8192;
const MOST_PIXELS: u64 = 40_000_000;
/// Longest side of what is kept, in pixels.
const LARGE: u32 = 1600;
const SMALL: u32 = 480;

/// Each takes up to 160 MB while it is open.
static AT_ONCE: Semaphore = Semaphore::const_new(1);

/// Both sizes as JPEG.
#[derive(Debug)]
pub struct Sizes {
    pub large: Vec<u8>,
    pub small: Vec<u8>,
}

/// Makes the two sizes of what was sent. Errors: [`Error::Invalid`] on `file`.
pub async fn prepare(bytes: bytes::Bytes) -> Result<Sizes> {
    if bytes.len() > LARGEST {
        return Err(Error::invalid("file", "This picture is larger than 10MB."));
    }
    let _turn = AT_ONCE.acquire().await.map_err(Error::unforeseen)?;
    tokio::task::spawn_blocking(move || sizes(&bytes)).await.map_err(Error::unforeseen)?
}

fn sizes(bytes: &[u8]) -> Result<Sizes> {
    let no_image = || Error::invalid("file", "This is not a valid image file.");
    let format = image::guess_format(bytes).map_err(|_| no_image())?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP) {
        return Err(Error::invalid("file", "Please choose a JPEG, PNG or WebP picture."));
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MOST_PIXELS * 4);
    reader.limits(limits);
    let too_large =
        || Error::invalid("file", "This picture has too many pixels. Please make it smaller.");
    let mut decoder = match reader.into_decoder() {
        Err(image::ImageError::Limits(_)) => return Err(too_large()),
        other => other.map_err(|_| no_image())?,
    };
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS || decoder.total_bytes() > MOST_PIXELS * 4
    {
        return Err(too_large());
    }
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = match DynamicImage::from_decoder(decoder) {
        Err(image::ImageError::Limits(_)) => return Err(too_large()),
        other => other.map_err(|_| no_image())?,
    };
    picture.apply_orientation(orientation);
    Ok(Sizes { large: fit(&picture, LARGE)?, small: fit(&picture, SMALL)? })
}

fn fit(picture: &DynamicImage, side: u32) -> Result<Vec<u8>> {
    let fitted = match picture.width().max(picture.height()) > side {
        true => picture.resize(side, side, FilterType::CatmullRom),
        false => picture.clone(),
    };
    let flat = on_white(&fitted);
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, 85).encode_image(&flat).map_err(Error::unforeseen)?;
    Ok(out)
}

/// JPEG knows no transparency: what shines through lies on white.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let picture = picture.to_rgba8();
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [r, g, b, alpha] = picture.get_pixel(x, y).0.map(u32::from);
        let mix = |c: u32| ((c * alpha + 255 * (255 - alpha)) / 255) as u8;
        Rgb([mix(r), mix(g), mix(b)])
    })
}

/// Adds a prepared picture at the end. Errors: [`Error::Conflict`] for a fifth one,
/// [`Error::NotFound`] for a product that is gone.
pub async fn add(app: &App, actor: Actor, product_id: Uuid, sizes: Sizes) -> Result<()> {
    let id = Uuid::now_v7();
    let (file_key, thumb_key) = (format!("products/{id}.jpg"), format!("products/{id}-small.jpg"));
    let mut tx = app.db.begin().await?;
    // The row is locked by writing it, so that of many at once each sees those before it.
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
    if count >= MOST_IMAGES {
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
    .bind(&file_key)
    .bind(&thumb_key)
    .bind(format!("{title}, picture {}", order + 1))
    .bind(order)
    .bind(now)
    .execute()
    .await?;
    let subject = Subject::new("product", product_id);
    audit::record(&mut tx, now, actor, "product.add_image", subject, json!({ "image": id }))
        .await?;
    // Files first: a picture that is listed is there. One that is not listed harms nobody.
    app.files.put(&file_key, sizes.large).await?;
    app.files.put(&thumb_key, sizes.small).await?;
    tx.commit().await
}

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
        return Err(Error::NotFound("This picture is not there any more."));
    }
    remove_later(tx, app, files).await?;
    let now = app.clock.now();
    let subject = Subject::new("product", product_id);
    audit::record(tx, now, actor, "product.remove_image", subject, json!({ "image": id })).await
}

/// Puts the pictures of a product into that order; those that are not named follow.
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
    tx.sql("update product_images set display_order = display_order + 100 where product_id = $1")
        .bind(product_id)
        .execute()
        .await?;
    for (place, id) in ids.iter().take(MOST_IMAGES as usize).enumerate() {
        tx.sql("update product_images set display_order = $3 where product_id = $1 and id = $2")
            .bind(product_id)
            .bind(*id)
            .bind(place as i64)
            .execute()
            .await?;
    }
    let now = app.clock.now();
    let subject = Subject::new("product", product_id);
    audit::record(tx, now, actor, "product.order_images", subject, json!({ "images": ids })).await
}

/// Where a picture lies; those of hidden products are for staff only.
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
    let (large_key, small_key) = found.ok_or(Error::NotFound("There is no such picture."))?;
    Ok(if small { small_key } else { large_key })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let picture = DynamicImage::new_rgba8(width, height);
        picture.write_to(&mut out, ImageFormat::Png).expect("a picture");
        out.into_inner()
    }

    #[test]
    fn a_picture_is_written_anew_in_two_sizes_without_what_came_with_it() {
        let made = sizes(&png(2000, 1000)).expect("a picture");
        let large = image::load_from_memory(&made.large).expect("a JPEG");
        assert_eq!((large.width(), large.height()), (1600, 800));
        let small = image::load_from_memory(&made.small).expect("a JPEG");
        assert_eq!((small.width(), small.height()), (480, 240));
        assert!(!made.large.windows(4).any(|w| w == b"Exif"));
    }

    #[test]
    fn what_is_no_picture_is_refused_whatever_it_calls_itself() {
        for bytes in [
            &b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..],
            b"GIF89a........",
            b"",
            b"\xff\xd8\xff\xe0junk",
        ] {
            assert!(matches!(sizes(bytes), Err(Error::Invalid(_))));
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_opened() {
        // A PNG whose head promises 30,000 by 30,000 pixels.
        let mut bomb = png(1, 1);
        bomb[16..20].copy_from_slice(&30_000u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&30_000u32.to_be_bytes());
        assert!(matches!(sizes(&bomb), Err(Error::Invalid(_))));
    }
}
