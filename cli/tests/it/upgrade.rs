//! A newer version takes over what an earlier one left, and keeps it as it was.

use std::path::Path;

use crate::backup::path;
use crate::camp::Camp;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_keeps_the_database_as_it_was() {
    let camp = Camp::on_sqlite();
    let data = camp.data("");
    std::fs::create_dir_all(&data).expect("a folder");
    for day in 1..=3 {
        let old = format!("camp.db.before-upgrade-v0009-2026070{day}T000000Z");
        std::fs::write(data.join(old), "").expect("written");
    }
    at_schema(11, &data.join("camp.db")).await;
    let of_old = camp.backup("old.tar.zst");

    let said = camp.run(&["migrate"]);
    assert_eq!(said.code, 0, "{said:?}");
    let copies = || {
        let mut names: Vec<String> = std::fs::read_dir(&data)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("camp.db.before-upgrade-"))
            .collect();
        names.sort();
        names
    };
    let kept = copies();
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept[2].contains("-v0011-"), "{kept:?}");
    assert!(said.out.contains(&kept[2]), "it says where: {said:?}");
    assert_eq!(camp.run(&["migrate"]).code, 0);
    assert_eq!(copies(), kept, "nothing to do, nothing to keep");

    let other = Camp::on_sqlite();
    let said = other.run(&["restore", path(&of_old)]);
    assert_eq!(said.code, 0, "{said:?}");
    let again = other.run(&["migrate"]);
    assert!(again.out.contains("up to date already"), "it was brought up to date: {again:?}");
}

/// A database as an earlier version left it.
async fn at_schema(newest: i64, file: &Path) {
    let all = sqlx::migrate::Migrator::new(Path::new("../migrations")).await.expect("migrations");
    let some: Vec<_> = all.iter().filter(|step| step.version <= newest).cloned().collect();
    let some =
        sqlx::migrate::Migrator { migrations: some.into(), ..sqlx::migrate::Migrator::DEFAULT };
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let pool = sqlx::SqlitePool::connect_with(options).await.expect("a database");
    some.run(&pool).await.expect("migrated");
    pool.close().await;
}
