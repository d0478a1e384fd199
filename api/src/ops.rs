//! Endpoints for operation: health, readiness, metrics and the OpenAPI document.

use std::sync::OnceLock;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portal::{App, Error, jobs, notifications};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::Client;
use crate::error::{Answer, Problem};
use crate::feeds::Document;
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics))
        .routes(routes!(document))
}

/// Alive
#[utoipa::path(get, path = "/healthz", tag = "operation", security(()), responses((status = 200, body = String)))]
async fn healthz() -> &'static str {
    "ok\n"
}

/// The current state of the portal.
#[derive(Serialize, ToSchema)]
struct Readiness {
    ready: bool,
    database: &'static str,
    pending_migrations: usize,
    /// Whether a worker has been seen recently; without one nothing is published or mailed.
    worker: &'static str,
    failed_jobs: i64,
}

/// Ready to serve: database there and up to date
#[utoipa::path(get, path = "/readyz", tag = "operation", security(()),
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
async fn readyz(State(app): State<App>) -> Response {
    let looked = async {
        let pending_migrations = app.db.pending_migrations().await?;
        let is_running = notifications::is_worker_running(&app).await?;
        Ok::<_, Error>(Readiness {
            ready: pending_migrations == 0,
            database: app.db.engine(),
            pending_migrations,
            worker: if is_running { "running" } else { "silent" },
            failed_jobs: jobs::failed(&app.db).await?,
        })
    };
    match looked.await {
        Ok(readiness) => {
            let status = match readiness.ready {
                true => StatusCode::OK,
                false => StatusCode::SERVICE_UNAVAILABLE,
            };
            (status, Json(readiness)).into_response()
        }
        Err(error) => {
            tracing::warn!(error = error.reason(), "not ready");
            let detail = "The database does not answer.";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail).into_response()
        }
    }
}

/// Metrics for Prometheus; only for requests from the machine itself, not through a proxy
#[utoipa::path(get, path = "/metrics", tag = "operation", security(()), responses((status = 200, body = String), (status = 404, body = Problem)))]
async fn metrics(
    State(api): State<Api>,
    Client(from): Client,
    headers: HeaderMap,
) -> Answer<Response> {
    if !from.address.to_canonical().is_loopback() || headers.contains_key("x-forwarded-for") {
        return Err(Error::NotFound("There is nothing at this address.").into());
    }
    let Some(recorder) = &api.metrics else {
        return Err(Error::NotFound("This process keeps no figures.").into());
    };
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    Ok((kind, recorder.render()).into_response())
}

/// This document
#[utoipa::path(get, path = "/api/openapi.json", tag = "operation", security(()), responses((status = 200, content_type = "application/json", body = serde_json::Value), (status = 304)))]
async fn document(State(app): State<App>, headers: HeaderMap) -> Response {
    /// Cached, because it never changes while the process runs and takes a while to create.
    static DOCUMENT: OnceLock<Document> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| Document::new(&app, crate::openapi()));
    document.answer(&headers, "application/json")
}
