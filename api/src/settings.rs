//! Settings over HTTP, for owners.

use std::borrow::Cow;
use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use portal::App;
use portal::audit::Actor;
use portal::payments;
use portal::settings::{self, Key, Kind, Settings};
use portal::settings_admin::{self, Difference};
use portal::uploads;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Api;
use crate::auth::Owner;
use crate::error::{Answer, Problem};
use crate::input::{Input, Page};
use crate::json::Json;

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(list, change))
        .routes(routes!(preview))
        .routes(routes!(export))
}

#[derive(Serialize, ToSchema)]
pub struct Setting {
    key: &'static str,
    value: Value,
    default: Value,
    /// `general`, `look`, `notifications`, `quiet_time` or `security`.
    group: &'static str,
    /// `line`, `email`, `switch`, `number`, `choice`, `https`, `zone`, `color`, `picture` (an id or
    /// null), `pictures` (ids), `place`, `nightfall`, `week_time` or `extra_times`.
    /// An `email` with a `min` of 0 may be empty.
    kind: &'static str,
    min: Option<i64>,
    max: Option<i64>,
    choices: Vec<&'static str>,
    help: Cow<'static, str>,
    /// Why it cannot be switched on here.
    unavailable: Option<&'static str>,
    /// Why the stored value is not in force; the strictest value applies until a new one is chosen.
    problem: Option<String>,
}

fn describe(key: &'static Key, value: Value, default: Value) -> Setting {
    let (kind, min, max, choices) = match key.kind {
        Kind::Line { min, max } => ("line", Some(min as i64), Some(max as i64), vec![]),
        Kind::Phone { max } => ("line", Some(0), Some(max as i64), vec![]),
        Kind::Email => ("email", None, None, vec![]),
        Kind::EmailOrNone => ("email", Some(0), None, vec![]),
        Kind::Switch => ("switch", None, None, vec![]),
        Kind::Number { min, max } => ("number", Some(min), Some(max), vec![]),
        Kind::TimeOrNone => ("time", Some(0), None, vec![]),
        Kind::Hour => ("hour", Some(0), Some(23), vec![]),
        Kind::Money { min, max } => ("number", Some(min.get()), Some(max.get()), vec![]),
        Kind::Choice(choices) => ("choice", None, None, choices.to_vec()),
        Kind::Https => ("https", None, None, vec![]),
        Kind::Zone => ("zone", None, None, vec![]),
        Kind::Color => ("color", None, None, vec![]),
        Kind::Picture(_) => ("picture", None, None, vec![]),
        Kind::Pictures(_) => ("pictures", None, Some(settings::MAX_HERO as i64), vec![]),
        Kind::Place => ("place", None, None, vec![]),
        Kind::Nightfall => ("nightfall", None, None, vec![]),
        Kind::WeekTime => ("week_time", None, None, vec![]),
        Kind::ExtraTimes => ("extra_times", None, None, vec![]),
    };
    let group = settings::group(key.name);
    let (key, help) = (key.name, key.help.into());
    Setting {
        key,
        value,
        default,
        group,
        kind,
        min,
        max,
        choices,
        help,
        unavailable: None,
        problem: None,
    }
}

pub async fn all(app: &App) -> Answer<Json<Page<Setting>>> {
    let current = app.settings().await?;
    let defaults = settings::list(&Settings::default());
    let mut items: Vec<Setting> = settings::list(&current)
        .into_iter()
        .zip(defaults)
        .map(|((key, value), (_, default))| describe(key, value, default))
        .collect();
    for invalid in settings::invalid_values(&app.db).await? {
        for item in items.iter_mut().filter(|item| item.key == invalid.key) {
            let stored = invalid.stored.trim_matches('"');
            item.problem = Some(format!("“{stored}” is stored, which is not allowed."));
        }
    }
    for item in items.iter_mut().filter(|item| item.key == "uploadQuota") {
        let taken = uploads::shown_size(uploads::space(&app.db, &current).await?.used_bytes);
        item.help = format!("{}; {taken} are taken", item.help).into();
    }
    if !current.remind_overdue {
        let families = match payments::reminders::overdue_families(app, &current).await? {
            1 => "1 family".to_owned(),
            n => format!("{n} families"),
        };
        for item in items.iter_mut().filter(|item| item.key == "remindOverdue") {
            item.help = format!("{}; {families} would be reminded now", item.help).into();
        }
    }
    items.extend(settings::UNAVAILABLE.iter().map(|(key, reason)| Setting {
        unavailable: Some(reason),
        ..describe(key, Value::Null, Value::Null)
    }));
    Ok(Json(Page::whole(items)))
}

/// What an import would change, problems included
#[utoipa::path(post, path = "/api/admin/settings/preview", tag = "settings", security(("owner" = [])),
    request_body(content = BTreeMap<String, Value>),
    responses((status = 200, body = Page<Difference>)))]
async fn preview(
    State(app): State<App>,
    _owner: Owner,
    Input(changes): Input<BTreeMap<String, Value>>,
) -> Answer<Json<Page<Difference>>> {
    Ok(Json(Page::whole(settings_admin::compare(&app, &changes).await?)))
}

/// All settings as a file that can be imported elsewhere
#[utoipa::path(get, path = "/api/admin/settings/export", tag = "settings", security(("owner" = [])),
    responses((status = 200, content_type = "application/json", body = serde_json::Value)))]
async fn export(State(app): State<App>, Owner(me): Owner) -> Answer<Response> {
    let mut tx = app.db.begin().await?;
    let values = settings_admin::export(&mut tx, &app, Actor::Staff(me.id)).await?;
    tx.commit().await?;
    let text = serde_json::to_string_pretty(&values).map_err(portal::Error::unforeseen)?;
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"settings.json\""),
    ];
    Ok((headers, text).into_response())
}

/// All settings with their values
#[utoipa::path(get, path = "/api/admin/settings", tag = "settings", security(("owner" = [])),
    responses((status = 200, body = Page<Setting>)))]
async fn list(State(app): State<App>, _owner: Owner) -> Answer<Json<Page<Setting>>> {
    all(&app).await
}

#[derive(Deserialize, ToSchema)]
#[schema(as = SettingsPatch)]
struct Patch {
    /// What these settings were when somebody looked at them. If one of them differs now, nothing
    /// is changed (409).
    seen: Option<BTreeMap<String, Value>>,
    /// Keys and their new values.
    #[serde(flatten)]
    values: BTreeMap<String, Value>,
}

/// Change settings: an object of keys and values, all or none
#[utoipa::path(patch, path = "/api/admin/settings", tag = "settings", security(("owner" = [])),
    request_body = Patch,
    responses((status = 200, body = Page<Setting>), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(api): State<Api>,
    Owner(me): Owner,
    Input(patch): Input<Patch>,
) -> Answer<Json<Page<Setting>>> {
    let app = &api.app;
    let mut tx = app.db.begin().await?;
    if let Some(seen) = &patch.seen {
        settings_admin::check_unchanged(&mut tx, seen).await?;
    }
    settings_admin::set(&mut tx, app, Actor::Staff(me.id), patch.values).await?;
    tx.commit().await?;
    app.invalidate_settings();
    api.sessions.invalidate_all();
    all(app).await
}
