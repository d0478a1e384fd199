//! Upgrades: a newer version migrates the data of an earlier one and keeps a copy of it.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use portal::db::Db;
use uuid::Uuid;

use crate::backup::path;
use crate::camp::{Camp, count};
use crate::{execute, on_both_engines};

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

/// Changes videos, families and deliveries in different orders, as an earlier program that still
/// serves might.
async fn write_meanwhile(pool: sqlx::PgPool, round: usize) {
    const TEXTS: [&str; 3] = [
        "update videos set title = title || '!'
         where id in (select id from videos order by id limit 1)",
        "update profiles set daily_video_email = not daily_video_email
         where id in (select id from profiles order by id limit 1)",
        "update deliveries set updated_at = updated_at
         where (notification_id, email) in
           (select notification_id, email from deliveries order by notification_id, email limit 1)",
    ];
    for n in round.. {
        let Ok(mut tx) = pool.begin().await else { return };
        // A running program answers 503 when it loses a deadlock.
        let (first, second) = [(0, 1), (1, 2), (0, 2)][n % 3];
        for text in [TEXTS[first], TEXTS[second]] {
            if sqlx::query(text).execute(&mut *tx).await.is_err() {
                break;
            }
        }
        tx.commit().await.ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_gets_through_while_an_earlier_program_serves() {
    let camp = Camp::on_postgres().await;
    assert_eq!(camp.run(&["seed", "--sample", "general"]).code, 0);
    let db = Db::open(&camp.database_url().expect("an address")).await.expect("a database");
    let Db::Postgres(pool) = &db else { panic!("PostgreSQL") };
    for text in [
        "alter table deliveries drop column may_have_left",
        "delete from _sqlx_migrations where version = 54",
    ] {
        sqlx::query(text).execute(pool).await.expect("as before the last step");
    }
    let writers: Vec<_> = (0..6).map(|n| tokio::spawn(write_meanwhile(pool.clone(), n))).collect();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let said = camp.run(&["migrate"]);
    for writer in writers {
        writer.abort();
        writer.await.ok();
    }
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(count(&db, "select count(*) from content_versions").await, 4);
    db.close().await;
    let checked = camp.run(&["doctor"]).out;
    for fine in ["ok           migrations", "ok           sums"] {
        assert!(checked.contains(fine), "{checked}");
    }
}

on_both_engines! {
    async fn addresses_that_nobody_proved_are_set_apart_by_the_upgrade(camp: Camp) {
        let (db, url) = database_at_schema(&camp, 15).await;
        // The family has a primary and a secondary address, each with who typed it and whether it
        // is verified, and a user with the primary one.
        family(&db, "known", Some(("staff", false)), Some(("member", true)), true).await;
        family(&db, "typed", Some(("member", true)), Some(("member", false)), true).await;
        family(&db, "fresh", Some(("member", false)), None, false).await;
        family(&db, "joined", Some(("member", false)), Some(("member", true)), false).await;
        db.close().await;

        let said = camp.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
        let db = Db::open(&url).await.expect("a database");
        let emails = |text: &'static str| {
            let db = &db;
            async move {
                match db {
                    Db::Sqlite { write, .. } => sqlx::query_scalar::<_, String>(text).fetch_all(write).await,
                    Db::Postgres(pool) => sqlx::query_scalar::<_, String>(text).fetch_all(pool).await,
                }
                .expect("texts")
            }
        };
        let kept = emails("select email || ' ' || kind from profile_addresses order by email").await;
        assert_eq!(kept, ["joined-2@family.example primary", "known-1@family.example primary",
            "known-2@family.example secondary", "typed-1@family.example primary"]);
        assert_eq!(emails("select email from pending_addresses").await, ["typed-2@family.example"]);
        let listed = emails("select list_email from profiles order by full_name").await;
        assert_eq!(listed, ["", "joined-2@family.example", "known-1@family.example", "typed-1@family.example"]);
        assert_eq!(count(&db, "select count(*) from users where token_version = 0").await, 4);
        db.close().await;
    }
}

on_both_engines! {
    async fn share_links_of_dropbox_become_the_file_itself_by_the_upgrade(camp: Camp) {
        let (db, url) = database_at_schema(&camp, 21).await;
        let links = [
            ("upload", "https://www.dropbox.com/scl/fi/a1/day-1.mp4?rlkey=k3y&st=x9&dl=0", "https://www.dropbox.com/scl/fi/a1/day-1.mp4?rlkey=k3y&st=x9&raw=1"),
            ("upload", "https://dropbox.com/s/a1/day-2.mp4?dl=0", "https://dropbox.com/s/a1/day-2.mp4?raw=1"),
            // A direct link, another host, a link that only mentions Dropbox, and an embed.
            ("upload", "https://www.dropbox.com/s/a1/day-3.mp4?raw=1", "https://www.dropbox.com/s/a1/day-3.mp4?raw=1"),
            ("upload", "https://media.example/day-4.mp4?dl=0", "https://media.example/day-4.mp4?dl=0"),
            ("upload", "https://media.example/https://www.dropbox.com/day-5.mp4?dl=0", "https://media.example/https://www.dropbox.com/day-5.mp4?dl=0"),
            ("google_drive", "https://drive.google.com/file/d/1/preview?dl=0", "https://drive.google.com/file/d/1/preview?dl=0"),
        ];
        for (n, (kind, before, _)) in links.iter().enumerate() {
            video(&db, n, kind, before).await;
        }
        db.close().await;

        let said = camp.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
        let db = Db::open(&url).await.expect("a database");
        let text = "select video_url from videos order by title";
        let after: Vec<String> = match &db {
            Db::Sqlite { write, .. } => sqlx::query_scalar(text).fetch_all(write).await,
            Db::Postgres(pool) => sqlx::query_scalar(text).fetch_all(pool).await,
        }
        .expect("texts");
        assert_eq!(after, links.map(|(_, _, after)| after));
        db.close().await;
    }
}

on_both_engines! {
    async fn pins_get_an_end_a_week_after_their_last_change_by_the_upgrade(camp: Camp) {
        let (db, url) = database_at_schema(&camp, 25).await;
        let changed = DateTime::from_timestamp_micros(1_784_000_000_123_000).expect("a time");
        for pinned in [true, false] {
            execute!(
                &db,
                "insert into live_updates
                   (id, title, message, author, priority, is_active, pinned, search_text, version,
                    created_at, updated_at)
                 values ($1, 'Bread', '', '', 'medium', true, $2, '', 1, $3, $4)",
                Uuid::now_v7(),
                pinned,
                changed - TimeDelta::days(30),
                changed,
            );
        }
        db.close().await;

        // The second run changes nothing.
        for _ in 0..2 {
            let said = camp.run(&["migrate"]);
            assert_eq!(said.code, 0, "{said:?}");
        }
        let db = Db::open(&url).await.expect("a database");
        let text = "select pinned_until from live_updates order by pinned_until is null";
        let ends: Vec<Option<DateTime<Utc>>> = match &db {
            Db::Sqlite { write, .. } => sqlx::query_scalar(text).fetch_all(write).await,
            Db::Postgres(pool) => sqlx::query_scalar(text).fetch_all(pool).await,
        }
        .expect("times");
        assert_eq!(ends, [Some(changed + TimeDelta::days(7)), None]);
        db.close().await;
    }
}

on_both_engines! {
    async fn staff_find_comments_of_before_the_upgrade(camp: Camp) {
        let (db, url) = database_at_schema(&camp, 25).await;
        let id = video(&db, 1, "upload", "https://media.example/day-1.mp4").await;
        execute!(
            &db,
            "insert into video_comments (id, video_id, author_name, content, created_at)
             values ($1, $2, 'Rivky', $3, $4)",
            Uuid::now_v7(),
            id,
            // Vowel points, a double quote inside a word, and a line break.
            "שָׁלוֹם\nל״ג בעומר".to_owned(),
            Utc::now(),
        );
        db.close().await;

        let said = camp.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
        let db = Db::open(&url).await.expect("a database");
        let text = "select search_text from video_comments";
        let found: String = match &db {
            Db::Sqlite { write, .. } => sqlx::query_scalar(text).fetch_one(write).await,
            Db::Postgres(pool) => sqlx::query_scalar(text).fetch_one(pool).await,
        }
        .expect("a text");
        assert_eq!(found, portal::search_text::normalize("Rivky שלום לג בעומר"));
        db.close().await;
    }
}

on_both_engines! {
    async fn merged_families_are_found_by_their_earlier_names_after_the_upgrade(camp: Camp) {
        let (db, _) = database_at_schema(&camp, 60).await;
        family(&db, "kept", Some(("staff", true)), None, false).await;
        family(&db, "other", None, None, false).await;
        for names in ["leah lindenfeld\nlevi", "leah weiss\ndov"] {
            execute!(
                &db,
                "insert into merged_identities (kind, value, profile_id)
                 select 'name', $1, id from profiles where full_name = 'kept'",
                names.to_owned(),
            );
        }
        db.close().await;
        let app = camp.app().await;
        let found = |text: &'static str| count(&app.db, text);
        assert_eq!(found("select count(*) from profiles where search_text like '%leah weiss dov%' and full_name = 'kept'").await, 1);
        assert_eq!(found("select count(*) from profiles where search_text like '%lindenfeld levi%'").await, 1);
        assert_eq!(found("select count(*) from profiles where search_text = '' and full_name = 'other'").await, 1);
        app.db.close().await;
    }
}

on_both_engines! {
    async fn dashes_of_before_the_upgrade_count_as_spaces(camp: Camp) {
        let (db, url) = database_at_schema(&camp, 51).await;
        let id = video(&db, 1, "upload", "https://media.example/day-1.mp4").await;
        execute!(
            &db,
            "update videos set search_text = $2, staff_search_text = $3 where id = $1",
            id,
            // The text as earlier versions wrote it, with dashes that they did not know.
            "pre-season ---- ערב-שבת\nday one-\u{2010}\u{2212}two".to_owned(),
            "-- 2026-07-01".to_owned(),
        );
        family(&db, "mary-ann", Some(("staff", true)), None, true).await;
        execute!(&db, "update profiles set search_text = $1", "mary-ann a child\nmary-ann-1@family.example".to_owned());
        db.close().await;

        let said = camp.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
        let db = Db::open(&url).await.expect("a database");
        for (text, expected) in [
            ("select search_text from videos", "pre season ערב שבת\nday one two"),
            ("select staff_search_text from videos", "2026 07 01"),
            ("select search_text from profiles", "mary ann a child\nmary ann 1@family.example"),
        ] {
            let found: String = match &db {
                Db::Sqlite { write, .. } => sqlx::query_scalar(text).fetch_one(write).await,
                Db::Postgres(pool) => sqlx::query_scalar(text).fetch_one(pool).await,
            }
            .expect("a text");
            assert_eq!(found, expected);
        }
        db.close().await;
    }
}

on_both_engines! {
    async fn first_answers_that_a_camp_has_not_changed_are_corrected(camp: Camp) {
        let (db, url) = database_at_schema(&camp, 51).await;
        let ids: Vec<(&str, Uuid)> =
            ["downloads", "notifications"].map(|topic| (topic, Uuid::now_v7())).into();
        for (topic, id) in &ids {
            execute!(
                &db,
                "insert into faq
                   (id, slug, question, answer, category, topic, is_published, position, view_count,
                    search_text, version, created_at, updated_at)
                 select $1, topic, question, answer, category, topic, true, position, 0,
                        'of us? the videos are for watching here and have no download button. they stay in the gallery after the summer. if you need a copy of a certain video, ask us',
                        1, $3, $3
                 from faq_first where topic = $2",
                *id,
                (*topic).to_owned(),
                Utc::now(),
            );
        }
        execute!(&db, "update faq set answer = replace(answer, 'Sign in', 'Please sign in') where slug = $1", "notifications".to_owned());
        execute!(&db, "delete from faq_first where topic <> $1", "quality".to_owned());
        db.close().await;

        let said = camp.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
        let db = Db::open(&url).await.expect("a database");
        for text in [
            "select count(*) from faq where slug = 'downloads' and version = 2
               and answer like 'Where the camp allows it, a video has a \"Download\" button below it. All videos stay%'
               and search_text like 'of us? where the camp allows it, a video has a download button below it.%'",
            "select count(*) from faq where slug = 'notifications' and version = 1
               and answer like 'Please sign in%letters from the camp are switches%'",
        ] {
            assert_eq!(count(&db, text).await, 1, "{text}");
        }
        assert_eq!(count(&db, "select count(*) from faq").await, 3);
        db.close().await;
    }
}

/// A video as an earlier version stored it.
async fn video(db: &Db, n: usize, kind: &str, link: &str) -> Uuid {
    let (id, now) = (Uuid::now_v7(), Utc::now());
    execute!(
        db,
        "insert into videos
           (id, title, video_url, video_type, upload_date, year, status, is_featured, view_count,
            like_count, comment_count, search_text, staff_search_text, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, 2026, 'draft', false, 0, 0, 0, '', '', 1, $6, $6)",
        id,
        format!("Day {n}"),
        link.to_owned(),
        kind.to_owned(),
        now.date_naive(),
        now,
    );
    id
}

/// A camp with the schema of version 15 and this many families.
pub async fn families_of_schema_15(camp: &Camp, number: usize) {
    let (db, _) = database_at_schema(camp, 15).await;
    for n in 0..number {
        let name = format!("family-{n}");
        family(&db, &name, Some(("staff", true)), Some(("member", false)), true).await;
    }
    db.close().await;
}

/// A family as an earlier version stored it: for each address who typed it and whether it was
/// verified, and whether the user's address is verified.
async fn family(
    db: &Db,
    name: &str,
    first: Option<(&str, bool)>,
    second: Option<(&str, bool)>,
    verified: bool,
) {
    let (id, now) = (Uuid::now_v7(), Utc::now());
    execute!(
        db,
        "insert into profiles
           (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
            camp_updates_email, welcome_popup_shown, approved_at, search_text, list_email, version,
            created_at, updated_at)
         values ($1, $2, 'A child', 'parent', 'self', true, true, true, true, null, '', 'stale', 1, $3, $3)",
        id,
        name.to_owned(),
        now,
    );
    for (n, kind, typed) in [(1, "primary", first), (2, "secondary", second)] {
        let Some((by, proved)) = typed else { continue };
        execute!(
            db,
            "insert into profile_addresses
               (email, profile_id, kind, entered_by_staff, verified_at, created_at)
             values ($1, $2, $3, $4, $5, $6)",
            format!("{name}-{n}@family.example"),
            id,
            kind.to_owned(),
            by == "staff",
            proved.then_some(now),
            now,
        );
    }
    execute!(
        db,
        "insert into users
           (id, email, password_hash, full_name, verified_at, profile_id, created_at, updated_at)
         values ($1, $2, 'none', 'Somebody', $3, $4, $5, $5)",
        Uuid::now_v7(),
        format!("{name}-1@family.example"),
        verified.then_some(now),
        id,
        now,
    );
}

/// The database of a camp with an earlier schema, and its URL.
async fn database_at_schema(camp: &Camp, newest: i64) -> (Db, String) {
    std::fs::create_dir_all(camp.data("")).expect("a folder");
    let file = format!("sqlite://{}", camp.data("camp.db").display());
    let url = camp.database_url().unwrap_or(file);
    let db = Db::open(&url).await.expect("a database");
    let steps = until(newest).await;
    match &db {
        Db::Sqlite { write, .. } => steps.run(write).await,
        Db::Postgres(pool) => steps.run(pool).await,
    }
    .expect("migrated");
    (db, url)
}

/// The migrations up to and including this one.
async fn until(newest: i64) -> sqlx::migrate::Migrator {
    let all = sqlx::migrate::Migrator::new(Path::new("../migrations")).await.expect("migrations");
    let some: Vec<_> = all.iter().filter(|step| step.version <= newest).cloned().collect();
    sqlx::migrate::Migrator { migrations: some.into(), ..sqlx::migrate::Migrator::DEFAULT }
}

/// A database with an earlier schema.
async fn at_schema(newest: i64, file: &Path) {
    let some = until(newest).await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let pool = sqlx::SqlitePool::connect_with(options).await.expect("a database");
    some.run(&pool).await.expect("migrated");
    pool.close().await;
}

on_both_engines! {
    async fn a_database_of_a_newer_version_is_left_alone_with_advice(camp: Camp) {
        camp.begin();
        let app = camp.app().await;
        execute!(
            &app.db,
            "insert into _sqlx_migrations (version, description, installed_on, success, checksum, execution_time)
             select 9999, 'later', installed_on, success, checksum, execution_time
             from _sqlx_migrations where version = 1",
        );
        app.db.close().await;
        for command in [&["serve"][..], &["worker"], &["migrate"], &["admin", "list"]] {
            let said = camp.run(command);
            assert!(said.code == 4 && said.err.contains("Install the newer program again"), "{said:?}");
        }
    }
}
