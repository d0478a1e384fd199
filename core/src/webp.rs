//! Makes WebP copies of JPEG pictures, which are about a third smaller, for browsers that accept them: in the
//! background, after a picture was first sent.

use std::time::Instant;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;
use image::DynamicImage;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::{App, Error, Result, pictures};

/// Looks like the quality 85 of [`pictures::jpeg`].
const QUALITY: f32 = 76.0;
/// The largest stored picture that gets a copy, in bytes.
const LARGEST: u64 = 2 << 20;
const MAX_WAITING: usize = 100;

impl App {
    /// The WebP copy of the JPEG picture with this key, if there is one. Otherwise it is made for the next request.
    pub async fn webp_copy(&self, key: &str) -> Option<Bytes> {
        if !key.ends_with(".jpg") {
            return None;
        }
        if let Some(made) = self.webp_copies.made.get(key).await {
            return made;
        }
        let is_new = {
            let mut waiting = self.webp_copies.waiting();
            waiting.len() < MAX_WAITING && waiting.insert(key.to_owned())
        };
        if is_new {
            let (app, key) = (self.clone(), key.to_owned());
            tokio::spawn(async move {
                let Ok(_permit) = app.webp_copies.one_at_a_time.acquire().await else { return };
                let began = Instant::now();
                match make(&app, &key).await {
                    Ok(copy) => app.webp_copies.made.insert(key.clone(), copy).await,
                    Err(error) => tracing::debug!(error = error.reason(), key, "no WebP copy"),
                }
                app.webp_copies.waiting().remove(&key);
                // Whoever asks for more pictures than are kept takes a quarter of a core, no more.
                sleep(began.elapsed() * 3).await;
            });
        }
        None
    }
}

/// Makes a copy. `None` if it is not worth its memory or cannot be made.
///
/// # Errors
///
/// When the file cannot be read now.
async fn make(app: &App, key: &str) -> Result<Option<Bytes>> {
    let file = app.files.get(key, None).await?;
    if file.size > LARGEST {
        return Ok(None);
    }
    let jpeg: BytesMut = file.bytes.try_collect().await.map_err(Error::unforeseen)?;
    spawn_blocking(move || {
        let webp = encode(&pictures::decode(&jpeg).ok()?)?;
        (webp.len() < jpeg.len() / 10 * 9).then(|| Bytes::from(webp))
    })
    .await
    .map_err(Error::unforeseen)
}

fn encode(picture: &DynamicImage) -> Option<Vec<u8>> {
    let plain = picture.to_rgb8();
    let encoder = ::webp::Encoder::from_rgb(&plain, plain.width(), plain.height());
    Some(encoder.encode_simple(false, QUALITY).ok()?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_becomes_a_smaller_one_of_the_same_size() {
        let picture = DynamicImage::ImageRgb8(image::RgbImage::from_fn(640, 360, |x, y| {
            image::Rgb([(x / 3) as u8, (y / 2) as u8, ((x * y) / 900) as u8])
        }));
        let jpeg = pictures::jpeg(&picture, 640).expect("a JPEG");
        let copy = encode(&picture).expect("a WebP");
        assert!(copy.len() < jpeg.len(), "{} and {}", copy.len(), jpeg.len());
        let seen = image::load_from_memory(&copy).expect("a WebP");
        assert_eq!((seen.width(), seen.height()), (640, 360));
    }
}
