//! Caches the responses of public routes: to everybody where the response is the same for all, otherwise to
//! requests without a session.
//!
//! A response is sent again only as long as nobody, in no process, has changed anything that families see
//! since it was made, and for one second at most because of what depends on the time and because of
//! counts. What a viewer may see therefore never depends on the cache: a restriction or a deletion counts
//! from its commit on, and only numbers of views, likes and comments may be a second old.
//!
//! The request that fills the cache has the address of the one that came and nothing else of it, so a
//! response cannot contain anything about who sent it.

mod routes;
mod stored;

use std::collections::hash_map::DefaultHasher;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use moka::future::Cache;
use portal::db::content::{Version, Versions};
use portal::{App, updates};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;
use tower::{Service, ServiceExt};
use uuid::Uuid;

use self::routes::{Route, Served};
use self::stored::Stored;
use crate::timeouts::Limits;

/// The memory that all cached responses may use, and each of them. With both compressed forms a response
/// needs less than twice its size.
const ALL: u64 = 16 << 20;
const EACH: usize = 1 << 20;
/// How long a response is used if nobody changes anything.
const KEPT: TimeDelta = TimeDelta::seconds(1);
/// How long a request waits for another one that makes the same response.
const TURN: Duration = Duration::from_secs(1);
/// How many responses are made at the same time.
const TURNS: usize = 64;

/// The router of the portal behind the cache.
#[derive(Clone)]
pub struct ResponseCache(Arc<Inner>);

struct Inner {
    app: App,
    router: Router,
    limits: Limits,
    versions: Versions,
    entries: Cache<String, Arc<Entry>>,
    /// One for all addresses with the same hash, so that simultaneous requests make a response once.
    turns: Vec<Mutex<()>>,
    /// The version in which the settings were last read anew.
    settings_of: std::sync::Mutex<Option<Version>>,
    served: Served,
    ids: RequestIds,
}

/// A response, and when it may be used.
struct Entry {
    version: Version,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    stored: Arc<Stored>,
}

impl Entry {
    fn is_valid(&self, version: Version, now: DateTime<Utc>) -> bool {
        self.version == version && (self.from..self.until).contains(&now)
    }
}

impl ResponseCache {
    /// `limits` are those of the router.
    pub fn new(app: App, router: Router, limits: Limits) -> ResponseCache {
        let size = |key: &String, entry: &Arc<Entry>| (key.len() + entry.stored.size()) as u32;
        ResponseCache(Arc::new(Inner {
            versions: Versions::of(&app.db),
            app,
            router,
            limits,
            entries: Cache::builder().max_capacity(ALL).weigher(size).build(),
            turns: (0..TURNS).map(|_| Mutex::default()).collect(),
            settings_of: std::sync::Mutex::default(),
            served: Served::default(),
            ids: RequestIds::new(),
        }))
    }

    pub async fn answer(&self, request: Request) -> Response {
        let started = Instant::now();
        let Some(route) = routes::of(&request) else { return self.pass(request).await };
        let (parts, body) = request.into_parts();
        match self.cached(route, &parts, started).await {
            Some(response) => response,
            None => self.pass(Request::from_parts(parts, body)).await,
        }
    }

    /// The router's own answer.
    async fn pass(&self, request: Request) -> Response {
        let Ok(response) = self.0.router.clone().oneshot(request).await;
        response
    }

    /// The response from the cache, which makes it if need be. `None` if the router has to answer.
    async fn cached(&self, route: Route, parts: &Parts, started: Instant) -> Option<Response> {
        let version = self.0.versions.current().await?;
        match self.find(address(parts), version).await {
            Some(entry) => self.hit(&entry, route, parts, started).await,
            None => self.make(route, parts, started).await,
        }
    }

    async fn find(&self, address: &str, version: Version) -> Option<Arc<Entry>> {
        let now = self.0.app.clock.now();
        self.0.entries.get(address).await.filter(|entry| entry.is_valid(version, now))
    }

    /// Sends a response that is in the cache. Such requests are logged only on request.
    async fn hit(
        &self,
        entry: &Entry,
        route: Route,
        parts: &Parts,
        started: Instant,
    ) -> Option<Response> {
        let id = self.0.ids.next();
        let response = self.send(&entry.stored, parts, &id).await?;
        let (status, path) = (response.status(), parts.uri.path());
        tracing::debug!(?id, path, status = status.as_u16(), "answered from the cache");
        self.0.served.count(route, status, started.elapsed());
        Some(response)
    }

    /// `None` if the network has too many requests at once, which the router refuses.
    async fn send(&self, stored: &Stored, parts: &Parts, id: &HeaderValue) -> Option<Response> {
        let share = self.0.limits.share(parts).ok()?;
        let mut response = stored.answer(&parts.headers, share).await;
        response.headers_mut().insert(REQUEST_ID, id.clone());
        Some(response)
    }

    /// Makes the response, unless another request has made it meanwhile.
    async fn make(&self, route: Route, parts: &Parts, started: Instant) -> Option<Response> {
        let key = address(parts);
        let _turn = timeout(TURN, self.turn(key)).await.ok()?;
        // From before everything that is read for the response: what somebody changes meanwhile makes
        // another version.
        let (version, now) = (self.0.versions.current().await?, self.0.app.clock.now());
        if let Some(entry) = self.find(key, version).await {
            return self.hit(&entry, route, parts, started).await;
        }
        self.renew_settings(version);
        let until = self.constant_until(now).await.ok()?;
        let response = self.pass(anonymous(parts)).await;
        if !may_be_kept(&response) {
            return Some(response);
        }
        let (mut head, body) = response.into_parts();
        let bytes = to_bytes(body, EACH).await.ok()?;
        let id = head.headers.remove(REQUEST_ID).unwrap_or_else(|| self.0.ids.next());
        let stored = Arc::new(Stored::new(&self.0.app.keys, head.headers, bytes));
        // Keeps the compressed forms if the response is the same as before.
        let before = self.0.entries.get(key).await.map(|entry| entry.stored.clone());
        let stored = before.filter(|before| before.is_same(&stored)).unwrap_or(stored);
        let entry = Entry { version, from: now, until, stored: stored.clone() };
        self.0.entries.insert(key.to_owned(), Arc::new(entry)).await;
        self.send(&stored, parts, &id).await
    }

    async fn turn(&self, key: &str) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        self.0.turns[hasher.finish() as usize % TURNS].lock().await
    }

    /// Other processes may have changed the settings, which this one reads only every two seconds.
    fn renew_settings(&self, version: Version) {
        let mut of = self.0.settings_of.lock().unwrap_or_else(PoisonError::into_inner);
        if *of != Some(version) {
            self.0.app.invalidate_settings();
            *of = Some(version);
        }
    }

    /// How long a response stays right if nobody changes anything: until quiet time begins or ends, or
    /// an update expires. The rest of what depends on the time may be late by [`KEPT`].
    async fn constant_until(&self, now: DateTime<Utc>) -> portal::Result<DateTime<Utc>> {
        let app = &self.0.app;
        let latest = now + KEPT;
        let quiet = app.settings().await?.next_quiet_change(now, latest);
        let expiry = updates::next_expiry(app, now, latest).await?;
        Ok([quiet, expiry].into_iter().flatten().fold(latest, Ord::min))
    }
}

impl Service<Request> for ResponseCache {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let cache = self.clone();
        Box::pin(async move { Ok(cache.answer(request).await) })
    }
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The address by which a response is found.
fn address(parts: &Parts) -> &str {
    parts.uri.path_and_query().map_or("", |address| address.as_str())
}

/// A request for the same path and query that tells nothing else, except to the limits of its network.
fn anonymous(parts: &Parts) -> Request {
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = parts.uri.path_and_query().cloned().map_or_else(Uri::default, Uri::from);
    if let Some(peer) = parts.extensions.get::<ConnectInfo<SocketAddr>>() {
        request.extensions_mut().insert(*peer);
    }
    let forwarded = HeaderName::from_static("x-forwarded-for");
    for value in parts.headers.get_all(&forwarded) {
        request.headers_mut().append(&forwarded, value.clone());
    }
    request
}

fn may_be_kept(response: &Response) -> bool {
    let size = response.body().size_hint().exact();
    response.status() == StatusCode::OK
        && size.is_some_and(|size| size <= EACH as u64)
        && !response.headers().contains_key(header::SET_COOKIE)
}

/// Numbers the responses that come from the cache, because a random id for each would cost as much as
/// the rest of its headers.
struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    fn new() -> RequestIds {
        RequestIds { process: Uuid::new_v4().as_u64_pair().1, next: AtomicU64::default() }
    }

    fn next(&self) -> HeaderValue {
        let id = format!("{:016x}{:016x}", self.process, self.next.fetch_add(1, Relaxed));
        HeaderValue::from_str(&id).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}
