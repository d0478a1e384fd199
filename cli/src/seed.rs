//! `camp seed`: fills an empty database with a sample camp.

use chrono::{DateTime, Utc};
use portal::Config;
use portal::seed::{self, Options, Sample};

use crate::output::{Code, Outcome, open_or_create, print, print_json};

/// The password of all sample logins. It is public, so it protects nothing.
pub const SAMPLE_PASSWORD: &str = "visiting-day-demo";

/// Fill an empty database with a sample camp
///
/// Adds families, staff, nine summers of videos (six with `--sample general`) with views, likes and
/// comments, and sent mail. The same seed and the same time produce the same camp.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  camp seed --sample-logins\n  camp seed --sample general --as-of 2026-07-28T12:00:00Z --seed 7 --json\n\nExit codes: 0 done, 3 the database is not empty."
)]
pub struct Seed {
    /// Which camp
    #[arg(long, value_enum, default_value = "yiddish")]
    sample: Sample,
    /// The current time in the sample camp [default: now]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    as_of: Option<DateTime<Utc>>,
    /// Seed of the random data: a different number makes a different camp
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Let all users sign in with the sample password; unsafe if others can reach the portal
    #[arg(long)]
    sample_logins: bool,
    /// Do nothing and exit with 0 if the database is not empty
    #[arg(long)]
    if_empty: bool,
    /// Print what was created as JSON
    #[arg(long)]
    json: bool,
}

fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text).map(|at| at.to_utc()).map_err(|_| {
        let form = || "give a time like 2026-07-28T12:00:00Z".to_owned();
        portal::dates::missing_in(text).unwrap_or_else(form)
    })
}

impl Seed {
    pub async fn run(self, config: Config) -> Outcome {
        let app = open_or_create(config).await?;
        if self.if_empty && !seed::is_empty(&app.db).await? {
            print("The database already contains a camp; nothing was changed.");
            return Ok(Code::Done);
        }
        let options = Options {
            sample: self.sample,
            seed: self.seed,
            as_of: self.as_of.unwrap_or_else(|| app.clock.now()),
            password: self.sample_logins.then(|| SAMPLE_PASSWORD.to_owned()),
        };
        let planted = seed::generate(&app, &options).await?;
        if self.json {
            print_json(&planted)?;
            return Ok(Code::Done);
        }
        print(format!(
            "Created {} families, {} visitors, {} staff accounts, {} videos of this summer and {} of \
             earlier ones, {} updates, {} comments, {} likes, {} views and {} emails.",
            planted.families,
            planted.visitors,
            planted.staff,
            planted.videos_this_summer,
            planted.videos_of_earlier_summers,
            planted.updates,
            planted.comments,
            planted.likes,
            planted.views,
            planted.mails
        ));
        if self.sample_logins {
            let logins = &planted.logins;
            print(format!("Everybody's password is {SAMPLE_PASSWORD}; it is public."));
            print(format!("  owner    {}", logins.owner));
            print(format!("  staff    {}", logins.staff));
            print(format!("  parent   {}", logins.parent));
            print(format!("  visitor  {}", logins.visitor));
        } else {
            print(
                "Nobody can sign in yet. `camp admin add` creates an account for the staff area.",
            );
        }
        Ok(Code::Done)
    }
}
