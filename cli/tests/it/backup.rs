//! Backups while the portal runs, and restores that are all or nothing.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use portal::accounts::ClientInfo;
use portal::audit::Actor;
use portal::db::Db;
use portal::device::Device;
use portal::payments;
use portal::users;
use portal::{App, FamilyId};
use sqlx::Connection;
use uuid::Uuid;

use crate::camp::{Camp, Running, count};
use crate::videos::LAKE;
use crate::{execute, on_both_engines};

const PASSWORD: &str = "visiting-day-demo";
const PARENT: &str = "leah.lindenfeld@family.example";

impl Camp {
    pub fn backup(&self, name: &str) -> PathBuf {
        let file = self.folder().join(name);
        let said = self.run(&["backup", path(&file)]);
        assert_eq!(said.code, 0, "{said:?}");
        file
    }

    pub fn data(&self, name: &str) -> PathBuf {
        self.folder().join("data").join(name)
    }

    /// An empty camp on the same engine.
    async fn elsewhere(&self) -> Camp {
        match self.is_on_postgres() {
            true => Camp::on_postgres().await,
            false => Camp::on_sqlite(),
        }
    }
}

pub fn path(file: &Path) -> &str {
    file.to_str().expect("readable")
}

/// Records a payment every five milliseconds until it is stopped. Returns the payments that were
/// committed before `mark` was set, and how many were committed in total.
async fn pay(app: App, stop: Arc<AtomicBool>, mark: Arc<AtomicBool>) -> (Vec<Uuid>, usize) {
    let families: Vec<(FamilyId,)> = rows(&app.db, "select profile_id from payment_plans").await;
    let new = serde_json::from_value(serde_json::json!({
        "kind": "payment", "amount": 100, "payment_date": "2026-07-01", "notes": null,
        "as_credit": true,
    }));
    let new: payments::NewPayment = new.expect("a payment");
    let mut ticks = tokio::time::interval(Duration::from_millis(5));
    let (mut before, mut all) = (Vec::new(), 0);
    while !stop.load(Ordering::SeqCst) {
        ticks.tick().await;
        let (family,) = families[all % families.len()];
        let paid = payments::record(&app, Actor::Operator, family, Uuid::now_v7(), &new).await;
        let paid = paid.expect("it is recorded");
        all += 1;
        if !mark.load(Ordering::SeqCst) {
            before.push(paid.payment.id);
        }
    }
    (before, all)
}

async fn rows<T>(db: &Db, text: &'static str) -> Vec<T>
where
    T: for<'r> sqlx::FromRow<'r, sqlx::sqlite::SqliteRow>
        + for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow>
        + Send
        + Unpin,
{
    match db {
        Db::Sqlite { read, .. } => sqlx::query_as(text).fetch_all(read).await,
        Db::Postgres(pool) => sqlx::query_as(text).fetch_all(pool).await,
    }
    .expect("rows")
}

const PLANS_OFF: &str = "select count(*) from payment_plans l where paid_amount <>
    (select coalesce(sum(amount), 0) from payments p where p.plan_id = l.id)";

on_both_engines! {
    async fn a_camp_is_saved_while_families_pay_and_is_whole_elsewhere(camp: Camp) {
        camp.run(&["seed", "--sample-logins", "--as-of", "2026-07-28T12:00:00Z"]);
        let app = camp.app().await;
        let (stop, mark) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let paying = tokio::spawn(pay(app.clone(), stop.clone(), mark.clone()));
        tokio::time::sleep(Duration::from_millis(400)).await;

        mark.store(true, Ordering::SeqCst);
        let begun = Instant::now();
        let file = camp.folder().join("camp.tar.zst");
        let said = camp.run(&["backup", path(&file), "--json"]);
        let took = begun.elapsed();
        assert_eq!(said.code, 0, "{said:?}");
        stop.store(true, Ordering::SeqCst);
        let (before, all) = paying.await.expect("they paid");
        let beside = all - before.len();
        println!("{beside} payments during a backup of {took:?}, {:.0} a second", beside as f64 / took.as_secs_f64());
        assert!(beside > 0, "nobody had to wait for the backup");

        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "personal data is in it");
        let left: Vec<_> = std::fs::read_dir(camp.folder()).expect("a folder").flatten()
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(".part")).collect();
        assert!(left.is_empty(), "{left:?}");

        const RECORDED: &str = "select count(*) from last_backup";
        assert_eq!(count(&app.db, RECORDED).await, 1, "owners hear when no other follows");

        let other = camp.elsewhere().await;
        let told = other.run(&["restore", path(&file), "--json"]);
        assert_eq!(told.code, 0, "{told:?}");
        assert_eq!(count(&other.app().await.db, RECORDED).await, 1, "backups are awaited there too");
        let saved: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        let back = other.app().await;
        for (what, query) in [
            ("videos", "select count(*) from videos"),
            ("families", "select count(*) from profiles where deleted_at is null"),
            ("payments", "select count(*) from payments"),
            ("comments", "select count(*) from video_comments"),
            ("mails", "select count(*) from deliveries"),
        ] {
            assert_eq!(Some(count(&back.db, query).await), saved["counts"][what].as_i64(), "{what}");
        }
        let there: Vec<(Uuid,)> = rows(&back.db, "select id from payments").await;
        let there: std::collections::HashSet<Uuid> = there.into_iter().map(|(id,)| id).collect();
        assert!(before.iter().all(|id| there.contains(id)), "every commit before it began is in it");
        assert_eq!(count(&back.db, PLANS_OFF).await, 0, "the ledger is what the plans say");
        if let Db::Sqlite { .. } = &back.db {
            assert_eq!(count(&back.db, "select count(*) from pragma_integrity_check where integrity_check <> 'ok'").await, 0);
            assert_eq!(count(&back.db, "select count(*) from pragma_foreign_key_check").await, 0);
        }
        let picture = "files/samples/lake.jpg";
        assert_eq!(
            std::fs::read(camp.data(picture)).expect("a picture"),
            std::fs::read(other.data(picture)).expect("the same picture")
        );
        let from = ClientInfo {
            address: IpAddr::from([127, 0, 0, 1]),
            device: Device::Phone,
            user_browser: None,
            staff_browser: None,
        };
        users::sign_in(&back, PARENT, PASSWORD, from).await.expect("she is let in");
        assert_eq!(app.keys.sign("test", "x"), back.keys.sign("test", "x"), "links in mails live on");
    }

    async fn what_waited_when_it_was_saved_is_not_mailed_again(camp: Camp) {
        let app = camp.app().await;
        crate::mail::families(&app, (0..3).map(|n| format!("family-{n}@family.example"))).await;
        assert_eq!(crate::mail::publish(&app).await, 3);
        execute!(
            &app.db,
            "insert into videos
               (id, title, video_url, video_type, upload_date, year, status, scheduled_date, is_featured,
                view_count, like_count, comment_count, search_text, staff_search_text, version,
                created_at, updated_at)
             values ($1, 'Boating', 'https://www.youtube-nocookie.com/embed/aBcDeFgHiJk', 'youtube', $3, 2026,
                     'scheduled', $2, false, 0, 0, 0, '', '', 1, $2, $2)",
            Uuid::now_v7(),
            chrono::Utc::now(),
            chrono::Utc::now().date_naive(),
        );
        // The worker has recorded that one email was sent, but its delivery does not say so yet.
        execute!(
            &app.db,
            "insert into sent_mails (notification_id, lease, number, emails, sent_at)
             select notification_id, $1, 0, '[\"' || email || '\"]', $2
             from deliveries order by email limit 1",
            Uuid::now_v7(),
            chrono::Utc::now(),
        );
        execute!(
            &app.db,
            "insert into users (id, email, password_hash, full_name, profile_id, created_at, updated_at)
             select id, 'family-0@family.example', '', '', id, $1, $1 from profiles limit 1",
            chrono::Utc::now(),
        );
        execute!(
            &app.db,
            "insert into sessions (id, token_hash, user_id, device, created_at, last_seen_at, expires_at)
             select id, $1, id, 'phone', $2, $2, $3 from users",
            b"hash".as_slice(),
            chrono::Utc::now(),
            chrono::Utc::now() + chrono::TimeDelta::days(30),
        );
        let sessions = "select count(*) from sessions";
        assert_eq!(count(&app.db, sessions).await, 1);
        let file = camp.backup("camp.tar.zst");
        let waiting = "select count(*) from deliveries where status = 'queued'";

        let other = camp.elsewhere().await;
        let said = other.run(&["restore", path(&file)]);
        assert!(said.out.contains("2 emails that were waiting are marked as failed"), "{said:?}");
        assert!(said.out.contains("1 scheduled video whose time has passed is now a draft"), "{said:?}");
        assert!(said.out.contains("Everyone is signed out"), "{said:?}");
        let back = other.app().await;
        assert_eq!(count(&back.db, sessions).await, 0);
        worker::drain(&back).await.expect("it works");
        let mails = std::fs::read_dir(other.data("mail")).expect("a folder").count();
        assert_eq!(mails, 0);
        assert_eq!(count(&back.db, waiting).await, 0);
        let held = "select count(*) from deliveries where status = 'failed' and last_error like 'Held back%'";
        assert_eq!(count(&back.db, held).await, 2);
        let sent = "select count(*) from deliveries where status = 'sent'";
        assert_eq!(count(&back.db, sent).await, 1, "it is not told that it may have been sent");

        let moved = camp.elsewhere().await;
        assert_eq!(moved.run(&["restore", path(&file), "--send-mail"]).code, 0);
        let moved = moved.app().await;
        assert_eq!(count(&moved.db, waiting).await, 3);
        assert_eq!(count(&moved.db, sessions).await, 1);
    }

    async fn films_that_wait_for_their_conversion_are_in_the_backup(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("films");
        std::fs::create_dir(&folder).expect("a folder");
        for day in 1..=3 {
            std::fs::write(folder.join(format!("2024-07-0{day} Lake.mp4")), LAKE).expect("a film");
        }
        let said = camp.run(&["gallery", "import", path(&folder), "--year", "2024"]);
        assert_eq!(said.code, 0, "{said:?}");
        let app = camp.app().await;
        execute!(
            &app.db,
            "update uploads set state = 'uploading'
             where video_id = (select id from videos where upload_date = '2024-07-02')"
        );
        execute!(
            &app.db,
            "update uploads set state = 'failed', attempts = 1
             where video_id = (select id from videos where upload_date = '2024-07-03')"
        );
        app.db.close().await;
        let file = camp.backup("camp.tar.zst");

        let other = camp.elsewhere().await;
        let told = other.run(&["restore", path(&file)]);
        assert_eq!(told.code, 0, "{told:?}");
        let staged = || std::fs::read_dir(other.data("uploads")).expect("a folder").count();
        assert_eq!(staged(), 2, "what has not arrived completely arrives again");
        let back = other.app().await;
        let mut worker = other.start(&["worker"]);
        while count(&back.db, "select count(*) from uploads where state = 'ready'").await == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        worker.kill();
        let shown = "select count(*) from videos v join uploads u on u.id = v.media_upload_id
                     where u.state = 'ready' and v.upload_date = '2024-07-01'";
        assert_eq!(count(&back.db, shown).await, 1);
        back.db.close().await;

        drop(back);
        let again = other.run(&["restore", path(&file), "--replace", "--json"]);
        assert_eq!(again.code, 0, "{again:?}");
        assert_eq!(staged(), 2);
    }

    async fn a_restoration_that_is_killed_leaves_the_one_camp_or_the_other(camp: Camp) {
        camp.run(&["seed", "--sample", "general"]);
        let file = camp.backup("camp.tar.zst");
        let all = count(&camp.app().await.db, "select count(*) from videos").await;
        let begun = Instant::now();
        let said = camp.elsewhere().await.run(&["restore", path(&file)]);
        assert_eq!(said.code, 0, "{said:?}");
        let whole = begun.elapsed();
        let other = camp.elsewhere().await;
        let added = other.run_with(&["admin", "add", "miriam", "--email", "m@camp.example"], "lantern over the lake\n");
        assert_eq!(added.code, 0, "{added:?}");
        std::fs::create_dir_all(other.data("files/own")).expect("a folder");
        std::fs::write(other.data("files/own/logo.png"), "a logo").expect("a file");
        let (mut old, mut new) = (0, 0);
        for part in [0.0, 0.4, 0.7, 1.0, 1.3, 1.6, 2.0, 3.0] {
            let restoring = other.command(&["restore", path(&file), "--replace"])
                .stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null())
                .spawn().expect("it starts");
            let mut restoring = Running::of(restoring);
            tokio::time::sleep(whole.mul_f64(part)).await;
            restoring.kill();
            if let Some(url) = other.database_url() {
                // psql may still be running. It applies all or nothing.
                nobody_is_at(&url).await;
            }
            let staff = other.run(&["admin", "list"]);
            assert_eq!(staff.code, 0, "{staff:?}");
            let app = other.app().await;
            let videos = count(&app.db, "select count(*) from videos").await;
            app.db.close().await;
            if staff.out.contains("miriam") {
                old += 1;
                assert_eq!(videos, 0);
                assert_eq!(std::fs::read(other.data("files/own/logo.png")).expect("it is there"), b"a logo");
            } else {
                new += 1;
                assert_eq!(videos, all, "nothing is missing");
                assert!(other.data("files/samples/lake.jpg").exists());
                break;
            }
        }
        println!("killed {} times within {whole:?}: {old} times the old camp, {new} times the new one", old + new);
        assert!(old > 0, "the first kill comes before anything is changed");
        let said = other.run(&["restore", path(&file), "--replace"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains("before-restore-"), "{said:?}");
        assert!(!other.data(".restoring").exists());
        assert!(!other.data("files/own/logo.png").exists(), "it is in the camp that was set aside");
    }
}

async fn nobody_is_at(url: &str) {
    let mut connection = sqlx::PgConnection::connect(url).await.expect("PostgreSQL answers");
    let others = "select count(*) from pg_stat_activity
                  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
    loop {
        let n: i64 = sqlx::query_scalar(others).fetch_one(&mut connection).await.expect("a number");
        if n == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restoration_says_why_it_does_not_begin() {
    let camp = Camp::on_sqlite();
    let add = ["admin", "add", "miriam", "--email", "m@camp.example"];
    let nothing = camp.run(&["backup", "x.tar.zst"]);
    assert!(nothing.code == 4 && nothing.err.contains("There is no camp in"), "{nothing:?}");
    camp.run_with(&add, "lantern over the lake\n");
    let file = camp.backup("camp.tar.zst");
    let again = camp.run(&["backup", path(&file)]);
    assert!(again.code == 3 && again.err.contains("--force"), "{again:?}");
    assert_eq!(camp.run(&["backup", path(&file), "--force"]).code, 0);

    let refused = |file: &Path, more: &[&str], says: &str| {
        let said = camp.run(&[&["restore", path(file)], more].concat());
        assert!(said.code == 3 && said.err.contains(says), "{says}: {said:?}");
        assert!(camp.run(&["admin", "list"]).out.contains("miriam"), "{says}");
        assert!(!camp.data(".restoring").exists(), "{says}");
    };
    refused(&file, &[], "--replace");
    let nowhere = camp.folder().join("no-camp");
    let said = camp.run(&["restore", path(&file), "--replace", "--data-dir", path(&nowhere)]);
    assert!(said.code == 4 && said.err.contains("to replace"), "{said:?}");
    assert!(!nowhere.exists(), "nothing is made in a place that was not meant");
    let other = camp.folder().join("other");
    let write = |bytes: &[u8]| std::fs::write(&other, bytes).expect("written");
    write(b"camp.db");
    refused(&other, &["--replace"], "not a file that `camp backup` made");
    write(&std::fs::read(camp.data("camp.db")).expect("bytes"));
    refused(&other, &["--replace"], "This is the database itself");
    let whole = std::fs::read(&file).expect("bytes");
    write(&whole[..whole.len() - 20]);
    refused(&other, &["--replace"], "This backup is incomplete");
    let mut bent = whole.clone();
    bent[whole.len() / 2] ^= 4;
    write(&bent);
    refused(&other, &["--replace"], "damaged");
    refused(&camp.folder().join("nowhere"), &["--replace"], "cannot be read");

    let app = camp.app().await;
    refused(&file, &["--replace"], "The camp is running");
    execute!(
        &app.db,
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (9999, 'of tomorrow', true, x'00', 0)"
    );
    let newer = camp.backup("newer.tar.zst");
    execute!(&app.db, "delete from _sqlx_migrations where version = 9999");
    app.db.close().await;
    drop(app);
    refused(&newer, &["--replace"], "newer database (schema 9999)");

    let server = Camp::on_postgres().await;
    let said = server.run(&["restore", path(&file)]);
    assert!(said.code == 3 && said.err.contains("a backup of a SQLite camp"), "{said:?}");
    let of_server = {
        server.run_with(&add, "lantern over the lake\n");
        server.backup("server.tar.zst")
    };
    refused(&of_server, &["--replace"], "--database-url postgres://");
    assert_eq!(server.run(&["restore", path(&of_server)]).code, 3);
    let busy = server.app().await;
    let said = server.run(&["restore", path(&of_server), "--replace"]);
    assert!(said.code == 3 && said.err.contains("The camp is running"), "{said:?}");
    busy.db.close().await;
}

/// Hosting providers often give a role that owns one database and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restoration_needs_no_superuser() {
    let camp = Camp::on_postgres().await;
    let url = camp.database_url().expect("an address");
    let mut url = url::Url::parse(&url).expect("an address");
    let mut connection =
        sqlx::PgConnection::connect(url.as_str()).await.expect("PostgreSQL answers");
    for statement in [
        "do $$ begin create role camp_test_owner login password 'lantern'; exception when duplicate_object or unique_violation then null; end $$".to_owned(),
        format!("alter database {} owner to camp_test_owner", url.path().trim_matches('/')),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.expect("it can be done");
    }
    connection.close().await.expect("closed");
    url.set_username("camp_test_owner").expect("a name");
    url.set_password(Some("lantern")).expect("a password");
    let run = |arguments: &[&str]| {
        let said = camp.run(&[&["--database-url", url.as_str()], arguments].concat());
        assert_eq!(said.code, 0, "{said:?}");
        said.out
    };
    run(&["seed", "--sample", "general"]);
    let file = camp.folder().join("camp.tar.zst");
    run(&["backup", path(&file)]);
    let again = camp.folder().join("again.tar.zst");
    for _ in 0..2 {
        let said = run(&["restore", path(&file), "--replace"]);
        assert!(said.contains("schemas before_restore_"), "{said}");
        run(&["backup", path(&again), "--force"]);
    }
    let size = |file: &Path| file.metadata().expect("a file").len();
    assert!(size(&again) < size(&file) * 11 / 10, "what was set aside is no part of a backup");
}

#[test]
fn a_backup_goes_through_a_pipe() {
    let camp = Camp::on_sqlite();
    camp.run_with(
        &["admin", "add", "miriam", "--email", "m@camp.example"],
        "lantern over the lake\n",
    );
    let saved = camp.command(&["backup", "-"]).output().expect("it runs");
    assert!(saved.status.success(), "{saved:?}");
    assert!(String::from_utf8_lossy(&saved.stderr).contains("1 staff"), "{saved:?}");
    let other = Camp::on_sqlite();
    let said = other.run_with_bytes(&["restore", "-"], &saved.stdout);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(other.run(&["admin", "list"]).out.contains("miriam"));
}

#[test]
fn the_next_backup_removes_what_a_killed_one_left_and_nothing_of_one_that_runs() {
    let camp = Camp::on_sqlite();
    camp.begin();
    let (left, journal, runs) = (
        camp.data(".backup-1.part"),
        camp.data(".backup-1.part-journal"),
        camp.data(".backup-2.part"),
    );
    let beside = |name: &str| camp.folder().join(name);
    let (part, database, other) = (
        beside(".camp-2026-07-01.tar.zst.part"),
        beside(".camp-2026-07-01.tar.zst.database.part"),
        beside(".notes.part"),
    );
    for file in [&left, &journal, &runs, &part, &database, &other] {
        std::fs::write(file, "families").expect("written");
    }
    let running = std::fs::File::open(&runs).expect("there");
    running.lock().expect("locked");
    camp.backup("camp.tar.zst");
    assert!(!left.exists() && !journal.exists() && runs.exists());
    assert!(!part.exists() && !database.exists() && other.exists());
}
