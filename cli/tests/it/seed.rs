//! The sample camp.

use crate::camp::{Camp, count};
use crate::on_both_engines;

const WHEN: &str = "2026-07-28T12:00:00Z";

on_both_engines! {
    async fn a_camp_is_planted_once_and_its_counters_are_true(camp: Camp) {
        let said = camp.run(&["seed", "--as-of", WHEN, "--sample-logins", "--json"]);
        assert_eq!(said.code, 0, "{said:?}");
        for part in ["\"families\": 132", "\"visitors\": 20", "\"staff\": 5", "\"views\": 10000"] {
            assert!(said.out.contains(part), "{part}: {}", said.out);
        }
        let again = camp.run(&["seed"]);
        assert!(again.code == 3 && again.err.contains("empty"), "{}", again.err);
        assert_eq!(camp.run(&["seed", "--if-empty"]).code, 0);

        let app = camp.app().await;
        for wrong in [
            "select count(*) from videos v where view_count <> (select count(*) from video_views w where w.video_id = v.id)",
            "select count(*) from videos v where like_count <> (select count(*) from video_likes l where l.video_id = v.id)",
            "select count(*) from videos v where comment_count <> (select count(*) from video_comments c where c.video_id = v.id and c.hidden_at is null)",
            "select count(*) from video_comments c where (reported_at is not null) <> exists (select 1 from comment_reports r where r.comment_id = c.id and r.closed_at is null)",
            "select count(*) from videos where status = 'published' and published_at > '2026-07-28T12:00:00+00:00'",
            "select count(*) from deliveries where status in ('queued', 'sending')",
            "select count(*) from users where created_at >= '2026-07-28T12:00:00+00:00'",
            "select count(*) from payment_plans l where paid_amount <> (select coalesce(sum(amount), 0) from payments p where p.plan_id = l.id)",
            "select count(*) from profiles f join payment_plans l on l.profile_id = f.id where list_paid <> paid_amount",
            "select count(*) from payments where payment_date > '2026-07-28'",
            "select count(*) from product_images i join products p on p.id = i.product_id where i.alt_text <> p.title || ', picture 1'",
        ] {
            assert_eq!(count(&app.db, wrong).await, 0, "{wrong}");
        }
        assert_eq!(count(&app.db, "select count(*) from videos where year = 2026 and status = 'published'").await, 29);
        assert_eq!(count(&app.db, "select count(*) from videos where status = 'scheduled'").await, 2);
        assert_eq!(count(&app.db, "select count(*) from videos where status = 'draft'").await, 3);
        assert_eq!(count(&app.db, "select count(*) from live_updates").await, 36);
        assert_eq!(count(&app.db, "select count(*) from live_updates where is_active").await, 12);
        assert_eq!(count(&app.db, "select count(*) from live_updates where priority = 'high'").await, 4);
        assert_eq!(count(&app.db, "select count(*) from suppressed_addresses").await, 2);
        // The staff area shows a week, and the doctor warns about a day.
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'failed'").await, 5);
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'failed' and updated_at < '2026-07-21T12:00:00+00:00'").await, 0);
        assert_eq!(count(&app.db, "select count(*) from deliveries where status = 'failed' and updated_at > '2026-07-27T12:00:00+00:00'").await, 0);
        assert_eq!(count(&app.db, "select count(*) from messages where status = 'unread'").await, 5);
        assert_eq!(count(&app.db, "select count(*) from messages where status = 'replied'").await, 9);
        assert_eq!(count(&app.db, "select count(*) from messages where draft is not null").await, 2);
        assert_eq!(count(&app.db, "select count(*) from messages where spam").await, 1);
        // One product has no picture, so that its placeholder is visible.
        assert_eq!(count(&app.db, "select count(distinct product_id) from product_images").await, 23);
        let pictures = app.files.folder.as_ref().expect("a folder").join("products");
        assert_eq!(std::fs::read_dir(pictures).expect("pictures").count(), 2 * 23);
        assert_eq!(count(&app.db, "select count(*) from faq where is_published").await, 10);
        assert_eq!(count(&app.db, "select count(*) from faq where not is_published").await, 2);
        for (plans, query) in [
            (61, "select count(*) from payment_plans where paid_amount = total_amount and total_amount > 0"),
            (57, "select count(*) from payment_plans where paid_amount < total_amount"),
            (19, "select count(*) from payment_plans where paid_amount < total_amount and due_date < '2026-07-28'"),
            (2, "select count(*) from payment_plans where total_amount = 0"),
            (3, "select count(*) from payment_plans where paid_amount > total_amount"),
            (6, "select count(*) from payments where kind = 'refund'"),
            (3, "select count(*) from payments where kind = 'void'"),
            (2, "select count(*) from payments where kind = 'adjustment'"),
        ] {
            assert_eq!(count(&app.db, query).await, plans, "{query}");
        }
        let payments = count(&app.db, "select count(*) from payments where kind = 'payment'").await;
        assert!((300..=380).contains(&payments), "{payments}");
    }
}

#[test]
fn a_camp_of_ones_own_gets_no_samples_not_even_their_files() {
    let camp = Camp::on_sqlite();
    camp.run_with(
        &["admin", "add", "miriam", "--email", "m@camp.example"],
        "lantern over the lake\n",
    );
    let said = camp.run(&["seed", "--sample", "general"]);
    assert!(said.code == 3 && said.err.contains("only into an empty one"), "{said:?}");
    let files = std::fs::read_dir(camp.folder().join("data/files")).expect("a folder");
    assert_eq!(files.count(), 0);
}

#[test]
fn the_same_number_and_moment_give_the_same_camp() {
    let plant = |seed| {
        let camp = Camp::on_sqlite();
        let said =
            camp.run(&["seed", "--as-of", WHEN, "--seed", seed, "--sample", "general", "--json"]);
        assert_eq!(said.code, 0, "{said:?}");
        said.out
    };
    assert_eq!(plant("7"), plant("7"));
    assert_ne!(plant("7"), plant("8"));
}
