//! Videos with uploads are never public before their file is ready, and are replaced and deleted
//! together with it.

use std::time::Duration;

use axum::http::Method;
use portal::audit::Actor;
use portal::uploads;
use portal::videos::{self, publish_due};
use serde_json::{Value, json};

use super::{LAKE, begun, id_of, is_staged, open_uploads, send, uploaded, without_converter};
use crate::camp::{Browser, Camp};
use crate::videos::{NOON, TUBE, edited, id, patch, posted, titles, two_families, video_mails};

/// Another file that plays everywhere.
const HIKE: &[u8] = include_bytes!("../../../../core/src/seed/media/hike.mp4");

async fn shown(staff: &Browser, video: &Value) -> Value {
    staff.get(&format!("/api/admin/videos/{}", id(video))).await.expect(200).json()
}

async fn watched(browser: &Browser, video: &Value) -> Vec<u8> {
    browser.get(&format!("/media/videos/{}", id(video))).await.expect(200).bytes.to_vec()
}

/// All files of the camp, and the staged ones.
async fn files(camp: &Camp) -> Vec<String> {
    let mut all: Vec<String> =
        camp.app.files.list().await.expect("files").into_iter().map(|(key, _)| key).collect();
    let staged = uploads::staged(&camp.app, uuid::Uuid::nil());
    let staged = std::fs::read_dir(staged.parent().expect("a folder")).into_iter().flatten();
    all.extend(staged.map(|file| file.expect("a file").path().display().to_string()));
    all
}

story! {
    async fn a_video_that_was_published_before_its_file_is_ready_appears_with_it(camp) {
        let camp = without_converter(&camp).await;
        let (chaya, _) = two_families(&camp).await;
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let form = json!({ "title": "Lake day", "upload_id": id_of(&path), "status": "published" });
        let key = [("idempotency-key", "0190a5b0-0000-7000-8000-00000000000a")];
        let saved = staff.send(Method::POST, "/api/admin/videos", Some(form.clone()), &key).await.expect(201).json();
        let again = staff.send(Method::POST, "/api/admin/videos", Some(form), &key).await.expect(201).json();
        assert_eq!(saved, again, "a form that is sent twice makes one video");
        let video = &saved["video"];
        assert_eq!(saved["notified"], 0);
        assert_eq!((&video["status"], &video["publishes_when_ready"]), (&json!("scheduled"), &json!(true)));
        assert_eq!(video["published_at"], Value::Null);
        assert_eq!(video["video_url"], format!("/media/videos/{}", id(video)));
        assert_eq!(video["video_type"], "upload");
        assert_eq!((&video["upload"]["state"], &video["upload"]["video_id"]), (&json!("uploading"), &video["id"]));

        // There is no way around the unfinished file.
        let public = format!("/api/videos/{}", id(video));
        let bulk = json!({ "ids": [video["id"]], "action": "publish" });
        let done = staff.post("/api/admin/videos/bulk", bulk).await.expect(200).json();
        assert_eq!(done, json!({ "done": 0, "waiting": 1, "notified": 0, "mail_at": null }));
        let video = edited(&staff, &shown(&staff, video).await, json!({ "status": "published", "title": "A day at the lake" })).await["video"].clone();
        assert_eq!(video["status"], "scheduled");
        assert_eq!(publish_due(&camp.app).await.expect("it works"), 0);
        chaya.get(&public).await.refused(404, "not_found");
        staff.get(&format!("/media/videos/{}", id(&video))).await.refused(404, "not_found");
        assert_eq!(titles(&chaya, "?collection=current").await, [""; 0]);

        send(&staff, &path, 0, &LAKE[..700]).await.expect(204);
        assert_eq!(shown(&staff, &video).await["upload"]["received_bytes"], 700);
        send(&staff, &path, 700, &LAKE[700..]).await.expect(204);
        chaya.get(&public).await.refused(404, "not_found");
        camp.work().await;
        let seen = chaya.get(&public).await.expect(200).json();
        assert_eq!((&seen["title"], &seen["content_type"]), (&json!("A day at the lake"), &json!("video/mp4")));
        assert_eq!(seen["duration_seconds"], 7);
        assert!(watched(&chaya, &video).await == LAKE);
        assert_eq!(video_mails(&camp).len(), 2, "every family is told once");
        let video = shown(&staff, &video).await;
        assert_eq!((&video["status"], &video["publishes_when_ready"]), (&json!("published"), &json!(false)));
        assert_eq!((&video["upload"]["state"], &video["upload"]["progress"]), (&json!("ready"), &json!(100)));
        assert_eq!(open_uploads(&staff).await, [Value::Null; 0]);
        assert!(!is_staged(&camp, &id_of(&path)));
        staff.delete(&path).await.refused(409, "conflict");
    }
}

story! {
    async fn a_form_that_is_saved_after_the_upload_publishes_at_once(camp) {
        let camp = without_converter(&camp).await;
        let (chaya, _) = two_families(&camp).await;
        let staff = camp.staff().await;
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        camp.work().await;
        assert_eq!(open_uploads(&staff).await[0]["state"], "ready");
        let saved = staff.post("/api/admin/videos", json!({ "title": "Lake", "upload_id": upload })).await.expect(201).json();
        assert_eq!((&saved["video"]["status"], &saved["notified"]), (&json!("published"), &json!(2)));
        assert!(watched(&chaya, &saved["video"]).await == LAKE);
        let other = staff.post("/api/admin/videos", json!({ "title": "Other", "upload_id": upload })).await.refused(422, "validation");
        assert_eq!(other["errors"][0]["field"], "upload_id");
        let gallery = uploaded(&staff, "hike.mp4", HIKE).await;
        let form = json!({ "title": "Old hike", "upload_id": gallery, "year": 2024 });
        let old = staff.post("/api/admin/gallery", form).await.expect(201).json();
        assert_eq!(old["video"]["status"], "scheduled");
        camp.work().await;
        assert!(watched(&chaya, &old["video"]).await == HIKE);
        assert_eq!(video_mails(&camp).len(), 2, "nobody is told about an earlier year");
    }
}

story! {
    async fn a_scheduled_video_waits_for_its_time_and_for_its_file(camp) {
        let camp = without_converter(&camp).await;
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let form = json!({
            "title": "Lake", "upload_id": id_of(&path), "status": "scheduled", "scheduled_date": "2026-07-29T12:10",
        });
        let video = staff.post("/api/admin/videos", form).await.expect(201).json()["video"].clone();
        assert_eq!(video["publishes_when_ready"], false);
        camp.wait(chrono::TimeDelta::minutes(20));
        assert_eq!(publish_due(&camp.app).await.expect("it works"), 0);
        assert_eq!(shown(&staff, &video).await["publishes_when_ready"], true);
        send(&staff, &path, 0, LAKE).await.expect(204);
        camp.work().await;
        assert_eq!(shown(&staff, &video).await["status"], "published");
    }
}

story! {
    async fn a_form_takes_a_link_or_a_file_and_not_both(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        let both = json!({ "title": "Lake", "upload_id": upload, "video_url": TUBE });
        let refused = staff.post("/api/admin/videos", both).await.refused(422, "validation");
        assert_eq!(refused["errors"][0], json!({ "field": "upload_id", "message": "Please give a link or a file, not both." }));
        let neither = staff.post("/api/admin/videos", json!({ "title": "Lake" })).await.refused(422, "validation");
        assert_eq!(neither["errors"][0], json!({ "field": "video_url", "message": "Please enter a valid URL." }));
        let unknown = json!({ "title": "Lake", "upload_id": "0190a5b0-0000-7000-8000-000000000000" });
        let refused = staff.post("/api/admin/videos", unknown).await.refused(422, "validation");
        assert_eq!(refused["errors"][0]["field"], "upload_id");
        let video = posted(&staff, "Lake", json!({})).await;
        let both = json!({ "upload_id": upload, "video_url": "https://youtu.be/aBcDeFgHiJk" });
        patch(&staff, &video, both).await.refused(422, "validation");
        edited(&staff, &video, json!({ "upload_id": upload, "video_url": video["video_url"] })).await;
    }
}

story! {
    async fn a_public_video_shows_its_old_file_until_the_new_one_is_ready(camp) {
        let camp = without_converter(&camp).await;
        let (chaya, _) = two_families(&camp).await;
        let staff = camp.staff().await;
        let link = posted(&staff, "Lake", json!({})).await;
        let link = edited(&staff, &link, json!({ "chapters": "0:00 Lineup\n0:02 Boats\n1:00 Supper" })).await["video"].clone();
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let saved = edited(&staff, &link, json!({ "upload_id": id_of(&path) })).await["video"].clone();
        assert_eq!((&saved["status"], &saved["video_type"]), (&json!("published"), &json!("youtube")));
        assert_eq!(saved["upload"]["state"], "uploading");
        send(&staff, &path, 0, LAKE).await.expect(204);
        let mut page = chaya.listen(None).await;
        camp.work().await;
        page.hears("video.changed").await;
        let seen = chaya.get(&format!("/api/videos/{}", id(&link))).await.expect(200).json();
        assert_eq!((&seen["video_type"], &seen["video_url"]), (&json!("upload"), &json!(format!("/media/videos/{}", id(&link)))));
        assert!(watched(&chaya, &link).await == LAKE);
        assert_eq!(crate::videos::admin_titles(&staff, "?q=youtube").await, [""; 0], "staff find it as an upload");

        let video = shown(&staff, &link).await;
        assert_eq!(video["chapters"], "0:00 Lineup\n0:02 Boats", "the film is over before the third");
        // Staff choose two files in a row. The first one is no longer wanted.
        let unwanted = begun(&staff, "wrong.mp4", LAKE.len()).await;
        send(&staff, &unwanted, 0, &LAKE[..100]).await.expect(204);
        let video = edited(&staff, &video, json!({ "upload_id": id_of(&unwanted) })).await["video"].clone();
        let replacement = uploaded(&staff, "hike.mp4", HIKE).await;
        let video = edited(&staff, &video, json!({ "upload_id": replacement })).await["video"].clone();
        assert_eq!(video["upload"]["id"], replacement);
        assert!(watched(&chaya, &video).await == LAKE);
        camp.work().await;
        assert!(watched(&chaya, &video).await == HIKE);
        let of_old = format!("videos/{}/1/file.mp4", id_of(&path));
        assert!(files(&camp).await.contains(&of_old), "a backup that has begun needs it");
        camp.work_until_tomorrow().await;
        let left = files(&camp).await;
        assert!(left.len() == 1 && left[0].starts_with(&format!("videos/{replacement}/")), "{left:?}");
        assert_eq!(video_mails(&camp).len(), 2, "families were told about it once");

        let video = shown(&staff, &video).await;
        let video = edited(&staff, &video, json!({ "video_url": TUBE })).await["video"].clone();
        assert_eq!((&video["status"], &video["upload"]), (&json!("published"), &Value::Null));
        camp.work_until_tomorrow().await;
        assert_eq!(files(&camp).await, [""; 0]);
    }
}

story! {
    async fn what_staff_type_while_a_file_becomes_ready_can_be_saved(camp) {
        let camp = without_converter(&camp).await;
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        let form = json!({ "title": "Lake", "upload_id": upload, "status": "draft" });
        let open = staff.post("/api/admin/videos", form).await.expect(201).json()["video"].clone();
        camp.work().await;
        let saved = edited(&staff, &open, json!({ "title": "Lake day", "status": "published" })).await["video"].clone();
        assert_eq!((&saved["status"], &saved["title"]), (&json!("published"), &json!("Lake day")));
        assert!(watched(&camp.browser(), &saved).await == LAKE);
    }
}

story! {
    async fn a_deleted_video_leaves_no_file_behind(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let ready = uploaded(&staff, "lake.mp4", LAKE).await;
        let video = staff.post("/api/admin/videos", json!({ "title": "Lake", "upload_id": ready })).await.expect(201).json()["video"].clone();
        camp.work().await;
        let path = begun(&staff, "hike.mp4", HIKE.len()).await;
        send(&staff, &path, 0, &HIKE[..500]).await.expect(204);
        edited(&staff, &shown(&staff, &video).await, json!({ "upload_id": id_of(&path) })).await;
        assert_eq!(files(&camp).await.len(), 2);
        staff.delete(&format!("/api/admin/videos/{}", id(&video))).await.expect(204);
        camp.work().await;
        assert_eq!(files(&camp).await, [""; 0]);
        assert_eq!(open_uploads(&staff).await, [Value::Null; 0]);
        send(&staff, &path, 500, &HIKE[500..]).await.refused(404, "not_found");
        assert_eq!(files(&camp).await, [""; 0]);
    }
}

story! {
    async fn a_conversion_that_failed_is_said_and_can_be_tried_again(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        let form = json!({ "title": "Lake", "upload_id": upload });
        let video = staff.post("/api/admin/videos", form).await.expect(201).json()["video"].clone();
        let staged = uploads::staged(&camp.app, upload.parse().expect("an id"));
        let aside = staged.with_extension("aside");
        std::fs::rename(&staged, &aside).expect("moved");
        camp.work().await;
        let failed = shown(&staff, &video).await["upload"].clone();
        assert_eq!(failed["state"], "failed");
        assert!(failed["problem"].as_str().is_some_and(|text| text.ends_with('.')), "{failed}");
        let path = format!("/api/admin/uploads/{upload}/retry");
        staff.post(&path, json!({})).await.refused(409, "conflict");
        std::fs::rename(&aside, &staged).expect("moved");
        assert_eq!(staff.post(&path, json!({})).await.expect(200).json()["state"], "waiting");
        staff.post(&path, json!({})).await.refused(409, "conflict");
        camp.work().await;
        assert_eq!(shown(&staff, &video).await["status"], "published");
        assert!(watched(&camp.browser(), &video).await == LAKE);
        // A worker that has been asleep since the first attempt must not take this file for its
        // own.
        let first = format!("videos/{upload}/1/");
        let kept = files(&camp).await;
        assert!(kept.len() == 1 && !kept[0].starts_with(&first), "{kept:?}");
    }
}

story! {
    async fn a_cancellation_at_the_moment_in_which_a_video_gets_its_file_comes_too_late(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        camp.work().await;
        let link = posted(&staff, "Lake", json!({})).await;
        let form = json!({ "version": link["version"], "upload_id": upload });
        let changes = serde_json::from_value(form).expect("changes");
        let settings = camp.app.settings().await.expect("settings");
        let mut tx = camp.app.db.begin().await.expect("a transaction");
        let id = id(&link).parse().expect("an id");
        videos::edit(&mut tx, &camp.app, &settings, Actor::Operator, id, &changes).await.expect("edited");
        let path = format!("/api/admin/uploads/{upload}");
        let committed = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            tx.commit().await.expect("a commit");
        };
        let (cancelled, ()) = tokio::join!(staff.delete(&path), committed);
        cancelled.refused(409, "conflict");
        camp.work().await;
        assert!(watched(&camp.browser(), &link).await == LAKE);
    }
}
