//! Workers are killed while they convert a video. Nothing is half converted or lost, families are
//! told once, and the space is freed.

use std::path::Path;
use std::time::{Duration, Instant};

use portal::App;
use portal::db::Db;

use super::films::{Part, Upload, film};
use super::long;
use super::site::{Owner, Site, add_owner};
use crate::camp::{Camp, count};
use crate::mail::families;
use crate::{execute, on_both_engines};

const PUBLISHED: &str = "select count(*) from videos where status = 'published'";

on_both_engines! {
    async fn whoever_kills_the_worker_loses_no_video(camp: Camp) {
        let (kills, seconds) = if long() { (10, 150) } else { (1, 6) };
        add_owner(&camp);
        let app = camp.app().await;
        families(&app, (0..3).map(|n| format!("family-{n}@family.example"))).await;
        let site = Site::start(&camp, &[]).await;
        let owner = Owner::sign_in(&site).await;
        let input = format!("-f lavfi -i testsrc2=s=854x480:r=24:d={seconds} -c:v mpeg4 -q:v 12");
        let upload = Upload::whole(&owner, &[Part::Bytes(film("lake.mkv", &input))]).await;
        let video = upload.publish().await;
        let work = camp.data("converting");
        for kill in 0..kills {
            let taken_up = Instant::now();
            let mut worker = camp.start(&["worker"]);
            until_attempt(&app, kill + 1).await;
            let taken_up = taken_up.elapsed();
            // Each kill happens at a different moment of the conversion.
            tokio::time::sleep(Duration::from_millis(300 + kill as u64 * 600)).await;
            let progress = count(&app.db, "select max(progress) from uploads").await;
            worker.kill();
            nobody_works_in(&work).await;
            println!("{}: taken up after {taken_up:.1?}, killed at {progress}% or later", app.db.engine());
            assert_eq!(count(&app.db, PUBLISHED).await, 0);
            assert_eq!(app.files.list().await.expect("files"), [], "nothing is half there");
            assert_eq!(site.get(&format!("/api/videos/{video}")).await.status, 404);
            // A killed worker's claim ends half a minute after its last sign of life. After the
            // second kill, the test waits for that.
            if kill != 1 {
                execute!(&app.db, "update uploads set claimed_until = created_at");
            }
        }
        let begun = Instant::now();
        let mut worker = camp.start(&["worker"]);
        while count(&app.db, PUBLISHED).await == 0 || folders(&camp) != [0, 0] {
            assert!(begun.elapsed() < Duration::from_secs(1200), "it is not published");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let took = begun.elapsed();
        assert_eq!(site.head(&format!("/media/videos/{video}")).await.status, 200);
        worker.kill();
        let attempts = count(&app.db, "select attempts from uploads").await;
        let notifications = count(&app.db, "select count(*) from notifications where kind = 'video'").await;
        let deliveries = count(&app.db, "select count(*) from deliveries").await;
        let files = app.files.list().await.expect("files");
        println!(
            "{}: {kills} kills, {attempts} attempts, the last took {took:.1?}; {} files, {notifications} \
             notification, {deliveries} deliveries to 3 families",
            app.db.engine(),
            files.len(),
        );
        assert_eq!((attempts, notifications, deliveries), (kills + 1, 1, 3));
        let last = format!("/{attempts}/");
        assert!(files.len() > 9 && files.iter().all(|(key, _)| key.contains(&last)), "{files:?}");
        site.stop().await;
        app.db.close().await;
    }
}

/// The number of entries in the folders of unfinished work.
fn folders(camp: &Camp) -> [usize; 2] {
    ["converting", "uploads"]
        .map(|name| std::fs::read_dir(camp.data(name)).map_or(0, Iterator::count))
}

/// Waits until the conversion has been started this many times.
async fn until_attempt(app: &App, attempt: i64) {
    let begun = Instant::now();
    while count(&app.db, "select max(attempts) from uploads").await < attempt {
        assert!(begun.elapsed() < Duration::from_secs(120), "attempt {attempt} does not begin");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until no process works in the folder, because the kernel ends ffmpeg with its worker.
async fn nobody_works_in(folder: &Path) {
    let begun = Instant::now();
    let works = || {
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        let mut places =
            processes.filter_map(|one| std::fs::read_link(one.path().join("cwd")).ok());
        places.any(|place| place.starts_with(folder))
    };
    while works() {
        assert!(begun.elapsed() < Duration::from_secs(10), "ffmpeg goes on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
