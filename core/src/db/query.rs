//! Statements: static texts with bound values, in or outside a transaction, and the rows they return.

use std::borrow::Cow;

use futures_util::future::{BoxFuture, Either};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Encode, FromRow, Postgres, SqlSafeStr, SqlStr, Sqlite, Type};
use uuid::Uuid;

use super::transaction::in_time;
use super::{Db, Dedicated, Tx};
use crate::{Error, Result};

/// A value that can be bound on both engines.
pub trait Value:
    for<'q> Encode<'q, Sqlite> + Type<Sqlite> + for<'q> Encode<'q, Postgres> + Type<Postgres> + Send
{
}
impl<T> Value for T where
    T: for<'q> Encode<'q, Sqlite>
        + Type<Sqlite>
        + for<'q> Encode<'q, Postgres>
        + Type<Postgres>
        + Send
{
}

/// A row that can be read from both engines.
pub trait Row:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}
impl<T> Row for T where
    T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}

/// Where a query runs: on a pool (reads), in a transaction, or on a dedicated connection.
pub enum On<'c> {
    Db(&'c Db),
    Tx(&'c mut Tx),
    Dedicated(&'c mut Dedicated),
}

impl<'c> From<&'c Db> for On<'c> {
    fn from(db: &'c Db) -> Self {
        On::Db(db)
    }
}

impl<'c> From<&'c mut Tx> for On<'c> {
    fn from(tx: &'c mut Tx) -> Self {
        On::Tx(tx)
    }
}

impl<'c> On<'c> {
    pub(crate) fn sql(self, text: impl Into<Sql>) -> Query<'c> {
        self.query(text.into())
    }

    /// Creates a statement made of names and expressions of the schema.
    pub(super) fn of_schema(self, text: String) -> Query<'c> {
        self.query(Sql(Cow::Owned(text)))
    }

    fn query(self, text: Sql) -> Query<'c> {
        let args = match self.is_sqlite() {
            true => Args::Sqlite(Default::default()),
            false => Args::Postgres(Default::default()),
        };
        Query { on: self, text, args, wrong: None }
    }

    /// Borrows the same target again, for a function that runs several queries.
    pub(crate) fn again(&mut self) -> On<'_> {
        match self {
            On::Db(db) => On::Db(db),
            On::Tx(tx) => On::Tx(tx),
            On::Dedicated(dedicated) => On::Dedicated(dedicated),
        }
    }

    /// Selects the text for the engine in use, where the engines differ.
    pub(crate) fn either(self, texts: Texts) -> Query<'c> {
        let text = if self.is_sqlite() { texts.sqlite } else { texts.postgres };
        self.sql(text)
    }

    fn is_sqlite(&self) -> bool {
        matches!(
            self,
            On::Db(Db::Sqlite { .. }) | On::Tx(Tx::Sqlite(_)) | On::Dedicated(Dedicated::Sqlite(_))
        )
    }
}

/// The text of a statement. It consists of static parts only, so that no input can become SQL.
pub(crate) struct Sql(Cow<'static, str>);

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Sql {
        Sql(Cow::Borrowed(text))
    }
}

impl<const PARTS: usize> From<[&'static str; PARTS]> for Sql {
    fn from(parts: [&'static str; PARTS]) -> Sql {
        Sql(Cow::Owned(parts.concat()))
    }
}

impl Sql {
    /// Appends more of the statement.
    pub(crate) fn and(self, rest: impl Into<Sql>) -> Sql {
        Sql(self.0 + rest.into().0)
    }

    fn safe(self) -> SqlStr {
        match self.0 {
            Cow::Borrowed(text) => text.into_sql_str(),
            Cow::Owned(text) => AssertSqlSafe(text).into_sql_str(),
        }
    }
}

/// One statement in the dialects of both engines.
pub(crate) struct Texts {
    pub sqlite: Sql,
    pub postgres: Sql,
}

/// A statement that looks up many ids at once. They stand as `(ids)` between `before` and `after`,
/// and are bound as the single value `list` by [`Query::bind_ids`].
pub(crate) fn with_ids<const PARTS: usize>(
    before: [&'static str; PARTS],
    list: &'static str,
    after: &'static str,
) -> Texts {
    let sqlite = [SQLITE_IDS, list, "))", after];
    let postgres = [POSTGRES_IDS, list, " as jsonb)))", after];
    Texts { sqlite: Sql::from(before).and(sqlite), postgres: Sql::from(before).and(postgres) }
}

/// The beginning of `(ids)`.
pub(super) const SQLITE_IDS: &str = "(select unhex(value) from json_each(";
pub(super) const POSTGRES_IDS: &str =
    "(select cast(value as uuid) from jsonb_array_elements_text(cast(";

enum Args {
    Sqlite(SqliteArguments),
    Postgres(PgArguments),
}

/// A statement with its values, bound in order to the `$1` placeholders.
#[must_use]
pub(crate) struct Query<'c> {
    on: On<'c>,
    text: Sql,
    args: Args,
    wrong: Option<sqlx::Error>,
}

/// Raw rows of either engine. Their types are read later, so that the database code is compiled
/// once and not for every type.
pub(super) enum Rows {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

impl Rows {
    pub(super) fn read<T: Row>(self) -> Result<Vec<T>> {
        Ok(match self {
            Rows::Sqlite(rows) => rows.iter().map(T::from_row).collect::<sqlx::Result<_>>()?,
            Rows::Postgres(rows) => rows.iter().map(T::from_row).collect::<sqlx::Result<_>>()?,
        })
    }
}

/// Runs a query on SQLite outside a transaction.
macro_rules! on_sqlite {
    (write, $query:ident, $call:ident, $write:ident, $readers:ident) => {{
        let _ = $readers;
        $query.$call($write).await
    }};
    (read, $query:ident, $call:ident, $write:ident, $readers:ident) => {{
        let _ = $write;
        let mut reader = $readers.take().await?;
        let outcome = $query.$call(&mut *reader).await;
        if outcome.is_ok() {
            reader.release();
        }
        outcome
    }};
}

/// Runs the query on its engine. `$pool` says whether SQLite writes or reads outside a transaction,
/// `$call` is sqlx's method for the number of rows.
macro_rules! run {
    ($query:expr, $pool:ident, $call:ident) => {{
        let Query { on, text, args, wrong } = $query;
        if let Some(wrong) = wrong {
            return Err(wrong.into());
        }
        let text = text.safe();
        match (on, args) {
            (On::Db(Db::Sqlite { write, readers, .. }), Args::Sqlite(args)) => {
                let query = sqlx::query_with(text, args);
                Either::Left(on_sqlite!($pool, query, $call, write, readers)?)
            }
            (On::Tx(Tx::Sqlite(tx)), Args::Sqlite(args)) => {
                tx.check()?;
                let outcome = sqlx::query_with(text, args).$call(&mut **tx).await;
                Either::Left(tx.noted(outcome)?)
            }
            (On::Db(Db::Postgres(pool)), Args::Postgres(args)) => {
                Either::Right(in_time(sqlx::query_with(text, args).$call(pool)).await?)
            }
            (On::Tx(Tx::Postgres(tx)), Args::Postgres(args)) => {
                Either::Right(in_time(sqlx::query_with(text, args).$call(&mut **tx)).await?)
            }
            (On::Dedicated(Dedicated::Sqlite(dedicated)), Args::Sqlite(args)) => {
                Either::Left(sqlx::query_with(text, args).$call(dedicated.get()).await?)
            }
            (On::Dedicated(Dedicated::Postgres(dedicated)), Args::Postgres(args)) => {
                Either::Right(in_time(sqlx::query_with(text, args).$call(dedicated.get())).await?)
            }
            _ => unreachable!("arguments are made for the engine they run on"),
        }
    }};
}

impl Query<'_> {
    pub(crate) fn bind(mut self, value: impl Value) -> Self {
        let added = match &mut self.args {
            Args::Sqlite(args) => args.add(value),
            Args::Postgres(args) => args.add(value),
        };
        if let Err(wrong) = added {
            self.wrong.get_or_insert(sqlx::Error::Encode(wrong));
        }
        self
    }

    /// Binds the ids for [`with_ids`].
    pub(crate) fn bind_ids(self, ids: impl IntoIterator<Item = Uuid>) -> Self {
        let ids: Vec<String> = ids.into_iter().map(|id| format!("\"{}\"", id.simple())).collect();
        self.bind(format!("[{}]", ids.join(",")))
    }

    pub(crate) async fn all<T: Row>(self) -> Result<Vec<T>> {
        self.rows().await?.read()
    }

    /// Returns the first row.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] when there is none.
    pub(crate) async fn one<T: Row>(self) -> Result<T> {
        self.optional().await?.ok_or(Error::from(sqlx::Error::RowNotFound))
    }

    pub(crate) async fn optional<T: Row>(self) -> Result<Option<T>> {
        Ok(self.first().await?.read()?.pop())
    }

    /// Returns the single value of the single row.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] when there is no row.
    pub(crate) async fn scalar<T>(self) -> Result<T>
    where
        (T,): Row,
    {
        Ok(self.one::<(T,)>().await?.0)
    }

    /// Runs the statement and returns the number of rows written.
    pub(crate) fn execute<'q>(self) -> BoxFuture<'q, Result<u64>>
    where
        Self: 'q,
    {
        Box::pin(async move {
            Ok(match run!(self, write, execute) {
                Either::Left(done) => done.rows_affected(),
                Either::Right(done) => done.rows_affected(),
            })
        })
    }

    pub(super) fn rows<'q>(self) -> BoxFuture<'q, Result<Rows>>
    where
        Self: 'q,
    {
        Box::pin(async move {
            Ok(match run!(self, read, fetch_all) {
                Either::Left(rows) => Rows::Sqlite(rows),
                Either::Right(rows) => Rows::Postgres(rows),
            })
        })
    }

    /// Returns at most one row.
    fn first<'q>(self) -> BoxFuture<'q, Result<Rows>>
    where
        Self: 'q,
    {
        Box::pin(async move {
            Ok(match run!(self, read, fetch_optional) {
                Either::Left(row) => Rows::Sqlite(row.into_iter().collect()),
                Either::Right(row) => Rows::Postgres(row.into_iter().collect()),
            })
        })
    }
}
