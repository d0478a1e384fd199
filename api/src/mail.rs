//! Failed mail, refused addresses, bounces and complaints, for staff.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::notifications::reports::{self, MailReport};
use portal::notifications::undelivered::{self, About, FailedMail, MailRef, RefusedAddress};
use portal::pagination::PageRequest;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::CurrentStaff;
use crate::error::{Answer, Problem};
use crate::input::{Input, Page, Params};
use crate::videos::PageQuery;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(failed))
        .routes(routes!(send_again))
        .routes(routes!(refused))
        .routes(routes!(reports_list))
        .routes(routes!(let_through))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct FailedQuery {
    /// Those about videos, or all others.
    #[param(inline)]
    about: Option<About>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// Mails that failed within the last seven days, the last first
#[utoipa::path(get, path = "/api/admin/mail/failed", tag = "mail", security(("staff" = [])), params(FailedQuery),
    responses((status = 200, body = Page<FailedMail>)))]
async fn failed(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<FailedQuery>,
) -> Answer<Json<Page<FailedMail>>> {
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    Ok(Json(undelivered::failed(&app, query.about, &part).await?.into()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MailsToSend)]
struct Mails {
    /// At most 100.
    mails: Vec<MailRef>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MailsQueued)]
struct Queued {
    /// Those that were still failed.
    queued: i64,
}

/// Send failed mails again
#[utoipa::path(post, path = "/api/admin/mail/failed/send-again", tag = "mail", security(("staff" = [])),
    request_body = Mails, responses((status = 200, body = Queued), (status = 422, body = Problem)))]
async fn send_again(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(given): Input<Mails>,
) -> Answer<Json<Queued>> {
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(me.id);
    let queued = undelivered::send_again(&mut tx, &app, actor, &given.mails).await?;
    tx.commit().await?;
    Ok(Json(Queued { queued }))
}

/// Addresses that refused mail for good, the last first
#[utoipa::path(get, path = "/api/admin/mail/refused", tag = "mail", security(("staff" = [])), params(PageQuery),
    responses((status = 200, body = Page<RefusedAddress>)))]
async fn refused(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<RefusedAddress>>> {
    Ok(Json(undelivered::refused(&app.db, &query.into()).await?.into()))
}

/// Bounces and complaints of the last 90 days, the last first
#[utoipa::path(get, path = "/api/admin/mail/reports", tag = "mail", security(("staff" = [])), params(PageQuery),
    responses((status = 200, body = Page<MailReport>)))]
async fn reports_list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<MailReport>>> {
    Ok(Json(reports::list(&app, &query.into()).await?.into()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AddressToLetThrough)]
struct Address {
    email: String,
}

/// Let mail go to a refused address again
#[utoipa::path(post, path = "/api/admin/mail/refused/let-through", tag = "mail", security(("staff" = [])),
    request_body = Address, responses((status = 204), (status = 404, body = Problem)))]
async fn let_through(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(given): Input<Address>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    undelivered::let_through(&mut tx, &app, Actor::Staff(me.id), &given.email).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
