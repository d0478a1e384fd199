//! Comments, likes and views of the sample camp, and the mails about its videos.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::content::Content;
use super::deliveries::{notification, sent_to_families};
use super::people::{Login, People};
use super::random::Random;
use super::videos::SampleVideo;
use crate::comments::{ReportCategory, search_text};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::{StaffId, UserId};
use crate::notifications::{Category, MailKind, suppression};
use crate::videos::{viewer_key, write_watcher};
use crate::{App, Result};

pub struct Activity {
    pub comments: Vec<Comment>,
    pub likes: Vec<(Uuid, UserId, DateTime<Utc>)>,
    pub views: Vec<View>,
}

pub struct Comment {
    id: Uuid,
    video_id: Uuid,
    user_id: UserId,
    author_name: String,
    content: String,
    created_at: DateTime<Utc>,
    hidden: Option<(DateTime<Utc>, StaffId)>,
    reports: Vec<[u8; 32]>,
}

pub struct View {
    video_id: Uuid,
    viewer: Watcher,
    device: &'static str,
    at: DateTime<Utc>,
}

/// A viewer: a signed-in user or an anonymous browser.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Watcher {
    Login(UserId),
    Guest([u8; 32]),
}

const COMMENTS: usize = 400;
const HIDDEN: usize = 5;
const REPORTED: usize = 4;
const LIKES: usize = 1_200;
const VIEWS: usize = 10_000;
/// The number of viewers, with and without a user.
const VIEWERS: usize = 420;
/// How far back the activity goes.
const EARLIEST: TimeDelta = TimeDelta::days(40);
const FAILED: usize = 5;
const SUPPRESSED: usize = 2;

pub fn invent(
    content: &Content,
    now: DateTime<Utc>,
    people: &People,
    videos: &mut [SampleVideo],
    random: &mut Random,
) -> Activity {
    // Recent users have no activity: nobody comments before joining.
    let mut logins = people.logins_of_all();
    logins.retain(|login| login.joined_at < now - EARLIEST);
    let mut audience = Audience::of(videos, now, random);
    let comments = comments(content, people, &logins, &mut audience, random);
    let likes = likes(&logins, &mut audience, random);
    let views = views(&logins, &mut audience, random);
    Activity { comments, likes, views }
}

/// Chooses the videos that people watch.
struct Audience<'a> {
    videos: &'a mut [SampleVideo],
    /// The positions of published videos, and how often each is watched.
    watched: Vec<usize>,
    weights: Vec<usize>,
    now: DateTime<Utc>,
}

impl<'a> Audience<'a> {
    /// Most views go to this summer and its newest videos, few to the archive.
    fn of(videos: &'a mut [SampleVideo], now: DateTime<Utc>, random: &mut Random) -> Audience<'a> {
        let watched: Vec<usize> =
            (0..videos.len()).filter(|at| videos[*at].published_at.is_some()).collect();
        let mut weight = |new: bool| if new { 60 + random.below(60) } else { 1 + random.below(6) };
        let weights = watched.iter().map(|at| weight(videos[*at].announced)).collect();
        Audience { videos, watched, weights, now }
    }

    fn pick(&mut self, random: &mut Random) -> &mut SampleVideo {
        &mut self.videos[self.watched[random.weighted(&self.weights)]]
    }
}

fn comments(
    content: &Content,
    people: &People,
    logins: &[&Login],
    audience: &mut Audience,
    random: &mut Random,
) -> Vec<Comment> {
    let writers: Vec<&&Login> = logins.iter().filter(|login| login.can_comment).collect();
    let (team, now) = (people.video_team(), audience.now);
    let mut comments = Vec::new();
    let mut bag: Vec<usize> = Vec::new();
    for n in 0..COMMENTS {
        let film = audience.pick(random);
        let writer = random.pick(&writers);
        if bag.is_empty() {
            bag = (0..content.comments.len()).collect();
            random.shuffle(&mut bag);
        }
        let remark = &content.comments[bag.pop().unwrap_or_default()];
        let created_at = after(film, now, random, 3 * 1440);
        let hidden = n < HIDDEN;
        let reported = remark.reportable || (HIDDEN..HIDDEN + REPORTED).contains(&n);
        film.comments += i64::from(!hidden);
        comments.push(Comment {
            id: random.id(created_at),
            video_id: film.id,
            user_id: writer.id,
            author_name: writer.full_name.clone(),
            content: remark.text.clone(),
            created_at,
            hidden: hidden.then(|| {
                ((created_at + TimeDelta::minutes(random.between(5, 400))).min(now), team)
            }),
            reports: match reported {
                true => (0..random.between(1, 3)).map(|_| random.bytes()).collect(),
                false => Vec::new(),
            },
        });
    }
    comments
}

fn likes(
    logins: &[&Login],
    audience: &mut Audience,
    random: &mut Random,
) -> Vec<(Uuid, UserId, DateTime<Utc>)> {
    let now = audience.now;
    let mut liked = HashSet::new();
    let mut likes = Vec::new();
    while likes.len() < LIKES {
        let film = audience.pick(random);
        let user = random.pick(logins).id;
        if liked.insert((film.id, user)) {
            film.likes += 1;
            likes.push((film.id, user, after(film, now, random, 6 * 1440)));
        }
    }
    likes
}

fn views(logins: &[&Login], audience: &mut Audience, random: &mut Random) -> Vec<View> {
    // One in five users has not watched yet, or never signed in.
    let viewers: Vec<(Watcher, &'static str)> = (0..VIEWERS)
        .map(|n| {
            let guest = Watcher::Guest(random.bytes());
            let device = ["phone", "tablet", "computer"][random.weighted(&[64, 9, 27])];
            let login = logins.get(n).filter(|_| n % 5 != 4);
            (login.map_or(guest, |login| Watcher::Login(login.id)), device)
        })
        .collect();
    let now = audience.now;
    let mut seen = HashSet::new();
    let mut views = Vec::new();
    while views.len() < VIEWS {
        let film = audience.pick(random);
        let (viewer, device) = *random.pick(&viewers);
        let at = after(film, now, random, 12 * 1440);
        if seen.insert((film.id, viewer, hour(at))) {
            film.views += 1;
            views.push(View { video_id: film.id, viewer, device, at });
        }
    }
    views
}

/// A time after the publication of a video, mostly soon. Archive videos are watched in recent
/// weeks.
fn after(
    film: &SampleVideo,
    now: DateTime<Utc>,
    random: &mut Random,
    minutes: i64,
) -> DateTime<Utc> {
    let Some(published_at) = film.published_at else { return now };
    let from = match film.announced {
        true => published_at,
        false => published_at.max(now - EARLIEST),
    };
    let period = (now - from).num_minutes();
    let period = if film.announced { period.min(minutes) } else { period };
    let soon = random.below(1000) * random.below(1000) / 1000;
    from + TimeDelta::seconds(60 * period * soon as i64 / 1000)
}

/// What the first, second and third reader of a comment report.
const REASONS: [(ReportCategory, &str); 3] = [
    (ReportCategory::Unkind, "Not nice to read"),
    (ReportCategory::Unsuitable, ""),
    (ReportCategory::Other, "Please have a look at this one"),
];

fn hour(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(3600)
}

impl Activity {
    pub async fn write(&self, tx: &mut Tx, app: &App) -> Result<()> {
        self.write_comments(tx, app).await?;
        for (video_id, user_id, at) in &self.likes {
            tx.sql("insert into video_likes (video_id, user_id, created_at) values ($1, $2, $3)")
                .bind(*video_id)
                .bind(*user_id)
                .bind(*at)
                .execute()
                .await?;
        }
        for view in &self.views {
            tx.sql(
                "insert into video_views (video_id, viewer, hour, device, viewed_at)
                 values ($1, $2, $3, $4, $5)",
            )
            .bind(view.video_id)
            .bind(match view.viewer {
                Watcher::Login(id) => viewer_key(app, id.into()),
                Watcher::Guest(key) => key.to_vec(),
            })
            .bind(hour(view.at))
            .bind(view.device)
            .bind(view.at)
            .execute()
            .await?;
            if let Watcher::Login(id) = view.viewer {
                write_watcher(tx, id, view.at).await?;
            }
        }
        Ok(())
    }

    async fn write_comments(&self, tx: &mut Tx, app: &App) -> Result<()> {
        for comment in &self.comments {
            tx.sql(
                "insert into video_comments
                   (id, video_id, user_id, author_name, content, created_at, hidden_at, hidden_by,
                    search_text, reported_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(comment.id)
            .bind(comment.video_id)
            .bind(comment.user_id)
            .bind(&comment.author_name)
            .bind(&comment.content)
            .bind(comment.created_at)
            .bind(comment.hidden.map(|(at, _)| at))
            .bind(comment.hidden.map(|(_, by)| by))
            .bind(search_text(&comment.author_name, &comment.content))
            .bind((!comment.reports.is_empty()).then_some(comment.created_at))
            .execute()
            .await?;
            for (reporter, (category, reason)) in comment.reports.iter().zip(REASONS) {
                tx.sql(
                    "insert into comment_reports
                       (comment_id, reporter, category, reason, created_at)
                     values ($1, $2, $3, $4, $5)",
                )
                .bind(comment.id)
                .bind(app.keys.hash("sample", &[reporter]))
                .bind(category)
                .bind(reason)
                .bind(comment.created_at)
                .execute()
                .await?;
            }
        }
        Ok(())
    }
}

/// Writes this summer's mails as if they had been sent. Returns how many. Two addresses refuse mail
/// permanently, and a few mails failed.
pub async fn write_mails(
    tx: &mut Tx,
    now: DateTime<Utc>,
    videos: &[SampleVideo],
    people: &People,
    random: &mut Random,
) -> Result<i64> {
    let told: Vec<&SampleVideo> = videos.iter().filter(|film| film.announced).collect();
    let addresses: Vec<&EmailAddress> = people
        .families
        .iter()
        .filter(|family| family.wants_videos)
        .flat_map(|family| &family.addresses)
        .map(|address| &address.email)
        .collect();
    let half = told.get(told.len() / 2).and_then(|film| film.published_at).unwrap_or(now);
    for n in 0..SUPPRESSED {
        let address = addresses[addresses.len() / 2 + 7 * n];
        suppression::refuse(tx, half, address, "550 5.1.1 There is no such mailbox here").await?;
    }
    let mut mails = 0;
    for film in &told {
        let Some(at) = film.published_at else { continue };
        let category = Category::DailyVideos;
        let mail = notification(tx, MailKind::Video, film.id, Some(category), at, random).await?;
        mails += sent_to_families(tx, mail, category, at + TimeDelta::seconds(3)).await?;
    }
    for n in 0..FAILED {
        // Staff see the failures of the last seven days, and nothing is wrong today.
        let Some(film) = told.len().checked_sub(3 + n % 3).map(|at| told[at]) else { break };
        tx.sql(
            "update deliveries
             set status = 'failed', sent_at = null, attempts = 3,
                 last_error = '552 5.2.2 The mailbox is full'
             where status = 'sent' and email = $2
               and notification_id in (select id from notifications where subject_id = $1)",
        )
        .bind(film.id)
        .bind(addresses[11 + 6 * n])
        .execute()
        .await?;
    }
    Ok(mails)
}
