//! Reads what a database contains and whether it is intact, for backup copies and live databases.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::db::{On, Sql, Texts};
use crate::{Result, uploads};

/// What a backup records about its database.
pub(super) struct Facts {
    pub schema: i64,
    pub counts: BTreeMap<String, i64>,
    pub plans_off: i64,
    /// The names of the files that wait for their conversion.
    pub uploads: Vec<PathBuf>,
}

/// What is counted, and the table that must exist for it: older databases have fewer tables.
const COUNTED: &[(&str, &str, &str)] = &[
    ("families", "profiles", "select count(*) from profiles where deleted_at is null"),
    ("logins", "users", "select count(*) from users"),
    ("staff", "staff", "select count(*) from staff"),
    ("videos", "videos", "select count(*) from videos"),
    ("comments", "video_comments", "select count(*) from video_comments"),
    ("mails", "deliveries", "select count(*) from deliveries"),
    ("updates", "live_updates", "select count(*) from live_updates"),
    ("payments", "payments", "select count(*) from payments"),
    ("messages", "messages", "select count(*) from messages"),
    ("products", "products", "select count(*) from products"),
];

pub(super) async fn facts(on: impl Into<On<'_>>) -> Result<Facts> {
    let mut on = on.into();
    let tables = tables(on.again()).await?;
    let has = |table: &str| tables.iter().any(|(name,)| name == table);
    let mut counts = BTreeMap::new();
    for (what, table, query) in COUNTED.iter().filter(|(_, table, _)| has(table)) {
        debug_assert!(query.contains(table));
        counts.insert((*what).to_owned(), on.again().sql(*query).scalar().await?);
    }
    let plans_off = match has("payments") {
        true => plans_off(on.again()).await?,
        false => 0,
    };
    let uploads = match has("uploads") {
        true => uploads::unconverted(on.again()).await?,
        false => Vec::new(),
    };
    let schema = match has("_sqlx_migrations") {
        true => schema_of(on.again()).await?,
        false => 0,
    };
    Ok(Facts { schema, counts, plans_off, uploads })
}

/// Whether the database is in use: it has staff, a family or a video.
pub(super) fn has_data(facts: &Facts) -> bool {
    ["staff", "families", "logins", "videos"]
        .iter()
        .any(|what| facts.counts.get(*what).is_some_and(|count| *count > 0))
}

/// The number of the latest applied migration.
pub(crate) async fn schema_of(on: impl Into<On<'_>>) -> Result<i64> {
    on.into()
        .sql("select coalesce(max(version), 0) from _sqlx_migrations where success")
        .scalar()
        .await
}

/// Counts the payment plans that do not match their ledger.
pub(crate) async fn plans_off(on: impl Into<On<'_>>) -> Result<i64> {
    on.into()
        .sql(
            "select count(*) from payment_plans l
             where paid_amount <> (select coalesce(sum(amount), 0) from payments p
                                   where p.plan_id = l.id)",
        )
        .scalar()
        .await
}

async fn tables(on: On<'_>) -> Result<Vec<(String,)>> {
    on.either(Texts {
        sqlite: Sql::from("select name from sqlite_master where type = 'table'"),
        postgres: Sql::from(
            "select cast(table_name as text) from information_schema.tables
             where table_schema = 'public'",
        ),
    })
    .all()
    .await
}
