//! Settings and the audit log over HTTP, for owners.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use portal::App;
use portal::audit::{self, Actor};
use portal::settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::Owner;
use crate::error::{Answer, Problem};
use crate::input::{Input, Page, Params, limit};

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list, change)).routes(routes!(audit_log))
}

#[derive(Serialize, ToSchema)]
struct Setting {
    key: &'static str,
    value: Value,
    help: &'static str,
}

async fn all(app: &App) -> Answer<Json<Page<Setting>>> {
    let current = app.settings().await?;
    let items = settings::list(&current)
        .into_iter()
        .map(|(key, value)| Setting { key: key.name, value, help: key.help })
        .collect();
    Ok(Json(Page::whole(items)))
}

/// All settings with their values
#[utoipa::path(get, path = "/api/admin/settings", tag = "settings", security(("owner" = [])),
    responses((status = 200, body = Page<Setting>)))]
async fn list(State(app): State<App>, _owner: Owner) -> Answer<Json<Page<Setting>>> {
    all(&app).await
}

/// Change settings: an object of keys and values, all or none
#[utoipa::path(patch, path = "/api/admin/settings", tag = "settings", security(("owner" = [])),
    request_body(content = BTreeMap<String, Value>),
    responses((status = 200, body = Page<Setting>), (status = 422, body = Problem)))]
async fn change(
    State(api): State<Api>,
    Owner(me): Owner,
    Input(changes): Input<BTreeMap<String, Value>>,
) -> Answer<Json<Page<Setting>>> {
    let app = &api.app;
    let mut tx = app.db.begin().await?;
    settings::set(&mut tx, app, Actor::Staff(me.id), changes).await?;
    tx.commit().await?;
    app.forget_settings();
    api.sessions.forget_all();
    all(app).await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// Only what happened to this record.
    subject_id: Option<Uuid>,
    cursor: Option<Uuid>,
    limit: Option<i64>,
}

/// Who did what, the newest first
#[utoipa::path(get, path = "/api/admin/audit", tag = "audit", security(("owner" = [])), params(AuditQuery),
    responses((status = 200, body = Page<audit::Entry>)))]
async fn audit_log(
    State(app): State<App>,
    _owner: Owner,
    Params(query): Params<AuditQuery>,
) -> Answer<Json<Page<audit::Entry>>> {
    let limit = limit(query.limit);
    let mut items = audit::newest(&app.db, query.subject_id, query.cursor, limit + 1).await?;
    let more = items.len() as i64 > limit;
    items.truncate(limit as usize);
    let next = more.then(|| items.last().map(|entry| entry.id.to_string())).flatten();
    Ok(Json(Page { items, next }))
}
