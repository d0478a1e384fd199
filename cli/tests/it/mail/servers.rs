//! Mail servers refuse, are full, slow or down, and other servers take over.

use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{CONNECTIONS, DEADLINE, eventually, families, publish, worker};
use crate::camp::{Camp, Running, count, free_port};
use crate::chaos::long;
use crate::on_both_engines;
use crate::sink::{Mood, Sink};

on_both_engines! {
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
            // Recovery checks every few seconds, but a postponed email waits for half a minute.
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
        // The server has half a minute to answer, so this test has no short form.
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
        // The third copy comes after two and a half minutes.
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
}

/// A server URL with a username and a password. The password must never be shown.
fn with_password(sink: &Sink) -> String {
    format!("smtp://camp:lantern-secret@127.0.0.1:{}", sink.port)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_says_that_the_mail_server_refuses_the_password_as_the_doctor_does() {
    let camp = Camp::on_sqlite();
    camp.begin();
    let sink = Sink::open().await;
    let url = with_password(&sink);
    for (mood, answer, advice) in [
        (Mood::BadPassword, "bad credentials", "name and password in --smtp-url"),
        (Mood::NoService, "no service here", "takes no mail from this machine"),
    ] {
        sink.mood(mood);
        let said = camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]);
        assert_eq!(said.code, 4, "{said:?}");
        assert!(said.err.contains("refuses us: ") && said.err.contains(advice), "{said:?}");
        assert_eq!(said.err.matches(answer).count(), 1, "{said:?}");
        assert!(!said.err.contains("firewall") && !said.err.contains("lantern-secret"), "{said:?}");
        let doctor = camp.run(&["doctor", "--smtp-url", &url]);
        assert_eq!(doctor.out.matches(answer).count(), 1, "{doctor:?}");
        assert!(doctor.out.contains(advice), "{doctor:?}");
    }
    sink.mood(Mood::ShuttingDown);
    let said = camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]);
    let expected = "did not take the email from";
    assert!(said.code == 4 && said.err.contains(expected), "{said:?}");
    assert!(said.err.contains("--mail-from") && !said.err.contains("firewall"), "{said:?}");
    sink.mood(Mood::Silent);
    let asked = Instant::now();
    let said = camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]);
    assert!(said.code == 4 && said.err.contains("no answer within 15 seconds"), "{said:?}");
    assert!(said.err.contains("firewall") && asked.elapsed() < Duration::from_secs(28), "{said:?}");
    sink.mood(Mood::Well);
    assert_eq!(camp.run(&["mail", "test", "leah@family.example", "--smtp-url", &url]).code, 0);
}

/// A mail server with a certificate that nobody trusts.
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
    assert!(said.contains("smtps:// must be smtp://") && !said.contains("firewall"), "{said}");
    let port = free_port();
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
