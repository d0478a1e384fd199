//! Staff set the details of a converted video: captions, chapters, its picture, whether it may be
//! downloaded, and where it is cut.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::camp::{Browser, Reply};
use crate::conversion::published;
use crate::uploads::{LAKE, uploaded};
use crate::videos::{NOON, TUBE, edited, id, patch, posted};

const YIDDISH: &str = "1\r\n00:00:01,000 --> 00:00:03,000\r\nאַ גוטן טאָג\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,500\r\nBunk 7 & 8\r\n";

/// Uploads a captions file.
pub async fn caption(staff: &Browser, video: &Value, language: &str, file: &[u8]) -> Reply {
    let path = format!("/api/admin/videos/{}/captions/{language}", id(video));
    let request = Request::put(path)
        .header("content-type", "text/vtt")
        .header("sec-fetch-site", "same-origin")
        .header("cookie", staff.cookie_header().expect("a session"))
        .body(Body::from(file.to_vec()));
    staff.send_raw(request.expect("a request")).await
}

fn png() -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_pixel(320, 180, image::Rgb([20, 90, 80]));
    picture.write_to(&mut file, image::ImageFormat::Png).expect("a picture");
    file.into_inner()
}

async fn put_picture(staff: &Browser, path: &str, file: Vec<u8>) -> Reply {
    let request = Request::put(path)
        .header("content-type", "image/png")
        .header("sec-fetch-site", "same-origin")
        .header("cookie", staff.cookie_header().expect("a session"))
        .body(Body::from(file));
    staff.send_raw(request.expect("a request")).await
}

async fn seen(browser: &Browser, video: &Value) -> Value {
    browser.get(&format!("/api/videos/{}", id(video))).await.expect(200).json()
}

async fn shown(staff: &Browser, video: &Value) -> Value {
    staff.get(&format!("/api/admin/videos/{}", id(video))).await.expect(200).json()
}

story! {
    async fn families_turn_on_the_captions_that_staff_upload(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        let home = camp.browser();
        let video = published(&camp, &staff).await;
        assert_eq!(seen(&home, &video).await["captions"], json!([]));
        let saved = caption(&staff, &video, "yi", YIDDISH.as_bytes()).await.expect(200).json();
        assert_eq!((&saved["language"], &saved["cues"]), (&json!("yi"), &json!(2)));
        caption(&staff, &video, "en", b"WEBVTT\n\n00:01.000 --> 00:02.000\n<i>Good</i> morning\n").await.expect(200);
        let captions = seen(&home, &video).await["captions"].clone();
        assert_eq!((&captions[0]["language"], &captions[1]["language"]), (&json!("en"), &json!("yi")));
        let url = captions[1]["url"].as_str().expect("an address");
        let sent = home.get(url).await.expect(200);
        assert_eq!(sent.header("content-type"), "text/vtt; charset=utf-8");
        let vtt = "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nאַ גוטן טאָג\n\n00:00:05.000 --> 00:00:06.500\nBunk 7 &amp; 8\n";
        assert_eq!(sent.text(), vtt);
        let known = [("if-none-match", sent.header("etag"))];
        assert!(home.send(Method::GET, url, None, &known).await.expect(304).bytes.is_empty());

        camp.set("access", "families").await;
        home.get(url).await.refused(401, "sign_in_required");
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        chaya.get(url).await.refused(403, "awaiting_approval");
        assert_eq!(staff.get(url).await.expect(200).header("cache-control"), "private, no-cache");
        camp.set("access", "everyone").await;

        // A new file replaces the old one, at a new URL.
        camp.wait(chrono::TimeDelta::seconds(1));
        let windows = encoding_rs::WINDOWS_1255.encode("1\n00:00:01,000 --> 00:00:02,000\nשלום לכולם\n").0.into_owned();
        caption(&staff, &video, "yi", &windows).await.expect(200);
        let captions = seen(&home, &video).await["captions"].clone();
        let newer = captions[1]["url"].as_str().expect("an address");
        assert_ne!(newer, url);
        let newer_text = home.send(Method::GET, newer, None, &known).await.expect(200).text();
        assert!(newer_text.contains("שלום לכולם"));

        let path = format!("/api/admin/videos/{}/captions/yi", id(&video));
        staff.delete(&path).await.expect(204);
        staff.delete(&path).await.refused(404, "not_found");
        home.get(newer).await.refused(404, "not_found");
        let left = shown(&staff, &video).await["captions"].clone();
        assert_eq!((left.as_array().map(Vec::len), &left[0]["language"], &left[0]["cues"]), (Some(1), &json!("en"), &json!(1)));
        let lines = owner.get("/api/admin/audit?action=video.captions").await.expect(200).json();
        assert_eq!(lines["items"].as_array().map(Vec::len), Some(4));

        let draft = edited(&staff, &shown(&staff, &video).await, json!({ "status": "draft" })).await["video"].clone();
        let url = captions[0]["url"].as_str().expect("an address");
        home.get(url).await.refused(404, "not_found");
        staff.get(url).await.expect(200);
        staff.delete(&format!("/api/admin/videos/{}", id(&draft))).await.expect(204);
        staff.get(url).await.refused(404, "not_found");
    }
}

story! {
    async fn what_is_no_file_of_captions_is_refused_in_words(camp) {
        let staff = camp.staff().await;
        let video = posted(&staff, "Lake", json!({})).await;
        let refused = caption(&staff, &video, "he", b"1\n00:00:01 --> soon\nx\n").await.refused(422, "validation");
        assert_eq!(refused["errors"][0]["field"], "file");
        assert_eq!(
            refused["errors"][0]["message"],
            "Line 2: “00:00:01 --> soon” should be two times, such as 00:01:05.000 --> 00:01:08.500."
        );
        caption(&staff, &video, "he", b"\0\0\0\x18ftypisom").await.refused(422, "validation");
        caption(&staff, &video, "fr", b"").await.refused(404, "not_found");
        caption(&staff, &video, "he", &vec![b'a'; 3 << 20]).await.refused(413, "too_large");
        let other = json!({ "id": "0190a5b0-0000-7000-8000-000000000000" });
        caption(&staff, &other, "he", YIDDISH.as_bytes()).await.refused(404, "not_found");
        let path = format!("/api/admin/videos/{}/captions/he", id(&video));
        staff.send(Method::PUT, &path, Some(json!({ "text": "x" })), &[]).await.expect(415);
        camp.browser().get(&format!("/media/videos/{}/captions/he.vtt", id(&video))).await.refused(404, "not_found");
    }
}

story! {
    async fn chapters_are_lines_with_a_time(camp) {
        let staff = camp.staff().await;
        let home = camp.browser();
        let video = shown(&staff, &published(&camp, &staff).await).await;
        let saved = edited(&staff, &video, json!({ "chapters": "0:00 Lineup\n\n 0:04  – Bunk 7\n" })).await;
        assert_eq!(saved["video"]["chapters"], "0:00 Lineup\n0:04 Bunk 7");
        assert_eq!(
            seen(&home, &video).await["chapters"],
            json!([{ "start_seconds": 0, "title": "Lineup" }, { "start_seconds": 4, "title": "Bunk 7" }])
        );
        for (typed, problem) in [
            ("Bunk 7", "Line 1: please begin with a time, such as 0:42 Bunk 7."),
            ("0:07 After", "Line 1: 0:07 is after the end of the video (0:07)."),
        ] {
            let refused = patch(&staff, &saved["video"], json!({ "chapters": typed })).await.refused(422, "validation");
            assert_eq!(refused["errors"], json!([{ "field": "chapters", "message": problem }]));
        }
        let saved = edited(&staff, &saved["video"], json!({ "title": "At the lake" })).await;
        assert_eq!(saved["video"]["chapters"], "0:00 Lineup\n0:04 Bunk 7", "what is not sent stays");
        edited(&staff, &saved["video"], json!({ "chapters": "" })).await;
        assert_eq!(seen(&home, &video).await["chapters"], json!([]));
        // Nobody can seek in a video on another site.
        let link = posted(&staff, "Hike", json!({})).await;
        edited(&staff, &link, json!({ "chapters": "0:05 Start" })).await;
        assert_eq!(seen(&home, &link).await["chapters"], json!([]));
    }
}

story! {
    async fn staff_choose_the_picture_among_three(camp) {
        let staff = camp.staff().await;
        let home = camp.browser();
        let video = shown(&staff, &published(&camp, &staff).await).await;
        assert_eq!((&video["poster"], video["posters"].as_array().map(Vec::len)), (&json!(0), Some(3)));
        let mut version = video.clone();
        for poster in [3, 1] {
            let saved = edited(&staff, &version, json!({ "poster": poster })).await["video"].clone();
            assert_eq!(saved["poster"], poster);
            let candidate = video["posters"][poster - 1].as_str().expect("an address");
            let picture = home.get(candidate).await.expect(200).bytes;
            let address = seen(&home, &video).await["thumbnail_url"].as_str().expect("an address").to_owned();
            assert!(address.ends_with(&format!("?poster={poster}")), "{address}");
            assert!(home.get(&address).await.expect(200).bytes == picture, "{poster}");
            version = saved;
        }
        let saved = edited(&staff, &version, json!({ "poster": 0 })).await["video"].clone();
        assert_eq!(saved["thumbnail_url"], format!("/media/thumbnails/{}", id(&video)));
        for poster in [4, -1] {
            patch(&staff, &saved, json!({ "poster": poster })).await.refused(422, "validation");
        }
        let link = posted(&staff, "Hike", json!({})).await;
        let refused = patch(&staff, &link, json!({ "poster": 1 })).await.refused(422, "validation");
        assert_eq!(refused["errors"][0]["field"], "poster");
    }
}

story! {
    async fn a_video_is_kept_only_where_staff_allow_it(camp) {
        let staff = camp.staff().await;
        let home = camp.browser();
        let video = shown(&staff, &published(&camp, &staff).await).await;
        let path = format!("/media/videos/{}/download", id(&video));
        assert_eq!(seen(&home, &video).await["download_url"], Value::Null);
        home.get(&path).await.refused(404, "not_found");
        staff.get(&path).await.expect(200);
        let saved = edited(&staff, &video, json!({ "is_downloadable": true, "title": "יום האגם / Lake: day" })).await;
        assert_eq!(seen(&home, &video).await["download_url"], path);
        let sent = home.get(&path).await.expect(200);
        assert_eq!(
            sent.header("content-disposition"),
            "attachment; filename=\"video.mp4\"; filename*=UTF-8''%D7%99%D7%95%D7%9D%20%D7%94%D7%90%D7%92%D7%9D%20%20Lake%20day.mp4"
        );
        assert_eq!(sent.header("content-type"), "video/mp4");
        let part = home.send(Method::GET, &path, None, &[("range", "bytes=4-7")]).await.expect(206);
        assert_eq!(&part.bytes[..], b"ftyp");
        camp.set("access", "signed_in").await;
        home.get(&path).await.refused(401, "sign_in_required");
        camp.set("access", "everyone").await;
        edited(&staff, &saved["video"], json!({ "is_downloadable": false })).await;
        home.get(&path).await.refused(404, "not_found");
        // A link has no file to download.
        let link = posted(&staff, "Hike", json!({ "video_url": TUBE })).await;
        edited(&staff, &link, json!({ "is_downloadable": true })).await;
        assert_eq!(seen(&home, &link).await["download_url"], Value::Null);
        home.get(&format!("/media/videos/{}/download", id(&link))).await.refused(404, "not_found");
    }
}

story! {
    async fn the_ends_of_a_video_are_cut_off_and_its_texts_move_along(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        let home = camp.browser();
        let video = shown(&staff, &published(&camp, &staff).await).await;
        caption(&staff, &video, "yi", YIDDISH.as_bytes()).await.expect(200);
        edited(&staff, &video, json!({ "chapters": "0:00 Lineup\n0:05 Bunk 7", "poster": 2 })).await;
        let readers = [camp.parent("Chaya", "chaya@family.example").await, camp.parent("Moshe", "moshe@family.example").await];
        for (reader, seconds) in readers.iter().zip([6, 2]) {
            let place = Some(json!({ "seconds": seconds }));
            reader.send(Method::PUT, &format!("/api/videos/{}/position", id(&video)), place, &[]).await.expect(204);
        }
        let before = seen(&home, &video).await;
        let picture = format!("/media/thumbnails/{}", id(&video));
        let chosen = home.get(&picture).await.expect(200).bytes;
        let form = shown(&staff, &video).await;
        let path = format!("/api/admin/videos/{}/trim", id(&video));
        for (start, end) in [(0, 7), (3, 3), (-1, 4), (0, 8), (9, 12)] {
            let asked = json!({ "start_seconds": start, "end_seconds": end });
            staff.post(&path, asked).await.refused(422, "validation");
        }
        let asked = json!({ "start_seconds": 5, "end_seconds": 7 });
        let waiting = staff.post(&path, asked.clone()).await.expect(200).json();
        assert_eq!((&waiting["upload"]["state"], &waiting["upload"]["is_trim"]), (&json!("waiting"), &json!(true)));
        assert_eq!(waiting["status"], "published");
        assert_eq!(seen(&home, &video).await["hls_url"], before["hls_url"], "it shows what it did");
        staff.post(&path, asked).await.refused(409, "conflict");
        camp.work().await;

        // All sizes have a keyframe at four seconds.
        let after = seen(&home, &video).await;
        assert_eq!(after["duration_seconds"], 3);
        assert_ne!(after["hls_url"], before["hls_url"]);
        assert_eq!(after["chapters"], json!([{ "start_seconds": 0, "title": "Lineup" }, { "start_seconds": 1, "title": "Bunk 7" }]));
        for (reader, place) in readers.iter().zip([2, 0]) {
            assert_eq!(seen(reader, &video).await["resume_seconds"], place, "in what was cut off it begins anew");
        }
        assert_ne!(after["captions"], before["captions"], "a browser may keep the old ones");
        let captions = after["captions"][0]["url"].as_str().expect("an address");
        assert_eq!(home.get(captions).await.expect(200).text(), "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nBunk 7 &amp; 8\n");
        let old = before["hls_url"].as_str().expect("an address");
        home.get(old).await.refused(404, "not_found");
        let new = after["hls_url"].as_str().expect("an address");
        let playlist = home.get(&new.replace("master", "360")).await.expect(200).text();
        let seconds: f64 = playlist
            .lines()
            .filter_map(|line| line.strip_prefix("#EXTINF:")?.trim_end_matches(',').parse::<f64>().ok())
            .sum();
        assert!((2.8..3.2).contains(&seconds), "{playlist}");
        let shown = shown(&staff, &video).await;
        assert_eq!((&shown["upload"]["state"], &shown["poster"]), (&json!("ready"), &json!(0)));
        assert!(home.get(&picture).await.expect(200).bytes == chosen, "the chosen picture stays");
        let upload = shown["upload"]["id"].as_str().expect("an id");
        camp.work_until_tomorrow().await;
        let left = camp.app.files.list().await.expect("files");
        assert!(left.iter().all(|(key, _)| key.contains(upload)), "what was cut off is gone: {left:?}");
        assert!(!left.iter().any(|(key, _)| key.contains("source")), "{left:?}");
        let old_lines = json!({ "chapters": "0:00 Lineup\n0:05 Bunk 8" });
        patch(&staff, &form, old_lines).await.refused(409, "stale");
        let lines = owner.get("/api/admin/audit?action=video.trim").await.expect(200).json();
        assert_eq!(lines["items"].as_array().map(Vec::len), Some(1));

        let link = posted(&staff, "Hike", json!({})).await;
        let asked = json!({ "start_seconds": 0, "end_seconds": 7 });
        staff.post(&format!("/api/admin/videos/{}/trim", id(&link)), asked).await.refused(409, "conflict");
    }
}

story! {
    async fn a_picture_of_staff_is_shown_from_before_the_conversion_on(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        let home = camp.browser();
        let upload = uploaded(&staff, "lake.mp4", LAKE).await;
        let form = json!({ "title": "Lake", "upload_id": upload });
        let video = staff.post("/api/admin/videos", form).await.expect(201).json()["video"].clone();
        let path = format!("/api/admin/videos/{}/picture", id(&video));
        let before = put_picture(&staff, &path, png()).await.expect(200).json();
        assert_eq!((&before["has_own_picture"], &before["upload"]["state"]), (&json!(true), &json!("waiting")));
        let own = before["thumbnail_url"].as_str().expect("a picture").to_owned();
        staff.get(&own).await.expect(200);
        home.get(&own).await.refused(404, "not_found");

        camp.work().await;
        let after = shown(&staff, &video).await;
        assert_eq!((&after["upload"]["state"], &after["thumbnail_url"]), (&json!("ready"), &json!(own)));
        assert_eq!(after["poster"], Value::Null);
        assert_eq!(home.get(&own).await.expect(200).header("content-type"), "image/jpeg");
        let trim = json!({ "start_seconds": 0, "end_seconds": 5 });
        staff.post(&format!("/api/admin/videos/{}/trim", id(&video)), trim).await.expect(200);
        camp.work().await;
        assert_eq!(shown(&staff, &video).await["thumbnail_url"], json!(own), "a trim leaves it");

        let second = put_picture(&staff, &path, png()).await.expect(200).json();
        assert_ne!(second["thumbnail_url"], json!(own));
        camp.work_until_tomorrow().await;
        let pictures = async || {
            let files = camp.app.files.list().await.expect("files");
            files.iter().filter(|(key, _)| key.starts_with("posters/")).count()
        };
        assert_eq!(pictures().await, 1, "the one before is gone");
        put_picture(&staff, &path, b"no picture".to_vec()).await.refused(422, "validation");
        let removed = staff.delete(&path).await.expect(200).json();
        assert_eq!((&removed["has_own_picture"], &removed["poster"]), (&json!(false), &json!(0)));
        staff.delete(&path).await.expect(200);
        camp.work_until_tomorrow().await;
        assert_eq!(pictures().await, 0);
        put_picture(&staff, &path, png()).await.expect(200);
        let third = edited(&staff, &shown(&staff, &video).await, json!({ "poster": 2 })).await["video"].clone();
        assert_eq!((&third["has_own_picture"], &third["poster"]), (&json!(false), &json!(2)));
        camp.work_until_tomorrow().await;
        assert_eq!(pictures().await, 0);

        let link = posted(&staff, "Hike", json!({ "video_url": TUBE })).await;
        put_picture(&staff, &format!("/api/admin/videos/{}/picture", id(&link)), png()).await.refused(409, "conflict");
        assert_eq!(pictures().await, 0, "a refused picture is not kept");
        home.delete(&path).await.refused(401, "staff_required");
        let lines = owner.get("/api/admin/audit?action=video.edit").await.expect(200).json();
        assert_eq!(lines.to_string().matches("\"own_picture\"").count(), 4, "{lines}");
    }
}

story! {
    async fn a_cut_that_fails_is_said_and_can_be_tried_again(camp) {
        let staff = camp.staff().await;
        let video = shown(&staff, &published(&camp, &staff).await).await;
        let path = format!("/api/admin/videos/{}/trim", id(&video));
        let used = async || staff.get("/api/admin/uploads").await.expect(200).json()["used_bytes"].clone();
        let before = used().await;
        staff.post(&path, json!({ "start_seconds": 0, "end_seconds": 5 })).await.expect(200);
        let place = camp.app.config.data_dir.join("converting");
        std::fs::remove_dir_all(&place).ok();
        std::fs::write(&place, "in the way").expect("written");
        camp.work().await;
        let failed = shown(&staff, &video).await["upload"].clone();
        assert_eq!((&failed["state"], &failed["is_trim"]), (&json!("failed"), &json!(true)));
        assert!(failed["log"].as_str().is_some_and(|log| !log.is_empty()), "{failed}");
        assert_eq!(used().await, before, "it takes no room");
        camp.browser().get(&format!("/api/videos/{}", id(&video))).await.expect(200);
        std::fs::remove_file(&place).expect("removed");
        let retry = format!("/api/admin/uploads/{}/retry", failed["id"].as_str().expect("an id"));
        staff.post(&retry, json!({})).await.expect(200);
        camp.work().await;
        let after = shown(&staff, &video).await;
        assert_eq!((&after["upload"]["state"], &after["duration_seconds"]), (&json!("ready"), &json!(5)));
    }
}

story! {
    async fn a_video_goes_on_where_one_stopped_on_any_device_and_is_new_until_it_is_watched(camp) {
        camp.set_clock(NOON);
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let moshe = camp.parent("Moshe Adler", "moshe@family.example").await;
        let lake = posted(&staff, "Lake", json!({})).await;
        let old = posted(&staff, "Old hike", json!({ "upload_date": "2024-07-15" })).await;
        let is_new = async |browser: &Browser, video: &Value| {
            seen(browser, video).await["is_new"].as_bool().expect("a mark")
        };
        assert!(is_new(&chaya, &lake).await);
        assert!(!is_new(&chaya, &old).await, "an earlier summer");
        assert!(!is_new(&camp.browser(), &lake).await, "nobody is known");
        let list = chaya.get("/api/videos?collection=current").await.expect(200).json();
        assert_eq!(list["items"][0]["is_new"], true);
        chaya.post(&format!("/api/videos/{}/views", id(&lake)), json!({})).await.expect(204);
        camp.write_views().await;
        assert!(!is_new(&chaya, &lake).await);
        assert!(is_new(&moshe, &lake).await, "others have not seen it");
        assert_eq!(seen(&chaya, &lake).await["resume_seconds"], 0);

        let path = format!("/api/videos/{}/position", id(&lake));
        let put = async |browser: &Browser, seconds: i64| {
            browser.send(Method::PUT, &path, Some(json!({ "seconds": seconds })), &[]).await
        };
        put(&chaya, 42).await.expect(204);
        assert_eq!(seen(&chaya, &lake).await["resume_seconds"], 42);
        chaya.post(&format!("/api/videos/{}/views", id(&lake)), json!({})).await.expect(204);
        camp.write_views().await;
        assert_eq!(seen(&chaya, &lake).await["resume_seconds"], 42, "another view does not forget it");
        assert_eq!(seen(&moshe, &lake).await["resume_seconds"], Value::Null);
        let mine = chaya.get("/api/profile/download").await.expect(200).json();
        assert_eq!((&mine["watched"][0]["video_id"], &mine["watched"][0]["seconds"]), (&lake["id"], &json!(42)));
        assert!(mine["account"]["last_watched_at"].as_str().is_some_and(|at| at.starts_with(&NOON[..13])), "{mine}");
        put(&chaya, 0).await.expect(204);
        assert_eq!(seen(&chaya, &lake).await["resume_seconds"], 0, "who finished it elsewhere begins anew");
        for seconds in [-1, 90_000] {
            put(&chaya, seconds).await.refused(422, "validation");
        }
        put(&camp.browser(), 42).await.refused(401, "sign_in_required");
        camp.set("access", "families").await;
        put(&chaya, 42).await.refused(403, "awaiting_approval");
        camp.set("access", "everyone").await;
        camp.wait(chrono::TimeDelta::days(31));
        assert!(!is_new(&moshe, &lake).await, "it is not new any more");
        staff.delete(&format!("/api/admin/videos/{}", id(&lake))).await.expect(204);
        put(&moshe, 42).await.refused(404, "not_found");
    }
}
