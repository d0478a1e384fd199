//! Videos for staff, over HTTP: list, add, edit, publish, delete.

use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::notifications::Tally;
use portal::pagination::PageRequest;
use portal::videos::link::{self, Link};
use portal::videos::{
    self, AdminCollection, AdminFilter, AdminOrder, AdminVideo, Attention, BulkAction, BulkDone,
    Counts, LateNote, NewGalleryVideo, NewVideo, Saved, Status, Trim, VideoChanges, YearCount,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::CurrentStaff;
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Key, Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(counts))
        .routes(routes!(years))
        .routes(routes!(check_link))
        .routes(routes!(show, edit, delete))
        .routes(routes!(bulk))
        .routes(routes!(tell_late))
        .routes(routes!(create_gallery))
        .routes(routes!(trim))
        .routes(routes!(deliveries))
        .routes(routes!(retry))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AdminQuery {
    /// Searched in title, description, type and date.
    q: Option<String>,
    #[param(inline)]
    status: Option<Status>,
    #[param(inline)]
    collection: Option<AdminCollection>,
    year: Option<i64>,
    /// Only those that somebody should look at for this reason.
    #[param(inline)]
    attention: Option<Attention>,
    #[param(inline)]
    sort: Option<AdminOrder>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// All videos, of every status
#[utoipa::path(get, path = "/api/admin/videos", tag = "admin videos", security(("staff" = [])), params(AdminQuery),
    responses((status = 200, body = Page<AdminVideo>), (status = 401, body = Problem)))]
async fn list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<AdminQuery>,
) -> Answer<Json<Page<AdminVideo>>> {
    let settings = app.settings().await?;
    let filter = AdminFilter {
        q: query.q,
        status: query.status,
        collection: query.collection,
        year: query.year,
        attention: query.attention,
        order: query.sort.unwrap_or_default(),
        part: PageRequest { cursor: query.cursor, limit: query.limit },
    };
    Ok(Json(videos::admin_list(&app, &settings, &filter).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct CountQuery {
    /// Only those in which it is found.
    q: Option<String>,
}

/// How many videos there are of each kind
#[utoipa::path(get, path = "/api/admin/videos/counts", tag = "admin videos", security(("staff" = [])), params(CountQuery),
    responses((status = 200, body = Counts), (status = 401, body = Problem)))]
async fn counts(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<CountQuery>,
) -> Answer<Json<Counts>> {
    let settings = app.settings().await?;
    Ok(Json(videos::counts(&app, &settings, query.q.as_deref()).await?))
}

/// The years of the archive, drafts included
#[utoipa::path(get, path = "/api/admin/videos/years", tag = "admin videos", security(("staff" = [])),
    responses((status = 200, body = Page<YearCount>), (status = 401, body = Problem)))]
async fn years(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Page<YearCount>>> {
    let settings = app.settings().await?;
    Ok(Json(Page::whole(videos::admin_years(&app, &settings).await?)))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LinkCheck {
    video_url: String,
}

/// Check a pasted link
#[utoipa::path(post, path = "/api/admin/videos/check-link", tag = "admin videos", security(("staff" = [])),
    request_body = LinkCheck, responses((status = 200, body = Link), (status = 422, body = Problem)))]
async fn check_link(_staff: CurrentStaff, Input(given): Input<LinkCheck>) -> Answer<Json<Link>> {
    Ok(Json(link::parse(&given.video_url)?))
}

/// Add a video
///
/// The same `Idempotency-Key` with the same body is answered with the record that the first one made.
#[utoipa::path(post, path = "/api/admin/videos", tag = "admin videos", security(("staff" = [])),
    params(("Idempotency-Key" = Option<Uuid>, Header, description = "A fresh UUID for each form that is filled in.")),
    request_body = NewVideo,
    responses((status = 201, body = Saved), (status = 401, body = Problem),
              (status = 409, body = Problem), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn create(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Key(key): Key,
    Input(new): Input<NewVideo>,
) -> Answer<(StatusCode, Json<Saved>)> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(staff.id);
    let saved = videos::create(&mut tx, &app, &settings, actor, &new, key).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(saved)))
}

/// Add a video of an earlier summer
///
/// The same `Idempotency-Key` with the same body is answered with the record that the first one made.
#[utoipa::path(post, path = "/api/admin/gallery", tag = "admin videos", security(("staff" = [])),
    params(("Idempotency-Key" = Option<Uuid>, Header, description = "A fresh UUID for each form that is filled in.")),
    request_body = NewGalleryVideo,
    responses((status = 201, body = Saved), (status = 401, body = Problem),
              (status = 409, body = Problem), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn create_gallery(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Key(key): Key,
    Input(new): Input<NewGalleryVideo>,
) -> Answer<(StatusCode, Json<Saved>)> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(staff.id);
    let saved = videos::create_gallery(&mut tx, &app, &settings, actor, &new, key).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(saved)))
}

/// One video of any status
#[utoipa::path(get, path = "/api/admin/videos/{id}", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = AdminVideo), (status = 404, body = Problem)))]
async fn show(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id,
) -> Answer<Json<AdminVideo>> {
    let settings = app.settings().await?;
    Ok(Json(videos::admin_find(&app, &settings, id).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BulkVideos {
    /// At most 100.
    ids: Vec<uuid::Uuid>,
    action: BulkAction,
}

/// Tell the families that asked for it that tonight's video is late
///
/// Once an evening, while the dashboard says that the video is late.
#[utoipa::path(post, path = "/api/admin/videos/late-note", tag = "admin videos", security(("staff" = [])),
    responses((status = 200, body = LateNote), (status = 409, body = Problem)))]
async fn tell_late(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
) -> Answer<Json<LateNote>> {
    Ok(Json(videos::tell_families(&app, Actor::Staff(staff.id)).await?))
}

/// Publish or delete several videos, all or none
#[utoipa::path(post, path = "/api/admin/videos/bulk", tag = "admin videos", security(("staff" = [])),
    request_body = BulkVideos,
    responses((status = 200, body = BulkDone), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn bulk(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Input(asked): Input<BulkVideos>,
) -> Answer<Json<BulkDone>> {
    let actor = Actor::Staff(staff.id);
    Ok(Json(videos::bulk(&app, actor, asked.action, &asked.ids).await?))
}

/// Change a video
#[utoipa::path(patch, path = "/api/admin/videos/{id}", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = VideoChanges,
    responses((status = 200, body = Saved), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn edit(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
    Input(changes): Input<VideoChanges>,
) -> Answer<Json<Saved>> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(staff.id);
    let saved = videos::edit(&mut tx, &app, &settings, actor, id, &changes).await?;
    tx.commit().await?;
    Ok(Json(saved))
}

/// Cut off the ends of a video
///
/// Nothing is encoded again, so the start may be a few seconds earlier. Until the cut is made, the
/// video shows what it showed before.
#[utoipa::path(post, path = "/api/admin/videos/{id}/trim", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = Trim,
    responses((status = 200, body = AdminVideo), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn trim(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
    Input(asked): Input<Trim>,
) -> Answer<Json<AdminVideo>> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    videos::trim(&mut tx, &app, Actor::Staff(staff.id), id, asked).await?;
    let video = videos::find_for_staff(&mut tx, &app, &settings, id).await?;
    tx.commit().await?;
    Ok(Json(video))
}

/// Delete a video with its comments and likes
#[utoipa::path(delete, path = "/api/admin/videos/{id}", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    videos::delete(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delivery status of the mails about a video
#[utoipa::path(get, path = "/api/admin/videos/{id}/deliveries", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Tally), (status = 404, body = Problem)))]
async fn deliveries(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id,
) -> Answer<Json<Tally>> {
    Ok(Json(videos::deliveries(&app, id).await?))
}

#[derive(Serialize, ToSchema)]
struct Retried {
    /// How many mails go out again.
    queued: i64,
}

/// Send the failed mails again
#[utoipa::path(post, path = "/api/admin/videos/{id}/deliveries/retry", tag = "admin videos", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Retried), (status = 404, body = Problem)))]
async fn retry(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<Json<Retried>> {
    let mut tx = app.db.begin().await?;
    let queued = videos::retry_deliveries(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(Json(Retried { queued }))
}
