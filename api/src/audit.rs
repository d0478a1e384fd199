//! The audit log over HTTP, for owners.

use axum::body::Body;
use axum::extract::State;
use chrono::NaiveDate;
use portal::App;
use portal::audit::{self, Actor, ActorKind, Entry, Filter, Filters};
use portal::pagination::PageRequest;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::Owner;
use crate::csv::Csv;
use crate::error::{Answer, Problem};
use crate::input::{Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(filters)).routes(routes!(export))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    #[param(inline)]
    actor_kind: Option<ActorKind>,
    /// The user name of a staff account, or the id of any account.
    actor: Option<String>,
    /// A whole action (`payment.record`) or all of a topic (`payment`).
    action: Option<String>,
    /// What it was done to: `video`, `profile` and so on.
    subject_kind: Option<String>,
    /// Only what happened to this record.
    subject_id: Option<Uuid>,
    /// The first day, in the camp's time zone.
    from: Option<NaiveDate>,
    /// The last day, in the camp's time zone.
    to: Option<NaiveDate>,
    /// Ignored by the table, which is always complete.
    cursor: Option<String>,
    /// Ignored by the table, which is always complete.
    limit: Option<i64>,
}

impl AuditQuery {
    fn split(self) -> (Filter, PageRequest) {
        let AuditQuery { actor_kind, actor, action, subject_kind, subject_id, from, to, .. } = self;
        let filter = Filter { actor_kind, actor, action, subject_kind, subject_id, from, to };
        (filter, PageRequest { cursor: self.cursor, limit: self.limit })
    }
}

/// Who did what, the newest first
#[utoipa::path(get, path = "/api/admin/audit", tag = "audit", security(("owner" = [])), params(AuditQuery),
    responses((status = 200, body = Page<Entry>), (status = 422, body = Problem)))]
async fn list(
    State(app): State<App>,
    _owner: Owner,
    Params(query): Params<AuditQuery>,
) -> Answer<Json<Page<Entry>>> {
    let (filter, part) = query.split();
    Ok(Json(audit::list(&app, &filter, &part).await?.into()))
}

/// What the log can be filtered by
#[utoipa::path(get, path = "/api/admin/audit/filters", tag = "audit", security(("owner" = [])),
    responses((status = 200, body = Filters)))]
async fn filters(State(app): State<App>, _owner: Owner) -> Answer<Json<Filters>> {
    Ok(Json(audit::filters(&app).await?))
}

/// The log, filtered if requested, as a table
#[utoipa::path(get, path = "/api/admin/audit.csv", tag = "audit", security(("owner" = [])), params(AuditQuery),
    responses((status = 200, content_type = "text/csv", body = String), (status = 422, body = Problem)))]
async fn export(
    State(app): State<App>,
    Owner(me): Owner,
    Params(query): Params<AuditQuery>,
) -> Answer<Csv<Body>> {
    let (filter, _) = query.split();
    let table = audit::export(&app, Actor::Staff(me.id), &filter).await?;
    Ok(Csv("audit.csv", Body::from_stream(table)))
}
