//! Another process locks the database. Writes are refused with a Retry-After, reads are answered,
//! and the worker continues when the lock is released.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sqlx::{Connection, SqliteConnection};

use super::long;
use super::site::{Owner, Site, Tally, add_owner};
use crate::camp::Camp;
use crate::mail::{eventually, families};
use crate::sink::Sink;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_somebody_locks_can_still_be_read() {
    let camp = Camp::on_sqlite();
    add_owner(&camp);
    let app = camp.app().await;
    families(&app, ["leah@family.example".to_owned()]).await;
    app.db.close().await;
    let sink = Sink::open().await;
    let url = sink.url();
    let site = Site::start(&camp, &["--with-worker", "--smtp-url", &url]).await;
    let owner = Owner::sign_in(&site).await;
    let seconds: &[u64] = if long() { &[8, 60] } else { &[8] };
    for seconds in seconds {
        locked_for(*seconds, &camp, &site, &owner).await;
        let reached = sink.kept().len();
        assert_eq!(owner.post("After the lock", "published").await.status, 201);
        eventually("the worker is back", Duration::from_secs(60), || sink.kept().len() > reached)
            .await;
    }
    site.stop().await;
}

async fn locked_for(seconds: u64, camp: &Camp, site: &Site, owner: &Owner) {
    let file = format!("sqlite://{}", camp.data("camp.db").display());
    let mut other = SqliteConnection::connect(&file).await.expect("the database opens");
    sqlx::query("begin immediate").execute(&mut other).await.expect("the lock");
    let until = Instant::now() + Duration::from_secs(seconds);
    let (refused, ending) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));

    let writing = tokio::spawn({
        let (owner, refused, ending) = (owner.clone(), refused.clone(), ending.clone());
        async move {
            let mut tally = Tally::default();
            while !ending.load(Ordering::SeqCst) {
                let answer = owner.post("While it is locked", "draft").await;
                tally.add(&answer);
                if answer.status == 503 {
                    refused.store(true, Ordering::SeqCst);
                    assert!(answer.header("retry-after").is_some(), "{}", answer.head);
                }
            }
            tally
        }
    });
    let (mut reads, mut slowest) = (0, Duration::ZERO);
    // On a busy machine, the first write may start late and be refused late.
    while Instant::now() < until || !(refused.load(Ordering::SeqCst) || writing.is_finished()) {
        for answer in [site.get("/api/videos").await, owner.get("/api/admin/videos").await] {
            assert_eq!(answer.status, 200, "{}", site.said());
            slowest = slowest.max(answer.took);
            reads += 1;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    ending.store(true, Ordering::SeqCst);
    sqlx::query("rollback").execute(&mut other).await.expect("let go");
    other.close().await.expect("closed");
    let released = Instant::now();
    let tally = writing.await.expect("writes");
    // The last write may have waited until the lock was released.
    tally.only(&[201, 503]);
    assert!(tally.of(503) > 0 && tally.of(201) <= 1, "{tally:?}");
    while owner.post("As before", "draft").await.status != 201 {
        assert!(released.elapsed() < Duration::from_secs(5), "{}", site.said());
    }
    println!(
        "locked for {seconds} s: writes {:?}; {reads} reads, {slowest:?} at the most; back after {:?}",
        tally.0,
        released.elapsed()
    );
    // A read that waited for the lock would take five seconds.
    assert!(slowest < Duration::from_secs(4), "{slowest:?}");
}
