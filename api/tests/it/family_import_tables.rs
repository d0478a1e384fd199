//! Reads tables of families: with the column names that offices use, and in the files of any
//! spreadsheet program.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::{WINDOWS_1252, WINDOWS_1255};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, sign_up};
use crate::family_imports::{IMPORT, family, preview, send};

fn file(bytes: &[u8]) -> Value {
    json!({ "file": STANDARD.encode(bytes), "dry_run": true })
}

story! {
    async fn a_type_is_parent_or_visitor(camp) {
        let staff = camp.staff().await;
        let table = "name,child,type\nChaya,Yossi,Parent\nRivka,,VISITOR\nZev,Dovid,\nPerl,Pinny,vistor\n";
        let seen = send(&staff, json!({ "csv": table })).await;
        assert_eq!((&seen["added"], &seen["skipped"], &seen["visitors"]), (&json!(2), &json!(0), &json!(1)), "{seen}");
        let message = "“vistor” is not a type. Please enter “parent” or “visitor”, or give the column another name.";
        assert_eq!(seen["problems"], json!([{ "line": 5, "column": "type", "message": message }]));
    }
}

story! {
    async fn the_columns_of_an_office_are_known_and_what_is_unclear_is_asked(camp) {
        let staff = camp.staff().await;
        let table = "Parent Name,Camper Name,Email 1,Email 2,Total Tuition,Amount Paid\nYoel Katz,Moshe,yoel@family.example,raizel@family.example,\"$3,600.00\",\"$1,200.00\"\n";
        let seen = send(&staff, json!({ "csv": table, "dry_run": true })).await;
        let new = &seen["new_families"][0];
        assert_eq!((&new["email"], &new["secondary_email"]), (&json!("yoel@family.example"), &json!("raizel@family.example")), "{seen}");
        assert_eq!((&new["total_amount"], &new["paid_amount"]), (&json!(360_000), &json!(120_000)), "{seen}");
        assert_eq!((&seen["unknown_columns"], &seen["problems"]), (&json!([]), &json!([])));
        let yiddish = "נאָמען,קינדער,אימעיל,סך־הכל,באַצאָלט\nכץ,משה,yoel@family.example,3600,1200\n";
        let seen = send(&staff, json!({ "csv": yiddish, "dry_run": true })).await;
        assert_eq!((&seen["added"], &seen["new_families"][0]["paid_amount"]), (&json!(1), &json!(120_000)), "{seen}");

        let json = send(&staff, json!({ "csv": r#"[{"name":"Yoel Katz","child":"Moshe","email 1":"yoel@family.example","total tuition":3600}]"#, "dry_run": true })).await;
        assert_eq!(json["new_families"][0]["total_amount"], 360_000, "{json}");
        for json in [r#"[{"name":"Yoel Katz","child":"Moshe","amount":1200}]"#, r#"[{"name":"Yoel Katz","parent":"Raizel","child":"Moshe"}]"#] {
            staff.post("/api/admin/users/import", json!({ "csv": json })).await.refused(422, "validation");
        }
        let several = "Name,Guardian,Child,Email,Father Email,Mother Email,Tuition,Total Charges\nYoel Katz,Grandmother,Moshe,yoel@family.example,f@family.example,m@family.example,3600,3700\n";
        let seen = send(&staff, json!({ "csv": several, "dry_run": true })).await;
        let new = &seen["new_families"][0];
        assert_eq!((&new["full_name"], &new["email"], &new["secondary_email"], &new["total_amount"]), (&json!("Yoel Katz"), &json!("yoel@family.example"), &json!("m@family.example"), &json!(360_000)), "{seen}");
        assert_eq!(seen["unknown_columns"], json!(["Guardian", "Father Email", "Total Charges"]));

        let amounts = "Date,Name,Child,Amount\n2026-07-01,Yoel Katz,Moshe,500\n";
        let refused = staff.post("/api/admin/users/import", json!({ "csv": amounts })).await.refused(422, "validation");
        assert!(refused["errors"][0]["message"].as_str().expect("words").starts_with("“Amount” may be what a family owes, or what it paid."), "{refused}");
        let owed = "name,child,total,due\nYoel Katz,Moshe,2800,\"$1,600.00\"\n";
        let seen = send(&staff, json!({ "csv": owed, "dry_run": true })).await;
        assert!(seen["problems"][0]["message"].as_str().expect("words").starts_with("“$1,600.00” is an amount."), "{seen}");
    }
}

story! {
    async fn rows_that_are_no_family_and_families_in_several_rows_are_named(camp) {
        let staff = camp.staff().await;
        let rows = "Dina,Kayla,dina@family.example,,2800,,\nDina,Dov,dina@family.example,,2800,,\n,Ber,,,,,\nTotal,3 campers,,,8400,0,\nסך הכל,3,,,8400,,\n";
        let seen = preview(&staff, rows).await;
        assert_eq!(seen["added"], 1, "{seen}");
        let said: Vec<(i64, &str)> = seen["problems"].as_array().expect("a list").iter()
            .map(|p| (p["line"].as_i64().expect("a line"), p["message"].as_str().expect("words"))).collect();
        assert_eq!(said, [
            (3, "Same email as line 2, but other details. Please write all children of a family in one row, with the total for all of them."),
            (4, "Please fill in the parent's name. All children of a family belong in one row."),
            (5, "This looks like the totals row. Please delete it."),
            (6, "This looks like the totals row. Please delete it."),
        ]);
    }
}

story! {
    async fn one_cell_may_have_both_addresses_of_a_family(camp) {
        let staff = camp.staff().await;
        let rows = "Ada,A,Ada <a@family.example>; b@family.example,,2800,,\nBina,B,\"Katz, Bina <c@family.example>\",d@family.example,2800,,\nCyl,C,\"e@family.example\nf@family.example\",,2800,,\n";
        let seen = preview(&staff, rows).await;
        let of = |n: usize, field: &str| seen["new_families"][n][field].as_str().unwrap_or_default().to_owned();
        let found: Vec<_> = (0..3).map(|n| (of(n, "email"), of(n, "secondary_email"))).collect();
        let wanted = [("a", "b"), ("c", "d"), ("e", "f")].map(|(one, other)| (format!("{one}@family.example"), format!("{other}@family.example")));
        assert_eq!(found, wanted, "{seen}");
        let rows = "Ada,A,a@family.example b@family.example,c@family.example,2800,,\nBina,B,bina at home,,2800,,\n";
        let seen = preview(&staff, rows).await;
        let said: Vec<&str> = seen["problems"].as_array().expect("a list").iter().map(|p| p["message"].as_str().expect("words")).collect();
        assert_eq!(said, ["Please keep at most two email addresses per family.", "“bina at home” is not a valid email address."]);
    }
}

story! {
    async fn a_table_of_any_program_keeps_its_letters(camp) {
        let staff = camp.staff().await;
        let hebrew = "שם,Child,Email,Total\n".replace("שם", "Name") + "שרה לינדנפלד,יאָסל,sara@family.example,2800\n";
        let accents = "Name;Child;Email;Total\nRenée Étoile;François;renee@family.example;2800\n";
        for (bytes, encoding, guessed, name) in [
            (WINDOWS_1255.encode(&hebrew).0.into_owned(), "windows-1255", true, "שרה לינדנפלד"),
            (hebrew.clone().into_bytes(), "utf-8", false, "שרה לינדנפלד"),
            (WINDOWS_1252.encode(accents).0.into_owned(), "windows-1252", true, "Renée Étoile"),
            (accents.encode_utf16().flat_map(u16::to_le_bytes).collect(), "utf-16le", true, "Renée Étoile"),
        ] {
            let seen = send(&staff, file(&bytes)).await;
            assert_eq!(seen["added"], 1, "{seen}");
            assert_eq!(seen["problems"], json!([]), "{seen}");
            assert_eq!(seen["new_families"][0]["full_name"], json!(name));
            assert_eq!(seen["source"]["encoding"], json!(encoding));
            assert_eq!(seen["source"]["guessed"], json!(guessed));
            assert_eq!(seen["source"]["sample"][0], name);
        }
        // Staff may choose another encoding. An impossible one is refused.
        let latin = WINDOWS_1252.encode(accents).0.into_owned();
        let mut chosen = file(&latin);
        chosen["encoding"] = json!("windows-1255");
        assert_eq!(send(&staff, chosen.clone()).await["new_families"][0]["full_name"], "Renיe ֹtoile");
        chosen["encoding"] = json!("utf-8");
        let problem = staff.post(IMPORT, chosen).await.refused(422, "validation");
        assert!(problem["errors"][0]["message"].as_str().expect("a sentence").contains("not UTF-8"), "{problem}");
        // Text that another program already damaged is not imported.
        let lost = send(&staff, file("Name,Child\nRen\u{fffd}e,Yossi\n".as_bytes())).await;
        assert_eq!(lost["added"], 0);
        assert_eq!(lost["problems"].as_array().expect("a list").len(), 1);
    }
}

story! {
    async fn an_excel_workbook_is_read_with_its_dates_and_amounts(camp) {
        let staff = camp.staff().await;
        let mut book = Workbook::new();
        let sheet = book.add_worksheet().set_name("משפחות").expect("a name");
        let day = Format::new().set_num_format("dd/mm/yyyy");
        sheet.write(0, 0, "Families of 2027").expect("written");
        for (at, name) in ["Name", "Child", "Email", "Total", "Paid", "Due Date"].into_iter().enumerate() {
            sheet.write(2, at as u16, name).expect("written");
        }
        for (at, text) in ["שרה לינדנפלד", "יאָסל", "sara@family.example"].into_iter().enumerate() {
            sheet.write(3, at as u16, text).expect("written");
        }
        sheet.write(3, 3, 2800.5).expect("written");
        sheet.write(3, 4, 100).expect("written");
        sheet.write_with_format(3, 5, ExcelDateTime::from_ymd(2027, 6, 1).expect("a day"), &day).expect("written");
        let bytes = book.save_to_buffer().expect("a workbook");
        let seen = send(&staff, file(&bytes)).await;
        assert_eq!(seen["source"], json!({ "format": "xlsx", "encoding": null, "guessed": false, "sample": ["שרה לינדנפלד", "יאָסל"], "worksheet": "משפחות", "other_worksheets": [], "above": ["Families of 2027"] }));
        let done = send(&staff, json!({ "file": STANDARD.encode(&bytes) })).await;
        assert_eq!(done["added"], 1, "{done}");
        assert_eq!(done["problems"], json!([]), "{done}");
        let sara = family(&staff, "sara").await;
        assert_eq!(sara["full_name"], "שרה לינדנפלד");
        assert_eq!(sara["child_name"], "יאָסל");
        assert_eq!(sara["plan"]["total_amount"], 280_050);
        assert_eq!(sara["plan"]["paid_amount"], 10_000);
        assert_eq!(sara["plan"]["due_date"], "2027-06-01");

        for (bytes, says) in [
            (&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old"[..], "old Excel file"),
            (b"PK\x03\x04 broken", "damaged"),
            (b"%PDF-1.7 x", "not a table"),
            (b"<html><table>", "web page"),
        ] {
            let problem = staff.post(IMPORT, file(bytes)).await.refused(422, "validation");
            assert!(problem["errors"][0]["message"].as_str().expect("a sentence").contains(says), "{problem}");
        }
        staff.post(IMPORT, json!({ "file": "not base64!" })).await.refused(422, "validation");
        staff.post(IMPORT, json!({ "file": "eA==", "csv": "x" })).await.refused(422, "validation");
        staff.post(IMPORT, json!({})).await.refused(422, "validation");
    }
}

/// A family that the camp invited, families that wait for approval with and without a confirmed
/// address, and a refused family.
async fn families_of_every_standing(camp: &Camp, staff: &Browser) {
    let table = "name,child,email,total,type\nYoel Katz,Moshe,yoel@family.example,2800,parent\n";
    send(staff, json!({ "csv": table })).await;
    camp.set("access", "families").await;
    camp.parent("Stranger", "stranger@other.example").await;
    camp.unconfirmed_parent("Typed", "typed@other.example").await;
    // Somebody signs up with the name of a camp family.
    let mut namesake = sign_up("Yoel Katz", "namesake@other.example");
    namesake["child_name"] = json!("Moshe");
    camp.browser().post("/api/auth/sign-up", namesake).await.expect(201);
    camp.parent("Refused", "refused@other.example").await;
    let refused = family(staff, "refused").await["id"].as_str().expect("an id").to_owned();
    staff.post(&format!("/api/admin/users/{refused}/refuse"), json!({})).await.expect(200);
}

story! {
    async fn an_export_that_comes_back_approves_and_adds_nobody(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        families_of_every_standing(&camp, &staff).await;
        let table = owner.get("/api/admin/users/export.csv").await.expect(200).text();
        let access = |email: &str| table.lines().find(|row| row.contains(email)).map(|row| row.split(',').nth(5).expect("a cell").to_owned());
        assert_eq!(["yoel@", "stranger@", "refused@"].map(access), ["approved", "to approve", "refused"].map(|word| Some(word.to_owned())), "{table}");
        let seen = send(&staff, json!({ "csv": table, "dry_run": true })).await;
        assert_eq!((&seen["added"], &seen["changes"], &seen["problems"]), (&json!(0), &json!([]), &json!([])), "{seen}");
        assert_eq!((&seen["unapproved"], &seen["skipped"]), (&json!(2), &json!(3)), "who confirmed nothing is left out: {seen}");
        assert_eq!(seen["unknown_columns"], json!(["Remaining", "Credit", "Status", "Logins", "Joined"]));
        assert_eq!(family(&staff, "stranger").await["approved_at"], Value::Null);

        // Other changes in such a row count, and a row whose standing was changed to approved is
        // approved.
        let raised = table.replace("Stranger,Yossi,", "Stranger,Yossi and Ber,");
        let seen = send(&staff, json!({ "csv": raised, "dry_run": true })).await;
        assert_eq!(seen["changes"][0]["fields"], json!(["child_name"]), "{seen}");
        let approved = table.replace("parent,to approve,", "parent,approved,");
        let seen = send(&staff, json!({ "csv": approved, "dry_run": true })).await;
        assert_eq!(seen["changes"][0]["fields"], json!(["standing"]), "{seen}");
        let unclear = table.replace("to approve", "perhaps");
        let seen = send(&staff, json!({ "csv": unclear, "dry_run": true })).await;
        let message = "“perhaps” is not a kind of access. Please enter “approved”, “to approve” or “refused”, or give the column another name.";
        assert_eq!((&seen["problems"][0]["column"], &seen["problems"][0]["message"]), (&json!("access"), &json!(message)), "{seen}");
    }
}

story! {
    async fn a_family_on_the_office_s_list_is_one_of_parents_whatever_it_chose(camp) {
        let (owner, staff) = (camp.owner().await, camp.staff().await);
        let mut visitor = sign_up("Rivka", "rivka@family.example");
        visitor["user_type"] = json!("visitor");
        let rivka = camp.browser();
        rivka.post("/api/auth/sign-up", visitor).await.expect(201);
        let token = camp.token_for("rivka@family.example").await;
        rivka.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        assert_eq!(rivka.get("/api/profile").await.json()["child_name"], Value::Null);

        let office = "name,child,email,total\nRivka Weiss,Dovid,rivka@family.example,2800\n";
        let seen = send(&staff, json!({ "csv": office, "dry_run": true })).await;
        assert_eq!(seen["changes"][0]["fields"], json!(["full_name", "child_name", "user_type", "total_amount", "standing"]), "{seen}");
        assert_eq!((&seen["changes"][0]["before"]["user_type"], &seen["changes"][0]["after"]["user_type"]), (&json!("visitor"), &json!("parent")));
        let ticked = json!([{ "id": seen["changes"][0]["id"], "version": seen["changes"][0]["version"] }]);
        let done = send(&staff, json!({ "csv": office, "update": ticked })).await;
        assert_eq!(done["updated"], 1, "{done}");
        assert_eq!(rivka.get("/api/profile").await.json()["child_name"], "Dovid");
        let undo = format!("/api/admin/users/imports/{}/undo", done["id"].as_str().expect("an id"));
        assert_eq!(staff.post(&undo, json!({})).await.expect(200).json()["restored"], 1);
        assert_eq!(rivka.get("/api/profile").await.json()["child_name"], Value::Null);

        // A visitor whom staff gave a plan is imported with it again.
        let row = family(&staff, "rivka").await;
        let plan = json!({ "version": row["version"], "total_amount": 50_000 });
        staff.patch(&format!("/api/admin/users/{}", row["id"].as_str().expect("an id")), plan).await.expect(200);
        let table = owner.get("/api/admin/users/export.csv").await.expect(200).text();
        assert!(table.contains(",visitor,to approve,500.00,"), "{table}");
        let seen = send(&staff, json!({ "csv": table.replace(",500.00,0.00,", ",900.00,0.00,"), "dry_run": true })).await;
        assert_eq!((&seen["visitors"], &seen["changes"][0]["fields"]), (&json!(0), &json!(["total_amount"])), "{seen}");
    }
}
