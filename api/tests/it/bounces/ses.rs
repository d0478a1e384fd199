//! Amazon SES reports, signed with a key of our own.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use futures_util::future::BoxFuture;
use portal::fetch::{Fetcher, Source};
use portal::mail::Mail;
use serde_json::{Value, json};
use url::Url;

use super::{CHAYA, MOSHE, RIVKA, TO, family, refused, rows, video_mail};
use crate::camp::{Browser, Camp, Reply};

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:camp-bounces";
const HOST: &str = "https://sns.eu-west-1.amazonaws.com";
const AMAZON: &str = "sns.amazonaws.com";

/// A key made by openssl, and its certificates.
struct Key {
    folder: tempfile::TempDir,
}

fn key() -> &'static Key {
    static KEY: OnceLock<Key> = OnceLock::new();
    KEY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let key = Key { folder };
        key.openssl(
            &[
                "genpkey",
                "-algorithm",
                "RSA",
                "-pkeyopt",
                "rsa_keygen_bits:2048",
                "-out",
                "key.pem",
            ],
            "",
        );
        key
    })
}

impl Key {
    fn openssl(&self, arguments: &[&str], input: &str) -> Vec<u8> {
        use std::io::Write;
        let mut openssl = Command::new("openssl");
        openssl.args(arguments).current_dir(self.folder.path());
        openssl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = openssl.spawn().expect("openssl runs");
        let mut stdin = running.stdin.take().expect("piped");
        stdin.write_all(input.as_bytes()).expect("it reads");
        drop(stdin);
        let output = running.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// A certificate that is valid from now on, for this many days.
    fn certificate(&self, name: &str, days: u32) -> Vec<u8> {
        // Tests that run side by side share the folder.
        static FILES: AtomicU32 = AtomicU32::new(0);
        let config = format!(
            "[req]\ndistinguished_name=n\nx509_extensions=e\nprompt=no\n[n]\nCN={name}\n[e]\nbasicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:{name}\n"
        );
        let file = format!("{}.conf", FILES.fetch_add(1, Relaxed));
        std::fs::write(self.folder.path().join(&file), config).expect("written");
        let days = days.to_string();
        self.openssl(&["req", "-x509", "-key", "key.pem", "-days", &days, "-config", &file], "")
    }

    fn sign(&self, text: &str, version: &str) -> String {
        let hash = if version == "1" { "-sha1" } else { "-sha256" };
        STANDARD.encode(self.openssl(&["dgst", hash, "-sign", "key.pem"], text))
    }
}

/// What Amazon's URLs return, and which of them were requested.
#[derive(Default)]
struct Amazon {
    documents: Mutex<Vec<(String, Vec<u8>)>>,
    asked: Mutex<Vec<String>>,
    is_away: Mutex<bool>,
}

impl Amazon {
    fn has(&self, path: &str, document: Vec<u8>) {
        self.documents.lock().expect("no panic").push((format!("{HOST}{path}"), document));
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("no panic"))
    }
}

impl Source for Amazon {
    fn fetch<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, portal::Result<Option<Vec<u8>>>> {
        Box::pin(async move {
            self.asked.lock().expect("no panic").push(url.to_string());
            if *self.is_away.lock().expect("no panic") {
                return Err(portal::Error::Busy(None));
            }
            let documents = self.documents.lock().expect("no panic");
            let found = documents.iter().find(|(at, _)| at == url.as_str());
            Ok(found.map(|(_, document)| document.clone()))
        })
    }
}

/// Another process that accepts Amazon's calls. It uses the real clock, because the certificates
/// are valid from now on.
async fn with_amazon(camp: &Camp) -> (Camp, Browser, Arc<Amazon>) {
    let mut other = camp
        .beside_as(|config| {
            config.ses_topic_arn = Some(TOPIC.into());
            config.bounce_address = Some(TO.parse().expect("an address"));
        })
        .await;
    let amazon = Arc::new(Amazon::default());
    amazon.has("/amazon.pem", key().certificate(AMAZON, 365));
    other.app.fetcher = Fetcher::with(amazon.clone());
    other.router = api::router(other.app.clone(), tokio_util::sync::CancellationToken::new());
    let staff = camp.staff().await;
    let browser = other.of(&staff);
    (other, browser, amazon)
}

/// A call as Amazon makes it, without a signature.
fn notification(camp: &Camp, id: &str, event: &Value) -> Value {
    json!({
        "Type": "Notification", "MessageId": id, "TopicArn": TOPIC, "Subject": "Amazon SES Email Event Notification",
        "Message": event.to_string(), "Timestamp": camp.now().format("%Y-%m-%dT%H:%M:%S.123Z").to_string(),
        "SignatureVersion": "2", "SigningCertURL": format!("{HOST}/amazon.pem"), "UnsubscribeURL": format!("{HOST}/?Action=Unsubscribe"),
    })
}

fn signed(mut call: Value) -> Value {
    let names: &[&str] = match call["Type"] == "Notification" {
        true => &["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
        false => {
            &["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        }
    };
    let lines =
        names.iter().filter_map(|name| Some(format!("{name}\n{}\n", call[*name].as_str()?)));
    let text: String = lines.collect();
    let version = call["SignatureVersion"].as_str().expect("a version").to_owned();
    call["Signature"] = json!(key().sign(&text, &version));
    call
}

const FROM_AMAZON: [(&str, &str); 2] =
    [("sec-fetch-site", "cross-site"), ("content-type", "text/plain; charset=UTF-8")];

async fn call(camp: &Camp, body: Value) -> Reply {
    camp.browser().send(Method::POST, "/api/mail-events/ses", Some(body), &FROM_AMAZON).await
}

/// What SES says about an email, with the field names of an identity's notifications or of a
/// configuration set.
fn event(names: &str, kind: &str, mail: &Mail, what: Value) -> Value {
    let to = mail.to.email.to_string();
    let sender = mail.envelope_sender.as_ref().map(ToString::to_string);
    json!({
        names: kind, kind.to_lowercase(): what,
        "mail": {
            "messageId": "0102019a-of-amazon", "source": sender, "destination": [to], "headersTruncated": false,
            "headers": [{ "name": "Message-ID", "value": mail.message_id }], "commonHeaders": { "subject": mail.subject },
        },
    })
}

fn bounce(kind: &str, subkind: &str, mail: &Mail, said: &str) -> Value {
    let status = said.split(' ').nth(1).unwrap_or_default();
    let recipient = match said {
        "" => json!({ "emailAddress": mail.to.email.to_string() }),
        said => {
            json!({ "emailAddress": mail.to.email.to_string(), "action": "failed", "status": status, "diagnosticCode": format!("smtp; {said}") })
        }
    };
    json!({ "bounceType": kind, "bounceSubType": subkind, "bouncedRecipients": [recipient] })
}

const UNKNOWN: &str = "550 5.1.1 No such user";

story! {
    async fn amazon_reports_bounces_and_complaints_in_both_formats(camp) {
        let (camp, staff, amazon) = with_amazon(&camp).await;
        for email in [CHAYA, RIVKA, MOSHE] {
            family(&camp, &staff, email).await;
        }
        let title = "Swim";
        let chaya = video_mail(&camp, &staff, title, CHAYA).await.expect("a mail");
        let find = |email: &str| camp.mails_to(email).into_iter().find(|mail| mail.subject.contains(title)).expect("a mail");
        let (mut rivka, mut moshe) = (find(RIVKA), find(MOSHE));
        // One report is matched by the envelope sender alone, the other by the Message-ID alone.
        moshe.message_id = "<0@amazonses.example>".into();
        rivka.envelope_sender = None;

        let delivered = event("eventType", "Delivery", &chaya, json!({ "smtpResponse": "250 OK" }));
        call(&camp, signed(notification(&camp, "d1", &delivered))).await.expect(200);
        let delayed = event("eventType", "DeliveryDelay", &chaya, json!({ "delayType": "MailboxFull" }));
        call(&camp, signed(notification(&camp, "d2", &delayed))).await.expect(200);
        let away = event("notificationType", "Bounce", &chaya, bounce("Transient", "General", &chaya, ""));
        call(&camp, signed(notification(&camp, "d3", &away))).await.expect(200);
        assert_eq!(rows(&staff, "reports").await.len(), 0);

        let gone = event("notificationType", "Bounce", &moshe, bounce("Permanent", "General", &moshe, UNKNOWN));
        let mut old = notification(&camp, "b1", &gone);
        old["SignatureVersion"] = json!("1");
        old.as_object_mut().expect("an object").remove("Subject");
        call(&camp, signed(old)).await.expect(200);
        assert_eq!(refused(&staff).await, [MOSHE]);
        let row = &rows(&staff, "reports").await[0];
        assert_eq!((&row["kind"], &row["cause"], &row["reason"]), (&json!("hard"), &json!("no_such_address"), &json!(UNKNOWN)));
        let listed = event("eventType", "Bounce", &chaya, bounce("Permanent", "OnAccountSuppressionList", &chaya, ""));
        let blocked = event("eventType", "Bounce", &rivka, bounce("Permanent", "General", &rivka, "550 5.7.1 Looks like spam"));
        let full = event("eventType", "Bounce", &rivka, bounce("Transient", "MailboxFull", &rivka, "452 4.2.2 Full"));
        let complained = event("eventType", "Complaint", &rivka, json!({ "complaintFeedbackType": "abuse" }));
        for (id, (event, kind)) in [(&listed, "hard"), (&blocked, "blocked"), (&full, "soft"), (&complained, "complaint")].into_iter().enumerate() {
            camp.wait(TimeDelta::seconds(1));
            call(&camp, signed(notification(&camp, &format!("e{id}"), event))).await.expect(200);
            assert_eq!(rows(&staff, "reports").await[0]["kind"], kind);
        }
        assert_eq!(refused(&staff).await, [CHAYA, MOSHE]);
        assert!(video_mail(&camp, &staff, "Boats", RIVKA).await.is_none(), "she complained");
        assert_eq!(amazon.asked(), [format!("{HOST}/amazon.pem")], "fetched once");
        camp.app.db.close().await;
    }
}

story! {
    async fn calls_that_amazon_did_not_sign_for_this_topic_have_no_effect(camp) {
        let (camp, staff, amazon) = with_amazon(&camp).await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        let gone = event("eventType", "Bounce", &mail, bounce("Permanent", "General", &mail, UNKNOWN));
        let good = notification(&camp, "g1", &gone);
        let with = |name: &str, value: &str| {
            let mut changed = good.clone();
            changed[name] = json!(value);
            changed
        };
        let at = |by: TimeDelta| (camp.now() + by).format("%Y-%m-%dT%H:%M:%S.000Z").to_string();

        // The portal fetches nothing for a call with another topic, time or host.
        for wrong in [
            with("TopicArn", "arn:aws:sns:eu-west-1:999999999999:camp-bounces"),
            with("Timestamp", &at(-TimeDelta::minutes(66))),
            with("Timestamp", &at(TimeDelta::minutes(6))),
            with("Timestamp", "yesterday"),
            with("MessageId", ""),
            with("SigningCertURL", "https://evil.example/amazon.pem"),
            with("SigningCertURL", &format!("http{}/amazon.pem", &HOST[5..])),
            with("SigningCertURL", &format!("{HOST}/?Action=GetTopic.pem")),
            with("SignatureVersion", "3"),
        ] {
            call(&camp, signed(wrong)).await.refused(401, "invalid_credentials");
        }
        call(&camp, json!({ "Type": "Notification" })).await.refused(401, "invalid_credentials");
        assert_eq!(amazon.asked(), [""; 0]);

        // The certificate is for another host, has expired, or does not exist.
        amazon.has("/other.pem", key().certificate("camp.example", 365));
        amazon.has("/region.pem", key().certificate("sns.us-east-1.amazonaws.com", 365));
        amazon.has("/none.pem", b"<html>".to_vec());
        for path in ["other", "region", "none", "nothing"] {
            let wrong = with("SigningCertURL", &format!("{HOST}/{path}.pem"));
            call(&camp, signed(wrong)).await.refused(401, "invalid_credentials");
        }
        // A stranger uses up the share of one network only.
        let stranger = camp.browser_at("198.51.100.9");
        amazon.asked();
        for n in 0..25 {
            let forged = signed(with("SigningCertURL", &format!("{HOST}/{n}.pem")));
            stranger.send(Method::POST, "/api/mail-events/ses", Some(forged), &FROM_AMAZON).await;
        }
        assert_eq!(amazon.asked().len(), 20);
        // Somebody changed the text afterwards, in each part that the signature covers.
        let sealed = signed(good.clone());
        for (name, value) in [("Message", gone.to_string() + " "), ("MessageId", "g2".into()), ("Subject", "x".into()), ("Timestamp", at(TimeDelta::zero())), ("Signature", "AAAA".into()), ("SignatureVersion", "1".into()), ("Type", "UnsubscribeConfirmation".into())] {
            let mut changed = sealed.clone();
            changed[name] = json!(value);
            call(&camp, changed).await.refused(401, "invalid_credentials");
        }
        assert_eq!(rows(&staff, "reports").await.len(), 0);
        call(&camp, sealed).await.expect(200);
        assert_eq!(refused(&staff).await, [CHAYA]);
        camp.app.db.close().await;
    }
}

story! {
    async fn amazon_tries_again_while_its_certificate_cannot_be_fetched_and_each_call_counts_once(camp) {
        let (camp, staff, amazon) = with_amazon(&camp).await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        let opened = event("eventType", "Open", &mail, json!({}));
        let gone = event("eventType", "Bounce", &mail, bounce("Permanent", "NoEmail", &mail, ""));
        let sealed = signed(notification(&camp, "m1", &opened));
        *amazon.is_away.lock().expect("no panic") = true;
        call(&camp, sealed.clone()).await.refused(503, "busy");
        *amazon.is_away.lock().expect("no panic") = false;
        call(&camp, sealed).await.expect(200);
        call(&camp, signed(notification(&camp, "m1", &gone))).await.expect(200);
        assert_eq!(rows(&staff, "reports").await.len(), 0, "this id was used");
        call(&camp, signed(notification(&camp, "m2", &gone))).await.expect(200);
        assert_eq!(rows(&staff, "reports").await[0]["cause"], "no_such_address");

        // A certificate that has expired meanwhile is no longer accepted.
        amazon.has("/short.pem", key().certificate(AMAZON, 3));
        let short = |id: &str| {
            let mut call = notification(&camp, id, &opened);
            call["SigningCertURL"] = json!(format!("{HOST}/short.pem"));
            signed(call)
        };
        call(&camp, short("m3")).await.expect(200);
        camp.wait(TimeDelta::days(4));
        call(&camp, short("m4")).await.refused(401, "invalid_credentials");
        camp.app.db.close().await;
    }
}

story! {
    async fn the_subscription_is_confirmed_for_the_configured_topic_only(camp) {
        let (camp, _, amazon) = with_amazon(&camp).await;
        let confirm = format!("{HOST}/?Action=ConfirmSubscription&TopicArn={TOPIC}&Token=2336412f37fb687f5d51e6e2425");
        amazon.has(&confirm[HOST.len()..], b"<ConfirmSubscriptionResponse/>".to_vec());
        let asked = |topic: &str, url: &str| json!({
            "Type": "SubscriptionConfirmation", "MessageId": format!("s-{}-{}", topic.len(), url.len()), "TopicArn": topic, "Token": "2336412f37fb687f5d51e6e2425",
            "Message": "You have chosen to subscribe to the topic.\nTo confirm, visit the SubscribeURL.", "SubscribeURL": url,
            "Timestamp": camp.now().format("%Y-%m-%dT%H:%M:%S.456Z").to_string(), "SignatureVersion": "1", "SigningCertURL": format!("{HOST}/amazon.pem"),
        });
        let mut unsigned = asked(TOPIC, &confirm);
        unsigned["Signature"] = json!(STANDARD.encode([7; 256]));
        call(&camp, unsigned).await.refused(401, "invalid_credentials");
        call(&camp, signed(asked(&format!("{TOPIC}2"), &confirm))).await.refused(401, "invalid_credentials");
        call(&camp, signed(asked(TOPIC, "https://169.254.169.254/latest/meta-data"))).await.expect(200);
        assert_eq!(amazon.asked(), [format!("{HOST}/amazon.pem")]);
        call(&camp, signed(asked(TOPIC, &confirm))).await.expect(200);
        assert_eq!(amazon.asked(), [confirm]);
        camp.app.db.close().await;
    }
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_safely_means_later() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = closed.local_addr().expect("a port").port();
    // The host accepts connections but never speaks TLS.
    let server = std::thread::spawn(move || drop(closed.accept()));
    let fetcher = Fetcher::over_https();
    for address in [format!("https://127.0.0.1:{port}/a.pem"), "http://127.0.0.1:1/a.pem".into()] {
        let address: Url = address.parse().expect("an address");
        let answer = fetcher.fetch(&address).await;
        assert!(matches!(answer, Err(portal::Error::Busy(None))), "{address}: {answer:?}");
    }
    server.join().expect("it was asked");
}
