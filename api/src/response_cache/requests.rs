//! The requests that fill the cache: they take from the incoming request its address, what decides
//! what its sender may see, and nothing else.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Uri};
use portal::access::Viewer;
use portal::accounts::User;
use uuid::Uuid;

use crate::auth::SharedViewer;
use crate::frontend::first_answers::WithoutAnswers;

const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

/// For whom a response is.
#[derive(Clone)]
pub(super) enum Reader {
    /// Somebody without a session, or anybody where that makes no difference.
    Anybody,
    Parent(Arc<User>),
    /// Anybody who may be signed in, for a page: it gets no answers, since those in pages are for strangers.
    OfPage,
}

/// What the limits of a network need to know of a request.
pub(super) struct Origin {
    peer: Option<ConnectInfo<SocketAddr>>,
    forwarded: Vec<HeaderValue>,
}

impl Reader {
    /// Readers with the same key may see the same.
    pub fn key<'a>(&self, parts: &'a Parts) -> Cow<'a, str> {
        let address = address(parts);
        match self {
            Reader::Anybody => Cow::Borrowed(address),
            Reader::OfPage => Cow::Owned(format!("without answers {address}")),
            Reader::Parent(user) => {
                Cow::Owned(format!("{} {} {address}", user.family, user.is_outsider()))
            }
        }
    }

    /// The viewer that stands for all who may see the same. Nobody has this id, so nothing is known of it.
    fn viewer(&self) -> Option<SharedViewer> {
        let Reader::Parent(user) = self else { return None };
        let (family, outsider) = (user.family, user.is_outsider());
        let user_id = Some(Uuid::nil().into());
        Some(SharedViewer(Viewer { user_id, family, outsider, ..Viewer::default() }))
    }
}

/// A request for the same path and query that contains nothing else, except what the reader may see
/// and what the limits of its network need.
pub(super) fn anonymous(parts: &Parts, reader: &Reader) -> Request {
    let address = parts.uri.path_and_query().cloned().map_or_else(Uri::default, Uri::from);
    let mut request = Origin::of(&parts.extensions, &parts.headers).request(address);
    if let Some(viewer) = reader.viewer() {
        request.extensions_mut().insert(viewer);
    }
    if matches!(reader, Reader::OfPage) {
        request.extensions_mut().insert(WithoutAnswers);
    }
    request
}

impl Origin {
    pub fn of(extensions: &Extensions, headers: &HeaderMap) -> Origin {
        let forwarded = headers.get_all(&FORWARDED).iter().cloned().collect();
        Origin { peer: extensions.get().copied(), forwarded }
    }

    pub fn request(&self, address: Uri) -> Request {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = address;
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        for value in &self.forwarded {
            request.headers_mut().append(&FORWARDED, value.clone());
        }
        request
    }
}

/// The address by which a response is found.
fn address(parts: &Parts) -> &str {
    parts.uri.path_and_query().map_or("", |address| address.as_str())
}
