//! Processes uploaded pictures: checks their content, rotates them upright, scales them down and
//! encodes them again, so that no metadata is left, especially not the location (safety 25).

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use tokio::sync::Semaphore;

use crate::{Error, Result};

/// The maximum file size in bytes.
pub const LARGEST: usize = 10 * 1024 * 1024;
pub const TOO_LARGE: &str = "This picture is larger than 10MB.";
const HEIC: &str = "This is a HEIC photo, which browsers do not show. Please save it as JPEG and choose \
                    that file. To take JPEG photos on an iPhone, choose Settings, Camera, Formats, \
                    “Most Compatible”.";
const LONGEST_SIDE: u32 = 8192;
const MAX_PIXELS: u64 = 40_000_000;

/// Each picture takes up to 160 MB while it is open.
static PERMITS: Semaphore = Semaphore::const_new(1);

/// Decodes an upload and converts it with the given function.
///
/// # Errors
///
/// [`Error::Invalid`] on `file`.
pub(crate) async fn open<T: Send + 'static>(
    bytes: bytes::Bytes,
    keep: impl FnOnce(DynamicImage) -> Result<T> + Send + 'static,
) -> Result<T> {
    if bytes.len() > LARGEST {
        return Err(Error::invalid("file", TOO_LARGE));
    }
    let _permit = PERMITS.acquire().await.map_err(Error::unforeseen)?;
    tokio::task::spawn_blocking(move || keep(decode(&bytes)?)).await.map_err(Error::unforeseen)?
}

/// Decodes a picture, upright.
///
/// # Errors
///
/// [`Error::Invalid`] on `file`.
pub(crate) fn decode(bytes: &[u8]) -> Result<DynamicImage> {
    let no_image = || Error::invalid("file", "This is not a valid image file.");
    if is_heic(bytes) {
        return Err(Error::invalid("file", HEIC));
    }
    let format = image::guess_format(bytes).map_err(|_| no_image())?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP) {
        return Err(Error::invalid("file", "Please choose a JPEG, PNG or WebP picture."));
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MAX_PIXELS * 4);
    reader.limits(limits);
    let too_large =
        || Error::invalid("file", "This picture has too many pixels. Please make it smaller.");
    let mut decoder = match reader.into_decoder() {
        Err(image::ImageError::Limits(_)) => return Err(too_large()),
        other => other.map_err(|_| no_image())?,
    };
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS || decoder.total_bytes() > MAX_PIXELS * 4 {
        return Err(too_large());
    }
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = match DynamicImage::from_decoder(decoder) {
        Err(image::ImageError::Limits(_)) => return Err(too_large()),
        other => other.map_err(|_| no_image())?,
    };
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Whether it is a photo as iPhones save it.
fn is_heic(bytes: &[u8]) -> bool {
    let brands: [&[u8]; 6] = [b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"];
    bytes.get(4..8) == Some(b"ftyp") && bytes.get(8..12).is_some_and(|one| brands.contains(&one))
}

/// Scales the picture to at most `side` pixels on its longest side. A smaller one stays as it is.
pub(crate) fn fit(picture: &DynamicImage, side: u32) -> DynamicImage {
    match picture.width().max(picture.height()) > side {
        true => picture.resize(side, side, FilterType::CatmullRom),
        false => picture.clone(),
    }
}

/// Encodes as JPEG, with at most `side` pixels on the longest side.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the picture cannot be encoded.
pub fn jpeg(picture: &DynamicImage, side: u32) -> Result<Vec<u8>> {
    let flat = on_white(&fit(picture, side));
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, 85).encode_image(&flat).map_err(Error::unforeseen)?;
    Ok(out)
}

/// Encodes as PNG, which preserves transparency.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the picture cannot be encoded.
pub(crate) fn png(picture: &DynamicImage) -> Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    let plain = DynamicImage::ImageRgba8(picture.to_rgba8());
    plain.write_to(&mut out, ImageFormat::Png).map_err(Error::unforeseen)?;
    Ok(out.into_inner())
}

/// JPEG has no transparency, so transparent areas become white.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(width: u32, height: u32) -> Vec<u8> {
        png(&DynamicImage::new_rgba8(width, height)).expect("a picture")
    }

    #[test]
    fn a_picture_is_written_anew_without_what_came_with_it() {
        let picture = decode(&sent(2000, 1000)).expect("a picture");
        let large = jpeg(&picture, 1600).expect("a JPEG");
        let seen = image::load_from_memory(&large).expect("a JPEG");
        assert_eq!(seen.width(), 1600);
        assert_eq!(seen.height(), 800);
        assert!(!large.windows(4).any(|w| w == b"Exif"));
    }

    #[test]
    fn what_is_no_picture_is_refused_whatever_it_calls_itself() {
        for bytes in [
            &b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..],
            b"GIF89a........",
            b"",
            b"\xff\xd8\xff\xe0junk",
        ] {
            assert!(matches!(decode(bytes), Err(Error::Invalid(_))));
        }
    }

    #[test]
    fn whoever_chooses_the_photo_of_an_iphone_is_told_what_to_do() {
        let refused = decode(b"\0\0\0\x24ftypheic\0\0\0\0mif1").expect_err("no picture");
        assert!(matches!(refused, Error::Invalid(_)));
        assert!(refused.to_string().contains("save it as JPEG"), "{refused}");
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_opened() {
        // A PNG whose header claims 30,000 by 30,000 pixels.
        let mut bomb = sent(1, 1);
        bomb[16..20].copy_from_slice(&30_000u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&30_000u32.to_be_bytes());
        assert!(matches!(decode(&bomb), Err(Error::Invalid(_))));
    }
}
