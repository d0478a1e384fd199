//! Migrates the schema, and tells whether that is needed.

use sqlx::migrate::Migrator;

use super::Db;
use super::deadlocks::up_to;
use crate::Result;

/// How often a migration is tried: PostgreSQL ends it when an earlier program that still serves
/// locked the same tables in another order.
const ATTEMPTS: u32 = 11;

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// The number of the latest migration in this program.
pub(crate) fn newest_schema() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// The number of migrations in this program.
pub fn all_migrations() -> usize {
    MIGRATIONS.iter().filter(|m| m.migration_type.is_up_migration()).count()
}

impl Db {
    /// Migrates the schema: ours, then that of the job queue, and the triggers of content versions and tallies.
    /// Safe to run again.
    ///
    /// On SQLite the migrator takes no lock, so the caller must ensure that only one process
    /// migrates at a time (`startup`).
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when a migration fails for any reason, including the database's own errors.
    pub(crate) async fn migrate(&self) -> Result<()> {
        up_to(ATTEMPTS, || self.migrate_once()).await
    }

    async fn migrate_once(&self) -> Result<()> {
        if self.pending_migrations().await? > 0 {
            self.end_content_versions().await?;
            self.end_tallies().await?;
        }
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
        self.begin_content_versions().await?;
        self.begin_tallies().await
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
                    "select count(*) from pg_class
                     where relnamespace = cast(current_schema() as regnamespace)
                       and relname = '_sqlx_migrations'",
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
}
