//! A late video of the evening: staff are told when no video is published by the posting time, and
//! decide whether to tell the families that asked for it.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeDelta, Timelike, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::bidi::isolated;
use crate::clock::{day_in, moment_in};
use crate::notifications::{self, Button, MailContent, MailKind, Notice, Notification};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// An evening lasts until this hour of the next day.
const NIGHT_ENDS: u32 = 6;
/// A video that was published this recently is tonight's, even if it was filmed on an earlier day.
const RECENTLY: TimeDelta = TimeDelta::hours(12);
/// Without a video for this long, the season is over and nobody waits for one. Longer than a
/// Shabbos with a holiday before or after it.
const SEASON: TimeDelta = TimeDelta::days(4);

/// An evening for which a video was promised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evening {
    pub day: NaiveDate,
    pub posting_time: DateTime<Utc>,
}

/// The evening at this time, if the camp has a posting time.
fn evening(settings: &Settings, at: DateTime<Utc>) -> Option<Evening> {
    let time = NaiveTime::parse_from_str(&settings.posting_deadline, "%H:%M").ok()?;
    let local = at.with_timezone(&settings.timezone);
    let before_morning = |hour: u32| Days::new(u64::from(hour < NIGHT_ENDS));
    let day = day_in(settings.timezone, at) - before_morning(local.hour());
    let posting_day = day + before_morning(time.hour());
    Some(Evening { day, posting_time: moment_in(settings.timezone, posting_day.and_time(time)) })
}

/// The evening, if its video is late now. Never in quiet time, and never on an evening whose
/// posting time is in quiet time.
pub(crate) async fn late(app: &App, settings: &Settings) -> Result<Option<Evening>> {
    let now = app.clock.now();
    let Some(evening) = evening(settings, now) else { return Ok(None) };
    let is_quiet = settings.quiet_window(now).is_some()
        || settings.quiet_window(evening.posting_time).is_some();
    if now < evening.posting_time || is_quiet {
        return Ok(None);
    }
    let (season, published): (bool, bool) = app
        .db
        .sql(
            "select exists (select 1 from videos
                            where status = 'published' and published_at > $1 and year = $5),
                    exists (select 1 from videos
                            where status = 'published'
                              and (upload_date >= $2
                                   or (upload_date >= $3 and published_at > $4)))",
        )
        .bind(now - SEASON)
        .bind(evening.day)
        .bind(evening.day - Days::new(7))
        .bind(now - RECENTLY)
        .bind(i64::from(evening.day.year()))
        .one()
        .await?;
    Ok((season && !published).then_some(evening))
}

/// A late video, for staff.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LateVideo {
    /// When it should have been published.
    pub posting_time: DateTime<Utc>,
    /// Families that asked for a note.
    pub families: i64,
    /// Families that got one this evening; null if nobody sent it.
    pub told: Option<i64>,
}

/// Returns tonight's video if it is late now.
///
/// # Errors
///
/// Only those of the database.
pub(crate) async fn late_video(app: &App, settings: &Settings) -> Result<Option<LateVideo>> {
    let Some(evening) = late(app, settings).await? else { return Ok(None) };
    let (sent, told): (bool, i64) = app
        .db
        .sql(
            "select exists (select 1 from notifications where once_key = $1),
                    (select count(distinct d.profile_id) from deliveries d
                     join notifications n on n.id = d.notification_id
                     where n.once_key = $1 and d.status <> 'suppressed')",
        )
        .bind(once_key(evening.day))
        .one()
        .await?;
    Ok(Some(LateVideo {
        posting_time: evening.posting_time,
        families: notifications::late_note_families(&app.db, settings).await?,
        told: sent.then_some(told),
    }))
}

/// Whom a note went to.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LateNote {
    pub families: i64,
}

/// Tells the families that asked for it that tonight's video is late, once an evening.
///
/// # Errors
///
/// [`Error::Conflict`] when the video is not late, in quiet time, when nobody asked for it, and when
/// families were told before.
pub async fn tell_families(app: &App, actor: Actor) -> Result<LateNote> {
    let settings = app.settings().await?;
    let Some(evening) = late(app, &settings).await? else {
        return Err(Error::Conflict("Tonight's video is not late. Please reload the page."));
    };
    let mut tx = app.db.begin().await?;
    let families = notifications::late_note_families(&mut tx, &settings).await?;
    if families == 0 {
        return Err(Error::Conflict("No family asked for this email."));
    }
    let data = json!(Data { day: evening.day });
    let notice = Notice { data, ..Notice::new(MailKind::LateVideo, Uuid::nil()) };
    let key = once_key(evening.day);
    if !notifications::notify_late_video(&mut tx, app, &settings, notice, &key).await? {
        return Err(Error::Conflict("The families were already told this evening."));
    }
    let subject = Subject::none(SubjectKind::Video);
    let details = json!({ "families": families });
    audit::record(&mut tx, app.clock.now(), actor, Action::VideoTellLate, subject, details).await?;
    tx.commit().await?;
    Ok(LateNote { families })
}

fn once_key(day: NaiveDate) -> String {
    format!("late_video:{day}")
}

#[derive(Serialize, Deserialize)]
struct Data {
    day: NaiveDate,
}

/// Writes the note. Returns `None` once the video is published or the evening is over.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the evening in the notification cannot be read.
pub(crate) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let Data { day } = serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    match late(app, settings).await? {
        Some(evening) if evening.day == day => {}
        _ => return Ok(None),
    }
    Ok(Some(content(app, settings)))
}

/// The note; nothing in it is invented. Families that chose one email a day get the video in that.
pub(crate) fn content(app: &App, settings: &Settings) -> MailContent {
    let site = isolated(settings.camp_name());
    MailContent {
        subject: "Tonight’s video is late".into(),
        heading: "Tonight’s video is late".into(),
        paragraphs: vec![format!(
            "Tonight’s video from {site} is not ready yet. Once it is published, you will get it by email as usual."
        )],
        button: Some(Button { label: "See the latest videos", url: app.url("/") }),
        ..MailContent::default()
    }
}
