//! Clocks that jump by hours and days, time zones that change, and workers that were off: what is
//! due appears at the next check, and nobody is told twice (T7 and T8). `CAMP_CHAOS=1` makes the
//! runs long.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use crate::camp::{Browser, Camp};
use crate::videos::posted;

const FAMILIES: [&str; 3] =
    ["chaya@family.example", "moshe@family.example", "rivka@family.example"];
const ZONES: [&str; 3] = ["America/New_York", "Asia/Jerusalem", "Europe/London"];

fn long() -> bool {
    std::env::var_os("CAMP_CHAOS").is_some()
}

/// One camp's workers, and what should have happened.
struct Season {
    camp: Camp,
    workers: Vec<Camp>,
    /// When each scheduled video is due, by title.
    due: BTreeMap<String, DateTime<Utc>>,
    /// The videos that were due when a worker checked. They stay published even if the clock goes
    /// back.
    published: BTreeMap<String, DateTime<Utc>>,
}

impl Season {
    async fn begin(camp: Camp, at: &str) -> Season {
        camp.set_clock(at);
        for email in FAMILIES {
            camp.parent("A parent", email).await;
        }
        camp.staff().await;
        let workers = vec![camp.clone(), camp.beside().await, camp.beside().await];
        Season { camp, workers, due: BTreeMap::new(), published: BTreeMap::new() }
    }

    /// Signs in again each time, because a session does not survive the jumps.
    async fn staff(&self) -> Browser {
        let browser = self.camp.browser();
        let given = json!({ "username": "feder", "password": crate::camp::PASSWORD });
        browser.post("/api/admin/auth/sign-in", given).await.expect(200);
        browser
    }

    /// Schedules a video this long from now, in the camp's time zone, as staff do.
    async fn schedule(&mut self, after: TimeDelta) {
        let zone = self.camp.app.settings().await.expect("settings").timezone;
        let local = (self.camp.now() + after).with_timezone(&zone).naive_local();
        let title = format!("Day {}", self.due.len() + 1);
        let when = local.format("%Y-%m-%dT%H:%M").to_string();
        let more = json!({ "status": "scheduled", "scheduled_date": when });
        let video = posted(&self.staff().await, &title, more).await;
        let due = video["scheduled_date"].as_str().expect("a time").parse().expect("a time");
        assert!(due > self.camp.now(), "{title}");
        self.due.insert(title, due);
    }

    /// All workers check at the same moment.
    async fn look(&mut self) {
        join_all(self.workers.iter().map(Camp::work)).await;
        let now = self.camp.now();
        for (title, due) in &self.due {
            if *due <= now {
                self.published.entry(title.clone()).or_insert(now);
            }
        }
    }

    /// Parents see exactly the videos that were due at some check.
    async fn check(&self) {
        let staff = self.staff().await;
        let (mut seen, mut more) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/admin/videos?status=published{more}");
            let page = staff.get(&path).await.expect(200).json();
            for video in page["items"].as_array().expect("a list") {
                seen.push(video["title"].as_str().expect("a title").to_owned());
            }
            let Some(next) = page["next"].as_str() else { break };
            more = format!("&cursor={next}");
        }
        seen.sort_unstable();
        let wanted: Vec<_> = self.published.keys().cloned().collect();
        assert_eq!(seen, wanted, "at {}", self.camp.now());
    }

    /// How often each family was told about each video.
    fn told(&self) -> BTreeMap<(String, String), usize> {
        let mut told = BTreeMap::new();
        for mail in self.workers.iter().flat_map(Camp::mails) {
            if let Some(title) = mail.subject.strip_prefix("New video: ") {
                *told.entry((title.to_owned(), mail.to.email.to_string())).or_default() += 1;
            }
        }
        told
    }

    fn everybody_was_told_once(&self) {
        let told = self.told();
        for title in self.due.keys() {
            for email in FAMILIES {
                let times = told.get(&(title.clone(), email.to_owned())).copied();
                assert_eq!(
                    times,
                    Some(1),
                    "{title} to {email}: due {}, seen due {:?}",
                    self.due[title],
                    self.published.get(title)
                );
            }
        }
        assert_eq!(told.len(), self.due.len() * FAMILIES.len());
    }
}

/// A jump of the clock: mostly forward, sometimes back, as when an operator corrects it.
fn jump(random: &mut StdRng) -> TimeDelta {
    match random.random_range(0..10) {
        0..4 => TimeDelta::seconds(random.random_range(1..=15)),
        4..7 => TimeDelta::minutes(random.random_range(20..36 * 60)),
        7 => TimeDelta::days(random.random_range(1..4)),
        8 => -TimeDelta::minutes(random.random_range(1..180)),
        _ => -TimeDelta::hours(random.random_range(1..60)),
    }
}

story! {
    async fn a_clock_that_jumps_and_a_zone_that_changes_do_no_harm(camp) {
        let engine = camp.app.db.engine();
        let seed = std::env::var("CAMP_CLOCK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(2026);
        let mut random = StdRng::seed_from_u64(seed);
        // Daylight saving ends in Jerusalem and London on October 25, in New York on November 1.
        let mut season = Season::begin(camp, "2026-10-24T16:00:00Z").await;
        // A video of an earlier year notifies nobody.
        let end = "2026-12-21T00:00:00Z".parse::<DateTime<Utc>>().expect("a time");
        let (mut jumps, mut back, mut zones) = (0, 0, 0);
        for _ in 0..if long() { 250 } else { 20 } {
            if random.random_bool(0.4) {
                season.schedule(TimeDelta::minutes(random.random_range(2..72 * 60))).await;
            }
            if random.random_bool(0.1) {
                let zone = ZONES[random.random_range(0..ZONES.len())];
                season.camp.set("timezone", zone).await;
                zones += 1;
            }
            let by = jump(&mut random);
            if season.camp.now() + by > end {
                break;
            }
            jumps += 1;
            back += usize::from(by < TimeDelta::zero());
            season.camp.wait(by);
            season.look().await;
            season.check().await;
        }
        season.camp.wait(TimeDelta::days(9));
        season.look().await;
        season.check().await;
        season.everybody_was_told_once();
        let (videos, people) = (season.due.len(), FAMILIES.len());
        println!("T7, {engine}, seed {seed}: {videos} videos, {jumps} jumps of the clock, {back} of them back, zone changed {zones} times; \
            {} of {} families told once each, nobody twice", videos * people, videos * people);
    }
}

story! {
    async fn workers_that_were_off_for_hours_publish_all_that_is_due(camp) {
        let engine = camp.app.db.engine();
        let mut season = Season::begin(camp, "2026-07-20T14:00:00Z").await;
        let videos = if long() { 60 } else { 6 };
        for n in 1..=videos {
            season.schedule(TimeDelta::minutes(n * 11)).await;
        }
        season.camp.wait(TimeDelta::hours(13));
        let began = std::time::Instant::now();
        season.look().await;
        let took = began.elapsed();
        season.check().await;
        season.everybody_was_told_once();
        println!("T8, {engine}: {videos} videos were due while 3 workers were off; all published and {} emails sent \
            {} ms after their start", season.told().len(), took.as_millis());
    }
}
