//! The state that every entry point receives: database, mailer, files and clock.

use std::fs::File;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::Config;
use crate::content_cache::ContentCache;
use crate::data_folder::{is_read_only, sqlite_file};
use crate::db::Db;
use crate::fetch::Fetcher;
use crate::files::Files;
use crate::hashing::Hashing;
use crate::mail::Mailer;
use crate::pending_views::PendingViews;
use crate::people_cache::PeopleCache;
use crate::settings::{self, Settings};
use crate::webp_copies::WebpCopies;
use crate::{Error, Result, cryptography};

/// What every entry point receives. A clone shares it and costs next to nothing.
#[derive(Clone)]
pub struct App(Arc<Inner>);

#[derive(Clone)]
pub struct Inner {
    pub db: Db,
    pub mailer: Mailer,
    pub files: Files,
    pub fetcher: Fetcher,
    pub clock: Clock,
    pub config: Arc<Config>,
    pub keys: Keys,
    /// Identifies this process among those that share the database.
    pub process: Uuid,
    /// Where passwords are hashed.
    pub hashing: Arc<Hashing>,
    /// Lets this process convert one video at a time.
    pub(crate) converting: Arc<Semaphore>,
    /// Whether this process must stop converting because it is about to end.
    pub(crate) ends_conversions: watch::Sender<bool>,
    pub(crate) settings: Arc<settings::Cache>,
    pub(crate) content_cache: Arc<ContentCache>,
    pub(crate) people_cache: Arc<PeopleCache>,
    pub(crate) views: Arc<PendingViews>,
    pub(crate) webp_copies: Arc<WebpCopies>,
    /// The copy of the database that was made before this process upgraded it.
    pub before_upgrade: Option<PathBuf>,
    /// Whether this process created the camp, because its database was empty.
    pub is_new: bool,
    /// Holds the shared lock of the data folder for as long as the app lives.
    pub(crate) _present: Option<Arc<File>>,
}

impl App {
    /// Creates an app on a database that is already up to date. Fails when the mailer or the file
    /// store is not configured correctly.
    pub async fn with(db: Db, config: Config) -> Result<App> {
        Ok(App(Arc::new(Inner {
            keys: Keys::load(&db).await?,
            mailer: Mailer::open(&config)?,
            files: Files::open(config.storage_url.as_deref(), &config.data_dir)?,
            fetcher: Fetcher::over_https(),
            content_cache: Arc::new(ContentCache::of(&db)),
            db,
            clock: Clock::default(),
            config: Arc::new(config),
            process: Uuid::new_v4(),
            hashing: Arc::default(),
            converting: Arc::new(Semaphore::new(1)),
            ends_conversions: watch::Sender::new(false),
            settings: Arc::default(),
            people_cache: Arc::default(),
            views: Arc::default(),
            webp_copies: Arc::default(),
            before_upgrade: None,
            is_new: false,
            _present: None,
        })))
    }

    /// Returns the current settings, at most two seconds old.
    pub async fn settings(&self) -> Result<Arc<Settings>> {
        self.settings.get(&self.db, self.clock.now()).await
    }

    /// Invalidates the cache, so that the next access reads the settings again.
    pub fn invalidate_settings(&self) {
        self.settings.invalidate();
    }

    /// Returns the absolute address of a page. The host comes from the configuration, never from a
    /// request.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.config.public_url())
    }
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// Changes this clone only.
impl DerefMut for App {
    fn deref_mut(&mut self) -> &mut Inner {
        Arc::make_mut(&mut self.0)
    }
}

const READ_ONLY: &str = "The database cannot be opened, because its file system is mounted read-only. The log \
                         of the machine may say why: a disk with errors is mounted like that.";

/// Opens the database without changing it.
///
/// # Errors
///
/// [`Error::Setup`] when the database cannot be opened, [`Error::Busy`] when its server does not answer.
pub(crate) async fn open_database(config: &Config) -> Result<Db> {
    cryptography::choose();
    let url = config.database_url();
    let is_server = !url.starts_with("sqlite:");
    Db::open(&url).await.map_err(|error| match error {
        busy @ Error::Busy(_) if is_server => busy,
        Error::Busy(Some(cause)) | Error::Database(cause) => {
            // Only the database's own message, without the details that sqlx adds.
            let cause = match &cause {
                sqlx::Error::Database(said) => said.message().to_owned(),
                other => other.to_string(),
            };
            if !is_server && sqlite_file(&url).is_ok_and(|file| is_read_only(&file)) {
                return Error::Setup(READ_ONLY.into());
            }
            Error::Setup(format!("The database cannot be opened: {cause}."))
        }
        other => other,
    })
}

/// The portal's secret. It is created once and stored in the database, so that all processes share
/// it.
#[derive(Clone)]
pub struct Keys {
    /// Already contains the secret, which would otherwise be hashed again for each value.
    keyed: Hmac<Sha256>,
}

impl Keys {
    async fn load(db: &Db) -> Result<Keys> {
        const READ: &str = "select value from secrets where name = 'portal'";
        // Reads before it writes, so that a portal with a full disk can still start.
        if let Some((secret,)) = db.sql(READ).optional::<(Vec<u8>,)>().await? {
            return Ok(Keys::of(&secret));
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
        Ok(Keys::of(&secret))
    }

    fn of(secret: &[u8]) -> Keys {
        Keys { keyed: Hmac::new_from_slice(secret).expect("any length is a key") }
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
        let mut mac = self.keyed.clone();
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}
