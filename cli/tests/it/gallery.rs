//! Imports of the archive from a camp office's tables.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

use portal::db::Db;

use crate::camp::{Camp, count};
use crate::on_both_engines;

/// A thousand rows as a German spreadsheet program saves them: a BOM, semicolons, quotes, line
/// breaks inside quotes, and dates in three formats. Every hundredth link is a folder, and every
/// hundredth date is wrong.
fn table() -> String {
    let mut table = "\u{feff}Date;Video Link;TITLE;Description;Featured;Bunk\r\n".to_owned();
    for n in 0..1000 {
        let day = n % 28 + 1;
        let date = match n % 3 {
            _ if n % 100 == 70 => "2023-07-05".to_owned(),
            0 => format!("2024-07-{day:02}"),
            1 => format!("07/{day:02}/2024"),
            _ => format!("{day} July 2024"),
        };
        let link = match n % 3 {
            _ if n % 100 == 50 => {
                "https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOp".to_owned()
            }
            0 => format!(
                "https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStU{n:05}/view?usp=sharing"
            ),
            1 => format!("https://youtu.be/aBcDeF{n:05}"),
            _ => format!("https://drive.google.com/open?id=1AbCdEfGhIjKlMnOpQrStU{n:05}"),
        };
        let featured = if n % 9 == 0 { "yes" } else { "" };
        write!(table, "{date};{link};\"Day \"\"{n}\"\"; swim\";\"one\r\ntwo\";{featured};7\r\n")
            .expect("text");
    }
    table
}

on_both_engines! {
    async fn a_link_that_is_twice_in_a_table_with_two_titles_is_named(camp: Camp) {
        let table = "title,url\nMonday,https://youtu.be/qqqqqqqqqqq\nTuesday,https://youtu.be/qqqqqqqqqqq\nMonday,https://youtu.be/qqqqqqqqqqq\n";
        camp.begin();
        let said = camp.run_with(&["gallery", "import", "-", "--year", "2019"], table);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.out.contains("1 video added, 1 already there, 1 with problems"), "{said:?}");
        assert!(said.err.contains("Same link as line 2, but another title or date."), "{said:?}");
    }

    async fn a_table_that_is_imported_again_with_another_year_adds_nothing(camp: Camp) {
        let table = "title,url\nMonday,https://youtu.be/qqqqqqqqqqq\nTuesday,https://youtu.be/rrrrrrrrrrr\n";
        camp.begin();
        let import = |year| camp.run_with(&["gallery", "import", "-", "--year", year], table);
        assert_eq!(import("2019").code, 0);
        let other = import("2020");
        assert_eq!(other.code, 3, "{other:?}");
        assert!(other.out.contains("0 videos added, 0 already there, 2 with problems"), "{other:?}");
        assert!(other.err.contains("line 3: url: This video is already among those of 2019."), "{other:?}");
        let again = import("2019");
        assert!(again.code == 0 && again.out.contains("2 already there"), "{again:?}");
    }

    async fn a_thousand_rows_are_imported_once_however_often_it_runs(camp: Camp) {
        camp.begin();
        let file = camp.folder().join("summer.csv");
        std::fs::write(&file, table()).expect("a file");
        let file = file.display().to_string();
        let import = |more: &[&str]| camp.run(&[&["gallery", "import", &file, "--year", "2024"], more].concat());

        let dry = import(&["--dry-run"]);
        assert_eq!(dry.code, 3);
        assert!(dry.out.contains("980 videos would be added, 0 already there, 20 with problems"), "{}", dry.out);
        let app = camp.app().await;
        let videos = "select count(*) from videos";
        assert_eq!(count(&app.db, videos).await, 0, "a dry run changes nothing");

        let begun = std::time::Instant::now();
        let first = import(&[]);
        println!("{}: 980 videos in {:?}", app.db.engine(), begun.elapsed());
        assert_eq!(first.code, 3);
        assert!(first.out.contains("980 videos added, 0 already there, 20 with problems"), "{}", first.out);
        let problems: Vec<&str> = first.err.lines().filter(|line| line.starts_with("line ")).collect();
        assert_eq!(problems.len(), 20);
        // Each row takes two lines, and the header one.
        assert!(problems[0].starts_with("line 102: url: "), "{}", problems[0]);
        assert!(problems[1].starts_with("line 142: date: 2023-07-05 is not in 2024"), "{}", problems[1]);
        assert!(first.err.contains("These columns were ignored: Bunk."));

        for _ in 0..2 {
            let again = import(&["--json"]);
            assert_eq!(again.code, 3);
            assert!(again.out.contains("\"added\": 0") && again.out.contains("\"skipped\": 980"), "{}", again.out);
        }
        assert_eq!(count(&app.db, videos).await, 980);
        assert_eq!(count(&app.db, "select count(*) from videos where status = 'published' and year = 2024 and title like 'Day \"%\"; swim'").await, 980);
        assert_eq!(count(&app.db, "select count(*) from notifications").await, 0, "nobody is told");
        assert_eq!(count(&app.db, "select count(*) from audit_log where action = 'gallery.import'").await, 1);
        let Db::Sqlite { .. } = &app.db else { return };
        assert_eq!(count(&app.db, "select count(*) from pragma_integrity_check where integrity_check <> 'ok'").await, 0);
    }

    async fn a_folder_of_films_is_imported_and_goes_on_where_it_ended(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("summer");
        std::fs::create_dir(&folder).expect("a folder");
        let lake = include_bytes!("../../../core/src/seed/media/lake.mp4").as_slice();
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
        put("2024-07-15 Color War.mp4", lake);
        put("IMG_0042.MOV", lake);
        put("2023-07-15 Old.mp4", lake);
        put("cut.mp4", &lake[..lake.len() / 2]);
        put("empty.mp4", b"");
        put("list.txt", b"Dear parents");
        put("films.csv", b"file,title,description,date\nIMG_0042.mov,Melave Malka,In the hall,07/20/2024\nnowhere.mp4,Gone,,\n");
        let path = folder.display().to_string();
        let import = |more: &[&str]| camp.run(&[&["gallery", "import", &path, "--year", "2024"], more].concat());
        let dry = import(&["--dry-run"]);
        assert_eq!(dry.code, 3, "{dry:?}");
        assert!(dry.out.contains("IMG_0042.MOV: Melave Malka (2024-07-20)"), "{}", dry.out);
        let app = camp.app().await;
        assert_eq!(count(&app.db, "select count(*) from uploads").await, 0, "a dry run changes nothing");

        let first = import(&[]);
        assert_eq!(first.code, 3, "{first:?}");
        assert!(first.out.contains("2024-07-15 Color War.mp4: Color War (2024-07-15)"), "{}", first.out);
        assert!(first.out.contains("Summer 2024: 2 videos added, 0 already there, 4 with problems."), "{}", first.out);
        for said in [
            "2023-07-15 Old.mp4: 2023-07-15 is not in 2024.",
            "cut.mp4: This file is not complete",
            "empty.mp4: It has no picture or sound that can be read.",
            "nowhere.mp4: The table names this file, but it is not in the folder.",
            "These files are not videos: list.txt.",
        ] {
            assert!(first.err.contains(said), "{said}: {}", first.err);
        }
        assert_eq!(count(&app.db, "select count(*) from uploads where state = 'waiting' and video_id is not null").await, 2);
        assert_eq!(count(&app.db, "select count(*) from uploads").await, 2, "of a broken file nothing stays");

        put("Hike 20240801.mp4", include_bytes!("../../../core/src/seed/media/hike.mp4"));
        let second = import(&["--json"]);
        assert!(second.out.contains("\"added\": 1") && second.out.contains("\"skipped\": 2"), "{}", second.out);
        portal::conversion::run_all(&app).await.expect("converted");
        let published = "select count(*) from videos where status = 'published' and year = 2024 and file_key is not null";
        assert_eq!(count(&app.db, published).await, 3);
        assert_eq!(count(&app.db, "select count(*) from videos where title = 'Melave Malka' and description = 'In the hall'").await, 1);
        assert_eq!(count(&app.db, "select count(*) from notifications").await, 0, "nobody is told");
        let third = import(&[]);
        assert!(third.out.contains("0 videos added, 3 already there"), "{}", third.out);
        app.db.close().await;
    }

    async fn a_file_that_cannot_be_taken_is_named_and_the_others_are_imported(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("summer");
        std::fs::create_dir_all(folder.join("DCIM")).expect("a folder");
        std::fs::create_dir_all(folder.join(".Trashes")).expect("a folder");
        let path = folder.display().to_string();
        let import = |more: &[&str]| camp.run(&[&["gallery", "import", &path, "--year", "2024"], more].concat());
        let nothing = import(&[]);
        assert!(nothing.code == 3 && nothing.err.contains("one by one: DCIM."), "{nothing:?}");

        let lake = include_bytes!("../../../core/src/seed/media/lake.mp4").as_slice();
        std::fs::write(folder.join("2024-07-15 Color War.mp4"), lake).expect("a file");
        std::fs::write(folder.join(OsStr::from_bytes(b"Caf\xe9.mp4")), lake).expect("a file");
        std::fs::write(folder.join(OsStr::from_bytes(b"caf\xe9.csv")), "file,title\nlost.mp4,The lost one\n").expect("a file");
        std::fs::write(folder.join("~$titles.xlsx"), "a lock of Excel").expect("a file");
        // Not even root can read through a link that leads nowhere.
        std::os::unix::fs::symlink("nowhere", folder.join("lost.mp4")).expect("a link");
        for (more, would) in [(["--dry-run"].as_slice(), "would be added"), (&[], "added")] {
            let said = import(more);
            assert_eq!(said.code, 3, "{said:?}");
            let sum = format!("1 video {would}, 0 already there, 2 with problems.");
            assert!(said.out.contains(&sum), "{said:?}");
            for part in ["Caf\u{fffd}.mp4: Its name is not readable text", "Please rename", "lost.mp4: It cannot be read: No such file", "Folders in it are left out; please import them one by one: DCIM."] {
                assert!(said.err.contains(part), "{part}: {}", said.err);
            }
        }
        let json: serde_json::Value = serde_json::from_str(&import(&["--json"]).out).expect("JSON");
        assert_eq!((&json["folders"], &json["ignored"]), (&serde_json::json!(["DCIM"]), &serde_json::json!([])));
    }

    async fn an_import_that_cannot_go_on_says_where_it_stopped(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("summer");
        std::fs::create_dir_all(&folder).expect("a folder");
        let lake = include_bytes!("../../../core/src/seed/media/lake.mp4").as_slice();
        for name in ["2024-07-15 Color War.mp4", "2024-07-16 Lake.mp4"] {
            std::fs::write(folder.join(name), lake).expect("a file");
        }
        std::fs::remove_dir_all(camp.data("uploads")).ok();
        std::fs::write(camp.data("uploads"), "no folder").expect("a file");
        let said = camp.run(&["gallery", "import", &folder.display().to_string(), "--year", "2024"]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.contains("2024-07-15 Color War.mp4: The import stopped here: "), "{said:?}");
        assert!(said.err.contains("run it again to go on."), "{said:?}");
        assert!(said.out.contains("0 videos added, 0 already there, 1 with problems."), "{said:?}");
    }

    async fn a_list_in_json_and_a_file_of_another_encoding(camp: Camp) {
        camp.begin();
        let list = "{\"videos\": [\n {\"name\": \"Swim test\", \"link\": \"https://youtu.be/aBcDeFgHiJk\", \"featured\": true},\n {\"name\": \"S\", \"link\": \"nowhere\"}\n]}";
        let said = camp.run_with(&["gallery", "import", "-", "--year", "2023"], list);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.out.contains("1 video added"), "{}", said.out);
        assert!(said.err.contains("line 3: title: ") && said.err.contains("line 3: url: "), "{}", said.err);

        let file = camp.folder().join("old.csv");
        std::fs::write(&file, b"title,url\nCaf\xe9,https://youtu.be/aBcDeFgHiJk\n").expect("a file");
        let said = camp.run(&["gallery", "import", &file.display().to_string(), "--year", "2023"]);
        assert!(said.code == 0 && said.err.contains("Read as Windows-1252 (Western European), for example “Café”"), "{said:?}");
        let said = camp.run(&["gallery", "import", &file.display().to_string(), "--year", "2023", "--encoding", "utf-8"]);
        assert!(said.code == 3 && said.err.contains("Line 2") && said.err.contains("CSV UTF-8"), "{said:?}");
        let said = camp.run(&["gallery", "import", "/nowhere.csv", "--year", "2023"]);
        assert!(said.code == 3 && said.err.contains("cannot be read"), "{said:?}");
        let said = camp.run_with(&["gallery", "import", "-", "--year", "24"], list);
        assert!(said.code == 3 && said.err.contains("with four digits"), "{said:?}");
        let said = camp.run_with(&["gallery", "import", "-", "--year", "2999"], list);
        assert!(said.code == 3 && said.err.contains("staff area"), "{said:?}");
        assert_eq!(camp.run(&["gallery", "import", "-"]).code, 2);
    }

    async fn an_excel_workbook_of_an_earlier_summer(camp: Camp) {
        camp.begin();
        let mut book = rust_xlsxwriter::Workbook::new();
        let sheet = book.add_worksheet();
        for (row, cells) in [["Title", "Link"], ["קומזיץ", "https://youtu.be/aBcDeFgHiJk"]].iter().enumerate() {
            for (column, text) in cells.iter().enumerate() {
                sheet.write(row as u32, column as u16, *text).expect("written");
            }
        }
        let file = camp.folder().join("summer.xlsx");
        book.save(&file).expect("a workbook");
        let said = camp.run(&["gallery", "import", &file.display().to_string(), "--year", "2024"]);
        assert!(said.code == 0 && said.out.contains("1 video added"), "{said:?}");
    }
}
