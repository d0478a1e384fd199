//! The site is killed repeatedly while videos are published. Every committed publication has its
//! notification and its job, and nothing else has one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::long;
use super::site::{Owner, Site, add_owner};
use crate::camp::{Camp, count};
use crate::mail::families;
use crate::on_both_engines;

on_both_engines! {
    async fn whoever_kills_the_site_loses_no_notification(camp: Camp) {
        let kills = if long() { 200 } else { 5 };
        add_owner(&camp);
        let app = camp.app().await;
        families(&app, (0..3).map(|n| format!("family-{n}@family.example"))).await;
        let mut site = Site::start(&camp, &[]).await;
        let mut owner = Owner::sign_in(&site).await;
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let sent = Arc::new(AtomicUsize::new(0));
        for kill in 0..kills {
            let before = acknowledged.load(Ordering::Relaxed);
            let posting: Vec<_> = (0..4)
                .map(|_| tokio::spawn(post(owner.clone(), sent.clone(), acknowledged.clone())))
                .collect();
            while acknowledged.load(Ordering::Relaxed) == before {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Each kill happens at a different moment of a request.
            tokio::time::sleep(Duration::from_millis(kill * 37 % 101)).await;
            site.running.kill();
            for posting in posting {
                posting.await.expect("it ends with the site");
            }
            site = Site::start(&camp, &[]).await;
            owner = owner.at(&site);
        }
        site.stop().await;

        let videos = count(&app.db, "select count(*) from videos where status = 'published'").await;
        let notifications = count(&app.db, "select count(*) from notifications where kind = 'video'").await;
        let without = count(
            &app.db,
            "select count(*) from videos v where status = 'published' and 1 <>
               (select count(*) from notifications n where n.subject_id = v.id and kind = 'video')",
        )
        .await;
        let strays = count(
            &app.db,
            "select count(*) from notifications n where kind = 'video'
               and not exists (select 1 from videos v where v.id = n.subject_id and v.status = 'published')",
        )
        .await;
        let deliveries = count(&app.db, "select count(*) from deliveries").await;
        let jobs = match camp.is_on_postgres() {
            true => count(&app.db, "select count(*) from apalis.jobs where status = 'Pending'").await,
            false => count(&app.db, "select count(*) from Jobs where status = 'Pending'").await,
        };
        let (sent, acknowledged) = (sent.load(Ordering::Relaxed), acknowledged.load(Ordering::Relaxed));
        println!(
            "{}: {kills} kills, {sent} videos sent, {acknowledged} acknowledged, {videos} published, {notifications} notifications, {jobs} jobs",
            app.db.engine(),
        );
        assert_eq!(without, 0, "one notification for each video, and no other");
        assert_eq!(strays, 0, "one notification for each video, and no other");
        assert_eq!(notifications, videos);
        assert_eq!(deliveries, videos * 3);
        assert_eq!(jobs, videos);
        assert!(videos >= acknowledged as i64, "what was acknowledged is there");
        assert!(acknowledged >= kills as usize, "the site was at work");
    }
}

/// Publishes until the site is killed.
async fn post(owner: Owner, sent: Arc<AtomicUsize>, acknowledged: Arc<AtomicUsize>) {
    loop {
        let n = sent.fetch_add(1, Ordering::Relaxed);
        match owner.try_post(&format!("Video {n}"), "published").await {
            Some(answer) if answer.status == 201 => {
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            Some(answer) => panic!("{}: {}", answer.status, answer.body),
            None => return,
        }
    }
}
