//! Sign-in of staff, the second factor, and staff accounts (owners only).

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum_extra::extract::CookieJar;
use portal::accounts::staff::{self, Account, Filter, NewStaff, Role, Staff, StaffChanges};
use portal::audit::Actor;
use portal::pagination::PageRequest;
use portal::{App, StaffId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{
    AnyStaff, AnyStaffSession, Client, CurrentStaff, Owner, cookie, end_session_in, known_cookie,
    no_cookie, staff_cookie,
};
use crate::error::{Answer, Problem};
use crate::families::ClearedLimits;
use crate::input::{Id, Input, Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(session))
        .routes(routes!(sign_in))
        .routes(routes!(sign_out))
        .routes(routes!(two_factor, begin_two_factor, end_two_factor))
        .routes(routes!(confirm_two_factor))
        .routes(routes!(renew_recovery_codes))
        .routes(routes!(list, add))
        .routes(routes!(find, change, remove))
        .routes(routes!(send_reset))
        .routes(routes!(clear_limits))
        .routes(routes!(colleagues))
}

#[derive(Serialize, ToSchema)]
struct StaffSession {
    staff: Option<Staff>,
}

/// Which member of the staff is signed in
#[utoipa::path(get, path = "/api/admin/session", tag = "staff", security(()), responses((status = 200, body = StaffSession)))]
async fn session(staff: Result<AnyStaff, Problem>) -> Json<StaffSession> {
    Json(StaffSession { staff: staff.ok().map(|AnyStaff(staff)| (*staff).clone()) })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = StaffSignIn)]
struct Credentials {
    username: String,
    password: String,
    /// A code of the authenticator app, or a recovery code; asked for when it is needed.
    code: Option<String>,
}

/// Sign in to the staff area
#[utoipa::path(post, path = "/api/admin/auth/sign-in", tag = "staff", security(()),
    request_body = Credentials, responses((status = 200, body = StaffSession), (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn sign_in(
    State(api): State<Api>,
    Client(from): Client,
    jar: CookieJar,
    Input(given): Input<Credentials>,
) -> Answer<impl IntoResponse> {
    let code = given.code.as_deref();
    let config = &api.app.config;
    let (name, password) = (&given.username, &given.password);
    let signed_in = staff::sign_in(&api.app, name, password, code, from).await?;
    end_session_in(&api, &jar, staff_cookie(config)).await?;
    // Without a maximum age, so that it ends with the browser.
    let jar = jar.add(cookie(config, staff_cookie(config), signed_in.token, None));
    let days = Some(staff::BROWSER_DAYS);
    let jar = jar.add(cookie(config, known_cookie(config), signed_in.browser, days));
    Ok((jar, Json(StaffSession { staff: Some(signed_in.staff) })))
}

/// Sign out of the staff area
#[utoipa::path(post, path = "/api/admin/auth/sign-out", tag = "staff", security(()), responses((status = 204)))]
async fn sign_out(State(api): State<Api>, jar: CookieJar) -> Answer<impl IntoResponse> {
    let name = staff_cookie(&api.app.config);
    end_session_in(&api, &jar, name).await?;
    Ok((StatusCode::NO_CONTENT, jar.add(no_cookie(&api.app.config, name))))
}

#[derive(Serialize, ToSchema)]
struct Enrollment {
    /// For typing into the app.
    secret: String,
    /// For a tap on the phone itself.
    otpauth_url: String,
    /// For the camera: an SVG path in a square of `qr_size` units.
    qr_path: String,
    qr_size: i32,
}

#[derive(Serialize, ToSchema)]
struct TwoFactor {
    /// Whether an authenticator app is set up.
    on: bool,
    /// How many unused recovery codes there are.
    recovery_codes_left: i64,
}

/// Your own second factor
#[utoipa::path(get, path = "/api/admin/two-factor", tag = "staff", security(("staff" = [])),
    responses((status = 200, body = TwoFactor)))]
async fn two_factor(State(app): State<App>, AnyStaff(me): AnyStaff) -> Answer<Json<TwoFactor>> {
    let recovery_codes_left = staff::recovery_codes_left(&app, &me).await?;
    Ok(Json(TwoFactor { on: me.two_factor, recovery_codes_left }))
}

/// Begin to set up an authenticator app
#[utoipa::path(post, path = "/api/admin/two-factor", tag = "staff", security(("staff" = [])),
    request_body = PasswordConfirmation,
    responses((status = 200, body = Enrollment), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn begin_two_factor(
    State(app): State<App>,
    Client(from): Client,
    AnyStaff(me): AnyStaff,
    Input(given): Input<PasswordConfirmation>,
) -> Answer<Json<Enrollment>> {
    let begun = staff::begin_two_factor(&app, &me, &given.current_password, from).await?;
    Ok(Json(Enrollment {
        secret: begun.secret,
        otpauth_url: begun.otpauth_url,
        qr_path: begun.qr_path,
        qr_size: begun.qr_size,
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FactorCode)]
struct Code {
    code: String,
}

#[derive(Serialize, ToSchema)]
struct RecoveryCodes {
    /// Each works once; shown only now.
    recovery_codes: Vec<String>,
}

/// Turn two-factor on with a first code; ends all other sessions
#[utoipa::path(post, path = "/api/admin/two-factor/confirm", tag = "staff", security(("staff" = [])),
    request_body = Code, responses((status = 200, body = RecoveryCodes), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn confirm_two_factor(
    State(api): State<Api>,
    me: AnyStaffSession,
    Input(given): Input<Code>,
) -> Answer<Json<RecoveryCodes>> {
    let recovery_codes =
        staff::confirm_two_factor(&api.app, &me.staff, me.session, &given.code).await?;
    api.sessions.invalidate_all();
    Ok(Json(RecoveryCodes { recovery_codes }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRecoveryCodes {
    current_password: String,
    /// A code of the authenticator app.
    code: String,
}

/// Replace all recovery codes, with the password and a code of the authenticator app
#[utoipa::path(post, path = "/api/admin/two-factor/recovery-codes", tag = "staff", security(("staff" = [])),
    request_body = NewRecoveryCodes, responses((status = 200, body = RecoveryCodes), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn renew_recovery_codes(
    State(app): State<App>,
    Client(from): Client,
    AnyStaff(me): AnyStaff,
    Input(given): Input<NewRecoveryCodes>,
) -> Answer<Json<RecoveryCodes>> {
    let (password, code) = (&given.current_password, &given.code);
    let recovery_codes = staff::renew_recovery_codes(&app, &me, password, code, from).await?;
    Ok(Json(RecoveryCodes { recovery_codes }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordConfirmation {
    pub current_password: String,
}

/// Turn two-factor off; ends all other sessions
#[utoipa::path(delete, path = "/api/admin/two-factor", tag = "staff", security(("staff" = [])),
    request_body = PasswordConfirmation, responses((status = 204), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn end_two_factor(
    State(api): State<Api>,
    Client(from): Client,
    me: AnyStaffSession,
    Input(given): Input<PasswordConfirmation>,
) -> Answer<StatusCode> {
    let password = &given.current_password;
    staff::end_two_factor(&api.app, &me.staff, me.session, password, from).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AccountsQuery {
    #[param(inline)]
    role: Option<Role>,
    disabled: Option<bool>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// The admin accounts by name
#[utoipa::path(get, path = "/api/admin/accounts", tag = "admin accounts", security(("owner" = [])),
    params(AccountsQuery),
    responses((status = 200, body = Page<Account>)))]
async fn list(
    State(app): State<App>,
    _owner: Owner,
    Params(query): Params<AccountsQuery>,
) -> Answer<Json<Page<Account>>> {
    let filter = Filter { role: query.role, disabled: query.disabled };
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    Ok(Json(staff::list(&app.db, filter, &part).await?.into()))
}

#[derive(Serialize, ToSchema)]
struct Colleagues {
    /// The user names of active accounts, in alphabetical order.
    usernames: Vec<String>,
}

/// Who can be given work
#[utoipa::path(get, path = "/api/admin/colleagues", tag = "staff", security(("staff" = [])),
    responses((status = 200, body = Colleagues)))]
async fn colleagues(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Colleagues>> {
    Ok(Json(Colleagues { usernames: staff::colleagues(&app.db).await? }))
}

/// Add an admin account
#[utoipa::path(post, path = "/api/admin/accounts", tag = "admin accounts", security(("owner" = [])),
    request_body = NewStaff, responses((status = 201, body = Account), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(app): State<App>,
    Client(from): Client,
    Owner(me): Owner,
    Input(new): Input<NewStaff>,
) -> Answer<(StatusCode, Json<Account>)> {
    let account = staff::add_as(&app, &me, new, from).await?;
    Ok((StatusCode::CREATED, Json(account)))
}

/// One admin account
#[utoipa::path(get, path = "/api/admin/accounts/{id}", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Account), (status = 404, body = Problem)))]
async fn find(State(app): State<App>, _owner: Owner, Id(id): Id<StaffId>) -> Answer<Json<Account>> {
    Ok(Json(staff::find(&app.db, id).await?))
}

/// Change an admin account, with the current password of whoever asks; omitted fields stay as they are
#[utoipa::path(patch, path = "/api/admin/accounts/{id}", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), request_body = StaffChanges,
    responses((status = 200, body = Account), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn change(
    State(api): State<Api>,
    Client(from): Client,
    Owner(me): Owner,
    Id(id): Id<StaffId>,
    Input(changes): Input<StaffChanges>,
) -> Answer<Json<Account>> {
    let account = staff::change_as(&api.app, &me, id, changes, from).await?;
    api.sessions.invalidate_all();
    Ok(Json(account))
}

/// Delete an admin account, with the current password of whoever asks
#[utoipa::path(delete, path = "/api/admin/accounts/{id}", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), request_body = PasswordConfirmation,
    responses((status = 204), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn remove(
    State(api): State<Api>,
    Client(from): Client,
    Owner(me): Owner,
    Id(id): Id<StaffId>,
    Input(given): Input<PasswordConfirmation>,
) -> Answer<StatusCode> {
    staff::remove_as(&api.app, &me, id, &given.current_password, from).await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Mail a link to choose a new password, with the current password of whoever asks
#[utoipa::path(post, path = "/api/admin/accounts/{id}/reset", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), request_body = PasswordConfirmation,
    responses((status = 202), (status = 404, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn send_reset(
    State(app): State<App>,
    Client(from): Client,
    Owner(me): Owner,
    Id(id): Id<StaffId>,
    Input(given): Input<PasswordConfirmation>,
) -> Answer<StatusCode> {
    staff::send_reset_as(&app, &me, id, &given.current_password, from).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Let an account try to sign in again at once after failed sign-ins
#[utoipa::path(post, path = "/api/admin/accounts/{id}/clear-limits", tag = "admin accounts", security(("owner" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = ClearedLimits), (status = 404, body = Problem)))]
async fn clear_limits(
    State(app): State<App>,
    Owner(me): Owner,
    Id(id): Id<StaffId>,
) -> Answer<Json<ClearedLimits>> {
    let cleared = staff::clear_limits(&app, Actor::Staff(me.id), id).await?;
    Ok(Json(ClearedLimits { cleared }))
}
