//! One video as families see it. [`open`] decides for every list and page how much of a video a
//! viewer gets.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::captions::AdminCaptions;
use super::catalog::Catalog;
use super::{CARD, NOT_FOUND, Video, VideoCard, VideoType, captions, catalog, chapters, positions};
use crate::access::Viewer;
use crate::clock::year_in;
use crate::settings::Settings;
use crate::{App, Result, ffmpeg};

/// Returns a published video for its page.
///
/// # Errors
///
/// [`crate::Error::NotFound`] while it is not published, also for staff, and the errors of
/// [`Viewer::must_watch`].
pub async fn find(app: &App, settings: &Settings, viewer: &Viewer, id: Uuid) -> Result<Video> {
    let catalog = catalog::get(app).await?;
    let mut video = match catalog.record(id) {
        Some(video) => video,
        None => {
            let video = for_everybody(app, &catalog, id).await?;
            catalog.keep(video.clone());
            video
        }
    };
    viewer.must_watch(settings.watch_access())?;
    let card = std::slice::from_mut(&mut video.card);
    catalog.count(app, card).await?;
    open_all(app, &catalog, settings, viewer, card).await?;
    if let Some(user_id) = viewer.user_id {
        let likes: i64 = app
            .db
            .sql("select count(*) from video_likes where video_id = $1 and user_id = $2")
            .bind(id)
            .bind(user_id)
            .scalar()
            .await?;
        video.liked = likes > 0;
        video.resume_seconds = positions::of(app, user_id, id).await?;
    }
    Ok(video)
}

/// Returns what does not depend on who watches.
async fn for_everybody(app: &App, catalog: &Catalog, id: Uuid) -> Result<Video> {
    let mut video: Video = app
        .db
        .sql([
            "select ",
            CARD,
            ", v.video_url, v.content_type, u.id as converted_upload_id,
               case when v.video_type = 'upload' then v.chapters end as chapter_lines,
               v.is_downloadable and v.file_key is not null as has_download
             from videos v
             left join uploads u
               on u.id = v.media_upload_id and u.state = 'ready' and u.renditions <> '[]'
             where v.id = $1 and v.status = 'published'",
        ])
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    if let Some(upload_id) = video.converted_upload_id {
        let file = |name| Some(format!("/media/videos/{id}/{upload_id}/{name}"));
        video.hls_url = file(ffmpeg::MASTER);
        video.previews_url = file(ffmpeg::PREVIEWS);
    }
    video.chapters = chapters::stored(video.chapter_lines.as_deref());
    video.download_url = video.has_download.then(|| format!("/media/videos/{id}/download"));
    if video.card.video_type == VideoType::Upload {
        let captions = captions::of_videos(&app.db, [id].into_iter()).await?;
        video.captions = captions.iter().map(AdminCaptions::shown).collect();
    }
    [video.previous, video.next] = catalog.neighbors(&video.card);
    Ok(video)
}

/// What link previews of other programs may show of a video (decision V14).
#[derive(Debug)]
pub struct Preview {
    pub title: String,
    pub description: Option<String>,
    /// An absolute address or a path of the portal. `None` for a neutral picture.
    pub picture: Option<String>,
}

/// Returns the preview of a published video. It never contains more than a stranger may see.
pub async fn preview(app: &App, settings: &Settings, id: Uuid) -> Result<Option<Preview>> {
    let card: Option<VideoCard> = app
        .db
        .sql(["select ", CARD, " from videos v where v.id = $1 and v.status = 'published'"])
        .bind(id)
        .optional()
        .await?;
    Ok(card.map(|mut card| {
        open(&mut card, settings, &Viewer::default());
        let VideoCard { title, description, thumbnail_url: picture, .. } = card;
        Preview { title, description, picture }
    }))
}

/// Returns the ids of the published videos and when each last changed, the newest first, at most
/// `limit`. For viewers who may watch.
pub async fn published(app: &App, limit: i64) -> Result<Vec<(Uuid, DateTime<Utc>)>> {
    app.db
        .sql(
            "select id, updated_at
             from videos
             where status = 'published'
             order by upload_date desc, published_at desc, id desc
             limit $1",
        )
        .bind(limit)
        .all()
        .await
}

/// Prepares cards for this viewer: adds badges and removes what the viewer may not see.
pub(super) async fn open_all(
    app: &App,
    catalog: &Catalog,
    settings: &Settings,
    viewer: &Viewer,
    cards: &mut [VideoCard],
) -> Result<()> {
    let this_year = i64::from(year_in(settings.timezone, app.clock.now()));
    // Only one video has the badge (decision V6).
    let latest = catalog.all().find(|card| card.year == this_year).map(|card| card.id);
    for card in &mut *cards {
        card.archive = card.year < this_year;
        card.latest = Some(card.id) == latest;
        open(card, settings, viewer);
    }
    positions::mark_new(app, viewer, cards).await
}

/// Decides how much of a published video a viewer gets (safety 14). Nothing else does.
fn open(card: &mut VideoCard, settings: &Settings, viewer: &Viewer) {
    if viewer.may_watch(settings.watch_access()) {
        return;
    }
    let VideoCard { id, upload_date, year, published_at, latest, archive, .. } = *card;
    *card = VideoCard {
        id,
        title: std::mem::take(&mut card.title),
        description: None,
        video_type: VideoType::Upload,
        thumbnail_url: None,
        upload_date,
        year,
        is_featured: false,
        published_at,
        view_count: 0,
        like_count: 0,
        comment_count: 0,
        duration_seconds: None,
        latest,
        archive,
        is_new: false,
        restricted: true,
    };
}

/// Whether any published video plays from another server. The content security policy must allow it
/// then.
pub async fn media_elsewhere(app: &App) -> Result<bool> {
    let found: i64 = app
        .db
        .sql(
            "select count(*) from (select 1 from videos
             where status = 'published' and video_type = 'upload' and file_key is null limit 1) v",
        )
        .scalar()
        .await?;
    Ok(found > 0)
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use proptest::prelude::*;

    use super::*;
    use crate::access::Access;

    fn viewer() -> impl Strategy<Value = Viewer> {
        (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(user, family, staff)| Viewer {
            user_id: user.then(|| Uuid::new_v4().into()),
            family: user && family,
            outsider: user && !family,
            staff_id: staff.then(|| Uuid::new_v4().into()),
            browser: Some(Uuid::new_v4()),
        })
    }

    fn access() -> impl Strategy<Value = Access> {
        prop::sample::select(vec![
            Access::Everyone,
            Access::SignedIn,
            Access::Families,
            Access::Closed,
        ])
    }

    proptest! {
        #[test]
        fn nobody_gets_more_of_a_video_than_the_setting_allows(
            viewer in viewer(), access in access(), secret in "[a-z]{24}", count in 1_000_000i64..
        ) {
            let settings = Settings { access, ..Settings::default() };
            let day = NaiveDate::from_ymd_opt(2026, 7, 29).expect("a day");
            let mut card = VideoCard {
                id: Uuid::new_v4(),
                title: "Lake".into(),
                description: Some(secret.clone()),
                video_type: VideoType::Youtube,
                thumbnail_url: Some(format!("https://i.ytimg.com/vi/{secret}/maxresdefault.jpg")),
                upload_date: day,
                year: 2026,
                is_featured: true,
                published_at: day.and_time(Default::default()).and_utc(),
                view_count: count,
                like_count: count,
                comment_count: count,
                duration_seconds: Some(count),
                latest: true,
                archive: false,
                is_new: false,
                restricted: false,
            };
            open(&mut card, &settings, &viewer);
            let told = serde_json::to_string(&card).expect("JSON");
            let open = viewer.may_watch(access);
            prop_assert_eq!(told.contains(&secret), open);
            prop_assert_eq!(told.contains(&count.to_string()), open);
            prop_assert_eq!(card.restricted, !open);
            prop_assert_eq!(viewer.must_watch(access).is_ok(), open);
            prop_assert!(told.contains("Lake") && told.contains("2026-07-29"));
        }
    }
}
