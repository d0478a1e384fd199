//! The client of a bucket (S3): its retries, its timeouts, and what its errors mean.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use futures_util::stream::{self, BoxStream, Stream};
use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::HttpError;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::signer::Signer;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, RetryConfig};
use tokio::time::timeout;
use url::Url;

use super::GONE;
use crate::{Error, Result, cryptography};

/// The time for the first bytes of a file, for which somebody is waiting.
pub(super) const FIRST_BYTES: Duration = Duration::from_secs(6);
/// The time for the next bytes of a file.
const NEXT_BYTES: Duration = Duration::from_secs(15);
/// The time for a call that sends no file.
pub(super) const CALL: Duration = Duration::from_secs(60);
/// The time for a part of a file over a slow line.
pub(super) const SLOWEST: Duration = Duration::from_secs(600);
/// How long a signed address works. It is short, so that a copied one soon stops working.
const SIGNED_FOR: Duration = Duration::from_secs(300);

/// The media types that browsers are told when they load files directly from a bucket.
const CONTENT_TYPES: [(&str, &str); 6] = [
    ("jpg", "image/jpeg"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("mov", "video/quicktime"),
    ("mp4", "video/mp4"),
    ("vtt", "text/vtt; charset=utf-8"),
    ("webm", "video/webm"),
];

/// What signs addresses of the files in a bucket.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    s3: Arc<AmazonS3>,
    prefix: Path,
}

impl Bucket {
    /// Opens `s3://bucket/prefix` with keys and region from the usual `AWS_…` variables. Also
    /// returns the store of the files below the prefix.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when the variables are not sufficient.
    pub fn open(url: &Url) -> Result<(Bucket, Arc<PrefixStore<AmazonS3>>)> {
        cryptography::choose();
        let s3 = builder()
            .with_bucket_name(url.host_str().unwrap_or_default())
            .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), "24h")
            .with_retry(retries())
            .build()
            .map_err(|e| Error::Setup(format!("The object store cannot be used: {e}")))?;
        let prefix = Path::from(url.path());
        let bucket = Bucket { s3: Arc::new(s3.clone()), prefix: prefix.clone() };
        Ok((bucket, Arc::new(PrefixStore::new(s3, prefix))))
    }

    /// Returns an address at which everybody can read a file for a few minutes.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when it cannot be signed.
    pub async fn signed_url(&self, key: &str) -> Result<Url> {
        let path = self.prefix.parts().chain(Path::from(key).parts()).collect();
        self.s3.signed_url(Method::GET, &path, SIGNED_FOR).await.map_err(refusal)
    }
}

/// A builder with the usual `AWS_…` variables, as [`AmazonS3Builder::from_env`] reads them, and
/// content types.
fn builder() -> AmazonS3Builder {
    let options = CONTENT_TYPES.into_iter().fold(ClientOptions::new(), |options, (end, kind)| {
        options.with_content_type_for_suffix(end, kind)
    });
    let variables = std::env::vars().filter(|(name, _)| name.starts_with("AWS_"));
    let keys = variables
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)));
    let builder = AmazonS3Builder::new().with_client_options(options);
    keys.fold(builder, |builder, (key, value)| builder.with_config(key, value))
}

/// A few quick retries; the caller decides about later ones. A single stream may take hours.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(1),
            base: 2.0,
        },
        max_retries: 3,
        retry_timeout: Duration::from_secs(24 * 3600),
    }
}

pub(super) async fn within<T>(
    limit: Duration,
    call: impl Future<Output = object_store::Result<T>>,
) -> Result<T> {
    timeout(limit, call).await.map_or_else(|_| Err(silent()), |done| done.map_err(refusal))
}

/// Passes the bytes on until the next ones take too long. A reader that pauses does not count: what
/// has arrived meanwhile is taken first.
pub(super) fn unless_silent(
    bytes: BoxStream<'static, object_store::Result<Bytes>>,
) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold(bytes, |mut bytes| async move {
        let next = timeout(NEXT_BYTES, bytes.try_next()).await?;
        Ok(next.map_err(io::Error::other)?.map(|part| (part, bytes)))
    })
}

pub(super) fn silent() -> Error {
    Error::Unavailable { cause: "the bucket does not answer".into() }
}

pub(super) fn refusal(error: object_store::Error) -> Error {
    if let object_store::Error::NotFound { .. } = error {
        return GONE;
    }
    // A full disk and a broken connection are only visible in the chain of causes.
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>()
            && io.kind() == io::ErrorKind::StorageFull
        {
            return Error::Full;
        }
        if inner.is::<HttpError>() {
            return Error::Unavailable { cause: error.to_string() };
        }
        cause = inner.source();
    }
    let text = error.to_string();
    // The type of this cause is private, and only its text has the status.
    match ["status code: 5", "status code: 429", "SlowDown"].iter().any(|sign| text.contains(sign))
    {
        true => Error::Unavailable { cause: text },
        false => Error::Unforeseen(text),
    }
}
