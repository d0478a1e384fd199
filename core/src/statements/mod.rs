//! A test that prepares every statement on both engines.
//!
//! It reads the sources, and evaluates what is given to `sql` and `either`. A statement that it
//! cannot evaluate fails the test, so none is left out.

mod evaluate;
mod source;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
use syn::visit::Visit;

use self::evaluate::joined;
use self::source::Sources;
use crate::db::Db;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Engine {
    Sqlite,
    Postgres,
}

/// A text, and the engine if it is for only one.
#[derive(Clone)]
struct Text(String, Option<Engine>);

/// The values of variables that hold at the same time.
type Values = HashMap<String, Text>;
type Outcome<T> = Result<Vec<T>, String>;

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut waiting = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.ends_with("statements") {
            continue;
        }
        if path.is_dir() {
            let inside = std::fs::read_dir(path).expect("the sources");
            waiting.extend(inside.map(|file| file.expect("a file").path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let name = path.strip_prefix(folder).expect("a file of ours").display().to_string();
            files.push((name, text));
        }
    }
    files
}

/// Every statement with its place, and the number of places.
fn statements() -> (BTreeMap<(String, Option<Engine>), String>, usize) {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let parsed: Vec<(&str, syn::File)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), syn::parse_file(text).expect("Rust")))
        .collect();
    let mut sources = Sources::default();
    for (name, file) in &parsed {
        sources.file = name;
        sources.visit_file(file);
    }
    let mut all = BTreeMap::new();
    let mut unknown = Vec::new();
    let mut places = 0;
    for function in &sources.functions {
        // These only pass on what they are given.
        if function.file.starts_with("db") && ["sql", "either"].contains(&function.name.as_str()) {
            continue;
        }
        for (expr, engine, line) in &function.inside.statements {
            places += 1;
            let place = format!("{}:{line}", function.file);
            let engine = engine.or(match function.file {
                "backup/sqlite.rs" => Some(Engine::Sqlite),
                "backup/postgres.rs" => Some(Engine::Postgres),
                _ => None,
            });
            match sources.texts(expr, function, &Values::new()) {
                Ok(texts) => {
                    let only = [Text(String::new(), engine)];
                    for Text(text, engine) in joined(texts, &only) {
                        all.insert((text, engine), place.clone());
                    }
                }
                Err(why) => unknown.push(format!("{place}: {why}")),
            }
        }
    }
    assert!(unknown.is_empty(), "not evaluated:\n{}", unknown.join("\n"));
    // The parser does not look into macros.
    let own = |text: &str| text.split("mod tests {").next().unwrap_or_default().to_owned();
    let written = files
        .iter()
        .map(|(_, text)| own(text))
        .map(|text| text.matches(".sql(").count() + text.matches(".either(").count())
        .sum::<usize>();
    assert_eq!(places + PASSED_ON, written, "a statement stands where it is not found");
    (all, places)
}

/// Calls of `sql` in `sql` and `either` themselves.
const PASSED_ON: usize = 3;

const UNTYPED: &str = "could not determine data type of parameter";

async fn refused(db: &Db, text: &str) -> Option<String> {
    let text = AssertSqlSafe(text.to_owned()).into_sql_str();
    let outcome = match db {
        Db::Sqlite { write, .. } => write.prepare(text).await.map(drop),
        Db::Postgres(pool) => pool.prepare(text).await.map(drop),
    };
    match outcome {
        // The type of a parameter that is first compared with null comes from the value. PostgreSQL
        // looks for such parameters when all else is right.
        Err(sqlx::Error::Database(cause)) if cause.message().starts_with(UNTYPED) => None,
        Err(error) => Some(error.to_string()),
        Ok(()) => None,
    }
}

async fn check(db: &Db, engine: Engine) -> usize {
    db.migrate().await.expect("migrated");
    let (statements, _) = statements();
    let mut wrong = Vec::new();
    let mut prepared = 0;
    for ((text, only), place) in &statements {
        if only.is_some_and(|only| only != engine) {
            continue;
        }
        prepared += 1;
        if let Some(error) = refused(db, text).await {
            wrong.push(format!("{place}: {error}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{engine:?} refuses:\n{}", wrong.join("\n\n"));
    println!("{engine:?}: {prepared} statements");
    prepared
}

#[test]
fn statements_are_found() {
    let (statements, places) = statements();
    assert!(places > 450 && statements.len() > 450, "{places} places, {} texts", statements.len());
}

#[tokio::test]
async fn every_statement_is_valid_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}", folder.path().join("camp.db").display());
    let db = Db::open(&url).await.expect("a database");
    assert!(check(&db, Engine::Sqlite).await > 450);
    db.close().await;
}

#[tokio::test]
async fn every_statement_is_valid_on_postgres() {
    let server = std::env::var("CAMP_TEST_POSTGRES_URL")
        .expect("CAMP_TEST_POSTGRES_URL names no server; `just test` starts one for these tests");
    let name = format!("statements_{}", uuid::Uuid::now_v7().simple());
    let admin = Db::open(&server).await.expect("a server");
    let Db::Postgres(pool) = &admin else { panic!("{server} is no PostgreSQL") };
    let run = |text: String| AssertSqlSafe(text).into_sql_str();
    pool.execute(run(format!("create database {name}"))).await.expect("created");
    let (address, _) = server.rsplit_once('/').expect("an address");
    let db = Db::open(&format!("{address}/{name}")).await.expect("a database");
    assert!(check(&db, Engine::Postgres).await > 450);
    db.close().await;
    pool.execute(run(format!("drop database {name} with (force)"))).await.expect("dropped");
    admin.close().await;
}
