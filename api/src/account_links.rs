//! The links in account mail: verify an address, choose a new password, accept an invitation. A link
//! opens a page; only a POST from that page uses the link up.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use portal::accounts::find_user;
use portal::users::{self, Confirmation, Evidence, Invited};
use portal::{App, families};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::accounts::COOKIE_DAYS;
use crate::auth::{Client, CurrentUser, MaybeUser, cookie, end_session_in, remember, user_cookie};
use crate::error::{Answer, Problem};
use crate::input::Input;
use crate::json::Json;
use crate::site::SessionUser;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(verify))
        .routes(routes!(confirmation))
        .routes(routes!(resend))
        .routes(routes!(ask_second_email_again))
        .routes(routes!(forgot))
        .routes(routes!(reset))
        .routes(routes!(check_reset))
        .routes(routes!(invitation))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TokenBody)]
struct Token {
    token: String,
}

/// What a confirmation link would do; the token stays good
#[utoipa::path(post, path = "/api/auth/verify/preview", tag = "accounts", security(()),
    request_body = Token, responses((status = 200, body = Confirmation), (status = 410, body = Problem), (status = 429, body = Problem)))]
async fn confirmation(
    State(app): State<App>,
    Client(from): Client,
    MaybeUser(user): MaybeUser,
    Input(given): Input<Token>,
) -> Answer<Json<Confirmation>> {
    let signed_in = user.map(|user| user.id);
    Ok(Json(users::confirmation(&app, &given.token, signed_in, from).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Verification)]
struct Verification {
    token: String,
    /// Password of the login whose address is confirmed, if nobody is signed in to it in this browser.
    current_password: Option<String>,
    /// A new password instead, for the address with which the login was made. Ends all its other sessions.
    new_password: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Verified {
    email: String,
    linked: bool,
    /// Whoever is signed in in this browser now.
    user: Option<SessionUser>,
}

/// Confirm an address with the token of a mail
///
/// The address of a login is confirmed by whoever is signed in to it in this browser, or with its
/// password, or, where it is not a change of address, with a new one. A password signs in as well.
#[utoipa::path(post, path = "/api/auth/verify", tag = "accounts", security(()),
    request_body = Verification,
    responses((status = 200, body = Verified), (status = 403, body = Problem), (status = 409, body = Problem), (status = 410, body = Problem),
        (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn verify(
    State(api): State<Api>,
    Client(from): Client,
    MaybeUser(user): MaybeUser,
    jar: CookieJar,
    Input(given): Input<Verification>,
) -> Answer<(CookieJar, Json<Verified>)> {
    let evidence = Evidence {
        signed_in: user.as_ref().map(|user| user.id),
        current_password: given.current_password,
        new_password: given.new_password,
    };
    let proved = users::verify(&api.app, &given.token, evidence, from).await?;
    let config = &api.app.config;
    let mut here = user.map(|user| user.id);
    let jar = match proved.token {
        Some(token) => {
            end_session_in(&api, &jar, user_cookie(config)).await?;
            here = proved.user_id;
            jar.add(cookie(config, user_cookie(config), token, Some(COOKIE_DAYS)))
        }
        None => jar,
    };
    api.sessions.invalidate_all();
    let settings = api.app.settings().await?;
    let user = match here {
        Some(id) => find_user(&api.app.db, id).await?,
        None => None,
    };
    let jar = match &user {
        Some(user) => remember(&api.app, jar, user.id).await?,
        None => jar,
    };
    let user = user.map(|user| SessionUser::of(&user, &settings));
    Ok((jar, Json(Verified { email: proved.email.into(), linked: proved.linked, user })))
}

/// Send the confirmation link again
#[utoipa::path(post, path = "/api/auth/verify/resend", tag = "accounts", security(("session" = [])), responses((status = 202), (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn resend(
    State(app): State<App>,
    Client(from): Client,
    signed_in: CurrentUser,
) -> Answer<StatusCode> {
    users::resend_verification(&app, &signed_in.user, from).await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Forgot {
    email: String,
}

/// Ask for a link to choose a new password; the answer is the same for every address
#[utoipa::path(post, path = "/api/auth/forgot", tag = "accounts", security(()),
    request_body = Forgot, responses((status = 202)))]
async fn forgot(
    State(app): State<App>,
    Client(from): Client,
    Input(given): Input<Forgot>,
) -> Answer<StatusCode> {
    users::forgot(&app, &given.email, from).await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Reset {
    token: String,
    password: String,
}

/// Choose a new password with the token of a mail; ends all sessions
#[utoipa::path(post, path = "/api/auth/reset", tag = "accounts", security(()),
    request_body = Reset, responses((status = 204), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn reset(
    State(api): State<Api>,
    Client(from): Client,
    jar: CookieJar,
    Input(given): Input<Reset>,
) -> Answer<(StatusCode, CookieJar)> {
    let login = users::reset(&api.app, &given.token, &given.password, from).await?;
    api.sessions.invalidate_all();
    // The owner of the mailbox can sign in now, whatever failures others caused on this network.
    let jar = match login {
        Some(id) => remember(&api.app, jar, id).await?,
        None => jar,
    };
    Ok((StatusCode::NO_CONTENT, jar))
}

/// Whether a link can still set a password; the token stays good
#[utoipa::path(post, path = "/api/auth/reset/preview", tag = "accounts", security(()),
    request_body = Token, responses((status = 204), (status = 410, body = Problem), (status = 429, body = Problem)))]
async fn check_reset(
    State(app): State<App>,
    Client(from): Client,
    Input(given): Input<Token>,
) -> Answer<StatusCode> {
    users::check_reset(&app, &given.token, from).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What an invitation fills into the form
#[utoipa::path(post, path = "/api/auth/invitation", tag = "accounts", security(()),
    request_body = Token, responses((status = 200, body = Invited), (status = 410, body = Problem)))]
async fn invitation(State(app): State<App>, Input(given): Input<Token>) -> Answer<Json<Invited>> {
    Ok(Json(users::invitation(&app, &given.token).await?))
}

/// Ask the owner of the family's second address once more to confirm it
#[utoipa::path(post, path = "/api/profile/second-email/resend", tag = "profile", security(("session" = [])),
    responses((status = 202), (status = 404, body = Problem), (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn ask_second_email_again(
    State(app): State<App>,
    Client(from): Client,
    signed_in: CurrentUser,
) -> Answer<StatusCode> {
    families::pending::ask_again(&app, &signed_in.user, from).await?;
    Ok(StatusCode::ACCEPTED)
}
