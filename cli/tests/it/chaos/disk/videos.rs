//! The disk fills up while a video is uploaded, and while it is converted. Nothing unfinished is
//! shown, the space is freed, and sending the file again or pressing Retry works once there is
//! space.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use sqlx::Connection;

use super::Disk;
use crate::camp::{Camp, Running, count};
use crate::chaos::films::{Part, Upload, converted, film, length_of};
use crate::chaos::long;
use crate::chaos::site::{Owner, Site, add_owner};
use crate::mail::families;

/// An upload begins only with a gigabyte to spare.
const ROOMY: u64 = 2 << 30;
/// Each round leaves this much more space.
const STEP: u64 = 192 << 10;
/// While the database is being written, its size is known only this roughly.
const ROUGHLY: u64 = 64 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_costs_no_video() {
    let camp = Camp::on_sqlite();
    let Some(disk) = Disk::mount(&camp.data(""), 2048) else {
        println!("Not tested: only root can mount the small disk that this test fills.");
        return;
    };
    add_owner(&camp);
    let app = camp.app().await;
    families(&app, ["leah@family.example".to_owned()]).await;
    let site = Site::start(&camp, &[]).await;
    let owner = Owner::sign_in(&site).await;
    // The database has room in its file and in its log, so only the video needs more space, however
    // long this takes.
    let mut database = super::open(&camp).await;
    super::free_pages(&mut database).await;
    sqlx::query("pragma wal_checkpoint(restart)").fetch_one(&mut database).await.expect("moved");
    database.close().await.expect("closed");
    let words = "-f lavfi -i testsrc2=s=1280x720:r=24:d=6,noise=alls=40:allf=t -c:v mpeg4 -b:v 8M";
    let lake = [Part::Bytes(film("lake.mkv", words))];
    for round in 1..=if long() { 10 } else { 1 } {
        let upload = uploads(&disk, &owner, &lake, round).await;
        let video = upload.publish().await;
        let files = app.files.list().await.expect("files").len();
        let mut worker = fails(&camp, &disk, &owner, &video, round).await;
        assert_eq!(
            app.files.list().await.expect("files").len(),
            files,
            "nothing half done is kept"
        );
        assert_eq!(site.get(&format!("/api/videos/{video}")).await.status, 404);
        disk.resize(ROOMY);
        upload.retry().await;
        let begun = Instant::now();
        assert_eq!(converted(&owner, &video).await["state"], "ready");
        println!("conversion {round}: ready {:.1?} after Retry", begun.elapsed());
        // It is published a moment after its file is ready.
        while site.head(&format!("/media/videos/{video}")).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        worker.stop().await;
        let told = count(&app.db, "select count(*) from notifications where kind = 'video'").await;
        assert_eq!(told, round as i64, "families are told once about each video");
    }
    site.stop().await;
    app.db.close().await;
}

/// Sends a file while there is room for only part of it, and then sends it again.
async fn uploads<'a>(disk: &Disk, owner: &'a Owner, file: &[Part], round: u64) -> Upload<'a> {
    let upload =
        Upload::begin(owner, length_of(file)).await.unwrap_or_else(|no| panic!("{}", no.body));
    let before = disk.used_by_files();
    disk.leave(round * STEP);
    let answer = upload.send(file).await;
    assert_eq!(answer.status, 507, "{}", answer.body);
    assert_eq!(upload.offset().await, 0);
    let after = disk.used_by_files();
    println!(
        "upload {round}: {} KB of {} KB were free, 507 after {:.0?}, {} KB used afterwards",
        (round * STEP) >> 10,
        length_of(file) >> 10,
        answer.took,
        after.saturating_sub(before) >> 10
    );
    assert!(after <= before + ROUGHLY, "{before} bytes before, {after} after");
    disk.resize(ROOMY);
    let answer = upload.send(file).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
    upload
}

/// Starts a worker, whose conversion fails because there is room for only part of it.
async fn fails(camp: &Camp, disk: &Disk, owner: &Owner, video: &str, round: u64) -> Running {
    let before = disk.used_by_files();
    disk.leave(round * STEP);
    let begun = Instant::now();
    let worker = camp.start(&["worker"]);
    let mut most = before;
    let upload = tokio::select! {
        upload = converted(owner, video) => upload,
        never = fullest(disk, &mut most) => match never {},
    };
    let problem = upload["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("has run out of space"), "{upload}");
    let (took, after) = (begun.elapsed(), disk.used_by_files());
    println!(
        "conversion {round}: {} KB were free, {} KB of them used, \"{problem}\" after {took:.1?}, {} KB \
         used afterwards",
        (round * STEP) >> 10,
        (most - before) >> 10,
        after.saturating_sub(before) >> 10,
    );
    assert!(after <= before + ROUGHLY, "{before} bytes before, {after} after");
    worker
}

/// Records the largest amount of the disk that was in use.
async fn fullest(disk: &Disk, most: &mut u64) -> Infallible {
    loop {
        *most = disk.used_by_files().max(*most);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
