//! All published videos in memory. Lists, searches and neighbors are answered from them, which costs less than
//! a statement for each, however many videos there are.
//!
//! They are used only as long as nobody, in no process, has changed anything that families see. Views, likes and
//! comments change nothing of that kind, so their numbers are read for each list if anybody has committed
//! anything since.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use uuid::Uuid;

use super::{VideoCard, VideoRef, VideoType};
use crate::db::content::Version;
use crate::db::{Commit, Db, On, packed, packed_by_id};
use crate::{App, Result};

/// The order of lists: the last day first, and on a day what was published last.
pub(super) type Place = (NaiveDate, DateTime<Utc>, Uuid);

/// After so long, numbers are read anew for all videos.
const COUNTED: TimeDelta = TimeDelta::seconds(1);

/// The published videos at one moment.
pub(super) struct Catalog {
    /// `None` if it could not be told.
    version: Option<Version>,
    /// The last commit. PostgreSQL does not tell it.
    commit: Option<Commit>,
    at: DateTime<Utc>,
    /// The newest first.
    videos: Vec<Listed>,
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

/// Returns the videos as they are now, apart from numbers.
pub(super) async fn get(app: &App) -> Result<Arc<Catalog>> {
    let cache = &app.content_cache;
    let known = current(app).await;
    let _turn = match known {
        Some(known) if known.is_counted(app) => return Ok(known),
        // If somebody else reads them, the numbers can be read apart.
        Some(known) => match cache.try_turn() {
            Ok(turn) => turn,
            Err(_) => return Ok(known),
        },
        None => cache.turn().await,
    };
    if let Some(known) = current(app).await.filter(|known| known.is_counted(app)) {
        return Ok(known);
    }
    // From before they are read: what somebody changes meanwhile makes another version.
    let version = cache.version().await;
    let (commit, at) = (app.db.commit(), app.clock.now());
    let query = packed(SQLITE_COLUMNS, POSTGRES_COLUMNS, "from videos where status = 'published'");
    let rows: Vec<Row> = On::from(&app.db).either(query).unpacked().await?;
    let mut videos: Vec<Listed> = rows.into_iter().map(Listed::from).collect();
    videos.sort_by_key(|video| Reverse(video.place()));
    let catalog = Arc::new(Catalog { version, commit, at, videos });
    cache.put(catalog.clone());
    Ok(catalog)
}

/// The same, of which numbers are not needed.
pub(super) async fn uncounted(app: &App) -> Result<Arc<Catalog>> {
    match current(app).await {
        Some(known) => Ok(known),
        None => get(app).await,
    }
}

/// What is known, if nobody has changed anything since.
async fn current(app: &App) -> Option<Arc<Catalog>> {
    let version = app.content_cache.version().await?;
    app.content_cache.get::<Catalog>().filter(|known| known.version == Some(version))
}

impl Catalog {
    /// Those of these days that come after a place and contain the term, the newest first.
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

    /// Sets the numbers of cards to the present ones.
    pub async fn count(&self, app: &App, cards: &mut [VideoCard]) -> Result<()> {
        if cards.is_empty() || self.is_of_last_commit(&app.db) {
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
        let counts: HashMap<Uuid, (i64, i64, i64)> = rows
            .into_iter()
            .map(|(id, views, likes, comments)| (id, (views, likes, comments)))
            .collect();
        for card in cards {
            if let Some(&(views, likes, comments)) = counts.get(&card.id) {
                (card.view_count, card.like_count, card.comment_count) = (views, likes, comments);
            }
        }
        Ok(())
    }

    /// Whether the numbers need not be read anew for all.
    fn is_counted(&self, app: &App) -> bool {
        let age = app.clock.now() - self.at;
        self.commit.is_none() || age.abs() < COUNTED || self.is_of_last_commit(&app.db)
    }

    fn is_of_last_commit(&self, db: &Db) -> bool {
        self.commit.is_some() && self.commit == db.commit()
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
