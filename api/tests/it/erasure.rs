//! Erasure of personal data after deletion and after the retention period.

use std::collections::BTreeSet;

use axum::http::Method;
use chrono::TimeDelta;
use portal::db::Db;
use portal::notifications::Category;
use portal::unsubscribe;
use portal::{messages, notifications};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::camp::{Browser, Camp, PASSWORD, address, sign_up, token};

const MOTHER: &str = "chaya.vogel@family.example";
const FATHER: &str = "moshe.vogel@family.example";
const EARLIER: &str = "chaya.earlier@family.example";

pub async fn run(camp: &Camp, text: String) {
    match &camp.app.db {
        Db::Sqlite { write, .. } => sqlx::query(AssertSqlSafe(text)).execute(write).await.map(drop),
        Db::Postgres(pool) => sqlx::query(AssertSqlSafe(text)).execute(pool).await.map(drop),
    }
    .expect("it works");
}

async fn texts(camp: &Camp, text: String) -> Vec<String> {
    match &camp.app.db {
        Db::Sqlite { read, .. } => sqlx::query_scalar(AssertSqlSafe(text)).fetch_all(read).await,
        Db::Postgres(pool) => sqlx::query_scalar(AssertSqlSafe(text)).fetch_all(pool).await,
    }
    .expect("an answer")
}

/// Every column of every table, as `table.column`.
async fn columns(camp: &Camp) -> Vec<String> {
    let text = match &camp.app.db {
        Db::Sqlite { .. } => {
            "select t.name || '.' || c.name from sqlite_master t join pragma_table_info(t.name) c
             where t.type = 'table'"
        }
        Db::Postgres(_) => {
            "select table_schema || '.' || table_name || '.' || column_name
             from information_schema.columns
             where table_schema not in ('pg_catalog', 'information_schema')
               and table_name in (select table_name from information_schema.tables
                                  where table_type = 'BASE TABLE')"
        }
    };
    texts(camp, text.to_owned()).await
}

/// The tables that contain one of the words in any column, ignoring case.
async fn tables_with(camp: &Camp, words: &[&str]) -> BTreeSet<String> {
    let all = columns(camp).await;
    assert!(all.len() > 100, "{all:?}");
    let mut found = BTreeSet::new();
    for place in all {
        let (table, column) = place.rsplit_once('.').expect("a table and a column");
        let like: Vec<String> = words
            .iter()
            .map(|word| {
                format!("lower(cast(\"{column}\" as text)) like '%{}%'", word.to_lowercase())
            })
            .collect();
        let text = format!("select '{table}' from {table} where {} limit 1", like.join(" or "));
        let name = table.rsplit('.').next().expect("a name").to_owned();
        if !texts(camp, text).await.is_empty() {
            found.insert(name);
        }
    }
    found
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn add_family(staff: &Browser, email: &str) -> Value {
    let new = json!({ "full_name": "Chaya Vogel", "child_name": "Yossele", "email": email });
    staff.post("/api/admin/users", new).await.expect(201).json()
}

fn path(family: &Value) -> String {
    format!("/api/admin/users/{}", family["id"].as_str().expect("an id"))
}

async fn contact(camp: &Camp, email: &str) {
    let form = json!({
        "name": "Chaya Vogel", "email": email, "child_name": "Yossele", "subject": "Yossele Vogel",
        "user_type": "parent", "department": "staff", "message": "Which bunk is Yossele in? Chaya Vogel",
    });
    camp.browser().post("/api/contact", form).await.expect(202);
}

async fn answer(staff: &Browser) -> Value {
    let message = staff.get("/api/admin/messages").await.json()["items"][0].clone();
    let path = format!("/api/admin/messages/{}/reply", message["id"].as_str().expect("an id"));
    staff
        .post(
            &path,
            json!({ "body": "Dear Chaya Vogel, in bunk 4.", "last_reply": null, "draft": null }),
        )
        .await
        .expect(200)
        .json()
}

async fn publish(camp: &Camp, staff: &Browser, title: &str) -> String {
    // Uses the date in New York, where it may still be yesterday.
    let day = (camp.now() - TimeDelta::hours(5)).format("%Y-%m-%d").to_string();
    let video = json!({ "title": title, "video_url": "https://youtu.be/aBcDeFgHiJk", "status": "published", "upload_date": day });
    let saved = staff.post("/api/admin/videos", video).await.expect(201).json();
    saved["video"]["id"].as_str().expect("an id").to_owned()
}

async fn deliveries(staff: &Browser, video: &str) -> Value {
    staff.get(&format!("/api/admin/videos/{video}/deliveries")).await.expect(200).json()
}

/// A family that did everything that stores personal data.
async fn lived_in(camp: &Camp, staff: &Browser) -> (Value, String) {
    let family = add_family(staff, EARLIER).await;
    camp.work().await;
    let more = json!({ "version": family["version"], "email": MOTHER, "secondary_email": FATHER });
    let family = staff.patch(&path(&family), more).await.expect(200).json();
    let mother = camp.parent("Chaya Vogel", MOTHER).await;
    camp.parent("Moshe Vogel", FATHER).await;
    let video = publish(camp, staff, "Swim").await;
    camp.work().await;
    mother
        .post(&format!("/api/videos/{video}/comments"), json!({ "content": "How lovely" }))
        .await
        .expect(201);
    contact(camp, MOTHER).await;
    answer(staff).await;
    let paid = json!({ "kind": "payment", "amount": 10_000, "payment_date": "2026-07-15" });
    let key = uuid::Uuid::new_v4().to_string();
    let payments = format!("{}/payments", path(&family));
    staff.send(Method::POST, &payments, Some(paid), &[("idempotency-key", &key)]).await.expect(201);
    mother.post("/api/auth/forgot", json!({ "email": MOTHER })).await.expect(202);
    let change = json!({ "current_password": PASSWORD, "new_email": "vogel.new@family.example" });
    mother.post("/api/auth/email", change).await.expect(202);
    camp.work().await;
    let link = unsubscribe::token(&camp.app.keys, &address(FATHER), Category::CampUpdates);
    camp.browser()
        .post("/api/unsubscribe", json!({ "token": link, "scope": "category" }))
        .await
        .expect(204);
    let at = camp.now().format("%Y-%m-%dT%H:%M:%S+00:00");
    run(camp, format!("insert into suppressed_addresses values ('{MOTHER}', '550 {MOTHER} is unknown', '{at}')")).await;
    run(camp, format!("insert into allowed_addresses values ('{MOTHER}', '{at}')")).await;
    (family, video)
}

story! {
    async fn a_deleted_family_is_found_in_no_table(camp) {
        let staff = camp.staff().await;
        let (family, video) = lived_in(&camp, &staff).await;
        let words = ["vogel", "yossele", "chaya.earlier"];
        assert!(tables_with(&camp, &words).await.is_superset(&set(&["deliveries", "messages", "profiles", "users", "suppressed_addresses", "allowed_addresses", "unsubscribes"])));
        let told = deliveries(&staff, &video).await;
        let counted = staff.get("/api/admin/messages/counts").await.expect(200).json();

        staff.delete(&path(&family)).await.expect(204);
        assert_eq!(tables_with(&camp, &words).await, set(&[]));
        assert_eq!(deliveries(&staff, &video).await, told, "the figures stay");
        assert_eq!(staff.get("/api/admin/messages/counts").await.json(), counted);
        let message = staff.get("/api/admin/messages").await.json()["items"][0].clone();
        assert_eq!(message["name"], "Former member");
        assert_eq!(message["subject"], "Removed message");
        assert_eq!(message["email"], "");
        let reply = format!("/api/admin/messages/{}/reply", message["id"].as_str().expect("an id"));
        let new = json!({ "body": "Hello?", "last_reply": message["replies"][0]["id"], "draft": null });
        staff.post(&reply, new).await.refused(409, "conflict");
        camp.work().await;
        assert_eq!(tables_with(&camp, &words).await, set(&[]));
    }
}

story! {
    async fn what_waits_for_a_deleted_family_is_not_sent(camp) {
        let staff = camp.staff().await;
        let family = add_family(&staff, MOTHER).await;
        contact(&camp, MOTHER).await;
        camp.work_without_mail().await;
        let video = publish(&camp, &staff, "Swim").await;
        staff.delete(&path(&family)).await.expect(204);
        camp.wait(TimeDelta::minutes(10));
        notifications::recover(&camp.app).await.expect("swept");
        camp.work().await;
        assert!(camp.mails_to(MOTHER).is_empty());
        assert_eq!(deliveries(&staff, &video).await, json!({ "queued": 0, "collected": 0, "sent": 0, "failed": 0, "suppressed": 1 }));
    }
}

story! {
    async fn the_mailing_list_is_a_wish_of_its_own(camp) {
        let staff = camp.staff().await;
        let family = add_family(&staff, MOTHER).await;
        camp.browser().post("/api/subscribe", json!({ "email": MOTHER })).await.expect(202);
        let token = token(&camp.mail_to(MOTHER).await);
        camp.browser().post("/api/subscribe/confirm", json!({ "token": token })).await.expect(204);
        staff.delete(&path(&family)).await.expect(204);
        assert_eq!(tables_with(&camp, &["vogel", "yossele"]).await, set(&["subscribers"]));
    }
}

story! {
    async fn who_said_stop_gets_no_mail_when_the_office_enters_the_address_again(camp) {
        let staff = camp.staff().await;
        let family = add_family(&staff, MOTHER).await;
        let link = unsubscribe::token(&camp.app.keys, &address(MOTHER), Category::DailyVideos);
        camp.browser().post("/api/unsubscribe", json!({ "token": link, "scope": "category" })).await.expect(204);
        staff.delete(&path(&family)).await.expect(204);
        assert_eq!(tables_with(&camp, &["vogel"]).await, set(&[]), "only a hash is kept");
        camp.work().await;
        let before = camp.mails_to(MOTHER).len();

        let again = add_family(&staff, MOTHER).await;
        assert_eq!(again["stopped"], json!(["daily_videos"]));
        assert_eq!(again["daily_video_email"], false);
        assert_eq!(again["email_notifications"], true);
        publish(&camp, &staff, "Swim").await;
        camp.work().await;
        let mails = camp.mails_to(MOTHER);
        assert_eq!(mails.len(), before + 1);
        assert!(mails[before].subject.starts_with("You are invited"));
    }
}

story! {
    async fn who_deletes_the_own_login_leaves_the_family_record_and_nothing_else(camp) {
        let staff = camp.staff().await;
        let family = add_family(&staff, FATHER).await;
        let more = json!({ "version": family["version"], "secondary_email": MOTHER });
        staff.patch(&path(&family), more).await.expect(200);
        let mother = camp.parent("Chaya Vogel", MOTHER).await;
        contact(&camp, MOTHER).await;
        answer(&staff).await;
        camp.work().await;
        assert!(tables_with(&camp, &["chaya.vogel"]).await.contains("messages"));
        mother.post("/api/auth/delete-account", json!({ "current_password": PASSWORD })).await.expect(204);
        camp.work().await;
        assert_eq!(tables_with(&camp, &["chaya.vogel"]).await, set(&["profile_addresses", "profiles", "unsubscribes"]));
        assert_eq!(tables_with(&camp, &["yossele"]).await, set(&["profiles"]));
    }
}

story! {
    async fn names_go_from_old_mails_and_old_messages_go(camp) {
        let staff = camp.staff().await;
        add_family(&staff, MOTHER).await;
        let video = publish(&camp, &staff, "Swim").await;
        camp.work().await;
        contact(&camp, "guest.vogel@town.example").await;
        answer(&staff).await;
        camp.work().await;
        let told = deliveries(&staff, &video).await;
        assert_eq!(told["sent"], 1);
        let forget = || async {
            notifications::erase_old(&camp.app).await.expect("forgotten");
            messages::prune(&camp.app).await.expect("pruned");
        };
        camp.wait(TimeDelta::days(390));
        forget().await;
        assert!(tables_with(&camp, &["chaya.vogel"]).await.contains("deliveries"));
        camp.wait(TimeDelta::days(10));
        forget().await;
        assert!(!tables_with(&camp, &["vogel"]).await.contains("deliveries"));
        let staff = camp.staff_member("adler", portal::accounts::Role::Staff).await;
        assert_eq!(deliveries(&staff, &video).await, told);
        let message = staff.get("/api/admin/messages").await.json()["items"][0].clone();
        assert_eq!(message["email"], "guest.vogel@town.example");
        assert_eq!(message["replies"][0]["delivery"], "sent");
        camp.wait(TimeDelta::days(340));
        forget().await;
        let staff = camp.staff_member("feld", portal::accounts::Role::Staff).await;
        assert_eq!(staff.get("/api/admin/messages").await.json()["items"], json!([]));
        assert_eq!(tables_with(&camp, &["guest.vogel"]).await, set(&[]));
    }
}

story! {
    async fn new_mails_and_a_second_sweep_lose_nothing(camp) {
        let staff = camp.staff().await;
        add_family(&staff, MOTHER).await;
        camp.work_without_mail().await;
        camp.wait(TimeDelta::days(400));
        notifications::erase_old(&camp.app).await.expect("forgotten");
        assert!(tables_with(&camp, &["chaya.vogel"]).await.contains("deliveries"), "it waits to be sent");
        notifications::erase_old(&camp.app).await.expect("forgotten");
        camp.browser().post("/api/auth/sign-up", sign_up("Perl", "perl@family.example")).await.expect(201);
        notifications::erase_old(&camp.app).await.expect("forgotten");
        assert_eq!(camp.mail_to("perl@family.example").await.to.email.to_string(), "perl@family.example");
    }
}

story! {
    async fn what_was_written_from_an_address_before_it_changed_is_still_theirs(camp) {
        let staff = camp.staff().await;
        for deleted_by_staff in [false, true] {
            let (first, second) = (format!("first{deleted_by_staff}@family.example"), format!("second{deleted_by_staff}@family.example"));
            let mother = camp.parent("Chaya Vogel", &first).await;
            contact(&camp, &first).await;
            answer(&staff).await;
            camp.wait(TimeDelta::minutes(1));
            let change = json!({ "current_password": PASSWORD, "new_email": second });
            mother.post("/api/auth/email", change).await.expect(202);
            let token = camp.token_for(&second).await;
            mother.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
            camp.work().await;
            let held = mother.get("/api/profile/download").await.expect(200).json();
            assert_eq!(held["account"]["earlier_emails"], json!([first]));
            assert_eq!(held["messages"][0]["subject"], "Yossele Vogel");
            assert_eq!(held["messages"][0]["replies"][0]["message"], "Dear Chaya Vogel, in bunk 4.");
            let kinds: Vec<_> = held["mails"].as_array().expect("mails").iter().map(|mail| mail["kind"].clone()).collect();
            assert!(kinds.contains(&json!("message_reply")), "{kinds:?}");
            match deleted_by_staff {
                false => {
                    mother.post("/api/auth/delete-account", json!({ "current_password": PASSWORD })).await.expect(204);
                }
                true => {
                    let list = staff.get(&format!("/api/admin/users?q={second}")).await.json();
                    staff.delete(&path(&list["items"][0])).await.expect(204);
                }
            }
            assert_eq!(tables_with(&camp, &[&first, "Dear Chaya Vogel", "Which bunk is Yossele"]).await, set(&[]));
        }
    }
}

story! {
    async fn what_others_write_from_an_address_that_was_left_is_theirs(camp) {
        let mother = camp.parent("Chaya Vogel", MOTHER).await;
        let change = json!({ "current_password": PASSWORD, "new_email": "chaya.new@family.example" });
        mother.post("/api/auth/email", change).await.expect(202);
        let token = camp.token_for("chaya.new@family.example").await;
        mother.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        camp.wait(TimeDelta::minutes(1));
        contact(&camp, MOTHER).await;
        let other = camp.parent("Somebody Else", MOTHER).await;
        assert_eq!(mother.get("/api/profile/download").await.json()["messages"], json!([]));
        mother.post("/api/auth/delete-account", json!({ "current_password": PASSWORD })).await.expect(204);
        assert_eq!(other.get("/api/profile/download").await.json()["messages"][0]["subject"], "Yossele Vogel");
    }
}

story! {
    async fn an_opt_out_of_an_address_that_nobody_has_is_only_a_hash(camp) {
        let staff = camp.staff().await;
        let family = add_family(&staff, MOTHER).await;
        staff.delete(&path(&family)).await.expect(204);
        let link = unsubscribe::token(&camp.app.keys, &address(MOTHER), Category::DailyVideos);
        camp.browser().post("/api/unsubscribe", json!({ "token": link, "scope": "category" })).await.expect(204);
        camp.browser().post("/api/subscribe", json!({ "email": FATHER })).await.expect(202);
        let token = token(&camp.mail_to(FATHER).await);
        camp.browser().post("/api/subscribe/confirm", json!({ "token": token })).await.expect(204);
        let link = unsubscribe::token(&camp.app.keys, &address(FATHER), Category::General);
        camp.browser().post("/api/unsubscribe", json!({ "token": link, "scope": "category" })).await.expect(204);
        let found = tables_with(&camp, &["vogel"]).await;
        assert!(found.is_subset(&set(&["deliveries"])), "{found:?}");
        // The opt-out still holds when the office enters the address again.
        assert_eq!(add_family(&staff, MOTHER).await["stopped"], json!(["daily_videos"]));
    }
}

story! {
    async fn the_response_to_a_payment_is_kept_for_a_week(camp) {
        let staff = camp.staff().await;
        let family = add_family(&staff, MOTHER).await;
        let paid = json!({ "kind": "payment", "amount": 10_000, "payment_date": "2026-07-15", "staff_notes": "Zeide paid" });
        let key = uuid::Uuid::new_v4().to_string();
        let payments = format!("{}/payments", path(&family));
        staff.send(Method::POST, &payments, Some(paid), &[("idempotency-key", &key)]).await.expect(201);
        assert!(tables_with(&camp, &["zeide"]).await.contains("payment_requests"));
        camp.wait(TimeDelta::days(8));
        portal::idempotency::prune(&camp.app).await.expect("pruned");
        portal::payments::prune(&camp.app).await.expect("pruned");
        assert_eq!(tables_with(&camp, &["zeide"]).await, set(&["payments"]));
    }
}

story! {
    async fn a_deleted_staff_account_leaves_its_name_in_one_table_only(camp) {
        let owner = camp.owner().await;
        let new = json!({ "username": "zalmen", "email": "zalmen@camp.example", "role": "owner", "password": "lanterns over the lake", "current_password": PASSWORD });
        let account = owner.post("/api/admin/accounts", new).await.expect(201).json();
        let account = format!("/api/admin/accounts/{}", account["id"].as_str().expect("an id"));
        owner.post(&format!("{account}/reset"), json!({ "current_password": PASSWORD })).await;
        camp.work().await;
        assert!(tables_with(&camp, &["zalmen"]).await.is_superset(&set(&["deliveries", "notifications", "staff"])));
        owner.send(Method::DELETE, &account, Some(json!({ "current_password": PASSWORD })), &[]).await.expect(204);
        assert_eq!(tables_with(&camp, &["zalmen"]).await, set(&["former_staff"]));
        assert_eq!(tables_with(&camp, &["zalmen@camp.example"]).await, set(&[]));
    }
}

story! {
    async fn an_imported_family_that_was_merged_is_found_in_no_table(camp) {
        let staff = camp.staff().await;
        let kept = add_family(&staff, FATHER).await;
        let table = json!({ "csv": format!("name,child,email\nChaya Vogel,Yossele,{MOTHER}\n") });
        staff.post("/api/admin/users/import", table).await.expect(200);
        let list = staff.get(&format!("/api/admin/users?q={MOTHER}")).await.json();
        let dropped = list["items"][0].clone();
        let merge = json!({ "keep": kept["id"], "drop": dropped["id"], "total": "sum", "preview": false });
        staff.post("/api/admin/users/merge", merge).await.expect(200);
        staff.delete(&path(&kept)).await.expect(204);
        assert_eq!(tables_with(&camp, &["vogel", "yossele"]).await, set(&[]));
    }
}
