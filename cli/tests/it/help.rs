//! The help of every command.

use crate::camp::Camp;

#[test]
fn the_help_of_every_command_has_an_example() {
    let camp = Camp::on_sqlite();
    let mut open = vec![Vec::<String>::new()];
    let mut seen = 0;
    while let Some(command) = open.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let said = camp.run(&arguments);
        assert_eq!(said.code, 0, "{arguments:?}");
        let example = format!("  camp {}", command.join(" "));
        let shown = said
            .out
            .split_once("Example")
            .is_some_and(|(_, rest)| rest.contains(example.trim_end()));
        assert!(shown, "`camp {}` has no example:\n{}", arguments.join(" "), said.out);
        seen += 1;
        let Some((_, rest)) = said.out.split_once("\nCommands:\n") else { continue };
        for line in rest.lines().take_while(|line| line.starts_with("  ")) {
            // A continuation line is indented further.
            let Some(name) = line.strip_prefix("  ").filter(|name| !name.starts_with(' ')) else {
                continue;
            };
            let name = name.split_whitespace().next().unwrap_or_default();
            if name != "help" {
                open.push([command.clone(), vec![name.to_owned()]].concat());
            }
        }
    }
    assert!(seen > 20, "only {seen} commands were found");
}

#[test]
fn the_help_of_a_command_shows_its_own_options() {
    let camp = Camp::on_sqlite();
    let said = camp.run(&["settings", "set", "--help"]);
    assert!(said.out.contains("--json"), "{said:?}");
    assert!(!said.out.contains("--smtp-url"), "{said:?}");
    assert!(said.out.contains("`camp --help`"), "{said:?}");
    for shows_all in [&["--help"][..], &["serve", "--help"]] {
        assert!(camp.run(shows_all).out.contains("--smtp-url"), "{shows_all:?}");
    }
    // Commands still accept the options that their help does not show.
    let said = camp.run(&["settings", "list", "--bind", "nowhere"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("nowhere"), "{said:?}");
}

#[test]
fn every_argument_is_explained() {
    let camp = Camp::on_sqlite();
    for command in ["passwd", "disable", "enable", "role", "remove", "reset-two-factor"] {
        let said = camp.run(&["admin", command, "--help"]);
        assert!(said.out.contains("as in `camp admin list`"), "{said:?}");
    }
}

#[test]
fn what_has_another_form_is_refused_with_an_example() {
    let camp = Camp::on_sqlite();
    for (command, example) in [
        (&["jobs", "retry", "x"][..], "`camp jobs list`"),
        (&["family", "undo", "x"], "`camp family imports`"),
        (&["videos", "convert", "x"], "after /video/"),
        (&["serve", "--bind", "8080"], "127.0.0.1:8080"),
        (&["doctor", "--name-server", "9.9.9.9"], "9.9.9.9:53"),
    ] {
        let said = camp.run(command);
        assert!(said.code == 2 && said.err.contains(example), "{said:?}");
    }
}

#[test]
fn the_exit_codes_are_written_down() {
    let said = Camp::on_sqlite().run(&["--help"]);
    for code in 0..=4 {
        assert!(said.out.contains(&format!("\n  {code}  ")), "{code}");
    }
    assert_eq!(Camp::on_sqlite().run(&["sevre"]).code, 2);
}
