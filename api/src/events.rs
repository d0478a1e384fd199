//! Tells open pages what happens, as server-sent events (decision U1).
//!
//! One task of the process reads the new events, a few times a second and only while somebody
//! listens, and writes each of them once; all streams share those bytes. A stream holds no timer
//! and no queue of its own: it reads along in one ring, and one that falls a whole ring behind is
//! ended.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use bytes::Bytes;
use futures_util::stream;
use portal::access::Viewer;
use portal::accounts::sessions::{self, Standing};
use portal::events::{self, Told};
use portal::settings::{Access, Settings};
use portal::{App, Result};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{staff_cookie, user_cookie};
use crate::error::{Answer, Problem};
use crate::input::Params;
use crate::server::Patience;

/// How often the database is asked what is new.
const LOOK: Duration = Duration::from_millis(250);
/// How often it is asked who is still signed in, and whether access changed.
const CHECK: Duration = Duration::from_secs(2);
/// A sign of life, which also finds out who is gone.
const BEAT: Duration = Duration::from_secs(15);
/// How many looks with news a stream may fall behind.
const RING: usize = 64;
/// The most events of one look.
const NEWS: i64 = 200;
/// Whoever missed more reads everything anew.
const MISSED: i64 = 1000;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(listen))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListenQuery {
    /// The id of the last event that was heard; the header `Last-Event-ID` goes before it.
    last_event_id: Option<String>,
}

/// What happens, as it happens
///
/// The first event is `hello {id}`. With the id of the last event that was heard, everything since
/// then follows; when that cannot be told any more, `reset {}` asks the page to read everything
/// anew. Then `update.created` and `update.changed` (LiveUpdate), `update.removed {id}`,
/// `video.published {id, title}`, `video.changed {id}`, `comment.created {video_id, comment}`,
/// `comment.removed {video_id, id}`; for staff also `messages.changed {unread}` and
/// `site.changed {}`. Nobody hears what they may not see. A comment line every 15 seconds shows
/// that the stream lives. It ends when the session or the right to watch changes.
#[utoipa::path(get, path = "/api/events", tag = "events", security(()), params(ListenQuery),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 503, body = Problem)))]
async fn listen(
    State(api): State<Api>,
    patience: Option<axum::Extension<Patience>>,
    headers: HeaderMap,
    Params(query): Params<ListenQuery>,
) -> Answer<Response> {
    let hub = &api.events;
    let Ok(place) = hub.0.places.clone().try_acquire_owned() else {
        let detail = "Too many pages are open just now. This one goes on without live news.";
        return Err(Problem::busy(detail, 30));
    };
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = header.filter(|id| !id.is_empty()).or(query.last_event_id.as_deref());
    // What is no number is as unknown as a number that was never given.
    let last = last.map(|id| id.parse().unwrap_or(-1));
    let settings = api.app.settings().await?;
    let (viewer, sessions) = who(&api.app, &settings, &headers).await?;
    let (signals, guest, position) = hub.join(sessions, settings.access).await?;
    let (first, seen) = opening(&api.app, &viewer, settings.access, last, position).await?;
    let reader = Reader {
        waiting: first,
        news: None,
        seen,
        may_watch: viewer.may_watch(settings.access),
        viewer,
        guest,
        signals,
        stop: hub.0.stop.clone(),
        _place: Place::taken(place),
    };
    if let Some(axum::Extension(patience)) = patience {
        patience.end();
    }
    let body = stream::unfold(reader, |mut reader| async move {
        let bytes = reader.next().await?;
        Some((Ok::<_, Infallible>(bytes), reader))
    });
    let mut response = Body::from_stream(body).into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would collect it.
    out.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Who listens, and by which sessions. Other than a click, this keeps nobody signed in.
async fn who(
    app: &App,
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<(Viewer, Vec<Standing>)> {
    let jar = CookieJar::from_headers(headers);
    let mut viewer = Viewer::default();
    let mut sessions = Vec::new();
    for name in [user_cookie(&app.config), staff_cookie(&app.config)] {
        let Some(cookie) = jar.get(name) else { continue };
        let standing = sessions::standing_of(app, settings, cookie.value()).await?;
        let Some(standing) = standing else { continue };
        viewer.user_id = viewer.user_id.or(standing.user_id);
        viewer.staff_id = viewer.staff_id.or(standing.staff_id);
        viewer.family |= standing.family;
        sessions.push(standing);
    }
    Ok((viewer, sessions))
}

/// The beginning of a stream that goes on live after `position`, and the number of the last event
/// that is in it.
async fn opening(
    app: &App,
    viewer: &Viewer,
    access: Access,
    last: Option<i64>,
    position: i64,
) -> Result<(VecDeque<Bytes>, i64)> {
    let hello = |id| written(Some(id), "hello", &json!({ "id": id }).to_string(), true);
    let reset = || {
        // The number comes with the second one: whoever loses the stream in between shall be told
        // again.
        let hello = written(None, "hello", &json!({ "id": position }).to_string(), true);
        (VecDeque::from([hello, written(Some(position), "reset", "{}", false)]), position)
    };
    let Some(last) = last else { return Ok((VecDeque::from([hello(position)]), position)) };
    if last < 0 {
        return Ok(reset());
    }
    if last >= position {
        // Another process may have told more than this one knows yet.
        let known = last == position || last <= events::newest(&app.db).await?;
        return Ok(if known { (VecDeque::from([hello(last)]), last) } else { reset() });
    }
    let missed = events::since(app, last, MISSED + 1).await?;
    let whole = missed.first().is_some_and(|told| told.id == last + 1);
    if !whole || missed.len() as i64 > MISSED {
        return Ok(reset());
    }
    let told = missed.iter().filter(|told| told.id <= position && told.is_for(viewer, access));
    Ok((std::iter::once(hello(last)).chain(told.filter_map(bytes_of)).collect(), position))
}

/// One event on the wire. JSON has no line ends of its own.
fn written(id: Option<i64>, event: &str, data: &str, greeting: bool) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let retry = if greeting { "retry: 2000\n" } else { "" };
    format!("{retry}{id}event: {event}\ndata: {data}\n\n").into()
}

fn bytes_of(told: &Told) -> Option<Bytes> {
    let data = told.data.as_ref()?.to_string();
    Some(written(Some(told.id), &told.kind, &data, false))
}

/// Where all streams of this process listen.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    app: App,
    /// Ends all streams.
    stop: CancellationToken,
    places: Arc<Semaphore>,
    line: Mutex<Line>,
}

struct Line {
    signals: broadcast::Sender<Signal>,
    /// Whether somebody reads the events; not while nobody listens.
    running: bool,
    /// Of the last event that was passed on.
    position: i64,
    /// As it was last passed on.
    access: Option<Access>,
    guests: Vec<Weak<Guest>>,
}

/// Somebody who listens and is signed in.
struct Guest {
    sessions: Vec<Standing>,
    ended: AtomicBool,
}

#[derive(Clone)]
enum Signal {
    News {
        news: Arc<[News]>,
        access: Access,
    },
    /// Somebody's session has ended, or access is another.
    Look(Access),
    Beat,
}

struct News {
    told: Told,
    bytes: Bytes,
}

impl Hub {
    pub fn new(app: App, stop: CancellationToken) -> Hub {
        let line = Line {
            signals: broadcast::Sender::new(RING),
            running: false,
            position: 0,
            access: None,
            guests: Vec::new(),
        };
        let places = Arc::new(Semaphore::new(app.config.event_streams as usize));
        Hub(Arc::new(Inner { app, stop, places, line: Mutex::new(line) }))
    }

    /// Begins to listen. Everything after the returned number will be heard.
    async fn join(
        &self,
        sessions: Vec<Standing>,
        access: Access,
    ) -> Result<(broadcast::Receiver<Signal>, Option<Arc<Guest>>, i64)> {
        let guest = (!sessions.is_empty())
            .then(|| Arc::new(Guest { sessions, ended: AtomicBool::new(false) }));
        if !self.0.line().running {
            let newest = events::newest(&self.0.app.db).await?;
            let mut line = self.0.line();
            // Somebody else may have been faster.
            if !line.running {
                line.running = true;
                line.position = newest;
                line.access = Some(access);
                let joined = line.join(guest);
                tokio::spawn(read(self.0.clone()));
                return Ok(joined);
            }
        }
        Ok(self.0.line().join(guest))
    }
}

impl Line {
    fn join(
        &mut self,
        guest: Option<Arc<Guest>>,
    ) -> (broadcast::Receiver<Signal>, Option<Arc<Guest>>, i64) {
        self.guests.extend(guest.as_ref().map(Arc::downgrade));
        (self.signals.subscribe(), guest, self.position)
    }

    fn guests(&mut self) -> Vec<Arc<Guest>> {
        self.guests.retain(|guest| guest.strong_count() > 0);
        self.guests.iter().filter_map(Weak::upgrade).collect()
    }
}

/// Reads what is new and passes it on, until nobody listens any more.
async fn read(inner: Arc<Inner>) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut beaten, mut checked) = (Instant::now(), Instant::now());
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = inner.stop.cancelled() => return,
        }
        let position = {
            let mut line = inner.line();
            if line.signals.receiver_count() == 0 {
                line.running = false;
                return;
            }
            line.position
        };
        let check = checked.elapsed() >= CHECK;
        match inner.pass_on(position, check).await {
            Ok(()) if check => checked = Instant::now(),
            Ok(()) => {}
            Err(error) => tracing::debug!(%error, "events cannot be read just now"),
        }
        if beaten.elapsed() >= BEAT {
            beaten = Instant::now();
            inner.line().signals.send(Signal::Beat).ok();
        }
    }
}

impl Inner {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().expect("nothing panics with the line in hand")
    }

    async fn pass_on(&self, position: i64, check: bool) -> Result<()> {
        let told = events::since(&self.app, position, NEWS).await?;
        if told.is_empty() && !check {
            return Ok(());
        }
        let settings = self.app.settings().await?;
        let access = settings.access;
        // Before anything is told: whoever was sent away does not hear it any more.
        let somebody_ended = self.check(&settings).await?;
        let position = told.last().map_or(position, |told| told.id);
        let news: Arc<[News]> = told
            .into_iter()
            .filter_map(|told| Some(News { bytes: bytes_of(&told)?, told }))
            .collect();
        let mut line = self.line();
        let other_access = line.access.replace(access).is_some_and(|before| before != access);
        if somebody_ended || other_access {
            line.signals.send(Signal::Look(access)).ok();
        }
        if !news.is_empty() {
            line.signals.send(Signal::News { news, access }).ok();
        }
        line.position = position;
        Ok(())
    }

    /// Finds out whose session has ended or is worth something else now.
    async fn check(&self, settings: &Settings) -> Result<bool> {
        let guests = self.line().guests();
        let ids: Vec<Uuid> =
            guests.iter().flat_map(|guest| &guest.sessions).map(|session| session.id).collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let now = sessions::standings(&self.app, settings, &ids).await?;
        let now: HashMap<Uuid, Standing> = now.into_iter().map(|s| (s.id, s)).collect();
        let mut any = false;
        for guest in guests {
            if guest.sessions.iter().any(|before| now.get(&before.id) != Some(before)) {
                guest.ended.store(true, Relaxed);
                any = true;
            }
        }
        Ok(any)
    }
}

/// One open stream.
struct Reader {
    /// What goes first.
    waiting: VecDeque<Bytes>,
    /// What is being told, and how far.
    news: Option<(Arc<[News]>, usize, Access)>,
    /// Nothing up to this number is told again.
    seen: i64,
    viewer: Viewer,
    /// As it was when the stream began.
    may_watch: bool,
    guest: Option<Arc<Guest>>,
    signals: broadcast::Receiver<Signal>,
    stop: CancellationToken,
    _place: Place,
}

impl Reader {
    /// What is sent next; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.guest.as_ref().is_some_and(|guest| guest.ended.load(Relaxed)) {
            return None;
        }
        if let Some(bytes) = self.waiting.pop_front() {
            return Some(bytes);
        }
        self.waiting = VecDeque::new();
        loop {
            if let Some(bytes) = self.news() {
                return Some(bytes);
            }
            let signal = tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                signal = self.signals.recv() => signal,
            };
            // An error says that this reader is too slow.
            let signal = signal.ok()?;
            if self.guest.as_ref().is_some_and(|guest| guest.ended.load(Relaxed)) {
                return None;
            }
            match signal {
                Signal::Beat => return Some(Bytes::from_static(b":\n\n")),
                Signal::Look(access) | Signal::News { access, .. }
                    if self.viewer.may_watch(access) != self.may_watch =>
                {
                    return None;
                }
                Signal::Look(_) => {}
                Signal::News { news, access } => self.news = Some((news, 0, access)),
            }
        }
    }

    /// The next of the news that is for this viewer.
    fn news(&mut self) -> Option<Bytes> {
        let (news, at, access) = self.news.as_mut()?;
        while let Some(one) = news.get(*at) {
            *at += 1;
            if one.told.id > self.seen && one.told.is_for(&self.viewer, *access) {
                self.seen = one.told.id;
                return Some(one.bytes.clone());
            }
        }
        self.news = None;
        None
    }
}

/// One of the streams that may be open at once.
struct Place(#[allow(dead_code, reason = "held, not read")] OwnedSemaphorePermit);

impl Place {
    fn taken(permit: OwnedSemaphorePermit) -> Place {
        metrics::gauge!("camp_event_streams").increment(1);
        Place(permit)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        metrics::gauge!("camp_event_streams").decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(signals: &broadcast::Sender<Signal>) -> Reader {
        let places = Arc::new(Semaphore::new(1));
        Reader {
            waiting: VecDeque::new(),
            news: None,
            seen: 0,
            viewer: Viewer::default(),
            may_watch: true,
            guest: None,
            signals: signals.subscribe(),
            stop: CancellationToken::new(),
            _place: Place::taken(places.try_acquire_owned().expect("a place")),
        }
    }

    fn news(id: i64) -> Signal {
        let data = Some(json!({ "id": id }));
        let told = Told { id, kind: "video.changed".into(), data };
        let news = [News { bytes: bytes_of(&told).expect("bytes"), told }];
        Signal::News { news: Arc::from(news), access: Access::Everyone }
    }

    #[tokio::test]
    async fn a_reader_who_falls_too_far_behind_is_dropped() {
        let signals = broadcast::Sender::new(RING);
        let (mut quick, mut stuck) = (reader(&signals), reader(&signals));
        for id in 1..=RING as i64 + 1 {
            signals.send(news(id)).ok();
            let heard = quick.next().await.expect("news");
            assert!(heard.starts_with(format!("id: {id}\n").as_bytes()));
        }
        assert_eq!(stuck.next().await, None);
    }

    #[tokio::test]
    async fn nothing_is_told_twice() {
        let signals = broadcast::Sender::new(RING);
        let mut reader = reader(&signals);
        reader.seen = 2;
        for id in 1..=3 {
            signals.send(news(id)).ok();
        }
        assert!(reader.next().await.expect("news").starts_with(b"id: 3\n"));
    }
}
