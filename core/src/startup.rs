//! Opens a camp: checks the data folder, upgrades the database and creates the [`App`].

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use crate::app::open_database;
use crate::clock::Clock;
use crate::config::Config;
use crate::data_folder::{
    is_there, must_be_readable, must_be_there, no_camp, no_other_camp, shared_lock,
};
use crate::db::Db;
use crate::{App, Error, Result, backup, comments, faq, file_permissions, updates};

/// What happens when there is no camp.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Refuse,
    Create,
    CreateAlone,
}

impl App {
    /// Opens an existing camp and upgrades its database.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] when the configuration is invalid, [`Error::Setup`] when there is no camp.
    /// Nothing is created then.
    pub async fn open(config: Config) -> Result<App> {
        config.check()?;
        must_be_there(&config)?;
        App::open_in(config, Missing::Refuse).await
    }

    /// Opens the camp, or creates one if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] when the configuration is invalid, [`Error::Setup`] when the data folder cannot be used.
    pub async fn open_or_create(config: Config) -> Result<App> {
        config.check()?;
        file_permissions::folder(&config.data_dir)?;
        App::open_in(config, Missing::Create).await
    }

    /// Like [`App::open_or_create`], but makes no new camp on PostgreSQL in the data folder of a camp on
    /// SQLite.
    ///
    /// # Errors
    ///
    /// Those of [`App::open_or_create`], and [`Error::Setup`] for such a folder.
    pub async fn open_or_create_alone(config: Config) -> Result<App> {
        config.check()?;
        file_permissions::folder(&config.data_dir)?;
        App::open_in(config, Missing::CreateAlone).await
    }

    async fn open_in(config: Config, missing: Missing) -> Result<App> {
        must_be_readable(&config)?;
        file_permissions::tighten(&config)?;
        let present = shared_lock(&config.data_dir)?;
        let db = open_database(&config).await?;
        let is_new = db.is_empty().await?;
        if is_new && missing == Missing::Refuse {
            db.close().await;
            return Err(no_camp(&config));
        }
        if is_new && missing == Missing::CreateAlone && matches!(db, Db::Postgres(_)) {
            no_other_camp(&config)?;
        }
        let before_upgrade = migrate(&db, &config).await?;
        let mut app = App::with(db, config).await?;
        app.before_upgrade = before_upgrade;
        app.is_new = is_new;
        app._present = Some(Arc::new(present));
        Ok(app)
    }

    /// Whether the data folder exists and, on SQLite, the database file in it.
    pub fn is_there(config: &Config) -> bool {
        is_there(config).unwrap_or(false)
    }

    /// Counts the migrations that the camp's database lacks. Returns `None` if there is no camp.
    /// Fails when the database cannot be opened.
    pub async fn pending_migrations(config: &Config) -> Result<Option<usize>> {
        if !is_there(config)? {
            return Ok(None);
        }
        let db = open_database(config).await?;
        let pending = db.pending_migrations().await;
        db.close().await;
        pending.map(Some)
    }
}

/// Migrates the database, one process at a time. On SQLite, a copy of the old database is kept.
async fn migrate(db: &Db, config: &Config) -> Result<Option<PathBuf>> {
    // PostgreSQL has a lock for this, SQLite does not. The lock file serves both.
    let lock = File::create(config.data_dir.join("migrate.lock"))?;
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock))
        .await
        .map_err(Error::unforeseen)??;
    let done = async {
        let mut copy = None;
        if matches!(db, Db::Sqlite { .. }) && db.is_to_be_upgraded().await? {
            let now = Clock::default().now();
            let kept = backup::before_upgrade(db, &config.database_url(), now).await?;
            tracing::info!(copy = %kept.display(), "the database was copied before the upgrade");
            copy = Some(kept);
        }
        db.migrate().await?;
        updates::end_old_pins(db).await?;
        comments::add_search_texts(db).await?;
        faq::begin(db, &Clock::default()).await?;
        Ok(copy)
    };
    let done = done.await;
    drop(lock);
    done
}
