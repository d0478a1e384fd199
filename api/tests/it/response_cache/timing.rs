//! How long a cached response is used, and when the next one is made.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tokio::time::sleep;

use super::{cached, get, is_from_cache};
use crate::camp::{Browser, Camp, Reply};
use crate::{updates, videos};

/// The responses half a second before a time, and at that time. The first one must not be used for
/// a whole second.
async fn around(camp: &Camp, at: DateTime<Utc>, path: &str) -> (Reply, Reply) {
    loop {
        camp.app.clock.set(at - TimeDelta::milliseconds(500));
        let before = get(&camp.browser(), path, &[]).await;
        // On a busy machine, the time may already have passed.
        if camp.now() < at {
            camp.app.clock.set(at);
            return (before, get(&camp.browser(), path, &[]).await);
        }
    }
}

story! {
    async fn a_closing_of_the_site_and_the_end_of_an_update_count_to_the_second(camp) {
        camp.set_clock("2026-07-31T16:00:00Z");
        let staff = camp.staff().await;
        let list = "/api/live-updates";
        updates::posted(&staff, "Trip", json!({ "expires_at": "2026-07-31T13:00" })).await;
        let end = "2026-07-31T17:00:00Z".parse().expect("a time");
        let (before, after) = around(&camp, end, list).await;
        assert_eq!(before.json()["items"][0]["title"], "Trip");
        assert_eq!(after.json()["items"], json!([]));
        camp.set("shabbosMode", "closed").await;
        let settings = camp.app.settings().await.expect("settings");
        let start = settings.next_quiet_change(camp.now(), camp.now() + TimeDelta::days(2));
        let (before, after) = around(&camp, start.expect("a window"), list).await;
        before.expect(200);
        after.refused(403, "closed");
    }
}

/// Whether a response that is requested shortly before its second is over is made again without
/// anybody waiting. A busy machine may be too slow to tell.
async fn is_made_ahead(camp: &Camp, path: &str, parent: &Browser, like: &str) -> bool {
    let stranger = camp.browser();
    let first = cached(&stranger, path, &[]).await.expect(200);
    // A second later the response is made again.
    camp.app.clock.advance(TimeDelta::seconds(1));
    get(&stranger, path, &[]).await.expect(200);
    let made = camp.now();
    parent.put(like).await.expect(200);
    camp.app.clock.set(made + TimeDelta::milliseconds(850));
    loop {
        let reply = get(&stranger, path, &[]).await.expect(200);
        if !is_from_cache(&first, &reply) {
            parent.delete(like).await.expect(200);
            return false;
        }
        if reply.json()["items"][0]["like_count"] == 1 {
            break;
        }
        sleep(Duration::from_millis(1)).await;
    }
    camp.app.clock.set(made + TimeDelta::milliseconds(1_500));
    let is_kept = is_from_cache(&first, &get(&stranger, path, &[]).await.expect(200));
    parent.delete(like).await.expect(200);
    is_kept
}

story! {
    async fn nobody_waits_for_a_response_that_is_asked_for_all_the_time(camp) {
        camp.set_clock("2026-07-31T22:00:00Z");
        let staff = camp.staff().await;
        let parent = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let lake = videos::posted(&staff, "Lake", json!({})).await;
        let like = format!("/api/videos/{}/like", videos::id(&lake));
        for _ in 0..20 {
            if is_made_ahead(&camp, "/api/videos", &parent, &like).await {
                return;
            }
        }
        panic!("somebody always waited");
    }
}
