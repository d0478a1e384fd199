//! The contact form and the staff's inbox over HTTP.

use axum::extract::State;
use axum::http::StatusCode;
use portal::App;
use portal::audit::Actor;
use portal::messages::{
    self, AssignmentFilter, Changes, Counts, Department, Filter, Message, NewMessage, NewReply,
    Order, Received, Status,
};
use portal::pagination::PageRequest;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{Client, CurrentStaff, MaybeUser};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page, Params};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(contact))
        .routes(routes!(list))
        .routes(routes!(counts))
        .routes(routes!(find, change, delete))
        .routes(routes!(reply))
        .routes(routes!(retry))
}

/// Write to the camp
#[utoipa::path(post, path = "/api/contact", tag = "messages", security(()), request_body = NewMessage,
    responses((status = 202, body = Received), (status = 422, body = Problem), (status = 429, body = Problem)))]
async fn contact(
    State(app): State<App>,
    Client(from): Client,
    MaybeUser(user): MaybeUser,
    Input(new): Input<NewMessage>,
) -> Answer<(StatusCode, Json<Received>)> {
    let received = messages::receive(&app, &new, from.address, user.as_deref()).await?;
    Ok((StatusCode::ACCEPTED, Json(received)))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct InboxQuery {
    /// In sender, subject and child's name.
    q: Option<String>,
    #[param(inline)]
    status: Option<Status>,
    #[param(inline)]
    department: Option<Department>,
    /// `true`: spam only; otherwise none of it.
    spam: Option<bool>,
    /// User name of whoever they were given to.
    assigned_to: Option<String>,
    /// `true`: only those that nobody was given yet.
    unassigned: Option<bool>,
    #[param(inline)]
    sort: Option<Order>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// Messages, the newest first unless another order is asked for
#[utoipa::path(get, path = "/api/admin/messages", tag = "messages", security(("staff" = [])), params(InboxQuery),
    responses((status = 200, body = Page<Message>)))]
async fn list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<InboxQuery>,
) -> Answer<Json<Page<Message>>> {
    let filter = Filter {
        q: query.q,
        status: query.status,
        department: query.department,
        spam: query.spam.unwrap_or(false),
        given: match query.assigned_to {
            _ if query.unassigned == Some(true) => AssignmentFilter::Nobodys,
            Some(username) => AssignmentFilter::To(username),
            None => AssignmentFilter::Anybodys,
        },
        order: query.sort.unwrap_or_default(),
        part: PageRequest { cursor: query.cursor, limit: query.limit },
    };
    Ok(Json(messages::list(&app, &filter).await?.into()))
}

/// How many messages there are of each kind
#[utoipa::path(get, path = "/api/admin/messages/counts", tag = "messages", security(("staff" = [])),
    responses((status = 200, body = Counts)))]
async fn counts(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Counts>> {
    Ok(Json(messages::counts(&app.db).await?))
}

/// One message
#[utoipa::path(get, path = "/api/admin/messages/{id}", tag = "messages", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Message), (status = 404, body = Problem)))]
async fn find(State(app): State<App>, _staff: CurrentStaff, Id(id): Id) -> Answer<Json<Message>> {
    Ok(Json(messages::find(&app.db, id).await?))
}

/// Mark or assign a message, or keep a draft of the answer
#[utoipa::path(patch, path = "/api/admin/messages/{id}", tag = "messages", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = Changes,
    responses((status = 200, body = Message), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Input(changes): Input<Changes>,
) -> Answer<Json<Message>> {
    let mut tx = app.db.begin().await?;
    let message = messages::change(&mut tx, &app, Actor::Staff(me.id), id, &changes).await?;
    tx.commit().await?;
    Ok(Json(message))
}

/// Answer a message; the worker mails it
#[utoipa::path(post, path = "/api/admin/messages/{id}/reply", tag = "messages", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = NewReply,
    responses((status = 200, body = Message), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn reply(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Input(new): Input<NewReply>,
) -> Answer<Json<Message>> {
    let mut tx = app.db.begin().await?;
    let message = messages::reply(&mut tx, &app, Actor::Staff(me.id), id, &new).await?;
    tx.commit().await?;
    Ok(Json(message))
}

/// Send again the answers whose mail failed
#[utoipa::path(post, path = "/api/admin/messages/{id}/retry", tag = "messages", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = Message), (status = 404, body = Problem)))]
async fn retry(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<Json<Message>> {
    let mut tx = app.db.begin().await?;
    let message = messages::retry(&mut tx, &app, Actor::Staff(me.id), id).await?;
    tx.commit().await?;
    Ok(Json(message))
}

/// Delete a message with its answers
#[utoipa::path(delete, path = "/api/admin/messages/{id}", tag = "messages", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    messages::delete(&mut tx, &app, Actor::Staff(me.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
