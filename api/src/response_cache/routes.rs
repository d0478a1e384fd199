//! The routes whose responses are cached, and their metrics.

use std::sync::OnceLock;
use std::time::Duration;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};

use crate::prometheus::Series;

/// The longest address that is cached.
const LONGEST: usize = 256;

/// Documents, with the names of their routes.
const DOCUMENTS: [&str; 8] = [
    "/api/videos",
    "/api/videos/years",
    "/api/live-updates",
    "/api/faq",
    "/api/site",
    "/api/store",
    "/feed.xml",
    "/sitemap.xml",
];

/// Pages, of which only the addresses without a query are cached.
const PAGES: [&str; 12] = [
    "/",
    "/current-videos",
    "/past-videos",
    "/updates",
    "/about",
    "/faq",
    "/contact",
    "/store",
    "/privacy",
    "/terms",
    "/auth",
    "/profile",
];

/// What has an id: where it is, and the name of the route.
const RECORDS: [(&str, &str); 2] =
    [("/api/videos/", "/api/videos/{id}"), ("/api/live-updates/", "/api/live-updates/{id}")];
const RECORD_PAGES: [&str; 2] = ["/video/", "/updates/"];

/// Where the files of the front end are whose names contain a hash of their content.
const FILES: &str = "/assets/";

const NAMES: usize = DOCUMENTS.len() + RECORDS.len() + 1;

/// The number of a route in the metrics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Route(usize);

impl Route {
    /// Pages, and in the metrics also the files of the front end.
    pub const PAGE: Route = Route(NAMES - 1);

    /// Whether the response depends on who is signed in. The handlers of the other routes do not ask who
    /// it is.
    pub fn has_viewers(self) -> bool {
        let of =
            |name: &str| ["/api/videos", "/api/live-updates"].iter().any(|of| name.starts_with(of));
        of(self.name())
    }

    /// Whether responses with this query are asked for often enough to be kept: searches, later parts of
    /// lists and pages with a query are not.
    pub fn is_kept_with(self, query: Option<&str>) -> bool {
        let is_rare = |part: &str| part.starts_with("q=") || part.starts_with("cursor=");
        query.is_none_or(|query| self != Route::PAGE && !query.split('&').any(is_rare))
    }

    fn name(self) -> &'static str {
        let record = |at: usize| RECORDS.get(at).map(|(_, name)| *name);
        let at = self.0;
        DOCUMENTS.get(at).copied().or_else(|| record(at - DOCUMENTS.len())).unwrap_or("page")
    }
}

/// The route of a request that reads what families see.
pub fn of(request: &Request) -> Option<Route> {
    is_short_reading(request).then(|| named(request.uri().path())).flatten()
}

/// Whether a request is for a file of the front end that may be kept.
pub fn is_file(request: &Request) -> bool {
    request.uri().path().starts_with(FILES)
        && request.uri().query().is_none()
        && is_short_reading(request)
}

fn is_short_reading(request: &Request) -> bool {
    let uri = request.uri();
    request.method() == Method::GET
        && request.body().is_end_stream()
        && uri.path().len() + uri.query().map_or(0, str::len) <= LONGEST
}

fn named(path: &str) -> Option<Route> {
    if let Some(at) = DOCUMENTS.iter().position(|document| *document == path) {
        return Some(Route(at));
    }
    let has_id = |before: &str| path.strip_prefix(before).is_some_and(|id| id.len() == 36);
    if let Some(at) = RECORDS.iter().position(|(before, _)| has_id(before)) {
        return Some(Route(DOCUMENTS.len() + at));
    }
    let is_page = PAGES.contains(&path) || RECORD_PAGES.iter().any(|before| has_id(before));
    is_page.then_some(Route::PAGE)
}

/// Whether a cookie may name a session. The names of cookies can be encoded.
pub fn may_have_a_session(headers: &HeaderMap) -> bool {
    let may = |cookies: &str| ["session", "staff", "%"].iter().any(|part| cookies.contains(part));
    headers.get_all(header::COOKIE).iter().any(|cookies| cookies.to_str().map_or(true, may))
}

/// Counts the responses from the cache, as the middleware counts the others.
#[derive(Default)]
pub struct Served([[OnceLock<Series>; 3]; NAMES]);

impl Served {
    pub fn count(&self, route: Route, status: StatusCode, took: Duration) {
        let at = match status {
            StatusCode::OK => 0,
            StatusCode::NOT_MODIFIED => 1,
            _ => 2,
        };
        let series = || Series::of(&Method::GET, route.name(), status);
        self.0[route.0][at].get_or_init(series).answered(took);
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn routes_are_found_with_their_names() {
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        let name = |path: &str| named(path).map(Route::name);
        for path in DOCUMENTS {
            assert_eq!(name(path), Some(path));
        }
        assert_eq!(name(&format!("/api/videos/{id}")), Some("/api/videos/{id}"));
        assert_eq!(name(&format!("/api/live-updates/{id}")), Some("/api/live-updates/{id}"));
        assert_eq!(name("/"), Some("page"));
        assert_eq!(name(&format!("/video/{id}")), Some("page"));
        for path in ["/api/session", "/admin", "/api/videos/x"] {
            assert_eq!(name(path), None, "{path}");
        }
    }

    #[test]
    fn searches_later_parts_and_pages_with_a_query_are_not_kept() {
        let is_kept = |path: &str, query| named(path).expect("a route").is_kept_with(query);
        assert!(is_kept("/", None));
        assert!(is_kept("/api/videos", Some("limit=3")));
        for (path, query) in
            [("/", "a"), ("/api/videos", "limit=3&q=lake"), ("/api/videos", "cursor=x")]
        {
            assert!(!is_kept(path, Some(query)), "{path}?{query}");
        }
    }

    #[test]
    fn a_session_is_found_in_any_cookie_and_matters_for_videos_and_updates() {
        let with = |cookie: &'static str| {
            may_have_a_session(&HeaderMap::from_iter([(
                header::COOKIE,
                HeaderValue::from_static(cookie),
            )]))
        };
        assert!(!with("browser=1"));
        for cookie in ["session=1", "a=b; __Host-staff=1", "%73ession=1"] {
            assert!(with(cookie), "{cookie}");
        }
        let has_viewers = |path: &str| named(path).is_some_and(Route::has_viewers);
        assert!(
            ["/api/videos", "/api/videos/years", "/api/live-updates"].into_iter().all(has_viewers)
        );
        assert!(
            !["/", "/api/site", "/api/faq", "/api/store", "/feed.xml", "/sitemap.xml"]
                .into_iter()
                .any(has_viewers)
        );
    }
}
