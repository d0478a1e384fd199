//! A camp for one test: its own database on either engine, its own mailbox, a clock that tests can move,
//! and browsers that keep their cookies.

mod browser;
mod databases;
mod listener;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use chrono::{DateTime, TimeDelta, Utc};
use clap::Parser;
use portal::accounts::staff::{self, NewStaff, Role};
use portal::audit::Actor;
use portal::db::Db;
use portal::hashing::Hashing;
use portal::mail::{Mail, Mailer};
use portal::{App, Config, EmailAddress, StaffId, jobs, settings_admin, view_counts};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use self::browser::{Browser, Reply};
pub use self::listener::Listener;

use self::databases::{postgres_command, postgres_copy, sqlite_template};

/// An address as the portal stores it.
pub fn address(typed: &str) -> EmailAddress {
    EmailAddress::parse(typed).expect("an address")
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Runs a test on both engines, as `sqlite` and `postgres` in a module with its name.
#[macro_export]
macro_rules! story {
    ($(#[$meta:meta])* async fn $name:ident($camp:ident) $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            async fn story($camp: $crate::camp::Camp) $body
            #[tokio::test]
            async fn sqlite() {
                $crate::camp::run($crate::camp::Engine::Sqlite, story).await;
            }
            #[tokio::test]
            async fn postgres() {
                $crate::camp::run($crate::camp::Engine::Postgres, story).await;
            }
        }
    };
}

/// The password of everybody in the tests.
pub const PASSWORD: &str = "lantern over the lake";

#[derive(Clone)]
pub struct Camp {
    pub app: App,
    pub router: Router,
    mails: Arc<Mutex<Vec<Mail>>>,
    _folder: Arc<tempfile::TempDir>,
}

#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    config: Config,
}

fn config(folder: &std::path::Path, database: &str) -> Config {
    let folder = folder.to_str().expect("a plain path");
    let args = ["camp", "--data-dir", folder, "--database-url", database, "--public-url"];
    let options = Options::try_parse_from(args.into_iter().chain(["http://camp.example"]));
    options.expect("options").config
}

pub async fn run<F: Future<Output = ()>>(engine: Engine, story: impl FnOnce(Camp) -> F) {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let database = match engine {
        Engine::Sqlite => {
            let file = folder.path().join("camp.db");
            std::fs::copy(sqlite_template().await, &file).expect("a copy of the empty database");
            format!("sqlite://{}", file.display())
        }
        Engine::Postgres => postgres_copy().await,
    };
    let db = Db::open(&database).await.expect("the database opens");
    let mut app = App::with(db, config(folder.path(), &database)).await.expect("the camp opens");
    let (mailer, mails) = Mailer::memory();
    app.mailer = mailer;
    // Real hashing would take a third of the tests' time.
    app.hashing = Arc::new(Hashing::cheap());
    let router = api::router(app.clone(), CancellationToken::new());
    let camp = Camp { app: app.clone(), router, mails, _folder: folder.clone() };
    // The limit is longer than any test takes on a slow machine. A test that hangs fails, so that
    // the whole run ends. `just chaos` gets much more time.
    let minutes = if std::env::var_os("CAMP_CHAOS").is_some() { 600 } else { 15 };
    let limit = Duration::from_secs(minutes * 60);
    tokio::time::timeout(limit, story(camp)).await.expect("the test ends in time");
    // The database needs its folder until it is closed.
    let failed = jobs::failed(&app.db).await.expect("jobs");
    assert_eq!(failed, 0, "the story left failed jobs behind");
    let wrong = app.db.wrong_tallies().await.expect("tallies");
    assert!(wrong.is_empty(), "sums that are kept do not agree with their rows: {wrong:?}");
    app.db.close().await;
    drop(folder);
    if engine == Engine::Postgres {
        let name = database.rsplit('/').next().expect("a name");
        postgres_command(&format!("drop database if exists {name} with (force)")).await;
    }
}

impl Camp {
    /// Another process of the portal on the same database, with its own pool and caches.
    pub async fn beside(&self) -> Camp {
        self.beside_as(|_| {}).await
    }

    /// The same, with another configuration.
    pub async fn beside_as(&self, change: impl FnOnce(&mut Config)) -> Camp {
        let mut config = (*self.app.config).clone();
        change(&mut config);
        let db = Db::open(&config.database_url()).await.expect("the database opens");
        let mut app = App::with(db, config).await.expect("the camp opens");
        app.clock = self.app.clock.clone();
        app.hashing = Arc::new(Hashing::cheap());
        let (mailer, mails) = Mailer::memory();
        app.mailer = mailer;
        let router = api::router(app.clone(), CancellationToken::new());
        Camp { app, router, mails, _folder: self._folder.clone() }
    }

    /// The same camp with an https URL.
    pub fn over_https(&self) -> Camp {
        let mut app = self.app.clone();
        let public_url = Some("https://camp.example".parse().expect("an address"));
        app.config = Arc::new(Config { public_url, ..(*app.config).clone() });
        let router = api::router(app.clone(), CancellationToken::new());
        Camp { app, router, mails: self.mails.clone(), _folder: self._folder.clone() }
    }

    /// The same camp, hashing passwords like a real one.
    pub fn with_real_hashes(&self) -> Camp {
        let mut app = self.app.clone();
        app.hashing = Arc::default();
        let router = api::router(app.clone(), CancellationToken::new());
        Camp { app, router, mails: self.mails.clone(), _folder: self._folder.clone() }
    }

    /// The same browser, talking to this process.
    pub fn of(&self, browser: &Browser) -> Browser {
        Browser { router: self.router.clone(), ..browser.clone() }
    }

    /// A new browser without cookies.
    pub fn browser(&self) -> Browser {
        self.browser_at("203.0.113.7")
    }

    pub fn browser_at(&self, address: &str) -> Browser {
        Browser {
            router: self.router.clone(),
            cookies: Arc::default(),
            address: address.parse().expect("an address"),
        }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.app.clock.now()
    }

    pub fn set_clock(&self, at: &str) {
        self.app.clock.set(at.parse().expect("a moment"));
    }

    pub fn wait(&self, by: TimeDelta) {
        self.app.clock.advance(by);
    }

    pub async fn set(&self, key: &str, value: impl Into<Value>) {
        let mut tx = self.app.db.begin().await.expect("a transaction");
        let changes = [(key.to_owned(), value.into())].into();
        settings_admin::set(&mut tx, &self.app, Actor::Operator, changes).await.expect("a setting");
        tx.commit().await.expect("a commit");
        self.app.invalidate_settings();
    }

    /// Writes the queued views, as the server does every second.
    pub async fn write_views(&self) {
        view_counts::write(&self.app).await.expect("the views are written");
    }

    /// Returns once this many transactions wait for rows. SQLite has a single writer, so nobody
    /// waits there.
    pub async fn until_waiting(&self, transactions: i64) {
        let Db::Postgres(pool) = &self.app.db else { return };
        let waiting = "select count(*) from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'";
        for _ in 0..1_500 {
            if sqlx::query_scalar::<_, i64>(waiting).fetch_one(pool).await.expect("a count")
                >= transactions
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("{transactions} transactions never waited");
    }

    /// Lets the worker run everything that is due.
    pub async fn work(&self) {
        worker::drain(&self.app).await.expect("the worker works");
    }

    /// Lets the worker also run what is due within the next day. Its queue uses the machine's
    /// clock, which no test can move.
    pub async fn work_until_tomorrow(&self) {
        let written = match &self.app.db {
            Db::Sqlite { write, .. } => sqlx::query("update Jobs set run_at = run_at - 86400")
                .execute(write)
                .await
                .map(drop),
            Db::Postgres(pool) => {
                let text = "update apalis.jobs set run_at = run_at - interval '1 day'";
                sqlx::query(text).execute(pool).await.map(drop)
            }
        };
        written.expect("written");
        self.work().await;
    }

    /// Lets the worker run everything that is due while the mail server is unreachable.
    pub async fn work_without_mail(&self) {
        let mut app = self.app.clone();
        let smtp_url = vec!["smtp://127.0.0.1:1".to_owned()];
        app.mailer = Mailer::open(&Config { smtp_url, ..(*app.config).clone() }).expect("a mailer");
        worker::drain(&app).await.expect("the worker works");
    }

    /// All emails sent so far.
    pub fn mails(&self) -> Vec<Mail> {
        self.mails.lock().expect("no panic").clone()
    }

    /// Clears the mailbox.
    pub fn forget_mails(&self) {
        self.mails.lock().expect("no panic").clear();
    }

    pub fn mails_to(&self, address: &str) -> Vec<Mail> {
        self.mails().into_iter().filter(|mail| mail.to.email.to_string() == address).collect()
    }

    /// Runs the worker, then returns the newest email to this address.
    pub async fn mail_to(&self, address: &str) -> Mail {
        self.work().await;
        let mails = self.mails_to(address);
        mails.last().unwrap_or_else(|| panic!("no mail to {address}")).clone()
    }

    /// The token in the link of the newest email to this address.
    pub async fn token_for(&self, address: &str) -> String {
        token(&self.mail_to(address).await)
    }

    /// A parent who signed up and confirmed the address.
    pub async fn parent(&self, name: &str, email: &str) -> Browser {
        self.parent_with(self.browser(), name, email).await
    }

    pub async fn parent_with(&self, browser: Browser, name: &str, email: &str) -> Browser {
        browser.post("/api/auth/sign-up", sign_up(name, email)).await.expect(201);
        let token = self.token_for(email).await;
        browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        browser
    }

    pub async fn unconfirmed_parent(&self, name: &str, email: &str) -> Browser {
        let browser = self.browser();
        browser.post("/api/auth/sign-up", sign_up(name, email)).await.expect(201);
        browser
    }

    pub async fn owner(&self) -> Browser {
        self.staff_member("kornbluh", Role::Owner).await
    }

    pub async fn staff(&self) -> Browser {
        self.staff_member("feder", Role::Staff).await
    }

    /// A staff member whose session does not end when a test moves the clock.
    pub async fn staff_member(&self, username: &str, role: Role) -> Browser {
        let browser = self.passing_staff_member(username, role).await;
        let id = staff::named(&self.app.db, username).await.expect("an account");
        self.keep_signed_in(id).await;
        browser
    }

    /// A staff member whose session ends like any other.
    pub async fn passing_staff_member(&self, username: &str, role: Role) -> Browser {
        let new = NewStaff {
            username: username.into(),
            email: format!("{username}@camp.example"),
            role,
            password: PASSWORD.into(),
            current_password: None,
        };
        staff::add(&self.app, Actor::Operator, new).await.expect("an account");
        let browser = self.browser();
        let given = json!({ "username": username, "password": PASSWORD });
        browser.post("/api/admin/auth/sign-in", given).await.expect(200);
        browser
    }

    /// Neither idleness nor age ends the sessions of this staff account.
    async fn keep_signed_in(&self, staff_id: StaffId) {
        let text = "update sessions set last_seen_at = $2, expires_at = $2 where staff_id = $1";
        let late = self.now() + TimeDelta::days(3_650);
        let written = match &self.app.db {
            Db::Sqlite { write, .. } => {
                sqlx::query(text).bind(staff_id).bind(late).execute(write).await.map(drop)
            }
            Db::Postgres(pool) => {
                sqlx::query(text).bind(staff_id).bind(late).execute(pool).await.map(drop)
            }
        };
        written.expect("written");
    }
}

/// What the sign-up page sends.
pub fn sign_up(name: &str, email: &str) -> Value {
    json!({
        "name": name, "email": email, "password": PASSWORD, "user_type": "parent",
        "child_name": "Yossi", "email_notifications": true, "daily_video_email": true,
        "camp_updates_email": false,
    })
}

/// The token in the link of an email.
pub fn token(mail: &Mail) -> String {
    let at = mail
        .text
        .find("token=")
        .map(|at| at + 6)
        .or_else(|| mail.text.find("invite=").map(|at| at + 7));
    let rest = &mail.text[at.unwrap_or_else(|| panic!("no link in: {}", mail.text))..];
    rest.split_whitespace().next().expect("a token").to_owned()
}
