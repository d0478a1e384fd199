//! The list of videos for staff: searching, checking and changing them.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::videos::{
    NOON, TUBE, admin_titles, edited, id, patch, posted, two_families, video, video_mails,
};

story! {
    async fn staff_find_the_videos_that_somebody_should_look_at(camp) {
        camp.set_clock(NOON);
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let staff = camp.staff().await;
        let campfire = posted(&staff, "Campfire", json!({})).await;
        // After two days without a mail server, a mail has failed.
        camp.work_without_mail().await;
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
        assert_eq!(counts["all"], 3);
        assert_eq!(counts["failed_mails"], 1);
        assert_eq!(counts["reported_comments"], 1);
        assert_eq!(counts["held_comments"], 0);
        let seen = staff.get("/api/admin/videos?attention=failed_mails").await.expect(200).json();
        assert_eq!(seen["items"][0]["failed_mails"], 1);
        assert_eq!(seen["items"][0]["reported_comments"], 0);
        let attention = staff.get("/api/admin/dashboard").await.expect(200).json()["attention"].clone();
        assert_eq!(attention["failed_mails"], 1);
        assert_eq!(attention["failed_video_mails"], 1);

        // What was dealt with is no longer in either list.
        staff.post(&format!("/api/admin/comments/{}/hide", id(&said)), json!({})).await.expect(204);
        assert_eq!(admin_titles(&staff, "?attention=reported_comments").await, [""; 0]);
        let again = staff.post(&format!("/api/admin/videos/{}/deliveries/retry", id(&campfire)), json!({})).await;
        assert_eq!(again.expect(200).json()["queued"], 1);
        // Another two days of attempts begin.
        camp.work_without_mail().await;
        camp.wait(TimeDelta::minutes(5));
        camp.work().await;
        assert_eq!(admin_titles(&staff, "?attention=failed_mails").await, [""; 0]);
        let mut told = video_mails(&camp);
        told.sort();
        assert_eq!(told, ["moshe@family.example", "moshe@family.example"]);
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
        assert_eq!(counts["all"], 0);
        assert_eq!(counts["recipients"], 2);
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
        assert_eq!(file["video_type"], "upload");
        assert_eq!(file["thumbnail_url"], Value::Null);
        let wrong = check("javascript:alert(document.cookie)//.mp4").await.refused(422, "validation");
        assert_eq!(wrong["detail"], "Please enter a valid URL.");
        // The edit form may send back unchanged values.
        let video = posted(&staff, "Drive", json!({ "video_url": "https://drive.google.com/uc?id=1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV&export=download" })).await;
        let same = edited(&staff, &video, json!({ "video_url": video["video_url"] })).await["video"].clone();
        assert_eq!(same["video_url"], video["video_url"]);
        assert_eq!(same["thumbnail_url"], video["thumbnail_url"]);
        let other = edited(&staff, &same, json!({ "video_url": TUBE })).await["video"].clone();
        assert_eq!(other["video_type"], "youtube");
        assert_eq!(other["status"], "published");
    }
}

story! {
    async fn a_share_link_is_kept_as_the_file_itself_and_a_page_is_refused_with_advice(camp) {
        let _families = two_families(&camp).await;
        let staff = camp.staff().await;
        let shared = "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&st=x9&dl=0";
        let direct = "https://www.dropbox.com/scl/fi/a1b2c3/day-1.mp4?rlkey=k3y&raw=1";
        let known = staff.post("/api/admin/videos/check-link", json!({ "video_url": shared })).await.expect(200).json();
        assert_eq!(known["video_type"], "upload");
        assert_eq!(known["video_url"], json!(direct));
        let kept = posted(&staff, "Day one", json!({ "video_url": shared })).await;
        assert_eq!(kept["video_url"], direct);
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 2);
        for (page, advice) in [
            ("https://www.dropbox.com/scl/fo/a1/h2?rlkey=k3y&dl=0", "This link opens a Dropbox folder."),
            ("https://1drv.ms/v/s!AbCdEf", "OneDrive links open a page, not the video itself."),
            ("https://photos.app.goo.gl/AbCdEf", "Google Photos links open a page, not the video itself."),
            ("https://vimeo.com/123456789", "Vimeo links open a page, not the video itself."),
            ("https://we.tl/t-AbCdEf", "WeTransfer links open a page, not the video itself."),
            ("https://files.camp.example/day-1.mp4?dl=0", "This link opens a page about the video, not the video itself."),
        ] {
            for path in ["/api/admin/videos/check-link", "/api/admin/videos", "/api/admin/gallery"] {
                let mut body = match path {
                    "/api/admin/videos" => video("A page", json!({})),
                    "/api/admin/gallery" => json!({ "title": "A page", "year": 2020 }),
                    _ => json!({}),
                };
                body["video_url"] = json!(page);
                let wrong = staff.post(path, body).await.refused(422, "validation");
                assert_eq!(wrong["errors"][0]["field"], "video_url", "{path} {page}");
                let said = wrong["detail"].as_str().expect("a sentence");
                assert!(said.starts_with(&format!("Please enter a valid URL. {advice}")), "{page}: {said}");
            }
            patch(&staff, &kept, json!({ "video_url": page })).await.refused(422, "validation");
        }
        camp.work().await;
        assert_eq!(video_mails(&camp).len(), 2, "nobody is mailed a page");
    }
}

story! {
    async fn staff_may_try_a_file_from_elsewhere_before_any_is_published(camp) {
        let browser = camp.browser();
        let media = async |path: &'static str| {
            let reply = browser.get(path).await;
            let policy = reply.header("content-security-policy").to_owned();
            let media = policy.split(';').find(|part| part.trim().starts_with("media-src"));
            media.unwrap_or_else(|| panic!("{path}: {policy}")).trim().to_owned()
        };
        for path in ["/admin/login", "/admin/reports", "/admin/gallery", "/admin", "/auth/reset"] {
            assert!(media(path).await.contains(" https:"), "{path}");
        }
        for path in ["/", "/current-videos", "/administration", "/auth"] {
            assert_eq!(media(path).await, "media-src 'self' blob:", "{path}");
        }
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
            ("?sort=title", &["Archive night", "Hike", "Swimming"]),
            ("?sort=title&collection=current", &["Hike", "Swimming"]),
            ("?q=%25", &[]),
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
    async fn staff_sort_videos_by_views_and_title_page_by_page(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        for (title, views) in [("swimming", 1), ("Hike", 1), ("Archery", 3), ("Bonfire", 0)] {
            let video = posted(&staff, title, json!({})).await;
            let at = format!("/api/videos/{}/views", video["id"].as_str().expect("an id"));
            for _ in 0..views {
                camp.browser().post(&at, json!({})).await.expect(204);
            }
        }
        camp.write_views().await;
        for (sort, titles) in [
            ("views", ["Archery", "Hike", "swimming", "Bonfire"]),
            ("title", ["Archery", "Bonfire", "Hike", "swimming"]),
            ("newest", ["Bonfire", "Archery", "Hike", "swimming"]),
        ] {
            let first = staff.get(&format!("/api/admin/videos?limit=2&sort={sort}")).await.expect(200).json();
            let cursor = first["next"].as_str().expect("more");
            let mut found: Vec<String> = first["items"].as_array().expect("items").iter().map(|video| video["title"].as_str().expect("a title").to_owned()).collect();
            found.extend(admin_titles(&staff, &format!("?sort={sort}&cursor={cursor}")).await);
            assert_eq!(found, titles, "{sort}");
            let other = if sort == "title" { "views" } else { "title" };
            staff.get(&format!("/api/admin/videos?sort={other}&cursor={cursor}")).await.refused(422, "validation");
        }
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
        assert_eq!(log["items"][2]["lines"], json!([
            { "field": "status", "before": "draft", "after": "published" },
            { "field": "title", "before": "Hike", "after": "Long hike" },
        ]), "only what changed");
    }
}
