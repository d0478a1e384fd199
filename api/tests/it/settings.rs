//! The owners' settings, and their effects.

use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::accounts::Role;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, Reply};

/// A PNG of one color, half of it transparent.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let mut picture = image::RgbaImage::from_pixel(width, height, image::Rgba([20, 120, 60, 255]));
    for x in 0..width / 2 {
        picture.put_pixel(x, 0, image::Rgba([0, 0, 0, 0]));
    }
    picture.write_to(&mut out, image::ImageFormat::Png).expect("a picture");
    out.into_inner()
}

async fn send(who: &Browser, place: &str, bytes: Vec<u8>) -> Reply {
    who.send_picture(&format!("/api/admin/settings/pictures/{place}"), bytes).await
}

fn setting(list: &Value, key: &str) -> Value {
    let items = list["items"].as_array().expect("settings");
    items.iter().find(|item| item["key"] == key).expect(key).clone()
}

async fn site(camp: &Camp) -> Value {
    camp.browser().get("/api/site").await.expect(200).json()
}

async fn preview(owner: &Browser, file: Value) -> Value {
    owner.post("/api/admin/settings/preview", file).await.expect(200).json()["items"].clone()
}

story! {
    async fn two_owners_do_not_overwrite_each_other_silently(camp) {
        let owner = camp.owner().await;
        let path = "/api/admin/settings";
        owner.patch(path, json!({ "seen": { "siteName": "Visiting Day" }, "siteName": "Camp Ner" })).await.expect(200);
        owner.patch(path, json!({ "seen": { "siteName": "Visiting Day" }, "siteName": "Camp Or" })).await.refused(409, "stale");
        assert_eq!(site(&camp).await["site_name"], "Camp Ner");
        owner.patch(path, json!({ "seen": { "contactPhone": "(845) 555-0142" }, "contactPhone": "" })).await.expect(200);
        owner.patch(path, json!({ "contactPhone": "call the office" })).await.refused(422, "validation");
        owner.patch(path, json!({ "contactPhone": "(845) 555-0142 ext. 12" })).await.expect(200);
    }
}

story! {
    async fn what_families_read_of_the_camp_is_what_the_settings_say(camp) {
        let owner = camp.owner().await;
        owner.patch("/api/admin/settings", json!({ "siteDescription": "A summer of light.", "contactPhone": "(845) 555-0199", "contactEmail": "hello@camp.example" })).await.expect(200);
        let seen = site(&camp).await;
        assert_eq!(seen["site_description"], "A summer of light.");
        assert_eq!(seen["contact_phone"], "(845) 555-0199");
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let mail = camp.mail_to("chaya@family.example").await;
        for part in [&mail.text, &mail.html] {
            assert!(part.contains("(845) 555-0199") && part.contains("hello@camp.example"), "{part}");
        }
    }
}

story! {
    async fn titles_and_emails_leave_out_the_yiddish_of_the_camps_name(camp) {
        camp.set("siteName", "Camp Naarim · קעמפ נערים").await;
        assert_eq!(site(&camp).await["site_name"], "Camp Naarim · קעמפ נערים");
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let mail = camp.mail_to("chaya@family.example").await;
        assert!(mail.subject.ends_with(" Camp Naarim"), "{}", mail.subject);
        let title = async || camp.browser().get("/feed.xml").await.expect(200).text();
        assert!(title().await.contains("<title>Camp Naarim</title>"));
        camp.set("siteName", "Camp Naarim · North").await;
        assert!(title().await.contains("<title>Camp Naarim · North</title>"));
    }
}

story! {
    async fn families_are_told_of_videos_while_the_switch_is_on(camp) {
        camp.set_clock("2026-07-29T16:00:00Z");
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let off = async || chaya.get("/api/profile").await.expect(200).json()["switched_off"].clone();
        assert_eq!(off().await, json!([]));
        let told = || camp.mails_to("chaya@family.example").iter().filter(|mail| mail.subject.contains("New video")).count();
        camp.set("dailyReports", false).await;
        assert_eq!(off().await, json!(["daily_videos"]));
        crate::videos::posted(&staff, "Quiet", json!({})).await;
        camp.work().await;
        assert_eq!(told(), 0);
        camp.set("dailyReports", true).await;
        crate::videos::posted(&staff, "Loud", json!({})).await;
        camp.work().await;
        assert_eq!(told(), 1);
        camp.set("emailEnabled", false).await;
        assert_eq!(off().await, json!(["daily_videos", "camp_updates", "general"]));
    }
}

story! {
    async fn the_bounds_of_an_amount_are_said_in_the_camps_money(camp) {
        let owner = camp.owner().await;
        for (currency, bounds) in [("USD", "from $0 to $1,000,000"), ("GBP", "from £0 to £1,000,000")] {
            camp.set("currency", currency).await;
            for cents in [json!(-1), json!(100_000_001)] {
                let problem = owner.patch("/api/admin/settings", json!({ "defaultPlanAmount": cents })).await.refused(422, "validation");
                assert_eq!(problem["errors"], json!([{ "field": "defaultPlanAmount", "message": format!("defaultPlanAmount must be {bounds}.") }]));
            }
        }
        owner.patch("/api/admin/settings", json!({ "defaultPlanAmount": 100_000_000 })).await.expect(200);
    }
}

story! {
    async fn pages_offer_notifications_of_the_browser_while_the_switch_is_on(camp) {
        assert_eq!(site(&camp).await["push_enabled"], true);
        camp.owner().await.patch("/api/admin/settings", json!({ "pushEnabled": false })).await.expect(200);
        assert_eq!(site(&camp).await["push_enabled"], false);
    }
}

story! {
    async fn how_long_and_how_often_people_may_try_is_up_to_the_camp(camp) {
        let owner = camp.owner().await;
        let staff = camp.passing_staff_member("feder", Role::Staff).await;
        camp.wait(TimeDelta::minutes(6));
        staff.get("/api/admin/dashboard").await.expect(200);
        owner.patch("/api/admin/settings", json!({ "sessionTimeout": 5, "maxLoginAttempts": 2 })).await.expect(200);
        camp.wait(TimeDelta::minutes(6));
        staff.get("/api/admin/dashboard").await.refused(401, "staff_required");
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let stranger = camp.browser();
        let wrong = json!({ "email": "chaya@family.example", "password": "not the right one" });
        for _ in 0..2 {
            assert_eq!(stranger.post("/api/auth/sign-in", wrong.clone()).await.status, 401);
        }
        stranger.post("/api/auth/sign-in", wrong).await.refused(429, "too_many_requests");
    }
}

story! {
    async fn what_the_portal_cannot_do_is_said_with_the_reason(camp) {
        let owner = camp.owner().await;
        let list = owner.get("/api/admin/settings").await.expect(200).json();
        for (key, value) in [("smsEnabled", json!(true))] {
            assert!(setting(&list, key)["unavailable"].as_str().expect("a reason").ends_with('.'));
            let refused = owner.patch("/api/admin/settings", json!({ (key): value })).await.refused(422, "validation");
            assert!(refused["errors"][0]["message"].as_str().expect("a sentence").contains("not available"));
        }
    }
}

story! {
    async fn the_camps_colors_reach_pages_and_mails_and_can_always_be_read(camp) {
        let owner = camp.owner().await;
        assert_eq!(site(&camp).await["style_sheet"], Value::Null);
        camp.browser().get("/look.css").await.refused(404, "not_found");
        for color in ["green", "#12345", "#12345g", "url(//elsewhere.example)", "#1234567"] {
            let wrong = owner.patch("/api/admin/settings", json!({ "mainColor": color })).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["message"], "Please enter a color like #1b5a40.");
        }
        // Yellow buttons would not be readable on white.
        owner.patch("/api/admin/settings", json!({ "mainColor": "#FFE600", "accentColor": "#b02a6b" })).await.expect(200);
        let address = site(&camp).await["style_sheet"].as_str().expect("an address").to_owned();
        let sheet = camp.browser().get(&address).await.expect(200);
        assert_eq!(sheet.headers["content-type"], "text/css; charset=utf-8");
        let sheet = sheet.text();
        assert!(sheet.contains("--color-amber:#b02a6b;") && !sheet.contains("#ffe600"), "{sheet}");
        assert!(!sheet.contains(".hero"), "no veil without pictures");
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let html = camp.mail_to("chaya@family.example").await.html;
        let pine = sheet.split("--color-pine:").nth(1).and_then(|rest| rest.split(';').next()).expect("a color");
        assert!(html.contains(&format!("background:{pine}")) && html.contains("color:#b02a6b"), "{html}");
        owner.patch("/api/admin/settings", json!({ "accentColor": "" })).await.expect(200);
        assert_ne!(site(&camp).await["style_sheet"], address, "another content has another address");
        owner.patch("/api/admin/settings", json!({ "mainColor": "" })).await.expect(200);
        assert_eq!(site(&camp).await["style_sheet"], Value::Null);
    }
}

story! {
    async fn a_logo_is_shown_until_the_built_in_one_is_wanted_back(camp) {
        let owner = camp.owner().await;
        assert_eq!(site(&camp).await["pictures"], json!({ "logo": null, "hero": [] }));
        let list = send(&owner, "logo", picture(1024, 256)).await.expect(201).json();
        let first = setting(&list, "logo")["value"].as_str().expect("an id").to_owned();
        let logo = site(&camp).await["pictures"]["logo"].clone();
        assert_eq!(logo, json!({ "url": format!("/media/site/{first}"), "small_url": null, "width": 512, "height": 128 }));
        let reply = camp.browser().get(logo["url"].as_str().expect("an address")).await.expect(200);
        assert_eq!(reply.headers["cache-control"], "public, max-age=31536000, immutable");
        let sample = owner.get("/api/admin/mail/samples/video").await.expect(200).json();
        let html = sample["html"].as_str().expect("HTML");
        assert!(html.contains(&format!("<img src=\"http://camp.example/media/site/{first}\" alt=\"\"")), "{html}");
        let seen = image::load_from_memory(&reply.bytes).expect("a PNG").to_rgba8();
        assert_eq!(seen.width(), 512, "what shines through still does");
        assert!(seen.get_pixel(0, 0).0[3] < 255, "what shines through still does");
        send(&owner, "logo", picture(40, 40)).await.expect(201);
        camp.work().await;
        camp.browser().get(&format!("/media/site/{first}")).await.refused(404, "not_found");
        assert!(camp.app.files.exists(&format!("site/{first}.png")).await.expect("an answer"), "a backup may need it");
        camp.work_until_tomorrow().await;
        assert!(!camp.app.files.exists(&format!("site/{first}.png")).await.expect("an answer"), "removed for good");
        let gone = json!({ "logo": first });
        assert!(preview(&owner, gone.clone()).await[0]["problem"].as_str().expect("why").contains("upload it again"));
        owner.patch("/api/admin/settings", gone).await.refused(422, "validation");
        owner.patch("/api/admin/settings", json!({ "logo": null })).await.expect(200);
        assert_eq!(site(&camp).await["pictures"]["logo"], Value::Null);
    }
}

story! {
    async fn up_to_three_pictures_of_the_camp_take_turns(camp) {
        let owner = camp.owner().await;
        send(&owner, "hero", picture(2400, 1200)).await.expect(201);
        let sent = join_all((0..3).map(|n| send(&owner, "hero", picture(60 + n, 30)))).await;
        let mut answers: Vec<u16> = sent.iter().map(|reply| reply.status.as_u16()).collect();
        answers.sort();
        assert_eq!(answers, [201, 201, 409]);
        let shown = site(&camp).await["pictures"]["hero"].as_array().expect("pictures").clone();
        assert_eq!(shown.len(), 3);
        assert_eq!(shown[0]["width"], 2000);
        let small = camp.browser().get(shown[0]["small_url"].as_str().expect("an address")).await.expect(200);
        assert_eq!(small.headers["content-type"], "image/jpeg");
        assert_eq!(image::load_from_memory(&small.bytes).expect("a JPEG").width(), 1080);
        let style = site(&camp).await["style_sheet"].as_str().expect("a veil").to_owned();
        assert!(camp.browser().get(&style).await.expect(200).text().contains(".hero::after"));
        let list = owner.get("/api/admin/settings").await.expect(200).json();
        let ids = setting(&list, "heroPictures")["value"].as_array().expect("ids").clone();
        owner.patch("/api/admin/settings", json!({ "heroPictures": [ids[0], ids[0]] })).await.refused(422, "validation");
        owner.patch("/api/admin/settings", json!({ "heroPictures": [ids[2], ids[0]] })).await.expect(200);
        let shown = site(&camp).await["pictures"]["hero"].clone();
        assert_eq!(shown[0]["url"], format!("/media/site/{}", ids[2].as_str().expect("an id")));
        assert_eq!(shown.as_array().expect("pictures").len(), 2);
        camp.work().await;
        camp.browser().get(&format!("/media/site/{}", ids[1].as_str().expect("an id"))).await.refused(404, "not_found");
        // A settings file that was exported with the third picture cannot restore it, and the
        // preview says so.
        assert!(preview(&owner, json!({ "heroPictures": ids })).await[0]["problem"].is_string());
        assert_eq!(preview(&owner, json!({ "heroPictures": [] })).await[0]["problem"], Value::Null);
        camp.set("heroPictures", json!([])).await;
        assert_eq!(site(&camp).await["pictures"]["hero"], json!([]));
    }
}

story! {
    async fn only_owners_put_pictures_and_only_pictures(camp) {
        let owner = camp.owner().await;
        let staff = camp.staff().await;
        send(&staff, "logo", picture(40, 40)).await.refused(403, "owner_required");
        send(&owner, "logo", b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()).await.refused(422, "validation");
        send(&owner, "hero", vec![0; 10 * 1024 * 1024 + 1]).await.refused(422, "validation");
        assert!(send(&owner, "footer", picture(40, 40)).await.status.is_client_error());
        assert_eq!(site(&camp).await["pictures"]["logo"], Value::Null);
    }
}
