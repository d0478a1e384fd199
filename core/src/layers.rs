//! Checks that the top-level modules form layers: no module uses another one that, directly or
//! through others, uses it.
//!
//! The sources are formatted by rustfmt, so that indentation tells where an item ends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which modules each module uses, and where.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn no_module_uses_one_that_uses_it() {
    let uses = uses(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(uses["videos"].contains_key("db"), "the sources are read: {uses:?}");
    let mut cleared = BTreeSet::new();
    for module in uses.keys() {
        if let Some(circle) = circle(&uses, &mut vec![module], &mut cleared) {
            let step = |pair: &[&String]| {
                format!("{} uses {} in {}", pair[0], pair[1], uses[pair[0]][pair[1]])
            };
            panic!(
                "a circle of modules:\n{}",
                circle.windows(2).map(step).collect::<Vec<_>>().join("\n")
            );
        }
    }
}

/// Returns the first circle that continues this path, with the same module at both ends.
fn circle<'a>(
    uses: &'a Uses,
    path: &mut Vec<&'a String>,
    cleared: &mut BTreeSet<&'a String>,
) -> Option<Vec<&'a String>> {
    let module = path[path.len() - 1];
    for next in uses.get(module).into_iter().flat_map(BTreeMap::keys) {
        if let Some(start) = path.iter().position(|earlier| *earlier == next) {
            return Some(path[start..].iter().copied().chain([next]).collect());
        }
        if !cleared.contains(next) {
            path.push(next);
            let found = circle(uses, path, cleared);
            path.pop();
            if found.is_some() {
                return found;
            }
        }
    }
    cleared.insert(module);
    None
}

fn uses(src: &Path) -> Uses {
    let exports = exports(&std::fs::read_to_string(src.join("lib.rs")).expect("lib.rs"));
    let mut uses = Uses::new();
    for file in files(src) {
        let place = file.strip_prefix(src).expect("a file below src");
        let parts: Vec<_> = place.iter().map(|part| part.to_string_lossy()).collect();
        let module = parts[0].trim_end_matches(".rs").to_owned();
        if ["lib", "layers"].contains(&&*module) {
            continue;
        }
        let depth = parts.len() - usize::from(parts[parts.len() - 1] == "mod.rs");
        let text = std::fs::read_to_string(&file).expect("a source file");
        let used = uses.entry(module.clone()).or_default();
        for name in names(&without_tests(&text), depth) {
            let target = exports.get(&name).unwrap_or(&name);
            if *target != module {
                used.entry(target.clone()).or_insert_with(|| place.display().to_string());
            }
        }
    }
    uses
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let sources = files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs"));
    sources.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

/// The module of each name that lib.rs re-exports.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let lines = lib.lines().filter_map(|line| line.strip_prefix("pub use ")?.split_once("::"));
    lines
        .flat_map(|(module, tree)| heads(tree).into_iter().map(|name| (name, module.into())))
        .collect()
}

/// Removes comments, and what is compiled only for tests.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut skipped = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        match skipped {
            Some(start) => {
                if indent == start && (line.ends_with('}') || line.ends_with(';')) {
                    skipped = None;
                }
            }
            None if line.trim() == "#[cfg(test)]" => skipped = Some(indent),
            None if line.trim_start().starts_with("//") => {}
            None => {
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    kept
}

/// The names at the root of the crate that a file uses. From a module at this depth, this many
/// `super` lead there.
fn names(text: &str, depth: usize) -> Vec<String> {
    let text = text.replace(&"super::".repeat(depth), "crate::");
    text.split("crate::").skip(1).flat_map(heads).collect()
}

/// The first name of a path, or of each path in `{a, b::{c, d}}`.
fn heads(tree: &str) -> Vec<String> {
    let first = |path: &str| {
        path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let Some(list) = tree.strip_prefix('{') else { return vec![first(tree)] };
    let (mut heads, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                heads.push(first(&list[start..at]));
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
        if c == '}' && start == at + 1 {
            break;
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

#[test]
fn all_ways_to_name_a_module_are_read() {
    let text = "use crate::{App, db::{Db, Tx}, mail};\nuse super::files;\n// crate::seed\n\
                fn f() {\n    crate::audit::record();\n}\n\
                #[cfg(test)]\nmod tests {\n    use crate::doctor;\n}\nuse crate::jobs;\n";
    let expected = ["App", "db", "mail", "files", "audit", "jobs"];
    assert_eq!(names(&without_tests(text), 1), expected);
    assert_eq!(names("use super::super::files;\nuse super::near;", 2), ["files"]);
    let exports = exports("mod app;\npub use app::{App, Keys};\n");
    assert_eq!(exports["Keys"], "app");
}

#[test]
fn a_circle_is_found_wherever_it_begins() {
    let place = |module: &str| (module.to_owned(), String::new());
    let uses = Uses::from([
        ("a".into(), BTreeMap::from([place("b"), place("d")])),
        ("b".into(), BTreeMap::from([place("d")])),
        ("c".into(), BTreeMap::from([place("a")])),
        ("d".into(), BTreeMap::from([place("c")])),
    ]);
    let start = "a".to_owned();
    let found = circle(&uses, &mut vec![&start], &mut BTreeSet::new()).expect("a circle");
    assert_eq!(found, ["a", "b", "d", "c", "a"]);
}
