//! The audit log: owners search it and export it as a table.

use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, Camp, PASSWORD};

/// The actions that match a filter, newest first.
async fn found(owner: &Browser, query: &str) -> Vec<String> {
    let log = owner.get(&format!("/api/admin/audit?{query}")).await.expect(200).json();
    let items = log["items"].as_array().expect("items").iter();
    items.map(|entry| entry["action"].as_str().expect("an action").to_owned()).collect()
}

async fn product(staff: &Browser, title: &str) -> Value {
    let new =
        json!({ "title": title, "price": 1_000, "category": "clothing", "stock_quantity": 3 });
    staff.post("/api/admin/products", new).await.expect(201).json()
}

async fn priced(staff: &Browser, product: &Value, price: i64) -> Value {
    let path = format!("/api/admin/products/{}", id(product));
    let changes = json!({ "version": product["version"], "price": price });
    staff.patch(&path, changes).await.expect(200).json()
}

fn id(record: &Value) -> &str {
    record["id"].as_str().expect("an id")
}

async fn table(owner: &Browser, query: &str) -> Vec<Vec<String>> {
    let reply = owner.get(&format!("/api/admin/audit.csv?{query}")).await.expect(200);
    let text = reply.text();
    let text = text.strip_prefix('\u{feff}').expect("a mark");
    // In these tests, only values with a comma are quoted.
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// A camp in which the owner, a counselor and the command line did something on two days.
async fn two_days(camp: &Camp) -> (Browser, Value) {
    // Ten minutes to midnight in camp, where it is still July 15.
    camp.set_clock("2026-07-16T03:50:00Z");
    let (owner, feder) = (camp.owner().await, camp.staff().await);
    let cap = product(&feder, "Camp cap").await;
    let cap = priced(&feder, &cap, 1_500).await;
    camp.set_clock("2026-07-16T04:05:00Z");
    owner.patch("/api/admin/settings", json!({ "siteName": "Camp Ner" })).await.expect(200);
    camp.set("postingTimeText", "At nine").await;
    let wrong = json!({ "username": "kornbluh", "password": "not this one" });
    camp.browser().post("/api/admin/auth/sign-in", wrong).await.refused(401, "invalid_credentials");
    (owner, cap)
}

story! {
    async fn the_log_is_found_by_person_action_record_and_day(camp) {
        let (owner, cap) = two_days(&camp).await;
        assert_eq!(found(&owner, "actor=feder").await, ["product.change", "product.add", "staff.sign_in"]);
        assert_eq!(found(&owner, "actor=FEDER&action=product").await, ["product.change", "product.add"]);
        assert_eq!(found(&owner, "action=product.change").await, ["product.change"]);
        assert_eq!(found(&owner, "action=staff").await, ["staff.sign_in_refused", "staff.sign_in", "staff.add", "staff.sign_in", "staff.add"]);
        assert_eq!(found(&owner, "action=prod").await, [""; 0], "whole words only");
        assert_eq!(found(&owner, "actor_kind=operator&action=settings.set").await, ["settings.set"]);
        assert_eq!(found(&owner, "actor_kind=nobody").await, ["staff.sign_in_refused"]);
        assert_eq!(found(&owner, "actor_kind=system").await, [""; 0]);
        assert_eq!(found(&owner, "subject_kind=setting").await, ["settings.set", "settings.set"]);
        assert_eq!(found(&owner, &format!("subject_id={}", id(&cap))).await, ["product.change", "product.add"]);
        assert_eq!(found(&owner, "from=2026-07-16").await, ["staff.sign_in_refused", "settings.set", "settings.set"]);
        assert_eq!(found(&owner, "to=2026-07-15&action=product").await, ["product.change", "product.add"]);
        assert_eq!(found(&owner, "from=2026-07-15&to=2026-07-15&actor=feder&action=product.change&subject_kind=product").await, ["product.change"]);
        assert_eq!(found(&owner, "from=2026-07-17").await, [""; 0]);
        assert_eq!(found(&owner, "to=2026-07-14").await, [""; 0]);
        camp.set("timezone", "Europe/London").await;
        assert_eq!(found(&owner, "from=2026-07-16&action=product").await, ["product.change", "product.add"], "days are the camp's");
    }
}

story! {
    async fn a_line_names_who_and_what_while_they_are_there(camp) {
        let (owner, cap) = two_days(&camp).await;
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", id(&cap))).await.json();
        let line = &log["items"][0];
        approved("audit_line", line);
        let feder = line["actor_id"].as_str().expect("an id").to_owned();
        owner.delete(&format!("/api/admin/products/{}", id(&cap))).await.expect(204);
        owner.delete_with(&format!("/api/admin/accounts/{feder}"), json!({ "current_password": PASSWORD })).await.expect(204);
        let log = owner.get(&format!("/api/admin/audit?actor={feder}")).await.json();
        assert_eq!(log["items"].as_array().expect("items").len(), 3, "by its id for ever");
        assert_eq!(log["items"][0]["actor_name"], "feder", "the name of a deleted account stays");
        assert_eq!(log["items"][0]["subject_name"], Value::Null);
        assert_eq!(owner.get("/api/admin/audit?actor=Feder").await.json(), log);
        owner.get("/api/admin/audit?actor=nobody").await.refused(422, "validation");

        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let family = owner.get("/api/admin/users?q=chaya").await.json()["items"][0]["id"].clone();
        let log = owner.get("/api/admin/audit?actor_kind=user&action=user.sign_up").await.json();
        assert_eq!(log["items"][0]["actor_family"], family);
        assert_eq!(log["items"][0]["subject_family"], family);
        assert!(!log.to_string().contains("Chaya") && !log.to_string().contains("family.example"));
        drop(chaya);
    }
}

story! {
    async fn pages_neither_repeat_nor_lose_a_line(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let (owner, feder) = (camp.owner().await, camp.staff().await);
        let mut cap = product(&feder, "Camp cap").await;
        for price in 1..=7 {
            cap = priced(&feder, &cap, price).await;
        }
        let mut prices = Vec::new();
        let mut cursor = String::new();
        loop {
            let path = format!("/api/admin/audit?action=product.change&limit=3{cursor}");
            let page = owner.get(&path).await.expect(200).json();
            // New lines appear above the lines that were already read.
            cap = priced(&feder, &cap, 100).await;
            let items = page["items"].as_array().expect("items");
            prices.extend(items.iter().map(|entry| entry["lines"][0]["after"].as_i64().expect("a price")));
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(prices, [7, 6, 5, 4, 3, 2, 1]);
        owner.get("/api/admin/audit?cursor=nonsense").await.refused(422, "validation");
    }
}

story! {
    async fn a_filter_that_cannot_be_is_said_beside_its_field(camp) {
        let owner = camp.owner().await;
        for (query, field) in [
            ("from=2026-07-16&to=2026-07-15", "to"),
            ("from=0001-01-01", "from"),
            ("to=9999-12-31", "to"),
            ("actor=nobody-we-know", "actor"),
            ("action=Payment%20", "action"),
            ("subject_kind=%25", "subject_kind"),
        ] {
            let problem = owner.get(&format!("/api/admin/audit?{query}")).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], field, "{query}");
            owner.get(&format!("/api/admin/audit.csv?{query}")).await.refused(422, "validation");
        }
        for query in ["actor_kind=king", "from=yesterday", "subject_id=12", "nonsense=1"] {
            owner.get(&format!("/api/admin/audit?{query}")).await.refused(400, "bad_request");
        }
    }
}

story! {
    async fn the_menus_name_everything_that_there_is(camp) {
        let (owner, _) = two_days(&camp).await;
        let filters = owner.get("/api/admin/audit/filters").await.expect(200).json();
        let names: Vec<_> = filters["staff"].as_array().expect("staff").iter().map(|one| one["username"].clone()).collect();
        assert_eq!(names, ["feder", "kornbluh"]);
        let log = owner.get("/api/admin/audit").await.json();
        for entry in log["items"].as_array().expect("items") {
            for (menu, word) in [("actions", "action"), ("subjects", "subject_kind")] {
                assert!(filters[menu].as_array().expect("words").contains(&entry[word]), "{entry}");
            }
        }
        let feder = camp.browser();
        feder.post("/api/admin/auth/sign-in", json!({ "username": "feder", "password": crate::camp::PASSWORD })).await.expect(200);
        for path in ["/api/admin/audit", "/api/admin/audit/filters", "/api/admin/audit.csv"] {
            feder.get(path).await.refused(403, "owner_required");
            camp.browser().get(path).await.refused(401, "staff_required");
        }
    }
}

story! {
    async fn the_table_holds_what_the_filter_leaves_and_no_formula(camp) {
        camp.set_clock("2026-07-16T03:30:00Z");
        let (owner, feder) = (camp.owner().await, camp.staff().await);
        let cap = product(&feder, "=SUM(A1:A9)").await;
        priced(&feder, &cap, 1_850).await;
        let reply = owner.get("/api/admin/audit.csv?action=product.change").await.expect(200);
        assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8");
        assert!(reply.header("content-disposition").contains("audit.csv"));
        assert_eq!(reply.header("cache-control"), "no-store");
        let rows = table(&owner, "action=product.change").await;
        assert_eq!(rows[0], ["When (America/New_York)", "Who", "Kind of Person", "Person", "Action", "Kind of Record", "Record", "Name of Record", "Before", "After", "Details"]);
        assert_eq!(rows.len(), 2);
        assert!(rows[1][0].starts_with("2026-07-15 23:30:"), "{rows:?}");
        assert_eq!(&rows[1][1][..], "feder");
        assert_eq!(&rows[1][2][..], "staff");
        assert_eq!(&rows[1][4][..], "product.change");
        assert_eq!(rows[1][6], id(&cap));
        assert_eq!(rows[1][7..], ["'=SUM(A1:A9)", "price: 10.00", "price: 18.50", ""]);
        let none = table(&owner, "from=2027-01-01").await;
        assert_eq!(none.len(), 1, "the head alone");

        let log = owner.get("/api/admin/audit?action=audit.export").await.json();
        let exports = log["items"].as_array().expect("items");
        assert_eq!(exports.len(), 3);
        assert_eq!(exports[0]["lines"], json!([{ "field": "from", "after": "2027-01-01" }, { "field": "rows", "after": 0 }]));
        assert_eq!(exports[2]["lines"], json!([{ "field": "action", "after": "product.change" }, { "field": "rows", "after": 1 }]));
    }
}

story! {
    async fn a_table_of_many_pieces_is_whole(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let owner = camp.owner().await;
        for n in 0..1_203 {
            camp.set("postingTimeText", format!("Number {n}")).await;
        }
        let rows = table(&owner, "action=settings.set").await;
        let told: Vec<String> = rows[1..].iter().map(|row| row[9].clone()).collect();
        let wanted: Vec<String> = (0..1_203).rev().map(|n| format!("postingTimeText: Number {n}")).collect();
        assert_eq!(told, wanted);
        let log = owner.get("/api/admin/audit?limit=1").await.json();
        assert_eq!(log["items"][0]["lines"][1], json!({ "field": "rows", "after": 1_203 }));
    }
}

story! {
    async fn a_refused_sign_in_names_the_account_that_was_tried(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let owner = camp.owner().await;
        camp.staff().await;
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let stranger = camp.browser();
        for username in ["Feder", "  gabai\u{202e} ", "Sunshine2024", "S3cret!pa$$word", "nobody@elsewhere.example"] {
            camp.wait(chrono::TimeDelta::seconds(1));
            let wrong = json!({ "username": username, "password": "not this one" });
            stranger.post("/api/admin/auth/sign-in", wrong).await.refused(401, "invalid_credentials");
        }
        for email in ["chaya@family.example", "chaja@family.example"] {
            camp.wait(chrono::TimeDelta::seconds(1));
            let wrong = json!({ "email": email, "password": "not this one" });
            stranger.post("/api/auth/sign-in", wrong).await.refused(401, "invalid_credentials");
        }
        let log = owner.get("/api/admin/audit?actor_kind=nobody").await.expect(200).json();
        let unknown = |tried: &str| json!([{ "field": "account", "after": "unknown" }, { "field": "tried", "after": tried }]);
        let told: Vec<(&Value, &Value)> = log["items"].as_array().expect("items").iter()
            .map(|entry| (&entry["subject_name"], &entry["lines"])).collect();
        assert_eq!(told, [
            (&Value::Null, &unknown("ch…@family.example")),
            (&json!("chaya@family.example"), &json!([])),
            (&Value::Null, &unknown("no…@elsewhere.example")),
            (&Value::Null, &unknown("not a name")),
            (&Value::Null, &unknown("Su…")),
            (&Value::Null, &unknown("ga…")),
            (&json!("feder"), &json!([])),
        ]);
        let family = owner.get("/api/admin/users?q=chaya").await.json()["items"][0]["id"].clone();
        assert_eq!(log["items"][1]["subject_family"], family);
        owner.delete(&format!("/api/admin/users/{}", family.as_str().expect("an id"))).await.expect(204);
        let log = owner.get("/api/admin/audit?actor_kind=nobody").await.expect(200).text();
        assert!(!log.contains("chaya@"), "the address is gone with the family: {log}");
    }
}
