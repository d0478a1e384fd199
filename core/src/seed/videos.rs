//! The videos of the sample camp: this summer's and those of the archive.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, Utc, Weekday};
use uuid::Uuid;

use super::Sample;
use super::calendar::{self, Night};
use super::content::{Content, Kind, MEDIA, Title, media};
use super::people::People;
use super::random::Random;
use crate::clock::{day_in, moment_in};
use crate::db::Tx;
use crate::ids::StaffId;
use crate::videos::link::{self, Link, VideoType};
use crate::videos::search_texts;
use crate::{App, Result};

pub struct SampleVideo {
    pub id: Uuid,
    pub title: String,
    description: Option<String>,
    video_url: String,
    video_type: VideoType,
    thumbnail_url: Option<String>,
    media: Option<&'static super::content::Media>,
    upload_date: NaiveDate,
    pub year: i64,
    status: &'static str,
    scheduled_date: Option<DateTime<Utc>>,
    pub published_at: Option<DateTime<Utc>>,
    is_featured: bool,
    pub views: i64,
    pub likes: i64,
    pub comments: i64,
    uploaded_by: StaffId,
    created_at: DateTime<Utc>,
    /// Announced to families by mail.
    pub announced: bool,
}

const PUBLISHED: usize = 29;
const SCHEDULED: usize = 2;
const DRAFTS: usize = 3;
/// The number of videos in the shortened summer.
const SHORT: usize = 12;
const SPECIALS: usize = 3;

/// Fails with [`crate::Error::Invalid`] when [`link::parse`] refuses an invented link.
pub fn invent(
    content: &Content,
    sample: Sample,
    now: DateTime<Utc>,
    people: &People,
    random: &mut Random,
) -> Result<Vec<SampleVideo>> {
    let today = day_in(content.camp.timezone, now);
    let (summers, short) = match sample {
        Sample::Yiddish => (8, 6),
        Sample::General => (5, 4),
    };
    let mut videos = Vec::new();
    for ago in (1..=summers).rev() {
        let year = today.year() - ago;
        let mut nights = calendar::summer(sample, year);
        let mut specials = SPECIALS;
        if ago == short {
            nights.truncate(SHORT);
            specials = 0;
        }
        videos.extend(earlier_summer(content, year, ago, &nights, specials, people, random)?);
    }
    videos.extend(this_summer(content, sample, now, people, random));
    Ok(videos)
}

fn earlier_summer(
    content: &Content,
    year: i32,
    ago: i32,
    nights: &[Night],
    specials: usize,
    people: &People,
    random: &mut Random,
) -> Result<Vec<SampleVideo>> {
    let zone = content.camp.timezone;
    let mut titles = Titles::new(content);
    let mut videos = Vec::new();
    for night in nights {
        let minute = random.between(0, 75);
        let at = moment_in(zone, night.date.and_time(evening(*night)) + TimeDelta::minutes(minute));
        videos.push((titles.of(*night, random), night.date, at));
    }
    // Specials follow in the weeks after camp, within the same year.
    let last = nights.last().map_or(NaiveDate::default(), |night| night.date);
    for (n, title) in titles.specials(random).into_iter().take(specials).enumerate() {
        let date = last + TimeDelta::days(9 + 14 * n as i64 + random.between(0, 6));
        videos.push((title, date, moment_in(zone, date.and_time(time(19, 30)))));
    }
    let mut made = Vec::new();
    for (title, date, at) in videos {
        let own = media(&title.media);
        let id = random.id(at);
        let provider = match ago {
            1..=3 => random.weighted(&[60, 30, 10]),
            _ => 1,
        };
        let kept = match provider {
            0 => Link {
                video_type: VideoType::Upload,
                video_url: format!("/media/videos/{id}"),
                thumbnail_url: Some(format!("/media/thumbnails/{id}")),
                content_type: Some("video/mp4"),
            },
            // Invalid ids: like many old links of a real camp, they do not work.
            1 => {
                link::parse(&format!("https://drive.google.com/file/d/1{}/view", random.word(32)))?
            }
            _ => link::parse(&format!("https://youtu.be/{}", random.word(11)))?,
        };
        made.push(SampleVideo {
            id,
            title: title.title.clone(),
            description: title.description.clone(),
            video_url: kept.video_url,
            video_type: kept.video_type,
            thumbnail_url: kept.thumbnail_url,
            media: (provider == 0).then_some(own),
            upload_date: date,
            year: i64::from(year),
            status: "published",
            scheduled_date: None,
            published_at: Some(at),
            is_featured: random.percent(4),
            views: 0,
            likes: 0,
            comments: 0,
            uploaded_by: people.video_team(),
            created_at: at - TimeDelta::minutes(20),
            announced: false,
        });
    }
    Ok(made)
}

fn this_summer(
    content: &Content,
    sample: Sample,
    now: DateTime<Utc>,
    people: &People,
    random: &mut Random,
) -> Vec<SampleVideo> {
    let today = day_in(content.camp.timezone, now);
    let nights = calendar::this_summer(content, sample, now, PUBLISHED);
    let mut summer = Summer { content, people, now, today, titles: Titles::new(content) };
    let mut videos = summer.published(&nights, random);
    let day = nights.last().map_or(30, |night| night.day + 1);
    videos.extend(summer.scheduled(sample, day, random));
    let filmed = nights.last().map_or(today, |night| night.date);
    videos.extend((0..DRAFTS).map(|_| summer.draft(filmed, random)));
    videos
}

struct Summer<'a> {
    content: &'a Content,
    people: &'a People,
    now: DateTime<Utc>,
    today: NaiveDate,
    titles: Titles<'a>,
}

impl Summer<'_> {
    fn published(&mut self, nights: &[Night], random: &mut Random) -> Vec<SampleVideo> {
        let Summer { now, today, .. } = *self;
        let zone = self.content.camp.timezone;
        let midnight = moment_in(zone, today.and_time(NaiveTime::MIN));
        let mut videos = Vec::new();
        for n in 0..PUBLISHED {
            // Early in the year several videos share a day. On its first day they share the hours
            // since midnight.
            let (night, at) = match nights.get(n * nights.len() / PUBLISHED) {
                Some(night) => {
                    let minute = random.between(0, 20) + (n * 3 % 30) as i64;
                    let local = night.date.and_time(evening(*night)) + TimeDelta::minutes(minute);
                    (*night, moment_in(zone, local))
                }
                None => {
                    let part = (now - midnight) * n as i32 / PUBLISHED as i32;
                    (Night { day: n as u32 + 1, date: today }, midnight + part)
                }
            };
            let title = self.titles.of(night, random);
            let made_at = at - TimeDelta::minutes(25);
            videos.push(SampleVideo {
                status: "published",
                published_at: Some(at),
                // One of the last week is first on the home page.
                is_featured: n + 4 == PUBLISHED || n % 11 == 3,
                announced: true,
                ..self.own(title, night.date, made_at, random)
            });
        }
        videos
    }

    fn scheduled(&mut self, sample: Sample, day: u32, random: &mut Random) -> Vec<SampleVideo> {
        let Summer { now, today, .. } = *self;
        let zone = self.content.camp.timezone;
        let coming = calendar::coming(sample, today)
            .map(|date| {
                let night = Night { day: day + (date - today).num_days() as u32, date };
                (night, moment_in(zone, date.and_time(evening(night)) + TimeDelta::minutes(30)))
            })
            .filter(|(_, at)| *at > now + TimeDelta::minutes(10));
        let mut videos = Vec::new();
        for (night, at) in coming.take(SCHEDULED) {
            let title = self.titles.of(night, random);
            let made_at = now - TimeDelta::minutes(random.between(20, 300));
            videos.push(SampleVideo {
                status: "scheduled",
                scheduled_date: Some(at),
                ..self.own(title, today, made_at, random)
            });
        }
        videos
    }

    fn draft(&mut self, filmed: NaiveDate, random: &mut Random) -> SampleVideo {
        let title = self.titles.of(Night { day: 0, date: self.today }, random);
        let made_at = self.now - TimeDelta::minutes(random.between(30, 1500));
        self.own(title, filmed, made_at, random)
    }

    /// A draft whose file is in the object store.
    fn own(
        &self,
        title: &Title,
        date: NaiveDate,
        made_at: DateTime<Utc>,
        random: &mut Random,
    ) -> SampleVideo {
        let id = random.id(made_at);
        SampleVideo {
            id,
            title: title.title.clone(),
            description: title.description.clone(),
            video_url: format!("/media/videos/{id}"),
            video_type: VideoType::Upload,
            thumbnail_url: Some(format!("/media/thumbnails/{id}")),
            media: Some(media(&title.media)),
            upload_date: date,
            year: i64::from(self.today.year()),
            status: "draft",
            scheduled_date: None,
            published_at: None,
            is_featured: false,
            views: 0,
            likes: 0,
            comments: 0,
            uploaded_by: self.people.video_team(),
            created_at: made_at,
            announced: false,
        }
    }
}

/// Videos are published between 7 and 9 p.m., and later on Motzei Shabbos.
fn evening(night: Night) -> NaiveTime {
    match night.date.weekday() {
        Weekday::Sat => time(22, 0),
        _ => time(19, 40),
    }
}

fn time(hour: u32, minute: u32) -> NaiveTime {
    NaiveTime::from_hms_opt(hour, minute, 0).unwrap_or_default()
}

/// Picks titles that fit the day, without repeating one in a summer while there are others.
struct Titles<'a> {
    all: &'a [Title],
    used: Vec<usize>,
    has_shabbos: bool,
}

impl<'a> Titles<'a> {
    fn new(content: &'a Content) -> Titles<'a> {
        let all = &content.video_titles;
        Titles { all, used: Vec::new(), has_shabbos: all.iter().any(|t| t.kind == Kind::Shabbos) }
    }

    fn of(&mut self, night: Night, random: &mut Random) -> &'a Title {
        let shabbos = self.has_shabbos && night.date.weekday() == Weekday::Sat;
        let kind = if shabbos { Kind::Shabbos } else { Kind::Day };
        let near = |day: u32| match shabbos {
            true => day.abs_diff(night.day) <= 3,
            false => day == night.day,
        };
        let fits = |title: &Title, own: bool| {
            title.kind == kind
                && if own { title.only_day.is_some_and(near) } else { title.only_day.is_none() }
        };
        let free = |titles: &Titles, own: bool| -> Vec<usize> {
            let all = titles.all.iter().enumerate();
            all.filter(|(at, t)| fits(t, own) && !titles.used.contains(at))
                .map(|(at, _)| at)
                .collect()
        };
        let mut candidates = free(self, true);
        if candidates.is_empty() {
            candidates = free(self, false);
        }
        if candidates.is_empty() {
            self.used.retain(|at| self.all[*at].kind != kind || self.all[*at].only_day.is_some());
            candidates = free(self, false);
        }
        let at = candidates.get(random.below(candidates.len())).copied().unwrap_or_default();
        self.used.push(at);
        &self.all[at]
    }

    fn specials(&self, random: &mut Random) -> Vec<&'a Title> {
        let mut specials: Vec<&Title> =
            self.all.iter().filter(|title| title.kind == Kind::Special).collect();
        random.shuffle(&mut specials);
        specials
    }
}

/// Stores the sample video files in the object store.
///
/// # Errors
///
/// Those of [`crate::files::Files::put`].
pub async fn store_files(app: &App) -> Result<()> {
    for media in MEDIA {
        app.files.put(&media.film_key(), bytes::Bytes::from_static(media.film)).await?;
        app.files.put(&media.picture_key(), bytes::Bytes::from_static(media.picture)).await?;
    }
    Ok(())
}

pub async fn write(tx: &mut Tx, videos: &[SampleVideo]) -> Result<()> {
    for film in videos {
        let description = film.description.as_deref();
        let (search_text, staff_search_text) =
            search_texts(&film.title, description, film.video_type, film.upload_date);
        tx.sql(
            "insert into videos
               (id, title, description, video_url, video_type, thumbnail_url, file_key,
                thumbnail_key, content_type, duration_seconds, upload_date, year, status,
                scheduled_date, published_at, is_featured, view_count, like_count, comment_count,
                uploaded_by, search_text, staff_search_text, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                     $18, $19, $20, $21, $22, 1, $23, $23)",
        )
        .bind(film.id)
        .bind(&film.title)
        .bind(film.description.clone())
        .bind(&film.video_url)
        .bind(film.video_type)
        .bind(film.thumbnail_url.clone())
        .bind(film.media.map(|media| media.film_key()))
        .bind(film.media.map(|media| media.picture_key()))
        .bind(film.media.map(|_| "video/mp4".to_owned()))
        .bind(film.media.map(|media| media.seconds))
        .bind(film.upload_date)
        .bind(film.year)
        .bind(film.status)
        .bind(film.scheduled_date)
        .bind(film.published_at)
        .bind(film.is_featured)
        .bind(film.views)
        .bind(film.likes)
        .bind(film.comments)
        .bind(film.uploaded_by)
        .bind(search_text)
        .bind(staff_search_text)
        .bind(film.created_at)
        .execute()
        .await?;
    }
    Ok(())
}
