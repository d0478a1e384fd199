//! Uploads of video files by staff, over the resumable upload protocol tus 1.0.

mod tus;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{BodyDataStream, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt, stream};
use portal::audit::Actor;
use portal::uploads::{self, NewUpload, Received, Upload};
use portal::{App, Error, StaffId, videos};
use serde::Serialize;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{self, CurrentStaff};
use crate::error::{Answer, Problem};
use crate::input::Id;
use crate::json::Json;

/// How long a request may send nothing. Earlier bytes are kept, so ending it costs an honest sender little.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the rest of a refused request is read. If the connection were closed earlier, the
/// answer would be lost.
const LINGER: Duration = Duration::from_secs(5);

/// How often a request that sends bytes checks that its session still exists (safety 9). A file may take hours.
const RECHECK: Duration = Duration::from_secs(2);

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list, create, abilities))
        .routes(routes!(offset, receive, remove, stand_in))
        .routes(routes!(retry))
}

/// The requests of this process that send bytes. A later one for the same upload ends the earlier
/// one, whose connection is usually dead although the server does not know it yet.
#[derive(Clone, Default)]
pub struct Senders(Arc<Mutex<HashMap<Uuid, (Uuid, CancellationToken)>>>);

struct Sender {
    senders: Senders,
    upload_id: Uuid,
    id: Uuid,
    ended: CancellationToken,
    session: Session,
}

/// The session of a request that sends bytes.
#[derive(Clone)]
struct Session {
    api: Api,
    headers: HeaderMap,
    has_ended: Arc<AtomicBool>,
}

impl Session {
    /// While the database does not answer, the session counts as open: nothing can be completed then.
    async fn is_open(&self) -> bool {
        let is_open = auth::is_still_staff(&self.api, &self.headers).await.unwrap_or(true);
        self.has_ended.store(!is_open, Relaxed);
        is_open
    }
}

impl Senders {
    fn begin(&self, upload_id: Uuid, session: Session) -> Sender {
        self.end(upload_id);
        let (id, ended) = (Uuid::new_v4(), CancellationToken::new());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(upload_id, (id, ended.clone()));
        Sender { senders: self.clone(), upload_id, id, ended, session }
    }

    fn end(&self, upload_id: Uuid) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ended)) = open.get(&upload_id) {
            ended.cancel();
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let mut open = self.senders.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.get(&self.upload_id).is_some_and(|(id, _)| *id == self.id) {
            open.remove(&self.upload_id);
        }
    }
}

#[derive(Serialize, ToSchema)]
struct Uploads {
    items: Vec<Upload>,
    /// Always null: there are never many.
    next: Option<String>,
    /// The space that all files of videos take, in bytes.
    used_bytes: i64,
    /// The space that they may take, in bytes.
    quota_bytes: i64,
}

/// Uploads that no form was saved with or that are not ready
#[utoipa::path(get, path = "/api/admin/uploads", tag = "uploads", security(("staff" = [])),
    responses((status = 200, body = Uploads), (status = 401, body = Problem)))]
async fn list(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Uploads>> {
    let settings = app.settings().await?;
    let space = uploads::space(&app.db, &settings).await?;
    Ok(Json(Uploads {
        items: uploads::list(&app).await?,
        next: None,
        used_bytes: space.used_bytes,
        quota_bytes: space.quota_bytes,
    }))
}

/// What the upload protocol offers here
#[utoipa::path(options, path = "/api/admin/uploads", tag = "uploads", security(("staff" = [])),
    operation_id = "options_admin_uploads",
    responses((status = 204, description = "In the headers"), (status = 401, body = Problem)))]
async fn abilities(_staff: CurrentStaff) -> Response {
    (StatusCode::NO_CONTENT, tus::ABILITIES).into_response()
}

/// Begin an upload
///
/// `Upload-Length` is its size, `filename` in `Upload-Metadata` its name. The first bytes may come with it.
#[utoipa::path(post, path = "/api/admin/uploads", tag = "uploads", security(("staff" = [])),
    params(("Tus-Resumable" = String, Header), ("Upload-Length" = i64, Header), ("Upload-Metadata" = Option<String>, Header),
           ("Upload-Checksum" = Option<String>, Header)),
    responses((status = 201, description = "Its address in `Location`"), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 412, body = Problem), (status = 422, body = Problem),
              (status = 460, body = Problem, description = "The checksum is another one")))]
async fn create(
    State(api): State<Api>,
    CurrentStaff(staff): CurrentStaff,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let mut body = body.into_data_stream();
    let created = created(&api, staff.id, &head.headers, &mut body).await;
    finish(created, body).await
}

async fn created(
    api: &Api,
    staff_id: StaffId,
    headers: &HeaderMap,
    body: &mut BodyDataStream,
) -> Answer<Response> {
    if !tus::is_version(headers) {
        return Err(tus::other_version());
    }
    // Taken as an ordinary upload, each part of a file would count as a whole one.
    for (name, detail) in tus::NOT_OFFERED {
        if headers.contains_key(name) {
            return Err(Problem::bad_request(detail));
        }
    }
    let new = NewUpload { size_bytes: tus::length(headers)?, file_name: tus::file_name(headers)? };
    let with_bytes = tus::sends_bytes(headers);
    let checksum = tus::checksum(headers)?;
    let app = &api.app;
    let settings = app.settings().await?;
    let upload = uploads::create(app, &settings, staff_id, &new).await?;
    let mut offset = 0;
    if with_bytes {
        let sender = begin(api, upload.id, headers);
        let body = body_of(body, &sender);
        offset = match uploads::receive(app, upload.id, 0, checksum, body).await? {
            Received::Whole { offset } => offset,
            Received::Part => return Err(broken_off(&sender)),
            _ if sender.session.has_ended.load(Relaxed) => return Err(broken_off(&sender)),
            Received::WrongChecksum | Received::OtherOffset { .. } => 0,
        };
    }
    let headers = [
        (header::LOCATION, format!("/api/admin/uploads/{}", upload.id)),
        (tus::UPLOAD_OFFSET, offset.to_string()),
        (tus::UPLOAD_EXPIRES, tus::expiry(app.clock.now())),
    ];
    Ok((StatusCode::CREATED, headers).into_response())
}

/// Where an upload continues
#[utoipa::path(head, path = "/api/admin/uploads/{id}", tag = "uploads", security(("staff" = [])),
    operation_id = "head_admin_uploads_id", params(("id" = Uuid, Path), ("Tus-Resumable" = String, Header)),
    responses((status = 200, description = "In `Upload-Offset`"), (status = 401, body = Problem),
              (status = 404, body = Problem), (status = 410, body = Problem), (status = 412, body = Problem)))]
async fn offset(
    State(api): State<Api>,
    _staff: CurrentStaff,
    Id(id): Id,
    headers: HeaderMap,
) -> Response {
    tus::answer(offset_of(&api, id, &headers).await)
}

async fn offset_of(api: &Api, id: Uuid, headers: &HeaderMap) -> Answer<Response> {
    if !tus::is_version(headers) {
        return Err(tus::other_version());
    }
    api.senders.end(id);
    let (offset, length) = uploads::offset(&api.app, id).await?;
    let headers =
        [(tus::UPLOAD_OFFSET, offset.to_string()), (tus::UPLOAD_LENGTH, length.to_string())];
    Ok((StatusCode::OK, headers).into_response())
}

/// Send bytes of an upload, from `Upload-Offset` on
#[utoipa::path(patch, path = "/api/admin/uploads/{id}", tag = "uploads", security(("staff" = [])),
    params(("id" = Uuid, Path), ("Tus-Resumable" = String, Header), ("Upload-Offset" = i64, Header),
           ("Upload-Checksum" = Option<String>, Header)),
    request_body(content = Vec<u8>, content_type = "application/offset+octet-stream"),
    responses((status = 204, description = "The new `Upload-Offset`"), (status = 401, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 412, body = Problem), (status = 422, body = Problem),
              (status = 460, body = Problem, description = "The checksum is another one")))]
async fn receive(
    State(api): State<Api>,
    _staff: CurrentStaff,
    Id(id): Id,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let mut body = body.into_data_stream();
    let received = received(&api, id, &head.headers, &mut body).await;
    finish(received, body).await
}

async fn received(
    api: &Api,
    id: Uuid,
    headers: &HeaderMap,
    body: &mut BodyDataStream,
) -> Answer<Response> {
    if !tus::is_version(headers) {
        return Err(tus::other_version());
    }
    if !tus::sends_bytes(headers) {
        let detail = "Please send application/offset+octet-stream.";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", detail));
    }
    let at = tus::offset(headers)?;
    let checksum = tus::checksum(headers)?;
    let sender = begin(api, id, headers);
    let body = body_of(body, &sender);
    match uploads::receive(&api.app, id, at, checksum, body).await? {
        Received::Whole { offset } => {
            let expiry = tus::expiry(api.app.clock.now());
            let headers = [(tus::UPLOAD_OFFSET, offset.to_string()), (tus::UPLOAD_EXPIRES, expiry)];
            Ok((StatusCode::NO_CONTENT, headers).into_response())
        }
        Received::Part => Err(broken_off(&sender)),
        Received::WrongChecksum if sender.session.has_ended.load(Relaxed) => {
            Err(broken_off(&sender))
        }
        Received::WrongChecksum => Err(tus::wrong_checksum()),
        Received::OtherOffset { offset } => {
            let detail = format!("This upload continues at {offset}.");
            let problem = Problem::new(StatusCode::CONFLICT, "conflict", detail);
            Ok(([(tus::UPLOAD_OFFSET, offset.to_string())], problem).into_response())
        }
    }
}

/// Cancel an upload, or remove one that failed
#[utoipa::path(delete, path = "/api/admin/uploads/{id}", tag = "uploads", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn remove(State(api): State<Api>, CurrentStaff(staff): CurrentStaff, Id(id): Id) -> Response {
    api.senders.end(id);
    let removed = videos::cancel_upload(&api.app, Actor::Staff(staff.id), id).await;
    tus::answer(removed.map(|()| StatusCode::NO_CONTENT.into_response()).map_err(Problem::from))
}

/// Read the offset, send bytes or cancel, for clients that only have POST
///
/// `X-HTTP-Method-Override` names the method that is meant.
#[utoipa::path(post, path = "/api/admin/uploads/{id}", tag = "uploads", security(("staff" = [])),
    params(("id" = Uuid, Path), ("X-HTTP-Method-Override" = String, Header),
           ("Tus-Resumable" = Option<String>, Header), ("Upload-Offset" = Option<i64>, Header),
           ("Upload-Checksum" = Option<String>, Header)),
    request_body(content = Vec<u8>, content_type = "application/offset+octet-stream"),
    responses((status = 200, description = "In `Upload-Offset`"),
              (status = 204, description = "The new `Upload-Offset`, or nothing of a canceled one"),
              (status = 401, body = Problem), (status = 404, body = Problem), (status = 405, body = Problem),
              (status = 409, body = Problem), (status = 412, body = Problem), (status = 422, body = Problem),
              (status = 460, body = Problem, description = "The checksum is another one")))]
async fn stand_in(
    api: State<Api>,
    staff: CurrentStaff,
    id: Id<Uuid>,
    request: Request,
) -> Response {
    let headers = request.headers();
    match headers.get("x-http-method-override").and_then(|method| method.to_str().ok()) {
        Some("PATCH") => receive(api, staff, id, request).await,
        Some("DELETE") => remove(api, staff, id).await,
        Some("HEAD") => {
            let headers = headers.clone();
            offset(api, staff, id, headers).await
        }
        _ => {
            let detail = "Please send PATCH, or POST with X-HTTP-Method-Override.";
            tus::answer(Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "bad_request", detail)))
        }
    }
}

/// Convert a failed upload again
#[utoipa::path(post, path = "/api/admin/uploads/{id}/retry", tag = "uploads", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 200, body = Upload), (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn retry(
    State(app): State<App>,
    CurrentStaff(staff): CurrentStaff,
    Id(id): Id,
) -> Answer<Json<Upload>> {
    Ok(Json(uploads::retry(&app, Actor::Staff(staff.id), id).await?))
}

fn begin(api: &Api, upload_id: Uuid, headers: &HeaderMap) -> Sender {
    let has_ended = Arc::default();
    let session = Session { api: api.clone(), headers: headers.clone(), has_ended };
    api.senders.begin(upload_id, session)
}

/// The bytes of a request. They end early when they stop coming, when another request goes on with the upload, or
/// when the session has ended.
fn body_of<'a>(
    body: &'a mut BodyDataStream,
    sender: &Sender,
) -> impl Stream<Item = Result<Bytes, ()>> + Send + use<'a> {
    let start = Some((body, sender.ended.clone(), sender.session.clone(), Instant::now()));
    stream::unfold(start, |state| async {
        let (body, ended, session, mut checked) = state?;
        let next = tokio::select! {
            biased;
            () = ended.cancelled() => return Some((Err(()), None)),
            next = timeout(IDLE_TIMEOUT, body.next()) => next,
        };
        if matches!(next, Ok(None)) || checked.elapsed() >= RECHECK {
            if !session.is_open().await {
                return Some((Err(()), None));
            }
            checked = Instant::now();
        }
        match next {
            Ok(None) => None,
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some((body, ended, session, checked)))),
            Ok(Some(Err(_))) | Err(_) => Some((Err(()), None)),
        }
    })
}

/// Answers once nothing more comes, so that a client that sends without listening learns the reason.
async fn finish(answer: Answer<Response>, mut body: BodyDataStream) -> Response {
    let response = tus::answer(answer);
    let status = response.status();
    if !status.is_success() && status != StatusCode::REQUEST_TIMEOUT {
        let rest = async { while let Some(Ok(_)) = body.next().await {} };
        let _late = timeout(LINGER, rest).await;
    }
    response
}

/// A client whose connection broke does not see it.
fn broken_off(sender: &Sender) -> Problem {
    if sender.session.has_ended.load(Relaxed) {
        return Error::StaffRequired.into();
    }
    match sender.ended.is_cancelled() {
        true => Error::Conflict("Another request is already continuing this upload.").into(),
        false => {
            let detail =
                "No more data arrived. What arrived so far is kept; please continue from there.";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", detail)
        }
    }
}
