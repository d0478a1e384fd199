//! The two notes of a payment, and the corrected receipts after refunds and voids (decision $5).

use axum::http::Method;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, Reply};
use crate::payments::{
    Family, assert_books_agree, count, family, key, payment, record, record_as, shown,
};

const SECRET: &str = "Father lost his job, be kind";

async fn void_as(staff: &Browser, row: &Value, body: Value, key: &str) -> Reply {
    let path = format!("/api/admin/payments/{}/void", row["id"].as_str().expect("an id"));
    staff.send(Method::POST, &path, Some(body), &[("idempotency-key", key)]).await
}

/// All emails to anybody, as HTML and plain text.
fn all_mail(camp: &Camp) -> String {
    camp.mails()
        .iter()
        .map(|mail| format!("{}\n{}\n{}\n", mail.subject, mail.text, mail.html))
        .collect()
}

fn corrections(camp: &Camp) -> Vec<(String, String)> {
    let mails = camp.mails_to("chaya@family.example").into_iter();
    mails
        .filter(|mail| mail.subject.starts_with("Corrected receipt"))
        .map(|mail| (mail.subject, mail.text))
        .collect()
}

async fn chaya(camp: &Camp) -> (Browser, Family) {
    camp.set_clock("2026-07-15T16:00:00Z");
    let staff = camp.staff().await;
    let family = family(&staff, "chaya@family.example").await;
    (staff, family)
}

story! {
    async fn what_only_staff_see_reaches_no_mail_no_family_page_no_paper_no_export_and_no_audit_line(camp) {
        let (staff, family) = chaya(&camp).await;
        let id = &family.id;
        let parent = camp.parent("Chaya", "chaya@family.example").await;
        let noted = |mut body: Value| {
            body["notes"] = json!("Check 1042");
            body["staff_notes"] = json!(format!(" {SECRET} "));
            body
        };
        let paid = record(&staff, &family, noted(payment(100_000))).await.expect(201).json();
        assert_eq!(paid["payment"]["notes"], "Check 1042");
        assert_eq!(paid["payment"]["staff_notes"], SECRET);
        camp.work().await;
        record(&staff, &family, noted(json!({ "kind": "refund", "amount": 40_000, "payment_date": "2026-07-15" }))).await.expect(201);
        record(&staff, &family, noted(json!({ "kind": "adjustment", "amount": 5_000, "payment_date": "2026-07-15" }))).await.expect(201);
        let version = shown(&staff, &family).await["version"].clone();
        let edit = json!({ "version": version, "paid_amount": 70_000, "adjustment_note": "Check 1042", "adjustment_staff_note": SECRET });
        staff.patch(&format!("/api/admin/users/{id}"), edit).await.expect(200);
        record(&staff, &family, payment(200)).await.expect(201);
        camp.work().await;
        let last = shown(&staff, &family).await["payments"].as_array().expect("a list").iter().find(|row| row["amount"] == 200).expect("a row").clone();
        void_as(&staff, &last, json!({ "reason": "Check 1042", "staff_notes": SECRET }), &key()).await.expect(201);
        camp.work().await;

        let detail = shown(&staff, &family).await;
        let rows = detail["payments"].as_array().expect("a list");
        assert_eq!(rows.iter().filter(|row| row["staff_notes"] == SECRET).count(), 5, "staff see it on every kind of row: {rows:?}");
        let owner = camp.owner().await;
        for (whose, page) in [
            ("history", parent.get("/api/profile/payments").await.expect(200).text()),
            ("download", parent.get("/api/profile/download").await.expect(200).text()),
            ("statement", staff.get(&format!("/api/admin/users/{id}/statement")).await.expect(200).text()),
            ("export", owner.get("/api/admin/users/export.csv").await.expect(200).text()),
            ("audit", owner.get("/api/admin/audit").await.expect(200).text()),
            ("audit export", owner.get("/api/admin/audit.csv").await.expect(200).text()),
            ("mail", all_mail(&camp)),
        ] {
            assert!(!page.contains("lost his job") && !page.contains("staff_note"), "{whose}: {page}");
        }
        let seen = parent.get("/api/profile/payments").await.json();
        assert_eq!(seen["items"].as_array().expect("a list").iter().filter(|row| row["notes"] == "Check 1042").count(), 5);
        let in_both = camp.mails().iter().filter(|mail| mail.text.contains("Check 1042") && mail.html.contains("Check 1042")).count();
        assert_eq!(in_both, 3, "payment, refund and void");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn a_refund_sends_a_corrected_receipt_once(camp) {
        let (staff, family) = chaya(&camp).await;
        record(&staff, &family, payment(100_000)).await.expect(201);
        let key = key();
        let refund = json!({ "kind": "refund", "amount": 40_000, "payment_date": "2026-07-14", "notes": "Mendy went home early" });
        let clicks = (0..6).map(|_| record_as(&staff, &family, refund.clone(), &key));
        for reply in futures_util::future::join_all(clicks).await {
            reply.expect(201);
        }
        camp.work().await;
        let [(subject, text)]: [(String, String); 1] = corrections(&camp).try_into().expect("one mail");
        assert!(subject.ends_with(": refund of $400"), "{subject}");
        for part in [
            "We refunded $400 to you on July 14, 2026.", "Note: Mendy went home early",
            "Total: $2,800", "Paid so far: $600", "Remaining balance: $2,200", "http://camp.example/profile",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let mail = camp.mail_to("chaya@family.example").await;
        assert!(mail.unsubscribe_url.is_none(), "money is no category mail");
    }
}

story! {
    async fn a_void_says_what_was_taken_back_and_what_is_owed_now(camp) {
        let (staff, family) = chaya(&camp).await;
        let paid = record(&staff, &family, payment(100_000)).await.expect(201).json()["payment"].clone();
        let refund = json!({ "kind": "refund", "amount": 40_000, "payment_date": "2026-07-15" });
        let refund = record(&staff, &family, refund).await.expect(201).json()["payment"].clone();
        let adjusted = json!({ "kind": "adjustment", "amount": 2_550, "payment_date": "2026-07-15", "staff_notes": "x" });
        let adjusted = record(&staff, &family, adjusted).await.expect(201).json()["payment"].clone();
        camp.work().await;
        camp.set_clock("2026-07-18T16:00:00Z");
        let staff = camp.staff_member("miriam", portal::accounts::staff::Role::Staff).await;

        let back = void_as(&staff, &refund, json!({ "reason": "Was never paid out" }), &key()).await.expect(201).json();
        assert_eq!(back["plan"]["paid_amount"], 102_550);
        camp.work().await;
        let (subject, text) = corrections(&camp).pop().expect("a mail");
        assert!(subject.ends_with(": refund of $400 voided"), "{subject}");
        for part in [
            "The refund of $400 of July 15, 2026 was voided on July 18, 2026. The amount counts as paid again.",
            "Reason: Was never paid out", "Paid so far: $1,025.50", "Remaining balance: $1,774.50",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }

        let key = key();
        let body = json!({ "staff_notes": "Was the other Lindenfeld" });
        let first = void_as(&staff, &paid, body.clone(), &key).await.expect(201).json();
        // After a lost response, the same request gets the same response. A different request is
        // refused.
        assert_eq!(void_as(&staff, &paid, body, &key).await.expect(201).json(), first);
        void_as(&staff, &paid, json!({ "reason": "Other words" }), &key).await.refused(409, "conflict");
        void_as(&staff, &paid, json!({ "reason": "Other words" }), &self::key()).await.refused(409, "conflict");
        void_as(&staff, &adjusted, json!({ "reason": " ", "staff_notes": "" }), &self::key()).await.refused(422, "validation");
        camp.work().await;
        let (subject, text) = corrections(&camp).pop().expect("a mail");
        assert!(subject.ends_with(": payment of $1,000 voided"), "{subject}");
        assert!(text.contains("It no longer counts as paid.") && text.contains("Remaining balance: $2,774.50"), "{text}");
        assert!(!text.contains("Reason") && !text.contains("other Lindenfeld"), "{text}");

        void_as(&staff, &adjusted, json!({ "reason": "Counted again" }), &self::key()).await.expect(201);
        camp.work().await;
        let all = corrections(&camp);
        assert!(all.last().expect("a mail").1.contains("The adjustment of $25.50 of July 15, 2026 was voided"), "{all:?}");
        assert_eq!(all.len(), 4, "one for the refund and one for each void");
        assert_eq!(count(&camp, "select count(*) from payments").await, 6);
        record(&staff, &family, payment(5_000)).await.expect(201);
        let lowered = json!({ "kind": "adjustment", "amount": -1_000, "payment_date": "2026-07-15", "staff_notes": "x" });
        let lowered = record(&staff, &family, lowered).await.expect(201).json()["payment"].clone();
        void_as(&staff, &lowered, json!({ "reason": "Was right" }), &self::key()).await.expect(201);
        camp.work().await;
        let (_, text) = corrections(&camp).pop().expect("a mail");
        assert!(text.contains("The adjustment of -$10 of July 15, 2026 was voided"), "{text}");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn a_family_that_was_never_told_of_a_row_is_not_told_of_its_void(camp) {
        let (staff, family) = chaya(&camp).await;
        let paid = record(&staff, &family, payment(100_000)).await.expect(201).json()["payment"].clone();
        camp.work().await;
        let refund = json!({ "kind": "refund", "amount": 40_000, "payment_date": "2026-07-15" });
        let refund = record(&staff, &family, refund).await.expect(201).json()["payment"].clone();
        void_as(&staff, &refund, json!({ "reason": "A slip of the finger" }), &key()).await.expect(201);
        camp.work().await;
        assert!(corrections(&camp).is_empty(), "{:?}", corrections(&camp));
        void_as(&staff, &paid, json!({ "reason": "Wrong family" }), &key()).await.expect(201);
        camp.work().await;
        assert_eq!(corrections(&camp).len(), 1);
    }
}

story! {
    async fn either_note_says_why_something_is_adjusted(camp) {
        let (staff, family) = chaya(&camp).await;
        let path = format!("/api/admin/users/{}", family.id);
        let adjustment = json!({ "kind": "adjustment", "amount": 5_000, "payment_date": "2026-07-15" });
        record(&staff, &family, adjustment.clone()).await.refused(422, "validation");
        let mut noted = adjustment;
        noted["staff_notes"] = json!("From the fund");
        let row = record(&staff, &family, noted).await.expect(201).json()["payment"].clone();
        assert_eq!(row["notes"], Value::Null);
        assert_eq!(row["staff_notes"], "From the fund");
        let version = shown(&staff, &family).await["version"].clone();
        let edit = |note: Value| json!({ "version": version, "paid_amount": 7_000, "adjustment_staff_note": note });
        let problem = staff.patch(&path, edit(json!(" "))).await.refused(422, "validation");
        assert_eq!(problem["errors"], json!([{ "field": "adjustment_note", "message": "Please add a note that says why the paid amount changes." }]));
        let problem = staff.patch(&path, edit(json!("x".repeat(501)))).await.refused(422, "validation");
        assert_eq!(problem["errors"][0]["field"], "adjustment_staff_note");
        let detail = staff.patch(&path, edit(json!("Counted again"))).await.expect(200).json();
        assert_eq!(detail["payments"][0]["notes"], Value::Null);
        assert_eq!(detail["payments"][0]["staff_notes"], "Counted again");
        camp.work().await;
        assert!(all_mail(&camp).matches("adjust").count() == 0, "an adjustment is no mail");
    }
}
