//! Captions of videos over HTTP: staff set them, players show them.

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portal::App;
use portal::access::Access;
use portal::audit::Actor;
use portal::videos::captions::{self, AdminCaptions, Language};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{CurrentStaff, CurrentViewer};
use crate::error::{Answer, Problem};
use crate::input::{CaptionsFile, Segments};
use crate::json::Json;
use crate::negotiation::is_known;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(set, remove))
        .layer(DefaultBodyLimit::max(captions::MAX_BYTES + 1024))
}

pub fn media() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(vtt))
}

/// Set the captions of a video in a language
///
/// The body is a WebVTT or SubRip file in any common encoding.
#[utoipa::path(put, path = "/api/admin/videos/{id}/captions/{language}", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path), ("language" = Language, Path)),
    request_body(content = Vec<u8>, content_type = "text/vtt"),
    responses((status = 200, body = AdminCaptions), (status = 401, body = Problem),
              (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn set(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Segments((id, language)): Segments<(Uuid, Language)>,
    CaptionsFile(file): CaptionsFile,
) -> Answer<Json<AdminCaptions>> {
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(staff.id);
    let captions = captions::set(&mut tx, &app, actor, id, language, &file).await?;
    tx.commit().await?;
    Ok(Json(captions))
}

/// Remove the captions of a video in a language
#[utoipa::path(delete, path = "/api/admin/videos/{id}/captions/{language}", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path), ("language" = Language, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn remove(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Segments((id, language)): Segments<(Uuid, Language)>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    captions::remove(&mut tx, &app, Actor::Staff(staff.id), id, language).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Captions of a video
#[utoipa::path(get, path = "/media/videos/{id}/captions/{file}", tag = "media", security(()),
    params(("id" = Uuid, Path), ("file" = String, Path, description = "Such as `yi.vtt`.")),
    responses((status = 200, content_type = "text/vtt"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn vtt(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Segments((id, file)): Segments<(Uuid, String)>,
    sent: HeaderMap,
) -> Answer<Response> {
    let settings = app.settings().await?;
    let text = captions::vtt(&app, &settings, &viewer, id, &file).await?;
    let cache = match settings.watch_access() {
        Access::Everyone => "private, max-age=600",
        _ => "private, no-cache",
    };
    let etag = format!("\"{}\"", app.keys.sign("etag", &text));
    let headers = [
        (header::CONTENT_TYPE, "text/vtt; charset=utf-8"),
        (header::CACHE_CONTROL, cache),
        (header::ETAG, etag.as_str()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok(match is_known(&sent, &etag) {
        true => (StatusCode::NOT_MODIFIED, headers).into_response(),
        false => (headers, text).into_response(),
    })
}
