//! Videos as families see them. [`open`] decides for every list and page how much of a video a
//! viewer gets.

use chrono::{DateTime, Days, NaiveDate, Utc};
use uuid::Uuid;

use super::{
    CARD, Collection, NOT_FOUND, Sort, Video, VideoCard, VideoRef, VideoType, YearCount,
    optional_pattern,
};
use crate::access::Viewer;
use crate::clock::{day_in, moment_in, year_in};
use crate::pagination::{Page, PageRequest};
use crate::settings::Settings;
use crate::{App, Result};

#[derive(Debug, Default)]
pub struct Filter {
    pub collection: Option<Collection>,
    pub q: Option<String>,
    pub sort: Sort,
    pub year: Option<i64>,
    pub part: PageRequest,
}

/// Returns the published videos that match the filter (decision V1). A viewer who may not watch
/// gets titles and dates, and searches only in titles.
pub async fn list(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    filter: &Filter,
) -> Result<Page<VideoCard>> {
    let mut page = match filter.collection {
        Some(Collection::Home) => Page { items: home(app, settings).await?, next: None },
        _ => listed(app, settings, viewer, filter).await?,
    };
    open_all(app, settings, viewer, &mut page.items).await?;
    Ok(page)
}

/// Which videos are found.
const FOUND: &str = " from videos v
             where v.status = 'published'
               and ($1 is null or v.year >= $1)
               and ($2 is null or v.year < $2)
               and ($3 is null or v.year = $3)
               and ($4 is null or v.search_text like $4 escape '\\') ";

async fn listed(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    filter: &Filter,
) -> Result<Page<VideoCard>> {
    let this_year = i64::from(year_in(settings.timezone, app.clock.now()));
    let open = viewer.may_watch(settings.access);
    let pattern = pattern(filter.q.as_deref(), open);
    let only = |collection| (filter.collection == Some(collection)).then_some(this_year);
    let query = |order: &'static str| {
        app.db
            .sql(["select ", CARD, FOUND, order])
            .bind(only(Collection::Current))
            .bind(only(Collection::Archive))
            .bind(filter.year)
            .bind(pattern.clone())
            .bind(filter.part.limit() + 1)
    };
    // The order by views would reveal to others which videos are watched most.
    if filter.sort == Sort::Popular && open {
        let after: Option<(i64, NaiveDate, DateTime<Utc>, Uuid)> = filter.part.after("popular")?;
        let rows = query(
            "and ($6 is null
                  or (v.view_count, v.upload_date, v.published_at, v.id) < ($6, $7, $8, $9))
             order by v.view_count desc, v.upload_date desc, v.published_at desc, v.id desc
             limit $5",
        )
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .bind(after.map(|a| a.2))
        .bind(after.map(|a| a.3))
        .all()
        .await?;
        return Ok(filter.part.page("popular", rows, |v: &VideoCard| {
            (v.view_count, v.upload_date, v.published_at, v.id)
        }));
    }
    let after: Option<(NaiveDate, DateTime<Utc>, Uuid)> = filter.part.after("newest")?;
    let rows = query(
        "and ($6 is null or (v.upload_date, v.published_at, v.id) < ($6, $7, $8))
         order by v.upload_date desc, v.published_at desc, v.id desc
         limit $5",
    )
    .bind(after.map(|a| a.0))
    .bind(after.map(|a| a.1))
    .bind(after.map(|a| a.2))
    .all()
    .await?;
    Ok(filter.part.page("newest", rows, |v: &VideoCard| (v.upload_date, v.published_at, v.id)))
}

/// A viewer who may not watch searches only in titles.
fn pattern(q: Option<&str>, open: bool) -> Option<String> {
    optional_pattern(q).map(|pattern| match open {
        true => pattern,
        // The only line break in the text separates title and description.
        false => format!("{pattern}\n%"),
    })
}

/// Returns three videos, the featured one first: the latest that staff featured within seven days,
/// otherwise the newest (decision V7).
async fn home(app: &App, settings: &Settings) -> Result<Vec<VideoCard>> {
    let today = day_in(settings.timezone, app.clock.now());
    let week = today.checked_sub_days(Days::new(7)).unwrap_or(today);
    let mut videos: Vec<VideoCard> = app
        .db
        .sql([
            "select ",
            CARD,
            " from videos v
             where v.status = 'published'
             order by v.upload_date desc, v.published_at desc, v.id desc
             limit 3",
        ])
        .all()
        .await?;
    let featured: Option<VideoCard> = app
        .db
        .sql([
            "select ",
            CARD,
            " from videos v
             where v.status = 'published' and v.is_featured and v.upload_date > $1
             order by v.upload_date desc, v.published_at desc, v.id desc
             limit 1",
        ])
        .bind(week)
        .optional()
        .await?;
    if let Some(featured) = featured {
        videos.retain(|video| video.id != featured.id);
        videos.insert(0, featured);
        videos.truncate(3);
    }
    Ok(videos)
}

/// Returns the years of the archive with the number of their published videos, newest first. With
/// `q`, counts those that [`list`] finds.
pub async fn years(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    q: Option<&str>,
) -> Result<Vec<YearCount>> {
    app.db
        .sql(
            "select year, count(*) as count
             from videos
             where status = 'published'
               and year < $1
               and ($2 is null or search_text like $2 escape '\\')
             group by year
             order by year desc",
        )
        .bind(i64::from(year_in(settings.timezone, app.clock.now())))
        .bind(pattern(q, viewer.may_watch(settings.access)))
        .all()
        .await
}

/// Returns a published video for its page.
///
/// # Errors
///
/// [`crate::Error::NotFound`] while it is not published, also for staff, and the errors of
/// [`Viewer::must_watch`].
pub async fn find(app: &App, settings: &Settings, viewer: &Viewer, id: Uuid) -> Result<Video> {
    let mut video: Video = app
        .db
        .sql([
            "select ",
            CARD,
            ", v.video_url, v.content_type from videos v where v.id = $1 and v.status = 'published'"
        ])
        .bind(id)
        .optional()
        .await?
        .ok_or(NOT_FOUND)?;
    viewer.must_watch(settings.access)?;
    open_all(app, settings, viewer, std::slice::from_mut(&mut video.card)).await?;
    if let Some(user_id) = viewer.user_id {
        let likes: i64 = app
            .db
            .sql("select count(*) from video_likes where video_id = $1 and user_id = $2")
            .bind(id)
            .bind(user_id)
            .scalar()
            .await?;
        video.liked = likes > 0;
    }
    let near = |text: &'static str| {
        app.db
            .sql(text)
            .bind(video.card.year)
            .bind(video.card.upload_date)
            .bind(video.card.published_at)
            .bind(id)
            .optional::<VideoRef>()
    };
    video.previous = near(
        "select id, title
         from videos
         where status = 'published' and year = $1 and (upload_date, published_at, id) < ($2, $3, $4)
         order by upload_date desc, published_at desc, id desc
         limit 1",
    )
    .await?;
    video.next = near(
        "select id, title
         from videos
         where status = 'published' and year = $1 and (upload_date, published_at, id) > ($2, $3, $4)
         order by upload_date, published_at, id
         limit 1",
    )
    .await?;
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

/// When the next video of today will be published, for the banner (decision V8).
async fn next_today(app: &App, settings: &Settings) -> Result<Option<DateTime<Utc>>> {
    let now = app.clock.now();
    let today = day_in(settings.timezone, now);
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
    let midnight = moment_in(settings.timezone, tomorrow.and_time(Default::default()));
    app.db
        .sql(
            "select min(scheduled_date) from videos
             where status = 'scheduled' and scheduled_date >= $1 and scheduled_date < $2",
        )
        .bind(now)
        .bind(midnight)
        .scalar()
        .await
}

/// Returns when the next video of today will be published, with a text: that time, or otherwise
/// what the settings say.
pub async fn posting_time(
    app: &App,
    settings: &Settings,
) -> Result<(Option<DateTime<Utc>>, String)> {
    let next = next_today(app, settings).await?;
    let text = match next {
        Some(at) => {
            format!("Next update: {}", at.with_timezone(&settings.timezone).format("%-I:%M %p"))
        }
        None => settings.posting_time_text.clone(),
    };
    Ok((next, text))
}

/// Prepares cards for this viewer: adds badges and removes what the viewer may not see.
pub(super) async fn open_all(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    cards: &mut [VideoCard],
) -> Result<()> {
    let this_year = i64::from(year_in(settings.timezone, app.clock.now()));
    let latest = match cards.iter().any(|card| card.year == this_year) {
        true => latest(app, this_year).await?,
        false => None,
    };
    for card in cards {
        card.archive = card.year < this_year;
        card.latest = Some(card.id) == latest;
        open(card, settings, viewer);
    }
    Ok(())
}

/// The newest published video of the current year. Only this one has the badge (decision V6).
async fn latest(app: &App, this_year: i64) -> Result<Option<Uuid>> {
    let row: Option<(Uuid,)> = app
        .db
        .sql(
            "select id
             from videos
             where status = 'published' and year = $1
             order by upload_date desc, published_at desc, id desc
             limit 1",
        )
        .bind(this_year)
        .optional()
        .await?;
    Ok(row.map(|(id,)| id))
}

/// Decides how much of a published video a viewer gets (safety 14). Nothing else does.
fn open(card: &mut VideoCard, settings: &Settings, viewer: &Viewer) {
    if viewer.may_watch(settings.access) {
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
    use proptest::prelude::*;

    use super::*;
    use crate::access::Access;

    fn viewer() -> impl Strategy<Value = Viewer> {
        (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(user, family, staff)| Viewer {
            user_id: user.then(Uuid::new_v4),
            family: user && family,
            refused: user && !family,
            staff_id: staff.then(Uuid::new_v4),
            browser: Some(Uuid::new_v4()),
        })
    }

    fn access() -> impl Strategy<Value = Access> {
        prop::sample::select(vec![Access::Everyone, Access::SignedIn, Access::Families])
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
