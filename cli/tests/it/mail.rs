//! Every mail is sent once, whatever happens to the worker and the mail server.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use chrono::Utc;
use portal::audit::Actor;
use portal::db::Db;
use portal::notifications::{self, MailKind, Notice};
use portal::videos::{self, NewVideo, Status};
use portal::{App, EmailAddress};
use uuid::Uuid;

use crate::camp::{Camp, Running, count, read};
use crate::chaos::long;
use crate::sink::{Mood, Sink};
use crate::{execute, on_both_engines};

const CONNECTIONS: usize = 4;

/// A timeout for tests that hang, long enough for a slow or busy machine.
const DEADLINE: Duration = Duration::from_secs(600);

/// Families with these addresses, which want mail about videos.
pub async fn families(app: &App, emails: impl IntoIterator<Item = String>) {
    let now = Utc::now();
    for email in emails {
        let id = Uuid::now_v7();
        execute!(
            &app.db,
            "insert into profiles
               (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
                camp_updates_email, welcome_popup_shown, approved_at, search_text, version,
                created_at, updated_at)
             values ($1, 'A family', 'A child', 'parent', 'staff', true, true, true, true, $2, '', 1, $2, $2)",
            id,
            now,
        );
        execute!(
            &app.db,
            "insert into profile_addresses
               (email, profile_id, kind, entered_by_staff, verified_at, created_at)
             values ($1, $2, 'primary', true, null, $3)",
            email,
            id,
            now,
        );
    }
}

/// Publishes a video; returns how many families will get mail.
pub async fn publish(app: &App) -> usize {
    let settings = app.settings().await.expect("settings");
    let new = NewVideo {
        title: "Swim test at the lake".into(),
        video_url: Some("https://youtu.be/aBcDeFgHiJk".into()),
        upload_id: None,
        description: None,
        upload_date: None,
        status: Status::Published,
        scheduled_date: None,
        is_featured: false,
    };
    let mut tx = app.db.begin().await.expect("a transaction");
    let saved =
        videos::create(&mut tx, app, &settings, Actor::System, &new, None).await.expect("a video");
    tx.commit().await.expect("committed");
    saved.notified as usize
}

pub async fn eventually(what: &str, patience: Duration, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < patience, "{what}: not within {patience:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn worker<'a>(url: &'a str, rate: &'a str) -> [&'a str; 7] {
    ["worker", "--smtp-url", url, "--mail-rate", rate, "--mail-connections", "4"]
}

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
        // The server may notice that a killed worker's connections are closed only after its successor connects.
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
        // Whatever was not marked would be sent again now.
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
        // A worker that is about to take the next families has stored all results, so this may take some attempts.
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
            // Longer than a mail that was begun waits for the last result.
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
        // A worker gives running jobs eight seconds; on a very busy machine, the rest is sent again.
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
        // The log has causes, not the words for visitors.
        let log = std::fs::read_to_string(&log).expect("a log");
        assert!(!log.contains("The portal is busy"), "{log}");
        assert!(camp.is_on_postgres() || log.contains("database is locked"), "{log}");
    }

    async fn a_full_mailbox_is_tried_again_and_one_that_does_not_exist_is_not(camp: Camp) {
        let app = camp.app().await;
        let emails = ["full-1@family.example", "full-2@family.example", "nobody@family.example", "leah@family.example"];
        families(&app, emails.map(str::to_owned)).await;
        let sink = Sink::open().await;
        let url = sink.url();
        let mut running = camp.start(&worker(&url, "50"));
        publish(&app).await;
        eventually("all but one are told", DEADLINE, || sink.reached() == 3).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        running.stop().await;
        let failed = "select count(*) from deliveries where status = 'failed' and attempts = 1 and email = 'nobody@family.example'";
        assert_eq!(count(&app.db, failed).await, 1);
        assert_eq!(count(&app.db, "select count(*) from suppressed_addresses").await, 1);
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'sent'").await, 3);
        assert_eq!(sink.kept().len(), 3, "nobody is told twice");
        assert_eq!(publish(&app).await, 3, "one is left out");
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'suppressed'").await, 1);
    }

    async fn a_mail_server_in_trouble_is_left_alone_and_loses_nothing(camp: Camp) {
        let moods: &[Mood] = match long() {
            true => &[Mood::Refuses, Mood::ShuttingDown, Mood::Silent, Mood::HangsAfterData, Mood::Later],
            false => &[Mood::ShuttingDown],
        };
        for (n, mood) in moods.iter().enumerate() {
            let app = camp.app().await;
            families(&app, (0..20).map(|i| format!("family-{n}-{i}@family.example"))).await;
            let sink = Sink::open().await;
            let url = sink.url();
            sink.mood(*mood);
            let mut running = camp.start(&worker(&url, "50"));
            let told = publish(&app).await;
            let visits = || sink.visits.load(std::sync::atomic::Ordering::Relaxed);
            eventually("the server is tried", DEADLINE, || visits() > 0).await;
            tokio::time::sleep(Duration::from_secs(8)).await;
            // Recovery looks every few seconds; a mail that was put off waits for half a minute.
            assert!(visits() <= CONNECTIONS, "{mood:?}: {} visits in 8 s", visits());
            println!("{}: {mood:?}: {} visits in 8 s", app.db.engine(), visits());
            assert!(sink.kept().is_empty());
            sink.mood(Mood::Well);
            eventually("everybody is told", DEADLINE, || sink.reached() == told).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(sink.kept().len(), told, "{mood:?}: nobody is told twice");
            running.stop().await;
            let open = "select count(*) from deliveries where status in ('queued', 'sending', 'failed')";
            assert_eq!(count(&app.db, open).await, 0, "{mood:?}");
        }
    }

    async fn a_server_that_keeps_mails_without_an_answer_gets_few_copies(camp: Camp) {
        // The server has half a minute to answer, so there is no short form.
        if !long() {
            return;
        }
        let app = camp.app().await;
        families(&app, ["leah@family.example".to_owned()]).await;
        let sink = Sink::open().await;
        let url = sink.url();
        sink.mood(Mood::KeepsAndHangs);
        let mut running = camp.start(&worker(&url, "50"));
        publish(&app).await;
        eventually("a second copy", DEADLINE, || sink.kept().len() == 2).await;
        // The third comes after two minutes and a half.
        tokio::time::sleep(Duration::from_secs(130)).await;
        assert_eq!(sink.kept().len(), 2);
        sink.mood(Mood::Well);
        eventually("the last copy", DEADLINE, || sink.kept().len() == 3).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        running.stop().await;
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'sent'").await, 1);
    }

    async fn a_provider_gets_no_more_than_its_share_and_others_do_not_wait_for_it(camp: Camp) {
        let app = camp.app().await;
        let slow = (0..20).map(|n| format!("family-{n}@slow.example"));
        let busy = (0..4).map(|n| format!("busy-{n}@busy.example"));
        let others = (0..40).map(|n| format!("family-{n}@family.example"));
        families(&app, busy.chain(slow).chain(others)).await;
        let sink = Sink::open().await;
        let url = sink.url();
        let mut arguments = worker(&url, "1000").to_vec();
        arguments.extend(["--mail-connections-per-domain", "2"]);
        let mut running = camp.start(&arguments);
        publish(&app).await;
        eventually("all but the busy domain are told", DEADLINE, || sink.reached() == 60).await;
        let most = sink.most_at_once_to("slow.example");
        println!("{}: {most} mails at once to one domain", app.db.engine());
        assert_eq!(most, 2, "its share, and no less");
        let waiting = "select count(*) from deliveries
             where status = 'queued' and attempts = 0 and email like 'busy-%' and due_at > created_at";
        let begun = Instant::now();
        while count(&app.db, waiting).await < 4 {
            assert!(begun.elapsed() < DEADLINE, "the busy domain rests");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        running.stop().await;
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'sent'").await, 60);
        assert_eq!(sink.kept().len(), 60, "nobody is told twice");
    }

    async fn another_mail_server_takes_over(camp: Camp) {
        let app = camp.app().await;
        families(&app, (0..40).map(|n| format!("family-{n}@family.example"))).await;
        let (first, second) = (Sink::open().await, Sink::open().await);
        let (url, other) = (first.url(), second.url());
        let mut arguments = worker(&url, "50").to_vec();
        arguments.extend(["--smtp-url", other.as_str()]);
        first.mood(Mood::Refuses);
        let mut running = camp.start(&arguments);
        assert_eq!(publish(&app).await, 40);
        let begun = Instant::now();
        eventually("the second server gets mail", DEADLINE, || second.reached() > 0).await;
        println!("{}: the second server gets mail after {:?}", app.db.engine(), begun.elapsed());
        eventually("everybody is told", DEADLINE, || second.reached() == 40).await;
        assert_eq!(second.kept().len(), 40, "nobody is told twice");
        assert!(first.kept().is_empty());
        if long() {
            first.mood(Mood::Well);
            let back = Instant::now();
            while first.kept().is_empty() {
                assert!(back.elapsed() < DEADLINE, "the first server is used again");
                publish(&app).await;
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
            println!("{}: the first server is used again after {:?}", app.db.engine(), back.elapsed());
        }
        running.stop().await;
        let said = camp.run(&["mail", "test", "leah@family.example", "--smtp-url", "smtp://127.0.0.1:9", "--smtp-url", &other]);
        assert!(said.code == 0 && said.out.starts_with(&format!("127.0.0.1:{}", second.port)), "{said:?}");
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

/// A report as Postfix writes it, about the first mail in the folder of sent mails.
fn report(camp: &Camp, status: &str) -> String {
    let folder = std::fs::read_dir(camp.folder().join("data/mail")).expect("a folder");
    let file = folder.map(|entry| entry.expect("an entry").path()).next().expect("a mail");
    let mail = std::fs::read_to_string(file).expect("a mail");
    let header = |name: &str| mail.lines().find(|line| line.starts_with(name)).expect("a header");
    let (to, id) = (header("To: "), header("Message-ID: "));
    format!(
        "From: MAILER-DAEMON@relay.camp.example\nTo: bounces@camp.example\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; relay.camp.example\n\nFinal-Recipient: rfc822; chaya@family.example\nAction: failed\nStatus: {status}\n\n--b\nContent-Type: text/rfc822-headers\n\n{to}\n{id}\n\n--b--\n"
    )
}

/// A server with a name and a password, of which the password must not be shown.
fn with_password(sink: &Sink) -> String {
    format!("smtp://camp:lantern-secret@127.0.0.1:{}", sink.port)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_says_that_the_mail_server_refuses_the_password_as_the_doctor_does() {
    let camp = Camp::on_sqlite();
    camp.begin();
    let sink = Sink::open().await;
    let url = with_password(&sink);
    for (mood, answer) in
        [(Mood::BadPassword, "bad credentials"), (Mood::NoService, "no service here")]
    {
        sink.mood(mood);
        let said = camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]);
        assert_eq!(said.code, 4, "{said:?}");
        assert!(
            said.err.contains("refuses us: ")
                && said.err.contains("name and password in --smtp-url"),
            "{said:?}"
        );
        assert_eq!(said.err.matches(answer).count(), 1, "{said:?}");
        assert!(!said.err.contains("firewall") && !said.err.contains("lantern-secret"), "{said:?}");
        let doctor = camp.run(&["doctor", "--smtp-url", &url]);
        assert_eq!(doctor.out.matches(answer).count(), 1, "{doctor:?}");
    }
    sink.mood(Mood::Well);
    assert_eq!(camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]).code, 0);
}

/// A mail server with a certificate that nobody knows.
fn self_signed(folder: &std::path::Path, port: u16) -> Option<Running> {
    let openssl = |arguments: &[&str]| {
        let mut command = std::process::Command::new("openssl");
        command.args(arguments).current_dir(folder).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"];
    let files = ["/CN=mail.camp.example", "-keyout", "key.pem", "-out", "certificate.pem"];
    if !openssl(&[&request[..], &files].concat()).status().is_ok_and(|made| made.success()) {
        println!("skipped: openssl is not installed");
        return None;
    }
    let accept = port.to_string();
    let serve = ["s_server", "-quiet", "-cert", "certificate.pem", "-key", "key.pem", "-accept"];
    Some(Running::of(openssl(&[&serve[..], &[&accept]].concat()).spawn().expect("it starts")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_says_what_is_wrong_with_the_tls_of_the_mail_server() {
    let camp = Camp::on_sqlite();
    camp.begin();
    let test = |port: u16| {
        let url = format!("smtps://127.0.0.1:{port}");
        let said = camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]);
        assert_eq!(said.code, 4, "{said:?}");
        said.err
    };
    let sink = Sink::open().await;
    let said = test(sink.port);
    assert!(said.contains("smtps:// must be smtp://"), "{said}");
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("its number").port()
    };
    let Some(_server) = self_signed(camp.folder(), port) else { return };
    let listens = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
    eventually("openssl listens", DEADLINE, listens).await;
    let said = test(port);
    assert!(said.contains("not issued by a public authority"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_says_once_that_the_only_mail_server_cannot_be_used_and_that_it_is_back() {
    let camp = Camp::on_sqlite();
    let app = camp.app().await;
    families(&app, (0..20).map(|n| format!("family-{n}@family.example"))).await;
    let sink = Sink::open().await;
    sink.mood(Mood::BadPassword);
    let url = with_password(&sink);
    let log = camp.folder().join("log");
    let file = std::fs::File::create(&log).expect("a file");
    let mut command = camp.command(&worker(&url, "50"));
    let child = command.stdout(file.try_clone().expect("a file")).stderr(file).spawn();
    let mut running = Running::of(child.expect("the binary starts"));
    let lines = |with: &str| {
        let text = std::fs::read_to_string(&log).expect("a log");
        text.lines().filter(|line| line.contains(with)).map(str::to_owned).collect::<Vec<_>>()
    };
    publish(&app).await;
    eventually("it is logged", DEADLINE, || !lines("mail waits and is tried again").is_empty())
        .await;
    eventually("it is tried again", DEADLINE, || sink.visits.load(Ordering::Relaxed) > CONNECTIONS)
        .await;
    sink.mood(Mood::Well);
    eventually("everybody is told", DEADLINE, || sink.reached() == 20).await;
    running.stop().await;
    let down = lines("mail waits and is tried again");
    assert!(
        down.len() == 1 && down[0].contains("WARN") && down[0].contains("bad credentials"),
        "{down:?}"
    );
    assert_eq!(lines("the mail server is back").len(), 1);
    assert!(lines("lantern-secret").is_empty());
    app.db.close().await;
}

on_both_engines! {
    async fn a_mail_server_gives_a_report_to_the_program(camp: Camp) {
        let app = camp.app().await;
        families(&app, ["chaya@family.example".to_owned()]).await;
        assert_eq!(publish(&app).await, 1);
        worker::drain(&app).await.expect("the mail is written");
        let receive = ["mail", "receive", "--recipient", "bounces@camp.example"];
        let said = camp.run_with(&receive, &report(&camp, "5.1.1"));
        assert_eq!((said.code, said.out.as_str()), (0, "Recorded.\n"), "{said:?}");
        assert_eq!(count(&app.db, "select count(*) from suppressed_addresses where email = 'chaya@family.example'").await, 1);
        assert_eq!(camp.run_with(&receive, &report(&camp, "5.1.1")).out, "Reported before.\n");
        assert_eq!(camp.run_with(&receive, "From: x@y.example\n\nHello.\n").out, "Not a report.\n");
        assert_eq!(camp.run_with(&receive, "").code, 65);
        let away = [&receive[..], &["--database-url", "postgres://nobody@127.0.0.1:1/none"]].concat();
        let long = camp.run(&["migrate", "--bounce-address", "all-that-came-back@camp.example"]);
        assert!(long.code == 0, "18 characters fit: {long:?}");
        let long = camp.run(&["migrate", "--bounce-address", "all-that-came-back2@camp.example"]);
        assert!(long.code == 2 && long.err.contains("18 characters"), "{long:?}");
        let short = camp.run(&["migrate", "--mailgun-signing-key", "secret"]);
        assert!(short.code == 2 && short.err.contains("16 characters"), "{short:?}");
        assert_eq!(camp.run_with(&away, &report(&camp, "5.1.1")).code, 75, "the mail server tries again");
        app.db.close().await;
    }
}

on_both_engines! {
    async fn a_mail_server_gives_a_report_to_the_worker_by_lmtp(camp: Camp) {
        let app = camp.app().await;
        families(&app, ["chaya@family.example".to_owned()]).await;
        assert_eq!(publish(&app).await, 1);
        worker::drain(&app).await.expect("the mail is written");
        let socket = camp.folder().join("lmtp.sock");
        let lmtp = format!("unix:{}", socket.display());
        let worker = ["worker", "--bounce-lmtp", &lmtp, "--bounce-address", "bounces@camp.example"];
        // A worker that was killed leaves its socket.
        drop(UnixListener::bind(&socket).expect("a socket"));
        let mut running = camp.start(&worker);
        eventually("it listens", DEADLINE, || UnixStream::connect(&socket).is_ok()).await;
        let mut stream = UnixStream::connect(&socket).expect("it listens");
        let text = report(&camp, "5.1.1").replace('\n', "\r\n");
        let said = format!(
            "LHLO mail.camp.example\r\nMAIL FROM:<>\r\nRCPT TO:<bounces@camp.example>\r\nRCPT TO:<office@camp.example>\r\nDATA\r\n{text}.\r\nQUIT\r\n"
        );
        stream.write_all(said.as_bytes()).expect("it reads");
        let mut heard = String::new();
        stream.read_to_string(&mut heard).expect("it answers");
        assert!(heard.contains("550 5.1.1 ") && heard.contains("250 2.0.0 Recorded"), "{heard}");
        assert_eq!(count(&app.db, "select count(*) from suppressed_addresses where email = 'chaya@family.example'").await, 1);
        let mut second = camp.start(&worker);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(running.stop().await, Some(0));
        eventually("the second worker takes over", DEADLINE, || UnixStream::connect(&socket).is_ok()).await;
        assert_eq!(second.stop().await, Some(0));
        assert!(!socket.exists());
        let lost = camp.run(&["worker", "--bounce-lmtp", &lmtp]);
        assert!(lost.code == 2 && lost.err.contains("needs --bounce-address"), "{lost:?}");
        let open = camp.run(&["worker", "--bounce-lmtp", "0.0.0.0:8429", "--bounce-address", "bounces@camp.example"]);
        assert!(open.code == 2 && open.err.contains("--bounce-lmtp-from-network"), "{open:?}");
        let wrong = camp.run(&["worker", "--bounce-lmtp", "localhost"]);
        assert!(wrong.code == 2 && wrong.err.contains("127.0.0.1:2424"), "{wrong:?}");
        let wrong = camp.run(&["migrate", "--ses-topic-arn", "camp-bounces"]);
        assert!(wrong.code == 2 && wrong.err.contains("arn:aws:sns:"), "{wrong:?}");
        app.db.close().await;
    }
}
