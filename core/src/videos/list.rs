//! Lists of videos as families see them: home page, this summer, archive and search.

use chrono::{DateTime, Days, NaiveDate, Utc};
use uuid::Uuid;

use super::watch::open_all;
use super::{CARD, Collection, Sort, VideoCard, YearCount, optional_pattern};
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
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it is of another order or list.
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
    let open = viewer.may_watch(settings.watch_access());
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
        .bind(pattern(q, viewer.may_watch(settings.watch_access())))
        .all()
        .await
}

/// When the next video of today will be published, for the banner (decision V8).
async fn next_today(app: &App, settings: &Settings) -> Result<Option<DateTime<Utc>>> {
    let now = app.clock.now();
    let today = day_in(settings.timezone, now);
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
    let midnight = moment_in(settings.timezone, tomorrow.and_time(Default::default()));
    // A video that waits for the end of quiet time was due earlier.
    let from = settings.quiet_window(now).map_or(now, |window| window.starts_at);
    let next: Option<DateTime<Utc>> = app
        .db
        .sql(
            "select min(scheduled_date) from videos
             where status = 'scheduled' and scheduled_date >= $1 and scheduled_date < $2",
        )
        .bind(from)
        .bind(midnight)
        .scalar()
        .await?;
    Ok(next.map(|at| settings.publication_time(at)).filter(|at| (now..midnight).contains(at)))
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
