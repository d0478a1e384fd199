//! Families for staff, over HTTP: list and counts, add, edit, invite, approve, merge, export, delete.

use axum::extract::State;
use axum::http::StatusCode;
use portal::audit::Actor;
use portal::family_admin::export;
use portal::family_admin::merge::{Merge, Merged, merge};
use portal::family_admin::{
    self, Decided, Decision, Detail, Direction, Family, FamilyChanges, Filter, NewFamily, Search,
    Sort, Standing, Statement, Summary,
};
use portal::pagination::PageRequest;
use portal::{App, FamilyId, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{CurrentStaff, Owner};
use crate::csv::Csv;
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Params, Segments};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(summary))
        .routes(routes!(export))
        .routes(routes!(merge_two))
        .routes(routes!(show, edit, delete))
        .routes(routes!(statement))
        .routes(routes!(invite))
        .routes(routes!(copy_invitation))
        .routes(routes!(approve))
        .routes(routes!(refuse))
        .routes(routes!(clear_limits))
        .routes(routes!(remove_login))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Query {
    /// In names, children's names and addresses.
    q: Option<String>,
    #[param(inline)]
    filter: Option<Filter>,
    #[param(inline)]
    sort: Option<Sort>,
    /// By default the latest first, and otherwise from A to Z.
    #[param(inline)]
    direction: Option<Direction>,
    cursor: Option<String>,
    /// 1 to 100, by default 50.
    limit: Option<i64>,
}

/// Families, the newest first unless another order is asked for
#[utoipa::path(get, path = "/api/admin/users", tag = "families", security(("staff" = [])), params(Query),
    responses((status = 200, body = Page<Family>), (status = 422, body = Problem)))]
async fn list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<Query>,
) -> Answer<Json<Page<Family>>> {
    let settings = app.settings().await?;
    let search = Search {
        q: query.q.unwrap_or_default(),
        filter: query.filter.unwrap_or_default(),
        sort: query.sort.unwrap_or_default(),
        direction: query.direction,
        part: PageRequest { cursor: query.cursor, limit: query.limit },
    };
    let page = family_admin::list(&app, &settings, &search).await?;
    Ok(Json(Page { items: page.items, next: page.next }))
}

/// Numbers of families by status, and the total that they paid
#[utoipa::path(get, path = "/api/admin/users/summary", tag = "families", security(("staff" = [])),
    responses((status = 200, body = Summary)))]
async fn summary(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Summary>> {
    let settings = app.settings().await?;
    Ok(Json(family_admin::summary(&app, &settings).await?))
}

/// Add a family with its plan and send its invitation
#[utoipa::path(post, path = "/api/admin/users", tag = "families", security(("staff" = [])),
    request_body = NewFamily, responses((status = 201, body = Family), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(new): Input<NewFamily>,
) -> Answer<(StatusCode, Json<Family>)> {
    let family = family_admin::add(&app, Actor::Staff(me.id), new).await?;
    Ok((StatusCode::CREATED, Json(family)))
}

/// One family with its ledger and its addresses
#[utoipa::path(get, path = "/api/admin/users/{id}", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Detail), (status = 404, body = Problem)))]
async fn show(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id<FamilyId>,
) -> Answer<Json<Detail>> {
    Ok(Json(family_admin::detail(&app, id).await?))
}

/// Change a family and its plan; omitted fields stay as they are
#[utoipa::path(patch, path = "/api/admin/users/{id}", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = FamilyChanges,
    responses((status = 200, body = Detail), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn edit(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
    Input(changes): Input<FamilyChanges>,
) -> Answer<Json<Detail>> {
    let detail = family_admin::edit(&api.app, Actor::Staff(me.id), id, changes).await?;
    api.sessions.invalidate_all();
    Ok(Json(detail))
}

/// The data of a family's printed statement
#[utoipa::path(get, path = "/api/admin/users/{id}/statement", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Statement), (status = 404, body = Problem)))]
async fn statement(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id<FamilyId>,
) -> Answer<Json<Statement>> {
    Ok(Json(family_admin::statement(&app, id).await?))
}

/// Delete a family with its logins; its payments stay in the ledger
#[utoipa::path(delete, path = "/api/admin/users/{id}", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
) -> Answer<StatusCode> {
    family_admin::delete(&api.app, Actor::Staff(me.id), id).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Merge two families, or preview the result with `preview`
#[utoipa::path(post, path = "/api/admin/users/merge", tag = "families", security(("staff" = [])),
    request_body = Merge, responses((status = 200, body = Merged), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn merge_two(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Input(both): Input<Merge>,
) -> Answer<Json<Merged>> {
    let merged = merge(&api.app, Actor::Staff(me.id), both).await?;
    api.sessions.invalidate_all();
    Ok(Json(merged))
}

/// All families as a table
#[utoipa::path(get, path = "/api/admin/users/export.csv", tag = "families", security(("owner" = [])),
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn export(State(app): State<App>, Owner(me): Owner) -> Answer<Csv<String>> {
    let table = export::csv(&app, Actor::Staff(me.id)).await?;
    Ok(Csv("families.csv", table))
}

/// Send the invitation again
#[utoipa::path(post, path = "/api/admin/users/{id}/invite", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 202), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn invite(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
) -> Answer<StatusCode> {
    family_admin::invite(&app, Actor::Staff(me.id), id).await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Serialize, ToSchema)]
struct InvitationLink {
    url: String,
}

/// Create a new invitation link to pass on by other means
#[utoipa::path(post, path = "/api/admin/users/{id}/invitation-link", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = InvitationLink), (status = 404, body = Problem)))]
async fn copy_invitation(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
) -> Answer<Json<InvitationLink>> {
    let url = family_admin::invitation_link(&app, Actor::Staff(me.id), id).await?;
    Ok(Json(InvitationLink { url }))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DecisionQuery {
    /// The family's standing when it was read, for those who must not undo what somebody else has
    /// decided since.
    #[param(inline)]
    seen: Option<Standing>,
}

/// Confirm that somebody who registered is a family of the camp
#[utoipa::path(post, path = "/api/admin/users/{id}/approve", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path), DecisionQuery),
    responses((status = 200, body = Decided), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn approve(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
    Params(query): Params<DecisionQuery>,
) -> Answer<Json<Decided>> {
    decide(&api, Actor::Staff(me.id), id, Decision::Approve, query.seen).await
}

/// Refuse somebody who registered
#[utoipa::path(post, path = "/api/admin/users/{id}/refuse", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path), DecisionQuery),
    responses((status = 200, body = Decided), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn refuse(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
    Params(query): Params<DecisionQuery>,
) -> Answer<Json<Decided>> {
    decide(&api, Actor::Staff(me.id), id, Decision::Refuse, query.seen).await
}

async fn decide(
    api: &Api,
    actor: Actor,
    id: FamilyId,
    decision: Decision,
    seen: Option<Standing>,
) -> Answer<Json<Decided>> {
    let decided = family_admin::decide(&api.app, actor, id, decision, seen).await?;
    api.sessions.invalidate_all();
    Ok(Json(decided))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ClearedLimits {
    /// How many rate limits were reset.
    pub cleared: u64,
}

/// Let a family's logins try to sign in again at once
#[utoipa::path(post, path = "/api/admin/users/{id}/clear-limits", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = ClearedLimits), (status = 404, body = Problem)))]
async fn clear_limits(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id<FamilyId>,
) -> Answer<Json<ClearedLimits>> {
    let cleared = family_admin::clear_limits(&app, Actor::Staff(me.id), id).await?;
    Ok(Json(ClearedLimits { cleared }))
}

/// Remove a login from a family: it gets a record of its own, and its sessions end
#[utoipa::path(delete, path = "/api/admin/users/{id}/logins/{user_id}", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path), ("user_id" = Uuid, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn remove_login(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Segments((id, user_id)): Segments<(FamilyId, UserId)>,
) -> Answer<StatusCode> {
    family_admin::remove_login(&api.app, Actor::Staff(me.id), id, user_id).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}
