//! Analytics and dashboard of the staff area.

use axum::extract::State;
use portal::App;
use portal::analytics::dashboard::{self, Dashboard};
use portal::analytics::{self, Analytics, Period};
use portal::audit::Actor;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{CurrentStaff, Owner};
use crate::csv::Csv;
use crate::error::{Answer, Problem};
use crate::input::Params;
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(look)).routes(routes!(table)).routes(routes!(dashboard_now))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PeriodQuery {
    /// Days up to and with today, or the season so far; 30 by default.
    #[param(inline)]
    period: Option<Period>,
}

/// Statistics of a period
#[utoipa::path(get, path = "/api/admin/analytics", tag = "analytics", security(("staff" = [])), params(PeriodQuery),
    responses((status = 200, body = Analytics), (status = 400, body = Problem)))]
async fn look(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<PeriodQuery>,
) -> Answer<Json<Analytics>> {
    let settings = app.settings().await?;
    let period = query.period.unwrap_or(Period::Month);
    Ok(Json(analytics::compute(&app, &settings, period).await?))
}

/// The days of a period for a spreadsheet
#[utoipa::path(get, path = "/api/admin/analytics.csv", tag = "analytics", security(("owner" = [])), params(PeriodQuery),
    responses((status = 200, content_type = "text/csv", body = String), (status = 400, body = Problem)))]
async fn table(
    State(app): State<App>,
    Owner(me): Owner,
    Params(query): Params<PeriodQuery>,
) -> Answer<Csv<String>> {
    let settings = app.settings().await?;
    let period = query.period.unwrap_or(Period::Month);
    let table = analytics::export(&app, Actor::Staff(me.id), &settings, period).await?;
    Ok(Csv("analytics.csv", table))
}

/// Counts for the dashboard, and what needs attention now
#[utoipa::path(get, path = "/api/admin/dashboard", tag = "analytics", security(("staff" = [])),
    responses((status = 200, body = Dashboard)))]
async fn dashboard_now(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Dashboard>> {
    let settings = app.settings().await?;
    Ok(Json(dashboard::compute(&app, &settings).await?))
}
