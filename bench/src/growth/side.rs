//! A camp that is measured.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use portal::App;
use portal::accounts::staff::{self, NewStaff, Role};
use portal::audit::Actor;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::dataset::{Dataset, Size, insert_all};
use crate::scratch::Scratch;

/// Evening in camp, so that the middle of the summer is behind it.
const NOW: &str = "2026-08-20T23:00:00Z";
const PASSWORD: &str = "lantern over the lake";

pub struct Side {
    scratch: Scratch,
    app: App,
    router: Router,
    planted: Dataset,
    /// Of an owner.
    cookie: String,
}

impl Side {
    /// Creates a camp of this size on a PostgreSQL server, or with a file.
    pub async fn of(server: Option<&str>, size: Size) -> Side {
        let scratch = Scratch::new(server).await;
        let app = scratch.open().await;
        app.clock.set(NOW.parse().expect("a moment"));
        let planted = insert_all(&app.db, size, app.clock.now()).await;
        let router = api::router(app.clone(), CancellationToken::new());
        let cookie = sign_in(&app, &router).await;
        Side { scratch, app, router, planted, cookie }
    }

    /// The time until the whole response is there, and how many items it has.
    pub async fn ask(&self, path: &str) -> (Duration, usize) {
        let path = path
            .replace("{video}", &self.planted.video.to_string())
            .replace("{family}", &self.planted.family.to_string())
            .replace("{earlier}", &self.planted.earlier.to_string());
        let request = Request::get(&path).header(header::COOKIE, &self.cookie).body(Body::empty());
        let began = Instant::now();
        let (status, _, bytes) = send(&self.router, request.expect("a request")).await;
        let took = began.elapsed();
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&bytes));
        let body: Value = serde_json::from_slice(&bytes).expect("JSON");
        let items = body["items"].as_array().or_else(|| body["staff"].as_array());
        (took, items.map_or(0, Vec::len))
    }

    pub async fn remove(self) {
        self.app.db.close().await;
        self.scratch.remove().await;
    }
}

/// The cookie of a new owner.
async fn sign_in(app: &App, router: &Router) -> String {
    let new = NewStaff {
        username: "kornbluh".into(),
        email: "kornbluh@camp.example".into(),
        role: Role::Owner,
        password: PASSWORD.into(),
        current_password: None,
    };
    staff::add(app, Actor::Operator, new).await.expect("an account");
    let given = json!({ "username": "kornbluh", "password": PASSWORD });
    let request = Request::post("/api/admin/auth/sign-in")
        .header(header::CONTENT_TYPE, "application/json")
        .header("sec-fetch-site", "same-origin")
        .body(Body::from(given.to_string()));
    let (status, headers, bytes) = send(router, request.expect("a request")).await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&bytes));
    let cookies = headers.get_all(header::SET_COOKIE).iter();
    let pairs = cookies.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    pairs.collect::<Vec<_>>().join("; ")
}

async fn send(router: &Router, mut request: Request<Body>) -> (StatusCode, HeaderMap, Vec<u8>) {
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 40_000));
    request.extensions_mut().insert(ConnectInfo(peer));
    let response = router.clone().oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 64 << 20).await.expect("a body");
    (parts.status, parts.headers, bytes.into())
}
