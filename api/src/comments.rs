//! Comments over HTTP: readers write, report and delete their own; staff moderate.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use portal::App;
use portal::audit::Actor;
use portal::comments::{
    self, AdminComment, Comment, KeepComment, NewComment, QueueCounts, QueueFilter, Report,
};
use portal::pagination::PageRequest;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{Client, CurrentStaff, CurrentUser, CurrentViewer};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Params};
use crate::json::Json;
use crate::videos::{PageQuery, countable};

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list, post))
        .routes(routes!(delete_own))
        .routes(routes!(report))
        .routes(routes!(list_for_staff))
        .routes(routes!(queue))
        .routes(routes!(counts))
        .routes(routes!(keep, reopen))
        .routes(routes!(hide))
        .routes(routes!(show))
        .routes(routes!(approve))
        .routes(routes!(delete))
}

/// The comments on a video, newest first
#[utoipa::path(get, path = "/api/videos/{id}/comments", tag = "comments", security(()),
    params(("id" = Uuid, Path), PageQuery),
    responses((status = 200, body = Page<Comment>), (status = 404, body = Problem)))]
async fn list(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<Comment>>> {
    let settings = app.settings().await?;
    Ok(Json(comments::list(&app, &settings, &viewer, id, &query.into()).await?.into()))
}

/// Comment on a video
#[utoipa::path(post, path = "/api/videos/{id}/comments", tag = "comments", security(("session" = [])),
    params(("id" = Uuid, Path)), request_body = NewComment,
    responses((status = 201, body = Comment), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn post(
    State(app): State<App>,
    _user: CurrentUser,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    Input(new): Input<NewComment>,
) -> Answer<(StatusCode, Json<Comment>)> {
    let settings = app.settings().await?;
    comments::may_post(&app, &viewer).await?;
    let mut tx = app.db.begin().await?;
    let comment = comments::post(&mut tx, &app, &settings, &viewer, id, &new).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(comment)))
}

/// Delete your own comment
#[utoipa::path(delete, path = "/api/comments/{id}", tag = "comments", security(("session" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete_own(
    State(app): State<App>,
    CurrentUser { user, .. }: CurrentUser,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::delete_own(&mut tx, &app, user.id, id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Report a comment to the camp
#[utoipa::path(post, path = "/api/comments/{id}/report", tag = "comments", security(()),
    params(("id" = Uuid, Path)), request_body = Report,
    responses((status = 204), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn report(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Client(from): Client,
    Id(id): Id,
    Input(report): Input<Report>,
) -> Answer<(CookieJar, StatusCode)> {
    let settings = app.settings().await?;
    comments::may_report(&app, from.address).await?;
    let (viewer, jar) = countable(&app, viewer);
    let mut tx = app.db.begin().await?;
    comments::report(&mut tx, &app, &settings, &viewer, id, &report).await?;
    tx.commit().await?;
    Ok((jar, StatusCode::NO_CONTENT))
}

/// All comments on a video, including hidden and held ones
#[utoipa::path(get, path = "/api/admin/videos/{id}/comments", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path), PageQuery),
    responses((status = 200, body = Page<AdminComment>), (status = 404, body = Problem)))]
async fn list_for_staff(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<AdminComment>>> {
    Ok(Json(comments::list_for_staff(&app, id, &query.into()).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct QueueQuery {
    /// `to_review` by default.
    #[param(inline)]
    filter: Option<QueueFilter>,
    /// In author, text, and title of the video.
    q: Option<String>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// The comments on all videos: those that wait for staff first
#[utoipa::path(get, path = "/api/admin/comments", tag = "comments", security(("staff" = [])), params(QueueQuery),
    responses((status = 200, body = Page<AdminComment>), (status = 422, body = Problem)))]
async fn queue(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<QueueQuery>,
) -> Answer<Json<Page<AdminComment>>> {
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    let filter = query.filter.unwrap_or_default();
    Ok(Json(comments::queue(&app, filter, query.q.as_deref(), &part).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct CountsQuery {
    /// In author, text, and title of the video.
    q: Option<String>,
}

/// How many comments there are of each kind
#[utoipa::path(get, path = "/api/admin/comments/counts", tag = "comments", security(("staff" = [])), params(CountsQuery),
    responses((status = 200, body = QueueCounts)))]
async fn counts(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<CountsQuery>,
) -> Answer<Json<QueueCounts>> {
    Ok(Json(comments::counts(&app.db, query.q.as_deref()).await?))
}

/// Keep a reported comment: its reports are closed
#[utoipa::path(put, path = "/api/admin/comments/{id}/kept", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = KeepComment,
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn keep(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
    Input(seen): Input<KeepComment>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::keep(&mut tx, &app, Actor::Staff(staff.id), id, seen).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reopen the reports that were closed last
#[utoipa::path(delete, path = "/api/admin/comments/{id}/kept", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn reopen(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::reopen(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Hide a comment from readers
#[utoipa::path(post, path = "/api/admin/comments/{id}/hide", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn hide(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::hide(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Show a hidden comment again
#[utoipa::path(post, path = "/api/admin/comments/{id}/show", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn show(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::show(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Approve a comment that waits for review
#[utoipa::path(post, path = "/api/admin/comments/{id}/approve", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn approve(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::approve(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete anybody's comment
#[utoipa::path(delete, path = "/api/admin/comments/{id}", tag = "comments", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    comments::delete(&mut tx, &app, Actor::Staff(staff.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
