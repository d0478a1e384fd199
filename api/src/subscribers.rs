//! The mailing list over HTTP.

use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::pagination::PageRequest;
use portal::subscribers::{self, Subscribe, Subscriber};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{Client, CurrentStaff, Owner};
use crate::csv::Csv;
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(subscribe))
        .routes(routes!(confirm))
        .routes(routes!(list))
        .routes(routes!(remove))
        .routes(routes!(export))
}

/// Ask to be put on the mailing list; the answer never tells whether the address is known
#[utoipa::path(post, path = "/api/subscribe", tag = "subscribers", security(()), request_body = Subscribe,
    responses((status = 202), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn subscribe(
    State(app): State<App>,
    Client(from): Client,
    Input(given): Input<Subscribe>,
) -> Answer<StatusCode> {
    subscribers::subscribe(&app, &given, from.address).await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SubscribeToken)]
struct Token {
    token: String,
}

/// Confirm with the token of the mail
#[utoipa::path(post, path = "/api/subscribe/confirm", tag = "subscribers", security(()), request_body = Token,
    responses((status = 204), (status = 410, body = Problem)))]
async fn confirm(
    State(app): State<App>,
    Client(from): Client,
    Input(given): Input<Token>,
) -> Answer<StatusCode> {
    subscribers::confirm(&app, &given.token, from.address).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of an address.
    q: Option<String>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// The mailing list, the newest first
#[utoipa::path(get, path = "/api/admin/subscribers", tag = "subscribers", security(("staff" = [])), params(ListQuery),
    responses((status = 200, body = Page<Subscriber>)))]
async fn list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<ListQuery>,
) -> Answer<Json<Page<Subscriber>>> {
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    Ok(Json(subscribers::list(&app, query.q.as_deref(), &part).await?.into()))
}

/// Take an address off the mailing list
#[utoipa::path(delete, path = "/api/admin/subscribers/{id}", tag = "subscribers", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn remove(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    subscribers::remove(&mut tx, &app, Actor::Staff(me.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The confirmed addresses as CSV
#[utoipa::path(get, path = "/api/admin/subscribers/export.csv", tag = "subscribers", security(("owner" = [])),
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn export(State(app): State<App>, Owner(me): Owner) -> Answer<Csv<String>> {
    let mut tx = app.db.begin().await?;
    let sheet = subscribers::export(&mut tx, &app, Actor::Staff(me.id)).await?;
    tx.commit().await?;
    Ok(Csv("mailing-list.csv", sheet))
}
