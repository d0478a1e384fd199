//! Payments over HTTP: families see theirs, staff record them.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use chrono::NaiveDate;
use portal::audit::Actor;
use portal::pagination::PageRequest;
use portal::payments::{
    self, Days, JournalEntry, JournalTotals, NewPayment, NewVoid, OwnPayments, Recorded,
};
use portal::{App, FamilyId};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{CurrentStaff, CurrentUser, Owner};
use crate::csv::Csv;
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Key, Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(own))
        .routes(routes!(record))
        .routes(routes!(void))
        .routes(routes!(journal))
        .routes(routes!(totals))
        .routes(routes!(export))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct JournalQuery {
    /// The first day, of the camp's calendar.
    from: Option<NaiveDate>,
    /// The last day.
    to: Option<NaiveDate>,
    cursor: Option<String>,
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DaysQuery {
    /// The first day, of the camp's calendar.
    from: Option<NaiveDate>,
    /// The last day.
    to: Option<NaiveDate>,
}

/// The payments, adjustments, refunds and voids of all families, the latest first
#[utoipa::path(get, path = "/api/admin/payments", tag = "payments", security(("staff" = [])), params(JournalQuery),
    responses((status = 200, body = Page<JournalEntry>), (status = 422, body = Problem)))]
async fn journal(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<JournalQuery>,
) -> Answer<Json<Page<JournalEntry>>> {
    let days = Days { from: query.from, to: query.to };
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    Ok(Json(payments::journal(&app, days, &part).await?.into()))
}

/// What was paid, adjusted, refunded and voided in a period
#[utoipa::path(get, path = "/api/admin/payments/totals", tag = "payments", security(("staff" = [])), params(DaysQuery),
    responses((status = 200, body = JournalTotals), (status = 422, body = Problem)))]
async fn totals(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(DaysQuery { from, to }): Params<DaysQuery>,
) -> Answer<Json<JournalTotals>> {
    Ok(Json(payments::journal_totals(&app, Days { from, to }).await?))
}

/// The payments of a period as a table
#[utoipa::path(get, path = "/api/admin/payments.csv", tag = "payments", security(("owner" = [])), params(DaysQuery),
    responses((status = 200, content_type = "text/csv", body = String), (status = 422, body = Problem)))]
async fn export(
    State(app): State<App>,
    Owner(me): Owner,
    Params(DaysQuery { from, to }): Params<DaysQuery>,
) -> Answer<Csv<String>> {
    let table = payments::journal_csv(&app, Actor::Staff(me.id), Days { from, to }).await?;
    Ok(Csv("payments.csv", table))
}

/// The plan and the payments of your own family
#[utoipa::path(get, path = "/api/profile/payments", tag = "payments", security(("session" = [])),
    responses((status = 200, body = OwnPayments)))]
async fn own(State(app): State<App>, signed_in: CurrentUser) -> Answer<Json<OwnPayments>> {
    Ok(Json(payments::own(&app, &signed_in.user).await?))
}

/// Record a payment, an adjustment or a refund
///
/// The same `Idempotency-Key` with the same body is answered as before and records nothing.
#[utoipa::path(post, path = "/api/admin/users/{id}/payments", tag = "payments", security(("staff" = [])),
    params(("id" = Uuid, Path), ("Idempotency-Key" = Uuid, Header, description = "a fresh UUID for each form that is filled in")),
    request_body = NewPayment, responses((status = 201, body = Recorded), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn record(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
    headers: HeaderMap,
    Input(new): Input<NewPayment>,
) -> Answer<(StatusCode, Json<Recorded>)> {
    let key = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let Some(key) = key.and_then(|key| key.trim().parse::<Uuid>().ok()) else {
        return Err(Problem::bad_request("Please send a UUID as Idempotency-Key."));
    };
    // The transaction is completed even if the browser no longer waits for the response.
    let recorded =
        tokio::spawn(
            async move { payments::record(&app, Actor::Staff(me.id), id, key, &new).await },
        );
    let recorded = recorded.await.map_err(portal::Error::unforeseen)??;
    Ok((StatusCode::CREATED, Json(recorded)))
}

/// Void a payment by adding a row
///
/// With an `Idempotency-Key` the same body is answered as before and records nothing.
#[utoipa::path(post, path = "/api/admin/payments/{id}/void", tag = "payments", security(("staff" = [])),
    params(("id" = Uuid, Path), ("Idempotency-Key" = Option<Uuid>, Header, description = "a fresh UUID for each form that is filled in")),
    request_body = NewVoid, responses((status = 201, body = Recorded), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn void(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Key(key): Key,
    Input(new): Input<NewVoid>,
) -> Answer<(StatusCode, Json<Recorded>)> {
    let voided =
        tokio::spawn(async move { payments::void(&app, Actor::Staff(me.id), id, key, &new).await });
    let voided = voided.await.map_err(portal::Error::unforeseen)??;
    Ok((StatusCode::CREATED, Json(voided)))
}
