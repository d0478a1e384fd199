//! A family that may have received a receipt is told when the payment is voided.

use serde_json::{Value, json};

use super::{DEADLINE, eventually};
use crate::camp::{Camp, count};
use crate::chaos::site::{Owner, Site, add_owner};
use crate::on_both_engines;
use crate::sink::{Mood, Sink};

const DONE: &str =
    "select count(*) from deliveries d join notifications n on n.id = d.notification_id
    where n.kind = 'payment' and d.status in ('sent', 'suppressed')";

/// Records a payment for an invited family while the mail server is in this mood.
async fn paid(owner: &Owner, sink: &Sink, mood: Mood) -> Value {
    let family =
        json!({ "full_name": "Leah", "child_name": "Dina", "email": "leah@family.example" });
    let family = created(owner, "/api/admin/users", &family).await;
    eventually("the invitation arrives", DEADLINE, || sink.kept().len() == 1).await;
    sink.mood(mood);
    let id = family["id"].as_str().expect("an id");
    let payment = json!({ "kind": "payment", "amount": 50_000, "payment_date": "2026-07-01", "as_credit": true });
    let paid = created(owner, &format!("/api/admin/users/{id}/payments"), &payment).await;
    paid["payment"].clone()
}

/// A payment whose receipt the mail server accepted without answering.
async fn receipt_in_doubt(owner: &Owner, sink: &Sink) -> Value {
    let payment = paid(owner, sink, Mood::KeepsAndHangs).await;
    eventually("the server has the receipt", DEADLINE, || sink.kept().len() == 2).await;
    sink.mood(Mood::Well);
    payment
}

async fn void(owner: &Owner, payment: &Value) {
    let path = format!("/api/admin/payments/{}/void", payment["id"].as_str().expect("an id"));
    created(owner, &path, &json!({ "reason": "The check came back" })).await;
}

async fn created(owner: &Owner, path: &str, body: &Value) -> Value {
    let key = uuid::Uuid::new_v4().to_string();
    let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
    let body = body.to_string();
    let answer = owner.exchange("POST", path, &headers, body.as_bytes()).await;
    let text = String::from_utf8_lossy(&answer.body);
    assert_eq!(answer.status, 201, "{path}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

async fn corrected(camp: &Camp, sink: &Sink) {
    wait_for(camp, DONE).await;
    assert_eq!(sink.kept().len(), 3, "the receipt may have arrived, so its correction is sent");
}

async fn wait_for(camp: &Camp, what: &'static str) {
    let app = camp.app().await;
    while count(&app.db, what).await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

fn worker(url: &str) -> [&str; 4] {
    ["--with-worker", "--smtp-url", url, "--mail-connections=4"]
}

on_both_engines! {
    async fn a_payment_that_is_voided_while_its_receipt_is_handed_over_is_corrected(camp: Camp) {
        add_owner(&camp);
        let sink = Sink::open().await;
        let site = Site::start(&camp, &worker(&sink.url())).await;
        let owner = Owner::sign_in(&site).await;
        let payment = receipt_in_doubt(&owner, &sink).await;
        void(&owner, &payment).await;
        corrected(&camp, &sink).await;
        site.stop().await;
    }

    async fn a_payment_whose_receipt_the_mail_server_put_off_needs_no_correction(camp: Camp) {
        add_owner(&camp);
        let sink = Sink::open().await;
        let site = Site::start(&camp, &worker(&sink.url())).await;
        let owner = Owner::sign_in(&site).await;
        let payment = paid(&owner, &sink, Mood::Later).await;
        wait_for(&camp, "select count(*) from deliveries where status = 'queued' and last_error like '%451%'").await;
        sink.mood(Mood::Well);
        void(&owner, &payment).await;
        wait_for(&camp, DONE).await;
        assert_eq!(sink.kept().len(), 1, "neither the receipt nor its correction");
        site.stop().await;
    }

    async fn a_payment_whose_receipt_was_handed_over_by_a_killed_worker_is_corrected(camp: Camp) {
        add_owner(&camp);
        let sink = Sink::open().await;
        let url = sink.url();
        let mut site = Site::start(&camp, &worker(&url)).await;
        let owner = Owner::sign_in(&site).await;
        let payment = receipt_in_doubt(&owner, &sink).await;
        site.running.kill();
        let site = Site::start(&camp, &[]).await;
        let owner = owner.at(&site);
        void(&owner, &payment).await;
        let worker = Site::start(&camp, &worker(&url)).await;
        corrected(&camp, &sink).await;
        worker.stop().await;
        site.stop().await;
    }
}
