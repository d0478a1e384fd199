//! A camp whose files are in an S3 bucket.

use std::net::SocketAddr;
use std::time::Duration;

use portal::db::Db;
use uuid::Uuid;

use crate::backup::path;
use crate::camp::{Camp, Said, count, free_port};
use crate::chaos::site::{Owner, Raw, Site, add_owner, exchange};
use crate::execute;
use crate::s3::Bucket;

/// A file that every phone plays.
const LAKE: &[u8] = include_bytes!("../../../core/src/seed/media/lake.mp4");

fn ran(camp: &Camp, arguments: &[&str]) -> Said {
    let said = camp.run(arguments);
    assert_eq!(said.code, 0, "{said:?}");
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_bucket_a_backup_holds_the_list() {
    let bucket = Bucket::open().await;
    let mut camp = Camp::on_sqlite();
    bucket.keep_files_of(&mut camp);
    ran(&camp, &["seed", "--sample", "general"]);
    let before = bucket.files().await;
    assert!(before.len() > 10, "{before:?}");
    assert!(before.keys().all(|key| key.starts_with("summer/")), "{before:?}");

    let doctor = camp.run(&["doctor"]);
    assert!(
        doctor.out.contains("Files can be written to the bucket, read and removed."),
        "{doctor:?}"
    );
    assert!(doctor.out.contains("there are no unused files"), "{doctor:?}");
    assert_eq!(bucket.files().await, before, "nothing is left behind");

    let file = camp.folder().join("camp.tar.zst");
    let saved = camp.run(&["backup", path(&file)]);
    assert!(saved.code == 0 && saved.out.contains("0 files"), "{saved:?}");
    let of_what = format!("It has only a list of the files in {}", bucket.url());
    assert!(saved.out.contains(&of_what), "{saved:?}");
    let listed = std::process::Command::new("tar")
        .args(["--use-compress-program=unzstd", "-xOf", path(&file), "objects.txt"])
        .output();
    if let Some(listed) = listed.ok().filter(|listed| listed.status.success()) {
        let listed = String::from_utf8(listed.stdout).expect("UTF-8");
        assert_eq!(listed.lines().count(), before.len(), "{listed}");
        assert!(listed.contains("\tsamples/lake.jpg\n"), "{listed}");
    }

    let mut other = Camp::on_sqlite();
    bucket.keep_files_of(&mut other);
    let back = other.run(&["restore", path(&file)]);
    assert!(back.code == 0 && back.out.contains("--storage-url must name it"), "{back:?}");
    assert_eq!(bucket.files().await, before);
    let again = other.run(&["restore", path(&file), "--replace"]);
    assert!(again.code == 0 && again.out.contains("before-restore-"), "{again:?}");
    assert_eq!(bucket.files().await, before);

    let folder = Camp::on_sqlite();
    ran(&folder, &["seed", "--sample", "general"]);
    let with_files = folder.backup("camp.tar.zst");
    let mut empty = Camp::on_sqlite();
    bucket.keep_files_of(&mut empty);
    let refused = empty.run(&["restore", path(&with_files)]);
    assert!(refused.code == 3 && refused.err.contains("--storage-url is a bucket"), "{refused:?}");
}

/// Sends a request like a browser that is not signed in.
async fn get(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Raw {
    exchange(address, "GET", path, headers, b"").await.expect("an answer")
}

fn text(answer: &Raw) -> String {
    format!("{}{}", answer.head, String::from_utf8_lossy(&answer.body))
}

/// Waits for the conversion. Returns the URLs of its playlist and of the file behind it.
async fn playable(site: &Site, video: &str) -> [String; 2] {
    let path = format!("/api/videos/{video}");
    let master = loop {
        let seen = site.get(&path).await;
        if seen.status == 200 {
            let seen: serde_json::Value = serde_json::from_str(&seen.body).expect("JSON");
            break seen["hls_url"].as_str().expect("a playlist").to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let file = master.replace("master.m3u8", "360.mp4");
    [master, file]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_goes_into_the_bucket_is_played_from_it_and_leaves_nothing() {
    let bucket = Bucket::open().await;
    let mut camp = Camp::on_sqlite();
    bucket.keep_files_of(&mut camp);
    add_owner(&camp);
    let site = Site::start(&camp, &["--with-worker"]).await;
    let owner = Owner::sign_in(&site).await;
    let video = owner.upload(LAKE).await;
    let [master, file] = playable(&site, &video).await;

    let stored = bucket.files().await;
    for name in ["master.m3u8", "360.mp4", "360.m3u8", "file.mp4", "poster.jpg", "sprite.jpg"] {
        let is_there = stored
            .keys()
            .any(|key| key.starts_with("summer/videos/") && key.ends_with(&format!("/1/{name}")));
        assert!(is_there, "{name}: {stored:?}");
    }
    assert_eq!(bucket.begun().await, [""; 0]);
    for folder in ["uploads", "converting"] {
        let left = std::fs::read_dir(camp.folder().join("data").join(folder)).expect("a folder");
        assert_eq!(left.count(), 0, "{folder}");
    }

    let playlist = get(site.address, &master, &[]).await;
    assert!(playlist.status == 200 && text(&playlist).contains("#EXTM3U"), "{}", text(&playlist));
    let whole = get(site.address, &file, &[]).await;
    assert_eq!(whole.status, 200);
    let size = stored.iter().find(|(key, _)| key.ends_with("/360.mp4")).expect("a file").1;
    assert_eq!(whole.body.len() as u64, *size);
    let mut parts = Vec::new();
    while parts.len() < whole.body.len() {
        let range = format!("bytes={}-{}", parts.len(), parts.len() + 99_999);
        let part = get(site.address, &file, &[("range", &range)]).await;
        assert_eq!(part.status, 206, "{}", part.head);
        parts.extend(part.body);
    }
    assert!(parts == whole.body, "the parts are the whole");
    let behind = format!("bytes={}-", whole.body.len());
    assert_eq!(get(site.address, &file, &[("range", &behind)]).await.status, 416);

    redirected(&camp, &bucket, &[&master, &file, &format!("/media/videos/{video}")], &whole.body)
        .await;

    owner.delete_video(&video).await;
    while !bucket.files().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    site.stop().await;
}

/// With `--storage-redirects`, browsers load file bytes from the bucket, and nothing else.
async fn redirected(camp: &Camp, bucket: &Bucket, paths: &[&str], whole: &[u8]) {
    let site = Site::start(camp, &["--storage-redirects"]).await;
    assert_eq!(get(site.address, paths[0], &[]).await.status, 200, "a playlist");
    let mut signed = Vec::new();
    for path in &paths[1..] {
        let answer = get(site.address, path, &[]).await;
        assert_eq!(answer.status, 307, "{path}: {}", answer.head);
        assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
        let url = answer.head.lines().find_map(|line| line.strip_prefix("location: "));
        let url = url.expect("an address").to_owned();
        assert!(url.contains("/summer/videos/") && url.contains("X-Amz-Expires=300"), "{url}");
        let origin = format!("http://{}", bucket.address);
        signed.push(url.strip_prefix(&origin).expect("the bucket").to_owned());
    }
    let from_bucket = get(bucket.address, &signed[0], &[]).await;
    assert!(from_bucket.status == 200 && from_bucket.body == whole, "{}", from_bucket.head);
    let head = from_bucket.head.to_lowercase();
    assert!(head.contains("content-type: video/mp4"), "{head}");
    let part = get(bucket.address, &signed[0], &[("range", "bytes=100-199")]).await;
    assert!(part.status == 206 && part.body == whole[100..200], "{}", part.head);
    assert_eq!(get(bucket.address, &signed[1], &[]).await.status, 200);

    // The signature covers the method, the file and the expiry time.
    let longer = signed[0].replace("X-Amz-Expires=300", "X-Amz-Expires=900");
    let other = signed[0].replace("/360.mp4?", "/file.mp4?");
    let (unsigned, _) = signed[0].split_once('?').expect("a query");
    for path in [longer.as_str(), &other, unsigned] {
        assert_eq!(get(bucket.address, path, &[]).await.status, 403, "{path}");
    }
    for method in ["PUT", "DELETE"] {
        let answer = exchange(bucket.address, method, &signed[0], &[], b"").await;
        assert_eq!(answer.expect("an answer").status, 403, "{method}");
    }
    let page = text(&get(site.address, "/", &[]).await);
    let origin = format!("http://{}", bucket.address);
    for part in [format!("connect-src 'self' {origin};"), format!(" {origin}; font-src")] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    site.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_earlier_imports_are_converted_in_the_bucket() {
    let bucket = Bucket::open().await;
    let mut camp = Camp::on_sqlite();
    bucket.keep_files_of(&mut camp);
    ran(&camp, &["seed", "--sample", "general"]);
    let app = camp.app().await;
    let video = portal::videos::unconverted(&app, 1).await.expect("videos").remove(0);
    app.db.close().await;
    let before = bucket.files().await;
    ran(&camp, &["videos", "convert", &video.id.to_string()]);
    let app = camp.app().await;
    let recorded = "select count(*) from audit_log where action = 'video.convert'";
    assert_eq!(count(&app.db, recorded).await, 1);
    app.db.close().await;
    let mut after = bucket.files().await;
    let made = after.extract_if(.., |key, _| key.starts_with("summer/videos/"));
    assert!(made.filter(|(key, _)| key.ends_with("/1/360.mp4")).count() == 1);
    assert_eq!(after, before, "other files stay");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_fails_while_the_bucket_is_unavailable_says_why_in_the_log() {
    let mut camp = Camp::on_sqlite();
    let nobody = format!("127.0.0.1:{}", free_port());
    camp.environment = vec![
        ("CAMP_STORAGE_URL", "s3://summer/camp".to_owned()),
        ("AWS_ENDPOINT", format!("http://{nobody}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_ACCESS_KEY_ID", "miriam".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "lantern".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
    ];
    camp.begin();
    let app = camp.app().await;
    execute!(
        &app.db,
        "insert into failed_jobs (id, name, args, error, attempts, failed_at)
         values ($1, 'remove_files', '{\"file_key\": \"lake.mp4\"}', 'no', 10, $2)",
        Uuid::now_v7(),
        app.clock.now(),
    );
    app.db.close().await;
    ran(&camp, &["jobs", "retry", "--all"]);
    let site = Site::start(&camp, &["--with-worker"]).await;
    let line = loop {
        let said = site.said();
        if let Some(line) = said.lines().find(|line| line.contains("job failed")) {
            break line.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(line.contains(&nobody), "{line}");
    site.stop().await;
}
