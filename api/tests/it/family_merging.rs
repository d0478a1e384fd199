//! Merges two families.

use axum::http::Method;
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, sign_up};
use crate::families::{find, import, names, path};
use crate::payments::{assert_books_agree, count};

async fn pay(staff: &Browser, family: &Value, amount: i64) -> Value {
    let body = json!({ "kind": "payment", "amount": amount, "payment_date": "2026-07-15" });
    let key = uuid::Uuid::new_v4().to_string();
    let headers = [("idempotency-key", key.as_str())];
    let reply =
        staff.send(Method::POST, &format!("{}/payments", path(family)), Some(body), &headers).await;
    reply.expect(201).json()
}

story! {
    async fn two_families_become_one_and_nothing_is_lost(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        import(&staff, "name,child,email,second email,total,paid,due date\n\
            Chaya Lindenfeld,Yossi,chaya@family.example,,2800,1000,\n\
            Shimon Lindenfeld,Moishe,shimon@family.example,office@family.example,1400,400,2026-08-01\n").await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let shimon = camp.parent("Shimon", "shimon@family.example").await;
        let video = json!({ "title": "Swim", "video_url": "https://youtu.be/aBcDeFgHiJk" });
        let video = staff.post("/api/admin/videos", video).await.expect(201).json();
        let comments = format!("/api/videos/{}/comments", video["video"]["id"].as_str().expect("an id"));
        shimon.post(&comments, json!({ "content": "Mazel tov!" })).await.expect(201);
        let (keep, drop) = (find(&staff, "chaya").await, find(&staff, "shimon").await);
        pay(&staff, &drop, 30_000).await;

        let ask = |preview: bool| json!({ "keep": keep["id"], "drop": drop["id"], "total": "sum", "preview": preview });
        let before = count(&camp, "select count(*) from payments").await;
        let preview = staff.post("/api/admin/users/merge", ask(true)).await.expect(200).json();
        approved("merge_preview", &preview);
        assert_eq!(preview["payments"], json!(before));
        assert_eq!(names(&staff, "sort=name").await, ["Chaya", "Shimon"], "a preview changes nothing");

        let merged = staff.post("/api/admin/users/merge", ask(false)).await.expect(200).json();
        assert_eq!(merged, preview);
        assert_eq!(names(&staff, "sort=name").await, ["Chaya"]);
        assert_eq!(names(&staff, "q=moishe+shimon").await, ["Chaya"], "found by the name of before");
        staff.post("/api/admin/users/merge", ask(false)).await.refused(404, "not_found");
        let kept = staff.get(&path(&keep)).await.expect(200).json();
        assert_eq!(kept["child_name"], "Yossi & Moishe");
        assert_eq!(kept["payments"].as_array().expect("a list").len(), before as usize);
        assert_eq!(count(&camp, "select count(*) from payments").await, before);
        for login in [&chaya, &shimon] {
            assert_eq!(login.get("/api/profile/payments").await.expect(200).json()["plan"]["paid_amount"], 170_000);
        }
        assert_eq!(shimon.get(&comments).await.json()["items"][0]["mine"], true);
        pay(&staff, &keep, 10_000).await;
        assert!(camp.mail_to("shimon@family.example").await.text.contains("Remaining balance: $2,400"));
        let owner = camp.owner().await;
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", keep["id"].as_str().expect("an id"))).await.json();
        let line = log["items"].as_array().expect("a list").iter().find(|e| e["action"] == "profile.merge").expect("it is in the log");
        let paid = json!({ "field": "paid_amount", "before": 100_000, "after": 170_000 });
        assert!(line["lines"].as_array().expect("lines").contains(&paid), "{line}");
        let myself = json!({ "keep": keep["id"], "drop": keep["id"] });
        staff.post("/api/admin/users/merge", myself).await.refused(422, "validation");
        assert_books_agree(&camp).await;
    }
}

story! {
    async fn after_a_merge_mail_goes_to_exactly_those_who_wanted_it(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        import(&staff, "name,child,email,second email,total\n\
            Chaya,Yossi,chaya@family.example,,2800\n\
            Shimon,Moishe,shimon@family.example,office@family.example,1400\n\
            Rivka,Dovid,rivka@family.example,,2800\n\
            Zev,Hershy,zev@family.example,,2800\n\
            Perl,Chaim,perl@family.example,,2800\n").await;
        let shimon = camp.parent("Shimon", "shimon@family.example").await;
        for (name, videos, letters) in [("chaya", true, true), ("shimon", false, true), ("rivka", false, true), ("zev", true, false), ("perl", true, true)] {
            let family = find(&staff, name).await;
            let wishes = json!({ "version": family["version"], "daily_video_email": videos, "camp_updates_email": false, "email_notifications": letters });
            staff.patch(&path(&family), wishes).await.expect(200);
        }
        // Chaya wants videos and Shimon wants none. Rivka wants none either, and her record is the
        // one that stays.
        let mut told = Vec::new();
        for (keep, drop) in [("chaya", "shimon"), ("rivka", "zev")] {
            let (keep, drop) = (find(&staff, keep).await, find(&staff, drop).await);
            let ask = |preview: bool| json!({ "keep": keep["id"], "drop": drop["id"], "total": "keep", "preview": preview });
            let preview = staff.post("/api/admin/users/merge", ask(true)).await.expect(200).json();
            assert_eq!(staff.post("/api/admin/users/merge", ask(false)).await.expect(200).json(), preview);
            for mail in preview["mail"].as_array().expect("a list") {
                let kinds = |when: &str| format!("{}{}", if mail[when]["daily_videos"] == true { "v" } else { "" }, if mail[when]["general"] == true { "l" } else { "" });
                told.push(format!("{} {}>{}", mail["email"].as_str().expect("an address").replace("@family.example", ""), kinds("before"), kinds("after")));
            }
        }
        assert_eq!(told, ["chaya vl>vl", "shimon l>l", "office l>", "rivka l>l", "zev v>"]);

        let readers = |subject: &str| {
            let mut to: Vec<_> = camp.mails().iter().filter(|mail| mail.subject.contains(subject)).map(|mail| mail.to.email.to_string().replace("@family.example", "")).collect();
            to.sort();
            to
        };
        let film = |title: &str| json!({ "title": title, "video_url": "https://youtu.be/aBcDeFgHiJk", "status": "published" });
        staff.post("/api/admin/videos", film("Swim")).await.expect(201);
        let letter = json!({ "subject": "Come at ten", "body": "The gates open.", "audience": "families" });
        staff.post("/api/admin/letters", letter).await.expect(200);
        camp.work().await;
        assert_eq!(readers("Swim"), ["chaya", "perl"]);
        assert_eq!(readers("Come at ten"), ["chaya", "perl", "rivka", "shimon"]);
        // Mail without a category still goes out: receipts for the family, password links for the
        // user.
        pay(&staff, &find(&staff, "chaya").await, 1_000).await;
        shimon.post("/api/auth/forgot", json!({ "email": "shimon@family.example" })).await.expect(202);
        let before = camp.mails_to("shimon@family.example").len();
        camp.work().await;
        assert_eq!(camp.mails_to("shimon@family.example").len(), before + 2);
        // This lasts until he chooses otherwise.
        shimon.patch("/api/profile", json!({ "daily_video_email": true })).await.expect(200);
        staff.post("/api/admin/videos", film("Hike")).await.expect(201);
        camp.work().await;
        assert_eq!(readers("Hike"), ["chaya", "perl", "shimon"]);
    }
}

story! {
    async fn mail_that_waits_goes_to_the_addresses_of_a_merged_family(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        import(&staff, "name,child,email,second email\n\
            Chaya,Yossi,,\n\
            Shimon,Moishe,shimon@family.example,office@family.example\n\
            Rivka,Dovid,rivka@family.example,home@family.example\n\
            Zev,Hershy,zev@family.example,\n\
            Perl,Chaim,perl@family.example,\n\
            Malka,Berel,malka@family.example,\n").await;
        let film = json!({ "title": "Swim", "video_url": "https://youtu.be/aBcDeFgHiJk", "status": "published" });
        staff.post("/api/admin/videos", film).await.expect(201);
        let perl = find(&staff, "perl").await;
        staff.patch(&path(&perl), json!({ "version": perl["version"], "daily_video_email": false })).await.expect(200);
        for (keep, drop) in [("chaya", "shimon"), ("rivka", "zev"), ("perl", "malka")] {
            let (keep, drop) = (find(&staff, keep).await, find(&staff, drop).await);
            staff.post("/api/admin/users/merge", json!({ "keep": keep["id"], "drop": drop["id"], "total": "keep" })).await.expect(200);
        }
        camp.work().await;
        let mut readers: Vec<_> = camp.mails().iter().filter(|mail| mail.subject.contains("Swim")).map(|mail| mail.to.email.to_string()).collect();
        readers.sort();
        // A third address is not kept, because the family already gets the same mail. Perl wants no
        // emails about videos.
        let all = ["home", "office", "rivka", "shimon"].map(|name| format!("{name}@family.example"));
        assert_eq!(readers, all);
    }
}

story! {
    async fn a_merge_makes_no_opt_out_of_preferences_that_nobody_chose(camp) {
        let staff = camp.staff().await;
        import(&staff, "name,child,email,total\n\
            Chaya,Yossi,chaya@family.example,2800\n\
            Chaya W,Yossi W,second@family.example,\n\
            Rivka,Dovid,rivka@family.example,\n").await;
        let rivka = camp.parent("Rivka", "rivka@family.example").await;
        rivka.patch("/api/profile", json!({ "camp_updates_email": false })).await.expect(200);
        let chaya = find(&staff, "chaya@").await;
        let wishes = json!({ "version": chaya["version"], "camp_updates_email": true });
        staff.patch(&path(&chaya), wishes).await.expect(200);
        let mut told = Vec::new();
        for drop in ["second", "rivka"] {
            let ask = json!({ "keep": chaya["id"], "drop": find(&staff, drop).await["id"] });
            let merged = staff.post("/api/admin/users/merge", ask).await.expect(200).json();
            told.push(merged["mail"].as_array().expect("a list").iter().map(|mail| mail["after"]["camp_updates"] == true).collect::<Vec<_>>());
        }
        assert_eq!(told, [vec![true, true], vec![true, true, false]], "only Rivka has a login");
        assert_eq!(count(&camp, "select count(*) from unsubscribes").await, 1);
    }
}

story! {
    async fn a_merge_makes_no_opt_out_for_an_address_that_its_login_did_not_prove(camp) {
        let staff = camp.staff().await;
        import(&staff, "name,child,email,total\nPerl,Yossi,home@family.example,2800\n").await;
        let mut form = sign_up("Stranger", "home@family.example");
        for kind in ["email_notifications", "daily_video_email", "camp_updates_email"] {
            form[kind] = json!(false);
        }
        camp.browser().post("/api/auth/sign-up", form).await.expect(201);
        let ask = json!({ "keep": find(&staff, "perl").await["id"], "drop": find(&staff, "stranger").await["id"] });
        staff.post("/api/admin/users/merge", ask).await.expect(200);
        assert_eq!(count(&camp, "select count(*) from unsubscribes").await, 0);
        let family = find(&staff, "perl").await;
        let shown = staff.get(&path(&family)).await.expect(200).json();
        assert_eq!(shown["daily_video_email"], true, "{shown}");
    }
}

story! {
    async fn a_merged_family_hears_of_late_videos_only_if_both_asked(camp) {
        let staff = camp.staff().await;
        camp.set("postingDeadline", "21:00").await;
        import(&staff, "name,child,email,second email,total\n\
            Chaya,Yossi,chaya@family.example,,2800\n\
            Shimon,Moishe,shimon@family.example,,1400\n\
            Rivka,Dovid,rivka@family.example,,2800\n\
            Zev,Hershy,zev@family.example,,2800\n").await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let shimon = camp.parent("Shimon", "shimon@family.example").await;
        let rivka = camp.parent("Rivka", "rivka@family.example").await;
        for login in [&chaya, &shimon, &rivka] {
            login.patch("/api/profile", json!({ "late_video_note": true })).await.expect(200);
        }
        shimon.patch("/api/profile", json!({ "daily_digest": true })).await.expect(200);
        for (keep, drop, ends) in [("chaya", "shimon", false), ("rivka", "zev", true)] {
            let (keep, drop) = (find(&staff, keep).await, find(&staff, drop).await);
            for preview in [true, false] {
                let ask = json!({ "keep": keep["id"], "drop": drop["id"], "total": "keep", "preview": preview });
                let merged = staff.post("/api/admin/users/merge", ask).await.expect(200).json();
                assert_eq!(merged["late_note_ends"], ends, "{merged}");
                assert_eq!(merged["daily_email_differs"], !ends, "{merged}");
            }
        }
        for (login, wanted) in [(&chaya, true), (&shimon, true), (&rivka, false)] {
            assert_eq!(login.get("/api/profile").await.expect(200).json()["late_video_note"], wanted);
        }
    }
}

story! {
    async fn a_merge_forgets_no_child_whose_name_is_part_of_another(camp) {
        let staff = camp.staff().await;
        let add = async |name: &str, children: &str| {
            let email = format!("{name}@family.example");
            let new = json!({ "full_name": name, "email": email, "child_name": children });
            staff.post("/api/admin/users", new).await.expect(201).json()["id"].clone()
        };
        let (keep, drop) = (add("chaya", "Leibish, Berel").await, add("shimon", "Leib and Ber & LEIBISH").await);
        let ask = |drop: &Value, preview: bool| json!({ "keep": keep, "drop": drop, "total": "keep", "preview": preview });
        for preview in [true, false] {
            let merged = staff.post("/api/admin/users/merge", ask(&drop, preview)).await.expect(200).json();
            assert_eq!(merged["child_name"], "Leibish, Berel & Leib & Ber");
        }
        let many = add("rivka", &"Yossel ".repeat(26)).await;
        let problem = staff.post("/api/admin/users/merge", ask(&many, true)).await.refused(409, "conflict");
        assert_eq!(problem["detail"], "The names of all children do not fit into one family. Please shorten them first.");
    }
}

story! {
    async fn a_merge_beside_payments_loses_none(camp) {
        camp.set_clock("2026-07-15T16:00:00Z");
        let staff = camp.staff().await;
        import(&staff, "name,child,email,total\nChaya,Yossi,chaya@family.example,2800\nShimon,Moishe,shimon@family.example,2800\n").await;
        let (keep, drop) = (find(&staff, "chaya").await, find(&staff, "shimon").await);
        let post = |family: &Value| {
            let (staff, path) = (staff.clone(), format!("{}/payments", path(family)));
            async move {
                let key = uuid::Uuid::new_v4().to_string();
                let body = json!({ "kind": "payment", "amount": 1_000, "payment_date": "2026-07-15" });
                staff.send_with_retry(Method::POST, &path, body, &key).await.status.as_u16()
            }
        };
        let merge = json!({ "keep": keep["id"], "drop": drop["id"], "total": "sum" });
        let payments = futures_util::future::join_all((0..20).map(|n| post(if n % 2 == 0 { &keep } else { &drop })));
        let (payments, merged) = tokio::join!(payments, staff.post("/api/admin/users/merge", merge));
        merged.expect(200);
        assert!(payments.iter().all(|status| matches!(status, 201 | 404)), "{payments:?}");
        let recorded = payments.iter().filter(|status| **status == 201).count() as i64;
        let plan = staff.get(&path(&keep)).await.json()["plan"].clone();
        assert_eq!(plan["paid_amount"], json!(recorded * 1_000));
        assert_eq!(plan["total_amount"], 560_000);
        assert_books_agree(&camp).await;
    }
}
