//! Every change to what families see invalidates cached responses, and nothing else does.

use std::time::{Duration, Instant};

use axum::http::Method;
use chrono::{NaiveDate, TimeDelta};
use portal::db::Db;
use portal::db::content::Versions;
use portal::seed::{self, Sample};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, query, query_as};

use crate::camp::{Camp, PASSWORD, Reply};
use crate::videos;

/// The paths that strangers may request.
const PATHS: [&str; 12] = [
    "/api/videos",
    "/api/videos?collection=current&sort=popular&limit=60",
    "/api/videos/years",
    "/api/live-updates",
    "/api/faq",
    "/api/site",
    "/api/store",
    "/feed.xml",
    "/sitemap.xml",
    "/",
    "/current-videos",
    "/store",
];

/// The only columns whose changes may appear late.
const COUNTS: [(&str, &str); 3] =
    [("videos", "view_count"), ("videos", "like_count"), ("videos", "comment_count")];

/// Runs SQL made of schema names. Returns whether the database accepts it.
async fn run(db: &Db, text: &str) -> bool {
    let text = AssertSqlSafe(text.to_owned());
    match db {
        Db::Sqlite { write, .. } => query(text).execute(write).await.is_ok(),
        Db::Postgres(pool) => query(text).execute(pool).await.is_ok(),
    }
}

/// Sets a column in all rows. Returns whether the database accepts any of the values.
async fn change(camp: &Camp, table: &str, column: &str, kind: &str) -> bool {
    let db = &camp.app.db;
    let set = |value: &str| format!("update \"{table}\" set \"{column}\" = {value}");
    if kind.starts_with("timestamp") || kind == "date" {
        let (now, day) = (camp.now() - TimeDelta::days(1), NaiveDate::from_ymd_opt(2026, 7, 1));
        let text = AssertSqlSafe(set("$1"));
        return match (db, kind) {
            (Db::Sqlite { write, .. }, "date") => {
                query(text).bind(day).execute(write).await.is_ok()
            }
            (Db::Sqlite { write, .. }, _) => query(text).bind(now).execute(write).await.is_ok(),
            (Db::Postgres(pool), "date") => query(text).bind(day).execute(pool).await.is_ok(),
            (Db::Postgres(pool), _) => query(text).bind(now).execute(pool).await.is_ok(),
        };
    }
    let quoted = format!("\"{column}\"");
    let values = match kind {
        "text" => vec![
            format!("{quoted} || 'x'"),
            format!("(select max({quoted}) from \"{table}\")"),
            format!("(select min({quoted}) from \"{table}\")"),
            "null".to_owned(),
        ],
        "bigint" => vec![format!("{quoted} + 1"), format!("{quoted} - 1")],
        "boolean" => vec![format!("not {quoted}")],
        _ => vec!["null".to_owned()],
    };
    for value in values {
        if run(db, &set(&value)).await {
            return true;
        }
    }
    false
}

/// The tables with their columns and types.
async fn columns(db: &Db) -> Vec<(String, Vec<(String, String)>)> {
    let rows: Vec<(String, String, String)> = match db {
        Db::Sqlite { write, .. } => query_as(
            "select t.name, c.name, c.type from sqlite_master t join pragma_table_info(t.name) c
                 where t.type = 'table' and t.name not in ('Jobs', 'Workers')
                   and substr(t.name, 1, 1) <> '_' and t.name not like 'sqlite%'
                 order by t.name, c.cid",
        )
        .fetch_all(write)
        .await,
        Db::Postgres(pool) => query_as(
            "select cast(table_name as text), cast(column_name as text), cast(data_type as text)
                 from information_schema.columns
                 where table_schema = 'public' and left(table_name, 1) <> '_'
                 order by table_name, ordinal_position",
        )
        .fetch_all(pool)
        .await,
    }
    .expect("the schema");
    let mut tables: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for (table, column, kind) in rows.into_iter().filter(|(table, ..)| table != "content_versions")
    {
        match tables.last_mut() {
            Some((last, columns)) if *last == table => columns.push((column, kind)),
            _ => tables.push((table, vec![(column, kind)])),
        }
    }
    tables
}

/// What a new process, whose cache is empty, answers to a stranger.
async fn shown(camp: &Camp) -> Vec<(String, u16, String)> {
    let camp = camp.beside().await;
    let stranger = camp.browser();
    let video = stranger.get("/api/videos?limit=1").await.json()["items"][0]["id"].clone();
    let mut paths: Vec<String> = PATHS.map(str::to_owned).into();
    if let Some(video) = video.as_str() {
        paths.extend([format!("/api/videos/{video}"), format!("/video/{video}")]);
    }
    let mut shown = Vec::new();
    for path in paths {
        let reply = stranger.send(Method::GET, &path, Some(Value::Null), &[]).await;
        shown.push((path, reply.status.as_u16(), body(&reply)));
    }
    camp.app.db.close().await;
    shown
}

fn body(reply: &Reply) -> String {
    match reply.status.as_u16() {
        200 => reply.text(),
        status => status.to_string(),
    }
}

/// This table only sums up the others, and on SQLite it has no rowid.
const SUMS: &str = "tallies";

/// Copies a table, so that its columns can be restored.
async fn save(db: &Db, table: &str) {
    if table == SUMS {
        return;
    }
    if let Db::Postgres(_) = db {
        let numbered = format!(
            "alter table \"{table}\" add column row_number bigint generated always as identity"
        );
        assert!(run(db, &numbered).await, "{table}");
    }
    let row = if db.engine() == "sqlite" { ", rowid as row_number" } else { "" };
    assert!(run(db, "drop table if exists _saved").await);
    assert!(
        run(db, &format!("create table _saved as select *{row} from \"{table}\"")).await,
        "{table}"
    );
    assert!(run(db, "create unique index _saved_rows on _saved (row_number)").await);
}

async fn put_back(db: &Db, table: &str, column: &str) {
    if table == SUMS {
        db.repair_tallies().await.expect("summed up again");
        return;
    }
    let row = if db.engine() == "sqlite" { "rowid" } else { "row_number" };
    let text = format!(
        "update \"{table}\" set \"{column}\" =
           (select s.\"{column}\" from _saved s where s.row_number = \"{table}\".{row})"
    );
    assert!(run(db, &text).await, "{text}");
}

async fn sample(camp: &Camp) {
    camp.set_clock("2026-07-28T12:00:00Z");
    let as_of = camp.now();
    let options =
        seed::Options { sample: Sample::Yiddish, seed: 7, as_of, password: Some(PASSWORD.into()) };
    seed::generate(&camp.app, &options).await.expect("a sample camp");
}

story! {
    async fn what_does_not_end_the_cached_responses_is_not_shown(camp) {
        sample(&camp).await;
        let db = camp.app.db.clone();
        let versions = Versions::of(&camp.beside().await.app.db);
        let content = async || versions.current().await.expect("a version").content;
        let (mut tried, mut quiet) = (0, 0);
        for (table, columns) in columns(&db).await {
            save(&db, &table).await;
            let before = shown(&camp).await;
            let mut changed = Vec::new();
            for (column, kind) in &columns {
                let version = content().await;
                if COUNTS.contains(&(table.as_str(), column.as_str())) || !change(&camp, &table, column, kind).await {
                    continue;
                }
                tried += 1;
                if content().await == version {
                    changed.push(column);
                } else {
                    put_back(&db, &table, column).await;
                }
            }
            quiet += changed.len();
            assert_eq!(shown(&camp).await, before, "{table}: {changed:?} are shown, but end nothing");
            for column in changed {
                put_back(&db, &table, column).await;
            }
            let wrong = db.wrong_tallies().await.expect("tallies");
            assert!(wrong.is_empty(), "{table}: whatever statement changes a row changes its sums: {wrong:?}");
        }
        println!("{}: {tried} columns, of which {quiet} end nothing", db.engine());
        assert!(tried > 200 && quiet > 100, "{tried} {quiet}");
        for (table, _) in columns(&db).await.into_iter().filter(|(table, _)| table != SUMS) {
            let (version, before) = (content().await, shown(&camp).await);
            if run(&db, &format!("delete from \"{table}\"")).await && content().await == version {
                assert_eq!(shown(&camp).await, before, "{table}");
            }
        }
    }
}

story! {
    async fn a_table_that_lost_its_trigger_would_be_noticed(camp) {
        let db = camp.app.db.clone();
        let versions = Versions::of(&db);
        let question = async || {
            let (version, before) = (versions.current().await.expect("a version"), shown(&camp).await);
            assert!(change(&camp, "faq", "question", "text").await);
            let is_other = versions.current().await != Some(version);
            (is_other, shown(&camp).await != before)
        };
        assert_eq!(question().await, (true, true));
        let drop = match &db {
            Db::Sqlite { .. } => "drop trigger content_faq_update",
            Db::Postgres(_) => "drop trigger content_faq on faq",
        };
        assert!(run(&db, drop).await);
        assert_eq!(question().await, (false, true), "this is what the other test finds");
    }
}

story! {
    async fn counts_of_a_cached_response_are_at_most_a_second_old_and_do_not_end_it(camp) {
        camp.set_clock("2026-07-28T12:00:00Z");
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let lake = videos::posted(&staff, "Lake", json!({})).await;
        let path = format!("/api/videos/{}", videos::id(&lake));
        let stranger = camp.browser();
        let mut liked = 0;
        let is_kept = loop {
            camp.wait(TimeDelta::seconds(2));
            let began = Instant::now();
            let before = stranger.get(&path).await.expect(200).json();
            assert_eq!(before["like_count"], liked);
            let like = format!("{path}/like");
            let reply = if liked == 0 { chaya.put(&like).await } else { chaya.delete(&like).await };
            reply.expect(200);
            chaya.post(&format!("{path}/comments"), json!({ "content": "There he is!" })).await.expect(201);
            camp.browser().post(&format!("{path}/views"), json!({})).await.expect(204);
            camp.write_views().await;
            camp.work().await;
            let after = stranger.get(&path).await.expect(200).json();
            liked = 1 - liked;
            if began.elapsed() < Duration::from_secs(1) {
                break after == before;
            }
        };
        assert!(is_kept, "the response is sent again");
        camp.wait(TimeDelta::seconds(1));
        let after = stranger.get(&path).await.expect(200).json();
        assert_eq!(after["like_count"], liked);
        assert!(after["view_count"].as_i64() > Some(0) && after["comment_count"].as_i64() > Some(0), "{after}");
    }
}
