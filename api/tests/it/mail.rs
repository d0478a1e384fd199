//! Failed email: staff see it, correct it and send it again.

use chrono::{DateTime, TimeDelta, Utc};
use portal::db::Db;
use portal::notifications;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::camp::{Browser, Camp};
use crate::videos::{NOON, posted};

/// Runs SQL that must change at least one row. The tests use it to fake what a refusing mail server
/// causes.
pub async fn write(camp: &Camp, text: String) {
    let rows = match &camp.app.db {
        Db::Sqlite { write, .. } => {
            sqlx::query(AssertSqlSafe(text)).execute(write).await.expect("written").rows_affected()
        }
        Db::Postgres(pool) => {
            sqlx::query(AssertSqlSafe(text)).execute(pool).await.expect("written").rows_affected()
        }
    };
    assert!(rows > 0);
}

pub async fn fail_all_to(camp: &Camp, email: &str) {
    write(camp, format!("update deliveries set status = 'failed', last_error = '554 Looks like spam' where email = '{email}' and status = 'queued'")).await;
}

/// An id as a SQL literal of this engine.
fn id(camp: &Camp, id: Uuid) -> String {
    match &camp.app.db {
        Db::Sqlite { .. } => format!("x'{}'", id.simple()),
        Db::Postgres(_) => format!("uuid '{id}'"),
    }
}

/// A time as a SQL literal of this engine.
fn moment(camp: &Camp, at: DateTime<Utc>) -> String {
    let text = at.format("%Y-%m-%dT%H:%M:%S+00:00");
    match &camp.app.db {
        Db::Sqlite { .. } => format!("'{text}'"),
        Db::Postgres(_) => format!("timestamptz '{text}'"),
    }
}

/// A process claims all waiting emails without sending them.
async fn take_all(camp: &Camp, process: Uuid) {
    let process = id(camp, process);
    let until = moment(camp, camp.now() + TimeDelta::minutes(5));
    write(camp, format!("insert into delivery_leases select distinct notification_id, {process}, {process}, {until} from deliveries where status = 'queued'")).await;
}

story! {
    async fn a_mail_that_waits_for_the_database_names_what_the_database_said(camp) {
        let Db::Postgres(pool) = &camp.app.db else {
            return; // SQLite cannot lock a single table.
        };
        camp.browser().post("/api/subscribe", json!({ "email": "chaya@family.example" })).await.expect(202);
        let busy = "create function busy() returns trigger language plpgsql as $$ begin
                      raise exception 'canceling statement due to lock timeout' using errcode = '55P03';
                    end $$;
                    create trigger busy before insert on subscriber_tokens for each row execute function busy()";
        sqlx::raw_sql(busy).execute(pool).await.expect("a trigger");
        camp.work().await;
        let error: String = sqlx::query_scalar("select last_error from deliveries").fetch_one(pool).await.expect("an error");
        assert!(error.contains("due to lock timeout"), "{error}");
        assert_eq!(camp.mails().len(), 0);
    }
}

story! {
    async fn a_worker_on_a_machine_whose_clock_is_ahead_takes_no_mail_of_one_that_lives(camp) {
        if !matches!(camp.app.db, Db::Postgres(_)) {
            return; // Workers that share a file run on the same machine.
        }
        let staff = camp.staff().await;
        add_family(&staff, "Chaya", "chaya@family.example").await;
        take_all(&camp, camp.app.process).await;
        notifications::record_heartbeat(&camp.app).await.expect("recorded");
        for seconds in [20, 300, -300] {
            let mut other = camp.app.clone();
            other.process = Uuid::new_v4();
            other.clock = camp.app.clock.wrong_by(TimeDelta::seconds(seconds));
            notifications::record_heartbeat(&other).await.expect("recorded");
            notifications::recover(&other).await.expect("recovered");
            let leases = crate::payments::count(&camp, "select count(*) from delivery_leases").await;
            assert_eq!(leases, 1, "{seconds} seconds ahead");
            let ago = notifications::since_last_heartbeat(&camp.app).await.expect("read");
            let ago = ago.expect("a heartbeat").num_seconds();
            assert!((0..5).contains(&ago), "{ago} seconds ago");
        }
    }
}

async fn refuse(camp: &Camp, email: &str) {
    let at = camp.now().format("%Y-%m-%dT%H:%M:%S+00:00");
    write(
        camp,
        format!("insert into suppressed_addresses values ('{email}', '550 No such user', '{at}')"),
    )
    .await;
}

async fn rows(staff: &Browser, path: &str) -> Vec<Value> {
    let list = staff.get(&format!("/api/admin/mail/{path}")).await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

async fn attention(staff: &Browser, key: &str) -> usize {
    let board = staff.get("/api/admin/dashboard").await.expect(200).json();
    board["attention"][key].as_u64().expect("a number") as usize
}

fn mail(row: &Value) -> Value {
    json!({ "notification_id": row["notification_id"], "email": row["email"] })
}

async fn add_family(staff: &Browser, name: &str, email: &str) -> Value {
    let new = json!({ "full_name": name, "child_name": "Yossi", "email": email });
    staff.post("/api/admin/users", new).await.expect(201).json()
}

story! {
    async fn every_failed_mail_that_the_dashboard_counts_is_on_a_list_and_sent_again_from_it(camp) {
        let staff = camp.staff().await;
        let chaya = add_family(&staff, "Chaya", "chaya@family.example").await;
        fail_all_to(&camp, "chaya@family.example").await;
        camp.work().await;
        // Uses the date in New York, where it may still be yesterday.
        let day = (camp.now() - TimeDelta::hours(5)).format("%Y-%m-%d").to_string();
        staff.post("/api/admin/videos", json!({ "title": "Swim", "video_url": "https://youtu.be/aBcDeFgHiJk", "status": "published", "upload_date": day })).await.expect(201);
        let letter = json!({ "subject": "Come at ten", "body": "The gates open.", "audience": "families" });
        staff.post("/api/admin/letters", letter).await.expect(200);
        fail_all_to(&camp, "chaya@family.example").await;
        camp.work().await;
        refuse(&camp, "chaya@family.example").await;

        let (all, videos, other) = (rows(&staff, "failed").await, rows(&staff, "failed?about=videos").await, rows(&staff, "failed?about=other").await);
        assert_eq!(all.len(), 3);
        assert_eq!(videos.len(), 1);
        assert_eq!(other.len(), 2);
        assert_eq!(all.len(), attention(&staff, "failed_mails").await);
        assert_eq!(videos.len(), attention(&staff, "failed_video_mails").await);
        assert_eq!(videos[0]["kind"], "video");
        assert_eq!(videos[0]["title"], "Swim");
        let invitation = other.iter().find(|row| row["kind"] == "invitation").expect("it is there");
        assert_eq!(invitation["email"], "chaya@family.example");
        assert_eq!(invitation["family_id"], chaya["id"]);
        assert_eq!(invitation["refused"], true);
        assert_eq!(invitation["reason"], "554 Looks like spam");
        assert_eq!(invitation["title"], Value::Null);
        let page = staff.get("/api/admin/mail/failed?limit=2").await.expect(200).json();
        let rest = rows(&staff, &format!("failed?cursor={}", page["next"].as_str().expect("more"))).await;
        assert_eq!(rest, all[2..]);

        // Two simultaneous requests send it once, and the address gets mail again.
        let again = json!({ "mails": [mail(invitation)] });
        let (one, two) = tokio::join!(staff.post("/api/admin/mail/failed/send-again", again.clone()), staff.post("/api/admin/mail/failed/send-again", again));
        let queued = one.expect(200).json()["queued"].as_i64().unwrap_or_default() + two.expect(200).json()["queued"].as_i64().unwrap_or_default();
        assert_eq!(queued, 1);
        camp.work().await;
        let mails = camp.mails_to("chaya@family.example");
        assert_eq!(mails.len(), 1);
        assert!(mails[0].text.contains("/auth?invite="), "the link is made anew");
        assert_eq!(attention(&staff, "suppressed_addresses").await, 0);
        let left: Vec<Value> = rows(&staff, "failed").await.iter().map(mail).collect();
        assert_eq!(left.len(), 2);
        assert_eq!(attention(&staff, "failed_mails").await, 2);
        staff.post("/api/admin/mail/failed/send-again", json!({ "mails": left })).await.expect(200);
        camp.work().await;
        assert_eq!(camp.mails_to("chaya@family.example").len(), 3);
        assert_eq!(rows(&staff, "failed").await.len(), 0);
        let video = staff.get("/api/admin/videos").await.json()["items"][0]["id"].clone();
        let tally = staff.get(&format!("/api/admin/videos/{}/deliveries", video.as_str().expect("an id"))).await.expect(200).json();
        assert_eq!(tally, json!({ "queued": 0, "collected": 0, "sent": 1, "failed": 0, "suppressed": 0 }));
        let many = json!({ "mails": vec![json!({ "notification_id": video, "email": "x" }); 101] });
        staff.post("/api/admin/mail/failed/send-again", many).await.refused(422, "validation");
    }
}

story! {
    async fn a_mail_that_only_a_later_version_can_write_waits_for_it(camp) {
        let staff = camp.staff().await;
        add_family(&staff, "Chaya", "chaya@family.example").await;
        write(&camp, "update notifications set kind = 'postcard' where kind = 'invitation'".into()).await;
        camp.work().await;
        assert_eq!(camp.mails().len(), 0);
        write(&camp, "update notifications set kind = 'invitation' where kind = 'postcard'".into()).await;
        camp.wait(TimeDelta::minutes(10));
        notifications::recover(&camp.app).await.expect("recovered");
        camp.work().await;
        assert_eq!(camp.mails_to("chaya@family.example").len(), 1);
    }
}

story! {
    async fn a_worker_without_heartbeats_keeps_what_it_claimed_until_others_take_it(camp) {
        let staff = camp.staff().await;
        add_family(&staff, "Chaya", "chaya@family.example").await;
        take_all(&camp, camp.app.process).await;
        for _ in 0..2 {
            notifications::recover(&camp.app).await.expect("recovered");
            camp.wait(TimeDelta::seconds(30));
        }
        camp.work().await;
        assert_eq!(camp.mails().len(), 0, "it may be sending the mail");
        let other = camp.beside().await;
        for _ in 0..2 {
            notifications::recover(&other.app).await.expect("recovered");
            camp.wait(TimeDelta::seconds(30));
        }
        other.work().await;
        assert_eq!(other.mails_to("chaya@family.example").len(), 1);
        other.app.db.close().await;
    }
}

story! {
    async fn what_a_worker_had_sent_before_it_was_killed_is_not_sent_again(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for (name, email) in [("Chaya", "chaya@family.example"), ("Moshe", "moshe@family.example")] {
            add_family(&staff, name, email).await;
        }
        camp.work().await;
        posted(&staff, "Swim", json!({})).await;
        let killed = Uuid::new_v4();
        take_all(&camp, killed).await;
        let (lease, at) = (id(&camp, killed), moment(&camp, camp.now()));
        write(&camp, format!("insert into sent_mails select notification_id, {lease}, 1, '[\"chaya@family.example\"]', {at} from delivery_leases")).await;
        camp.work().await;
        let swims = |email| camp.mails_to(email).iter().filter(|mail| mail.subject.contains("Swim")).count();
        assert_eq!(swims("moshe@family.example"), 0, "the worker may live");
        camp.wait(TimeDelta::seconds(20));
        camp.work().await;
        assert_eq!((swims("chaya@family.example"), swims("moshe@family.example")), (0, 1));
        let video = staff.get("/api/admin/videos").await.json()["items"][0]["id"].clone();
        let tally = staff.get(&format!("/api/admin/videos/{}/deliveries", video.as_str().expect("an id"))).await.expect(200).json();
        assert_eq!(tally, json!({ "queued": 0, "collected": 0, "sent": 2, "failed": 0, "suppressed": 0 }));
    }
}

story! {
    async fn who_opts_out_gets_no_mail_that_a_worker_has_claimed(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let swims = || camp.mails_to("chaya@family.example").iter().filter(|mail| mail.subject.contains("Swim")).count();
        for (title, expected) in [("Swim", 1), ("Swim again", 1)] {
            posted(&staff, title, json!({})).await;
            take_all(&camp, camp.app.process).await;
            if title != "Swim" {
                chaya.patch("/api/profile", json!({ "daily_video_email": false })).await.expect(200);
            }
            camp.wait(TimeDelta::minutes(10));
            notifications::recover(&camp.app).await.expect("recovered");
            camp.wait(TimeDelta::minutes(1));
            notifications::recover(&camp.app).await.expect("recovered");
            camp.work().await;
            assert_eq!(swims(), expected, "{title}");
        }
    }
}

story! {
    async fn what_failed_a_week_ago_is_history(camp) {
        let staff = camp.staff().await;
        add_family(&staff, "Chaya", "chaya@family.example").await;
        fail_all_to(&camp, "chaya@family.example").await;
        camp.work().await;
        assert_eq!(rows(&staff, "failed").await.len(), 1);
        assert_eq!(attention(&staff, "failed_mails").await, 1);
        camp.wait(TimeDelta::days(8));
        let staff = camp.staff_member("adler", portal::accounts::Role::Staff).await;
        assert_eq!(rows(&staff, "failed").await.len(), 0);
        assert_eq!(attention(&staff, "failed_mails").await, 0);
    }
}

story! {
    async fn every_refused_address_is_on_a_list_until_it_is_let_through_or_corrected(camp) {
        let staff = camp.staff().await;
        let chaya = add_family(&staff, "Chaya", "chaya@family.example").await;
        add_family(&staff, "Rivka", "rivka@family.example").await;
        camp.parent("Zev", "zev@family.example").await;
        camp.browser().post("/api/subscribe", json!({ "email": "reader@town.example" })).await.expect(202);
        let token = camp.token_for("reader@town.example").await;
        camp.browser().post("/api/subscribe/confirm", json!({ "token": token })).await.expect(204);
        for email in ["chaya@family.example", "rivka@family.example", "zev@family.example", "reader@town.example", "feder@camp.example", "stranger@town.example"] {
            refuse(&camp, email).await;
            camp.wait(TimeDelta::seconds(1));
        }
        let list = rows(&staff, "refused").await;
        let shown: Vec<_> = list.iter().map(|row| (row["email"].as_str().expect("an address"), &row["family_name"], &row["staff"], &row["subscriber"])).collect();
        let (no, yes, null) = (json!(false), json!(true), Value::Null);
        assert_eq!(shown, [
            ("feder@camp.example", &null, &json!("feder"), &no),
            ("reader@town.example", &null, &null, &yes),
            ("zev@family.example", &json!("Zev"), &null, &no),
            ("rivka@family.example", &json!("Rivka"), &null, &no),
            ("chaya@family.example", &json!("Chaya"), &null, &no),
        ], "nobody writes to the stranger any more");
        assert_eq!(list.len(), attention(&staff, "suppressed_addresses").await);
        assert_eq!(list[4]["reason"], "550 No such user");
        assert_eq!(list[4]["family_id"], chaya["id"]);
        let page = staff.get("/api/admin/mail/refused?limit=2").await.expect(200).json();
        assert_eq!(rows(&staff, &format!("refused?cursor={}", page["next"].as_str().expect("more"))).await, list[2..]);

        let path = format!("/api/admin/users/{}", chaya["id"].as_str().expect("an id"));
        assert_eq!(staff.get(&path).await.json()["emails"][0]["refused"], "550 No such user");
        staff.patch(&path, json!({ "version": chaya["version"], "email": "chaya@new.example" })).await.expect(200);
        assert_eq!(staff.get(&path).await.json()["emails"][0]["refused"], Value::Null);
        let lift = |email: &str| staff.post("/api/admin/mail/refused/let-through", json!({ "email": email }));
        lift("rivka@family.example").await.expect(204);
        lift("rivka@family.example").await.refused(404, "not_found");
        assert_eq!(rows(&staff, "refused").await.len(), 3);
        assert_eq!(attention(&staff, "suppressed_addresses").await, 3);
        camp.work().await;
        let before = camp.mails_to("rivka@family.example").len();
        let letter = json!({ "subject": "Come at ten", "body": "The gates open.", "audience": "families" });
        staff.post("/api/admin/letters", letter).await.expect(200);
        camp.work().await;
        assert_eq!(camp.mails_to("rivka@family.example").len(), before + 1);
        assert!(camp.mails_to("zev@family.example").iter().all(|mail| mail.subject != "Come at ten"));
        let log = camp.owner().await.get("/api/admin/audit").await.json();
        assert!(log["items"].as_array().expect("items").iter().any(|line| line["action"] == "mail.let_through" && line["lines"] == json!([{ "field": "refused", "before": true, "after": false }])));
        assert!(!log.to_string().contains("rivka@"));
    }
}
