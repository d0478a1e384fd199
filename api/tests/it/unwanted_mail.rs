//! Email that failed or waits while its readers change: it follows them, and reaches nobody who no
//! longer wants it.

use axum::http::Method;
use chrono::TimeDelta;
use portal::notifications::digest;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, sign_up};
use crate::digest::{category_mails, one_a_day, subjects};
use crate::families::{find, path};
use crate::family_membership::{confirmation, copy_link};
use crate::mail::{fail_all_to, write};
use crate::newsletters::subscribed;
use crate::payments::{family, payment, record};
use crate::updates::{follower, posted as posted_update, update};
use crate::videos::{id, posted as posted_video};

const CHAYA: &str = "chaya@family.example";
const MOSHE: &str = "moshe@family.example";
const DOVID: &str = "dovid@family.example";
const RAIZY: &str = "raizy@family.example";
const NEIGHBOR: &str = "neighbor@town.example";
const MORNING: &str = "2026-07-29T13:00:00Z";
const EVENING: &str = "2026-07-30T01:00:30Z";
const SECOND_EVENING: &str = "2026-07-31T01:00:30Z";

async fn change(staff: &Browser, name: &str, mut changes: Value) {
    let row = find(staff, name).await;
    changes["version"] = row["version"].clone();
    staff.patch(&path(&row), changes).await.expect(200);
}

async fn refuse(camp: &Camp, email: &str) {
    let at = camp.now().format("%Y-%m-%dT%H:%M:%S+00:00");
    let row = format!("'{email}', '550 No such user', '{at}'");
    write(camp, format!("insert into suppressed_addresses values ({row})")).await;
}

fn letter(subject: &str, audience: &str) -> Value {
    json!({ "subject": subject, "body": "Dear parents", "audience": audience })
}

async fn remove_subscriber(staff: &Browser, email: &str) {
    let list = staff.get(&format!("/api/admin/subscribers?q={email}")).await.expect(200).json();
    let subscriber = list["items"][0]["id"].as_str().expect("an id").to_owned();
    staff.delete(&format!("/api/admin/subscribers/{subscriber}")).await.expect(204);
}

/// Who got an email with this subject.
fn readers(camp: &Camp, subject: &str) -> Vec<String> {
    let mails = camp.mails().into_iter().filter(|mail| mail.subject == subject);
    let mut readers: Vec<String> = mails.map(|mail| mail.to.email.to_string()).collect();
    readers.sort();
    readers
}

/// Runs the worker long enough for a round of recovery to wake waiting jobs.
async fn work_a_while(camp: &Camp) {
    for _ in 0..4 {
        camp.work().await;
        camp.wait(TimeDelta::seconds(3));
    }
}

story! {
    async fn a_retry_reaches_the_present_addresses_of_those_who_still_want_it(camp) {
        let chaya = camp.parent("Chaya Weiss", CHAYA).await;
        for (name, email) in [("Moshe Adler", MOSHE), ("Dovid Stern", DOVID), ("Raizy Klein", RAIZY)] {
            camp.parent(name, email).await;
        }
        subscribed(&camp, NEIGHBOR).await;
        let staff = camp.staff().await;
        let lake = posted_video(&staff, "Lake", json!({})).await;
        let sent = staff.post("/api/admin/letters", letter("Visiting day", "both")).await.expect(200).json();
        for email in [CHAYA, MOSHE, DOVID, RAIZY, NEIGHBOR] {
            fail_all_to(&camp, email).await;
        }
        let off = json!({ "daily_video_email": false, "email_notifications": false });
        chaya.patch("/api/profile", off).await.expect(200);
        change(&staff, "moshe", json!({ "email": "moshe@home.example" })).await;
        refuse(&camp, DOVID).await;
        remove_subscriber(&staff, NEIGHBOR).await;

        let again = async |path: String| staff.post(&path, json!({})).await.expect(200).json()["queued"].clone();
        let video = format!("/api/admin/videos/{}/deliveries", id(&lake));
        assert_eq!(again(format!("{video}/retry")).await, 2);
        let newsletter = format!("/api/admin/letters/{}/deliveries/retry", sent["id"].as_str().expect("an id"));
        assert_eq!(again(newsletter).await, 2);
        camp.work().await;
        assert_eq!(readers(&camp, "New video: Lake"), ["moshe@home.example", RAIZY]);
        assert_eq!(readers(&camp, "Visiting day"), ["moshe@home.example", RAIZY]);
        let counts = json!({ "queued": 0, "collected": 0, "sent": 2, "failed": 1, "suppressed": 1 });
        assert_eq!(staff.get(&video).await.expect(200).json(), counts);

        // Staff may still let mail through to an address that refused it.
        let failed = staff.get("/api/admin/mail/failed").await.expect(200).json();
        let mails: Vec<Value> = failed["items"].as_array().expect("items").iter()
            .map(|row| json!({ "notification_id": row["notification_id"], "email": row["email"] }))
            .collect();
        assert_eq!(mails.len(), 2);
        let sent = staff.post("/api/admin/mail/failed/send-again", json!({ "mails": mails })).await;
        assert_eq!(sent.expect(200).json()["queued"], 2);
        camp.work().await;
        assert_eq!(readers(&camp, "New video: Lake"), [DOVID, "moshe@home.example", RAIZY]);
    }
}

story! {
    async fn a_failed_mail_is_sent_again_to_the_corrected_address_or_not_at_all(camp) {
        let chaya = camp.parent("Chaya Weiss", CHAYA).await;
        let _moshe = camp.parent("Moshe Adler", MOSHE).await;
        let staff = camp.staff().await;
        staff.post("/api/admin/letters", letter("Visiting day", "families")).await.expect(200);
        fail_all_to(&camp, CHAYA).await;
        fail_all_to(&camp, MOSHE).await;
        chaya.patch("/api/profile", json!({ "email_notifications": false })).await.expect(200);
        change(&staff, "moshe", json!({ "email": "moshe@home.example" })).await;
        let failed = staff.get("/api/admin/mail/failed").await.expect(200).json();
        let mut queued = 0;
        for row in failed["items"].as_array().expect("items") {
            let mail = json!({ "notification_id": row["notification_id"], "email": row["email"] });
            let sent = staff.post("/api/admin/mail/failed/send-again", json!({ "mails": [mail] })).await;
            queued += sent.expect(200).json()["queued"].as_i64().expect("a number");
        }
        assert_eq!(queued, 1);
        camp.work().await;
        assert_eq!(readers(&camp, "Visiting day"), ["moshe@home.example"]);
        let list = staff.get("/api/admin/letters").await.expect(200).json();
        let counts = json!({ "queued": 0, "collected": 0, "sent": 1, "failed": 0, "suppressed": 1 });
        assert_eq!(list["items"][0]["deliveries"], counts);
    }
}

story! {
    async fn parts_of_a_failed_daily_email_that_were_turned_off_are_not_sent_again(camp) {
        camp.set_clock(MORNING);
        let chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted_video(&staff, "Lake", json!({})).await;
        posted_update(&staff, "Buses", json!({})).await;
        camp.set_clock(EVENING);
        digest::make_due(&camp.app).await.expect("made");
        fail_all_to(&camp, CHAYA).await;
        chaya.patch("/api/profile", json!({ "camp_updates_email": false })).await.expect(200);
        let failed = staff.get("/api/admin/mail/failed").await.expect(200).json();
        let row = &failed["items"][0];
        let mail = json!({ "notification_id": row["notification_id"], "email": row["email"] });
        staff.post("/api/admin/mail/failed/send-again", json!({ "mails": [mail] })).await.expect(200);
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA), ["New video: Lake"]);
    }
}

story! {
    async fn what_waits_stays_while_its_kind_of_mail_is_switched_off(camp) {
        camp.set_clock(MORNING);
        let _chaya = follower(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted_video(&staff, "Lake", json!({})).await;
        staff.post("/api/admin/live-updates", update("Buses", json!({ "urgent": true }))).await.expect(201);
        staff.post("/api/admin/letters", letter("Visiting day", "families")).await.expect(200);
        camp.set("emailEnabled", false).await;
        work_a_while(&camp).await;
        assert_eq!(category_mails(&camp, CHAYA).len(), 0);
        // Other email still goes out.
        camp.browser().post("/api/auth/forgot", json!({ "email": CHAYA })).await.expect(202);
        camp.work().await;
        assert_eq!(camp.mails_to(CHAYA).iter().filter(|mail| mail.text.contains("/auth/reset?token=")).count(), 1);

        camp.set("dailyReports", false).await;
        camp.set("emailEnabled", true).await;
        work_a_while(&camp).await;
        let sorted = |camp: &Camp| {
            let mut subjects = subjects(camp, CHAYA);
            subjects.sort();
            subjects
        };
        assert_eq!(sorted(&camp), ["Camp update: Buses", "Visiting day"]);
        camp.set("dailyReports", true).await;
        work_a_while(&camp).await;
        assert_eq!(sorted(&camp), ["Camp update: Buses", "New video: Lake", "Visiting day"]);
    }
}

story! {
    async fn a_daily_email_leaves_out_what_is_switched_off(camp) {
        camp.set_clock(MORNING);
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        let staff = camp.staff().await;
        posted_video(&staff, "Lake", json!({})).await;
        posted_update(&staff, "Buses", json!({})).await;
        camp.set("dailyReports", false).await;
        camp.set_clock(EVENING);
        camp.work().await;
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA), ["Camp update: Buses"]);
        camp.set("dailyReports", true).await;
        camp.set_clock(SECOND_EVENING);
        camp.work().await;
        assert_eq!(subjects(&camp, CHAYA), ["Camp update: Buses", "New video: Lake"]);
    }
}

story! {
    async fn a_newsletter_whose_answer_was_lost_is_not_taken_for_its_next_text(camp) {
        camp.parent("Chaya Weiss", CHAYA).await;
        subscribed(&camp, NEIGHBOR).await;
        let staff = camp.staff().await;
        let send = async |body: Value, key: &str| {
            staff.send(Method::POST, "/api/admin/letters", Some(body), &[("idempotency-key", key)]).await
        };
        let (one, two) = ("0190a5b0-0000-7000-8000-000000000001", "0190a5b0-0000-7000-8000-000000000002");
        send(letter("Come at ten", "families"), one).await.expect(200);
        for changed in [letter("Come at nine", "families"), letter("Come at ten", "both")] {
            let refused = send(changed, one).await.refused(409, "conflict");
            assert!(refused["detail"].as_str().expect("words").contains("was already sent"), "{refused}");
        }
        send(letter("Come at ten", "families"), one).await.expect(200);
        send(letter("Come at nine", "families"), two).await.expect(200);
        camp.work().await;
        assert_eq!(readers(&camp, "Come at ten"), [CHAYA]);
        assert_eq!(readers(&camp, "Come at nine"), [CHAYA]);
    }
}

story! {
    async fn who_is_taken_off_the_mailing_list_gets_no_newsletter_that_waits(camp) {
        camp.parent("Chaya Weiss", CHAYA).await;
        subscribed(&camp, NEIGHBOR).await;
        subscribed(&camp, CHAYA).await;
        let staff = camp.staff().await;
        staff.post("/api/admin/letters", letter("Visiting day", "both")).await.expect(200);
        remove_subscriber(&staff, NEIGHBOR).await;
        remove_subscriber(&staff, CHAYA).await;
        camp.work().await;
        assert_eq!(readers(&camp, "Visiting day"), [CHAYA], "as a family");
    }
}

story! {
    async fn whoever_wants_single_mails_again_mails_nobody_who_left_the_family(camp) {
        camp.set_clock(MORNING);
        let moshe = one_a_day(&camp, "Moshe Adler", MOSHE).await;
        let staff = camp.staff().await;
        change(&staff, "moshe", json!({ "secondary_email": "malky@family.example" })).await;
        posted_video(&staff, "Lake", json!({})).await;
        change(&staff, "moshe", json!({ "secondary_email": null })).await;
        moshe.patch("/api/profile", json!({ "daily_digest": false })).await.expect(200);
        work_a_while(&camp).await;
        assert_eq!(readers(&camp, "New video: Lake"), [MOSHE]);
    }
}

story! {
    async fn daily_emails_and_receipts_that_wait_do_not_go_to_an_address_that_the_family_lost(camp) {
        camp.set_clock(MORNING);
        let staff = camp.staff().await;
        let weiss = family(&staff, CHAYA).await;
        let _chaya = one_a_day(&camp, "Chaya Weiss", CHAYA).await;
        change(&staff, "chaya", json!({ "secondary_email": DOVID })).await;
        // His login stays when the family removes his address.
        let _dovid = camp.parent("Dovid Weiss", DOVID).await;
        camp.work().await;
        camp.forget_mails();
        posted_update(&staff, "Buses", json!({})).await;
        camp.set_clock(EVENING);
        digest::make_due(&camp.app).await.expect("made");
        record(&staff, &weiss, payment(50_000)).await.expect(201);
        change(&staff, "chaya", json!({ "secondary_email": null })).await;
        camp.work().await;
        assert_eq!(camp.mails_to(DOVID).len(), 0);
        let subjects: Vec<String> = camp.mails_to(CHAYA).into_iter().map(|mail| mail.subject).collect();
        assert!(subjects.iter().any(|subject| subject == "Camp update: Buses"), "{subjects:?}");
        assert!(subjects.iter().any(|subject| subject.contains("payment")), "{subjects:?}");
    }
}

story! {
    async fn a_corrected_address_gets_what_waits_beside_one_that_bounced(camp) {
        let _chaya = camp.parent("Chaya Weiss", CHAYA).await;
        let _moshe = camp.parent("Moshe Adler", MOSHE).await;
        let staff = camp.staff().await;
        change(&staff, "chaya", json!({ "secondary_email": DOVID })).await;
        change(&staff, "moshe", json!({ "secondary_email": "malky@family.example" })).await;
        refuse(&camp, DOVID).await;
        camp.work().await;
        staff.post("/api/admin/letters", letter("Visiting day", "families")).await.expect(200);
        change(&staff, "chaya", json!({ "email": "chaya@home.example" })).await;
        // Both addresses change at once.
        change(&staff, "moshe", json!({ "email": "moshe@home.example", "secondary_email": "malky@home.example" })).await;
        camp.work().await;
        let got = readers(&camp, "Visiting day");
        assert_eq!(got.len(), 2, "{got:?}");
        assert_eq!(got[0], "chaya@home.example");
        assert!(["malky@home.example", "moshe@home.example"].contains(&got[1].as_str()), "{got:?}");
    }
}

story! {
    async fn a_new_password_brings_back_no_address_that_the_family_removed(camp) {
        let staff = camp.staff().await;
        let _chaya = camp.parent("Chaya Weiss", CHAYA).await;
        change(&staff, "chaya", json!({ "secondary_email": DOVID })).await;
        let _dovid = camp.parent("Dovid Weiss", DOVID).await;
        assert_eq!(find(&staff, "chaya").await["secondary_email"], DOVID);
        change(&staff, "chaya", json!({ "secondary_email": null })).await;
        let anyone = camp.browser();
        anyone.post("/api/auth/forgot", json!({ "email": DOVID })).await.expect(202);
        let token = camp.token_for(DOVID).await;
        let new = json!({ "token": token, "password": "a quiet lake at noon" });
        anyone.post("/api/auth/reset", new).await.expect(204);
        assert_eq!(find(&staff, "chaya").await["secondary_email"], Value::Null);
        staff.post("/api/admin/letters", letter("Visiting day", "families")).await.expect(200);
        camp.work().await;
        assert_eq!(readers(&camp, "Visiting day"), [CHAYA]);
    }
}

story! {
    async fn what_waits_goes_to_nobody_who_was_separated_from_the_family(camp) {
        camp.set_clock(EVENING);
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Weiss", "email": CHAYA, "child_name": "Yossi" });
        staff.post("/api/admin/users", new).await.expect(201);
        // Somebody signs up with her address and never verifies it, and another person joins.
        camp.set("requireEmailVerification", false).await;
        let mut form = sign_up("Stranger", CHAYA);
        form["invite"] = json!(copy_link(&staff, &path(&find(&staff, "chaya").await)).await);
        let intruder = camp.browser();
        intruder.post("/api/auth/sign-up", form).await.expect(201);
        let mut form = sign_up("Friend", DOVID);
        form["invite"] = json!(copy_link(&staff, &path(&find(&staff, "chaya").await)).await);
        let friend = camp.browser();
        friend.post("/api/auth/sign-up", form).await.expect(201);
        let confirm = json!({ "token": confirmation(&camp, DOVID).await });
        friend.post("/api/auth/verify", confirm).await.expect(200);
        assert_eq!(find(&staff, "chaya").await["secondary_email"], DOVID);
        let mine = camp.browser();
        mine.post("/api/auth/forgot", json!({ "email": CHAYA })).await.expect(202);
        let token = camp.token_for(CHAYA).await;
        staff.post("/api/admin/letters", letter("Visiting day", "families")).await.expect(200);
        let new = json!({ "token": token, "password": "a quiet lake at noon" });
        mine.post("/api/auth/reset", new).await.expect(204);
        assert_eq!(find(&staff, "chaya").await["secondary_email"], Value::Null);
        work_a_while(&camp).await;
        assert!(!readers(&camp, "Visiting day").contains(&DOVID.to_owned()));
        assert!(readers(&camp, "Visiting day").contains(&CHAYA.to_owned()));
    }
}

story! {
    async fn what_waits_goes_to_no_login_that_staff_took_off_the_family(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Weiss", "email": CHAYA, "child_name": "Yossi" });
        staff.post("/api/admin/users", new).await.expect(201);
        let family = path(&find(&staff, "chaya").await);
        let mut form = sign_up("Friend", DOVID);
        form["invite"] = json!(copy_link(&staff, &family).await);
        let friend = camp.browser();
        friend.post("/api/auth/sign-up", form).await.expect(201);
        let confirm = json!({ "token": confirmation(&camp, DOVID).await });
        friend.post("/api/auth/verify", confirm).await.expect(200);
        staff.post("/api/admin/letters", letter("Visiting day", "families")).await.expect(200);
        let shown = staff.get(&family).await.expect(200).json();
        let emails = shown["emails"].as_array().expect("a list");
        let login = emails.iter().find(|one| one["email"] == DOVID).expect("a login")["user_id"].as_str().expect("an id");
        staff.delete(&format!("{family}/logins/{login}")).await.expect(204);
        work_a_while(&camp).await;
        assert_eq!(readers(&camp, "Visiting day"), [CHAYA]);
    }
}
