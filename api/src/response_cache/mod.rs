//! Caches the responses of public routes.
//!
//! A response is sent again only until somebody, in any process, changes anything that families
//! see, and for at most one second, because of what depends on the time and because of counts. What
//! a viewer may see therefore never depends on the cache: a restriction or a deletion counts from
//! its commit on, and only numbers of views, likes and comments may be a second old.
//!
//! The request that fills the cache takes from the incoming request its address, what decides what
//! its sender may see, and nothing else, so a response cannot contain anything about who sent it.
//! Pages and most documents are the same for everybody. Videos and updates are made for strangers
//! and for each kind of parents; what is a parent's own is put in afterwards (`personal`). Staff
//! are answered by the router.

mod files;
mod make;
mod personal;
mod request_ids;
mod requests;
mod routes;
mod stored;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use chrono::TimeDelta;
use moka::future::Cache;
use portal::db::content::{Version, Versions};
use portal::{App, UserId};
use tokio::sync::Mutex;
use tower::{Service, ServiceExt};

use self::files::Files;
use self::make::{Entry, Made, may_be_kept};
use self::personal::Readers;
use self::request_ids::{REQUEST_ID, RequestIds};
use self::requests::{Origin, Reader, anonymous};
pub use self::routes::may_have_a_session;
use self::routes::{Route, Served};
use self::stored::Stored;
use crate::auth::SessionCache;
use crate::frontend::first_answers;
use crate::timeouts::Limits;

/// The maximum sizes in bytes: of all cached responses, of those with what is a reader's own, and
/// of each. With both compressed forms a response needs less than twice its size.
const MAX_BYTES: u64 = 10 << 20;
const MAX_OWN_BYTES: u64 = 6 << 20;
const MAX_RESPONSE_BYTES: usize = 1 << 20;
/// How long a response is used if nobody changes anything.
const TIME_TO_LIVE: TimeDelta = TimeDelta::seconds(1);
/// How long before its end a response that is asked for is made again, so that nobody waits for it.
const REFRESH_AHEAD: TimeDelta = TimeDelta::milliseconds(250);
/// How long a parent who wrote something bypasses the cache: longer than [`TIME_TO_LIVE`].
const BYPASS_AFTER_WRITE: Duration = Duration::from_secs(2);
/// How long a request waits for another one that makes the same response.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// How many responses are made at the same time.
const LOCKS: usize = 64;

/// The router of the portal behind the cache.
#[derive(Clone)]
pub struct ResponseCache(Arc<Inner>);

struct Inner {
    app: App,
    router: Router,
    limits: Limits,
    versions: Versions,
    sessions: SessionCache,
    /// The responses by address and, for parents, also by what decides what they may see.
    entries: Cache<String, Arc<Entry>>,
    own: Cache<String, Arc<Own>>,
    files: Files,
    readers: Readers,
    /// Parents who wrote something recently.
    writers: Cache<UserId, ()>,
    /// One for all addresses with the same hash, so that simultaneous requests make a response once.
    locks: Vec<Mutex<()>>,
    /// The version at which the settings were last read again.
    settings_of: std::sync::Mutex<Option<Version>>,
    served: Served,
    ids: RequestIds,
}

/// A response with what is a reader's own.
struct Own {
    /// What it was made of.
    of: Arc<Stored>,
    stored: Arc<Stored>,
}

impl ResponseCache {
    /// `limits` are those of the router.
    pub fn new(app: App, router: Router, limits: Limits, sessions: SessionCache) -> ResponseCache {
        let size = |key: &String, entry: &Arc<Entry>| (key.len() + entry.stored.size()) as u32;
        let size_of_own = |key: &String, own: &Arc<Own>| (key.len() + own.stored.size()) as u32;
        ResponseCache(Arc::new(Inner {
            versions: Versions::of(&app.db),
            app,
            router,
            limits,
            sessions,
            entries: Cache::builder().max_capacity(MAX_BYTES).weigher(size).build(),
            own: Cache::builder().max_capacity(MAX_OWN_BYTES).weigher(size_of_own).build(),
            files: Files::default(),
            readers: Readers::new(),
            writers: Cache::builder().max_capacity(10_000).time_to_live(BYPASS_AFTER_WRITE).build(),
            locks: (0..LOCKS).map(|_| Mutex::default()).collect(),
            settings_of: std::sync::Mutex::default(),
            served: Served::default(),
            ids: RequestIds::new(),
        }))
    }

    /// What is seldom needed is boxed, because the whole state of this is moved for each request.
    pub async fn answer(&self, request: Request) -> Response {
        let started = Instant::now();
        if routes::is_file(&request) {
            return self.file(request, started).await;
        }
        let Some(route) = routes::of(&request) else {
            return Box::pin(self.never_cached(request)).await;
        };
        let (parts, body) = request.into_parts();
        let cached = match route.is_kept_with(parts.uri.query()) {
            true => self.cached(route, &parts, started).await,
            false => None,
        };
        if let Some(response) = cached {
            return response;
        }
        if let Some(current) = self.0.versions.current().await {
            self.renew_settings(current.content);
        }
        Box::pin(self.forward(Request::from_parts(parts, body))).await
    }

    /// A file of the front end.
    async fn file(&self, request: Request, started: Instant) -> Response {
        let (parts, body) = request.into_parts();
        let response = match self.0.files.get(parts.uri.path()) {
            Some(stored) => self.hit(&stored, Route::PAGE, &parts, started).await,
            None => Box::pin(self.keep_file(&parts)).await,
        };
        match response {
            Some(response) => response,
            None => Box::pin(self.forward(Request::from_parts(parts, body))).await,
        }
    }

    /// Answers the first request for a file, and keeps it. Anything that is not a file is answered
    /// by the router.
    async fn keep_file(&self, parts: &Parts) -> Option<Response> {
        let response = self.forward(anonymous(parts, &Reader::Anybody)).await;
        if !may_be_kept(&response) {
            return Some(response);
        }
        let (id, headers, bytes) = self.read(response).await?;
        let stored = self.0.files.keep(&self.0.app.keys, parts.uri.path(), headers, bytes);
        self.send(&stored, parts, &id).await
    }

    /// What a response consists of, with the id of its request.
    async fn read(&self, response: Response) -> Option<(HeaderValue, HeaderMap, Bytes)> {
        let (mut head, body) = response.into_parts();
        let bytes = to_bytes(body, MAX_RESPONSE_BYTES).await.ok()?;
        let id = head.headers.remove(REQUEST_ID).unwrap_or_else(|| self.0.ids.next());
        Some((id, head.headers, bytes))
    }

    /// The answer to a request that is never cached. A parent who writes bypasses the cache for a
    /// while, since its counts may lack what was written.
    async fn never_cached(&self, request: Request) -> Response {
        let headers = (!request.method().is_safe()).then(|| request.headers().clone());
        // Health checks do not wait for the database.
        if !PROBES.contains(&request.uri().path())
            && let Some(current) = self.0.versions.current().await
        {
            self.renew_settings(current.content);
        }
        let response = self.forward(request).await;
        if let Some(headers) = headers
            && let Some(user) = self.0.sessions.known_user(&self.0.app.config, &headers).await
        {
            self.0.writers.insert(user.id, ()).await;
        }
        response
    }

    /// The router's own answer. A page for a request without a session contains the answers that it needs first.
    async fn forward(&self, request: Request) -> Response {
        let origin = Origin::of(request.extensions(), request.headers());
        let accepted = stored::accepted(request.headers());
        let is_get = request.method() == Method::GET;
        let Ok(mut response) = self.0.router.clone().oneshot(request).await;
        if first_answers::are_wanted(&response) {
            let anonymous = |address: &str| Some(origin.request(address.parse().ok()?));
            response = first_answers::embed(&self.0.router, response, anonymous).await;
        }
        // The router compresses the rest of what is worth it.
        if !is_get || !is_page(&response) {
            return response;
        }
        let vary = HeaderValue::from_static("accept-encoding");
        response.headers_mut().append(header::VARY, vary);
        stored::packed(response, accepted).await
    }

    /// The response from the cache, which makes it if need be. `None` if the router has to answer.
    async fn cached(&self, route: Route, parts: &Parts, started: Instant) -> Option<Response> {
        let reader = self.reader(route, parts).await?;
        let key = reader.key(parts);
        let current = self.0.versions.current().await?;
        let now = self.0.app.clock.now();
        let mut made = None;
        let entry = match self.find(&key, current.content, now).await {
            Some(entry) => {
                if entry.is_due(now) {
                    // The router counts and logs it instead of this request.
                    made = Some(self.0.ids.next());
                    self.refresh_ahead(&entry, &key, &reader, parts);
                }
                entry
            }
            None => match Box::pin(self.make(&key, &reader, parts, current.content)).await? {
                Made::Kept(entry, id) => {
                    made = Some(id);
                    entry
                }
                Made::Found(entry) => entry,
                Made::Other(response) => return Some(response),
            },
        };
        let stored = self.own(&entry, &key, &reader, current.personal).await?;
        match made {
            Some(id) => self.send(&stored, parts, &id).await,
            None => self.hit(&stored, route, parts, started).await,
        }
    }

    /// For whom the response is. `None` if that is not known without asking the database, for
    /// staff, and for anybody who wrote something recently.
    async fn reader(&self, route: Route, parts: &Parts) -> Option<Reader> {
        if !may_have_a_session(&parts.headers) {
            return Some(Reader::Anybody);
        }
        if !route.has_viewers() {
            let is_page = route == Route::PAGE;
            return Some(if is_page { Reader::OfPage } else { Reader::Anybody });
        }
        let config = &self.0.app.config;
        let user = self.0.sessions.known_user(config, &parts.headers).await?;
        (!self.0.writers.contains_key(&user.id)).then_some(Reader::Parent(user))
    }

    /// The response with what is the reader's own, in this version or a later one.
    async fn own(
        &self,
        entry: &Entry,
        key: &str,
        reader: &Reader,
        version: Version,
    ) -> Option<Arc<Stored>> {
        let user = match reader {
            Reader::Parent(user) if !entry.placeholders.is_empty() => user,
            _ => return Some(entry.stored.clone()),
        };
        let known = self.0.readers.of(&self.0.app, user.id, version).await.ok()?;
        if let Some(own) = known.made_of(&entry.stored) {
            return Some(own);
        }
        let (differences, changes) = entry.placeholders.changes(&known.watched);
        if changes.is_empty() {
            known.remember(&entry.stored, &entry.stored);
            return Some(entry.stored.clone());
        }
        // Those who watched the same share it.
        let key = format!("{key} {differences}");
        let own = self.0.own.get(&key).await;
        if let Some(own) = own.filter(|own| Arc::ptr_eq(&own.of, &entry.stored)) {
            known.remember(&entry.stored, &own.stored);
            return Some(own.stored.clone());
        }
        let changed = |bytes: &[u8]| personal::changed(bytes, &changes);
        let stored = Arc::new(entry.stored.with_body(&self.0.app.keys, changed));
        known.remember(&entry.stored, &stored);
        let own = Own { of: entry.stored.clone(), stored: stored.clone() };
        self.0.own.insert(key, Arc::new(own)).await;
        Some(stored)
    }

    /// Sends a response that is in the cache. Such requests are logged only on request.
    async fn hit(
        &self,
        stored: &Stored,
        route: Route,
        parts: &Parts,
        started: Instant,
    ) -> Option<Response> {
        let id = self.0.ids.next();
        let response = self.send(stored, parts, &id).await?;
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

    /// Other processes may have changed the settings, which this one reads only every two seconds.
    fn renew_settings(&self, version: Version) {
        let mut of = self.0.settings_of.lock().unwrap_or_else(PoisonError::into_inner);
        if *of != Some(version) {
            self.0.app.invalidate_settings();
            *of = Some(version);
        }
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

/// The health checks and metrics.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

fn is_page(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}
