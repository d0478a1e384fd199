//! The camp's own logo and pictures over HTTP: owners upload them, everybody sees them.

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use portal::App;
use portal::audit::Actor;
use portal::branding;
use portal::pictures::LARGEST;
use portal::settings::PictureSlot;
use portal::settings_admin;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::Owner;
use crate::error::{Answer, Problem};
use crate::input::{Id, Page, Picture, Segments};
use crate::json::Json;
use crate::settings::{self, Setting};
use crate::webp;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(add)).layer(DefaultBodyLimit::max(LARGEST + 1024))
}

pub fn media() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(picture)).routes(routes!(small))
}

/// Put a picture in its place: the body is the file itself. The logo replaces the one before, a
/// picture of the camp follows the others. To remove one, change the setting that names it
#[utoipa::path(post, path = "/api/admin/settings/pictures/{place}", tag = "settings", security(("owner" = [])),
    params(("place" = inline(PictureSlot), Path)),
    request_body(content = String, content_type = "image/*", description = "JPEG, PNG or WebP, at most 10 MB"),
    responses((status = 201, body = Page<Setting>), (status = 409, body = Problem), (status = 413, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(app): State<App>,
    Owner(me): Owner,
    Segments(place): Segments<PictureSlot>,
    Picture(body): Picture,
) -> Answer<(StatusCode, Json<Page<Setting>>)> {
    settings_admin::add_picture(&app, Actor::Staff(me.id), place, body).await?;
    app.invalidate_settings();
    Ok((StatusCode::CREATED, settings::all(&app).await?))
}

/// The camp's logo, or a picture of the camp
#[utoipa::path(get, path = "/media/site/{id}", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "image/*"), (status = 404, body = Problem)))]
async fn picture(State(app): State<App>, Id(id): Id, headers: HeaderMap) -> Answer<Response> {
    send(&app, id, false, &headers).await
}

/// The same picture for phones
#[utoipa::path(get, path = "/media/site/{id}/small", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "image/*"), (status = 404, body = Problem)))]
async fn small(State(app): State<App>, Id(id): Id, headers: HeaderMap) -> Answer<Response> {
    send(&app, id, true, &headers).await
}

async fn send(app: &App, id: uuid::Uuid, small: bool, headers: &HeaderMap) -> Answer<Response> {
    let (key, kind) = branding::key(&app.db, id, small).await?;
    // The picture of an id never changes.
    let cache = [(header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    webp::send(app, &key, kind, headers, cache).await
}
