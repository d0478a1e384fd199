//! Sums over many rows, which triggers keep up to date whatever statement changes a row, in
//! whatever process. This way, the staff's pages read a few sums instead of all views, comments and
//! families.
//!
//! A sum is stored in parts: on PostgreSQL each change is a row of its own, so that no transaction waits
//! for another one that counts the same, and the cleanup of the worker adds them up. Read them with
//! `sum(total)`.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use uuid::Uuid;

use super::triggers::Triggers;
use super::{Db, On, Tx};
use crate::Result;

/// What is summed up. The expressions name the columns of a row as `row.column`.
struct Tally {
    name: &'static str,
    table: &'static str,
    /// The rows that count.
    counts: &'static str,
    place: Place,
    kind: &'static str,
    subject: Option<&'static str>,
    amount: &'static str,
}

#[derive(Clone, Copy)]
enum Place {
    Of(&'static str),
    /// The hours since 1970 of a time.
    Hour(&'static str),
    /// The days since 1970 of a date, see [`day_place`].
    Day(&'static str),
}

impl Tally {
    /// The columns that the expressions name.
    fn columns(&self) -> Vec<&'static str> {
        let (Place::Of(place) | Place::Hour(place) | Place::Day(place)) = self.place;
        let all = [self.counts, place, self.kind, self.subject.unwrap_or_default(), self.amount];
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = |text: &'static str| text.split(|letter| !is_of_name(letter)).next();
        let columns: BTreeSet<_> =
            all.into_iter().flat_map(|text| text.split("row.").skip(1).filter_map(name)).collect();
        columns.into_iter().collect()
    }
}

const ONE_FOR_EACH: Tally = Tally {
    name: "",
    table: "",
    counts: "1 = 1",
    place: Place::Of("0"),
    kind: "''",
    subject: None,
    amount: "1",
};

const TALLIES: &[Tally] = &[
    Tally {
        name: "views",
        table: "video_views",
        place: Place::Of("row.hour"),
        kind: "row.device",
        ..ONE_FOR_EACH
    },
    Tally {
        name: "views_of_videos",
        table: "video_views",
        place: Place::Of("row.hour"),
        subject: Some("row.video_id"),
        ..ONE_FOR_EACH
    },
    Tally {
        name: "likes",
        table: "video_likes",
        place: Place::Hour("row.created_at"),
        ..ONE_FOR_EACH
    },
    // Counts the comments that are not hidden.
    Tally {
        name: "comments",
        table: "video_comments",
        counts: "row.hidden_at is null",
        place: Place::Hour("row.created_at"),
        ..ONE_FOR_EACH
    },
    Tally {
        name: "comment_states",
        table: "video_comments",
        kind: "case when row.held_at is null then '' else 'held ' end
                 || case when row.hidden_at is null then 'visible ' else 'hidden ' end
                 || case when row.reported_at is null then '' else 'reported ' end",
        ..ONE_FOR_EACH
    },
    Tally { name: "users", table: "users", ..ONE_FOR_EACH },
    Tally { name: "members", table: "users", place: Place::Hour("row.created_at"), ..ONE_FOR_EACH },
    Tally {
        name: "families",
        table: "profiles",
        counts: "row.deleted_at is null",
        place: Place::Of("row.list_standing"),
        kind: "case when row.user_type = 'parent' then 'parent' else 'visitor' end",
        ..ONE_FOR_EACH
    },
    Tally {
        name: "families_to_approve",
        table: "profiles",
        counts: "row.deleted_at is null and row.approved_at is null and row.refused_at is null
                 and row.user_type = 'parent'",
        ..ONE_FOR_EACH
    },
    Tally {
        name: "messages",
        table: "messages",
        kind: "case when row.spam then 'spam' else row.status end",
        ..ONE_FOR_EACH
    },
    // Cents.
    Tally { name: "paid", table: "payment_plans", amount: "row.paid_amount", ..ONE_FOR_EACH },
    // Cents, of all ledgers.
    Tally {
        name: "payments",
        table: "payments",
        place: Place::Day("row.payment_date"),
        kind: "row.kind",
        amount: "row.amount",
        ..ONE_FOR_EACH
    },
    Tally {
        name: "payment_entries",
        table: "payments",
        place: Place::Day("row.payment_date"),
        kind: "row.kind",
        ..ONE_FOR_EACH
    },
    Tally {
        name: "videos",
        table: "videos",
        place: Place::Of("row.year"),
        kind: "row.status",
        ..ONE_FOR_EACH
    },
    // By the hour of the failure and the notification. Mails within a digest failed with it.
    Tally {
        name: "failed_mails",
        table: "deliveries",
        counts: "row.status = 'failed' and row.digest_id is null",
        place: Place::Hour("row.updated_at"),
        subject: Some("row.notification_id"),
        ..ONE_FOR_EACH
    },
];

/// The prefix of the names of the triggers and of their functions.
const PREFIX: &str = "tally_";

impl Db {
    /// Removes the triggers. PostgreSQL does not change the type of a column that a trigger names.
    pub(super) async fn end_tallies(&self) -> Result<()> {
        let existing = self.triggers(PREFIX).await?;
        self.drop_triggers_apart(&existing).await
    }

    /// Makes the triggers and sums up all rows, unless the triggers are as they should be.
    pub(super) async fn begin_tallies(&self) -> Result<()> {
        let (wanted, existing) = (self.wanted_tallies(), self.triggers(PREFIX).await?);
        let definition = self.definition_to_cluster().await?;
        if wanted == existing && definition.is_none() {
            return Ok(());
        }
        self.drop_triggers_apart(&existing).await?;
        let mut tx = self.begin().await?;
        if let Some(definition) = definition {
            tx.run(format!("drop table tallies; {definition} without rowid")).await?;
        }
        tx.run("delete from tallies".to_owned()).await?;
        for table in tables() {
            // One table at a time, as in `Db::apart`.
            if let Tx::Postgres(_) = tx {
                tx.commit().await?;
                tx = self.begin().await?;
            }
            let of_table = wanted.iter().filter(|(_, (of, _))| of == table);
            // From here on, nobody else can change this table until the end of the transaction.
            tx.make_triggers(&of_table.map(|(name, what)| (name.clone(), what.clone())).collect())
                .await?;
            self.sum_up(&mut tx, table).await?;
        }
        tx.commit().await
    }

    /// The table's definition if SQLite does not store it in the order of its key, where sums over
    /// an hour or a summer read consecutive rows. Migrations, which are the same for both engines,
    /// cannot say this.
    async fn definition_to_cluster(&self) -> Result<Option<String>> {
        let Db::Sqlite { .. } = self else { return Ok(None) };
        let found: Option<(String,)> = self
            .sql(
                "select s.sql from sqlite_master s
                 join pragma_table_list l on l.schema = 'main' and l.name = s.name
                 where s.type = 'table' and s.name = 'tallies' and l.wr = 0",
            )
            .optional()
            .await?;
        Ok(found.map(|(definition,)| definition))
    }

    /// Sums up all rows again if [`Db::wrong_tallies`] finds a wrong tally. Returns the names of
    /// those that were wrong.
    pub async fn repair_tallies(&self) -> Result<Vec<&'static str>> {
        let wrong = self.wrong_tallies().await?;
        if !wrong.is_empty() {
            let mut tx = self.begin().await?;
            if let Tx::Postgres(_) = tx {
                let tables = tables().into_iter().collect::<Vec<_>>().join(", ");
                tx.run(format!("lock table {tables} in share row exclusive mode")).await?;
            }
            tx.run("delete from tallies".to_owned()).await?;
            for table in tables() {
                self.sum_up(&mut tx, table).await?;
            }
            tx.commit().await?;
        }
        Ok(wrong)
    }

    /// Sums up all rows of a table that nobody else can change meanwhile.
    async fn sum_up(&self, tx: &mut Tx, table: &str) -> Result<()> {
        for tally in TALLIES.iter().filter(|tally| tally.table == table) {
            let text = self.change(tally, "t", "", &format!("from {table} t"));
            tx.run(text).await?;
        }
        Ok(())
    }

    /// Adds up the parts of each sum, and removes sums of nothing.
    pub async fn add_up_tallies(&self) -> Result<()> {
        let mut tx = self.begin().await?;
        if let Tx::Postgres(_) = tx {
            tx.sql(
                "with parts as (delete from tallies where part <> 0
                                returning name, place, kind, subject, total)
                 insert into tallies (name, place, kind, subject, part, total)
                 select name, place, kind, subject, 0, cast(sum(total) as bigint) from parts
                 group by name, place, kind, subject
                 order by name, place, kind, subject
                 on conflict (name, place, kind, subject, part)
                   do update set total = tallies.total + excluded.total",
            )
            .execute()
            .await?;
        }
        tx.sql("delete from tallies where part = 0 and total = 0").execute().await?;
        tx.commit().await
    }

    /// Returns the names of tallies that are not the sum of their rows, which never happens unless
    /// somebody turned triggers off.
    pub async fn wrong_tallies(&self) -> Result<Vec<&'static str>> {
        let mut wrong = Vec::new();
        let mut tx = self.snapshot().await?;
        for tally in TALLIES {
            let [place, kind, subject] = self.keys(tally, "t");
            let text = format!(
                "select count(*) from (
                   select 1 as wrong
                   from (select {place} as place, {kind} as kind, {subject} as subject,
                           {} as amount
                         from {} t where {}
                         union all
                         select place, kind, subject, -total from tallies where name = $1) x
                   group by place, kind, subject
                   having sum(amount) <> 0) y",
                of_row(tally.amount, "t"),
                tally.table,
                of_row(tally.counts, "t"),
            );
            let differences: i64 =
                On::from(&mut tx).of_schema(text).bind(tally.name).scalar().await?;
            if differences > 0 {
                wrong.push(tally.name);
            }
        }
        Ok(wrong)
    }

    fn wanted_tallies(&self) -> Triggers {
        let mut triggers = Triggers::new();
        for tally in TALLIES {
            for event in ["insert", "update", "delete"] {
                if event == "update" && tally.columns().is_empty() {
                    continue;
                }
                let name = format!("{PREFIX}{}_{event}", tally.name);
                let text = self.tally_trigger(tally, &name, event);
                triggers.insert(name, (tally.table.to_owned(), text));
            }
        }
        triggers
    }

    fn tally_trigger(&self, tally: &Tally, name: &str, event: &str) -> String {
        let table = tally.table;
        let counts = |row| format!("({})", of_row(tally.counts, row));
        let update = format!("update of {}", tally.columns().join(", "));
        let (event, when) = match event {
            "insert" => ("insert", counts("new")),
            "delete" => ("delete", counts("old")),
            _ => (&*update, format!("({} or {})", counts("old"), counts("new"))),
        };
        let (less, more) = ("-", "");
        match self {
            Db::Sqlite { .. } => {
                let steps = match event {
                    "insert" => self.change(tally, "new", more, ""),
                    "delete" => self.change(tally, "old", less, ""),
                    _ => self.change(tally, "old", less, "") + &self.change(tally, "new", more, ""),
                };
                format!(
                    "CREATE TRIGGER {name} after {event} on \"{table}\" when {when} begin {steps} end"
                )
            }
            Db::Postgres(_) => {
                // Handles all rows of a statement at once, such as the views of a video that is
                // deleted. Updates are handled row by row, because otherwise PostgreSQL does not
                // tell which columns they change.
                let (rows, steps) = match event {
                    "insert" => (
                        "referencing new table as changed for each statement".to_owned(),
                        self.change(tally, "t", more, "from changed t"),
                    ),
                    "delete" => (
                        "referencing old table as changed for each statement".to_owned(),
                        self.change(tally, "t", less, "from changed t"),
                    ),
                    _ => (
                        format!("for each row when {when}"),
                        self.change(tally, "old", less, "") + &self.change(tally, "new", more, ""),
                    ),
                };
                format!(
                    "create or replace function {name}() returns trigger language plpgsql as
                     $$ begin {steps} return null; end $$;
                     create trigger {name} after {event} on \"{table}\"
                     {rows} execute function {name}()"
                )
            }
        }
    }

    /// The statement that adds or takes away a row, or all rows of a table `t`, if they count.
    fn change(&self, tally: &Tally, row: &str, sign: &str, from: &str) -> String {
        let [place, kind, subject] = self.keys(tally, row);
        let part = match self {
            Db::Sqlite { .. } => "0",
            // The many statements of one transaction must not change one row again and again, which
            // PostgreSQL keeps in all its versions until the transaction ends.
            Db::Postgres(_) => "cast(random() * 9000000000000000000 as bigint) + 1",
        };
        format!(
            "insert into tallies (name, place, kind, subject, part, total)
             select '{}', x.place, x.kind, x.subject, {part}, {sign}cast(sum(x.amount) as bigint)
             from (select {place} as place, {kind} as kind, {subject} as subject, {} as amount
                   {from}
                   where {}) x
             group by x.place, x.kind, x.subject
             on conflict (name, place, kind, subject, part)
               do update set total = tallies.total + excluded.total; ",
            tally.name,
            of_row(tally.amount, row),
            of_row(tally.counts, row),
        )
    }

    /// The place, the kind and the subject of a row.
    fn keys(&self, tally: &Tally, row: &str) -> [String; 3] {
        let nobody = Uuid::nil();
        let (hour, day, nobody) = match self {
            Db::Sqlite { .. } => (
                ["unixepoch(", ") / 3600"],
                ["unixepoch(", ") / 86400"],
                format!("unhex('{}')", nobody.simple()),
            ),
            Db::Postgres(_) => (
                ["cast(floor(extract(epoch from ", ") / 3600) as bigint)"],
                ["cast(", " - date '1970-01-01' as bigint)"],
                format!("cast('{nobody}' as uuid)"),
            ),
        };
        let place = match tally.place {
            Place::Of(place) => of_row(place, row),
            Place::Hour(time) => hour.join(&of_row(time, row)),
            Place::Day(date) => day.join(&of_row(date, row)),
        };
        let subject = tally.subject.map_or(nobody, |subject| of_row(subject, row));
        [place, of_row(tally.kind, row), subject]
    }
}

/// The place of the sums of a day: the days since 1970.
pub(crate) fn day_place(day: NaiveDate) -> i64 {
    day.signed_duration_since(NaiveDate::default()).num_days()
}

/// The tables whose rows are summed up.
fn tables() -> BTreeSet<&'static str> {
    TALLIES.iter().map(|tally| tally.table).collect()
}

/// An expression over the columns of the row of that name.
fn of_row(expression: &str, row: &str) -> String {
    expression.replace("row.", &format!("{row}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sqlite_stores_sums_in_the_order_of_their_key_also_those_of_an_older_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("camp.db").display());
        let db = Db::open(&url).await.expect("a database");
        db.migrate().await.expect("migrated");
        assert_eq!(db.definition_to_cluster().await.expect("told"), None);

        let mut tx = db.begin().await.expect("a transaction");
        tx.run(
            "insert into profiles (id, full_name, child_name, user_type, origin, email_notifications,
               daily_video_email, camp_updates_email, welcome_popup_shown, search_text, version,
               created_at, updated_at)
             values (x'01920000000070008000000000000001', 'Lake', '', 'visitor', 'self', true, true,
               true, true, 'lake', 1, '2026-07-01 00:00:00+00:00', '2026-07-01 00:00:00+00:00');
             drop table tallies;
             create table tallies (name text not null, place bigint not null, kind text not null,
               subject uuid not null, part bigint not null, total bigint not null,
               primary key (name, place, kind, subject, part))"
                .to_owned(),
        )
        .await
        .expect("as an older version left it");
        tx.commit().await.expect("committed");
        assert!(db.definition_to_cluster().await.expect("told").is_some());

        db.migrate().await.expect("migrated");
        assert_eq!(db.definition_to_cluster().await.expect("told"), None);
        assert_eq!(db.wrong_tallies().await.expect("told"), Vec::<&str>::new());
        let families: i64 = db
            .sql("select total from tallies where name = 'families'")
            .scalar()
            .await
            .expect("a sum");
        assert_eq!(families, 1);
        db.close().await;
    }
}
