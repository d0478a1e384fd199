//! Repeated requests for responses that are expensive to make or store.

use std::time::{Duration, Instant};

use axum::http::Method;
use chrono::TimeDelta;
use portal::db::Db;
use serde_json::json;

use crate::camp::Camp;
use crate::updates::posted;
use crate::videos::posted as posted_video;

/// Changes a video directly in the database, so that only reading all videos again shows it.
async fn hide_all_videos(camp: &Camp) {
    let text = "update videos set status = 'draft'";
    match &camp.app.db {
        Db::Sqlite { write, .. } => drop(sqlx::query(text).execute(write).await.expect("it runs")),
        Db::Postgres(pool) => drop(sqlx::query(text).execute(pool).await.expect("it runs")),
    }
}

story! {
    async fn the_sitemap_is_not_written_again_for_each_stranger(camp) {
        let staff = camp.staff().await;
        let video = posted_video(&staff, "Lake", json!({})).await;
        let page = format!("/video/{}", video["id"].as_str().expect("an id"));
        let sitemap = async || camp.browser().get("/sitemap.xml").await.expect(200).text();
        assert!(sitemap().await.contains(&page));
        hide_all_videos(&camp).await;
        assert!(sitemap().await.contains(&page), "the one that is kept");
        camp.wait(TimeDelta::minutes(2));
        assert!(!sitemap().await.contains(&page), "for a minute");
    }
}

story! {
    async fn a_change_and_a_restriction_count_in_the_sitemap_at_once(camp) {
        let staff = camp.staff().await;
        let sitemap = async || camp.browser().get("/sitemap.xml").await.expect(200).text();
        for n in 1..=3 {
            posted_video(&staff, &format!("No. {n}"), json!({})).await;
            assert_eq!(sitemap().await.matches("/video/").count(), n);
        }
        posted(&staff, "Trip", json!({})).await;
        assert_eq!(sitemap().await.matches("/updates/").count(), 1);
        camp.set("access", "families").await;
        assert!(!sitemap().await.contains("/video/"));
        camp.set("access", "everyone").await;
        assert_eq!(sitemap().await.matches("/video/").count(), 3);
    }
}

story! {
    async fn the_description_of_the_api_is_made_once_and_sent_once(camp) {
        let stranger = camp.browser();
        let first = stranger.get("/api/openapi.json").await.expect(200);
        let tag = first.header("etag").to_owned();
        assert!(tag.len() > 20 && first.header("cache-control") == "no-cache", "{:?}", first.headers);
        // Uses the minimum of many measurements, because other tests run at the same time.
        let (mut making, mut sending) = (Duration::MAX, Duration::MAX);
        for _ in 0..20 {
            let started = Instant::now();
            assert!(!api::openapi().is_empty());
            making = making.min(started.elapsed());
            let started = Instant::now();
            let again = stranger.send(Method::GET, "/api/openapi.json", None, &[("if-none-match", &tag)]).await;
            sending = sending.min(started.elapsed());
            assert!(again.expect(304).bytes.is_empty());
        }
        assert!(sending < making / 3, "{sending:?}, and {making:?} to make it");
    }
}

story! {
    async fn one_address_cannot_count_up_an_answer_without_end(camp) {
        let staff = camp.staff().await;
        let list = camp.browser().get("/api/faq").await.expect(200).json();
        let view = format!("/api/faq/{}/views", list["items"][0]["id"].as_str().expect("an id"));
        // The client sends no cookie back, so each request counts as a new viewer.
        for _ in 0..310 {
            camp.browser().post(&view, json!({})).await.expect(204);
        }
        let views = async || {
            camp.write_views().await;
            staff.get("/api/admin/faq").await.expect(200).json()["items"][0]["views"].clone()
        };
        assert_eq!(views().await, 300);
        camp.browser_at("198.51.100.4").post(&view, json!({})).await.expect(204);
        assert_eq!(views().await, 301);
    }
}

story! {
    async fn a_cookie_that_can_be_no_session_is_not_kept_in_memory(camp) {
        let long = format!("session={}", "x".repeat(60_000));
        let answer = camp.browser().send(Method::GET, "/api/session", None, &[("cookie", &long)]).await;
        assert!(answer.expect(200).json()["user"].is_null());
    }
}
