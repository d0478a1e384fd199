//! `camp migrate`: migrates the database.

use portal::{App, Config};

use crate::output::{Code, Outcome, open_or_create, print};

/// Migrate the database to this version
///
/// Commands that use the camp do this, too, before they start; `backup`, `doctor` and `mail
/// receive` do not. A SQLite database is copied first; the last three copies are kept.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  camp migrate --database-url postgres://camp@localhost/camp")]
pub struct Migrate {}

impl Migrate {
    pub async fn run(self, config: Config) -> Outcome {
        let pending = match App::pending_migrations(&config).await? {
            Some(pending) => pending,
            None => portal::db::all_migrations(),
        };
        let app = open_or_create(config).await?;
        let repaired = app.db.repair_tallies().await?;
        app.db.close().await;
        if let Some(copy) = &app.before_upgrade {
            print(format!("How it was before is kept in {}.", copy.display()));
        }
        print(match pending {
            0 => "The database was up to date already.".to_owned(),
            1 => "The database is up to date; 1 step was applied.".to_owned(),
            n => format!("The database is up to date; {n} steps were applied."),
        });
        if !repaired.is_empty() {
            print(format!("Counted again: {}.", repaired.join(", ")));
        }
        Ok(Code::Done)
    }
}
