//! Serves the portal's own video and picture files, with byte ranges, to viewers who may watch.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, IF_RANGE, LOCATION, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use portal::access::Access;
use portal::settings::Settings;
use portal::videos::{self, Media};
use portal::{App, Error};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::CurrentViewer;
use crate::error::{Answer, Problem};
use crate::input::{Id, Segments};
use crate::negotiation::is_known;
use crate::server::Pace;
use crate::webp;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(video))
        .routes(routes!(converted))
        .routes(routes!(thumbnail))
        .routes(routes!(download))
}

/// The file of a video
#[utoipa::path(get, path = "/media/videos/{id}", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "video/mp4"), (status = 206, content_type = "video/mp4"),
              (status = 307, description = "To the bucket"),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 416, body = Problem)))]
async fn video(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    method: Method,
    headers: HeaderMap,
) -> Answer<Response> {
    let settings = app.settings().await?;
    let media = videos::video_file(&app, &settings, &viewer, id).await?;
    if let Some(elsewhere) = redirect(&app, &media, &method).await? {
        return Ok(elsewhere);
    }
    let mut response = send(&app, &settings, media, &method, &headers).await?;
    response.extensions_mut().insert(Pace::Media);
    Ok(response)
}

/// The file of a video, for download
#[utoipa::path(get, path = "/media/videos/{id}/download", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "video/mp4"), (status = 206, content_type = "video/mp4"),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 416, body = Problem)))]
async fn download(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    method: Method,
    headers: HeaderMap,
) -> Answer<Response> {
    let settings = app.settings().await?;
    let download = videos::download(&app, &settings, &viewer, id).await?;
    let disposition = as_attachment(&download.title, ending(&download.media));
    let mut response = send(&app, &settings, download.media, &method, &headers).await?;
    let disposition = disposition.parse().map_err(Error::unforeseen)?;
    response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    response.extensions_mut().insert(Pace::Media);
    Ok(response)
}

/// Names the file after the video, even in Hebrew (RFC 6266).
fn as_attachment(title: &str, ending: &str) -> String {
    let kept = |letter: &char| !letter.is_control() && !"/\\:*?\"<>|".contains(*letter);
    let name: String = title.chars().filter(kept).collect();
    let encoded: String = name
        .trim()
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename=\"video.{ending}\"; filename*=UTF-8''{encoded}.{ending}")
}

/// The ending of the file's name, by which programs know how to open it.
fn ending(media: &Media) -> &'static str {
    match content_type(media).as_str() {
        "video/webm" => "webm",
        "video/quicktime" => "mov",
        "video/x-matroska" => "mkv",
        "video/ogg" => "ogv",
        _ => "mp4",
    }
}

/// A file of the conversion of a video: a playlist, one size, a poster or a preview
#[utoipa::path(get, path = "/media/videos/{id}/{upload_id}/{file}", tag = "media", security(()),
    params(("id" = Uuid, Path), ("upload_id" = Uuid, Path), ("file" = String, Path)),
    responses((status = 200, content_type = "application/vnd.apple.mpegurl"),
              (status = 206, content_type = "video/mp4"),
              (status = 307, description = "To the bucket"),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 416, body = Problem)))]
async fn converted(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Segments((id, upload_id, file)): Segments<(Uuid, Uuid, String)>,
    method: Method,
    headers: HeaderMap,
) -> Answer<Response> {
    let settings = app.settings().await?;
    let media = videos::converted_file(&app, &settings, &viewer, id, upload_id, &file).await?;
    if let Some(elsewhere) = redirect(&app, &media, &method).await? {
        return Ok(elsewhere);
    }
    let mut response = send(&app, &settings, media, &method, &headers).await?;
    response.extensions_mut().insert(Pace::Media);
    Ok(response)
}

/// The picture of a video
#[utoipa::path(get, path = "/media/thumbnails/{id}", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "image/*"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn thumbnail(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    method: Method,
    headers: HeaderMap,
) -> Answer<Response> {
    let settings = app.settings().await?;
    let media = videos::thumbnail(&app, &settings, &viewer, id).await?;
    let response = match webp::copy_for(&app, &headers, &media.key).await {
        Some(copy) => {
            let etag = etag(&app, &format!("{}.webp", media.key));
            let always = [
                (ETAG, etag.as_str()),
                (CACHE_CONTROL, cache_control(&settings, &media)),
                (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            match is_known(&headers, &etag) {
                true => (StatusCode::NOT_MODIFIED, always).into_response(),
                false => (always, [(CONTENT_TYPE, webp::WEBP)], copy).into_response(),
            }
        }
        None => send(&app, &settings, media, &method, &headers).await?,
    };
    Ok(webp::vary(response))
}

/// Sends a browser to the bucket for the bytes of a video, where the operator wants it. It comes back
/// for the next part, so that a right that was revoked ends within minutes.
async fn redirect(app: &App, media: &Media, method: &Method) -> Answer<Option<Response>> {
    let wanted = app.config.storage_redirects && method == Method::GET;
    if !wanted || !content_type(media).starts_with("video/") {
        return Ok(None);
    }
    let Some(url) = app.files.signed_url(&media.key).await? else { return Ok(None) };
    let headers = [(LOCATION, url.as_str()), (CACHE_CONTROL, "no-store")];
    Ok(Some((StatusCode::TEMPORARY_REDIRECT, headers).into_response()))
}

async fn send(
    app: &App,
    settings: &Settings,
    media: Media,
    method: &Method,
    headers: &HeaderMap,
) -> Answer<Response> {
    let etag = etag(app, &media.key);
    let always = [
        (ETAG, etag.as_str()),
        (CACHE_CONTROL, cache_control(settings, &media)),
        (ACCEPT_RANGES, "bytes"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    if is_known(headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, always).into_response());
    }
    // A range is only useful if the client has the rest of the same file.
    let same_file = text(headers, IF_RANGE).is_none_or(|known| known == etag);
    let range =
        text(headers, RANGE).filter(|_| same_file && method == Method::GET).and_then(read_range);
    let part = match app.files.get(&media.key, range).await {
        Ok(part) => part,
        Err(error @ Error::OutOfRange { size }) => {
            let range = [(CONTENT_RANGE, format!("bytes */{size}"))];
            return Ok((range, Problem::from(error)).into_response());
        }
        Err(error) => return Err(error.into()),
    };
    let length = part.range.end - part.range.start;
    let status = match range {
        Some(_) if length > 0 => StatusCode::PARTIAL_CONTENT,
        _ => StatusCode::OK,
    };
    let (first, last) = (part.range.start, part.range.end.saturating_sub(1));
    let content_range = (status == StatusCode::PARTIAL_CONTENT)
        .then(|| [(CONTENT_RANGE, format!("bytes {first}-{last}/{}", part.size))]);
    let own = [(CONTENT_TYPE, content_type(&media)), (CONTENT_LENGTH, length.to_string())];
    let body = match *method {
        Method::HEAD => Body::empty(),
        _ => Body::from_stream(part.bytes),
    };
    let mut response = (status, always, own, body).into_response();
    for (name, value) in content_range.into_iter().flatten() {
        response.headers_mut().insert(name, value.parse().map_err(Error::unforeseen)?);
    }
    Ok(response)
}

/// The content of a key never changes, so the key is its ETag.
fn etag(app: &App, key: &str) -> String {
    format!("\"{}\"", app.keys.sign("etag", key))
}

/// Restricted media must be revalidated each time, so that a revoked right takes effect at once.
fn cache_control(settings: &Settings, media: &Media) -> &'static str {
    match settings.watch_access() {
        _ if media.immutable => "private, max-age=31536000, immutable",
        Access::Everyone => "private, max-age=600",
        _ => "private, no-cache",
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Images, video, audio and what belongs to them: nothing that a browser could interpret as a page.
fn content_type(media: &Media) -> String {
    let guessed = mime_guess::from_path(&media.key).first_raw();
    let wanted = media.content_type.as_deref().or(guessed).unwrap_or_default();
    let kind = wanted.split('/').next().unwrap_or_default();
    match (kind, wanted) {
        (_, "image/svg+xml") => "application/octet-stream".to_owned(),
        ("video" | "audio" | "image", _)
        | (_, "application/vnd.apple.mpegurl" | "text/vtt; charset=utf-8") => wanted.to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

type Range = (Option<u64>, Option<u64>);

/// Parses one byte range. Anything else, including several ranges, is ignored: the whole file is always
/// a valid response (RFC 9110, 14.2).
fn read_range(header: &str) -> Option<Range> {
    let (unit, ranges) = header.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = ranges.trim().split_once('-')?;
    let number = |digits: &str| match digits.bytes().all(|b| b.is_ascii_digit()) {
        // More than the size of any file.
        true => digits.parse::<u64>().ok().or((digits.len() > 18).then_some(u64::MAX)),
        false => None,
    };
    match (first.trim(), last.trim()) {
        ("", "") => None,
        ("", last) => Some((None, Some(number(last)?))),
        (first, "") => Some((Some(number(first)?), None)),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some((Some(first), Some(last)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_read_and_anything_else_means_the_whole_file() {
        assert_eq!(read_range("bytes=0-99"), Some((Some(0), Some(99))));
        assert_eq!(read_range("Bytes = 5-"), Some((Some(5), None)));
        assert_eq!(read_range("bytes=-7"), Some((None, Some(7))));
        let huge = read_range("bytes=99999999999999999999999-");
        assert_eq!(huge, Some((Some(u64::MAX), None)));
        for other in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=9-3",
            "bytes=a-b",
            "bytes=0-1,4-5",
            "lines=1-2",
            "bytes=+1-2",
            "bytes=0x1-2",
        ] {
            assert_eq!(read_range(other), None, "{other}");
        }
    }
}
