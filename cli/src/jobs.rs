//! `camp jobs`: lists waiting and failed jobs and retries failed ones.

use chrono::SecondsFormat;
use portal::audit::Actor;
use portal::{App, Config, Error, jobs};
use uuid::Uuid;

use crate::output::{Code, Outcome, print, print_json, print_table};

/// List waiting and failed jobs, and retry failed ones
#[derive(clap::Subcommand)]
pub enum Jobs {
    /// List all jobs that are not done
    #[command(
        after_help = "Example:\n  camp jobs list --json | jq '.[] | select(.state == \"failed\")'"
    )]
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Retry failed jobs
    #[command(
        after_help = "Examples:\n  camp jobs retry --all\n  camp jobs retry 019a8f3e-4c1b-7d20-9c55-0a1b2c3d4e5f"
    )]
    Retry {
        /// Id of the job in `camp jobs list`
        #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
        id: Option<Uuid>,
        /// All failed jobs
        #[arg(long)]
        all: bool,
    },
}

impl Jobs {
    pub async fn run(self, config: Config) -> Outcome {
        let app = App::open(config).await?;
        match self {
            Jobs::List { json } => list(&app, json).await,
            Jobs::Retry { id, .. } => retry(&app, id).await,
        }
    }
}

async fn list(app: &App, json: bool) -> Outcome {
    let listed = jobs::list(&app.db, 1000).await?;
    if json {
        print_json(&listed)?;
        return Ok(Code::Done);
    }
    if listed.is_empty() {
        print("No jobs are waiting, and none have failed.");
        return Ok(Code::Done);
    }
    let rows: Vec<Vec<String>> = listed
        .into_iter()
        .map(|job| {
            vec![
                job.id,
                job.state.to_owned(),
                job.name,
                job.attempts.to_string(),
                job.at.to_rfc3339_opts(SecondsFormat::Secs, true),
                job.error.unwrap_or_default(),
            ]
        })
        .collect();
    print_table(&["ID", "STATE", "JOB", "TRIES", "WHEN", "ERROR"], &rows);
    Ok(Code::Done)
}

async fn retry(app: &App, id: Option<Uuid>) -> Outcome {
    let again = jobs::retry(app, Actor::Operator, id).await?;
    if again == 0 && id.is_some() {
        return Err(Error::NotFound(
            "No failed job has this id. `camp jobs list` shows the failed jobs.",
        ));
    }
    print(match again {
        1 => "1 job is in the queue again.".to_owned(),
        n => format!("{n} jobs are in the queue again."),
    });
    Ok(Code::Done)
}
