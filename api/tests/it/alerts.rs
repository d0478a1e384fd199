//! Owners get alerts about problems that need a person.

use chrono::{DateTime, TimeDelta, Utc};
use portal::alerts;
use portal::db::Db;
use serde_json::json;

use crate::camp::Camp;

story! {
    async fn owners_hear_once_a_day_that_no_worker_runs(camp) {
        camp.owner().await;
        camp.staff().await;
        alerts::check_worker(&camp.app, TimeDelta::minutes(4)).await.expect("a look");
        assert!(camp.mails().is_empty(), "a worker may be about to start");
        portal::notifications::record_heartbeat(&camp.app).await.expect("a beat");
        camp.wait(TimeDelta::minutes(6));
        for _ in 0..3 {
            alerts::check_worker(&camp.app, TimeDelta::minutes(1)).await.expect("a look");
        }
        let mails = camp.mails();
        assert_eq!(mails.len(), 1, "the owner, once, without a worker");
        assert_eq!(mails[0].to.email.to_string(), "kornbluh@camp.example");
        assert!(mails[0].text.contains("No worker has been running"), "{}", mails[0].text);
        camp.set("systemAlerts", false).await;
        camp.wait(TimeDelta::days(1));
        alerts::check_worker(&camp.app, TimeDelta::minutes(1)).await.expect("a look");
        assert_eq!(camp.mails().len(), 1);
    }
}

story! {
    async fn owners_hear_that_no_worker_ever_ran(camp) {
        camp.owner().await;
        alerts::check_worker(&camp.app, TimeDelta::minutes(6)).await.expect("a look");
        assert_eq!(camp.mails().len(), 1);
        assert!(camp.mails()[0].text.contains("No worker has been running"));
    }
}

async fn last_backup_was(camp: &Camp, at: DateTime<Utc>) {
    let text = "insert into last_backup (id, made_at) values (1, $1)
                on conflict (id) do update set made_at = excluded.made_at";
    match &camp.app.db {
        Db::Sqlite { write, .. } => sqlx::query(text).bind(at).execute(write).await.map(drop),
        Db::Postgres(pool) => sqlx::query(text).bind(at).execute(pool).await.map(drop),
    }
    .expect("written");
}

story! {
    async fn owners_hear_once_a_day_that_the_nightly_backup_is_missing(camp) {
        camp.owner().await;
        camp.set_clock("2027-07-04T12:00:00Z");
        let alerts = async || {
            alerts::check(&camp.app).await.expect("a look");
            camp.work().await;
            camp.mails().into_iter().filter(|mail| mail.text.contains("backup")).collect::<Vec<_>>()
        };
        assert!(alerts().await.is_empty(), "who never made one has other ways");
        last_backup_was(&camp, camp.now()).await;
        camp.wait(TimeDelta::hours(49));
        assert!(alerts().await.is_empty(), "the next night may make up for a bad one");
        camp.wait(TimeDelta::hours(2));
        alerts().await;
        let mails = alerts().await;
        assert_eq!(mails.len(), 1);
        assert!(mails[0].text.contains("The last backup was made on July 4 at 8:00 AM, and none since."), "{}", mails[0].text);
        camp.wait(TimeDelta::days(1));
        assert_eq!(alerts().await.len(), 2);
        last_backup_was(&camp, camp.now()).await;
        camp.wait(TimeDelta::days(1));
        assert_eq!(alerts().await.len(), 2);
    }
}

story! {
    async fn owners_preview_what_an_import_of_settings_changes(camp) {
        let owner = camp.owner().await;
        let file = owner.get("/api/admin/settings/export").await.expect(200).json();
        assert_eq!(file["siteName"], "Visiting Day");
        let mut changed = file.clone();
        changed["siteName"] = json!("Camp Ner Hayaar");
        changed["timezone"] = json!("Mars/Base");
        changed["smsEnabled"] = json!(true);
        let preview = owner.post("/api/admin/settings/preview", changed).await.expect(200).json();
        let keys: Vec<_> = preview["items"].as_array().expect("a list").iter().map(|d| (d["key"].clone(), d["problem"].is_string())).collect();
        assert_eq!(keys, [(json!("siteName"), false), (json!("smsEnabled"), true), (json!("timezone"), true)]);
        assert_eq!(camp.browser().get("/api/site").await.json()["site_name"], "Visiting Day");
        let all = owner.get("/api/admin/settings").await.json();
        let sms = all["items"].as_array().expect("a list").iter().find(|s| s["key"] == "smsEnabled").expect("a key").clone();
        assert_eq!(sms["unavailable"], "No SMS gateway is connected to the portal.");
    }
}
