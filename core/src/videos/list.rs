//! Lists of videos as families see them: home page, this summer, archive and search.

use std::cmp::Reverse;
use std::ops::Range;

use chrono::{DateTime, Days, NaiveDate, Utc};
use uuid::Uuid;

use super::catalog::{Catalog, Now, Place, Term};
use super::watch::open_all;
use super::{Collection, Sort, VideoCard, YearCount, catalog};
use crate::access::Viewer;
use crate::clock::{day_in, moment_in, year_in};
use crate::pagination::{Page, PageRequest};
use crate::search_text::optional_term;
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
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn list(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    filter: &Filter,
) -> Result<Page<VideoCard>> {
    let by_views = filter.sort == Sort::Popular
        && filter.collection != Some(Collection::Home)
        && viewer.may_watch(settings.watch_access());
    let now = catalog::get(app).await?;
    let mut page = match filter.collection {
        Some(Collection::Home) => {
            Page { items: home(app, &now, settings, filter.part.limit()), next: None }
        }
        // The order by views would reveal to others which videos are watched most.
        _ if by_views => most_viewed(app, &now, settings, filter).await?,
        _ => newest(app, &now, settings, viewer, filter)?,
    };
    // Videos in the order by views already have their numbers.
    if !by_views {
        now.count(app, &mut page.items).await?;
    }
    open_all(app, &now, settings, viewer, &mut page.items).await?;
    Ok(page)
}

/// Years that no video has.
const FIRST_YEAR: i64 = 1;
const LAST_YEAR: i64 = 9999;

fn newest(
    app: &App,
    catalog: &Catalog,
    settings: &Settings,
    viewer: &Viewer,
    filter: &Filter,
) -> Result<Page<VideoCard>> {
    let term = term(filter.q.as_deref(), viewer.may_watch(settings.watch_access()));
    let days = filter.days(app, settings);
    let after: Option<Place> = filter.part.after("newest")?;
    let found = catalog.found(&days, after, term.as_ref());
    let rows = found.take(filter.part.limit() as usize + 1).cloned().collect();
    let place = |card: &VideoCard| (card.upload_date, card.published_at, card.id);
    Ok(filter.part.page("newest", rows, place))
}

async fn most_viewed(
    app: &App,
    now: &Now,
    settings: &Settings,
    filter: &Filter,
) -> Result<Page<VideoCard>> {
    let after: Option<(i64, NaiveDate, DateTime<Utc>, Uuid)> = filter.part.after("popular")?;
    let term = term(filter.q.as_deref(), true);
    let days = filter.days(app, settings);
    let mut rows: Vec<VideoCard> = now.found(&days, None, term.as_ref()).cloned().collect();
    now.count(app, &mut rows).await?;
    let place = |card: &VideoCard| (card.view_count, card.upload_date, card.published_at, card.id);
    rows.retain(|card| after.is_none_or(|after| place(card) < after));
    rows.sort_by_key(|card| Reverse(place(card)));
    rows.truncate(filter.part.limit() as usize + 1);
    Ok(filter.part.page("popular", rows, place))
}

impl Filter {
    /// The days of which videos are listed, which follow from the years (decision V1).
    fn days(&self, app: &App, settings: &Settings) -> Range<NaiveDate> {
        let this_year = i64::from(year_in(settings.timezone, app.clock.now()));
        let (mut from, mut before) = match self.collection {
            Some(Collection::Current) => (this_year, LAST_YEAR),
            Some(Collection::Archive) => (FIRST_YEAR, this_year),
            Some(Collection::Home) | None => (FIRST_YEAR, LAST_YEAR),
        };
        if let Some(year) = self.year {
            let year = year.clamp(FIRST_YEAR, LAST_YEAR - 1);
            (from, before) = (from.max(year), before.min(year + 1));
        }
        let first_of = |year: i64| NaiveDate::from_ymd_opt(year as i32, 1, 1).unwrap_or_default();
        first_of(from)..first_of(before)
    }
}

/// A viewer who may not watch searches only in titles.
fn term(q: Option<&str>, open: bool) -> Option<Term> {
    Some(Term { text: optional_term(q)?, in_descriptions: open })
}

/// Returns at most three videos, the featured one first: the latest that staff featured within seven
/// days, otherwise the newest (decision V7).
fn home(app: &App, catalog: &Catalog, settings: &Settings, limit: i64) -> Vec<VideoCard> {
    let today = day_in(settings.timezone, app.clock.now());
    let week = today.checked_sub_days(Days::new(7)).unwrap_or(today);
    let mut lately = catalog.all().take_while(|card| card.upload_date > week);
    let featured = lately.find(|card| card.is_featured);
    let others =
        catalog.all().filter(|card| featured.is_none_or(|featured| featured.id != card.id));
    featured.into_iter().chain(others).take(limit.min(3) as usize).cloned().collect()
}

/// Returns the years of the archive with the number of their published videos, newest first. With
/// `q`, counts those that [`list`] finds.
pub async fn years(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    q: Option<&str>,
) -> Result<Vec<YearCount>> {
    let archive = Filter { collection: Some(Collection::Archive), ..Filter::default() };
    let days = archive.days(app, settings);
    let term = term(q, viewer.may_watch(settings.watch_access()));
    let catalog = catalog::get(app).await?;
    let mut years: Vec<YearCount> = Vec::new();
    for card in catalog.found(&days, None, term.as_ref()) {
        match years.last_mut() {
            Some(last) if last.year == card.year => last.count += 1,
            _ => years.push(YearCount { year: card.year, count: 1 }),
        }
    }
    Ok(years)
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
