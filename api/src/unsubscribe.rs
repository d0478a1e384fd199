//! Unsubscribing by the link in a mail, without signing in.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use portal::App;
use portal::notifications::MailList;
use portal::unsubscribe::{self, Choice, Scope};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::error::{Answer, Problem};
use crate::input::{Input, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(preview)).routes(routes!(leave)).routes(routes!(choose))
}

/// The routes for mail programs, which send a form without cookies from any origin: the signed token
/// alone authorizes the request (RFC 8058).
pub fn one_click() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(one_click_post, one_click_page))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UnsubscribeToken)]
struct Token {
    token: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = UnsubscribePreview)]
struct Preview {
    /// The address, shortened.
    email_hint: String,
    /// The list that the mail belonged to, which one click leaves. The digest has mail of all categories.
    category: MailList,
    /// What mail the address gets now.
    choice: Choice,
    /// Whether the address is one of a family, which can choose to get mail again.
    family: bool,
}

/// What an unsubscribe link is for
#[utoipa::path(post, path = "/api/unsubscribe/preview", tag = "mail", security(()),
    request_body = Token, responses((status = 200, body = Preview), (status = 410, body = Problem)))]
async fn preview(State(app): State<App>, Input(given): Input<Token>) -> Answer<Json<Preview>> {
    let (email, category) = unsubscribe::read(&app, &given.token)?;
    let (choice, family) = unsubscribe::standing(&app.db, &email).await?;
    Ok(Json(Preview { email_hint: unsubscribe::hint(&email), category, choice, family }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChooseMail)]
struct Choosing {
    token: String,
    choice: Choice,
}

/// Choose what goes to the address of an unsubscribe link
#[utoipa::path(put, path = "/api/unsubscribe/choice", tag = "mail", security(()),
    request_body = Choosing, responses((status = 204), (status = 410, body = Problem)))]
async fn choose(State(app): State<App>, Input(given): Input<Choosing>) -> Answer<StatusCode> {
    let (email, _) = unsubscribe::read(&app, &given.token)?;
    let mut tx = app.db.begin().await?;
    unsubscribe::choose(&mut tx, &app, app.clock.now(), &email, given.choice).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Unsubscribe)]
struct Leave {
    token: String,
    scope: Scope,
}

/// Unsubscribe from a kind of mail or from everything
#[utoipa::path(post, path = "/api/unsubscribe", tag = "mail", security(()),
    request_body = Leave, responses((status = 204), (status = 410, body = Problem)))]
async fn leave(State(app): State<App>, Input(given): Input<Leave>) -> Answer<StatusCode> {
    carry_out(&app, &given.token, given.scope).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OneClick {
    token: String,
}

/// Unsubscribe at once, as mail programs do
#[utoipa::path(post, path = "/api/unsubscribe/one-click", tag = "mail", security(()), params(OneClick),
    responses((status = 204), (status = 410, body = Problem)))]
async fn one_click_post(
    State(app): State<App>,
    Params(given): Params<OneClick>,
) -> Answer<StatusCode> {
    carry_out(&app, &given.token, Scope::Category).await
}

/// A mail program without one-click support opens the address like a link: the page asks first
#[utoipa::path(get, path = "/api/unsubscribe/one-click", tag = "mail", security(()), params(OneClick),
    responses((status = 303, description = "To the page that asks")))]
async fn one_click_page(State(app): State<App>, Params(given): Params<OneClick>) -> Redirect {
    // Tokens of the portal contain only these characters.
    let ours = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let token: String = given.token.chars().filter(ours).collect();
    Redirect::to(&app.url(&format!("/unsubscribe?token={token}")))
}

async fn carry_out(app: &App, token: &str, scope: Scope) -> Answer<StatusCode> {
    let (email, category) = unsubscribe::read(app, token)?;
    let mut tx = app.db.begin().await?;
    unsubscribe::stop(&mut tx, app, app.clock.now(), &email, category, scope).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
