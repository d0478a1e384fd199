//! Fetches small documents over https, from the few addresses that the portal itself calls.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use moka::future::Cache;
use reqwest::StatusCode;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use url::Url;

use crate::{Error, Result, cryptography};

/// The maximum number of bytes that are read of an answer.
const MAX_BYTES: usize = 64 * 1024;
/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How many answers are awaited at once.
const CONCURRENCY: usize = 2;
/// How many documents are kept, and for how long. A document that changes gets a new address.
const MAX_KEPT: u64 = 8;
const TIME_TO_LIVE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Where documents come from.
pub trait Source: Send + Sync {
    /// Fetches what is at an address. `None` if there is nothing.
    fn fetch<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Option<Vec<u8>>>>;
}

/// Fetches documents and keeps some of them.
#[derive(Clone)]
pub struct Fetcher {
    source: Arc<dyn Source>,
    kept: Cache<String, Arc<Vec<u8>>>,
    slots: Arc<Semaphore>,
}

impl Fetcher {
    pub fn over_https() -> Fetcher {
        Fetcher::with(Arc::new(Https::default()))
    }

    pub fn with(source: Arc<dyn Source>) -> Fetcher {
        Fetcher {
            source,
            kept: Cache::builder().max_capacity(MAX_KEPT).time_to_live(TIME_TO_LIVE).build(),
            slots: Arc::new(Semaphore::new(CONCURRENCY)),
        }
    }

    /// Returns a document that was fetched within the last month.
    pub async fn kept(&self, url: &Url) -> Option<Arc<Vec<u8>>> {
        self.kept.get(url.as_str()).await
    }

    /// Fetches a document and keeps it. `None` if there is nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when there is no answer in time, or too many are awaited already.
    pub async fn keep(&self, url: &Url) -> Result<Option<Arc<Vec<u8>>>> {
        let slot = self.slot().await?;
        // Whoever had the slot before may have fetched the same document.
        if let Some(document) = self.kept(url).await {
            return Ok(Some(document));
        }
        let fetched = self.source.fetch(url).await;
        drop(slot);
        let Some(document) = fetched? else { return Ok(None) };
        let document = Arc::new(document);
        self.kept.insert(url.as_str().to_owned(), document.clone()).await;
        Ok(Some(document))
    }

    /// Fetches a document. `None` if there is nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when there is no answer in time, or too many are awaited already.
    pub async fn fetch(&self, url: &Url) -> Result<Option<Vec<u8>>> {
        let _slot = self.slot().await?;
        self.source.fetch(url).await
    }

    async fn slot(&self) -> Result<SemaphorePermit<'_>> {
        let busy = || Error::Busy(None);
        let slot = timeout(TIMEOUT, self.slots.acquire()).await.map_err(|_| busy())?;
        slot.map_err(|_| busy())
    }
}

/// The real source. Follows no redirects.
#[derive(Default)]
struct Https(OnceLock<reqwest::Client>);

impl Source for Https {
    fn fetch<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Option<Vec<u8>>>> {
        Box::pin(async move {
            self.fetch_over_https(url).await.map_err(|cause| {
                tracing::warn!(host = url.host_str(), %cause, "a document cannot be fetched");
                Error::Busy(None)
            })
        })
    }
}

impl Https {
    async fn fetch_over_https(&self, url: &Url) -> std::result::Result<Option<Vec<u8>>, String> {
        let client = match self.0.get() {
            Some(client) => client,
            None => {
                let client = client().map_err(|error| error.to_string())?;
                self.0.get_or_init(|| client)
            }
        };
        // The text of an error contains the address, which may contain a token.
        let why = |error: reqwest::Error| error.without_url().to_string();
        let mut answer = client.get(url.clone()).send().await.map_err(why)?;
        match answer.status() {
            status if status.is_success() => {}
            StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
            status => return Err(format!("the answer was {status}")),
        }
        let mut document = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(why)? {
            if document.len() + part.len() > MAX_BYTES {
                return Err("the answer is too long".into());
            }
            document.extend_from_slice(&part);
        }
        Ok(Some(document))
    }
}

fn client() -> reqwest::Result<reqwest::Client> {
    cryptography::choose();
    reqwest::Client::builder()
        .https_only(true)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(TIMEOUT)
        .build()
}
