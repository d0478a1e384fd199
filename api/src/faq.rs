//! Questions and answers over HTTP.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use portal::audit::Actor;
use portal::faq::{self, AdminFaq, Category, Changes, Faq, Filter, NewFaq, Placeholder, Stats};
use portal::pagination::PageRequest;
use portal::{App, view_counts};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{Client, CurrentStaff, CurrentViewer};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Key, Page, Params};
use crate::json::Json;
use crate::videos::{PageQuery, countable};

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(record_view))
        .routes(routes!(admin_list, add))
        .routes(routes!(stats))
        .routes(routes!(placeholders))
        .routes(routes!(order))
        .routes(routes!(change, delete))
}

/// What is published, in its order
#[utoipa::path(get, path = "/api/faq", tag = "faq", security(()), params(PageQuery),
    responses((status = 200, body = Page<Faq>)))]
async fn list(State(app): State<App>, Params(query): Params<PageQuery>) -> Answer<Json<Page<Faq>>> {
    let settings = app.settings().await?;
    Ok(Json(faq::list(&app, &settings, &query.into()).await?.into()))
}

/// Count that somebody opened an answer
#[utoipa::path(post, path = "/api/faq/{id}/views", tag = "faq", security(()),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn record_view(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Client(from): Client,
    Id(id): Id,
) -> Answer<(CookieJar, StatusCode)> {
    let (viewer, jar) = countable(&app, viewer);
    faq::record_view(&app, &viewer, id, &from).await?;
    view_counts::write_soon(&app);
    Ok((jar, StatusCode::NO_CONTENT))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AdminQuery {
    /// In question and answer.
    q: Option<String>,
    #[param(inline)]
    category: Option<Category>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// All entries in their order, with the placeholders in their answers
#[utoipa::path(get, path = "/api/admin/faq", tag = "faq", security(("staff" = [])), params(AdminQuery),
    responses((status = 200, body = Page<AdminFaq>)))]
async fn admin_list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<AdminQuery>,
) -> Answer<Json<Page<AdminFaq>>> {
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    let filter = Filter { q: query.q, category: query.category, part };
    Ok(Json(faq::admin_list(&app, &filter).await?.into()))
}

/// Add an entry at the end
///
/// The same `Idempotency-Key` with the same body is answered with the record that the first one made.
#[utoipa::path(post, path = "/api/admin/faq", tag = "faq", security(("staff" = [])), request_body = NewFaq,
    params(("Idempotency-Key" = Option<Uuid>, Header, description = "A fresh UUID for each form that is filled in.")),
    responses((status = 201, body = AdminFaq), (status = 401, body = Problem),
              (status = 409, body = Problem), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Key(key): Key,
    Input(new): Input<NewFaq>,
) -> Answer<(StatusCode, Json<AdminFaq>)> {
    let mut tx = app.db.begin().await?;
    let entry = faq::add(&mut tx, &app, Actor::Staff(me.id), &new, key).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(entry)))
}

/// How many entries there are, and how often they were opened
#[utoipa::path(get, path = "/api/admin/faq/stats", tag = "faq", security(("staff" = [])),
    responses((status = 200, body = Stats)))]
async fn stats(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Stats>> {
    Ok(Json(faq::stats(&app.db).await?))
}

/// What the placeholders in answers stand for now, for previews
#[utoipa::path(get, path = "/api/admin/faq/placeholders", tag = "faq", security(("staff" = [])),
    responses((status = 200, body = Page<Placeholder>)))]
async fn placeholders(
    State(app): State<App>,
    _staff: CurrentStaff,
) -> Answer<Json<Page<Placeholder>>> {
    let settings = app.settings().await?;
    Ok(Json(Page::whole(faq::placeholders(&app, &settings).await?)))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FaqOrder)]
struct Order {
    ids: Vec<Uuid>,
}

/// Put entries into this order; those that are not named stay where they are
#[utoipa::path(put, path = "/api/admin/faq/order", tag = "faq", security(("staff" = [])), request_body = Order,
    responses((status = 204), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn order(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(order): Input<Order>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    faq::order(&mut tx, &app, Actor::Staff(me.id), &order.ids).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Change an entry
#[utoipa::path(patch, path = "/api/admin/faq/{id}", tag = "faq", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = Changes,
    responses((status = 200, body = AdminFaq), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Input(changes): Input<Changes>,
) -> Answer<Json<AdminFaq>> {
    let mut tx = app.db.begin().await?;
    let entry = faq::change(&mut tx, &app, Actor::Staff(me.id), id, &changes).await?;
    tx.commit().await?;
    Ok(Json(entry))
}

/// Delete an entry
#[utoipa::path(delete, path = "/api/admin/faq/{id}", tag = "faq", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    faq::delete(&mut tx, &app, Actor::Staff(me.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
