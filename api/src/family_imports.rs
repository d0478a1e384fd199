//! Import of families from a table over HTTP: preview, import, undo.

use std::collections::HashMap;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use portal::audit::Actor;
use portal::family_admin::import::{self, Import, RecentImport, Report, Undone, Update};
use portal::spreadsheet::{Encoding, File};
use portal::{App, Error, FamilyId};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::CurrentStaff;
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Page};
use crate::json::Json;

/// The maximum size of a file over HTTP, in bytes; the command line accepts larger files.
const LARGEST: usize = 5 * 1024 * 1024;

pub fn routes() -> OpenApiRouter<Api> {
    // Base64 needs four characters for three bytes, and pasted text two for a line end. A large file
    // has many selected families.
    let tables =
        OpenApiRouter::new().routes(routes!(take)).layer(DefaultBodyLimit::max(2 * LARGEST));
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(undo)).merge(tables)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FamilyTable {
    /// The bytes of a file in Base64, at most 5 MB: an Excel workbook (.xlsx), CSV or JSON.
    #[schema(format = Byte)]
    file: Option<String>,
    /// Or a table as text.
    csv: Option<String>,
    /// The character encoding of the file; detected from the content if absent.
    encoding: Option<Encoding>,
    /// Only previews the result.
    #[serde(default)]
    dry_run: bool,
    /// The families in the portal that may change. Without it all stay as they are.
    #[serde(default)]
    update: Vec<Tick>,
    /// The lines of the new families that the preview showed; without it all new ones are added.
    add: Option<Vec<usize>>,
}

/// A family that was selected in the preview.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FamilyImportTick)]
struct Tick {
    #[schema(value_type = Uuid)]
    id: FamilyId,
    /// As shown in the preview; a family that was changed since then is left as it is.
    version: i64,
}

impl FamilyTable {
    fn bytes(&self) -> portal::Result<Vec<u8>> {
        Ok(match (&self.file, &self.csv) {
            (Some(file), None) => STANDARD
                .decode(file)
                .map_err(|_| Error::invalid("file", "The file is not in Base64."))?,
            (None, Some(text)) => text.clone().into_bytes(),
            _ => return Err(Error::invalid("file", "Please send a file or a table.")),
        })
    }
}

/// Preview the import of a table, or add its new families and change those that are selected
#[utoipa::path(post, path = "/api/admin/users/import", tag = "families", security(("staff" = [])),
    request_body = FamilyTable, responses((status = 200, body = Report), (status = 413, body = Problem), (status = 422, body = Problem)))]
async fn take(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Input(table): Input<FamilyTable>,
) -> Answer<Json<Report>> {
    let bytes = table.bytes()?;
    if bytes.len() > LARGEST {
        let detail = format!("The file is larger than {} MB. Please split it.", LARGEST >> 20);
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail));
    }
    let file = File { bytes, encoding: table.encoding };
    let ticks: HashMap<_, _> = table.update.iter().map(|tick| (tick.id, tick.version)).collect();
    let import = Import {
        file,
        dry_run: table.dry_run,
        update: Update::Only(ticks),
        add: table.add.map(|lines| lines.into_iter().collect()),
    };
    let report = import::import(&api.app, Actor::Staff(me.id), import, |_, _| {}).await?;
    // Families may be approved now.
    api.sessions.invalidate_all();
    Ok(Json(report))
}

/// The imports of the last day, which can be undone
#[utoipa::path(get, path = "/api/admin/users/imports", tag = "families", security(("staff" = [])),
    responses((status = 200, body = Page<RecentImport>)))]
async fn list(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Page<RecentImport>>> {
    Ok(Json(Page::whole(import::recent(&app).await?)))
}

/// Undo an import: remove its new families and restore the earlier details of changed ones
#[utoipa::path(post, path = "/api/admin/users/imports/{id}/undo", tag = "families", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 200, body = Undone), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn undo(
    State(api): State<Api>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<Json<Undone>> {
    let undone = import::undo(&api.app, Actor::Staff(me.id), id).await?;
    api.sessions.invalidate_all();
    Ok(Json(undone))
}
