//! Compares every kind of email with the approved one, as plain text and as HTML without styles:
//! the files in `snapshots`. After an intended change, run these tests with `INSTA_UPDATE=always`
//! and review the diff.

use axum::http::Method;
use chrono::TimeDelta;
use portal::alerts;
use portal::mail::Mail;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, sign_up};
use crate::digest::one_a_day;
use crate::family_membership::confirmation;
use crate::late_video::{LATE, promising};
use crate::payment_reminders::owes_until;
use crate::payments::{family, payment, record, void};
use crate::staff::code_of;
use crate::updates::follower;
use crate::videos::{NOON, posted};

const CHAYA: &str = "chaya@family.example";
const TATTY: &str = "tatty@family.example";
const FRESH: &str = "seven tall cedars";

/// Compares the newest email to this address with the approved one.
pub async fn approved(camp: &Camp, kind: &str, to: &str) {
    compare(kind, &camp.mail_to(to).await);
}

fn compare(kind: &str, mail: &Mail) {
    insta::assert_snapshot!(kind, shown(mail));
}

fn shown(mail: &Mail) -> String {
    let reply_to = mail.reply_to.as_ref().map(ToString::to_string).unwrap_or_default();
    let list = mail.unsubscribe_url.as_deref().unwrap_or("none");
    let body = mail.html.split_once("<body").expect("a body").1;
    without_secrets(&format!(
        "From: {}\nTo: {}\nReply-To: {reply_to}\nSubject: {}\nList-Unsubscribe: {list}\n\n{}\n\n<body{}",
        mail.from,
        mail.to,
        mail.subject,
        mail.text.trim_end(),
        without_styles(body).replace("&#847;&zwnj;&nbsp;", ""),
    ))
}

/// Removes the `style` attributes, which affect only the look.
fn without_styles(html: &str) -> String {
    let mut kept = String::new();
    let mut rest = html;
    while let Some((before, styled)) = rest.split_once(" style=\"") {
        kept.push_str(before);
        rest = styled.split_once('"').expect("the end of the attribute").1;
    }
    kept + rest
}

/// Replaces what differs between runs: ids and tokens.
fn without_secrets(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !word(c)).unwrap_or(from.len());
        let (found, after) = from.split_at(end);
        shown.push_str(before);
        let secret = shown.ends_with("token=") || shown.ends_with("invite=");
        shown.push_str(match found {
            _ if secret => "TOKEN",
            _ if uuid::Uuid::parse_str(found).is_ok() => "ID",
            _ => found,
        });
        rest = after;
    }
    shown + rest
}

async fn staff_path(owner: &Browser) -> String {
    let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
    let items = accounts["items"].as_array().expect("items");
    let feder = items.iter().find(|one| one["username"] == "feder").expect("an account");
    format!("/api/admin/accounts/{}", feder["id"].as_str().expect("an id"))
}

story! {
    async fn mails_to_a_user(camp) {
        camp.set_clock(NOON);
        let chaya = camp.unconfirmed_parent("Chaya Weiss", CHAYA).await;
        approved(&camp, "verify", CHAYA).await;
        let token = camp.token_for(CHAYA).await;
        chaya.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        chaya.post("/api/auth/forgot", json!({ "email": CHAYA })).await.expect(202);
        approved(&camp, "reset", CHAYA).await;
        let change = json!({ "current_password": PASSWORD, "new_password": FRESH });
        chaya.post("/api/auth/password", change).await.expect(204);
        approved(&camp, "password_changed", CHAYA).await;
        let change = json!({ "current_password": FRESH, "new_email": "weiss@family.example" });
        chaya.post("/api/auth/email", change).await.expect(202);
        approved(&camp, "change_email", "weiss@family.example").await;
        let token = camp.token_for("weiss@family.example").await;
        chaya.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        approved(&camp, "email_changed", CHAYA).await;
    }
}

story! {
    async fn mails_to_a_family(camp) {
        camp.set_clock(NOON);
        camp.set("access", "families").await;
        let staff = camp.staff().await;
        let invited = json!({ "full_name": "Rivka Adler", "email": "rivka@family.example", "child_name": "Dovid" });
        staff.post("/api/admin/users", invited).await.expect(201);
        approved(&camp, "invitation", "rivka@family.example").await;

        let chaya = camp.parent("Chaya Weiss", CHAYA).await;
        let waiting = staff.get("/api/admin/users?filter=to_approve").await.expect(200).json();
        let path = format!("/api/admin/users/{}", waiting["items"][0]["id"].as_str().expect("an id"));
        staff.post(&format!("{path}/approve"), json!({})).await.expect(200);
        approved(&camp, "approved", CHAYA).await;

        chaya.patch("/api/profile", json!({ "secondary_email": TATTY })).await.expect(200);
        approved(&camp, "secondary_email", TATTY).await;
        let token = camp.token_for(TATTY).await;
        let father = camp.browser();
        father.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        approved(&camp, "secondary_added", CHAYA).await;
        father.post("/api/auth/sign-up", sign_up("Moshe Weiss", TATTY)).await.expect(201);
        let token = confirmation(&camp, TATTY).await;
        father.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        approved(&camp, "guardian_joined", CHAYA).await;

        let removal = json!({ "secondary_email": "", "current_password": PASSWORD });
        chaya.patch("/api/profile", removal).await.expect(200);
        approved(&camp, "secondary_removed", TATTY).await;
        staff.post(&format!("{path}/refuse"), json!({})).await.expect(200);
        approved(&camp, "refused", CHAYA).await;
    }
}

story! {
    async fn mails_about_a_staff_account(camp) {
        camp.set_clock(NOON);
        let owner = camp.owner().await;
        let feder = camp.staff().await;
        let path = staff_path(&owner).await;
        let sign_in = json!({ "username": "feder", "password": PASSWORD });
        feder.post("/api/admin/auth/sign-in", sign_in.clone()).await.expect(200);
        let other = camp.browser();
        other.post("/api/admin/auth/sign-in", sign_in).await.expect(200);
        approved(&camp, "staff_new_browser", "feder@camp.example").await;
        let confirmed = json!({ "current_password": PASSWORD });
        owner.post(&format!("{path}/reset"), confirmed.clone()).await.expect(202);
        approved(&camp, "staff_reset", "feder@camp.example").await;

        let begun = feder.post("/api/admin/two-factor", confirmed.clone()).await.expect(200).json();
        let secret = begun["secret"].as_str().expect("a secret");
        let code = code_of(secret, camp.now().timestamp());
        feder.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200);
        approved(&camp, "staff_two_factor_on", "feder@camp.example").await;
        let code = code_of(secret, camp.now().timestamp() + 30);
        let renewed = json!({ "current_password": PASSWORD, "code": code });
        feder.post("/api/admin/two-factor/recovery-codes", renewed).await.expect(200);
        approved(&camp, "staff_recovery_codes", "feder@camp.example").await;
        feder.send(Method::DELETE, "/api/admin/two-factor", Some(confirmed), &[]).await.expect(204);
        approved(&camp, "staff_two_factor_off", "feder@camp.example").await;

        let change = json!({ "current_password": PASSWORD, "new_password": FRESH });
        feder.post("/api/admin/password", change).await.expect(204);
        approved(&camp, "staff_password_changed", "feder@camp.example").await;
        let version = owner.get(&path).await.expect(200).json()["version"].clone();
        let change = json!({ "version": version, "email": "new@camp.example", "current_password": PASSWORD });
        owner.patch(&path, change).await.expect(200);
        approved(&camp, "staff_email_changed", "feder@camp.example").await;
        let version = owner.get(&path).await.expect(200).json()["version"].clone();
        let change = json!({ "version": version, "role": "owner", "current_password": PASSWORD });
        owner.patch(&path, change).await.expect(200);
        approved(&camp, "staff_account", "kornbluh@camp.example").await;
    }
}

story! {
    async fn mails_that_remind_of_a_payment(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        camp.set("paymentInstructions", "By check to the office, or at https://pay.camp.example").await;
        owes_until(&staff, "2026-07-15").await;
        for (day, kind) in [
            ("2026-07-08", "payment_due_soon"),
            ("2026-07-15", "payment_due_today"),
            ("2026-07-22", "payment_overdue"),
        ] {
            camp.set_clock(&format!("{day}T16:00:00Z"));
            approved(&camp, kind, CHAYA).await;
        }
    }
}

story! {
    async fn a_mail_that_says_that_the_video_is_late(camp) {
        let (_chaya, staff) = promising(&camp).await;
        camp.set_clock(LATE);
        staff.post("/api/admin/videos/late-note", json!({})).await.expect(200);
        approved(&camp, "late_video", CHAYA).await;
    }
}

story! {
    async fn a_mail_with_the_news_of_a_day(camp) {
        camp.set_clock(NOON);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        crate::updates::posted(&staff, "Rain", json!({})).await;
        posted(&staff, "A day at the lake", json!({ "description": "The water was cold." })).await;
        camp.set_clock("2026-07-30T01:00:30Z");
        approved(&camp, "digest", CHAYA).await;
    }
}

story! {
    async fn mails_about_a_message(camp) {
        camp.set_clock(NOON);
        let chaya = camp.parent("Chaya Weiss", CHAYA).await;
        let form = json!({
            "name": "Chaya Weiss", "email": CHAYA, "child_name": "Mendy", "subject": "Which bunk is he in?",
            "user_type": "parent", "department": "staff",
            "message": "I want to send a package.\n\nThank you & <good> night!",
        });
        chaya.post("/api/contact", form.clone()).await.expect(202);
        approved(&camp, "message", "office@camp.example").await;
        approved(&camp, "message_received_with_copy", CHAYA).await;
        let mut guest = form;
        guest["email"] = json!("guest@town.example");
        camp.browser().post("/api/contact", guest).await.expect(202);
        approved(&camp, "message_received", "guest@town.example").await;

        let staff = camp.staff().await;
        let list = staff.get("/api/admin/messages").await.expect(200).json();
        let items = list["items"].as_array().expect("items");
        let first = items.iter().find(|one| one["email"] == CHAYA).expect("a message");
        let path = format!("/api/admin/messages/{}/reply", first["id"].as_str().expect("an id"));
        let body = json!({ "body": "Good morning!\n\nMendy is in bunk 6." });
        staff.post(&path, body).await.expect(200);
        approved(&camp, "message_reply", CHAYA).await;
    }
}

story! {
    async fn a_mail_that_says_that_more_messages_wait(camp) {
        camp.set_clock(NOON);
        for n in 0..31 {
            let form = json!({
                "name": "Guest", "email": format!("guest{n}@town.example"), "subject": "Visiting day",
                "user_type": "guest", "department": "staff", "message": "When do the gates open?",
            });
            camp.browser_at(&format!("198.51.100.{n}")).post("/api/contact", form).await.expect(202);
        }
        camp.work().await;
        let mails = camp.mails_to("office@camp.example");
        let wait: Vec<&Mail> = mails.iter().filter(|mail| !mail.subject.starts_with("Message: ")).collect();
        assert_eq!(wait.len(), 1);
        compare("messages_wait", wait[0]);
    }
}

story! {
    async fn mails_to_all_families(camp) {
        camp.set_clock(NOON);
        follower(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        let video = json!({
            "title": "A day at the lake", "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "published",
            "description": "The water was cold.\n\nNobody minded.",
        });
        staff.post("/api/admin/videos", video).await.expect(201);
        approved(&camp, "video", CHAYA).await;
        let update = json!({ "title": "Rain", "message": "The trip is tomorrow.", "author": "Main office" });
        staff.post("/api/admin/live-updates", update).await.expect(201);
        approved(&camp, "update", CHAYA).await;
        let newsletter = json!({ "subject": "Visiting day", "body": "Dear parents,\n\nthe gates open at ten.", "audience": "families" });
        staff.post("/api/admin/letters", newsletter).await.expect(200);
        approved(&camp, "newsletter", CHAYA).await;
        camp.browser().post("/api/subscribe", json!({ "email": "reader@town.example" })).await.expect(202);
        approved(&camp, "subscribe", "reader@town.example").await;
    }
}

story! {
    async fn receipts(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let family = family(&staff, CHAYA).await;
        let paid: Value = record(&staff, &family, payment(100_000)).await.expect(201).json();
        approved(&camp, "payment", CHAYA).await;
        void(&staff, &paid["payment"], "The check came back").await.expect(201);
        approved(&camp, "payment_void", CHAYA).await;
        let paid = record(&staff, &family, payment(50_000)).await.expect(201).json();
        assert_eq!(paid["plan"]["paid_amount"], 50_000);
        let refund = json!({ "kind": "refund", "amount": 20_000, "payment_date": "2026-07-16" });
        record(&staff, &family, refund).await.expect(201);
        approved(&camp, "payment_refund", CHAYA).await;
    }
}

story! {
    async fn an_alert(camp) {
        camp.set_clock(NOON);
        camp.owner().await;
        portal::notifications::record_heartbeat(&camp.app).await.expect("a heartbeat");
        camp.set_clock("2026-07-29T16:06:00Z");
        alerts::check_worker(&camp.app, TimeDelta::minutes(1)).await.expect("a check");
        approved(&camp, "alert", "kornbluh@camp.example").await;
    }
}
