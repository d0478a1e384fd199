//! The data that every page needs first: the camp, and who is signed in.

use axum::extract::State;
use chrono::{DateTime, NaiveDate, Utc};
use portal::access::Access;
use portal::accounts::User;
use portal::accounts::UserType;
use portal::branding::{self, Pictures};
use portal::clock::{self, day_in, year_in};
use portal::settings::Settings;
use portal::{App, Result, videos};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::auth::MaybeUser;
use crate::error::Answer;
use crate::frontend;
use crate::json::Json;
use crate::quiet_time::{self, SiteQuietTime};

/// The camp, as everybody may see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Site {
    pub site_name: String,
    pub site_description: String,
    pub contact_email: String,
    pub contact_phone: String,
    /// IANA name; all dates and times of the portal are shown in it.
    pub timezone: String,
    /// The clock of that zone from last year to next year, so that pages need not ask the browser for it.
    pub utc_offsets: Vec<UtcOffset>,
    pub access: Access,
    pub registrations_open: bool,
    pub require_email_verification: bool,
    pub password_min_length: i64,
    /// Whether the browser may be asked to show notifications while a page is open.
    pub push_enabled: bool,
    /// Which summer counts as "This Year".
    pub current_year: i32,
    pub today: NaiveDate,
    /// When the next video can be expected, in words (decision V8).
    pub posting_time_text: String,
    pub next_video_at: Option<DateTime<Utc>>,
    /// The camp's own logo and pictures; empty where the built-in ones are used.
    pub pictures: Pictures,
    /// Address of a style sheet with the camp's own colors.
    pub style_sheet: Option<String>,
    /// The quiet time that is on now or begins in the next 24 hours.
    pub quiet_time: Option<SiteQuietTime>,
}

/// A period in which the camp's clock does not change.
#[derive(Debug, Serialize, ToSchema)]
pub struct UtcOffset {
    pub from: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// How far the camp's clock is ahead of UTC, in minutes.
    pub minutes: i32,
    /// Such as "EDT".
    pub name: String,
}

pub async fn describe(app: &App, settings: &Settings) -> Result<Site> {
    let now = app.clock.now();
    let zone = settings.timezone;
    let year = year_in(zone, now);
    let (next_video_at, posting_time_text) = videos::posting_time(app, settings).await?;
    Ok(Site {
        site_name: settings.site_name.clone(),
        site_description: settings.site_description.clone(),
        contact_email: settings.contact_email.clone(),
        contact_phone: settings.contact_phone.clone(),
        timezone: zone.name().to_owned(),
        utc_offsets: clock::utc_offsets(zone, year - 1..=year + 1)
            .into_iter()
            .map(|clock::UtcOffset { from, until, minutes, name }| UtcOffset {
                from,
                until,
                minutes,
                name,
            })
            .collect(),
        access: settings.access,
        registrations_open: settings.user_registrations,
        require_email_verification: settings.require_email_verification,
        password_min_length: settings.password_min_length,
        push_enabled: settings.push_enabled,
        current_year: year,
        today: day_in(zone, now),
        posting_time_text,
        next_video_at,
        pictures: branding::shown(&app.db, settings).await?,
        style_sheet: frontend::style_sheet_url(app, settings),
        quiet_time: quiet_time::of_site(settings, now),
    })
}

/// The camp
#[utoipa::path(get, path = "/api/site", tag = "site", security(()), responses((status = 200, body = Site)))]
pub async fn site(State(app): State<App>) -> Answer<Json<Site>> {
    let settings = app.settings().await?;
    Ok(Json(describe(&app, &settings).await?))
}

/// Whoever is signed in, as only they themselves see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionUser {
    pub id: Uuid,
    pub email: String,
    pub email_verified: bool,
    pub full_name: String,
    /// The full name, else the part of the email before the at-sign, else "User".
    pub display_name: String,
    pub user_type: UserType,
    pub can_comment: bool,
    /// Linked to a family that the camp made or approved.
    pub family: bool,
    pub awaiting_approval: bool,
    pub welcome_popup_shown: bool,
}

impl SessionUser {
    pub fn of(user: &User, settings: &Settings) -> SessionUser {
        SessionUser {
            id: user.id.into(),
            email: user.email.to_string(),
            email_verified: user.verified,
            full_name: user.full_name.clone(),
            display_name: user.display_name().to_owned(),
            user_type: user.user_type,
            can_comment: user.can_comment(settings),
            family: user.family,
            awaiting_approval: user.awaiting_approval(settings),
            welcome_popup_shown: user.welcome_popup_shown,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    pub user: Option<SessionUser>,
}

/// Who is signed in
#[utoipa::path(get, path = "/api/session", tag = "accounts", security(()), responses((status = 200, body = Session)))]
pub async fn session(State(app): State<App>, MaybeUser(user): MaybeUser) -> Answer<Json<Session>> {
    let settings = app.settings().await?;
    Ok(Json(Session { user: user.map(|user| SessionUser::of(&user, &settings)) }))
}
