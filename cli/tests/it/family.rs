//! Imports of families from a camp office's tables.

use crate::camp::{Camp, count};
use crate::on_both_engines;

on_both_engines! {
    async fn a_thousand_families_are_imported_once_however_often_it_runs(camp: Camp) {
        camp.begin();
        let mut table = "\u{feff}Parent's name;Campers;E-mail;Tuition;Paid;Due\r\n".to_owned();
        for n in 0..1000 {
            let email = match n % 100 {
                50 => "no address".to_owned(),
                70 => String::new(),
                _ => format!("family{n}@family.example"),
            };
            table += &format!("\"Lindenfeld; {n}\";Yossi {n};{email};\"2,800\";{};07/15/2026\r\n", n % 28 * 100);
        }
        let file = camp.folder().join("families.csv");
        std::fs::write(&file, table).expect("a file");
        let file = file.display().to_string();
        let import = |more: &[&str]| camp.run(&[&["family", "import", &file], more].concat());

        let dry = import(&["--dry-run"]);
        assert_eq!(dry.code, 3, "{dry:?}");
        assert!(dry.out.contains("990 families would be added, 0 would be updated, 0 with other details left as they are, 0 already there, 10 with problems would be left out"), "{}", dry.out);
        let app = camp.app().await;
        assert_eq!(count(&app.db, "select count(*) from profiles").await, 0, "a dry run changes nothing");

        let begun = std::time::Instant::now();
        let first = import(&[]);
        println!("{}: 990 families in {:?}", app.db.engine(), begun.elapsed());
        assert_eq!(first.code, 3, "{first:?}");
        let problems: Vec<&str> = first.err.lines().filter(|line| line.starts_with("line ")).collect();
        assert_eq!(problems.len(), 10);
        assert!(problems[0].starts_with("line 52: email: “") && problems[0].ends_with("” is not a valid email address."), "{}", problems[0]);

        for _ in 0..2 {
            let again = import(&["--json"]);
            assert_eq!(again.code, 3);
            assert!(again.out.contains("\"added\": 0") && again.out.contains("\"updated\": 0") && again.out.contains("\"skipped\": 990"), "{}", again.out);
        }
        assert_eq!(count(&app.db, "select count(*) from payment_plans where total_amount = 280000").await, 990);
        assert_eq!(count(&app.db, "select count(*) from payment_plans l where paid_amount <> (select coalesce(sum(amount), 0) from payments p where p.plan_id = l.id)").await, 0);
        assert_eq!(count(&app.db, "select count(*) from notifications").await, 0, "nobody is told");
        assert_eq!(count(&app.db, "select count(*) from audit_log where action = 'profile.import'").await, 1);
    }

    async fn a_list_with_addresses_and_visitors(camp: Camp) {
        camp.begin();
        let table = "Parent,Child,Address,City,Email,Type\nChaya,Yossi,12 Oak Street,Monsey,chaya@family.example,parent\nMalky,,4 Elm Street,Monsey,malky@family.example,visitor\n";
        let said = camp.run_with(&["family", "import", "-"], table);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains("1 family added") && said.out.contains("0 already there, 1 visitor left out, 0 with problems left out."), "{said:?}");
        assert!(said.err.contains("Address") && said.err.contains("City"), "{said:?}");
        let twice = "Parent,Child,Email,Mail\nChaya,Yossi,chaya@family.example,chaya@home.example\n";
        let said = camp.run_with(&["family", "import", "-"], twice);
        assert!(said.code == 3 && said.err.contains("The columns “Email” and “Mail” mean the same."), "{said:?}");
    }

    async fn a_quotation_mark_that_stays_open_is_refused_and_nothing_is_imported(camp: Camp) {
        camp.begin();
        let table = "Name;Child\nChaya;Yossi\nLeah;Moishe\n\"Rivka;Zev\nGitty;Shmuel\n";
        let said = camp.run_with(&["family", "import", "-"], table);
        assert!(said.code == 3 && said.err.contains("opens in line 4 and is never closed"), "{said:?}");
        let app = camp.app().await;
        assert_eq!(count(&app.db, "select count(*) from profiles").await, 0);
        app.db.close().await;
    }

    async fn a_list_of_families_in_json(camp: Camp) {
        camp.begin();
        let list = "{\"families\": [\n {\"name\": \"Chaya\", \"child\": \"Yossi\", \"total\": 1400},\n {\"name\": \"\", \"child\": \"Moishe\"}\n]}";
        let said = camp.run_with(&["family", "import", "-"], list);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.out.contains("1 family added") && said.err.contains("line 3: name: "), "{said:?}");
        let said = camp.run_with(&["family", "import", "-"], "heading,when\nA,b\n");
        assert!(said.code == 3 && said.err.contains("“name”"), "{said:?}");
        let said = camp.run(&["family", "import", "/nowhere.csv"]);
        assert!(said.code == 3 && said.err.contains("cannot be read"), "{said:?}");
    }

    async fn a_table_changes_families_only_when_asked_and_is_undone(camp: Camp) {
        camp.begin();
        let write = |name: &str, text: &str| {
            let file = camp.folder().join(name);
            let (bytes, _, lost) = encoding_rs::WINDOWS_1255.encode(text);
            assert!(!lost);
            std::fs::write(&file, bytes).expect("a file");
            file.display().to_string()
        };
        let first = write("first.csv", "name,child,email,total\nשרה לינדנפלד,יאסל,sara@family.example,2800\n");
        let said = camp.run(&["family", "import", &first]);
        assert!(said.code == 0 && said.out.contains("1 family added"), "{said:?}");
        assert!(said.err.contains("Read as Windows-1255 (Hebrew), for example “שרה לינדנפלד”"), "{said:?}");
        let second = write("second.csv", "name,child,email,total\nשרה לינדנפלד,יאסל,sara@family.example,1400\nChaya,Leib,,\n");
        let dry = camp.run(&["family", "import", &second, "--dry-run"]);
        assert!(dry.out.contains("line 2: שרה לינדנפלד (יאסל) left as it is:\n  total: $2,800 -> $1,400\n1 family would be added, 0 would be updated, 1 with other details left as they are"), "{dry:?}");
        assert!(dry.err.contains("--update-existing"), "{dry:?}");
        let dry = camp.run(&["family", "import", &second, "--dry-run", "--update-existing"]);
        assert!(dry.out.contains("would be changed:") && dry.out.contains("1 would be updated"), "{dry:?}");
        let app = camp.app().await;
        let halved = "select count(*) from payment_plans where total_amount = 140000";
        assert_eq!(count(&app.db, halved).await, 0);
        let done = camp.run(&["family", "import", &second, "--update-existing", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
        assert_eq!(report["added"], 1, "{done:?}");
        assert_eq!(report["updated"], 1, "{done:?}");
        assert_eq!(count(&app.db, halved).await, 1);

        let id = report["id"].as_str().expect("an import");
        let list = camp.run(&["family", "imports"]);
        assert!(list.out.contains(id) && list.out.contains("command line"), "{list:?}");
        let undone = camp.run(&["family", "undo", id]);
        assert!(undone.code == 0 && undone.out.contains("1 removed, 1 restored, 0 left as they are."), "{undone:?}");
        assert_eq!(count(&app.db, halved).await, 0);
        assert_eq!(count(&app.db, "select count(*) from profiles where deleted_at is null").await, 1);
        let again = camp.run(&["family", "undo", id]);
        assert!(again.code == 3 && again.err.contains("already undone"), "{again:?}");
        let wrong = camp.run(&["family", "import", &first, "--encoding", "utf-8"]);
        assert!(wrong.code == 3 && wrong.err.contains("choose another encoding"), "{wrong:?}");
    }
}
