//! The worker deletes expired data and keeps everything else.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use portal::db::Db;
use uuid::Uuid;

use crate::camp::{Camp, count};
use crate::{execute, on_both_engines};

on_both_engines! {
    async fn a_worker_removes_what_has_expired_soon_after_its_start(camp: Camp) {
        camp.begin();
        let app = camp.app().await;
        let now = Utc::now();
        let ago = |days: i64| now - TimeDelta::days(days);
        // One expired and one current record of each kind.
        for (name, age) in [("old", ago(9)), ("new", ago(6))] {
            wish(&app.db, name, age).await;
        }
        for age in [ago(731), ago(729)] {
            message(&app.db, age).await;
        }
        for (name, age) in [("old", ago(2)), ("new", now)] {
            execute!(&app.db, "insert into attempts (key, count, first_at, last_at) values ($1, 1, $2, $2)",
                name.as_bytes().to_vec(), age);
        }
        for (id, age) in [(1001i64, ago(3)), (1002, ago(1))] {
            execute!(&app.db, "insert into events (id, kind, created_at) values ($1, 'site.changed', $2)", id, age);
        }
        for age in [ago(400), ago(0)] {
            execute!(&app.db, "insert into form_requests (key, subject_kind, request_hash, subject_id, created_at)
                values ($1, 'video', $2, $1, $3)", Uuid::now_v7(), vec![7u8], age);
            execute!(&app.db, "insert into family_imports (id, added, updated, created_at) values ($1, 1, 0, $2)", Uuid::now_v7(), age);
            mail(&app.db, age).await;
        }
        for hour in [1i64, now.timestamp() / 3600] {
            execute!(&app.db, "insert into faq_views (faq_id, viewer, hour) select id, $1, $2 from faq", vec![7u8], hour);
        }
        const ALL: [(&str, &str); 8] = [
            ("wishes", "select count(*) from subscribers"),
            ("messages", "select count(*) from messages"),
            ("attempts", "select count(*) from attempts"),
            ("events", "select count(*) from events where id > 1000"),
            ("forms", "select count(*) from form_requests"),
            ("imports", "select count(*) from family_imports"),
            ("names on mails", "select count(*) from deliveries where full_name <> ''"),
            ("opened answers", "select count(distinct hour) from faq_views"),
        ];
        for (what, text) in ALL {
            assert_eq!(count(&app.db, text).await, 2, "{what}: before");
        }

        let _worker = camp.start(&["worker"]);
        let begun = Instant::now();
        for (what, text) in ALL {
            while count(&app.db, text).await != 1 {
                assert!(begun.elapsed() < Duration::from_secs(60), "{what} are not swept up");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        // Only the expired records are deleted.
        assert_eq!(count(&app.db, "select count(*) from subscribers where email = 'new@family.example'").await, 1);
        assert_eq!(count(&app.db, "select count(*) from events where id = 1002").await, 1);
        assert_eq!(count(&app.db, "select count(*) from faq_views where hour = 1").await, 0);
        app.db.close().await;
    }
}

/// An unconfirmed subscription to the mailing list.
async fn wish(db: &Db, name: &str, at: DateTime<Utc>) {
    execute!(
        db,
        "insert into subscribers (id, email, created_at) values ($1, $2, $3)",
        Uuid::now_v7(),
        format!("{name}@family.example"),
        at,
    );
}

async fn message(db: &Db, at: DateTime<Utc>) {
    execute!(
        db,
        "insert into messages
           (id, name, email, subject, user_type, department, message, status, spam, search_text,
            version, created_at, updated_at)
         values ($1, 'Chaya', 'chaya@family.example', 'Bunks', 'parent', 'staff', 'Which?', 'read',
                 false, '', 1, $2, $2)",
        Uuid::now_v7(),
        at,
    );
}

/// An email that was sent.
async fn mail(db: &Db, at: DateTime<Utc>) {
    let id = Uuid::now_v7();
    execute!(
        db,
        "insert into notifications (id, kind, subject_id, data, created_at)
         values ($1, 'approved', $1, 'null', $2)",
        id,
        at,
    );
    execute!(
        db,
        "insert into deliveries
           (notification_id, email, full_name, status, attempts, due_at, sent_at, created_at, updated_at)
         values ($1, 'chaya@family.example', 'Chaya', 'sent', 1, $2, $2, $2, $2)",
        id,
        at,
    );
}
