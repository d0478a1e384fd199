//! Newsletters to families and the mailing list, over HTTP.

use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::newsletters::{self, Audience, NewNewsletter, Row, Sent, TestNewsletter};
use portal::pagination::PageRequest;
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
        .routes(routes!(list, send))
        .routes(routes!(send_test))
        .routes(routes!(retry))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct LettersQuery {
    #[param(inline)]
    audience: Option<Audience>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// The newsletters that were sent, the newest first
#[utoipa::path(get, path = "/api/admin/letters", tag = "letters", security(("staff" = [])), params(LettersQuery),
    responses((status = 200, body = Page<Row>)))]
async fn list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<LettersQuery>,
) -> Answer<Json<Page<Row>>> {
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    Ok(Json(newsletters::list(&app, query.audience, &part).await?.into()))
}

/// Send a newsletter, or count its recipients
///
/// A second request with the same key, or with the same text within ten minutes, is the same
/// newsletter and is not sent again.
#[utoipa::path(post, path = "/api/admin/letters", tag = "letters", security(("staff" = [])), request_body = NewNewsletter,
    params(("Idempotency-Key" = Option<Uuid>, Header, description = "Chosen by the client; identifies the newsletter.")),
    responses((status = 200, body = Sent), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn send(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Key(key): Key,
    Input(new): Input<NewNewsletter>,
) -> Answer<Json<Sent>> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    let sent = newsletters::send(&mut tx, &app, &settings, Actor::Staff(me.id), &new, key).await?;
    tx.commit().await?;
    Ok(Json(sent))
}

/// Send a newsletter to yourself only
#[utoipa::path(post, path = "/api/admin/letters/test", tag = "letters", security(("staff" = [])),
    request_body = TestNewsletter,
    responses((status = 204), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn send_test(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(newsletter): Input<TestNewsletter>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    newsletters::send_test(&mut tx, &app, &me, &newsletter).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
#[schema(as = LetterRetry)]
struct Again {
    queued: i64,
}

/// Send the failed mails of a newsletter again
#[utoipa::path(post, path = "/api/admin/letters/{id}/deliveries/retry", tag = "letters", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Again), (status = 404, body = Problem)))]
async fn retry(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<Json<Again>> {
    let mut tx = app.db.begin().await?;
    let queued = newsletters::retry(&mut tx, &app, Actor::Staff(me.id), id).await?;
    tx.commit().await?;
    Ok(Json(Again { queued }))
}
