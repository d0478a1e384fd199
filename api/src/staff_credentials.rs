//! Passwords and sessions of staff: their own, and for owners those of every account.

use axum::extract::State;
use axum::http::StatusCode;
use portal::accounts::sessions::SessionInfo;
use portal::accounts::staff;
use portal::audit::Actor;
use portal::{App, StaffId};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{AnyStaffSession, Client, Owner};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Segments};
use crate::json::Json;
use crate::staff::PasswordConfirmation;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(change_password))
        .routes(routes!(own))
        .routes(routes!(end_own))
        .routes(routes!(end_others))
        .routes(routes!(of_account, end_all_of))
        .routes(routes!(end_of))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = StaffPasswordChange)]
struct NewPassword {
    current_password: String,
    new_password: String,
}

/// Change your own password; ends all other sessions
#[utoipa::path(post, path = "/api/admin/password", tag = "staff", security(("staff" = [])),
    request_body = NewPassword, responses((status = 204), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn change_password(
    State(api): State<Api>,
    Client(from): Client,
    me: AnyStaffSession,
    Input(given): Input<NewPassword>,
) -> Answer<StatusCode> {
    let (current, new) = (&given.current_password, &given.new_password);
    staff::change_password(&api.app, &me.staff, me.session, current, new, from).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Where you are signed in to the staff area
#[utoipa::path(get, path = "/api/admin/sessions", tag = "staff", security(("staff" = [])),
    responses((status = 200, body = Page<SessionInfo>)))]
async fn own(State(app): State<App>, me: AnyStaffSession) -> Answer<Json<Page<SessionInfo>>> {
    Ok(Json(Page::whole(staff::sessions_of(&app, me.staff.id, me.session).await?)))
}

/// End one of your sessions in the staff area
#[utoipa::path(delete, path = "/api/admin/sessions/{id}", tag = "staff", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn end_own(State(api): State<Api>, me: AnyStaffSession, Id(id): Id) -> Answer<StatusCode> {
    staff::end_session(&api.app, Actor::Staff(me.staff.id), me.staff.id, id).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// End all of your sessions in the staff area but this one
#[utoipa::path(post, path = "/api/admin/sessions/end-others", tag = "staff", security(("staff" = [])),
    responses((status = 204)))]
async fn end_others(State(api): State<Api>, me: AnyStaffSession) -> Answer<StatusCode> {
    let (id, session) = (me.staff.id, Some(me.session));
    staff::end_other_sessions(&api.app, Actor::Staff(id), id, session).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Where an account is signed in
#[utoipa::path(get, path = "/api/admin/accounts/{id}/sessions", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Page<SessionInfo>), (status = 404, body = Problem)))]
async fn of_account(
    State(app): State<App>,
    _owner: Owner,
    me: AnyStaffSession,
    Id(id): Id<StaffId>,
) -> Answer<Json<Page<SessionInfo>>> {
    Ok(Json(Page::whole(staff::sessions_of(&app, id, me.session).await?)))
}

/// Sign an account out everywhere, or your own everywhere else, with the current password of whoever asks
#[utoipa::path(delete, path = "/api/admin/accounts/{id}/sessions", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), request_body = PasswordConfirmation,
    responses((status = 204), (status = 404, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn end_all_of(
    State(api): State<Api>,
    Client(from): Client,
    _owner: Owner,
    me: AnyStaffSession,
    Id(id): Id<StaffId>,
    Input(given): Input<PasswordConfirmation>,
) -> Answer<StatusCode> {
    let password = &given.current_password;
    staff::end_sessions_as(&api.app, &me.staff, id, me.session, password, from).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// End one session of an account, with the current password of whoever asks
#[utoipa::path(delete, path = "/api/admin/accounts/{id}/sessions/{session}", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path), ("session" = Uuid, Path)), request_body = PasswordConfirmation,
    responses((status = 204), (status = 404, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn end_of(
    State(api): State<Api>,
    Client(from): Client,
    Owner(me): Owner,
    Segments((id, session)): Segments<(StaffId, Uuid)>,
    Input(given): Input<PasswordConfirmation>,
) -> Answer<StatusCode> {
    staff::end_session_as(&api.app, &me, id, session, &given.current_password, from).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}
