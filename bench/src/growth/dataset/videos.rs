//! Videos with comments, views and likes.

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use portal::db::Db;
use portal::search_text::normalize;
use uuid::Uuid;

use super::deliveries::notifications;
use super::rows::{Cell, insert};
use super::{FIRST, LAST, Size, of};

/// Readers reported one of so many comments.
const REPORTED: usize = 500;

/// The newest first.
pub async fn videos(db: &Db, size: Size, now: DateTime<Utc>) -> Vec<Uuid> {
    let ids: Vec<Uuid> = (0..size.videos).map(|_| Uuid::now_v7()).collect();
    let rows = ids.iter().zip(0..).map(|(id, n)| {
        let (summer, night) = (n / size.videos_a_summer, n % size.videos_a_summer);
        let at = now.with_year(now.year() - summer as i32).expect("a summer")
            - TimeDelta::hours(24 * i64::from(night) * 40 / i64::from(size.videos_a_summer) + 1);
        let title = format!("Night {} at the {}", night + 1, of(&["lake", "fire", "barn"], n));
        let status = match n % 12 {
            5 => "draft",
            8 => "scheduled",
            _ => "published",
        };
        let text = normalize(&format!("{title} {}", of(&LAST, n)));
        let day = at.date_naive();
        vec![
            Cell::Id(*id),
            Cell::Text(title),
            Cell::Text(format!("What {} saw.", of(&LAST, n))),
            Cell::Text("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ".into()),
            Cell::Text("youtube".into()),
            Cell::Day(day),
            Cell::Int(i64::from(day.year())),
            Cell::Text(status.into()),
            if status == "scheduled" { Cell::At(now + TimeDelta::hours(9)) } else { Cell::None },
            if status == "published" { Cell::At(at) } else { Cell::None },
            Cell::Bool(n % 20 == 0),
            Cell::Int(i64::from(n % 500)),
            Cell::Int(0),
            Cell::Int(i64::from(size.comments / size.videos)),
            Cell::Text(text.clone()),
            Cell::Text(format!("{text} youtube {day}")),
            Cell::Int(1),
            Cell::At(at),
            Cell::At(at),
        ]
    });
    insert(
        db,
        "insert into videos
           (id, title, description, video_url, video_type, upload_date, year, status,
            scheduled_date, published_at, is_featured, view_count, like_count, comment_count,
            search_text, staff_search_text, version, created_at, updated_at) ",
        rows,
    )
    .await;
    // Only videos of this year have notifications.
    let told = ids.iter().take(size.videos_a_summer as usize);
    notifications(db, "video", "daily_videos", told, now).await;
    ids
}

pub async fn reactions(
    db: &Db,
    size: Size,
    now: DateTime<Utc>,
    videos: &[Uuid],
    families: &[Uuid],
) {
    // Spread over the same time, with some in every period of the analytics.
    let ago =
        |n: u32, of: u32| now - TimeDelta::minutes(i64::from(n) * 20 * 365 * 1_440 / i64::from(of));
    let comments: Vec<Uuid> = (0..size.comments).map(|_| Uuid::now_v7()).collect();
    let rows = comments.iter().zip(0..).map(|(id, n)| {
        let author = format!("{} {}", of(&FIRST, n), of(&LAST, n));
        vec![
            Cell::Id(*id),
            Cell::Id(videos[n as usize % videos.len()]),
            Cell::Text(author.clone()),
            Cell::Text("What a night! Greetings to the whole bunk.".into()),
            Cell::At(ago(n, size.comments)),
            Cell::Text(normalize(&format!("{author} What a night! Greetings to the whole bunk."))),
            if (n as usize).is_multiple_of(REPORTED) { Cell::At(now) } else { Cell::None },
        ]
    });
    insert(
        db,
        "insert into video_comments
           (id, video_id, author_name, content, created_at, search_text, reported_at) ",
        rows,
    )
    .await;
    let rows = comments.iter().step_by(REPORTED).map(|id| {
        vec![
            Cell::Id(*id),
            Cell::Bytes(id.as_bytes().to_vec()),
            Cell::Text("It names a street.".into()),
            Cell::At(now),
        ]
    });
    insert(db, "insert into comment_reports (comment_id, reporter, reason, created_at) ", rows)
        .await;
    let rows = (0..size.views).map(|n| {
        vec![
            Cell::Id(videos[n as usize % videos.len()]),
            Cell::Bytes(n.to_be_bytes().to_vec()),
            Cell::Int(ago(n, size.views).timestamp() / 3600),
            Cell::Text(of(&["phone", "tablet", "computer"], n).into()),
            Cell::At(ago(n, size.views)),
        ]
    });
    insert(db, "insert into video_views (video_id, viewer, hour, device, viewed_at) ", rows).await;
    // Four in five families have a user, with the family's id.
    let users: Vec<Uuid> =
        families.iter().zip(0..).filter(|(_, n)| n % 5 != 4).map(|(id, _)| *id).collect();
    let rows = (0..size.likes).map(|n| {
        vec![
            Cell::Id(videos[n as usize % videos.len()]),
            // Each user once for each video.
            Cell::Id(users[(n as usize + n as usize / videos.len()) % users.len()]),
            Cell::At(ago(n, size.likes)),
        ]
    });
    insert(db, "insert into video_likes (video_id, user_id, created_at) ", rows).await;
    let rows = users
        .iter()
        .zip(0..)
        .map(|(id, n)| vec![Cell::Id(*id), Cell::At(ago(n, users.len() as u32 * 20))]);
    insert(db, "insert into watchers (user_id, watched_at) ", rows).await;
}
