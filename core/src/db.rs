//! The database: SQLite by default or PostgreSQL, with one SQL text for both.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either};
use sqlx::migrate::Migrator;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{
    Arguments, AssertSqlSafe, Connection, Database, Encode, FromRow, Pool, Postgres, SqlSafeStr,
    SqlStr, Sqlite, Type,
};
use sqlx_core::transaction::TransactionManager;
use uuid::Uuid;

use crate::{Error, Result, error};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// The number of the latest migration in this program.
pub(crate) fn newest_schema() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// The number of migrations in this program.
pub fn all_migrations() -> usize {
    MIGRATIONS.iter().filter(|m| m.migration_type.is_up_migration()).count()
}

/// An open database.
///
/// SQLite uses one connection that writes and several that read. This is two to three times faster
/// than a pool in which every connection writes, and no request fails because another one is
/// writing.
#[derive(Clone, Debug)]
pub enum Db {
    Sqlite { write: SqlitePool, read: SqlitePool },
    Postgres(PgPool),
}

/// A transaction that may write. It is rolled back when it is dropped without [`Tx::commit`].
pub enum Tx {
    Sqlite(OpenTransaction<Sqlite>),
    Postgres(OpenTransaction<Postgres>),
}

/// Work that a transaction does last, just before it commits.
type LastStep = Box<dyn for<'a> FnOnce(&'a mut Tx) -> BoxFuture<'a, Result<()>> + Send + Sync>;

/// A transaction on one engine, with what its commit will do first. sqlx's own transaction
/// type cannot give up a connection that must not be reused.
pub struct OpenTransaction<E: Database> {
    connection: PoolConnection<E>,
    /// Neither committed nor rolled back.
    open: bool,
    last_steps: Vec<LastStep>,
    /// The database ended the transaction on its own. On SQLite, later statements would be
    /// committed one by one.
    ended: bool,
}

impl<E: Database> OpenTransaction<E> {
    async fn begin(pool: &Pool<E>, statement: &'static str) -> sqlx::Result<OpenTransaction<E>> {
        let connection = pool.acquire().await?;
        // Counts as open from here on, so that a `begin` that fails or is dropped is rolled back as
        // well.
        let mut open =
            OpenTransaction { connection, open: true, last_steps: Vec::new(), ended: false };
        E::TransactionManager::begin(&mut open.connection, Some(statement.into_sql_str())).await?;
        Ok(open)
    }

    async fn commit(mut self) -> Result<()> {
        let outcome = in_time(E::TransactionManager::commit(&mut self.connection)).await;
        self.end(outcome)
    }

    async fn rollback(mut self) -> Result<()> {
        let outcome = in_time(E::TransactionManager::rollback(&mut self.connection)).await;
        self.end(outcome)
    }

    /// Closes a connection that could not end its transaction, even if a later rollback succeeds:
    /// its state is unknown. The pool then opens another.
    fn end(&mut self, outcome: Result<()>) -> Result<()> {
        match &outcome {
            Ok(()) => self.open = false,
            Err(_) => {
                tracing::warn!(
                    "a database connection is closed because its transaction did not end"
                );
                self.connection.close_on_drop();
            }
        }
        outcome
    }

    /// Rejects statements in a transaction that the database has ended.
    fn check(&self) -> Result<()> {
        match self.ended {
            true => Err(Error::Busy(None)),
            false => Ok(()),
        }
    }

    fn noted<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        self.ended |= outcome.as_ref().is_err_and(error::ends_transaction);
        Ok(outcome?)
    }
}

/// Timeout for a server to answer a ping.
const ANSWER: Duration = Duration::from_secs(5);
/// Timeout for one statement on PostgreSQL. Without it, the kernel waits about 15 minutes for a
/// server that disappeared silently.
const STATEMENT: Duration = Duration::from_secs(45);

/// Returns the statement's result, or an error if there is no answer in time.
async fn in_time<T>(statement: impl Future<Output = sqlx::Result<T>>) -> Result<T> {
    match tokio::time::timeout(STATEMENT, statement).await {
        Ok(outcome) => Ok(outcome?),
        Err(_) => Err(Error::Busy(Some(sqlx::Error::PoolTimedOut))),
    }
}

/// Whether a connection may go back to its pool.
///
/// When the disk is full or fails, SQLite ends a transaction on its own, and the rollback that sqlx
/// sends then fails. sqlx would count the transaction as open forever, and every later transaction
/// on this connection would fail. Such a connection is closed, and the pool opens another.
async fn is_reusable<C: Connection>(connection: &mut C) -> sqlx::Result<bool> {
    // A server that disappeared silently must not occupy the connection's place in the pool.
    let remote = C::Database::NAME == Postgres::NAME;
    if !remote && !connection.is_in_transaction() {
        return Ok(true);
    }
    // The rollback of a dropped transaction runs before the ping is answered.
    let answered = tokio::time::timeout(ANSWER, connection.ping());
    answered.await.map_err(|_| sqlx::Error::PoolTimedOut)??;
    let reusable = !connection.is_in_transaction();
    if !reusable {
        tracing::warn!("a database connection is closed because its transaction cannot be ended");
    }
    Ok(reusable)
}

impl<E: Database> Drop for OpenTransaction<E> {
    fn drop(&mut self) {
        if self.open {
            // Only queued here. It runs before the connection is used again.
            E::TransactionManager::start_rollback(&mut self.connection);
        }
    }
}

impl<E: Database> Deref for OpenTransaction<E> {
    type Target = E::Connection;

    fn deref(&self) -> &E::Connection {
        &self.connection
    }
}

impl<E: Database> DerefMut for OpenTransaction<E> {
    fn deref_mut(&mut self) -> &mut E::Connection {
        &mut self.connection
    }
}

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

/// Where a query runs: on a pool (reads) or in a transaction.
pub enum On<'c> {
    Db(&'c Db),
    Tx(&'c mut Tx),
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
        let args = match &self {
            On::Db(Db::Sqlite { .. }) | On::Tx(Tx::Sqlite(_)) => Args::Sqlite(Default::default()),
            On::Db(Db::Postgres(_)) | On::Tx(Tx::Postgres(_)) => Args::Postgres(Default::default()),
        };
        Query { on: self, text: text.into(), args, wrong: None }
    }

    /// Borrows the same target again, for a function that runs several queries.
    pub(crate) fn again(&mut self) -> On<'_> {
        match self {
            On::Db(db) => On::Db(db),
            On::Tx(tx) => On::Tx(tx),
        }
    }

    /// Selects the text for the engine in use, where the engines differ.
    pub(crate) fn either(self, texts: Texts) -> Query<'c> {
        let text = match &self {
            On::Db(Db::Sqlite { .. }) | On::Tx(Tx::Sqlite(_)) => texts.sqlite,
            On::Db(Db::Postgres(_)) | On::Tx(Tx::Postgres(_)) => texts.postgres,
        };
        self.sql(text)
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
    let sqlite = ["(select unhex(value) from json_each(", list, "))", after];
    let postgres = [
        "(select cast(value as uuid) from jsonb_array_elements_text(cast(",
        list,
        " as jsonb)))",
        after,
    ];
    Texts { sqlite: Sql::from(before).and(sqlite), postgres: Sql::from(before).and(postgres) }
}

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
enum Rows {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

impl Rows {
    fn read<T: Row>(self) -> Result<Vec<T>> {
        Ok(match self {
            Rows::Sqlite(rows) => rows.iter().map(T::from_row).collect::<sqlx::Result<_>>()?,
            Rows::Postgres(rows) => rows.iter().map(T::from_row).collect::<sqlx::Result<_>>()?,
        })
    }
}

/// Runs the query on its engine. `$pool` is the SQLite pool to use outside a transaction, `$call`
/// is sqlx's method for the number of rows.
macro_rules! run {
    ($query:expr, $pool:ident, $call:ident) => {{
        let Query { on, text, args, wrong } = $query;
        if let Some(wrong) = wrong {
            return Err(wrong.into());
        }
        let text = text.safe();
        match (on, args) {
            (On::Db(Db::Sqlite { $pool, .. }), Args::Sqlite(args)) => {
                Either::Left(sqlx::query_with(text, args).$call($pool).await?)
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

    fn rows<'q>(self) -> BoxFuture<'q, Result<Rows>>
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

impl Db {
    /// Opens `sqlite://path` (created if missing) or `postgres://…` without migrating it.
    ///
    /// # Errors
    ///
    /// When the address is invalid or the database cannot be opened.
    pub async fn open(url: &str) -> Result<Db> {
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            // An unused filter (`$1 is null or …`) is free only if the planner sees the values. A
            // generic plan would read and sort whole tables.
            let options = PgConnectOptions::from_str(url)?
                .application_name("camp")
                .options([("plan_cache_mode", "force_custom_plan")]);
            let pool = PgPoolOptions::new()
                .max_connections(16)
                .acquire_timeout(Duration::from_secs(5))
                .after_release(|connection, _| Box::pin(is_reusable(connection)))
                .connect_with(options)
                .await?;
            return Ok(Db::Postgres(pool));
        }
        if !url.starts_with("sqlite:") {
            return Err(Error::Setup(format!(
                "The database address must begin with sqlite:// or postgres://, not “{}”.",
                url.split(':').next().unwrap_or_default()
            )));
        }
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .pragma("temp_store", "memory")
            .optimize_on_close(true, None);
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(Duration::from_secs(10))
            .after_release(|connection, _| Box::pin(is_reusable(connection)))
            .connect_with(options.clone())
            .await?;
        let read = SqlitePoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(5))
            .after_release(|connection, _| Box::pin(is_reusable(connection)))
            .connect_with(options)
            .await?;
        Ok(Db::Sqlite { write, read })
    }

    /// Begins a transaction that writes. On SQLite it is the only one in the process. Fails when
    /// the database is busy or unavailable.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(match self {
            Db::Sqlite { write, .. } => {
                Tx::Sqlite(OpenTransaction::begin(write, "begin immediate").await?)
            }
            Db::Postgres(pool) => {
                // Runs in its own task: sqlx 0.9.0 loses count of a `begin` that is dropped midway.
                let pool = pool.clone();
                let begun =
                    tokio::spawn(async move { OpenTransaction::begin(&pool, "begin").await });
                Tx::Postgres(begun.await.map_err(Error::unforeseen)??)
            }
        })
    }

    /// Begins a read-only transaction. It sees the database as of its first query.
    pub(crate) async fn snapshot(&self) -> Result<Tx> {
        Ok(match self {
            Db::Sqlite { read, .. } => Tx::Sqlite(OpenTransaction::begin(read, "begin").await?),
            Db::Postgres(pool) => Tx::Postgres(
                OpenTransaction::begin(pool, "begin isolation level repeatable read, read only")
                    .await?,
            ),
        })
    }

    /// Creates a statement that runs outside a transaction.
    pub(crate) fn sql(&self, text: impl Into<Sql>) -> Query<'_> {
        On::Db(self).sql(text)
    }

    /// Migrates the schema: ours, then that of the job queue. Safe to run again.
    ///
    /// On SQLite the migrator takes no lock, so the caller must ensure that only one process
    /// migrates at a time ([`crate::App::migrate`]).
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when a migration fails for any reason, including the database's own errors.
    pub(crate) async fn migrate(&self) -> Result<()> {
        match self {
            Db::Sqlite { write, .. } => {
                MIGRATIONS.run(write).await?;
                // apalis's own `setup()` would turn `synchronous` off.
                let mut queue = apalis_sqlite::SqliteStorage::<()>::migrations();
                queue.dangerous_set_table_name("_apalis_migrations");
                queue.run(write).await?;
            }
            Db::Postgres(pool) => {
                MIGRATIONS.run(pool).await?;
                let mut queue = apalis_postgres::PostgresStorage::<()>::migrations();
                queue.dangerous_set_table_name("_apalis_migrations");
                queue.run(pool).await?;
            }
        }
        Ok(())
    }

    /// Counts our migrations that are not yet applied.
    pub async fn pending_migrations(&self) -> Result<usize> {
        Ok(all_migrations().saturating_sub(self.applied_migrations().await?))
    }

    /// Whether no migration was ever applied.
    pub(crate) async fn is_empty(&self) -> Result<bool> {
        Ok(self.applied_migrations().await? == 0)
    }

    /// Whether the database has the schema of an earlier version.
    pub(crate) async fn is_to_be_upgraded(&self) -> Result<bool> {
        let applied = self.applied_migrations().await?;
        Ok(applied > 0 && self.pending_migrations().await? > 0)
    }

    async fn applied_migrations(&self) -> Result<usize> {
        let table: i64 = match self {
            Db::Sqlite { .. } => {
                self.sql("select count(*) from sqlite_master where name = '_sqlx_migrations'")
                    .scalar()
                    .await?
            }
            Db::Postgres(_) => {
                self.sql(
                    "select count(*) from information_schema.tables
                     where table_schema = current_schema() and table_name = '_sqlx_migrations'",
                )
                .scalar()
                .await?
            }
        };
        if table == 0 {
            return Ok(0);
        }
        let done: i64 =
            self.sql("select count(*) from _sqlx_migrations where success").scalar().await?;
        Ok(done as usize)
    }

    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        match self {
            Db::Sqlite { .. } => "sqlite",
            Db::Postgres(_) => "postgres",
        }
    }

    /// Checks that the database answers. Fails when it does not.
    pub async fn ping(&self) -> Result<()> {
        self.sql("select cast(1 as bigint)").scalar::<i64>().await.map(drop)
    }

    pub async fn close(&self) {
        match self {
            Db::Sqlite { write, read } => {
                read.close().await;
                write.close().await;
            }
            Db::Postgres(pool) => pool.close().await,
        }
    }
}

impl Tx {
    pub(crate) fn sql(&mut self, text: impl Into<Sql>) -> Query<'_> {
        On::Tx(self).sql(text)
    }

    /// Takes the last steps ([`Tx::before_commit`]) and commits. Fails when the database ended the
    /// transaction on its own or cannot commit; nothing is stored then.
    pub async fn commit(mut self) -> Result<()> {
        let steps = match &mut self {
            Tx::Sqlite(open) => std::mem::take(&mut open.last_steps),
            Tx::Postgres(open) => std::mem::take(&mut open.last_steps),
        };
        for step in steps {
            step(&mut self).await?;
        }
        match self {
            Tx::Sqlite(open) => {
                open.check()?;
                open.commit().await
            }
            Tx::Postgres(open) => open.commit().await,
        }
    }

    pub async fn rollback(self) -> Result<()> {
        match self {
            Tx::Sqlite(open) => open.rollback().await,
            Tx::Postgres(open) => open.rollback().await,
        }
    }

    /// Leaves work for the end of the transaction. A number that others wait for is taken there, so
    /// that no transaction waits for it while it holds row locks.
    pub(crate) fn before_commit(
        &mut self,
        step: impl for<'a> FnOnce(&'a mut Tx) -> BoxFuture<'a, Result<()>> + Send + Sync + 'static,
    ) {
        match self {
            Tx::Sqlite(open) => open.last_steps.push(Box::new(step)),
            Tx::Postgres(open) => open.last_steps.push(Box::new(step)),
        }
    }

    /// Serializes transactions that use the same `name`, for rules that span several rows ("the
    /// last owner stays"). SQLite has a single writer, so nothing is needed there.
    pub(crate) async fn lock(&mut self, name: &str) -> Result<()> {
        if let Tx::Postgres(_) = self {
            self.sql("select pg_advisory_xact_lock(hashtext($1))").bind(name).execute().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite, and PostgreSQL if the tests have a server.
    async fn engines() -> Vec<Db> {
        let mut urls = vec!["sqlite::memory:".to_owned()];
        urls.extend(std::env::var("CAMP_TEST_POSTGRES_URL"));
        let mut engines = Vec::new();
        for url in urls {
            engines.push(Db::open(&url).await.expect("a database"));
        }
        engines
    }

    /// Temporary tables belong to one connection, so they show which connection is used.
    async fn made(db: &Db) {
        at_rest(db).await;
        let mut tx = db.begin().await.expect("a transaction");
        for text in [
            "create temp table bunks (id bigint primary key)",
            "create temp table boys (bunk bigint references bunks (id) deferrable initially deferred)",
        ] {
            tx.sql(text).execute().await.expect("a table");
        }
        tx.commit().await.expect("committed");
    }

    /// Waits: a connection is returned to its pool, or closed, in a separate task.
    async fn at_rest(db: &Db) {
        let Db::Postgres(pool) = db else { return };
        while pool.num_idle() < pool.size() as usize {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn same_connection(db: &Db) -> bool {
        at_rest(db).await;
        let mut tx = db.begin().await.expect("a transaction");
        let count = tx.sql("select count(*) from boys").scalar::<i64>().await;
        tx.rollback().await.expect("rolled back");
        count.is_ok_and(|count| count == 0)
    }

    #[tokio::test]
    async fn a_connection_whose_commit_failed_is_thrown_away() {
        for db in engines().await {
            made(&db).await;
            assert!(same_connection(&db).await, "{}: it is used again", db.engine());
            // After a rollback, explicit or by dropping, the connection is reusable.
            at_rest(&db).await;
            let mut tx = db.begin().await.expect("a transaction");
            tx.sql("insert into bunks (id) values (1)").execute().await.expect("a row");
            drop(tx);
            assert!(same_connection(&db).await, "{}: after a roll-back", db.engine());
            // The commit is refused. A rollback afterwards would succeed.
            at_rest(&db).await;
            let mut tx = db.begin().await.expect("a transaction");
            tx.sql("insert into boys (bunk) values (7)").execute().await.expect("a row");
            tx.commit().await.expect_err("there is no such bunk");
            assert!(!same_connection(&db).await, "{}: after a commit that failed", db.engine());
            // The pool has opened another connection.
            made(&db).await;
            assert!(same_connection(&db).await, "{}: a new one", db.engine());
            db.close().await;
        }
    }
}
