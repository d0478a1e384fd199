//! Workers are killed while they store a video in a bucket, and the bucket is down for a while.
//! Nothing is half stored, lost or sent twice, and the space is freed.

use std::time::{Duration, Instant};

use portal::App;
use portal::db::Db;
use serde_json::json;

use super::long;
use super::site::{Owner, Raw, Site, Tally, add_owner, exchange};
use crate::camp::{Camp, Running, count};
use crate::execute;
use crate::s3::{Bucket, Proxy};

const LAKE: &[u8] = include_bytes!("../../../../core/src/seed/media/lake.mp4");
const PICTURE: &[u8] = include_bytes!("../../../../core/src/seed/media/lake.jpg");
const PART: usize = 16 << 20;
/// Files are stored without conversion.
const PLAIN: [&str; 2] = ["--ffmpeg", "/nowhere/ffmpeg"];
/// How many parts are sent at the same time.
const CONCURRENCY: usize = 2;

/// A video with this many parts, the last of which is short. Players skip the padding.
fn film(parts: usize) -> Vec<u8> {
    let length = (parts - 1) * PART + 1_000_000 - LAKE.len();
    let mut noise = 1_u64;
    let filler = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (noise >> 33) as u8
    });
    let head = [&(length as u32).to_be_bytes()[..], b"free"].concat();
    LAKE.iter().copied().chain(head).chain(filler.take(length - 8)).collect()
}

struct Story {
    camp: Camp,
    app: App,
    bucket: Bucket,
    proxy: Proxy,
    site: Site,
    owner: Owner,
}

impl Story {
    async fn begin(arguments: &[&str]) -> Story {
        let (bucket, proxy) = Bucket::behind_a_proxy().await;
        let mut camp = Camp::on_sqlite();
        bucket.keep_files_of(&mut camp);
        add_owner(&camp);
        let app = camp.app().await;
        let site = Site::start(&camp, &[&PLAIN[..], arguments].concat()).await;
        let owner = Owner::sign_in(&site).await;
        Story { camp, app, bucket, proxy, site, owner }
    }

    fn worker(&self) -> Running {
        self.camp.start(&["worker", PLAIN[0], PLAIN[1]])
    }

    /// Kills a worker and ends its claim at once, not half a minute after its last sign of life.
    async fn kill(&self, worker: &mut Running) {
        worker.kill();
        execute!(
            &self.app.db,
            "update uploads set claimed_until = created_at where state = 'converting'"
        );
    }

    async fn until(&self, what: &str, done: impl AsyncFn() -> bool) -> Duration {
        let begun = Instant::now();
        while !done().await {
            assert!(begun.elapsed() < Duration::from_secs(300), "{what}: {}", self.site.said());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        begun.elapsed()
    }

    /// Waits until this many parts are on their way or have arrived.
    async fn until_parts(&self, parts: usize) {
        self.until("parts are sent", async || self.proxy.parts() >= parts).await;
    }

    async fn until_published(&self, videos: i64) -> Duration {
        self.until("the video is published", async || self.published().await == videos).await
    }

    async fn published(&self) -> i64 {
        count(&self.app.db, "select count(*) from videos where status = 'published'").await
    }

    async fn play(&self, video: &str, range: Option<&str>) -> Raw {
        let range = range.map(|range| ("range", range));
        let path = format!("/media/videos/{video}");
        let headers: Vec<_> = range.into_iter().collect();
        exchange(self.site.address, "GET", &path, &headers, b"").await.expect("an answer")
    }

    /// The number of conversion folders and of upload files that are still on this machine.
    fn left(&self) -> [usize; 2] {
        ["converting", "uploads"].map(|name| {
            std::fs::read_dir(self.camp.folder().join("data").join(name)).map_or(0, Iterator::count)
        })
    }

    async fn end(self) {
        self.app.db.close().await;
        self.site.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_kills_the_worker_while_it_stores_sends_only_what_is_missing() {
    let (kills, parts) = if long() { (10, 25) } else { (2, 6) };
    let story = Story::begin(&[]).await;
    let film = film(parts);
    let video = story.owner.upload(&film).await;
    let mut memory = 0;
    for kill in 0..kills {
        story.proxy.hold_parts_after(parts / (kills + 1));
        let wanted = story.proxy.parts() + parts / (kills + 1) + CONCURRENCY;
        let mut worker = story.worker();
        story.until_parts(wanted).await;
        memory = memory.max(worker.peak_memory());
        story.kill(&mut worker).await;
        assert_eq!(story.published().await, 0);
        assert_eq!(story.bucket.files().await.len(), 0, "nothing is half there");
        if kill == 0 {
            // Without its staged file, the upload could not be converted again.
            let staged = std::fs::read_dir(story.camp.data("uploads")).expect("a folder").next();
            std::fs::remove_file(staged.expect("a file").expect("a file").path()).expect("removed");
        }
    }
    story.proxy.hold_no_parts();
    let worker = story.worker();
    let took = story.until_published(1).await;
    story.until("the space is given back", async || story.left() == [0, 0]).await;
    let (sent, again) = (story.proxy.parts(), story.proxy.parts_sent_again());
    println!(
        "{kills} kills, {parts} parts, {sent} sent, {again} of them again; published {took:?} after \
         the last start; {} MiB of memory at the most",
        memory.max(worker.peak_memory()),
    );
    assert_eq!(sent - again, parts);
    assert!(again <= kills * CONCURRENCY, "{again} parts were sent again");
    assert!(memory < 300, "{memory} MiB");
    assert_eq!(story.bucket.begun().await, [""; 0]);
    assert!(story.play(&video, None).await.body == film, "the bytes are those of the film");
    drop(worker);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_begun_in_the_bucket_may_vanish_and_leaves_nothing() {
    let story = Story::begin(&[]).await;
    let film = film(4);
    story.owner.upload(&film).await;
    story.proxy.hold_parts_after(1);
    let mut worker = story.worker();
    story.until_parts(1 + CONCURRENCY).await;
    story.kill(&mut worker).await;
    // A lifecycle rule of the bucket removed the unfinished upload.
    story.bucket.forget_begun().await;
    story.proxy.hold_no_parts();
    let mut worker = story.worker();
    story.until_published(1).await;
    worker.stop().await;

    // The video is deleted while the worker stores it, and while no worker runs.
    for is_killed in [false, true] {
        let video = story.owner.upload(&film).await;
        story.proxy.hold_parts_after(1);
        let parts = story.proxy.parts();
        let mut worker = story.worker();
        story.until_parts(parts + 1 + CONCURRENCY).await;
        assert_eq!(story.bucket.begun().await.len(), 1);
        if is_killed {
            story.kill(&mut worker).await;
        }
        story.owner.delete_video(&video).await;
        if is_killed {
            worker = story.worker();
        }
        let nothing = async || story.bucket.begun().await.is_empty() && story.left() == [0, 0];
        let took = story.until("the space is given back", nothing).await;
        println!("deleted while it was stored (killed: {is_killed}): given back after {took:?}");
        story.proxy.hold_no_parts();
        worker.stop().await;
    }
    assert_eq!(story.bucket.files().await.len(), 1, "the first one is there");
    story.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_for_a_picture_that_a_silent_bucket_does_not_take() {
    let story = Story::begin(&[]).await;
    let cap = json!({
        "title": "Camp cap", "description": "Green.", "price": 1850, "category": "clothing",
        "stock_quantity": 12,
    });
    let made = story.owner.post_json("/api/admin/products", &cap).await;
    let made: serde_json::Value = serde_json::from_str(&made.body).expect("JSON");
    let product = format!("/api/admin/products/{}/images", made["id"].as_str().expect("an id"));
    story.proxy.be_silent(true);
    for pictures in [product.as_str(), "/api/admin/settings/pictures/hero"] {
        let adding = send_picture(&story.owner, pictures);
        let writing = async {
            // Waits until the picture is on its way.
            tokio::time::sleep(Duration::from_secs(2)).await;
            let begun = Instant::now();
            let posted = story.owner.post("Boats", "published").await;
            assert_eq!(posted.status, 201, "{}", posted.body);
            begun.elapsed()
        };
        tokio::select! {
            added = adding => panic!("{}", String::from_utf8_lossy(&added.body)),
            took = writing => assert!(took < Duration::from_secs(3), "{took:?}"),
        }
    }
    story.proxy.be_silent(false);
    assert_eq!(send_picture(&story.owner, &product).await.status, 201);
    story.end().await;
}

async fn send_picture(owner: &Owner, path: &str) -> Raw {
    owner.exchange("POST", path, &[("content-type", "image/jpeg")], PICTURE).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_bucket_is_away_readers_are_told_so_and_nothing_is_lost() {
    let away = Duration::from_secs(if long() { 60 } else { 3 });
    let mut story = Story::begin(&["--with-worker"]).await;
    let first = story.owner.upload(LAKE).await;
    story.until_published(1).await;
    let film = film(5);
    for silent in [false, true] {
        let before = (story.proxy.parts(), story.published().await);
        story.proxy.hold_parts_after(2);
        let second = story.owner.upload(&film).await;
        story.until_parts(before.0 + 2 + CONCURRENCY).await;
        match silent {
            true => story.proxy.be_silent(true),
            false => story.proxy.go_away().await,
        }
        story.proxy.hold_no_parts();
        let (tally, slowest) = watch(&story, &first, away, before.1).await;
        match silent {
            true => story.proxy.be_silent(false),
            false => story.proxy.come_back().await,
        }
        let back = Instant::now();
        while story.play(&first, Some("bytes=10-19")).await.status != 206 {
            assert!(back.elapsed() < Duration::from_secs(20), "{}", story.site.said());
        }
        let plays = back.elapsed();
        let stored = story.until_published(before.1 + 1).await;
        let again = story.proxy.parts_sent_again();
        println!(
            "away for {away:?} (silent: {silent}): {:?}, {slowest:?} at the most; plays again after \
             {plays:?}, the other is published after {stored:?}, {again} parts sent again so far",
            tally.0,
        );
        assert!(story.play(&second, None).await.body == film, "the bytes are those of the film");
        deleted_while_away(&mut story, &second).await;
    }
    assert!(story.play(&first, None).await.body == LAKE);
    assert_eq!(story.proxy.parts() - story.proxy.parts_sent_again(), 2 * 5);
    assert_eq!(story.bucket.begun().await, [""; 0]);
    story.end().await;
}

/// While the bucket is away, everybody gets a quick response with an explanation, and whatever
/// needs no file works.
async fn watch(story: &Story, video: &str, away: Duration, published: i64) -> (Tally, Duration) {
    let (begun, mut tally, mut slowest) = (Instant::now(), Tally::default(), Duration::ZERO);
    while begun.elapsed() < away {
        let answer = story.play(video, Some("bytes=10-19")).await;
        assert_eq!(answer.status, 503, "{}", story.site.said());
        assert!(answer.head.contains("content-type: application/problem+json"), "{}", answer.head);
        assert!(answer.head.contains("retry-after: 5"), "{}", answer.head);
        let body = String::from_utf8_lossy(&answer.body);
        assert!(body.contains("The camp's files cannot be reached right now."), "{body}");
        slowest = slowest.max(answer.took);
        *tally.0.entry(answer.status).or_default() += 1;
        assert_eq!(story.site.get("/api/videos").await.status, 200);
        assert_eq!(story.published().await, published, "nothing is half visible");
    }
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    (tally, slowest)
}

/// The space is freed as soon as the bucket is back.
async fn deleted_while_away(story: &mut Story, video: &str) {
    story.proxy.go_away().await;
    story.owner.delete_video(video).await;
    assert_eq!(story.published().await, 1);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(story.bucket.files().await.len(), 2);
    story.proxy.come_back().await;
    let only_one = async || story.bucket.files().await.len() == 1 && story.left() == [0, 0];
    let took = story.until("the space is given back", only_one).await;
    println!("deleted while it was away: given back {took:?} after its return");
}
