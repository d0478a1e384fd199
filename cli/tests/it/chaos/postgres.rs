//! PostgreSQL restarts with `-m immediate`, as after a power loss. No acknowledged write is lost,
//! and the portal serves again within five seconds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use url::Url;

use super::long;
use super::site::{Owner, Site, Tally, add_owner};
use crate::camp::{Camp, free_port};

/// A separate server with full durability.
struct Server {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Server {
    fn start() -> Server {
        let folder = TempDir::new().expect("a folder");
        let server = Server { folder, programs: programs(), port: free_port() };
        if is_root() {
            // PostgreSQL refuses to run as root.
            let place = server.folder.path();
            assert!(
                Command::new("chown")
                    .arg("postgres")
                    .arg(place)
                    .status()
                    .is_ok_and(|s| s.success())
            );
        }
        server.run("initdb", &["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]);
        server.run("pg_ctl", &["start", "-w", "-l", &server.log(), "-o", &server.options()]);
        server
    }

    fn restart(&self) {
        let options =
            ["restart", "-m", "immediate", "-w", "-l", &self.log(), "-o", &self.options()];
        self.run("pg_ctl", &options);
    }

    fn log(&self) -> String {
        self.folder.path().join("log").display().to_string()
    }

    fn options(&self) -> String {
        let place = self.folder.path().display();
        format!("-p {} -k {place} -c listen_addresses=127.0.0.1", self.port)
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let data = self.folder.path().join("data");
        let program = self.programs.join(program);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        // A pipe would not work, because the server would keep it open.
        let done = command
            .arg("-D")
            .arg(data)
            .args(arguments)
            .current_dir("/")
            .stdout(std::process::Stdio::null())
            .status();
        assert!(done.is_ok_and(|status| status.success()), "{arguments:?}");
    }

    fn url(&self) -> Url {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", self.port);
        Url::parse(&url).expect("an address")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run("pg_ctl", &["stop", "-m", "immediate"]);
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self").metadata().is_ok_and(|me| me.uid() == 0)
}

/// The newest installed version, or the programs on the `PATH`.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, folder)| folder).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgresql_that_loses_its_power_loses_nothing_that_was_acknowledged() {
    let restarts = if long() { 20 } else { 2 };
    let server = Server::start();
    let camp = Camp::on_postgres_at(server.url()).await;
    add_owner(&camp);
    let site = Site::start(&camp, &["--with-worker"]).await;
    let owner = Owner::sign_in(&site).await;
    let stop = Arc::new(AtomicBool::new(false));
    let kept: Arc<Mutex<Vec<String>>> = Arc::default();
    let posting: Vec<_> = (0..4)
        .map(|poster| tokio::spawn(post(owner.clone(), poster, kept.clone(), stop.clone())))
        .collect();
    let mut slowest = Duration::ZERO;
    for _ in 0..restarts {
        let before = kept.lock().expect("no panic").len();
        while kept.lock().expect("no panic").len() < before + 10 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::task::block_in_place(|| server.restart());
        let up = Instant::now();
        // Waits for a write and a read that started after PostgreSQL was available again.
        while owner.post("After the restart", "draft").await.status != 201
            || site.get("/api/videos").await.status != 200
        {
            assert!(up.elapsed() < Duration::from_secs(5), "{}", site.said());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        slowest = slowest.max(up.elapsed());
    }
    stop.store(true, Ordering::Relaxed);
    let mut tally = Tally::default();
    for posting in posting {
        for (status, times) in posting.await.expect("posts").0 {
            *tally.0.entry(status).or_default() += times;
        }
    }
    println!("{restarts} restarts: {:?}; serving again after {slowest:?} at the most", tally.0);
    tally.only(&[201, 503]);

    let url = camp.database_url().expect("PostgreSQL");
    let mut database = PgConnection::connect(&url).await.expect("it answers");
    let titles: Vec<String> = sqlx::query_scalar("select title from videos")
        .fetch_all(&mut database)
        .await
        .expect("titles");
    let kept = kept.lock().expect("no panic").clone();
    let lost: Vec<&String> = kept.iter().filter(|title| !titles.contains(title)).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    database.close().await.expect("closed");
    site.stop().await;
    drop(camp);
}

/// Posts videos until it is stopped. Returns the titles of the acknowledged ones.
async fn post(
    owner: Owner,
    poster: usize,
    kept: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
) -> Tally {
    let mut tally = Tally::default();
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let title = format!("Video {poster}.{n}");
        let answer = owner.post(&title, "draft").await;
        match answer.status {
            201 => kept.lock().expect("no panic").push(title),
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
        tally.add(&answer);
    }
    tally
}
