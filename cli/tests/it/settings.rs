//! Settings and maintenance commands.

use std::time::Duration;

use crate::camp::{Camp, free_port};
use crate::mail::eventually;
use crate::on_both_engines;

on_both_engines! {
    async fn settings_are_listed_read_and_changed(camp: Camp) {
        camp.begin();
        assert_eq!(camp.run(&["settings", "get", "timezone"]).out.trim(), "America/New_York");
        let said = camp.run(&["settings", "set", "siteName", "Camp Naarim"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(said.out.trim(), "siteName is now Camp Naarim.", "{said:?}");
        assert_eq!(camp.run(&["settings", "get", "siteName", "--json"]).out.trim(), "\"Camp Naarim\"");
        assert!(camp.run(&["settings", "list"]).out.contains("Camp Naarim"));
        assert!(camp.run(&["settings", "list", "--json"]).out.contains("\"sessionTimeout\": 30"));
        for (name, value, says) in [
            ("sessionTimeout", "2", "5 to 720"),
            ("sessionTimeout", "soon", "whole number"),
            ("access", "nobody", "everyone, signed_in, families"),
            ("timezone", "Camp/Lake", "America/New_York"),
            ("userRegistrations", "perhaps", "true or false"),
            ("sitename", "x", "camp settings list"),
        ] {
            let said = camp.run(&["settings", "set", name, value]);
            assert_eq!(said.code, 3, "{name}");
            assert!(said.err.contains(says), "{name}: {}", said.err);
        }
    }

    async fn quiet_dates_are_typed_or_taken_from_a_calendar_file(camp: Camp) {
        camp.begin();
        let dates = || camp.run(&["settings", "get", "quietDates", "--json"]).out.trim().to_owned();
        let said = camp.run(&["settings", "set", "quietDates", "2199-07-27T14:00/2199-07-27T16:30 Visiting Day, 2199-07-23 Tisha B'Av"]);
        assert_eq!(said.code, 0, "{said:?}");
        let typed = r#"{"from":"2199-07-23","name":"Tisha B'Av","to":"2199-07-23"},{"from":"2199-07-27T14:00","name":"Visiting Day","to":"2199-07-27T16:30"}"#;
        assert_eq!(dates(), format!("[{typed}]"));
        for wrong in ["tomorrow", "2199-07-23/2199-07-22", "2199-02-30"] {
            assert_eq!(camp.run(&["settings", "set", "quietDates", wrong]).code, 3, "{wrong}");
        }
        let file = camp.folder().join("holidays.ics");
        let event = |fields: &str| format!("BEGIN:VEVENT\n{fields}\nEND:VEVENT\n");
        let events = [event("DTSTART;VALUE=DATE:21990801\nSUMMARY:Fast"), event("DTSTART;VALUE=DATE:20200801"), event("DTSTART;VALUE=DATE:21990801\nRRULE:FREQ=WEEKLY")];
        std::fs::write(&file, format!("BEGIN:VCALENDAR\n{}END:VCALENDAR\n", events.concat())).expect("written");
        let path = file.to_str().expect("a path");
        let add = |more: &[&str]| camp.run(&[&["settings", "add-dates", path], more].concat());
        assert!(add(&["--dry-run"]).out.contains("1 date would be added."));
        assert_eq!(dates(), format!("[{typed}]"));
        let said = add(&[]);
        assert!(said.out.contains("1 date added."), "{said:?}");
        assert!(said.err.contains("Left out: 1 date (repeating)."), "{said:?}");
        let fast = r#"{"from":"2199-08-01","name":"Fast","to":"2199-08-01"}"#;
        assert_eq!(dates(), format!("[{typed},{fast}]"));
        assert!(add(&[]).out.contains("0 dates added."), "each once");
        std::fs::write(&file, "<html>").expect("written");
        assert_eq!(add(&[]).code, 3);
        let long = event(&format!("DTSTART;VALUE=DATE:21990802\nDESCRIPTION:{}", "x".repeat(1 << 20)));
        std::fs::write(&file, format!("BEGIN:VCALENDAR\n{long}END:VCALENDAR\n")).expect("written");
        let said = add(&[]);
        assert!(said.code == 3 && said.err.contains("larger than 1 MB"), "{said:?}");
    }

    async fn several_settings_are_changed_together_or_not_at_all(camp: Camp) {
        camp.begin();
        let get = |name: &str| camp.run(&["settings", "get", name]).out.trim().to_owned();
        let said = camp.run(&["settings", "set", "siteName=Camp Naarim", "access=families"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains("siteName is now Camp Naarim."), "{said:?}");
        assert!(said.out.contains("access is now families."), "{said:?}");

        let said = camp.run(&["settings", "set", "siteName=Camp Orchim", "access=nobody"]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.contains("everyone, signed_in, families"), "{said:?}");
        let wrong = ["siteName=Camp Orchim", "staffEmail=a@", "maxLoginAttempts=0", "sessionTimeout=soon", "videoTeamEmail=b@"];
        let said = camp.run(&[&["settings", "set"], &wrong[..]].concat());
        assert_eq!(said.code, 3, "{said:?}");
        for problem in ["staffEmail: Please", "maxLoginAttempts must be from 1", "sessionTimeout must be a whole", "videoTeamEmail: Please"] {
            assert!(said.err.contains(problem), "{problem}: {said:?}");
        }
        let said = camp.run(&["settings", "set", "siteName=Camp Orchim", "access=families", "siteName=Camp Ahava"]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.contains("siteName: It is set twice."), "{said:?}");
        let said = camp.run(&["settings", "set", "siteName=Camp Orchim", "access"]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.contains("“access” has no value"), "{said:?}");
        assert_eq!(get("siteName"), "Camp Naarim");
        assert_eq!(get("access"), "families");

        let said = camp.run(&["settings", "set", "siteName=Camp Orchim", "--json"]);
        assert_eq!(said.out.trim(), r#"{"siteName":"Camp Orchim"}"#, "{said:?}");
    }

    async fn a_file_of_settings_is_exported_looked_at_and_taken_over(camp: Camp) {
        camp.begin();
        camp.run(&["settings", "set", "siteName", "Camp Naarim"]);
        let exported = camp.run(&["settings", "export"]).out;
        let file = camp.folder().join("settings.json");
        let import = |text: &str, more: &[&str]| {
            std::fs::write(&file, text).expect("written");
            let path = file.to_str().expect("a path").to_owned();
            camp.run(&[&["settings", "import", path.as_str()], more].concat())
        };
        let name = || camp.run(&["settings", "get", "siteName"]).out.trim().to_owned();
        let said = import(&exported, &[]);
        assert_eq!(said.code, 0);
        assert_eq!(said.out.trim(), "Everything in the file is already set.");

        let other = exported.replace("Camp Naarim", "Camp Orchim");
        let said = import(&other, &["--dry-run"]);
        assert!(said.code == 0 && said.out.contains("1 would change"), "{said:?}");
        assert!(said.out.contains("Camp Naarim") && said.out.contains("Camp Orchim"), "{said:?}");
        assert_eq!(name(), "Camp Naarim");
        assert!(import(&other, &[]).out.contains("1 changed."));
        assert_eq!(name(), "Camp Orchim");

        let broken = exported.replace("\"sessionTimeout\": 30", "\"sessionTimeout\": 2");
        let said = import(&broken, &[]);
        assert_eq!(said.code, 3);
        assert!(said.err.contains("sessionTimeout") && said.err.contains("5 to 720"), "{said:?}");
        assert_eq!(name(), "Camp Orchim", "all or none");
        let said = import(&broken, &["--json"]);
        assert!(said.out.contains("\"problem\""), "{said:?}");
        let said = import("siteName = x", &[]);
        assert!(said.code == 3 && said.err.contains("camp settings export"), "{said:?}");
    }

    async fn the_house_is_kept(camp: Camp) {
        let first = camp.run(&["migrate"]);
        assert!(first.code == 0 && first.out.contains("applied"), "{first:?}");
        assert!(camp.run(&["migrate"]).out.contains("up to date already"));
        assert!(camp.run(&["jobs", "list"]).out.contains("No jobs are waiting"));
        assert_eq!(camp.run(&["jobs", "list", "--json"]).out.trim(), "[]");
        assert_eq!(camp.run(&["jobs", "retry", "--all"]).code, 0);
        assert_eq!(camp.run(&["jobs", "retry", "0198c0de-0000-7000-8000-000000000000"]).code, 3);
        for typed in [&["jobs", "retry"][..], &["jobs", "retry", "17"]] {
            let said = camp.run(typed);
            assert_eq!(said.code, 2, "{said:?}");
            assert!(said.err.contains("looks like 019a8f3e-4c1b-7d20-9c55-0a1b2c3d4e5f"), "{said:?}");
            assert!(said.err.contains("camp jobs list"), "{said:?}");
        }
        assert!(camp.run(&["jobs", "retry"]).err.contains("--all"));
        let typo = camp.run(&["admin", "list", "--log", "inof"]);
        assert!(typo.code == 2 && typo.err.contains("“inof” is not a level"), "{typo:?}");
        let waiting = camp.run(&["jobs", "retry", "01M8H8M0BST03WMXVEDY9F8ZDX"]);
        assert!(waiting.code == 3 && waiting.err.contains("No failed job has this id"), "{waiting:?}");
        let quoted = ["mail", "test", "miriam@camp.example", "--mail-from", "Camp (NY), Inc. <hello@camp.example>"];
        assert_eq!(camp.run(&quoted).code, 0);
        let wrong = camp.run(&["mail", "test", "miriam@camp.example", "--mail-from", "foo"]);
        assert!(wrong.code == 2 && wrong.err.contains("write an address like"), "{wrong:?}");
        assert_eq!(camp.run(&["mail", "test", "miriam@camp.example"]).code, 0);
        let mails = std::fs::read_dir(camp.folder().join("data/mail")).expect("a folder").count();
        assert_eq!(mails, 2);
        assert_eq!(camp.run(&["mail", "test", "miriam"]).code, 3);
        let away = camp.run(&["mail", "test", "miriam@camp.example", "--smtp-url", "smtp://127.0.0.1:9"]);
        assert!(away.code == 4 && away.err.contains("--smtp-url"), "{}", away.err);
        assert!(camp.run(&["openapi"]).out.contains("\"openapi\""));
    }
}

#[test]
fn a_result_that_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    let camp = Camp::on_sqlite();
    camp.begin();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux");
    let output = camp.command(&["settings", "export"]).stdout(full).output().expect("it runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("The result cannot be written to standard output: No space left"),
        "{err}"
    );

    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = camp.command(&["settings", "export"]).stdout(writer).output().expect("it runs");
    assert!(output.status.code() == Some(0) && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_data_folder_may_have_any_name() {
    for name in ["a%41b", "r?e", "100%"] {
        let camp = Camp::on_sqlite();
        let data = camp.folder().join(name);
        let data = data.to_str().expect("UTF-8");
        let run = |arguments: &[&str]| {
            let said = camp
                .run_with(&[arguments, &["--data-dir", data]].concat(), "lantern over the lake\n");
            assert!(!said.out.contains("There is no database"), "{name}: {said:?}");
            (said.code, said.out)
        };
        assert_eq!(run(&["admin", "add", "miriam", "--email", "m@camp.example"]).0, 0, "{name}");
        assert!(std::path::Path::new(data).join("camp.db").is_file(), "{name}");
        let file = camp.folder().join("camp.tar.zst");
        let file = file.to_str().expect("UTF-8");
        assert_eq!(run(&["backup", file]).0, 0, "{name}");
        assert_eq!(run(&["restore", file, "--replace"]).0, 0, "{name}");
        assert!(run(&["admin", "list"]).1.contains("miriam"), "{name}");
        assert!(run(&["doctor"]).1.contains("The database file is sound."), "{name}");
        let entries = std::fs::read_dir(camp.folder()).expect("a folder").count();
        assert_eq!(entries, 2, "{name}: nothing is made beside it");
    }
}

#[test]
fn an_option_with_a_wrong_value_is_a_wrong_command_and_shows_no_password() {
    let camp = Camp::on_sqlite();
    for (option, value, says) in [
        ("--public-url", "javascript:x", "without a path"),
        ("--public-url", "https://camp.example/sub", "without a path"),
        ("--smtp-url", "http://camp:lantern@mail.example", "must begin with smtps:// or smtp://"),
        ("--smtp-url", "smtps://camp:lantern@mail.example,smtp://", "names no host"),
        ("--smtp-url", "smtp://camp:lan#tern@mail.example", "%23"),
        ("--smtp-url", "smtp://camp/lantern@mail.example", "%23"),
        ("--database-url", "postgres://camp:lantern#@db.example/camp", "%23"),
        ("--database-url", "postgres://camp:lan/tern@db.example/camp", "%23"),
        (
            "--database-url",
            "mysql://camp:lantern@db.example",
            "must begin with sqlite:// or postgres://",
        ),
        ("--storage-url", "gs://camp:lantern@bucket", "must be a folder or s3://BUCKET/PREFIX"),
        ("--storage-url", "s3://", "must be a folder or s3://BUCKET/PREFIX"),
    ] {
        let said = camp.run(&["migrate", option, value]);
        assert_eq!(said.code, 2, "{value}: {said:?}");
        assert!(said.err.contains(says) && said.err.contains(option), "{value}: {said:?}");
        assert!(!said.err.contains("lantern") && !camp.data("").exists(), "{value}: {said:?}");
    }
    // An empty variable counts as unset.
    let mut migrate = camp.command(&["migrate"]);
    for name in [
        "BIND",
        "PUBLIC_URL",
        "DATABASE_URL",
        "SMTP_URL",
        "MAIL_FROM",
        "MAIL_RATE",
        "STORAGE_URL",
        "STORAGE_REDIRECTS",
        "TRUSTED_PROXIES",
        "CONNECTIONS",
        "LOG",
        "LOG_FORMAT",
    ] {
        migrate.env(format!("CAMP_{name}"), "");
    }
    let said = migrate.output().expect("it runs");
    assert!(said.status.success(), "{said:?}");
    let mut serve = camp.command(&["serve", "--bind", "127.0.0.1:99999"]);
    let said = serve.env("CAMP_WITH_WORKER", "").output().expect("it runs");
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("99999") && !said.contains("--with-worker"), "{said}");
}

#[test]
fn a_database_that_cannot_be_used_is_said_in_a_sentence() {
    let camp = Camp::on_sqlite();
    let url = "postgres://nobody@127.0.0.1:9/camp";
    let said = camp.run(&["migrate", "--database-url", url]);
    assert_eq!(said.code, 4, "{url}: {}", said.err);
    assert!(said.err.starts_with("camp: The database does not answer"), "{url}: {}", said.err);
    assert!(said.err.contains("Please check that it runs"), "{url}: {}", said.err);
}

#[tokio::test]
async fn a_database_that_is_not_there_is_said_in_a_sentence() {
    let camp = Camp::on_postgres().await;
    let url = camp.database_url().expect("an address");
    let said = camp.run(&["migrate", "--database-url", &format!("{url}_none")]);
    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.err.ends_with("_none\" does not exist.\n"), "{said:?}");
}

#[test]
fn the_demo_does_not_listen_to_strangers() {
    let camp = Camp::on_sqlite();
    let said = camp.run(&["demo", "--bind", "0.0.0.0:0"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("--i-know-this-is-a-demo"), "{}", said.err);
    camp.run_with(
        &["admin", "add", "miriam", "--email", "m@camp.example"],
        "lantern over the lake\n",
    );
    for more in [&[][..], &["--start-over"]] {
        let said = camp.run(&[&["demo", "--bind", "127.0.0.1:0"], more].concat());
        assert!(said.code == 3 && said.err.contains("camp of your own"), "{}", said.err);
    }
    assert!(camp.run(&["admin", "list"]).out.contains("miriam"), "nothing was removed");
}

#[tokio::test]
async fn a_demo_that_runs_is_not_started_over() {
    let camp = Camp::on_sqlite();
    let address = format!("127.0.0.1:{}", free_port());
    let mut demo = camp.start(&["demo", "--bind", &address]);
    let listens = || std::net::TcpStream::connect(&address).is_ok();
    eventually("the demo listens", Duration::from_secs(120), listens).await;
    let other = format!("127.0.0.1:{}", free_port());
    let said = camp.run(&["demo", "--bind", &other, "--start-over"]);
    assert!(said.code == 3 && said.err.contains("The camp is running"), "{said:?}");
    assert!(camp.data("camp.db").exists(), "nothing was removed");
    assert_eq!(demo.stop().await, Some(0), "it ends well");
}
