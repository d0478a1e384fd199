//! Every published release can be upgraded, even if somebody kills the upgrade.
//!
//! `releases/VERSION` has a small camp of each release, kept by `just keep-release`. `0.1.0-pre` is
//! from before the first release.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use portal::db::Db;
use serde_json::Value;

use crate::backup::path;
use crate::camp::{Camp, count};
use crate::chaos::site::Site;
use crate::on_both_engines;
use crate::upgrade::families_of_schema_15;

on_both_engines! {
    async fn every_release_is_upgraded_and_served(camp: Camp) {
        for release in releases() {
            let camp = camp.another().await;
            put_in_place(&camp, &release);
            assert_upgraded_and_served(&camp, &release).await;
        }
    }

    async fn a_backup_of_every_release_is_restored(camp: Camp) {
        for release in releases() {
            let camp = camp.another().await;
            let said = camp.run(&["restore", path(&archive(&camp, &release))]);
            assert_eq!(said.code, 0, "{said:?}");
            assert_upgraded_and_served(&camp, &release).await;
        }
    }

    async fn an_upgrade_that_is_killed_again_and_again_is_finished_by_the_next(camp: Camp) {
        families_of_schema_15(&camp, 40).await;
        let mut killed = 0;
        for delay in (10..).step_by(15).map(Duration::from_millis) {
            let mut upgrade = camp.start(&["migrate"]);
            tokio::time::sleep(delay).await;
            if upgrade.has_ended() {
                break;
            }
            upgrade.kill();
            killed += 1;
        }
        assert!(killed > 0);

        let said = camp.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains("up to date already"), "{said:?}");
        let fresh = camp.another().await;
        fresh.begin();
        let (upgraded, new) = (open(&camp).await, open(&fresh).await);
        assert_eq!(count(&upgraded, "select count(*) from profiles").await, 40);
        assert_eq!(columns(&upgraded).await, columns(&new).await);
        upgraded.close().await;
        new.close().await;
        for copy in copies_of(&camp) {
            let copy = Db::open(&format!("sqlite://{}", copy.display())).await.expect("a database");
            assert_eq!(count(&copy, "select count(*) from profiles").await, 40);
            copy.close().await;
        }
    }
}

/// The folders of the published versions.
fn releases() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("tests/releases")
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

fn archive(camp: &Camp, release: &Path) -> PathBuf {
    release.join(if camp.is_on_postgres() { "postgres.tar.zst" } else { "sqlite.tar.zst" })
}

/// Puts the database of a release where the portal expects it, as if that version had run until now.
fn put_in_place(camp: &Camp, release: &Path) {
    let packed = std::fs::File::open(archive(camp, release)).expect("an archive");
    let mut archive = tar::Archive::new(zstd::Decoder::new(packed).expect("zstd"));
    let mut database = Vec::new();
    archive
        .entries()
        .expect("entries")
        .map(|entry| entry.expect("an entry"))
        .find(|entry| entry.path().is_ok_and(|path| path == Path::new("database")))
        .expect("a database")
        .read_to_end(&mut database)
        .expect("readable");
    std::fs::create_dir_all(camp.data("")).expect("a folder");
    let Some(url) = camp.database_url() else {
        std::fs::write(camp.data("camp.db"), database).expect("written");
        return;
    };
    let dump = camp.folder().join("dump");
    std::fs::write(&dump, database).expect("written");
    let restored = Command::new("pg_restore")
        .args(["--no-owner", "--exit-on-error", "--dbname", &url])
        .arg(&dump)
        .output()
        .expect("pg_restore runs");
    assert!(restored.status.success(), "{restored:?}");
}

async fn assert_upgraded_and_served(camp: &Camp, release: &Path) {
    let said = camp.run(&["migrate"]);
    assert_eq!(said.code, 0, "{}: {said:?}", release.display());
    let db = open(camp).await;
    assert_eq!(count(&db, "select count(*) from profiles").await, 200, "{}", release.display());
    assert_eq!(count(&db, "select count(*) from payments").await, 495, "{}", release.display());
    // Nobody is reminded of a plan from years ago.
    let off = "select count(*) from settings where key = 'remindOverdue' and value = 'false'";
    assert_eq!(count(&db, off).await, 1, "{}", release.display());
    for wrong in [
        "select count(*) from video_comments where search_text = ''",
        "select count(*) from video_comments c where (reported_at is not null) <> exists (select 1 from comment_reports r where r.comment_id = c.id)",
    ] {
        assert_eq!(count(&db, wrong).await, 0, "{}: {wrong}", release.display());
    }
    db.close().await;

    let site = Site::start(camp, &[]).await;
    let ready = site.get("/readyz").await;
    assert_eq!(ready.status, 200, "{}: {}", release.display(), ready.body);
    let videos = site.get("/api/videos?collection=archive").await;
    let videos: Value = serde_json::from_str(&videos.body).expect("JSON");
    assert_eq!(videos["items"].as_array().map(Vec::len), Some(100), "{}", release.display());
    site.stop().await;
}

async fn open(camp: &Camp) -> Db {
    let file = format!("sqlite://{}", camp.data("camp.db").display());
    Db::open(&camp.database_url().unwrap_or(file)).await.expect("a database")
}

/// All tables with their columns, and all indexes.
async fn columns(db: &Db) -> Vec<String> {
    match db {
        Db::Sqlite { write, .. } => {
            sqlx::query_scalar(
                "select type || ' ' || name || ' ' || coalesce(sql, '') from sqlite_master
                 where name not like 'sqlite_%' order by 1",
            )
            .fetch_all(write)
            .await
        }
        Db::Postgres(pool) => {
            sqlx::query_scalar(
                "select table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable
                 from information_schema.columns where table_schema = 'public'
                 union all select indexdef from pg_indexes where schemaname = 'public' order by 1",
            )
            .fetch_all(pool)
            .await
        }
    }
    .expect("texts")
}

/// The copies of the database that upgrades made. PostgreSQL has none.
fn copies_of(camp: &Camp) -> Vec<PathBuf> {
    if camp.is_on_postgres() {
        return Vec::new();
    }
    let copies: Vec<PathBuf> = std::fs::read_dir(camp.data(""))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains("camp.db.before-upgrade-v"))
        .filter(|path| !path.to_string_lossy().ends_with(".part"))
        .collect();
    assert!((1..=3).contains(&copies.len()), "{copies:?}");
    copies
}
