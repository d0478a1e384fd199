//! Webhooks by which mail providers report bounces and complaints. They carry no cookie; a password or
//! a signature authorizes them.

use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use portal::bounces::providers::{self, Call};
use portal::rate_limits::{self, WEBHOOKS_BY_ADDRESS};
use portal::{App, Error};
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::Client;
use crate::error::{Answer, Problem};
use crate::input::{Input, Segments};

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(take))
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Take what a mail provider reports about mails
///
/// The body is as the provider sends it. A provider that the operator did not configure is answered
/// with 404.
#[utoipa::path(post, path = "/api/mail-events/{provider}", tag = "mail", security(()),
    params(("provider" = String, Path, description = "postmark, mailgun or ses")), request_body = Value,
    responses((status = 200, description = "Taken"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn take(
    State(app): State<App>,
    Client(client): Client,
    Segments(provider): Segments<String>,
    mut request: Request,
) -> Answer<StatusCode> {
    if !providers::is_configured(&app.config, &provider) {
        return Err(Error::NotFound("There is nothing at this address.").into());
    }
    let authorization = request.headers().get(header::AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok()).map(str::to_owned);
    // Amazon calls its JSON text.
    request.headers_mut().insert(header::CONTENT_TYPE, JSON);
    let Input(body) = Input::<Value>::from_request(request, &()).await?;
    let call = Call {
        authorization: authorization.as_deref(),
        body: &body,
        now: app.clock.now(),
        address: client.address,
    };
    match providers::receive_call(&app, &provider, &call).await {
        Ok(_) => Ok(StatusCode::OK),
        Err(error @ Error::InvalidCredentials(_)) => {
            rate_limits::count_network(&app, WEBHOOKS_BY_ADDRESS, client.address).await?;
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}
