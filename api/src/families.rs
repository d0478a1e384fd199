//! Families for the staff area: add, invite, approve, delete.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::profiles::{self, Decision, Family, NewFamily, Search};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::OnDuty;
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Params, limit};

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(show, delete))
        .routes(routes!(invite))
        .routes(routes!(copy_invitation))
        .routes(routes!(approve))
        .routes(routes!(refuse))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Query {
    /// In names, children's names and addresses.
    q: Option<String>,
    /// `to_approve`: only those that wait for approval.
    #[param(inline)]
    filter: Option<Filter>,
    cursor: Option<Uuid>,
    limit: Option<i64>,
}

#[derive(Deserialize, PartialEq, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Filter {
    ToApprove,
}

/// Families, the newest first
#[utoipa::path(get, path = "/api/admin/users", tag = "families", security(("staff" = [])), params(Query),
    responses((status = 200, body = Page<Family>)))]
async fn list(
    State(app): State<App>,
    _staff: OnDuty,
    Params(query): Params<Query>,
) -> Answer<Json<Page<Family>>> {
    let limit = limit(query.limit);
    let search = Search {
        q: query.q.unwrap_or_default().chars().take(200).collect(),
        to_approve: query.filter == Some(Filter::ToApprove),
        before: query.cursor,
        limit: limit + 1,
    };
    let mut items = profiles::list(&app.db, &search).await?;
    let more = items.len() as i64 > limit;
    items.truncate(limit as usize);
    let next = more.then(|| items.last().map(|family| family.id.to_string())).flatten();
    Ok(Json(Page { items, next }))
}

/// Add a family and send its invitation
#[utoipa::path(post, path = "/api/admin/users", tag = "families", security(("staff" = [])),
    request_body = NewFamily, responses((status = 201, body = Family), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(app): State<App>,
    OnDuty(me): OnDuty,
    Input(new): Input<NewFamily>,
) -> Answer<(StatusCode, Json<Family>)> {
    let family = profiles::add(&app, Actor::Staff(me.id), new).await?;
    Ok((StatusCode::CREATED, Json(family)))
}

/// One family
#[utoipa::path(get, path = "/api/admin/users/{id}", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Family), (status = 404, body = Problem)))]
async fn show(State(app): State<App>, _staff: OnDuty, Id(id): Id) -> Answer<Json<Family>> {
    Ok(Json(profiles::family(&app.db, id).await?))
}

/// Delete a family with its logins
#[utoipa::path(delete, path = "/api/admin/users/{id}", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(State(api): State<Api>, OnDuty(me): OnDuty, Id(id): Id) -> Answer<StatusCode> {
    profiles::delete(&api.app, Actor::Staff(me.id), id).await?;
    api.sessions.forget_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Send the invitation again
#[utoipa::path(post, path = "/api/admin/users/{id}/invite", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 202), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn invite(State(app): State<App>, OnDuty(me): OnDuty, Id(id): Id) -> Answer<StatusCode> {
    profiles::invite(&app, Actor::Staff(me.id), id).await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Serialize, ToSchema)]
struct InvitationLink {
    url: String,
}

/// A fresh invitation link to hand over by other means
#[utoipa::path(post, path = "/api/admin/users/{id}/invitation-link", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = InvitationLink), (status = 404, body = Problem)))]
async fn copy_invitation(
    State(app): State<App>,
    OnDuty(me): OnDuty,
    Id(id): Id,
) -> Answer<Json<InvitationLink>> {
    let url = profiles::invitation_link(&app, Actor::Staff(me.id), id).await?;
    Ok(Json(InvitationLink { url }))
}

/// Confirm that somebody who registered is a family of the camp
#[utoipa::path(post, path = "/api/admin/users/{id}/approve", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Family), (status = 404, body = Problem)))]
async fn approve(State(api): State<Api>, OnDuty(me): OnDuty, Id(id): Id) -> Answer<Json<Family>> {
    let family = profiles::decide(&api.app, Actor::Staff(me.id), id, Decision::Approve).await?;
    api.sessions.forget_all();
    Ok(Json(family))
}

/// Refuse somebody who registered
#[utoipa::path(post, path = "/api/admin/users/{id}/refuse", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Family), (status = 404, body = Problem)))]
async fn refuse(State(api): State<Api>, OnDuty(me): OnDuty, Id(id): Id) -> Answer<Json<Family>> {
    let family = profiles::decide(&api.app, Actor::Staff(me.id), id, Decision::Refuse).await?;
    api.sessions.forget_all();
    Ok(Json(family))
}
