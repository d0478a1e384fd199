//! The state that every entry point receives: database, mailer, files and clock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::Config;
use crate::db::Db;
use crate::files::Files;
use crate::mail::Mailer;
use crate::{Error, Result, backup, faq, permissions, settings};

#[derive(Clone)]
pub struct App {
    pub db: Db,
    pub mailer: Mailer,
    pub files: Files,
    pub clock: Clock,
    pub config: Arc<Config>,
    pub keys: Keys,
    /// Identifies this process among those that share the database.
    pub process: Uuid,
    /// Limits how many passwords are hashed at the same time. Each hash takes 19 MiB and a CPU
    /// core.
    pub hashing: Arc<Semaphore>,
    pub(crate) settings: Arc<settings::Cache>,
    /// The copy of the database that was made before this process upgraded it.
    pub before_upgrade: Option<PathBuf>,
    /// Whether this process created the camp, because its database was empty.
    pub is_new: bool,
    /// Holds the shared lock of the data folder for as long as the app lives.
    _present: Option<Arc<File>>,
}

impl App {
    /// Opens an existing camp and upgrades its database.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when the configuration is invalid or there is no camp. Nothing is created
    /// then.
    pub async fn open(config: Config) -> Result<App> {
        config.check()?;
        must_be_there(&config)?;
        App::open_in(config, false).await
    }

    /// Opens the camp, or creates one if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when the configuration is invalid or the data folder cannot be used.
    pub async fn open_or_create(config: Config) -> Result<App> {
        config.check()?;
        permissions::folder(&config.data_dir)?;
        App::open_in(config, true).await
    }

    async fn open_in(config: Config, create: bool) -> Result<App> {
        permissions::tighten(&config)?;
        let present = shared_lock(&config.data_dir)?;
        let db = open_database(&config).await?;
        let is_new = db.is_empty().await?;
        if is_new && !create {
            db.close().await;
            return Err(no_camp(&config));
        }
        let before_upgrade = migrate(&db, &config).await?;
        let app = App::with(db, config).await?;
        Ok(App { before_upgrade, is_new, _present: Some(Arc::new(present)), ..app })
    }

    /// Whether the data folder exists and, on SQLite, the database file in it.
    pub fn is_there(config: &Config) -> bool {
        must_be_there(config).is_ok()
    }

    /// Counts the migrations that the camp's database lacks. Returns `None` if there is no camp.
    /// Fails when the database cannot be opened.
    pub async fn pending_migrations(config: &Config) -> Result<Option<usize>> {
        if must_be_there(config).is_err() {
            return Ok(None);
        }
        let db = open_database(config).await?;
        let pending = db.pending_migrations().await;
        db.close().await;
        pending.map(Some)
    }

    /// Creates an app on a database that is already up to date. Fails when the mailer or the file
    /// store is not configured correctly.
    pub async fn with(db: Db, config: Config) -> Result<App> {
        Ok(App {
            keys: Keys::load(&db).await?,
            mailer: Mailer::open(&config)?,
            files: Files::open(config.storage_url.as_deref(), &config.data_dir)?,
            db,
            clock: Clock::default(),
            config: Arc::new(config),
            process: Uuid::new_v4(),
            hashing: Arc::new(Semaphore::new(2)),
            settings: Arc::default(),
            before_upgrade: None,
            is_new: false,
            _present: None,
        })
    }

    /// Returns the absolute address of a page. The host comes from the configuration, never from a
    /// request.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.config.public_url())
    }
}

/// Selects one cryptography library for the whole process, since two crates could each choose
/// another.
pub(crate) fn choose_cryptography() {
    rustls::crypto::ring::default_provider().install_default().ok();
}

/// Checks that the data folder exists and, on SQLite, the database file in it.
pub(crate) fn must_be_there(config: &Config) -> Result<()> {
    let url = config.database_url();
    let has_file = !url.starts_with("sqlite:") || backup::sqlite_file(&url)?.exists();
    match config.data_dir.is_dir() && has_file {
        true => Ok(()),
        false => Err(no_camp(config)),
    }
}

/// The text omits the address of the database, because it may contain a password.
fn no_camp(config: &Config) -> Error {
    let shown = config.data_dir.display();
    Error::Setup(match &config.database_url {
        None => format!(
            "There is no camp in {shown}. Please check --data-dir (CAMP_DATA_DIR). A new camp \
             begins with `camp admin add`."
        ),
        Some(_) => format!(
            "There is no camp in {shown} and the database. Please check --data-dir \
             (CAMP_DATA_DIR) and --database-url (CAMP_DATABASE_URL). A new camp begins with \
             `camp admin add`."
        ),
    })
}

/// Opens the database without changing it.
pub(crate) async fn open_database(config: &Config) -> Result<Db> {
    choose_cryptography();
    Db::open(&config.database_url()).await.map_err(|error| match error {
        Error::Busy(Some(cause)) | Error::Database(cause) => {
            Error::Setup(format!("The database cannot be opened: {cause}"))
        }
        other => other,
    })
}

/// Takes a shared lock on the data folder, held until the file is dropped: a process is using it.
pub(crate) fn shared_lock(data_dir: &Path) -> Result<File> {
    let lock = in_use(data_dir)?;
    match lock.try_lock_shared() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::Setup(
            "A backup is being restored here just now. Please try again when that is done.".into(),
        )),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Takes an exclusive lock on the data folder, held until the file is dropped: no other process
/// uses it.
pub(crate) fn exclusive_lock(data_dir: &Path) -> Result<File> {
    let lock = in_use(data_dir)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(backup::AT_WORK),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Opens the lock file. Every user who may read it can lock it, no matter who created it.
fn in_use(data_dir: &Path) -> Result<File> {
    let path = data_dir.join("in-use.lock");
    match File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(File::create(&path)?),
        opened => Ok(opened?),
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
        faq::begin(db, &Clock::default()).await?;
        Ok(copy)
    };
    let done = done.await;
    drop(lock);
    done
}

/// The portal's secret. It is created once and stored in the database, so that all processes share
/// it.
#[derive(Clone)]
pub struct Keys {
    secret: Arc<[u8]>,
}

impl Keys {
    async fn load(db: &Db) -> Result<Keys> {
        const READ: &str = "select value from secrets where name = 'portal'";
        // Reads before it writes, so that a portal with a full disk can still start.
        if let Some((secret,)) = db.sql(READ).optional::<(Vec<u8>,)>().await? {
            return Ok(Keys { secret: secret.into() });
        }
        let fresh: [u8; 32] = rand::random();
        let mut tx = db.begin().await?;
        tx.sql(
            "insert into secrets (name, value) values ('portal', $1) on conflict (name) do nothing",
        )
        .bind(fresh.to_vec())
        .execute()
        .await?;
        let secret: Vec<u8> = tx.sql(READ).scalar().await?;
        tx.commit().await?;
        Ok(Keys { secret: secret.into() })
    }

    /// Returns a keyed hash for one purpose. It identifies a value without revealing it.
    pub fn hash(&self, purpose: &str, parts: &[&[u8]]) -> Vec<u8> {
        self.mac(purpose, parts).finalize().into_bytes().to_vec()
    }

    /// Returns a signature that can be used in a URL.
    pub fn sign(&self, purpose: &str, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.hash(purpose, &[text.as_bytes()]))
    }

    /// Checks a signature that [`Keys::sign`] made for the same purpose and text.
    pub fn verify(&self, purpose: &str, text: &str, signature: &str) -> bool {
        let Ok(signature) = URL_SAFE_NO_PAD.decode(signature) else { return false };
        self.mac(purpose, &[text.as_bytes()]).verify_slice(&signature).is_ok()
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("any length is a key");
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}
