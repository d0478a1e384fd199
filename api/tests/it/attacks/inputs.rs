//! Characters, cursors and values that the portal's pages never send.

use axum::body::Body;
use axum::http::{Method, Request, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use portal::accounts::staff::Role;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, sign_up};
use crate::videos::{NOON, id, posted};

const NOBODY: &str = "0190a5b0-0000-7000-8000-000000000000";

story! {
    async fn a_nul_is_refused_wherever_it_is_sent(camp) {
        let stranger = camp.browser();
        let staff = camp.staff().await;
        let given = json!({ "username": "kornbluh\u{0}", "password": PASSWORD });
        let wrong = stranger.post("/api/admin/auth/sign-in", given).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0]["field"], "username");
        stranger.post("/api/auth/sign-in", json!({ "email": "a\u{0}@b.example", "password": "x" })).await
            .refused(422, "validation");
        stranger.post("/api/auth/sign-up", sign_up("Evil\u{0}", "evil@family.example")).await.refused(422, "validation");
        let mails = json!({ "mails": [{ "notification_id": NOBODY, "email": "a\u{0}@b.example" }] });
        let wrong = staff.post("/api/admin/mail/failed/send-again", mails).await.refused(422, "validation");
        assert_eq!(wrong["errors"][0]["field"], "mails");
        let again = json!({ "mails": [{ "notification_id": NOBODY, "email": "a\u{1}\u{7f}\u{9b}@b.example" }] });
        staff.post("/api/admin/mail/failed/send-again", again).await.expect(200);
        staff.post("/api/admin/mail/refused/let-through", json!({ "email": "\u{0}" })).await.refused(422, "validation");
        for path in [
            "/api/videos?q=%00", "/api/videos?q=a%00b&year=2026", "/api/videos?%00", "/api/videos/%00",
            "/api/faq?cursor=%00", "/%00", "/video/%00", "/media/videos/%00", "/faq%00?x=%00",
        ] {
            stranger.get(path).await.refused(400, "bad_request");
        }
        let page = stranger.get("//evil.example/current-videos?q=a%00b&%00").await.expect(307);
        assert_eq!(page.headers["location"], "?q=ab&", "a page opens without it, on this site");
        for path in ["/api/admin/audit?actor=%00", "/api/admin/users?q=%00", "/api/admin/messages?given=%00"] {
            camp.owner_again().await.get(path).await.refused(400, "bad_request");
        }
        // A percent sign followed by two zeros is ordinary text.
        stranger.get("/api/videos?q=%2500").await.expect(200);
    }
}

impl Camp {
    /// The owner, signed in again.
    async fn owner_again(&self) -> Browser {
        let browser = self.browser();
        let given = json!({ "username": "boss", "password": PASSWORD });
        let reply = browser.post("/api/admin/auth/sign-in", given).await;
        match reply.status.as_u16() {
            200 => browser,
            _ => self.staff_member("boss", Role::Owner).await,
        }
    }
}

/// The cursor with values that the portal never wrote into it.
fn forged(cursor: &str) -> Vec<String> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).expect("base64");
    let real: Value = serde_json::from_slice(&bytes).expect("JSON");
    let forge = |date: &str, number: Value, text: &str| {
        let mut place = real.clone();
        forge_values(&mut place[1], date, &number, text);
        (place != real).then(|| URL_SAFE_NO_PAD.encode(place.to_string()))
    };
    [
        forge("-9999-01-01", json!(i64::MAX), "\u{0}"),
        forge("+262142-12-31", json!(i64::MIN), "a\u{0}b"),
        forge("-4714-01-01", json!(1e300), "\u{0}"),
        forge("0000-01-01", json!(u64::MAX), "\u{0}"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn forge_values(value: &mut Value, date: &str, number: &Value, text: &str) {
    match value {
        Value::Array(list) => {
            list.iter_mut().for_each(|value| forge_values(value, date, number, text));
        }
        Value::Number(_) => *value = number.clone(),
        Value::String(old) if old.parse::<uuid::Uuid>().is_ok() => {}
        Value::String(old) if old.parse::<chrono::NaiveDate>().is_ok() => *value = json!(date),
        Value::String(old) if old.parse::<chrono::DateTime<chrono::Utc>>().is_ok() => {
            *value = json!(format!("{date}T00:00:00Z"));
        }
        Value::String(old) => *value = json!(format!("{old}{text}")),
        _ => {}
    }
}

story! {
    async fn a_forged_cursor_is_refused_on_every_list(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let owner = camp.owner().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        camp.parent("Moshe Adler", "moshe@family.example").await;
        let mut film = String::new();
        for n in 1..=2 {
            let video = posted(&staff, &format!("Lake {n}"), json!({ "upload_date": format!("2026-07-2{n}") })).await;
            film = format!("/api/videos/{}", id(&video));
            chaya.put(&format!("{film}/like")).await.expect(200);
            let update = json!({ "title": format!("News {n}"), "message": "Rain", "author": "Office", "priority": "medium" });
            staff.post("/api/admin/live-updates", update).await.expect(201);
            let faq = json!({ "question": format!("When {n}?"), "answer": "Soon.", "category": "Schedule", "is_published": true });
            staff.post("/api/admin/faq", faq).await.expect(201);
        }
        for text in ["One", "Two"] {
            chaya.post(&format!("{film}/comments"), json!({ "content": text })).await.expect(201);
        }
        let comments = format!("{film}/comments");
        let mut tried = 0;
        for (browser, path) in [
            (&camp.browser(), "/api/videos?"), (&camp.browser(), "/api/videos?sort=popular&"),
            (&camp.browser(), "/api/live-updates?"), (&camp.browser(), "/api/faq?"), (&camp.browser(), &format!("{comments}?")),
            (&chaya, "/api/profile/favorites?"), (&staff, "/api/admin/videos?"), (&staff, "/api/admin/videos?sort=views&"),
            (&staff, "/api/admin/videos?sort=title&"), (&staff, "/api/admin/live-updates?"), (&staff, "/api/admin/faq?"),
            (&staff, "/api/admin/users?"), (&staff, "/api/admin/users?sort=joined&"), (&staff, "/api/admin/users?sort=email&"),
            (&owner, "/api/admin/accounts?"), (&owner, "/api/admin/audit?"),
        ] {
            let first = browser.get(&format!("{path}limit=1")).await;
            if first.status == 404 {
                continue;
            }
            let first = first.expect(200).json();
            let Some(next) = first["next"].as_str() else { continue };
            browser.get(&format!("{path}limit=1&cursor={next}")).await.expect(200);
            for cursor in forged(next) {
                let wrong = browser.get(&format!("{path}limit=1&cursor={cursor}")).await.refused(422, "validation");
                assert_eq!(wrong["errors"][0]["field"], "cursor", "{path}");
                tried += 1;
            }
        }
        assert!(tried >= 40, "only {tried} cursors");
    }
}

story! {
    async fn a_name_cannot_be_made_to_look_like_another(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let name = "\u{202e}evil\u{200b} \u{2066}Weiss\u{2069}\u{e0041}";
        let evil = camp.unconfirmed_parent(name, "\u{feff}evil@family.example\u{200f}").await;
        let token = camp.token_for("evil@family.example").await;
        evil.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        let profile = evil.get("/api/profile").await.expect(200).json();
        assert_eq!(profile["full_name"], "evil Weiss");
        assert_eq!(profile["email"], "evil@family.example");
        // Only mail to a verified address contains a name.
        camp.browser().post("/api/auth/forgot", json!({ "email": "evil@family.example" })).await.expect(202);
        let mail = camp.mail_to("evil@family.example").await;
        assert_eq!(mail.to.name.as_deref(), Some("evil Weiss"), "no invisible character reaches a header");
        let title = json!({ "title": "\u{202e}live\u{202c}" });
        let video = posted(&staff, "Lake", title).await;
        assert_eq!(video["title"], "live");
        let comments = format!("/api/videos/{}/comments", id(&video));
        for nothing in ["\u{200b}", "\u{200b}\u{feff} \u{2060}\n", "\u{3164}", "\u{2800}", "\u{e0041}", "\u{ad}"] {
            let wrong = evil.post(&comments, json!({ "content": nothing })).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], "content", "{nothing:?}");
        }
        for name in ["\u{200f}", "\u{2067}\u{2069}"] {
            evil.patch("/api/profile", json!({ "full_name": name })).await.refused(422, "validation");
        }
        let owner = camp.owner().await;
        owner.patch("/api/admin/settings", json!({ "siteName": "\u{202e}Camp\u{200b}" })).await.expect(200);
        assert_eq!(camp.browser().get("/api/site").await.json()["site_name"], "Camp");
    }
}

story! {
    async fn yiddish_hebrew_and_emoji_stay_as_they_were_written(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let video = posted(&staff, "Lake", json!({})).await;
        let chaya = camp.parent("חיה־שרה װײַס, בי״ס", "chaya@family.example").await;
        assert_eq!(chaya.get("/api/profile").await.json()["full_name"], "חיה־שרה װײ\u{5b7}ס, בי״ס");
        let comments = format!("/api/videos/{}/comments", id(&video));
        for text in [
            "בראשית ברא אלהים, ר׳ יידל: „גוט שבת“",
            "ש\u{5b7}\u{5c1}ב\u{5b8}\u{5bc}ת ש\u{5b8}\u{5c1}לו\u{5b9}ם",
            "Nice 👨‍👩‍👧‍👦 👍🏽 ❤️ 1️⃣ 🏳️‍🌈 \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "Zoë Łukasz O’Brien, ½ price",
        ] {
            let said = chaya.post(&comments, json!({ "content": text })).await.expect(201).json();
            assert_eq!(said["content"], text);
        }
        // Two encodings of the same character are equal.
        let said = chaya.post(&comments, json!({ "content": "Cafe\u{301}\u{a0}Weiss" })).await.expect(201).json();
        assert_eq!(said["content"], "Caf\u{e9} Weiss");
    }
}

story! {
    async fn a_list_from_excel_brings_no_invisible_characters_along(camp) {
        let staff = camp.staff().await;
        let table = "\u{feff}name,child,email\n\u{200f}Weiss\u{a0}\u{200e}Chaya\u{202c},\u{feff}Yossi\u{200b},\u{200e}chaya@family.example\u{200f}\n";
        staff.post("/api/admin/users/import", json!({ "csv": table })).await.expect(200);
        let found = staff.get("/api/admin/users?q=weiss").await.expect(200).json();
        let family = &found["items"][0];
        assert_eq!(family["full_name"], "Weiss Chaya");
        assert_eq!(family["child_name"], "Yossi");
        assert_eq!(family["email"], "chaya@family.example");
    }
}

story! {
    async fn every_refusal_is_a_problem_with_a_number(camp) {
        let owner = camp.owner().await;
        let stranger = camp.browser();
        for (method, path, status, code) in [
            ("DELETE", "/api/admin/accounts/nobody/sessions/nothing", 404, "not_found"),
            ("DELETE", "/api/admin/products/%FF/images/x", 404, "not_found"),
            ("GET", "/api/unsubscribe/one-click", 400, "bad_request"),
            ("GET", "/api/unsubscribe/one-click?token=a&token=b", 400, "bad_request"),
            ("POST", "/api/unsubscribe/one-click", 400, "bad_request"),
            ("POST", "/api/admin/settings/pictures/attic", 404, "not_found"),
            ("POST", "/api/admin/settings/pictures/logo", 415, "bad_request"),
            ("GET", "/api/videos?year=twelve", 400, "bad_request"),
            ("GET", "/api/videos?limit=99999999999999999999", 400, "bad_request"),
            ("GET", "/api/videos/%FF", 404, "not_found"),
            ("POST", "/api/contact", 415, "bad_request"),
            ("PUT", "/api/videos", 405, "bad_request"),
            ("POST", "/media/videos/x", 405, "bad_request"),
            ("DELETE", "/gallery", 405, "bad_request"),
            ("GET", "/api/nowhere", 404, "not_found"),
            ("GET", "/media/nowhere", 404, "not_found"),
            ("GET", "/nothing.php", 404, "not_found"),
        ] {
            let method: Method = method.parse().expect("a method");
            let browser = if path.starts_with("/api/admin") { &owner } else { &stranger };
            let problem = browser.send(method, path, None, &[]).await.refused(status, code);
            assert_eq!(problem["status"], status, "{path}");
        }
        for (path, kind, body, status) in [
            ("/api/contact", "application/json", "{".to_owned(), 400),
            ("/api/contact", "text/plain", "{}".to_owned(), 415),
            ("/api/contact", "application/json", format!("\"{}\"", "x".repeat(300_000)), 413),
            ("/api/admin/settings/pictures/logo", "image/png", "x".repeat(11 << 20), 413),
            ("/api/admin/settings/pictures/logo", "image/png", "no picture".to_owned(), 422),
        ] {
            let request = Request::post(path)
                .header(header::CONTENT_TYPE, kind)
                .header("sec-fetch-site", "same-origin")
                .header(header::COOKIE, format!("staff={}", owner.cookie("staff").expect("a session")))
                .body(Body::from(body)).expect("a request");
            let reply = stranger.send_raw(request).await.expect(status);
            assert_eq!(reply.headers[header::CONTENT_TYPE], "application/problem+json", "{path}");
            assert_eq!(reply.json()["request_id"], reply.header("x-request-id"));
        }
    }
}
