//! Bounce reports that the mail server gives to the program.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use super::{DEADLINE, eventually, families, publish};
use crate::camp::{Camp, count};
use crate::on_both_engines;

/// A report as Postfix writes it, about the first email in the folder of sent mail.
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
        // A killed worker leaves its socket behind.
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
