//! Attacks on sign-in: timing, cookies, sessions that never end, and old password hashes.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use portal::accounts::{Role, password};
use portal::db::Db;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, sign_up};
use crate::payments::count;
use crate::staff::code_of;

/// Tries a known and an unknown name in turn, each time from a new network (/48). On a quiet
/// machine, 1,000 tries (`CAMP_CHAOS=1`) show that the shortest times differ by less than 2 ms. A
/// few tries during other tests show only that both take as long as a password hash. `hashing` is
/// the shortest hashing time so far.
async fn take_as_long(
    camp: &Camp,
    path: &str,
    known: Value,
    unknown: Value,
    hashing: &mut Duration,
) -> [Duration; 2] {
    let all = std::env::var_os("CAMP_CHAOS").is_some();
    let mut shortest = [Duration::MAX; 2];
    let rounds = if all { 500 } else { 20 };
    for tried in 0..rounds {
        for (which, body) in [&known, &unknown].into_iter().enumerate() {
            let browser = camp.browser_at(&format!("2001:db8:{:x}::1", 2 * tried + which));
            let begun = Instant::now();
            browser.post(path, body.clone()).await.expect(401);
            shortest[which] = shortest[which].min(begun.elapsed());
        }
        let begun = Instant::now();
        password::hash(&camp.app, "not this one").await.expect("a hash");
        *hashing = (*hashing).min(begun.elapsed());
    }
    let [known, unknown] = shortest;
    let apart = known.abs_diff(unknown);
    println!(
        "{path}: {rounds} of each, shortest known {known:?}, unknown {unknown:?}, apart {apart:?}, hashing alone {hashing:?}"
    );
    assert!(!all || apart < Duration::from_millis(2), "known {known:?}, unknown {unknown:?}");
    shortest
}

story! {
    async fn a_known_and_an_unknown_account_take_the_same_time_to_refuse(camp) {
        let camp = camp.with_real_hashes();
        camp.parent("Chaya", "chaya@family.example").await;
        camp.staff().await;
        let given = |key: &str, name: &str| json!({ key: name, "password": "not this one" });
        let mut hashing = Duration::MAX;
        let (known, unknown) = (given("email", "chaya@family.example"), given("email", "nobody@family.example"));
        let parents = take_as_long(&camp, "/api/auth/sign-in", known, unknown, &mut hashing).await;
        let (known, unknown) = (given("username", "feder"), given("username", "nobody"));
        let staff = take_as_long(&camp, "/api/admin/auth/sign-in", known, unknown, &mut hashing).await;
        // Other tests may slow down both the requests and `hashing`. A refusal without a hash would
        // take a tenth of the time.
        let shortest = parents.into_iter().chain(staff).min().expect("four times");
        assert!(shortest > hashing / 4, "{shortest:?}, {hashing:?}");
    }
}

story! {
    async fn forgot_does_the_same_work_for_a_known_and_an_unknown_address(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        camp.work().await;
        let rows = async || {
            (count(&camp, "select count(*) from notifications").await, count(&camp, "select count(*) from deliveries").await)
        };
        let mut before = rows().await;
        for (n, email) in ["chaya@family.example", "nobody@family.example"].into_iter().enumerate() {
            let browser = camp.browser_at(&format!("198.51.100.{n}"));
            browser.post("/api/auth/forgot", json!({ "email": email })).await.expect(202);
            let after = rows().await;
            assert_eq!(after.0 - before.0, 1, "{email}");
            assert_eq!(after.1 - before.1, 1, "{email}");
            before = after;
        }
        camp.work().await;
        assert!(camp.mails_to("nobody@family.example").is_empty());
        assert!(camp.mail_to("chaya@family.example").await.subject.starts_with("Choose a new password"));
    }
}

/// The `Set-Cookie` header of the cookie with this name.
fn attributes(reply: &crate::camp::Reply, name: &str) -> Vec<String> {
    let all =
        reply.headers.get_all("set-cookie").iter().map(|value| value.to_str().expect("a cookie"));
    let found = all.into_iter().find(|cookie| cookie.starts_with(&format!("{name}=")));
    let mut parts: Vec<String> = found
        .unwrap_or_else(|| panic!("no cookie {name}"))
        .split("; ")
        .skip(1)
        .map(str::to_owned)
        .collect();
    parts.sort();
    parts
}

story! {
    async fn under_https_cookies_are_bound_to_the_host_and_to_https(camp) {
        camp.staff().await;
        let camp = camp.over_https();
        let browser = camp.browser();
        let joined = browser.post("/api/auth/sign-up", sign_up("Chaya", "chaya@family.example")).await.expect(201);
        assert_eq!(attributes(&joined, "__Host-session"), ["HttpOnly", "Max-Age=7776000", "Path=/", "SameSite=Lax", "Secure"]);
        assert_eq!(attributes(&joined, "__Host-device"), ["HttpOnly", "Max-Age=31536000", "Path=/", "SameSite=Lax", "Secure"]);
        let staff = browser.post("/api/admin/auth/sign-in", json!({ "username": "feder", "password": PASSWORD })).await.expect(200);
        assert_eq!(attributes(&staff, "__Host-staff"), ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]);
        assert_eq!(attributes(&staff, "__Host-known"), ["HttpOnly", "Max-Age=31536000", "Path=/", "SameSite=Lax", "Secure"]);
        browser.get("/api/profile").await.expect(200);
        browser.get("/api/admin/users").await.expect(200);
        // The portal ignores a cookie that another host of the domain could have set.
        let session = browser.cookie("__Host-session").expect("a cookie");
        let header = [("cookie", format!("session={session}"))];
        let header: Vec<_> = header.iter().map(|(k, v)| (*k, v.as_str())).collect();
        camp.browser().send(axum::http::Method::GET, "/api/profile", None, &header).await.refused(401, "sign_in_required");
    }
}

story! {
    async fn a_parents_session_ends_after_ninety_days_however_much_it_is_used(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        // Saving also makes the portal read the session from the database at the next request.
        chaya.patch("/api/profile", json!({})).await.expect(200);
        for _ in 0..8 {
            camp.wait(TimeDelta::days(11));
            chaya.patch("/api/profile", json!({})).await.expect(200);
        }
        camp.wait(TimeDelta::days(1) + TimeDelta::hours(23));
        chaya.patch("/api/profile", json!({})).await.expect(200);
        camp.wait(TimeDelta::hours(2));
        chaya.patch("/api/profile", json!({})).await.refused(401, "sign_in_required");
    }
}

story! {
    async fn a_staff_session_ends_after_twelve_hours_however_much_it_is_used(camp) {
        let feder = camp.passing_staff_member("feder", Role::Staff).await;
        let again = async || feder.post("/api/admin/sessions/end-others", json!({})).await;
        again().await.expect(204);
        for _ in 0..28 {
            camp.wait(TimeDelta::minutes(25));
            again().await.expect(204);
        }
        camp.wait(TimeDelta::minutes(15));
        again().await.expect(204);
        camp.wait(TimeDelta::minutes(10));
        again().await.refused(401, "staff_required");
    }
}

/// [`PASSWORD`], hashed with the weaker parameters of earlier years: less memory, one pass.
const OLD: &str = "$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$5QydbE7UU4as8quHLzBUvx6Jf0qy/sX9wrwoATow/ig";

async fn hashes_become(camp: &Camp, hash: &str) {
    for text in ["update users set password_hash = $1", "update staff set password_hash = $1"] {
        match &camp.app.db {
            Db::Sqlite { write, .. } => {
                sqlx::query(text).bind(hash.to_owned()).execute(write).await.expect("written");
            }
            Db::Postgres(pool) => {
                sqlx::query(text).bind(hash.to_owned()).execute(pool).await.expect("written");
            }
        }
    }
}

story! {
    async fn an_old_hash_is_made_anew_by_the_next_sign_in(camp) {
        let camp = camp.with_real_hashes();
        camp.parent("Chaya", "chaya@family.example").await;
        camp.staff().await;
        hashes_become(&camp, OLD).await;
        const NEW: &str = "select (select count(*) from users where password_hash like '$argon2id$v=19$m=19456,t=2,p=1$%')
                                + (select count(*) from staff where password_hash like '$argon2id$v=19$m=19456,t=2,p=1$%')";
        let wrong = json!({ "email": "chaya@family.example", "password": "not this one" });
        camp.browser().post("/api/auth/sign-in", wrong).await.refused(401, "invalid_credentials");
        assert_eq!(count(&camp, NEW).await, 0);
        for round in 0..2 {
            let parent = json!({ "email": "chaya@family.example", "password": PASSWORD });
            camp.browser().post("/api/auth/sign-in", parent).await.expect(200);
            let staff = json!({ "username": "feder", "password": PASSWORD });
            camp.browser().post("/api/admin/auth/sign-in", staff).await.expect(200);
            assert_eq!(count(&camp, NEW).await, 2, "round {round}");
        }
    }
}

story! {
    async fn a_flood_of_sign_ins_waits_for_its_turn_to_hash_and_holds_nobody_else_up(camp) {
        let camp = camp.with_real_hashes();
        camp.parent("Chaya", "chaya@family.example").await;
        assert_eq!(camp.app.hashing.permits.available_permits(), 2);
        let all = camp.app.hashing.permits.clone().acquire_many_owned(2).await.expect("permits");
        let given = json!({ "email": "chaya@family.example", "password": PASSWORD });
        let flood: Vec<_> = (0..20u8).map(|n| {
            let (browser, given) = (camp.browser_at(&format!("198.51.100.{n}")), given.clone());
            tokio::spawn(async move { browser.post("/api/auth/sign-in", given).await.status })
        }).collect();
        let attempts = "select count(*) from attempts where account is not null";
        let before = Instant::now();
        while count(&camp, attempts).await < 20 {
            assert!(before.elapsed() < Duration::from_secs(60), "they do not arrive");
            tokio::task::yield_now().await;
        }
        camp.browser().get("/api/site").await.expect(200);
        assert!(flood.iter().all(|one| !one.is_finished()), "nobody hashes without a permit");
        drop(all);
        for one in flood {
            assert_eq!(one.await.expect("no panic"), 200);
        }
    }
}

story! {
    async fn whoever_has_the_password_cannot_guess_codes_from_ever_new_networks(camp) {
        let feder = camp.staff().await;
        let begun = feder.post("/api/admin/two-factor", json!({ "current_password": PASSWORD })).await.expect(200).json();
        let secret = begun["secret"].as_str().expect("a secret").to_owned();
        let code = code_of(&secret, camp.now().timestamp());
        feder.post("/api/admin/two-factor/confirm", json!({ "code": code })).await.expect(200);
        let sign_in = async |browser: &Browser, password: &str, code: &str| {
            let given = json!({ "username": "feder", "password": password, "code": code });
            browser.post("/api/admin/auth/sign-in", given).await
        };
        // Nobody can use up the account's limit without the password.
        for n in 0..10 {
            let stranger = camp.browser_at(&format!("203.0.113.{n}"));
            sign_in(&stranger, "wrong wrong", "abcdef").await.refused(401, "invalid_credentials");
        }
        for n in 0..5 {
            let thief = camp.browser_at(&format!("198.51.100.{n}"));
            sign_in(&thief, PASSWORD, "abcdef").await.refused(401, "invalid_credentials");
        }
        camp.wait(TimeDelta::seconds(14));
        let thief = camp.browser_at("198.51.100.99");
        sign_in(&thief, PASSWORD, "abcdef").await.refused(429, "too_many_requests");
        // The owner can still sign in where they signed in before, and confirms the password.
        camp.wait(TimeDelta::seconds(60));
        for n in 5..20 {
            let thief = camp.browser_at(&format!("198.51.100.{n}"));
            sign_in(&thief, PASSWORD, "abcdef").await;
        }
        let code = code_of(&secret, camp.now().timestamp());
        sign_in(&feder, PASSWORD, "abcdef").await.refused(401, "invalid_credentials");
        sign_in(&feder, PASSWORD, &code).await.expect(200);
        // After the delay, a correct code in a new browser clears the failures.
        camp.wait(TimeDelta::minutes(16));
        let new = camp.browser_at("192.0.2.8");
        let code = code_of(&secret, camp.now().timestamp());
        sign_in(&new, PASSWORD, &code).await.expect(200);
        for n in 0..4 {
            let thief = camp.browser_at(&format!("203.0.113.{}", 100 + n));
            sign_in(&thief, PASSWORD, "abcdef").await.refused(401, "invalid_credentials");
        }
        camp.wait(TimeDelta::seconds(60));
        let code = code_of(&secret, camp.now().timestamp());
        sign_in(&camp.browser_at("192.0.2.9"), PASSWORD, &code).await.expect(200);
    }
}
