//! Failed mail, refused addresses, bounces and complaints, and samples of all mails, for staff.

use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::mail_samples::{self, Group};
use portal::notifications::SampleWords;
use portal::notifications::reports::{self, MailReport};
use portal::notifications::undelivered::{self, About, FailedMail, MailRef, RefusedAddress};
use portal::pagination::PageRequest;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::CurrentStaff;
use crate::error::{Answer, Problem};
use crate::input::{Input, Page, Params, Segments};
use crate::json::Json;
use crate::videos::PageQuery;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(failed))
        .routes(routes!(send_again))
        .routes(routes!(refused))
        .routes(routes!(reports_list))
        .routes(routes!(let_through))
        .routes(routes!(samples))
        .routes(routes!(sample))
        .routes(routes!(send_sample))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct FailedQuery {
    /// Those about videos, or all others.
    #[param(inline)]
    about: Option<About>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// Mails that failed within the last seven days, the latest first
#[utoipa::path(get, path = "/api/admin/mail/failed", tag = "mail", security(("staff" = [])), params(FailedQuery),
    responses((status = 200, body = Page<FailedMail>)))]
async fn failed(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<FailedQuery>,
) -> Answer<Json<Page<FailedMail>>> {
    let part = PageRequest { cursor: query.cursor, limit: query.limit };
    Ok(Json(undelivered::failed(&app, query.about, &part).await?.into()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MailsToSend)]
struct Mails {
    /// At most 100.
    mails: Vec<MailRef>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MailsQueued)]
struct Queued {
    /// How many were still failed and are sent again.
    queued: i64,
}

/// Send failed mails again
#[utoipa::path(post, path = "/api/admin/mail/failed/send-again", tag = "mail", security(("staff" = [])),
    request_body = Mails, responses((status = 200, body = Queued), (status = 422, body = Problem)))]
async fn send_again(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(given): Input<Mails>,
) -> Answer<Json<Queued>> {
    let mut tx = app.db.begin().await?;
    let actor = Actor::Staff(me.id);
    let queued = undelivered::send_again(&mut tx, &app, actor, &given.mails).await?;
    tx.commit().await?;
    Ok(Json(Queued { queued }))
}

/// Addresses that refused mail for good, the latest first
#[utoipa::path(get, path = "/api/admin/mail/refused", tag = "mail", security(("staff" = [])), params(PageQuery),
    responses((status = 200, body = Page<RefusedAddress>)))]
async fn refused(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<RefusedAddress>>> {
    Ok(Json(undelivered::refused(&app.db, &query.into()).await?.into()))
}

/// Bounces and complaints of the last 90 days, the latest first
#[utoipa::path(get, path = "/api/admin/mail/reports", tag = "mail", security(("staff" = [])), params(PageQuery),
    responses((status = 200, body = Page<MailReport>)))]
async fn reports_list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<PageQuery>,
) -> Answer<Json<Page<MailReport>>> {
    Ok(Json(reports::list(&app, &query.into()).await?.into()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AddressToLetThrough)]
struct Address {
    email: String,
}

/// Let mail go to a refused address again
#[utoipa::path(post, path = "/api/admin/mail/refused/let-through", tag = "mail", security(("staff" = [])),
    request_body = Address, responses((status = 204), (status = 404, body = Problem)))]
async fn let_through(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Input(given): Input<Address>,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    undelivered::let_through(&mut tx, &app, Actor::Staff(me.id), &given.email).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
#[schema(as = MailSamples)]
struct Samples {
    items: Vec<SampleName>,
}

/// A kind of mail, or one form of it.
#[derive(Serialize, ToSchema)]
#[schema(as = MailSampleName)]
struct SampleName {
    name: &'static str,
    /// What it is, in plain words.
    title: &'static str,
    group: Group,
    subject: String,
}

/// A mail about invented people. Its links open nothing.
#[derive(Serialize, ToSchema)]
#[schema(as = MailSample)]
struct Sample {
    name: &'static str,
    title: &'static str,
    subject: String,
    /// Name and address.
    from: String,
    /// What mail programs show beside the subject.
    preview: String,
    html: String,
    text: String,
}

/// Every mail that the portal can send
#[utoipa::path(get, path = "/api/admin/mail/samples", tag = "mail", security(("staff" = [])),
    responses((status = 200, body = Samples)))]
async fn samples(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Samples>> {
    let settings = app.settings().await?;
    let all = mail_samples::all(&app, &settings, &SampleWords::default())?.into_iter();
    let item = |sample: mail_samples::Sample| {
        let mail_samples::Sample { name, title, group, mail, .. } = sample;
        SampleName { name, title, group, subject: mail.subject }
    };
    Ok(Json(Samples { items: all.map(item).collect() }))
}

/// One mail, with invented people
#[utoipa::path(get, path = "/api/admin/mail/samples/{name}", tag = "mail", security(("staff" = [])),
    params(("name" = String, Path)),
    responses((status = 200, body = Sample), (status = 404, body = Problem)))]
async fn sample(
    State(app): State<App>,
    _staff: CurrentStaff,
    Segments(name): Segments<String>,
) -> Answer<Json<Sample>> {
    let settings = app.settings().await?;
    let found = mail_samples::find(&app, &settings, &name)?;
    let mail_samples::Sample { name, title, preview, mail, .. } = found;
    let from = mail.from.to_string();
    let (subject, html, text) = (mail.subject, mail.html, mail.text);
    Ok(Json(Sample { name, title, subject, from, preview, html, text }))
}

/// Send the sample of a mail to yourself
#[utoipa::path(post, path = "/api/admin/mail/samples/{name}/test", tag = "mail", security(("staff" = [])),
    params(("name" = String, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 429, body = Problem)))]
async fn send_sample(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Segments(name): Segments<String>,
) -> Answer<StatusCode> {
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    mail_samples::send_test(&mut tx, &app, &settings, &me, &name).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
