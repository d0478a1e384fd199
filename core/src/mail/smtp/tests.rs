use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::*;

/// A mail server without SMTPUTF8. It does not know `nobody`, relays nothing to `elsewhere`,
/// refuses the text for `filter`, closes the connection for `busy`, and waits a minute for `slow`.
/// Otherwise it closes the connection after two emails. Returns its port and the lines that it
/// received.
async fn server(hello: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let said = heard.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            converse(stream, hello, &said).await.ok();
        }
    });
    (port, heard)
}

async fn converse(
    stream: TcpStream,
    hello: &str,
    heard: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 ready\r\n").await?;
    let (mut in_data, mut is_known, mut is_filtered, mut mails) = (false, false, false, 0);
    while let Some(line) = lines.next_line().await? {
        heard.lock().expect("fine").push(line.clone());
        let answer = match line.split([' ', ':']).next().unwrap_or_default() {
            "." => {
                in_data = false;
                mails += 1;
                if is_filtered { "550 we do not want this" } else { "250 taken" }
            }
            _ if in_data => continue,
            "EHLO" => hello,
            "MAIL" if line.contains("stranger@") => "553 5.7.1 not your address",
            "MAIL" if line.contains("greylisted@") => "451 4.7.1 later",
            "MAIL" if mails == 2 => {
                write.write_all(b"421 enough\r\n").await?;
                return Ok(());
            }
            "RCPT" if line.contains("busy@") => {
                write.write_all(b"421 4.7.0 too much for this domain\r\n").await?;
                return Ok(());
            }
            "RCPT" if line.contains("slow@") => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                "250 fine"
            }
            "RCPT" if line.contains("elsewhere@") => "550 relay not permitted",
            "RCPT" => {
                is_filtered = line.contains("filter@");
                is_known = !line.contains("nobody@");
                if is_known { "250 fine" } else { "550 5.1.1 no such mailbox" }
            }
            "DATA" if !is_known => "503 no recipient",
            "DATA" => {
                in_data = true;
                "354 go on"
            }
            _ => "250 fine",
        };
        write.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
    Ok(())
}

fn envelope(to: &str) -> Envelope {
    let address = |text: &str| text.parse().expect("an address");
    Envelope::new(Some(address("office@camp.example")), vec![address(to)]).expect("an envelope")
}

/// The envelope of an email from this sender to an address that nobody has.
fn from(sender: &str) -> Envelope {
    let address = |text: &str| text.parse().expect("an address");
    let envelope = Envelope::new(Some(address(sender)), vec![address("nobody@family.example")]);
    envelope.expect("an envelope")
}

async fn send(smtp: &Smtp, envelope: &Envelope, text: &str) -> Result<bool, Unsent> {
    let message = Message { envelope: envelope.clone(), text: text.into() };
    smtp.send(Transmission { message: &message, announced: None, next: None }, false, &mut ())
        .await
        .0
}

async fn each_server(check: impl AsyncFn(Smtp, Arc<Mutex<Vec<String>>>)) {
    for hello in ["250 hello", "250-hello\r\n250 PIPELINING"] {
        let (port, heard) = server(hello).await;
        let smtp = Smtp::open(&format!("smtp://127.0.0.1:{port}")).expect("a client");
        check(smtp, heard).await;
    }
}

#[tokio::test]
async fn an_address_that_the_server_cannot_take_is_refused_and_the_next_mail_goes() {
    each_server(async |smtp, _| {
        let mail = &transparent("Subject: Hello\r\n\r\nHello.\r\n".into());
        let refused = send(&smtp, &envelope("jürgen@bücher.example"), mail).await;
        let refused = refused.expect_err("no SMTPUTF8").error;
        assert!(matches!(refused, SendError::Refused { address: false, .. }), "{refused:?}");
        let refused = send(&smtp, &envelope("nobody@family.example"), mail).await;
        let refused = refused.expect_err("no such mailbox").error;
        assert!(matches!(refused, SendError::Refused { address: true, .. }), "{refused:?}");
        send(&smtp, &envelope("chaya@family.example"), mail).await.expect("the next mail");
    })
    .await;
}

#[tokio::test]
async fn what_the_server_has_against_the_sender_or_the_text_says_nothing_about_the_address() {
    each_server(async |smtp, _| {
        let mail = &transparent("Subject: Hello\r\n\r\nHello.\r\n".into());
        for to in ["elsewhere@family.example", "filter@family.example"] {
            let refused = send(&smtp, &envelope(to), mail).await.expect_err("550").error;
            let expected = matches!(refused, SendError::Refused { address: false, .. });
            assert!(expected, "{to}: {refused:?}");
        }
        let refused = send(&smtp, &from("stranger@camp.example"), mail).await;
        let refused = refused.expect_err("553").error;
        assert!(matches!(refused, SendError::Unreachable(_)), "{refused:?}");
        for is_believed in [true, true, false] {
            let later = send(&smtp, &from("greylisted@camp.example"), mail).await;
            let later = later.expect_err("451").error;
            assert_eq!(matches!(later, SendError::Later(_)), is_believed, "{later:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    each_server(async |smtp, heard| {
        for n in 0..5 {
            let mail = format!("Subject: {n}\r\n\r\n.\r\n..\r\nShalom.");
            let mail = transparent(mail);
            send(&smtp, &envelope("chaya@family.example"), &mail).await.expect("sent");
        }
        let lines = heard.lock().expect("fine").clone();
        let count = |wanted: &str| lines.iter().filter(|line| *line == wanted).count();
        assert_eq!((count("."), count(".."), count("...")), (5, 5, 5), "{lines:?}");
        assert_eq!(count("NOOP"), 0, "{lines:?}");
    })
    .await;
}

#[tokio::test]
async fn a_busy_domain_says_nothing_about_others() {
    each_server(async |smtp, _| {
        let mail = &transparent("Subject: Hello\r\n\r\nHello.\r\n".into());
        let busy = send(&smtp, &envelope("busy@family.example"), mail).await;
        let busy = busy.expect_err("421").error;
        assert!(matches!(busy, SendError::DomainBusy(_)), "{busy:?}");
        send(&smtp, &envelope("chaya@family.example"), mail).await.expect("the next mail");
    })
    .await;
}

#[tokio::test]
async fn mails_that_are_announced_with_the_last_ones_have_the_same_results() {
    each_server(async |smtp, heard| {
        let names = ["chaya", "busy", "malky", "nobody", "leah", "filter", "toby", "rivky"];
        let messages = names.map(|name| Message {
            envelope: envelope(&format!("{name}@family.example")),
            text: transparent(format!("Subject: {name}\r\n\r\n.\r\n")),
        });
        let mut announced = None;
        let (mut results, mut announcements) = (Vec::new(), 0);
        for (n, message) in messages.iter().enumerate() {
            let mail = Transmission { message, announced, next: messages.get(n + 1) };
            let (sent, next) = smtp.send(mail, false, &mut ()).await;
            announcements += usize::from(next.is_some());
            announced = next;
            results.push(match sent {
                Ok(is_sent) => is_sent.to_string(),
                Err(Unsent { error: SendError::Refused { address, .. }, .. }) => {
                    format!("refused, address {address}")
                }
                Err(Unsent { error: SendError::DomainBusy(_), .. }) => "domain busy".into(),
                Err(other) => format!("{other:?}"),
            });
        }
        let expected = [
            "true",
            "domain busy",
            "true",
            "refused, address true",
            "true",
            "refused, address false",
            "true",
            "true",
        ];
        assert_eq!(results, expected);
        let lines = heard.lock().expect("fine").clone();
        let count = |wanted: &str| lines.iter().filter(|line| *line == wanted).count();
        assert_eq!((count("."), count("..")), (6, 6), "{lines:?}");
        // Nothing is announced after an email whose text the server did not get. The server closes
        // the connection after two emails.
        let next = smtp.begin(&messages[0].envelope, None).await.expect("begun");
        assert_eq!(announcements, if next.is_pipelining { 5 } else { 0 });
    })
    .await;
}

#[tokio::test]
async fn the_result_of_a_mail_does_not_wait_for_what_the_server_says_to_the_next_one() {
    each_server(async |smtp, _| {
        let [mail, next] = ["chaya", "slow"].map(|name| Message {
            envelope: envelope(&format!("{name}@family.example")),
            text: transparent("Subject: Hello\r\n\r\nHello.\r\n".into()),
        });
        let mail = Transmission { message: &mail, announced: None, next: Some(&next) };
        let sent = timeout(Duration::from_secs(20), smtp.send(mail, false, &mut ())).await;
        assert!(sent.expect("at once").0.expect("accepted"));
    })
    .await;
}
