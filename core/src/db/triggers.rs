//! Triggers that the program makes, because each engine has its own language for them.

use std::collections::BTreeMap;

use sqlx::AssertSqlSafe;

use super::{Db, Tx};
use crate::Result;

/// The name of each trigger, and its table and text.
pub(super) type Triggers = BTreeMap<String, (String, String)>;

impl Db {
    /// The triggers whose names begin like this, as [`Tx::make_triggers`] made them.
    pub(super) async fn triggers(&self, prefix: &'static str) -> Result<Triggers> {
        let query = match self {
            Db::Sqlite { .. } => self.sql(
                "select name, tbl_name, sql from sqlite_master
                 where type = 'trigger' and substr(name, 1, length($1)) = $1",
            ),
            Db::Postgres(_) => self.sql(
                "select cast(t.tgname as text), cast(c.relname as text),
                   coalesce(obj_description(t.oid, 'pg_trigger'), '')
                 from pg_trigger t
                 join pg_class c on c.oid = t.tgrelid
                 where c.relnamespace = cast(current_schema() as regnamespace)
                   and not t.tgisinternal and starts_with(cast(t.tgname as text), $1)",
            ),
        };
        let rows: Vec<(String, String, String)> = query.bind(prefix).all().await?;
        Ok(rows.into_iter().map(|(name, table, text)| (name, (table, text))).collect())
    }

    /// Drops triggers that need not go together. See [`Db::apart`].
    pub(super) async fn drop_triggers_apart(&self, triggers: &Triggers) -> Result<()> {
        for some in self.apart(triggers) {
            let mut tx = self.begin().await?;
            tx.drop_triggers(&some).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Makes triggers that need not come together. See [`Db::apart`].
    pub(super) async fn make_triggers_apart(&self, triggers: &Triggers) -> Result<()> {
        for some in self.apart(triggers) {
            let mut tx = self.begin().await?;
            tx.make_triggers(&some).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// On PostgreSQL, each trigger apart: its transaction locks one table, while an earlier program
    /// that still serves locks several in its own order. SQLite writes one transaction after the
    /// other, so all go together there.
    fn apart(&self, triggers: &Triggers) -> Vec<Triggers> {
        match self {
            Db::Sqlite { .. } => vec![triggers.clone()],
            Db::Postgres(_) => {
                let one = |(name, what): (&String, &_)| {
                    Triggers::from([(name.clone(), Clone::clone(what))])
                };
                triggers.iter().map(one).collect()
            }
        }
    }
}

impl Tx {
    /// Makes triggers. On PostgreSQL, which stores texts in another form, they are kept as comments.
    pub(super) async fn make_triggers(&mut self, triggers: &Triggers) -> Result<()> {
        for (name, (table, text)) in triggers {
            self.run(text.clone()).await?;
            if let Tx::Postgres(_) = self {
                let quoted = text.replace('\'', "''");
                self.run(format!("comment on trigger {name} on \"{table}\" is '{quoted}'")).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn drop_triggers(&mut self, triggers: &Triggers) -> Result<()> {
        for (name, (table, _)) in triggers {
            let text = match self {
                Tx::Sqlite(_) => format!("drop trigger {name}"),
                Tx::Postgres(_) => format!("drop trigger {name} on \"{table}\""),
            };
            self.run(text).await?;
        }
        Ok(())
    }

    /// Runs a text that consists of names of the schema.
    pub(super) async fn run(&mut self, text: String) -> Result<()> {
        let text = sqlx::raw_sql(AssertSqlSafe(text));
        match self {
            Tx::Sqlite(open) => text.execute(&mut **open).await.map(drop)?,
            Tx::Postgres(open) => text.execute(&mut **open).await.map(drop)?,
        }
        Ok(())
    }
}
