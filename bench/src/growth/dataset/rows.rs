//! Inserts many rows at once, on either engine.

use chrono::{DateTime, NaiveDate, Utc};
use portal::db::Db;
use sqlx::{Postgres, QueryBuilder, Sqlite};
use uuid::Uuid;

pub enum Cell {
    Id(Uuid),
    Text(String),
    Int(i64),
    Bool(bool),
    At(DateTime<Utc>),
    Day(NaiveDate),
    Bytes(Vec<u8>),
    None,
}

/// The maximum number of rows of one statement on either engine.
const BATCH: usize = 500;

macro_rules! insert_into {
    ($pool:expr, $engine:ty, $into:expr, $rows:expr) => {{
        let mut tx = $pool.begin().await.expect("a transaction");
        let mut rows = $rows.peekable();
        while rows.peek().is_some() {
            let mut query = QueryBuilder::<$engine>::new($into);
            query.push_values(rows.by_ref().take(BATCH), |mut out, row| {
                for cell in row {
                    match cell {
                        Cell::Id(value) => out.push_bind(value),
                        Cell::Text(value) => out.push_bind(value),
                        Cell::Int(value) => out.push_bind(value),
                        Cell::Bool(value) => out.push_bind(value),
                        Cell::At(value) => out.push_bind(value),
                        Cell::Day(value) => out.push_bind(value),
                        Cell::Bytes(value) => out.push_bind(value),
                        Cell::None => out.push("null"),
                    };
                }
            });
            query.build().persistent(false).execute(&mut *tx).await.expect("rows");
        }
        tx.commit().await.expect("a commit");
    }};
}

pub async fn insert(db: &Db, into: &'static str, rows: impl Iterator<Item = Vec<Cell>>) {
    match db {
        Db::Sqlite { write, .. } => insert_into!(write, Sqlite, into, rows),
        Db::Postgres(pool) => insert_into!(pool, Postgres, into, rows),
    }
}

pub async fn run(db: &Db, sql: &'static str) {
    let done = match db {
        Db::Sqlite { write, .. } => sqlx::query(sql).execute(write).await.map(drop),
        Db::Postgres(pool) => sqlx::query(sql).execute(pool).await.map(drop),
    };
    done.expect("the statement works");
}
