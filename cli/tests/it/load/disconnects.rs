//! Clients that disconnect in the middle of a request.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use portal::db::Db;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use super::chaos;
use super::portal::{Portal, ask, connect, head, with_json};
use crate::camp::{Camp, count};
use crate::on_both_engines;

on_both_engines! {
    async fn clients_that_are_gone_leave_no_open_transaction_and_no_half_write(camp: Camp) {
        let clients = if chaos() { 10_000 } else { 300 };
        let portal = Portal::start(&camp).await;
        let app = camp.app().await;
        let said = portal.get("/api/faq").await.expect("an answer");
        let body = said.split_once("\r\n\r\n").expect("a body").1;
        let faq: Value = serde_json::from_str(&body[body.find('{').expect("JSON")..=body.rfind('}').expect("JSON")]).expect("JSON");
        let view = format!("/api/faq/{}/views", faq["items"][0]["id"].as_str().expect("an id"));

        let began = Instant::now();
        let mut running = JoinSet::new();
        for n in 0..clients {
            if running.len() >= 200 {
                running.join_next().await.expect("one of them").expect("no panic");
            }
            running.spawn(gone(portal.address, n, view.clone()));
        }
        while let Some(ended) = running.join_next().await {
            ended.expect("no panic");
        }
        let took = began.elapsed();
        settled(&app.db, &portal).await;

        let users = count(&app.db, "select count(*) from users").await;
        let views = count(&app.db, "select count(*) from faq_views").await;
        let messages = count(&app.db, "select count(*) from messages").await;
        println!("{clients} clients gone within {:.1} s: {users} sign-ups, {views} views, {messages} messages are whole",
            took.as_secs_f64());
        assert!(users > 0 && views > 0 && messages > 0, "some were quick enough");
        for (what, text) in [
            ("a login without a family", "select count(*) from users where profile_id is null"),
            ("a family without its address", "select count(*) from profiles p where p.deleted_at is null
                and not exists (select 1 from profile_addresses a where a.profile_id = p.id)
                and not exists (select 1 from users u where u.profile_id = p.id)"),
            ("a session of nobody", "select count(*) from sessions where user_id is null and staff_id is null"),
            ("a view that is not counted", "select count(*) from faq f where f.view_count <>
                (select count(*) from faq_views v where v.faq_id = f.id)"),
        ] {
            assert_eq!(count(&app.db, text).await, 0, "{what}");
        }
        let written = ask(portal.address, 60_000, &sign_up(1_000_000)).await.expect("an answer");
        assert!(written.starts_with("HTTP/1.1 201"), "it goes on: {written}");
    }
}

/// Sends a request or part of one, and disconnects.
async fn gone(address: SocketAddr, n: usize, view: String) {
    // Sign-ups and messages are rate-limited for each network.
    let request = match n % 5 {
        0 => sign_up(n),
        1 | 2 => with_json("POST", &view, "{}"),
        3 => {
            let message = json!({ "name": "Malky", "email": format!("malky-{n}@family.example"), "subject": "Bus",
                "user_type": "parent", "department": "staff", "message": "When does it leave?" });
            with_json("POST", "/api/contact", &message.to_string())
        }
        _ => head("GET", "/api/faq?limit=100", ""),
    };
    let mut stream = connect(address, 1 + n % 5_000, None).await.expect("a connection");
    // Sends part of the request, all of it, or all of it followed by a short wait.
    let part = match n % 7 {
        0 => request.len() / 2,
        1 => request.len() - 1,
        _ => request.len(),
    };
    stream.write_all(&request.as_bytes()[..part]).await.ok();
    match n % 7 {
        2 => {}
        3 => drop(tokio::time::timeout(Duration::from_millis(50), stream.read_u8()).await),
        // Disconnects in the middle of the response.
        4 => drop(tokio::time::timeout(Duration::from_secs(60), stream.read_u8()).await),
        _ => tokio::time::sleep(Duration::from_millis(n as u64 % 12)).await,
    }
    if n.is_multiple_of(2) {
        // Resets the connection, like a killed app and unlike a phone that loses its signal.
        stream.set_zero_linger().ok();
    }
}

fn sign_up(n: usize) -> String {
    let form = json!({ "name": "Chaya Weiss", "email": format!("chaya-{n}@family.example"), "user_type": "parent",
        "password": "lantern over the lake", "child_name": "Yossi", "email_notifications": true,
        "daily_video_email": true, "camp_updates_email": false });
    with_json("POST", "/api/auth/sign-up", &form.to_string())
}

/// Waits until no request is in flight and no transaction is open.
async fn settled(db: &Db, portal: &Portal) {
    let began = Instant::now();
    let (mut before, mut same) = (-1, 0);
    while same < 4 {
        let open = match db {
            // While a transaction is open, other writes would fail.
            Db::Sqlite { write, .. } => {
                let tried = async {
                    sqlx::query("begin immediate").execute(write).await?;
                    sqlx::query("rollback").execute(write).await
                };
                i64::from(tried.await.is_err())
            }
            Db::Postgres(_) => {
                count(
                    db,
                    "select count(*) from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()
                      and state like 'idle in transaction%'",
                )
                .await
            }
        };
        let written = count(
            db,
            "select (select count(*) from users) + (select count(*) from faq_views)
                  + (select count(*) from messages)",
        )
        .await;
        let ready = portal.get("/readyz").await.is_ok_and(|said| said.starts_with("HTTP/1.1 200"));
        same = if open == 0 && ready && written == before { same + 1 } else { 0 };
        before = written;
        assert!(began.elapsed() < Duration::from_secs(120), "{open} transactions are open still");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
