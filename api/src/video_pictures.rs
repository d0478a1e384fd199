//! Pictures of staff for the camp's own videos over HTTP.

use axum::extract::{DefaultBodyLimit, State};
use portal::App;
use portal::audit::Actor;
use portal::pictures::LARGEST;
use portal::videos::{self, AdminVideo};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::CurrentStaff;
use crate::error::{Answer, Problem};
use crate::input::{Id, Picture};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(set, remove)).layer(DefaultBodyLimit::max(LARGEST + 1024))
}

/// Show a picture of your own before the video plays
///
/// The body is the file itself. The picture stays when the file is converted, trimmed or replaced.
#[utoipa::path(put, path = "/api/admin/videos/{id}/picture", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    request_body(content = String, content_type = "image/*", description = "JPEG, PNG or WebP, at most 10 MB"),
    responses((status = 200, body = AdminVideo), (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 413, body = Problem), (status = 422, body = Problem)))]
async fn set(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
    Picture(body): Picture,
) -> Answer<Json<AdminVideo>> {
    videos::set_picture(&app, Actor::Staff(staff.id), id, body).await?;
    let settings = app.settings().await?;
    Ok(Json(videos::admin_find(&app, &settings, id).await?))
}

/// Go back to the picture that the conversion proposes
#[utoipa::path(delete, path = "/api/admin/videos/{id}/picture", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 200, body = AdminVideo), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn remove(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<Json<AdminVideo>> {
    videos::remove_picture(&app, Actor::Staff(staff.id), id).await?;
    let settings = app.settings().await?;
    Ok(Json(videos::admin_find(&app, &settings, id).await?))
}
