//! Sends events to open pages as server-sent events (decision U1).
//!
//! One task of the process reads new events, only while there are subscribers: at once after a commit of
//! this process, and a few times a second after those of others. It serializes each event once, and all
//! streams share the bytes. A stream has no timer and no queue of its own: it reads from one ring buffer,
//! and is ended if it falls behind by the whole buffer. On HTTP/1 it is sent by `server/event_stream.rs`.

mod encoded;
mod hub;
mod reader;

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use futures_util::stream;
use portal::access::{Access, Viewer};
use portal::accounts::sessions::{self, SessionAccess};
use portal::event_feed::{self, ServerEvent};
use portal::settings::Settings;
use portal::{App, Result};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::encoded::Encoded;
pub use self::hub::Hub;
use self::reader::Place;
pub use self::reader::{EventStream, Reader};
use crate::Api;
use crate::auth::{Client, staff_cookie, user_cookie};
use crate::error::{Answer, Problem};
use crate::input::Params;
use crate::server::{Pace, Refused};

/// A page that missed more events or bytes is asked to reload everything. Each stream keeps its own copy
/// of missed events until the page has read it.
const MISSED: i64 = 50;
const MISSED_BYTES: usize = 16 * 1024;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(listen))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListenQuery {
    /// The id of the last event that was received; the header `Last-Event-ID` takes precedence over it.
    last_event_id: Option<String>,
}

/// Stream live events
///
/// The first event is `hello {id}`. If the client sends the id of the last event that it received, all later events
/// follow; if they are no longer stored, `reset {}` tells the page to load everything again. Then the other events of
/// `ServerEvent` are sent as they happen: the `event` line of the stream has the name, the `data` line the data as
/// JSON. Viewers receive only what they may see. A comment line every 15 seconds shows that the stream is alive. It
/// ends when the session or the right to watch changes.
#[utoipa::path(get, path = "/api/events", tag = "events", security(()), params(ListenQuery),
    responses((status = 200, content_type = "text/event-stream", body = ServerEvent), (status = 429, body = Problem), (status = 503, body = Problem)))]
async fn listen(
    State(api): State<Api>,
    Client(from): Client,
    headers: HeaderMap,
    Params(query): Params<ListenQuery>,
) -> Answer<Response> {
    let hub = &api.events;
    let share = hub.share(from.address).map_err(|refused| match refused {
        Refused::Full => {
            let detail = "Too many pages are open right now. This one works without live updates.";
            Problem::busy(detail, 30)
        }
        Refused::Network => {
            let detail = "Too many pages are open on your network right now. This one works without live updates.";
            Problem::too_many(detail, 30)
        }
    })?;
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = header.filter(|id| !id.is_empty()).or(query.last_event_id.as_deref());
    // A malformed id counts as an unknown id.
    let last = last.map(|id| id.parse().unwrap_or(-1));
    let settings = api.app.settings().await?;
    let (viewer, sessions) = listener(&api.app, &settings, &headers).await?;
    let (signals, subscription, position) = hub.join(sessions, settings.watch_access()).await?;
    let (first, seen) = opening(&api, &viewer, settings.watch_access(), last, position).await?;
    let reader = Reader {
        waiting: first,
        news: None,
        seen,
        may_watch: viewer.may_watch(settings.watch_access()),
        viewer,
        subscription,
        signals,
        _place: Place::taken(share),
    };
    let events = EventStream::new(reader);
    let body = stream::unfold((events.clone(), None), |(events, reader)| async move {
        let mut reader = reader.or_else(|| events.take())?;
        let bytes = reader.next().await?.plain();
        Some((Ok::<_, Infallible>(bytes), (events, Some(reader))))
    });
    let marks = (Extension(Pace::Stream), Extension(events));
    let mut response = (marks, Body::from_stream(body)).into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Otherwise nginx would buffer the stream.
    out.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// The viewer of the stream and its sessions. Unlike other requests, this does not extend a session.
async fn listener(
    app: &App,
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<(Viewer, Vec<SessionAccess>)> {
    let jar = CookieJar::from_headers(headers);
    let mut viewer = Viewer::default();
    let mut sessions = Vec::new();
    for name in [user_cookie(&app.config), staff_cookie(&app.config)] {
        let Some(cookie) = jar.get(name) else { continue };
        let standing = sessions::access_of(app, settings, cookie.value()).await?;
        let Some(standing) = standing else { continue };
        viewer.user_id = viewer.user_id.or(standing.user_id);
        viewer.staff_id = viewer.staff_id.or(standing.staff_id);
        viewer.family |= standing.family;
        sessions.push(standing);
    }
    Ok((viewer, sessions))
}

/// The first events of a stream whose live events follow `position`, and the id of the last event that
/// they contain.
async fn opening(
    api: &Api,
    viewer: &Viewer,
    access: Access,
    last: Option<i64>,
    position: i64,
) -> Result<(VecDeque<Encoded>, i64)> {
    let hello = |id| VecDeque::from([Encoded::hello(id, true)]);
    // Only the second event has the id, so that a page that disconnects between the two gets the reset
    // again.
    let reset = || [Encoded::hello(position, false), Encoded::reset(position)].into();
    let Some(last) = last else { return Ok((hello(position), position)) };
    if last < 0 {
        return Ok((reset(), position));
    }
    if last >= position {
        // Another process may have published newer events than this one has read.
        let known = last == position || last <= event_feed::newest(&api.app.db).await?;
        return Ok(if known { (hello(last), last) } else { (reset(), position) });
    }
    let missed = api.events.missed(last, MISSED + 1).await?;
    let whole = missed.first().is_some_and(|event| event.id == last + 1);
    if !whole || missed.len() as i64 > MISSED {
        return Ok((reset(), position));
    }
    let events = missed.iter().filter(|event| event.id <= position && event.is_for(viewer, access));
    let (mut waiting, mut size) = (hello(last), 0);
    for encoded in events.filter_map(Encoded::event) {
        size += encoded.len();
        if size > MISSED_BYTES {
            return Ok((reset(), position));
        }
        waiting.push_back(encoded);
    }
    Ok((waiting, position))
}
