//! Imports of families: a preview shows the changes, only selected families change, and an import
//! can be undone for a day.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::Browser;
use crate::payments::{assert_books_agree, count};

pub const IMPORT: &str = "/api/admin/users/import";
const HEAD: &str = "name,child,email,second email,total,paid,due date\n";

pub async fn send(staff: &Browser, body: Value) -> Value {
    staff.post(IMPORT, body).await.expect(200).json()
}

async fn import(staff: &Browser, rows: &str) -> Value {
    send(staff, json!({ "csv": format!("{HEAD}{rows}") })).await
}

pub async fn preview(staff: &Browser, rows: &str) -> Value {
    send(staff, json!({ "csv": format!("{HEAD}{rows}"), "dry_run": true })).await
}

pub async fn family(staff: &Browser, q: &str) -> Value {
    staff.get(&format!("/api/admin/users?q={q}")).await.expect(200).json()["items"][0].clone()
}

async fn undo(staff: &Browser, report: &Value) -> Value {
    let id = report["id"].as_str().expect("an import to undo");
    staff.post(&format!("/api/admin/users/imports/{id}/undo"), json!({})).await.expect(200).json()
}

fn tick(change: &Value) -> Value {
    json!({ "id": change["id"], "version": change["version"] })
}

async fn total_families(staff: &Browser) -> i64 {
    staff.get("/api/admin/users/summary").await.json()["total_users"].as_i64().expect("a number")
}

story! {
    async fn families_that_are_there_change_only_where_somebody_ticked_them(camp) {
        let staff = camp.staff().await;
        import(&staff, "Chaya,Yossi,chaya@family.example,,2800,,2026-07-01\nRivka,Moishe,rivka@family.example,,2800,,\nZev,Dovid,zev@family.example,,2800,,\n").await;
        let rows = "Chaya Weiss,Yossi,chaya@family.example,office@family.example,1400,,2026-08-01\nRivka Braun,Moishe,rivka@family.example,,1400,,\nZev,Dovid,zev@family.example,,2800,,\nNew,Leib,new@family.example,,2800,,\n";
        let seen = preview(&staff, rows).await;
        approved("import_preview", &seen);
        let change = &seen["changes"][0];
        assert_eq!(total_families(&staff).await, 3, "a preview changes nothing");

        let untouched = import(&staff, rows).await;
        assert_eq!(untouched["added"], 1);
        assert_eq!(untouched["updated"], 0);
        assert_eq!(untouched["differing"], 2);
        assert_eq!(family(&staff, "chaya").await["full_name"], "Chaya");
        assert_eq!(family(&staff, "rivka").await["plan"]["total_amount"], 280_000);

        let done = send(&staff, json!({ "csv": format!("{HEAD}{rows}"), "update": [tick(change)] })).await;
        approved("import_of_one_ticked_family", &done);
        let chaya = family(&staff, "chaya").await;
        assert_eq!(chaya["full_name"], "Chaya Weiss");
        assert_eq!(chaya["secondary_email"], "office@family.example");
        assert_eq!(chaya["plan"]["total_amount"], 140_000);
        assert_eq!(chaya["plan"]["due_date"], "2026-08-01");
        assert_eq!(family(&staff, "rivka").await["full_name"], "Rivka");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn what_is_done_is_what_was_shown(camp) {
        let staff = camp.staff().await;
        import(&staff, "Chaya,Yossi,chaya@family.example,,2800,,\nRivka,Moishe,rivka@family.example,,2800,,\n").await;
        let rows = "Chaya Weiss,Yossi,chaya@family.example,,,,\nRivka,Moishe,rivka@family.example,,,,\nNew,Leib,new@family.example,,,,\n";
        let seen = preview(&staff, rows).await;
        // In the meantime one family is changed and the other deleted.
        let (chaya, rivka) = (family(&staff, "chaya").await, family(&staff, "rivka").await);
        let path = |family: &Value| format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        staff.patch(&path(&chaya), json!({ "version": chaya["version"], "child_name": "Yossi & Leib" })).await.expect(200);
        staff.delete(&path(&rivka)).await.expect(204);
        let lines: Vec<_> = seen["new_families"].as_array().expect("a list").iter().map(|row| row["line"].clone()).collect();
        let done = send(&staff, json!({ "csv": format!("{HEAD}{rows}"), "update": [tick(&seen["changes"][0])], "add": lines })).await;
        assert_eq!(done["added"], 1, "{done}");
        assert_eq!(done["updated"], 0, "{done}");
        assert_eq!(done["differing"], 1, "{done}");
        assert_eq!(done["changes"][0]["outcome"], "changed_meanwhile");
        assert_eq!(done["problems"][0]["line"], 3);
        assert_eq!(done["problems"].as_array().expect("a list").len(), 1);
        let chaya = family(&staff, "chaya").await;
        assert_eq!(chaya["full_name"], "Chaya");
        assert_eq!(chaya["child_name"], "Yossi & Leib");
        assert_eq!(total_families(&staff).await, 2);
    }
}

story! {
    async fn a_family_is_the_same_when_its_email_is_filled_in_or_left_out(camp) {
        let staff = camp.staff().await;
        import(&staff, "Gitty Noaddress,Kid N,,,2800,,\nChaya,Yossi,chaya@family.example,,2800,,\n").await;
        let rows = "gitty noaddress,Kid N,gitty@family.example,,2800,,\nChaya,Yossi,,,2800,,\n";
        let seen = preview(&staff, rows).await;
        assert_eq!((&seen["added"], &seen["differing"], &seen["skipped"]), (&json!(0), &json!(1), &json!(1)), "{seen}");
        let change = &seen["changes"][0];
        assert_eq!(change["fields"], json!(["full_name", "email"]));
        assert_eq!(change["after"]["email"], "gitty@family.example");
        assert_eq!(import(&staff, rows).await["added"], 0, "also when nobody ticked it");
        let done = send(&staff, json!({ "csv": format!("{HEAD}{rows}"), "update": [tick(change)] })).await;
        assert_eq!(done["updated"], 1, "{done}");
        assert_eq!(total_families(&staff).await, 2);
        assert_eq!(family(&staff, "gitty").await["email"], "gitty@family.example");
        assert_eq!(family(&staff, "chaya").await["email"], "chaya@family.example", "an empty cell erases nothing");
        assert_eq!(import(&staff, rows).await["skipped"], 2);

        // Somebody who signed up under a known name and waits for approval is not the camp's
        // family.
        camp.parent("Perl", "perl@family.example").await;
        assert_eq!(preview(&staff, "Perl,Yossi,,,,,\n").await["added"], 1);
    }
}

story! {
    async fn families_with_the_same_names_are_told_apart_by_their_emails(camp) {
        let staff = camp.staff().await;
        let rows = "Chaya,Yossi,one@family.example,,2800,,\nChaya,Yossi,two@family.example,,2800,,\n";
        let seen = import(&staff, rows).await;
        assert_eq!(seen["added"], 2, "{seen}");
        assert_eq!(seen["new_families"][0]["namesake_email"], Value::Null);
        assert_eq!(seen["new_families"][1]["namesake_email"], "one@family.example");
        assert_eq!(import(&staff, rows).await["skipped"], 2);

        let seen = preview(&staff, "Chaya,Yossi,,,1400,,\n").await;
        assert_eq!((&seen["added"], &seen["differing"]), (&json!(0), &json!(0)), "{seen}");
        assert_eq!(seen["problems"][0]["line"], 2);
        assert_eq!(seen["problems"][0]["column"], "name");
        let says = seen["problems"][0]["message"].as_str().expect("a sentence");
        assert!(says.starts_with("2 families are called “Chaya”, with the child “Yossi”."), "{says}");

        // Of two rows with different emails, the first one fills in the email of the family that
        // has none.
        import(&staff, "Zev,Dovid,,,2800,,\n").await;
        let rows = "Zev,Dovid,zev@family.example,,2800,,\nZev,Dovid,other@family.example,,2800,,\n";
        for report in [preview(&staff, rows).await, import(&staff, rows).await] {
            assert_eq!((&report["added"], &report["differing"]), (&json!(1), &json!(1)), "{report}");
            assert_eq!(report["new_families"][0]["namesake_email"], "zev@family.example", "{report}");
        }
    }
}

story! {
    async fn a_new_family_has_paid_at_most_its_total(camp) {
        let staff = camp.staff().await;
        let rows = "Chaya,Yossi,chaya@family.example,,2800,28000,\nRivka,Moishe,rivka@family.example,,2800,2800,\n";
        let seen = preview(&staff, rows).await;
        assert_eq!(seen["added"], 1, "{seen}");
        assert_eq!(seen["new_families"][0]["paid_amount"], 280_000);
        let message = "This is more than the total of $2,800. Please correct it, or import the family with the total as paid and record the rest as credit.";
        assert_eq!(seen["problems"], json!([{ "line": 2, "column": "paid", "message": message }]));
        let table = "name,child,paid\nZev,Dovid,2900\n";
        assert_eq!(send(&staff, json!({ "csv": table })).await["problems"][0]["column"], "paid", "more than the default total");
        let unreadable = "name,child,email,total,due date\nChaya,Yossi,chaya@family.example,2.800,2027-07-01\n";
        let seen = send(&staff, json!({ "csv": unreadable })).await;
        let parts = unreadable.replace("2.800", "933.333333");
        let seen_parts = send(&staff, json!({ "csv": parts, "dry_run": true })).await;
        assert_eq!(seen_parts["problems"][0]["message"], "“933.333333” has parts of a cent. Please round it.");
        let euros = send(&staff, json!({ "csv": unreadable.replace("2.800", "€933"), "dry_run": true })).await;
        assert_eq!(euros["problems"][0]["message"], "“€933” is in another currency than the camp's, which is USD.");
        let message = "“2.800” is not a valid amount.";
        assert_eq!(seen["problems"], json!([{ "line": 2, "column": "total", "message": message }]), "not that it is missing");
        // “Paid” applies only to new families, so it makes no difference for others.
        import(&staff, rows).await;
        let seen = import(&staff, "Rivka,Moishe,rivka@family.example,,2800,28000,\n").await;
        assert_eq!((&seen["skipped"], &seen["problems"]), (&json!(1), &json!([])), "{seen}");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn another_paid_amount_of_a_known_family_is_counted_and_changes_nothing(camp) {
        let staff = camp.staff().await;
        let rows = "Rivka,Moishe,rivka@family.example,,2800,700,\n";
        import(&staff, rows).await;
        assert_eq!(preview(&staff, rows).await["paid_otherwise"], 0);
        assert_eq!(preview(&staff, "Rivka,Moishe,rivka@family.example,,2800,,\n").await["paid_otherwise"], 0);
        let seen = preview(&staff, "Rivka,Moishe,rivka@family.example,,2800,0,\n").await;
        assert_eq!((&seen["paid_otherwise"], &seen["skipped"]), (&json!(1), &json!(1)), "{seen}");
    }
}

story! {
    async fn a_problem_of_a_row_is_the_same_in_the_preview_and_in_the_result(camp) {
        let staff = camp.staff().await;
        let csv = format!("{HEAD}Ada,A,a@family.example,,2800,3000,\nBina,B,b@family.example,,2800,,\n");
        let seen = send(&staff, json!({ "csv": csv, "dry_run": true })).await;
        let done = send(&staff, json!({ "csv": csv, "add": [3] })).await;
        assert_eq!(done["added"], 1, "{done}");
        assert_eq!(seen["problems"], done["problems"]);
    }
}

story! {
    async fn an_import_is_undone_as_if_it_had_not_been(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        import(&staff, "Chaya,Yossi,chaya@family.example,,2800,1000,2026-07-01\nZev,Dovid,zev@family.example,,,,\n").await;
        let before = [family(&staff, "chaya").await, family(&staff, "zev").await];
        let revenue = staff.get("/api/admin/users/summary").await.json()["total_revenue"].clone();
        let rows = "Chaya Weiss,Leib,chaya@family.example,office@family.example,1400,,2026-08-01\nZev,Dovid,zev@family.example,,900,,2026-08-01\nNew,Shaya,new@family.example,,2800,700,\nPlain,Berl,,,,,\n";
        let seen = preview(&staff, rows).await;
        let ticks: Vec<_> = seen["changes"].as_array().expect("a list").iter().map(tick).collect();
        let done = send(&staff, json!({ "csv": format!("{HEAD}{rows}"), "update": ticks })).await;
        assert_eq!(done["added"], 2, "{done}");
        assert_eq!(done["updated"], 2, "{done}");
        // The queued invitation is canceled.
        let new = family(&staff, "new%40family").await;
        staff.post(&format!("/api/admin/users/{}/invite", new["id"].as_str().expect("an id")), json!({})).await.expect(202);
        let list = staff.get("/api/admin/users/imports").await.expect(200).json();
        assert_eq!(list["items"][0]["id"], done["id"]);
        assert_eq!(list["items"][0]["added"], 2);
        assert_eq!(list["items"][0]["undone_at"], Value::Null);

        let undone = undo(&staff, &done).await;
        assert_eq!(undone, json!({ "removed": 2, "restored": 2, "skipped": [] }));
        let after = [family(&staff, "chaya").await, family(&staff, "zev").await];
        for (before, after) in before.iter().zip(&after) {
            for field in ["full_name", "child_name", "email", "secondary_email"] {
                assert_eq!(before[field], after[field], "{field}");
            }
            for field in ["total_amount", "paid_amount", "due_date", "badge"] {
                assert_eq!(before["plan"][field], after["plan"][field], "{field}");
            }
        }
        let summary = staff.get("/api/admin/users/summary").await.json();
        assert_eq!(summary["total_users"], 2);
        assert_eq!(&summary["total_revenue"], &revenue);
        camp.work().await;
        assert!(camp.mails_to("new@family.example").is_empty());
        assert_books_agree(&camp).await;
        let id = done["id"].as_str().expect("an id");
        staff.post(&format!("/api/admin/users/imports/{id}/undo"), json!({})).await.refused(409, "conflict");
        let log = owner.get("/api/admin/audit?action=profile.undo_import").await.json();
        assert_eq!(log["items"].as_array().expect("a list").len(), 1);
        // Everything can be imported again.
        assert_eq!(import(&staff, rows).await["added"], 2);
    }
}

story! {
    async fn undoing_leaves_a_family_alone_that_was_used_since(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        let done = import(&staff, "Chaya,Yossi,chaya@family.example,,2800,,\nRivka,Moishe,rivka@family.example,,2800,,\nZev,Dovid,zev@family.example,,2800,,\nMalka,Chaim,malka@family.example,,2800,,\nPerl,Pinny,perl@family.example,,2800,,\n").await;
        camp.parent("Chaya", "chaya@family.example").await;
        let path = |family: &Value| format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let rivka = family(&staff, "rivka").await;
        let key = uuid::Uuid::new_v4().to_string();
        let paid = json!({ "kind": "payment", "amount": 1_000, "payment_date": "2026-07-15" });
        staff.send(axum::http::Method::POST, &format!("{}/payments", path(&rivka)), Some(paid), &[("idempotency-key", &key)]).await.expect(201);
        let zev = family(&staff, "zev").await;
        staff.patch(&path(&zev), json!({ "version": zev["version"], "child_name": "Dovid & Leib" })).await.expect(200);
        staff.delete(&path(&family(&staff, "malka").await)).await.expect(204);

        let undone = undo(&staff, &done).await;
        assert_eq!(undone["removed"], 1, "{undone}");
        assert_eq!(undone["restored"], 0, "{undone}");
        let said: Vec<_> = undone["skipped"].as_array().expect("a list").iter().map(|one| format!("{}: {}", one["full_name"].as_str().expect("a name"), one["reason"].as_str().expect("a reason"))).collect();
        assert_eq!(said, ["Chaya: Someone has signed in as this family since.", "Rivka: Its ledger has changed since.", "Zev: It was changed since."]);
        assert_eq!(total_families(&staff).await, 3);
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn two_imports_can_be_undone_from_the_last_to_the_first(camp) {
        let staff = camp.staff().await;
        let first = import(&staff, "Chaya,Yossi,chaya@family.example,,2800,,\n").await;
        let changes = json!({ "csv": format!("{HEAD}Chaya,Yossi,chaya@family.example,,1400,,\n"), "update": "all" });
        let change = preview(&staff, "Chaya,Yossi,chaya@family.example,,1400,,\n").await["changes"][0].clone();
        let second = json!({ "csv": changes["csv"], "update": [tick(&change)] });
        let second = send(&staff, second).await;
        assert_eq!(second["updated"], 1, "{second}");
        assert_eq!(undo(&staff, &second).await["restored"], 1);
        let undone = undo(&staff, &first).await;
        assert_eq!((&undone["removed"], &undone["skipped"]), (&json!(1), &json!([])), "{undone}");
        assert_eq!(total_families(&staff).await, 0);

        // A family that somebody changed in between is not removed.
        let first = import(&staff, "Rivka,Moishe,rivka@family.example,,2800,,\n").await;
        let change = preview(&staff, "Rivka,Moishe,rivka@family.example,,1400,,\n").await["changes"][0].clone();
        let second = send(&staff, json!({ "csv": format!("{HEAD}Rivka,Moishe,rivka@family.example,,1400,,\n"), "update": [tick(&change)] })).await;
        let rivka = family(&staff, "rivka").await;
        let path = format!("/api/admin/users/{}", rivka["id"].as_str().expect("an id"));
        staff.patch(&path, json!({ "version": rivka["version"], "daily_video_email": false })).await.expect(200);
        assert_eq!(undo(&staff, &second).await["restored"], 1);
        let undone = undo(&staff, &first).await;
        assert_eq!(undone["skipped"][0]["reason"], "It was changed since.", "{undone}");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn after_a_day_an_import_stays_and_its_earlier_details_are_forgotten(camp) {
        let staff = camp.staff().await;
        let done = import(&staff, "Chaya,Yossi,chaya@family.example,,2800,,\n").await;
        camp.wait(TimeDelta::hours(25));
        let staff = camp.staff_member("later", portal::accounts::Role::Staff).await;
        assert_eq!(staff.get("/api/admin/users/imports").await.expect(200).json()["items"], json!([]));
        let id = done["id"].as_str().expect("an id");
        staff.post(&format!("/api/admin/users/imports/{id}/undo"), json!({})).await.refused(404, "not_found");
        portal::family_admin::import::prune(&camp.app).await.expect("pruned");
        assert_eq!(count(&camp, "select count(*) from family_import_rows").await, 0);
        assert_eq!(total_families(&staff).await, 1);
    }
}

story! {
    async fn a_merge_of_two_plans_asks_which_total_stays(camp) {
        let staff = camp.staff().await;
        for (at, (choice, total)) in [("keep", 280_000), ("drop", 140_000), ("sum", 420_000)].into_iter().enumerate() {
            import(&staff, &format!("Chaya{at},Yossi,chaya{at}@family.example,,2800,1000,\nShimon{at},Moishe,shimon{at}@family.example,,1400,400,\n")).await;
            let (keep, drop) = (family(&staff, &format!("chaya{at}")).await, family(&staff, &format!("shimon{at}")).await);
            let mut ask = json!({ "keep": keep["id"], "drop": drop["id"] });
            let problem = staff.post("/api/admin/users/merge", ask.clone()).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], "total");
            ask["preview"] = json!(true);
            let seen = staff.post("/api/admin/users/merge", ask.clone()).await.expect(200).json();
            assert_eq!(seen["totals"], json!({ "keep": 280_000, "drop": 140_000 }));
            assert_eq!(seen["plan"], Value::Null);
            ask["total"] = json!(choice);
            let seen = staff.post("/api/admin/users/merge", ask.clone()).await.expect(200).json();
            ask["preview"] = json!(false);
            assert_eq!(staff.post("/api/admin/users/merge", ask).await.expect(200).json(), seen);
            assert_eq!(seen["plan"]["total_amount"], json!(total), "{choice}");
            assert_eq!(seen["plan"]["paid_amount"], 140_000, "{choice}");
        }
        // If only one family has a plan, there is nothing to choose.
        import(&staff, "Zev,Dovid,zev@family.example,,,,\nMalka,Chaim,malka@family.example,,900,,\n").await;
        let both = json!({ "keep": family(&staff, "zev").await["id"], "drop": family(&staff, "malka").await["id"] });
        let merged = staff.post("/api/admin/users/merge", both).await.expect(200).json();
        assert_eq!(merged["plan"]["total_amount"], 90_000);
        assert_eq!(merged["totals"], Value::Null);
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn the_same_file_after_a_merge_brings_nobody_back(camp) {
        let staff = camp.staff().await;
        let rows = "Chaya Lindenfeld,Yossi,chaya@family.example,c2@family.example,2800,,\nShimon Lindenfeld,Moishe,shimon@family.example,s2@family.example,1400,,\nZev,Dovid,,,900,,\nZev Braun,Leib,,,900,,\n";
        assert_eq!(import(&staff, rows).await["added"], 4);
        for (keep, drop) in [("chaya", "shimon"), ("zev%20dovid", "zev%20braun")] {
            let both = json!({ "keep": family(&staff, keep).await["id"], "drop": family(&staff, drop).await["id"], "total": "keep" });
            staff.post("/api/admin/users/merge", both).await.expect(200);
        }
        let seen = preview(&staff, rows).await;
        assert_eq!(seen["added"], 0, "{seen}");
        assert_eq!(seen["differing"], 0, "{seen}");
        assert_eq!(seen["skipped"], 4, "{seen}");
        assert_eq!(seen["problems"], json!([]), "{seen}");
        let merged: Vec<_> = seen["merged"].as_array().expect("a list").iter().map(|row| format!("{} {} > {}", row["line"], row["full_name"].as_str().expect("a name"), row["into_name"].as_str().expect("a name"))).collect();
        assert_eq!(merged, ["2 Chaya Lindenfeld > Chaya Lindenfeld", "3 Shimon Lindenfeld > Chaya Lindenfeld", "4 Zev > Zev", "5 Zev Braun > Zev"]);
        import(&staff, rows).await;
        assert_eq!(total_families(&staff).await, 2);
        assert_eq!(family(&staff, "chaya").await["child_name"], "Yossi & Moishe");
        // After another merge and a deletion, the merged family's identity is erased.
        import(&staff, "Perl,Pinny,perl@family.example,,100,,\n").await;
        let (perl, chaya) = (family(&staff, "perl").await, family(&staff, "chaya").await);
        staff.post("/api/admin/users/merge", json!({ "keep": perl["id"], "drop": chaya["id"], "total": "keep" })).await.expect(200);
        assert_eq!(preview(&staff, rows).await["added"], 0);
        staff.delete(&format!("/api/admin/users/{}", perl["id"].as_str().expect("an id"))).await.expect(204);
        assert_eq!(preview(&staff, rows).await["added"], 2);
        assert_eq!(count(&camp, "select count(*) from merged_identities where kind = 'email'").await, 0);
    }
}

story! {
    async fn importing_and_undoing_is_for_the_staff_of_this_site_only(camp) {
        let staff = camp.staff().await;
        let done = import(&staff, "Chaya,Yossi,chaya@family.example,,2800,,\n").await;
        let path = format!("/api/admin/users/imports/{}/undo", done["id"].as_str().expect("an id"));
        let parent = camp.parent("Perl", "perl@family.example").await;
        for browser in [camp.browser(), parent] {
            browser.post(IMPORT, json!({ "csv": "name,child\nA,B\n" })).await.refused(401, "staff_required");
            browser.post(&path, json!({})).await.refused(401, "staff_required");
            browser.get("/api/admin/users/imports").await.refused(401, "staff_required");
        }
        let evil = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")];
        for path in [IMPORT, path.as_str()] {
            staff.send(axum::http::Method::POST, path, Some(json!({ "csv": "name,child\nA,B\n" })), &evil).await.refused(403, "forbidden");
        }
        assert_eq!(total_families(&staff).await, 2);
    }
}

story! {
    async fn a_family_that_signed_up_before_the_list_came_is_approved_by_it(camp) {
        camp.set("access", "families").await;
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        camp.parent("Rivka", "rivka@family.example").await;
        let rivka = family(&staff, "rivka").await["id"].as_str().expect("an id").to_owned();
        staff.post(&format!("/api/admin/users/{rivka}/refuse"), json!({})).await.expect(200);
        let rows = "Chaya,Yossi,chaya@family.example,,,,\nRivka,Yossi,rivka@family.example,,,,\n";
        let seen = preview(&staff, rows).await;
        let [change] = &seen["changes"].as_array().expect("changes")[..] else { panic!("{seen}") };
        assert_eq!(change["fields"], json!(["standing"]), "whom staff refused stays refused");
        assert_eq!((&change["before"]["standing"], &change["after"]["standing"]), (&json!("waiting"), &json!("approved")));
        assert_eq!(import(&staff, rows).await["updated"], 0, "nobody ticked it");
        assert_eq!(chaya.get("/api/session").await.json()["user"]["awaiting_approval"], true);

        let done = send(&staff, json!({ "csv": format!("{HEAD}{rows}"), "update": [tick(change)] })).await;
        assert_eq!(done["updated"], 1);
        assert_eq!(chaya.get("/api/session").await.json()["user"]["family"], true);
        camp.work().await;
        let told = |mail: &portal::mail::Mail| mail.subject.starts_with("Welcome");
        assert_eq!(camp.mails_to("chaya@family.example").iter().filter(|mail| told(mail)).count(), 1);
        assert_eq!(import(&staff, rows).await["skipped"], 2);

        assert_eq!(undo(&staff, &done).await["restored"], 1);
        assert_eq!(chaya.get("/api/session").await.json()["user"]["awaiting_approval"], true);
        camp.work().await;
        assert_eq!(camp.mails_to("chaya@family.example").iter().filter(|mail| told(mail)).count(), 1);
    }
}

story! {
    async fn of_an_import_and_an_edit_of_one_family_at_the_same_moment_one_wins(camp) {
        let staff = camp.staff().await;
        for n in 0..20 {
            import(&staff, &format!("Chaya {n},Yossi,chaya{n}@family.example,,2800,,\n")).await;
            let rows = format!("From the table,Yossi,chaya{n}@family.example,,2800,,\n");
            let seen = preview(&staff, &rows).await;
            let known = family(&staff, &format!("chaya{n}@")).await;
            let path = format!("/api/admin/users/{}", known["id"].as_str().expect("an id"));
            let (done, edited) = tokio::join!(
                send(&staff, json!({ "csv": format!("{HEAD}{rows}"), "update": [tick(&seen["changes"][0])] })),
                staff.patch(&path, json!({ "version": known["version"], "full_name": "By hand" })),
            );
            let is_edited = edited.status == 200;
            assert_eq!(done["updated"], json!(i32::from(!is_edited)), "{done} {}", edited.text());
            let name = if is_edited { "By hand" } else { "From the table" };
            assert_eq!(family(&staff, &format!("chaya{n}@")).await["full_name"], name);
        }
    }
}

story! {
    async fn an_import_that_is_undone_while_a_payment_is_recorded_loses_no_payment(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        for n in 0..20 {
            let done = import(&staff, &format!("Chaya {n},Yossi,chaya{n}@family.example,,2800,,\n")).await;
            let known = family(&staff, &format!("chaya{n}@")).await;
            let known = crate::payments::Family { id: known["id"].as_str().expect("an id").to_owned() };
            let (undone, paid) = tokio::join!(
                undo(&staff, &done),
                crate::payments::record(&staff, &known, crate::payments::payment(1_000)),
            );
            let is_paid = paid.status == 201;
            assert_eq!(undone["removed"], json!(i32::from(!is_paid)), "{undone} {}", paid.text());
        }
        assert_books_agree(&camp).await;
    }
}
