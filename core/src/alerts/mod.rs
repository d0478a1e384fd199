//! Alerts owners by mail about problems: failed mail, jobs that were set aside, a disk that fills
//! up, an invalid setting, a silent worker, a missing backup. Each kind is sent at most once a day, and only while
//! the setting `systemAlerts` is on.

use chrono::{NaiveDate, TimeDelta};
use serde_json::json;
use uuid::Uuid;

use crate::clock::day_in;
use crate::email_address::EmailAddress;
use crate::jobs::{self, Job};
use crate::notifications::{self, Deliver, MailContent, MailKind, Notice, Notification, reports};
use crate::settings::{self, Settings};
use crate::{App, Result, backup, data_folder, videos};

/// The disk counts as full below this number of free bytes.
pub(crate) const FREE: u64 = 1 << 30;
/// This many bounces or complaints within a day raise an alert.
const MANY_BOUNCES: i64 = 20;
const MANY_COMPLAINTS: i64 = 3;
/// Owners get an alert after this time without a heartbeat; a restart takes less.
const SILENT: TimeDelta = TimeDelta::minutes(5);
/// Owners get an alert after this time without a backup. Backups are made every night, so one
/// failed night is not reported.
pub(crate) const BACKUP_MISSING: TimeDelta = TimeDelta::hours(50);

/// Checks for all problems. The worker runs it every minute.
pub async fn check(app: &App) -> Result<()> {
    let now = app.clock.now();
    let failed: i64 = app
        .db
        .sql("select count(*) from deliveries where status = 'failed' and digest_id is null and updated_at > $1")
        .bind(now - TimeDelta::days(1))
        .scalar()
        .await?;
    let late = notifications::late(app).await?.not_given_up;
    let aside = jobs::failed(&app.db).await?;
    if failed > 0 {
        raise(app, "mail_failed", &format!("{failed} emails could not be delivered in the last day. The staff area shows which.")).await?;
    }
    if late > 0 {
        raise(app, "mail_late", &format!("{late} emails have been waiting for more than half an hour. `camp mail test` shows whether the mail server works.")).await?;
    }
    if aside > 0 {
        raise(app, "jobs_failed", &format!("{aside} jobs failed too often and were set aside. `camp jobs list` shows them, `camp jobs retry` tries again.")).await?;
    }
    came_back(app).await?;
    let held_back = videos::held_back(app).await?;
    if held_back > 0 {
        let subject = match held_back {
            1 => "A video should be public by now, but its new file".to_owned(),
            many => format!("{many} videos should be public by now, but their new files"),
        };
        raise(app, "videos_held_back", &format!("{subject} could not be converted. The staff area shows why; please try again there or choose another file.")).await?;
    }
    check_late_video(app).await?;
    check_backup(app).await?;
    let invalid_values = settings::invalid_values(&app.db).await?;
    if !invalid_values.is_empty() {
        let names: Vec<&str> = invalid_values.iter().map(|value| value.key).collect();
        raise(app, "settings", &format!("What is stored for {} is not allowed, so the strictest value is in force. The settings page shows which; please choose again.", names.join(", "))).await?;
    }
    if let Some(free) = free_bytes(app)
        && free < FREE
    {
        raise(
            app,
            "disk",
            &format!(
                "Only {} MB are free on the portal’s disk. When it is full, nothing can be saved.",
                free >> 20
            ),
        )
        .await?;
    }
    Ok(())
}

/// Says once an evening that no video was published by the posting time.
async fn check_late_video(app: &App) -> Result<()> {
    let settings = app.settings().await?;
    let Some(evening) = videos::late(app, &settings).await? else { return Ok(()) };
    let time = evening.posting_time.with_timezone(&settings.timezone).format("%-I:%M %p");
    let text = format!(
        "No video for tonight was published by {time}. On the dashboard you can see how many families asked to be told, and tell them. To stop these alerts, clear “Alert if no video by” in the settings."
    );
    raise_on(app, "video_late", evening.day, &text).await.map(drop)
}

/// Says that the nightly backup is missing. A camp that never made one with `camp backup` gets no
/// alert, because it may have other ways.
async fn check_backup(app: &App) -> Result<()> {
    let Some(last) = backup::last(&app.db).await? else { return Ok(()) };
    if app.clock.now() - last < BACKUP_MISSING {
        return Ok(());
    }
    let made = last.with_timezone(&app.settings().await?.timezone).format("%B %-d at %-I:%M %p");
    let text = format!(
        "The last backup was made on {made}, and none since. `systemctl status camp-backup` on the server shows why; `camp backup` makes one."
    );
    raise(app, "backup_missing", &text).await.map(drop)
}

/// Alerts owners about many bounces or complaints within a day, which can make mail providers
/// refuse all of the camp's mail.
async fn came_back(app: &App) -> Result<()> {
    let since = app.clock.now() - TimeDelta::days(1);
    let (bounces, complaints) = reports::count_since(&app.db, since).await?;
    if bounces >= MANY_BOUNCES {
        raise(app, "mail_bounces", &format!("{bounces} emails came back in the last day after the mail server had accepted them. The staff area shows which and why. If they all have the same reason, `camp doctor` may show the cause.")).await?;
    }
    if complaints >= MANY_COMPLAINTS {
        raise(app, "mail_complaints", &format!("{complaints} recipients marked emails as spam in the last day. The staff area shows which. Mail providers refuse senders with many complaints.")).await?;
    }
    Ok(())
}

/// Checks the worker's heartbeat. The site calls this, and sends the alert itself because no worker
/// would. `up` is how long the site has been running. Without any heartbeat, it counts as the time
/// of silence.
pub async fn check_worker(app: &App, up: TimeDelta) -> Result<()> {
    let ago = notifications::since_last_heartbeat(app).await?.unwrap_or(up);
    if ago < SILENT {
        return Ok(());
    }
    let text = "No worker has been running for five minutes: nothing is published or emailed. Start `camp worker`, or `camp serve --with-worker`.";
    for id in raise(app, "worker_silent", text).await? {
        Deliver { notification_id: id }.run(app).await?;
    }
    Ok(())
}

/// Free bytes on the disk of the data folder, or on that of the folder with files if it has less.
pub fn free_bytes(app: &App) -> Option<u64> {
    data_folder::free_space(&app.config.data_dir, app.files.folder.as_deref())
}

/// Notifies every active owner, unless this was done today.
async fn raise(app: &App, what: &str, text: &str) -> Result<Vec<Uuid>> {
    let today = day_in(app.settings().await?.timezone, app.clock.now());
    raise_on(app, what, today, text).await
}

/// Notifies every active owner, unless this was done for that day.
async fn raise_on(app: &App, what: &str, day: NaiveDate, text: &str) -> Result<Vec<Uuid>> {
    if !app.settings().await?.system_alerts {
        return Ok(Vec::new());
    }
    let mut tx = app.db.begin().await?;
    let owners: Vec<(Uuid, EmailAddress, String)> = tx
        .sql("select id, email, username from staff where role = 'owner' and disabled_at is null")
        .all()
        .await?;
    let mut told = Vec::new();
    for (id, email, name) in owners {
        let notice = Notice { data: json!({ "text": text }), ..Notice::new(MailKind::Alert, id) };
        let once = format!("alert:{what}:{day}:{id}");
        told.extend(notifications::notify_once(&mut tx, app, notice, &email, &name, &once).await?);
    }
    tx.commit().await?;
    if !told.is_empty() {
        tracing::warn!(what, "owners are notified: {text}");
    }
    Ok(told)
}

pub(crate) fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Option<MailContent> {
    let data: serde_json::Value = serde_json::from_str(&notification.data).ok()?;
    Some(content(app, settings, data["text"].as_str()?))
}

/// An alert about something that did not happen.
pub(crate) fn sample(app: &App, settings: &Settings) -> MailContent {
    content(
        app,
        settings,
        "3 emails could not be delivered in the last day. The staff area shows which.",
    )
}

fn content(app: &App, settings: &Settings, text: &str) -> MailContent {
    MailContent {
        subject: format!("{}: the portal needs your attention", settings.camp_name()),
        heading: "The portal needs your attention".into(),
        paragraphs: vec![text.to_owned()],
        button: Some(notifications::Button {
            label: "Open the staff area",
            url: app.url("/admin/login"),
        }),
        notes: vec![format!(
            "Seen at {}.",
            app.clock.now().with_timezone(&settings.timezone).format("%-I:%M %p on %B %-d, %Y")
        )],
        ..MailContent::default()
    }
}
