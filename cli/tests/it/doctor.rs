//! `camp doctor` finds problems, and reports none where there are none.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::{TimeDelta, Utc};
use portal::App;
use portal::db::Db;
use serde_json::Value;
use simple_dns::rdata::{RData, TXT};
use simple_dns::{CLASS, Packet, PacketFlag, ResourceRecord};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use uuid::Uuid;

use crate::camp::{Camp, Said};
use crate::sink::Sink;
use crate::{execute, on_both_engines};

/// A name server with a few TXT records. It sends long responses over TCP only.
#[derive(Clone)]
struct Names {
    address: SocketAddr,
    texts: Arc<Mutex<HashMap<String, Vec<&'static str>>>>,
}

impl Names {
    async fn open() -> Names {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
            let address = udp.local_addr().expect("its number");
            if let Ok(tcp) = TcpListener::bind(address).await {
                break (udp, tcp);
            }
        };
        let names = Names { address: udp.local_addr().expect("its number"), texts: Arc::default() };
        let (by_udp, by_tcp) = (names.clone(), names.clone());
        tokio::spawn(async move {
            let mut buffer = [0; 512];
            while let Ok((length, from)) = udp.recv_from(&mut buffer).await {
                let answer = by_udp.answer(&buffer[..length], 200);
                udp.send_to(&answer, from).await.ok();
            }
        });
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let length = stream.read_u16().await.expect("a length");
                let mut question = vec![0; length.into()];
                stream.read_exact(&mut question).await.expect("a question");
                let answer = by_tcp.answer(&question, usize::MAX);
                stream.write_u16(answer.len() as u16).await.expect("sent");
                stream.write_all(&answer).await.expect("sent");
            }
        });
        names
    }

    fn say(&self, name: &str, texts: &[&'static str]) {
        self.texts.lock().expect("fine").insert(name.to_owned(), texts.to_vec());
    }

    fn answer(&self, question: &[u8], room: usize) -> Vec<u8> {
        let mut packet = Packet::parse(question).expect("a question").into_reply();
        let name = packet.questions[0].qname.clone();
        let known = self.texts.lock().expect("fine").get(&name.to_string()).cloned();
        for text in known.unwrap_or_default() {
            // Splits the text into short strings, as real servers do with more than 255 bytes.
            let mut txt = TXT::new();
            for piece in text.as_bytes().chunks(100) {
                txt.add_string(std::str::from_utf8(piece).expect("ASCII")).expect("short");
            }
            packet.answers.push(ResourceRecord::new(name.clone(), CLASS::IN, 60, RData::TXT(txt)));
        }
        let whole = packet.build_bytes_vec().expect("bytes");
        if whole.len() <= room {
            return whole;
        }
        packet.answers.clear();
        packet.set_flags(PacketFlag::TRUNCATION);
        packet.build_bytes_vec().expect("bytes")
    }
}

/// A healthy camp, and `camp doctor`.
struct Practice<'a> {
    camp: &'a Camp,
    sink: Sink,
    names: Names,
}

impl Practice<'_> {
    /// Later options override earlier ones.
    fn examine(&self, more: &[&str]) -> Said {
        let (url, server) = (self.sink.url(), self.names.address.to_string());
        let mut options = vec![
            ("--public-url", "https://videos.camp.example"),
            ("--trusted-proxies", "127.0.0.1"),
            ("--mail-from", "hello@camp.example"),
            ("--smtp-url", &url),
            ("--dkim-selector", "summer"),
            ("--name-server", &server),
        ];
        options.retain(|(name, _)| !more.contains(name));
        let options = options.iter().flat_map(|(name, value)| [*name, *value]);
        let arguments: Vec<&str> =
            ["doctor"].into_iter().chain(options).chain(more.iter().copied()).collect();
        self.camp.run(&arguments)
    }

    /// Asserts what the doctor says about one check that is not ok.
    fn finds(&self, what: &str, state: &str, says: &str, more: &[&str]) {
        let said = self.examine(&[&["--json"], more].concat());
        let found: Vec<Value> =
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        let fits = |one: &Value| {
            one["what"] == what
                && one["state"] == state
                && one["todo"].is_string()
                && one["says"].as_str().is_some_and(|text| text.contains(says))
        };
        assert!(found.iter().any(fits), "{what}, {state}, {says}: {}", said.out);
        let broken = found.iter().any(|one| one["state"] == "broken");
        assert_eq!(said.code, i32::from(broken), "{what}");
        assert_eq!(broken, state == "broken", "{what} alone: {}", said.out);
    }
}

async fn sound_camp(camp: &Camp) -> (Practice<'_>, App) {
    let added = ["admin", "add", "miriam", "--email", "miriam@camp.example", "--role", "owner"];
    assert_eq!(camp.run_with(&added, "lantern over the lake\n").code, 0);
    for (key, value) in
        [("contactEmail", "office@nerhayaar.example"), ("contactPhone", "(845) 555-0199")]
    {
        assert_eq!(camp.run(&["settings", "set", key, value]).code, 0);
    }
    let private = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(camp.folder().join("data"), private).expect("it is ours");
    let app = camp.app().await;
    execute!(&app.db, "update staff set totp_secret = 'x', totp_confirmed_at = $1", Utc::now());
    portal::notifications::record_heartbeat(&app).await.expect("a worker");
    let names = Names::open().await;
    names.say("camp.example", &["a remark", "v=spf1 include:mail.example -all"]);
    names.say("_dmarc.camp.example", &["v=DMARC1; p=quarantine"]);
    names.say("summer._domainkey.camp.example", &[KEY]);
    (Practice { camp, sink: Sink::open().await, names }, app)
}

/// This key is as long as real ones, so that the response needs TCP.
const KEY: &str = "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxVt0Ue7KkXwQm3H1v2d9bq5Jr0yT6sNf8LhPz4aGcR7uWoE1iYd3BnMk5gSlXvQ2tZpCj6rDyHfA9wUeTbNo0sLqKmIhG8xPzRvYc4WdJtEuBn1oQ7iSaMg5fXkLyHp3rVwTzD2bCe6jNqUs9mKoPAhIxRt0GlFvYcZwEd8uJbQ4nSi7MaWg5TXkLyHp3rVw";

on_both_engines! {
    async fn a_sound_camp_is_well(camp: Camp) {
        let (practice, app) = sound_camp(&camp).await;
        let said = practice.examine(&[]);
        assert_eq!(said.code, 0, "{said:?}");
        // Ignores how full this machine's disk is.
        let found: Vec<Value> = serde_json::from_str(&practice.examine(&["--json"]).out).expect("JSON");
        let room = found.iter().any(|one| one["what"] == "disk" && one["state"] == "ok");
        assert_eq!(said.out.contains("All is well."), room, "{}", said.out);
        assert!(said.out.contains("v=spf1 include:mail.example -all"), "{}", said.out);
        for what in ["database", "migrations", "ledger", "sums", "owners", "two-factor", "worker", "queue", "failed-mail",
                     "files", "ffmpeg", "video-files", "mail-server", "mail-from", "spf", "dkim", "dmarc", "time-zone",
                     "quiet-time", "clock", "contact"] {
            let well = found.iter().any(|one| one["what"] == what && one["state"] == "ok");
            assert!(well, "{what}: {found:?}");
        }
        assert!(practice.sink.kept().is_empty(), "no mail is sent");
        let left = camp.folder().join("data/files/doctor");
        assert!(std::fs::read_dir(left).map_or(0, Iterator::count) == 0, "nothing is left behind");
        app.db.close().await;
    }

    async fn what_is_wrong_in_the_camp_is_found(camp: Camp) {
        let (practice, app) = sound_camp(&camp).await;
        let now = Utc::now();
        let ago = now - TimeDelta::hours(3);
        crate::mail::families(&app, ["family@family.example".to_owned()]).await;

        execute!(&app.db, "insert into payment_plans (id, profile_id, total_amount, paid_amount, version, created_at, updated_at)
                           select $1, id, 10000, 5000, 1, $2, $2 from profiles", Uuid::now_v7(), now);
        practice.finds("ledger", "broken", "1 payment plan does not say the sum", &[]);
        execute!(&app.db, "update payment_plans set paid_amount = 0");

        execute!(&app.db, "update tallies set total = total + 1 where name = 'families'");
        practice.finds("sums", "broken", "Figures of the staff area are wrong: families.", &[]);
        let said = camp.run(&["migrate"]);
        assert!(said.out.contains("Counted again: families."), "{said:?}");

        execute!(&app.db, "update worker_beats set beat_at = $1", ago);
        practice.finds("worker", "broken", "No worker has run for 3 hours", &[]);
        execute!(&app.db, "update worker_beats set beat_at = $1", now);

        execute!(&app.db, "update staff set totp_confirmed_at = null");
        practice.finds("two-factor", "warning", "1 owner signs in with a password only", &[]);
        execute!(&app.db, "update staff set totp_confirmed_at = $1, disabled_at = $1", now);
        practice.finds("owners", "broken", "Nobody is an owner", &[]);
        execute!(&app.db, "update staff set disabled_at = null");

        assert!(practice.examine(&[]).out.contains("No backup was made"));
        camp.backup("camp.tar.zst");
        let said = practice.examine(&[]);
        assert!(said.out.contains("The last backup was made"), "{said:?}");
        execute!(&app.db, "update last_backup set made_at = $1", now - TimeDelta::days(3));
        practice.finds("backup", "warning", "The last backup was made 3 days ago.", &[]);

        crate::mail::publish(&app).await;
        execute!(&app.db, "update deliveries set created_at = $1", ago);
        practice.finds("queue", "warning", "waiting for 3 hours", &[]);
        execute!(&app.db, "update deliveries set status = 'failed', updated_at = $1", now);
        practice.finds("failed-mail", "warning", "1 mail failed", &[]);
        execute!(&app.db, "update deliveries set status = 'sent'");
        execute!(&app.db, "insert into failed_jobs (id, name, args, error, attempts, failed_at)
                           values ($1, 'deliver', '{}', 'no', 10, $2)", Uuid::now_v7(), now);
        practice.finds("queue", "warning", "1 job has failed", &[]);
        execute!(&app.db, "delete from failed_jobs");

        execute!(&app.db, "insert into settings (key, value, updated_at, updated_by) values ('timezone', '\"Camp/Lake\"', $1, 'x')", now);
        practice.finds("time-zone", "broken", "Camp/Lake", &[]);
        execute!(&app.db, "delete from settings where key in ('timezone', 'contactEmail')");
        practice.finds("contact", "warning", "contactEmail is still the invented office@camp.example", &[]);
        execute!(&app.db, "delete from settings");
        practice.finds("contact", "warning", "contactPhone is still the invented (845) 555-0142", &[]);

        execute!(&app.db, "insert into settings (key, value, updated_at, updated_by)
                           values ('shabbosMode', '\"quiet\"', $1, 'x'), ('yomTov', '\"none\"', $1, 'x')", now);
        let well = practice.examine(&["--json"]).out;
        assert!(well.contains("Shabbos is from Fri, "), "{well}");
        execute!(&app.db, "insert into settings (key, value, updated_at, updated_by)
                           values ('quietPlace', '\"Jerusalem\"', $1, 'x')", now);
        practice.finds("quiet-time", "warning", "Jerusalem is far from the time zone America/New_York", &[]);
        execute!(&app.db, "delete from settings");

        let files = camp.folder().join("data/files/doctor");
        std::fs::remove_dir_all(&files).ok();
        std::fs::write(&files, "in the way").expect("written");
        practice.finds("files", "broken", "cannot be written", &[]);
        std::fs::remove_file(&files).expect("removed");

        execute!(&app.db, "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                           select 9999, 'of tomorrow', true, checksum, 0 from _sqlx_migrations where version = 1");
        practice.finds("migrations", "broken", "newer version (schema 9999)", &[]);
        execute!(&app.db, "delete from _sqlx_migrations where version = 9999 or version = (select max(version) from _sqlx_migrations where version < 9999)");
        practice.finds("migrations", "warning", "1 step has not been applied", &[]);
        app.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_around_the_camp_is_found() {
    let camp = Camp::on_sqlite();
    let (practice, app) = sound_camp(&camp).await;
    let data = camp.folder().join("data");
    let mode = |mode| {
        std::fs::set_permissions(&data, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    mode(0o755);
    practice.finds("data-dir", "warning", "Other users of this machine", &[]);
    mode(0o700);

    practice.finds(
        "public-url",
        "broken",
        "not https",
        &["--public-url", "http://videos.camp.example"],
    );
    practice.finds(
        "public-url",
        "warning",
        "only this machine",
        &["--public-url", "http://127.0.0.1:8080"],
    );
    practice.finds(
        "trusted-proxies",
        "broken",
        "Every address",
        &["--trusted-proxies", "0.0.0.0/0"],
    );
    practice.finds(
        "mail-server",
        "broken",
        "cannot be reached",
        &["--smtp-url", "smtp://127.0.0.1:9"],
    );
    practice.finds("mail-from", "broken", "localhost", &["--mail-from", "hello@localhost"]);

    // On a busy machine, the first heartbeat may be too old by now.
    portal::notifications::record_heartbeat(&app).await.expect("a worker");
    let names = &practice.names;
    practice.finds(
        "mail-from",
        "warning",
        "may treat that as fraud",
        &["--mail-from", "hello@other.example"],
    );
    practice.finds("spf", "warning", "no SPF record", &["--mail-from", "hello@other.example"]);
    practice.finds("dmarc", "warning", "no DMARC record", &["--mail-from", "hello@other.example"]);
    practice.finds("dkim", "warning", "No mail-signing key", &["--dkim-selector", "winter"]);
    let key = camp.folder().join("dkim.pem");
    let key = key.to_str().expect("a plain path");
    let made = camp.run(&["mail", "dkim", "--ed25519", "--dkim-key", key]);
    practice.finds("dkim", "broken", "does not match the one that signs", &["--dkim-key", key]);
    let parts = made.out.trim().split_at(40);
    let record: &'static str = format!("{} {}", parts.0, parts.1).leak();
    names.say("camp._domainkey.camp.example", &[record]);
    let ours = ["--dkim-key", key, "--dkim-selector", "camp"];
    let said = practice.examine(&ours);
    assert!(
        said.out.contains("The key that signs mail is published at camp._domainkey"),
        "{said:?}"
    );
    names.say("camp._domainkey.camp.example", &["v=DKIM1; k=ed25519; p="]);
    practice.finds("dkim", "warning", "No mail-signing key", &ours);
    portal::notifications::record_heartbeat(&app).await.expect("a worker");
    names.say("camp.example", &["v=spf1 -all", "v=spf1 ~all"]);
    practice.finds("spf", "broken", "2 SPF records", &[]);
    names.say("camp.example", &["v=spf1 +all"]);
    practice.finds("spf", "warning", "Anybody", &[]);
    names.say("camp.example", &["v=spf1 -all"]);
    let said = practice.examine(&["--mail-from", "hello@mail.camp.example"]);
    assert!(said.out.contains("_dmarc.camp.example says what to do"), "{}", said.out);
    bounces(&camp, &practice);
    let said = practice.examine(&["--name-server", "127.0.0.1:9"]);
    assert!(said.code == 0 && said.out.contains("not checked  spf"), "{}", said.out);

    portal::notifications::record_heartbeat(&app).await.expect("a worker");
    practice.finds(
        "database",
        "broken",
        "does not answer",
        &["--database-url", "postgres://nobody@127.0.0.1:9/camp"],
    );
    let nowhere = camp.folder().join("nowhere");
    let said = practice.examine(&["--data-dir", nowhere.to_str().expect("readable")]);
    assert!(said.code == 4 && said.out.contains("There is no database"), "{}", said.out);
    assert!(!nowhere.exists(), "looking makes nothing");

    let Db::Sqlite { write, .. } = &app.db else { unreachable!("on SQLite") };
    for statement in [
        "pragma foreign_keys = off",
        "insert into video_likes (video_id, user_id, created_at) values (x'00', x'00', '2026-07-01')",
    ] {
        sqlx::query(statement).execute(write).await.expect("it runs");
    }
    practice.finds("integrity", "broken", "video_likes point to a", &[]);
    app.db.close().await;
    scribble(&data.join("camp.db"));
    let said = practice.examine(&[]);
    assert!(said.code == 1 && said.out.contains("restore the last backup"), "{}", said.out);
    let said = camp.run(&["backup", camp.folder().join("bad.tar.zst").to_str().expect("readable")]);
    assert!(said.code != 0 && !camp.folder().join("bad.tar.zst").exists(), "{said:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn findings_are_plain_sentences() {
    let camp = Camp::on_sqlite();
    camp.begin();
    let sink = Sink::open().await;
    let mail = ["--smtp-url", &sink.url(), "--mail-from", "hello@camp.example"];
    let said =
        camp.run(&[&["doctor", "--json", "--name-server", "127.0.0.1:9"], &mail[..]].concat());
    let found: Vec<Value> = serde_json::from_str(&said.out).expect("JSON");
    assert!(found.iter().any(|one| one["what"] == "dkim"), "{}", said.out);
    for one in &found {
        let text = format!("{} {}", one["says"], one["todo"]);
        assert!(!text.contains("  ") && !text.contains(".."), "{text}");
    }
}

/// Corrupts the database file within its tables.
fn scribble(file: &Path) {
    let mut bytes = std::fs::read(file).expect("bytes");
    let half = bytes.len() / 2;
    bytes[half..half + 40_000].fill(0xAB);
    std::fs::write(file, bytes).expect("written");
}

fn bounces(camp: &Camp, practice: &Practice<'_>) {
    let folder = camp.folder().join("bounces");
    let maildir = ["--bounce-maildir", folder.to_str().expect("a plain path")];
    practice.finds("bounces", "broken", "cannot be read", &maildir);
    for part in ["new", "cur"] {
        std::fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    let said = practice.examine(&maildir);
    assert!(said.out.contains("Bounces are read from"), "{}", said.out);
    let message = std::fs::File::create(folder.join("new/1.a.host")).expect("a file");
    let said = practice.examine(&maildir);
    assert!(said.out.contains("Bounces are read from"), "a worker may be about to read it");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(600);
    message.set_modified(long_ago).expect("it is ours");
    practice.finds("bounces", "warning", "1.a.host", &maildir);
    let socket = camp.folder().join("lmtp.sock");
    let address = format!("unix:{}", socket.display());
    let lmtp = ["--bounce-lmtp", &address, "--bounce-address", "bounces@camp.example"];
    practice.finds("bounces", "warning", "No worker takes bounces", &lmtp);
    let listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let answers = std::thread::spawn(move || {
        for greeting in ["220 camp.example LMTP ready\r\n", "220 mail.camp.example ESMTP\r\n"] {
            let (mut stream, _) = listener.accept().expect("a connection");
            std::io::Write::write_all(&mut stream, greeting.as_bytes()).expect("it reads");
        }
    });
    let said = practice.examine(&lmtp);
    assert!(said.out.contains("Bounces are taken by LMTP at unix:"), "{}", said.out);
    practice.finds("bounces", "broken", "A program other", &lmtp);
    answers.join().expect("asked twice");
    let webhook = ["--mailgun-signing-key", "0123456789abcdef"];
    let said = practice.examine(&webhook);
    assert!(said.out.contains("videos.camp.example/api/mail-events/mailgun"), "{}", said.out);
    let open = [&webhook[..], &["--public-url", "http://127.0.0.1:8080"]].concat();
    practice.finds("bounces", "warning", "Without https", &open);
    let said = practice.examine(&[]);
    assert!(said.out.contains("docs/bounces.md"), "{}", said.out);
}
