//! An invalid stored setting never allows more than the camp chose.

use chrono::TimeDelta;
use portal::alerts;
use portal::db::Db;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, sign_up};

/// Writes directly to the database.
async fn store(camp: &Camp, key: &str, value: &str) {
    const INSERT: &str = "insert into settings (key, value, updated_at, updated_by)
        values ($1, $2, '2026-07-01T00:00:00Z', 'staff')";
    match &camp.app.db {
        Db::Sqlite { write, .. } => {
            sqlx::query(INSERT).bind(key).bind(value).execute(write).await.map(drop)
        }
        Db::Postgres(pool) => {
            sqlx::query(INSERT).bind(key).bind(value).execute(pool).await.map(drop)
        }
    }
    .expect("it is stored");
    camp.app.invalidate_settings();
}

async fn stored(camp: &Camp, key: &str) -> Option<String> {
    const SELECT: &str = "select value from settings where key = $1";
    match &camp.app.db {
        Db::Sqlite { read, .. } => sqlx::query_scalar(SELECT).bind(key).fetch_optional(read).await,
        Db::Postgres(pool) => sqlx::query_scalar(SELECT).bind(key).fetch_optional(pool).await,
    }
    .expect("an answer")
}

async fn shown(owner: &Browser, key: &str) -> Value {
    let list = owner.get("/api/admin/settings").await.expect(200).json();
    let items = list["items"].as_array().expect("settings");
    items.iter().find(|item| item["key"] == key).expect(key).clone()
}

story! {
    async fn access_that_cannot_be_read_shuts_strangers_out(camp) {
        let owner = camp.owner().await;
        let video = crate::videos::posted(&owner, "At the lake", json!({})).await;
        let path = format!("/api/videos/{}", video["id"].as_str().expect("an id"));
        camp.browser().get(&path).await.expect(200);
        for (n, wrong) in ["\"all\"", "\"Everyone\"", "true", "everyone", "", "null", "[\"everyone\"]"].into_iter().enumerate() {
            if n > 0 {
                owner.patch("/api/admin/settings", json!({ "access": "everyone" })).await.expect(200);
            }
            store(&camp, "access", wrong).await;
            camp.browser().get(&path).await.refused(401, "sign_in_required");
        }
    }
}

story! {
    async fn everything_that_cannot_be_read_has_its_strictest_value(camp) {
        let owner = camp.owner().await;
        for (key, wrong, strict) in [
            ("access", "\"all\"", json!("families")),
            ("userRegistrations", "\"yes\"", json!(false)),
            ("requireEmailVerification", "0", json!(true)),
            ("commentModeration", "\"never\"", json!("first_held")),
            ("sessionTimeout", "100000", json!(5)),
            ("maxLoginAttempts", "1000000", json!(1)),
            ("passwordMinLength", "1", json!(64)),
            ("shopUrl", "\"javascript:alert(1)\"", json!("")),
            ("siteName", "\"\"", json!("Visiting Day")),
            ("shabbosMode", "\"sometimes\"", json!("closed")),
            ("uploadQuota", "1000000", json!(1)),
            ("emailEnabled", "\"off\"", json!(false)),
            ("dailyReports", "0", json!(false)),
            ("liveUpdates", "\"no\"", json!(false)),
            ("pushEnabled", "null", json!(false)),
            ("quietPlace", "\"Atlantis\"", json!("Monsey, NY")),
            ("nightfall", "\"soon\"", json!("120 minutes")),
            ("candleLightingMinutes", "900", json!(90)),
            ("quietHoldsVideos", "\"no\"", json!(true)),
            ("quietStart", "\"Friday\"", json!("Friday 18:00")),
            ("quietDates", "[{\"from\":\"soon\",\"to\":\"later\"}]", json!([])),
        ] {
            store(&camp, key, wrong).await;
            let setting = shown(&owner, key).await;
            assert_eq!(setting["value"], strict, "{key}");
            let problem = setting["problem"].as_str().expect(key);
            assert!(problem.contains(wrong.trim_matches('"')), "{problem}");
        }
        store(&camp, "enableTwoFactor", "\"off\"").await;
        // The owner now needs a second factor and has none. This process caches sessions for two
        // seconds, so another one is asked.
        let beside = camp.beside().await;
        let refused = beside.of(&owner).get("/api/admin/settings").await;
        assert!(refused.status.is_client_error(), "{}", refused.text());
        let stranger = camp.browser();
        stranger.post("/api/auth/sign-up", sign_up("Chaya Weiss", "chaya@family.example")).await.expect(403);
    }
}

story! {
    async fn dates_that_can_be_read_stay_quiet_beside_one_that_cannot(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let owner = camp.owner().await;
        store(&camp, "shabbosMode", "\"closed\"").await;
        let visit = json!({ "from": "2026-07-15T11:00", "to": "2026-07-15T15:00", "name": "Visit" });
        let dates = json!([{ "from": "2026-07-14", "to": "never", "name": "" }, visit, 7]);
        store(&camp, "quietDates", &dates.to_string()).await;
        let video = crate::videos::posted(&owner, "At the lake", json!({})).await;
        let path = format!("/api/videos/{}", video["id"].as_str().expect("an id"));
        camp.browser().get(&path).await.refused(403, "closed");
        let setting = shown(&owner, "quietDates").await;
        assert_eq!(setting["value"], json!([visit]));
        assert!(setting["problem"].is_string(), "{setting}");
    }
}

story! {
    async fn owners_are_told_of_a_setting_that_cannot_be_read_and_nothing_is_written_over(camp) {
        let owner = camp.owner().await;
        store(&camp, "access", "\"all\"").await;
        alerts::check(&camp.app).await.expect("a look");
        camp.work().await;
        let mails = camp.mails_to("kornbluh@camp.example");
        assert_eq!(mails.len(), 1, "{mails:?}");
        assert!(mails[0].text.contains("What is stored for access is not allowed"), "{}", mails[0].text);

        owner.patch("/api/admin/settings", json!({ "siteName": "Camp Ner" })).await.expect(200);
        assert_eq!(stored(&camp, "access").await.as_deref(), Some("\"all\""), "until somebody chooses");
        // Choosing the value that is already in effect counts as a choice.
        owner.patch("/api/admin/settings", json!({ "access": "families", "seen": { "access": "families" } })).await.expect(200);
        assert_eq!(stored(&camp, "access").await.as_deref(), Some("\"families\""));
        assert_eq!(shown(&owner, "access").await["problem"], Value::Null);
        camp.wait(TimeDelta::days(2));
        alerts::check(&camp.app).await.expect("a look");
        camp.work().await;
        assert_eq!(camp.mails_to("kornbluh@camp.example").len(), 1);
    }
}
