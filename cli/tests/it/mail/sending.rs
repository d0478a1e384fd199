//! A worker sends each email once, whatever happens to it and to the database.

use std::collections::HashMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use portal::EmailAddress;
use portal::db::Db;
use portal::notifications::{self, MailKind, Notice};
use uuid::Uuid;

use super::{CONNECTIONS, DEADLINE, eventually, families, publish, worker};
use crate::camp::{Camp, Running, count, read};
use crate::chaos::long;
use crate::on_both_engines;
use crate::sink::Sink;

on_both_engines! {
    async fn mails_reach_everybody_although_the_worker_is_killed(camp: Camp) {
        let (kills, pause, people) = if long() { (20, 250, 1_000) } else { (3, 2_500, 500) };
        let app = camp.app().await;
        families(&app, (0..people).map(|n| format!("family-{n}@family.example"))).await;
        assert_eq!(publish(&app).await, people);
        let sink = Sink::open().await;
        let url = sink.url();

        let mut longest_gap = Duration::ZERO;
        let mut running = camp.start(&worker(&url, "50"));
        for kill in 0..kills {
            let before = sink.kept().len();
            eventually("mails go out", DEADLINE, || sink.kept().len() > before).await;
            tokio::time::sleep(Duration::from_millis(pause + 37 * kill)).await;
            let done = sink.reached() == people;
            running.kill();
            let killed = Instant::now();
            running = camp.start(&worker(&url, "50"));
            if !done {
                let kept = sink.kept().len();
                eventually("the next worker goes on", DEADLINE, || sink.kept().len() > kept).await;
                longest_gap = longest_gap.max(killed.elapsed());
            }
        }
        eventually("everybody is told", DEADLINE, || sink.reached() == people).await;
        let open = "select count(*) from deliveries where status <> 'sent'";
        let begun = Instant::now();
        while count(&app.db, open).await > 0 {
            assert!(begun.elapsed() < DEADLINE, "all are marked as sent");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        running.stop().await;

        let mut ids: HashMap<String, Vec<String>> = HashMap::new();
        for got in sink.kept() {
            ids.entry(got.to).or_default().push(got.message_id);
        }
        let doubles: usize = ids.values().map(|ids| ids.len() - 1).sum();
        println!(
            "{}: {kills} kills, {} mails to {} people, {doubles} doubles, goes on after {longest_gap:?}",
            app.db.engine(), sink.kept().len(), ids.len(),
        );
        assert!(doubles <= CONNECTIONS * kills as usize, "{doubles} doubles");
        assert!(ids.values().all(|ids| ids.iter().all(|id| *id == ids[0])), "one Message-ID each");
        let most = sink.most_open.load(std::sync::atomic::Ordering::Relaxed);
        // The server may notice that a killed worker's connections are closed only after the next
        // worker has connected.
        assert!(most <= 2 * CONNECTIONS, "{most} connections");
    }

    async fn mails_that_go_out_as_fast_as_they_can_reach_everybody_once(camp: Camp) {
        let app = camp.app().await;
        families(&app, (0..1_500).map(|n| format!("family-{n}@family.example"))).await;
        assert_eq!(publish(&app).await, 1_500);
        let sink = Sink::open().await;
        let url = sink.url();
        let mut running = camp.start(&worker(&url, "100000"));
        let begun = Instant::now();
        while count(&app.db, "select count(*) from deliveries where status <> 'sent'").await > 0 {
            assert!(begun.elapsed() < DEADLINE, "all are marked as sent");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // Now every email that is not marked as sent would be sent again.
        tokio::time::sleep(Duration::from_secs(1)).await;
        running.stop().await;
        assert_eq!((sink.reached(), sink.kept().len()), (1_500, 1_500));
        assert_eq!(count(&app.db, "select count(*) from sent_mails").await, 0);
    }

    async fn no_more_mails_than_connections_go_out_while_results_cannot_be_stored(camp: Camp) {
        let app = camp.app().await;
        families(&app, (0..600).map(|n| format!("family-{n}@family.example"))).await;
        let sink = Sink::open().await;
        let url = sink.url();
        let mut running = camp.start(&worker(&url, "200"));
        publish(&app).await;
        let noted = match &app.db {
            Db::Sqlite { .. } => "select coalesce(sum(json_array_length(emails)), 0) from sent_mails",
            Db::Postgres(_) => "select coalesce(sum(jsonb_array_length(cast(emails as jsonb))), 0) from sent_mails",
        };
        let mut in_doubt = 0;
        // A worker that is about to claim the next families has stored all results, so this may
        // take several attempts.
        for attempt in 1..=5 {
            eventually("mails go out", DEADLINE, || sink.reached() > 50 * attempt).await;
            let (only_writer, tables) = match &app.db {
                Db::Sqlite { .. } => (Some(app.db.begin().await.expect("the only writer")), None),
                Db::Postgres(pool) => {
                    let mut tx = pool.begin().await.expect("a transaction");
                    let lock = "lock table sent_mails, deliveries in exclusive mode";
                    sqlx::query(lock).execute(&mut *tx).await.expect("locked");
                    (None, Some(tx))
                }
            };
            // Waits longer than an email that was started waits for the last result.
            tokio::time::sleep(Duration::from_millis(2_500)).await;
            let marked = "select count(*) from deliveries where status = 'sent'";
            let stored = read(&app.db, marked).await + read(&app.db, noted).await;
            in_doubt = sink.kept().len() - stored as usize;
            drop((only_writer, tables));
            println!("{}: {in_doubt} mails in doubt", app.db.engine());
            assert!(in_doubt <= CONNECTIONS, "{in_doubt} mails in doubt");
            if in_doubt > 0 {
                break;
            }
        }
        assert!(in_doubt > 0, "mails go out while their results cannot be stored");
        eventually("everybody is told", DEADLINE, || sink.reached() == 600).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        running.stop().await;
        assert_eq!(sink.kept().len(), 600, "nobody is told twice");
    }

    async fn one_mail_goes_out_within_seconds_and_a_worker_stops_when_told(camp: Camp) {
        let app = camp.app().await;
        families(&app, ["leah@family.example".to_owned()]).await;
        let sink = Sink::open().await;
        let url = sink.url();
        let mut running = camp.start(&worker(&url, "50"));
        tokio::time::sleep(Duration::from_secs(2)).await;
        let begun = Instant::now();
        publish(&app).await;
        eventually("the mail is there", Duration::from_secs(60), || sink.reached() == 1).await;
        println!("{}: a mail is handed over {:?} after its commit", app.db.engine(), begun.elapsed());

        families(&app, (0..600).map(|n| format!("family-{n}@family.example"))).await;
        publish(&app).await;
        eventually("mails go out", DEADLINE, || sink.reached() > 20).await;
        let told = Instant::now();
        assert_eq!(running.stop().await, Some(0), "a graceful end");
        assert!(told.elapsed() < Duration::from_secs(100), "{:?}", told.elapsed());
        let leases = count(&app.db, "select count(*) from delivery_leases").await;
        let sent = count(&app.db, "select count(*) from deliveries where status = 'sent'").await;
        // A worker gives running jobs eight seconds. On a very busy machine, the rest is sent
        // again.
        if told.elapsed() < Duration::from_secs(7) {
            assert_eq!(leases, 0, "what was in hand was finished");
            assert_eq!(sent as usize, sink.kept().len(), "what was sent is known");
        }
    }

    async fn a_worker_outlives_a_database_that_is_away(camp: Camp) {
        let app = camp.app().await;
        families(&app, ["leah@family.example".to_owned()]).await;
        let sink = Sink::open().await;
        let url = sink.url();
        let log = camp.folder().join("log");
        let mut command = camp.command(&worker(&url, "50"));
        let child = command.stdout(Stdio::null()).stderr(std::fs::File::create(&log).expect("a file")).spawn();
        let mut running = Running::of(child.expect("the binary starts"));
        tokio::time::sleep(Duration::from_secs(2)).await;
        match &app.db {
            Db::Sqlite { .. } => {
                let lock = app.db.begin().await.expect("the only writer");
                tokio::time::sleep(Duration::from_secs(8)).await;
                lock.rollback().await.expect("let go");
            }
            Db::Postgres(pool) => {
                for _ in 0..3 {
                    sqlx::query(
                        "select pg_terminate_backend(pid) from pg_stat_activity
                         where datname = current_database() and pid <> pg_backend_pid()",
                    )
                    .execute(pool)
                    .await
                    .expect("all others are hung up on");
                    tokio::time::sleep(Duration::from_secs(2)).await;
                }
            }
        }
        publish(&app).await;
        eventually("the mail is there", DEADLINE, || sink.reached() == 1).await;
        assert_eq!(running.stop().await, Some(0), "the same process all the time");
        // The log names causes, and does not repeat the messages for visitors.
        let log = std::fs::read_to_string(&log).expect("a log");
        assert!(!log.contains("The portal is busy"), "{log}");
        assert!(camp.is_on_postgres() || log.contains("database is locked"), "{log}");
    }

    async fn a_fan_out_is_queued_quickly_and_single_mails_do_not_wait_for_its_end(camp: Camp) {
        let (many, singles) = if long() { (2_000, 30) } else { (150, 3) };
        let app = camp.app().await;
        families(&app, (0..many).map(|n| format!("family-{n}@family.example"))).await;
        let sink = Sink::open().await;
        let url = sink.url();
        let mut running = camp.start(&worker(&url, "50"));
        let begun = Instant::now();
        assert_eq!(publish(&app).await, many);
        let queued = begun.elapsed();
        eventually("mails go out", DEADLINE, || sink.reached() > 20).await;
        let mut waits = Vec::new();
        for n in 0..singles {
            let email = format!("single-{n}@family.example");
            let asked = Instant::now();
            let data = serde_json::json!({ "text": "The disk is nearly full." });
            let notice = Notice { data, ..Notice::new(MailKind::Alert, Uuid::now_v7()) };
            let address = EmailAddress::parse(&email).expect("an address");
            let mut tx = app.db.begin().await.expect("a transaction");
            notifications::notify(&mut tx, &app, notice, &address, "").await.expect("queued");
            tx.commit().await.expect("committed");
            eventually("the mail is there", DEADLINE, || sink.kept().iter().any(|got| got.to == email)).await;
            waits.push(asked.elapsed());
        }
        let is_over = sink.reached() == many + singles;
        eventually("everybody is told", DEADLINE, || sink.reached() == many + singles).await;
        let rate = sink.kept().len() as f64 / begun.elapsed().as_secs_f64();
        running.stop().await;
        waits.sort_unstable();
        let late = waits[(waits.len() * 95 / 100).min(waits.len() - 1)];
        println!(
            "{}: {many} mails queued in {queued:?} and sent at {rate:.0} a second; single mails beside them after {:?} (median), {late:?} (95 %)",
            app.db.engine(), waits[waits.len() / 2],
        );
        assert_eq!(sink.kept().len(), many + singles, "nobody is told twice");
        assert!(rate < 60.0, "not faster than the rate: {rate}");
        if long() {
            assert!(!is_over, "the single mails did not wait for the end");
            assert!(queued < Duration::from_secs(2), "{queued:?}");
            assert!(late < Duration::from_secs(10), "{late:?}");
        }
    }
}
