//! Converts videos whose files were imported before the portal converted videos.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use portal::audit::Actor;
use portal::db::Db;
use portal::videos::{OwnVideo, add_own_file};
use portal::{App, Config};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::camp::{Camp, count};
use crate::{execute, on_both_engines};

pub const LAKE: &[u8] = include_bytes!("../../../core/src/seed/media/lake.mp4");

/// A public video with a file as it was imported before conversions existed.
pub async fn imported(app: &App, title: &str, key: &str, bytes: &[u8]) -> Uuid {
    app.files.put(key, bytes.to_vec()).await.expect("stored");
    app.files.put("pictures/lake.jpg", b"picture".to_vec()).await.expect("stored");
    let own = OwnVideo {
        video: serde_json::from_value(json!({ "title": title, "video_url": "" })).expect("a video"),
        file_key: key.into(),
        thumbnail_key: Some("pictures/lake.jpg".into()),
        content_type: "video/mp4".into(),
        duration_seconds: None,
    };
    let settings = app.settings().await.expect("settings");
    let mut tx = app.db.begin().await.expect("a transaction");
    let id = add_own_file(&mut tx, app, &settings, Actor::Operator, &own).await.expect("a video");
    tx.commit().await.expect("a commit");
    id
}

/// A worker in a separate process group.
fn worker(camp: &Camp) -> Child {
    let mut command = camp.command(&["worker"]);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("it starts")
}

/// What the doctor says about one check.
fn finding(camp: &Camp, more: &[&str], what: &str) -> String {
    let said = camp.run(&[&["doctor", "--json"], more].concat());
    let found: Vec<Value> = serde_json::from_str(&said.out).expect("JSON");
    let found = found.into_iter().filter(|one| one["what"] == what);
    found.map(|one| format!("{}: {}", one["state"], one["says"])).collect()
}

on_both_engines! {
    async fn imported_files_are_converted_once(camp: Camp) {
        camp.begin();
        let app = camp.app().await;
        let lake = imported(&app, "Lake", "films/lake.mp4", LAKE).await;
        let letter = imported(&app, "Letter", "films/letter.mp4", b"Dear parents").await;
        let without = camp.run(&["videos", "convert", "--all", "--ffmpeg", "/nowhere/ffmpeg"]);
        assert_eq!(without.code, 4, "{without:?}");
        assert!(without.err.contains("ffmpeg is not installed"), "{}", without.err);

        execute!(
            &app.db,
            "update videos set status = 'scheduled', scheduled_date = created_at where title = 'Letter'"
        );
        let said = camp.run(&["videos", "convert", "--all"]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.out.contains(&format!("Lake ({lake}): 640x360")), "{}", said.out);
        assert!(said.out.contains(&format!("Letter ({letter}): This is not a video file")), "{}", said.out);
        assert!(said.out.contains("1 video converted, 1 not."), "{}", said.out);
        let picture = "select count(*) from videos where thumbnail_key = 'pictures/lake.jpg'";
        assert_eq!(count(&app.db, picture).await, 2, "the pictures stay");
        let ready = "select count(*) from videos v join uploads u on u.id = v.media_upload_id where u.state = 'ready'";
        assert_eq!(count(&app.db, ready).await, 1);
        assert!(app.files.exists("films/letter.mp4").await.expect("an answer"), "it shows what it did");

        let published = "select count(*) from videos where title = 'Letter' and status = 'published'";
        assert_eq!(count(&app.db, published).await, 1, "a conversion of operators holds nothing back");

        let again = camp.run(&["videos", "convert", "--all", "--json"]);
        assert_eq!((again.code, again.out.trim()), (0, "[]"), "{again:?}");
        let named = camp.run(&["videos", "convert", &lake.to_string(), "--json"]);
        assert_eq!(named.code, 3);
        let report: Value = serde_json::from_str(&named.out).expect("JSON");
        assert_eq!(report[0]["problem"], "The file of this video is converted already.");
        app.db.close().await;
    }

    async fn ctrl_c_interrupts_a_conversion_and_does_not_fail_it(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("films");
        std::fs::create_dir(&folder).expect("a folder");
        let film = folder.join("2024-07-15 Lake.mkv");
        let words = "-v error -f lavfi -i testsrc2=s=1280x720:r=24:d=40 -c:v mpeg4 -q:v 12";
        let made = Command::new("ffmpeg").args(words.split(' ')).arg(&film).status();
        assert!(made.expect("ffmpeg is installed").success());
        let said = camp.run(&["gallery", "import", folder.to_str().expect("UTF-8"), "--year", "2024"]);
        assert_eq!(said.code, 0, "{said:?}");
        let app = camp.app().await;

        let mut worker = worker(&camp);
        while count(&app.db, "select max(progress) from uploads").await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // Signals the whole group, as a terminal does.
        let group = format!("-{}", worker.id());
        Command::new("kill").args(["-INT", "--", &group]).status().expect("kill is there");
        assert!(worker.wait().expect("it ends").success());
        let waiting = "select count(*) from uploads where state = 'waiting' and claimed_until is null";
        assert_eq!(count(&app.db, waiting).await, 1, "the next worker need not wait");
        let mut worker = self::worker(&camp);
        while count(&app.db, "select count(*) from videos where status = 'published'").await == 0 {
            assert_eq!(count(&app.db, "select count(*) from uploads where state = 'failed'").await, 0);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        worker.kill().expect("killed");
        worker.wait().expect("ended");
        app.db.close().await;
    }

    async fn what_came_without_ffmpeg_is_converted_once_it_is_there(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("summer");
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("2024-07-15 Lake.mp4"), LAKE).expect("written");
        let path = folder.display().to_string();
        let none = ["--ffmpeg", "/nowhere/ffmpeg"];
        let imported = camp.run(&[&["gallery", "import", &path, "--year", "2024"][..], &none].concat());
        assert_eq!(imported.code, 0, "{imported:?}");
        let mut app = camp.app().await;
        let ffmpeg = Some(none[1].into());
        app.config = Config { ffmpeg, ..(*app.config).clone() }.into();
        portal::conversion::run_all(&app).await.expect("stored as it came");
        assert_eq!(count(&app.db, "select count(*) from uploads where state = 'ready' and renditions = '[]'").await, 1);

        let said = camp.run(&["videos", "convert", "--all"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains("): 640x360") && said.out.contains("1 video converted."), "{}", said.out);
        let shown = "select count(*) from videos v join uploads u on u.id = v.media_upload_id
                     where u.renditions <> '[]' and v.thumbnail_key is not null";
        assert_eq!(count(&app.db, shown).await, 1);
        let left = "select count(*) from uploads where file_name = '2024-07-15 Lake.mp4'";
        assert_eq!(count(&app.db, left).await, 1, "the new files take the place of the old one");
        let again = camp.run(&["videos", "convert", "--all", "--json"]);
        assert_eq!((again.code, again.out.trim()), (0, "[]"), "{again:?}");
        let files = app.files.list().await.expect("files");
        let films = files.iter().filter(|(key, _)| key.ends_with("/file.mp4"));
        assert_eq!(films.count(), 2, "the old file stays for a day: {files:?}");
        let well = finding(&camp, &[], "video-files");
        assert!(well.starts_with("\"ok\""), "{well}");
        app.db.close().await;
    }

    async fn the_doctor_finds_videos_without_files_and_files_without_videos(camp: Camp) {
        camp.begin();
        let app = camp.app().await;
        let id = imported(&app, "Lake", "films/lake.mp4", LAKE).await;
        let finding = |more: &[&str], what: &str| finding(&camp, more, what);
        let well = finding(&[], "video-files");
        assert!(well.starts_with("\"ok\""), "{well}");
        app.files.remove("films/lake.mp4").await.expect("removed");
        let missing = finding(&[], "video-files");
        assert!(missing.starts_with("\"broken\"") && missing.contains(&id.to_string()), "{missing}");
        let key = format!("videos/{}/1/720.mp4", Uuid::now_v7());
        app.files.put("films/lake.mp4", LAKE.to_vec()).await.expect("stored");
        app.files.put(&key, LAKE.to_vec()).await.expect("stored");
        let unused = finding(&[], "video-files");
        assert!(unused.starts_with("\"warning\"") && unused.contains(&key), "{unused}");
        app.files.remove(&key).await.expect("removed");

        // The files from before the conversion wait to be removed.
        assert_eq!(camp.run(&["videos", "convert", "--all"]).code, 0);
        let well = finding(&[], "video-files");
        assert!(well.starts_with("\"ok\""), "{well}");
        let stored = app.files.list().await.expect("files");
        let master = stored.iter().find_map(|(key, _)| key.strip_suffix("/1/master.m3u8")).expect("a playlist");
        let earlier = format!("{master}/0/720.mp4");
        app.files.put(&earlier, LAKE.to_vec()).await.expect("stored");
        let unused = finding(&[], "video-files");
        assert!(unused.starts_with("\"warning\"") && unused.contains(&earlier), "{unused}");
        app.files.remove(&earlier).await.expect("removed");
        app.files.remove(&format!("{master}/1/master.m3u8")).await.expect("removed");
        let incomplete = finding(&[], "video-files");
        assert!(incomplete.starts_with("\"broken\"") && incomplete.contains("incomplete"), "{incomplete}");
        let lost = camp.data("uploads").join(Uuid::now_v7().to_string());
        std::fs::write(&lost, LAKE).expect("written");
        let named = lost.display().to_string();
        assert!(!finding(&[], "video-files").contains(&named), "its row may follow");
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 3600);
        std::fs::File::open(&lost).expect("the file").set_modified(old).expect("a time");
        let said = finding(&[], "video-files");
        assert!(said.contains(&named), "{said}");
        let none = finding(&["--ffmpeg", "/nowhere/ffmpeg"], "ffmpeg");
        assert!(none.starts_with("\"warning\": \"ffmpeg is not installed"), "{none}");
        assert!(finding(&[], "ffmpeg").starts_with("\"ok\""));
        app.db.close().await;
    }
}

#[tokio::test]
async fn the_videos_of_the_demo_come_in_all_sizes() {
    let camp = Camp::on_sqlite();
    let mut demo = camp.start(&["demo", "--bind", "127.0.0.1:0"]);
    let database = camp.folder().join("data/camp.db");
    while !database.exists() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let app = camp.app().await;
    let whole =
        "select count(*) from uploads where state = 'ready' and renditions like '%\"height\":1080%'
                 and renditions like '%\"height\":720%' and renditions like '%\"height\":480%'";
    while count(&app.db, whole).await == 0 {
        assert!(!demo.has_ended());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    demo.kill();
    app.db.close().await;
}
