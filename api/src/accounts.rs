//! Accounts of parents and visitors over HTTP: sign-up, sign-in, the profile.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use portal::accounts::sessions::{self, Holder, SessionInfo};
use portal::families::{self, OwnChanges, OwnProfile};
use portal::users::{self, SignUp};
use portal::{App, Error};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{Client, CurrentUser, cookie, end_session_in, no_cookie, remember, user_cookie};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page};
use crate::json::Json;
use crate::site::SessionUser;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(sign_up))
        .routes(routes!(sign_in))
        .routes(routes!(sign_out))
        .routes(routes!(change_password))
        .routes(routes!(change_email))
        .routes(routes!(list_sessions))
        .routes(routes!(end_session))
        .routes(routes!(end_all_sessions))
        .routes(routes!(delete_account))
        .routes(routes!(profile, change_profile))
        .routes(routes!(download))
}

/// How many days the browser keeps a parent's cookie; the server may end the session before.
pub(crate) const COOKIE_DAYS: i64 = 90;

#[derive(Serialize, ToSchema)]
#[schema(as = SignedIn)]
pub struct Welcome {
    pub user: SessionUser,
    /// The login has just been linked to a family that was there before.
    pub linked: bool,
}

async fn welcome(
    api: &Api,
    jar: CookieJar,
    signed_in: users::SignedIn,
) -> Answer<(CookieJar, Json<Welcome>)> {
    let settings = api.app.settings().await?;
    let config = &api.app.config;
    let jar = jar.add(cookie(config, user_cookie(config), signed_in.token, Some(COOKIE_DAYS)));
    let jar = remember(&api.app, jar, signed_in.user.id).await?;
    let user = SessionUser::of(&signed_in.user, &settings);
    Ok((jar, Json(Welcome { user, linked: signed_in.linked })))
}

/// Create an account and sign in
#[utoipa::path(post, path = "/api/auth/sign-up", tag = "accounts", security(()),
    request_body = SignUp, responses((status = 201, body = Welcome), (status = 409, body = Problem), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn sign_up(
    State(api): State<Api>,
    Client(from): Client,
    jar: CookieJar,
    Input(new): Input<SignUp>,
) -> Answer<impl IntoResponse> {
    let signed_in = users::sign_up(&api.app, new, from).await?;
    end_earlier_session(&api, &jar).await;
    // An invitation takes over a user whose address nobody verified.
    api.sessions.invalidate_all();
    Ok((StatusCode::CREATED, welcome(&api, jar, signed_in).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SignIn)]
struct Credentials {
    email: String,
    password: String,
}

/// Sign in
#[utoipa::path(post, path = "/api/auth/sign-in", tag = "accounts", security(()),
    request_body = Credentials, responses((status = 200, body = Welcome), (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn sign_in(
    State(api): State<Api>,
    Client(from): Client,
    jar: CookieJar,
    Input(given): Input<Credentials>,
) -> Answer<impl IntoResponse> {
    let signed_in = users::sign_in(&api.app, &given.email, &given.password, from).await?;
    end_earlier_session(&api, &jar).await;
    welcome(&api, jar, signed_in).await
}

/// A new session has a new cookie; the old cookie is no longer valid. The new session stands even if that fails.
async fn end_earlier_session(api: &Api, jar: &CookieJar) {
    if end_session_in(api, jar, user_cookie(&api.app.config)).await.is_err() {
        tracing::warn!("the earlier session of a browser could not be ended");
    }
}

/// Sign out
#[utoipa::path(post, path = "/api/auth/sign-out", tag = "accounts", security(()), responses((status = 204)))]
async fn sign_out(State(api): State<Api>, jar: CookieJar) -> Answer<impl IntoResponse> {
    let name = user_cookie(&api.app.config);
    end_session_in(&api, &jar, name).await?;
    // Removes the user's data from the browser.
    let clear = [(header::HeaderName::from_static("clear-site-data"), "\"cache\"")];
    Ok((StatusCode::NO_CONTENT, clear, jar.add(no_cookie(&api.app.config, name))))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PasswordChange)]
struct NewPassword {
    current_password: String,
    new_password: String,
}

/// Change your password; ends all other sessions
#[utoipa::path(post, path = "/api/auth/password", tag = "accounts", security(("session" = [])),
    request_body = NewPassword, responses((status = 204), (status = 422, body = Problem)))]
async fn change_password(
    State(api): State<Api>,
    Client(from): Client,
    signed_in: CurrentUser,
    jar: CookieJar,
    Input(given): Input<NewPassword>,
) -> Answer<(StatusCode, CookieJar)> {
    let CurrentUser { user, session } = signed_in;
    let (current, new) = (&given.current_password, &given.new_password);
    users::change_password(&api.app, &user, session, current, new, from).await?;
    api.sessions.invalidate_all();
    Ok((StatusCode::NO_CONTENT, remember(&api.app, jar, user.id).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EmailChange)]
struct NewEmail {
    current_password: String,
    new_email: String,
}

/// Ask to sign in with another address; takes effect once the link sent there has been followed
#[utoipa::path(post, path = "/api/auth/email", tag = "accounts", security(("session" = [])),
    request_body = NewEmail, responses((status = 202), (status = 422, body = Problem)))]
async fn change_email(
    State(app): State<App>,
    Client(from): Client,
    signed_in: CurrentUser,
    Input(given): Input<NewEmail>,
) -> Answer<StatusCode> {
    users::change_email(&app, &signed_in.user, &given.current_password, &given.new_email, from)
        .await?;
    Ok(StatusCode::ACCEPTED)
}

/// Where you are signed in
#[utoipa::path(get, path = "/api/auth/sessions", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = Page<SessionInfo>)))]
async fn list_sessions(
    State(app): State<App>,
    signed_in: CurrentUser,
) -> Answer<Json<Page<SessionInfo>>> {
    let sessions = sessions::of_user(&app, signed_in.user.id, signed_in.session).await?;
    Ok(Json(Page::whole(sessions)))
}

/// End one of your sessions
#[utoipa::path(delete, path = "/api/auth/sessions/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn end_session(
    State(api): State<Api>,
    signed_in: CurrentUser,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = api.app.db.begin().await?;
    sessions::end_one(&mut tx, Holder::User(signed_in.user.id), id).await?;
    tx.commit().await?;
    api.sessions.invalidate_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Sign out everywhere; links in earlier mails become invalid
#[utoipa::path(post, path = "/api/auth/sessions/end-all", tag = "accounts", security(("session" = [])),
    responses((status = 204)))]
async fn end_all_sessions(
    State(api): State<Api>,
    signed_in: CurrentUser,
    jar: CookieJar,
) -> Answer<impl IntoResponse> {
    users::sign_out_everywhere(&api.app, signed_in.user.id).await?;
    api.sessions.invalidate_all();
    let config = &api.app.config;
    Ok((StatusCode::NO_CONTENT, jar.add(no_cookie(config, user_cookie(config)))))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeleteAccount)]
struct Confirmation {
    current_password: String,
}

/// Delete your login; the family record stays with the camp
#[utoipa::path(post, path = "/api/auth/delete-account", tag = "accounts", security(("session" = [])),
    request_body = Confirmation, responses((status = 204), (status = 422, body = Problem)))]
async fn delete_account(
    State(api): State<Api>,
    Client(from): Client,
    signed_in: CurrentUser,
    jar: CookieJar,
    Input(given): Input<Confirmation>,
) -> Answer<impl IntoResponse> {
    users::delete(&api.app, &signed_in.user, &given.current_password, from).await?;
    api.sessions.invalidate_all();
    let config = &api.app.config;
    Ok((StatusCode::NO_CONTENT, jar.add(no_cookie(config, user_cookie(config)))))
}

/// Your family
#[utoipa::path(get, path = "/api/profile", tag = "profile", security(("session" = [])),
    responses((status = 200, body = OwnProfile)))]
async fn profile(State(app): State<App>, signed_in: CurrentUser) -> Answer<Json<OwnProfile>> {
    Ok(Json(families::own(&app, &signed_in.user).await?))
}

/// Change what is known about your family; omitted fields stay as they are
#[utoipa::path(patch, path = "/api/profile", tag = "profile", security(("session" = [])),
    request_body = OwnChanges, responses((status = 200, body = OwnProfile), (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn change_profile(
    State(api): State<Api>,
    Client(from): Client,
    signed_in: CurrentUser,
    Input(changes): Input<OwnChanges>,
) -> Answer<Json<OwnProfile>> {
    let profile = families::change_own(&api.app, &signed_in.user, changes, from).await?;
    api.sessions.invalidate_all();
    Ok(Json(profile))
}

/// Everything that is stored about you, as a file
#[utoipa::path(get, path = "/api/profile/download", tag = "profile", security(("session" = [])),
    responses((status = 200, content_type = "application/json", body = serde_json::Value)))]
async fn download(State(app): State<App>, signed_in: CurrentUser) -> Answer<Response> {
    let document = users::download(&app, &signed_in.user, signed_in.session).await?;
    let text = serde_json::to_string_pretty(&document).map_err(Error::unforeseen)?;
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"my-data.json\""),
    ];
    Ok((headers, text).into_response())
}
