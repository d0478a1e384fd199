//! Only viewers who may watch get the portal's own files.

use axum::http::Method;
use portal::audit::Actor;
use portal::videos::{NewVideo, OwnVideo, Status, add_own_file};
use serde_json::json;
use uuid::Uuid;

use crate::camp::{Browser, Camp, Reply};

const FILM: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A video with a file of its own, as imports make it.
pub async fn own_video(camp: &Camp, title: &str, status: Status, key: &str) -> Uuid {
    camp.app.files.put(key, FILM.to_vec()).await.expect("stored");
    camp.app.files.put("pictures/lake.jpg", b"picture".to_vec()).await.expect("stored");
    let own = OwnVideo {
        video: NewVideo {
            title: title.into(),
            video_url: None,
            upload_id: None,
            description: None,
            upload_date: None,
            status,
            scheduled_date: None,
            is_featured: false,
        },
        file_key: key.into(),
        thumbnail_key: Some("pictures/lake.jpg".into()),
        content_type: mime_guess::from_path(key).first_raw().expect("a type").into(),
        duration_seconds: Some(6),
    };
    let settings = camp.app.settings().await.expect("settings");
    let mut tx = camp.app.db.begin().await.expect("a transaction");
    let id =
        add_own_file(&mut tx, &camp.app, &settings, Actor::Operator, &own).await.expect("a video");
    tx.commit().await.expect("a commit");
    id
}

async fn range(browser: &Browser, path: &str, range: &str) -> Reply {
    browser.send(Method::GET, path, None, &[("range", range)]).await
}

story! {
    async fn a_film_is_sent_whole_or_in_the_part_that_the_player_asks_for(camp) {
        let id = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let home = camp.browser();
        let seen = home.get(&format!("/api/videos/{id}")).await.expect(200).json();
        let path = format!("/media/videos/{id}");
        assert_eq!(seen["video_url"], json!(path));
        assert_eq!(seen["content_type"], "video/mp4");
        assert_eq!(seen["thumbnail_url"], format!("/media/thumbnails/{id}"));
        let packed = [("accept-encoding", "gzip, br")];
        let whole = home.send(Method::GET, &path, None, &packed).await.expect(200);
        assert_eq!(&whole.bytes[..], FILM);
        assert_eq!(whole.header("content-type"), "video/mp4");
        assert_eq!(whole.header("content-length"), "36");
        assert_eq!(whole.header("accept-ranges"), "bytes");
        assert_eq!(whole.header("x-content-type-options"), "nosniff");
        assert_eq!(whole.header("content-encoding"), "");
        for (asked, bytes, told) in [
            ("bytes=0-9", &FILM[..10], "bytes 0-9/36"),
            ("bytes=10-", &FILM[10..], "bytes 10-35/36"),
            ("bytes=-5", &FILM[31..], "bytes 31-35/36"),
            ("bytes=-500", FILM, "bytes 0-35/36"),
            ("bytes=35-35", &FILM[35..], "bytes 35-35/36"),
            ("bytes=30-99999999999999999999999", &FILM[30..], "bytes 30-35/36"),
        ] {
            let part = range(&home, &path, asked).await.expect(206);
            assert_eq!(&part.bytes[..], bytes, "{asked}");
            assert_eq!(part.header("content-range"), told);
            assert_eq!(part.header("content-length"), bytes.len().to_string());
        }
        for asked in ["bytes=36-", "bytes=99-100", "bytes=-0", "bytes=99999999999999999999999-"] {
            let none = range(&home, &path, asked).await;
            assert_eq!(none.header("content-range"), "bytes */36", "{asked}");
            none.refused(416, "bad_request");
        }
        for asked in ["bytes=9-3", "bytes=x", "lines=1-2", "bytes=0-1,3-4", "bytes="] {
            assert_eq!(range(&home, &path, asked).await.expect(200).bytes.len(), 36, "{asked}");
        }
        let head = home.send(Method::HEAD, &path, None, &[]).await.expect(200);
        assert_eq!(head.bytes.len(), 0);
        assert_eq!(head.header("content-length"), "36");
        assert_eq!(head.header("accept-ranges"), "bytes");
    }
}

story! {
    async fn a_browser_that_has_the_film_is_not_sent_it_again(camp) {
        let id = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let path = format!("/media/videos/{id}");
        let home = camp.browser();
        let etag = home.get(&path).await.expect(200).header("etag").to_owned();
        let known = home.send(Method::GET, &path, None, &[("if-none-match", &etag)]).await.expect(304);
        assert!(known.bytes.is_empty());
        let go_on = [("range", "bytes=30-"), ("if-range", etag.as_str())];
        home.send(Method::GET, &path, None, &go_on).await.expect(206);
        let other = [("range", "bytes=30-"), ("if-range", "\"another\"")];
        assert_eq!(home.send(Method::GET, &path, None, &other).await.expect(200).bytes.len(), 36);
    }
}

story! {
    async fn what_another_process_withdraws_is_not_sent_any_more(camp) {
        let id = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let home = camp.browser();
        let other = camp.beside().await;
        let staff = other.staff().await;
        for _ in 0..10 {
            for (status, answer) in [("draft", 404), ("published", 200)] {
                let path = format!("/api/admin/videos/{id}");
                let shown = staff.get(&path).await.expect(200).json();
                let change = json!({ "version": shown["version"], "status": status });
                staff.patch(&path, change).await.expect(200);
                for file in ["videos", "thumbnails"] {
                    // Twice, because the second answer needs no query.
                    for _ in 0..2 {
                        assert_eq!(home.get(&format!("/media/{file}/{id}")).await.status, answer);
                    }
                }
            }
        }
        other.app.db.close().await;
    }
}

story! {
    async fn a_film_is_kept_under_the_name_of_its_format(camp) {
        let staff = camp.staff().await;
        for name in ["lake.mp4", "lake.webm", "lake.mov", "lake.mkv"] {
            let id = own_video(&camp, "Lake", Status::Published, &format!("films/{name}")).await;
            let kept = staff.get(&format!("/media/videos/{id}/download")).await.expect(200);
            let disposition = kept.header("content-disposition").to_lowercase();
            assert!(disposition.ends_with(&format!("''{name}")), "{disposition}");
        }
    }
}

story! {
    async fn every_byte_obeys_the_rule_on_who_may_watch(camp) {
        let id = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let draft = own_video(&camp, "Draft", Status::Draft, "films/draft.mp4").await;
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let stranger = camp.browser();
        for file in ["videos", "thumbnails"] {
            let path = format!("/media/{file}/{id}");
            let secret = format!("/media/{file}/{draft}");
            camp.set("access", "everyone").await;
            stranger.get(&path).await.expect(200);
            stranger.get(&secret).await.refused(404, "not_found");
            chaya.get(&secret).await.refused(404, "not_found");
            staff.get(&secret).await.expect(200);
            camp.set("access", "signed_in").await;
            stranger.get(&path).await.refused(401, "sign_in_required");
            range(&stranger, &path, "bytes=0-1").await.refused(401, "sign_in_required");
            let head = stranger.send(Method::HEAD, &path, None, &[]).await;
            assert_eq!(head.status, 401);
            assert_eq!(chaya.get(&path).await.expect(200).header("cache-control"), "private, no-cache");
            camp.set("access", "families").await;
            assert_eq!(chaya.get(&path).await.status, 403);
            let etag = staff.get(&path).await.expect(200).header("etag").to_owned();
            let known = chaya.send(Method::GET, &path, None, &[("if-none-match", &etag)]).await;
            assert_eq!(known.status, 403, "not even that it is unchanged");
            for nothing in ["0190a5b0-0000-7000-8000-000000000000", "..%2f..%2fcamp.db", "x"] {
                stranger.get(&format!("/media/{file}/{nothing}")).await.refused(404, "not_found");
            }
        }
    }
}

story! {
    async fn a_deleted_films_file_goes_unless_another_video_shows_it_too(camp) {
        let first = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let second = own_video(&camp, "Lake again", Status::Published, "films/lake.mp4").await;
        let staff = camp.staff().await;
        staff.delete(&format!("/api/admin/videos/{first}")).await.expect(204);
        camp.work().await;
        camp.browser().get(&format!("/media/videos/{second}")).await.expect(200);
        // The edit form sends the path back unchanged.
        let same = json!({ "version": 1, "video_url": format!("/media/videos/{second}"), "title": "Lake" });
        staff.patch(&format!("/api/admin/videos/{second}"), same).await.expect(200);
        let theirs = json!({ "version": 2, "video_url": format!("/media/videos/{first}") });
        staff.patch(&format!("/api/admin/videos/{second}"), theirs).await.refused(422, "validation");
        let link = json!({ "version": 2, "video_url": "https://youtu.be/dQw4w9WgXcQ" });
        let changed = staff.patch(&format!("/api/admin/videos/{second}"), link).await.expect(200).json();
        assert_eq!(changed["video"]["video_type"], "youtube");
        camp.work_until_tomorrow().await;
        camp.browser().get(&format!("/media/videos/{second}")).await.refused(404, "not_found");
        assert!(!camp.app.files.exists("films/lake.mp4").await.expect("an answer"));
        assert!(!camp.app.files.exists("pictures/lake.jpg").await.expect("an answer"));
    }
}
