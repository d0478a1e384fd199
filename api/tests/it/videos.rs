//! Videos: staff post them, families get one mail and see them once they are published.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, Camp};
use crate::mail::write;

/// Noon in camp, in the middle of summer.
pub const NOON: &str = "2026-07-29T16:00:00Z";
pub const TUBE: &str = "https://youtu.be/dQw4w9WgXcQ";

pub fn video(title: &str, more: Value) -> Value {
    let mut video = json!({ "title": title, "video_url": TUBE });
    let fields = more.as_object().expect("fields").clone();
    video.as_object_mut().expect("fields").extend(fields);
    video
}

/// Posts a video and returns it as staff see it.
pub async fn posted(staff: &Browser, title: &str, more: Value) -> Value {
    let reply = staff.post("/api/admin/videos", video(title, more)).await.expect(201);
    reply.json()["video"].clone()
}

pub async fn edited(staff: &Browser, video: &Value, changes: Value) -> Value {
    patch(staff, video, changes).await.expect(200).json()
}

pub async fn patch(staff: &Browser, video: &Value, mut changes: Value) -> crate::camp::Reply {
    changes["version"] = video["version"].clone();
    let path = format!("/api/admin/videos/{}", video["id"].as_str().expect("an id"));
    staff.patch(&path, changes).await
}

pub fn id(video: &Value) -> &str {
    video["id"].as_str().expect("an id")
}

pub async fn titles(browser: &Browser, query: &str) -> Vec<String> {
    let list = browser.get(&format!("/api/videos{query}")).await.expect(200).json();
    let items = list["items"].as_array().expect("items");
    items.iter().map(|video| video["title"].as_str().expect("a title").to_owned()).collect()
}

pub async fn admin_titles(staff: &Browser, query: &str) -> Vec<String> {
    let list = staff.get(&format!("/api/admin/videos{query}")).await.expect(200).json();
    let items = list["items"].as_array().expect("items");
    items.iter().map(|video| video["title"].as_str().expect("a title").to_owned()).collect()
}

pub fn video_mails(camp: &Camp) -> Vec<String> {
    let mails = camp.mails().into_iter().filter(|mail| mail.subject.starts_with("New video"));
    mails.map(|mail| mail.to.email.to_string()).collect()
}

pub async fn two_families(camp: &Camp) -> (Browser, Browser) {
    camp.set_clock(NOON);
    let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
    let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
    (chaya, moshe)
}

story! {
    async fn publishing_a_video_tells_every_family_once(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        let new = video("קאלער וואר", json!({ "description": "The gates open.\n\nBlue & <white>." }));
        let reply = staff.post("/api/admin/videos", new).await.expect(201).json();
        let posted = &reply["video"];
        approved("published_video", &reply);
        camp.work().await;
        camp.work().await;
        let mut told = video_mails(&camp);
        told.sort();
        assert_eq!(told, ["chaya@family.example", "moshe@family.example"]);
        let mail = camp.mail_to("chaya@family.example").await;
        assert_eq!(mail.subject, "New video: קאלער וואר");
        let page = format!("http://camp.example/video/{}?play=1", id(posted));
        assert!(mail.text.contains(&page) && mail.html.contains(&page));
        assert!(mail.text.contains("The gates open.") && mail.text.contains("Blue & <white>."));
        assert!(!mail.html.contains("<white>"), "what staff type is escaped");
        assert!(mail.html.contains("<img src=\"http://camp.example/art/social.jpg\""), "{}", mail.html);
        assert!(!mail.html.contains("ytimg"), "nobody else learns who reads the mail");
        assert!(mail.unsubscribe_url.is_some());
        let sent = staff.get(&format!("/api/admin/videos/{}/deliveries", id(posted))).await;
        let sent = sent.expect(200).json();
        assert_eq!(sent["sent"], 2);
        assert_eq!(sent["queued"], 0);
        assert_eq!(sent["failed"], 0);
        let again = staff.post(&format!("/api/admin/videos/{}/deliveries/retry", id(posted)), json!({})).await;
        assert_eq!(again.expect(200).json()["queued"], 0);
    }
}

story! {
    async fn two_members_of_staff_who_publish_at_the_same_moment_tell_families_once(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        let draft = posted(&staff, "Swimming", json!({ "status": "draft" })).await;
        assert_eq!(draft["recipients"], 2);
        let replies = join_all((0..8).map(|_| patch(&staff, &draft, json!({ "status": "published" })))).await;
        let statuses: Vec<u16> = replies.iter().map(|reply| reply.status.as_u16()).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 7, "{statuses:?}");
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 2);
    }
}

story! {
    async fn saving_the_edit_panel_never_changes_a_status_that_nobody_changed(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        let draft = posted(&staff, "Hike", json!({ "status": "draft" })).await;
        let draft = edited(&staff, &draft, json!({ "title": "Long hike" })).await["video"].clone();
        assert_eq!(draft["status"], "draft");
        assert_eq!(draft["title"], "Long hike");
        let draft = edited(&staff, &draft, json!({ "scheduled_date": null })).await["video"].clone();
        assert_eq!(draft["status"], "draft");
        // A date alone schedules a draft.
        let later = edited(&staff, &draft, json!({ "scheduled_date": "2026-07-30T20:00" })).await["video"].clone();
        assert_eq!(later["status"], "scheduled");
        assert_eq!(later["scheduled_date"], "2026-07-31T00:00:00Z");
        let later = edited(&staff, &later, json!({ "description": "Up the mountain", "status": "scheduled" })).await["video"].clone();
        assert_eq!(later["status"], "scheduled");
        assert_eq!(later["scheduled_date"], "2026-07-31T00:00:00Z");
        patch(&staff, &later, json!({ "scheduled_date": null })).await.refused(422, "validation");
        let back = edited(&staff, &later, json!({ "status": "draft" })).await["video"].clone();
        assert_eq!(back["status"], "draft");
        assert_eq!(back["scheduled_date"], Value::Null);
        let later = edited(&staff, &back, json!({ "status": "scheduled", "scheduled_date": "2026-07-30T20:00" })).await["video"].clone();
        let up = edited(&staff, &later, json!({ "status": "published", "scheduled_date": null })).await;
        assert_eq!(up["notified"], 2);
        assert_eq!(up["video"]["scheduled_date"], Value::Null);
        let up = up["video"].clone();
        let up = edited(&staff, &up, json!({ "title": "Longest hike" })).await["video"].clone();
        assert_eq!(up["status"], "published");
        // A date alone does not take a published video away from families.
        patch(&staff, &up, json!({ "scheduled_date": "2026-07-30T20:00" })).await.refused(422, "validation");
        let away = edited(&staff, &up, json!({ "status": "scheduled", "scheduled_date": "2026-07-29T12:05" })).await["video"].clone();
        assert_eq!(away["recipients"], Value::Null, "it was announced already");
        camp.wait(TimeDelta::minutes(6));
        camp.work().await;
        let video = &staff.get("/api/admin/videos").await.expect(200).json()["items"][0];
        assert_eq!(video["status"], "published");
        assert_eq!(video["published_at"], up["published_at"]);
        let taken = edited(&staff, video, json!({ "status": "draft" })).await["video"].clone();
        let once_more = edited(&staff, &taken, json!({ "status": "published" })).await;
        assert_eq!(once_more["notified"], 0);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 2, "twice published, once told");
    }
}

story! {
    async fn a_video_of_an_earlier_summer_never_notifies(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        let new = json!({ "title": "Old days", "video_url": TUBE, "year": 2023 });
        let added = staff.post("/api/admin/gallery", new).await.expect(201).json();
        assert_eq!(added["notified"], 0);
        assert_eq!(added["video"]["upload_date"], "2023-07-01");
        assert_eq!(added["video"]["archive"], true);
        assert_eq!(added["video"]["video_type"], "youtube");
        let draft = json!({ "title": "Older days", "video_url": TUBE, "year": 2016, "status": "draft" });
        let draft = staff.post("/api/admin/gallery", draft).await.expect(201).json()["video"].clone();
        assert_eq!(draft["recipients"], Value::Null);
        assert_eq!(edited(&staff, &draft, json!({ "status": "published" })).await["notified"], 0);
        for year in [2026, 2015, 2027, -1] {
            let new = json!({ "title": "Other days", "video_url": TUBE, "year": year });
            let wrong = staff.post("/api/admin/gallery", new).await.refused(422, "validation");
            assert_eq!(wrong["errors"][0]["field"], "year");
        }
        camp.work().await;
        assert!(video_mails(&camp).is_empty());
        assert_eq!(admin_titles(&staff, "?collection=archive").await, ["Old days", "Older days"]);
        let years = staff.get("/api/admin/videos/years").await.expect(200).json();
        assert_eq!(years["items"], json!([{ "year": 2023, "count": 1 }, { "year": 2016, "count": 1 }]));
        // Moving it into this year sends no email, but its first publication as a video of this
        // year does.
        let old = added["video"].clone();
        let moved = edited(&staff, &old, json!({ "upload_date": "2026-07-20" })).await;
        assert_eq!((&moved["notified"], &moved["video"]["recipients"]), (&json!(0), &Value::Null));
        for reach in [2, 0] {
            let current = staff.get(&format!("/api/admin/videos/{}", id(&old))).await.expect(200).json();
            let draft = edited(&staff, &current, json!({ "status": "draft" })).await["video"].clone();
            assert_eq!(draft["recipients"], if reach > 0 { json!(reach) } else { Value::Null });
            assert_eq!(edited(&staff, &draft, json!({ "status": "published" })).await["notified"], reach);
            camp.work().await;
        }
    }
}

story! {
    async fn a_letter_about_a_deleted_video_does_not_go_out(camp) {
        let (chaya, _) = two_families(&camp).await;
        let staff = camp.staff().await;
        let video = posted(&staff, "By mistake", json!({})).await;
        let path = format!("/api/videos/{}", id(&video));
        let said = json!({ "content": "What is this?" });
        chaya.post(&format!("{path}/comments"), said).await.expect(201);
        chaya.put(&format!("{path}/like")).await.expect(200);
        staff.delete(&format!("/api/admin/videos/{}", id(&video))).await.expect(204);
        staff.delete(&format!("/api/admin/videos/{}", id(&video))).await.refused(404, "not_found");
        camp.work().await;
        assert!(video_mails(&camp).is_empty());
        chaya.get(&path).await.refused(404, "not_found");
        let favorites = chaya.get("/api/profile/favorites").await.expect(200).json();
        assert_eq!(favorites["items"], json!([]));
    }
}

story! {
    async fn a_mail_shows_the_picture_of_a_video_that_everybody_may_watch(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        for (access, shown) in [("everyone", true), ("signed_in", false)] {
            camp.set("access", access).await;
            let title = format!("For {access}");
            posted(&staff, &title, json!({})).await;
            write(&camp, format!("update videos set thumbnail_url = '/media/thumbnails/own', duration_seconds = 155 where title = '{title}'")).await;
            camp.work().await;
            let mails = camp.mails_to("chaya@family.example");
            let mail = mails.iter().find(|mail| mail.subject.ends_with(&title)).expect("a mail");
            assert_eq!(mail.html.contains("<img src=\"http://camp.example/media/thumbnails/own\""), shown, "{}", mail.html);
            assert_eq!(mail.html.contains("<img src=\"http://camp.example/art/social.jpg\""), !shown, "{}", mail.html);
            assert!(mail.html.contains("Play the video (2:35)") && mail.text.contains("(2:35)"));
        }
    }
}
