//! Quiet time over HTTP: when mail really goes out, and what the settings mean.

use std::collections::BTreeMap;

use axum::extract::State;
use chrono::{DateTime, Datelike, Utc};
use portal::clock::{moment_in, wall_time};
use portal::quiet_time::{self, CalendarFile, Window};
use portal::settings::{Settings, ShabbosMode};
use portal::{App, Error, settings_admin};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::{CurrentStaff, Owner};
use crate::error::{Answer, Problem};
use crate::input::{Input, Page, Params};
use crate::json::Json;

/// How many windows the settings page shows.
const SHOWN: usize = 10;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(find))
        .routes(routes!(preview))
        .routes(routes!(read_calendar))
        .routes(routes!(places))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct QuietWindow {
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// For example "Shabbos", or "Shavuos and Shabbos".
    pub name: String,
}

impl From<Window> for QuietWindow {
    fn from(window: Window) -> QuietWindow {
        let name = window.name();
        QuietWindow { starts_at: window.starts_at, ends_at: window.ends_at, name }
    }
}

/// The quiet time that is on now or begins in the next 24 hours, as pages show it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SiteQuietTime {
    #[serde(flatten)]
    pub window: QuietWindow,
    /// Whether the site is closed during it.
    pub closes: bool,
}

/// Returns the quiet time that pages announce.
pub fn of_site(settings: &Settings, now: DateTime<Utc>) -> Option<SiteQuietTime> {
    let window = settings.announced_quiet_time(now)?.into();
    Some(SiteQuietTime { window, closes: settings.shabbos_mode == ShabbosMode::Closed })
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AtQuery {
    /// The camp's local time `YYYY-MM-DDTHH:MM`; now if it is left out.
    at: Option<String>,
}

/// What quiet time does to something that is posted or scheduled for a time.
#[derive(Serialize, ToSchema)]
struct QuietTime {
    mode: ShabbosMode,
    /// The quiet time that it falls into.
    window: Option<QuietWindow>,
    /// When a video that is scheduled for it is published.
    publishes_at: DateTime<Utc>,
    /// When the emails about it go out. Urgent ones do not wait.
    mail_at: DateTime<Utc>,
}

/// When emails about something really go out
#[utoipa::path(get, path = "/api/admin/quiet-time", tag = "quiet time", security(("staff" = [])), params(AtQuery),
    responses((status = 200, body = QuietTime), (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn find(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<AtQuery>,
) -> Answer<Json<QuietTime>> {
    let settings = app.settings().await?;
    let at = match query.at.as_deref() {
        None => app.clock.now(),
        Some(typed) => match wall_time(typed).filter(|at| quiet_time::YEARS.contains(&at.year())) {
            Some(local) => moment_in(settings.timezone, local),
            None => Err(Error::invalid("at", "Please enter a valid date and time."))?,
        },
    };
    let publishes_at = match query.at {
        Some(_) => settings.publication_time(at),
        None => at,
    };
    Ok(Json(QuietTime {
        mode: settings.shabbos_mode,
        window: settings.quiet_window(at).map(QuietWindow::from),
        publishes_at,
        mail_at: settings.mail_time(publishes_at),
    }))
}

/// The next ten quiet times that these changes of the settings would mean
#[utoipa::path(post, path = "/api/admin/quiet-time/preview", tag = "quiet time", security(("owner" = [])),
    request_body(content = BTreeMap<String, Value>),
    responses((status = 200, body = Page<QuietWindow>), (status = 422, body = Problem)))]
async fn preview(
    State(app): State<App>,
    _owner: Owner,
    Input(changes): Input<BTreeMap<String, Value>>,
) -> Answer<Json<Page<QuietWindow>>> {
    let settings = settings_admin::with_changes(&app, &changes).await?;
    let windows = settings.quiet_schedule().upcoming(app.clock.now(), SHOWN);
    Ok(Json(Page::whole(windows.into_iter().map(QuietWindow::from).collect())))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CalendarText {
    /// The content of an .ics file.
    text: String,
}

/// Read the dates of a calendar file, without saving them
#[utoipa::path(post, path = "/api/admin/quiet-time/calendar", tag = "quiet time", security(("owner" = [])),
    request_body = CalendarText,
    responses((status = 200, body = CalendarFile), (status = 422, body = Problem)))]
async fn read_calendar(
    State(app): State<App>,
    _owner: Owner,
    Input(file): Input<CalendarText>,
) -> Answer<Json<CalendarFile>> {
    let zone = app.settings().await?.timezone;
    let read = quiet_time::read_calendar_file(&file.text, zone, app.clock.now());
    let not_one = |_| Error::invalid("text", "This is not a calendar file (.ics).");
    Ok(Json(read.map_err(not_one)?))
}

/// The places that can be chosen by name
#[utoipa::path(get, path = "/api/admin/quiet-time/places", tag = "quiet time", security(("owner" = [])),
    responses((status = 200, body = Page<String>)))]
async fn places(_owner: Owner) -> Answer<Json<Page<String>>> {
    Ok(Json(Page::whole(quiet_time::PLACES.iter().map(ToString::to_string).collect())))
}
