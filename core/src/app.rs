//! What every entry point is given: the database, the post office, the files and the clock.

use std::fs::File;
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
use crate::{Error, Result, faq, settings};

#[derive(Clone)]
pub struct App {
    pub db: Db,
    pub mailer: Mailer,
    pub files: Files,
    pub clock: Clock,
    pub config: Arc<Config>,
    pub keys: Keys,
    /// Names this process among those that share the database.
    pub process: Uuid,
    /// Passwords that are hashed at the same time: each takes 19 MiB and a core.
    pub(crate) hashing: Arc<Semaphore>,
    pub(crate) settings: Arc<settings::Cache>,
}

impl App {
    /// Opens everything and brings the database up to date.
    pub async fn open(config: Config) -> Result<App> {
        config.check()?;
        std::fs::create_dir_all(&config.data_dir).map_err(|e| {
            Error::Setup(format!("The folder {} cannot be made: {e}", config.data_dir.display()))
        })?;
        // Two crates could each choose a cryptography library; this one is for the whole process.
        rustls::crypto::ring::default_provider().install_default().ok();
        let db = Db::open(&config.database_url()).await.map_err(|error| match error {
            Error::Busy(Some(cause)) | Error::Database(cause) => {
                Error::Setup(format!("The database cannot be opened: {cause}"))
            }
            other => other,
        })?;
        migrate(&db, &config).await?;
        App::with(db, config).await
    }

    /// An app on a database that is up to date already.
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
        })
    }

    /// An absolute address of a page, from the configuration and never from a request.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.config.public_url())
    }
}

/// Brings the database up to date, one process at a time.
async fn migrate(db: &Db, config: &Config) -> Result<()> {
    // PostgreSQL has a lock for this, SQLite has not; the file serves for both.
    let lock = File::create(config.data_dir.join("migrate.lock"))?;
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock))
        .await
        .map_err(Error::unforeseen)??;
    let done = async {
        db.migrate().await?;
        faq::begin(db, &Clock::default()).await
    };
    let done = done.await;
    drop(lock);
    done
}

/// The portal's own secret, made once and kept in the database, so that all processes share it.
#[derive(Clone)]
pub struct Keys {
    secret: Arc<[u8]>,
}

impl Keys {
    async fn load(db: &Db) -> Result<Keys> {
        let fresh: [u8; 32] = rand::random();
        let mut tx = db.begin().await?;
        tx.sql(
            "insert into secrets (name, value) values ('portal', $1) on conflict (name) do nothing",
        )
        .bind(fresh.to_vec())
        .execute()
        .await?;
        let secret: Vec<u8> =
            tx.sql("select value from secrets where name = 'portal'").scalar().await?;
        tx.commit().await?;
        Ok(Keys { secret: secret.into() })
    }

    /// A keyed hash for one purpose: it identifies without telling.
    pub fn hash(&self, purpose: &str, parts: &[&[u8]]) -> Vec<u8> {
        self.mac(purpose, parts).finalize().into_bytes().to_vec()
    }

    /// A signature that fits into an address.
    pub fn sign(&self, purpose: &str, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.hash(purpose, &[text.as_bytes()]))
    }

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
