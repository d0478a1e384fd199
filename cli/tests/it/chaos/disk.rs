//! The disk fills up during a commit, a checkpoint of the write-ahead log, and a backup. Writes are
//! refused, reads continue, and everything works again once there is space. If only the log needed
//! more, everything works again at once.

mod videos;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::{Connection, SqliteConnection};

use super::long;
use super::site::{Answer, Owner, Site, Tally, add_owner};
use crate::backup::path;
use crate::camp::Camp;
use crate::mail::{eventually, families};
use crate::sink::Sink;

/// A small separate disk, removed after the test.
struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// `None` if this user may not mount.
    fn mount(folder: &Path, megabytes: u32) -> Option<Disk> {
        std::fs::create_dir_all(folder).expect("a folder");
        let size = format!("size={megabytes}m,mode=0700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(folder)
            .status()
            .is_ok_and(|status| status.success());
        mounted.then(|| Disk { folder: folder.to_owned() })
    }

    /// Fills the disk, leaving this many pages of 4 KiB free.
    fn fill(&self, leave: u64) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.join("filler"))
            .expect("the filler");
        for block in [1 << 16, 1 << 12] {
            while file.write_all(&vec![b'x'; block]).is_ok() {}
        }
        let length = file.metadata().expect("its size").len();
        file.set_len((length / 4096 * 4096).saturating_sub(leave * 4096)).expect("shorter");
    }

    fn free(&self) {
        std::fs::remove_file(self.folder.join("filler")).expect("the filler is there");
    }

    /// The bytes in use on the disk.
    fn used(&self) -> u64 {
        let output = Command::new("df").args(["-B1", "--output=used"]).arg(&self.folder).output();
        let output = String::from_utf8(output.expect("df is there").stdout).expect("a text");
        output.lines().nth(1).expect("a figure").trim().parse().expect("a number")
    }

    /// The bytes in use, except by the database, whose log grows in the meantime.
    fn used_by_files(&self) -> u64 {
        let database = ["camp.db", "camp.db-wal", "camp.db-shm"].map(|name| self.folder.join(name));
        let size = |file: &PathBuf| file.metadata().map_or(0, |file| file.len());
        self.used().saturating_sub(database.iter().map(size).sum::<u64>())
    }

    fn resize(&self, bytes: u64) {
        let size = format!("remount,size={bytes}");
        let mounted = Command::new("mount").args(["-o", &size]).arg(&self.folder).status();
        assert!(mounted.is_ok_and(|status| status.success()), "{size}");
    }

    /// Shrinks the disk until only this many bytes are free.
    fn leave(&self, bytes: u64) {
        self.resize((self.used() + bytes).next_multiple_of(4096));
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| !["filler", "camp.db-wal", "camp.db-shm"].contains(&name.as_str()))
            .collect();
        names.sort();
        names
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg("--lazy").arg(&self.folder).status().ok();
    }
}

struct Story {
    camp: Camp,
    disk: Disk,
    site: Site,
    owner: Owner,
    posted: usize,
    slowest: Duration,
}

impl Story {
    async fn post(&mut self, status: &str) -> Answer {
        self.posted += 1;
        self.owner.post(&format!("Video {}", self.posted), status).await
    }

    /// Everybody can still read, including staff.
    async fn read(&self) {
        let answers = [
            self.site.get("/api/videos").await,
            self.site.get("/api/site").await,
            self.site.get("/").await,
            self.owner.get("/api/admin/videos").await,
        ];
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [200; 4], "{}", self.site.said());
    }

    /// Posts until the disk is full, and then a little longer.
    async fn run_out(&mut self, what: &str) {
        let mut tally = Tally::default();
        while tally.of(507) + tally.of(503) == 0 {
            let answer = self.post("draft").await;
            tally.add(&answer);
            tally.only(&[201, 503, 507]);
            assert!(tally.of(201) < 3_000, "the disk is never full");
        }
        let full = Instant::now();
        while full.elapsed() < Duration::from_millis(if long() { 5_000 } else { 800 }) {
            let answer = self.post("published").await;
            tally.add(&answer);
            tally.only(&[201, 503, 507]);
            self.read().await;
        }
        println!("{what}: {:?}", tally.0);
    }

    /// Frees space. Then a video can be posted, and families get an email about it.
    async fn recover(&mut self, what: &str, sink: &Sink) {
        self.disk.free();
        let begun = Instant::now();
        let reached = sink.kept().len();
        loop {
            let answer = self.post("published").await;
            if answer.status == 201 {
                break;
            }
            assert!([503, 507].contains(&answer.status), "{}: {}", answer.status, self.site.said());
            assert!(begun.elapsed() < Duration::from_secs(5), "{what}: {}", self.site.said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let back = begun.elapsed();
        self.slowest = self.slowest.max(back);
        eventually("the worker is back", Duration::from_secs(60), || sink.kept().len() > reached)
            .await;
        println!("{what}: back after {back:?}, the worker after {:?}", begun.elapsed());
    }
}

/// A single cause leads to a single piece of advice.
#[test]
fn the_doctor_names_a_disk_that_is_full_or_read_only_once() {
    let camp = Camp::on_sqlite();
    let Some(disk) = Disk::mount(&camp.data(""), 4096) else {
        println!("Not tested: only root can mount the small disk that this test fills.");
        return;
    };
    disk.resize(700 << 10);
    let said = camp.run(&["migrate"]);
    assert!(said.code == 4 && said.err.contains("Please make room"), "{said:?}");
    disk.resize(4 << 30);
    add_owner(&camp);
    let broken = || {
        let said = camp.run(&["doctor", "--json"]);
        assert_eq!(said.code, 1, "{said:?}");
        let found: Vec<Value> = serde_json::from_str(&said.out).expect("JSON");
        let broken = found.iter().filter(|one| one["state"] == "broken");
        let broken = broken.filter(|one| one["what"] != "worker");
        broken.map(|one| format!("{}: {}", one["what"], one["todo"])).collect::<Vec<_>>()
    };
    disk.leave(0);
    let found = broken();
    assert!(found.len() == 1 && found[0].starts_with("\"disk\": \"Make room"), "{found:?}");
    let said = camp.run(&["settings", "set", "siteName=Lake"]);
    assert!(said.code == 4 && said.err.contains("Please make room"), "{said:?}");
    disk.resize(4 << 30);
    let read_only = Command::new("mount").args(["-o", "remount,ro"]).arg(&disk.folder).status();
    assert!(read_only.is_ok_and(|status| status.success()));
    let found = broken();
    assert!(
        found.len() == 1 && found[0].starts_with("\"data-dir\": \"The file system"),
        "{found:?}"
    );
    let said = camp.run(&["admin", "list"]);
    assert!(said.code == 4 && said.err.contains("mounted read-only"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_nothing_for_longer_than_it_is_full() {
    let camp = Camp::on_sqlite();
    let Some(disk) = Disk::mount(&camp.data(""), if long() { 120 } else { 40 }) else {
        println!("Not tested: only root can mount the small disk that this test fills.");
        return;
    };
    add_owner(&camp);
    let app = camp.app().await;
    families(&app, ["leah@family.example".to_owned()]).await;
    app.db.close().await;
    drop(app);
    let sink = Sink::open().await;
    let url = sink.url();
    let site = Site::start(&camp, &["--with-worker", "--smtp-url", &url]).await;
    let owner = Owner::sign_in(&site).await;
    let mut story = Story { camp, disk, site, owner, posted: 0, slowest: Duration::ZERO };
    assert_eq!(story.post("published").await.status, 201);
    eventually("the worker works", Duration::from_secs(60), || sink.reached() == 1).await;

    for round in 0..if long() { 20 } else { 2 } {
        in_the_middle_of_a_commit(&mut story, round, &sink).await;
        in_the_middle_of_a_checkpoint(&mut story, &sink).await;
        by_the_log_alone(&mut story, &sink).await;
        in_the_middle_of_a_backup(&mut story, round, &sink).await;
    }
    println!("back after {:?} at the most", story.slowest);
    let Story { camp, disk, site, .. } = story;
    site.stop().await;
    let mut database = open(&camp).await;
    let sound: String = sqlx::query_scalar("pragma integrity_check")
        .fetch_one(&mut database)
        .await
        .expect("an answer");
    assert_eq!(sound, "ok");
    database.close().await.expect("closed");
    drop(disk);
}

async fn open(camp: &Camp) -> SqliteConnection {
    let file = format!("sqlite://{}", camp.data("camp.db").display());
    SqliteConnection::connect(&file).await.expect("the database opens")
}

/// Makes free pages in the database file, so that it can take data without growing.
async fn free_pages(database: &mut SqliteConnection) {
    for text in ["create table filler as select zeroblob(4000000)", "drop table filler"] {
        sqlx::query(text).execute(&mut *database).await.expect(text);
    }
}

/// The log grows with every commit, because a reader is still using it.
async fn in_the_middle_of_a_commit(story: &mut Story, round: u64, sink: &Sink) {
    let mut reader = open(&story.camp).await;
    sqlx::query("begin").execute(&mut reader).await.expect("a transaction");
    sqlx::query("select count(*) from videos").fetch_one(&mut reader).await.expect("a count");
    // Each round leaves room for a different part of a commit.
    story.disk.fill(20 + round);
    story.run_out("commit").await;
    story.recover("commit", sink).await;
    reader.close().await.expect("closed");
}

/// SQLite checkpoints the log when it has a thousand pages.
const LOG: u64 = 1_000 * 4_096;

/// The log is overwritten from its beginning until a checkpoint fails, because the database file
/// cannot grow.
async fn in_the_middle_of_a_checkpoint(story: &mut Story, sink: &Sink) {
    let size = |name: &str| story.camp.data(name).metadata().map_or(0, |file| file.len());
    while size("camp.db-wal") < LOG {
        assert_eq!(story.owner.post("Fills the log", "draft").await.status, 201);
    }
    let mut other = open(&story.camp).await;
    sqlx::query("pragma wal_checkpoint(restart)").fetch_one(&mut other).await.expect("moved");
    other.close().await.expect("closed");
    let before = (size("camp.db"), size("camp.db-wal"));
    story.disk.fill(0);
    story.run_out("checkpoint").await;
    let size = |name: &str| story.camp.data(name).metadata().map_or(0, |file| file.len());
    println!(
        "checkpoint: file and log had {before:?} bytes, and {:?} when the disk was full",
        (size("camp.db"), size("camp.db-wal"))
    );
    story.recover("checkpoint", sink).await;
}

/// Only the log needs more space, because the database file has free pages. The log is then reused
/// from its beginning, and nobody has to make room.
async fn by_the_log_alone(story: &mut Story, sink: &Sink) {
    let mut other = open(&story.camp).await;
    free_pages(&mut other).await;
    sqlx::query("pragma wal_checkpoint(truncate)").fetch_one(&mut other).await.expect("moved");
    other.close().await.expect("closed");
    story.disk.fill(60);
    let mut tally = Tally::default();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) && tally.of(201) < 60 {
        tally.add(&story.post("draft").await);
        tally.only(&[201, 503, 507]);
    }
    println!("log: {:?} in {:.1?}", tally.0, begun.elapsed());
    assert!(tally.of(507) + tally.of(503) > 0, "the disk was never full");
    assert_eq!(tally.of(201), 60, "{}", story.site.said());
    story.recover("log", sink).await;
}

async fn in_the_middle_of_a_backup(story: &mut Story, round: u64, sink: &Sink) {
    let file = story.camp.data("camp.tar.zst");
    let said = story.camp.run(&["backup", path(&file), "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let made: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let copy = made["database_bytes"].as_u64().expect("a size") / 4096;
    std::fs::remove_file(&file).expect("removed");
    let before = story.disk.files();
    // Leaves space for part of the copy, or for the copy but not for its compressed form.
    story.disk.fill(if round.is_multiple_of(2) { copy / 2 } else { copy + 4 });
    let said = story.camp.run(&["backup", path(&file)]);
    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.err.contains("A disk is full"), "{said:?}");
    assert_eq!(story.disk.files(), before, "nothing is left behind");
    story.read().await;
    story.recover("backup", sink).await;
    let said = story.camp.run(&["backup", path(&file)]);
    assert_eq!(said.code, 0, "{said:?}");
    std::fs::remove_file(&file).expect("removed");
}
