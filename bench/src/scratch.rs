//! A camp without data for one measurement: its own folder, and its own database on either engine.

use std::path::PathBuf;

use clap::{Args, FromArgMatches};
use portal::db::Db;
use portal::{App, Config};
use sqlx::AssertSqlSafe;

/// The PostgreSQL server of the bench, if `CAMP_TEST_POSTGRES_URL` names one.
pub fn postgres_server() -> Option<String> {
    std::env::var("CAMP_TEST_POSTGRES_URL").ok().filter(|url| !url.is_empty())
}

pub struct Scratch {
    folder: PathBuf,
    /// The PostgreSQL server, and the name of the database on it.
    postgres: Option<(String, String)>,
}

impl Scratch {
    /// Creates the database on this PostgreSQL server; without one it will be a file.
    pub async fn new(server: Option<&str>) -> Scratch {
        let name = format!("bench_{}", uuid::Uuid::new_v4().simple());
        let folder = std::env::temp_dir().join(&name);
        let postgres = server.map(|server| (server.to_owned(), name));
        if let Some((server, name)) = &postgres {
            on_server(server, format!("create database {name}")).await;
        }
        Scratch { folder, postgres }
    }

    /// The options of `camp` for it.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--data-dir".to_owned(), self.folder.display().to_string()];
        if let Some((server, name)) = &self.postgres {
            let place = server.rfind('/').unwrap_or(server.len());
            arguments.extend(["--database-url".to_owned(), format!("{}/{name}", &server[..place])]);
        }
        arguments
    }

    pub fn config(&self, more: &[&str]) -> Config {
        let given = self.arguments();
        let all = ["camp"].into_iter().chain(given.iter().map(String::as_str));
        let command = Config::augment_args(clap::Command::new("camp"));
        let matches = command.get_matches_from(all.chain(more.iter().copied()));
        Config::from_arg_matches(&matches).expect("a configuration")
    }

    /// Migrates the database.
    pub async fn open(&self) -> App {
        App::open_or_create(self.config(&[])).await.expect("a camp")
    }

    /// Removes all of it, after the portal has closed it.
    pub async fn remove(self) {
        std::fs::remove_dir_all(&self.folder).ok();
        if let Some((server, name)) = &self.postgres {
            on_server(server, format!("drop database {name} with (force)")).await;
        }
    }
}

async fn on_server(server: &str, statement: String) {
    let Db::Postgres(pool) = Db::open(server).await.expect("PostgreSQL answers") else {
        panic!("{server} is not PostgreSQL")
    };
    sqlx::query(AssertSqlSafe(statement)).execute(&pool).await.expect("it can be done");
    pool.close().await;
}
