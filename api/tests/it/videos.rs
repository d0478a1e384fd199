//! Staff post videos; families are told once, and see them when it is time.

use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::videos::publish_due;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};

/// Noon in camp, in the middle of the summer.
const NOON: &str = "2026-07-29T16:00:00Z";
const TUBE: &str = "https://youtu.be/dQw4w9WgXcQ";

fn video(title: &str, more: Value) -> Value {
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

async fn edited(staff: &Browser, video: &Value, changes: Value) -> Value {
    patch(staff, video, changes).await.expect(200).json()
}

async fn patch(staff: &Browser, video: &Value, mut changes: Value) -> crate::camp::Reply {
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

async fn admin_titles(staff: &Browser, query: &str) -> Vec<String> {
    let list = staff.get(&format!("/api/admin/videos{query}")).await.expect(200).json();
    let items = list["items"].as_array().expect("items");
    items.iter().map(|video| video["title"].as_str().expect("a title").to_owned()).collect()
}

fn video_mails(camp: &Camp) -> Vec<String> {
    let mails = camp.mails().into_iter().filter(|mail| mail.subject.starts_with("New video"));
    mails.map(|mail| mail.to.email.to_string()).collect()
}

async fn two_families(camp: &Camp) -> (Browser, Browser) {
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
        assert_eq!(reply["notified"], 2);
        let posted = &reply["video"];
        assert_eq!(posted["status"], "published");
        assert_eq!(posted["announced"], true);
        assert_eq!(posted["recipients"], Value::Null);
        assert_eq!(posted["upload_date"], "2026-07-29");
        assert_eq!(posted["uploaded_by"], "feder");
        assert_eq!(posted["page_url"], format!("/video/{}", id(posted)));
        camp.work().await;
        camp.work().await;
        let mut told = video_mails(&camp);
        told.sort();
        assert_eq!(told, ["chaya@family.example", "moshe@family.example"]);
        let mail = camp.mail_to("chaya@family.example").await;
        assert_eq!(mail.subject, "New video: קאלער וואר");
        let page = format!("http://camp.example/video/{}", id(posted));
        assert!(mail.text.contains(&page) && mail.html.contains(&page));
        assert!(mail.text.contains("The gates open.") && mail.text.contains("Blue & <white>."));
        assert!(!mail.html.contains("<white>"), "what staff type is escaped");
        assert!(mail.html.contains("https://i.ytimg.com/vi/dQw4w9WgXcQ/maxresdefault.jpg"));
        assert!(mail.unsubscribe_url.is_some());
        let sent = staff.get(&format!("/api/admin/videos/{}/deliveries", id(posted))).await;
        let sent = sent.expect(200).json();
        assert_eq!((&sent["sent"], &sent["queued"], &sent["failed"]), (&json!(2), &json!(0), &json!(0)));
        let again = staff.post(&format!("/api/admin/videos/{}/deliveries/retry", id(posted)), json!({})).await;
        assert_eq!(again.expect(200).json()["queued"], 0);
    }
}

story! {
    async fn staff_find_the_videos_that_somebody_should_look_at(camp) {
        camp.set_clock(NOON);
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let staff = camp.staff().await;
        let campfire = posted(&staff, "Campfire", json!({})).await;
        // After two days without a mail server, a mail has failed.
        camp.wait(TimeDelta::hours(49));
        camp.work_without_mail().await;
        posted(&staff, "Swim relay", json!({ "status": "draft" })).await;
        let hike = posted(&staff, "Hike", json!({})).await;
        camp.work().await;
        let said = moshe.post(&format!("/api/videos/{}/comments", id(&hike)), json!({ "content": "Hm." })).await.expect(201).json();
        moshe.post(&format!("/api/videos/{}/comments", id(&hike)), json!({ "content": "Well." })).await.expect(201);
        camp.browser().post(&format!("/api/comments/{}/report", id(&said)), json!({})).await.expect(204);

        assert_eq!(admin_titles(&staff, "?attention=failed_mails").await, ["Campfire"]);
        assert_eq!(admin_titles(&staff, "?attention=reported_comments").await, ["Hike"]);
        assert_eq!(admin_titles(&staff, "?attention=reported_comments&status=draft").await, [""; 0]);
        assert_eq!(admin_titles(&staff, "").await.len(), 3);
        staff.get("/api/admin/videos?attention=nothing").await.refused(400, "bad_request");
        let counts = staff.get("/api/admin/videos/counts").await.expect(200).json();
        assert_eq!((&counts["all"], &counts["failed_mails"], &counts["reported_comments"], &counts["held_comments"]), (&json!(3), &json!(1), &json!(1), &json!(0)));
        let seen = staff.get("/api/admin/videos?attention=failed_mails").await.expect(200).json();
        assert_eq!((&seen["items"][0]["failed_mails"], &seen["items"][0]["reported_comments"]), (&json!(1), &json!(0)));
        let attention = staff.get("/api/admin/dashboard").await.expect(200).json()["attention"].clone();
        assert_eq!((&attention["failed_mails"], &attention["failed_video_mails"]), (&json!(1), &json!(1)));

        // What was dealt with is gone from both.
        staff.post(&format!("/api/admin/comments/{}/hide", id(&said)), json!({})).await.expect(204);
        assert_eq!(admin_titles(&staff, "?attention=reported_comments").await, [""; 0]);
        let again = staff.post(&format!("/api/admin/videos/{}/deliveries/retry", id(&campfire)), json!({})).await;
        assert_eq!(again.expect(200).json()["queued"], 1);
        camp.work().await;
        assert_eq!(admin_titles(&staff, "?attention=failed_mails").await, [""; 0]);
        let mut told = video_mails(&camp);
        told.sort();
        assert_eq!(told, ["moshe@family.example", "moshe@family.example"]);
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
    async fn many_workers_publish_a_due_video_once(camp) {
        let (chaya, _) = two_families(&camp).await;
        let staff = camp.staff().await;
        let when = json!({ "status": "scheduled", "scheduled_date": "2026-07-29T12:10" });
        let scheduled = posted(&staff, "Grand Siyum", when).await;
        assert_eq!(scheduled["scheduled_date"], "2026-07-29T16:10:00Z");
        assert_eq!(publish_due(&camp.app).await.expect("nothing is due"), 0);
        chaya.get(&format!("/api/videos/{}", id(&scheduled))).await.refused(404, "not_found");
        camp.wait(TimeDelta::minutes(11));
        let done = join_all((0..8).map(|_| publish_due(&camp.app))).await;
        let published: usize = done.into_iter().map(|done| done.expect("it works")).sum();
        assert_eq!(published, 1);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 2);
        let seen = chaya.get(&format!("/api/videos/{}", id(&scheduled))).await.expect(200).json();
        assert_eq!(seen["latest"], true);
        let video = &staff.get("/api/admin/videos").await.expect(200).json()["items"][0];
        assert_eq!((&video["status"], &video["scheduled_date"]), (&json!("published"), &Value::Null));
        assert_eq!(video["announced"], true);
    }
}

story! {
    async fn what_became_due_while_the_worker_was_off_appears_when_it_is_back(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        for (title, hour) in [("Afternoon", "14:00"), ("Evening", "20:30")] {
            let when = json!({ "status": "scheduled", "scheduled_date": format!("2026-07-29T{hour}") });
            posted(&staff, title, when).await;
        }
        let site = camp.browser().get("/api/site").await.expect(200).json();
        assert_eq!(site["posting_time_text"], "Next update: 2:00 PM");
        camp.wait(TimeDelta::days(2));
        assert_eq!(publish_due(&camp.app).await.expect("it works"), 2);
        assert_eq!(publish_due(&camp.app).await.expect("it works"), 0);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 4);
        assert_eq!(titles(&camp.browser(), "?collection=current").await.len(), 2);
    }
}

story! {
    async fn a_scheduled_time_is_required_and_in_the_future(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for (date, sentence) in [
            (Value::Null, "Please choose a date and time."),
            (json!("2026-07-29T11:59"), "Please choose a date and time in the future."),
            (json!("2026-07-29T12:00"), "Please choose a date and time in the future."),
            (json!("tomorrow"), "Please enter a valid date and time."),
            (json!("99999-01-01T10:00"), "Please enter a valid date and time."),
            (json!(""), "Please enter a valid date and time."),
        ] {
            let new = video("Lake", json!({ "status": "scheduled", "scheduled_date": date }));
            let wrong = staff.post("/api/admin/videos", new).await.refused(422, "validation");
            assert_eq!(wrong["errors"], json!([{ "field": "scheduled_date", "message": sentence }]));
        }
        for status in ["draft", "published"] {
            let new = video("Lake", json!({ "status": status, "scheduled_date": "2026-07-30T20:00" }));
            staff.post("/api/admin/videos", new).await.refused(422, "validation");
        }
        let day = video("Lake", json!({ "status": "scheduled", "scheduled_date": "2026-07-30" }));
        let day = staff.post("/api/admin/videos", day).await.expect(201).json();
        assert_eq!(day["video"]["scheduled_date"], "2026-07-30T13:00:00Z", "nine in the morning");
    }
}

story! {
    async fn a_time_that_daylight_saving_skips_moves_forward_and_a_doubled_one_is_the_first(camp) {
        camp.set_clock("2026-03-01T17:00:00Z");
        let staff = camp.staff().await;
        let spring = json!({ "status": "scheduled", "scheduled_date": "2026-03-08T02:30" });
        let spring = posted(&staff, "Spring", spring).await;
        assert_eq!(spring["scheduled_date"], "2026-03-08T07:30:00Z");
        let autumn = json!({ "status": "scheduled", "scheduled_date": "2026-11-01T01:30" });
        let autumn = posted(&staff, "Autumn", autumn).await;
        assert_eq!(autumn["scheduled_date"], "2026-11-01T05:30:00Z");
        camp.set("timezone", "Asia/Jerusalem").await;
        let there = json!({ "status": "scheduled", "scheduled_date": "2026-07-30T20:00" });
        assert_eq!(posted(&staff, "There", there).await["scheduled_date"], "2026-07-30T17:00:00Z");
    }
}

story! {
    async fn new_years_eve_in_camp_still_belongs_to_the_old_year(camp) {
        // Half past eleven at night in camp; in UTC the new year has begun.
        camp.set_clock("2027-01-01T04:30:00Z");
        camp.parent("Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let last = posted(&staff, "Melave Malka", json!({})).await;
        assert_eq!((&last["upload_date"], &last["year"]), (&json!("2026-12-31"), &json!(2026)));
        let draft = posted(&staff, "Still cutting", json!({ "status": "draft" })).await;
        assert_eq!(draft["recipients"], 1);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 1);
        let home = camp.browser();
        assert_eq!(titles(&home, "?collection=current").await, ["Melave Malka"]);
        camp.wait(TimeDelta::minutes(40));
        let staff = again(&camp).await;
        assert!(titles(&home, "?collection=current").await.is_empty());
        let archive = home.get("/api/videos?collection=archive").await.expect(200).json();
        let card = &archive["items"][0];
        assert_eq!((&card["archive"], &card["latest"]), (&json!(true), &json!(false)));
        let years = home.get("/api/videos/years").await.expect(200).json();
        assert_eq!(years["items"], json!([{ "year": 2026, "count": 1 }]));
        // A video of an earlier year never notifies, however late it is published.
        let late = edited(&staff, &draft, json!({ "status": "published" })).await;
        assert_eq!((&late["notified"], &late["video"]["year"]), (&json!(0), &json!(2026)));
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 1);
    }
}

/// The same member of staff after a long while.
async fn again(camp: &Camp) -> Browser {
    let browser = camp.browser();
    let given = json!({ "username": "feder", "password": crate::camp::PASSWORD });
    browser.post("/api/admin/auth/sign-in", given).await.expect(200);
    browser
}

story! {
    async fn saving_the_edit_panel_never_changes_a_status_that_nobody_changed(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        let draft = posted(&staff, "Hike", json!({ "status": "draft" })).await;
        let draft = edited(&staff, &draft, json!({ "title": "Long hike" })).await["video"].clone();
        assert_eq!((&draft["status"], &draft["title"]), (&json!("draft"), &json!("Long hike")));
        let draft = edited(&staff, &draft, json!({ "scheduled_date": null })).await["video"].clone();
        assert_eq!(draft["status"], "draft");
        // A date alone schedules a draft.
        let later = edited(&staff, &draft, json!({ "scheduled_date": "2026-07-30T20:00" })).await["video"].clone();
        assert_eq!((&later["status"], &later["scheduled_date"]), (&json!("scheduled"), &json!("2026-07-31T00:00:00Z")));
        let later = edited(&staff, &later, json!({ "description": "Up the mountain", "status": "scheduled" })).await["video"].clone();
        assert_eq!((&later["status"], &later["scheduled_date"]), (&json!("scheduled"), &json!("2026-07-31T00:00:00Z")));
        patch(&staff, &later, json!({ "scheduled_date": null })).await.refused(422, "validation");
        let back = edited(&staff, &later, json!({ "status": "draft" })).await["video"].clone();
        assert_eq!((&back["status"], &back["scheduled_date"]), (&json!("draft"), &Value::Null));
        let later = edited(&staff, &back, json!({ "status": "scheduled", "scheduled_date": "2026-07-30T20:00" })).await["video"].clone();
        let up = edited(&staff, &later, json!({ "status": "published", "scheduled_date": null })).await;
        assert_eq!((&up["notified"], &up["video"]["scheduled_date"]), (&json!(2), &Value::Null));
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
        assert_eq!((&video["status"], &video["published_at"]), (&json!("published"), &up["published_at"]));
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
        assert_eq!((&added["notified"], &added["video"]["upload_date"]), (&json!(0), &json!("2023-07-01")));
        assert_eq!((&added["video"]["archive"], &added["video"]["video_type"]), (&json!(true), &json!("youtube")));
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
        // Moved into this year, it still is no news.
        let old = added["video"].clone();
        let moved = edited(&staff, &old, json!({ "upload_date": "2026-07-20", "status": "draft" })).await["video"].clone();
        assert_eq!(edited(&staff, &moved, json!({ "status": "published" })).await["notified"], 0);
    }
}

story! {
    async fn what_is_wrong_is_said_and_nothing_is_half_saved(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        for (body, field, sentence) in [
            (json!({ "title": " a " }), "title", "Title must be at least 2 characters."),
            (json!({ "title": "x".repeat(201) }), "title", "Please use at most 200 characters."),
            (json!({ "title": "bell\u{7}" }), "title", "Please remove the invisible control characters."),
            (json!({ "title": "nul\u{0}" }), "title", "Please remove the invisible control characters."),
            (json!({ "description": "x".repeat(5001) }), "description", "Please use at most 5000 characters."),
            (json!({ "upload_date": "2026-07-30" }), "upload_date", "The upload date cannot be in the future."),
            (json!({ "video_url": "javascript:alert(1)" }), "video_url", "Please enter a valid URL."),
            (json!({ "video_url": "data:text/html,<script>x.mp4" }), "video_url", "Please enter a valid URL."),
            (json!({ "video_url": "http://cdn.example/v.mp4" }), "video_url", "Please enter a valid URL."),
            (json!({ "video_url": "https://cdn.example/page.html" }), "video_url", "Please enter a valid URL."),
            (json!({ "video_url": "https://youtube.com@evil.example/watch?v=dQw4w9WgXcQ" }), "video_url", "Please enter a valid URL."),
            (json!({ "video_url": "" }), "video_url", "Please enter a valid URL."),
        ] {
            let wrong = staff.post("/api/admin/videos", video("Fine", body)).await.refused(422, "validation");
            assert_eq!(wrong["errors"], json!([{ "field": field, "message": sentence }]));
            assert_eq!(wrong["detail"], sentence);
        }
        let everything = json!({ "title": "", "video_url": "x", "upload_date": "2030-01-01" });
        let wrong = staff.post("/api/admin/videos", everything).await.refused(422, "validation");
        assert_eq!(wrong["errors"].as_array().expect("errors").len(), 3, "all is said at once");
        for body in [
            json!({ "view_count": 1000 }),
            json!({ "uploaded_by": "somebody" }),
            json!({ "status": "gallery" }),
            json!({ "is_featured": "yes" }),
            json!({ "title": 7 }),
            json!({ "upload_date": "29/07/2026" }),
            json!({ "title": null }),
        ] {
            staff.post("/api/admin/videos", video("Fine", body)).await.refused(422, "validation");
        }
        staff.post("/api/admin/videos", json!({ "title": "No link" })).await.refused(422, "validation");
        let counts = staff.get("/api/admin/videos/counts").await.expect(200).json();
        assert_eq!((&counts["all"], &counts["recipients"]), (&json!(0), &json!(2)));
        camp.work().await;
        assert!(video_mails(&camp).is_empty());
        let good = posted(&staff, "Fine", json!({ "status": "draft" })).await;
        for body in [
            json!({ "title": "  " }),
            json!({ "title": "New title", "video_url": "ftp://x/y.mp4", "status": "published" }),
            json!({ "title": "New title", "unknown": 1 }),
        ] {
            patch(&staff, &good, body).await.refused(422, "validation");
        }
        let wrong = patch(&staff, &good, json!({ "title": "  " })).await.refused(422, "validation");
        assert_eq!(wrong["detail"], "Title is required");
        let still = &staff.get("/api/admin/videos").await.expect(200).json()["items"][0];
        assert_eq!(still, &good);
    }
}

story! {
    async fn somebody_elses_change_in_between_is_not_overwritten(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let first = posted(&staff, "Lake", json!({})).await;
        edited(&staff, &first, json!({ "title": "Lake at dawn" })).await;
        patch(&staff, &first, json!({ "title": "Lake at dusk" })).await.refused(409, "stale");
        assert_eq!(admin_titles(&staff, "").await, ["Lake at dawn"]);
        let nobody = "/api/admin/videos/0190a5b0-0000-7000-8000-000000000000";
        staff.patch(nobody, json!({ "version": 1 })).await.refused(404, "not_found");
        staff.delete(nobody).await.refused(404, "not_found");
        staff.get(&format!("{nobody}/deliveries")).await.refused(404, "not_found");
        staff.patch("/api/admin/videos/7", json!({ "version": 1 })).await.refused(404, "not_found");
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
    async fn a_restricted_camp_sends_no_pictures_by_mail(camp) {
        let _families = two_families(&camp).await;
        camp.set("access", "signed_in").await;
        let staff = camp.staff().await;
        posted(&staff, "Inside", json!({})).await;
        let mail = camp.mail_to("chaya@family.example").await;
        assert_eq!(mail.subject, "New video: Inside");
        assert!(!mail.html.contains("ytimg"));
    }
}

story! {
    async fn every_link_form_is_shown_as_it_will_be_played(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let check = |link: &'static str| staff.post("/api/admin/videos/check-link", json!({ "video_url": link }));
        let drive = check("https://drive.google.com/open?id=1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV").await.expect(200).json();
        assert_eq!(drive, json!({
            "video_type": "google_drive",
            "video_url": "https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/preview",
            "thumbnail_url": "https://drive.google.com/thumbnail?id=1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV&sz=w800-h450",
        }));
        let tube = check("https://www.youtube.com/shorts/dQw4w9WgXcQ?t=4").await.expect(200).json();
        assert_eq!(tube["video_url"], "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ");
        let file = check("https://cdn.example/day.mp4").await.expect(200).json();
        assert_eq!((&file["video_type"], &file["thumbnail_url"]), (&json!("upload"), &Value::Null));
        let wrong = check("javascript:alert(document.cookie)//.mp4").await.refused(422, "validation");
        assert_eq!(wrong["detail"], "Please enter a valid URL.");
        // What the edit panel shows may be sent back as it is.
        let video = posted(&staff, "Drive", json!({ "video_url": "https://drive.google.com/uc?id=1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV&export=download" })).await;
        let same = edited(&staff, &video, json!({ "video_url": video["video_url"] })).await["video"].clone();
        assert_eq!((&same["video_url"], &same["thumbnail_url"]), (&video["video_url"], &video["thumbnail_url"]));
        let other = edited(&staff, &same, json!({ "video_url": TUBE })).await["video"].clone();
        assert_eq!((&other["video_type"], &other["status"]), (&json!("youtube"), &json!("published")));
    }
}

story! {
    async fn staff_find_videos_by_title_description_type_and_date(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        posted(&staff, "Swimming", json!({ "description": "At the big lake", "upload_date": "2026-07-28" })).await;
        posted(&staff, "Hike", json!({ "status": "draft", "video_url": "https://drive.google.com/open?id=1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV" })).await;
        posted(&staff, "Archive night", json!({ "upload_date": "2025-08-01" })).await;
        for (query, found) in [
            ("?q=swim", &["Swimming"][..]),
            ("?q=BIG%20lake", &["Swimming"]),
            ("?q=google%20drive", &["Hike"]),
            ("?q=google_drive", &["Hike"]),
            ("?q=youtube", &["Archive night", "Swimming"]),
            ("?q=2026-07-28", &["Swimming"]),
            ("?q=july%2028", &["Swimming"]),
            ("?q=aug%201,%202025", &["Archive night"]),
            ("?status=draft", &["Hike"]),
            ("?collection=current", &["Hike", "Swimming"]),
            ("?year=2025", &["Archive night"]),
            ("?q=%25", &[]),
            ("?q=nothing%00here", &[]),
        ] {
            assert_eq!(admin_titles(&staff, query).await, found, "{query}");
        }
        let counts = staff.get("/api/admin/videos/counts").await.expect(200).json();
        assert_eq!(counts, json!({ "all": 3, "published": 2, "scheduled": 0, "draft": 1, "current": 2, "archive": 1, "failed_mails": 0, "reported_comments": 0, "held_comments": 0, "recipients": 0 }));
        staff.get("/api/admin/videos?sort=1").await.refused(400, "bad_request");
        staff.get("/api/admin/videos?collection=home").await.refused(400, "bad_request");
    }
}

story! {
    async fn the_staff_list_goes_on_where_it_ended_while_videos_are_added(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for n in 1..=5 {
            posted(&staff, &format!("Video {n}"), json!({})).await;
        }
        let first = staff.get("/api/admin/videos?limit=2").await.expect(200).json();
        posted(&staff, "Video 6", json!({})).await;
        let cursor = first["next"].as_str().expect("more");
        let rest = admin_titles(&staff, &format!("?limit=10&cursor={cursor}")).await;
        assert_eq!(rest, ["Video 3", "Video 2", "Video 1"]);
        staff.get(&format!("/api/admin/videos?collection=archive&cursor={cursor}")).await.refused(422, "validation");
    }
}

story! {
    async fn the_audit_log_tells_who_did_what_to_a_video(camp) {
        camp.set_clock(NOON);
        let owner = camp.owner().await;
        let draft = posted(&owner, "Hike", json!({ "status": "draft" })).await;
        let up = edited(&owner, &draft, json!({ "status": "published", "title": "Long hike" })).await["video"].clone();
        owner.delete(&format!("/api/admin/videos/{}", id(&up))).await.expect(204);
        let log = owner.get(&format!("/api/admin/audit?subject_id={}", id(&up))).await.expect(200).json();
        let actions: Vec<&str> = log["items"].as_array().expect("items").iter()
            .map(|entry| entry["action"].as_str().expect("an action")).collect();
        assert_eq!(actions, ["video.delete", "video.publish", "video.edit", "video.create"]);
        assert_eq!(log["items"][0]["actor_kind"], "staff");
        let edit: Value = serde_json::from_str(log["items"][2]["details"].as_str().expect("text")).expect("JSON");
        assert_eq!(edit["title"], json!({ "before": "Hike", "after": "Long hike" }));
        assert_eq!(edit["status"], json!({ "before": "draft", "after": "published" }));
        assert_eq!(edit.as_object().expect("fields").len(), 2, "only what changed");
    }
}
