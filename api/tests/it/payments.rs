//! The ledger over HTTP (decisions $1 to $3).

use axum::http::Method;
use portal::db::Db;
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, Camp, PASSWORD, Reply};

const PLAN_OF: i64 = 280_000;

pub struct Family {
    pub id: String,
}

pub async fn family(staff: &Browser, email: &str) -> Family {
    let new = json!({ "full_name": "Chaya Lindenfeld", "email": email, "child_name": "Yossi" });
    let added = staff.post("/api/admin/users", new).await.expect(201).json();
    Family { id: added["id"].as_str().expect("an id").to_owned() }
}

pub fn payment(amount: i64) -> Value {
    json!({ "kind": "payment", "amount": amount, "payment_date": "2026-07-15" })
}

pub async fn record_as(staff: &Browser, family: &Family, body: Value, key: &str) -> Reply {
    let path = format!("/api/admin/users/{}/payments", family.id);
    staff.send_with_retry(Method::POST, &path, body, key).await
}

pub async fn record(staff: &Browser, family: &Family, body: Value) -> Reply {
    record_as(staff, family, body, &key()).await
}

pub fn key() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub async fn void(staff: &Browser, payment: &Value, reason: &str) -> Reply {
    let id = payment["id"].as_str().expect("an id");
    staff.post(&format!("/api/admin/payments/{id}/void"), json!({ "reason": reason })).await
}

pub async fn shown(staff: &Browser, family: &Family) -> Value {
    staff.get(&format!("/api/admin/users/{}", family.id)).await.expect(200).json()
}

pub async fn count(camp: &Camp, text: &'static str) -> i64 {
    match &camp.app.db {
        Db::Sqlite { read, .. } => sqlx::query_scalar(text).fetch_one(read).await,
        Db::Postgres(pool) => sqlx::query_scalar(text).fetch_one(pool).await,
    }
    .expect("a number")
}

/// The stored totals match the ledger.
pub async fn assert_books_agree(camp: &Camp) {
    for wrong in [
        "select count(*) from payment_plans l where paid_amount <> (select coalesce(sum(amount), 0) from payments p where p.plan_id = l.id)",
        "select count(*) from profiles f join payment_plans l on l.profile_id = f.id where f.list_paid <> l.paid_amount",
        "select count(*) from profiles f join payment_plans l on l.profile_id = f.id where (f.list_standing = 10000000) <> (l.paid_amount >= l.total_amount)",
        "select count(*) from profiles f where deleted_at is null and list_standing = 9000000 and exists (select 1 from payment_plans l where l.profile_id = f.id)",
        "select count(*) from profiles f where deleted_at is null and list_email <> coalesce((select email from profile_addresses a where a.profile_id = f.id and kind = 'primary'), '')",
    ] {
        assert_eq!(count(camp, wrong).await, 0, "{wrong}");
    }
}

story! {
    async fn a_payment_is_recorded_with_its_remaining_balance_and_a_receipt(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let id = &family.id;
        let version = shown(&staff, &family).await["version"].clone();
        let with_second = json!({ "version": version, "secondary_email": "shimon@family.example" });
        staff.patch(&format!("/api/admin/users/{id}"), with_second).await.expect(200);

        let body = json!({ "kind": "payment", "amount": 123_450, "payment_date": "2026-07-14", "notes": " Check 1042 " });
        let done = record(&staff, &family, body).await.expect(201).json();
        approved("recorded_payment", &done);

        let receipt = camp.mail_to("chaya@family.example").await;
        assert!(receipt.subject.contains("$1,234.50"), "{}", receipt.subject);
        for part in ["Remaining balance: $1,565.50", "July 14, 2026", "Check 1042", "http://camp.example/profile"] {
            assert!(receipt.text.contains(part), "{part}: {}", receipt.text);
        }
        assert!(receipt.unsubscribe_url.is_none(), "receipts are no category mail");
        assert!(camp.mail_to("shimon@family.example").await.text.contains("$1,565.50"));
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn an_unproved_second_address_gets_no_receipt(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let parent = camp.parent("Chaya", "chaya@family.example").await;
        parent.patch("/api/profile", json!({ "secondary_email": "typo@family.example" })).await.expect(200);
        camp.work().await;
        let before = camp.mails_to("typo@family.example").len();
        record(&staff, &family, payment(1_000)).await.expect(201);
        camp.mail_to("chaya@family.example").await;
        assert_eq!(camp.mails_to("typo@family.example").len(), before);
        // Once it is confirmed, the address counts.
        let token = camp.token_for("typo@family.example").await;
        parent.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        record(&staff, &family, payment(1_000)).await.expect(201);
        camp.work().await;
        assert_eq!(camp.mails_to("typo@family.example").len(), before + 1);
    }
}

story! {
    async fn a_payment_has_its_bounds(camp) {
        // Half past eleven at night in camp: already tomorrow in UTC.
        camp.set_clock("2026-07-16T03:30:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        for (body, field, says) in [
            (payment(0), "amount", "Please enter an amount greater than 0."),
            (payment(-5), "amount", "Please enter an amount greater than 0."),
            (payment(PLAN_OF + 1), "amount", "This is more than the remaining balance of $2,800. Check “Record as credit” to record it anyway."),
            (json!({ "kind": "payment", "amount": 100, "payment_date": "2026-07-16" }), "payment_date", "The payment date cannot be in the future."),
            (json!({ "kind": "refund", "amount": 100, "payment_date": "2026-07-15" }), "amount", "This is more than the $0 paid so far."),
            (json!({ "kind": "adjustment", "amount": -100, "payment_date": "2026-07-15", "notes": "x" }), "amount", "This is more than the $0 paid so far."),
            (json!({ "kind": "adjustment", "amount": 100, "payment_date": "2026-07-15" }), "notes", "Please add a note that says why."),
            (json!({ "kind": "payment", "amount": i64::MAX, "payment_date": "2026-07-15", "as_credit": true }), "amount", "Please enter an amount up to $1,000,000."),
            (json!({ "kind": "refund", "amount": i64::MIN, "payment_date": "2026-07-15" }), "amount", "Please enter an amount greater than 0."),
        ] {
            let problem = record(&staff, &family, body.clone()).await.refused(422, "validation");
            assert_eq!(problem["errors"][0], json!({ "field": field, "message": says }), "{body}");
        }
        for body in [json!({ "kind": "void", "amount": 5, "payment_date": "2026-07-15" }), json!({ "kind": "payment", "amount": 5.5, "payment_date": "2026-07-15" }),
            json!({ "kind": "payment", "amount": 5, "payment_date": "2026-07-15", "paid_amount": 9 })] {
            record(&staff, &family, body).await.refused(422, "validation");
        }
        let path = format!("/api/admin/users/{}/payments", family.id);
        staff.post(&path, payment(100)).await.refused(400, "bad_request");
        assert_eq!(count(&camp, "select count(*) from payments").await, 0);

        record(&staff, &family, payment(PLAN_OF)).await.expect(201);
        let more = record(&staff, &family, payment(1)).await.refused(422, "validation");
        assert!(more["detail"].as_str().expect("a sentence").contains("balance of $0."));
        let mut credit = payment(5_000);
        credit["as_credit"] = json!(true);
        let plan = record(&staff, &family, credit).await.expect(201).json()["plan"].clone();
        assert_eq!(plan["credit"], 5_000);
        assert_eq!(plan["percent"], 100);
        assert_eq!(plan["remaining_amount"], 0);
        assert_eq!(plan["badge"], "paid_in_full");

        let nobody = Family { id: uuid::Uuid::nil().to_string() };
        record(&staff, &nobody, payment(1)).await.refused(404, "not_found");
        let planless = camp.parent("Zev", "zev@family.example").await;
        let found = staff.get("/api/admin/users?q=zev").await.json();
        let zev = Family { id: found["items"][0]["id"].as_str().expect("an id").to_owned() };
        let problem = record(&staff, &zev, payment(1)).await.refused(404, "not_found");
        assert_eq!(problem["detail"], "Payment plan not found");
        assert_eq!(planless.get("/api/profile/payments").await.expect(200).json()["plan"], Value::Null);
    }
}

story! {
    async fn a_double_click_records_once(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let key = key();
        let clicks = (0..8).map(|_| record_as(&staff, &family, payment(10_000), &key));
        let replies = futures_util::future::join_all(clicks).await;
        let answers: Vec<Value> = replies.into_iter().map(|reply| reply.expect(201).json()).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        record(&staff, &family, payment(20_000)).await.expect(201);
        // The response stays the same although the plan has changed since.
        let late = record_as(&staff, &family, payment(10_000), &key).await.expect(201).json();
        assert_eq!(late, answers[0]);
        record_as(&staff, &family, payment(10_001), &key).await.refused(409, "conflict");
        let other = self::family(&staff, "rivka@family.example").await;
        record_as(&staff, &other, payment(10_000), &key).await.refused(409, "conflict");
        assert_eq!(count(&camp, "select count(*) from payments").await, 2);
        camp.work().await;
        let receipts = camp.mails_to("chaya@family.example").into_iter().filter(|mail| mail.subject.contains("payment"));
        assert_eq!(receipts.count(), 2);
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn fifty_payments_at_once_are_summed_exactly_and_never_pass_the_bound(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        // The total allows 28 of these.
        let all = (0..50).map(|_| record(&staff, &family, payment(10_000)));
        let replies = futures_util::future::join_all(all).await;
        let recorded = replies.iter().filter(|reply| reply.status == 201).count();
        let refused = replies.iter().filter(|reply| reply.status == 422).count();
        assert_eq!(recorded, 28);
        assert_eq!(refused, 22);
        let plan = shown(&staff, &family).await["plan"].clone();
        assert_eq!(plan["paid_amount"], PLAN_OF);
        assert_eq!(plan["remaining_amount"], 0);
        assert_eq!(plan["credit"], 0);
        assert_eq!(count(&camp, "select count(*) from payments").await, 28);
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn a_refused_void_says_what_has_to_be_voided_first(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let entered = async |kind: &str, amount: i64| {
            let row = json!({ "kind": kind, "amount": amount, "payment_date": "2026-07-15", "notes": "Agreed" });
            record(&staff, &family, row).await.expect(201).json()["payment"].clone()
        };
        let first = entered("payment", 100_000).await;
        let said = async || void(&staff, &first, "Wrong family").await.refused(409, "conflict")["detail"].clone();

        let fund = entered("adjustment", -30_000).await;
        assert_eq!(said().await, "$300 was already taken off by an adjustment; void the adjustment first.");
        // Another payment covers part of it. The message names the adjustment, not the missing
        // amount.
        entered("payment", 20_000).await;
        assert_eq!(said().await, "$300 was already taken off by an adjustment; void the adjustment first.");
        let refund = entered("refund", 10_000).await;
        entered("refund", 15_000).await;
        assert_eq!(said().await, "$250 was already refunded and $300 taken off by an adjustment; void these first.");
        void(&staff, &fund, "No longer").await.expect(201);
        assert_eq!(said().await, "$250 was already refunded; void the refunds first.");
        void(&staff, &refund, "Never paid out").await.expect(201);
        void(&staff, &first, "Wrong family").await.expect(201);
        assert_eq!(shown(&staff, &family).await["plan"]["paid_amount"], 5_000);
    }
}

story! {
    async fn a_mistake_is_taken_back_by_a_row_of_its_own(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let first = record(&staff, &family, payment(100_000)).await.expect(201).json()["payment"].clone();
        let refund = json!({ "kind": "refund", "amount": 40_000, "payment_date": "2026-07-15" });
        let refund = record(&staff, &family, refund).await.expect(201).json();
        assert_eq!(refund["payment"]["amount"], -40_000);
        assert_eq!(refund["plan"]["paid_amount"], 60_000);

        assert_eq!(void(&staff, &first, " ").await.refused(422, "validation")["detail"], "Please give a reason.");
        let refused = void(&staff, &first, "Wrong family").await.refused(409, "conflict");
        assert_eq!(refused["detail"], "$400 was already refunded; void the refund first.");
        let back = void(&staff, &refund["payment"], "Was never paid out").await.expect(201).json();
        assert_eq!(back["payment"]["kind"], "void");
        assert_eq!(back["payment"]["amount"], 40_000);
        assert_eq!(back["plan"]["paid_amount"], 100_000);
        void(&staff, &back["payment"], "Again").await.refused(409, "conflict");

        // Of two simultaneous requests, one succeeds.
        let (a, b) = tokio::join!(void(&staff, &first, "Wrong family"), void(&staff, &first, "Wrong family"));
        let mut statuses = [a.status.as_u16(), b.status.as_u16()];
        statuses.sort();
        assert_eq!(statuses, [201, 409]);

        let detail = shown(&staff, &family).await;
        assert_eq!(detail["plan"]["paid_amount"], 0);
        let rows = detail["payments"].as_array().expect("a list");
        assert_eq!(rows.len(), 4, "nothing is deleted");
        let kinds: Vec<_> = rows.iter().map(|row| (row["kind"].as_str().expect("a kind"), row["voided"].as_bool().expect("a flag"))).collect();
        assert_eq!(kinds, [("void", false), ("void", false), ("refund", true), ("payment", true)]);
        assert_eq!(rows[0]["void_of"], first["id"]);
        staff.post(&format!("/api/admin/payments/{}/void", uuid::Uuid::nil()), json!({ "reason": "x" })).await.refused(404, "not_found");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn a_receipt_of_a_voided_payment_does_not_go_out(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        camp.work().await;
        let done = record(&staff, &family, payment(100_000)).await.expect(201).json();
        void(&staff, &done["payment"], "Wrong family").await.expect(201);
        camp.work().await;
        assert!(camp.mails_to("chaya@family.example").iter().all(|mail| !mail.subject.contains("payment")), "neither the receipt nor its correction");
    }
}

story! {
    async fn editing_the_paid_amount_records_an_adjustment(camp) {
        camp.set_clock("2026-07-16T03:50:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let path = format!("/api/admin/users/{}", family.id);
        let version = shown(&staff, &family).await["version"].clone();
        // Somebody records a payment while the dialog is open.
        record(&staff, &family, payment(50_000)).await.expect(201);
        let edit = json!({ "version": version, "paid_amount": 30_000, "adjustment_note": "Counted again" });
        staff.patch(&path, edit).await.refused(409, "stale");

        let version = shown(&staff, &family).await["version"].clone();
        let problem = staff.patch(&path, json!({ "version": version, "paid_amount": 30_000 })).await.refused(422, "validation");
        assert_eq!(problem["errors"][0]["field"], "adjustment_note");
        let edit = json!({ "version": version, "paid_amount": 30_000, "adjustment_note": "Counted again", "total_amount": 300_000, "due_date": "2026-07-15", "full_name": "Chaya L." });
        let detail = staff.patch(&path, edit).await.expect(200).json();
        assert_eq!(detail["plan"]["paid_amount"], 30_000);
        assert_eq!(detail["plan"]["total_amount"], 300_000);
        assert_eq!(detail["full_name"], "Chaya L.");
        assert_eq!(detail["plan"]["badge"], "payment_due", "due today is not overdue");
        let row = &detail["payments"][0];
        approved("adjustment_of_an_edit", row);

        camp.set_clock("2026-07-16T03:59:00Z");
        assert_eq!(shown(&staff, &family).await["plan"]["badge"], "payment_due", "it is still the 15th in camp");
        camp.set_clock("2026-07-16T04:01:00Z");
        let later = shown(&staff, &family).await;
        assert_eq!(later["plan"]["badge"], "overdue");
        // The same again without the date; nothing is adjusted.
        let edit = json!({ "version": later["version"], "paid_amount": 30_000, "due_date": null });
        let detail = staff.patch(&path, edit).await.expect(200).json();
        assert_eq!(detail["plan"]["badge"], "payment_due");
        assert_eq!(detail["payments"].as_array().expect("a list").len(), 2);
        // A total of zero counts as paid in full.
        let edit = json!({ "version": detail["version"], "total_amount": 0, "paid_amount": 0, "adjustment_note": "Free of charge" });
        let detail = staff.patch(&path, edit).await.expect(200).json();
        assert_eq!(detail["plan"]["badge"], "paid_in_full");
        assert_eq!(detail["plan"]["percent"], 100);
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn a_family_sees_its_own_payments_and_nobody_elses(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        record(&staff, &family, payment(100_000)).await.expect(201);
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let own = chaya.get("/api/profile/payments").await.expect(200).json();
        approved("own_payments", &own);
        assert_eq!(own["items"][0]["recorded_by"], Value::Null, "who of the staff it was is not told");
        let other = camp.parent("Rivka", "rivka@family.example").await;
        let theirs = other.get("/api/profile/payments").await.expect(200).json();
        assert_eq!(theirs["plan"], Value::Null);
        assert_eq!(theirs["items"], json!([]));
        assert_eq!(chaya.get("/api/profile/download").await.json()["payments"]["items"][0]["amount"], 100_000);
        let statement = staff.get(&format!("/api/admin/users/{}/statement", family.id)).await.expect(200).json();
        assert_eq!(statement["family"]["full_name"], "Chaya Lindenfeld");
        assert_eq!(statement["payments"][0]["amount"], 100_000);
        assert_eq!(statement["date"], "2026-07-15");
    }
}

story! {
    async fn the_ledger_of_a_deleted_family_stays(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let family = family(&staff, "chaya@family.example").await;
        let done = record(&staff, &family, payment(100_000)).await.expect(201).json();
        staff.delete(&format!("/api/admin/users/{}", family.id)).await.expect(204);
        assert_eq!(count(&camp, "select count(*) from payments").await, 1);
        assert_eq!(staff.get("/api/admin/users/summary").await.json()["total_revenue"], 100_000);
        record(&staff, &family, payment(1)).await.refused(404, "not_found");
        void(&staff, &done["payment"], "Too late").await.refused(404, "not_found");
        camp.work().await;
        assert!(camp.mails_to("chaya@family.example").is_empty(), "neither invitation nor receipt");
    }
}

story! {
    async fn a_new_family_owes_what_the_settings_say(camp) {
        let staff = camp.staff().await;
        camp.set("defaultPlanAmount", 310_050).await;
        camp.set("currency", "GBP").await;
        let family = family(&staff, "chaya@family.example").await;
        assert_eq!(shown(&staff, &family).await["plan"]["total_amount"], 310_050);
        let problem = record(&staff, &family, payment(400_000)).await.refused(422, "validation");
        assert!(problem.to_string().contains("£3,100.50"), "{problem}");
        assert_eq!(staff.get("/api/admin/users/summary").await.json()["currency"], "GBP");
    }
}

story! {
    async fn a_deleted_staff_account_still_has_its_name_in_ledgers_and_log(camp) {
        let owner = camp.owner().await;
        let staff = camp.staff().await;
        let chaya = family(&staff, "chaya@family.example").await;
        record(&staff, &chaya, payment(10_000)).await.expect(201);
        let accounts = owner.get("/api/admin/accounts").await.json();
        let feder = accounts["items"].as_array().expect("a list").iter().find(|a| a["username"] == "feder").expect("feder");
        let path = format!("/api/admin/accounts/{}", feder["id"].as_str().expect("an id"));
        owner.delete_with(&path, json!({ "current_password": PASSWORD })).await.expect(204);
        let listed = owner.get("/api/admin/payments").await.expect(200).json();
        assert_eq!(listed["items"][0]["recorded_by"], "feder");
        assert_eq!(shown(&owner, &chaya).await["payments"][0]["recorded_by"], "feder");
        let log = owner.get("/api/admin/audit?actor=Feder").await.expect(200).json();
        assert!(log["items"].as_array().expect("a list").iter().any(|e| e["action"] == "payment.record" && e["actor_name"] == "feder"), "{log}");
        let log = owner.get("/api/admin/audit").await.expect(200).json();
        assert_eq!((&log["items"][0]["action"], &log["items"][0]["subject_name"]), (&json!("staff.remove"), &json!("feder")));
    }
}

story! {
    async fn the_office_compares_a_day_of_all_ledgers_with_its_deposits(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        let chaya = family(&staff, "chaya@family.example").await;
        let rivka = family(&staff, "rivka@family.example").await;
        let on = |day: &str, amount: i64| json!({ "kind": "payment", "amount": amount, "payment_date": day, "notes": "=SUM(A1)" });
        record(&staff, &chaya, on("2026-07-13", 100_000)).await.expect(201);
        record(&staff, &rivka, on("2026-07-14", 50_000)).await.expect(201);
        let bounced = record(&staff, &rivka, on("2026-07-14", 20_050)).await.expect(201).json();
        void(&staff, &bounced["payment"], "Bounced").await.expect(201);
        let back = json!({ "kind": "refund", "amount": 10_000, "payment_date": "2026-07-15", "staff_notes": "Left early" });
        record(&staff, &chaya, back).await.expect(201);

        let listed = async |query: &str| staff.get(&format!("/api/admin/payments{query}")).await.expect(200).json();
        let amounts = |page: &Value| -> Vec<i64> { page["items"].as_array().expect("items").iter().map(|e| e["amount"].as_i64().expect("cents")).collect() };
        assert_eq!(amounts(&listed("").await), [-10_000, -20_050, 20_050, 50_000, 100_000]);
        let day = listed("?from=2026-07-14&to=2026-07-14").await;
        assert_eq!(amounts(&day), [20_050, 50_000]);
        assert_eq!((&day["items"][0]["voided"], &day["items"][0]["recorded_by"]), (&json!(true), &json!("feder")));
        assert_eq!((&day["items"][1]["family_id"], &day["items"][1]["full_name"]), (&json!(rivka.id), &json!("Chaya Lindenfeld")));
        let first = listed("?limit=2").await;
        let rest = listed(&format!("?limit=100&cursor={}", first["next"].as_str().expect("a cursor"))).await;
        assert_eq!((amounts(&first), amounts(&rest)), (vec![-10_000, -20_050], vec![20_050, 50_000, 100_000]));

        let totals = listed("/totals?from=2026-07-14").await;
        assert_eq!(totals, json!({ "items": [
            { "kind": "payment", "entries": 2, "amount": 70_050 },
            { "kind": "refund", "entries": 1, "amount": -10_000 },
            { "kind": "void", "entries": 1, "amount": -20_050 },
        ], "amount": 40_000, "currency": "USD" }));
        assert_eq!(listed("/totals?to=2020-01-01").await["amount"], 0);
        for wrong in ["from=2026-07-15&to=2026-07-14", "to=1066-10-14", "from=%2B262142-01-01"] {
            staff.get(&format!("/api/admin/payments?{wrong}")).await.refused(422, "validation");
        }
        camp.browser().get("/api/admin/payments").await.refused(401, "staff_required");

        // The family is gone, but its payments remain.
        staff.delete(&format!("/api/admin/users/{}", rivka.id)).await.expect(204);
        let gone = listed("?to=2026-07-14").await["items"][0].clone();
        assert_eq!((&gone["is_deleted"], &gone["full_name"], &gone["notes"]), (&json!(true), &json!(""), &Value::Null));

        staff.get("/api/admin/payments.csv").await.refused(403, "owner_required");
        let table = owner.get("/api/admin/payments.csv?from=2026-07-13&to=2026-07-14").await.expect(200).text();
        let lines: Vec<&str> = table.trim_start_matches('\u{feff}').lines().collect();
        assert_eq!(lines[0], "Date,Kind,Amount,Name,Child,Note,Staff Note,Voided,Recorded By,Recorded,Id");
        assert!(lines[1].starts_with("2026-07-13,Payment,1000.00,Chaya Lindenfeld,Yossi,'=SUM(A1),,,feder,2026-07-15 12:00,"), "{}", lines[1]);
        assert!(lines[3].starts_with("2026-07-14,Payment,200.50,Deleted family,,,,yes,feder,"), "{}", lines[3]);
        assert_eq!(lines.len(), 4);
        let log = owner.get("/api/admin/audit?action=payment.export").await.expect(200).json();
        assert_eq!(log["items"].as_array().map(Vec::len), Some(1), "{log}");
    }
}
