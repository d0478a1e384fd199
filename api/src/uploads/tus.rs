//! The headers of tus 1.0.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use portal::uploads::Checksum;

use crate::error::{Answer, Problem};

const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
pub const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
pub const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
pub const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");

pub const ABILITIES: [(&str, &str); 4] = [
    ("tus-resumable", "1.0.0"),
    ("tus-version", "1.0.0"),
    ("tus-extension", "creation,creation-with-upload,termination,expiration,checksum"),
    ("tus-checksum-algorithm", "sha1,sha256"),
];

/// The headers of extensions that are not offered, with what to say about them.
pub const NOT_OFFERED: [(&str, &str); 2] = [
    ("upload-defer-length", "Upload-Defer-Length is not offered here."),
    ("upload-concat", "Upload-Concat is not offered here. Please send the file in one upload."),
];

/// A header that cannot be read, with a sentence about it.
pub struct Unreadable(&'static str);

impl From<Unreadable> for Problem {
    fn from(Unreadable(detail): Unreadable) -> Problem {
        Problem::bad_request(detail)
    }
}

/// Completes an answer or a refusal with the version of the protocol.
pub fn answer(answer: Answer<Response>) -> Response {
    let mut response = answer.unwrap_or_else(IntoResponse::into_response);
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(TUS_RESUMABLE, VERSION);
    if status == StatusCode::PRECONDITION_FAILED {
        headers.insert(TUS_VERSION, VERSION);
    }
    response
}

pub fn is_version(headers: &HeaderMap) -> bool {
    headers.get(TUS_RESUMABLE) == Some(&VERSION)
}

pub fn other_version() -> Problem {
    let detail = "Uploads follow the protocol tus 1.0.0 (Tus-Resumable: 1.0.0).";
    Problem::new(StatusCode::PRECONDITION_FAILED, "bad_request", detail)
}

/// The status that the protocol defines for this is not a standard one.
pub fn wrong_checksum() -> Problem {
    let status = StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST);
    let detail = "What arrived differs from what was sent. Please send it again.";
    Problem::new(status, "bad_request", detail)
}

/// Whether the body is bytes of the upload.
pub fn sends_bytes(headers: &HeaderMap) -> bool {
    text(headers, "content-type") == Some("application/offset+octet-stream")
}

/// The size of a new upload.
pub fn length(headers: &HeaderMap) -> Result<i64, Unreadable> {
    let length = number(headers, "upload-length").filter(|length| *length <= i64::MAX as u64);
    length.map(|length| length as i64).ok_or(Unreadable("Upload-Length is missing or no size."))
}

pub fn offset(headers: &HeaderMap) -> Result<u64, Unreadable> {
    number(headers, "upload-offset").ok_or(Unreadable("Upload-Offset is missing or no size."))
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    let digits = text(headers, name)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// The name of the file in the metadata, or an empty one.
pub fn file_name(headers: &HeaderMap) -> Result<String, Unreadable> {
    for pair in text(headers, "upload-metadata").unwrap_or_default().split(',') {
        if let Some(("filename", value)) = pair.trim().split_once(' ') {
            let bytes = STANDARD.decode(value.trim()).ok();
            let name = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            return name.ok_or(Unreadable("Upload-Metadata cannot be read."));
        }
    }
    Ok(String::new())
}

pub fn checksum(headers: &HeaderMap) -> Result<Option<Checksum>, Unreadable> {
    const WRONG: Unreadable = Unreadable("Upload-Checksum is sha1 or sha256, and its value.");
    let Some(given) = headers.get("upload-checksum") else { return Ok(None) };
    let (algorithm, value) =
        given.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(WRONG)?;
    let value = STANDARD.decode(value.trim()).map_err(|_| WRONG)?;
    match algorithm {
        "sha1" => Ok(Some(Checksum::Sha1(value))),
        "sha256" => Ok(Some(Checksum::Sha256(value))),
        _ => Err(WRONG),
    }
}

/// When the upload is removed if nothing more arrives.
pub fn expiry(now: DateTime<Utc>) -> String {
    (now + TimeDelta::days(1)).format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
