//! Finds one video for staff, and adds to videos what their rows do not have.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{ADMIN_VIDEO, AdminVideo};
use crate::clock::year_in;
use crate::db::{On, Sql, Tx};
use crate::ffmpeg::{CANDIDATES, POSTER};
use crate::notifications::{self, Category, MailKind, Notice, undelivered};
use crate::settings::Settings;
use crate::videos::own_picture::is_own_picture;
use crate::videos::{NOT_FOUND, Status, captions};
use crate::{App, Result, uploads};

/// Returns a video of any status.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn find_for_staff(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    id: Uuid,
) -> Result<AdminVideo> {
    let video = one(&mut *tx, app.clock.now(), id).await?;
    let reach = match would_notify(&video, this_year(app, settings)) {
        true => notifications::reach(&mut *tx, settings, Category::DailyVideos).await?,
        false => 0,
    };
    completed(app, tx, settings, video, reach).await
}

/// Returns a video of any status like [`find_for_staff`], outside a transaction.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn admin_find(app: &App, settings: &Settings, id: Uuid) -> Result<AdminVideo> {
    let video = one(&app.db, app.clock.now(), id).await?;
    let reach = match would_notify(&video, this_year(app, settings)) {
        true => notifications::kept_reach(app, settings, Category::DailyVideos).await?,
        false => 0,
    };
    completed(app, &app.db, settings, video, reach).await
}

/// Fails with [`crate::Error::NotFound`] when there is no such video.
pub(crate) async fn must_exist(on: impl Into<On<'_>>, id: Uuid) -> Result<()> {
    let videos: i64 =
        on.into().sql("select count(*) from videos where id = $1").bind(id).scalar().await?;
    match videos {
        0 => Err(NOT_FOUND),
        _ => Ok(()),
    }
}

async fn one(on: impl Into<On<'_>>, now: DateTime<Utc>, id: Uuid) -> Result<AdminVideo> {
    on.into()
        .sql(Sql::from(ADMIN_VIDEO).and("where v.id = $2"))
        .bind(undelivered::hour_of_lately(now))
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)
}

/// Whether families would be notified if it were published now.
pub(super) fn would_notify(video: &AdminVideo, this_year: i64) -> bool {
    video.status != Status::Published && !video.announced && video.year == this_year
}

async fn completed(
    app: &App,
    on: impl Into<On<'_>>,
    settings: &Settings,
    mut video: AdminVideo,
    reach: i64,
) -> Result<AdminVideo> {
    let (mut on, this_year) = (on.into(), this_year(app, settings));
    complete(&mut video, settings, this_year, reach, app.clock.now());
    let videos = std::slice::from_mut(&mut video);
    add_withdrawn(on.again(), settings, this_year, videos).await?;
    add_files(app, on, videos).await?;
    Ok(video)
}

fn this_year(app: &App, settings: &Settings) -> i64 {
    i64::from(year_in(settings.timezone, app.clock.now()))
}

pub(super) fn complete(
    video: &mut AdminVideo,
    settings: &Settings,
    this_year: i64,
    reach: i64,
    now: DateTime<Utc>,
) {
    let is_due = video.scheduled_date.is_some_and(|at| at <= now);
    video.publishes_when_ready = video.waits && video.status == Status::Scheduled && is_due;
    video.page_url = format!("/video/{}", video.id);
    video.archive = video.year < this_year;
    if let Some(upload_id) = video.converted_upload_id {
        let url = |name: &&str| format!("/media/videos/{}/{upload_id}/{name}", video.id);
        video.posters = CANDIDATES.iter().map(url).collect();
        let shown = video.thumbnail_key.as_deref().and_then(|key| key.rsplit('/').next());
        let all = [POSTER].into_iter().chain(CANDIDATES);
        video.poster = (0..).zip(all).find(|(_, name)| shown == Some(name)).map(|(at, _)| at);
    }
    video.has_own_picture = video.thumbnail_key.as_deref().is_some_and(is_own_picture);
    video.recipients = would_notify(video, this_year).then_some(reach);
    video.publishes_at = video.scheduled_date.map(|at| settings.publication_time(at));
}

/// Adds the recipients of videos that were taken back while mails about them waited.
pub(super) async fn add_withdrawn(
    on: impl Into<On<'_>>,
    settings: &Settings,
    this_year: i64,
    videos: &mut [AdminVideo],
) -> Result<()> {
    let mut on = on.into();
    for video in videos {
        if video.announced && video.status != Status::Published && video.year == this_year {
            let notice = Notice::new(MailKind::Video, video.id);
            let category = Category::DailyVideos;
            let mails =
                notifications::count_withdrawn(on.again(), settings, &notice, category).await?;
            video.recipients = (mails > 0).then_some(mails);
        }
    }
    Ok(())
}

/// Loads the uploads and the captions of all videos.
pub(super) async fn add_files(
    app: &App,
    on: impl Into<On<'_>>,
    videos: &mut [AdminVideo],
) -> Result<()> {
    let mut on = on.into();
    let found = uploads::of_videos(app, on.again(), videos.iter().map(|video| video.id)).await?;
    let captions = captions::of_videos(on, videos.iter().map(|video| video.id)).await?;
    for video in videos {
        video.captions =
            captions.iter().filter(|captions| captions.is_of(video.id)).cloned().collect();
        video.upload = found.iter().find(|upload| upload.video_id == Some(video.id)).cloned();
        video.has_no_file = video.waits && video.upload.is_none();
        if video.has_no_file {
            video.publishes_when_ready = false;
            video.recipients = None;
        }
    }
    Ok(())
}
