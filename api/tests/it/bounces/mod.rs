//! Bounces and complaints: a report from another mail server takes effect once, and only if it
//! proves to be about an email from the portal.

mod lmtp;
mod samples;
mod ses;
mod webhooks;

use chrono::TimeDelta;
use portal::bounces::{self, Maildir, Received, Source};
use portal::mail::Mail;
use portal::notifications::reports::{self, Kind};
use serde_json::{Value, json};

use self::samples::{STYLES, complaint, postfix};
use crate::camp::{Browser, Camp};
use crate::digest::one_a_day;
use crate::mail_snapshots::approved;
use crate::videos::{NOON, posted};

const CHAYA: &str = "chaya@family.example";
const MOSHE: &str = "moshe@family.example";
const RIVKA: &str = "rivka@family.example";
const TO: &str = "bounces@camp.example";
pub const GONE: (&str, &str, &str) = ("failed", "5.1.1", "550 5.1.1 No such user here");

/// A family that staff added and invited.
pub async fn family(camp: &Camp, staff: &Browser, email: &str) -> Value {
    let new = json!({ "full_name": "Chaya Weiss", "child_name": "Yossi", "email": email });
    let family = staff.post("/api/admin/users", new).await.expect(201).json();
    camp.work().await;
    family
}

async fn with_second_address(staff: &Browser, family: &Value, email: &str) {
    let change = json!({ "version": family["version"], "secondary_email": email });
    let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
    staff.patch(&path, change).await.expect(200);
}

/// Publishes a video and returns the mail about it to an address.
pub async fn video_mail(camp: &Camp, staff: &Browser, title: &str, email: &str) -> Option<Mail> {
    posted(staff, title, json!({})).await;
    camp.work().await;
    camp.mails_to(email).into_iter().find(|mail| mail.subject.contains(title))
}

async fn take(camp: &Camp, message: &str) -> Received {
    bounces::receive(&camp.app, message.as_bytes(), None, Source::Pipe).await.expect("it is read")
}

pub async fn bounce(
    camp: &Camp,
    mail: &Mail,
    (action, status, said): (&str, &str, &str),
) -> Received {
    let address = mail.to.email.to_string();
    take(camp, &postfix(mail, TO, &[(&address, action, status, said)])).await
}

pub async fn rows(staff: &Browser, list: &str) -> Vec<Value> {
    let list = staff.get(&format!("/api/admin/mail/{list}")).await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

/// The addresses that get no email.
pub async fn refused(staff: &Browser) -> Vec<String> {
    let rows = rows(staff, "refused").await;
    rows.iter().map(|row| row["email"].as_str().expect("an address").to_owned()).collect()
}

story! {
    async fn a_mail_that_comes_back_later_stops_mail_to_its_address_and_the_other_address_is_told_once(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let weiss = family(&camp, &staff, CHAYA).await;
        with_second_address(&staff, &weiss, MOSHE).await;
        let mail = video_mail(&camp, &staff, "Swim", CHAYA).await.expect("a mail");
        camp.forget_mails();

        assert_eq!(bounce(&camp, &mail, GONE).await, Received::Recorded(Kind::Hard));
        assert_eq!(bounce(&camp, &mail, GONE).await, Received::Repeated);
        let list = rows(&staff, "reports").await;
        assert_eq!(list.len(), 1);
        let shown = json!({
            "id": list[0]["id"], "email": CHAYA, "full_name": "Chaya Weiss", "kind": "hard", "cause": "no_such_address",
            "reason": "550 5.1.1 No such user here", "mail": "video", "title": "Swim", "reported_at": list[0]["reported_at"],
            "family_id": weiss["id"], "refused": true,
        });
        assert_eq!(list[0], shown);
        assert_eq!(refused(&staff).await, [CHAYA]);
        camp.work().await;
        approved(&camp, "address_refused", MOSHE).await;
        assert!(video_mail(&camp, &staff, "Boats", CHAYA).await.is_none());
        assert_eq!(camp.mails_to(MOSHE).len(), 2, "the note and the video");

        // After staff allowed mail again, the old report has no effect.
        staff.post("/api/admin/mail/refused/let-through", json!({ "email": CHAYA })).await.expect(204);
        assert_eq!(bounce(&camp, &mail, GONE).await, Received::Repeated);
        let mail = video_mail(&camp, &staff, "Fire", CHAYA).await.expect("mail goes there again");
        assert_eq!(rows(&staff, "reports").await[0]["refused"], false);
        // A new report has an effect again, and the mail server's answer is a report too.
        assert_eq!(bounce(&camp, &mail, GONE).await, Received::Recorded(Kind::Hard));
        camp.work().await;
        let notes = camp.mails_to(MOSHE).into_iter().filter(|mail| mail.subject.contains("bouncing"));
        assert_eq!(notes.count(), 2);
    }
}

story! {
    async fn a_late_report_about_an_earlier_mail_does_not_stop_mail_that_staff_allowed_again(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let swim = video_mail(&camp, &staff, "Swim", CHAYA).await.expect("a mail");
        let boats = video_mail(&camp, &staff, "Boats", CHAYA).await.expect("a mail");
        bounce(&camp, &swim, GONE).await;
        assert_eq!(refused(&staff).await, [CHAYA]);
        camp.wait(TimeDelta::minutes(1));
        staff.post("/api/admin/mail/refused/let-through", json!({ "email": CHAYA })).await.expect(204);
        camp.wait(TimeDelta::minutes(1));
        assert_eq!(bounce(&camp, &boats, GONE).await, Received::Recorded(Kind::Hard));
        assert_eq!(refused(&staff).await, [""; 0]);
        let list = rows(&staff, "reports").await;
        assert_eq!((list.len(), &list[0]["title"], &list[0]["refused"]), (2, &json!("Boats"), &json!(false)));
        // A complaint concerns the kind of email. A later bounce still shows that the address does
        // not work.
        let fire = video_mail(&camp, &staff, "Fire", CHAYA).await.expect("a mail");
        assert_eq!(take(&camp, &complaint(&boats, "abuse")).await, Received::Recorded(Kind::Complaint));
        assert!(video_mail(&camp, &staff, "Hike", CHAYA).await.is_none());
        assert_eq!(bounce(&camp, &fire, GONE).await, Received::Recorded(Kind::Hard));
        assert_eq!(refused(&staff).await, [CHAYA]);
    }
}

story! {
    async fn reports_of_all_mail_servers_are_understood(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for (name, style) in STYLES {
            let email = format!("{name}@family.example");
            family(&camp, &staff, &email).await;
            let mail = camp.mail_to(&email).await;
            let report = style(&mail, TO, &[(&email, "failed", "5.0.0", "550-5.1.1 The account does not exist")]);
            assert_eq!(take(&camp, &report).await, Received::Recorded(Kind::Hard), "{name}");
            let row = &rows(&staff, "reports").await[0];
            assert_eq!((&row["email"], &row["mail"]), (&json!(email), &json!("invitation")));
            assert_eq!((&row["reason"], &row["cause"]), (&json!("550-5.1.1 The account does not exist"), &json!("no_such_address")), "{name}");
        }
        assert_eq!(refused(&staff).await.len(), 4);
    }
}

story! {
    async fn a_forged_report_stops_nothing(camp) {
        camp.set_clock(NOON);
        let app = camp.beside_as(|config| config.bounce_address = Some(TO.parse().expect("an address"))).await;
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        family(&camp, &staff, RIVKA).await;
        let (chaya, rivka) = (camp.mail_to(CHAYA).await, camp.mail_to(RIVKA).await);

        // The report has no Message-ID of ours, or one that was never signed.
        let mut unknown = chaya.clone();
        unknown.message_id = "<0123456789abcdef0123456789abcdef@camp.example>".into();
        for (name, style) in STYLES {
            let report = style(&unknown, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]);
            assert_eq!(take(&app, &report).await, Received::NotOurs, "{name}");
        }
        assert_eq!(take(&app, &complaint(&unknown, "abuse")).await, Received::NotOurs);
        // The report has the Message-ID of an email to somebody else, and the victim's address
        // everywhere.
        let mut stolen = chaya.clone();
        stolen.message_id = rivka.message_id.clone();
        assert_eq!(bounce(&app, &stolen, GONE).await, Received::NotOurs);
        let report = postfix(&rivka, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]);
        assert_eq!(take(&app, &report).await, Received::Recorded(Kind::Soft), "one to Rivka, who forwards her mail");
        assert_eq!(rows(&staff, "reports").await[0]["email"], RIVKA);

        // One letter of an email's token is changed.
        family(&app, &app.of(&staff), MOSHE).await;
        let moshe = app.mail_to(MOSHE).await;
        let sender = moshe.envelope_sender.clone().expect("a sender for bounces").to_string();
        let report = |sender: &str| postfix(&unknown, sender, &[(MOSHE, GONE.0, GONE.1, GONE.2)]);
        let mut forged = sender.clone().into_bytes();
        let last = sender.find('@').expect("a domain") - 3;
        forged[last] = if forged[last] == b'a' { b'b' } else { b'a' };
        let forged = String::from_utf8(forged).expect("ASCII");
        assert_eq!(take(&app, &report(&forged)).await, Received::NotOurs);
        assert_eq!(refused(&staff).await, [""; 0]);
        // The right token is enough: in upper or lower case, without the returned email, and after
        // a forged one.
        let both = format!("{forged}, {}", sender.to_uppercase());
        assert_eq!(take(&app, &report(&both)).await, Received::Recorded(Kind::Hard));
        assert_eq!(refused(&staff).await, [MOSHE]);
        app.app.db.close().await;
    }
}

story! {
    async fn a_full_mailbox_stops_mail_after_three_days_and_a_refused_mail_never(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let full = ("failed", "5.2.2", "552 5.2.2 Over quota");
        // Three bounces on one day count as one.
        for title in ["One", "Two", "Three"] {
            let mail = video_mail(&camp, &staff, title, CHAYA).await.expect("a mail");
            assert_eq!(bounce(&camp, &mail, ("delayed", "4.2.2", "452 4.2.2 Over quota")).await, Received::Ignored("a notice that mail arrived or is still tried"));
            assert_eq!(bounce(&camp, &mail, full).await, Received::Recorded(Kind::Soft));
            assert_eq!(bounce(&camp, &mail, full).await, Received::Repeated, "the same mail counts once");
        }
        camp.wait(TimeDelta::days(9));
        let staff = camp.staff_member("adler", portal::accounts::Role::Staff).await;
        let mail = video_mail(&camp, &staff, "Four", CHAYA).await.expect("a mail");
        bounce(&camp, &mail, full).await;
        camp.wait(TimeDelta::days(2));
        let staff = camp.staff_member("berger", portal::accounts::Role::Staff).await;
        let mail = video_mail(&camp, &staff, "Five", CHAYA).await.expect("the first day is too long ago");
        bounce(&camp, &mail, full).await;
        assert_eq!(refused(&staff).await, [""; 0]);
        let policy = video_mail(&camp, &staff, "Six", CHAYA).await.expect("a mail");
        assert_eq!(bounce(&camp, &policy, ("failed", "5.7.1", "550 5.7.1 Looks like spam")).await, Received::Recorded(Kind::Blocked));
        camp.wait(TimeDelta::days(1));
        let staff = camp.staff_member("cohen", portal::accounts::Role::Staff).await;
        assert_eq!(refused(&staff).await, [""; 0]);
        let mail = video_mail(&camp, &staff, "Seven", CHAYA).await.expect("a mail");
        bounce(&camp, &mail, full).await;
        assert_eq!(refused(&staff).await, [CHAYA]);
        // Once allowed again, the address is refused only after three more days of bounces.
        staff.post("/api/admin/mail/refused/let-through", json!({ "email": CHAYA })).await.expect(204);
        let mail = video_mail(&camp, &staff, "Eight", CHAYA).await.expect("a mail");
        bounce(&camp, &mail, full).await;
        assert_eq!(refused(&staff).await, [""; 0]);
    }
}

story! {
    async fn a_complaint_turns_off_this_kind_of_mail_and_no_other(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", CHAYA).await;
        let mail = video_mail(&camp, &staff, "Swim", CHAYA).await.expect("a mail");
        assert_eq!(take(&camp, &complaint(&mail, "not-spam")).await, Received::Ignored("feedback that is no complaint"));
        assert_eq!(take(&camp, &complaint(&mail, "abuse")).await, Received::Recorded(Kind::Complaint));
        let profile = chaya.get("/api/profile").await.expect(200).json();
        assert_eq!((&profile["daily_video_email"], &profile["email_notifications"], &profile["suppressed"]), (&json!(false), &json!(true), &json!(false)));
        assert!(video_mail(&camp, &staff, "Boats", CHAYA).await.is_none());
        let row = &rows(&staff, "reports").await[0];
        assert_eq!((&row["kind"], &row["cause"], &row["refused"]), (&json!("complaint"), &json!("spam"), &json!(false)));
        // She turns the email on again. The same complaint does not turn it off again.
        chaya.patch("/api/profile", json!({ "daily_video_email": true })).await.expect(200);
        assert_eq!(take(&camp, &complaint(&mail, "abuse")).await, Received::Repeated);
        assert!(video_mail(&camp, &staff, "Fire", CHAYA).await.is_some());
    }
}

story! {
    async fn a_complaint_about_a_daily_email_turns_off_all_that_it_has_in_it(camp) {
        camp.set_clock(NOON);
        let chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted(&staff, "Swim", json!({})).await;
        camp.set_clock("2026-07-30T01:00:30Z");
        let mail = camp.mail_to(CHAYA).await;
        assert_eq!(take(&camp, &complaint(&mail, "abuse")).await, Received::Recorded(Kind::Complaint));
        let profile = chaya.get("/api/profile").await.expect(200).json();
        for kind in ["daily_video_email", "camp_updates_email", "email_notifications"] {
            assert_eq!(profile[kind], false, "{kind}");
        }
    }
}

story! {
    async fn what_is_no_bounce_has_no_effect(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        assert_eq!(bounce(&camp, &mail, ("delivered", "2.1.5", "250 Taken")).await, Received::Ignored("a notice that mail arrived or is still tried"));
        // The family's mailbox forwards to two recipients. One of them is gone, and the other got
        // the email.
        let report = postfix(&mail, TO, &[("old@elsewhere.example", GONE.0, GONE.1, GONE.2), (CHAYA, "relayed", "2.1.5", "250 Taken")]);
        assert_eq!(take(&camp, &report).await, Received::Ignored("a notice that mail arrived or is still tried"));
        let away = "From: Chaya <chaya@family.example>\nTo: bounces@camp.example\nSubject: Out of office\nAuto-Submitted: auto-replied\n\nI am away.\n";
        assert_eq!(take(&camp, away).await, Received::Ignored("an automatic reply"));
        let list = "From: list@town.example\nPrecedence: bulk\n\nNews.\n";
        assert_eq!(take(&camp, list).await, Received::Ignored("an automatic reply"));
        let person = "From: Chaya <chaya@family.example>\nTo: bounces@camp.example\nSubject: Which bus?\n\nHello, 550 5.1.1 is on the bus.\n";
        assert_eq!(take(&camp, person).await, Received::NoReport);
        assert_eq!(rows(&staff, "reports").await.len(), 0);
        assert_eq!(refused(&staff).await, [""; 0]);
    }
}

story! {
    async fn a_profile_does_not_tell_whether_the_address_of_somebody_else_bounces(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let rivka = family(&camp, &staff, RIVKA).await;
        let mail = camp.mail_to(RIVKA).await;
        assert_eq!(bounce(&camp, &mail, GONE).await, Received::Recorded(Kind::Hard));
        let path = format!("/api/admin/users/{}", rivka["id"].as_str().expect("an id"));
        let corrected = json!({ "version": rivka["version"], "email": "rivka.new@family.example" });
        staff.patch(&path, corrected).await.expect(200);
        let chaya = camp.parent("Chaya Weiss", CHAYA).await;
        chaya.patch("/api/profile", json!({ "secondary_email": RIVKA })).await.expect(200);
        let profile = chaya.get("/api/profile").await.expect(200).json();
        let other = &profile["other_addresses"][0];
        assert_eq!((&other["email"], &other["confirmed"], &other["suppressed"]), (&json!(RIVKA), &json!(false), &json!(false)));
    }
}

/// Messages from people who want to harm the portal. None takes effect, and all of them together
/// are read in moments.
fn hostile(mail: &Mail) -> Vec<Vec<u8>> {
    let good = postfix(mail, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]);
    let nested = (0..3000).fold(String::from("From: x@y.example\n"), |text, n| {
        text + &format!("Content-Type: multipart/mixed; boundary=\"b{n}\"\n\n--b{n}\n")
    });
    let messages = (0..2000).fold(String::new(), |text, n| {
        text + &format!(
            "Subject: {n}\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
        )
    });
    let huge_headers = format!("To: {}\n\n", "a+b@c.example, ".repeat(60_000));
    let cut = (0..good.len()).step_by(97).map(|end| good.as_bytes()[..end].to_vec());
    let mut all: Vec<Vec<u8>> = vec![
        Vec::new(),
        vec![0; 4096],
        vec![b'\n'; 100_000],
        vec![b':'; 100_000],
        [b"To: \xff\xfe\xff\nSubject: \xc3\x28\n\n".as_slice(), &[0xff; 9000]].concat(),
        nested.into_bytes(),
        messages.into_bytes(),
        huge_headers.into_bytes(),
        format!("To: {}\n\n", "@".repeat(1_000_000)).into_bytes(),
        format!("To: {}\n\n", "+".repeat(500) + &"@".repeat(1_000_000)).into_bytes(),
        // Parts that never end.
        ("From: x@y.example\nContent-Type: multipart/mixed; boundary=b\n\n".to_owned()
            + &"--b\nContent-Type: multipart/mixed; boundary=c\n\n".repeat(3_000))
            .into_bytes(),
    ];
    // A message that was cut before its Message-ID is not about any email.
    all.extend(cut.filter(|part| !String::from_utf8_lossy(part).contains("Message-ID:")));
    all
}

story! {
    async fn hostile_messages_do_no_harm(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        for (n, message) in hostile(&mail).iter().enumerate() {
            let begun = std::time::Instant::now();
            let received = bounces::receive(&camp.app, message, None, Source::Pipe).await.expect("it is read");
            assert!(!matches!(received, Received::Recorded(_)), "{n}: {received:?}");
            assert!(begun.elapsed().as_secs() < 30, "{n}: {:?}", begun.elapsed());
        }
        assert_eq!(rows(&staff, "reports").await.len(), 0);

        // The recorded reason is one line of text.
        let said = "550 5.1.1 No\u{0}\u{7}such\u{202e}user\r\n\tBcc: all@town.example\r\n <script>";
        assert_eq!(bounce(&camp, &mail, ("failed", "5.1.1", &format!("{said}{}", " x".repeat(5000)))).await, Received::Recorded(Kind::Hard));
        let reason = rows(&staff, "reports").await[0]["reason"].as_str().expect("a reason").to_owned();
        assert!(reason.starts_with("550 5.1.1 No") && reason.chars().count() <= 500, "{reason}");
        assert!(!reason.contains(|c: char| c.is_control() || c == '\u{202e}'), "{reason:?}");

        // Our address is the last of ten thousand, and a huge attachment follows.
        family(&camp, &staff, RIVKA).await;
        let mail = camp.mail_to(RIVKA).await;
        let others: Vec<String> = (0..10_000).map(|n| format!("f{n}@f.example")).collect();
        let mut lines: Vec<_> = others.iter().map(|email| (email.as_str(), "failed", "5.1.1", "")).collect();
        lines.push((RIVKA, "failed", "5.2.1", "Disabled"));
        let small = postfix(&mail, TO, &lines[9500..]);
        assert_eq!(take(&camp, &(small + &"x".repeat(5_000_000))).await, Received::Recorded(Kind::Hard));
        let row = &rows(&staff, "reports").await[0];
        assert_eq!((&row["email"], &row["cause"], &row["reason"]), (&json!(RIVKA), &json!("disabled"), &json!("Disabled")));
        assert_eq!(take(&camp, &postfix(&mail, TO, &lines)).await, Received::NotOurs, "cut off before the mail that came back");
    }
}

story! {
    async fn the_family_is_told_after_quiet_time(camp) {
        // Friday noon, eight hours before candle lighting.
        camp.set_clock("2026-07-17T16:00:00Z");
        camp.owner().await;
        let staff = camp.staff().await;
        let weiss = family(&camp, &staff, CHAYA).await;
        with_second_address(&staff, &weiss, MOSHE).await;
        camp.set("quietPlace", "Monsey, NY").await;
        camp.set("shabbosMode", "quiet").await;
        let mail = camp.mail_to(CHAYA).await;
        camp.set_clock("2026-07-18T02:00:00Z");
        assert_eq!(bounce(&camp, &mail, GONE).await, Received::Recorded(Kind::Hard));
        camp.wait(TimeDelta::hours(3));
        for _ in 0..2 {
            portal::notifications::recover(&camp.app).await.expect("recovered");
            camp.work_until_tomorrow().await;
        }
        portal::alerts::check(&camp.app).await.expect("a look");
        camp.work_until_tomorrow().await;
        assert_eq!(camp.mails_to(MOSHE).len(), 0);
        assert_eq!(camp.mails_to("kornbluh@camp.example").len(), 0, "the note is not late");
        camp.set_clock("2026-07-19T01:15:05Z");
        portal::notifications::recover(&camp.app).await.expect("recovered");
        camp.work_until_tomorrow().await;
        assert_eq!(camp.mails_to(MOSHE).len(), 1);
    }
}

story! {
    async fn reports_go_with_the_family_and_after_90_days(camp) {
        camp.set_clock(NOON);
        let owner = camp.owner().await;
        let weiss = family(&camp, &owner, CHAYA).await;
        family(&camp, &owner, RIVKA).await;
        let (chaya, rivka) = (camp.mail_to(CHAYA).await, camp.mail_to(RIVKA).await);
        bounce(&camp, &chaya, GONE).await;
        bounce(&camp, &rivka, GONE).await;
        assert_eq!(rows(&owner, "reports").await.len(), 2);
        let path = format!("/api/admin/users/{}", weiss["id"].as_str().expect("an id"));
        owner.delete(&path).await.expect(204);
        let left = rows(&owner, "reports").await;
        assert_eq!(left.len(), 1);
        assert_eq!(left[0]["email"], RIVKA);
        assert_eq!(bounce(&camp, &chaya, GONE).await, Received::NotOurs);

        camp.wait(TimeDelta::days(91));
        reports::prune(&camp.app).await.expect("pruned");
        let owner = camp.staff_member("adler", portal::accounts::Role::Owner).await;
        assert_eq!(rows(&owner, "reports").await.len(), 0);
        assert_eq!(bounce(&camp, &rivka, GONE).await, Received::NotOurs, "too old");
    }
}

story! {
    async fn the_worker_reads_a_maildir_and_leaves_what_is_no_report_to_people(camp) {
        camp.set_clock(NOON);
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["new", "cur", "tmp"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        let app = camp.beside_as(|config| config.bounce_maildir = Some(folder.path().to_owned())).await;
        let staff = camp.staff().await;
        family(&camp, &staff, CHAYA).await;
        let mail = camp.mail_to(CHAYA).await;
        let put = |name: &str, text: &str| std::fs::write(folder.path().join("new").join(name), text).expect("written");
        put("1.a.host", &postfix(&mail, TO, &[(CHAYA, GONE.0, GONE.1, GONE.2)]));
        put("2.b.host", "From: Chaya <chaya@family.example>\nSubject: Which bus?\n\nHello.\n");
        put("3.c.host", "From: x@y.example\nAuto-Submitted: auto-replied\n\nI am away.\n");
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("new/4.d.host")).expect("a link");
        let names = |part: &str| {
            let entries = std::fs::read_dir(folder.path().join(part)).expect("a folder");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
            names.sort();
            names
        };
        let mut maildir = Maildir::default();
        for _ in 0..2 {
            maildir.read(&app.app).await.expect("it is read");
            assert_eq!(names("cur"), ["3.c.host:2,S"], "what is recorded is deleted");
            assert_eq!(names("new"), ["2.b.host", "4.d.host"]);
        }
        assert_eq!(refused(&staff).await, [CHAYA]);
        // Later reports are read as well, even when another worker reads at the same time.
        family(&camp, &staff, RIVKA).await;
        let mail = camp.mail_to(RIVKA).await;
        put("5.e.host", &postfix(&mail, TO, &[(RIVKA, GONE.0, GONE.1, GONE.2)]));
        let mut other = Maildir::default();
        let (one, two) = tokio::join!(maildir.read(&app.app), other.read(&app.app));
        one.and(two).expect("both are fine");
        std::fs::rename(folder.path().join("new"), folder.path().join("away")).expect("renamed");
        assert!(maildir.read(&app.app).await.is_err());
        maildir.read(&app.app).await.expect("said once");
        std::fs::rename(folder.path().join("away"), folder.path().join("new")).expect("renamed");
        maildir.read(&app.app).await.expect("it is back");
        assert_eq!((names("new").len(), names("cur").len()), (2, 1));
        assert_eq!(rows(&staff, "reports").await.len(), 2);
        app.app.db.close().await;
    }
}

story! {
    async fn owners_hear_of_many_complaints(camp) {
        camp.set_clock(NOON);
        let owner = camp.owner().await;
        for n in 0..3 {
            let email = format!("f{n}@family.example");
            family(&camp, &owner, &email).await;
            let mail = camp.mail_to(&email).await;
            portal::alerts::check(&camp.app).await.expect("a look");
            assert_eq!(camp.mails_to("kornbluh@camp.example").len(), 0, "after {n}");
            assert_eq!(take(&camp, &complaint(&mail, "abuse")).await, Received::Recorded(Kind::Complaint));
        }
        portal::alerts::check(&camp.app).await.expect("a look");
        let alert = camp.mail_to("kornbluh@camp.example").await;
        assert!(alert.text.contains("3 recipients marked emails as spam"), "{}", alert.text);
    }
}
