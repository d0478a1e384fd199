//! Live updates over HTTP: families read them, staff post them.

use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::pagination::PageRequest;
use portal::updates::{
    self, AdminFilter, AdminUpdate, LiveUpdate, LiveUpdatePage, NewUpdate, Priority, Saved,
    Standing, TestUpdate, UpdateChanges,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{CurrentStaff, CurrentViewer};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Key, Page, Params};
use crate::json::Json;
use crate::videos::PageQuery;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(find))
        .routes(routes!(admin_list, create))
        .routes(routes!(reach))
        .routes(routes!(send_test))
        .routes(routes!(admin_find, edit, delete))
}

/// The active updates: High Priority ones of the last 24 hours, then pinned ones, then the rest, the newest first
#[utoipa::path(get, path = "/api/live-updates", tag = "updates", security(()), params(PageQuery),
    responses((status = 200, body = Page<LiveUpdate>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
async fn list(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<LiveUpdate>>> {
    let settings = app.settings().await?;
    Ok(Json(updates::list(&app, &settings, &viewer, &query.into()).await?.into()))
}

/// An update; one that was taken back says so
#[utoipa::path(get, path = "/api/live-updates/{id}", tag = "updates", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, body = LiveUpdatePage), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn find(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
) -> Answer<Json<LiveUpdatePage>> {
    let settings = app.settings().await?;
    Ok(Json(updates::find(&app, &settings, &viewer, id).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AdminQuery {
    /// Searched in title, message and author.
    q: Option<String>,
    #[param(inline)]
    standing: Option<Standing>,
    #[param(inline)]
    priority: Option<Priority>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// All updates of every status: those that families see in their order, then the rest, the newest first
#[utoipa::path(get, path = "/api/admin/live-updates", tag = "admin updates", security(("staff" = [])), params(AdminQuery),
    responses((status = 200, body = Page<AdminUpdate>), (status = 401, body = Problem)))]
async fn admin_list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<AdminQuery>,
) -> Answer<Json<Page<AdminUpdate>>> {
    let filter = AdminFilter {
        q: query.q,
        standing: query.standing,
        priority: query.priority,
        part: PageRequest { cursor: query.cursor, limit: query.limit },
    };
    Ok(Json(updates::admin_list(&app, &filter).await?.into()))
}

#[derive(Serialize, ToSchema)]
#[schema(as = UpdateReach)]
struct Reach {
    /// Addresses that would get mail about an update now.
    recipients: i64,
    /// The author's name in the last update that this account posted.
    last_author: Option<String>,
}

/// How many addresses would get mail, and the author of the last update of this account
#[utoipa::path(get, path = "/api/admin/live-updates/reach", tag = "admin updates", security(("staff" = [])),
    responses((status = 200, body = Reach), (status = 401, body = Problem)))]
async fn reach(State(app): State<App>, CurrentStaff(staff): CurrentStaff) -> Answer<Json<Reach>> {
    let settings = app.settings().await?;
    Ok(Json(Reach {
        recipients: updates::reach(&app, &settings).await?,
        last_author: updates::last_author(&app, staff.id).await?,
    }))
}

/// Post an update
///
/// The same `Idempotency-Key` with the same body is answered with the record that the first one made.
#[utoipa::path(post, path = "/api/admin/live-updates", tag = "admin updates", security(("staff" = [])),
    params(("Idempotency-Key" = Option<Uuid>, Header, description = "A fresh UUID for each form that is filled in.")),
    request_body = NewUpdate,
    responses((status = 201, body = Saved), (status = 401, body = Problem),
              (status = 409, body = Problem), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn create(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Key(key): Key,
    Input(new): Input<NewUpdate>,
) -> Answer<(StatusCode, Json<Saved>)> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(staff.id);
    let saved = updates::create(&mut tx, &app, &settings, actor, &new, key).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(saved)))
}

/// Send an update as a mail to yourself, without posting it
#[utoipa::path(post, path = "/api/admin/live-updates/test", tag = "admin updates", security(("staff" = [])),
    request_body = TestUpdate,
    responses((status = 204), (status = 401, body = Problem), (status = 422, body = Problem),
              (status = 429, body = Problem)))]
async fn send_test(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Input(update): Input<TestUpdate>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    updates::send_test(&mut tx, &app, &staff, &update).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// One update
#[utoipa::path(get, path = "/api/admin/live-updates/{id}", tag = "admin updates", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = AdminUpdate), (status = 404, body = Problem)))]
async fn admin_find(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id,
) -> Answer<Json<AdminUpdate>> {
    Ok(Json(updates::find_for_staff(&app.db, app.clock.now(), id).await?))
}

/// Change an update, or show or hide it; nobody is mailed
#[utoipa::path(patch, path = "/api/admin/live-updates/{id}", tag = "admin updates", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = UpdateChanges,
    responses((status = 200, body = AdminUpdate), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn edit(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
    Input(changes): Input<UpdateChanges>,
) -> Answer<Json<AdminUpdate>> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(staff.id);
    let update = updates::edit(&mut tx, &app, &settings, actor, id, &changes).await?;
    tx.commit().await?;
    Ok(Json(update))
}

/// Delete an update; its address says that it was withdrawn
#[utoipa::path(delete, path = "/api/admin/live-updates/{id}", tag = "admin updates", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    updates::delete(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
