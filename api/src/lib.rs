//! The portal over HTTP.
//!
//! A handler takes an identity, calls a domain function and shapes the response; rules and SQL are in
//! `portal`. Every route declares in its `security` who may call it, and a test calls all of them.

#![cfg_attr(test, allow(clippy::too_many_lines))]

mod account_links;
mod accounts;
mod admin_videos;
mod analytics;
mod audit;
mod auth;
mod branding;
mod captions;
mod comments;
mod content_security_policy;
mod csv;
mod error;
mod error_responses;
mod events;
mod families;
mod family_imports;
mod faq;
mod feeds;
mod frontend;
mod input;
mod json;
mod mail;
mod mail_events;
mod media;
mod messages;
mod middleware;
mod negotiation;
mod newsletters;
mod ops;
mod payments;
mod prometheus;
mod quiet_time;
mod response_cache;
mod server;
mod settings;
mod site;
mod staff;
mod staff_credentials;
mod store;
mod subscribers;
mod timeouts;
mod unsubscribe;
mod updates;
mod uploads;
mod video_pictures;
mod videos;
mod webp;

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Router, body::Body};
use metrics_exporter_prometheus::PrometheusHandle;
use portal::App;
use tokio_util::sync::CancellationToken;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use server::{serve, serve_on};

use auth::SessionCache;
use error::Problem;
use response_cache::ResponseCache;
use timeouts::Limits;

/// The state of handlers. A clone shares it and costs next to nothing.
#[derive(Clone)]
pub struct Api(Arc<State>);

impl Deref for Api {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

pub struct State {
    pub app: App,
    sessions: SessionCache,
    events: events::Hub,
    senders: uploads::Senders,
    metrics: Option<PrometheusHandle>,
    sitemap: feeds::SitemapCache,
}

/// The maximum size of a request body that is not a file.
const BODY: usize = 256 * 1024;

fn api_routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(site::site))
        .routes(routes!(site::session))
        .merge(account_links::routes())
        .merge(accounts::routes())
        .merge(unsubscribe::routes())
        .merge(staff::routes())
        .merge(staff_credentials::routes())
        .merge(families::routes())
        .merge(family_imports::routes())
        .merge(payments::routes())
        .merge(settings::routes())
        .merge(quiet_time::routes())
        .merge(audit::routes())
        .merge(branding::routes())
        .merge(store::routes())
        .merge(analytics::routes())
        .merge(videos::routes())
        .merge(comments::routes())
        .merge(admin_videos::routes())
        .merge(captions::routes())
        .merge(video_pictures::routes())
        .merge(uploads::routes())
        .merge(messages::routes())
        .merge(newsletters::routes())
        .merge(mail::routes())
        .merge(subscribers::routes())
        .merge(faq::routes())
        .merge(updates::routes())
        .layer(CompressionLayer::new())
}

/// Routes without cross-site check and compression: files, event streams, and documents for programs.
fn open_routes() -> OpenApiRouter<Api> {
    unsubscribe::one_click()
        .merge(mail_events::routes())
        .merge(ops::routes())
        .merge(media::routes())
        .merge(captions::media())
        .merge(store::media())
        .merge(branding::media())
        .merge(events::routes())
        .merge(feeds::routes())
}

/// The router of the whole portal. The token ends the event streams, which would otherwise stay open.
pub fn router(app: App, stop: CancellationToken) -> Router {
    Router::new().fallback_service(service(app, stop))
}

/// The whole portal: all routes, behind the cache of responses.
fn service(app: App, stop: CancellationToken) -> ResponseCache {
    let (limits, sessions) = (Limits::new(&app), SessionCache::default());
    let router = uncached(app.clone(), stop, limits.clone(), sessions.clone());
    ResponseCache::new(app, router, limits, sessions)
}

fn uncached(app: App, stop: CancellationToken, limits: Limits, sessions: SessionCache) -> Router {
    let api = Api(Arc::new(State {
        app: app.clone(),
        sessions,
        events: events::Hub::new(app.clone(), stop),
        senders: uploads::Senders::default(),
        metrics: prometheus::recorder(),
        sitemap: feeds::SitemapCache::default(),
    }));
    let (guarded, _) = api_routes().split_for_parts();
    let (open, _) = open_routes().split_for_parts();
    let csrf = CsrfLayer::new().with_rejection_response(|_: ProtectionError| -> Response<Body> {
        let detail = "This request came from another site and was refused.";
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail).into_response()
    });
    let csrf = csrf.clone().add_trusted_origin(app.config.public_url()).unwrap_or(csrf);
    Router::new()
        .merge(guarded.layer(from_fn(input::refuse_forms)).layer(csrf))
        .merge(open)
        .fallback(frontend::serve)
        .method_not_allowed_fallback(|| async {
            let detail = "This address does not accept this method.";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "bad_request", detail)
        })
        .layer(DefaultBodyLimit::max(BODY))
        .layer(from_fn_with_state(limits, timeouts::limit))
        .layer(from_fn(input::refuse_in_addresses))
        .layer(from_fn_with_state(app, middleware::set_security_headers))
        .layer(from_fn(middleware::observe))
        .with_state(api)
}

/// The OpenAPI 3.1 document of all routes, as JSON.
pub fn openapi() -> String {
    let mut document = api_routes().merge(open_routes()).to_openapi();
    describe(&mut document);
    document.to_pretty_json().unwrap_or_default()
}

fn describe(document: &mut OpenApi) {
    document.info.title = "Visiting Day".into();
    document.info.version = env!("CARGO_PKG_VERSION").into();
    document.info.description = Some(
        "The portal of a summer camp. Times are UTC, money is in cents, lists come in pages of at \
         most 100 with the cursor of the next one. Refusals are application/problem+json."
            .into(),
    );
    let cookie = |name: &str, text: &str| {
        SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(name, text)))
    };
    // Handlers of different nouns have the same names, but operation ids must be unique.
    for (path, item) in &mut document.paths.paths {
        let name: Vec<&str> = path
            .split(['/', '.', '-'])
            .map(|part| part.trim_matches(['{', '}']))
            .filter(|part| !part.is_empty() && *part != "api")
            .collect();
        let name = name.join("_");
        for (method, operation) in [
            ("get", &mut item.get),
            ("post", &mut item.post),
            ("put", &mut item.put),
            ("patch", &mut item.patch),
            ("delete", &mut item.delete),
        ] {
            if let Some(operation) = operation {
                operation.operation_id = Some(format!("{method}_{name}"));
            }
        }
    }
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("session", cookie("session", "a parent or visitor"));
    components.add_security_scheme("staff", cookie("staff", "any staff member"));
    components.add_security_scheme("owner", cookie("staff", "an owner among the staff"));
    error_responses::describe(document);
}
