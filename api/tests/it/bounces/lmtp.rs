//! Bounce reports that the camp's mail server delivers over LMTP.

use std::time::Duration;

use portal::config::ListenAddress;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use worker::lmtp::{Limits, Listener};

use super::samples::postfix;
use super::{CHAYA, GONE, RIVKA, TO, family, refused, rows, video_mail};
use crate::camp::Camp;
use crate::videos::NOON;

struct Server {
    at: std::net::SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<()>,
}

impl Server {
    async fn of(camp: &Camp, limits: Limits) -> Server {
        let anywhere: ListenAddress = "127.0.0.1:0".parse().expect("an address");
        let listener = Listener::open(&anywhere).await.expect("a port");
        let (at, stop) = (listener.local_address().expect("a port"), CancellationToken::new());
        let served = tokio::spawn(listener.serve(camp.app.clone(), limits, stop.clone()));
        Server { at, stop, served }
    }

    /// A connection, after the response to LHLO.
    async fn greeted(&self) -> Client {
        let mut client = Client(TcpStream::connect(self.at).await.expect("a connection"));
        assert_eq!(client.replies(1).await, ["220 camp.example LMTP ready"]);
        let shown = client.say("LHLO mail.camp.example\r\n", 5).await;
        assert_eq!(shown[1..4], ["250-PIPELINING", "250-ENHANCEDSTATUSCODES", "250-8BITMIME"]);
        client
    }

    async fn end(self) {
        self.stop.cancel();
        self.served.await.expect("it ends");
    }
}

struct Client(TcpStream);

impl Client {
    async fn say(&mut self, text: &str, replies: usize) -> Vec<String> {
        self.0.write_all(text.as_bytes()).await.expect("it listens");
        self.replies(replies).await
    }

    async fn replies(&mut self, count: usize) -> Vec<String> {
        let mut read = Vec::new();
        while read.iter().filter(|byte| **byte == b'\n').count() < count {
            let byte = self.0.read_u8().await;
            read.push(byte.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&read))));
        }
        String::from_utf8(read).expect("text").lines().map(str::to_owned).collect()
    }

    /// Everything that the server sends until it closes the connection.
    async fn rest(mut self) -> String {
        let mut read = Vec::new();
        // The server may close the connection while it has unread data.
        self.0.read_to_end(&mut read).await.ok();
        String::from_utf8(read).expect("text")
    }

    /// Sends a message to recipients and returns the replies for them.
    async fn deliver(&mut self, recipients: &[&str], message: &str) -> Vec<String> {
        let to: String = recipients.iter().map(|to| format!("RCPT TO:<{to}>\r\n")).collect();
        let asked = self.say(&format!("MAIL FROM:<>\r\n{to}DATA\r\n"), recipients.len() + 2).await;
        assert!(asked.last().is_some_and(|last| last.starts_with("354 ")), "{asked:?}");
        self.say(&format!("{}\r\n.\r\n", on_the_wire(message)), recipients.len()).await
    }
}

/// Converts a message to the form that SMTP sends: CR LF, and dots doubled.
fn on_the_wire(message: &str) -> String {
    let lines = message.trim_end().replace("\r\n", "\n").replace('\n', "\r\n");
    let lines = lines.replace("\r\n.", "\r\n..");
    if lines.starts_with('.') { format!(".{lines}") } else { lines }
}

async fn with_bounce_address(camp: &Camp) -> Camp {
    camp.set_clock(NOON);
    camp.beside_as(|config| config.bounce_address = Some(TO.parse().expect("an address"))).await
}

story! {
    async fn the_mail_server_gives_reports_by_lmtp_with_an_answer_for_each_recipient(camp) {
        let camp = with_bounce_address(&camp).await;
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        let server = Server::of(&camp, Limits::default()).await;
        let mut client = server.greeted().await;
        let report = postfix(&mail, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]);

        // Sends all commands at once. Recipients that are no bounce address are refused at once.
        let replies = client.say(&format!(
            "MAIL FROM:<> SIZE=2000 BODY=8BITMIME\r\nRCPT TO:<{TO}>\r\nRCPT TO:<office@camp.example>\r\nRCPT TO:<BOUNCES+2@Camp.Example>\r\nRCPT TO:<bounces@other.example>\r\nDATA\r\n"
        ), 6).await;
        let codes: Vec<&str> = replies.iter().map(|reply| &reply[..9]).collect();
        assert_eq!(codes, ["250 2.1.0", "250 2.1.5", "550 5.1.1", "250 2.1.5", "550 5.1.1", "354 Send "]);
        let replies = client.say(&format!("{}\r\n.\r\nNOOP\r\n", on_the_wire(&report)), 3).await;
        assert_eq!(replies, ["250 2.0.0 Recorded", "250 2.0.0 Reported before", "250 2.0.0 OK"]);
        assert_eq!(refused(&staff).await, [CHAYA]);

        // The token in the address is enough. Lines that begin with dots stay unchanged.
        family(&camp, &staff, RIVKA).await;
        let mail = video_mail(&camp, &staff, "Swim", RIVKA).await.expect("a mail");
        let sender = mail.envelope_sender.clone().expect("a sender for bounces").to_string();
        let said = "550 5.1.1 No such user\n .\n ..here";
        let mut unknown = mail.clone();
        unknown.message_id = "<0@other.example>".into();
        let report = postfix(&unknown, TO, &[(RIVKA, "failed", "5.1.1", said)]);
        assert_eq!(client.deliver(&[&sender], &report).await, ["250 2.0.0 Recorded"]);
        assert_eq!(rows(&staff, "reports").await[0]["reason"], "550 5.1.1 No such user . ..here");
        assert_eq!(rows(&staff, "reports").await[0]["email"], RIVKA);

        let person = ".From: Chaya <chaya@family.example>\nSubject: Which bus?\n\n.\n..\nHello.\n";
        assert_eq!(client.deliver(&[TO], person).await, ["250 2.0.0 Not a report, dropped"]);
        assert_eq!(client.deliver(&[TO], "").await, ["250 2.0.0 Not a report, dropped"]);
        let mut replies = client.say("VRFY bounces\r\nRSET\r\nDATA\r\n", 3).await;
        replies.extend(client.say("MAIL FROM:<a@b.example> SIZE=99999999\r\nEHLO x\r\n", 2).await);
        let codes: Vec<&str> = replies.iter().map(|reply| &reply[..9]).collect();
        assert_eq!(codes, ["252 2.0.0", "250 2.0.0", "503 5.5.1", "552 5.3.4", "500 5.5.1"]);
        assert_eq!(client.say("QUIT\r\n", 1).await, ["221 2.0.0 Bye"]);
        assert_eq!(client.rest().await, "");
        server.end().await;
        camp.app.db.close().await;
    }
}

story! {
    async fn a_report_that_cannot_be_stored_stays_with_the_mail_server(camp) {
        let camp = with_bounce_address(&camp).await;
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        let report = postfix(&mail, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]);
        let away = camp.beside_as(|_| {}).await;
        away.app.db.close().await;
        let server = Server::of(&away, Limits::default()).await;
        let mut client = server.greeted().await;
        let later = "451 4.3.0 The portal cannot take it now";
        assert_eq!(client.deliver(&[TO, TO], &report).await, [later, later]);
        drop(client);
        server.end().await;
        let server = Server::of(&camp, Limits::default()).await;
        assert_eq!(server.greeted().await.deliver(&[TO], &report).await, ["250 2.0.0 Recorded"]);
        server.end().await;
        camp.app.db.close().await;
    }
}

story! {
    async fn what_a_report_contains_is_never_a_command(camp) {
        let camp = with_bounce_address(&camp).await;
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        let report = on_the_wire(&postfix(&mail, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]));
        let server = Server::of(&camp, Limits::default()).await;

        // Only CR LF, dot, CR LF ends a message.
        for end in ["\n.\n", "\n.\r\n", "\r.\r", "\r\n.\n", "\r\n.\r", "\r\n.\0\r\n"] {
            let mut client = server.greeted().await;
            client.say(&format!("MAIL FROM:<>\r\nRCPT TO:<{TO}>\r\nDATA\r\n"), 3).await;
            let hidden = format!("Subject: Which bus?\r\n\r\nHello.{end}MAIL FROM:<>\r\nRCPT TO:<{TO}>\r\nDATA\r\n{report}");
            let replies = client.say(&format!("{hidden}\r\n.\r\nQUIT\r\n"), 2).await;
            assert_eq!(replies, ["250 2.0.0 Not a report, dropped", "221 2.0.0 Bye"], "{end:?}");
        }
        assert_eq!(rows(&staff, "reports").await.len(), 0);

        // Commands end with CR LF. A client that sends text without waiting for permission is
        // ignored.
        let long = format!("NOOP {}\r\n", "x".repeat(3000));
        let endless = "x".repeat(100_000);
        let many = "what\r\n".repeat(20);
        let text_first = format!("MAIL FROM:<>\r\nRCPT TO:<x@y.example>\r\nDATA\r\nMAIL FROM:<>\r\nRCPT TO:<{TO}>\r\n");
        for (said, last) in [
            ("NOOP\n", "500 5.5.2 Lines end with CR LF\r\n"),
            ("NO\rOP\r\n", "500 5.5.2 Lines end with CR LF\r\n"),
            ("NOOP\0\r\n", "500 5.5.2 Lines end with CR LF\r\n"),
            (&long, "500 5.5.2 This line is too long\r\n"),
            (&endless, "500 5.5.2 This line is too long\r\n"),
            (&many, "421 4.7.0 Too many errors\r\n"),
            (&text_first, "421 4.5.1 There is no recipient\r\n"),
        ] {
            let mut client = server.greeted().await;
            // The server may have closed the connection already.
            client.0.write_all(said.as_bytes()).await.ok();
            let rest = client.rest().await;
            // A response can get lost if the server left much of the input unread.
            assert!(rest.ends_with(last) || (rest.is_empty() && said.len() > 50_000), "{said:.40}: {rest}");
        }
        server.end().await;
        camp.app.db.close().await;
    }
}

story! {
    async fn a_mail_server_that_takes_too_much_is_stopped(camp) {
        let camp = with_bounce_address(&camp).await;
        let server = Server::of(&camp, Limits { connections: 2, ..Limits::default() }).await;
        let mut large = server.greeted().await;
        let other = server.greeted().await;
        let third = Client(TcpStream::connect(server.at).await.expect("a connection"));
        assert_eq!(third.rest().await, "421 4.3.2 Too many connections\r\n");
        drop(other);
        let text = "x".repeat(998) + "\n";
        let replies = large.deliver(&[TO, TO], &text.repeat(17 << 10)).await;
        assert_eq!(replies, ["552 5.3.4 The message is too large"; 2]);
        assert_eq!(large.deliver(&[TO], "Hello.").await, ["250 2.0.0 Not a report, dropped"]);
        let everybody = [TO; 102].map(|to| format!("RCPT TO:<{to}>\r\n")).concat();
        let replies = large.say(&format!("MAIL FROM:<>\r\n{everybody}"), 103).await;
        assert!(replies[100].starts_with("250 ") && replies[101].starts_with("452 "), "{replies:?}");
        // The portal tells connected clients that it stops.
        server.stop.cancel();
        assert_eq!(large.rest().await, "421 4.3.2 The portal stops now\r\n");
        server.end().await;

        let server = Server::of(&camp, Limits { idle: Duration::from_secs(2), ..Limits::default() }).await;
        let silent = Client(TcpStream::connect(server.at).await.expect("a connection"));
        let mut slow = Client(TcpStream::connect(server.at).await.expect("a connection"));
        let half = format!("LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<{TO}>\r\nDATA\r\nFrom: x@y.example\r\n");
        slow.0.write_all(half.as_bytes()).await.expect("it listens");
        let (silent, slow) = tokio::join!(silent.rest(), slow.rest());
        assert!(slow.contains("354 "), "{slow}");
        for heard in [silent, slow] {
            assert!(heard.ends_with("421 4.4.2 Nothing was said for too long\r\n"), "{heard}");
        }
        server.end().await;
        camp.app.db.close().await;
    }
}
