//! Triggers that give what families see a new version whenever it changes, by any statement and in
//! any process.
//!
//! They are made from the tables that the database has, after each migration. So a table or a column
//! that a migration adds belongs to the content unless it is named here, and rebuilding a table does not
//! lose its triggers.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::triggers::Triggers;
use super::{Db, Tx};
use crate::Result;

/// The tables that no public answer depends on. A test changes each column of each table and compares
/// cached answers with new ones.
const NOT_SHOWN: &[&str] = &[
    "profiles",
    "profile_addresses",
    "pending_addresses",
    "users",
    "staff",
    "former_staff",
    "staff_browsers",
    "recovery_codes",
    "sessions",
    "mail_tokens",
    "attempts",
    "kept_opt_outs",
    "former_addresses",
    "merged_identities",
    "family_imports",
    "family_import_rows",
    "form_requests",
    "video_views",
    "video_comments",
    "comment_reports",
    "faq_views",
    "faq_first",
    "notifications",
    "deliveries",
    "delivery_leases",
    "sent_mails",
    "mail_reports",
    "mail_event_tokens",
    "suppressed_addresses",
    "allowed_addresses",
    "unsubscribes",
    "subscribers",
    "subscriber_tokens",
    "messages",
    "message_replies",
    "letters",
    "payment_plans",
    "payments",
    "payment_requests",
    "audit_log",
    "events",
    "failed_jobs",
    "worker_beats",
    "tallies",
    "watchers",
];

/// The columns of [`NUMBERS`].
const VIDEO_NUMBERS: &[&str] = &["view_count", "like_count", "comment_count"];

/// Columns whose changes do not count. Numbers of views, likes and comments may be shown a second
/// late; names and passwords do not decide who gets mail; the rest is only for staff or for
/// workers, and often written.
const NOT_COUNTED: [(&str, &[&str]); 5] = [
    ("videos", VIDEO_NUMBERS),
    ("faq", &["view_count"]),
    ("users", &["password_hash", "full_name", "token_version", "updated_at", "last_sign_in_at"]),
    (
        "profiles",
        &[
            "full_name",
            "child_name",
            "search_text",
            "list_email",
            "list_standing",
            "list_paid",
            "version",
            "updated_at",
        ],
    ),
    ("uploads", &["progress", "problem", "log", "attempts", "claimed_until", "updated_at"]),
];

/// Tables of others: sqlx, apalis, SQLite.
fn is_ours(table: &str) -> bool {
    !["_", "sqlite_", "Jobs", "Workers", "content_versions"]
        .iter()
        .any(|name| table.starts_with(name))
}

/// The names of the versions: of what everybody sees, of what parents watched and like, of the numbers of
/// videos, and of who gets which mail.
pub(super) const CONTENT: &str = "content";
pub(super) const PERSONAL: &str = "personal";
pub(super) const NUMBERS: &str = "numbers";
pub(super) const PEOPLE: &str = "people";
const VERSIONS: [&str; 4] = [CONTENT, PERSONAL, NUMBERS, PEOPLE];

/// The tables of [`PERSONAL`].
const OF_PARENTS: [&str; 2] = ["video_likes", "video_positions"];

/// The tables of [`PEOPLE`].
const OF_PEOPLE: [&str; 6] = [
    "profiles",
    "profile_addresses",
    "users",
    "unsubscribes",
    "suppressed_addresses",
    "subscribers",
];

/// The version to which a table belongs.
fn version_of(table: &str) -> Option<&'static str> {
    match table {
        _ if OF_PEOPLE.contains(&table) => Some(PEOPLE),
        _ if OF_PARENTS.contains(&table) => Some(PERSONAL),
        _ if is_ours(table) && !NOT_SHOWN.contains(&table) => Some(CONTENT),
        _ => None,
    }
}

/// The prefix of the names of the triggers.
const PREFIX: &str = "content_";

impl Db {
    /// Removes the version and the triggers. PostgreSQL cannot alter a table while one of its
    /// triggers is waiting for the end of the transaction.
    pub(super) async fn end_content_versions(&self) -> Result<()> {
        if self.columns().await?.contains_key("content_versions") {
            let existing = self.triggers(PREFIX).await?;
            self.change_triggers(&existing, &Triggers::new()).await?;
        }
        Ok(())
    }

    /// Removes the version, then the `old` triggers, and makes the `new` ones. Nothing is cached
    /// without a version, so this need not be one transaction.
    async fn change_triggers(&self, old: &Triggers, new: &Triggers) -> Result<()> {
        let mut tx = self.begin().await?;
        tx.sql("delete from content_versions").execute().await?;
        if let Tx::Postgres(_) = tx
            && !new.is_empty()
        {
            tx.run(FUNCTION.to_owned()).await?;
        }
        tx.commit().await?;
        self.drop_triggers_apart(old).await?;
        self.make_triggers_apart(new).await
    }

    /// Makes the triggers and a version, unless they are as they should be.
    pub(super) async fn begin_content_versions(&self) -> Result<()> {
        let (wanted, existing) = (self.wanted_triggers().await?, self.triggers(PREFIX).await?);
        let versions: i64 = self.sql("select count(*) from content_versions").scalar().await?;
        if versions == VERSIONS.len() as i64 && wanted == existing {
            return Ok(());
        }
        self.change_triggers(&existing, &wanted).await?;
        let mut tx = self.begin().await?;
        for name in VERSIONS {
            tx.sql(
                "insert into content_versions (name, token) values ($1, $2)
                 on conflict (name) do update set token = excluded.token",
            )
            .bind(name)
            .bind(Uuid::new_v4())
            .execute()
            .await?;
        }
        tx.commit().await
    }

    /// The current version of who gets which mail: of families, users and addresses. Random. `None`
    /// if it cannot be determined.
    pub(crate) async fn version_of_people(&self) -> Result<Option<Uuid>> {
        let row: Option<(Uuid,)> = self
            .sql("select token from content_versions where name = $1")
            .bind(PEOPLE)
            .optional()
            .await?;
        Ok(row.map(|(token,)| token))
    }

    async fn wanted_triggers(&self) -> Result<Triggers> {
        let mut triggers = Triggers::new();
        for (table, columns) in self.columns().await? {
            let Some(version) = version_of(&table) else { continue };
            let left_out = NOT_COUNTED.iter().find(|(name, _)| *name == table);
            let left_out = left_out.map_or(&[][..], |(_, columns)| *columns);
            let counted = columns.iter().filter(|column| !left_out.contains(&&***column));
            let counted = counted.map(|column| format!("\"{column}\"")).collect::<Vec<_>>();
            let update = format!("update of {}", counted.join(", "));
            let all = format!("insert or delete or {update}");
            // SQLite has no trigger for several events.
            let events = match self {
                Db::Sqlite { .. } => {
                    vec![("_insert", "insert"), ("_delete", "delete"), ("_update", &update)]
                }
                Db::Postgres(_) => vec![("", all.as_str())],
            };
            for (name, event) in events {
                let name = format!("{PREFIX}{table}{name}");
                let text = self.trigger(&name, &table, event, version);
                triggers.insert(name, (table.clone(), text));
            }
        }
        let (name, table) = (format!("{PREFIX}numbers"), "videos");
        let update = format!("update of {}", VIDEO_NUMBERS.join(", "));
        let text = self.trigger(&name, table, &update, NUMBERS);
        triggers.insert(name, (table.to_owned(), text));
        Ok(triggers)
    }

    fn trigger(&self, name: &str, table: &str, event: &str, version: &str) -> String {
        match self {
            Db::Sqlite { .. } => format!(
                "CREATE TRIGGER {name} after {event} on \"{table}\" begin
                               update content_versions set token = randomblob(16)
                               where name = '{version}';
                             end"
            ),
            // This runs at the end of the transaction, because from then on other transactions that
            // change something wait for this one.
            Db::Postgres(_) => format!(
                "create constraint trigger {name}
                         after {event} on \"{table}\"
                         deferrable initially deferred
                         for each row execute function content_changed('{version}')"
            ),
        }
    }

    /// The columns of each table.
    async fn columns(&self) -> Result<BTreeMap<String, Vec<String>>> {
        let rows: Vec<(String, String)> = match self {
            Db::Sqlite { .. } => {
                self.sql(
                    "select t.name, c.name
                     from sqlite_master t
                     join pragma_table_info(t.name) c
                     where t.type = 'table'
                     order by t.name, c.cid",
                )
                .all()
                .await?
            }
            Db::Postgres(_) => {
                self.sql(
                    // The information schema says the same, but takes several times as long.
                    "select cast(t.relname as text), cast(c.attname as text)
                     from pg_class t
                     join pg_attribute c on c.attrelid = t.oid
                     where t.relnamespace = cast(current_schema() as regnamespace)
                       and t.relkind = 'r' and c.attnum > 0 and not c.attisdropped
                     order by t.relname, c.attnum",
                )
                .all()
                .await?
            }
        };
        let mut columns = BTreeMap::<String, Vec<String>>::new();
        for (table, column) in rows {
            columns.entry(table).or_default().push(column);
        }
        Ok(columns)
    }
}

/// Replaces the version once in a transaction. All rows are locked in one order, since a transaction may change
/// several, and another one the same.
const FUNCTION: &str =
    "create or replace function content_changed() returns trigger language plpgsql as $$
begin
    if exists (select 1 from content_versions
               where name = tg_argv[0] and xmin = cast(pg_current_xact_id() as xid)) then
        return null;
    end if;
    perform 1 from content_versions order by name for update;
    update content_versions set token = gen_random_uuid()
    where name = tg_argv[0];
    return null;
end
$$";
