//! One email a day has the videos, updates and newsletters that other families get one by one.

use chrono::TimeDelta;
use futures_util::future::join;
use portal::config::Config;
use portal::mail::{Mail, Mailer};
use portal::notifications::{digest, record_heartbeat};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::camp::{Browser, Camp, token};
use crate::families::{find, path};
use crate::mail::{fail_all_to, write};
use crate::updates::{follower, patch, posted as posted_update, update};
use crate::videos::{id, posted as posted_video};

const CHAYA: &str = "chaya@family.example";
const MOSHE: &str = "moshe@family.example";
/// 9:00 in the morning and half a minute past 9:00 in the evening in camp, on July 29 and the days
/// after it.
const MORNING: &str = "2026-07-29T13:00:00Z";
const EVENING: &str = "2026-07-30T01:00:30Z";
const SECOND_MORNING: &str = "2026-07-30T13:00:00Z";
const SECOND_EVENING: &str = "2026-07-31T01:00:30Z";
const THIRD_EVENING: &str = "2026-08-01T01:00:30Z";

/// A parent who chose one email a day.
pub async fn one_a_day(camp: &Camp, name: &str, email: &str) -> Browser {
    let browser = follower(camp, name, email).await;
    let chosen = json!({ "daily_digest": true });
    let profile = browser.patch("/api/profile", chosen).await.expect(200).json();
    assert_eq!(profile["daily_digest"], true);
    browser
}

/// The emails to one address that people can turn off.
pub fn category_mails(camp: &Camp, email: &str) -> Vec<Mail> {
    let mails = camp.mails_to(email).into_iter();
    mails.filter(|mail| mail.unsubscribe_url.is_some()).collect()
}

pub fn subjects(camp: &Camp, email: &str) -> Vec<String> {
    category_mails(camp, email).into_iter().map(|mail| mail.subject).collect()
}

/// The parts of a daily email, by their headings.
pub fn parts(mail: &Mail) -> Vec<&str> {
    let labels = ["New video: ", "Camp update: ", "High priority: ", "Newsletter: "];
    mail.text.lines().filter(|line| labels.iter().any(|label| line.starts_with(label))).collect()
}

async fn work_at(camp: &Camp, at: &str) {
    camp.set_clock(at);
    camp.work().await;
}

async fn send_newsletter(staff: &Browser, subject: &str) {
    let newsletter = json!({ "subject": subject, "body": "Dear parents", "audience": "families" });
    staff.post("/api/admin/letters", newsletter).await.expect(200);
}

async fn deliveries(staff: &Browser, video: &Value) -> Value {
    staff.get(&format!("/api/admin/videos/{}/deliveries", id(video))).await.expect(200).json()
}

async fn failed(staff: &Browser) -> Value {
    staff.get("/api/admin/mail/failed").await.expect(200).json()["items"].clone()
}

story! {
    async fn a_day_comes_in_one_mail_at_the_hour(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let _moshe = follower(&camp, "Moshe Adler", MOSHE).await;
        let staff = camp.staff().await;
        let first = staff.post("/api/admin/live-updates", update("Buses", json!({ "priority": "high" }))).await.expect(201).json();
        assert_eq!(first["notified"], 2);
        let lake = posted_video(&staff, "Lake", json!({})).await;
        send_newsletter(&staff, "Come at ten").await;
        camp.work().await;
        assert_eq!((subjects(&camp, CHAYA).len(), subjects(&camp, MOSHE).len()), (0, 3));
        let counts = json!({ "queued": 0, "collected": 1, "sent": 1, "failed": 0, "suppressed": 0 });
        assert_eq!(deliveries(&staff, &lake).await, counts);
        work_at(&camp, "2026-07-30T00:59:30Z").await;
        assert_eq!(subjects(&camp, CHAYA).len(), 0, "before nine");
        work_at(&camp, EVENING).await;
        assert_eq!(subjects(&camp, CHAYA), ["1 new video, 1 camp update, 1 newsletter from Visiting Day"]);
        assert_eq!(parts(&category_mails(&camp, CHAYA)[0]), ["High priority: Buses", "New video: Lake", "Newsletter: Come at ten"]);
        assert_eq!(category_mails(&camp, CHAYA)[0].text.matches("Visit our site:").count(), 1);
        let counts = json!({ "queued": 0, "collected": 0, "sent": 2, "failed": 0, "suppressed": 0 });
        assert_eq!(deliveries(&staff, &lake).await, counts);
        posted_update(&staff, "Good night", json!({})).await;
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA).len(), 1, "once a day");
        work_at(&camp, SECOND_EVENING).await;
        assert_eq!(subjects(&camp, CHAYA)[1..], ["Camp update: Good night"], "a single one is no list");
        work_at(&camp, THIRD_EVENING).await;
        assert_eq!((subjects(&camp, CHAYA).len(), subjects(&camp, MOSHE).len()), (2, 4), "nothing new, no mail");
    }
}

story! {
    async fn what_is_urgent_comes_at_once_and_what_was_withdrawn_not_at_all(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        let wrong = posted_update(&staff, "Wrong", json!({})).await;
        let gone = posted_video(&staff, "Gone", json!({})).await;
        posted_update(&staff, "Right", json!({})).await;
        posted_update(&staff, "The road is closed", json!({ "urgent": true })).await;
        camp.browser().post("/api/auth/forgot", json!({ "email": CHAYA })).await.expect(202);
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA), ["Camp update: The road is closed"]);
        assert!(camp.mails_to(CHAYA).iter().any(|mail| mail.text.contains("/auth/reset")));
        patch(&staff, &wrong, json!({ "is_active": false })).await.expect(200);
        staff.delete(&format!("/api/admin/videos/{}", id(&gone))).await.expect(204);
        work_at(&camp, EVENING).await;
        assert_eq!(subjects(&camp, CHAYA)[1..], ["Camp update: Right"]);
        let wrong = posted_update(&staff, "Wrong again", json!({})).await;
        let shown = patch(&staff, &wrong, json!({ "is_active": false })).await.expect(200).json();
        assert_eq!((&shown["deliveries"]["collected"], &shown["deliveries"]["suppressed"]), (&json!(1), &json!(0)));
        work_at(&camp, SECOND_EVENING).await;
        assert_eq!(subjects(&camp, CHAYA).len(), 2, "nothing is left");
        assert_eq!(failed(&staff).await, json!([]));
    }
}

story! {
    async fn one_may_leave_each_kind_or_all_that_a_daily_email_has_in_it(camp) {
        camp.set_clock(MORNING);
        let chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        let anyone = camp.browser();
        posted_video(&staff, "One", json!({})).await;
        posted_update(&staff, "Two", json!({})).await;
        work_at(&camp, EVENING).await;
        let link = token(&category_mails(&camp, CHAYA)[0]);
        let preview = anyone.post("/api/unsubscribe/preview", json!({ "token": link })).await.expect(200).json();
        assert_eq!(preview["category"], "digest");
        camp.set_clock(SECOND_MORNING);
        posted_video(&staff, "Three", json!({})).await;
        posted_update(&staff, "Four", json!({})).await;
        posted_update(&staff, "Five", json!({})).await;
        let choice = json!({ "daily_videos": false, "camp_updates": true, "general": true });
        anyone.put_with("/api/unsubscribe/choice", json!({ "token": link, "choice": choice })).await.expect(204);
        work_at(&camp, SECOND_EVENING).await;
        assert_eq!(parts(&category_mails(&camp, CHAYA)[1]), ["Camp update: Four", "Camp update: Five"]);
        posted_update(&staff, "Six", json!({})).await;
        // Does what one click in a mail program does.
        anyone.post("/api/unsubscribe", json!({ "token": link, "scope": "category" })).await.expect(204);
        let newsletter = json!({ "subject": "Seven", "body": "Dear parents", "audience": "families" });
        staff.post("/api/admin/letters", newsletter).await.refused(409, "conflict");
        work_at(&camp, THIRD_EVENING).await;
        assert_eq!(subjects(&camp, CHAYA).len(), 2);
        let profile = chaya.get("/api/profile").await.expect(200).json();
        let kinds = ["daily_video_email", "camp_updates_email", "email_notifications"];
        assert_eq!(kinds.map(|kind| profile[kind].clone()), [false, false, false].map(Value::from));
    }
}

story! {
    async fn who_switches_back_gets_at_once_what_waits(camp) {
        camp.set_clock(MORNING);
        let chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted_update(&staff, "Waits", json!({})).await;
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA).len(), 0);
        chaya.patch("/api/profile", json!({ "daily_digest": false })).await.expect(200);
        camp.wait(TimeDelta::seconds(5));
        camp.work().await;
        posted_update(&staff, "At once", json!({})).await;
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA), ["Camp update: Waits", "Camp update: At once"]);
        work_at(&camp, EVENING).await;
        chaya.patch("/api/profile", json!({ "daily_digest": true })).await.expect(200);
        camp.set("digestHour", 7).await;
        assert_eq!(chaya.get("/api/profile").await.expect(200).json()["digest_hour"], 7);
        posted_update(&staff, "At seven", json!({})).await;
        work_at(&camp, "2026-07-30T10:59:30Z").await;
        assert_eq!(subjects(&camp, CHAYA).len(), 2);
        camp.set("emailEnabled", false).await;
        work_at(&camp, "2026-07-30T11:00:30Z").await;
        assert_eq!(subjects(&camp, CHAYA).len(), 2, "no emails go out");
        camp.set("emailEnabled", true).await;
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA)[2..], ["Camp update: At seven"]);
    }
}

story! {
    async fn two_workers_and_a_killed_one_send_a_daily_email_once(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let _moshe = one_a_day(&camp, "Moshe Adler", MOSHE).await;
        let staff = camp.staff().await;
        posted_update(&staff, "First", json!({})).await;
        posted_update(&staff, "Second", json!({})).await;
        camp.work().await;
        let other = camp.beside().await;
        camp.set_clock(EVENING);
        for worker in [&camp, &other] {
            record_heartbeat(&worker.app).await.expect("a heartbeat");
        }
        join(camp.work(), other.work()).await;
        let sent = |email| {
            let mut sent = category_mails(&camp, email);
            sent.extend(category_mails(&other, email));
            sent.sort_by_key(|mail| mail.date);
            sent
        };
        for email in [CHAYA, MOSHE] {
            let [mail] = &sent(email)[..] else { panic!("one mail to {email}") };
            assert_eq!(parts(mail), ["Camp update: First", "Camp update: Second"]);
        }
        // A worker made the next emails, claimed them and was killed.
        posted_update(&staff, "Third", json!({})).await;
        posted_update(&staff, "Fourth", json!({})).await;
        camp.set_clock(SECOND_EVENING);
        assert!(digest::make_due(&camp.app).await.expect("made"));
        assert!(!digest::make_due(&other.app).await.expect("nothing to make"));
        write(&camp, "update deliveries set status = 'sending', attempts = 1 where status = 'queued' and not collected".into()).await;
        for _ in 0..3 {
            camp.wait(TimeDelta::seconds(20));
            camp.work().await;
        }
        for email in [CHAYA, MOSHE] {
            let mails = sent(email);
            assert_eq!(mails.len(), 2, "{email}");
            assert_eq!(parts(&mails[1]), ["Camp update: Third", "Camp update: Fourth"]);
        }
    }
}

story! {
    async fn a_clock_that_jumps_and_a_new_time_zone_lose_and_double_nothing(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted_update(&staff, "First", json!({})).await;
        work_at(&camp, EVENING).await;
        // The clock is weeks ahead, and is then corrected.
        camp.set_clock("2026-09-15T01:00:30Z");
        posted_update(&staff, "Second", json!({})).await;
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA), ["Camp update: First"]);
        work_at(&camp, SECOND_EVENING).await;
        assert_eq!(subjects(&camp, CHAYA)[1..], ["Camp update: Second"]);
        // Four in the morning in Jerusalem.
        posted_update(&staff, "Third", json!({})).await;
        camp.set("timezone", "Asia/Jerusalem").await;
        camp.work().await;
        work_at(&camp, "2026-07-31T17:59:30Z").await;
        assert_eq!(subjects(&camp, CHAYA).len(), 2);
        work_at(&camp, "2026-07-31T18:00:30Z").await;
        assert_eq!(subjects(&camp, CHAYA)[2..], ["Camp update: Third"]);
        posted_update(&staff, "Fourth", json!({})).await;
        camp.set("timezone", "America/New_York").await;
        for at in ["2026-08-01T01:00:30Z", "2026-08-01T13:00:00Z"] {
            work_at(&camp, at).await;
        }
        assert_eq!(subjects(&camp, CHAYA).len(), 3, "the evening of this day has had its mail");
        work_at(&camp, "2026-08-02T01:00:30Z").await;
        assert_eq!(subjects(&camp, CHAYA)[3..], ["Camp update: Fourth"]);
    }
}

story! {
    async fn in_quiet_time_it_waits_and_has_what_was_posted_meanwhile(camp) {
        // Shabbos lasts until a quarter past nine. A missed daily email is made even after
        // midnight.
        camp.set_clock("2026-07-17T16:00:00Z");
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        camp.set("quietPlace", "Monsey, NY").await;
        camp.set("shabbosMode", "quiet").await;
        posted_update(&staff, "Friday", json!({})).await;
        work_at(&camp, "2026-07-18T01:00:30Z").await;
        posted_update(&staff, "Shabbos", json!({})).await;
        work_at(&camp, "2026-07-19T01:14:00Z").await;
        assert_eq!(subjects(&camp, CHAYA).len(), 0);
        work_at(&camp, "2026-07-19T05:00:00Z").await;
        assert_eq!(parts(&category_mails(&camp, CHAYA)[0]), ["Camp update: Friday", "Camp update: Shabbos"]);
        work_at(&camp, "2026-07-20T01:00:30Z").await;
        assert_eq!(subjects(&camp, CHAYA).len(), 1);
    }
}

story! {
    async fn a_daily_email_that_failed_is_one_line_for_staff_and_sent_again_whole(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        let lake = posted_video(&staff, "Lake", json!({})).await;
        posted_update(&staff, "Buses", json!({})).await;
        camp.set_clock(EVENING);
        assert!(digest::make_due(&camp.app).await.expect("made"));
        fail_all_to(&camp, CHAYA).await;
        camp.work().await;
        let list = failed(&staff).await;
        assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
        assert_eq!(list[0]["kind"], "digest");
        assert_eq!(deliveries(&staff, &lake).await["failed"], 1);
        let shown = staff.get("/api/admin/videos").await.expect(200).json()["items"][0].clone();
        assert_eq!((&shown["id"], &shown["failed_mails"]), (&lake["id"], &json!(0)));
        let some = staff.get("/api/admin/videos?attention=failed_mails").await.expect(200).json();
        assert_eq!(some["items"], json!([]));
        let mail = json!({ "notification_id": list[0]["notification_id"], "email": CHAYA });
        staff.post("/api/admin/mail/failed/send-again", json!({ "mails": [mail] })).await.expect(200);
        camp.work().await;
        assert_eq!(parts(&category_mails(&camp, CHAYA)[0]), ["New video: Lake", "Camp update: Buses"]);
        assert_eq!((failed(&staff).await, deliveries(&staff, &lake).await["sent"].clone()), (json!([]), json!(1)));
    }
}

/// A mail server that accepts no recipient.
async fn server_without_mailboxes() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("smtp://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                stream.write_all(b"220 mail.camp.example\r\n").await.ok();
                let mut line = String::new();
                while stream.read_line(&mut line).await.is_ok_and(|read| read > 0) {
                    let said: &[u8] = match line.get(..4) {
                        Some("RCPT") => b"550 5.1.1 No such user\r\n",
                        Some("DATA") => b"503 5.5.1 No recipients\r\n",
                        _ => b"250 2.0.0 Fine\r\n",
                    };
                    stream.write_all(said).await.ok();
                    line.clear();
                }
            });
        }
    });
    url
}

story! {
    async fn a_daily_email_to_a_mailbox_that_was_missing_is_sent_again_whole(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted_video(&staff, "Lake", json!({})).await;
        posted_update(&staff, "Buses", json!({})).await;
        camp.set_clock(EVENING);
        let url = server_without_mailboxes().await;
        let mut refusing = camp.clone();
        let config = Config { smtp_url: vec![url], ..(*camp.app.config).clone() };
        refusing.app.mailer = Mailer::open(&config).expect("a mailer");
        refusing.work().await;
        let list = failed(&staff).await;
        assert_eq!((list.as_array().map(Vec::len), &list[0]["kind"]), (Some(1), &json!("digest")), "{list}");
        let mail = json!({ "notification_id": list[0]["notification_id"], "email": CHAYA });
        staff.post("/api/admin/mail/failed/send-again", json!({ "mails": [mail] })).await.expect(200);
        camp.work().await;
        assert_eq!(parts(&category_mails(&camp, CHAYA)[0]), ["New video: Lake", "Camp update: Buses"]);
    }
}

story! {
    async fn what_waits_follows_a_family_to_its_new_address_and_leaves_one_that_is_gone(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let _moshe = one_a_day(&camp, "Moshe Adler", MOSHE).await;
        let staff = camp.staff().await;
        let family = async |name: &str| find(&staff, name).await;
        let change = async |name: &str, mut changes: Value| {
            let row = family(name).await;
            changes["version"] = row["version"].clone();
            staff.patch(&path(&row), changes).await.expect(200);
        };
        change("moshe", json!({ "secondary_email": "malky@family.example" })).await;
        posted_video(&staff, "Lake", json!({})).await;
        change("chaya", json!({ "email": "chaya@home.example" })).await;
        change("moshe", json!({ "secondary_email": null })).await;
        work_at(&camp, EVENING).await;
        assert_eq!(subjects(&camp, CHAYA), [""; 0]);
        assert_eq!(subjects(&camp, "malky@family.example"), [""; 0]);
        assert_eq!(subjects(&camp, "chaya@home.example"), ["New video: Lake"]);
        assert_eq!(subjects(&camp, MOSHE), ["New video: Lake"]);
        work_at(&camp, SECOND_EVENING).await;
        assert_eq!(subjects(&camp, "chaya@home.example").len(), 1);
    }
}
