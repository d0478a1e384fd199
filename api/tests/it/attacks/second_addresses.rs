//! Attempts to capture a family with an address that somebody only typed. Until its owner confirms
//! it, the address links, matches, blocks and receives nothing.

use serde_json::{Value, json};

use super::accounts::{CONFIRM, SECOND, family, link, logins, verify};
use crate::camp::{Browser, Camp, PASSWORD, sign_up};

/// A user who typed a parent's address as her own second address.
async fn mallory(camp: &Camp) -> Browser {
    let mallory = camp.parent("Mallory", "mallory@elsewhere.example").await;
    let typed = json!({ "secondary_email": "chaya@family.example" });
    let saved = mallory.patch("/api/profile", typed).await.expect(200).json();
    assert_eq!(saved["secondary_email"], "chaya@family.example");
    assert_eq!(saved["secondary_email_verified"], false);
    mallory
}

async fn import(staff: &Browser, csv: &str) -> Value {
    let given = json!({ "csv": csv, "dry_run": false });
    staff.post("/api/admin/users/import", given).await.expect(200).json()
}

async fn full_name(browser: &Browser) -> Value {
    browser.get("/api/profile").await.expect(200).json()["full_name"].clone()
}

fn subjects(camp: &Camp, address: &str) -> Vec<String> {
    camp.mails_to(address).into_iter().map(|mail| mail.subject).collect()
}

story! {
    async fn the_office_adds_a_family_whose_address_a_stranger_typed(camp) {
        let staff = camp.staff().await;
        let mallory = mallory(&camp).await;
        camp.work().await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["Join a family’s emails at Visiting Day"]);
        let path = family(&staff, "chaya@family.example").await;
        let mut form = sign_up("Chaya", "chaya@family.example");
        form["invite"] = json!(link(&camp, "chaya@family.example", "You are invited").await);
        let chaya = camp.browser();
        chaya.post("/api/auth/sign-up", form).await.expect(201);
        assert_eq!(logins(&staff, &path).await, 1);
        assert_eq!(full_name(&chaya).await, json!("Chaya Lindenfeld"));
        assert_eq!(full_name(&mallory).await, json!("Mallory"));
        // The link in the stranger's earlier mail no longer works, and its page says what to do.
        let token = link(&camp, "chaya@family.example", SECOND).await;
        let problem = verify(&chaya, &token).await.refused(409, "conflict");
        assert!(problem["detail"].as_str().expect("a text").contains("ask the camp's office to merge them"), "{problem}");
        assert_eq!(mallory.get("/api/profile").await.json()["secondary_email_verified"], false);
    }
}

story! {
    async fn an_import_does_not_take_the_strangers_record_for_the_family(camp) {
        let staff = camp.staff().await;
        let mallory = mallory(&camp).await;
        let report = import(&staff, "name,child,email,total\nChaya Lindenfeld,Yossi,chaya@family.example,2800\n").await;
        assert_eq!(report["added"], 1, "{report}");
        assert_eq!(report["updated"], 0, "{report}");
        assert_eq!(report["problems"], json!([]), "{report}");
        assert_eq!(full_name(&mallory).await, "Mallory");
        assert_eq!(mallory.get("/api/profile/payments").await.expect(200).json()["plan"], Value::Null);
    }
}

story! {
    async fn an_import_does_not_find_a_family_by_names_that_somebody_signed_up_with(camp) {
        let staff = camp.staff().await;
        let mallory = camp.unconfirmed_parent("Chaya Lindenfeld", "mallory@elsewhere.example").await;
        let report = import(&staff, "name,child,email,total\nChaya Lindenfeld,Yossi,,2800\n").await;
        assert_eq!(report["added"], 1, "{report}");
        assert_eq!(report["updated"], 0, "{report}");
        assert_eq!(mallory.get("/api/profile/payments").await.expect(200).json()["plan"], Value::Null);
        // The camp's own family, which has no address, is matched again.
        let again = import(&staff, "name,child,email,total\nChaya Lindenfeld,Yossi,,2800\n").await;
        assert_eq!(again["added"], 0, "{again}");
        assert_eq!(again["skipped"], 1, "{again}");
    }
}

story! {
    async fn the_owner_of_a_typed_address_keeps_a_family_of_her_own(camp) {
        let staff = camp.staff().await;
        let mallory = mallory(&camp).await;
        let chaya = camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        let token = link(&camp, "chaya@family.example", CONFIRM).await;
        assert_eq!(verify(&chaya, &token).await.expect(200).json()["linked"], false);
        chaya.post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": PASSWORD })).await.expect(200);
        assert_eq!(full_name(&chaya).await, json!("Chaya"));
        assert_eq!(full_name(&mallory).await, json!("Mallory"));
        let found = staff.get("/api/admin/users?q=chaya@family.example").await.json();
        let named = |name: &str| found["items"].as_array().expect("a list").iter().find(|f| f["full_name"] == name).expect("a family").clone();
        assert_eq!(named("Chaya")["email"], "chaya@family.example");
        assert_eq!(named("Chaya")["unconfirmed_email"], Value::Null);
        assert_eq!(named("Mallory")["secondary_email"], Value::Null);
        assert_eq!(named("Mallory")["unconfirmed_secondary_email"], "chaya@family.example");
        // A third user in a family, whose address nobody entered for it, stays in the family too.
        let token = link(&camp, "chaya@family.example", SECOND).await;
        verify(&chaya, &token).await.refused(409, "conflict");
    }
}

story! {
    async fn a_third_guardian_is_not_moved_to_a_strangers_family(camp) {
        let staff = camp.staff().await;
        let path = family(&staff, "tatty@family.example").await;
        let version = staff.get(&path).await.json()["version"].clone();
        staff.patch(&path, json!({ "version": version, "secondary_email": "bubby@family.example" })).await.expect(200);
        let copied = staff.post(&format!("{path}/invitation-link"), json!({})).await.expect(200).json();
        let chaya = camp.browser();
        let mut form = sign_up("Chaya", "chaya@family.example");
        form["invite"] = json!(copied["url"].as_str().expect("a link").split("invite=").nth(1));
        chaya.post("/api/auth/sign-up", form).await.expect(201);
        verify(&chaya, &link(&camp, "chaya@family.example", CONFIRM).await).await.expect(200);
        mallory(&camp).await;
        verify(&chaya, &link(&camp, "chaya@family.example", SECOND).await).await.refused(409, "conflict");
        chaya.post("/api/auth/sign-in", json!({ "email": "chaya@family.example", "password": PASSWORD })).await.expect(200);
        assert_eq!(logins(&staff, &path).await, 1);
        assert_eq!(chaya.get("/api/session").await.json()["user"]["family"], true);
    }
}

story! {
    async fn a_typed_address_gets_one_mail_and_no_other(camp) {
        camp.set("access", "everyone").await;
        let staff = camp.staff().await;
        let mallory = mallory(&camp).await;
        camp.unconfirmed_parent("Rivky", "rivky@family.example").await;
        let film = json!({ "title": "Lake", "video_url": "https://youtu.be/dQw4w9WgXcQ", "status": "published" });
        let told = staff.post("/api/admin/videos", film).await.expect(201).json();
        assert_eq!(told["notified"], 1, "{told}");
        camp.work().await;
        assert_eq!(subjects(&camp, "chaya@family.example").len(), 1);
        assert_eq!(subjects(&camp, "rivky@family.example").len(), 1);
        // The owner sees the family's name and confirms the address. Then it belongs to the family.
        let token = link(&camp, "chaya@family.example", SECOND).await;
        let chaya = camp.browser();
        let asked = chaya.post("/api/auth/verify/preview", json!({ "token": token })).await.expect(200).json();
        assert_eq!(asked, json!({ "kind": "second_email", "email": "chaya@family.example", "needs": "nothing",
            "family": { "full_name": "Mallory", "email": "mallory@elsewhere.example", "email_verified": true } }));
        verify(&chaya, &token).await.expect(200);
        assert_eq!(mallory.get("/api/profile").await.json()["secondary_email_verified"], true);
        camp.work().await;
        assert!(subjects(&camp, "mallory@elsewhere.example").contains(&"Your family at Visiting Day has a second address".to_owned()));
    }
}

story! {
    async fn merging_and_exporting_leave_a_typed_address_what_it_is(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        mallory(&camp).await;
        let known = family(&staff, "known@family.example").await;
        let found = staff.get("/api/admin/users?q=mallory").await.json();
        let (keep, drop) = (known.rsplit('/').next().expect("an id"), &found["items"][0]["id"]);
        let merged = staff.post("/api/admin/users/merge", json!({ "keep": keep, "drop": drop, "preview": true })).await.expect(200).json();
        assert_eq!(merged["emails"], json!(["known@family.example", "mallory@elsewhere.example"]), "{merged}");
        let csv = owner.get("/api/admin/users/export.csv").await.expect(200).text();
        assert!(csv.contains("mallory@elsewhere.example") && !csv.contains("chaya@family.example"), "{csv}");
    }
}

story! {
    async fn the_owner_is_asked_again_after_the_link_is_lost(camp) {
        let mallory = mallory(&camp).await;
        let first = link(&camp, "chaya@family.example", SECOND).await;
        mallory.post("/api/auth/password", json!({ "current_password": PASSWORD, "new_password": "eleven brave otters" })).await.expect(204);
        verify(&camp.browser(), &first).await.refused(410, "gone");
        mallory.post("/api/profile/second-email/resend", json!({})).await.expect(202);
        let second = link(&camp, "chaya@family.example", SECOND).await;
        mallory.patch("/api/profile", json!({ "secondary_email": "" })).await.expect(200);
        verify(&camp.browser(), &second).await.refused(410, "gone");
        mallory.post("/api/profile/second-email/resend", json!({})).await.refused(404, "not_found");
        mallory.patch("/api/profile", json!({ "secondary_email": "mallory@elsewhere.example" })).await.refused(422, "validation");
    }
}

story! {
    async fn an_open_session_does_not_take_a_known_second_address_from_the_family(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let set = |address: &str| json!({ "secondary_email": address });
        let with = |address: &str, password: &str| json!({ "secondary_email": address, "current_password": password });
        chaya.patch("/api/profile", set("typo@family.example")).await.expect(200);
        // One click removes an unverified address, which gets no email.
        chaya.patch("/api/profile", set("")).await.expect(200);
        chaya.patch("/api/profile", set("shimon@family.example")).await.expect(200);
        verify(&camp.browser(), &link(&camp, "shimon@family.example", SECOND).await).await.expect(200);
        for address in ["", "eve@elsewhere.example"] {
            for body in [set(address), with(address, "wrong wrong")] {
                let problem = chaya.patch("/api/profile", body).await.refused(422, "validation");
                assert_eq!(problem["errors"][0]["field"], "current_password", "{address}");
            }
        }
        // Everything else is saved as before, while the address stays.
        let same = json!({ "full_name": "Chaya L.", "secondary_email": "shimon@family.example" });
        let kept = chaya.patch("/api/profile", same).await.expect(200).json();
        assert_eq!(kept["secondary_email"], "shimon@family.example");
        assert_eq!(kept["secondary_email_verified"], true);
        camp.work().await;
        assert_eq!(subjects(&camp, "shimon@family.example"), ["Join a family’s emails at Visiting Day"]);
        chaya.patch("/api/profile", with("eve@elsewhere.example", PASSWORD)).await.expect(200);
        camp.work().await;
        let told = camp.mails_to("shimon@family.example").pop().expect("a mail");
        assert_eq!(told.subject, "Your address was removed from a family at Visiting Day");
        assert!(told.text.contains("The owner of the account chaya@family.example removed your address"), "{}", told.text);
        assert!(subjects(&camp, "typo@family.example").iter().all(|subject| !subject.contains("removed")));
    }
}
