//! Every email is sent once, whatever happens to the worker and the mail server.

mod bounces;
mod receipts;
mod sending;
mod servers;

use std::time::{Duration, Instant};

use chrono::Utc;
use portal::App;
use portal::audit::Actor;
use portal::db::Db;
use portal::videos::{self, NewVideo, Status};
use uuid::Uuid;

use crate::execute;

const CONNECTIONS: usize = 4;

/// A timeout for tests that hang, long enough for a slow or busy machine.
const DEADLINE: Duration = Duration::from_secs(600);

/// Families with these addresses that want emails about videos.
pub async fn families(app: &App, emails: impl IntoIterator<Item = String>) {
    let now = Utc::now();
    for email in emails {
        let id = Uuid::now_v7();
        execute!(
            &app.db,
            "insert into profiles
               (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
                camp_updates_email, welcome_popup_shown, approved_at, search_text, version,
                created_at, updated_at)
             values ($1, 'A family', 'A child', 'parent', 'staff', true, true, true, true, $2, '', 1, $2, $2)",
            id,
            now,
        );
        execute!(
            &app.db,
            "insert into profile_addresses
               (email, profile_id, kind, entered_by_staff, verified_at, created_at)
             values ($1, $2, 'primary', true, null, $3)",
            email,
            id,
            now,
        );
    }
}

/// Publishes a video. Returns how many families will get an email.
pub async fn publish(app: &App) -> usize {
    let settings = app.settings().await.expect("settings");
    let new = NewVideo {
        title: "Swim test at the lake".into(),
        video_url: Some("https://youtu.be/aBcDeFgHiJk".into()),
        upload_id: None,
        description: None,
        upload_date: None,
        status: Status::Published,
        scheduled_date: None,
        is_featured: false,
    };
    let mut tx = app.db.begin().await.expect("a transaction");
    let saved =
        videos::create(&mut tx, app, &settings, Actor::System, &new, None).await.expect("a video");
    tx.commit().await.expect("committed");
    saved.notified as usize
}

pub async fn eventually(what: &str, patience: Duration, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < patience, "{what}: not within {patience:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn worker<'a>(url: &'a str, rate: &'a str) -> [&'a str; 7] {
    ["worker", "--smtp-url", url, "--mail-rate", rate, "--mail-connections", "4"]
}
