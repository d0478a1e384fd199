//! Only the commands that are meant to create a camp do so, and only in the given folder.

use std::path::Path;
use std::time::Duration;

use crate::backup::path;
use crate::camp::{Camp, count, free_port};
use crate::mail::eventually;
use crate::{execute, on_both_engines};
use portal::db::Db;

const ADD: [&str; 5] = ["admin", "add", "miriam", "--email", "m@camp.example"];
const PASSWORD: &str = "lantern over the lake\n";

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).expect("a folder").next().is_none()
}

on_both_engines! {
    async fn a_mistyped_data_folder_makes_no_camp(camp: Camp) {
        let table = camp.folder().join("table.csv");
        std::fs::write(&table, "name,child\nLeah,Dov\n").expect("written");
        let table = path(&table).to_owned();
        let commands: [&[&str]; 14] = [
            &["worker"],
            &["backup", "-"],
            &["doctor"],
            &["mail", "test", "miriam@camp.example"],
            &["jobs", "list"],
            &["jobs", "retry", "--all"],
            &["settings", "list"],
            &["settings", "set", "access", "families"],
            &["admin", "list"],
            &["admin", "passwd", "miriam"],
            &["admin", "disable", "miriam"],
            &["gallery", "import", &table, "--year", "2024"],
            &["family", "import", &table],
            &["family", "import", &table, "--dry-run"],
        ];
        for command in commands {
            let said = camp.run(command);
            assert_eq!(said.code, 4, "{command:?}: {said:?}");
            let all = format!("{}{}", said.out, said.err);
            assert!(all.contains("--data-dir"), "{command:?} says where to look: {said:?}");
            assert!(!camp.data("").exists(), "{command:?} makes nothing");
        }
        // A folder alone is not a camp.
        std::fs::create_dir_all(camp.data("")).expect("a folder");
        let said = camp.run(&["admin", "list"]);
        assert_eq!(said.code, 4, "{said:?}");
        assert!(said.err.contains("There is no camp in"), "{said:?}");
        if camp.is_on_postgres() {
            let said = camp.run(&["doctor"]);
            assert!(said.out.contains("There is no camp in this database yet."), "{}", said.out);
            assert!(!said.out.contains("restore"), "{}", said.out);
            return;
        }
        // Neither is an empty file.
        std::fs::write(camp.data("camp.db"), "").expect("written");
        for command in [&["admin", "list"][..], &["doctor"], &["backup", "-"]] {
            let said = camp.run(command);
            let all = format!("{}{}", said.out, said.err);
            assert!(said.code == 4 && all.contains("There is no "), "{command:?}: {said:?}");
        }
        assert_eq!(camp.run_with(&ADD, PASSWORD).code, 0);
    }

    async fn a_lost_data_folder_is_not_taken_for_a_lost_camp(camp: Camp) {
        if !camp.is_on_postgres() {
            return;
        }
        camp.begin();
        std::fs::remove_dir_all(camp.data("")).expect("removed");
        let said = camp.run(&["admin", "list"]);
        assert_eq!(said.code, 4, "{said:?}");
        assert!(said.err.contains("there is no such folder") && said.err.contains("camp migrate"), "{said:?}");
        assert_eq!(camp.run(&["migrate"]).code, 0);
        assert_eq!(camp.run(&["admin", "list"]).code, 0);
    }

    async fn a_camp_on_sqlite_is_not_left_for_a_new_one_on_postgresql(camp: Camp) {
        std::fs::create_dir_all(camp.data("")).expect("a folder");
        if !camp.is_on_postgres() {
            return;
        }
        std::fs::write(camp.data("camp.db"), "a database").expect("written");
        let refused = camp.run_with(&ADD, PASSWORD);
        assert_eq!(refused.code, 4, "{refused:?}");
        assert!(refused.err.contains("camp.db holds a camp, and the database of --database-url"), "{refused:?}");
        std::fs::remove_file(camp.data("camp.db")).expect("removed");
        assert_eq!(camp.run_with(&ADD, PASSWORD).code, 0);
        std::fs::write(camp.data("camp.db"), "a database").expect("written");
        assert_eq!(camp.run(&["admin", "list"]).code, 0, "the camp on PostgreSQL is there");
    }

    async fn the_demo_may_be_tried_on_both_databases_in_one_folder(camp: Camp) {
        if !camp.is_on_postgres() {
            return;
        }
        std::fs::create_dir_all(camp.data("")).expect("a folder");
        std::fs::write(camp.data("camp.db"), "a database").expect("written");
        let address = format!("127.0.0.1:{}", free_port());
        let mut demo = camp.start(&["demo", "--bind", &address]);
        let listens = || std::net::TcpStream::connect(&address).is_ok();
        eventually("the demo listens", Duration::from_secs(120), listens).await;
        assert_eq!(demo.stop().await, Some(0), "it ends well");
    }

    async fn whatever_makes_a_camp_says_so_and_where(camp: Camp) {
        let place = camp.data("");
        let made = |err: &str| err.lines().filter(|line| line.contains("A new camp was made in")).count();
        let said = camp.run_with(&ADD, PASSWORD);
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(made(&said.err), 1, "{said:?}");
        let shown = place.canonicalize().expect("it is there");
        assert!(said.err.contains(path(&shown)), "{said:?}");
        assert_eq!(said.out, "miriam can sign in as staff.\n", "the result is the same as ever");
        for again in [&["migrate"][..], &["admin", "list"]] {
            let said = camp.run(again);
            assert_eq!(said.code, 0, "{said:?}");
            assert_eq!(made(&said.err), 0, "{said:?}");
        }
        let file = camp.backup("camp.tar.zst");

        for command in [&["migrate"][..], &["seed", "--sample", "general"], &["restore", path(&file)]] {
            let other = match camp.is_on_postgres() {
                true => Camp::on_postgres().await,
                false => Camp::on_sqlite(),
            };
            let said = other.run(command);
            assert_eq!(said.code, 0, "{command:?}: {said:?}");
            assert_eq!(made(&said.err), 1, "{command:?}: {said:?}");
        }
    }

    async fn half_a_backup_is_called_incomplete_and_leaves_nothing(camp: Camp) {
        camp.run_with(&ADD, PASSWORD);
        let whole = std::fs::read(camp.backup("camp.tar.zst")).expect("bytes");
        let half = camp.folder().join("half.tar.zst");
        for length in [whole.len() / 8, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&half, &whole[..length]).expect("written");
            let other = match camp.is_on_postgres() {
                true => Camp::on_postgres().await,
                false => Camp::on_sqlite(),
            };
            let said = other.run(&["restore", path(&half)]);
            assert_eq!(said.code, 3, "{length}: {said:?}");
            assert!(said.err.contains("This backup is incomplete"), "{length}: {said:?}");
            assert!(is_empty(other.folder()), "{length} of {} bytes: nothing is left", whole.len());
        }
    }

    async fn a_worker_that_ran_when_a_backup_was_made_does_not_run_in_the_restored_camp(camp: Camp) {
        camp.run_with(&ADD, PASSWORD);
        let app = camp.app().await;
        execute!(
            &app.db,
            "insert into worker_beats (worker, beat_at) values ($1, $2)",
            uuid::Uuid::new_v4(),
            chrono::Utc::now(),
        );
        let file = camp.backup("camp.tar.zst");
        app.db.close().await;
        drop(app);
        for more in [&[][..], &["--send-mail"]] {
            let said = camp.run(&[&["restore", path(&file), "--replace"], more].concat());
            assert_eq!(said.code, 0, "{said:?}");
            let app = camp.app().await;
            assert_eq!(count(&app.db, "select count(*) from worker_beats").await, 0);
            app.db.close().await;
        }
        let said = camp.run(&["doctor"]);
        assert!(said.out.contains("No worker runs"), "{}", said.out);
    }
}
