//! Reports that mail providers send by webhook.

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{family, refused, rows, video_mail};
use crate::camp::{Browser, Camp, Reply};
use crate::videos::NOON;

const CHAYA: &str = "chaya@family.example";
const RIVKA: &str = "rivka@family.example";
const PASSWORD: &str = "lanterns over the lake";
const KEY: &str = "key-0123456789abcdef";

/// Sends a request like a program elsewhere: without cookies, from another origin.
async fn call(camp: &Camp, provider: &str, body: Value, headers: &[(&str, &str)]) -> Reply {
    let headers = [&[("sec-fetch-site", "cross-site")], headers].concat();
    let path = format!("/api/mail-events/{provider}");
    camp.browser().send(Method::POST, &path, Some(body), &headers).await
}

async fn postmark(camp: &Camp, body: Value, password: &str) -> Reply {
    let basic = format!("Basic {}", STANDARD.encode(format!("camp:{password}")));
    call(camp, "postmark", body, &[("authorization", &basic)]).await
}

fn signed(at: i64, token: &str, key: &str, event: Value) -> Value {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("a key");
    mac.update(format!("{at}{token}").as_bytes());
    let signature: String =
        mac.finalize().into_bytes().iter().map(|b| format!("{b:02x}")).collect();
    json!({ "signature": { "timestamp": at.to_string(), "token": token, "signature": signature }, "event-data": event })
}

async fn with_providers(camp: &Camp) -> (Camp, Browser) {
    camp.set_clock(NOON);
    let other = camp
        .beside_as(|config| {
            config.postmark_webhook_password = Some(PASSWORD.into());
            config.mailgun_signing_key = Some(KEY.into());
        })
        .await;
    let staff = camp.staff().await;
    (other.clone(), other.of(&staff))
}

story! {
    async fn a_provider_that_is_not_configured_is_unknown(camp) {
        for provider in ["postmark", "mailgun", "ses", "nobody"] {
            call(&camp, provider, json!({}), &[]).await.refused(404, "not_found");
        }
        let (camp, _) = with_providers(&camp).await;
        call(&camp, "ses", json!({}), &[]).await.refused(404, "not_found");
        call(&camp, "postmark", json!({}), &[]).await.refused(401, "invalid_credentials");
        call(&camp, "mailgun", json!({}), &[]).await.refused(401, "invalid_credentials");
        call(&camp, "mailgun", json!({ "signature": [1], "event-data": "x" }), &[]).await.refused(401, "invalid_credentials");
        let long = json!({ "RecordType": "x".repeat(300_000) });
        postmark(&camp, long, PASSWORD).await.refused(413, "too_large");
        postmark(&camp, json!([null, 7]), PASSWORD).await.expect(200);
        camp.app.db.close().await;
    }
}

story! {
    async fn postmark_reports_bounces_and_complaints_with_its_password(camp) {
        let (camp, staff) = with_providers(&camp).await;
        family(&camp, &staff, CHAYA).await;
        family(&camp, &staff, RIVKA).await;
        let mail = video_mail(&camp, &staff, "Swim", CHAYA).await.expect("a mail");
        let (header, token) = mail.provider_header.clone().expect("a header for Postmark");
        assert_eq!(header, "X-PM-Metadata-delivery");
        let event = |kind: &str, token: &str| json!({
            "RecordType": "Bounce", "ID": 4323372036854775807_i64, "Type": kind, "Email": CHAYA,
            "Details": "smtp;550 5.1.1 No such user", "Metadata": { "delivery": token }, "Unknown": [1, 2],
        });
        postmark(&camp, event("HardBounce", &token), "another password").await.refused(401, "invalid_credentials");
        postmark(&camp, event("HardBounce", &token[1..]), PASSWORD).await.expect(200);
        for nothing in ["AutoResponder", "Transient"] {
            postmark(&camp, event(nothing, &token), PASSWORD).await.expect(200);
        }
        assert_eq!(rows(&staff, "reports").await.len(), 0);
        for _ in 0..2 {
            postmark(&camp, event("HardBounce", &token), PASSWORD).await.expect(200);
        }
        assert_eq!(rows(&staff, "reports").await.len(), 1);
        assert_eq!(refused(&staff).await, [CHAYA]);
        let mail = camp.mails_to(RIVKA).into_iter().find(|mail| mail.unsubscribe_url.is_some()).expect("a mail");
        let complaint = json!({ "RecordType": "SpamComplaint", "Type": "SpamComplaint", "Email": RIVKA, "Metadata": { "delivery": mail.provider_header.expect("a header").1 } });
        postmark(&camp, complaint, PASSWORD).await.expect(200);
        assert!(video_mail(&camp, &staff, "Boats", RIVKA).await.is_none());
        let mut last = 401;
        for _ in 0..60 {
            last = postmark(&camp, json!({}), "guess").await.status.as_u16();
        }
        assert_eq!(last, 429, "who guesses often is told so");
        postmark(&camp, json!({}), PASSWORD).await.expect(200);
        camp.app.db.close().await;
    }
}

story! {
    async fn mailgun_signs_its_calls_and_each_counts_once(camp) {
        let (camp, staff) = with_providers(&camp).await;
        family(&camp, &staff, CHAYA).await;
        family(&camp, &staff, RIVKA).await;
        let now = camp.now().timestamp();
        let id = |mail: portal::mail::Mail| mail.message_id.trim_matches(['<', '>']).to_owned();
        let (chaya, rivka) = (id(camp.mail_to(CHAYA).await), id(camp.mail_to(RIVKA).await));
        let failed = |email: &str, id: &str| json!({
            "event": "failed", "severity": "permanent", "reason": "bounce", "recipient": email,
            "delivery-status": { "code": 550, "enhanced-code": "5.1.1", "message": "No such user" },
            "message": { "headers": { "message-id": id } },
        });
        let early = signed(now - 13 * 3600, "t1", KEY, failed(CHAYA, &chaya));
        let future = signed(now + 600, "t2", KEY, failed(CHAYA, &chaya));
        let others = signed(now, "t3", "key-of-somebody-else", failed(CHAYA, &chaya));
        for wrong in [early, future, others] {
            call(&camp, "mailgun", wrong, &[]).await.refused(401, "invalid_credentials");
        }
        call(&camp, "mailgun", signed(now, "t4", KEY, failed(CHAYA, &rivka)), &[]).await.expect(200);
        assert_eq!(refused(&staff).await, [""; 0], "the Message-ID is of a mail to Rivka");
        // A token works once, even if its call had no effect.
        call(&camp, "mailgun", signed(now, "t4", KEY, failed(CHAYA, &chaya)), &[]).await.expect(200);
        let opened = json!({ "event": "opened", "recipient": CHAYA });
        call(&camp, "mailgun", signed(now, "t7", KEY, opened), &[]).await.expect(200);
        call(&camp, "mailgun", signed(now, "t7", KEY, failed(CHAYA, &chaya)), &[]).await.expect(200);
        assert_eq!(refused(&staff).await, [""; 0]);
        call(&camp, "mailgun", signed(now, "t5", KEY, failed(CHAYA, &chaya)), &[]).await.expect(200);
        assert_eq!(refused(&staff).await, [CHAYA]);
        // Mailgun's signature does not cover the event, so a call that somebody intercepted and
        // changed must do nothing.
        call(&camp, "mailgun", signed(now, "t5", KEY, failed(RIVKA, &rivka)), &[]).await.expect(200);
        assert_eq!(refused(&staff).await, [CHAYA]);
        camp.wait(TimeDelta::hours(25));
        portal::bounces::providers::prune(&camp.app).await.expect("pruned");
        call(&camp, "mailgun", signed(now, "t5", KEY, failed(RIVKA, &rivka)), &[]).await.refused(401, "invalid_credentials");
        let staff = camp.staff_member("adler", portal::accounts::Role::Staff).await;
        let later = camp.now().timestamp();
        let mut temporary = failed(RIVKA, &rivka);
        temporary["severity"] = json!("temporary");
        call(&camp, "mailgun", signed(later, "t6", KEY, temporary), &[]).await.expect(200);
        assert_eq!(rows(&staff, "reports").await.len(), 1, "it is still tried");
        let mut complained = failed(RIVKA, &rivka);
        complained["reason"] = json!("suppress-complaint");
        call(&camp, "mailgun", signed(later, "t8", KEY, complained), &[]).await.expect(200);
        let row = &rows(&staff, "reports").await[0];
        assert_eq!((&row["email"], &row["kind"]), (&json!(RIVKA), &json!("complaint")));
        assert_eq!(refused(&staff).await, [CHAYA]);
        camp.app.db.close().await;
    }
}
