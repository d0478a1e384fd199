//! Videos for families, over HTTP.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use portal::access::Viewer;
use portal::pagination::PageRequest;
use portal::videos::{self, Collection, Filter, Like, Sort, Video, VideoCard, YearCount};
use portal::{App, view_counts};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{Client, CurrentUser, CurrentViewer, browser_cookie};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(years))
        .routes(routes!(find))
        .routes(routes!(view))
        .routes(routes!(keep_position))
        .routes(routes!(like, unlike))
        .routes(routes!(favorites))
}

/// Which part of a list is asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// `next` of the page before.
    cursor: Option<String>,
    /// 1 to 100.
    limit: Option<i64>,
}

impl From<PageQuery> for PageRequest {
    fn from(query: PageQuery) -> PageRequest {
        PageRequest { cursor: query.cursor, limit: query.limit }
    }
}

impl<T> From<portal::pagination::Page<T>> for Page<T> {
    fn from(page: portal::pagination::Page<T>) -> Page<T> {
        Page { items: page.items, next: page.next }
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// `home`: at most three, the featured one first.
    #[param(inline)]
    collection: Option<Collection>,
    /// Searched in title and description.
    q: Option<String>,
    #[param(inline)]
    sort: Option<Sort>,
    year: Option<i64>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// The published videos
#[utoipa::path(get, path = "/api/videos", tag = "videos", security(()), params(ListQuery),
    responses((status = 200, body = Page<VideoCard>)))]
async fn list(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Params(query): Params<ListQuery>,
) -> Answer<Json<Page<VideoCard>>> {
    let settings = app.settings().await?;
    let filter = Filter {
        collection: query.collection,
        q: query.q,
        sort: query.sort.unwrap_or_default(),
        year: query.year,
        part: PageRequest { cursor: query.cursor, limit: query.limit },
    };
    Ok(Json(videos::list(&app, &settings, &viewer, &filter).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct YearsQuery {
    /// Counts only the videos that a search for this finds.
    q: Option<String>,
}

/// The years of the archive
#[utoipa::path(get, path = "/api/videos/years", tag = "videos", security(()), params(YearsQuery),
    responses((status = 200, body = Page<YearCount>)))]
async fn years(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Params(query): Params<YearsQuery>,
) -> Answer<Json<Page<YearCount>>> {
    let settings = app.settings().await?;
    let years = videos::years(&app, &settings, &viewer, query.q.as_deref()).await?;
    Ok(Json(Page::whole(years)))
}

/// A video
#[utoipa::path(get, path = "/api/videos/{id}", tag = "videos", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, body = Video), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn find(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
) -> Answer<Json<Video>> {
    let settings = app.settings().await?;
    Ok(Json(videos::find(&app, &settings, &viewer, id).await?))
}

/// Count a view, when playback starts
#[utoipa::path(post, path = "/api/videos/{id}/views", tag = "videos", security(()), params(("id" = Uuid, Path)),
    responses((status = 204), (status = 404, body = Problem)))]
async fn view(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Client(from): Client,
    Id(id): Id,
) -> Answer<(CookieJar, StatusCode)> {
    let settings = app.settings().await?;
    let (viewer, jar) = countable(&app, viewer);
    videos::record_view(&app, &settings, &viewer, id, &from).await?;
    view_counts::write_soon(&app);
    Ok((jar, StatusCode::NO_CONTENT))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Position {
    /// 0 at the beginning and at the end.
    seconds: i64,
}

/// Remember where the viewer stopped watching
#[utoipa::path(put, path = "/api/videos/{id}/position", tag = "videos", security(("session" = [])),
    params(("id" = Uuid, Path)), request_body = Position,
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn keep_position(
    State(app): State<App>,
    _user: CurrentUser,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    Input(Position { seconds }): Input<Position>,
) -> Answer<StatusCode> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    videos::keep_position(&mut tx, &app, &settings, &viewer, id, seconds).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a cookie that identifies a viewer who is not signed in, when it is first needed.
pub(crate) fn countable(app: &App, viewer: Viewer) -> (Viewer, CookieJar) {
    if viewer.key().is_some() || viewer.staff_id.is_some() {
        return (viewer, CookieJar::new());
    }
    let browser = Uuid::new_v4();
    let jar = CookieJar::new().add(browser_cookie(app, browser));
    (Viewer { browser: Some(browser), ..viewer }, jar)
}

/// Like a video
#[utoipa::path(put, path = "/api/videos/{id}/like", tag = "videos", security(("session" = [])), params(("id" = Uuid, Path)),
    responses((status = 200, body = Like), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn like(
    State(app): State<App>,
    _user: CurrentUser,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
) -> Answer<Json<Like>> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let like = videos::like(&mut tx, &app, &settings, &viewer, id).await?;
    tx.commit().await?;
    Ok(Json(like))
}

/// Remove a like
#[utoipa::path(delete, path = "/api/videos/{id}/like", tag = "videos", security(("session" = [])), params(("id" = Uuid, Path)),
    responses((status = 200, body = Like), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn unlike(
    State(app): State<App>,
    _user: CurrentUser,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
) -> Answer<Json<Like>> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let like = videos::unlike(&mut tx, &settings, &viewer, id).await?;
    tx.commit().await?;
    Ok(Json(like))
}

/// The videos that you like
#[utoipa::path(get, path = "/api/profile/favorites", tag = "profile", security(("session" = [])), params(PageQuery),
    responses((status = 200, body = Page<VideoCard>), (status = 401, body = Problem)))]
async fn favorites(
    State(app): State<App>,
    _user: CurrentUser,
    CurrentViewer(viewer): CurrentViewer,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<VideoCard>>> {
    let settings = app.settings().await?;
    Ok(Json(videos::favorites(&app, &settings, &viewer, &query.into()).await?.into()))
}
