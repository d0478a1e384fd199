//! `camp jobs`: lists waiting and failed jobs and retries failed ones.

use clap::error::ErrorKind;
use portal::audit::Actor;
use portal::{App, Config, Error, jobs};
use uuid::Uuid;

use crate::output::{Code, Outcome, print, print_json, print_table, time_in};

const EXAMPLE_ID: &str = "019a8f3e-4c1b-7d20-9c55-0a1b2c3d4e5f";

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
    /// Retry one failed job, or all
    #[command(
        after_help = "Examples:\n  camp jobs retry --all\n  camp jobs retry 019a8f3e-4c1b-7d20-9c55-0a1b2c3d4e5f"
    )]
    Retry {
        /// Id of the job, as in `camp jobs list`
        #[arg(value_name = "ID", conflicts_with = "all", value_parser = id)]
        id: Option<JobId>,
        /// All failed jobs
        #[arg(long)]
        all: bool,
    },
}

/// Which job, by the ids of `camp jobs list`.
#[derive(Clone, Copy)]
pub enum JobId {
    Failed(Uuid),
    /// Not a failed job: the ids of waiting jobs have another form.
    Waiting,
}

fn id(typed: &str) -> Result<JobId, String> {
    if let Ok(id) = typed.parse() {
        return Ok(JobId::Failed(id));
    }
    match typed.len() == 26 && typed.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => Ok(JobId::Waiting),
        false => Err(format!("an id looks like {EXAMPLE_ID}; `camp jobs list` shows them")),
    }
}

impl Jobs {
    pub async fn run(self, config: Config) -> Outcome {
        if let Jobs::Retry { id: None, all: false } = self {
            let text = format!(
                "Give the id of a failed job, which looks like {EXAMPLE_ID}, or --all for all of \
                 them. `camp jobs list` shows them.\n"
            );
            clap::Error::raw(ErrorKind::MissingRequiredArgument, text).exit();
        }
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
    let zone = app.settings().await?.timezone;
    let rows: Vec<Vec<String>> = listed
        .into_iter()
        .map(|job| {
            vec![
                job.id,
                job.state.to_owned(),
                job.name,
                job.attempts.to_string(),
                time_in(zone, job.at),
                job.error.unwrap_or_default(),
            ]
        })
        .collect();
    print_table(&["ID", "STATE", "JOB", "TRIES", "WHEN", "ERROR"], &rows);
    Ok(Code::Done)
}

async fn retry(app: &App, id: Option<JobId>) -> Outcome {
    let id = match id {
        Some(JobId::Waiting) => {
            return Err(Error::NotFound(
                "No failed job has this id. Jobs that wait run by themselves. `camp jobs list` shows the failed jobs.",
            ));
        }
        Some(JobId::Failed(id)) => Some(id),
        None => None,
    };
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
