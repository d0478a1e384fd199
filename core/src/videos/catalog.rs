//! All published videos in memory. Lists, searches and neighbors are answered from them, which costs less than
//! a statement for each, however many videos there are.
//!
//! They are used until somebody, in any process, changes anything that families see. Numbers of
//! views, likes and comments have a version of their own, so they are read separately if one has
//! changed since.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use uuid::Uuid;

use super::{Video, VideoCard, VideoRef, VideoType};
use crate::db::content::Current;
use crate::db::{On, packed, packed_by_id};
use crate::{App, Result};

/// The order of lists: the last day first, and on a day what was published last.
pub(super) type Place = (NaiveDate, DateTime<Utc>, Uuid);

/// After this time, changed numbers are read for all videos.
const COUNTED: TimeDelta = TimeDelta::seconds(1);

/// How many records are kept.
const RECORDS: usize = 1_000;

/// The published videos at one moment.
pub(super) struct Catalog {
    /// `None` if they could not be determined.
    of: Option<Current>,
    at: DateTime<Utc>,
    /// The newest first.
    videos: Vec<Listed>,
    /// The videos that somebody asked for, as everybody sees them.
    records: Mutex<HashMap<Uuid, Arc<Video>>>,
}

struct Listed {
    card: VideoCard,
    search_text: String,
}

/// What is searched for.
pub(super) struct Term {
    pub text: String,
    pub in_descriptions: bool,
}

/// The published videos as they are now, apart from numbers.
pub(super) struct Now {
    catalog: Arc<Catalog>,
    /// Whether its numbers are those of now as well.
    is_counted: bool,
}

/// Returns the videos as they are now.
pub(super) async fn get(app: &App) -> Result<Now> {
    let cache = &app.content_cache;
    let known = cache.versions().await.and_then(|current| known_at(app, current));
    let _lock = match known {
        Some(now) if now.is_counted || now.is_young(app) => return Ok(now),
        // If somebody else is reading the videos, their numbers can be read separately.
        Some(now) => match cache.try_lock() {
            Ok(lock) => Some(lock),
            Err(_) => return Ok(now),
        },
        None => cache.lock().await,
    };
    // The versions are read before the videos, so that a change in between leads to another
    // version.
    let (of, at) = (cache.versions().await, app.clock.now());
    if let Some(now) = of.and_then(|of| known_at(app, of)).filter(|now| now.is_counted) {
        return Ok(now);
    }
    let query = packed(SQLITE_COLUMNS, POSTGRES_COLUMNS, "from videos where status = 'published'");
    let rows: Vec<Row> = On::from(&app.db).either(query).unpacked().await?;
    let mut videos: Vec<Listed> = rows.into_iter().map(Listed::from).collect();
    videos.sort_by_key(|video| Reverse(video.place()));
    let catalog = Arc::new(Catalog { of, at, videos, records: Mutex::default() });
    cache.put(catalog.clone());
    Ok(Now { catalog, is_counted: true })
}

/// What is known, if nobody has changed anything but numbers since.
fn known_at(app: &App, current: Current) -> Option<Now> {
    let catalog = app.content_cache.get::<Catalog>()?;
    let of = catalog.of.filter(|of| of.content == current.content)?;
    Some(Now { is_counted: of.numbers == current.numbers, catalog })
}

impl Now {
    fn is_young(&self, app: &App) -> bool {
        (app.clock.now() - self.catalog.at).abs() < COUNTED
    }

    /// Sets the numbers of cards to the present ones.
    pub async fn count(&self, app: &App, cards: &mut [VideoCard]) -> Result<()> {
        if cards.is_empty() || self.is_counted {
            return Ok(());
        }
        let rows: Vec<(Uuid, i64, i64, i64)> = On::from(&app.db)
            .either(packed_by_id(
                "hex(id), view_count, like_count, comment_count",
                "id, view_count, like_count, comment_count",
                "from videos where id in ",
            ))
            .bind_ids(cards.iter().map(|card| card.id))
            .unpacked()
            .await?;
        let counts =
            rows.into_iter().map(|(id, views, likes, comments)| (id, (views, likes, comments)));
        let counts: HashMap<Uuid, (i64, i64, i64)> = counts.collect();
        for card in cards {
            if let Some(&(views, likes, comments)) = counts.get(&card.id) {
                (card.view_count, card.like_count, card.comment_count) = (views, likes, comments);
            }
        }
        Ok(())
    }
}

impl Deref for Now {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.catalog
    }
}

impl Catalog {
    /// The videos of these days that come after a place and contain the term, the newest first.
    pub fn found(
        &self,
        days: &Range<NaiveDate>,
        after: Option<Place>,
        term: Option<&Term>,
    ) -> impl Iterator<Item = &VideoCard> {
        let first = (days.end, DateTime::UNIX_EPOCH, Uuid::nil());
        let place = after.map_or(first, |after| after.min(first));
        let begin = self.videos.partition_point(|video| video.place() >= place);
        let end = self.videos.partition_point(|video| video.card.upload_date >= days.start);
        let videos = self.videos.get(begin..end).unwrap_or_default().iter();
        videos
            .filter(move |video| term.is_none_or(|term| video.contains(term)))
            .map(|video| &video.card)
    }

    /// The newest first.
    pub fn all(&self) -> impl Iterator<Item = &VideoCard> {
        self.videos.iter().map(|video| &video.card)
    }

    /// The previous and the next video of the same year.
    pub fn neighbors(&self, card: &VideoCard) -> [Option<VideoRef>; 2] {
        let place = (card.upload_date, card.published_at, card.id);
        let newer = self.videos.partition_point(|video| video.place() > place);
        let older = self.videos.partition_point(|video| video.place() >= place);
        [self.videos.get(older), newer.checked_sub(1).and_then(|at| self.videos.get(at))].map(
            |video| {
                let near = video.filter(|video| video.card.year == card.year)?;
                Some(VideoRef { id: near.card.id, title: near.card.title.clone() })
            },
        )
    }

    /// A record that was kept.
    pub fn record(&self, id: Uuid) -> Option<Video> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let record = records.get(&id).cloned();
        drop(records);
        record.map(Arc::unwrap_or_clone)
    }

    pub fn keep(&self, record: Video) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if records.len() < RECORDS {
            records.insert(record.card.id, Arc::new(record));
        }
    }
}

impl Listed {
    fn place(&self) -> Place {
        (self.card.upload_date, self.card.published_at, self.card.id)
    }

    fn contains(&self, term: &Term) -> bool {
        // The only line break in the text separates title and description.
        let text = match (term.in_descriptions, self.search_text.split_once('\n')) {
            (false, Some((title, _))) => title,
            _ => &self.search_text,
        };
        text.contains(&term.text)
    }
}

const SQLITE_COLUMNS: &str = "hex(id), title, description, video_type, thumbnail_url, upload_date, year,
         json(iif(is_featured, 'true', 'false')), published_at, view_count, like_count, comment_count,
         duration_seconds, search_text";
const POSTGRES_COLUMNS: &str =
    "id, title, description, video_type, thumbnail_url, upload_date, year,
         is_featured, published_at, view_count, like_count, comment_count, duration_seconds,
         search_text";
type Row = (
    Uuid,
    String,
    Option<String>,
    VideoType,
    Option<String>,
    NaiveDate,
    i64,
    bool,
    DateTime<Utc>,
    i64,
    i64,
    i64,
    Option<i64>,
    String,
);

impl From<Row> for Listed {
    fn from(row: Row) -> Listed {
        let card = VideoCard {
            id: row.0,
            title: row.1,
            description: row.2,
            video_type: row.3,
            thumbnail_url: row.4,
            upload_date: row.5,
            year: row.6,
            is_featured: row.7,
            published_at: row.8,
            view_count: row.9,
            like_count: row.10,
            comment_count: row.11,
            duration_seconds: row.12,
            latest: false,
            archive: false,
            is_new: false,
            restricted: false,
        };
        Listed { card, search_text: row.13 }
    }
}
