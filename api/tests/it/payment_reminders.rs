//! Payment reminders: a week before the due date, on the due date, and every week after it
//! (decision M6).

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::payments::{Family, family, payment, record, shown, void};

const CHAYA: &str = "chaya@family.example";

/// A time before ten in the morning, when reminders go out.
fn morning(day: &str) -> String {
    format!("{day}T13:59:00Z")
}

fn evening(day: &str) -> String {
    format!("{day}T21:00:00Z")
}

async fn change(staff: &Browser, family: &Family, change: Value) {
    let mut body = change;
    body["version"] = shown(staff, family).await["version"].clone();
    staff.patch(&format!("/api/admin/users/{}", family.id), body).await.expect(200);
}

pub async fn owes_until(staff: &Browser, due: &str) -> Family {
    let family = family(staff, CHAYA).await;
    change(staff, &family, json!({ "due_date": due })).await;
    family
}

/// The headings of the reminders to this address.
fn reminders(camp: &Camp, email: &str) -> Vec<String> {
    let mails = camp.mails_to(email).into_iter();
    let lines = mails.flat_map(|mail| mail.text.lines().map(str::to_owned).collect::<Vec<_>>());
    let heads = ["Your payment is ", "Your payment was "];
    lines.filter(|line| heads.iter().any(|head| line.starts_with(head))).collect()
}

async fn work_at(camp: &Camp, at: &str) {
    camp.set_clock(at);
    camp.work().await;
    // Recovery wakes what waited for the end of quiet time.
    camp.wait(TimeDelta::seconds(5));
    camp.work().await;
}

async fn next_of(staff: &Browser, family: &Family) -> Value {
    shown(staff, family).await["reminders"].clone()
}

const SOON: &str = "Your payment is due soon";
const TODAY: &str = "Your payment is due today";
const OVERDUE: &str = "Your payment is overdue";

story! {
    async fn a_family_is_reminded_before_on_and_after_the_due_date_until_it_pays(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        camp.set("paymentInstructions", "By check, or at https://pay.camp.example/families").await;
        let family = owes_until(&staff, "2026-07-15").await;
        change(&staff, &family, json!({ "secondary_email": "shimon@family.example" })).await;
        camp.work().await;
        assert_eq!(next_of(&staff, &family).await, json!({ "last_sent_at": null, "next_at": "2026-07-08T14:00:00Z" }));
        work_at(&camp, &morning("2026-07-08")).await;
        assert_eq!(reminders(&camp, CHAYA).len(), 0, "not before the hour");
        work_at(&camp, &evening("2026-07-08")).await;
        assert_eq!(reminders(&camp, "shimon@family.example"), [SOON]);
        let mail = camp.mails_to(CHAYA).pop().expect("a mail");
        for part in ["$2,800 is due in 7 days, on Wednesday, July 15, 2026", "https://pay.camp.example/families", "http://camp.example/profile"] {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
        assert!(mail.html.contains("href=\"https://pay.camp.example/families\"") && mail.unsubscribe_url.is_none());
        record(&staff, &family, json!({ "kind": "payment", "amount": 100_000, "payment_date": "2026-07-08" })).await.expect(201);
        let shown = next_of(&staff, &family).await;
        assert!(shown["last_sent_at"].as_str().expect("a time").starts_with("2026-07-08T21:00"), "{shown}");
        assert_eq!(shown["next_at"], "2026-07-15T14:00:00Z");
        for day in ["2026-07-14", "2026-07-15", "2026-07-15", "2026-07-16", "2026-07-21", "2026-07-22", "2026-07-23", "2026-07-29"] {
            work_at(&camp, &evening(day)).await;
        }
        assert_eq!(reminders(&camp, CHAYA), [SOON, TODAY, OVERDUE, OVERDUE]);
        assert!(camp.mails_to(CHAYA).pop().expect("a mail").text.contains("Remaining balance: $1,800"));
        record(&staff, &family, payment(180_000)).await.expect(201);
        assert_eq!(next_of(&staff, &family).await["next_at"], Value::Null);
        for day in ["2026-08-05", "2026-08-12"] {
            work_at(&camp, &evening(day)).await;
        }
        assert_eq!(reminders(&camp, CHAYA).len(), 4, "nothing is owed");
    }
}

story! {
    async fn a_reminder_that_waits_in_quiet_time_is_withdrawn_by_a_payment(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        camp.set("quietPlace", "Monsey, NY").await;
        camp.set("shabbosMode", "quiet").await;
        // The due date is on Shabbos.
        let paid = owes_until(&staff, "2026-07-18").await;
        let other = family(&staff, "moshe@family.example").await;
        change(&staff, &other, json!({ "due_date": "2026-07-18" })).await;
        work_at(&camp, "2026-07-18T15:00:00Z").await;
        assert_eq!((reminders(&camp, CHAYA).len(), reminders(&camp, "moshe@family.example").len()), (0, 0));
        assert_eq!(next_of(&staff, &other).await["next_at"], "2026-07-19T01:15:00Z");
        record(&staff, &paid, payment(280_000)).await.expect(201);
        work_at(&camp, "2026-07-19T01:15:03Z").await;
        assert_eq!(reminders(&camp, "moshe@family.example"), [TODAY]);
        assert_eq!(reminders(&camp, CHAYA).len(), 0);
    }
}

story! {
    async fn what_was_missed_comes_on_the_next_day_but_not_at_night(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        let family = owes_until(&staff, "2026-07-15").await;
        camp.set_clock("2026-07-08T16:00:00Z");
        let next = next_of(&staff, &family).await["next_at"].clone();
        assert!(next.as_str().expect("a time").starts_with("2026-07-08T16:0"), "at once: {next}");
        // Eight in the evening, ten hours after the hour of the reminders.
        work_at(&camp, "2026-07-09T00:00:00Z").await;
        assert_eq!(reminders(&camp, CHAYA).len(), 0);
        assert_eq!(next_of(&staff, &family).await["next_at"], "2026-07-09T14:00:00Z");
        work_at(&camp, "2026-07-09T14:00:00Z").await;
        assert_eq!(reminders(&camp, CHAYA), [SOON]);
        assert_eq!(next_of(&staff, &family).await["next_at"], "2026-07-15T14:00:00Z");
        // A missed reminder that the payment is due today is not sent a day later.
        for at in ["2026-07-16T00:00:00Z", "2026-07-16T21:00:00Z"] {
            work_at(&camp, at).await;
            assert_eq!(next_of(&staff, &family).await["next_at"], "2026-07-22T14:00:00Z", "{at}");
        }
        assert_eq!(reminders(&camp, CHAYA), [SOON]);
        // The camp may choose a later hour: half past nine, half past ten and half past eleven.
        camp.set("reminderHour", 22).await;
        for (at, sent) in [("2026-07-23T01:30:00Z", 1), ("2026-07-23T03:30:00Z", 1), ("2026-07-24T02:30:00Z", 2)] {
            work_at(&camp, at).await;
            assert_eq!(reminders(&camp, CHAYA).len(), sent, "{at}");
        }
    }
}

story! {
    async fn a_reminder_that_waited_calls_nothing_overdue_while_that_is_switched_off(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        camp.set("remindOverdue", false).await;
        owes_until(&staff, "2026-07-15").await;
        let other = family(&staff, "moshe@family.example").await;
        change(&staff, &other, json!({ "due_date": "2026-07-18" })).await;
        camp.set("quietDates", json!([{ "from": "2026-07-15", "to": "2026-07-22", "name": "Break" }])).await;
        camp.set("shabbosMode", "quiet").await;
        for day in ["2026-07-15", "2026-07-18"] {
            work_at(&camp, &evening(day)).await;
        }
        assert_eq!((reminders(&camp, CHAYA).len(), reminders(&camp, "moshe@family.example").len()), (0, 0));
        work_at(&camp, "2026-07-23T15:00:00Z").await;
        assert_eq!(reminders(&camp, "moshe@family.example"), ["Your payment was due on Saturday, July 18"]);
        assert_eq!(reminders(&camp, CHAYA).len(), 0, "a week after its due date");
        let mail = camp.mails_to("moshe@family.example").pop().expect("a mail");
        assert_eq!(mail.subject, "Your payment to Visiting Day was due on July 18: $2,800");
    }
}

story! {
    async fn of_several_reminders_that_waited_only_the_newest_is_sent(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        owes_until(&staff, "2026-07-15").await;
        camp.set("quietDates", json!([{ "from": "2026-07-15", "to": "2026-07-22", "name": "Break" }])).await;
        camp.set("shabbosMode", "quiet").await;
        work_at(&camp, &evening("2026-07-15")).await;
        work_at(&camp, &evening("2026-07-22")).await;
        assert_eq!(reminders(&camp, CHAYA).len(), 0);
        work_at(&camp, "2026-07-23T15:00:00Z").await;
        assert_eq!(reminders(&camp, CHAYA), [OVERDUE]);
    }
}

story! {
    async fn several_workers_missed_days_and_a_jumping_clock_send_one_reminder(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        owes_until(&staff, "2026-07-15").await;
        let other = camp.beside().await;
        // Everything until the second week after the due date was missed.
        camp.set_clock(&evening("2026-07-31"));
        for worker in [&camp, &other] {
            portal::notifications::record_heartbeat(&worker.app).await.expect("a heartbeat");
        }
        futures_util::future::join(camp.work(), other.work()).await;
        let sent = || {
            let mut sent = [reminders(&camp, CHAYA), reminders(&other, CHAYA)].concat();
            sent.sort();
            sent
        };
        assert_eq!(sent(), [OVERDUE]);
        // The clock goes back to the correct day, in another zone, and then to a day that was
        // missed.
        camp.set("timezone", "Asia/Jerusalem").await;
        work_at(&camp, "2026-07-10T08:00:00Z").await;
        assert_eq!(sent(), [SOON, OVERDUE]);
        camp.set("timezone", "America/New_York").await;
        for _ in 0..2 {
            work_at(&camp, "2026-07-10T15:00:00Z").await;
            work_at(&camp, &evening("2026-07-31")).await;
        }
        assert_eq!(sent().len(), 2);
    }
}

story! {
    async fn the_hour_may_be_skipped_or_come_twice(camp) {
        camp.set_clock("2026-02-20T16:00:00Z");
        let staff = camp.staff().await;
        camp.set("reminderHour", 2).await;
        let family = owes_until(&staff, "2026-03-08").await;
        work_at(&camp, "2026-03-01T16:00:00Z").await;
        work_at(&camp, "2026-03-08T06:59:00Z").await;
        assert_eq!(reminders(&camp, CHAYA), [SOON], "half past one at night");
        work_at(&camp, "2026-03-08T07:00:30Z").await;
        assert_eq!(reminders(&camp, CHAYA), [SOON, TODAY], "three o'clock follows");
        camp.set("reminderHour", 1).await;
        camp.set_clock("2026-10-30T16:00:00Z");
        change(&staff, &family, json!({ "due_date": "2026-11-01" })).await;
        for at in ["2026-11-01T05:00:30Z", "2026-11-01T06:00:30Z", "2026-11-01T06:30:00Z"] {
            work_at(&camp, at).await;
        }
        assert_eq!(reminders(&camp, CHAYA), [SOON, TODAY, TODAY]);
    }
}

story! {
    async fn only_what_comes_after_a_new_due_date_is_sent(camp) {
        camp.set_clock("2026-07-20T16:00:00Z");
        let staff = camp.staff().await;
        let family = owes_until(&staff, "2026-07-15").await;
        work_at(&camp, &evening("2026-07-20")).await;
        assert_eq!(reminders(&camp, CHAYA).len(), 0, "it was overdue when the plan was made");
        work_at(&camp, &evening("2026-07-22")).await;
        assert_eq!(reminders(&camp, CHAYA), [OVERDUE]);
        change(&staff, &family, json!({ "due_date": "2026-07-25" })).await;
        assert_eq!(next_of(&staff, &family).await["next_at"], "2026-07-25T14:00:00Z");
        work_at(&camp, &evening("2026-07-25")).await;
        change(&staff, &family, json!({ "due_date": "2026-07-15" })).await;
        work_at(&camp, &evening("2026-07-26")).await;
        assert_eq!(reminders(&camp, CHAYA), [OVERDUE, TODAY]);
        change(&staff, &family, json!({ "due_date": null })).await;
        work_at(&camp, &evening("2026-08-05")).await;
        assert_eq!(reminders(&camp, CHAYA).len(), 2, "no due date, no reminder");
    }
}

story! {
    async fn a_balance_that_is_owed_again_is_reminded_of_at_the_next_time(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        let family = owes_until(&staff, "2026-07-05").await;
        let paid = json!({ "kind": "payment", "amount": 280_000, "payment_date": "2026-07-01" });
        let paid = record(&staff, &family, paid).await.expect(201).json();
        work_at(&camp, &evening("2026-07-05")).await;
        camp.set_clock(&evening("2026-07-13"));
        record(&staff, &family, json!({ "kind": "refund", "amount": 5_000, "payment_date": "2026-07-13" })).await.expect(201);
        work_at(&camp, &evening("2026-07-14")).await;
        assert_eq!(reminders(&camp, CHAYA).len(), 0, "not at once");
        work_at(&camp, &evening("2026-07-19")).await;
        assert_eq!(reminders(&camp, CHAYA), [OVERDUE]);
        record(&staff, &family, payment(5_000)).await.expect(201);
        camp.set_clock(&evening("2026-07-27"));
        change(&staff, &family, json!({ "total_amount": 290_000 })).await;
        assert_eq!(next_of(&staff, &family).await["next_at"], "2026-08-02T14:00:00Z");
        void(&staff, &paid["payment"], "Bounced").await.expect(201);
        work_at(&camp, &evening("2026-07-28")).await;
        work_at(&camp, &evening("2026-08-02")).await;
        assert_eq!(reminders(&camp, CHAYA), [OVERDUE, OVERDUE]);
    }
}

story! {
    async fn switched_off_deleted_and_free_plans_are_not_reminded(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        let deleted = owes_until(&staff, "2026-07-15").await;
        let free = family(&staff, "free@family.example").await;
        change(&staff, &free, json!({ "due_date": "2026-07-15", "total_amount": 0 })).await;
        let off = family(&staff, "off@family.example").await;
        change(&staff, &off, json!({ "due_date": "2026-07-15" })).await;
        camp.set("remindBeforeDue", false).await;
        assert_eq!(next_of(&staff, &off).await["next_at"], "2026-07-15T14:00:00Z");
        work_at(&camp, &evening("2026-07-08")).await;
        camp.set("remindOnDueDate", false).await;
        work_at(&camp, &evening("2026-07-15")).await;
        // Both reminders wait while the mail server is away.
        camp.set_clock(&evening("2026-07-22"));
        camp.work_without_mail().await;
        staff.delete(&format!("/api/admin/users/{}", deleted.id)).await.expect(204);
        camp.set("remindOverdue", false).await;
        camp.wait(TimeDelta::minutes(2));
        camp.work().await;
        for email in [CHAYA, "free@family.example", "off@family.example"] {
            assert_eq!(reminders(&camp, email), Vec::<String>::new(), "{email}");
        }
        assert_eq!(next_of(&staff, &off).await["next_at"], Value::Null);
    }
}

story! {
    async fn the_switch_of_the_weekly_reminders_says_how_many_families_wait_behind_it(camp) {
        camp.set_clock("2026-07-01T16:00:00Z");
        let staff = camp.staff().await;
        owes_until(&staff, "2026-07-05").await;
        let other = family(&staff, "moshe@family.example").await;
        change(&staff, &other, json!({ "due_date": "2026-07-25" })).await;
        camp.set("remindOverdue", false).await;
        camp.set_clock("2026-07-13T16:00:00Z");
        let owner = camp.owner().await;
        let help = async || {
            let settings = owner.get("/api/admin/settings").await.expect(200).json();
            let items = settings["items"].as_array().expect("settings");
            let switch = items.iter().find(|setting| setting["key"] == "remindOverdue");
            switch.expect("a switch")["help"].as_str().expect("a text").to_owned()
        };
        let said = help().await;
        assert!(said.ends_with("; 1 family would be reminded now"), "{said}");
        camp.set("remindOverdue", true).await;
        let said = help().await;
        assert!(!said.contains("would be"), "{said}");
        work_at(&camp, "2026-07-13T16:01:00Z").await;
        assert_eq!(reminders(&camp, CHAYA), [OVERDUE]);
        camp.set("remindOverdue", false).await;
        let said = help().await;
        assert!(said.ends_with("; 0 families would be reminded now"), "{said}");
    }
}
