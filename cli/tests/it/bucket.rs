//! A camp whose files are in an S3 bucket.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::backup::path;
use crate::camp::{Camp, Said};

/// The part of S3 that the portal uses.
#[derive(Clone)]
struct Bucket {
    port: u16,
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl Bucket {
    async fn open() -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let bucket = Bucket { port, objects: Arc::default() };
        let shared = bucket.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let bucket = shared.clone();
                tokio::spawn(async move { bucket.talk(stream).await.ok() });
            }
        });
        bucket
    }

    async fn talk(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        loop {
            let mut head = String::new();
            while stream.read_line(&mut head).await? > 2 {}
            let Some((request, headers)) = head.split_once("\r\n") else { return Ok(()) };
            let length = headers.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            });
            let mut body = vec![0; length.unwrap_or(0)];
            stream.read_exact(&mut body).await?;
            let mut words = request.split(' ');
            let (method, target) =
                (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let (mut status, mut body) = self.answer(method, target, body);
            let mut range = String::new();
            if let Some(part) = part_of(headers).filter(|_| status == "200 OK") {
                range = format!(
                    "content-range: bytes {}-{}/{}\r\n",
                    part.start,
                    part.end - 1,
                    body.len()
                );
                (status, body) = ("206 Partial Content", body[part].to_vec());
            }
            let head = format!(
                "HTTP/1.1 {status}\r\n{range}content-length: {}\r\netag: \"1\"\r\n\
                 last-modified: Wed, 01 Jul 2026 00:00:00 GMT\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).await?;
            if method != "HEAD" {
                stream.write_all(&body).await?;
            }
        }
    }

    fn answer(&self, method: &str, target: &str, body: Vec<u8>) -> (&'static str, Vec<u8>) {
        let mut objects = self.objects.lock().expect("fine");
        let (place, query) = target.split_once('?').unwrap_or((target, ""));
        let key = place.trim_start_matches("/camp").trim_start_matches('/').to_owned();
        match method {
            "PUT" => {
                objects.insert(key, body);
                ("200 OK", Vec::new())
            }
            // One request deletes several objects, which it names.
            "POST" if query.starts_with("delete") => {
                let text = String::from_utf8_lossy(&body).into_owned();
                let named = |key: &str| text.contains(&format!("<Key>{key}</Key>"));
                let gone: String = objects
                    .extract_if(.., |key, _| named(key))
                    .map(|(key, _)| format!("<Deleted><Key>{key}</Key></Deleted>"))
                    .collect();
                ("200 OK", format!("<DeleteResult>{gone}</DeleteResult>").into_bytes())
            }
            "DELETE" => {
                objects.remove(&key);
                ("204 No Content", Vec::new())
            }
            "GET" if query.contains("list-type=2") => {
                let mut xml = "<ListBucketResult><IsTruncated>false</IsTruncated>".to_owned();
                let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix="));
                let prefix = prefix.unwrap_or_default().replace("%2F", "/");
                for (key, bytes) in objects.iter().filter(|(key, _)| key.starts_with(&prefix)) {
                    write!(
                        xml,
                        "<Contents><Key>{key}</Key><Size>{}</Size><ETag>\"1\"</ETag>\
                         <LastModified>2026-07-01T00:00:00.000Z</LastModified></Contents>",
                        bytes.len()
                    )
                    .expect("written");
                }
                ("200 OK", (xml + "</ListBucketResult>").into_bytes())
            }
            _ => match objects.get(&key) {
                Some(bytes) => ("200 OK", bytes.clone()),
                None => ("404 Not Found", Vec::new()),
            },
        }
    }

    async fn run(&self, camp: &Camp, arguments: &[&str]) -> Said {
        let mut command = camp.command(arguments);
        self.place(&mut command);
        let output = tokio::task::spawn_blocking(move || command.output().expect("it runs"));
        let output = output.await.expect("it ends");
        Said {
            code: output.status.code().expect("it was not killed"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Lets a command store its files in the bucket.
    fn place(&self, command: &mut std::process::Command) {
        command
            .env("CAMP_STORAGE_URL", "s3://camp/summer")
            .env("AWS_ENDPOINT", format!("http://127.0.0.1:{}", self.port))
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "miriam")
            .env("AWS_SECRET_ACCESS_KEY", "lantern");
    }
}

/// The byte range of a request, if it has one.
fn part_of(headers: &str) -> Option<std::ops::Range<usize>> {
    let wanted = headers.lines().find_map(|line| line.strip_prefix("range: bytes="))?;
    let (first, last) = wanted.split_once('-')?;
    Some(first.parse().ok()?..last.parse::<usize>().ok()? + 1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_bucket_a_backup_holds_the_list() {
    let bucket = Bucket::open().await;
    let camp = Camp::on_sqlite();
    let seeded = bucket.run(&camp, &["seed", "--sample", "general"]).await;
    assert_eq!(seeded.code, 0, "{seeded:?}");
    let there = || bucket.objects.lock().expect("fine").len();
    let before = there();
    assert!(before > 10, "{before}");

    let doctor = bucket.run(&camp, &["doctor"]).await;
    assert!(
        doctor.out.contains("Files can be written to the bucket, read and removed."),
        "{doctor:?}"
    );
    assert_eq!(there(), before, "nothing is left behind");

    let file = camp.folder().join("camp.tar.zst");
    let saved = bucket.run(&camp, &["backup", path(&file)]).await;
    assert!(saved.code == 0 && saved.out.contains("0 files"), "{saved:?}");
    assert!(saved.out.contains("It has only a list of the files in s3://camp/summer"), "{saved:?}");
    let listed = std::process::Command::new("tar")
        .args(["--use-compress-program=unzstd", "-xOf", path(&file), "objects.txt"])
        .output();
    if let Some(listed) = listed.ok().filter(|listed| listed.status.success()) {
        let listed = String::from_utf8(listed.stdout).expect("UTF-8");
        assert_eq!(listed.lines().count(), before, "{listed}");
        assert!(listed.contains("\tsamples/lake.jpg\n"), "{listed}");
    }

    let other = Camp::on_sqlite();
    let back = bucket.run(&other, &["restore", path(&file)]).await;
    assert!(back.code == 0 && back.out.contains("--storage-url must name it"), "{back:?}");
    assert_eq!(there(), before);
    let again = bucket.run(&other, &["restore", path(&file), "--replace"]).await;
    assert!(again.code == 0 && again.out.contains("before-restore-"), "{again:?}");
    assert_eq!(there(), before);

    let folder = Camp::on_sqlite();
    assert_eq!(folder.run(&["seed", "--sample", "general"]).code, 0);
    let with_files = folder.backup("camp.tar.zst");
    let refused = bucket.run(&Camp::on_sqlite(), &["restore", path(&with_files)]).await;
    assert!(refused.code == 3 && refused.err.contains("--storage-url is a bucket"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn converted_videos_are_in_the_bucket_and_nowhere_else() {
    let bucket = Bucket::open().await;
    let camp = Camp::on_sqlite();
    let seeded = bucket.run(&camp, &["seed", "--sample", "general"]).await;
    assert_eq!(seeded.code, 0, "{seeded:?}");
    let app = camp.app().await;
    let video = portal::videos::unconverted(&app, 1).await.expect("videos").remove(0);
    app.db.close().await;
    let keys = || bucket.objects.lock().expect("fine").keys().cloned().collect::<Vec<_>>();
    let before = keys().len();
    let said = bucket.run(&camp, &["videos", "convert", &video.id.to_string()]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let made: Vec<String> =
        keys().into_iter().filter(|key| key.starts_with("summer/videos/")).collect();
    for name in ["master.m3u8", "360.mp4", "360.m3u8", "file.mp4", "poster.jpg", "sprite.jpg"] {
        assert!(made.iter().any(|key| key.ends_with(&format!("/1/{name}"))), "{name}: {made:?}");
    }
    assert_eq!(keys().len(), before + made.len(), "other files stay");
    for folder in ["uploads", "converting"] {
        let left = std::fs::read_dir(camp.folder().join("data").join(folder)).expect("a folder");
        assert_eq!(left.count(), 0, "{folder}");
    }
}

/// The answer to a request of a browser: its status and headers, as text.
async fn asked(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browsers_load_videos_from_the_bucket_by_signed_addresses() {
    let bucket = Bucket::open().await;
    let camp = Camp::on_sqlite();
    assert_eq!(bucket.run(&camp, &["seed", "--sample", "general"]).await.code, 0);
    let app = camp.app().await;
    let video = portal::videos::unconverted(&app, 1).await.expect("videos").remove(0).id;
    assert_eq!(bucket.run(&camp, &["videos", "convert", &video.to_string()]).await.code, 0);
    let settings = app.settings().await.expect("settings");
    let nobody = portal::access::Viewer::default();
    let seen = portal::videos::find(&app, &settings, &nobody, video).await;
    let master = seen.expect("a video").hls_url.expect("a playlist");
    app.db.close().await;

    let port =
        TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("it").port();
    let mut command =
        camp.command(&["serve", "--storage-redirects", "--bind", &format!("127.0.0.1:{port}")]);
    bucket.place(&mut command);
    let mut served = command.spawn().expect("it starts");
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(served.try_wait().expect("a state").is_none(), "it serves");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let playlist = asked(port, &master).await;
    assert!(playlist.starts_with("HTTP/1.1 200") && playlist.contains("#EXTM3U"), "{playlist}");
    for path in [master.replace("master.m3u8", "360.mp4"), format!("/media/videos/{video}")] {
        let answer = asked(port, &path).await;
        assert!(answer.starts_with("HTTP/1.1 307"), "{path}: {answer}");
        assert!(answer.contains("cache-control: no-store"), "{answer}");
        let url =
            answer.lines().find_map(|line| line.strip_prefix("location: ")).expect("an address");
        let place = format!("http://127.0.0.1:{}/camp/summer/videos/", bucket.port);
        assert!(url.starts_with(&place) && url.contains("X-Amz-Signature="), "{url}");
        assert!(url.contains("X-Amz-Expires=300"), "{url}");
        let (_, target) = url.split_once(&format!(":{}", bucket.port)).expect("a path");
        assert!(asked_bucket(&bucket, target), "{url}");
    }
    let page = asked(port, &format!("/video/{video}")).await;
    let origin = format!("http://127.0.0.1:{}", bucket.port);
    for part in [format!("connect-src 'self' {origin};"), format!(" {origin}; font-src")] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    served.kill().expect("it ends");
    served.wait().expect("it has ended");
}

fn asked_bucket(bucket: &Bucket, target: &str) -> bool {
    bucket.answer("GET", target, Vec::new()).0 == "200 OK"
}
