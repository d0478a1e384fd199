//! One test's camp: its own folder and database, and the binary.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use portal::db::Db;
use portal::{App, Config};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use url::Url;

/// Turns one test into two: one on SQLite, one on PostgreSQL. A test that hangs fails, so that the
/// whole run ends.
#[macro_export]
macro_rules! on_both_engines {
    ($($(#[$attribute:meta])* async fn $name:ident($camp:ident: Camp) $body:block)*) => {
        $(mod $name {
            use super::*;

            async fn test($camp: Camp) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                $crate::camp::in_time(test(Camp::on_sqlite())).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                $crate::camp::in_time(async { test(Camp::on_postgres().await).await }).await;
            }
        })*
    };
}

/// Fails a test that hangs. The limit is longer than any test takes on a slow machine, and `just
/// chaos` has none.
pub async fn in_time(test: impl Future<Output = ()>) {
    if std::env::var_os("CAMP_CHAOS").is_some() {
        return test.await;
    }
    let limit = Duration::from_secs(15 * 60);
    tokio::time::timeout(limit, test).await.expect("the test ends within 15 minutes");
}

/// A free port that no outgoing connection takes in the meantime, because the system gives those
/// ports from 32768 on. A connection from such a port to one that nobody listens on yet can also
/// reach itself, and then waits forever.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let number = (std::process::id() as u16).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = 20_000 + number % 10_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

pub struct Camp {
    folder: TempDir,
    postgres: Option<Postgres>,
    /// Environment variables for all its commands.
    pub environment: Vec<(&'static str, String)>,
}

struct Postgres {
    server: Url,
    name: String,
}

/// The output and exit code of a command.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Camp {
    pub fn on_sqlite() -> Camp {
        Camp::with(None)
    }

    pub async fn on_postgres() -> Camp {
        let server = std::env::var("CAMP_TEST_POSTGRES_URL")
            .expect("CAMP_TEST_POSTGRES_URL names a PostgreSQL server; `just test` starts one");
        Camp::on_postgres_at(Url::parse(&server).expect("an address")).await
    }

    /// A camp in its own database on this server.
    pub async fn on_postgres_at(server: Url) -> Camp {
        let name = format!("camp_cli_{}", uuid::Uuid::new_v4().simple());
        on(&server, format!("create database {name}")).await;
        Camp::with(Some(Postgres { server, name }))
    }

    fn with(postgres: Option<Postgres>) -> Camp {
        Camp { folder: TempDir::new().expect("a folder"), postgres, environment: Vec::new() }
    }

    /// A new camp on the same engine.
    pub async fn another(&self) -> Camp {
        if self.is_on_postgres() { Camp::on_postgres().await } else { Camp::on_sqlite() }
    }

    /// Changes the database URL, which must still lead to the same server.
    pub fn reach_postgres_at(&mut self, host: &str, port: u16) {
        let Some(Postgres { server, .. }) = &mut self.postgres else { return };
        server.set_host(Some(host)).expect("a host");
        server.set_port(Some(port)).expect("a port");
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// The binary with this camp's folder and database, and without the test run's environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_camp"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CAMP_")) {
            command.env_remove(name);
        }
        command.args(arguments).env("CAMP_DATA_DIR", self.folder.path().join("data"));
        if let Some(url) = self.database_url() {
            command.env("CAMP_DATABASE_URL", url);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        self.run_with(arguments, "")
    }

    /// Creates an empty camp.
    pub fn begin(&self) {
        let said = self.run(&["migrate"]);
        assert_eq!(said.code, 0, "{said:?}");
    }

    /// Runs a command with this standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Said {
        self.run_with_bytes(arguments, input.as_bytes())
    }

    pub fn run_with_bytes(&self, arguments: &[&str], input: &[u8]) -> Said {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        child.stdin.take().expect("piped").write_all(input).ok();
        let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
        Said {
            code: status.code().expect("it was not killed"),
            out: String::from_utf8(stdout).expect("UTF-8"),
            err: String::from_utf8(stderr).expect("UTF-8"),
        }
    }

    /// A running process, killed when it is dropped.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let child = self
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        Running(child)
    }

    /// The same camp in this process, to set up what no command can.
    pub async fn app(&self) -> App {
        use clap::{Args, FromArgMatches};
        let command = Config::augment_args(clap::Command::new("camp"));
        let mut arguments = vec!["camp".to_owned()];
        let folder = self.folder.path().join("data").display().to_string();
        arguments.extend(["--data-dir".to_owned(), folder]);
        arguments
            .extend(self.database_url().into_iter().flat_map(|url| ["--database-url".into(), url]));
        let matches = command.get_matches_from(arguments);
        let config = Config::from_arg_matches(&matches).expect("a configuration");
        App::open_or_create(config).await.expect("an app")
    }

    pub fn is_on_postgres(&self) -> bool {
        self.postgres.is_some()
    }

    pub fn database_url(&self) -> Option<String> {
        self.postgres.as_ref().map(|Postgres { server, name }| {
            let mut url = server.clone();
            url.set_path(name);
            url.into()
        })
    }
}

impl Drop for Camp {
    fn drop(&mut self) {
        let Some(Postgres { server, name }) = self.postgres.take() else { return };
        // A runtime that drops this must not block, so a separate thread with its own runtime drops
        // the database.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime
                .expect("a runtime")
                .block_on(on(&server, format!("drop database {name} with (force)")));
        });
        gone.join().ok();
    }
}

async fn on(server: &Url, statement: String) {
    let mut connection = PgConnection::connect(server.as_str()).await.expect("PostgreSQL answers");
    let statement = sqlx::AssertSqlSafe(statement);
    sqlx::query(statement).execute(&mut connection).await.expect("it can be done");
}

pub struct Running(Child);

impl Running {
    pub fn of(child: Child) -> Running {
        Running(child)
    }

    /// The most memory that it has ever had, in MiB.
    pub fn peak_memory(&self) -> u64 {
        self.status_line("VmHWM:").trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
            >> 10
    }

    /// One line of the process's status file in /proc.
    pub fn status_line(&self, name: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.expect("it runs");
        status.lines().find_map(|line| line.strip_prefix(name)).expect("a line").to_owned()
    }

    /// Kills it like `kill -9`.
    pub fn kill(&mut self) {
        self.0.kill().expect("it was alive");
        self.0.wait().expect("it is gone");
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("its status").is_some()
    }

    /// Sends SIGTERM, waits, and returns how it ended.
    pub async fn stop(&mut self) -> Option<i32> {
        let id = self.0.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().expect("kill is there");
        let asked = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("its status") {
                return status.code();
            }
            assert!(asked.elapsed() < Duration::from_secs(120), "it does not stop");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Runs a statement on the camp's engine.
#[macro_export]
macro_rules! execute {
    ($db:expr, $text:literal $(, $value:expr)* $(,)?) => {
        match $db {
            Db::Sqlite { write, .. } => {
                sqlx::query($text)$(.bind($value))*.execute(write).await.expect("it runs").rows_affected()
            }
            Db::Postgres(pool) => {
                sqlx::query($text)$(.bind($value))*.execute(pool).await.expect("it runs").rows_affected()
            }
        }
    };
}

/// Reads one number.
pub async fn count(db: &Db, text: &'static str) -> i64 {
    match db {
        Db::Sqlite { write, .. } => sqlx::query_scalar(text).fetch_one(write).await,
        Db::Postgres(pool) => sqlx::query_scalar(text).fetch_one(pool).await,
    }
    .expect("a number")
}

/// Like [`count`], but also works while somebody else writes.
pub async fn read(db: &Db, text: &'static str) -> i64 {
    match db {
        Db::Sqlite { read, .. } => sqlx::query_scalar(text).fetch_one(read).await,
        Db::Postgres(pool) => sqlx::query_scalar(text).fetch_one(pool).await,
    }
    .expect("a number")
}
